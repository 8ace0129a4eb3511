//! The GPU copies of a world's buffers and textures, and the staging memory through which changes reach them.

use std::ops::Range;
use std::sync::Arc;

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::convert;
use super::error::GpuError;
use super::fallback::{Fallbacks, Sampled};
use super::gpu::Gpu;
use super::resource::{Buffer, Image, View};
use crate::graph::{ImageDesc, SampledKind, Subresource, Usage};
use crate::scene::{BufferId, BufferUse, Dirty, Scene, Texture, TextureId};

/// Uploads above this size take a buffer that is given back afterwards: a world's first upload must not stay for ever.
const KEEP_BYTES: usize = 16 << 20;

/// Offsets in staging memory; covers every texel and block size.
const ALIGN: usize = 16;

/// Staging memory of one frame in flight.
#[derive(Default)]
pub(super) struct Staging {
    kept: Option<Buffer>,
    once: Option<Buffer>,
    used: usize,
}

impl Staging {
    /// Makes room; what an earlier frame put here has been copied.
    fn reserve(&mut self, gpu: &Gpu, bytes: usize) -> Result<(), GpuError> {
        self.used = 0;
        self.once = None;
        let new = |size: usize| {
            let usage = vk::BufferUsageFlags::TRANSFER_SRC;
            Buffer::new(gpu, "staging", size as u64, usage, MemoryLocation::CpuToGpu)
        };
        if bytes > KEEP_BYTES {
            self.once = Some(new(bytes)?);
        } else if self.kept.as_ref().is_none_or(|b| (b.size as usize) < bytes) {
            self.kept = Some(new(bytes.next_power_of_two().max(64 << 10))?);
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> u64 {
        let at = self.used;
        if let Some(buffer) = self.once.as_mut().or(self.kept.as_mut()) {
            buffer.write(at, bytes);
        }
        self.used = (at + bytes.len()).next_multiple_of(ALIGN);
        at as u64
    }

    fn raw(&self) -> vk::Buffer {
        self.once.as_ref().or(self.kept.as_ref()).map_or_else(vk::Buffer::null, |b| b.raw)
    }

    /// Gives back a large buffer after its frame was submitted.
    pub(super) fn submitted(&mut self) {
        self.once = None;
    }
}

struct GpuTexture {
    image: Image,
    view: View,
    sampler: vk::Sampler,
    kind: SampledKind,
    shape: (ImageDesc, SampledKind),
}

/// GPU copies of a scene. One for each world; several renderers may draw from it.
pub struct SceneGpu {
    gpu: Gpu,
    pub(super) fallbacks: Arc<Fallbacks>,
    buffers: Vec<Option<Buffer>>,
    textures: Vec<Option<GpuTexture>>,
    /// Grows when a buffer got another handle.
    pub(super) buffer_epoch: u64,
    /// Grows when a texture got another handle.
    pub(super) texture_epoch: u64,
    buffer_copies: Vec<(vk::Buffer, vk::BufferCopy)>,
    image_copies: Vec<(vk::Image, vk::BufferImageCopy)>,
    before: Vec<vk::ImageMemoryBarrier2<'static>>,
    after: Vec<vk::ImageMemoryBarrier2<'static>>,
    uploaded: u64,
}

// SAFETY: the barriers hold null pointers in their chains and plain handles; nothing is bound to a thread.
unsafe impl Send for SceneGpu {}

impl SceneGpu {
    /// An empty copy; the first frame fills it.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self {
            gpu: gpu.clone(),
            fallbacks: Fallbacks::of(gpu)?,
            buffers: Vec::new(),
            textures: Vec::new(),
            buffer_epoch: 0,
            texture_epoch: 0,
            buffer_copies: Vec::new(),
            image_copies: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            uploaded: 0,
        })
    }

    /// Bytes that the newest frame copied.
    pub fn uploaded_bytes(&self) -> u64 {
        self.uploaded
    }

    pub(super) fn buffer(&self, id: BufferId) -> Option<vk::Buffer> {
        self.buffers.get(id.0 as usize)?.as_ref().map(|b| b.raw)
    }

    /// A texture in a shape; `None` where it is absent, broken, or of another shape.
    pub(super) fn texture(&self, id: TextureId, kind: SampledKind) -> Option<Sampled> {
        let texture = self.textures.get(id.0 as usize)?.as_ref().filter(|t| t.kind == kind)?;
        Some(Sampled { view: texture.view.raw, sampler: texture.sampler })
    }

    /// Copies what is dirty into staging memory and clears the marks. Objects that are new or changed their shape are
    /// made. Nothing is allocated when nothing is dirty.
    pub(super) fn stage(&mut self, scene: &mut Scene, staging: &mut Staging) -> Result<(), GpuError> {
        self.buffer_copies.clear();
        self.image_copies.clear();
        self.before.clear();
        self.after.clear();
        self.uploaded = 0;
        self.create(scene)?;
        let total = self.total(scene);
        if total == 0 {
            return Ok(());
        }
        staging.reserve(&self.gpu, total)?;
        for (buffer, gpu) in scene.buffers.iter_mut().zip(&self.buffers) {
            let dirty = std::mem::replace(&mut buffer.dirty, Dirty::Clean);
            let Some(gpu) = gpu else { continue };
            let mut copy = |range: Range<usize>| {
                let bytes = &buffer.bytes[range.clone()];
                if !bytes.is_empty() {
                    let region = vk::BufferCopy {
                        src_offset: staging.put(bytes),
                        dst_offset: range.start as u64,
                        size: bytes.len() as u64,
                    };
                    self.buffer_copies.push((gpu.raw, region));
                    self.uploaded += region.size;
                }
            };
            match dirty {
                Dirty::Clean => {}
                Dirty::All => copy(0..buffer.bytes.len()),
                Dirty::Ranges(mut ranges) => {
                    for range in merged(&mut ranges, buffer.bytes.len()) {
                        copy(range);
                    }
                    // The vector is kept for the marks of the next frame.
                    ranges.clear();
                    buffer.dirty = if ranges.capacity() > 0 { Dirty::Ranges(ranges) } else { Dirty::Clean };
                }
            }
        }
        for i in 0..scene.textures.len() {
            self.stage_texture(&mut scene.textures[i], i, staging);
        }
        Ok(())
    }

    /// Bytes of staging memory that the dirty parts take, at most.
    fn total(&self, scene: &Scene) -> usize {
        let padded = |n: usize| n.next_multiple_of(ALIGN);
        let buffers = scene.buffers.iter().zip(&self.buffers).filter(|(_, gpu)| gpu.is_some());
        let buffers = buffers.map(|(b, _)| match &b.dirty {
            Dirty::Clean => 0,
            Dirty::All => padded(b.bytes.len()),
            Dirty::Ranges(ranges) => {
                ranges.iter().map(|r| padded(r.end.min(b.bytes.len()).saturating_sub(r.start))).sum::<usize>()
            }
        });
        let textures = scene.textures.iter().zip(&self.textures).filter(|(_, gpu)| gpu.is_some());
        let textures = textures.map(|(t, _)| match &t.dirty {
            Dirty::Clean => 0,
            Dirty::Ranges(ranges) if ranges.is_empty() => 0,
            _ => t.texels.len() + ALIGN * (t.layers * t.mips) as usize,
        });
        buffers.sum::<usize>() + textures.sum::<usize>()
    }

    /// Makes GPU objects for what is new or has another shape.
    fn create(&mut self, scene: &mut Scene) -> Result<(), GpuError> {
        // What this copy has never seen is copied whole, whatever its marks: after a lost device the marks are clean.
        for buffer in scene.buffers.iter_mut().skip(self.buffers.len()) {
            buffer.dirty = Dirty::All;
        }
        for texture in scene.textures.iter_mut().skip(self.textures.len()) {
            texture.dirty = Dirty::All;
        }
        self.buffers.resize_with(scene.buffers.len().max(self.buffers.len()), || None);
        self.textures.resize_with(scene.textures.len().max(self.textures.len()), || None);
        for (buffer, gpu) in scene.buffers.iter_mut().zip(&mut self.buffers) {
            if buffer.dirty == Dirty::Clean || buffer.bytes.is_empty() {
                continue;
            }
            let size = buffer.bytes.len() as u64;
            if gpu.as_ref().is_some_and(|g| g.size >= size && g.size / 4 <= size.max(1024)) {
                continue;
            }
            let kind = match buffer.usage {
                BufferUse::Vertex => vk::BufferUsageFlags::VERTEX_BUFFER,
                BufferUse::Index => vk::BufferUsageFlags::INDEX_BUFFER,
                BufferUse::Storage => vk::BufferUsageFlags::STORAGE_BUFFER,
            };
            // A buffer that grew once will grow again: take a quarter more.
            let size = if gpu.is_some() { size + size / 4 } else { size };
            let usage = kind | vk::BufferUsageFlags::TRANSFER_DST;
            *gpu = Some(Buffer::new(&self.gpu, &buffer.name, size, usage, MemoryLocation::GpuOnly)?);
            buffer.dirty = Dirty::All;
            self.buffer_epoch += 1;
        }
        for (texture, gpu) in scene.textures.iter_mut().zip(&mut self.textures) {
            if !matches!(texture.dirty, Dirty::All) {
                continue;
            }
            let Some(desc) = shape(&self.gpu, texture) else {
                tracing::warn!("texture \"{}\" has an impossible shape and is shown white", texture.name);
                texture.dirty = Dirty::Clean;
                self.texture_epoch += u64::from(gpu.take().is_some());
                continue;
            };
            let wanted = (desc, texture.kind);
            let sampler = self.gpu.sampler(texture.sampler, texture.format)?;
            if let Some(there) = gpu.as_mut().filter(|g| g.shape == wanted) {
                self.texture_epoch += u64::from(there.sampler != sampler);
                there.sampler = sampler;
                continue;
            }
            let image = Image::new(&self.gpu, &texture.name, &desc)?;
            let part = Subresource { mip: 0, mips: desc.mips, layer: 0, layers: desc.layers };
            let range = convert::range(part, convert::aspect(desc.format));
            let view = image.view(convert::view_type(texture.kind), range, &texture.name)?;
            self.texture_epoch += u64::from(gpu.is_some());
            *gpu = Some(GpuTexture { image, view, sampler, kind: texture.kind, shape: wanted });
        }
        Ok(())
    }

    fn stage_texture(&mut self, texture: &mut Texture, index: usize, staging: &mut Staging) {
        let dirty = std::mem::replace(&mut texture.dirty, Dirty::Clean);
        let Some(gpu) = &self.textures[index] else { return };
        let (desc, raw) = (gpu.shape.0, gpu.image.raw);
        let all = matches!(dirty, Dirty::All);
        let mut offset = 0;
        for layer in 0..desc.layers {
            for mip in 0..desc.mips {
                let bytes = texture.mip_bytes(mip);
                let range = offset..offset + bytes;
                offset += bytes;
                let touched = match &dirty {
                    Dirty::Clean => false,
                    Dirty::All => true,
                    Dirty::Ranges(r) => r.iter().any(|r| r.start < range.end && range.start < r.end),
                };
                let Some(texels) = texture.texels.get(range).filter(|_| touched) else { continue };
                let aspect = convert::aspect(desc.format);
                let region = vk::BufferImageCopy {
                    buffer_offset: staging.put(texels),
                    image_subresource: vk::ImageSubresourceLayers {
                        aspect_mask: aspect,
                        mip_level: mip,
                        base_array_layer: layer,
                        layer_count: 1,
                    },
                    image_extent: vk::Extent3D {
                        width: (desc.extent[0] >> mip).max(1),
                        height: (desc.extent[1] >> mip).max(1),
                        depth: 1,
                    },
                    ..vk::BufferImageCopy::default()
                };
                self.image_copies.push((raw, region));
                self.uploaded += bytes as u64;
                if !all {
                    let part = Subresource { mip, mips: 1, layer, layers: 1 };
                    self.transition(raw, convert::range(part, aspect), vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
                }
            }
        }
        if all {
            let part = Subresource { mip: 0, mips: desc.mips, layer: 0, layers: desc.layers };
            self.transition(raw, convert::range(part, convert::aspects(desc.format)), vk::ImageLayout::UNDEFINED);
        }
    }

    fn transition(&mut self, image: vk::Image, range: vk::ImageSubresourceRange, from: vk::ImageLayout) {
        let barrier = vk::ImageMemoryBarrier2::default().image(image).subresource_range(range);
        self.before.push(
            barrier
                .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                .dst_stage_mask(vk::PipelineStageFlags2::COPY)
                .dst_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .old_layout(from)
                .new_layout(vk::ImageLayout::TRANSFER_DST_OPTIMAL),
        );
        self.after.push(
            barrier
                .src_stage_mask(vk::PipelineStageFlags2::COPY)
                .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
                .dst_stage_mask(
                    vk::PipelineStageFlags2::VERTEX_SHADER
                        | vk::PipelineStageFlags2::FRAGMENT_SHADER
                        | vk::PipelineStageFlags2::COMPUTE_SHADER,
                )
                .dst_access_mask(vk::AccessFlags2::SHADER_SAMPLED_READ)
                .old_layout(vk::ImageLayout::TRANSFER_DST_OPTIMAL)
                .new_layout(vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL),
        );
    }

    /// Records the copies of [`Self::stage`] and their barriers.
    pub(super) fn record(&self, commands: vk::CommandBuffer, staging: &Staging) {
        if self.buffer_copies.is_empty() && self.image_copies.is_empty() {
            return;
        }
        let d = self.gpu.device();
        // Frames before may still read what is overwritten.
        let reads = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::COPY)
            .dst_access_mask(vk::AccessFlags2::TRANSFER_WRITE)];
        let before = vk::DependencyInfo::default().memory_barriers(&reads).image_memory_barriers(&self.before);
        let written = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::COPY)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(
                vk::PipelineStageFlags2::VERTEX_INPUT
                    | vk::PipelineStageFlags2::VERTEX_SHADER
                    | vk::PipelineStageFlags2::FRAGMENT_SHADER
                    | vk::PipelineStageFlags2::COMPUTE_SHADER,
            )
            .dst_access_mask(
                vk::AccessFlags2::VERTEX_ATTRIBUTE_READ
                    | vk::AccessFlags2::INDEX_READ
                    | vk::AccessFlags2::SHADER_STORAGE_READ,
            )];
        let after = vk::DependencyInfo::default().memory_barriers(&written).image_memory_barriers(&self.after);
        // SAFETY: staging memory and targets live until the frame is done; regions lie inside both, as both were sized
        // from the same bytes.
        unsafe {
            d.cmd_pipeline_barrier2(commands, &before);
            for (buffer, region) in &self.buffer_copies {
                d.cmd_copy_buffer(commands, staging.raw(), *buffer, &[*region]);
            }
            let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
            for (image, region) in &self.image_copies {
                d.cmd_copy_buffer_to_image(commands, staging.raw(), *image, layout, &[*region]);
            }
            d.cmd_pipeline_barrier2(commands, &after);
        }
    }
}

/// The image of a texture; `None` when its sizes, its kind or its bytes do not fit together or the device.
fn shape(gpu: &Gpu, texture: &Texture) -> Option<ImageDesc> {
    let [w, h] = texture.size;
    let limits = gpu.limits();
    let most_mips = 32 - w.max(h).leading_zeros();
    let layers = match texture.kind {
        SampledKind::D2Array => texture.layers >= 1,
        SampledKind::Cube => texture.layers == 6 && w == h,
        SampledKind::D2Multisampled => false,
        SampledKind::D2 | SampledKind::D2Shadow | SampledKind::D2Uint => texture.layers == 1,
    };
    let sizes = w >= 1
        && h >= 1
        && w.max(h) <= limits.max_image_dimension2_d
        && texture.layers <= limits.max_image_array_layers
        && (1..=most_mips).contains(&texture.mips);
    let formats = gpu.format_features(texture.format).contains(vk::FormatFeatureFlags::SAMPLED_IMAGE)
        && (gpu.optional().bc || !texture.format.is_compressed())
        && !texture.format.has_stencil();
    if !(layers && sizes && formats) {
        return None;
    }
    let bytes: usize = (0..texture.mips).map(|mip| texture.mip_bytes(mip)).sum();
    (texture.texels.len() >= bytes.checked_mul(texture.layers as usize)?).then_some(ImageDesc {
        format: texture.format,
        extent: texture.size,
        layers: texture.layers,
        mips: texture.mips,
        samples: 1,
        usage: Usage::SAMPLED,
    })
}

/// Ranges in order without overlaps, inside `len` bytes.
fn merged(ranges: &mut [Range<usize>], len: usize) -> impl Iterator<Item = Range<usize>> + use<'_> {
    ranges.sort_unstable_by_key(|r| r.start);
    let mut rest = ranges.iter().map(move |r| r.start.min(len)..r.end.min(len)).filter(|r| !r.is_empty()).peekable();
    std::iter::from_fn(move || {
        let mut range = rest.next()?;
        while let Some(next) = rest.next_if(|next| next.start <= range.end) {
            range.end = range.end.max(next.end);
        }
        Some(range)
    })
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn marks_are_merged_and_clipped() {
        let mut marks = vec![40..60, 0..10, 5..20, 20..24, 90..200, 300..400];
        let merged: Vec<_> = merged(&mut marks, 100).collect();
        assert_eq!(merged, [0..24, 40..60, 90..100]);
    }
}
