//! `war3map.wpm`, the pathing map: "MP3W", version 0, size, then one byte a cell, four by four cells a tile.

use terrace_engine::bytes::{Cursor, FormatError};

use super::w3e::MAX_SIDE;

/// Most cells along one side: four a tile of the largest terrain.
pub const MAX_SIDE_CELLS: u32 = (MAX_SIDE - 1) * 4;

/// Bit: ground units cannot walk here.
pub const NO_WALK: u8 = 0x02;
/// Bit: flying units cannot fly here.
pub const NO_FLY: u8 = 0x04;
/// Bit: nothing can be built here.
pub const NO_BUILD: u8 = 0x08;
/// Bit: blighted.
pub const BLIGHT: u8 = 0x20;
/// Bit: not water.
pub const NO_WATER: u8 = 0x40;

/// A pathing map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wpm {
    /// Cells from west to east.
    pub width: u32,
    /// Cells from south to north.
    pub height: u32,
    /// Bits [`NO_WALK`], [`NO_FLY`], [`NO_BUILD`], [`BLIGHT`], [`NO_WATER`]; row by row from the south.
    pub cells: Vec<u8>,
}

impl Wpm {
    /// Reads a pathing map.
    ///
    /// # Errors
    /// Another magic or version, a side of 0 or more than [`MAX_SIDE_CELLS`], or fewer bytes than cells.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        c.magic(b"MP3W", "magic")?;
        let at = c.offset();
        let version = c.u32("version")?;
        if version != 0 {
            return Err(FormatError::new(at, "version", format!("{version} is unknown; 0 is known")));
        }
        let at = c.offset();
        let width = c.u32("width")?;
        let height = c.u32("height")?;
        if !(1..=MAX_SIDE_CELLS).contains(&width) || !(1..=MAX_SIDE_CELLS).contains(&height) {
            return Err(FormatError::new(
                at,
                "width, height",
                format!("{width} x {height} cells; at most {MAX_SIDE_CELLS} a side"),
            ));
        }
        let cells = c.bytes(width as usize * height as usize, "cells")?.to_vec();
        Ok(Self { width, height, cells })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_follow_the_header_and_short_files_are_refused() {
        let mut bytes = b"MP3W\0\0\0\0\x02\0\0\0\x03\0\0\0".to_vec();
        bytes.extend([NO_WALK, 0, BLIGHT, 0, 0, NO_FLY]);
        let wpm = Wpm::parse(&bytes).unwrap();
        assert_eq!((wpm.width, wpm.height, wpm.cells[2]), (2, 3, BLIGHT));
        let e = Wpm::parse(&bytes[..21]).unwrap_err();
        assert_eq!((e.offset, e.field.as_str()), (16, "cells"));
        bytes[10] = 0xff;
        assert_eq!(Wpm::parse(&bytes).unwrap_err().offset, 8);
    }
}
