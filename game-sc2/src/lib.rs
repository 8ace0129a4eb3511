//! StarCraft II maps for the terrace engine.

pub mod catalog;
pub mod formats;
mod module;

pub use module::game;
