//! Ground sheets: 16 blend cells of 64 texels in a 4x4 grid, and for most kinds a right half with 16 full variations.

use crate::blp;
use crate::canvas::{Canvas, Rgb, rgb};
use crate::catalog::{Tile, Tileset};
use crate::material::{self, CELL, Colours, Edge, Kind};
use crate::noise::{fbm, hash_text, mix, smoothstep, value};

/// Palette entries of a ground sheet: with the dither as smooth as 256, and a third smaller when packed.
const PALETTE: usize = 48;

/// Opacity of the 16 blend cells for one edge look, `[mask][y * 64 + x]`.
///
/// A cell's mask has 4 for the north-east corner, 8 north-west, 1 south-east, 2 south-west. The opacity compares the corners'
/// smooth mix with a noise of the cell's period, so on a side it follows from the two corners of that side alone and any
/// two cells that agree on them meet.
pub(crate) fn alpha_cells(edge: Edge) -> Vec<Vec<f32>> {
    (0..16u32)
        .map(|mask| {
            (0..CELL * CELL)
                .map(|i| {
                    let x = ((i % CELL) as f32 + 0.5) / CELL as f32;
                    let y = ((i / CELL) as f32 + 0.5) / CELL as f32;
                    alpha(edge, mask, x, y)
                })
                .collect()
        })
        .collect()
}

/// Opacity at a point of a cell, x to the east and y to the south, 0..1.
pub(crate) fn alpha(edge: Edge, mask: u32, x: f32, y: f32) -> f32 {
    if mask == 0 || mask == 15 {
        return 1.0;
    }
    let corner = |bit: u32| if mask & bit != 0 { 1.0 } else { 0.0 };
    let (sx, sy) = (smoothstep(0.0, 1.0, x), smoothstep(0.0, 1.0, y));
    let cover = mix(mix(corner(8), corner(4), sx), mix(corner(2), corner(1), sx), sy);
    // (noise, its reach, half width of the soft band): reach + band < 0.5 keeps full corners full
    let (noise, reach, band) = match edge {
        Edge::Soft => (fbm(x, y, 5, 3, 0x50F7), 0.34, 0.13),
        Edge::Ragged => (0.55 * fbm(x, y, 9, 2, 0x4A66) + 0.45 * value(x, y, 16, 0x4A67), 0.40, 0.085),
        Edge::Lobed => (value(x, y, 5, 0x10BE), 0.26, 0.15),
        Edge::Broken => (0.5 * broken(x, y) + 0.5 * fbm(x, y, 9, 2, 0xB207), 0.30, 0.055),
    };
    smoothstep(0.5 - band, 0.5 + band, cover + (noise - 0.5) * 2.0 * reach * 0.95)
}

/// Steps of the size of paving stones.
fn broken(x: f32, y: f32) -> f32 {
    crate::noise::cellular(x, y, 8, 0.5, 0xB206).id
}

/// Colours of a ground type.
pub(crate) fn colours(mid: u32, accent: u32) -> Colours {
    Colours { mid: rgb(mid), accent: rgb(accent) }
}

/// The plain full cell of a ground type, 64x64.
pub(crate) fn ground_cell(tile: &Tile) -> Vec<Rgb> {
    material::cell(tile.kind, &colours(tile.mid, tile.accent), hash_text(tile.id))
}

/// The sheet of a ground type before encoding.
pub(crate) fn ground_canvas(tile: &Tile) -> Canvas {
    canvas(tile.kind, &colours(tile.mid, tile.accent), hash_text(tile.id), tile.extended())
}

/// The sheet of a ground type as a BLP file.
pub(crate) fn ground(tile: &Tile) -> Vec<u8> {
    blp::encode(&ground_canvas(tile), true, PALETTE)
}

/// The blight sheet of a tileset as a BLP file.
pub(crate) fn blight(tileset: &Tileset) -> Vec<u8> {
    let look = colours(tileset.blight, 0x6B5A68);
    blp::encode(&canvas(Kind::Blight, &look, hash_text(tileset.blight_file), true), true, PALETTE)
}

fn canvas(kind: Kind, colours: &Colours, seed: u32, extended: bool) -> Canvas {
    let alphas = alpha_cells(kind.edge());
    let mut out = Canvas::new(if extended { 8 } else { 4 } * CELL, 4 * CELL);
    let (base, cells) = if extended {
        material::variations(kind, colours, seed)
    } else {
        (material::cell(kind, colours, seed), Vec::new())
    };
    for (mask, alpha) in alphas.iter().enumerate() {
        place(&mut out, mask % 4, mask / 4, &base, Some(alpha));
    }
    for (v, cell) in cells.iter().enumerate() {
        place(&mut out, 4 + v % 4, v / 4, cell, None);
    }
    out
}

fn place(out: &mut Canvas, column: usize, row: usize, cell: &[Rgb], alpha: Option<&Vec<f32>>) {
    for (i, c) in cell.iter().enumerate() {
        let a = alpha.map_or(1.0, |a| a[i]);
        out.set(column * CELL + i % CELL, row * CELL + i / CELL, [c[0], c[1], c[2], a]);
    }
}
