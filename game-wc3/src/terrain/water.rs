//! The water surface and the colours of depth.

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};
use rayon::prelude::*;
use terrace_engine::terrain::{Batch, Part, SegmentGrid, assemble, unorm8x4, unorm16x2};

use super::Terrain;
use super::tables::WaterType;
use crate::formats::w3e::TILE_SIZE;

/// Tiles after which the texture repeats, on both axes.
pub const REPEAT: u32 = 3;
/// Depth up to which water has its shallowest colour, in tiles.
const SHALLOW_START: f32 = 10.0 / 128.0;
/// Depth at which the shallow colours end and the deep ones begin, in tiles.
const DEEP_START: f32 = 64.0 / 128.0;
/// Depth over which the deep colours change, in tiles.
const DEEP_LENGTH: f32 = 8.0 / 128.0;
/// Depth at which ground under water would be black, in world units.
const TINT_DEPTH: f32 = 250.0;
/// The darkest that ground under water gets.
const DARKEST: f32 = 0.05;

/// A vertex of the list "water".
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct WaterVertex {
    /// World units.
    pub position: [f32; 3],
    /// 16 bits for 0 to 1.
    pub uv: [u16; 2],
    /// Colour and opacity of the depth.
    pub color: [u8; 4],
}

/// True when water is drawn in a cell: a corner has the water flag and none is map edge. The last row and column
/// count like any other.
pub fn is_drawn(terrain: &Terrain, x: u32, y: u32) -> bool {
    let corners = terrain.letter_corners(x, y);
    corners.iter().any(|v| v.water) && corners.iter().all(|v| !v.map_edge)
}

/// Vertices that touch a cell in which water is drawn.
pub fn wet_vertices(terrain: &Terrain) -> Vec<bool> {
    let mut out = vec![false; terrain.vertices().len()];
    let [w, h] = terrain.cells();
    for (x, y) in (0..h).flat_map(|y| (0..w).map(move |x| (x, y))).filter(|&(x, y)| is_drawn(terrain, x, y)) {
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            out[terrain.index(x + dx, y + dy)] = true;
        }
    }
    out
}

/// Colour of water of a depth in world units. The shallow band covers up to half a tile, the deep one what is below.
pub fn depth_color(water: &WaterType, depth: f32) -> [f32; 4] {
    let depth = (depth / TILE_SIZE).clamp(0.0, 1.0);
    let (band, t) = if depth <= DEEP_START {
        (water.shallow, (depth - SHALLOW_START).max(0.0) / (DEEP_START - SHALLOW_START))
    } else {
        (water.deep, (depth - DEEP_START).min(DEEP_LENGTH) / DEEP_LENGTH)
    };
    std::array::from_fn(|i| band.min[i] + (band.max[i] - band.min[i]) * t)
}

/// Colour that ground at this depth below the surface is multiplied with: darker with depth, and towards blue.
pub fn underwater(depth: f32) -> [f32; 4] {
    let k = 1.0 - (depth / TINT_DEPTH).clamp(0.0, 1.0 - DARKEST);
    [k, k + (1.0 - k) * 0.25, k + (1.0 - k) * 0.5, 1.0]
}

/// Tint of the ground at a vertex; white where no water is drawn beside it.
pub fn vertex_tint(terrain: &Terrain, wet: &[bool], x: u32, y: u32) -> [f32; 4] {
    if !wet[terrain.index(x, y)] {
        return [1.0; 4];
    }
    let (x, y) = (x as i32, y as i32);
    underwater(terrain.water_surface().at(x, y) - terrain.surface().at(x, y))
}

/// Tint of any point of the world: as at vertices, faded where only some of the cell's corners touch water.
pub fn tint(terrain: &Terrain, wet: &[bool], at: Vec3) -> [f32; 4] {
    let last = Vec2::new(terrain.size[0] as f32 - 1.0, terrain.size[1] as f32 - 1.0);
    let grid = ((at.truncate() - terrain.origin) / TILE_SIZE).clamp(Vec2::ZERO, last);
    let base = grid.floor().min(last - 1.0);
    let f = grid - base;
    let (x, y) = (base.x as u32, base.y as u32);
    let is_wet = |dx, dy| f32::from(u8::from(wet[terrain.index(x + dx, y + dy)]));
    let south = is_wet(0, 0) * (1.0 - f.x) + is_wet(1, 0) * f.x;
    let north = is_wet(0, 1) * (1.0 - f.x) + is_wet(1, 1) * f.x;
    let share = south * (1.0 - f.y) + north * f.y;
    if share <= 0.0 {
        return [1.0; 4];
    }
    underwater(terrain.water_surface().height(at.truncate()) - at.z).map(|c| 1.0 + (c - 1.0) * share)
}

/// Texture coordinate of a corner along one axis: the texture spans three tiles.
pub fn water_uv(cell: u32, corner: u32) -> f32 {
    (cell % REPEAT + corner) as f32 / REPEAT as f32
}

/// Bakes the surface: a quad a cell at the water level of its corners.
pub fn bake(terrain: &Terrain) -> Batch {
    let grid = SegmentGrid::new(terrain.cells());
    let parts: Vec<_> = (0..grid.count())
        .into_par_iter()
        .map(|index| {
            let mut part = Part::new(0, index);
            for (x, y) in grid.segment(index).cells().filter(|&(x, y)| is_drawn(terrain, x, y)) {
                add_cell(terrain, x, y, &mut part);
            }
            part
        })
        .collect();
    assemble(parts)
}

fn add_cell(terrain: &Terrain, x: u32, y: u32, part: &mut Part<WaterVertex>) {
    let first = part.vertices.len() as u32;
    for (dx, dy) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
        let (vx, vy) = ((x + dx) as i32, (y + dy) as i32);
        let position = terrain.water_surface().position(vx, vy);
        part.bounds.grow(position);
        part.vertices.push(WaterVertex {
            position: position.to_array(),
            uv: unorm16x2(Vec2::new(water_uv(x, dx), water_uv(y, dy))),
            color: unorm8x4(depth_color(&terrain.water, position.z - terrain.surface().at(vx, vy))),
        });
    }
    part.indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
}
