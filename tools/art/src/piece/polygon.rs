//! Triangles for the level parts of a piece.

type Point = [f32; 2];

fn area(a: Point, b: Point, c: Point) -> f32 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Cuts ears off a counter-clockwise polygon; returns index triples. Points that lie on a straight side are kept as corners.
pub(super) fn triangulate(points: &[Point]) -> Vec<[usize; 3]> {
    // where the wall of one tier stands on the rim of the next the level between has no ground
    let twice: f32 = (0..points.len()).map(|i| area([0.0; 2], points[i], points[(i + 1) % points.len()])).sum();
    if twice < 1.0 {
        return Vec::new();
    }
    let mut left: Vec<usize> = (0..points.len()).collect();
    let mut out = Vec::new();
    while left.len() > 2 {
        let n = left.len();
        let ear = |i: usize| [left[(i + n - 1) % n], left[i], left[(i + 1) % n]];
        let shape = |t: [usize; 3]| t.map(|k| points[k]);
        let free = |t: [usize; 3]| {
            let [a, b, c] = shape(t);
            left.iter().filter(|k| !t.contains(k)).all(|k| {
                let p = points[*k];
                // a touching point that coincides with a corner does not block the ear
                let same = [a, b, c].contains(&p);
                same || area(a, b, p) < -1e-3 || area(b, c, p) < -1e-3 || area(c, a, p) < -1e-3
            })
        };
        // the roundest ear first: smallest longest side for its area
        let quality = |t: [usize; 3]| {
            let [a, b, c] = shape(t);
            let side = |p: Point, q: Point| (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2);
            area(a, b, c) / side(a, b).max(side(b, c)).max(side(c, a)).max(1e-9)
        };
        let best = (0..n)
            .map(|i| (i, ear(i)))
            .filter(|(_, t)| area(points[t[0]], points[t[1]], points[t[2]]) > 1e-2 && free(*t))
            .max_by(|(_, s), (_, t)| quality(*s).total_cmp(&quality(*t)));
        let Some((i, t)) = best else {
            // only slivers are left: fan them so that no border corner is lost
            for i in 1..n - 1 {
                out.push([left[0], left[i], left[i + 1]]);
            }
            return out;
        };
        out.push(t);
        left.remove(i);
    }
    out
}
