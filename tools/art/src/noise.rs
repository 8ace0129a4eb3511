//! Repeatable noise: an integer hash, a small random stream, and lattice noises that tile over the unit square.

/// Mixes two lattice coordinates and a seed into 32 well spread bits.
pub(crate) fn hash(x: i32, y: i32, seed: u32) -> u32 {
    let mut h =
        (x as u32).wrapping_mul(0x9E37_79B1) ^ (y as u32).wrapping_mul(0x85EB_CA77) ^ seed.wrapping_mul(0xC2B2_AE3D);
    h ^= h >> 15;
    h = h.wrapping_mul(0x2C1B_3C6D);
    h ^= h >> 12;
    h = h.wrapping_mul(0x297A_2D39);
    h ^ (h >> 15)
}

/// Hash of a text, for seeds that follow an id.
pub(crate) fn hash_text(text: &str) -> u32 {
    text.bytes().fold(0x811C_9DC5, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

/// `hash` as a number in 0..1.
pub(crate) fn unit(x: i32, y: i32, seed: u32) -> f32 {
    (hash(x, y, seed) >> 8) as f32 / 16_777_216.0
}

/// A random stream: the hash of a running counter.
pub(crate) struct Stream {
    seed: u32,
    next: i32,
}

impl Stream {
    pub(crate) fn new(seed: u32) -> Self {
        Self { seed, next: 0 }
    }

    /// The next number in 0..1.
    pub(crate) fn unit(&mut self) -> f32 {
        self.next += 1;
        unit(self.next, 0x51, self.seed)
    }

    /// The next number in `low..high`.
    pub(crate) fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }
}

/// Linear mix of two numbers.
pub(crate) fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// Hermite step from 0 at `low` to 1 at `high`.
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Value noise in 0..1 with `cells` lattice cells over the unit square; repeats with period 1 in x and y.
pub(crate) fn value(x: f32, y: f32, cells: i32, seed: u32) -> f32 {
    let (fx, fy) = (x * cells as f32, y * cells as f32);
    let (ix, iy) = (fx.floor() as i32, fy.floor() as i32);
    let (tx, ty) = (fx - ix as f32, fy - iy as f32);
    let (sx, sy) = (tx * tx * (3.0 - 2.0 * tx), ty * ty * (3.0 - 2.0 * ty));
    let at = |dx: i32, dy: i32| unit((ix + dx).rem_euclid(cells), (iy + dy).rem_euclid(cells), seed);
    mix(mix(at(0, 0), at(1, 0), sx), mix(at(0, 1), at(1, 1), sx), sy)
}

/// Sum of `octaves` value noises, each twice as fine and half as strong, in 0..1.
pub(crate) fn fbm(x: f32, y: f32, cells: i32, octaves: u32, seed: u32) -> f32 {
    let (mut sum, mut weight, mut total) = (0.0, 1.0, 0.0);
    for o in 0..octaves {
        sum += weight * value(x, y, cells << o, seed.wrapping_add(o * 101));
        total += weight;
        weight *= 0.5;
    }
    sum / total
}

/// Value noise over the whole plane (no period), lattice step 1, for landscapes.
pub(crate) fn plane(x: f32, y: f32, octaves: u32, seed: u32) -> f32 {
    let (mut sum, mut weight, mut total, mut scale) = (0.0, 1.0, 0.0, 1.0);
    for o in 0..octaves {
        // 1 << 20 cells are never wrapped by the coordinates in use
        sum += weight
            * value(x * scale / 1_048_576.0 + 0.5, y * scale / 1_048_576.0 + 0.5, 1 << 20, seed.wrapping_add(o * 977));
        total += weight;
        weight *= 0.5;
        scale *= 2.0;
    }
    sum / total
}

/// Nearest and second nearest feature point of a jittered lattice that repeats over the unit square.
pub(crate) struct Cell {
    /// Distance to the nearest point, in lattice steps.
    pub(crate) f1: f32,
    /// Distance to the second nearest point, in lattice steps.
    pub(crate) f2: f32,
    /// A random number that belongs to the nearest point.
    pub(crate) id: f32,
    /// Offset from the nearest point, in lattice steps.
    pub(crate) offset: [f32; 2],
}

/// Cellular noise with `cells` points a side and the given jitter (0 = a square grid).
pub(crate) fn cellular(x: f32, y: f32, cells: i32, jitter: f32, seed: u32) -> Cell {
    let (fx, fy) = (x * cells as f32, y * cells as f32);
    let (ix, iy) = (fx.floor() as i32, fy.floor() as i32);
    let mut best = Cell { f1: 9.0, f2: 9.0, id: 0.0, offset: [0.0; 2] };
    for dy in -2..=2 {
        for dx in -2..=2 {
            let (cx, cy) = (ix + dx, iy + dy);
            let (wx, wy) = (cx.rem_euclid(cells), cy.rem_euclid(cells));
            let px = cx as f32 + 0.5 + jitter * (unit(wx, wy, seed) - 0.5);
            let py = cy as f32 + 0.5 + jitter * (unit(wx, wy, seed ^ 0x5bd1) - 0.5);
            let d = (px - fx).hypot(py - fy);
            if d < best.f1 {
                best = Cell { f1: d, f2: best.f1, id: unit(wx, wy, seed ^ 0x77), offset: [fx - px, fy - py] };
            } else if d < best.f2 {
                best.f2 = d;
            }
        }
    }
    best
}
