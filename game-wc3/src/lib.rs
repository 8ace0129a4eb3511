//! Warcraft III maps for the terrace engine.

pub mod formats;
pub mod terrain;
