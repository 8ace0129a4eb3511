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
    blp::encode(&canvas(look, seed), false)
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
    for (i, c) in patch.lit(1.0).iter().enumerate() {
        let (x, y) = (i % SIZE, i / SIZE);
        // walls stand in their own shade towards the foot
        let shade =
            if look.wall == Wall::Rock { 1.0 - 0.22 * smoothstep(0.35, 0.95, y as f32 / WALL as f32) } else { 1.0 };
        let c = scale(*c, shade);
        out.set(x, TOP + y, [c[0], c[1], c[2], 1.0]);
    }
    out
}

/// Layered rock: strata that dip a little, broken into columns.
fn rock(c: &Colours, seed: u32) -> Patch {
    Patch::fill(SIZE, WALL, |x, y| {
        let (wx, wy) = (fbm(x, y, 4, 4, seed) - 0.5, fbm(x, y, 4, 4, seed ^ 1) - 0.5);
        let block = cellular(x + wx * 0.10, y * 0.75 + wy * 0.12, 7, 0.95, seed ^ 2);
        let chip = cellular(x + wy * 0.06, y + wx * 0.06, 14, 0.95, seed ^ 3);
        let crack = smoothstep(0.0, 0.20, block.f2 - block.f1);
        let strata_at = y * 9.0 + wy * 2.2 + (block.id - 0.5) * 0.8;
        let layer = unit(strata_at.floor() as i32, 7, seed);
        let seam = smoothstep(0.0, 0.18, strata_at.fract().min(1.0 - strata_at.fract()));
        let tilt = block.offset[0] * (block.id - 0.5) * 26.0 - block.offset[1] * 7.0;
        let grain = fbm(x, y, 24, 3, seed ^ 4);
        let tone = 0.16 + 0.20 * layer + 0.22 * block.id + 0.30 * grain + 0.06 * chip.id;
        let tint = blend(scale(c.dark(), 0.52), c.ramp(tone), (0.30 + 0.70 * crack) * (0.72 + 0.28 * seam));
        (tint, tilt + crack * 4.0 + seam * 1.6 - chip.f1 * 3.0 + grain * 3.0)
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
