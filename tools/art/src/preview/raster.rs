//! A small orthographic rasterizer.

use super::read::{Model, Texture};

/// An orthographic view from the south and above.
pub(crate) struct View {
    /// Pixels a world unit.
    scale: f32,
    turn: (f32, f32),
    pitch: (f32, f32),
}

impl View {
    /// Straight down.
    pub(crate) fn top(scale: f32) -> Self {
        Self { scale, turn: (0.0, 1.0), pitch: (1.0, 0.0) }
    }

    /// Turned by `turn` radians about Z and raised by `pitch` over the horizon.
    pub(crate) fn slanted(scale: f32, turn: f32, pitch: f32) -> Self {
        Self { scale, turn: turn.sin_cos(), pitch: pitch.sin_cos() }
    }

    /// Screen x and y (down) in pixels round the view's middle, and closeness.
    pub(crate) fn project(&self, p: [f32; 3]) -> [f32; 3] {
        let x = p[0] * self.turn.1 - p[1] * self.turn.0;
        let y = p[0] * self.turn.0 + p[1] * self.turn.1;
        let up = y * self.pitch.0 + p[2] * self.pitch.1;
        [x * self.scale, -up * self.scale, p[2] * self.pitch.0 - y * self.pitch.1]
    }
}

/// Direction towards the light.
const SUN: [f32; 3] = [-0.48, 0.36, 0.80];

/// Light on a surface.
pub(crate) fn light(n: [f32; 3]) -> f32 {
    0.48 + 0.62 * (n[0] * SUN[0] + n[1] * SUN[1] + n[2] * SUN[2]).max(0.0)
}

/// A corner on the screen: position in pixels, closeness, and what is mixed across the triangle.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) at: [f32; 3],
    pub(crate) uv: [f32; 2],
    pub(crate) shade: [f32; 4],
}

pub(crate) struct Raster {
    width: usize,
    height: usize,
    colour: Vec<[f32; 3]>,
    depth: Vec<f32>,
}

impl Raster {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        // a colour that no art uses: holes show
        let colour = vec![[1.0, 0.0, 0.85]; width * height];
        Self { width, height, colour, depth: vec![f32::MIN; width * height] }
    }

    pub(crate) fn put(&mut self, x: usize, y: usize, c: [f32; 3]) {
        if x < self.width && y < self.height {
            self.colour[y * self.width + x] = c;
        }
    }

    pub(crate) fn image(&mut self, texture: &Texture, x0: usize, y0: usize) {
        for y in 0..texture.height {
            for x in 0..texture.width {
                let [r, g, b, _] = texture.at(x, y);
                self.put(x0 + x, y0 + y, [r, g, b]);
            }
        }
    }

    /// Draws a triangle that faces the viewer; `paint` gives colour and opacity. Equal depth passes, so layers can follow each other.
    pub(crate) fn triangle(&mut self, v: [Spot; 3], write: bool, paint: impl Fn([f32; 2], [f32; 4]) -> [f32; 4]) {
        let edge =
            |a: [f32; 3], b: [f32; 3], p: [f32; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
        let [a, b, c] = v.map(|s| s.at);
        let area = edge(a, b, [c[0], c[1]]);
        // y points down: counter-clockwise in the world is negative here
        if area > -1e-6 {
            return;
        }
        let range = |k: usize, limit: usize| {
            let (low, high) = (a[k].min(b[k]).min(c[k]).floor(), a[k].max(b[k]).max(c[k]).ceil());
            (low.max(0.0) as usize)..(high.max(0.0) as usize).min(limit)
        };
        for y in range(1, self.height) {
            for x in range(0, self.width) {
                let p = [x as f32 + 0.5, y as f32 + 0.5];
                let w = [edge(b, c, p) / area, edge(c, a, p) / area, edge(a, b, p) / area];
                if w.iter().any(|w| *w < -1e-5) {
                    continue;
                }
                let z = w[0] * a[2] + w[1] * b[2] + w[2] * c[2];
                let i = y * self.width + x;
                if z < self.depth[i] - 0.02 {
                    continue;
                }
                let uv = [0, 1].map(|k| w[0] * v[0].uv[k] + w[1] * v[1].uv[k] + w[2] * v[2].uv[k]);
                let shade = [0, 1, 2, 3].map(|k| w[0] * v[0].shade[k] + w[1] * v[1].shade[k] + w[2] * v[2].shade[k]);
                let [r, g, bl, alpha] = paint(uv, shade);
                let old = self.colour[i];
                self.colour[i] = [r, g, bl]
                    .iter()
                    .zip(old)
                    .map(|(n, o)| o + (n - o) * alpha)
                    .collect::<Vec<_>>()
                    .try_into()
                    .unwrap_or(old);
                if write {
                    self.depth[i] = self.depth[i].max(z);
                }
            }
        }
    }

    /// Draws a model whose vertices `place` puts into the world, round the pixel `at`.
    pub(crate) fn model(
        &mut self,
        m: &Model,
        t: &Texture,
        view: &View,
        place: impl Fn([f32; 3]) -> [f32; 3],
        at: [f32; 2],
    ) {
        for triangle in &m.triangles {
            let spots = triangle.map(|i| {
                let [x, y, z] = view.project(place(m.positions[i]));
                Spot { at: [x + at[0], y + at[1], z], uv: m.uvs[i], shade: [light(m.normals[i]); 4] }
            });
            self.triangle(spots, true, |uv, shade| {
                let [r, g, b, _] = t.sample(uv[0], uv[1]);
                [r * shade[0], g * shade[0], b * shade[0], 1.0]
            });
        }
    }

    pub(crate) fn png(&self) -> Vec<u8> {
        let bytes: Vec<u8> = self.colour.iter().flatten().map(|v| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8).collect();
        super::png::encode(self.width, self.height, &bytes)
    }
}
