//! The blurred ground that the camera follows, so that narrow canyons hardly move it and cliffs move it evenly.

use glam::Vec2;
use terrace_engine::terrain::HeightField;

/// World units around a point whose heights count for the camera.
pub(crate) const CAMERA_RADIUS: f32 = 8.0;

/// Mean over the dense box of `2 * ceil(radius / cell) + 1` points a side around every point; beyond the edge the edge
/// continues. Every point of the box counts: sparse taps would jump each time one of them crosses a cliff. Two passes of
/// running sums give exactly the mean of the box, whatever its size.
pub(crate) fn dense_blur(field: &HeightField, origin: Vec2, cell: f32, radius: f32) -> HeightField {
    let [w, h] = field.size();
    let reach = (radius / cell).ceil().clamp(0.0, 1024.0) as i32;
    let rows: Vec<f64> =
        (0..h as i32).flat_map(|y| running_mean(w as i32, reach, |x| f64::from(field.at(x, y)))).collect();
    let at = |x: i32, y: i32| rows[y as usize * w as usize + x as usize];
    let columns: Vec<Vec<f64>> = (0..w as i32).map(|x| running_mean(h as i32, reach, |y| at(x, y))).collect();
    let z = (0..h as usize).flat_map(|y| columns.iter().map(move |column| column[y] as f32)).collect();
    HeightField::new([w, h], origin, cell, z)
}

fn running_mean(count: i32, reach: i32, value: impl Fn(i32) -> f64) -> Vec<f64> {
    let clamped = |i: i32| value(i.clamp(0, count - 1));
    let mut sum: f64 = (-reach..=reach).map(clamped).sum();
    let mut out = Vec::with_capacity(count as usize);
    for i in 0..count {
        out.push(sum / f64::from(2 * reach + 1));
        sum += clamped(i + reach + 1) - clamped(i - reach);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cliff(w: u32, h: u32, cell: f32) -> HeightField {
        let z = (0..w * h).map(|i| if i % w >= 20 { 10.0 } else { 0.0 }).collect();
        HeightField::new([w, h], Vec2::new(3.0, -2.0), cell, z)
    }

    #[test]
    fn camera_blur_is_dense() {
        let field = cliff(40, 30, 1.0);
        let blurred = dense_blur(&field, Vec2::new(3.0, -2.0), 1.0, CAMERA_RADIUS);
        // The cliff becomes one even ramp: each of the 17 columns of the box takes its share as it crosses.
        for x in 12..28 {
            let step = blurred.at(x, 15) - blurred.at(x - 1, 15);
            assert!((step - 10.0 / 17.0).abs() < 1e-4, "{x}: {step}");
        }
        assert_eq!([blurred.at(11, 0), blurred.at(28, 29)], [0.0, 10.0]);
        // Between the points it is bilinear.
        let halfway = blurred.height(Vec2::new(3.0 + 19.5, 3.0));
        assert!((halfway - (blurred.at(19, 5) + blurred.at(20, 5)) / 2.0).abs() < 1e-4);
    }

    #[test]
    fn the_box_is_exact_for_other_cells_and_at_the_edges() {
        let cell = 3.0;
        let (w, h) = (9, 7);
        let z: Vec<f32> = (0..w * h).map(|i: u32| (i.wrapping_mul(2_654_435_761) % 97) as f32).collect();
        let field = HeightField::new([w, h], Vec2::ZERO, cell, z);
        let blurred = dense_blur(&field, Vec2::ZERO, cell, CAMERA_RADIUS);
        // ceil(8 / 3) = 3 points each way.
        for (x, y) in [(0, 0), (8, 6), (4, 3), (1, 5)] {
            let mut sum = 0.0;
            for (dx, dy) in (-3..=3).flat_map(|dx| (-3..=3).map(move |dy| (dx, dy))) {
                sum += field.at(x + dx, y + dy);
            }
            assert!((blurred.at(x, y) - sum / 49.0).abs() < 1e-3, "({x}, {y})");
        }
    }
}
