//! Placeholder of the module shader.
