//! Placeholder of the module graph.
