//! A plan with everything it needs to be drawn: images, pipelines, descriptors, frames in flight.

use std::sync::Arc;
use std::time::Instant;

use ash::vk;

use super::bake::Baked;
use super::descriptors::{DataSet, FrameSet, MaterialSets, PassSets, PassSources};
use super::error::{During, GpuError};
use super::executor::{DrawParts, Recorder, ShaderUse};
use super::gpu::{FRAMES_IN_FLIGHT, Garbage, Gpu};
use super::images::{PlanImages, instance};
use super::lists::Lists;
use super::overlay::{Overlay, OverlayFrame};
use super::pipeline::{self, Pipeline, ShaderLayout};
use super::readback::{self, ImageData};
use super::resource::Owned;
use super::swapchain::{self, Swapchain};
use super::timing::{FrameTimings, PassTiming, Queries};
use super::uniforms::{FrameUniforms, Uniforms};
use super::upload::{SceneGpu, Staging};
use crate::graph::{Instruction, Plan};
use crate::scene::{Dirty, ListDecl, ParamTable, Registry, Scene, Texture, ViewId};
use crate::shader::CompiledShader;

/// What a frame did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameStats {
    /// Number of the frame, as the renderer counts.
    pub frame: u64,
    /// Draw and dispatch commands.
    pub draws: u32,
    /// Draws of the game's lists that the views see, before merging.
    pub seen: u32,
    /// Triangles handed to the device.
    pub triangles: u64,
    /// Bytes copied to buffers and textures of the world.
    pub uploaded: u64,
    /// False when the window was minimized or its images had to be remade.
    pub presented: bool,
}

/// What one frame in flight owns.
struct Slot {
    pool: Owned<vk::CommandPool>,
    commands: vk::CommandBuffer,
    staging: Staging,
    file_staging: Staging,
    queries: Queries,
    /// Timeline value that ends the frame.
    value: u64,
}

impl Slot {
    fn new(gpu: &Gpu, passes: usize) -> Result<Self, GpuError> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(gpu.family());
        // SAFETY: the device lives.
        let pool = unsafe { gpu.device().create_command_pool(&info, None) }.during("creating a command pool")?;
        let pool = Owned::new(gpu, pool, Garbage::CommandPool);
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool.raw).command_buffer_count(1);
        // SAFETY: the pool was just made.
        let commands =
            unsafe { gpu.device().allocate_command_buffers(&info) }.during("allocating a command buffer")?[0];
        Ok(Self {
            pool,
            commands,
            staging: Staging::default(),
            file_staging: Staging::default(),
            queries: Queries::new(gpu, passes)?,
            value: 0,
        })
    }
}

/// Draws a plan. Making one is slow and may happen on any thread; several can live side by side.
pub struct Renderer {
    gpu: Gpu,
    plan: Plan,
    shaders: Vec<Arc<CompiledShader>>,
    layouts: Vec<Arc<ShaderLayout>>,
    uses: Vec<ShaderUse>,
    pipelines: Vec<Arc<Pipeline>>,
    built: u32,
    images: PlanImages,
    baked: Baked,
    uniforms: Uniforms,
    frame_set: Option<FrameSet>,
    pass_sets: Option<PassSets>,
    draws: Vec<DrawParts>,
    lists: Lists,
    slots: [Slot; FRAMES_IN_FLIGHT],
    frame: u64,
    files: Scene,
    files_gpu: SceneGpu,
    overlay: Option<Overlay>,
    timings: FrameTimings,
}

impl Renderer {
    /// Builds pipelines (on all cores) and images. `shaders` are those of `plan.shaders`, in their order.
    pub fn new(
        gpu: &Gpu,
        plan: Plan,
        shaders: Vec<Arc<CompiledShader>>,
        registry: &Registry,
    ) -> Result<Self, GpuError> {
        let layouts = shaders.iter().map(|s| ShaderLayout::of(gpu, s)).collect::<Result<Vec<_>, _>>()?;
        let (pipelines, built) = pipeline::build_all(gpu, &plan, &shaders, &layouts)?;
        let uses = shaders
            .iter()
            .map(|s| ShaderUse { frame: ShaderLayout::reads_frame(s), push: s.interface.push_bytes > 0 })
            .collect();
        let images = PlanImages::new(gpu, &plan)?;
        let baked = Baked::new(&plan, &images)?;
        let uniforms = Uniforms::new(gpu, &plan, registry)?;
        let frame_set = layouts.first().map(|layout| FrameSet::new(gpu, layout, &uniforms)).transpose()?;
        let mut lists = Lists::default();
        let draws = draw_parts(&plan, &shaders, &layouts, registry, &mut lists);
        let slots = [Slot::new(gpu, plan.passes.len())?, Slot::new(gpu, plan.passes.len())?];
        let passes = plan.passes.iter().map(|p| PassTiming { name: p.name.clone(), ..PassTiming::default() });
        let timings = FrameTimings { passes: passes.collect(), ..FrameTimings::default() };
        let mut this = Self {
            gpu: gpu.clone(),
            files: Scene::default(),
            files_gpu: SceneGpu::new(gpu)?,
            overlay: Overlay::new(gpu, &plan)?,
            frame: 0,
            pass_sets: None,
            plan,
            shaders,
            layouts,
            uses,
            pipelines,
            built,
            images,
            baked,
            uniforms,
            frame_set,
            draws,
            lists,
            slots,
            timings,
        };
        for name in this.plan.files.clone() {
            this.files.add_texture(absent(name));
        }
        Ok(this)
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How many pipelines [`Self::new`] built; the others were in use by another renderer of the same device.
    pub fn pipelines_built(&self) -> u32 {
        self.built
    }

    /// Bytes of transient images that the driver did not want in the shared heap; 0 as a rule.
    pub fn bytes_outside_heap(&self) -> u64 {
        self.images.apart
    }

    /// Gives a texture for an entry of `plan.files`; white stands for one that was never given.
    pub fn set_file(&mut self, index: usize, texture: Texture) {
        if let Some(file) = self.files.textures.get_mut(index) {
            *file = Texture { dirty: Dirty::All, ..texture };
            self.pass_sets = None;
        }
    }

    /// Takes over from another renderer between two frames: persistent images of equal name and shape, the overlay's
    /// textures and the count of frames. The rest of the other one is retired; frames in flight end undisturbed.
    pub fn adopt(&mut self, mut old: Self) -> Result<(), GpuError> {
        self.frame = old.frame;
        self.images.adopt(&self.plan, &old.images, &old.plan, self.frame);
        self.baked = Baked::new(&self.plan, &self.images)?;
        self.pass_sets = None;
        if let Some(mut overlay) = old.overlay.take() {
            overlay.fit(&self.plan)?;
            self.overlay = Some(overlay);
        }
        for (name, file) in self.plan.files.iter().zip(&mut self.files.textures) {
            let same = old.plan.files.iter().position(|n| n == name);
            if let Some(texture) = same.and_then(|i| old.files.textures.get_mut(i)).filter(|_| file.texels.is_empty()) {
                *file = Texture { dirty: Dirty::All, ..std::mem::replace(texture, absent(String::new())) };
            }
        }
        Ok(())
    }

    /// Puts another renderer in this one's place; see [`Self::adopt`]. On an error this one is lost too.
    pub fn replace(&mut self, new: Self) -> Result<(), GpuError> {
        let old = std::mem::replace(self, new);
        self.adopt(old)
    }

    /// Draws a frame: uploads what the scene marked dirty, replays the plan, and presents the output where a window is
    /// given. Waits only when the device is two frames behind.
    pub fn render(
        &mut self,
        scene: &mut Scene,
        world: &mut SceneGpu,
        params: &ParamTable,
        frame: &FrameUniforms,
        mut overlay: Option<&mut OverlayFrame>,
        target: Option<&mut Swapchain>,
    ) -> Result<FrameStats, GpuError> {
        let index = (self.frame % FRAMES_IN_FLIGHT as u64) as usize;
        let slot = &mut self.slots[index];
        self.gpu.wait_for(slot.value)?;
        slot.queries.read(&self.gpu, &mut self.timings);
        self.gpu.collect();
        let mut target = target;
        let acquired = match &mut target {
            Some(swapchain) => swapchain.acquire()?,
            None => None,
        };
        let started = Instant::now();
        world.stage(scene, &mut slot.staging)?;
        self.files_gpu.stage(&mut self.files, &mut slot.file_staging)?;
        if let Some(frame) = &mut overlay {
            match &mut self.overlay {
                Some(overlay) => overlay.apply(&mut frame.textures)?,
                None => frame.textures.clear(),
            }
        }
        self.uniforms.fill(index, &self.plan, scene, params, frame);
        self.lists.update(scene);
        self.fit_sets(scene, world)?;
        let commands = self.slots[index].commands;
        self.begin(index, world)?;
        self.replay(index, scene, world, overlay.as_deref())?;
        self.slots[index].queries.stamp(&self.gpu, commands, 1);
        if let Some(to) = &acquired {
            self.blit(commands, to)?;
        }
        // SAFETY: the buffer is being recorded.
        unsafe { self.gpu.device().end_command_buffer(commands) }.during("recording a frame")?;
        let slot = &mut self.slots[index];
        slot.queries.record_ns = started.elapsed().as_nanos() as u64;
        slot.queries.frame = Some(self.frame);
        let wait = acquired.map(|a| (a.free, vk::PipelineStageFlags2::ALL_TRANSFER));
        slot.value = self.gpu.submit(commands, wait, acquired.map(|a| a.filled))?;
        slot.staging.submitted();
        slot.file_staging.submitted();
        let value = slot.value;
        let stats = self.stats(index, world, acquired.is_some());
        self.frame += 1;
        if let (Some(swapchain), Some(acquired)) = (target, acquired) {
            swapchain.present(acquired, value)?;
        }
        Ok(stats)
    }

    fn stats(&self, slot: usize, world: &SceneGpu, presented: bool) -> FrameStats {
        let counts = &self.slots[slot].queries.counts;
        FrameStats {
            frame: self.frame,
            draws: counts.iter().map(|c| c.draws).sum(),
            seen: self.lists.visible.iter().map(|v| v.seen).sum(),
            triangles: counts.iter().map(|c| c.triangles).sum(),
            uploaded: world.uploaded_bytes(),
            presented,
        }
    }

    /// Makes set 1 anew when the images behind it have changed.
    fn fit_sets(&mut self, scene: &Scene, world: &SceneGpu) -> Result<(), GpuError> {
        if self.pass_sets.as_ref().is_some_and(|sets| sets.fits(scene, world)) {
            return Ok(());
        }
        let sources = PassSources {
            gpu: &self.gpu,
            plan: &self.plan,
            shaders: &self.shaders,
            layouts: &self.layouts,
            images: &self.images,
            uniforms: &self.uniforms,
            scene,
            world,
            files: &self.files_gpu,
        };
        self.pass_sets = Some(PassSets::new(&sources)?);
        Ok(())
    }

    /// Starts the command buffer: queries, uploads, new images.
    fn begin(&mut self, index: usize, world: &SceneGpu) -> Result<(), GpuError> {
        let slot = &mut self.slots[index];
        let (d, commands) = (self.gpu.device(), slot.commands);
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the frame that used the pool is done.
        unsafe {
            d.reset_command_pool(slot.pool.raw, vk::CommandPoolResetFlags::empty()).during("recording a frame")?;
            d.begin_command_buffer(commands, &info).during("recording a frame")?;
        }
        slot.queries.reset(&self.gpu);
        slot.queries.stamp(&self.gpu, commands, 0);
        world.record(commands, &slot.staging);
        self.files_gpu.record(commands, &slot.file_staging);
        if self.images.unsettled() {
            self.images.settle(&self.gpu, commands, &self.plan, self.frame);
        }
        Ok(())
    }

    fn replay(
        &mut self,
        index: usize,
        scene: &Scene,
        world: &SceneGpu,
        overlay: Option<&OverlayFrame>,
    ) -> Result<(), GpuError> {
        let Some(pass_sets) = &self.pass_sets else { return Ok(()) };
        let slot = &mut self.slots[index];
        let mut recorder = Recorder {
            gpu: &self.gpu,
            plan: &self.plan,
            baked: &self.baked,
            phase: (self.frame % u64::from(self.plan.phases.max(1))) as usize,
            images: &self.images,
            pipelines: &self.pipelines,
            shaders: &self.uses,
            frame_set: self.frame_set.as_ref(),
            pass_sets,
            uniforms: &self.uniforms,
            slot: index,
            lists: &self.lists,
            draws: &mut self.draws,
            scene,
            world,
            queries: &mut slot.queries,
            commands: slot.commands,
            overlay: self.overlay.as_mut().zip(overlay),
            pass: 0,
            rendering: None,
        };
        recorder.replay()
    }

    fn blit(&self, commands: vk::CommandBuffer, to: &swapchain::Acquired) -> Result<(), GpuError> {
        let output = self.plan.output as usize;
        let desc = &self.plan.images[output].desc;
        if desc.format.is_depth() || desc.format.is_integer() || desc.samples > 1 {
            return Err(GpuError::Plan {
                graph: self.plan.name.clone(),
                place: self.plan.images[output].name.clone(),
                reason: "a depth, integer or multisampled image cannot be shown; make the output a colour image".into(),
            });
        }
        let all = &self.images.images[output];
        let image = all[instance(self.frame, all.len(), 0)].raw;
        swapchain::blit(&self.gpu, commands, (image, self.baked.final_layouts[output], desc.extent), to);
        Ok(())
    }

    /// The output image of the newest frame. Waits for it.
    pub fn read_output(&mut self) -> Result<ImageData, GpuError> {
        self.read_index(self.plan.output as usize, 0, 0)
    }

    /// Mip 0 of layer 0 of an image of the newest frame, by its name in the graph file. Waits for it.
    pub fn read_image(&mut self, image: &str) -> Result<ImageData, GpuError> {
        self.read_image_part(image, 0, 0)
    }

    /// A mip of a layer of an image of the newest frame.
    pub fn read_image_part(&mut self, image: &str, mip: u32, layer: u32) -> Result<ImageData, GpuError> {
        let found = self.plan.images.iter().position(|i| i.name == image);
        let near = || crate::diag::near_miss(image, self.plan.images.iter().map(|i| i.name.as_str()));
        let index = found.ok_or_else(|| GpuError::Unreadable {
            image: image.into(),
            reason: match near() {
                Some(near) => format!("the graph has no image of this name; did you mean \"{near}\"?"),
                None => "the graph has no image of this name".into(),
            },
        })?;
        self.read_index(index, mip, layer)
    }

    fn read_index(&mut self, index: usize, mip: u32, layer: u32) -> Result<ImageData, GpuError> {
        let refuse = |image: &str, reason: String| GpuError::Unreadable { image: image.into(), reason };
        let Some(image) = self.plan.images.get(index) else {
            return Err(refuse("", "the graph has no images".into()));
        };
        let layout = self.baked.final_layouts[index];
        if self.frame == 0 || layout == vk::ImageLayout::UNDEFINED {
            return Err(refuse(&image.name, "no frame has written it; draw one first".into()));
        }
        if image.desc.samples > 1 {
            return Err(refuse(&image.name, "it is multisampled; read the image that it is resolved to".into()));
        }
        if mip >= image.desc.mips || layer >= image.desc.layers {
            return Err(refuse(
                &image.name,
                format!("it has {} mips and {} layers", image.desc.mips, image.desc.layers),
            ));
        }
        if let Some(by) = readback::overwritten_by(&self.plan, index) {
            return Err(refuse(
                &image.name,
                format!("\"{by}\" reuses its memory later in the frame; make it persistent or an output"),
            ));
        }
        let all = &self.images.images[index];
        let raw = all[instance(self.frame - 1, all.len(), 0)].raw;
        readback::read(&self.gpu, raw, layout, image.desc.format, (image.desc.extent, mip, layer))
    }

    /// What the newest finished frame cost. Never waits.
    pub fn timings(&mut self) -> &FrameTimings {
        let completed = self.gpu.completed();
        let mut order: [usize; FRAMES_IN_FLIGHT] = std::array::from_fn(|i| i);
        order.sort_unstable_by_key(|i| self.slots[*i].value);
        for i in order {
            if self.slots[i].value <= completed {
                self.slots[i].queries.read(&self.gpu, &mut self.timings);
            }
        }
        &self.timings
    }
}

/// What stands for a file that was not given yet: a shape that is refused, so that white is shown.
fn absent(name: String) -> Texture {
    Texture {
        name,
        kind: crate::graph::SampledKind::D2,
        format: crate::graph::Format::Rgba8,
        size: [1, 1],
        layers: 1,
        mips: 1,
        texels: Vec::new(),
        sampler: crate::scene::SamplerDesc::REPEAT,
        dirty: Dirty::Clean,
    }
}

/// For each draw the list in the view of its pass, and the sets that the list brings along.
fn draw_parts(
    plan: &Plan,
    shaders: &[Arc<CompiledShader>],
    layouts: &[Arc<ShaderLayout>],
    registry: &Registry,
    lists: &mut Lists,
) -> Vec<DrawParts> {
    let mut views = vec![ViewId(0); plan.draws.len()];
    let mut view = ViewId(0);
    for instruction in &plan.instructions {
        match *instruction {
            Instruction::BeginPass(pass) => view = plan.passes[pass as usize].view,
            Instruction::Draw(draw) => views[draw as usize] = view,
            _ => {}
        }
    }
    let unknown = ListDecl {
        name: String::new(),
        doc: String::new(),
        streams: Vec::new(),
        material: Vec::new(),
        presets: Vec::new(),
        storage: Vec::new(),
    };
    let parts = plan.draws.iter().zip(views).map(|(draw, view)| {
        let (layout, shader) = (&layouts[draw.shader as usize], &shaders[draw.shader as usize]);
        let decl = registry.lists.get(draw.list.index()).unwrap_or(&unknown);
        DrawParts {
            visible: lists.pair(draw.list, view),
            materials: MaterialSets::new(layout, shader, decl),
            data: DataSet::new(layout, shader, decl),
        }
    });
    parts.collect()
}
