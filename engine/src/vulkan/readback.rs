//! Images of a finished frame as bytes.

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::convert;
use super::error::GpuError;
use super::gpu::Gpu;
use super::resource::{Buffer, run_once};
use crate::graph::{Format, Plan, Residency};

/// The texels of one mip of one layer: tightly packed rows, top row first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageData {
    /// Texels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Texel format. The depth of a format with stencil comes alone: [`Format::D32`] for `d32s8`; for `d24s8` the low
    /// 24 bits of each word.
    pub format: Format,
    /// The texels.
    pub bytes: Vec<u8>,
}

/// The transient whose memory reuse destroyed an image before the frame's end, if any.
pub(super) fn overwritten_by(plan: &Plan, image: usize) -> Option<&str> {
    if plan.ends.iter().any(|(kept, _)| *kept as usize == image) {
        return None;
    }
    let place = |i: usize| match plan.images[i].residency {
        Residency::Transient { offset, size } => Some((offset, offset + size)),
        Residency::Persistent { .. } => None,
    };
    let (start, end) = place(image)?;
    let (_, last) = plan.images[image].lifetime?;
    let later = (0..plan.images.len()).find(|&i| {
        let overlaps = i != image && place(i).is_some_and(|(s, e)| s < end && start < e);
        overlaps && plan.images[i].lifetime.is_some_and(|(_, other)| other > last)
    });
    later.map(|i| plan.images[i].name.as_str())
}

/// Copies a part of an image, which is in `layout` and stays in it.
pub(super) fn read(
    gpu: &Gpu,
    image: vk::Image,
    layout: vk::ImageLayout,
    format: Format,
    (size, mip, layer): ([u32; 2], u32, u32),
) -> Result<ImageData, GpuError> {
    let [width, height] = size.map(|s| (s >> mip).max(1));
    let seen = match format {
        Format::D32s8 => Format::D32,
        other => other,
    };
    let bytes = seen.bytes_for(width, height);
    let usage = vk::BufferUsageFlags::TRANSFER_DST;
    let buffer = Buffer::new(gpu, "readback", bytes as u64, usage, MemoryLocation::GpuToCpu)?;
    let part = vk::ImageSubresourceRange {
        aspect_mask: convert::aspects(format),
        base_mip_level: mip,
        level_count: 1,
        base_array_layer: layer,
        layer_count: 1,
    };
    let src = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
    let (all, transfer) = (vk::PipelineStageFlags2::ALL_COMMANDS, vk::PipelineStageFlags2::ALL_TRANSFER);
    let barrier = vk::ImageMemoryBarrier2::default().image(image).subresource_range(part);
    let before = [barrier
        .old_layout(layout)
        .new_layout(src)
        .src_stage_mask(all)
        .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
        .dst_stage_mask(transfer)
        .dst_access_mask(vk::AccessFlags2::TRANSFER_READ)];
    let after = [barrier
        .old_layout(src)
        .new_layout(layout)
        .src_stage_mask(transfer)
        .dst_stage_mask(all)
        .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)];
    let host = [vk::MemoryBarrier2::default()
        .src_stage_mask(transfer)
        .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::HOST)
        .dst_access_mask(vk::AccessFlags2::HOST_READ)];
    let region = vk::BufferImageCopy {
        image_subresource: vk::ImageSubresourceLayers {
            aspect_mask: convert::aspect(format),
            mip_level: mip,
            base_array_layer: layer,
            layer_count: 1,
        },
        image_extent: vk::Extent3D { width, height, depth: 1 },
        ..vk::BufferImageCopy::default()
    };
    run_once(gpu, |commands| {
        let d = gpu.device();
        let after = vk::DependencyInfo::default().image_memory_barriers(&after).memory_barriers(&host);
        // SAFETY: image and buffer live until the commands are done; the buffer holds the whole part.
        unsafe {
            d.cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().image_memory_barriers(&before));
            d.cmd_copy_image_to_buffer(commands, image, src, buffer.raw, &[region]);
            d.cmd_pipeline_barrier2(commands, &after);
        }
    })?;
    let bytes = buffer.bytes().get(..bytes).unwrap_or_default().to_vec();
    Ok(ImageData { width, height, format: seen, bytes })
}
