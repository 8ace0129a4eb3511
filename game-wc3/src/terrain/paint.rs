//! Which ground texture each vertex shows: as stored, under cliffs and ramps that of the cliff type, blight.

use super::ownership::Ownership;
use super::{LETTER_CORNERS, Terrain, slots};
use crate::formats::TileId;

/// The ground index of every vertex after cliffs and blight.
///
/// `blight` is the index that blighted vertices take, if the map has a texture for it. Vertices that touch a cell
/// without ground keep theirs, because a cliff's rim is painted to its art.
pub fn paint(terrain: &Terrain, ownership: &Ownership, blight: Option<u8>) -> Vec<u8> {
    let mut out: Vec<u8> = terrain.vertices().iter().map(|v| v.ground).collect();
    paint_footprints(terrain, ownership, &mut out);
    let Some(blight) = blight else { return out };
    for y in 0..terrain.size[1] {
        for x in 0..terrain.size[0] {
            let i = terrain.index(x, y);
            if terrain.vertices()[i].blight && ownership.vertex_is_ground(x as i32, y as i32) {
                out[i] = blight;
            }
        }
    }
    out
}

/// Vertices of the whole footprint of a piece take the ground of its cliff type: on the cell's base level its
/// groundTile; above it its upperTile where the row has one, else groundTile. A texture that is not in the map's list
/// changes nothing. Ramps have six vertices: their low neighbour's as well. Later cells (row by row) win.
fn paint_footprints(terrain: &Terrain, ownership: &Ownership, out: &mut [u8]) {
    let find = |id: Option<TileId>| {
        let id = id?;
        terrain.ground_types.iter().position(|t| t.id == id).map(|i| i as u8)
    };
    let palette: Vec<_> = terrain
        .cliff_types
        .iter()
        .map(|t| {
            let ground = find(t.ground_tile);
            (ground, if t.upper_tile.is_some() { find(t.upper_tile) } else { ground })
        })
        .collect();
    for (x, y, form) in ownership.pieces() {
        let base = terrain.layers(x, y).into_iter().min().unwrap_or(0);
        let (ground, upper) = palette[slots::slot(terrain, x, y).index];
        let low = form.map(|f| f.low_neighbour());
        for (cx, cy) in [Some((0, 0)), low].into_iter().flatten() {
            for (dx, dy) in LETTER_CORNERS {
                let (vx, vy) = (x as i32 + cx + dx, y as i32 + cy + dy);
                let tile = if terrain.vertex(vx, vy).layer > base { upper } else { ground };
                if let Some(tile) = tile {
                    out[terrain.index(vx as u32, vy as u32)] = tile;
                }
            }
        }
    }
}
