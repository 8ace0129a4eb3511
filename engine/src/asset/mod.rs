//! Where bytes come from and how pictures are decoded.
//!
//! - [`mpq`]: MPQ archives, read the way the games read them, and a deterministic writer;
//! - [`vfs`]: the layered virtual file system over folders, archives, nested archives and built-in files;
//! - [`image`]: BLP, DDS, TGA and PNG to RGBA8 with their mip chains.
//!
//! Nothing here knows a game: a game module says which layers there are and which [`mpq::Profile`] opens them.

pub mod image;
pub mod mpq;
pub mod vfs;

pub use image::{Image, Mip};
pub use mpq::{Archive, MpqError, Profile};
pub use vfs::{Asset, AssetError, Layer, Vfs, VirtualPath};
