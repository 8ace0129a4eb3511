//! The Vulkan 1.3 backend: opens a device ([`Gpu`]), keeps the GPU copies of a world ([`SceneGpu`]), replays a plan
//! ([`Renderer`]), shows it in a window ([`Swapchain`]). The only module that calls Vulkan.
//!
//! ```no_run
//! # use terrace_engine::{graph::Plan, scene::*, vulkan::*};
//! # fn main() -> Result<(), GpuError> {
//! # let (plan, shaders, registry) = (Plan::default(), Vec::new(), Registry::with_standard_views());
//! let gpu = Gpu::new(&GpuOptions::default())?;
//! let mut renderer = Renderer::new(&gpu, plan, shaders, &registry)?;
//! let (mut scene, mut copies) = (Scene::new(&registry), SceneGpu::new(&gpu)?);
//! let frame = FrameUniforms::default();
//! renderer.render(&mut scene, &mut copies, &ParamTable::default(), &frame, None, None)?;
//! let picture = renderer.read_output()?;
//! # Ok(()) }
//! ```
//!
//! Objects retire themselves: dropping one hands it to a list that is emptied as the device's timeline passes. The
//! device is never waited for in a steady frame, except when it is two frames behind.
#![allow(unsafe_code)]

mod bake;
mod cache;
mod choose;
mod convert;
mod debug;
mod descriptors;
mod error;
mod executor;
mod fallback;
mod gpu;
mod images;
mod init;
mod lists;
mod overlay;
mod pipeline;
mod readback;
mod renderer;
mod resource;
mod swapchain;
#[cfg(test)]
mod tests;
mod timing;
mod uniforms;
mod upload;

pub use choose::{DeviceInfo, DeviceKind};
pub use error::GpuError;
pub use gpu::{FRAMES_IN_FLIGHT, Gpu, GpuOptions, MemoryReport};
pub use overlay::OverlayFrame;
pub use readback::ImageData;
pub use renderer::{FrameStats, Renderer};
pub use swapchain::Swapchain;
pub use timing::{FrameTimings, PassStatistics, PassTiming};
pub use uniforms::FrameUniforms;
pub use upload::SceneGpu;
