//! Ground tiles: blend masks and cells of the texture sheets.

use glam::Vec2;

/// Mask of a tile that is wholly covered.
pub const FULL: u8 = 15;
/// Share of the way to the cell's centre that texture coordinates are moved, against bleeding at cell borders.
pub const PULL_IN: f32 = 0.05;

/// The blend mask of a layer: north-east 4, north-west 8, south-east 1, south-west 2. A corner takes part when its
/// ground is this layer or a later one, so that three textures on one tile overlap without gaps. The first layer is
/// always full. Corners in the order north-east, north-west, south-east, south-west.
pub fn mask(corners: [u8; 4], layer: u8) -> u8 {
    if layer == 0 {
        return FULL;
    }
    let bits = [4, 8, 1, 2];
    corners.iter().zip(bits).map(|(&ground, bit)| if ground >= layer { bit } else { 0 }).sum()
}

/// Layers of a tile from the bottom up with their masks: the grounds of its corners, beginning with the highest one
/// that covers the tile, because what lies below it is never seen. Unused entries are absent.
pub fn layers(corners: [u8; 4]) -> impl Iterator<Item = (u8, u8)> {
    let mut sorted = corners;
    sorted.sort_unstable();
    // The lowest ground of the corners covers the tile: every corner is at least that.
    let distinct = (0..4).filter(move |&i| i == 0 || sorted[i] != sorted[i - 1]);
    distinct.map(move |i| (sorted[i], if i == 0 { FULL } else { mask(corners, sorted[i]) }))
}

/// Which cell of a sheet a tile shows: in the right half of a wide one or not, and the cell's number row by row.
///
/// Blended tiles show the cell of their mask. Full ones show a variation: on a wide sheet 0 to 15 are the cells of
/// the right half, 16 is cell 15 and everything above cell 0 of the left half; on a square one 0 is cell 0 and
/// everything else cell 15.
pub fn sheet_cell(mask: u8, variation: u8, wide: bool) -> (bool, u8) {
    match (mask, wide, variation) {
        (FULL, true, 0..=15) => (true, variation),
        (FULL, true, 16) => (false, 15),
        (FULL, true, _) | (FULL, false, 0) => (false, 0),
        (FULL, false, _) => (false, 15),
        _ => (false, mask),
    }
}

/// Texture coordinates of a tile's corners: south-west, south-east, north-east, north-west. Cells are fractions of the
/// sheet: a quarter of its height, a quarter (an eighth if it is wide) of its width.
pub fn tile_uv(mask: u8, variation: u8, wide: bool) -> [Vec2; 4] {
    let (right, cell) = sheet_cell(mask, variation, wide);
    let size = Vec2::new(if wide { 0.125 } else { 0.25 }, 0.25);
    let corner = Vec2::new(f32::from(cell % 4), f32::from(cell / 4)) * size + Vec2::X * if right { 0.5 } else { 0.0 };
    let centre = corner + size / 2.0;
    [(0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]
        .map(|(u, v)| (corner + size * Vec2::new(u, v)).lerp(centre, PULL_IN))
}
