//! Ramps: midpoints, the sixteen forms of transition pieces, and where a piece lies.

use super::LETTER_CORNERS;
use crate::formats::w3e::Vertex;

/// Marks the vertices in the middle of ramps, which the ground lifts by half a layer.
///
/// A ramp vertex is a midpoint when the two vertices west and east of it (or south and north) are ramps on different
/// layers and its own layer is the lower of the two. The last condition matters: at a bend the vertex can be the high
/// end already, and lifting it tears the ground off the piece beside it. What the file holds is ignored.
pub fn midpoints(size: [u32; 2], vertices: &[Vertex]) -> Vec<bool> {
    let [w, h] = size.map(|s| s as usize);
    let middle = |own: &Vertex, a: &Vertex, b: &Vertex| {
        a.ramp && b.ramp && a.layer != b.layer && own.layer == a.layer.min(b.layer)
    };
    let mut out = vec![false; vertices.len()];
    for (i, own) in vertices.iter().enumerate().filter(|(_, v)| v.ramp) {
        let (x, y) = (i % w, i / w);
        let along_x = x > 0 && x + 1 < w && middle(own, &vertices[i - 1], &vertices[i + 1]);
        let along_y = y > 0 && y + 1 < h && middle(own, &vertices[i - w], &vertices[i + w]);
        out[i] = along_x || along_y;
    }
    out
}

/// One of the sixteen transition pieces. It covers its own cell and the low neighbour beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RampForm {
    /// File name letters: north-west, north-east, south-east, south-west.
    pub letters: [u8; 4],
    /// Position in [`LETTER_CORNERS`] of the low ramp corner (L).
    pub low: usize,
    /// Position of the high ramp corner (H).
    pub high: usize,
}

impl RampForm {
    /// The form of a cell: exactly two ramp corners, side by side, one layer apart, the lower one on the cell's base;
    /// of the other two corners both lie on the base, or the one beside the high corner lies one layer above it.
    /// `levels` count from the cell's base, in the order of cliff letters.
    pub fn of(levels: [u8; 4], ramps: [bool; 4]) -> Option<Self> {
        if ramps.iter().filter(|&&r| r).count() != 2 {
            return None;
        }
        let low = (0..4).find(|&i| ramps[i] && levels[i] == 0)?;
        let high = (0..4).find(|&i| ramps[i] && levels[i] == 1)?;
        let step = (high + 4 - low) % 4;
        if step == 2 {
            return None;
        }
        let beside_low = levels[(low + 4 - step) % 4];
        let beside_high = levels[(high + step) % 4];
        let mut letters = [0; 4];
        for (i, letter) in letters.iter_mut().enumerate() {
            *letter = cliff_letter(levels[i], ramps[i]);
        }
        (beside_low == 0 && beside_high <= 1).then_some(Self { letters, low, high })
    }

    /// The way up, in cells: one of east, west, north, south.
    pub fn up(&self) -> (i32, i32) {
        let (a, b) = (LETTER_CORNERS[self.low], LETTER_CORNERS[self.high]);
        (b.0 - a.0, b.1 - a.1)
    }

    /// Offset of the low neighbour, which the piece covers as well.
    pub fn low_neighbour(&self) -> (i32, i32) {
        let (x, y) = self.up();
        (-x, -y)
    }

    /// Offset of the piece's south-west corner from its cell in cells: the pieces' long side spans two cells from
    /// their origin, so those that go up to the east or north begin one cell earlier.
    pub fn shift(&self) -> (i32, i32) {
        let (x, y) = self.up();
        (-x.max(0), -y.max(0))
    }
}

/// The letter of a corner at a level above its cell's base. Levels above 2 count as 2.
pub fn cliff_letter(level: u8, ramp: bool) -> u8 {
    let letters = if ramp { b"LHX" } else { b"ABC" };
    letters[usize::from(level.min(2))]
}
