//! `t3SyncCliffLevel`: "CLIF", version 100, size in cells, 16 bytes, then a level a cell.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::{Grid, header, size};

/// Cliff levels of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CliffLevels {
    /// Levels; slopes have fractions.
    pub cells: Grid<f32>,
}

/// Levels have six fractional bits; a value below 64 is a level without them.
fn level(raw: u16) -> f32 {
    if raw < 64 { f32::from(raw) } else { f32::from(raw) / 64.0 }
}

impl CliffLevels {
    /// Reads the file.
    ///
    /// # Errors
    /// Another magic or version, a side out of range, or fewer bytes than cells.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        header(&mut c, b"CLIF", &[100])?;
        let size = size(&mut c, 0, "size in cells")?;
        c.skip(16, "header")?;
        let cells = Grid::read(&mut c, size, 2, "levels", |c| Ok(level(c.u16("level")?)))?;
        Ok(Self { cells })
    }

    /// z of a level in world units for a map whose heights are missing: the lowest level is a chasm 8 below the
    /// standard one, the others lie 2 apart (CliffHeights -8, 0, 2, 4).
    pub fn standard_height(level: f32) -> f32 {
        if level < 1.0 { (level - 1.0) * 8.0 } else { (level - 1.0) * 2.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_six_fractional_bits_from_64_on() {
        assert_eq!([0, 1, 2, 64, 72, 128].map(level), [0.0, 1.0, 2.0, 1.0, 1.125, 2.0]);
    }

    #[test]
    fn fractions_of_a_level_lie_between_the_levels() {
        assert_eq!([0.0, 0.5, 1.0, 1.5, 3.0].map(CliffLevels::standard_height), [-8.0, -4.0, 0.0, 1.0, 4.0]);
    }
}
