//! Tests that drive the device; skipped with a message where there is none.

mod compiled;
mod frames;
mod gate;
mod lifetime;
mod lists;
mod support;
mod uploads;
mod window;
