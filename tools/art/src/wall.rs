//! Cliff textures, 256x256: the top quarter holds ground cells for the level parts of a piece, the rest the wall from rim to foot.

use crate::blp;
use crate::canvas::{Canvas, Patch, Rgb, blend, scale};
use crate::catalog::{Look, Wall, tile};
use crate::material::{CELL, Colours};
use crate::noise::{Stream, cellular, fbm, hash_text, mix, smoothstep, unit};
use crate::sheet::ground_cell;

const SIZE: usize = 256;

/// First row of the wall: v = 0.25.
const TOP: usize = 64;

const WALL: usize = SIZE - TOP;

/// The texture as a BLP file.
pub(crate) fn encode(look: &Look, seed: u32) -> Vec<u8> {
    blp::encode(&canvas(look, seed), false, 80)
}

/// The texture before encoding.
pub(crate) fn canvas(look: &Look, seed: u32) -> Canvas {
    let cell_of = |id: &str| tile(id).map_or_else(|| vec![look.stone; CELL * CELL], ground_cell);
    let (upper, lower) = (cell_of(look.upper), cell_of(look.lower));
    let mut out = Canvas::new(SIZE, SIZE);
    for y in 0..CELL {
        for x in 0..SIZE {
            // u 0..0.25 the upper ground, 0.25..0.5 the lower one, then the upper one again so that wrapping is harmless
            let cell = if x / CELL == 1 { &lower } else { &upper };
            let c = cell[y * CELL + x % CELL];
            out.set(x, y, [c[0], c[1], c[2], 1.0]);
        }
    }
    let colours = Colours { mid: look.stone, accent: scale(look.stone, 0.6) };
    let seed = seed ^ hash_text(look.upper);
    let mut patch = match look.wall {
        Wall::Rock => rock(&colours, seed),
        Wall::Masonry => masonry(&colours, seed),
    };
    if look.wall == Wall::Rock {
        rim(&mut patch, &upper, seed);
        foot(&mut patch, &lower, seed);
    }
    let lit = patch.lit(1.0);
    for i in 0..lit.len() {
        let (x, y) = (i % SIZE, i / SIZE);
        // rim and foot are no neighbours: the first and last rows would be lit by each other
        let c = lit[y.clamp(2, WALL - 3) * SIZE + x];
        // walls stand in their own shade towards the foot
        let shade =
            if look.wall == Wall::Rock { 1.0 - 0.22 * smoothstep(0.35, 0.95, y as f32 / WALL as f32) } else { 1.0 };
        let c = scale(c, shade);
        out.set(x, TOP + y, [c[0], c[1], c[2], 1.0]);
    }
    out
}

/// Layered rock: beds of different thickness that dip a little, each broken into blocks that stand out more or less.
fn rock(c: &Colours, seed: u32) -> Patch {
    Patch::fill(SIZE, WALL, |x, y| {
        let (wx, wy) = (fbm(x, y, 5, 4, seed) - 0.5, fbm(x, y, 5, 4, seed ^ 1) - 0.5);
        let depth = y * 6.0 + wy * 1.9 + (fbm(x, 0.5, 3, 2, seed ^ 9) - 0.5) * 2.2;
        let bed = depth.floor() as i32;
        let f = depth - depth.floor();
        // 3 to 6 blocks across: whole numbers, so that the texture wraps
        let across = 3 + (unit(bed, 5, seed) * 4.0) as i32;
        let u = (x + wx * 0.10 + wy * 0.05) * across as f32 + unit(bed, 6, seed);
        let block = (u.floor() as i32).rem_euclid(across);
        let g = u - u.floor();
        let out = unit(block, bed, seed ^ 2);
        let ledge = 1.0 - smoothstep(0.55, 1.0, f);
        let side = smoothstep(0.0, 0.10, g) * smoothstep(0.0, 0.10, 1.0 - g);
        let seam = smoothstep(0.0, 0.10, f) * smoothstep(0.0, 0.16, 1.0 - f);
        let chip = cellular(x + wy * 0.10, y + wx * 0.10, 12, 1.0, seed ^ 3);
        let ridge = 1.0 - (2.0 * fbm(x + wx * 0.15, y * 0.7 + wy * 0.1, 9, 4, seed ^ 4) - 1.0).abs();
        let grain = fbm(x, y, 24, 3, seed ^ 5);
        let shade = (0.45 + 0.55 * side) * (0.55 + 0.45 * seam);
        let tone = 0.02 + 0.16 * unit(bed, 7, seed) + 0.20 * out + 0.28 * grain + 0.24 * ridge + 0.12 * ledge;
        let relief = ledge * 5.0 + out * 6.0 * side + side * 2.5 - chip.f1 * 3.0 + ridge * 5.0 + grain * 3.0;
        (blend(scale(c.dark(), 0.50), c.ramp(tone), shade), relief)
    })
}

/// The rim: ground hangs over the edge in tongues, and shades the rock below.
fn rim(p: &mut Patch, ground: &[Rgb], seed: u32) {
    for x in 0..SIZE {
        let u = x as f32 / SIZE as f32;
        let hang = 10.0 + 16.0 * fbm(u, 0.37, 8, 3, seed ^ 0x21) + 7.0 * unit(x as i32 / 3, 0, seed);
        for y in 0..60 {
            let i = y * SIZE + x;
            let d = hang - y as f32;
            let cover = smoothstep(-1.0, 1.5, d);
            let g = ground[(y % CELL) * CELL + x % CELL];
            let edge = mix(0.80, 1.0, smoothstep(0.0, 9.0, d));
            let under = 1.0 - 0.42 * smoothstep(-18.0, -1.0, d) * (1.0 - cover);
            p.colour[i] = blend(scale(p.colour[i], under), scale(g, edge), cover);
            p.relief[i] = mix(p.relief[i], 8.0 + smoothstep(0.0, 5.0, d) * 1.5, cover);
        }
    }
}

/// The foot: rubble and ground that creeps up the wall.
fn foot(p: &mut Patch, ground: &[Rgb], seed: u32) {
    let mut rng = Stream::new(seed ^ 0xF007);
    for x in 0..SIZE {
        let u = x as f32 / SIZE as f32;
        let creep = 8.0 + 18.0 * fbm(u, 0.71, 8, 3, seed ^ 0x22);
        for y in WALL - 40..WALL {
            let i = y * SIZE + x;
            let d = creep - (WALL - 1 - y) as f32;
            let g = ground[(y % CELL) * CELL + x % CELL];
            let cover = smoothstep(-4.0, 5.0, d) * 0.92;
            p.colour[i] = blend(p.colour[i], scale(g, 0.92), cover);
            p.relief[i] = mix(p.relief[i], 1.0, cover);
        }
    }
    let stone = p.colour[(WALL / 2) * SIZE];
    for _ in 0..56 {
        let r = rng.range(1.6, 5.0);
        let at = [rng.unit() * SIZE as f32, WALL as f32 - r - rng.range(1.0, 20.0)];
        p.dome(at, r, 0.8, scale(blend(stone, [0.5; 3], 0.35), rng.range(0.8, 1.25)), r * 0.8);
    }
}

/// A wall of dressed blocks: coping on top, courses of stones, a plinth at the foot.
fn masonry(c: &Colours, seed: u32) -> Patch {
    Patch::fill(SIZE, WALL, |x, y| {
        let row_px = y * WALL as f32;
        // (first row, height, stones across, tone) of the courses
        let (start, height, across, lift) = if row_px < 32.0 {
            (0.0, 32.0, 4, 0.30)
        } else if row_px < 168.0 {
            let k = ((row_px - 32.0) / 22.67).floor();
            (32.0 + k * 22.67, 22.67, 5, 0.0)
        } else {
            (168.0, 24.0, 4, 0.12)
        };
        let course = (start / 7.0) as i32;
        let shift = if course % 2 == 0 { 0.0 } else { 0.5 };
        let u = x * across as f32 + shift;
        let stone = (u.floor() as i32).rem_euclid(across);
        let width = SIZE as f32 / across as f32;
        let depth = (u.fract().min(1.0 - u.fract()) * width).min((row_px - start).min(start + height - row_px));
        let wear = fbm(x, y, 16, 4, seed ^ 1);
        let face = smoothstep(0.8, 2.4, depth + (wear - 0.5) * 2.5);
        let tone = 0.14 + lift + 0.26 * unit(stone, course, seed) + 0.38 * wear;
        // damp streaks run down from the coping
        let streak = smoothstep(0.52, 0.75, fbm(x, 0.2 + y * 0.12, 14, 2, seed ^ 2)) * (1.0 - y) * 0.22;
        let tint = blend(scale(c.dark(), 0.55), scale(c.ramp(tone), 1.0 - streak), face);
        (tint, smoothstep(0.6, 5.0, depth) * 5.0 + wear * 3.5 + if row_px < 32.0 { 3.0 } else { 0.0 })
    })
}
