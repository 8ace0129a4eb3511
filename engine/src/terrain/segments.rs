//! The grid of segments that a terrain is baked, culled and updated by.

use std::ops::Range;

/// Cells along one side of a segment.
pub const SEGMENT_CELLS: u32 = 8;

/// A terrain of `cells` cut into squares of [`SEGMENT_CELLS`]. The last column and row are partial where a side is
/// not a multiple of eight (124x124 and 228x232 maps exist; dropping the rest would lose their rim).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentGrid {
    cells: [u32; 2],
}

/// One segment: its index and the cells in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Row by row from the south, west to east.
    pub index: u32,
    /// Columns.
    pub x: Range<u32>,
    /// Rows.
    pub y: Range<u32>,
}

impl Segment {
    /// Cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let (x, y) = (self.x.clone(), self.y.clone());
        y.flat_map(move |y| x.clone().map(move |x| (x, y)))
    }
}

impl SegmentGrid {
    /// A grid over this many cells.
    pub fn new(cells: [u32; 2]) -> Self {
        Self { cells }
    }

    /// Segments along x and y.
    pub fn size(&self) -> [u32; 2] {
        self.cells.map(|c| c.div_ceil(SEGMENT_CELLS))
    }

    /// Number of segments.
    pub fn count(&self) -> u32 {
        self.size()[0] * self.size()[1]
    }

    /// The segment of a cell.
    pub fn of_cell(&self, x: u32, y: u32) -> u32 {
        y / SEGMENT_CELLS * self.size()[0] + x / SEGMENT_CELLS
    }

    /// A segment by its index, below [`Self::count`].
    pub fn segment(&self, index: u32) -> Segment {
        let columns = self.size()[0].max(1);
        let range = |i: u32, n: u32| i * SEGMENT_CELLS..((i + 1) * SEGMENT_CELLS).min(n);
        Segment { index, x: range(index % columns, self.cells[0]), y: range(index / columns, self.cells[1]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_lies_in_exactly_one_segment_also_on_ragged_sides() {
        for cells in [[8, 8], [124, 124], [228, 232], [1, 1], [9, 17]] {
            let grid = SegmentGrid::new(cells);
            let mut seen = vec![0; (cells[0] * cells[1]) as usize];
            for index in 0..grid.count() {
                for (x, y) in grid.segment(index).cells() {
                    assert_eq!(grid.of_cell(x, y), index);
                    seen[(y * cells[0] + x) as usize] += 1;
                }
            }
            assert!(seen.iter().all(|&n| n == 1), "{cells:?}");
        }
    }
}
