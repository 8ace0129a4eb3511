//! The frames of the water surface: light ripples that loop, to be tinted by the table's colours.

use std::f32::consts::TAU;

use crate::blp;
use crate::canvas::{Canvas, blend, rgb};
use crate::catalog::WATER_FRAMES;
use crate::noise::{fbm, smoothstep};

const SIZE: usize = 128;

/// Travelling waves (cycles across x, across y, over the loop, weight): whole numbers make texture and loop seamless.
const WAVES: &[(f32, f32, f32, f32)] = &[
    (2.0, 3.0, 1.0, 1.0),
    (-3.0, 2.0, 1.0, 0.9),
    (4.0, -1.0, -1.0, 0.7),
    (1.0, 5.0, 2.0, 0.6),
    (-5.0, -4.0, 1.0, 0.5),
    (6.0, 3.0, -2.0, 0.4),
    (-2.0, 7.0, -1.0, 0.4),
];

/// Surface height and its derivative by x and y at a point, all in wave units.
fn surface(x: f32, y: f32, time: f32) -> [f32; 3] {
    let mut out = [0.0; 3];
    for (k, (cx, cy, ct, weight)) in WAVES.iter().enumerate() {
        let phase = TAU * (cx * x + cy * y + ct * time) + k as f32 * 1.7;
        let (s, c) = phase.sin_cos();
        out[0] += weight * s;
        out[1] += weight * c * cx;
        out[2] += weight * c * cy;
    }
    out
}

/// One frame before encoding.
pub(crate) fn canvas(frame: usize) -> Canvas {
    let time = frame as f32 / WATER_FRAMES as f32;
    let mut out = Canvas::new(SIZE, SIZE);
    for py in 0..SIZE {
        for px in 0..SIZE {
            let (x, y) = ((px as f32 + 0.5) / SIZE as f32, (py as f32 + 0.5) / SIZE as f32);
            let (wx, wy) = (fbm(x, y, 4, 3, 0x3A7) - 0.5, fbm(x, y, 4, 3, 0x3A8) - 0.5);
            let [h, dx, dy] = surface(x + wx * 0.10, y + wy * 0.10, time);
            // bright nets where the slope vanishes, as light through a surface focuses
            let net = (1.0 - (h * 0.62).abs()).max(0.0).powi(3) * smoothstep(10.0, 2.0, dx.hypot(dy) * 0.55);
            let facing = 0.5 + 0.5 * ((dx - dy) * 0.05).clamp(-1.0, 1.0);
            let body = blend(rgb(0xA9B8BE), rgb(0xDCE6E8), facing);
            let c = blend(body, [1.0, 1.0, 1.0], (net * 0.85).min(1.0));
            out.set(px, py, [c[0], c[1], c[2], 0.80 + 0.20 * net.min(1.0)]);
        }
    }
    out
}

/// One frame as a BLP file.
pub(crate) fn encode(frame: usize) -> Vec<u8> {
    blp::encode(&canvas(frame), true, 48)
}
