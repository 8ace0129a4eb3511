//! Placeholder of the module overlay.
