//! Placeholder of the module terrain.
