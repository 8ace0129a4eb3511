//! Placeholder of the module vulkan.
