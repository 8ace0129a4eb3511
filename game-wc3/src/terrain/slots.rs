//! Which cliff type a cell takes.

use super::Terrain;
use crate::formats::w3e::Vertex;

/// Corners in the order in which their cliff texture counts: south-west, south-east, north-west, north-east.
const PRIORITY: [(i32, i32); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];
/// How far around the cell's south-west vertex other vertices are asked.
const SEARCH: i32 = 2;

/// The cliff type of a cell and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Index into the map's cliff list.
    pub index: usize,
    /// Cliff variation of the vertex that decided, 0 where none did.
    pub variation: u8,
    /// The vertex that decided.
    pub vertex: Option<(u32, u32)>,
}

/// The first corner that names a cliff type, else the first vertex of the 5x5 vertices around the cell's south-west
/// one, columns from west to east and rows from south to north in each, positions outside the map left out. Where none
/// has one: the first of the list, and `vertex` is `None`.
pub fn slot(terrain: &Terrain, x: u32, y: u32) -> Slot {
    let (x, y) = (x as i32, y as i32);
    let around = (-SEARCH..=SEARCH).flat_map(|dx| (-SEARCH..=SEARCH).map(move |dy| (dx, dy)));
    for (dx, dy) in PRIORITY.into_iter().chain(around) {
        let (vx, vy) = (x + dx, y + dy);
        if vx < 0 || vy < 0 || vx >= terrain.size[0] as i32 || vy >= terrain.size[1] as i32 {
            continue;
        }
        let vertex: &Vertex = terrain.vertex(vx, vy);
        if let Some(index) = vertex.cliff() {
            // An index past the list is taken for the first entry: such maps name types that they do not carry.
            let index = if index < terrain.cliff_types.len() { index } else { 0 };
            return Slot { index, variation: vertex.cliff_variation, vertex: Some((vx as u32, vy as u32)) };
        }
    }
    Slot { index: 0, variation: 0, vertex: None }
}
