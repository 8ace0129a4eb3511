//! The baked shadows: what hills and cliffs throw, and round spots where groves would stand.

use super::land::{Land, SURFACE};
use super::{SIDE, TILE};
use crate::noise::{plane, unit};

/// Shadow texels a tile side.
const DENSITY: usize = 4;

/// The light comes from the north-west: the step towards it in tiles, and how far the ray climbs on it, in world units.
const TOWARDS_LIGHT: [f32; 2] = [-0.177, 0.177];
const CLIMB: f32 = 30.0;

/// `war3map.shd`: a byte a quarter tile, 0xFF in shadow, south row first.
pub(super) fn bake(land: &Land) -> Vec<u8> {
    let side = (SIDE - 1) * DENSITY;
    let spots = groves(land);
    let mut out = vec![0; side * side];
    for (i, texel) in out.iter_mut().enumerate() {
        let (x, y) = (((i % side) as f32 + 0.5) / DENSITY as f32, ((i / side) as f32 + 0.5) / DENSITY as f32);
        let spotted = spots.iter().any(|s| (x - s[0]).hypot(y - s[1]) < s[2]);
        if spotted || behind(land, x, y) {
            *texel = 0xFF;
        }
    }
    out
}

/// Whether something between the point and the light is higher than the ray.
fn behind(land: &Land, x: f32, y: f32) -> bool {
    let start = land.ground(x, y).max(SURFACE) + 10.0;
    (1..=14).any(|n| {
        let n = n as f32;
        land.ground(x + TOWARDS_LIGHT[0] * n, y + TOWARDS_LIGHT[1] * n) > start + CLIMB * n
    })
}

/// Centres and radii, in tiles, of shadows as trees throw them: on dark turf, level ground and away from the rim.
fn groves(land: &Land) -> Vec<[f32; 3]> {
    let mut out = Vec::new();
    for y in 6..SIDE - 7 {
        for x in 6..SIDE - 7 {
            let (v, ix, iy) = (&land.vertices[y * SIDE + x], x as i32, y as i32);
            let wooded = v.ground == 5 && plane(x as f32 * 0.21, y as f32 * 0.21, 2, 0x900D) > 0.52;
            let level = (0..4).all(|n| land.vertices[(y + n % 2) * SIDE + x + n / 2].layer == v.layer);
            if wooded && level && !v.ramp && unit(ix, iy, 0x73EE) > 0.62 {
                let jitter = |seed| unit(ix, iy, seed) - 0.5;
                out.push([x as f32 + jitter(1), y as f32 + jitter(2), 0.34 + 0.22 * unit(ix, iy, 3)]);
            }
        }
    }
    debug_assert!(out.iter().all(|s| s[2] * TILE < TILE), "a tree's shadow stays under a tile");
    out
}
