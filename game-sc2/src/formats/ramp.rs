//! Ramps of `t3Terrain.xml` and the text of their boxes.

use roxmltree::Node;
use terrace_engine::bytes::FormatError;

use super::xml::{attribute, bad, required};

/// Variation that turns a side off.
const OFF: u32 = u32::MAX;

/// An oriented box in units of the height grid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RampBox {
    /// Axis along which `half[1]` is measured.
    pub up: [f32; 2],
    /// Axis along which `half[0]` is measured.
    pub right: [f32; 2],
    /// Centre.
    pub center: [f32; 2],
    /// Half extents along `right` and `up`.
    pub half: [f32; 2],
}

impl RampBox {
    /// Reads `u(x, y) r(x, y) c=(x, y) w=.. h=..`; blanks may stand anywhere between the parts.
    pub fn parse(text: &str) -> Option<Self> {
        let mut left = text;
        let up = pair(&mut left, "u")?;
        let right = pair(&mut left, "r")?;
        let center = pair(&mut left, "c=")?;
        let w = single(&mut left, "w=")?;
        let h = single(&mut left, "h=")?;
        left.trim().is_empty().then_some(Self { up, right, center, half: [w, h] })
    }

    /// True for a box of some size.
    pub fn is_some(&self) -> bool {
        self.half[0] > 0.0 && self.half[1] > 0.0
    }

    /// A point in the box's own axes: right and up, from the centre, in units of the height grid.
    pub fn local(&self, at: [f32; 2]) -> [f32; 2] {
        let d = [at[0] - self.center[0], at[1] - self.center[1]];
        let along = |axis: [f32; 2]| d[0] * axis[0] + d[1] * axis[1];
        [along(self.right), along(self.up)]
    }

    /// True strictly inside: a point on the edge belongs to a side.
    pub fn contains_strictly(&self, at: [f32; 2]) -> bool {
        let [right, up] = self.local(at);
        // The axes are stored as 0.9999999; a point on the edge must not slip in by that.
        self.is_some() && right.abs() < self.half[0] - 1e-3 && up.abs() < self.half[1] - 1e-3
    }
}

fn after<'a>(left: &mut &'a str, prefix: &str) -> Option<&'a str> {
    *left = left.trim_start().strip_prefix(prefix)?;
    Some(left)
}

fn pair(left: &mut &str, prefix: &str) -> Option<[f32; 2]> {
    let text = after(left, prefix)?.trim_start().strip_prefix('(')?;
    let (inside, rest) = text.split_once(')')?;
    let (x, y) = inside.split_once(',')?;
    *left = rest;
    Some([finite(x)?, finite(y)?])
}

fn single(left: &mut &str, prefix: &str) -> Option<f32> {
    let text = after(left, prefix)?.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let value = finite(&text[..end]);
    *left = &text[end..];
    value
}

fn finite(text: &str) -> Option<f32> {
    text.trim().parse().ok().filter(|v: &f32| v.is_finite())
}

/// A ramp between two cliff levels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ramp {
    /// Direction as the editor numbers it.
    pub direction: u32,
    /// Upper level.
    pub high: u32,
    /// Lower level.
    pub low: u32,
    /// Index of the cliff set.
    pub set: u32,
    /// Side piece at the lower end on the left.
    pub left_low: RampBox,
    /// Side piece at the upper end on the left.
    pub left_high: RampBox,
    /// Side piece at the lower end on the right.
    pub right_low: RampBox,
    /// Side piece at the upper end on the right.
    pub right_high: RampBox,
    /// Foot of the ramp.
    pub base: RampBox,
    /// The slope.
    pub mid: RampBox,
    /// Variations of left low, left high, right low, right high; `None` where the side is off.
    pub variations: [Option<u32>; 4],
}

impl Ramp {
    pub(super) fn read(node: Node<'_, '_>) -> Result<Self, FormatError> {
        let area = |name: &str| match node.attribute(name) {
            Some(text) => {
                RampBox::parse(text).ok_or_else(|| bad(node, name, "is not \"u(x, y) r(x, y) c=(x, y) w=.. h=..\""))
            }
            None => Ok(RampBox::default()),
        };
        let variation = |name: &str| Ok::<_, FormatError>(attribute::<u32>(node, name)?.filter(|v| *v != OFF));
        Ok(Self {
            direction: required(node, "dir")?,
            high: required(node, "hi")?,
            low: required(node, "lo")?,
            set: attribute(node, "cid")?.unwrap_or(0),
            left_low: area("leftLo")?,
            left_high: area("leftHi")?,
            right_low: area("rightLo")?,
            right_high: area("rightHi")?,
            base: area("base")?,
            mid: area("mid")?,
            variations: [
                variation("leftLoVar")?,
                variation("leftHiVar")?,
                variation("rightLoVar")?,
                variation("rightHiVar")?,
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_read_as_the_editor_writes_them() {
        let text = "u(9.999999e-01, -0.000000e+00) r(-0.000000e+00, -9.999999e-01) c=(6.000000e+00, 1.900000e+01) \
                    w=9.999999e-01 h=2.000000e+00";
        let area = RampBox::parse(text).unwrap();
        assert_eq!((area.center, area.half), ([6.0, 19.0], [0.999_999_9, 2.0]));
        let [right, up] = area.local([7.0, 18.0]);
        assert!((right - 1.0).abs() < 1e-5 && (up - 1.0).abs() < 1e-5);
        for bad in ["", "u(1,2)", "u(1,2) r(1,2) c=(1,2) w=1 h=nan", "u(1,2) r(1,2) c=(1,2) w=1 h=1 x", "u(1 r"] {
            assert_eq!(RampBox::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_edge_of_a_box_is_not_inside() {
        let area = RampBox { up: [0.0, 1.0], right: [1.0, 0.0], center: [2.0, 2.0], half: [1.0, 2.0] };
        assert!(area.contains_strictly([2.5, 3.5]));
        assert!(!area.contains_strictly([3.0, 2.0]));
    }
}
