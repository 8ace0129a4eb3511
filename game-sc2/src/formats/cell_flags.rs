//! `t3CellFlags`: "LFCT", version 101 or 102, 16 bytes, size in cells (at byte 24), then a byte a cell.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::{Grid, header, size};

/// Flags of cells. In every map seen the cells of active cliff pieces have the low bits 1 and 2, but cells without a
/// piece can have them as well, so holes of the ground follow the cliff cells of `t3Terrain.xml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellFlags {
    /// One byte a cell.
    pub cells: Grid<u8>,
}

impl CellFlags {
    /// Reads the file.
    ///
    /// # Errors
    /// Another magic or version, a side out of range, or fewer bytes than cells.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        header(&mut c, b"LFCT", &[101, 102])?;
        c.skip(16, "header")?;
        let size = size(&mut c, 0, "size in cells")?;
        let cells = Grid::read(&mut c, size, 1, "flags", |c| c.u8("flags"))?;
        Ok(Self { cells })
    }

    /// True when the low four bits are those of cells under cliffs.
    pub fn under_cliff(&self, x: i32, y: i32) -> bool {
        self.cells.at(x, y) & 0xF == 3
    }
}
