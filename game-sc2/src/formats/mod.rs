//! The files of a StarCraft II map. Each is its own type with a `parse` that takes bytes and gives a value or a
//! [`terrace_engine::bytes::FormatError`]; nothing here opens files or knows what is drawn.
//!
//! Grids are stored row by row from the south, west to east. One cell is one world unit.

mod cell_flags;
mod cliff_level;
mod document_info;
mod fluff;
mod grid;
mod hard_tile;
mod height_map;
mod map_info;
mod objects;
mod pathing;
mod ramp;
mod sync_height;
mod sync_textures;
mod terrain_xml;
mod texture_masks;
mod vert_col;
mod water;
mod xml;

#[cfg(test)]
pub(crate) mod data_tests;

pub use cell_flags::CellFlags;
pub use cliff_level::CliffLevels;
pub use document_info::dependencies;
pub use fluff::{Fluff, FluffDoodads};
pub use grid::{Grid, MAX_SIDE};
pub use hard_tile::{HardTile, HardTilePoint, HardTiles, MAX_HARD_TILE_POINTS, POINT_END, POINT_START};
pub use height_map::{HeightMap, HeightSample, Quantization, ZERO_SUM};
pub use map_info::MapInfo;
pub use objects::{CameraObject, ObjectKind, Objects, PlacedObject};
pub use pathing::SyncPathing;
pub use ramp::{Ramp, RampBox};
pub use sync_height::SyncHeights;
pub use sync_textures::SyncTextures;
pub use terrain_xml::{CELL_ACTIVE, CELL_RAMP, CliffCell, TerrainXml};
pub use texture_masks::{MASK_LAYERS, TextureMasks};
pub use vert_col::{ColorBlock, ColorBlockKind, VertexColors};
pub use water::{WaterArea, WaterAreas};
pub(crate) use xml::{Xml, parse as parse_xml};
