//! One-texel images that stand for what is absent, in every shape that a shader may ask for.

use std::sync::Arc;

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::convert;
use super::error::GpuError;
use super::gpu::Gpu;
use super::resource::{Buffer, Image, View, run_once};
use crate::graph::{Fallback, Format, ImageDesc, SampledKind, Subresource, Usage};
use crate::scene::SamplerDesc;

const COLORS: [(Fallback, [f32; 4], &str); 4] = [
    (Fallback::White, [1.0; 4], "white"),
    (Fallback::Black, [0.0, 0.0, 0.0, 1.0], "black"),
    (Fallback::Transparent, [0.0; 4], "transparent"),
    (Fallback::FlatNormal, [128.0 / 255.0, 128.0 / 255.0, 1.0, 1.0], "flat-normal"),
];

/// A view and the sampler it is read with.
#[derive(Clone, Copy)]
pub(super) struct Sampled {
    pub(super) view: vk::ImageView,
    pub(super) sampler: vk::Sampler,
}

/// The fallback images and an all-zero storage buffer.
pub(super) struct Fallbacks {
    views: Vec<(Fallback, SampledKind, View, vk::Sampler)>,
    _images: Vec<Image>,
    pub(super) zeroes: Buffer,
}

fn desc(format: Format, layers: u32, samples: u32) -> ImageDesc {
    ImageDesc { format, extent: [1, 1], layers, mips: 1, samples, usage: Usage::SAMPLED }
}

impl Fallbacks {
    /// The fallbacks of a device; made once while somebody uses them.
    pub(super) fn of(gpu: &Gpu) -> Result<Arc<Self>, GpuError> {
        if let Some(there) = gpu.shared().fallbacks.upgrade() {
            return Ok(there);
        }
        let made = Arc::new(Self::new(gpu)?);
        gpu.shared().fallbacks = Arc::downgrade(&made);
        Ok(made)
    }

    fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST;
        let zeroes = Buffer::new(gpu, "zeroes", 4096, usage, MemoryLocation::GpuOnly)?;
        let (mut images, mut views, mut clears) = (Vec::new(), Vec::new(), Vec::new());
        for (fallback, color, name) in COLORS {
            let shapes: [(ImageDesc, &[SampledKind]); 4] = [
                (desc(Format::Rgba8, 6, 1), &[SampledKind::D2, SampledKind::D2Array, SampledKind::Cube]),
                (desc(Format::D32, 1, 1), &[SampledKind::D2Shadow]),
                (desc(Format::Rgba8, 1, 4), &[SampledKind::D2Multisampled]),
                (desc(Format::R32u, 1, 1), &[SampledKind::D2Uint]),
            ];
            for (desc, kinds) in shapes {
                let image = Image::new(gpu, name, &desc)?;
                for &kind in kinds {
                    let layers = if matches!(kind, SampledKind::D2) { 1 } else { desc.layers };
                    let part = Subresource { mip: 0, mips: 1, layer: 0, layers };
                    let range = convert::range(part, convert::aspect(desc.format));
                    let view = image.view(convert::view_type(kind), range, name)?;
                    let wanted = SamplerDesc { compare: kind == SampledKind::D2Shadow, ..SamplerDesc::NEAREST };
                    views.push((fallback, kind, view, gpu.sampler(wanted, desc.format)?));
                }
                clears.push((image.raw, desc, color));
                images.push(image);
            }
        }
        run_once(gpu, |commands| {
            for (image, desc, color) in &clears {
                let part = Subresource { mip: 0, mips: 1, layer: 0, layers: desc.layers };
                clear_image(gpu, commands, *image, desc.format, part, *color);
                let shader_read = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
                after_clear(gpu, commands, *image, desc.format, part, shader_read);
            }
            // SAFETY: the buffer lives until the commands are done.
            unsafe { gpu.device().cmd_fill_buffer(commands, zeroes.raw, 0, vk::WHOLE_SIZE, 0) };
        })?;
        Ok(Self { views, _images: images, zeroes })
    }

    /// The fallback in a shape.
    pub(super) fn get(&self, fallback: Fallback, kind: SampledKind) -> Sampled {
        let found = self.views.iter().find(|(f, k, ..)| (*f, *k) == (fallback, kind));
        let (_, _, view, sampler) = found.unwrap_or(&self.views[0]);
        Sampled { view: view.raw, sampler: *sampler }
    }
}

/// Clears a part of a new image; it is in the layout of copy destinations afterwards.
pub(super) fn clear_image(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    image: vk::Image,
    format: Format,
    part: Subresource,
    color: [f32; 4],
) {
    let range = convert::range(part, convert::aspects(format));
    let before = [vk::ImageMemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
        .dst_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER)
        .dst_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
        .old_layout(vk::ImageLayout::UNDEFINED)
        .new_layout(vk::ImageLayout::TRANSFER_DST_OPTIMAL)
        .image(image)
        .subresource_range(range)];
    let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
    // SAFETY: the image lives until the commands are done and nobody else uses it.
    unsafe {
        let d = gpu.device();
        d.cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().image_memory_barriers(&before));
        if format.is_depth() {
            let value = vk::ClearDepthStencilValue { depth: color[0], stencil: 0 };
            d.cmd_clear_depth_stencil_image(commands, image, layout, &value, &[range]);
        } else if format.is_integer() {
            let value = vk::ClearColorValue { uint32: color.map(|c| c as u32) };
            d.cmd_clear_color_image(commands, image, layout, &value, &[range]);
        } else {
            d.cmd_clear_color_image(commands, image, layout, &vk::ClearColorValue { float32: color }, &[range]);
        }
    }
}

/// Moves a cleared image into the layout it rests in.
pub(super) fn after_clear(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    image: vk::Image,
    format: Format,
    part: Subresource,
    layout: vk::ImageLayout,
) {
    let barrier = [vk::ImageMemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER)
        .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
        .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
        .old_layout(vk::ImageLayout::TRANSFER_DST_OPTIMAL)
        .new_layout(layout)
        .image(image)
        .subresource_range(convert::range(part, convert::aspects(format)))];
    // SAFETY: as for the clear.
    unsafe {
        let info = vk::DependencyInfo::default().image_memory_barriers(&barrier);
        gpu.device().cmd_pipeline_barrier2(commands, &info);
    }
}
