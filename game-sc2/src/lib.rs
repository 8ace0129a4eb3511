//! StarCraft II maps for the terrace engine.
//!
//! Bytes become typed files ([`formats`], [`catalog`]), files become plain terrain data, data becomes meshes, and
//! [`game`] hands them to the engine. Cliffs, ramps and roads are read and not drawn yet: the ground goes on below them.

mod art;
mod assets;
mod camera;
pub mod catalog;
mod content;
pub mod formats;
mod info;
mod light;
mod map_files;
mod module;
mod registry;
mod terrain;
mod world;
#[cfg(test)]
mod world_tests;

pub use module::game;
