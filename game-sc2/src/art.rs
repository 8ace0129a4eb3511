//! Ground textures for maps whose game is not at hand: made from the id of a CTerrainTex, tileable, always the same.

use terrace_engine::asset::Mip;

/// Texels along one side.
pub(crate) const SIDE: u32 = 256;

/// How a surface is patterned.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pattern {
    /// Soft patches.
    Soil,
    /// Fine blades.
    Grass,
    /// Veins.
    Rock,
    /// Plates with seams.
    Plates,
}

/// Words in ids, the colour they stand for (0 to 255) and the pattern. Materials come before places: the first hit counts.
const WORDS: [(&[&str], [f32; 3], Pattern); 14] = [
    (&["grass", "crop", "moss", "jungle"], [86.0, 110.0, 52.0], Pattern::Grass),
    (&["lava", "magma", "fire"], [150.0, 66.0, 30.0], Pattern::Rock),
    (&["snow", "ice", "frost"], [196.0, 208.0, 220.0], Pattern::Soil),
    (&["metal", "plate", "mesh", "steel", "tech", "lab", "panel"], [112.0, 120.0, 130.0], Pattern::Plates),
    (
        &["concrete", "brick", "pave", "tile", "street", "road", "city", "castle", "temple", "floor"],
        [128.0, 124.0, 116.0],
        Pattern::Plates,
    ),
    (&["sand", "dune", "desert", "beach"], [184.0, 156.0, 104.0], Pattern::Soil),
    (&["dirt", "mud", "soil", "earth", "ash"], [112.0, 88.0, 64.0], Pattern::Soil),
    (&["rock", "stone", "crack", "gravel", "cliff"], [118.0, 106.0, 96.0], Pattern::Rock),
    (&["creep"], [92.0, 60.0, 96.0], Pattern::Soil),
    (&["char", "redstone", "mar", "zerus", "elsecaro"], [124.0, 78.0, 58.0], Pattern::Rock),
    (&["agria", "aiur", "bel", "haven", "mein"], [98.0, 104.0, 62.0], Pattern::Grass),
    (
        &["korhal", "tarsonis", "braxis", "haven", "shakuras", "moebius", "hybrid", "void"],
        [108.0, 114.0, 126.0],
        Pattern::Plates,
    ),
    (&["dark", "black"], [70.0, 66.0, 66.0], Pattern::Soil),
    (&["zhakul", "ulnar", "slayn", "storm"], [96.0, 100.0, 112.0], Pattern::Rock),
];

/// A number from bytes, the same on every machine (FNV-1a).
fn hash(bytes: impl IntoIterator<Item = u8>) -> u32 {
    bytes.into_iter().fold(0x811C_9DC5, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

/// A value of 0 to 1 at a point of a lattice.
fn lattice(x: u32, y: u32, seed: u32) -> f32 {
    let mut h = seed ^ x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77);
    h = (h ^ (h >> 15)).wrapping_mul(0x2C1B_3C6D);
    h = (h ^ (h >> 12)).wrapping_mul(0x297A_2D39);
    ((h ^ (h >> 15)) & 0xFFFF) as f32 / 65535.0
}

/// Smooth noise of 0 to 1 that repeats after `across` by `along` lattice points over the texture.
fn noise(u: f32, v: f32, across: u32, along: u32, seed: u32) -> f32 {
    let (x, y) = (u * across as f32, v * along as f32);
    let (x0, y0) = (x.floor() as u32 % across, y.floor() as u32 % along);
    let ease = |t: f32| t * t * (3.0 - 2.0 * t);
    let (tx, ty) = (ease(x.fract()), ease(y.fract()));
    let at = |dx: u32, dy: u32| lattice((x0 + dx) % across, (y0 + dy) % along, seed);
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    mix(mix(at(0, 0), at(1, 0), tx), mix(at(0, 1), at(1, 1), tx), ty)
}

/// Octaves of noise, -1 to 1.
fn octaves(u: f32, v: f32, first: u32, count: u32, seed: u32) -> f32 {
    let mut sum = 0.0;
    let mut weight = 0.5;
    for octave in 0..count {
        let side = first << octave;
        sum += (noise(u, v, side, side, seed.wrapping_add(octave)) * 2.0 - 1.0) * weight;
        weight *= 0.6;
    }
    sum
}

fn brightness(pattern: Pattern, u: f32, v: f32, seed: u32) -> f32 {
    let patches = octaves(u, v, 4, 4, seed);
    let grain = octaves(u, v, 64, 2, seed ^ 0x5151);
    match pattern {
        Pattern::Soil => 1.0 + 0.22 * patches + 0.16 * grain,
        Pattern::Grass => {
            let blades = noise(u, v, 96, 24, seed) - noise(v, u, 64, 32, seed ^ 7);
            1.0 + 0.18 * patches + 0.30 * blades + 0.10 * grain
        }
        Pattern::Rock => {
            let vein = octaves(u, v, 6, 3, seed ^ 0xABC).abs();
            let crack = if vein < 0.04 { -0.35 } else { 0.0 };
            1.0 + 0.30 * patches + 0.18 * grain + crack
        }
        Pattern::Plates => {
            let (x, y) = (u * 4.0, v * 4.0);
            let plate = lattice(x as u32, y as u32, seed) - 0.5;
            let edge = x.fract().min(1.0 - x.fract()).min(y.fract()).min(1.0 - y.fract());
            let seam = if edge < 0.03 {
                -0.40
            } else if edge < 0.06 {
                0.12
            } else {
                0.0
            };
            1.0 + 0.16 * plate + 0.10 * patches + 0.08 * grain + seam
        }
    }
}

/// The base colour and the pattern of an id.
fn look(id: &str, seed: u32) -> ([f32; 3], Pattern) {
    let lower = id.to_lowercase();
    let known = WORDS.iter().find(|(words, ..)| words.iter().any(|word| lower.contains(word)));
    let (color, pattern) =
        known.map_or(([120.0, 108.0, 90.0], Pattern::Soil), |(_, color, pattern)| (*color, *pattern));
    // Ids with the same words differ a little in hue and brightness.
    let vary = |shift: u32| ((seed >> shift) & 0xFF) as f32 / 255.0 - 0.5;
    let lighter = 1.0 + 0.45 * vary(0);
    let tint = [1.0 + 0.16 * vary(8), 1.0 + 0.08 * vary(16), 1.0 + 0.16 * vary(24)];
    (std::array::from_fn(|i| color[i] * tint[i] * lighter), pattern)
}

/// The texture of an id: [`SIDE`] texels a side, opaque.
pub(crate) fn ground(id: &str) -> Mip {
    let seed = hash(id.bytes());
    let (color, pattern) = look(id, seed);
    let mut rgba = Vec::with_capacity((SIDE * SIDE * 4) as usize);
    for (y, x) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (y, x))) {
        let (u, v) = (x as f32 / SIDE as f32, y as f32 / SIDE as f32);
        let light = brightness(pattern, u, v, seed);
        rgba.extend(color.map(|c| (c * light).clamp(0.0, 255.0) as u8));
        rgba.push(255);
    }
    Mip { width: SIDE, height: SIDE, rgba }
}

/// Ripples: the slope of a height along x and y in red and green, the height in blue.
pub(crate) fn ripples() -> Mip {
    let side = 128u32;
    let height =
        |x: u32, y: u32| octaves((x % side) as f32 / side as f32, (y % side) as f32 / side as f32, 8, 3, 0x7A7E);
    let mut rgba = Vec::with_capacity((side * side * 4) as usize);
    let byte = |v: f32| ((v * 0.5 + 0.5).clamp(0.0, 1.0) * 255.0) as u8;
    for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
        let here = height(x, y);
        rgba.extend([byte((height(x + 1, y) - here) * 4.0), byte((height(x, y + 1) - here) * 4.0), byte(here), 255]);
    }
    Mip { width: side, height: side, rgba }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(mip: &Mip) -> [f32; 3] {
        let count = (mip.rgba.len() / 4) as f32;
        std::array::from_fn(|c| mip.rgba.iter().skip(c).step_by(4).map(|v| f32::from(*v)).sum::<f32>() / count)
    }

    #[test]
    fn words_choose_the_hue_and_ids_differ() {
        let [r, g, b] = mean(&ground("AgriaGrassGreen"));
        assert!(g > r && g > b);
        let [r, _, b] = mean(&ground("MarSaraSand"));
        assert!(r > b * 1.2);
        assert_ne!(ground("KorhalCityEx2_1"), ground("KorhalCityEx2_2"));
        assert_eq!(ground("CharRedCracks"), ground("CharRedCracks"));
    }

    #[test]
    fn textures_repeat_without_a_seam() {
        let noise = |u: f32, v: f32| octaves(u, v, 4, 4, 99);
        for i in 0..10 {
            let t = i as f32 / 10.0;
            assert!((noise(0.0, t) - noise(0.999_99, t)).abs() < 0.01);
            assert!((noise(t, 0.0) - noise(t, 0.999_99)).abs() < 0.01);
        }
    }
}
