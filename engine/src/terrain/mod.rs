//! What terrains of several games share: segments, batches of baked parts, normal welding, height fields.
//!
//! Bakers of a game turn plain world data into [`Part`]s, one for each material and segment; [`assemble`] puts them
//! into one vertex and one index buffer whose order lets neighbouring draws be merged. Nothing here opens files.

mod batch;
mod heightfield;
mod pack;
mod segments;
mod weld;

pub use batch::{Batch, BatchDraw, Part, assemble};
pub use heightfield::{HeightField, Hit};
pub use pack::{snorm8x4, unorm8x4, unorm16x2};
pub use segments::{SEGMENT_CELLS, Segment, SegmentGrid};
pub use weld::{WeldTolerance, weld_normals};
