//! Water: a quad for each cell of an area whose ground lies below the surface.

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};
use terrace_engine::scene::Aabb;
use terrace_engine::terrain::{Batch, Part, SegmentGrid, assemble, unorm8x4};

use super::Terrain;
use crate::catalog::WaterRecord;
use crate::formats::WaterArea;

/// Depth over which the surface fades in at a shore, world units.
const SHORE: f32 = 0.25;

/// A vertex of list "water".
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct WaterVertex {
    /// World space.
    pub(crate) position: [f32; 3],
    /// Colour and opacity of the depth below.
    pub(crate) color: [u8; 4],
}

/// An area with what its catalog entry says.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    /// Where.
    pub(crate) area: WaterArea,
    /// What.
    pub(crate) record: WaterRecord,
}

/// What stands in for a water that no catalog has.
pub(crate) const FALLBACK: WaterRecord = WaterRecord {
    height: 7.0,
    color: [0.08, 0.25, 0.35, 0.35],
    falloff: 0.3,
    uv_rate: [0.0, -0.001, 0.0, 0.0],
    lava: false,
};

/// Bakes the water; the material of a part is the index of its pool.
pub(crate) fn bake(terrain: &Terrain, pools: &[Pool]) -> Batch {
    let grid = SegmentGrid::new(terrain.cells);
    let indices = pools.iter().enumerate().flat_map(|(pool, _)| (0..grid.count()).map(move |s| (pool, s)));
    let parts = indices.map(|(pool, index)| {
        let mut part = Part::new(pool as u32, index);
        for (x, y) in grid.segment(index).cells() {
            quad(terrain, &pools[pool], x, y, &mut part);
        }
        part
    });
    assemble(parts.collect())
}

fn quad(terrain: &Terrain, pool: &Pool, x: u32, y: u32, part: &mut Part<WaterVertex>) {
    let (min, max) = (Vec2::from(pool.area.min), Vec2::from(pool.area.max));
    let corner = Vec2::new(x as f32, y as f32);
    let (low, high) = (corner.max(min), (corner + 1.0).min(max));
    if low.x >= high.x || low.y >= high.y {
        return;
    }
    let z = terrain.catalog_height(pool.record.height);
    let corners = [low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y)];
    let depths = corners.map(|at| z - terrain.surface.height(at));
    if depths.iter().all(|d| *d <= 0.0) {
        return;
    }
    let first = part.vertices.len() as u32;
    for (at, depth) in corners.into_iter().zip(depths) {
        part.bounds.grow(at.extend(z));
        part.vertices.push(WaterVertex { position: at.extend(z).to_array(), color: color(&pool.record, depth) });
    }
    part.indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
}

/// Colour and opacity over a depth: the authored opacity, closing exponentially, fading out at the shore.
fn color(record: &WaterRecord, depth: f32) -> [u8; 4] {
    let [r, g, b, a] = record.color;
    let [r, g, b] = if record.lava { [r.max(0.8), g.max(0.25), b] } else { [r, g, b] };
    let a = if record.lava { 1.0 } else { a };
    let closed = 1.0 - (1.0 - a) * (-record.falloff.max(0.0) * depth.max(0.0)).exp();
    unorm8x4([r, g, b, closed * (depth / SHORE).clamp(0.0, 1.0)])
}

/// Box of a pool's whole surface, for `info`.
pub(crate) fn bounds(terrain: &Terrain, pool: &Pool) -> Aabb {
    let z = terrain.catalog_height(pool.record.height);
    let corner = |at: [f32; 2]| Vec3::new(at[0], at[1], z);
    Aabb { min: corner(pool.area.min), max: corner(pool.area.max) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map_files::MapFiles;

    #[test]
    fn water_is_drawn_where_the_ground_lies_below_it() {
        let terrain = Terrain::new([16, 8], &MapFiles::default(), &[], &mut Vec::new());
        let area = WaterArea { water: "W".into(), min: [2.0, 1.5], max: [6.0, 4.0] };
        let cells = |height: f32| {
            let pool = Pool { area: area.clone(), record: WaterRecord { height, ..FALLBACK } };
            bake(&terrain, &[pool]).indices.len() / 6
        };
        // The flat ground has the standard height of 8.
        assert_eq!([cells(7.0), cells(9.0)], [0, 12]);
    }

    #[test]
    fn deep_water_is_closed_and_the_shore_is_clear() {
        assert_eq!(color(&FALLBACK, -1.0)[3], 0);
        assert!(color(&FALLBACK, 1.0)[3] < color(&FALLBACK, 10.0)[3]);
    }
}
