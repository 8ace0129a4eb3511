//! Layouts and pipelines. Equal ones are made once while somebody uses them, so a reload builds only what changed.

use std::sync::Arc;

use ash::vk;
use rayon::prelude::*;

use super::convert;
use super::error::{During, GpuError};
use super::gpu::{Garbage, Gpu};
use super::resource::Owned;
use crate::graph::{Format, PipelineDesc, PipelineKind, Plan, PlanAttribute, Polygon, RasterState};
use crate::shader::{BindingKind, CompiledShader, Stage, set};

/// Stages that see descriptors. One mask for all keeps layouts compatible between shaders.
const STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::VERTEX.as_raw()
        | vk::ShaderStageFlags::FRAGMENT.as_raw()
        | vk::ShaderStageFlags::COMPUTE.as_raw(),
);

/// Stages that a draw pushes constants to. Not compute: lavapipe (Mesa 25.0.7) crashed in a later pass when constants
/// were pushed to compute and no compute pipeline was ever bound.
pub(super) const PUSH_STAGES: vk::ShaderStageFlags =
    vk::ShaderStageFlags::from_raw(vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw());

/// Bytes of `push.index`.
pub(super) const PUSH_BYTES: u32 = 16;

/// Descriptor type of a binding. Uniform blocks are slices of a ring, so their offset is dynamic.
pub(super) fn descriptor_type(kind: BindingKind) -> vk::DescriptorType {
    match kind {
        BindingKind::Sampled(_) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        BindingKind::StorageImage { .. } => vk::DescriptorType::STORAGE_IMAGE,
        BindingKind::StorageBuffer { .. } => vk::DescriptorType::STORAGE_BUFFER,
        BindingKind::Uniform => vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC,
    }
}

/// Set layouts and pipeline layout of a shader's interface.
pub(super) struct ShaderLayout {
    sets: Vec<Owned<vk::DescriptorSetLayout>>,
    pub(super) raw: vk::PipelineLayout,
    _owner: Owned<vk::PipelineLayout>,
    /// Bindings of each set: number and type, by number.
    pub(super) bindings: [Vec<(u32, vk::DescriptorType)>; 4],
}

/// What the sets of a shader hold. Set 0 is the same for all.
fn bindings_of(shader: &CompiledShader) -> [Vec<(u32, vk::DescriptorType)>; 4] {
    let dynamic = vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC;
    let mut sets: [Vec<_>; 4] = [vec![(0, dynamic), (1, dynamic)], Vec::new(), Vec::new(), Vec::new()];
    let params = shader.interface.params.as_ref().map(|(binding, _)| (set::PASS, *binding, dynamic));
    let named = shader.interface.bindings.iter().map(|b| (b.set, b.binding, descriptor_type(b.kind)));
    for (set, binding, kind) in named.chain(params) {
        if let Some(set) = sets.get_mut(set as usize)
            && set.iter().all(|(b, _)| *b != binding)
        {
            set.push((binding, kind));
        }
    }
    for set in &mut sets {
        set.sort_unstable_by_key(|(b, _)| *b);
    }
    sets
}

impl ShaderLayout {
    /// The layout of a shader, shared with all shaders of the same interface.
    pub(super) fn of(gpu: &Gpu, shader: &CompiledShader) -> Result<Arc<Self>, GpuError> {
        let bindings = bindings_of(shader);
        let bytes = shader.interface.push_bytes.max(PUSH_BYTES);
        let compute = shader.stages.iter().any(|(stage, _)| *stage == Stage::Compute);
        let stages = if compute { vk::ShaderStageFlags::COMPUTE } else { PUSH_STAGES };
        let key = format!("{bytes} {compute} {bindings:?}");
        if let Some(there) = gpu.shared().layouts.get(&key).and_then(std::sync::Weak::upgrade) {
            return Ok(there);
        }
        let mut sets = Vec::with_capacity(4);
        for set in &bindings {
            let table: Vec<_> = set
                .iter()
                .map(|(binding, kind)| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(*binding)
                        .descriptor_type(*kind)
                        .descriptor_count(1)
                        .stage_flags(STAGES)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&table);
            // SAFETY: the device lives.
            let raw = unsafe { gpu.device().create_descriptor_set_layout(&info, None) };
            sets.push(Owned::new(gpu, raw.during("creating a descriptor layout")?, Garbage::SetLayout));
        }
        let raw_sets: Vec<_> = sets.iter().map(|s| s.raw).collect();
        let push = [vk::PushConstantRange { stage_flags: stages, offset: 0, size: bytes }];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&raw_sets).push_constant_ranges(&push);
        // SAFETY: the set layouts live.
        let raw = unsafe { gpu.device().create_pipeline_layout(&info, None) }.during("creating a pipeline layout")?;
        gpu.name(raw, &shader.request.name);
        let owner = Owned::new(gpu, raw, Garbage::PipelineLayout);
        let layout = Arc::new(Self { sets, raw, _owner: owner, bindings });
        gpu.shared().layouts.insert(key, Arc::downgrade(&layout));
        Ok(layout)
    }

    /// The layout of one set.
    pub(super) fn set(&self, set: u32) -> vk::DescriptorSetLayout {
        self.sets[set as usize].raw
    }
}

/// A pipeline.
pub(super) struct Pipeline {
    owner: Owned<vk::Pipeline>,
    pub(super) layout: Arc<ShaderLayout>,
}

impl Pipeline {
    pub(super) fn raw(&self) -> vk::Pipeline {
        self.owner.raw
    }
}

/// Builds what is not there yet, on all cores. Returns the pipelines in the plan's order and how many were built.
pub(super) fn build_all(
    gpu: &Gpu,
    plan: &Plan,
    shaders: &[Arc<CompiledShader>],
    layouts: &[Arc<ShaderLayout>],
) -> Result<(Vec<Arc<Pipeline>>, u32), GpuError> {
    let built: Vec<(Arc<Pipeline>, bool)> = plan
        .pipelines
        .par_iter()
        .map(|desc| {
            let shader = &shaders[desc.shader as usize];
            let (name, hash) = (&shader.request.name, shader.hash);
            let key = format!("{name} {hash:016x} {:?} {:?}", desc.kind, desc.constants);
            if let Some(there) = gpu.shared().pipelines.get(&key).and_then(std::sync::Weak::upgrade) {
                return Ok((there, false));
            }
            let layout = layouts[desc.shader as usize].clone();
            let raw = build(gpu, plan, desc, shader, &layout)?;
            gpu.name(raw, name);
            let pipeline = Arc::new(Pipeline { owner: Owned::new(gpu, raw, Garbage::Pipeline), layout });
            gpu.shared().pipelines.insert(key, Arc::downgrade(&pipeline));
            Ok((pipeline, true))
        })
        .collect::<Result<_, GpuError>>()?;
    let mut shared = gpu.shared();
    shared.pipelines.retain(|_, weak| weak.strong_count() > 0);
    shared.layouts.retain(|_, weak| weak.strong_count() > 0);
    drop(shared);
    let count = built.iter().filter(|(_, new)| *new).count() as u32;
    Ok((built.into_iter().map(|(p, _)| p).collect(), count))
}

struct Modules<'a> {
    gpu: &'a Gpu,
    made: Vec<(vk::ShaderStageFlags, vk::ShaderModule)>,
}

impl<'a> Modules<'a> {
    fn new(gpu: &'a Gpu, shader: &CompiledShader) -> Result<Self, GpuError> {
        let mut modules = Self { gpu, made: Vec::new() };
        for (stage, words) in &shader.stages {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            // SAFETY: the words come from the shader compiler.
            let module = unsafe { gpu.device().create_shader_module(&info, None) }.during("loading a shader")?;
            gpu.name(module, &format!("{} {stage:?}", shader.request.name));
            modules.made.push((convert::stage(*stage), module));
        }
        Ok(modules)
    }
}

impl Drop for Modules<'_> {
    fn drop(&mut self) {
        for (_, module) in &self.made {
            // SAFETY: pipelines keep no reference to their modules.
            unsafe { self.gpu.device().destroy_shader_module(*module, None) };
        }
    }
}

fn build(
    gpu: &Gpu,
    plan: &Plan,
    desc: &PipelineDesc,
    shader: &CompiledShader,
    layout: &ShaderLayout,
) -> Result<vk::Pipeline, GpuError> {
    let modules = Modules::new(gpu, shader)?;
    let words: Vec<u32> = desc.constants.iter().map(|(_, word)| *word).collect();
    let entries: Vec<_> = desc
        .constants
        .iter()
        .enumerate()
        .map(|(i, (id, _))| vk::SpecializationMapEntry { constant_id: *id, offset: 4 * i as u32, size: 4 })
        .collect();
    let constants = vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(&words));
    let stages: Vec<_> = modules
        .made
        .iter()
        .map(|(stage, module)| {
            vk::PipelineShaderStageCreateInfo::default()
                .stage(*stage)
                .module(*module)
                .name(c"main")
                .specialization_info(&constants)
        })
        .collect();
    let wrong = |reason: &str| GpuError::Plan {
        graph: plan.name.clone(),
        place: shader.request.name.clone(),
        reason: reason.into(),
    };
    if shader.interface.push_bytes > 128 {
        return Err(wrong("more than 128 bytes of push constants; move them into a storage buffer"));
    }
    match &desc.kind {
        PipelineKind::Compute => {
            let stage = stages.first().ok_or_else(|| wrong("the shader has no compute stage"))?;
            let info = vk::ComputePipelineCreateInfo::default().stage(*stage).layout(layout.raw);
            // SAFETY: layout and modules live during the call; the cache synchronizes itself.
            let made = unsafe { gpu.device().create_compute_pipelines(gpu.pipeline_cache(), &[info], None) };
            Ok(made.map_err(|(_, e)| e).during("building a compute pipeline")?[0])
        }
        PipelineKind::Graphics { colors, depth, samples, state, attributes, streams } => {
            if !shader.stages.iter().any(|(stage, _)| *stage == Stage::Vertex) {
                return Err(wrong("the shader has no vertex stage"));
            }
            let target = Target { colors, depth: *depth, samples: *samples };
            graphics(gpu, layout, &stages, &target, state, (attributes, streams))
        }
    }
}

struct Target<'a> {
    colors: &'a [Format],
    depth: Option<Format>,
    samples: u32,
}

fn graphics(
    gpu: &Gpu,
    layout: &ShaderLayout,
    stages: &[vk::PipelineShaderStageCreateInfo<'_>],
    target: &Target<'_>,
    state: &RasterState,
    (attributes, streams): (&[PlanAttribute], &[(u32, u32, bool)]),
) -> Result<vk::Pipeline, GpuError> {
    let attributes: Vec<_> = attributes
        .iter()
        .map(|a| vk::VertexInputAttributeDescription {
            location: a.location,
            binding: a.stream,
            format: convert::attribute(a.format),
            offset: a.offset,
        })
        .collect();
    let streams: Vec<_> = streams
        .iter()
        .map(|&(binding, stride, instance)| vk::VertexInputBindingDescription {
            binding,
            stride,
            input_rate: if instance { vk::VertexInputRate::INSTANCE } else { vk::VertexInputRate::VERTEX },
        })
        .collect();
    let vertices = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_attribute_descriptions(&attributes)
        .vertex_binding_descriptions(&streams);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let raster = raster_state(gpu, state);
    let samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(convert::samples(target.samples))
        .alpha_to_coverage_enable(state.alpha_to_coverage && target.samples > 1);
    let depth = depth_state(state, target.depth);
    let blends: Vec<_> = target
        .colors
        .iter()
        .map(|f| convert::blend(state.blend.filter(|_| !f.is_integer()), state.color_mask))
        .collect();
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let dynamic = vk::PipelineDynamicStateCreateInfo::default()
        .dynamic_states(&[vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR]);
    let colors: Vec<_> = target.colors.iter().map(|f| convert::format(*f)).collect();
    let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&colors);
    if let Some(format) = target.depth {
        rendering = rendering.depth_attachment_format(convert::format(format));
        if format.has_stencil() {
            rendering = rendering.stencil_attachment_format(convert::format(format));
        }
    }
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(stages)
        .vertex_input_state(&vertices)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(layout.raw)
        .push_next(&mut rendering);
    // SAFETY: everything `info` points at lives during the call; the cache synchronizes itself.
    let made = unsafe { gpu.device().create_graphics_pipelines(gpu.pipeline_cache(), &[info], None) };
    Ok(made.map_err(|(_, e)| e).during("building a pipeline")?[0])
}

fn raster_state(gpu: &Gpu, state: &RasterState) -> vk::PipelineRasterizationStateCreateInfo<'static> {
    // Lines are a diagnostic; a device without them shows filled triangles.
    let polygon = if gpu.optional().lines { state.polygon } else { Polygon::Fill };
    vk::PipelineRasterizationStateCreateInfo::default()
        .polygon_mode(convert::polygon(polygon))
        .cull_mode(convert::cull(state.cull))
        .front_face(convert::front(state.front))
        .depth_bias_enable(state.depth_bias != [0.0; 2])
        .depth_bias_constant_factor(state.depth_bias[0])
        .depth_bias_slope_factor(state.depth_bias[1])
        .line_width(1.0)
}

fn depth_state(state: &RasterState, depth: Option<Format>) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let there = depth.is_some();
    let mut info = vk::PipelineDepthStencilStateCreateInfo::default()
        // Vulkan writes depth only where the test is on: a pass that writes without testing always passes.
        .depth_test_enable(there && (state.depth_test || state.depth_write))
        .depth_write_enable(there && state.depth_write)
        .depth_compare_op(match state.depth_test {
            true => convert::compare(state.depth_compare),
            false => vk::CompareOp::ALWAYS,
        });
    if let Some(stencil) = state.stencil.filter(|_| depth.is_some_and(Format::has_stencil)) {
        let face = vk::StencilOpState {
            fail_op: convert::stencil_op(stencil.fail),
            pass_op: convert::stencil_op(stencil.pass),
            depth_fail_op: convert::stencil_op(stencil.depth_fail),
            compare_op: convert::compare(stencil.compare),
            compare_mask: u32::from(stencil.read_mask),
            write_mask: u32::from(stencil.write_mask),
            reference: u32::from(stencil.reference),
        };
        info = info.stencil_test_enable(true).front(face).back(face);
    }
    info
}

impl ShaderLayout {
    /// True when a shader of this interface reads `Frame` or `View`; asked of the interface, as set 0 is always there.
    pub(super) fn reads_frame(shader: &CompiledShader) -> bool {
        shader.interface.bindings.iter().any(|b| b.set == set::FRAME)
    }
}
