//! A window's images: acquired, filled with a blit of the graph's output, presented.

use std::any::Any;
use std::sync::Arc;

use ash::{khr, vk};
use raw_window_handle::{HasDisplayHandle, HasWindowHandle};

use super::error::{During, GpuError};
use super::gpu::{FRAMES_IN_FLIGHT, Gpu};

/// The images of a window.
pub struct Swapchain {
    gpu: Gpu,
    surfaces: khr::surface::Instance,
    surface: vk::SurfaceKHR,
    device: khr::swapchain::Device,
    raw: vk::SwapchainKHR,
    images: Vec<vk::Image>,
    extent: vk::Extent2D,
    /// Signalled when an image is free, with the timeline value of the frame that waited for it.
    acquire: [(vk::Semaphore, u64); FRAMES_IN_FLIGHT],
    next: usize,
    /// Signalled when an image is filled; one for each image, because presentation has no timeline.
    filled: Vec<vk::Semaphore>,
    size: [u32; 2],
    vsync: bool,
    stale: bool,
    // Dropped last: the surface points at the window.
    _window: Arc<dyn Any + Send + Sync>,
}

/// An image of the window that a frame fills.
#[derive(Clone, Copy)]
pub(super) struct Acquired {
    pub(super) index: u32,
    pub(super) free: vk::Semaphore,
    pub(super) filled: vk::Semaphore,
    pub(super) image: vk::Image,
    pub(super) extent: vk::Extent2D,
}

impl Swapchain {
    /// Makes the images of a window. The device must have been opened with the window's display.
    pub fn new<W>(gpu: &Gpu, window: Arc<W>, size: [u32; 2], vsync: bool) -> Result<Self, GpuError>
    where
        W: HasDisplayHandle + HasWindowHandle + Send + Sync + 'static,
    {
        let refuse =
            |reason: &str| GpuError::NoPresent { device: gpu.device_name().to_owned(), reason: reason.to_owned() };
        if !gpu.has_swapchain() {
            return Err(refuse("it was opened without a display, or the driver cannot present"));
        }
        let display = window.display_handle().map_err(|e| refuse(&e.to_string()))?.as_raw();
        let handle = window.window_handle().map_err(|e| refuse(&e.to_string()))?.as_raw();
        let instance = gpu.instance();
        // SAFETY: the window lives as long as the surface; its extensions were enabled for this display.
        let surface = unsafe { ash_window::create_surface(&instance.entry, &instance.raw, display, handle, None) }
            .during("creating a surface")?;
        let mut this = Self {
            gpu: gpu.clone(),
            surfaces: khr::surface::Instance::new(&instance.entry, &instance.raw),
            surface,
            device: khr::swapchain::Device::new(&instance.raw, gpu.device()),
            raw: vk::SwapchainKHR::null(),
            images: Vec::new(),
            extent: vk::Extent2D::default(),
            acquire: [(vk::Semaphore::null(), 0); FRAMES_IN_FLIGHT],
            next: 0,
            filled: Vec::new(),
            size,
            vsync,
            stale: true,
            _window: window,
        };
        // SAFETY: device and surface live.
        let fits =
            unsafe { this.surfaces.get_physical_device_surface_support(gpu.physical(), gpu.family(), this.surface) };
        if !fits.during("asking whether the device can present")? {
            return Err(refuse("its graphics queue cannot present to this display"));
        }
        for slot in &mut this.acquire {
            slot.0 = semaphore(gpu)?;
        }
        this.rebuild()?;
        Ok(this)
    }

    /// Takes a new size in pixels; 0x0 while the window is minimized.
    pub fn resize(&mut self, size: [u32; 2]) {
        self.stale |= self.size != size;
        self.size = size;
    }

    /// True while there is nothing to present to.
    pub fn minimized(&self) -> bool {
        self.size.contains(&0)
    }

    /// Turns waiting for the display's refresh on or off.
    pub fn set_vsync(&mut self, vsync: bool) {
        self.stale |= self.vsync != vsync;
        self.vsync = vsync;
    }

    /// Size of the images in pixels.
    pub fn extent(&self) -> [u32; 2] {
        [self.extent.width, self.extent.height]
    }

    fn idle(&self) {
        let _ = self.gpu.wait_for(self.gpu.last_submitted());
        // SAFETY: the queue is locked. Presentation has no timeline, so this is the only way to know it is done; it
        // happens at a resize and at the end.
        let _ = self.gpu.with_queue(|queue| unsafe { self.gpu.device().queue_wait_idle(queue) });
    }

    /// Makes the images anew. They stay absent while the window has no size.
    fn rebuild(&mut self) -> Result<(), GpuError> {
        let (gpu, surface) = (&self.gpu, self.surface);
        // SAFETY: device and surface live.
        let (can, formats, modes) = unsafe {
            let s = &self.surfaces;
            (
                s.get_physical_device_surface_capabilities(gpu.physical(), surface).during("asking the surface")?,
                s.get_physical_device_surface_formats(gpu.physical(), surface).during("asking the surface")?,
                s.get_physical_device_surface_present_modes(gpu.physical(), surface).during("asking the surface")?,
            )
        };
        let extent = choose_extent(&can, self.size);
        if extent.width == 0 || extent.height == 0 || self.minimized() {
            return Ok(());
        }
        let refuse =
            |reason: &str| GpuError::NoPresent { device: gpu.device_name().to_owned(), reason: reason.to_owned() };
        if !can.supported_usage_flags.contains(vk::ImageUsageFlags::TRANSFER_DST) {
            return Err(refuse("its window images cannot be copied to"));
        }
        let format = choose_format(&formats).ok_or_else(|| refuse("it offers no image format"))?;
        self.idle();
        let most = if can.max_image_count == 0 { u32::MAX } else { can.max_image_count };
        let alpha = [vk::CompositeAlphaFlagsKHR::OPAQUE, vk::CompositeAlphaFlagsKHR::INHERIT];
        let alpha = alpha.into_iter().find(|a| can.supported_composite_alpha.contains(*a));
        let old = self.raw;
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count((can.min_image_count + 1).min(most))
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
            .pre_transform(can.current_transform)
            .composite_alpha(alpha.unwrap_or(vk::CompositeAlphaFlagsKHR::OPAQUE))
            .present_mode(choose_mode(&modes, self.vsync))
            .clipped(true)
            .old_swapchain(old);
        // SAFETY: the surface lives; the queue is idle, so the old images are not in use.
        unsafe {
            let raw = self.device.create_swapchain(&info, None).during("creating the window's images")?;
            self.device.destroy_swapchain(old, None);
            self.raw = raw;
            self.images = self.device.get_swapchain_images(raw).during("asking for the window's images")?;
        }
        while self.filled.len() < self.images.len() {
            self.filled.push(semaphore(&self.gpu)?);
        }
        (self.extent, self.stale) = (extent, false);
        Ok(())
    }

    /// The next image; `None` while the window is minimized or its images are being remade.
    pub(super) fn acquire(&mut self) -> Result<Option<Acquired>, GpuError> {
        if self.minimized() {
            return Ok(None);
        }
        if self.stale || self.raw == vk::SwapchainKHR::null() {
            self.rebuild()?;
            if self.stale {
                return Ok(None);
            }
        }
        let (free, value) = self.acquire[self.next];
        self.gpu.wait_for(value)?;
        // SAFETY: the frame that waited for the semaphore is done.
        let got = unsafe { self.device.acquire_next_image(self.raw, u64::MAX, free, vk::Fence::null()) };
        match got {
            Ok((index, suboptimal)) => {
                self.stale |= suboptimal;
                let (image, filled) = (self.images[index as usize], self.filled[index as usize]);
                Ok(Some(Acquired { index, free, filled, image, extent: self.extent }))
            }
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => {
                self.stale = true;
                Ok(None)
            }
            Err(error) => Err(error).during("waiting for the window"),
        }
    }

    /// Shows an image that the frame of this timeline value fills.
    pub(super) fn present(&mut self, acquired: Acquired, value: u64) -> Result<(), GpuError> {
        self.acquire[self.next].1 = value;
        self.next = (self.next + 1) % FRAMES_IN_FLIGHT;
        let (waits, chains, indices) = ([acquired.filled], [self.raw], [acquired.index]);
        let info = vk::PresentInfoKHR::default().wait_semaphores(&waits).swapchains(&chains).image_indices(&indices);
        // SAFETY: the queue is locked; the image was acquired.
        match self.gpu.with_queue(|queue| unsafe { self.device.queue_present(queue, &info) }) {
            Ok(suboptimal) => self.stale |= suboptimal,
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => self.stale = true,
            Err(error) => return Err(error).during("presenting"),
        }
        Ok(())
    }
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        self.idle();
        let d = self.gpu.device();
        // SAFETY: the queue is idle; everything belongs to this swapchain.
        unsafe {
            for semaphore in self.filled.iter().copied().chain(self.acquire.map(|a| a.0)) {
                d.destroy_semaphore(semaphore, None);
            }
            self.device.destroy_swapchain(self.raw, None);
            self.surfaces.destroy_surface(self.surface, None);
        }
    }
}

fn semaphore(gpu: &Gpu) -> Result<vk::Semaphore, GpuError> {
    // SAFETY: the device lives.
    unsafe { gpu.device().create_semaphore(&vk::SemaphoreCreateInfo::default(), None) }.during("creating a semaphore")
}

/// The size that the surface dictates, or the wanted one within its limits.
fn choose_extent(can: &vk::SurfaceCapabilitiesKHR, size: [u32; 2]) -> vk::Extent2D {
    if can.current_extent.width != u32::MAX {
        return can.current_extent;
    }
    let (min, max) = (can.min_image_extent, can.max_image_extent);
    vk::Extent2D {
        width: size[0].clamp(min.width, max.width.max(min.width)),
        height: size[1].clamp(min.height, max.height.max(min.height)),
    }
}

/// A format without conversion, as the graph's output is in the display's space already.
fn choose_format(formats: &[vk::SurfaceFormatKHR]) -> Option<vk::SurfaceFormatKHR> {
    let wanted = [vk::Format::B8G8R8A8_UNORM, vk::Format::R8G8B8A8_UNORM, vk::Format::A8B8G8R8_UNORM_PACK32];
    let find = |wanted: &vk::Format| formats.iter().find(|f| f.format == *wanted);
    wanted.iter().find_map(find).or(formats.first()).copied()
}

/// With vsync the mode that always exists; without it the first that does not wait.
fn choose_mode(modes: &[vk::PresentModeKHR], vsync: bool) -> vk::PresentModeKHR {
    let free = [vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];
    let free = free.into_iter().find(|mode| modes.contains(mode));
    free.filter(|_| !vsync).unwrap_or(vk::PresentModeKHR::FIFO)
}

/// Records the blit of the output into a window image, from and back to the output's state.
pub(super) fn blit(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    (output, layout, extent): (vk::Image, vk::ImageLayout, [u32; 2]),
    to: &Acquired,
) {
    let (src, dst) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
    let range =
        vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
    let transfer = vk::PipelineStageFlags2::ALL_TRANSFER;
    let all = vk::PipelineStageFlags2::ALL_COMMANDS;
    let barrier = |image, old, new| {
        vk::ImageMemoryBarrier2::default().image(image).subresource_range(range).old_layout(old).new_layout(new)
    };
    let before = [
        barrier(output, layout, src)
            .src_stage_mask(all)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(transfer)
            .dst_access_mask(vk::AccessFlags2::TRANSFER_READ),
        // The source stage is the one that waits for the window's semaphore.
        barrier(to.image, vk::ImageLayout::UNDEFINED, dst)
            .src_stage_mask(transfer)
            .dst_stage_mask(transfer)
            .dst_access_mask(vk::AccessFlags2::TRANSFER_WRITE),
    ];
    let after = [
        barrier(output, src, layout)
            .src_stage_mask(transfer)
            .dst_stage_mask(all)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE),
        barrier(to.image, dst, vk::ImageLayout::PRESENT_SRC_KHR)
            .src_stage_mask(transfer)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(all),
    ];
    let same = extent == [to.extent.width, to.extent.height];
    let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
    let corner = |w: u32, h: u32| [vk::Offset3D::default(), vk::Offset3D { x: w as i32, y: h as i32, z: 1 }];
    let regions = [vk::ImageBlit2::default()
        .src_subresource(layers)
        .src_offsets(corner(extent[0], extent[1]))
        .dst_subresource(layers)
        .dst_offsets(corner(to.extent.width, to.extent.height))];
    let info = vk::BlitImageInfo2::default()
        .src_image(output)
        .src_image_layout(src)
        .dst_image(to.image)
        .dst_image_layout(dst)
        .regions(&regions)
        .filter(if same { vk::Filter::NEAREST } else { vk::Filter::LINEAR });
    let d = gpu.device();
    // SAFETY: the output lives as long as the renderer, the window image until it is presented.
    unsafe {
        d.cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().image_memory_barriers(&before));
        d.cmd_blit_image2(commands, &info);
        d.cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().image_memory_barriers(&after));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surface_decides_about_size_format_and_mode() {
        let extent = |width, height| vk::Extent2D { width, height };
        let mut can = vk::SurfaceCapabilitiesKHR::default()
            .current_extent(extent(640, 480))
            .min_image_extent(extent(1, 1))
            .max_image_extent(extent(1000, 1000));
        assert_eq!(choose_extent(&can, [9, 9]), extent(640, 480));
        can.current_extent = extent(u32::MAX, u32::MAX);
        assert_eq!(choose_extent(&can, [2000, 0]), extent(1000, 1));
        let format = |format| vk::SurfaceFormatKHR { format, color_space: vk::ColorSpaceKHR::SRGB_NONLINEAR };
        let formats = [format(vk::Format::B8G8R8A8_SRGB), format(vk::Format::R8G8B8A8_UNORM)];
        assert_eq!(choose_format(&formats).map(|f| f.format), Some(vk::Format::R8G8B8A8_UNORM));
        assert!(choose_format(&[]).is_none());
        let modes = [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::IMMEDIATE];
        assert_eq!(choose_mode(&modes, true), vk::PresentModeKHR::FIFO);
        assert_eq!(choose_mode(&modes, false), vk::PresentModeKHR::IMMEDIATE);
        assert_eq!(choose_mode(&modes[..1], false), vk::PresentModeKHR::FIFO);
    }
}
