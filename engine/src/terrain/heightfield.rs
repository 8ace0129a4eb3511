//! Heights on a regular grid: interpolation, normals, and rays through a hierarchy of least and greatest heights.

use glam::{DVec3, Vec2, Vec3};

/// Heights of the vertices of a grid of square cells. Every cell is two triangles, cut from south-west to north-east.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    size: [u32; 2],
    origin: Vec2,
    cell: f32,
    z: Vec<f32>,
    levels: Vec<Level>,
}

/// Least and greatest heights of squares of cells.
#[derive(Clone, Debug, PartialEq)]
struct Level {
    size: [u32; 2],
    range: Vec<[f32; 2]>,
}

/// Where a ray meets the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the ray in lengths of its direction.
    pub t: f64,
    /// The point.
    pub position: Vec3,
    /// Column and row of the cell.
    pub cell: [u32; 2],
    /// 0: south-west, south-east, north-east; 1: south-west, north-east, north-west.
    pub triangle: u8,
}

impl HeightField {
    /// A field of `size` vertices (at least 2 a side; smaller ones are treated as flat) with the south-west vertex at
    /// `origin` and cells of `cell` world units. Missing heights are 0.
    pub fn new(size: [u32; 2], origin: Vec2, cell: f32, mut z: Vec<f32>) -> Self {
        let size = size.map(|s| s.max(2));
        z.resize(size[0] as usize * size[1] as usize, 0.0);
        let mut field = Self { size, origin, cell, z, levels: Vec::new() };
        field.levels = field.build_levels();
        field
    }

    /// Vertices along x and y.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Height of a vertex; coordinates outside are clamped to the edge.
    pub fn at(&self, x: i32, y: i32) -> f32 {
        let x = x.clamp(0, self.size[0] as i32 - 1) as usize;
        let y = y.clamp(0, self.size[1] as i32 - 1) as usize;
        self.z[y * self.size[0] as usize + x]
    }

    /// World position of a vertex.
    pub fn position(&self, x: i32, y: i32) -> Vec3 {
        (self.origin + Vec2::new(x as f32, y as f32) * self.cell).extend(self.at(x, y))
    }

    /// A world position in cells, clamped to the field.
    fn grid(&self, at: Vec2) -> (i32, i32, Vec2) {
        let last = Vec2::new(self.size[0] as f32 - 1.0, self.size[1] as f32 - 1.0);
        let g = ((at - self.origin) / self.cell).clamp(Vec2::ZERO, last);
        let g = if g.is_finite() { g } else { Vec2::ZERO };
        let base = g.floor().min(last - 1.0);
        (base.x as i32, base.y as i32, g - base)
    }

    /// Height at a world position, bilinear between the four vertices of its cell, clamped to the field's edge.
    pub fn height(&self, at: Vec2) -> f32 {
        let (x, y, f) = self.grid(at);
        let lerp = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let south = lerp(self.at(x, y), self.at(x + 1, y), f.x);
        let north = lerp(self.at(x, y + 1), self.at(x + 1, y + 1), f.x);
        lerp(south, north, f.y)
    }

    /// Normal at a vertex: central differences over two cells, over one at the edge.
    pub fn vertex_normal(&self, x: i32, y: i32) -> Vec3 {
        let [w, h] = self.size.map(|s| s as i32 - 1);
        let (x0, x1) = ((x - 1).clamp(0, w), (x + 1).clamp(0, w));
        let (y0, y1) = ((y - 1).clamp(0, h), (y + 1).clamp(0, h));
        let slope = |a: f32, b: f32, cells: i32| (b - a) / (cells.max(1) as f32 * self.cell);
        let dx = slope(self.at(x0, y), self.at(x1, y), x1 - x0);
        let dy = slope(self.at(x, y0), self.at(x, y1), y1 - y0);
        Vec3::new(-dx, -dy, 1.0).normalize()
    }

    /// Normal at a world position, bilinear between the normals of the vertices.
    pub fn normal(&self, at: Vec2) -> Vec3 {
        let (x, y, f) = self.grid(at);
        let south = self.vertex_normal(x, y).lerp(self.vertex_normal(x + 1, y), f.x);
        let north = self.vertex_normal(x, y + 1).lerp(self.vertex_normal(x + 1, y + 1), f.x);
        south.lerp(north, f.y).normalize_or(Vec3::Z)
    }

    /// Least and greatest height.
    pub fn range(&self) -> [f32; 2] {
        self.levels.last().and_then(|l| l.range.first()).copied().unwrap_or_default()
    }

    fn build_levels(&self) -> Vec<Level> {
        let size = self.size.map(|s| s - 1);
        let fold = |values: [f32; 4]| {
            let min = values.iter().copied().fold(f32::INFINITY, f32::min);
            [min, values.iter().copied().fold(f32::NEG_INFINITY, f32::max)]
        };
        let cells = (0..size[1] as i32).flat_map(|y| (0..size[0] as i32).map(move |x| (x, y)));
        let range = cells
            .map(|(x, y)| fold([self.at(x, y), self.at(x + 1, y), self.at(x, y + 1), self.at(x + 1, y + 1)]))
            .collect();
        let mut levels = vec![Level { size, range }];
        while let Some(last) = levels.last().filter(|l| l.size != [1, 1]) {
            let size = last.size.map(|s| s.div_ceil(2));
            let mut range = vec![[f32::INFINITY, f32::NEG_INFINITY]; (size[0] * size[1]) as usize];
            for y in 0..last.size[1] {
                for x in 0..last.size[0] {
                    let r = last.range[(y * last.size[0] + x) as usize];
                    let target = &mut range[(y / 2 * size[0] + x / 2) as usize];
                    *target = [target[0].min(r[0]), target[1].max(r[1])];
                }
            }
            levels.push(Level { size, range });
        }
        levels
    }

    /// The two triangles of a cell.
    fn triangles(&self, x: u32, y: u32) -> [[Vec3; 3]; 2] {
        let (x, y) = (x as i32, y as i32);
        let (sw, se) = (self.position(x, y), self.position(x + 1, y));
        let (nw, ne) = (self.position(x, y + 1), self.position(x + 1, y + 1));
        [[sw, se, ne], [sw, ne, nw]]
    }

    /// The first point where a ray meets the surface, from either side. Of equal distances the cell with the lower row,
    /// then column, then triangle counts.
    pub fn trace(&self, origin: Vec3, direction: Vec3) -> Option<Hit> {
        let mut best = None;
        let top = self.levels.len().checked_sub(1)?;
        self.descend(top, 0, 0, origin.as_dvec3(), direction.as_dvec3(), &mut best);
        best
    }

    fn descend(&self, level: usize, x: u32, y: u32, o: DVec3, d: DVec3, best: &mut Option<Hit>) {
        let l = &self.levels[level];
        let limit = best.map_or(f64::INFINITY, |h| h.t);
        if x >= l.size[0] || y >= l.size[1] || !self.ray_meets_box(level, x, y, o, d, limit) {
            return;
        }
        if level > 0 {
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                self.descend(level - 1, x * 2 + dx, y * 2 + dy, o, d, best);
            }
            return;
        }
        for (i, triangle) in self.triangles(x, y).iter().enumerate() {
            if let Some(t) = ray_triangle(o, d, triangle.map(|p| p.as_dvec3())) {
                let hit = Hit { t, position: (o + d * t).as_vec3(), cell: [x, y], triangle: i as u8 };
                let rank = |h: &Hit| (h.cell[1], h.cell[0], h.triangle);
                if best.is_none_or(|b| t < b.t || (t == b.t && rank(&hit) < rank(&b))) {
                    *best = Some(hit);
                }
            }
        }
    }

    /// Slab test against the box of a square of cells, grown by a little so that rounding never loses a triangle.
    fn ray_meets_box(&self, level: usize, x: u32, y: u32, o: DVec3, d: DVec3, limit: f64) -> bool {
        let l = &self.levels[level];
        let [z0, z1] = l.range[(y * l.size[0] + x) as usize].map(f64::from);
        let side = f64::from(self.cell) * f64::from(1u32 << level);
        let corner = self.origin.as_dvec2() + glam::DVec2::new(f64::from(x), f64::from(y)) * side;
        let pad = f64::from(self.cell) * 1e-3;
        let min = corner.extend(z0) - pad;
        let max = (corner + side).extend(z1) + pad;
        let (mut near, mut far) = (0.0f64, limit * (1.0 + 1e-9) + 1e-9);
        for axis in 0..3 {
            if d[axis] == 0.0 {
                if o[axis] < min[axis] || o[axis] > max[axis] {
                    return false;
                }
                continue;
            }
            let (a, b) = ((min[axis] - o[axis]) / d[axis], (max[axis] - o[axis]) / d[axis]);
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        near <= far
    }
}

/// Distance along a ray to a triangle, from either side; edges belong to it.
fn ray_triangle(o: DVec3, d: DVec3, [a, b, c]: [DVec3; 3]) -> Option<f64> {
    let (ab, ac) = (b - a, c - a);
    let p = d.cross(ac);
    let det = ab.dot(p);
    if det.abs() < 1e-12 {
        return None;
    }
    let s = o - a;
    let u = s.dot(p) / det;
    let q = s.cross(ab);
    let v = d.dot(q) / det;
    let t = ac.dot(q) / det;
    // A ray through a shared edge must not slip between the two triangles.
    let slack = 1e-9;
    (u >= -slack && v >= -slack && u + v <= 1.0 + slack && t >= 0.0).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hills(w: u32, h: u32) -> HeightField {
        let z = (0..w * h).map(|i| (i.wrapping_mul(2_654_435_761) >> 20) as f32 * 0.1).collect();
        HeightField::new([w, h], Vec2::new(-500.0, 300.0), 128.0, z)
    }

    #[test]
    fn height_is_bilinear_and_clamped() {
        let f = HeightField::new([3, 2], Vec2::new(10.0, 20.0), 2.0, vec![0.0, 4.0, 8.0, 0.0, 4.0, 16.0]);
        assert_eq!(f.height(Vec2::new(11.0, 20.0)), 2.0);
        assert_eq!(f.height(Vec2::new(13.0, 21.0)), 8.0);
        assert_eq!(f.height(Vec2::new(99.0, 99.0)), 16.0);
        assert_eq!(f.height(Vec2::new(f32::NAN, 0.0)), 0.0);
        assert!(f.vertex_normal(0, 0).x < 0.0);
    }

    #[test]
    fn trace_equals_the_test_of_every_triangle() {
        let field = hills(13, 9);
        let mut seed = 1u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f32 / (1u64 << 24) as f32
        };
        let mut hits = 0;
        for i in 0..2000 {
            let mut target = field.origin + Vec2::new(random() * 12.0, random() * 8.0) * 128.0;
            if i % 3 == 0 {
                // Through corners and edges as well.
                target = field.origin + ((target - field.origin) / 64.0).round() * 64.0;
            }
            let o = Vec3::new(random() * 4000.0 - 1000.0, random() * 4000.0 - 1000.0, 900.0 + random() * 500.0);
            let d = target.extend(field.height(target)) - o;
            let (od, dd) = (o.as_dvec3(), d.as_dvec3());
            let mut all: Vec<(f64, [u32; 2], u8)> = Vec::new();
            for y in 0..8 {
                for x in 0..12 {
                    for (k, t) in field.triangles(x, y).iter().enumerate() {
                        if let Some(t) = ray_triangle(od, dd, t.map(|p| p.as_dvec3())) {
                            all.push((t, [y, x], k as u8));
                        }
                    }
                }
            }
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            let got = field.trace(o, d).map(|h| (h.t, [h.cell[1], h.cell[0]], h.triangle));
            assert_eq!(got, all.first().copied());
            hits += usize::from(got.is_some());
        }
        assert!(hits > 1900, "{hits}");
        assert_eq!(field.trace(Vec3::new(0.0, 0.0, -1000.0), -Vec3::Z), None);
    }
}
