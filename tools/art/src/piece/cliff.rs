//! Cliff pieces of one cell: between every two neighbouring levels runs a contour from side to side, and the wall is the side
//! outline swept along it.

use super::polygon::triangulate;
use super::profile::{self, Profile};
use super::soup::{Corner, Soup, add, cross, ground_uv, sub, unit};
use super::{CELL, Style};
use crate::mdx::Mesh;
use crate::noise::{fbm, hash, hash_text, mix, smoothstep};

/// Corners counter-clockwise from the south-west; side `i` leads from corner `i` to the next.
pub(super) const CORNERS: [[f32; 2]; 4] = [[0.0, 0.0], [CELL, 0.0], [CELL, CELL], [0.0, CELL]];

/// Segments along the contour of a rock wall.
const SEGMENTS: usize = 6;

/// A wall: columns along the contour, each from foot to rim.
struct Strip {
    /// Sides where the contour starts and ends.
    sides: [usize; 2],
    columns: Vec<Column>,
    /// Tiers (levels over the base, 1 or 2) that the wall spans.
    tiers: [u8; 2],
}

#[derive(Clone)]
struct Column {
    points: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    /// Normals that the side outline dictates, at both ends of the contour.
    fixed: Option<Vec<[f32; 3]>>,
}

/// The mesh of a configuration in native axes.
pub(crate) fn build(style: Style, letters: &str, variation: u32) -> Mesh {
    let levels = levels(letters);
    let seed = hash_text(letters) ^ hash(variation as i32, 3, 0x0C11);
    let mut strips: Vec<Strip> = Vec::new();
    for tier in 1..=2 {
        for (sides, run) in runs(&levels, tier) {
            let strip = sweep(style, &levels, tier, sides, run);
            // a wall over two levels with the same contour is one surface, so that its middle row is smooth too
            let below = strips.iter_mut().find(|s| style == Style::Rock && s.sides == sides && s.tiers[1] + 1 == tier);
            if let Some(below) = below {
                below.stack(&strip, tier);
            } else {
                strips.push(strip);
            }
        }
    }
    let mut soup = Soup::default();
    for strip in &mut strips {
        if style == Style::Rock {
            strip.weather(seed);
        }
    }
    for strip in &strips {
        if style == Style::Rock { strip.emit_smooth(&mut soup) } else { strip.emit_faceted(&mut soup) }
    }
    for level in 0..=2 {
        for ring in rings(style, &levels, level, &strips) {
            let flat: Vec<[f32; 2]> = ring.iter().map(|p| [p[0], p[1]]).collect();
            for t in triangulate(&flat) {
                soup.triangle(t.map(|k| Corner {
                    position: ring[k],
                    normal: [0.0, 0.0, 1.0],
                    uv: ground_uv(ring[k][0], ring[k][1], level == 0),
                }));
            }
        }
    }
    soup.finish()
}

/// Levels by corner in `CORNERS` order, from letters north-west, north-east, south-east, south-west.
fn levels(letters: &str) -> [u8; 4] {
    let mut out = [0; 4];
    for (letter, corner) in letters.bytes().zip([3, 2, 1, 0]) {
        out[corner] = letter.saturating_sub(b'A').min(2);
    }
    out
}

/// The runs of neighbouring corners at or over a tier: (side where the border leaves the run, side where it enters), length.
/// Two high corners across from each other are two runs: low ground stays connected between them.
fn runs(levels: &[u8; 4], tier: u8) -> Vec<([usize; 2], usize)> {
    let high = |c: usize| levels[c % 4] >= tier;
    (0..4)
        .filter(|c| high(*c) && !high(c + 3))
        .map(|first| {
            let length = (1..4).take_while(|n| high(first + n)).count() + 1;
            ([(first + length - 1) % 4, (first + 3) % 4], length)
        })
        .collect()
}

/// Middle of a side and the direction along it towards its high corner.
fn side_frame(levels: &[u8; 4], side: usize) -> ([f32; 2], [f32; 2]) {
    let (a, b) = (CORNERS[side], CORNERS[(side + 1) % 4]);
    let middle = [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
    let sign = if levels[side] > levels[(side + 1) % 4] { -1.0 } else { 1.0 };
    (middle, [(b[0] - a[0]) / CELL * sign, (b[1] - a[1]) / CELL * sign])
}

/// The outline of one tier on a side, heights counted from the cell's base.
fn tier_profile(style: Style, levels: &[u8; 4], side: usize, tier: u8) -> Profile {
    let (a, b) = (levels[side], levels[(side + 1) % 4]);
    let low = a.min(b);
    let mut tiers = profile::side(style, a.abs_diff(b));
    let mut profile = tiers.swap_remove(usize::from(tier - 1 - low).min(tiers.len() - 1));
    for p in &mut profile.points {
        p[1] += f32::from(low) * CELL;
    }
    profile
}

/// Sweeps a tier's outline from its first side to its second, with the high ground on the left.
fn sweep(style: Style, levels: &[u8; 4], tier: u8, sides: [usize; 2], run: usize) -> Strip {
    let ends = sides.map(|s| tier_profile(style, levels, s, tier));
    // where two walls take different ways through the cell, the corner of each moves off the middle, away from the other
    let alone = runs(levels, 3 - tier).iter().all(|(s, _)| *s != sides);
    let saddle = (1..=2).any(|t| runs(levels, t).len() == 2);
    let bend = if saddle || (alone && levels.contains(&2)) { 24.0 } else { 0.0 };
    let frames = sides.map(|s| side_frame(levels, s));
    let stations: Vec<f32> = match (style, run) {
        (Style::Rock, _) => (0..=SEGMENTS).map(|i| i as f32 / SEGMENTS as f32).collect(),
        (Style::City, 2) => vec![0.0, 1.0],
        (Style::City, _) => vec![0.0, 0.5, 1.0],
    };
    let last = stations.len() - 1;
    let columns = stations
        .iter()
        .enumerate()
        .map(|(i, s)| {
            let (centre, left) = contour(style, &frames, sides, run, bend, *s);
            // twice flattened: walls that start from one point part before their feet and rims spread
            let w = smoothstep(0.0, 1.0, smoothstep(0.0, 1.0, *s));
            let at = |k: usize| {
                let (p, q) = (ends[0].points[k], ends[1].points[k]);
                let u = mix(p[0], q[0], w);
                [centre[0] + left[0] * u, centre[1] + left[1] * u, mix(p[1], q[1], w)]
            };
            let count = ends[0].points.len();
            let fixed = (i == 0 || i == last).then(|| {
                let end = usize::from(i == last);
                ends[end].normals.iter().map(|n| [frames[end].1[0] * n[0], frames[end].1[1] * n[0], n[1]]).collect()
            });
            Column {
                points: (0..count).map(at).collect(),
                uvs: (0..count).map(|k| [*s, mix(ends[0].v[k], ends[1].v[k], w)]).collect(),
                fixed,
            }
        })
        .collect();
    Strip { sides, columns, tiers: [tier, tier] }
}

/// Point of a contour and its direction to the high side (longer than 1 at a mitre). `bend` moves the corner of a city wall towards
/// the one cell corner that differs.
fn contour(
    style: Style,
    frames: &[([f32; 2], [f32; 2]); 2],
    sides: [usize; 2],
    run: usize,
    bend: f32,
    s: f32,
) -> ([f32; 2], [f32; 2]) {
    let (a, b) = (frames[0], frames[1]);
    // the one corner that differs: the first of the run, or the one after it
    let pivot = if run == 1 { CORNERS[sides[0]] } else { CORNERS[(sides[0] + 1) % 4] };
    if run == 2 {
        return ([mix(a.0[0], b.0[0], s), mix(a.0[1], b.0[1], s)], a.1);
    }
    if style == Style::City {
        return match s {
            0.0 => a,
            1.0 => b,
            _ => (
                pivot.map(|v| if v > 0.0 { CELL / 2.0 + bend } else { CELL / 2.0 - bend }),
                [a.1[0] + b.1[0], a.1[1] + b.1[1]],
            ),
        };
    }
    // a quarter circle round that corner
    let angle = s * std::f32::consts::FRAC_PI_2;
    let (sin, cos) = if s == 0.0 {
        (0.0, 1.0)
    } else if s == 1.0 {
        (1.0, 0.0)
    } else {
        angle.sin_cos()
    };
    let arm = |f: ([f32; 2], [f32; 2])| [f.0[0] - pivot[0], f.0[1] - pivot[1]];
    let (p, q) = (arm(a), arm(b));
    let out = [p[0] * cos + q[0] * sin, p[1] * cos + q[1] * sin];
    let sign = if run == 1 { -1.0 } else { 1.0 };
    ([pivot[0] + out[0], pivot[1] + out[1]], [sign * out[0] / (CELL / 2.0), sign * out[1] / (CELL / 2.0)])
}

impl Strip {
    /// Puts the wall of the next tier on top.
    fn stack(&mut self, upper: &Self, tier: u8) {
        self.tiers[1] = tier;
        for (own, other) in self.columns.iter_mut().zip(&upper.columns) {
            own.points.extend_from_slice(&other.points[1..]);
            own.uvs.extend_from_slice(&other.uvs[1..]);
            if let (Some(n), Some(m)) = (&mut own.fixed, &other.fixed) {
                n.extend_from_slice(&m[1..]);
            }
        }
    }

    /// Pushes the inside of a rock wall in and out. Both ends stay, and so do foot and rim where the wall is double at an end,
    /// because there the level between narrows to a point.
    fn weather(&mut self, seed: u32) {
        let rows = self.columns[0].points.len();
        let count = self.columns.len() - 1;
        let rise = |c: &Column| c.points[rows - 1][2] - c.points[0][2];
        let narrow = [0, count].iter().any(|i| {
            let top = self.columns[*i].uvs[rows - 1][1];
            let foot = self.columns[*i].uvs[0][1];
            // a single wall spans the whole texture
            rise(&self.columns[*i]) > CELL || (foot - top) < 0.7
        });
        for i in 1..count {
            let s = i as f32 / count as f32;
            let window = (s * std::f32::consts::PI).sin().powi(2);
            let previous = self.columns[i - 1].points[0];
            let next = self.columns[i + 1].points[0];
            let along = unit([next[0] - previous[0], next[1] - previous[1], 0.0]);
            let left = [-along[1], along[0]];
            for k in 0..rows {
                let border = k == 0 || k == rows - 1;
                if border && narrow {
                    continue;
                }
                let t = k as f32 / rows as f32;
                let broad = fbm(s * 0.5, t * 0.5, 8, 2, seed) - 0.5;
                // neighbouring rows step in and out like ledges
                let ledge = (crate::noise::unit(i as i32, k as i32, seed ^ 0x1ED6) - 0.5) * 0.6;
                let reach = if border { 7.0 } else { 17.0 };
                let push = (broad + if border { 0.0 } else { ledge }) * reach * window;
                let p = &mut self.columns[i].points[k];
                p[0] += left[0] * push;
                p[1] += left[1] * push;
                if !border {
                    p[2] += (crate::noise::unit(i as i32, k as i32, seed ^ 0x2ED6) - 0.5) * 9.0 * window;
                }
            }
        }
    }

    /// Quads with normals shared over the wall, except at the ends, where the outline gives them.
    fn emit_smooth(&self, soup: &mut Soup) {
        let rows = self.columns[0].points.len();
        let mut normals = vec![vec![[0.0f32; 3]; rows]; self.columns.len()];
        let p = |i: usize, k: usize| self.columns[i].points[k];
        for i in 0..self.columns.len() - 1 {
            for k in 0..rows - 1 {
                let n = cross(sub(p(i + 1, k + 1), p(i, k)), sub(p(i, k + 1), p(i + 1, k)));
                for (a, b) in [(i, k), (i + 1, k), (i, k + 1), (i + 1, k + 1)] {
                    normals[a][b] = add(normals[a][b], n);
                }
            }
        }
        for (column, own) in self.columns.iter().zip(&mut normals) {
            for n in own.iter_mut() {
                *n = unit(*n);
            }
            // foot and rim lean towards the level ground they meet
            for k in [0, rows - 1] {
                own[k] = unit(add(own[k], [0.0, 0.0, 1.0]));
            }
            if let Some(fixed) = &column.fixed {
                own.clone_from(fixed);
            }
        }
        let corner =
            |i: usize, k: usize| Corner { position: p(i, k), normal: normals[i][k], uv: self.columns[i].uvs[k] };
        for i in 0..self.columns.len() - 1 {
            for k in 0..rows - 1 {
                soup.triangle([corner(i, k), corner(i + 1, k), corner(i + 1, k + 1)]);
                soup.triangle([corner(i, k), corner(i + 1, k + 1), corner(i, k + 1)]);
            }
        }
    }

    /// Quads with a normal each: dressed stone has edges.
    fn emit_faceted(&self, soup: &mut Soup) {
        let rows = self.columns[0].points.len();
        for i in 0..self.columns.len() - 1 {
            for k in 0..rows - 1 {
                let quad = [(i, k), (i + 1, k), (i + 1, k + 1), (i, k + 1)];
                let at = |(a, b): (usize, usize)| self.columns[a].points[b];
                let n = unit(cross(sub(at(quad[2]), at(quad[0])), sub(at(quad[3]), at(quad[1]))));
                let corner =
                    |(a, b): (usize, usize)| Corner { position: at((a, b)), normal: n, uv: self.columns[a].uvs[b] };
                soup.triangle([quad[0], quad[1], quad[2]].map(corner));
                soup.triangle([quad[0], quad[2], quad[3]].map(corner));
            }
        }
    }
}

/// The counter-clockwise outlines of the ground at a level: cell border, rims of the walls below, feet of the walls above.
fn rings(style: Style, levels: &[u8; 4], level: u8, strips: &[Strip]) -> Vec<Vec<[f32; 3]>> {
    let z = f32::from(level) * CELL;
    let mut chains: Vec<Vec<[f32; 3]>> = Vec::new();
    for side in 0..4 {
        let ends = [levels[side], levels[(side + 1) % 4]];
        if level < ends[0].min(ends[1]) || level > ends[0].max(ends[1]) {
            continue;
        }
        let at = |from_high: f32| {
            let (middle, to_high) = side_frame(levels, side);
            [middle[0] + to_high[0] * from_high, middle[1] + to_high[1] * from_high, z]
        };
        let corner = |c: usize| [CORNERS[c % 4][0], CORNERS[c % 4][1], z];
        if ends[0] == ends[1] {
            chains.push(vec![corner(side), corner(side + 1)]);
            continue;
        }
        let rim = |tier: u8| tier_profile(style, levels, side, tier).points.last().map_or(0.0, |p| p[0]);
        let foot = |tier: u8| tier_profile(style, levels, side, tier).points.first().map_or(0.0, |p| p[0]);
        if level == ends[0] || level == ends[1] {
            let own = if level == ends[0] { side } else { side + 1 };
            let high = level == ends[0].max(ends[1]);
            let point = at(if high { rim(level) } else { foot(level + 1) });
            chains.push(if own == side { vec![corner(side), point] } else { vec![point, corner(side + 1)] });
        }
    }
    for strip in strips {
        if strip.tiers[1] == level {
            chains.push(strip.columns.iter().filter_map(|c| c.points.last().copied()).collect());
        }
        if strip.tiers[0] == level + 1 {
            chains.push(strip.columns.iter().rev().map(|c| c.points[0]).collect());
        }
    }
    link(chains)
}

/// Joins chains end to start into closed rings.
fn link(mut chains: Vec<Vec<[f32; 3]>>) -> Vec<Vec<[f32; 3]>> {
    let near = |a: [f32; 3], b: [f32; 3]| (a[0] - b[0]).hypot(a[1] - b[1]) < 0.01;
    let mut out = Vec::new();
    while let Some(mut ring) = chains.pop() {
        while !near(ring[0], ring[ring.len() - 1]) {
            let end = ring[ring.len() - 1];
            let Some(next) = chains.iter().position(|c| near(c[0], end)) else { break };
            ring.extend_from_slice(&chains.swap_remove(next)[1..]);
        }
        ring.pop();
        if ring.len() > 2 {
            out.push(ring);
        }
    }
    out
}
