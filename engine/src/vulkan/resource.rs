//! Buffers, images and other handles that retire themselves: dropping one hands it to the device's garbage list, which
//! destroys it when the timeline has passed its last use.

use std::sync::Arc;

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::{Allocation, AllocationCreateDesc, AllocationScheme};

use super::convert;
use super::error::{During, GpuError};
use super::gpu::{Garbage, Gpu};
use crate::graph::{Format, ImageDesc};

/// A handle that needs nothing but its destruction.
pub(super) struct Owned<T: Copy> {
    gpu: Gpu,
    pub(super) raw: T,
    wrap: fn(T) -> Garbage,
}

impl<T: Copy> Owned<T> {
    pub(super) fn new(gpu: &Gpu, raw: T, wrap: fn(T) -> Garbage) -> Self {
        Self { gpu: gpu.clone(), raw, wrap }
    }
}

impl<T: Copy> Drop for Owned<T> {
    fn drop(&mut self) {
        self.gpu.retire((self.wrap)(self.raw));
    }
}

/// A view of a part of an image.
pub(super) type View = Owned<vk::ImageView>;

/// A buffer with its memory.
pub(super) struct Buffer {
    gpu: Gpu,
    pub(super) raw: vk::Buffer,
    pub(super) size: u64,
    allocation: Option<Allocation>,
}

impl Buffer {
    /// Creates a buffer of at least one byte.
    pub(super) fn new(
        gpu: &Gpu,
        name: &str,
        size: u64,
        usage: vk::BufferUsageFlags,
        location: MemoryLocation,
    ) -> Result<Self, GpuError> {
        let info = vk::BufferCreateInfo::default().size(size.max(1)).usage(usage);
        // SAFETY: the device lives.
        let raw = unsafe { gpu.device().create_buffer(&info, None) }.during("creating a buffer")?;
        // SAFETY: the buffer was just made.
        let requirements = unsafe { gpu.device().get_buffer_memory_requirements(raw) };
        let desc = AllocationCreateDesc {
            name,
            requirements,
            location,
            linear: true,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        };
        let allocation = gpu.allocator().allocate(&desc).during("allocating a buffer");
        let allocation = match allocation {
            Ok(allocation) => allocation,
            Err(error) => {
                // SAFETY: nobody has seen the buffer.
                unsafe { gpu.device().destroy_buffer(raw, None) };
                return Err(error);
            }
        };
        // SAFETY: the memory fits the requirements and is bound once.
        let bound = unsafe { gpu.device().bind_buffer_memory(raw, allocation.memory(), allocation.offset()) };
        let buffer = Self { gpu: gpu.clone(), raw, size: size.max(1), allocation: Some(allocation) };
        bound.during("binding a buffer")?;
        gpu.name(raw, name);
        Ok(buffer)
    }

    /// The bytes of a buffer that the CPU sees; empty for one that it does not.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        self.allocation.as_mut().and_then(Allocation::mapped_slice_mut).unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.allocation.as_ref().and_then(Allocation::mapped_slice).unwrap_or_default()
    }

    /// Copies bytes; what does not fit is left out.
    pub(super) fn write(&mut self, offset: usize, bytes: &[u8]) {
        if let Some(part) = self.bytes_mut().get_mut(offset..offset + bytes.len()) {
            part.copy_from_slice(bytes);
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(allocation) = self.allocation.take() {
            self.gpu.retire(Garbage::Buffer(self.raw, allocation));
        }
    }
}

/// Memory that several images share.
pub(super) struct Heap {
    gpu: Gpu,
    allocation: Option<Allocation>,
}

impl Heap {
    pub(super) fn new(gpu: &Gpu, name: &str, requirements: vk::MemoryRequirements) -> Result<Arc<Self>, GpuError> {
        let desc = AllocationCreateDesc {
            name,
            requirements,
            location: MemoryLocation::GpuOnly,
            linear: false,
            allocation_scheme: AllocationScheme::GpuAllocatorManaged,
        };
        let allocation = gpu.allocator().allocate(&desc).during("allocating the transient images")?;
        Ok(Arc::new(Self { gpu: gpu.clone(), allocation: Some(allocation) }))
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        if let Some(allocation) = self.allocation.take() {
            self.gpu.retire(Garbage::Memory(allocation));
        }
    }
}

/// An image with its memory.
pub(super) struct Image {
    gpu: Gpu,
    pub(super) raw: vk::Image,
    pub(super) format: Format,
    allocation: Option<Allocation>,
    // Dropped after the image was retired.
    _heap: Option<Arc<Heap>>,
}

impl Image {
    /// An image without memory, to be asked what it needs.
    pub(super) fn unbound(gpu: &Gpu, name: &str, desc: &ImageDesc) -> Result<Self, GpuError> {
        let mut info = convert::image_info(desc);
        if desc.layers >= 6 && desc.extent[0] == desc.extent[1] && desc.samples <= 1 {
            info = info.flags(vk::ImageCreateFlags::CUBE_COMPATIBLE);
        }
        // SAFETY: the device lives.
        let raw = unsafe { gpu.device().create_image(&info, None) }.during("creating an image")?;
        gpu.name(raw, name);
        Ok(Self { gpu: gpu.clone(), raw, format: desc.format, allocation: None, _heap: None })
    }

    /// What the driver wants, and whether it insists on an allocation of its own.
    pub(super) fn needs(&self) -> (vk::MemoryRequirements, bool) {
        let mut dedicated = vk::MemoryDedicatedRequirements::default();
        let mut needs = vk::MemoryRequirements2::default().push_next(&mut dedicated);
        let info = vk::ImageMemoryRequirementsInfo2::default().image(self.raw);
        // SAFETY: the image lives.
        unsafe { self.gpu.device().get_image_memory_requirements2(&info, &mut needs) };
        (needs.memory_requirements, dedicated.requires_dedicated_allocation != 0)
    }

    /// Binds the image into a shared heap.
    pub(super) fn bind_shared(&mut self, heap: &Arc<Heap>, offset: u64) -> Result<(), GpuError> {
        let Some(memory) = &heap.allocation else { return Ok(()) };
        // SAFETY: the caller has checked size, alignment and memory type; the heap lives as long as the image.
        unsafe { self.gpu.device().bind_image_memory(self.raw, memory.memory(), memory.offset() + offset) }
            .during("binding an image")?;
        self._heap = Some(heap.clone());
        Ok(())
    }

    /// Gives the image memory of its own.
    pub(super) fn bind_own(&mut self, name: &str) -> Result<(), GpuError> {
        let (requirements, dedicated) = self.needs();
        let desc = AllocationCreateDesc {
            name,
            requirements,
            location: MemoryLocation::GpuOnly,
            linear: false,
            allocation_scheme: match dedicated {
                true => AllocationScheme::DedicatedImage(self.raw),
                false => AllocationScheme::GpuAllocatorManaged,
            },
        };
        let allocation = self.gpu.allocator().allocate(&desc).during("allocating an image")?;
        // SAFETY: the memory fits the requirements and is bound once.
        let bound = unsafe { self.gpu.device().bind_image_memory(self.raw, allocation.memory(), allocation.offset()) };
        self.allocation = Some(allocation);
        bound.during("binding an image")
    }

    /// An image with memory of its own.
    pub(super) fn new(gpu: &Gpu, name: &str, desc: &ImageDesc) -> Result<Self, GpuError> {
        let mut image = Self::unbound(gpu, name, desc)?;
        image.bind_own(name)?;
        Ok(image)
    }

    /// A view.
    pub(super) fn view(
        &self,
        kind: vk::ImageViewType,
        range: vk::ImageSubresourceRange,
        name: &str,
    ) -> Result<View, GpuError> {
        let info = vk::ImageViewCreateInfo::default()
            .image(self.raw)
            .view_type(kind)
            .format(convert::format(self.format))
            .subresource_range(range);
        // SAFETY: the image lives and is bound.
        let raw = unsafe { self.gpu.device().create_image_view(&info, None) }.during("creating an image view")?;
        self.gpu.name(raw, name);
        Ok(Owned::new(&self.gpu, raw, Garbage::View))
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        self.gpu.retire(Garbage::Image(self.raw, self.allocation.take()));
    }
}

/// A one-off command buffer that is submitted and waited for; for readback and start-up, never within a frame.
pub(super) fn run_once(gpu: &Gpu, record: impl FnOnce(vk::CommandBuffer)) -> Result<(), GpuError> {
    let info = vk::CommandPoolCreateInfo::default()
        .flags(vk::CommandPoolCreateFlags::TRANSIENT)
        .queue_family_index(gpu.family());
    // SAFETY: the device lives.
    let pool = unsafe { gpu.device().create_command_pool(&info, None) }.during("creating a command pool")?;
    let pool = Owned::new(gpu, pool, Garbage::CommandPool);
    let info = vk::CommandBufferAllocateInfo::default().command_pool(pool.raw).command_buffer_count(1);
    let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
    // SAFETY: the pool is used by this thread only; the buffer is recorded once.
    let commands = unsafe {
        let commands = gpu.device().allocate_command_buffers(&info).during("allocating a command buffer")?[0];
        gpu.device().begin_command_buffer(commands, &begin).during("recording")?;
        record(commands);
        gpu.device().end_command_buffer(commands).during("recording")?;
        commands
    };
    let value = gpu.submit(commands, None, None)?;
    gpu.wait_for(value)
}
