//! Named limits: what a graph file may ask for before memory is spent on it.

/// Passes of a graph, repeats counted singly.
pub const MAX_PASSES: usize = 4096;
/// Images of a graph, and buffers of a graph.
pub const MAX_IMAGES: usize = 1024;
/// Params that a graph file declares.
pub const MAX_PARAMS: usize = 1024;
/// Steps of a `repeat`.
pub const MAX_REPEAT: i64 = 64;
/// Files that stand on one another through `extends`.
pub const MAX_EXTENDS: usize = 16;
/// Bytes of a graph file.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// Layers of an image.
pub const MAX_LAYERS: u32 = 256;
/// Frames that a history may reach back.
pub const MAX_HISTORY: u32 = 8;
/// Colour attachments of a pass; every Vulkan 1.3 device has at least 8.
pub const MAX_COLORS: usize = 8;
/// Draw lists of a pass.
pub const MAX_DRAWS: usize = 64;
/// Sampled images, and storage bindings, of a pass; every Vulkan device that the baseline allows samples 128 a stage.
pub const MAX_BINDINGS: usize = 128;
/// Mips times layers times instances, summed over all images: what barriers are kept apart for.
pub const MAX_PARTS: u64 = 1 << 16;
/// Bytes of a buffer.
pub const MAX_BUFFER_BYTES: u64 = 1 << 30;
/// Bytes of a `when` expression.
pub const MAX_WHEN_BYTES: usize = 1024;
/// Work groups of a dispatch on one axis; every Vulkan device has at least this.
pub const MAX_GROUPS: u32 = 65_535;
