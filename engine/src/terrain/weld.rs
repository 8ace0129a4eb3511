//! Normals of separately placed pieces that meet are made equal, so that no seam shows in the light.

use glam::Vec3;
use rayon::prelude::*;

/// How near positions must be to count as one point, in world units.
#[derive(Clone, Copy, Debug)]
pub struct WeldTolerance {
    /// Step of x and y.
    pub xy: f32,
    /// Step of z.
    pub z: f32,
}

/// Key of a point (steps of x, y, z), then what makes a contribution unique, then the vertex.
type Entry = ([i64; 3], u32, [u32; 3], u32);

/// The welded normals. At one quantized point, every vertex gets the normalized sum of its own normal and of the
/// normals of other placements that face the same half space (dot product above 0). A pair of placement and authored
/// normal counts once, however many triangles repeat it: otherwise the two sides of a seam would be weighted
/// differently. Zero normals stay zero and take no part; points of another height are other points.
///
/// The result does not depend on the order of the vertices: sums run in the order of (placement, normal).
pub fn weld_normals(positions: &[Vec3], normals: &[Vec3], placements: &[u32], tolerance: WeldTolerance) -> Vec<Vec3> {
    let step = |v: f32, s: f32| (f64::from(v) / f64::from(s)).round() as i64;
    let key = |p: Vec3| [step(p.x, tolerance.xy), step(p.y, tolerance.xy), step(p.z, tolerance.z)];
    let mut entries: Vec<Entry> = (0..positions.len())
        .filter(|&i| normals[i] != Vec3::ZERO && normals[i].is_finite())
        .map(|i| (key(positions[i]), placements[i], normals[i].to_array().map(f32::to_bits), i as u32))
        .collect();
    entries.par_sort_unstable();
    let mut out = normals.to_vec();
    let mut unique: Vec<(u32, Vec3)> = Vec::new();
    for bucket in entries.chunk_by(|a, b| a.0 == b.0) {
        unique.clear();
        for entry in bucket.chunk_by(|a, b| (a.1, a.2) == (b.1, b.2)).map(|same| same[0]) {
            unique.push((entry.1, normals[entry.3 as usize]));
        }
        if unique.iter().all(|(placement, _)| *placement == unique[0].0) {
            continue;
        }
        for &(_, placement, bits, vertex) in bucket {
            let own = Vec3::from_array(bits.map(f32::from_bits));
            let sum: Vec3 = unique
                .iter()
                .filter(|(p, n)| if *p == placement { *n == own } else { n.dot(own) > 0.0 })
                .map(|(_, n)| *n)
                .sum();
            out[vertex as usize] = sum.normalize_or(own);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: WeldTolerance = WeldTolerance { xy: 0.01, z: 0.001 };
    const P: Vec3 = Vec3::new(128.0, 256.0, 64.0);

    fn weld(vertices: &[(Vec3, Vec3, u32)]) -> Vec<Vec3> {
        let (p, rest): (Vec<_>, Vec<_>) = vertices.iter().map(|v| (v.0, (v.1, v.2))).unzip();
        let (n, placement): (Vec<_>, Vec<_>) = rest.into_iter().unzip();
        weld_normals(&p, &n, &placement, T)
    }

    #[test]
    fn weld_quantizes_xyz_and_placement() {
        let near = P + Vec3::new(0.002, -0.002, 0.0002);
        let half = (Vec3::X + Vec3::Z).normalize();
        let out = weld(&[(P, Vec3::X, 0), (near, Vec3::Z + Vec3::X * 0.001, 1), (P + Vec3::Z * 0.1, Vec3::Z, 2)]);
        assert!(out[0].distance(half) < 1e-3, "{out:?}");
        assert_eq!(out[0], out[1]);
        assert_eq!(out[2], Vec3::Z, "another height is another point");
        // One placement never welds with itself, opposing faces and zero normals stay.
        let same = weld(&[(P, Vec3::X, 0), (P, Vec3::Z, 0)]);
        assert_eq!(same, [Vec3::X, Vec3::Z]);
        let opposing = weld(&[(P, Vec3::X, 0), (P, -Vec3::X, 1), (P, Vec3::ZERO, 2)]);
        assert_eq!(opposing, [Vec3::X, -Vec3::X, Vec3::ZERO]);
    }

    #[test]
    fn weld_counts_repeated_triangles_once_on_both_sides() {
        let a = Vec3::new(0.6, 0.0, 0.8);
        let b = Vec3::new(0.0, 0.6, 0.8);
        let once = weld(&[(P, a, 0), (P, b, 1)]);
        let often = weld(&[(P, a, 0), (P, a, 0), (P, a, 0), (P, b, 1)]);
        assert_eq!(once[0], often[0]);
        assert_eq!(often[0], often[3]);
    }

    #[test]
    fn weld_is_order_independent() {
        let normals = [Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.0, 0.6, 0.8), Vec3::new(0.28, 0.0, 0.96), Vec3::Z];
        let vertices: Vec<_> = normals.iter().enumerate().map(|(i, n)| (P, *n, i as u32)).collect();
        let forward = weld(&vertices);
        let mut backward = weld(&vertices.iter().rev().copied().collect::<Vec<_>>());
        backward.reverse();
        assert_eq!(forward, backward);
        assert!(forward.windows(2).all(|w| w[0] == w[1]));
    }
}
