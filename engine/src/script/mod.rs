//! Placeholder of the module script.
