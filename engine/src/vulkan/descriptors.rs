//! Descriptor sets: set 0 once, set 1 for each pass and phase, sets 2 and 3 for what draw lists bring along.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use ash::vk;

use super::convert;
use super::error::{During, GpuError};
use super::fallback::Sampled;
use super::gpu::{Garbage, Gpu};
use super::images::{PlanImages, instance};
use super::pipeline::ShaderLayout;
use super::resource::{Owned, View};
use super::uniforms::{FRAME_BYTES, Uniforms, VIEW_BYTES};
use super::upload::SceneGpu;
use crate::graph::{BindingSet, BoundResource, Fallback, ImageRef, Plan, SampledKind, Subresource};
use crate::scene::{BufferId, DrawListData, ListDecl, Material, MaterialId, Scene, TextureId};
use crate::shader::{BindingKind, CompiledShader, ShaderBinding, set};

/// A pool with room for `copies` sets of each layout.
fn pool(
    gpu: &Gpu,
    layouts: &[&[(u32, vk::DescriptorType)]],
    copies: u32,
) -> Result<Owned<vk::DescriptorPool>, GpuError> {
    let mut counts: Vec<vk::DescriptorPoolSize> = Vec::new();
    for (_, kind) in layouts.iter().flat_map(|l| l.iter()) {
        match counts.iter_mut().find(|c| c.ty == *kind) {
            Some(count) => count.descriptor_count += copies,
            None => counts.push(vk::DescriptorPoolSize { ty: *kind, descriptor_count: copies }),
        }
    }
    let sets = (layouts.len() as u32 * copies).max(1);
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(sets).pool_sizes(&counts);
    // SAFETY: the device lives.
    let raw = unsafe { gpu.device().create_descriptor_pool(&info, None) }.during("creating a descriptor pool")?;
    Ok(Owned::new(gpu, raw, Garbage::DescriptorPool))
}

fn allocate(
    gpu: &Gpu,
    pool: &Owned<vk::DescriptorPool>,
    layout: vk::DescriptorSetLayout,
) -> Result<vk::DescriptorSet, GpuError> {
    let layouts = [layout];
    let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool.raw).set_layouts(&layouts);
    // SAFETY: the pool is used by one thread at a time: its owner is borrowed.
    let sets = unsafe { gpu.device().allocate_descriptor_sets(&info) }.during("allocating descriptors")?;
    Ok(sets[0])
}

/// One descriptor to write.
enum Content {
    Image(vk::DescriptorType, vk::DescriptorImageInfo),
    Buffer(vk::DescriptorType, vk::DescriptorBufferInfo),
}

fn sampled(s: Sampled, layout: vk::ImageLayout) -> Content {
    let info = vk::DescriptorImageInfo { sampler: s.sampler, image_view: s.view, image_layout: layout };
    Content::Image(vk::DescriptorType::COMBINED_IMAGE_SAMPLER, info)
}

fn storage(buffer: vk::Buffer) -> Content {
    let info = vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE };
    Content::Buffer(vk::DescriptorType::STORAGE_BUFFER, info)
}

fn uniform(buffer: vk::Buffer, range: u64) -> Content {
    let info = vk::DescriptorBufferInfo { buffer, offset: 0, range };
    Content::Buffer(vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC, info)
}

fn write(gpu: &Gpu, set: vk::DescriptorSet, binding: u32, content: &Content) {
    let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(binding);
    let (images, buffers);
    let write = match content {
        Content::Image(kind, info) => {
            images = [*info];
            write.descriptor_type(*kind).image_info(&images)
        }
        Content::Buffer(kind, info) => {
            buffers = [*info];
            write.descriptor_type(*kind).buffer_info(&buffers)
        }
    };
    // SAFETY: the set is new, so no frame in flight reads it; what it points at is kept by the renderer.
    unsafe { gpu.device().update_descriptor_sets(&[write], &[]) };
}

/// Set 0: `Frame` and `View`, both slices of the uniform ring.
pub(super) struct FrameSet {
    pub(super) raw: vk::DescriptorSet,
    _pool: Owned<vk::DescriptorPool>,
}

impl FrameSet {
    pub(super) fn new(gpu: &Gpu, layout: &ShaderLayout, uniforms: &Uniforms) -> Result<Self, GpuError> {
        let pool = pool(gpu, &[&layout.bindings[0]], 1)?;
        let raw = allocate(gpu, &pool, layout.set(set::FRAME))?;
        write(gpu, raw, 0, &uniform(uniforms.buffer.raw, FRAME_BYTES));
        write(gpu, raw, 1, &uniform(uniforms.buffer.raw, VIEW_BYTES));
        Ok(Self { raw, _pool: pool })
    }
}

/// Set 1 of every binding set of a plan, for each phase.
pub(super) struct PassSets {
    /// By binding set and phase; one entry where the phase does not matter, none where the shader has no set 1.
    pub(super) sets: Vec<Vec<vk::DescriptorSet>>,
    epoch: u64,
    imports: Vec<Option<TextureId>>,
    _pool: Owned<vk::DescriptorPool>,
    _views: HashMap<(u32, usize, Subresource, vk::ImageViewType), View>,
}

/// What set 1 is made from.
pub(super) struct PassSources<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) plan: &'a Plan,
    pub(super) shaders: &'a [Arc<CompiledShader>],
    pub(super) layouts: &'a [Arc<ShaderLayout>],
    pub(super) images: &'a PlanImages,
    pub(super) uniforms: &'a Uniforms,
    pub(super) scene: &'a Scene,
    pub(super) world: &'a SceneGpu,
    pub(super) files: &'a SceneGpu,
}

impl PassSets {
    /// True while the game's images behind imports are the ones that the sets name.
    pub(super) fn fits(&self, scene: &Scene, world: &SceneGpu) -> bool {
        self.epoch == world.texture_epoch && self.imports == scene.imports
    }

    pub(super) fn new(from: &PassSources<'_>) -> Result<Self, GpuError> {
        let PassSources { gpu, plan, layouts, .. } = *from;
        let phases = plan.phases.max(1);
        let tables: Vec<&[(u32, vk::DescriptorType)]> =
            plan.bindings.iter().map(|b| layouts[b.shader as usize].bindings[1].as_slice()).collect();
        let pool = pool(gpu, &tables, phases)?;
        let mut views = HashMap::new();
        let mut sets = Vec::with_capacity(plan.bindings.len());
        for (bindings, table) in plan.bindings.iter().zip(&tables) {
            let mut all = Vec::new();
            let count = if needs_phases(plan, bindings) { phases } else { 1 };
            for phase in 0..if table.is_empty() { 0 } else { count } {
                let raw = allocate(gpu, &pool, layouts[bindings.shader as usize].set(set::PASS))?;
                fill_pass(from, bindings, u64::from(phase), raw, &mut views)?;
                all.push(raw);
            }
            sets.push(all);
        }
        let imports = from.scene.imports.clone();
        Ok(Self { sets, epoch: from.world.texture_epoch, imports, _pool: pool, _views: views })
    }
}

fn needs_phases(plan: &Plan, bindings: &BindingSet) -> bool {
    bindings.bindings.iter().any(|b| match b.resource {
        BoundResource::Sampled { image, .. } | BoundResource::Storage { image, .. } => {
            matches!(&plan.images[image.image as usize].residency,
                     crate::graph::Residency::Persistent { instances, .. } if *instances > 1)
        }
        _ => false,
    })
}

fn fill_pass(
    from: &PassSources<'_>,
    bindings: &BindingSet,
    phase: u64,
    raw: vk::DescriptorSet,
    views: &mut HashMap<(u32, usize, Subresource, vk::ImageViewType), View>,
) -> Result<(), GpuError> {
    let PassSources { gpu, plan, images, scene, .. } = *from;
    let shader = &from.shaders[bindings.shader as usize].interface;
    let mut view = |image: ImageRef, part: Subresource, kind| -> Result<vk::ImageView, GpuError> {
        let desc = &plan.images[image.image as usize];
        let all = &images.images[image.image as usize];
        let at = instance(phase, all.len(), image.age);
        let key = (image.image, at, part, kind);
        Ok(match views.entry(key) {
            Entry::Occupied(there) => there.get().raw,
            Entry::Vacant(free) => {
                let range = convert::range(part, convert::aspect(desc.desc.format));
                free.insert(all[at].view(kind, range, &desc.name)?).raw
            }
        })
    };
    if let Some(block) = &bindings.uniforms {
        write(gpu, raw, block.binding, &uniform(from.uniforms.buffer.raw, u64::from(block.size.max(16))));
    }
    let in_set = |b: &&ShaderBinding| b.set == set::PASS && b.kind != BindingKind::Uniform;
    let fallbacks = &from.world.fallbacks;
    for wanted in shader.bindings.iter().filter(in_set) {
        let kind = match wanted.kind {
            BindingKind::Sampled(kind) => kind,
            _ => SampledKind::D2,
        };
        let bound = bindings.bindings.iter().find(|b| b.binding == wanted.binding).map(|b| b.resource);
        let read = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
        let white = || fallbacks.get(Fallback::White, kind);
        let content = match bound {
            Some(BoundResource::Sampled { image, part, layout, sampler }) => {
                let format = plan.images[image.image as usize].desc.format;
                let view = view(image, part, convert::view_type(kind))?;
                sampled(Sampled { view, sampler: gpu.sampler(sampler, format)? }, convert::layout(layout))
            }
            Some(BoundResource::Storage { image, part }) => {
                let layers =
                    if part.layers > 1 { vk::ImageViewType::TYPE_2D_ARRAY } else { vk::ImageViewType::TYPE_2D };
                let info = vk::DescriptorImageInfo {
                    image_view: view(image, Subresource { mips: 1, ..part }, layers)?,
                    image_layout: vk::ImageLayout::GENERAL,
                    ..vk::DescriptorImageInfo::default()
                };
                Content::Image(vk::DescriptorType::STORAGE_IMAGE, info)
            }
            Some(BoundResource::Buffer { buffer }) => storage(images.buffers[buffer as usize].raw),
            Some(BoundResource::Import { import }) => {
                let id = scene.imports.get(import.index()).copied().flatten();
                sampled(id.and_then(|id| from.world.texture(id, kind)).unwrap_or_else(white), read)
            }
            Some(BoundResource::File { file }) => {
                sampled(from.files.texture(TextureId(file), kind).unwrap_or_else(white), read)
            }
            Some(BoundResource::Fallback(fallback)) => sampled(fallbacks.get(fallback, kind), read),
            None if matches!(wanted.kind, BindingKind::StorageBuffer { .. }) => storage(fallbacks.zeroes.raw),
            // There is no image to write to; the graph's check does not let this happen.
            None if matches!(wanted.kind, BindingKind::StorageImage { .. }) => continue,
            None => sampled(white(), read),
        };
        write(gpu, raw, wanted.binding, &content);
    }
    Ok(())
}

/// How many material sets a pool holds.
const MATERIALS: u32 = 64;

/// Set 2 of one shader for the materials of one list.
pub(super) struct MaterialSets {
    layout: Arc<ShaderLayout>,
    /// Binding, slot of the material, shape.
    slots: Vec<(u32, Option<usize>, SampledKind)>,
    made: Vec<Option<(vk::DescriptorSet, Vec<TextureId>)>>,
    pools: Vec<Owned<vk::DescriptorPool>>,
    left: u32,
    epoch: u64,
}

impl MaterialSets {
    /// `None` when the shader reads no material.
    pub(super) fn new(layout: &Arc<ShaderLayout>, shader: &CompiledShader, list: &ListDecl) -> Option<Self> {
        let slot = |b: &ShaderBinding| {
            let BindingKind::Sampled(kind) = b.kind else { return None };
            Some((b.binding, list.material.iter().position(|s| s.name == b.name), kind))
        };
        let slots: Vec<_> =
            shader.interface.bindings.iter().filter(|b| b.set == set::MATERIAL).filter_map(slot).collect();
        let new = || Self { layout: layout.clone(), slots, made: Vec::new(), pools: Vec::new(), left: 0, epoch: 0 };
        (!layout.bindings[2].is_empty()).then(new)
    }

    /// The set of a material; made when it is first drawn, made anew when a texture of the world got another handle.
    pub(super) fn get(
        &mut self,
        gpu: &Gpu,
        id: MaterialId,
        material: Option<&Material>,
        world: &SceneGpu,
    ) -> Result<vk::DescriptorSet, GpuError> {
        if self.epoch != world.texture_epoch {
            self.forget(world.texture_epoch);
        }
        let textures = material.map_or(&[][..], |m| m.textures.as_slice());
        let index = (id.0 as usize).min(1 << 20);
        match self.made.get(index) {
            Some(Some((set, of))) if of == textures => return Ok(*set),
            // A material that the game changed: frames in flight keep the pool of the old set.
            Some(Some(_)) => self.forget(world.texture_epoch),
            _ => {}
        }
        if self.left == 0 {
            self.pools.push(pool(gpu, &[&self.layout.bindings[2]], MATERIALS)?);
            self.left = MATERIALS;
        }
        let Some(last) = self.pools.last() else { return Ok(vk::DescriptorSet::null()) };
        let raw = allocate(gpu, last, self.layout.set(set::MATERIAL))?;
        self.left -= 1;
        for (binding, slot, kind) in &self.slots {
            let texture = slot.and_then(|slot| textures.get(slot)).and_then(|id| world.texture(*id, *kind));
            let texture = texture.unwrap_or_else(|| world.fallbacks.get(Fallback::White, *kind));
            write(gpu, raw, *binding, &sampled(texture, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL));
        }
        if self.made.len() <= index {
            self.made.resize_with(index + 1, || None);
        }
        self.made[index] = Some((raw, textures.to_vec()));
        Ok(raw)
    }

    fn forget(&mut self, epoch: u64) {
        self.made.clear();
        self.pools.clear();
        self.left = 0;
        self.epoch = epoch;
    }
}

/// Set 3 of one shader for one list.
pub(super) struct DataSet {
    layout: Arc<ShaderLayout>,
    /// Binding, index in the list's storage buffers.
    slots: Vec<(u32, Option<usize>)>,
    made: Option<(vk::DescriptorSet, u64, Vec<BufferId>)>,
    pool: Option<Owned<vk::DescriptorPool>>,
}

impl DataSet {
    /// `None` when the shader reads no data.
    pub(super) fn new(layout: &Arc<ShaderLayout>, shader: &CompiledShader, list: &ListDecl) -> Option<Self> {
        let in_set = shader.interface.bindings.iter().filter(|b| b.set == set::DATA);
        let slots = in_set.map(|b| (b.binding, list.storage.iter().position(|s| *s == b.name))).collect();
        let new = || Self { layout: layout.clone(), slots, made: None, pool: None };
        (!layout.bindings[3].is_empty()).then(new)
    }

    pub(super) fn get(
        &mut self,
        gpu: &Gpu,
        list: &DrawListData,
        world: &SceneGpu,
    ) -> Result<vk::DescriptorSet, GpuError> {
        if let Some((set, epoch, of)) = &self.made
            && *epoch == world.buffer_epoch
            && *of == list.storage
        {
            return Ok(*set);
        }
        let pool = pool(gpu, &[&self.layout.bindings[3]], 1)?;
        let raw = allocate(gpu, &pool, self.layout.set(set::DATA))?;
        for (binding, slot) in &self.slots {
            let buffer = slot.and_then(|slot| list.storage.get(slot)).and_then(|id| world.buffer(*id));
            write(gpu, raw, *binding, &storage(buffer.unwrap_or(world.fallbacks.zeroes.raw)));
        }
        self.pool = Some(pool);
        self.made = Some((raw, world.buffer_epoch, list.storage.clone()));
        Ok(raw)
    }
}
