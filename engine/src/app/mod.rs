//! Placeholder of the module app.
