//! Words of the plan as Vulkan says them.

use ash::vk;

use crate::graph::{
    Access, Blend, BlendOp, Compare, Cull, Factor, Format, Front, ImageDesc, Layout, Polygon, SampledKind, Scope,
    Stages, StencilOp, Subresource, Usage,
};
use crate::scene::AttributeFormat;
use crate::shader::Stage;

/// Texel format.
pub(super) fn format(format: Format) -> vk::Format {
    match format {
        Format::R8 => vk::Format::R8_UNORM,
        Format::Rg8 => vk::Format::R8G8_UNORM,
        Format::Rgba8 => vk::Format::R8G8B8A8_UNORM,
        Format::Bgra8 => vk::Format::B8G8R8A8_UNORM,
        Format::Rgba8Srgb => vk::Format::R8G8B8A8_SRGB,
        Format::R16f => vk::Format::R16_SFLOAT,
        Format::Rg16f => vk::Format::R16G16_SFLOAT,
        Format::Rgba16f => vk::Format::R16G16B16A16_SFLOAT,
        Format::R32f => vk::Format::R32_SFLOAT,
        Format::Rgba32f => vk::Format::R32G32B32A32_SFLOAT,
        Format::R32u => vk::Format::R32_UINT,
        Format::R11g11b10f => vk::Format::B10G11R11_UFLOAT_PACK32,
        Format::Rgb10a2 => vk::Format::A2B10G10R10_UNORM_PACK32,
        Format::D16 => vk::Format::D16_UNORM,
        Format::D32 => vk::Format::D32_SFLOAT,
        Format::D24s8 => vk::Format::D24_UNORM_S8_UINT,
        Format::D32s8 => vk::Format::D32_SFLOAT_S8_UINT,
        Format::Bc1 => vk::Format::BC1_RGBA_UNORM_BLOCK,
        Format::Bc2 => vk::Format::BC2_UNORM_BLOCK,
        Format::Bc3 => vk::Format::BC3_UNORM_BLOCK,
        Format::Bc4 => vk::Format::BC4_UNORM_BLOCK,
        Format::Bc5 => vk::Format::BC5_UNORM_BLOCK,
        Format::Bc7 => vk::Format::BC7_UNORM_BLOCK,
    }
}

/// All aspects of a format; what barriers and attachments name.
pub(super) fn aspects(format: Format) -> vk::ImageAspectFlags {
    match (format.is_depth(), format.has_stencil()) {
        (true, true) => vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
        (true, false) => vk::ImageAspectFlags::DEPTH,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

/// The one aspect that a shader samples or a copy moves.
pub(super) fn aspect(format: Format) -> vk::ImageAspectFlags {
    if format.is_depth() { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR }
}

/// Layout; depth layouts cover stencil too.
pub(super) fn layout(layout: Layout) -> vk::ImageLayout {
    match layout {
        Layout::Undefined => vk::ImageLayout::UNDEFINED,
        Layout::General => vk::ImageLayout::GENERAL,
        Layout::ColorAttachment => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
        Layout::DepthAttachment => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        Layout::DepthReadOnly => vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
        Layout::ShaderRead => vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        Layout::TransferSrc => vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
        Layout::TransferDst => vk::ImageLayout::TRANSFER_DST_OPTIMAL,
    }
}

fn gather<T: Copy, F>(table: &[(T, F)], has: impl Fn(T) -> bool, none: F) -> F
where
    F: std::ops::BitOr<Output = F> + Copy,
{
    table.iter().filter(|(bit, _)| has(*bit)).fold(none, |all, (_, flag)| all | *flag)
}

/// Pipeline stages.
pub(super) fn stages(stages: Stages) -> vk::PipelineStageFlags2 {
    use vk::PipelineStageFlags2 as S;
    let table = [
        (Stages::INDIRECT, S::DRAW_INDIRECT),
        (Stages::VERTEX, S::VERTEX_SHADER),
        (Stages::FRAGMENT, S::FRAGMENT_SHADER),
        (Stages::DEPTH_TESTS, S::EARLY_FRAGMENT_TESTS | S::LATE_FRAGMENT_TESTS),
        (Stages::COLOR_OUTPUT, S::COLOR_ATTACHMENT_OUTPUT),
        (Stages::COMPUTE, S::COMPUTE_SHADER),
        (Stages::TRANSFER, S::ALL_TRANSFER),
    ];
    gather(&table, |bit| stages.contains(bit), S::NONE)
}

/// Memory accesses.
pub(super) fn access(access: Access) -> vk::AccessFlags2 {
    use vk::AccessFlags2 as A;
    let table = [
        (Access::INDIRECT_READ, A::INDIRECT_COMMAND_READ),
        (Access::SAMPLED_READ, A::SHADER_SAMPLED_READ),
        (Access::STORAGE_READ, A::SHADER_STORAGE_READ),
        (Access::STORAGE_WRITE, A::SHADER_STORAGE_WRITE),
        (Access::COLOR_READ, A::COLOR_ATTACHMENT_READ),
        (Access::COLOR_WRITE, A::COLOR_ATTACHMENT_WRITE),
        (Access::DEPTH_READ, A::DEPTH_STENCIL_ATTACHMENT_READ),
        (Access::DEPTH_WRITE, A::DEPTH_STENCIL_ATTACHMENT_WRITE),
        (Access::TRANSFER_READ, A::TRANSFER_READ),
        (Access::TRANSFER_WRITE, A::TRANSFER_WRITE),
    ];
    gather(&table, |bit| access.contains(bit), A::NONE)
}

/// Both halves of a scope.
pub(super) fn scope(scope: Scope) -> (vk::PipelineStageFlags2, vk::AccessFlags2) {
    (stages(scope.stages), access(scope.access))
}

/// Creation flags of an image. Every image can be copied from and cleared, so that any of them can be looked at.
pub(super) fn image_usage(usage: Usage) -> vk::ImageUsageFlags {
    use vk::ImageUsageFlags as U;
    let table = [
        (Usage::COLOR, U::COLOR_ATTACHMENT),
        (Usage::DEPTH, U::DEPTH_STENCIL_ATTACHMENT),
        (Usage::SAMPLED, U::SAMPLED),
        (Usage::STORAGE, U::STORAGE),
    ];
    gather(&table, |bit| usage.contains(bit), U::TRANSFER_SRC | U::TRANSFER_DST)
}

/// Creation flags of a buffer of the graph.
pub(super) fn buffer_usage(usage: Usage) -> vk::BufferUsageFlags {
    use vk::BufferUsageFlags as U;
    let table = [(Usage::STORAGE, U::STORAGE_BUFFER), (Usage::INDIRECT, U::INDIRECT_BUFFER)];
    gather(&table, |bit| usage.contains(bit), U::TRANSFER_SRC | U::TRANSFER_DST)
}

/// Sample count; counts that Vulkan does not know become 1.
pub(super) fn samples(samples: u32) -> vk::SampleCountFlags {
    match samples {
        2 | 4 | 8 | 16 | 32 | 64 => vk::SampleCountFlags::from_raw(samples),
        _ => vk::SampleCountFlags::TYPE_1,
    }
}

/// What creates an image of this shape, bound or only asked for its memory.
pub(super) fn image_info(desc: &ImageDesc) -> vk::ImageCreateInfo<'static> {
    vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(format(desc.format))
        .extent(vk::Extent3D { width: desc.extent[0], height: desc.extent[1], depth: 1 })
        .mip_levels(desc.mips.max(1))
        .array_layers(desc.layers.max(1))
        .samples(samples(desc.samples))
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(image_usage(desc.usage))
        .sharing_mode(vk::SharingMode::EXCLUSIVE)
        .initial_layout(vk::ImageLayout::UNDEFINED)
}

/// A part of an image with these aspects.
pub(super) fn range(part: Subresource, aspects: vk::ImageAspectFlags) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: aspects,
        base_mip_level: part.mip,
        level_count: part.mips,
        base_array_layer: part.layer,
        layer_count: part.layers,
    }
}

/// Vertex attribute format.
pub(super) fn attribute(format: AttributeFormat) -> vk::Format {
    match format {
        AttributeFormat::F32 => vk::Format::R32_SFLOAT,
        AttributeFormat::F32x2 => vk::Format::R32G32_SFLOAT,
        AttributeFormat::F32x3 => vk::Format::R32G32B32_SFLOAT,
        AttributeFormat::F32x4 => vk::Format::R32G32B32A32_SFLOAT,
        AttributeFormat::Unorm8x4 => vk::Format::R8G8B8A8_UNORM,
        AttributeFormat::Snorm8x4 => vk::Format::R8G8B8A8_SNORM,
        AttributeFormat::Unorm16x2 => vk::Format::R16G16_UNORM,
        AttributeFormat::Snorm16x2 => vk::Format::R16G16_SNORM,
        AttributeFormat::Snorm16x4 => vk::Format::R16G16B16A16_SNORM,
        AttributeFormat::F16x2 => vk::Format::R16G16_SFLOAT,
        AttributeFormat::F16x4 => vk::Format::R16G16B16A16_SFLOAT,
        AttributeFormat::Uint8x4 => vk::Format::R8G8B8A8_UINT,
        AttributeFormat::Uint32 => vk::Format::R32_UINT,
        AttributeFormat::Uint16x2 => vk::Format::R16G16_UINT,
        AttributeFormat::Uint16x4 => vk::Format::R16G16B16A16_UINT,
    }
}

/// Shader stage.
pub(super) fn stage(stage: Stage) -> vk::ShaderStageFlags {
    match stage {
        Stage::Vertex => vk::ShaderStageFlags::VERTEX,
        Stage::Fragment => vk::ShaderStageFlags::FRAGMENT,
        Stage::Compute => vk::ShaderStageFlags::COMPUTE,
    }
}

/// View type of a sampled shape.
pub(super) fn view_type(kind: SampledKind) -> vk::ImageViewType {
    match kind {
        SampledKind::D2Array => vk::ImageViewType::TYPE_2D_ARRAY,
        SampledKind::Cube => vk::ImageViewType::CUBE,
        SampledKind::D2 | SampledKind::D2Shadow | SampledKind::D2Multisampled | SampledKind::D2Uint => {
            vk::ImageViewType::TYPE_2D
        }
    }
}

/// Comparison.
pub(super) fn compare(compare: Compare) -> vk::CompareOp {
    match compare {
        Compare::Never => vk::CompareOp::NEVER,
        Compare::Less => vk::CompareOp::LESS,
        Compare::Equal => vk::CompareOp::EQUAL,
        Compare::LessOrEqual => vk::CompareOp::LESS_OR_EQUAL,
        Compare::Greater => vk::CompareOp::GREATER,
        Compare::NotEqual => vk::CompareOp::NOT_EQUAL,
        Compare::GreaterOrEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Compare::Always => vk::CompareOp::ALWAYS,
    }
}

/// Face culling.
pub(super) fn cull(cull: Cull) -> vk::CullModeFlags {
    match cull {
        Cull::None => vk::CullModeFlags::NONE,
        Cull::Front => vk::CullModeFlags::FRONT,
        Cull::Back => vk::CullModeFlags::BACK,
    }
}

/// Front face. The viewport's height is negative, so that clip space points up; the winding that a picture shows is
/// then the winding that Vulkan computes.
pub(super) fn front(front: Front) -> vk::FrontFace {
    match front {
        Front::CounterClockwise => vk::FrontFace::COUNTER_CLOCKWISE,
        Front::Clockwise => vk::FrontFace::CLOCKWISE,
    }
}

/// Polygon mode.
pub(super) fn polygon(polygon: Polygon) -> vk::PolygonMode {
    match polygon {
        Polygon::Fill => vk::PolygonMode::FILL,
        Polygon::Line => vk::PolygonMode::LINE,
    }
}

fn factor(factor: Factor) -> vk::BlendFactor {
    match factor {
        Factor::Zero => vk::BlendFactor::ZERO,
        Factor::One => vk::BlendFactor::ONE,
        Factor::SrcColor => vk::BlendFactor::SRC_COLOR,
        Factor::OneMinusSrcColor => vk::BlendFactor::ONE_MINUS_SRC_COLOR,
        Factor::DstColor => vk::BlendFactor::DST_COLOR,
        Factor::OneMinusDstColor => vk::BlendFactor::ONE_MINUS_DST_COLOR,
        Factor::SrcAlpha => vk::BlendFactor::SRC_ALPHA,
        Factor::OneMinusSrcAlpha => vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        Factor::DstAlpha => vk::BlendFactor::DST_ALPHA,
        Factor::OneMinusDstAlpha => vk::BlendFactor::ONE_MINUS_DST_ALPHA,
    }
}

fn blend_op(op: BlendOp) -> vk::BlendOp {
    match op {
        BlendOp::Add => vk::BlendOp::ADD,
        BlendOp::Subtract => vk::BlendOp::SUBTRACT,
        BlendOp::ReverseSubtract => vk::BlendOp::REVERSE_SUBTRACT,
        BlendOp::Min => vk::BlendOp::MIN,
        BlendOp::Max => vk::BlendOp::MAX,
    }
}

/// Blending of one attachment.
pub(super) fn blend(blend: Option<Blend>, mask: [bool; 4]) -> vk::PipelineColorBlendAttachmentState {
    use vk::ColorComponentFlags as C;
    let table = [(0, C::R), (1, C::G), (2, C::B), (3, C::A)];
    let state = vk::PipelineColorBlendAttachmentState::default().color_write_mask(gather(
        &table,
        |i: usize| mask[i],
        C::empty(),
    ));
    let Some(b) = blend else { return state };
    state
        .blend_enable(true)
        .src_color_blend_factor(factor(b.color[0]))
        .dst_color_blend_factor(factor(b.color[1]))
        .color_blend_op(blend_op(b.color_op))
        .src_alpha_blend_factor(factor(b.alpha[0]))
        .dst_alpha_blend_factor(factor(b.alpha[1]))
        .alpha_blend_op(blend_op(b.alpha_op))
}

/// Stencil operation.
pub(super) fn stencil_op(op: StencilOp) -> vk::StencilOp {
    match op {
        StencilOp::Keep => vk::StencilOp::KEEP,
        StencilOp::Zero => vk::StencilOp::ZERO,
        StencilOp::Replace => vk::StencilOp::REPLACE,
        StencilOp::IncrementClamp => vk::StencilOp::INCREMENT_AND_CLAMP,
        StencilOp::DecrementClamp => vk::StencilOp::DECREMENT_AND_CLAMP,
        StencilOp::Invert => vk::StencilOp::INVERT,
        StencilOp::IncrementWrap => vk::StencilOp::INCREMENT_AND_WRAP,
        StencilOp::DecrementWrap => vk::StencilOp::DECREMENT_AND_WRAP,
    }
}
