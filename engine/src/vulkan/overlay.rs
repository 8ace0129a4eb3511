//! Draws egui's output inside the plan's `ui` pass.

use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex};

use ash::vk;
use egui::{ClippedPrimitive, TextureId, TexturesDelta};
use egui_ash_renderer::{DynamicRendering, Options, RenderMode, Renderer};
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use gpu_allocator::{AllocationSizes, AllocatorDebugSettings};

use super::convert;
use super::error::{During, GpuError};
use super::gpu::{FRAMES_IN_FLIGHT, Garbage, Gpu};
use super::resource::Owned;
use crate::graph::{Format, Instruction, Plan};

/// What egui wants drawn.
#[derive(Default)]
pub struct OverlayFrame {
    /// Tessellated shapes (`Context::tessellate`).
    pub primitives: Vec<ClippedPrimitive>,
    /// Textures to set before drawing and to free after it; drained when it was applied.
    pub textures: TexturesDelta,
    /// Physical pixels of a point.
    pub pixels_per_point: f32,
}

/// Formats that the overlay is drawn into.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Target {
    color: Format,
    depth: Option<Format>,
}

/// egui's renderer. It lives over reloads, because egui hands a texture over once.
pub(super) struct Overlay {
    gpu: Gpu,
    egui: ManuallyDrop<Renderer<egui_ash_renderer::allocator::GpuAllocator>>,
    // egui's renderer puts buffers and images into the same blocks without regard for their granularity; with an
    // allocator of its own it does so among its own objects only.
    allocator: ManuallyDrop<Arc<Mutex<Allocator>>>,
    pool: Owned<vk::CommandPool>,
    target: Target,
    /// Textures that a frame in flight may read, with the timeline value that ends it.
    freed: Vec<(u64, TextureId)>,
}

/// The formats of the rendering that the plan's `ui` pass lies in.
fn target(plan: &Plan) -> Option<Target> {
    let mut rendering = None;
    for instruction in &plan.instructions {
        match instruction {
            Instruction::BeginRendering(i) => rendering = Some(*i),
            Instruction::EndRendering => rendering = None,
            Instruction::Ui => {
                let r = &plan.renderings[rendering? as usize];
                let format = |image: u32| plan.images[image as usize].desc.format;
                let [color] = r.colors.as_slice() else { return None };
                let depth = r.depth.map(|d| format(d.image.image));
                return Some(Target { color: format(color.image.image), depth });
            }
            _ => {}
        }
    }
    None
}

fn failed(error: impl std::fmt::Display) -> GpuError {
    GpuError::Overlay(error.to_string())
}

impl Target {
    fn mode(self) -> RenderMode {
        RenderMode::DynamicRendering(DynamicRendering {
            color_attachment_format: convert::format(self.color),
            depth_attachment_format: self.depth.map(convert::format),
            stencil_attachment_format: self.depth.filter(|d| d.has_stencil()).map(convert::format),
        })
    }
}

impl Overlay {
    /// `None` when the plan has no `ui` pass into one colour image.
    pub(super) fn new(gpu: &Gpu, plan: &Plan) -> Result<Option<Self>, GpuError> {
        let Some(target) = target(plan) else { return Ok(None) };
        let mut quiet = AllocatorDebugSettings::default();
        quiet.log_leaks_on_shutdown = false;
        let desc = AllocatorCreateDesc {
            instance: gpu.instance().raw.clone(),
            device: gpu.device().clone(),
            physical_device: gpu.physical(),
            debug_settings: quiet,
            buffer_device_address: false,
            allocation_sizes: AllocationSizes::new(8 << 20, 4 << 20),
        };
        let allocator = Arc::new(Mutex::new(Allocator::new(&desc).during("setting up the overlay's memory")?));
        let options = Options {
            in_flight_frames: FRAMES_IN_FLIGHT,
            srgb_framebuffer: target.color == Format::Rgba8Srgb,
            ..Options::default()
        };
        let egui = Renderer::with_gpu_allocator(allocator.clone(), gpu.device().clone(), target.mode(), options)
            .map_err(failed)?;
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::TRANSIENT)
            .queue_family_index(gpu.family());
        // SAFETY: the device lives.
        let pool = unsafe { gpu.device().create_command_pool(&info, None) }.during("creating a command pool")?;
        let pool = Owned::new(gpu, pool, Garbage::CommandPool);
        Ok(Some(Self {
            gpu: gpu.clone(),
            egui: ManuallyDrop::new(egui),
            allocator: ManuallyDrop::new(allocator),
            pool,
            target,
            freed: Vec::new(),
        }))
    }

    /// Fits an overlay to another plan; its textures stay.
    pub(super) fn fit(&mut self, plan: &Plan) -> Result<(), GpuError> {
        let Some(target) = target(plan).filter(|t| *t != self.target) else { return Ok(()) };
        self.gpu.wait_for(self.gpu.last_submitted())?;
        self.egui.set_render_mode(target.mode()).map_err(failed)?;
        self.target = target;
        Ok(())
    }

    /// Applies texture changes before recording. Setting one submits and waits, so it is done for frames that change
    /// fonts or images only.
    pub(super) fn apply(&mut self, delta: &mut TexturesDelta) -> Result<(), GpuError> {
        let completed = self.gpu.completed();
        let mut result = Ok(());
        self.freed.retain(|(value, id)| {
            let done = *value <= completed;
            if done && let Err(error) = self.egui.free_texture(*id) {
                result = Err(failed(error));
            }
            !done
        });
        result?;
        if !delta.set.is_empty() {
            // A whole texture is replaced at once; frames in flight may still read the old one.
            self.gpu.wait_for(self.gpu.last_submitted())?;
        }
        for (id, deltas) in delta.set.drain() {
            for image in deltas {
                let Self { gpu, egui, pool, .. } = self;
                gpu.with_queue(|queue| egui.set_texture(queue, pool.raw, id, &image)).map_err(failed)?;
            }
        }
        // The frame that is recorded next may still draw them.
        let after = self.gpu.last_submitted() + 1;
        self.freed.extend(delta.free.drain().map(|id| (after, id)));
        Ok(())
    }

    /// Draws into the current rendering; returns the number of meshes.
    pub(super) fn draw(
        &mut self,
        commands: vk::CommandBuffer,
        extent: [u32; 2],
        frame: &OverlayFrame,
    ) -> Result<u32, GpuError> {
        let extent = vk::Extent2D { width: extent[0], height: extent[1] };
        self.egui.cmd_draw(commands, extent, frame.pixels_per_point.max(0.1), &frame.primitives).map_err(failed)?;
        Ok(frame.primitives.len() as u32)
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        // egui's renderer destroys its objects at once.
        let _ = self.gpu.wait_for(self.gpu.last_submitted());
        // SAFETY: both are dropped once, the user of the allocator first; the device is done with them.
        unsafe {
            ManuallyDrop::drop(&mut self.egui);
            ManuallyDrop::drop(&mut self.allocator);
        }
    }
}
