//! Materials that somebody laid or planted: stone floors, bricks, marble, hedges.

use super::{CELL, Colours};
use crate::canvas::{Patch, Rgb, blend, scale};
use crate::noise::{Stream, cellular, fbm, smoothstep, unit};

/// Grain and stains that every worked stone has.
fn weather(x: f32, y: f32, seed: u32) -> f32 {
    0.6 * fbm(x, y, 8, 3, seed) + 0.4 * fbm(x, y, 3, 2, seed ^ 0x33)
}

/// Distance inside a block to its nearest side, in texels.
fn inside(u: f32, v: f32, width: f32, height: f32) -> f32 {
    (u.min(1.0 - u) * width).min(v.min(1.0 - v) * height)
}

/// One block: mortar at the border, a bevel, then a face with its own tone.
fn block(c: &Colours, depth: f32, tone: f32, grain: f32) -> (Rgb, f32) {
    let face = smoothstep(0.35, 1.2, depth);
    let bevel = smoothstep(0.4, 2.6, depth);
    let stone = c.ramp(0.22 + 0.30 * tone + 0.36 * grain);
    (blend(scale(c.dark(), 0.60), stone, face), bevel * 2.6 + grain * 1.6 + tone * 0.8)
}

pub(super) fn bricks(c: &Colours, seed: u32, across: i32, rows: i32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        let row = (y * rows as f32).floor();
        let shift = if row as i32 % 2 == 0 { 0.0 } else { 0.5 };
        let u = x * across as f32 + shift;
        let depth =
            inside(u.fract(), (y * rows as f32).fract(), CELL as f32 / across as f32, CELL as f32 / rows as f32);
        let tone = unit((u.floor() as i32).rem_euclid(across), row as i32, seed);
        block(c, depth + (weather(x, y, seed ^ 5) - 0.5) * 0.8, tone, weather(x, y, seed))
    })
}

pub(super) fn runes(c: &Colours, seed: u32) -> Patch {
    let mut p = bricks(c, seed, 2, 4);
    let mut rng = Stream::new(seed ^ 0x2E);
    for row in 0..4 {
        for col in 0..2 {
            let shift = if row % 2 == 0 { 0.0 } else { -16.0 };
            let (cx, cy) = (col as f32 * 32.0 + 16.0 + shift, row as f32 * 16.0 + 8.0);
            let lit = (row + col) % 3 == 0;
            for _ in 0..4 {
                // strokes between points of a 3x3 grid read as letters
                let mut point =
                    || [cx + (rng.unit() * 3.0).floor() * 5.0 - 5.0, cy + (rng.unit() * 3.0).floor() * 3.5 - 3.5];
                let (a, b) = (point(), point());
                for s in 0..=12 {
                    let t = s as f32 / 12.0;
                    let at = [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
                    let i = p.index(at[0] as i32, at[1] as i32);
                    p.colour[i] = scale(c.dark(), 0.5);
                    p.relief[i] = 1.0;
                    if lit {
                        p.glow[i] = scale(c.accent, 0.55);
                    }
                }
            }
        }
    }
    p
}

pub(super) fn squares(c: &Colours, seed: u32, count: i32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        let (u, v) = (x * count as f32, y * count as f32);
        let size = CELL as f32 / count as f32;
        let (ix, iy) = (u.floor() as i32, v.floor() as i32);
        let tone = 0.6 * unit(ix, iy, seed) + 0.4 * ((ix + iy) % 2) as f32;
        block(c, inside(u.fract(), v.fract(), size, size), tone, weather(x, y, seed))
    })
}

pub(super) fn rounds(c: &Colours, seed: u32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        // four rosettes of two rings; the gaps between them are small four-cornered stones
        let (u, v) = ((x * 2.0).fract() - 0.5, (y * 2.0).fract() - 0.5);
        let r = u.hypot(v) * 32.0;
        let angle = (v.atan2(u) / std::f32::consts::TAU + 0.5) * if r > 9.0 { 12.0 } else { 6.0 };
        let ring = if r > 15.6 {
            3
        } else if r > 9.0 {
            2
        } else if r > 3.4 {
            1
        } else {
            0
        };
        let (inner, outer) = [(0.0, 3.4), (3.4, 9.0), (9.0, 15.6), (15.6, 40.0)][ring];
        let radial = (r - inner).min(outer - r);
        let spoke = if ring == 1 || ring == 2 { angle.fract().min(1.0 - angle.fract()) * r * 0.5 } else { 9.0 };
        let core = if ring == 0 {
            3.4 - r
        } else if ring == 3 {
            r - 15.6
        } else {
            radial.min(spoke)
        };
        let sector = if ring == 1 || ring == 2 { angle.floor() as i32 } else { 0 };
        let tone = unit(sector + 40 * ring as i32, (x * 2.0) as i32 + 2 * (y * 2.0) as i32, seed);
        let (tint, h) = block(c, core, tone, weather(x, y, seed));
        (if ring % 2 == 0 { blend(tint, c.accent, 0.30) } else { tint }, h)
    })
}

pub(super) fn marble(c: &Colours, seed: u32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        let (u, v) = (x * 2.0, y * 2.0);
        let depth = inside(u.fract(), v.fract(), 32.0, 32.0);
        let (ix, iy) = (u.floor() as i32, v.floor() as i32);
        let own = seed ^ (ix * 3 + iy * 7) as u32;
        let (wx, wy) = (fbm(x, y, 3, 4, own) - 0.5, fbm(x, y, 3, 4, own ^ 1) - 0.5);
        let ridge = (2.0 * fbm(x + wx * 0.4, y + wy * 0.4, 3, 3, own ^ 2) - 1.0).abs();
        let vein = 1.0 - smoothstep(0.0, 0.11, ridge);
        let cloud = fbm(x + wy * 0.3, y, 3, 3, own ^ 3);
        let tint = blend(c.ramp(0.30 + 0.42 * cloud + 0.10 * ((ix + iy) % 2) as f32), c.accent, vein * 0.6);
        let joint = smoothstep(0.2, 0.9, depth);
        (blend(scale(c.dark(), 0.7), tint, joint), joint * 0.9 + smoothstep(0.5, 2.0, depth) * 0.7)
    })
}

pub(super) fn cobble(c: &Colours, seed: u32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        let stone = cellular(x, y, 7, 0.62, seed);
        let gap = smoothstep(0.05, 0.24, stone.f2 - stone.f1);
        let dome = (1.0 - (stone.f1 * 1.25).powi(2)).max(0.0);
        let tint = blend(
            c.ramp(0.18 + 0.42 * stone.id + 0.32 * weather(x, y, seed)),
            c.accent,
            0.14 * (stone.id * 5.7).fract(),
        );
        (blend(scale(c.dark(), 0.55), tint, gap), gap * 2.0 + dome * 3.0)
    })
}

pub(super) fn flagstone(c: &Colours, seed: u32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        let slab = cellular(x, y, 4, 0.85, seed);
        let depth = (slab.f2 - slab.f1) * 11.0;
        let (tint, h) = block(c, depth, slab.id, weather(x, y, seed));
        (blend(tint, c.accent, if depth < 0.9 { 0.35 } else { 0.0 }), h)
    })
}

pub(super) fn hedge(c: &Colours, seed: u32) -> Patch {
    let mut p = Patch::fill(CELL, CELL, |x, y| (scale(c.dark(), 0.55 + 0.3 * fbm(x, y, 4, 2, seed)), 0.0));
    let mut rng = Stream::new(seed ^ 0x4ED6);
    for layer in 0..3 {
        for _ in 0..170 {
            let at = [rng.unit() * 64.0, rng.unit() * 64.0];
            let tone = layer as f32 * 0.26 + rng.unit() * 0.45;
            let r = rng.range(1.3, 2.6);
            p.dome(at, r, 0.75, blend(c.ramp(tone), c.accent, 0.2 * rng.unit()), 1.1);
        }
    }
    p
}
