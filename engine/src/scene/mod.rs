//! Placeholder of the module scene.
