//! Plain generated pieces for cells whose model is missing: never a hole.

use glam::{Vec2, Vec3};

use super::LETTER_CORNERS;
use super::models::CliffModel;
use super::ramps::RampForm;
use crate::formats::w3e::{LAYER_HEIGHT, TILE_SIZE};

/// Collects quads in world axes (x east, y north), local to the cell, and turns them into a model's own axes.
#[derive(Default)]
struct Quads(CliffModel);

impl Quads {
    /// A quad whose front faces `towards`; corners in order around it. Quads without area are left out.
    fn add(&mut self, corners: [Vec3; 4], towards: Vec3) {
        let normal = (corners[2] - corners[0]).cross(corners[3] - corners[1]);
        if normal.length_squared() < 1e-6 {
            return;
        }
        let front = normal.dot(towards) >= 0.0;
        let normal = if front { normal } else { -normal }.normalize();
        let first = self.0.positions.len() as u32;
        for p in corners {
            // The inverse of the quarter turn that placing a piece applies.
            self.0.positions.push(Vec3::new(-p.y, p.x, p.z));
            self.0.normals.push(Vec3::new(-normal.y, normal.x, normal.z));
            let across = if normal.z.abs() > 0.7 { Vec2::new(p.x, -p.y) } else { Vec2::new(p.x + p.y, -p.z) };
            self.0.uvs.push(across / TILE_SIZE);
        }
        let order = if front { [0, 1, 2, 0, 2, 3] } else { [0, 2, 1, 0, 3, 2] };
        self.0.indices.extend(order.map(|i| first + i));
    }

    /// A vertical wall between two points of the ground plan, from one height to another; each pair is (at a, at b).
    fn wall(&mut self, a: Vec2, b: Vec2, from: [f32; 2], to: [f32; 2], towards: Vec2) {
        let corners = [a.extend(from[0]), b.extend(from[1]), b.extend(to[1]), a.extend(to[0])];
        self.add(corners, towards.extend(0.0));
    }
}

/// A cliff piece: each quarter of the cell lies flat on the level of its corner, with walls between the quarters.
pub fn cliff(letters: [u8; 4]) -> CliffModel {
    let mut quads = Quads(CliffModel { name: "generated cliff".to_owned(), ..CliffModel::default() });
    let half = TILE_SIZE / 2.0;
    let z = letters.map(|l| f32::from(l.saturating_sub(b'A').min(2)) * LAYER_HEIGHT);
    for (i, (x, y)) in LETTER_CORNERS.into_iter().enumerate() {
        let sw = Vec2::new(x as f32, y as f32) * half;
        let at = |dx: f32, dy: f32| (sw + Vec2::new(dx, dy) * half).extend(z[i]);
        quads.add([at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)], Vec3::Z);
    }
    let centre = Vec2::splat(half);
    // Walls from the middle of each side to the centre: north, east, south, west.
    let sides = [((0, 1), Vec2::Y), ((1, 2), Vec2::X), ((3, 2), -Vec2::Y), ((0, 3), -Vec2::X)];
    for ((a, b), out) in sides {
        let (low, high) = if z[a] < z[b] { (a, b) } else { (b, a) };
        let corner = |i: usize| Vec2::new(LETTER_CORNERS[i].0 as f32, LETTER_CORNERS[i].1 as f32);
        quads.wall(centre + out * half, centre, [z[low]; 2], [z[high]; 2], corner(low) - corner(high));
    }
    quads.0
}

/// A ramp piece over two cells: the half beside the ramp's edge rises evenly, the other half keeps the cliff's steps,
/// with a wall between them. It meets the generated cliff pieces at both ends.
pub fn ramp(form: RampForm) -> CliffModel {
    let mut quads = Quads(CliffModel { name: "generated ramp".to_owned(), ..CliffModel::default() });
    let corner = |i: usize| Vec2::new(LETTER_CORNERS[i].0 as f32, LETTER_CORNERS[i].1 as f32);
    let (low, up) = (corner(form.low), corner(form.high) - corner(form.low));
    let step = (form.high + 4 - form.low) % 4;
    let (beside_low, beside_high) = ((form.low + 4 - step) % 4, (form.high + step) % 4);
    let across = corner(beside_low) - low;
    let shift = Vec2::new(form.shift().0 as f32, form.shift().1 as f32);
    // `s` runs from 0 (low end) over 1 (the middle) to 2 (high end), `t` from the ramp's edge to the other side.
    let place = |s: f32, t: f32| (low + up * (s - 1.0) + across * t - shift) * TILE_SIZE;
    let slope = |s: f32| s / 2.0 * LAYER_HEIGHT;
    let top = if form.letters[beside_high] == b'B' { LAYER_HEIGHT } else { 0.0 };
    for half in 0..4 {
        let (s0, s1) = (half as f32 / 2.0, half as f32 / 2.0 + 0.5);
        let other = if half == 3 { top } else { 0.0 };
        let strip = |t0: f32, t1: f32, z0: f32, z1: f32| {
            [(s0, t0, z0), (s1, t0, z1), (s1, t1, z1), (s0, t1, z0)].map(|(s, t, z)| place(s, t).extend(z))
        };
        quads.add(strip(0.0, 0.5, slope(s0), slope(s1)), Vec3::Z);
        quads.add(strip(0.5, 1.0, other, other), Vec3::Z);
        let towards = if slope(s1) > other { across } else { -across };
        quads.wall(place(s0, 0.5), place(s1, 0.5), [other; 2], [slope(s0), slope(s1)], towards);
    }
    quads.wall(place(1.5, 0.5), place(1.5, 1.0), [0.0; 2], [top; 2], -up);
    quads.0
}
