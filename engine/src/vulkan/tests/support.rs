//! Hand-made plans and shaders for tests, and a device whose validation messages fail the test.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::graph::*;
use crate::scene::*;
use crate::shader::{
    BindingKind, Block, CompiledShader, ShaderBinding, ShaderInterface, ShaderKind, ShaderRequest, Stage,
};
use crate::vulkan::*;

/// A device under validation; messages fail the test when it ends.
pub(super) struct TestGpu {
    pub(super) gpu: Gpu,
    /// Messages are expected.
    pub(super) noisy: bool,
}

impl TestGpu {
    /// `None`, with a message, where there is no Vulkan.
    pub(super) fn new() -> Option<Self> {
        Self::with_display(None)
    }

    /// The same, for windows on a display.
    pub(super) fn with_display(display: Option<raw_window_handle::RawDisplayHandle>) -> Option<Self> {
        let options = GpuOptions { validation: true, display, ..GpuOptions::default() };
        let opened = match Gpu::new(&options) {
            Err(GpuError::NoValidationLayer) => {
                eprintln!("no validation layer: the test runs without");
                Gpu::new(&GpuOptions { validation: false, ..options })
            }
            other => other,
        };
        match opened {
            Ok(gpu) => Some(Self { gpu, noisy: false }),
            Err(error @ (GpuError::NoLoader { .. } | GpuError::NoDevice | GpuError::OldLoader { .. })) => {
                eprintln!("skipped: {error}");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }
}

impl Drop for TestGpu {
    fn drop(&mut self) {
        if !self.noisy && !std::thread::panicking() {
            let _ = self.gpu.wait();
            assert_eq!(self.gpu.validation_messages(), 0, "{:?}", self.gpu.last_validation_message());
        }
    }
}

/// Compiles GLSL; bindings are given by hand.
pub(super) fn shader(
    name: &str,
    stages: &[(Stage, &str)],
    bindings: &[(u32, u32, &str, BindingKind)],
) -> CompiledShader {
    let compiler = shaderc::Compiler::new().unwrap();
    let mut options = shaderc::CompileOptions::new().unwrap();
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_3 as u32);
    let sets = include_str!("../../../../shaders/common/sets.glsl");
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut push_bytes = 0;
    let compiled = stages.iter().map(|(stage, source)| {
        let kind = match stage {
            Stage::Vertex => shaderc::ShaderKind::Vertex,
            Stage::Fragment => shaderc::ShaderKind::Fragment,
            Stage::Compute => shaderc::ShaderKind::Compute,
        };
        let source = match source.starts_with("#version") {
            true => (*source).to_owned(),
            false => format!("#version 450\n{sets}\n{source}"),
        };
        if source.contains("push.index") {
            push_bytes = 16;
        }
        let spirv = compiler.compile_into_spirv(&source, kind, name, "main", Some(&options)).unwrap();
        for word in spirv.as_binary() {
            hash = (hash ^ u64::from(*word)).wrapping_mul(0x0100_0000_01b3);
        }
        (*stage, Arc::from(spirv.as_binary()))
    });
    let stages = compiled.collect();
    let binding = |&(set, binding, name, kind): &(u32, u32, &str, BindingKind)| ShaderBinding {
        set,
        binding,
        name: name.into(),
        kind,
        stages: Vec::new(),
    };
    let interface =
        ShaderInterface { bindings: bindings.iter().map(binding).collect(), push_bytes, ..Default::default() };
    let request = ShaderRequest { name: name.into(), kind: ShaderKind::Raster, defines: BTreeMap::new() };
    CompiledShader { request, stages, interface, files: Vec::new(), hash }
}

/// A full-screen shader with this fragment stage.
pub(super) fn fullscreen(name: &str, fragment: &str, bindings: &[(u32, u32, &str, BindingKind)]) -> CompiledShader {
    let vertex = include_str!("../../../../shaders/common/fullscreen.vert");
    shader(name, &[(Stage::Vertex, vertex), (Stage::Fragment, fragment)], bindings)
}

/// Gives a shader a `Params` block of one member.
pub(super) fn with_param(mut shader: CompiledShader, binding: u32) -> CompiledShader {
    shader.interface.params = Some((binding, Block { size: 16, members: Vec::new() }));
    shader
}

pub(super) const COLOR: Scope = Scope { stages: Stages::COLOR_OUTPUT, access: Access::COLOR_WRITE };
pub(super) const COLOR_RW: Scope =
    Scope { stages: Stages::COLOR_OUTPUT, access: Access(Access::COLOR_WRITE.0 | Access::COLOR_READ.0) };
pub(super) const SAMPLED: Scope = Scope { stages: Stages::FRAGMENT, access: Access::SAMPLED_READ };
pub(super) const COMPUTE_WRITE: Scope = Scope { stages: Stages::COMPUTE, access: Access::STORAGE_WRITE };
pub(super) const COPY_READ: Scope = Scope { stages: Stages::TRANSFER, access: Access::TRANSFER_READ };
pub(super) const COPY_WRITE: Scope = Scope { stages: Stages::TRANSFER, access: Access::TRANSFER_WRITE };

pub(super) const ONE: Subresource = Subresource { mip: 0, mips: 1, layer: 0, layers: 1 };

/// This frame's instance.
pub(super) fn now(image: u32) -> ImageRef {
    ImageRef { image, age: 0 }
}

/// A plan that grows pass by pass.
#[derive(Default)]
pub(super) struct Maker {
    pub(super) plan: Plan,
    pub(super) shaders: Vec<Arc<CompiledShader>>,
    states: Vec<ImageState>,
}

impl Maker {
    pub(super) fn new() -> Self {
        let plan = Plan { name: "test".into(), phases: 1, heap_alignment: 1, ..Plan::default() };
        Self { plan, ..Self::default() }
    }

    /// Adds an image at the end of the heap; sizes come from the device.
    pub(super) fn image(&mut self, gpu: &Gpu, name: &str, format: Format, extent: [u32; 2], usage: Usage) -> u32 {
        let desc = ImageDesc { format, extent, layers: 1, mips: 1, samples: 1, usage };
        let (size, alignment) = gpu.image_memory(&desc);
        let offset = self.plan.heap_bytes.next_multiple_of(alignment);
        self.plan.heap_bytes = offset + size;
        self.plan.heap_alignment = self.plan.heap_alignment.max(alignment);
        self.add(name, desc, Residency::Transient { offset, size })
    }

    /// Adds a persistent image.
    pub(super) fn persistent(
        &mut self,
        name: &str,
        format: Format,
        extent: [u32; 2],
        usage: Usage,
        resting: &[ImageState],
    ) -> u32 {
        let desc = ImageDesc { format, extent, layers: 1, mips: 1, samples: 1, usage };
        let instances = resting.len() as u32;
        let index = self.add(name, desc, Residency::Persistent { instances, resting: resting.to_vec() });
        self.states[index as usize] = resting[0];
        index
    }

    fn add(&mut self, name: &str, desc: ImageDesc, residency: Residency) -> u32 {
        self.plan.images.push(PlanImage { name: name.into(), desc, residency, lifetime: None });
        self.states.push(ImageState::default());
        self.plan.images.len() as u32 - 1
    }

    /// A barrier of a whole image from where it was left.
    pub(super) fn barrier(&mut self, image: u32, new: Layout, dst: Scope) {
        let state = self.states[image as usize];
        self.states[image as usize] = ImageState { layout: new, scope: dst };
        self.raw_barrier(ImageBarrier {
            image: now(image),
            part: ONE,
            old: state.layout,
            new,
            // The first access of a frame waits for whatever the frame before did.
            src: if state.layout == Layout::Undefined { COLOR_RW } else { state.scope },
            dst,
        });
    }

    pub(super) fn raw_barrier(&mut self, barrier: ImageBarrier) {
        self.plan.barriers.push(BarrierBatch { images: vec![barrier], buffers: Vec::new() });
        self.plan.instructions.push(Instruction::Barriers(self.plan.barriers.len() as u32 - 1));
    }

    pub(super) fn begin_pass(&mut self, name: &str, viewport: [u32; 2]) -> u32 {
        let viewport = [0, 0, viewport[0], viewport[1]];
        self.plan.passes.push(PlanPass { name: name.into(), span: 0..0, view: ViewId(0), viewport });
        let pass = self.plan.passes.len() as u32 - 1;
        self.plan.instructions.push(Instruction::BeginPass(pass));
        pass
    }

    pub(super) fn end_pass(&mut self, pass: u32) {
        self.plan.instructions.push(Instruction::EndPass(pass));
    }

    pub(super) fn color(&self, image: ImageRef, load: Load) -> Attachment {
        Attachment { image, mip: 0, layer: 0, layout: Layout::ColorAttachment, load, store: true, resolve: None }
    }

    pub(super) fn begin_rendering(&mut self, colors: &[Attachment], depth: Option<Attachment>) {
        let first = colors.first().or(depth.as_ref()).unwrap();
        let extent = self.plan.images[first.image.image as usize].desc.extent;
        self.plan.renderings.push(Rendering { colors: colors.to_vec(), depth, extent, samples: 1 });
        self.plan.instructions.push(Instruction::BeginRendering(self.plan.renderings.len() as u32 - 1));
    }

    pub(super) fn end_rendering(&mut self) {
        self.plan.instructions.push(Instruction::EndRendering);
    }

    pub(super) fn shader(&mut self, shader: CompiledShader) -> u32 {
        self.plan.shaders.push(shader.request.clone());
        self.shaders.push(Arc::new(shader));
        self.shaders.len() as u32 - 1
    }

    pub(super) fn pipeline(&mut self, shader: u32, kind: PipelineKind) -> u32 {
        self.plan.pipelines.push(PipelineDesc { shader, kind, constants: Vec::new() });
        self.plan.pipelines.len() as u32 - 1
    }

    pub(super) fn bindings(&mut self, shader: u32, bindings: &[(u32, BoundResource)]) -> u32 {
        let bindings = bindings.iter().map(|&(binding, resource)| Binding { binding, resource }).collect();
        self.plan.bindings.push(BindingSet { shader, bindings, uniforms: None });
        self.plan.bindings.len() as u32 - 1
    }

    /// A full-screen pass into a colour image, which is left as attachment.
    pub(super) fn fullscreen(
        &mut self,
        name: &str,
        image: u32,
        load: Load,
        shader: CompiledShader,
        bound: &[(u32, BoundResource)],
    ) -> u32 {
        let desc = self.plan.images[image as usize].desc;
        let shader = self.shader(shader);
        let state = state();
        let kind = PipelineKind::Graphics {
            colors: vec![desc.format],
            depth: None,
            samples: 1,
            state,
            attributes: Vec::new(),
            streams: Vec::new(),
        };
        let pipeline = self.pipeline(shader, kind);
        let bindings = self.bindings(shader, bound);
        self.barrier(image, Layout::ColorAttachment, COLOR_RW);
        let pass = self.begin_pass(name, desc.extent);
        let color = self.color(now(image), load);
        self.begin_rendering(&[color], None);
        self.plan.fullscreens.push(PlanFullscreen { pipeline, bindings });
        self.plan.instructions.push(Instruction::Fullscreen(self.plan.fullscreens.len() as u32 - 1));
        self.end_rendering();
        self.end_pass(pass);
        bindings
    }

    /// Ends the plan with this output as it was left.
    pub(super) fn finish(mut self, output: u32) -> (Plan, Vec<Arc<CompiledShader>>) {
        self.plan.output = output;
        self.plan.output_state = self.states[output as usize];
        (self.plan, self.shaders)
    }
}

/// The default state without depth.
pub(super) fn state() -> RasterState {
    let pass = MaterialState { depth_test: Some(false), depth_write: Some(false), ..MaterialState::default() };
    RasterState::compose(&pass, &MaterialState::default())
}

/// A renderer with a world.
pub(super) struct Rig {
    pub(super) renderer: Renderer,
    pub(super) scene: Scene,
    pub(super) world: SceneGpu,
    pub(super) params: ParamTable,
    pub(super) frame: FrameUniforms,
}

impl Rig {
    pub(super) fn new(gpu: &TestGpu, (plan, shaders): (Plan, Vec<Arc<CompiledShader>>), registry: &Registry) -> Self {
        Self {
            renderer: Renderer::new(&gpu.gpu, plan, shaders, registry).unwrap(),
            scene: Scene::new(registry),
            world: SceneGpu::new(&gpu.gpu).unwrap(),
            params: ParamTable::default(),
            frame: FrameUniforms::default(),
        }
    }

    pub(super) fn render(&mut self) -> FrameStats {
        let Self { renderer, scene, world, params, frame } = self;
        let stats = renderer.render(scene, world, params, frame, None, None).unwrap();
        frame.index += 1;
        stats
    }

    /// The texel of the output at a pixel.
    pub(super) fn texel(&mut self, x: u32, y: u32) -> Vec<u8> {
        let image = self.renderer.read_output().unwrap();
        let size = image.format.bytes_for(1, 1);
        let at = (y * image.width + x) as usize * size;
        image.bytes[at..at + size].to_vec()
    }
}

pub(super) fn registry() -> Registry {
    Registry::with_standard_views()
}
