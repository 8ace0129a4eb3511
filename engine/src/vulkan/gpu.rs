//! The device that renderers, worlds and windows share: submission, retirement, memory, caches.

use std::collections::{HashMap, VecDeque};
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ash::{ext, vk};
use gpu_allocator::vulkan::{Allocation, Allocator, AllocatorCreateDesc};
use gpu_allocator::{AllocationSizes, AllocatorDebugSettings};
use raw_window_handle::RawDisplayHandle;
use serde::Serialize;

use super::cache;
use super::choose::DeviceInfo;
use super::convert;
use super::debug::{self, MessageSink};
use super::error::{During, GpuError};
use super::fallback::Fallbacks;
use super::init::{self, Instance, Optional};
use super::pipeline::{Pipeline, ShaderLayout};
use crate::graph::{DeviceModel, Format, ImageDesc, Usage};
use crate::scene::{SamplerDesc, Wrap};

/// Frames that the CPU may be ahead.
pub const FRAMES_IN_FLIGHT: usize = 2;

/// How the device is opened.
#[derive(Clone, Debug, Default)]
pub struct GpuOptions {
    /// Index or part of the name of a device; `None` takes the best one.
    pub device: Option<String>,
    /// Turns on the validation layer with synchronization validation.
    pub validation: bool,
    /// Folder of the pipeline cache; `None` keeps nothing on disk.
    pub cache_dir: Option<PathBuf>,
    /// Display that windows will be on; `None` for headless.
    pub display: Option<RawDisplayHandle>,
}

/// Memory that the device has given out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemoryReport {
    /// Bytes in use by images and buffers.
    pub used: u64,
    /// Bytes taken from the driver.
    pub reserved: u64,
    /// Number of allocations in use.
    pub allocations: usize,
    /// Objects that wait for the device to finish with them.
    pub retired: usize,
}

/// Things that are destroyed when the timeline has passed their last use.
pub(super) enum Garbage {
    Buffer(vk::Buffer, Allocation),
    Image(vk::Image, Option<Allocation>),
    Memory(Allocation),
    View(vk::ImageView),
    Pipeline(vk::Pipeline),
    PipelineLayout(vk::PipelineLayout),
    SetLayout(vk::DescriptorSetLayout),
    DescriptorPool(vk::DescriptorPool),
    CommandPool(vk::CommandPool),
    QueryPool(vk::QueryPool),
}

struct QueueState {
    raw: vk::Queue,
    submitted: u64,
}

/// What is shared by weak reference, so that equal things are made once while somebody uses them.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) pipelines: HashMap<String, Weak<Pipeline>>,
    pub(super) layouts: HashMap<String, Weak<ShaderLayout>>,
    pub(super) fallbacks: Weak<Fallbacks>,
    pub(super) samplers: HashMap<(SamplerDesc, bool), vk::Sampler>,
}

struct Inner {
    instance: Instance,
    physical: vk::PhysicalDevice,
    info: DeviceInfo,
    limits: vk::PhysicalDeviceLimits,
    memory: vk::PhysicalDeviceMemoryProperties,
    device: ash::Device,
    names: Option<ext::debug_utils::Device>,
    optional: Optional,
    swapchain: bool,
    family: u32,
    timestamp_bits: u32,
    queue: Mutex<QueueState>,
    timeline: vk::Semaphore,
    last: AtomicU64,
    allocator: ManuallyDrop<Mutex<Allocator>>,
    garbage: Mutex<VecDeque<(u64, Garbage)>>,
    shared: Mutex<Shared>,
    pipeline_cache: vk::PipelineCache,
    cache_file: Option<cache::CacheFile>,
    // Last: the messenger holds its address until `Instance::destroy`.
    sink: Box<MessageSink>,
}

/// An opened device. Clones share it.
#[derive(Clone)]
pub struct Gpu(Arc<Inner>);

/// A lock whose holder panicked guards plain data that is still usable.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gpu {
    /// Opens a device. Errors say what is missing and what to install.
    pub fn new(options: &GpuOptions) -> Result<Self, GpuError> {
        let sink = Box::new(MessageSink::default());
        let mut instance = Instance::new(options.validation, options.display, &sink)?;
        match Self::open(&mut instance, options) {
            Ok(open) => Ok(Self(Arc::new(open(instance, sink)))),
            Err(error) => {
                instance.destroy();
                Err(error)
            }
        }
    }

    /// Everything that can fail; the closure then only moves.
    fn open(
        instance: &mut Instance,
        options: &GpuOptions,
    ) -> Result<impl FnOnce(Instance, Box<MessageSink>) -> Inner + use<>, GpuError> {
        let (physical, info) = instance.choose(options.device.as_deref())?;
        let opened = init::open(instance, physical)?;
        let device = opened.raw.clone();
        // SAFETY: the device belongs to the instance.
        let (properties, memory, families) = unsafe {
            (
                instance.raw.get_physical_device_properties(physical),
                instance.raw.get_physical_device_memory_properties(physical),
                instance.raw.get_physical_device_queue_family_properties(physical),
            )
        };
        let mut quiet = AllocatorDebugSettings::default();
        quiet.log_leaks_on_shutdown = false;
        let desc = AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: device.clone(),
            physical_device: physical,
            debug_settings: quiet,
            buffer_device_address: false,
            // A small map takes tens of MB; blocks double from there.
            allocation_sizes: AllocationSizes::new(16 << 20, 8 << 20)
                .with_max_device_memblock_size(256 << 20)
                .with_max_host_memblock_size(64 << 20),
        };
        let allocator = Allocator::new(&desc).during("setting up device memory")?;
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let timeline_info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: the device lives.
        let timeline = unsafe { device.create_semaphore(&timeline_info, None) }.during("creating the timeline")?;
        let cache_file = options.cache_dir.as_deref().map(|dir| cache::CacheFile::new(dir, &properties));
        let pipeline_cache = cache::create(&device, cache_file.as_ref())?;
        let names = instance.names.then(|| ext::debug_utils::Device::new(&instance.raw, &device));
        tracing::info!("device {info}");
        Ok(move |instance, sink| Inner {
            physical,
            info,
            limits: properties.limits,
            memory,
            names,
            optional: opened.optional,
            swapchain: opened.swapchain,
            family: opened.family,
            timestamp_bits: families[opened.family as usize].timestamp_valid_bits,
            queue: Mutex::new(QueueState { raw: opened.queue, submitted: 0 }),
            timeline,
            last: AtomicU64::new(0),
            allocator: ManuallyDrop::new(Mutex::new(allocator)),
            garbage: Mutex::default(),
            shared: Mutex::default(),
            pipeline_cache,
            cache_file,
            sink,
            device,
            instance,
        })
    }

    /// All devices of the system with what they lack, in the order of `--device`.
    pub fn list_devices() -> Result<Vec<DeviceInfo>, GpuError> {
        let sink = MessageSink::default();
        let mut instance = Instance::new(false, None, &sink)?;
        let devices = instance.devices();
        instance.destroy();
        Ok(devices?.into_iter().map(|(_, info)| info).collect())
    }

    /// Name of the device.
    pub fn device_name(&self) -> &str {
        &self.0.info.name
    }

    /// What is known about the device.
    pub fn device_info(&self) -> &DeviceInfo {
        &self.0.info
    }

    /// Warnings and errors of the validation layer so far; 0 without validation.
    pub fn validation_messages(&self) -> u64 {
        self.0.sink.count()
    }

    /// The newest of them.
    pub fn last_validation_message(&self) -> Option<String> {
        self.0.sink.last()
    }

    /// Version of the validation layer as (major, minor, patch), when it is on.
    pub fn validation_layer_version(&self) -> Option<(u32, u32, u32)> {
        let version = self.0.instance.layer_version?;
        Some((vk::api_version_major(version), vk::api_version_minor(version), vk::api_version_patch(version)))
    }

    /// Memory in use.
    pub fn memory_report(&self) -> MemoryReport {
        let report = lock(&self.0.allocator).generate_report();
        MemoryReport {
            used: report.total_allocated_bytes,
            reserved: report.total_capacity_bytes,
            allocations: report.allocations.len(),
            retired: lock(&self.0.garbage).len(),
        }
    }

    /// Writes the pipeline cache to disk; also done when the device is closed. Failures are logged.
    pub fn save_pipeline_cache(&self) {
        self.0.save_pipeline_cache();
    }

    /// Waits until the device has done everything that was submitted, and destroys what was retired.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.wait_for(self.last_submitted())?;
        self.collect();
        Ok(())
    }

    pub(super) fn device(&self) -> &ash::Device {
        &self.0.device
    }

    pub(super) fn instance(&self) -> &Instance {
        &self.0.instance
    }

    pub(super) fn physical(&self) -> vk::PhysicalDevice {
        self.0.physical
    }

    pub(super) fn limits(&self) -> &vk::PhysicalDeviceLimits {
        &self.0.limits
    }

    pub(super) fn optional(&self) -> &Optional {
        &self.0.optional
    }

    pub(super) fn has_swapchain(&self) -> bool {
        self.0.swapchain
    }

    pub(super) fn family(&self) -> u32 {
        self.0.family
    }

    /// Valid bits of timestamps, 0 where there are none.
    pub(super) fn timestamp_bits(&self) -> u32 {
        self.0.timestamp_bits
    }

    pub(super) fn pipeline_cache(&self) -> vk::PipelineCache {
        self.0.pipeline_cache
    }

    pub(super) fn shared(&self) -> MutexGuard<'_, Shared> {
        lock(&self.0.shared)
    }

    pub(super) fn allocator(&self) -> MutexGuard<'_, Allocator> {
        lock(&self.0.allocator)
    }

    /// Gives an object its name in the graph file, for RenderDoc and validation messages.
    pub(super) fn name(&self, object: impl vk::Handle, name: &str) {
        let Some(names) = &self.0.names else { return };
        let name = debug::c_name(name);
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(object).object_name(&name);
        // SAFETY: the object was just made from this device. A name that cannot be set is no loss.
        let _ = unsafe { names.set_debug_utils_object_name(&info) };
    }

    pub(super) fn labels(&self) -> Option<&ext::debug_utils::Device> {
        self.0.names.as_ref()
    }

    /// Submits a command buffer; returns the timeline value that says it is done.
    pub(super) fn submit(
        &self,
        commands: vk::CommandBuffer,
        wait: Option<(vk::Semaphore, vk::PipelineStageFlags2)>,
        signal: Option<vk::Semaphore>,
    ) -> Result<u64, GpuError> {
        let mut queue = lock(&self.0.queue);
        let value = queue.submitted + 1;
        let stage = vk::PipelineStageFlags2::ALL_COMMANDS;
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
        let waits = wait.map(|(s, stage)| [vk::SemaphoreSubmitInfo::default().semaphore(s).stage_mask(stage)]);
        let timeline = vk::SemaphoreSubmitInfo::default().semaphore(self.0.timeline).value(value).stage_mask(stage);
        let other = vk::SemaphoreSubmitInfo::default().semaphore(signal.unwrap_or_default()).stage_mask(stage);
        let signals = [timeline, other];
        let count = if signal.is_some() { 2 } else { 1 };
        let info = vk::SubmitInfo2::default()
            .wait_semaphore_infos(waits.as_ref().map_or(&[], |w| w.as_slice()))
            .command_buffer_infos(&buffers)
            .signal_semaphore_infos(&signals[..count]);
        // SAFETY: the queue is locked, the command buffer is complete, and its resources are retired by the timeline.
        unsafe { self.0.device.queue_submit2(queue.raw, &[info], vk::Fence::null()) }.during("submitting a frame")?;
        queue.submitted = value;
        self.0.last.store(value, Ordering::Release);
        Ok(value)
    }

    /// Calls something that uses the queue itself.
    pub(super) fn with_queue<T>(&self, call: impl FnOnce(vk::Queue) -> T) -> T {
        call(lock(&self.0.queue).raw)
    }

    pub(super) fn last_submitted(&self) -> u64 {
        self.0.last.load(Ordering::Acquire)
    }

    /// The timeline value up to which the device is done.
    pub(super) fn completed(&self) -> u64 {
        // SAFETY: the semaphore lives as long as the device. A lost device counts as done with everything.
        unsafe { self.0.device.get_semaphore_counter_value(self.0.timeline) }.unwrap_or(u64::MAX)
    }

    /// Waits for a timeline value, at most ten seconds: a frame that takes longer has hung the device.
    pub(super) fn wait_for(&self, value: u64) -> Result<(), GpuError> {
        let (semaphores, values) = ([self.0.timeline], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: the semaphore lives as long as the device.
        match unsafe { self.0.device.wait_semaphores(&info, 10_000_000_000) } {
            Err(vk::Result::TIMEOUT) => Err(GpuError::DeviceLost { during: "waiting ten seconds for a frame" }),
            other => other.during("waiting for a frame"),
        }
    }

    /// Keeps an object until everything that was submitted so far is done.
    pub(super) fn retire(&self, garbage: Garbage) {
        lock(&self.0.garbage).push_back((self.last_submitted(), garbage));
    }

    /// Destroys what the timeline has passed.
    pub(super) fn collect(&self) {
        let completed = self.completed();
        let mut garbage = lock(&self.0.garbage);
        while garbage.front().is_some_and(|(value, _)| *value <= completed) {
            if let Some((_, object)) = garbage.pop_front() {
                self.0.destroy(object);
            }
        }
    }

    /// The sampler of this description; made once.
    pub(super) fn sampler(&self, desc: SamplerDesc, format: Format) -> Result<vk::Sampler, GpuError> {
        let linear = desc.linear && self.filters_linearly(format);
        let key = (desc, linear);
        if let Some(sampler) = self.shared().samplers.get(&key) {
            return Ok(*sampler);
        }
        let wrap = |w| match w {
            Wrap::Clamp => vk::SamplerAddressMode::CLAMP_TO_EDGE,
            Wrap::Repeat => vk::SamplerAddressMode::REPEAT,
        };
        let (filter, mips) = if linear {
            (vk::Filter::LINEAR, vk::SamplerMipmapMode::LINEAR)
        } else {
            (vk::Filter::NEAREST, vk::SamplerMipmapMode::NEAREST)
        };
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(filter)
            .min_filter(filter)
            .mipmap_mode(mips)
            .address_mode_u(wrap(desc.wrap_u))
            .address_mode_v(wrap(desc.wrap_v))
            .address_mode_w(vk::SamplerAddressMode::CLAMP_TO_EDGE)
            .max_lod(vk::LOD_CLAMP_NONE)
            .compare_enable(desc.compare)
            .compare_op(vk::CompareOp::LESS_OR_EQUAL);
        // SAFETY: the device lives.
        let sampler = unsafe { self.0.device.create_sampler(&info, None) }.during("creating a sampler")?;
        let mut shared = self.shared();
        if let Some(first) = shared.samplers.insert(key, sampler) {
            // Two threads made it; the first one may be in use already, so it stays.
            shared.samplers.insert(key, first);
            // SAFETY: nobody has seen the second one.
            unsafe { self.0.device.destroy_sampler(sampler, None) };
            return Ok(first);
        }
        Ok(sampler)
    }

    fn filters_linearly(&self, format: Format) -> bool {
        self.format_features(format).contains(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR)
    }

    pub(super) fn format_features(&self, format: Format) -> vk::FormatFeatureFlags {
        let format = convert::format(format);
        // SAFETY: the device belongs to the instance.
        unsafe { self.0.instance.raw.get_physical_device_format_properties(self.0.physical, format) }
            .optimal_tiling_features
    }
}

impl DeviceModel for Gpu {
    fn supports(&self, format: Format, usage: Usage, samples: u32) -> bool {
        if format.is_compressed() && !self.0.optional.bc {
            return false;
        }
        // SAFETY: the device belongs to the instance.
        let properties = unsafe {
            self.0.instance.raw.get_physical_device_image_format_properties(
                self.0.physical,
                convert::format(format),
                vk::ImageType::TYPE_2D,
                vk::ImageTiling::OPTIMAL,
                convert::image_usage(usage),
                vk::ImageCreateFlags::empty(),
            )
        };
        properties.is_ok_and(|p| p.sample_counts.contains(convert::samples(samples)))
    }

    fn image_memory(&self, desc: &ImageDesc) -> (u64, u64) {
        let info = convert::image_info(desc);
        let query = vk::DeviceImageMemoryRequirements::default().create_info(&info);
        let mut needs = vk::MemoryRequirements2::default();
        // SAFETY: maintenance4 is a part of the baseline; `info` outlives the call.
        unsafe { self.0.device.get_device_image_memory_requirements(&query, &mut needs) };
        (needs.memory_requirements.size, needs.memory_requirements.alignment)
    }

    fn max_extent(&self) -> u32 {
        self.0.limits.max_image_dimension2_d
    }

    fn memory_budget(&self) -> u64 {
        let heaps = self.0.memory.memory_heaps_as_slice();
        heaps.iter().filter(|h| h.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL)).map(|h| h.size).max().unwrap_or(0)
    }
}

impl Inner {
    fn destroy(&self, object: Garbage) {
        let d = &self.device;
        let free = |allocation: Allocation| {
            if let Err(error) = lock(&self.allocator).free(allocation) {
                tracing::error!("freeing device memory failed: {error}");
            }
        };
        // SAFETY: the object was made from this device, is owned by the garbage list, and the timeline has passed its
        // last use.
        unsafe {
            match object {
                Garbage::Buffer(buffer, allocation) => {
                    d.destroy_buffer(buffer, None);
                    free(allocation);
                }
                Garbage::Image(image, allocation) => {
                    d.destroy_image(image, None);
                    if let Some(allocation) = allocation {
                        free(allocation);
                    }
                }
                Garbage::Memory(allocation) => free(allocation),
                Garbage::View(view) => d.destroy_image_view(view, None),
                Garbage::Pipeline(pipeline) => d.destroy_pipeline(pipeline, None),
                Garbage::PipelineLayout(layout) => d.destroy_pipeline_layout(layout, None),
                Garbage::SetLayout(layout) => d.destroy_descriptor_set_layout(layout, None),
                Garbage::DescriptorPool(pool) => d.destroy_descriptor_pool(pool, None),
                Garbage::CommandPool(pool) => d.destroy_command_pool(pool, None),
                Garbage::QueryPool(pool) => d.destroy_query_pool(pool, None),
            }
        }
    }

    fn save_pipeline_cache(&self) {
        let Some(file) = &self.cache_file else { return };
        // SAFETY: the cache belongs to the device.
        match unsafe { self.device.get_pipeline_cache_data(self.pipeline_cache) } {
            Ok(data) => file.save(&data),
            Err(error) => tracing::warn!("the pipeline cache cannot be read: {error}"),
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: this is the last reference: nobody submits any more, and all objects are in the garbage list.
        unsafe {
            let _ = self.device.device_wait_idle();
        }
        self.save_pipeline_cache();
        let garbage = std::mem::take(self.garbage.get_mut().unwrap_or_else(PoisonError::into_inner));
        for (_, object) in garbage {
            self.destroy(object);
        }
        let samplers = std::mem::take(&mut self.shared.get_mut().unwrap_or_else(PoisonError::into_inner).samplers);
        // SAFETY: as above; the allocator goes before the device, and the device before the instance.
        unsafe {
            for sampler in samplers.into_values() {
                self.device.destroy_sampler(sampler, None);
            }
            self.device.destroy_pipeline_cache(self.pipeline_cache, None);
            self.device.destroy_semaphore(self.timeline, None);
            ManuallyDrop::drop(&mut self.allocator);
            self.device.destroy_device(None);
        }
        self.instance.destroy();
    }
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("device", &self.0.info.name).finish_non_exhaustive()
    }
}
