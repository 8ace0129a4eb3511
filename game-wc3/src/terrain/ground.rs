//! The ground mesh: a quad a cell and texture layer.

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use terrace_engine::terrain::{Batch, Part, Segment, SegmentGrid, assemble, snorm8x4, unorm8x4, unorm16x2};

use super::ownership::Ownership;
use super::{Terrain, tiles, water};

/// A vertex of the list "ground".
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct GroundVertex {
    /// World units.
    pub position: [f32; 3],
    /// Signed bytes; from the heights without layers.
    pub normal: [i8; 4],
    /// Into the sheet, 16 bits for 0 to 1.
    pub uv: [u16; 2],
    /// Colour of depth under water.
    pub tint: [u8; 4],
}

/// What the ground is baked from.
#[derive(Clone, Copy, Debug)]
pub struct GroundInput<'a> {
    /// The map.
    pub terrain: &'a Terrain,
    /// Who covers which cell.
    pub ownership: &'a Ownership,
    /// Ground index of every vertex ([`super::paint::paint`]).
    pub paint: &'a [u8],
    /// Whether the sheet of each ground index is wide, with variations in its right half.
    pub wide: &'a [bool],
}

/// Rank of a draw: the opaque bottom layers of all tiles first, then the blended ones, each in the order of the map's
/// ground list. `layers` is the length of [`GroundInput::wide`].
pub fn rank(layer: u8, blended: bool, layers: usize) -> u32 {
    u32::from(layer) + if blended { layers as u32 } else { 0 }
}

/// Bakes the ground. The material of a draw is its [`rank`]. The bytes do not depend on the number of threads.
pub fn bake(input: GroundInput<'_>) -> Batch {
    let grid = SegmentGrid::new(input.terrain.cells());
    let wet = water::wet_vertices(input.terrain);
    let parts: Vec<_> = (0..grid.count())
        .into_par_iter()
        .flat_map_iter(|index| bake_segment(input, &wet, &grid.segment(index)))
        .collect();
    assemble(parts)
}

/// Parts of one segment, one a rank.
fn bake_segment(input: GroundInput<'_>, wet: &[bool], segment: &Segment) -> Vec<Part<GroundVertex>> {
    let mut parts: Vec<Part<GroundVertex>> = Vec::new();
    for (x, y) in segment.cells() {
        if !input.ownership.has_ground(x as i32, y as i32) {
            continue;
        }
        for (i, (layer, mask)) in tiles::layers(tile_corners(input, x, y)).enumerate() {
            let rank = rank(layer, i > 0, input.wide.len());
            let at = parts.iter().position(|p| p.material == rank).unwrap_or_else(|| {
                parts.push(Part::new(rank, segment.index));
                parts.len() - 1
            });
            add_tile(input, wet, (x, y), (layer, mask), &mut parts[at]);
        }
    }
    parts
}

/// Painted grounds of a cell's corners in the order of masks: north-east, north-west, south-east, south-west.
fn tile_corners(input: GroundInput<'_>, x: u32, y: u32) -> [u8; 4] {
    [(1, 1), (0, 1), (1, 0), (0, 0)].map(|(dx, dy)| input.paint[input.terrain.index(x + dx, y + dy)])
}

fn add_tile(
    input: GroundInput<'_>,
    wet: &[bool],
    (x, y): (u32, u32),
    (layer, mask): (u8, u8),
    part: &mut Part<GroundVertex>,
) {
    let terrain = input.terrain;
    // The variation of a tile is that of its own (south-west) vertex.
    let variation = terrain.vertex(x as i32, y as i32).ground_variation;
    let wide = input.wide.get(usize::from(layer)).copied().unwrap_or(false);
    let uvs = tiles::tile_uv(mask, variation, wide);
    let first = part.vertices.len() as u32;
    for ((dx, dy), uv) in [(0, 0), (1, 0), (1, 1), (0, 1)].into_iter().zip(uvs) {
        let (vx, vy) = ((x + dx) as i32, (y + dy) as i32);
        let position = terrain.surface().position(vx, vy);
        part.bounds.grow(position);
        part.vertices.push(GroundVertex {
            position: position.to_array(),
            normal: snorm8x4(terrain.rolling().vertex_normal(vx, vy)),
            uv: unorm16x2(uv),
            tint: unorm8x4(water::vertex_tint(terrain, wet, vx as u32, vy as u32)),
        });
    }
    // South-west, south-east, north-east; south-west, north-east, north-west: cut as the height field is.
    part.indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
}
