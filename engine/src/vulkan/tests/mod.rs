//! Tests that drive the device; skipped with a message where there is none.

mod frames;
mod support;
