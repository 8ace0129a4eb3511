//! Placeholder of the module asset.
