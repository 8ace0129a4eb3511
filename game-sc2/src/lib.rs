//! StarCraft II maps for the terrace engine.
//!
//! The module registers itself and recognizes its maps; opening them is not there yet and says so.

mod module;

pub use module::game;
