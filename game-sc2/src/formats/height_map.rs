//! `t3HeightMap`: "HMAP", version 101, size in points, 16 bytes, then six bytes a point.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::{Grid, header, size};

/// Sum of the two heights that stands for z = 0 in every map seen: the editor chooses the scale so that
/// `65534 * scale = bias + standard height + 1`.
pub const ZERO_SUM: u32 = 65534;

/// How stored heights become world units; the attributes of `vertData` in `t3Terrain.xml`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantization {
    /// `quantizeBias`, world units.
    pub bias: f32,
    /// `quantizeScale`, world units a step.
    pub scale: f32,
    /// `standardHeight`, world units.
    pub standard: f32,
}

/// One point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeightSample {
    /// Raised or lowered by hand; `bias + standard` is none.
    pub adjustment: u16,
    /// Height of the tier, one unit above it.
    pub base: u16,
    /// The tier.
    pub tier: u16,
}

impl HeightSample {
    /// z in world units: `(adjustment + base) * scale - bias - standard - 1` (HMAP; both orders of the two are used in
    /// descriptions, the sum is the same).
    pub fn height(self, q: &Quantization) -> f32 {
        let sum = f64::from(u32::from(self.adjustment) + u32::from(self.base));
        (sum * f64::from(q.scale) - f64::from(q.bias) - f64::from(q.standard) - 1.0) as f32
    }

    /// z of the tier alone, without the adjustment, in world units.
    pub fn base_height(self, q: &Quantization) -> f32 {
        (f64::from(self.base) * f64::from(q.scale) - 1.0) as f32
    }
}

/// The visible heights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeightMap {
    /// One more than cells a side.
    pub points: Grid<HeightSample>,
}

impl HeightMap {
    /// Reads the file.
    ///
    /// # Errors
    /// Another magic or version, a side out of range, or fewer bytes than points.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        header(&mut c, b"HMAP", &[101])?;
        let size = size(&mut c, 1, "size in points")?;
        c.skip(16, "header")?;
        let points = Grid::read(&mut c, size, 6, "points", |c| {
            Ok(HeightSample { adjustment: c.u16("adjustment")?, base: c.u16("base")?, tier: c.u16("tier")? })
        })?;
        Ok(Self { points })
    }

    /// A scale for a map whose `t3Terrain.xml` is missing: tiers above the first lie 2 world units apart. A map of one
    /// tier gets the scale of a flat map (bias 1, standard height 8).
    pub fn estimate(&self) -> Quantization {
        let mut sums = [(0u64, 0u64); 16];
        for sample in &self.points.values {
            if let Some(sum) = sums.get_mut(usize::from(sample.tier)) {
                *sum = (sum.0 + u64::from(sample.base), sum.1 + 1);
            }
        }
        let mean = |tier: usize| (sums[tier].1 > 0).then(|| sums[tier].0 as f32 / sums[tier].1 as f32);
        let steps = (1..15).filter_map(|tier| Some(mean(tier + 1)? - mean(tier)?)).filter(|step| *step > 1.0);
        let (total, count) = steps.fold((0.0, 0u32), |(total, count), step| (total + step, count + 1));
        let scale = if count == 0 { 10.0 / ZERO_SUM as f32 } else { 2.0 * count as f32 / total };
        Quantization { bias: scale * ZERO_SUM as f32 - 9.0, scale, standard: 8.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn file(width: u32, height: u32, sample: impl Fn(u32, u32) -> [u16; 3]) -> Vec<u8> {
        let mut out = b"HMAP".to_vec();
        out.extend([101, width, height, 0, 0, 0, 0].iter().flat_map(|v: &u32| v.to_le_bytes()));
        for y in 0..height {
            for x in 0..width {
                out.extend(sample(x, y).iter().flat_map(|v| v.to_le_bytes()));
            }
        }
        out
    }

    #[test]
    fn heights_follow_the_quantization() {
        let map =
            HeightMap::parse(&file(2, 2, |x, y| [61680, if x == 1 && y == 0 { 30840 } else { 3854 }, 0])).unwrap();
        let q = Quantization { bias: 8.0, scale: 2.594034e-4, standard: 8.0 };
        assert!(map.points.at(0, 0).height(&q).abs() < 1e-3);
        assert!((map.points.at(1, 0).height(&q) - 7.0).abs() < 1e-2);
        assert!((map.points.at(1, 0).base_height(&q) - 7.0).abs() < 1e-2);
        // Outside is the edge.
        assert_eq!(map.points.at(9, -5), map.points.at(1, 0));
    }

    #[test]
    fn a_lost_scale_is_found_from_the_steps_between_tiers() {
        let map = HeightMap::parse(&file(3, 2, |x, _| [60000, 5000 + 4000 * x as u16, x as u16 + 1])).unwrap();
        assert!((map.estimate().scale - 2.0 / 4000.0).abs() < 1e-8);
    }

    #[test]
    fn short_and_huge_maps_are_refused_with_the_place() {
        let mut short = file(3, 3, |_, _| [0; 3]);
        short.pop();
        let error = HeightMap::parse(&short).unwrap_err();
        assert_eq!((error.offset, error.field.as_str()), (32, "points"));
        let error = HeightMap::parse(&file(1, 3, |_, _| [0; 3])).unwrap_err();
        assert_eq!(error.offset, 8);
    }
}
