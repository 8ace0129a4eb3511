//! Warcraft III maps for the terrace engine.
//!
//! [`game`] is the module that the host registers. [`formats`] reads files, [`terrain`] turns a terrain file and the
//! tables into meshes, and the rest opens maps, loads art and keeps the camera.

mod assets;
mod camera;
mod content;
pub mod formats;
mod info;
mod module;
mod open;
mod registry;
pub mod terrain;
mod world;

pub use module::{BuiltinMap, game};
