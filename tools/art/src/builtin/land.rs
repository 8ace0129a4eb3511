//! Shapes the land: levels, ramps, heights, water and ground types, vertex by vertex.

use super::{SIDE, TILE};
use crate::noise::{hash, mix, plane, smoothstep, unit};

/// Water surface in world units, level 2 ground being 0.
pub(crate) const SURFACE: f32 = -36.0;

/// Stored water levels lie this much over the surface, as the water table's height is -0.7 tiles.
const TABLE_OFFSET: f32 = 0.7 * TILE;

/// Width of the rim that players cannot enter, in vertices.
const RIM: usize = 5;

/// One vertex as the map file wants it.
#[derive(Debug, Clone)]
pub(crate) struct Vertex {
    /// World units, without the level.
    pub(crate) height: f32,
    pub(crate) layer: u8,
    pub(crate) water_level: f32,
    pub(crate) water: bool,
    pub(crate) ramp: bool,
    pub(crate) blight: bool,
    pub(crate) edge: bool,
    pub(crate) ground: u8,
    pub(crate) variation: u8,
    pub(crate) cliff: u8,
    pub(crate) cliff_variation: u8,
}

/// The vertices, south row first.
#[derive(Debug)]
pub(crate) struct Land {
    pub(crate) vertices: Vec<Vertex>,
}

/// A ramp: first and last flagged vertex of its high row or column, and the direction downhill.
struct Ramp {
    from: [i32; 2],
    to: [i32; 2],
    down: [i32; 2],
    high: u8,
}

/// Ramps downhill to the south, the east, the west and the north.
const RAMPS: &[Ramp] = &[
    Ramp { from: [22, 56], to: [27, 56], down: [0, -1], high: 3 },
    Ramp { from: [43, 70], to: [43, 74], down: [1, 0], high: 3 },
    Ramp { from: [62, 66], to: [62, 70], down: [-1, 0], high: 3 },
    Ramp { from: [70, 37], to: [74, 37], down: [0, 1], high: 3 },
    Ramp { from: [24, 68], to: [27, 68], down: [0, -1], high: 4 },
];

/// Corner points of the road, which runs from the south over the ford to the plateaus.
const ROADS: &[&[[f32; 2]]] = &[
    &[
        [40.0, 4.0],
        [42.0, 16.0],
        [50.0, 26.0],
        [53.0, 36.0],
        [52.0, 46.0],
        [52.0, 56.0],
        [51.0, 66.0],
        [50.0, 80.0],
        [54.0, 93.0],
    ],
    &[[52.0, 52.0], [40.0, 51.0], [28.0, 50.0], [24.5, 53.0], [24.5, 62.0], [25.5, 72.0]],
    &[[51.0, 71.0], [44.0, 72.0], [36.0, 71.0]],
    &[[51.0, 67.0], [60.0, 68.0], [68.0, 69.0]],
    &[[53.0, 46.0], [64.0, 44.0], [72.0, 43.0], [72.0, 33.0], [74.0, 26.0]],
];

/// The river, west lake to east lake.
const RIVER: &[[f32; 2]] =
    &[[22.0, 34.0], [32.0, 38.0], [42.0, 42.0], [52.0, 41.0], [60.0, 37.0], [62.0, 28.0], [58.0, 18.0], [64.0, 12.0]];

/// Distance from a point to a chain of segments.
fn distance_to(points: &[[f32; 2]], x: f32, y: f32) -> f32 {
    points
        .windows(2)
        .map(|w| {
            let (a, b) = (w[0], w[1]);
            let d = [b[0] - a[0], b[1] - a[1]];
            let t = (((x - a[0]) * d[0] + (y - a[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1])).clamp(0.0, 1.0);
            (x - a[0] - d[0] * t).hypot(y - a[1] - d[1] * t)
        })
        .fold(f32::MAX, f32::min)
}

fn road_distance(x: f32, y: f32) -> f32 {
    let bend = (plane(x * 0.2, y * 0.2, 2, 0x90AD) - 0.5) * 2.0;
    ROADS.iter().map(|r| distance_to(r, x + bend, y - bend)).fold(f32::MAX, f32::min)
}

/// Distance to the rim of an ellipse in vertices, negative inside, with a wavy outline.
fn blob(x: f32, y: f32, centre: [f32; 2], radius: [f32; 2], seed: u32) -> f32 {
    let wave = (plane(x * 0.16, y * 0.16, 3, seed) - 0.5) * 7.0;
    let d = ((x - centre[0]) / radius[0]).hypot((y - centre[1]) / radius[1]);
    (d - 1.0) * radius[0].min(radius[1]) + wave
}

fn level(x: f32, y: f32) -> u8 {
    let west = blob(x, y, [27.0, 70.0], [17.0, 15.0], 11);
    let crown = blob(x, y, [26.0, 76.0], [8.0, 8.5], 12);
    let east = blob(x, y, [73.0, 71.0], [13.0, 14.0], 13);
    let tower = blob(x, y, [79.0, 75.0], [7.5, 9.0], 14);
    let mesa = blob(x, y, [74.0, 26.0], [9.5, 12.0], 15);
    let peak = blob(x, y, [77.0, 21.0], [4.0, 4.5], 16);
    let lake_west = blob(x, y, [18.0, 30.0], [8.5, 7.0], 17);
    let lake_east = blob(x, y, [60.0, 12.0], [9.0, 4.5], 18);
    if peak < 0.0 || crown < 0.0 || tower < 0.0 {
        if tower < 0.0 || peak < 0.0 { 5 - u8::from(peak < 0.0) } else { 4 }
    } else if west < 0.0 || east < 0.0 || mesa < 0.0 {
        3
    } else if lake_west < 0.0 || lake_east < 0.0 {
        1
    } else {
        2
    }
}

impl Land {
    pub(crate) fn new() -> Self {
        let mut layers: Vec<u8> = (0..SIDE * SIDE).map(|i| level((i % SIDE) as f32, (i / SIDE) as f32)).collect();
        let mut ramps = vec![false; SIDE * SIDE];
        for ramp in RAMPS {
            stamp(ramp, &mut layers, &mut ramps);
        }
        limit_steps(&mut layers);
        let vertices = (0..SIDE * SIDE).map(|i| vertex(i % SIDE, i / SIDE, &layers, ramps[i])).collect();
        Self { vertices }
    }

    /// Half a level on the low middle of a ramp, which lies between a higher and an equal ramp vertex.
    fn ramp_lift(&self, x: usize, y: usize) -> f32 {
        let at = |dx: i32, dy: i32| {
            let (u, v) = (x.saturating_add_signed(dx as isize), y.saturating_add_signed(dy as isize));
            &self.vertices[v.min(SIDE - 1) * SIDE + u.min(SIDE - 1)]
        };
        let own = at(0, 0).layer;
        let pair = |a: &Vertex, b: &Vertex| a.ramp && b.ramp && a.layer != b.layer && own == a.layer.min(b.layer);
        let middle = at(0, 0).ramp && (pair(at(-1, 0), at(1, 0)) || pair(at(0, -1), at(0, 1)));
        if middle { TILE / 2.0 } else { 0.0 }
    }

    /// Ground height in world units with the level, between vertices.
    pub(crate) fn ground(&self, x: f32, y: f32) -> f32 {
        let (cx, cy) = (x.clamp(0.0, (SIDE - 1) as f32 - 0.001), y.clamp(0.0, (SIDE - 1) as f32 - 0.001));
        let (ix, iy) = (cx as usize, cy as usize);
        let z = |dx: usize, dy: usize| {
            let v = &self.vertices[(iy + dy) * SIDE + ix + dx];
            v.height + (f32::from(v.layer) - 2.0) * TILE + self.ramp_lift(ix + dx, iy + dy)
        };
        // cliffs stand in the middle of a cell
        let sharp = |t: f32| smoothstep(0.35, 0.65, t);
        let corners = [0, 1, SIDE, SIDE + 1].map(|k| &self.vertices[iy * SIDE + ix + k]);
        let flat = corners.iter().all(|v| v.layer == corners[0].layer) || corners.iter().all(|v| v.ramp);
        let (tx, ty) = (cx - ix as f32, cy - iy as f32);
        let (tx, ty) = if flat { (tx, ty) } else { (sharp(tx), sharp(ty)) };
        mix(mix(z(0, 0), z(1, 0), tx), mix(z(0, 1), z(1, 1), tx), ty)
    }
}

/// Levels the ground round a ramp and flags its three rows.
fn stamp(ramp: &Ramp, layers: &mut [u8], flags: &mut [bool]) {
    let side = [ramp.down[1].abs(), ramp.down[0].abs()];
    let length = (ramp.to[0] - ramp.from[0]).abs().max((ramp.to[1] - ramp.from[1]).abs());
    for along in -2..=length + 2 {
        for step in -2..=4 {
            let x = ramp.from[0] + side[0] * along + ramp.down[0] * step;
            let y = ramp.from[1] + side[1] * along + ramp.down[1] * step;
            let i = y as usize * SIDE + x as usize;
            layers[i] = if step <= 0 { ramp.high } else { ramp.high - 1 };
            if (0..=length).contains(&along) && (0..=2).contains(&step) {
                flags[i] = true;
            }
        }
    }
}

/// Lowers whatever stands more than two levels over a neighbour, until nothing does.
fn limit_steps(layers: &mut [u8]) {
    loop {
        let mut changed = false;
        for y in 0..SIDE {
            for x in 0..SIDE {
                let lowest = (y.saturating_sub(1)..=(y + 1).min(SIDE - 1))
                    .flat_map(|v| (x.saturating_sub(1)..=(x + 1).min(SIDE - 1)).map(move |u| v * SIDE + u))
                    .map(|i| layers[i])
                    .min()
                    .unwrap_or(2);
                if layers[y * SIDE + x] > lowest + 2 {
                    layers[y * SIDE + x] = lowest + 2;
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

fn vertex(ix: usize, iy: usize, layers: &[u8], ramp: bool) -> Vertex {
    let (x, y) = (ix as f32, iy as f32);
    let layer = layers[iy * SIDE + ix];
    let road = road_distance(x, y);
    let river = distance_to(RIVER, x, y) + (plane(x * 0.3, y * 0.3, 2, 0x21FE) - 0.5) * 1.6;
    // the road crosses at a ford: the bed comes up to just under the surface
    let ford = 1.0 - smoothstep(1.5, 4.0, road);
    let carve = 1.0 - smoothstep(0.8, 4.2, river);
    let hills = (plane(x * 0.07, y * 0.07, 4, 0x4111) - 0.42) * 190.0;
    let calm = smoothstep(1.0, 6.0, road) * smoothstep(3.0, 9.0, river);
    let rise = smoothstep(12.0, 0.0, x.min(y).min(96.0 - x).min(96.0 - y)) * 70.0;
    let mut height = hills * mix(0.30, 1.0, calm) * if layer == 2 { 1.0 } else { 0.35 } + rise;
    if layer == 2 {
        height = mix(height, mix(-84.0, -46.0, ford), carve);
    }
    if layer == 1 {
        height = mix(height * 0.3 - 8.0, -30.0, 0.5);
    }
    if ramp {
        height *= 0.5;
    }
    let rim = ix < RIM || iy < RIM || ix >= SIDE - RIM || iy >= SIDE - RIM;
    let wet = layer == 1 || (layer == 2 && height < SURFACE + 26.0 && river < 7.0);
    Vertex {
        height,
        layer,
        water_level: SURFACE + TABLE_OFFSET,
        water: wet,
        ramp,
        blight: (x - 16.0).hypot(y - 14.0) + (plane(x * 0.3, y * 0.3, 2, 0xB1) - 0.5) * 3.0 < 5.5,
        edge: rim,
        ground: ground(x, y, layer, height, road, river),
        variation: variation(ix, iy),
        cliff: u8::from(!(dry_land(x, y) || layer == 1)),
        cliff_variation: (hash(ix as i32, iy as i32, 0xC11F) % 3) as u8,
    }
}

/// The south-east, whose cliffs are of dirt.
fn dry_land(x: f32, y: f32) -> bool {
    x > 56.0 + (plane(x * 0.2, y * 0.2, 2, 0xD2) - 0.5) * 8.0 && y < 46.0
}

/// Index into `GROUND`.
fn ground(x: f32, y: f32, layer: u8, height: f32, road: f32, river: f32) -> u8 {
    let patch = plane(x * 0.15, y * 0.15, 3, 0x6A);
    let detail = plane(x * 0.55, y * 0.55, 2, 0x6B);
    let (dirt, rough, tufts, rock, grass, dark) = (0, 1, 2, 3, 4, 5);
    if layer == 1 || (layer == 2 && height < SURFACE - 8.0) {
        return if detail > 0.56 { rough } else { dirt };
    }
    if road < 1.15 + detail * 0.5 {
        return dirt;
    }
    if road < 2.2 + detail * 0.6 {
        return if detail > 0.6 { rough } else { tufts };
    }
    if layer == 2 && river < 4.6 + detail {
        return if detail > 0.52 { tufts } else { rough };
    }
    if dry_land(x, y) {
        return if patch > 0.60 {
            rock
        } else if patch > 0.50 {
            rough
        } else if detail > 0.58 {
            grass
        } else {
            tufts
        };
    }
    if height > 78.0 && detail > 0.42 || patch > 0.74 {
        return rock;
    }
    if patch < 0.44 {
        dark
    } else if detail > 0.72 {
        tufts
    } else {
        grass
    }
}

/// A ground variation by the usual weights: mostly the plain cells, now and then a decorated one.
fn variation(x: usize, y: usize) -> u8 {
    const WEIGHTS: [(u8, u32); 18] = [
        (0, 85),
        (16, 85),
        (0, 85),
        (1, 10),
        (2, 4),
        (3, 1),
        (4, 85),
        (5, 10),
        (6, 4),
        (7, 1),
        (8, 85),
        (9, 10),
        (10, 4),
        (11, 1),
        (12, 85),
        (13, 10),
        (14, 4),
        (15, 1),
    ];
    let mut pick = (unit(x as i32, y as i32, 0x7A12) * 570.0) as u32;
    for (v, weight) in WEIGHTS {
        if pick < weight {
            return v;
        }
        pick -= weight;
    }
    0
}
