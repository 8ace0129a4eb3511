//! Materials that grow or weather: turf, earth, rock, snow, ice, lava.

use super::{CELL, Colours, Kind};
use crate::canvas::{Patch, blend, rgb, scale};
use crate::noise::{Stream, cellular, fbm, mix, smoothstep, unit, value};

const UP: f32 = -std::f32::consts::FRAC_PI_2;

/// A random point of the cell, in texels.
fn anywhere(rng: &mut Stream) -> [f32; 2] {
    [rng.unit() * CELL as f32, rng.unit() * CELL as f32]
}

fn earth(c: &Colours, seed: u32, coarse: i32, bump: f32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        let broad = fbm(x, y, coarse, 4, seed);
        let grain = unit((x * CELL as f32) as i32, (y * CELL as f32) as i32, seed ^ 0xA1);
        (c.ramp(0.12 + broad * 0.68 + grain * 0.14), (broad - 0.5) * bump + grain * 0.35)
    })
}

pub(super) fn grass(c: &Colours, seed: u32, blades: u32, length: f32) -> Patch {
    let mut p = Patch::fill(CELL, CELL, |x, y| {
        let t = fbm(x, y, 4, 3, seed);
        (blend(scale(c.dark(), 0.9), c.mid, t * 0.75), t * 1.2)
    });
    let mut rng = Stream::new(seed ^ 0x6A55);
    for _ in 0..blades {
        let at = anywhere(&mut rng);
        let clump = value(at[0] / CELL as f32, at[1] / CELL as f32, 5, seed ^ 9);
        let tone = 0.10 + 0.45 * clump + 0.45 * rng.unit();
        let angle = UP + rng.range(-0.9, 0.9) + (clump - 0.5) * 1.4;
        let len = length * rng.range(0.5, 1.1);
        p.stroke(at, angle, len, 1.25, [blend(c.dark(), c.mid, tone * 0.8), c.ramp(tone)], 1.6 + tone * 1.6);
    }
    p
}

pub(super) fn dirt(c: &Colours, seed: u32, stones: u32) -> Patch {
    let mut p = earth(c, seed, 4, 5.0);
    let mut rng = Stream::new(seed ^ 0xD1);
    for _ in 0..stones {
        let (at, r) = (anywhere(&mut rng), rng.range(0.7, 1.7));
        p.dome(at, r, 0.8, c.ramp(rng.range(0.55, 0.95)), r * 0.7);
    }
    p
}

pub(super) fn rough_dirt(c: &Colours, seed: u32) -> Patch {
    let mut p = Patch::fill(CELL, CELL, |x, y| {
        let (wx, wy) = (fbm(x, y, 4, 3, seed ^ 3) - 0.5, fbm(x, y, 4, 3, seed ^ 4) - 0.5);
        let clod = cellular(x + wx * 0.12, y + wy * 0.12, 8, 1.0, seed);
        let broad = fbm(x, y, 4, 4, seed);
        // clods stand apart only where the ground has dried
        let dry = 0.75 * smoothstep(0.40, 0.60, fbm(x, y, 6, 2, seed ^ 5));
        let gap = 1.0 - (1.0 - smoothstep(0.0, 0.25, clod.f2 - clod.f1)) * dry;
        let lump = (1.0 - clod.f1).max(0.0) * (0.4 + 0.6 * clod.id);
        let tone = 0.08 + broad * 0.52 + clod.id * 0.14 + lump * 0.14;
        (blend(scale(c.dark(), 0.80), c.ramp(tone), 0.45 + 0.55 * gap), gap * 1.2 + lump * 2.6 + broad * 7.0)
    });
    let mut rng = Stream::new(seed ^ 0xD2);
    for _ in 0..30 {
        let (at, r) = (anywhere(&mut rng), rng.range(0.8, 2.4));
        p.dome(at, r, 0.8, c.ramp(rng.range(0.3, 0.9)), r * 0.8);
    }
    p
}

/// Short blades of `colour` where the noise says a tuft stands.
fn grow(p: &mut Patch, colours: &Colours, seed: u32, threshold: f32, count: u32) {
    let mut rng = Stream::new(seed ^ 0x7F7);
    for _ in 0..count {
        let at = anywhere(&mut rng);
        let here = fbm(at[0] / CELL as f32, at[1] / CELL as f32, 7, 2, seed ^ 0x51);
        if here > threshold {
            let tone = rng.unit();
            let tints = [scale(colours.accent, 0.62), scale(colours.accent, 0.8 + 0.45 * tone)];
            p.stroke(at, UP + rng.range(-0.9, 0.9), rng.range(2.5, 5.0), 1.25, tints, 1.5 + tone * 1.5);
        }
    }
}

pub(super) fn tufts(c: &Colours, seed: u32) -> Patch {
    let mut p = dirt(c, seed, 6);
    for y in 0..CELL {
        for x in 0..CELL {
            let here = fbm((x as f32 + 0.5) / 64.0, (y as f32 + 0.5) / 64.0, 7, 2, seed ^ 0x51);
            let i = y * CELL + x;
            p.colour[i] =
                blend(p.colour[i], blend(scale(c.accent, 0.78), c.mid, 0.2), 0.7 * smoothstep(0.36, 0.62, here));
        }
    }
    grow(&mut p, c, seed, 0.46, 640);
    p
}

pub(super) fn rock(c: &Colours, seed: u32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        let (wx, wy) = (fbm(x, y, 3, 4, seed ^ 1) - 0.5, fbm(x, y, 3, 4, seed ^ 2) - 0.5);
        let slab = cellular(x + wx * 0.34, y + wy * 0.34, 3, 1.0, seed);
        let chip = cellular(x + wy * 0.16, y + wx * 0.16, 8, 1.0, seed ^ 5);
        // each slab is a plane tilted its own way; the cracks between open only here and there
        let tilt = slab.offset[0] * (slab.id - 0.5) * 17.0 + slab.offset[1] * ((slab.id * 7.3).fract() - 0.5) * 17.0;
        let open = smoothstep(0.40, 0.62, fbm(x, y, 3, 2, seed ^ 8));
        let crack = 1.0 - (1.0 - smoothstep(0.0, 0.10, slab.f2 - slab.f1)) * open;
        let ridge = 1.0 - (2.0 * fbm(x + wx * 0.2, y + wy * 0.2, 4, 4, seed ^ 6) - 1.0).abs();
        let grain = fbm(x, y, 8, 3, seed ^ 7);
        let tone = 0.06 + 0.22 * slab.id + 0.30 * grain + 0.20 * ridge + 0.06 * chip.id;
        let face = tilt + crack * 2.0 - chip.f1 * 2.2 + grain * 3.0 + ridge * 5.0;
        (blend(scale(c.dark(), 0.62), c.ramp(tone), 0.35 + 0.65 * crack), face)
    })
}

pub(super) fn pebbles(c: &Colours, seed: u32) -> Patch {
    let mut p = earth(c, seed, 4, 3.0);
    let mut rng = Stream::new(seed ^ 0xBEB);
    for n in 0..120 {
        let (at, r) = (anywhere(&mut rng), if n < 14 { rng.range(2.4, 4.2) } else { rng.range(0.9, 2.3) });
        let tone = c.ramp(rng.range(0.25, 1.0));
        p.dome(at, r, 0.82, blend(tone, c.accent, 0.35 * rng.unit()), r * 0.75);
    }
    p
}

pub(super) fn leaves(c: &Colours, seed: u32) -> Patch {
    let mut p = grass(c, seed, 260, 3.5);
    let mut rng = Stream::new(seed ^ 0x1EAF);
    for _ in 0..150 {
        let at = anywhere(&mut rng);
        let (angle, len) = (rng.range(0.0, std::f32::consts::TAU), rng.range(2.2, 4.0));
        let tone = rng.unit();
        let tint = blend(scale(c.accent, 0.72), blend(scale(c.accent, 1.15), c.light(), 0.25), tone);
        p.stroke(at, angle, len, 2.6, [tint, scale(tint, 0.85)], 1.2 + tone);
        p.spot(at, 0.8, scale(tint, 0.6), 0.6, 2.0);
    }
    p
}

pub(super) fn vines(c: &Colours, seed: u32) -> Patch {
    let mut p = rough_dirt(c, seed);
    let mut rng = Stream::new(seed ^ 0x51E);
    for n in 0..11 {
        let shade = scale(c.accent, 0.55 + 0.5 * rng.unit());
        p.wander(&mut rng, 18, if n < 6 { 3.4 } else { 2.0 }, shade, 5.0);
    }
    for _ in 0..70 {
        let (at, tone) = (anywhere(&mut rng), rng.range(0.7, 1.35));
        p.stroke(
            at,
            rng.range(0.0, std::f32::consts::TAU),
            3.0,
            2.4,
            [scale(c.accent, tone), scale(c.accent, tone * 0.8)],
            5.5,
        );
    }
    p
}

pub(super) fn pools(c: &Colours, seed: u32) -> Patch {
    let mut p = rough_dirt(c, seed);
    for y in 0..CELL {
        for x in 0..CELL {
            let (u, v) = ((x as f32 + 0.5) / 64.0, (y as f32 + 0.5) / 64.0);
            let level = fbm(u, v, 3, 3, seed ^ 0x90);
            let wet = smoothstep(0.53, 0.58, level);
            let i = y * CELL + x;
            let swirl = fbm(u + level * 0.2, v, 6, 2, seed ^ 0x91);
            p.colour[i] = blend(p.colour[i], scale(c.accent, 0.65 + 0.5 * swirl), wet);
            p.relief[i] = mix(p.relief[i], 1.0 + swirl, wet);
            let rim = smoothstep(0.46, 0.53, level) * (1.0 - wet);
            p.colour[i] = blend(p.colour[i], scale(c.dark(), 0.6), rim * 0.7);
        }
    }
    p
}

pub(super) fn sand(c: &Colours, seed: u32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        let warp = fbm(x, y, 2, 3, seed) - 0.5;
        let phase = (y * 7.0 + x * 2.0 + warp * 2.6) * std::f32::consts::TAU;
        let soft = fbm(x, y, 3, 2, seed ^ 4);
        let ripple = phase.sin() * smoothstep(0.3, 0.6, soft);
        let grain = unit((x * 64.0) as i32, (y * 64.0) as i32, seed);
        (c.ramp(0.38 + 0.10 * ripple + 0.16 * grain + 0.28 * (soft - 0.3)), ripple * 1.1 + grain * 0.4)
    })
}

pub(super) fn snow(c: &Colours, seed: u32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        let drift = fbm(x, y, 3, 4, seed);
        let glint = unit((x * 64.0) as i32, (y * 64.0) as i32, seed ^ 6);
        let sparkle = if glint > 0.985 { 0.08 } else { 0.0 };
        let tint = blend(c.accent, c.mid, smoothstep(0.25, 0.62, drift));
        (scale(tint, 0.97 + 0.03 * glint + sparkle), drift * 9.0)
    })
}

pub(super) fn capped(c: &Colours, seed: u32) -> Patch {
    let mut p = rock(c, seed);
    for y in 0..CELL {
        for x in 0..CELL {
            let (u, v) = ((x as f32 + 0.5) / 64.0, (y as f32 + 0.5) / 64.0);
            let cover = fbm(u, v, 4, 4, seed ^ 0xCA);
            let i = y * CELL + x;
            let w = smoothstep(0.46, 0.54, cover + p.relief[i] * 0.006);
            let grain = 0.5 * fbm(u, v, 16, 2, seed ^ 0xCB) + 0.5 * fbm(u, v, 5, 2, seed ^ 0xCC);
            p.colour[i] = blend(p.colour[i], scale(c.accent, 0.78 + 0.36 * grain), w);
            p.relief[i] = mix(p.relief[i], 3.0 + cover * 6.0, w);
        }
    }
    p
}

pub(super) fn ice(c: &Colours, seed: u32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        let (wx, wy) = (fbm(x, y, 3, 3, seed ^ 1) - 0.5, fbm(x, y, 3, 3, seed ^ 2) - 0.5);
        let plate = cellular(x + wx * 0.1, y + wy * 0.1, 3, 1.0, seed);
        let fine = cellular(x + wy * 0.1, y + wx * 0.1, 7, 1.0, seed ^ 3);
        let line = 1.0 - smoothstep(0.0, 0.07, plate.f2 - plate.f1);
        let hair = 1.0 - smoothstep(0.0, 0.05, fine.f2 - fine.f1);
        let cloud = fbm(x + wx * 0.3, y, 3, 4, seed ^ 5);
        let tint = blend(
            c.ramp(0.15 + 0.75 * cloud),
            c.accent,
            0.75 * line + 0.28 * hair + 0.22 * smoothstep(0.55, 0.8, cloud),
        );
        (tint, plate.id * 0.6 + cloud * 2.0 - line * 1.2)
    })
}

pub(super) fn lava(c: &Colours, seed: u32) -> Patch {
    Patch::fill(CELL, CELL, |x, y| {
        let (wx, wy) = (fbm(x, y, 2, 4, seed ^ 1) - 0.5, fbm(x, y, 2, 4, seed ^ 2) - 0.5);
        let flow = 1.0 - (2.0 * fbm(x + wx * 0.35, y + wy * 0.35, 3, 4, seed) - 1.0).abs() * 2.6;
        let crust = smoothstep(0.40, 0.62, fbm(x + wy * 0.2, y + wx * 0.2, 5, 3, seed ^ 3));
        let hot = flow.clamp(0.0, 1.0);
        let melt = blend(c.mid, c.accent, hot * hot);
        (blend(melt, scale(c.mid, 0.32), crust * 0.8), crust * 3.0)
    })
}

pub(super) fn lava_cracks(c: &Colours, seed: u32) -> Patch {
    let mut p = rock(c, seed);
    for y in 0..CELL {
        for x in 0..CELL {
            let (u, v) = ((x as f32 + 0.5) / 64.0, (y as f32 + 0.5) / 64.0);
            let (wx, wy) = (fbm(u, v, 3, 3, seed ^ 1) - 0.5, fbm(u, v, 3, 3, seed ^ 2) - 0.5);
            let slab = cellular(u + wx * 0.14, v + wy * 0.14, 4, 0.95, seed);
            let open = smoothstep(0.35, 0.6, fbm(u, v, 2, 2, seed ^ 8));
            let heat = (1.0 - smoothstep(0.0, 0.13, slab.f2 - slab.f1)) * open;
            let halo = (1.0 - smoothstep(0.0, 0.45, slab.f2 - slab.f1)) * open;
            let i = y * CELL + x;
            p.glow[i] = [0, 1, 2].map(|k| c.accent[k] * (heat * 0.85 + halo * 0.18) + heat * heat * 0.12);
        }
    }
    p
}

pub(super) fn abyss(c: &Colours, seed: u32) -> Patch {
    let mut p = Patch::fill(CELL, CELL, |x, y| {
        let (wx, wy) = (fbm(x, y, 2, 3, seed ^ 1) - 0.5, fbm(x, y, 2, 3, seed ^ 2) - 0.5);
        let cloud = smoothstep(0.42, 0.85, fbm(x + wx * 0.3, y + wy * 0.3, 3, 4, seed));
        (blend(c.mid, c.accent, cloud * 0.55), 0.0)
    });
    let mut rng = Stream::new(seed ^ 0x57A2);
    for _ in 0..16 {
        let (at, glow) = (anywhere(&mut rng), rng.range(0.15, 0.55));
        p.spot(at, 0.9, blend(c.accent, [1.0; 3], 0.6), glow, 0.0);
    }
    p
}

pub(super) fn blight(c: &Colours, seed: u32) -> Patch {
    let mut p = rough_dirt(c, seed);
    let mut rng = Stream::new(seed ^ 0xB119);
    for _ in 0..9 {
        p.wander(&mut rng, 12, 2.6, scale(c.accent, 0.8), 3.5);
    }
    let bone = rgb(0xA79F8C);
    for _ in 0..5 {
        let (at, angle) = (anywhere(&mut rng), rng.range(0.0, std::f32::consts::TAU));
        p.stroke(at, angle, 4.5, 1.5, [scale(bone, 0.9), scale(bone, 0.75)], 6.0);
    }
    for _ in 0..22 {
        let (at, r) = (anywhere(&mut rng), rng.range(0.8, 2.0));
        p.dome(at, r, 0.9, scale(c.accent, rng.range(0.6, 1.1)), r);
    }
    p
}

pub(super) fn crops(c: &Colours, seed: u32) -> Patch {
    let mut p = Patch::fill(CELL, CELL, |x, y| {
        let row = (y * 4.0 * std::f32::consts::TAU).cos();
        let broad = fbm(x, y, 5, 3, seed);
        (c.ramp(0.22 + broad * 0.4 + row * 0.16), row * 3.2 + broad * 2.5)
    });
    let mut rng = Stream::new(seed ^ 0xC209);
    for row in 0..4 {
        for n in 0..9 {
            let at = [(n as f32 + 0.5) * 64.0 / 9.0 + rng.range(-1.0, 1.0), row as f32 * 16.0 + rng.range(-1.0, 1.0)];
            for _ in 0..9 {
                let tone = rng.range(0.65, 1.3);
                let tints = [scale(c.accent, tone * 0.7), scale(c.accent, tone)];
                p.stroke(at, UP + rng.range(-1.5, 1.5), rng.range(2.5, 5.5), 1.5, tints, 5.5 + tone);
            }
        }
    }
    p
}

/// Adds something small and rare to an inner part of a variation.
pub(super) fn decorate(p: &mut Patch, kind: Kind, c: &Colours, seed: u32, variation: u32) {
    let mut rng = Stream::new(seed ^ 0xDEC0);
    let rare = variation % 4 == 3;
    let mut spot = || [rng.range(16.0, 48.0), rng.range(16.0, 48.0)];
    let points: Vec<[f32; 2]> = (0..9).map(|_| spot()).collect();
    match kind {
        Kind::Grass | Kind::ThickGrass if rare => {
            let petals = [rgb(0xD9C24E), rgb(0xC9C4D8), rgb(0xB05A6A)];
            for (n, at) in points.iter().enumerate() {
                let tint = petals[(variation as usize / 4 + n / 6) % 3];
                for (dx, dy) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)] {
                    p.spot([at[0] + dx, at[1] + dy], 0.9, blend(tint, c.mid, 0.25), 0.9, 5.0);
                }
            }
        }
        Kind::Grass | Kind::ThickGrass | Kind::Leaves => {
            for at in points.iter().take(4) {
                p.dome(*at, 1.6 + (at[0] % 1.0) * 1.6, 0.8, blend(rgb(0x7A756A), c.mid, 0.35), 2.0);
            }
        }
        Kind::Dirt
        | Kind::RoughDirt
        | Kind::Tufts
        | Kind::Sand
        | Kind::Snow
        | Kind::Vines
        | Kind::Pools
        | Kind::Blight => {
            let stone = if kind == Kind::Snow { rgb(0x77808E) } else { blend(c.light(), rgb(0x8C877C), 0.35) };
            for at in points.iter().take(if rare { 7 } else { 3 }) {
                let r = 1.2 + (at[0] * 7.7).fract() * if rare { 2.8 } else { 1.6 };
                p.dome(*at, r, 0.8, scale(stone, 0.75 + 0.3 * (at[1] * 3.3).fract()), r * 0.9);
            }
        }
        _ => {}
    }
}
