//! The loops that put a world, a graph and a renderer together: headless and in a window.

mod input;
mod live;
mod panel;
mod picture;
mod record;
mod session;
mod window;

pub use input::{CameraInput, Drag, PanKey};
pub use live::{LiveEvent, LiveFiles};
pub use picture::{color_of, to_rgba8};
pub use record::Recording;
pub use session::{DiskLoader, ReloadOutcome, Session, SessionConfig, gpu_error, load_graph, shader_compiler};
pub use window::{MakeSession, WindowConfig, run_window};

pub use raw_window_handle::RawDisplayHandle;
