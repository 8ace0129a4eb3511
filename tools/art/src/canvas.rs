//! A picture of RGBA floats (0..1, as authored for display) and a height per texel for lighting.

use crate::noise::{Stream, mix};

/// A colour, each channel 0..1.
pub(crate) type Rgb = [f32; 3];

/// Mixes two colours.
pub(crate) fn blend(a: Rgb, b: Rgb, t: f32) -> Rgb {
    [mix(a[0], b[0], t), mix(a[1], b[1], t), mix(a[2], b[2], t)]
}

/// Multiplies a colour.
pub(crate) fn scale(a: Rgb, k: f32) -> Rgb {
    a.map(|v| v * k)
}

/// A colour from 0xRRGGBB.
pub(crate) fn rgb(hex: u32) -> Rgb {
    [16, 8, 0].map(|s| ((hex >> s) & 255) as f32 / 255.0)
}

/// A picture, first row on top.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Canvas {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) texels: Vec<[f32; 4]>,
}

impl Canvas {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        Self { width, height, texels: vec![[0.0, 0.0, 0.0, 1.0]; width * height] }
    }

    pub(crate) fn at(&self, x: usize, y: usize) -> [f32; 4] {
        self.texels[y * self.width + x]
    }

    pub(crate) fn set(&mut self, x: usize, y: usize, texel: [f32; 4]) {
        self.texels[y * self.width + x] = texel;
    }

    /// The next mip: 2x2 boxes, which never cross a border of the 64-texel cells.
    pub(crate) fn halved(&self) -> Self {
        let mut out = Self::new((self.width / 2).max(1), (self.height / 2).max(1));
        for y in 0..out.height {
            for x in 0..out.width {
                let mut sum = [0.0; 4];
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let t = self.at((x * 2 + dx).min(self.width - 1), (y * 2 + dy).min(self.height - 1));
                    for k in 0..4 {
                        sum[k] += t[k] * 0.25;
                    }
                }
                out.set(x, y, sum);
            }
        }
        out
    }
}

/// A tile that wraps on both axes: colour and height per texel. Materials paint on it, lighting follows.
#[derive(Debug, Clone)]
pub(crate) struct Patch {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) colour: Vec<Rgb>,
    pub(crate) relief: Vec<f32>,
    /// Light of its own, added after shading.
    pub(crate) glow: Vec<Rgb>,
}

impl Patch {
    /// Fills every texel from `f(x, y)` with x and y in 0..1: colour and relief (in texels of height).
    pub(crate) fn fill(width: usize, height: usize, mut f: impl FnMut(f32, f32) -> (Rgb, f32)) -> Self {
        let mut colour = Vec::with_capacity(width * height);
        let mut relief = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let (c, h) = f((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
                colour.push(c);
                relief.push(h);
            }
        }
        let glow = vec![[0.0; 3]; width * height];
        Self { width, height, colour, relief, glow }
    }

    /// Index of a wrapped texel.
    pub(crate) fn index(&self, x: i32, y: i32) -> usize {
        y.rem_euclid(self.height as i32) as usize * self.width + x.rem_euclid(self.width as i32) as usize
    }

    /// A round stone or clump: relief is a dome of `rise` texels on what is there.
    pub(crate) fn dome(&mut self, centre: [f32; 2], radius: f32, squash: f32, colour: Rgb, rise: f32) {
        let reach = radius.ceil() as i32 + 1;
        for dy in -reach..=reach {
            for dx in -reach..=reach {
                let (px, py) = (centre[0].floor() as i32 + dx, centre[1].floor() as i32 + dy);
                let (ex, ey) = (px as f32 + 0.5 - centre[0], (py as f32 + 0.5 - centre[1]) / squash);
                let r = ex.hypot(ey) / radius;
                let cover = ((1.0 - r) * radius + 0.5).clamp(0.0, 1.0);
                if cover > 0.0 {
                    let i = self.index(px, py);
                    let h = rise * (1.0 - r * r).max(0.0).sqrt();
                    self.colour[i] = blend(self.colour[i], scale(colour, 0.82 + 0.18 * h / rise.max(0.01)), cover);
                    self.relief[i] += h * cover;
                } else if r < 1.5 {
                    // contact shade on the light-averse side
                    let i = self.index(px + 1, py + 1);
                    self.colour[i] = scale(self.colour[i], 1.0 - 0.10 * (1.5 - r));
                }
            }
        }
    }

    /// A tapering stroke (blade, root, crack): from `start` along `angle` (radians, 0 = right, clockwise on screen) for `length` texels.
    pub(crate) fn stroke(&mut self, start: [f32; 2], angle: f32, length: f32, width: f32, tint: [Rgb; 2], rise: f32) {
        let steps = (length * 1.5).ceil().max(2.0) as i32;
        for s in 0..=steps {
            let t = s as f32 / steps as f32;
            let (x, y) = (start[0] + angle.cos() * length * t, start[1] + angle.sin() * length * t);
            self.spot([x, y], width * (1.0 - 0.7 * t), blend(tint[0], tint[1], t), 0.85, rise * t);
        }
    }

    /// One soft spot of a stroke.
    pub(crate) fn spot(&mut self, at: [f32; 2], width: f32, colour: Rgb, strength: f32, height: f32) {
        let reach = (width * 0.5 + 0.5).ceil() as i32;
        let (cx, cy) = (at[0].floor() as i32, at[1].floor() as i32);
        for dy in -reach..=reach {
            for dx in -reach..=reach {
                let d = ((cx + dx) as f32 + 0.5 - at[0]).hypot((cy + dy) as f32 + 0.5 - at[1]);
                let cover = (width * 0.5 + 0.5 - d).clamp(0.0, 1.0) * strength;
                if cover > 0.0 {
                    let i = self.index(cx + dx, cy + dy);
                    self.colour[i] = blend(self.colour[i], colour, cover);
                    self.relief[i] = mix(self.relief[i], self.relief[i].max(height), cover);
                }
            }
        }
    }

    /// A winding line of short strokes.
    pub(crate) fn wander(&mut self, rng: &mut Stream, turns: u32, width: f32, tint: Rgb, rise: f32) {
        let mut at = [rng.unit() * self.width as f32, rng.unit() * self.height as f32];
        let mut angle = rng.range(0.0, std::f32::consts::TAU);
        for turn in 0..turns {
            let w = width * (1.0 - 0.6 * turn as f32 / turns as f32);
            for _ in 0..4 {
                self.spot(at, w, tint, 0.9, rise * w / width);
                at = [at[0] + angle.cos(), at[1] + angle.sin()];
            }
            angle += rng.range(-0.7, 0.7);
        }
    }

    /// Replaces the inside by another patch, leaving a margin untouched so that the tile still meets every other one.
    pub(crate) fn inset(&mut self, other: &Self, amount: f32) {
        for y in 0..self.height {
            for x in 0..self.width {
                let edge = |v: usize, n: usize| (v.min(n - 1 - v) as f32 / n as f32 * 4.5).min(1.0);
                let w = edge(x, self.width).min(edge(y, self.height));
                let w = w * w * (3.0 - 2.0 * w) * amount;
                let i = y * self.width + x;
                self.colour[i] = blend(self.colour[i], other.colour[i], w);
                self.relief[i] = mix(self.relief[i], other.relief[i], w);
                self.glow[i] = blend(self.glow[i], other.glow[i], w);
            }
        }
    }

    /// Shades the relief with light from the upper left and gives the finished colours.
    pub(crate) fn lit(&self, strength: f32) -> Vec<Rgb> {
        let mut out = Vec::with_capacity(self.colour.len());
        for y in 0..self.height as i32 {
            for x in 0..self.width as i32 {
                let h = |dx: i32, dy: i32| self.relief[self.index(x + dx, y + dy)];
                let slope = (h(1, 0) - h(-1, 0)) * 0.55 + (h(0, 1) - h(0, -1)) * 0.75;
                let hollow = (h(2, 0) + h(-2, 0) + h(0, 2) + h(0, -2)) * 0.25 - h(0, 0);
                let k = (1.0 + strength * (slope.clamp(-1.6, 1.6) * 0.22 - hollow.clamp(-1.5, 1.5) * 0.10))
                    .clamp(0.35, 1.6);
                let i = self.index(x, y);
                let c = scale(self.colour[i], k);
                out.push([0, 1, 2].map(|j| (c[j] + self.glow[i][j]).clamp(0.0, 1.0)));
            }
        }
        out
    }
}
