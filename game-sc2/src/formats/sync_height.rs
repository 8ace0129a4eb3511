//! `t3SyncHeightMap`: "SMAP", version 102, size in points, 48 bytes, then a height and a tier a point. These are the
//! heights that the simulation agrees on over a network, not the visible ones.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::{Grid, header, size};

/// The simulation's heights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncHeights {
    /// Height in world units and tier.
    pub points: Grid<(f32, u16)>,
}

impl SyncHeights {
    /// Reads the file.
    ///
    /// # Errors
    /// Another magic or version, a side out of range, or fewer bytes than points.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        header(&mut c, b"SMAP", &[102])?;
        let size = size(&mut c, 1, "size in points")?;
        c.skip(48, "header")?;
        let points =
            Grid::read(&mut c, size, 4, "points", |c| Ok((f32::from(c.i16("height")?) / 256.0, c.u16("tier")?)))?;
        Ok(Self { points })
    }
}
