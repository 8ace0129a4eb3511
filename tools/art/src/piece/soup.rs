//! Collects triangles corner by corner and joins equal corners into an indexed mesh in native axes.

use std::collections::HashMap;

use super::CELL;
use crate::mdx::Mesh;

/// A triangle corner in the cell's world axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    pub(super) position: [f32; 3],
    pub(super) normal: [f32; 3],
    pub(super) uv: [f32; 2],
}

#[derive(Default)]
pub(super) struct Soup {
    mesh: Mesh,
    seen: HashMap<[u32; 8], u16>,
}

impl Soup {
    /// Adds a triangle, counter-clockwise from outside; one without area is left out.
    pub(super) fn triangle(&mut self, corners: [Corner; 3]) {
        let [a, b, c] = corners.map(|c| c.position);
        if length(cross(sub(b, a), sub(c, a))) < 1e-3 {
            return;
        }
        for corner in corners {
            let index = self.vertex(corner);
            self.mesh.indices.push(index);
        }
    }

    fn vertex(&mut self, c: Corner) -> u16 {
        // world (x, y) = native (y, -x); + 0.0 turns -0 into 0 so that equal corners have equal bits
        let position = [-c.position[1] + 0.0, c.position[0], c.position[2]];
        let normal = [-c.normal[1] + 0.0, c.normal[0] + 0.0, c.normal[2] + 0.0];
        let key = [position[0], position[1], position[2], normal[0], normal[1], normal[2], c.uv[0], c.uv[1]]
            .map(f32::to_bits);
        let mesh = &mut self.mesh;
        *self.seen.entry(key).or_insert_with(|| {
            mesh.positions.push(position);
            mesh.normals.push(normal);
            mesh.uvs.push(c.uv);
            (mesh.positions.len() - 1) as u16
        })
    }

    pub(super) fn finish(self) -> Mesh {
        self.mesh
    }
}

/// Texture coordinates of level ground at a point: the cell of the upper ground type, or of the lower one beside it.
pub(super) fn ground_uv(x: f32, y: f32, lower: bool) -> [f32; 2] {
    // 3% towards the middle keeps filtering inside the 64-texel cell
    let pull = |t: f32| 0.03 + 0.94 * t;
    [if lower { 0.25 } else { 0.0 } + 0.25 * pull(x / CELL), 0.25 * pull(1.0 - y / CELL)]
}

pub(super) fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn add(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn length(a: [f32; 3]) -> f32 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

pub(super) fn unit(a: [f32; 3]) -> [f32; 3] {
    let l = length(a);
    if l > 1e-9 { a.map(|v| v / l) } else { [0.0, 0.0, 1.0] }
}
