//! Ramp pieces of two cells: the cell with the two ramp corners and its neighbour on the low side.
//!
//! Built in a frame of its own: `a` runs downhill from the high ramp corner (0) over the low one (128) to the far end (256), `b`
//! from the ramp's open side (0), where the ground goes on, to its walled side (128).

use super::cliff::CORNERS;
use super::profile::{self, FOOT_V, RIM_V};
use super::soup::{Corner, Soup, add, cross, ground_uv, sub, unit};
use super::{CELL, Style};
use crate::mdx::Mesh;
use crate::noise::{fbm, hash_text, mix};

/// Height of the low ramp corner: the ground there is raised half a level.
const MIDDLE: f32 = 64.0;

/// A point of a ramp.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Point {
    /// a, b, z.
    at: [f32; 3],
    /// Texture coordinates where the point belongs to a wall.
    wall: [f32; 2],
}

/// A point of the walkable part only.
const fn level_point(a: f32, b: f32, z: f32) -> Point {
    Point { at: [a, b, z], wall: [0.0; 2] }
}

/// World units of wall along one width of the cliff texture.
const WALL_REACH: f32 = 256.0;

/// How the frame lies in the cell.
struct Frame {
    origin: [f32; 2],
    down: [f32; 2],
    across: [f32; 2],
}

impl Frame {
    fn world(&self, p: Point) -> [f32; 3] {
        let p = p.at;
        [
            self.origin[0] + self.down[0] * p[0] + self.across[0] * p[1],
            self.origin[1] + self.down[1] * p[0] + self.across[1] * p[1],
            p[2],
        ]
    }

    fn mirrored(&self) -> bool {
        self.down[0] * self.across[1] - self.down[1] * self.across[0] < 0.0
    }
}

/// What the letters of a ramp form say.
struct Form {
    high: usize,
    down: [f32; 2],
    across: [f32; 2],
    rise: u8,
    /// The corner beside the high ramp corner is high too.
    walled_high: bool,
}

fn form(letters: &str) -> Form {
    let mut by_corner = [b'A'; 4];
    for (letter, corner) in letters.bytes().zip([3, 2, 1, 0]) {
        by_corner[corner] = letter;
    }
    let find = |wanted: &[u8]| by_corner.iter().position(|l| wanted.contains(l)).unwrap_or(0);
    let (high, low) = (find(b"HX"), find(b"L"));
    let beside = (0..4).find(|c| *c != low && (c + 4 - high) % 2 == 1).unwrap_or(0);
    let rise = if by_corner[high] == b'X' { 2 } else { 1 };
    let toward = |c: usize| [(CORNERS[c][0] - CORNERS[high][0]) / CELL, (CORNERS[c][1] - CORNERS[high][1]) / CELL];
    Form { high, down: toward(low), across: toward(beside), rise, walled_high: by_corner[beside] != b'A' }
}

/// Where a ramp piece goes: the neighbour that it covers, and the shift of its footprint against its cell, in world units.
pub(crate) struct RampPlace {
    pub(crate) low: [isize; 2],
    pub(crate) shift: [f32; 2],
}

/// The place of a ramp form, or none when there is no such form.
pub(crate) fn place(letters: &str) -> Option<RampPlace> {
    if !super::ramp_forms().iter().any(|f| f == letters) {
        return None;
    }
    let down = form(letters).down;
    Some(RampPlace { low: down.map(|d| d as isize), shift: down.map(|d| if d < 0.0 { -CELL } else { 0.0 }) })
}

/// The mesh of a ramp form in native axes.
pub(crate) fn build(style: Style, letters: &str) -> Mesh {
    let Form { high, down, across, rise, walled_high } = form(letters);
    // the footprint starts at the origin, also when the low neighbour lies west or south
    let origin = [0, 1].map(|k| CORNERS[high][k] + if down[k] < 0.0 { CELL } else { 0.0 });
    let frame = Frame { origin, down, across };
    let seed = hash_text(letters);
    let rows = if walled_high { beside_high_ground(style, rise, seed) } else { beside_low_ground(style, rise, seed) };
    emit(style, &frame, rise, walled_high, &rows)
}

/// Height of the ramp's surface: from the top to the raised middle to the bottom, straight between, as the ground beside it.
fn slope(rise: u8, a: f32) -> f32 {
    let top = f32::from(rise) * CELL;
    if a < CELL { mix(top, MIDDLE, a / CELL) } else { mix(MIDDLE, 0.0, (a - CELL) / CELL) }
}

fn open_side(rise: u8) -> Vec<Point> {
    vec![level_point(0.0, 0.0, slope(rise, 0.0)), level_point(CELL, 0.0, MIDDLE), level_point(2.0 * CELL, 0.0, 0.0)]
}

/// Columns over the low neighbour, before the far end, where every row runs into the wall's end: the border there is a
/// straight line of ground and has no corner of its own.
const TAIL: [f32; 3] = [CELL, 172.0, 214.0];

/// Rows of a ramp whose walled side has high ground beside the top: a bank leads from the slope to the cliff's outline. Above the
/// middle it rises to the plateau, below it falls to the low ground, so its rim and foot change places on the way.
fn beside_high_ground(style: Style, rise: u8, seed: u32) -> Vec<Vec<Point>> {
    let outline = profile::whole(style, rise);
    let top = slope(rise, 0.0);
    let count = outline.points.len();
    let cliff: Vec<([f32; 2], f32)> =
        outline.points.iter().zip(&outline.v).rev().map(|(p, v)| ([CELL / 2.0 - p[0], p[1]], *v)).collect();
    let (near, far, steps) = if style == Style::Rock { (52.0, 84.0, 5) } else { (58.0, 64.0, 1) };
    let start = Point { at: [0.0, CELL, top], wall: [(CELL - near) / WALL_REACH, RIM_V] };
    let end = Point { at: [2.0 * CELL, CELL, 0.0], wall: [1.0, FOOT_V] };
    let mut rows = vec![open_side(rise)];
    for step in 0..=steps {
        let t = step as f32 / steps as f32;
        let b = mix(near, far, t);
        let mut row = vec![start];
        for (j, (p, v)) in cliff.iter().enumerate() {
            let share = j as f32 / (count - 1) as f32;
            let along = mix(28.0, 98.0, share);
            let a = mix(along, p[0], t);
            let u = (CELL - b) + (along - CELL / 2.0) * (1.0 - t);
            let wall = [u.max(0.0) / WALL_REACH, mix(mix(FOOT_V, RIM_V, share), *v, t)];
            row.push(Point { at: [a, b + rough(style, seed, along, t), mix(slope(rise, along), p[1], t)], wall });
        }
        for a in TAIL {
            let wall = [(CELL - b + a - CELL / 2.0) / WALL_REACH, mix(RIM_V, FOOT_V, t)];
            row.push(Point { at: [a, b + rough(style, seed, a, t), mix(slope(rise, a), 0.0, t)], wall });
        }
        row.push(end);
        rows.push(row);
    }
    let mut last = vec![start];
    last.extend(cliff.iter().map(|(p, v)| Point { at: [p[0], CELL, p[1]], wall: [0.0, *v] }));
    last.extend([level_point(CELL, CELL, 0.0), end]);
    rows.push(last);
    rows
}

/// Rows of a ramp with low ground along its walled side: the cliff's outline at the top, flattened with the slope.
fn beside_low_ground(style: Style, rise: u8, seed: u32) -> Vec<Vec<Point>> {
    let outline = profile::whole(style, rise);
    let top = slope(rise, 0.0);
    let count = outline.points.len();
    let mut rows = vec![open_side(rise)];
    for (j, (p, v)) in outline.points.iter().zip(&outline.v).rev().enumerate() {
        let t = j as f32 / (count - 1) as f32;
        let b = CELL / 2.0 - p[0];
        let mut row = vec![Point { at: [0.0, b, p[1]], wall: [0.0, *v] }];
        for a in [30.0, 62.0, 96.0].into_iter().chain(TAIL) {
            let z = p[1] * slope(rise, a) / top;
            row.push(Point { at: [a, b + rough(style, seed, a, t), z], wall: [a / WALL_REACH, *v] });
        }
        row.push(Point { at: [2.0 * CELL, CELL, 0.0], wall: [1.0, *v] });
        rows.push(row);
    }
    rows.push(vec![level_point(0.0, CELL, 0.0), level_point(CELL, CELL, 0.0), level_point(2.0 * CELL, CELL, 0.0)]);
    rows
}

/// Sideways wear of a rock bank.
fn rough(style: Style, seed: u32, a: f32, t: f32) -> f32 {
    if style == Style::City {
        return 0.0;
    }
    let window = (t * std::f32::consts::PI).sin().max(0.25);
    (fbm(a / 256.0, t * 0.4, 8, 3, seed) - 0.5) * 12.0 * window
}

/// Triangles between neighbouring rows.
fn stitch(rows: &[Vec<Point>]) -> Vec<[Point; 3]> {
    let mut out = Vec::new();
    for pair in rows.windows(2) {
        let (near, far) = (&pair[0], &pair[1]);
        let (mut i, mut j) = (0, 0);
        while i + 1 < near.len() || j + 1 < far.len() {
            let step_near = j + 1 == far.len() || (i + 1 < near.len() && near[i + 1].at[0] <= far[j + 1].at[0]);
            if step_near {
                out.push([near[i], near[i + 1], far[j]]);
                i += 1;
            } else {
                out.push([near[i], far[j + 1], far[j]]);
                j += 1;
            }
        }
    }
    out
}

fn emit(style: Style, frame: &Frame, rise: u8, walled_high: bool, rows: &[Vec<Point>]) -> Mesh {
    let triangles: Vec<[Point; 3]> =
        stitch(rows).into_iter().map(|t| if frame.mirrored() { [t[0], t[2], t[1]] } else { t }).collect();
    let faces: Vec<[f32; 3]> = triangles
        .iter()
        .map(|t| {
            let [p, q, r] = t.map(|p| frame.world(p));
            cross(sub(q, p), sub(r, p))
        })
        .collect();
    let steep = |n: [f32; 3]| unit(n)[2] < 0.72;
    let mut soup = Soup::default();
    for (t, face) in triangles.iter().zip(&faces) {
        let corner = |p: Point| {
            let mut normal = *face;
            if style == Style::Rock {
                // smooth within the walkable part and within the wall, with an edge between them
                normal = [0.0; 3];
                for (other, n) in triangles.iter().zip(&faces) {
                    if steep(*n) == steep(*face) && other.iter().any(|q| q.at == p.at) {
                        normal = add(normal, *n);
                    }
                }
                if let Some(n) = outline_normal(style, rise, walled_high, p.at) {
                    let d = [
                        frame.down[0] * n[0] + frame.across[0] * n[1],
                        frame.down[1] * n[0] + frame.across[1] * n[1],
                        n[2],
                    ];
                    normal = d;
                }
            }
            let world = frame.world(p);
            let uv = if steep(*face) { p.wall } else { level_uv(frame, t, world) };
            Corner { position: world, normal: unit(normal), uv }
        };
        soup.triangle(t.map(corner));
    }
    soup.finish()
}

/// The normal that the shared outline gives to a point on it, in frame axes.
fn outline_normal(style: Style, rise: u8, walled_high: bool, p: [f32; 3]) -> Option<[f32; 3]> {
    let on_border = if walled_high { p[1] == CELL } else { p[0] == 0.0 };
    if !on_border {
        return None;
    }
    let outline = profile::whole(style, rise);
    let along = if walled_high { p[0] } else { p[1] };
    let k =
        outline.points.iter().position(|q| (CELL / 2.0 - q[0] - along).abs() < 1e-3 && (q[1] - p[2]).abs() < 1e-3)?;
    let n = outline.normals[k];
    // the high corner lies at the frame's origin end of either border
    Some(if walled_high { [-n[0], 0.0, n[1]] } else { [0.0, -n[0], n[1]] })
}

/// Ground coordinates of a walkable point; each of the two cells has its own square.
fn level_uv(frame: &Frame, triangle: &[Point; 3], world: [f32; 3]) -> [f32; 2] {
    let second = triangle.iter().map(|p| p.at[0]).sum::<f32>() / 3.0 > CELL;
    let lower = triangle.iter().all(|p| p.at[2] < 1.0);
    let start = |k: usize| {
        // the neighbour's square lies one cell on, or the own one does when the ramp goes down to the west or south
        let shifted = (frame.down[k] > 0.5 && second) || (frame.down[k] < -0.5 && !second);
        if shifted { CELL } else { 0.0 }
    };
    ground_uv(world[0] - start(0), world[1] - start(1), lower)
}
