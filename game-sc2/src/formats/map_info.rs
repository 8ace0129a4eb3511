//! `MapInfo`: "IpaM" (or "MapI"), version, then the size and names. Only what is needed here is read.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::size;

/// What the map says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapInfo {
    /// Version of the file; 38 and 39 are common.
    pub version: u32,
    /// Cells along x and y. Other files have their own sizes; this one counts.
    pub size: [u32; 2],
    /// Id of the fog of war's style.
    pub fog: String,
    /// Id of the CTerrain.
    pub tileset: String,
    /// Where the camera's target may be: west, south, east, north in cells.
    pub camera_bounds: [u32; 4],
    /// Height that the editor starts from, world units; may be negative.
    pub base_height: f32,
}

impl MapInfo {
    /// Reads the file.
    ///
    /// # Errors
    /// Another magic, a side out of range, or an end inside the fields that are read.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        if bytes.starts_with(b"MapI") {
            c.magic(b"MapI", "magic")?
        } else {
            c.magic(b"IpaM", "magic")?
        }
        let version = c.u32("version")?;
        if version >= 0x18 {
            c.skip(8, "header")?;
        }
        let size = size(&mut c, 0, "size in cells")?;
        for preview in ["small preview", "large preview"] {
            // 1 is the generated minimap, 2 a picture.
            if c.u32(preview)? == 2 {
                c.c_string(preview)?;
            }
        }
        if version >= 0x1F {
            c.c_string("preview name")?;
        }
        if version >= 0x26 {
            c.c_string("second preview name")?;
        }
        if version >= 0x1F {
            c.u32("preview kind")?;
        }
        c.u32("header")?;
        let fog = c.c_string("fog style")?;
        let tileset = c.c_string("tileset")?;
        let mut camera_bounds = [0; 4];
        for bound in &mut camera_bounds {
            *bound = c.u32("camera bounds")?;
        }
        let base_height = c.i32("base height")? as f32 / 4096.0;
        Ok(Self { version, size, fog, tileset, camera_bounds, base_height })
    }
}
