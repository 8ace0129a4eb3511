//! Placeholder of the module live.
