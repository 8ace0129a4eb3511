//! Writes BLP1 textures with a 256 colour palette, 8-bit alpha and a full mip chain.
//!
//! The palette is found by median cut over the colours of all mips; texels are then rounded with an 8x8 ordered dither, which
//! repeats with the 64-texel period of the ground cells and so keeps them seamless.

use crate::canvas::Canvas;

const HEADER: usize = 28 + 64 + 64;
const PALETTE: usize = 1024;

/// Strength of the dither, in 8-bit steps from the lowest to the highest threshold.
const DITHER: f32 = 2.5;

/// Encodes the picture with at most `colours` (256 or fewer) palette entries. With `alpha` false the file has no alpha plane and is
/// opaque.
pub(crate) fn encode(canvas: &Canvas, alpha: bool, colours: usize) -> Vec<u8> {
    let mut mips = vec![canvas.clone()];
    while mips.len() < 16 && (mips[mips.len() - 1].width > 1 || mips[mips.len() - 1].height > 1) {
        let next = mips[mips.len() - 1].halved();
        mips.push(next);
    }
    let mut palette = median_cut(canvas, colours.min(256));
    let mut lookup = Lookup::new(&palette);
    let mut body = Vec::new();
    let mut offsets = [0u32; 16];
    let mut sizes = [0u32; 16];
    for (level, mip) in mips.iter().enumerate() {
        let start = body.len();
        for y in 0..mip.height {
            for x in 0..mip.width {
                let [r, g, b, _] = mip.at(x, y);
                let d = (bayer(x, y) - 0.5) * DITHER;
                let to8 = |v: f32| (v * 255.0 + d + 0.5).clamp(0.0, 255.0) as u8;
                body.push(lookup.nearest([to8(r), to8(g), to8(b)]));
            }
        }
        if alpha {
            body.extend(mip.texels.iter().map(|t| opacity(t[3])));
        }
        offsets[level] = (HEADER + PALETTE + start) as u32;
        sizes[level] = (body.len() - start) as u32;
    }
    let mut out = Vec::with_capacity(HEADER + PALETTE + body.len());
    out.extend_from_slice(b"BLP1");
    // content 1 = palette; extra 4 marks 8-bit alpha, 5 none
    let fields =
        [1, if alpha { 8 } else { 0 }, canvas.width as u32, canvas.height as u32, if alpha { 4 } else { 5 }, 1];
    for v in fields.iter().chain(&offsets).chain(&sizes) {
        out.extend_from_slice(&v.to_le_bytes());
    }
    palette.resize(256, [0; 3]);
    for [r, g, b] in &palette {
        out.extend_from_slice(&[*b, *g, *r, 255]);
    }
    out.extend_from_slice(&body);
    out
}

/// Opacity in 16 steps, which nobody tells from 256 on a ragged edge and which pack in half the space.
fn opacity(a: f32) -> u8 {
    (a * 15.0 + 0.5).clamp(0.0, 15.0) as u8 * 17
}

/// The 8x8 Bayer threshold in 0..1.
fn bayer(x: usize, y: usize) -> f32 {
    let (mut v, mut a, mut b) = (0, x ^ y, y);
    for _ in 0..3 {
        v = (v << 2) | ((a & 1) << 1) | (b & 1);
        a >>= 1;
        b >>= 1;
    }
    (v as f32 + 0.5) / 64.0
}

/// At most `size` colours that fit the picture: the box with the widest channel times its population is halved at the median.
fn median_cut(canvas: &Canvas, size: usize) -> Vec<[u8; 3]> {
    let mut colours: Vec<[u8; 3]> =
        canvas.texels.iter().map(|t| [0, 1, 2].map(|c| (t[c] * 255.0 + 0.5).clamp(0.0, 255.0) as u8 & 0xFE)).collect();
    colours.sort_unstable();
    let mut counted: Vec<([u8; 3], u32)> = Vec::new();
    for c in colours {
        match counted.last_mut() {
            Some((last, n)) if *last == c => *n += 1,
            _ => counted.push((c, 1)),
        }
    }
    let mut boxes = vec![ColourBox::new(&counted, 0, counted.len())];
    while boxes.len() < size {
        let Some((index, _)) = boxes.iter().enumerate().filter(|(_, b)| b.spread > 0).max_by_key(|(_, b)| b.priority())
        else {
            break;
        };
        let b = boxes.swap_remove(index);
        let slice = &mut counted[b.start..b.end];
        slice.sort_unstable_by_key(|(c, _)| (c[b.axis], *c));
        let mut seen = 0;
        let half = slice.iter().position(|(_, n)| {
            seen += n;
            seen * 2 >= b.population
        });
        let at = b.start + half.unwrap_or(0).clamp(1, slice.len() - 1);
        boxes.push(ColourBox::new(&counted, b.start, at));
        boxes.push(ColourBox::new(&counted, at, b.end));
    }
    boxes.sort_unstable_by_key(|b| b.start);
    boxes.iter().map(|b| b.mean(&counted)).collect()
}

struct ColourBox {
    start: usize,
    end: usize,
    axis: usize,
    spread: u32,
    population: u32,
}

impl ColourBox {
    fn new(counted: &[([u8; 3], u32)], start: usize, end: usize) -> Self {
        let (mut low, mut high, mut population) = ([255u8; 3], [0u8; 3], 0);
        for (c, n) in &counted[start..end] {
            population += n;
            for k in 0..3 {
                low[k] = low[k].min(c[k]);
                high[k] = high[k].max(c[k]);
            }
        }
        let width = |k: usize| u32::from(high[k].saturating_sub(low[k]));
        let axis = (0..3).max_by_key(|k| width(*k)).unwrap_or(0);
        Self { start, end, axis, spread: width(axis), population }
    }

    fn priority(&self) -> u64 {
        u64::from(self.spread) * u64::from(self.spread) * u64::from(self.population.isqrt() + 1)
    }

    fn mean(&self, counted: &[([u8; 3], u32)]) -> [u8; 3] {
        let mut sum = [0u64; 3];
        for (c, n) in &counted[self.start..self.end] {
            for k in 0..3 {
                sum[k] += u64::from(c[k]) * u64::from(*n);
            }
        }
        sum.map(|s| (s / u64::from(self.population.max(1))) as u8)
    }
}

/// Nearest palette entry of each 64x64x64 colour cube cell, searched when a cell is first asked for.
struct Lookup<'a> {
    palette: &'a [[u8; 3]],
    cube: Vec<u16>,
}

/// A cube cell that was not searched yet.
const UNKNOWN: u16 = u16::MAX;

impl<'a> Lookup<'a> {
    fn new(palette: &'a [[u8; 3]]) -> Self {
        Self { palette, cube: vec![UNKNOWN; 1 << 18] }
    }

    fn nearest(&mut self, c: [u8; 3]) -> u8 {
        let cell = c.map(|v| usize::from(v >> 2));
        let index = (cell[0] << 12) | (cell[1] << 6) | cell[2];
        if self.cube[index] == UNKNOWN {
            let centre = cell.map(|v| v as i32 * 4 + 2);
            let distance = |p: &[u8; 3]| -> i32 { (0..3).map(|k| (centre[k] - i32::from(p[k])).pow(2)).sum() };
            let best = (0..self.palette.len()).min_by_key(|i| distance(&self.palette[*i])).unwrap_or(0);
            self.cube[index] = best as u16;
        }
        self.cube[index] as u8
    }
}
