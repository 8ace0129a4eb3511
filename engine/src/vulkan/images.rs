//! Images and buffers of a plan: transients in one heap, persistent ones that a reload takes over.

use std::sync::Arc;

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::choose;
use super::convert;
use super::error::GpuError;
use super::fallback::{after_clear, clear_image};
use super::gpu::Gpu;
use super::resource::{Buffer, Heap, Image};
use crate::graph::{ImageState, Layout, Plan, PlanImage, Residency, Subresource};

/// What has to be done to a persistent thing before its first frame under this plan.
enum Pending {
    /// Zero a new image and bring it to rest.
    Clear { image: u32, instance: u32 },
    /// Bring an image of another plan from its rest to this plan's.
    Move { image: u32, instance: u32, from: ImageState },
    /// Zero a new buffer.
    Fill { buffer: u32 },
}

/// The physical images and buffers of a plan.
pub(super) struct PlanImages {
    /// By plan image and instance.
    pub(super) images: Vec<Vec<Arc<Image>>>,
    /// By plan buffer.
    pub(super) buffers: Vec<Arc<Buffer>>,
    pending: Vec<Pending>,
    /// Bytes of transient images that found no place in the heap.
    pub(super) apart: u64,
}

/// Index of the instance that an age means in a frame.
pub(super) fn instance(frame: u64, instances: usize, age: u32) -> usize {
    let n = instances.max(1) as u64;
    ((frame % n + n - u64::from(age) % n) % n) as usize
}

/// All mips and layers.
pub(super) fn whole(image: &PlanImage) -> Subresource {
    Subresource { mip: 0, mips: image.desc.mips.max(1), layer: 0, layers: image.desc.layers.max(1) }
}

impl PlanImages {
    pub(super) fn new(gpu: &Gpu, plan: &Plan) -> Result<Self, GpuError> {
        let mut this = Self { images: Vec::new(), buffers: Vec::new(), pending: Vec::new(), apart: 0 };
        let mut transients = Vec::new();
        for (i, image) in plan.images.iter().enumerate() {
            match &image.residency {
                Residency::Transient { offset, size } => {
                    transients.push((i, *offset, *size, Image::unbound(gpu, &image.name, &image.desc)?));
                    this.images.push(Vec::new());
                }
                Residency::Persistent { instances, .. } => {
                    let mut all = Vec::new();
                    for instance in 0..(*instances).max(1) {
                        all.push(Arc::new(Image::new(gpu, &image.name, &image.desc)?));
                        this.pending.push(Pending::Clear { image: i as u32, instance });
                    }
                    this.images.push(all);
                }
            }
        }
        this.place(gpu, plan, transients)?;
        for (i, buffer) in plan.buffers.iter().enumerate() {
            let usage = convert::buffer_usage(buffer.usage);
            this.buffers.push(Arc::new(Buffer::new(gpu, &buffer.name, buffer.size, usage, MemoryLocation::GpuOnly)?));
            this.pending.push(Pending::Fill { buffer: i as u32 });
        }
        Ok(this)
    }

    /// Binds transients into the heap; those that the driver wants elsewhere get memory of their own, which only
    /// costs memory: the plan's barriers hold for both.
    fn place(&mut self, gpu: &Gpu, plan: &Plan, transients: Vec<(usize, u64, u64, Image)>) -> Result<(), GpuError> {
        let places: Vec<_> = transients.iter().map(|(_, offset, size, _)| (*offset, *size)).collect();
        let (needs, dedicated): (Vec<_>, Vec<_>) = transients.iter().map(|(.., image)| image.needs()).unzip();
        let (types, mut shares) = choose::heap_shares(&places, &needs, &dedicated);
        let alignment = needs.iter().map(|n| n.alignment).max().unwrap_or(1).max(plan.heap_alignment).max(1);
        for (share, (offset, _)) in shares.iter_mut().zip(&places).zip(&needs).map(|((s, p), n)| (s, (p.0, n))) {
            *share &= offset < plan.heap_bytes;
        }
        let heap = if shares.contains(&true) {
            let requirements = vk::MemoryRequirements { size: plan.heap_bytes, alignment, memory_type_bits: types };
            Some(Heap::new(gpu, "transient images", requirements)?)
        } else {
            None
        };
        for (((i, offset, _, mut image), share), need) in transients.into_iter().zip(shares).zip(&needs) {
            match &heap {
                Some(heap) if share && offset + need.size <= plan.heap_bytes => image.bind_shared(heap, offset)?,
                _ => {
                    self.apart += need.size;
                    image.bind_own(&plan.images[i].name)?;
                }
            }
            self.images[i].push(Arc::new(image));
        }
        Ok(())
    }

    /// Takes over images and buffers whose name and shape are the same in another plan.
    pub(super) fn adopt(&mut self, plan: &Plan, old: &Self, old_plan: &Plan, next_frame: u64) {
        for (i, image) in plan.images.iter().enumerate() {
            let Residency::Persistent { instances, .. } = &image.residency else { continue };
            let same = |o: &PlanImage| o.name == image.name && o.desc == image.desc;
            let Some(j) = old_plan.images.iter().position(same) else { continue };
            let Residency::Persistent { instances: had, resting } = &old_plan.images[j].residency else { continue };
            if had != instances {
                continue;
            }
            self.images[i].clone_from(&old.images[j]);
            self.pending.retain(|p| !matches!(p, Pending::Clear { image, .. } if *image == i as u32));
            for age in 0..*instances {
                let at = instance(next_frame, *instances as usize, age) as u32;
                let fresh = old
                    .pending
                    .iter()
                    .any(|p| matches!(p, Pending::Clear { image, instance } if (*image, *instance) == (j as u32, at)));
                let from = resting.get(age as usize).copied().unwrap_or_default();
                self.pending.push(match fresh {
                    true => Pending::Clear { image: i as u32, instance: at },
                    false => Pending::Move { image: i as u32, instance: at, from },
                });
            }
        }
        for (i, buffer) in plan.buffers.iter().enumerate() {
            let same =
                |o: &crate::graph::PlanBuffer| (&o.name, o.size, o.usage) == (&buffer.name, buffer.size, buffer.usage);
            let Some(j) = old_plan.buffers.iter().position(same) else { continue };
            let fresh = old.pending.iter().any(|p| matches!(p, Pending::Fill { buffer } if *buffer == j as u32));
            if !fresh {
                self.buffers[i] = old.buffers[j].clone();
                self.pending.retain(|p| !matches!(p, Pending::Fill { buffer } if *buffer == i as u32));
            }
        }
    }

    /// True when the next frame has to start with [`Self::settle`].
    pub(super) fn unsettled(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Records what is pending: after it every persistent image is in its resting state for `frame`.
    pub(super) fn settle(&mut self, gpu: &Gpu, commands: vk::CommandBuffer, plan: &Plan, frame: u64) {
        for pending in std::mem::take(&mut self.pending) {
            match pending {
                Pending::Clear { image, instance } => {
                    let (desc, raw) =
                        (&plan.images[image as usize], self.images[image as usize][instance as usize].raw);
                    let format = desc.desc.format;
                    clear_image(gpu, commands, raw, format, whole(desc), [0.0; 4]);
                    after_clear(gpu, commands, raw, format, whole(desc), self.rest(plan, frame, image, instance));
                }
                Pending::Move { image, instance, from } => {
                    let target = self.rest(plan, frame, image, instance);
                    self.bring(gpu, commands, plan, (image, instance), (convert::layout(from.layout), target));
                }
                Pending::Fill { buffer } => {
                    let raw = self.buffers[buffer as usize].raw;
                    // SAFETY: the buffer is new and lives as long as the frame.
                    unsafe { gpu.device().cmd_fill_buffer(commands, raw, 0, vk::WHOLE_SIZE, 0) };
                }
            }
        }
        memory_barrier(gpu, commands);
    }

    /// Layout in which an instance starts a frame.
    fn rest(&self, plan: &Plan, frame: u64, image: u32, at: u32) -> vk::ImageLayout {
        let Residency::Persistent { instances, resting } = &plan.images[image as usize].residency else {
            return vk::ImageLayout::GENERAL;
        };
        let age = (0..*instances).find(|age| instance(frame, *instances as usize, *age) as u32 == at).unwrap_or(0);
        match resting.get(age as usize).map_or(Layout::Undefined, |s| s.layout) {
            // An image that no frame needs the content of may be in any layout; a transition to `undefined` is none.
            Layout::Undefined => vk::ImageLayout::GENERAL,
            other => convert::layout(other),
        }
    }

    fn bring(
        &self,
        gpu: &Gpu,
        commands: vk::CommandBuffer,
        plan: &Plan,
        (image, instance): (u32, u32),
        (old, new): (vk::ImageLayout, vk::ImageLayout),
    ) {
        let desc = &plan.images[image as usize];
        let all = vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE;
        let barrier = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(all)
            .old_layout(old)
            .new_layout(new)
            .image(self.images[image as usize][instance as usize].raw)
            .subresource_range(convert::range(whole(desc), convert::aspects(desc.desc.format)))];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barrier);
        // SAFETY: the image lives as long as the frame.
        unsafe { gpu.device().cmd_pipeline_barrier2(commands, &info) };
    }
}

/// Everything before is done and visible to everything after. Only for frames that follow a load.
fn memory_barrier(gpu: &Gpu, commands: vk::CommandBuffer) {
    let barrier = [vk::MemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
        .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
        .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)];
    // SAFETY: recording.
    unsafe { gpu.device().cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().memory_barriers(&barrier)) };
}

#[cfg(test)]
mod tests {
    use super::instance;

    #[test]
    fn history_instances_come_round() {
        assert_eq!((0..5).map(|f| instance(f, 2, 0)).collect::<Vec<_>>(), [0, 1, 0, 1, 0]);
        assert_eq!((0..5).map(|f| instance(f, 2, 1)).collect::<Vec<_>>(), [1, 0, 1, 0, 1]);
        assert_eq!((0..4).map(|f| instance(f, 3, 2)).collect::<Vec<_>>(), [1, 2, 0, 1]);
        assert_eq!(instance(9, 1, 1), 0);
    }
}
