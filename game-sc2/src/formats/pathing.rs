//! `t3SyncPathingInfo`: "PATH", version 100, size in cells, 16 bytes, then two bytes a cell.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::{Grid, header, size};

/// Pathing of cells: 0 free, 2 ramp, 0x23 blocked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncPathing {
    /// One number a cell.
    pub cells: Grid<u16>,
}

impl SyncPathing {
    /// Reads the file.
    ///
    /// # Errors
    /// Another magic or version, a side out of range, or fewer bytes than cells.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        header(&mut c, b"PATH", &[100])?;
        let size = size(&mut c, 0, "size in cells")?;
        c.skip(16, "header")?;
        let cells = Grid::read(&mut c, size, 2, "pathing", |c| c.u16("pathing"))?;
        Ok(Self { cells })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_two_bytes() {
        let mut bytes = b"PATH".to_vec();
        bytes.extend([100u32, 2, 1, 0, 0, 0, 0].iter().flat_map(|v| v.to_le_bytes()));
        bytes.extend([0x23, 0, 2, 0]);
        assert_eq!(SyncPathing::parse(&bytes).unwrap().cells.values, [0x23, 2]);
        bytes.pop();
        assert_eq!(SyncPathing::parse(&bytes).unwrap_err().offset, 32);
    }
}
