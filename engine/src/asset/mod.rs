//! Layered file system, archives, image decoding.
/// Stands for the layered file system until it is merged.
#[derive(Clone, Debug, Default)]
pub struct Vfs;
