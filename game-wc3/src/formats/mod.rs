//! Readers for the file formats of Warcraft III. Each reader takes bytes and returns plain data or a
//! [`FormatError`](terrace_engine::bytes::FormatError) that names field and offset; none of them opens files.

pub mod doo;
pub mod id;
pub mod ini;
pub mod mdx;
pub mod mmp;
pub mod shd;
pub mod slk;
pub mod tables;
pub mod units_doo;
pub mod w3e;
pub mod w3i;
pub mod wpm;
pub mod wts;

pub use id::TileId;

#[cfg(test)]
mod data_tests;
