//! Fixed-function state of a pass, and how a material's state composes with it.
//!
//! The rule: the pass's file decides first; a material fills only what the pass leaves open; what both leave open has
//! the default. All fields are optional until [`RasterState::compose`].

use serde::{Deserialize, Serialize};

/// State as it is written down, in a pass or in a material preset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MaterialState {
    /// Blending of every colour attachment. `Some(None)` writes without blending.
    pub blend: Option<Option<Blend>>,
    /// Depth test on or off.
    pub depth_test: Option<bool>,
    /// Depth writes on or off.
    pub depth_write: Option<bool>,
    /// Depth comparison.
    pub depth_compare: Option<Compare>,
    /// Constant bias, slope bias; positive pushes away.
    pub depth_bias: Option<[f32; 2]>,
    /// Which faces are dropped.
    pub cull: Option<Cull>,
    /// Which winding is a front face, seen on the screen.
    pub front: Option<Front>,
    /// Colour writes by channel, R G B A.
    pub color_mask: Option<[bool; 4]>,
    /// Stencil test; `Some(None)` is off.
    pub stencil: Option<Option<Stencil>>,
    /// Filled or lines.
    pub polygon: Option<Polygon>,
    /// Alpha to coverage on multisampled targets.
    pub alpha_to_coverage: Option<bool>,
}

/// State with nothing left open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RasterState {
    /// Blending.
    pub blend: Option<Blend>,
    /// Depth test.
    pub depth_test: bool,
    /// Depth writes.
    pub depth_write: bool,
    /// Depth comparison.
    pub depth_compare: Compare,
    /// Constant and slope bias.
    pub depth_bias: [f32; 2],
    /// Culling.
    pub cull: Cull,
    /// Front face.
    pub front: Front,
    /// Colour writes.
    pub color_mask: [bool; 4],
    /// Stencil.
    pub stencil: Option<Stencil>,
    /// Polygon mode.
    pub polygon: Polygon,
    /// Alpha to coverage.
    pub alpha_to_coverage: bool,
}

impl RasterState {
    /// Pass first, material where the pass leaves open, default otherwise (no blending, depth test and write on,
    /// less or equal, no bias, no culling, counter-clockwise front, all channels).
    pub fn compose(pass: &MaterialState, material: &MaterialState) -> Self {
        Self {
            blend: pass.blend.or(material.blend).unwrap_or(None),
            depth_test: pass.depth_test.or(material.depth_test).unwrap_or(true),
            depth_write: pass.depth_write.or(material.depth_write).unwrap_or(true),
            depth_compare: pass.depth_compare.or(material.depth_compare).unwrap_or(Compare::LessOrEqual),
            depth_bias: pass.depth_bias.or(material.depth_bias).unwrap_or([0.0; 2]),
            cull: pass.cull.or(material.cull).unwrap_or(Cull::None),
            front: pass.front.or(material.front).unwrap_or(Front::CounterClockwise),
            color_mask: pass.color_mask.or(material.color_mask).unwrap_or([true; 4]),
            stencil: pass.stencil.or(material.stencil).unwrap_or(None),
            polygon: pass.polygon.or(material.polygon).unwrap_or(Polygon::Fill),
            alpha_to_coverage: pass.alpha_to_coverage.or(material.alpha_to_coverage).unwrap_or(false),
        }
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant),* }

        impl $name {
            /// The words in graph files.
            pub const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),*];
        }
    };
}

words!(
    /// Comparison operators.
    Compare {
        /// Never passes.
        Never = "never",
        /// Less.
        Less = "less",
        /// Equal.
        Equal = "equal",
        /// Less or equal.
        LessOrEqual = "less-or-equal",
        /// Greater.
        Greater = "greater",
        /// Not equal.
        NotEqual = "not-equal",
        /// Greater or equal.
        GreaterOrEqual = "greater-or-equal",
        /// Always passes.
        Always = "always",
    }
);
words!(
    /// Face culling.
    Cull {
        /// Nothing is dropped.
        None = "none",
        /// Front faces are dropped.
        Front = "front",
        /// Back faces are dropped.
        Back = "back",
    }
);
words!(
    /// Front-face winding in a picture whose Y points up.
    Front {
        /// Counter-clockwise.
        CounterClockwise = "ccw",
        /// Clockwise.
        Clockwise = "cw",
    }
);
words!(
    /// Polygon mode.
    Polygon {
        /// Filled.
        Fill = "fill",
        /// Lines, where the device has them.
        Line = "line",
    }
);
words!(
    /// Blend factors.
    Factor {
        /// 0.
        Zero = "zero",
        /// 1.
        One = "one",
        /// Source colour.
        SrcColor = "src-color",
        /// 1 - source colour.
        OneMinusSrcColor = "one-minus-src-color",
        /// Destination colour.
        DstColor = "dst-color",
        /// 1 - destination colour.
        OneMinusDstColor = "one-minus-dst-color",
        /// Source alpha.
        SrcAlpha = "src-alpha",
        /// 1 - source alpha.
        OneMinusSrcAlpha = "one-minus-src-alpha",
        /// Destination alpha.
        DstAlpha = "dst-alpha",
        /// 1 - destination alpha.
        OneMinusDstAlpha = "one-minus-dst-alpha",
    }
);
words!(
    /// Blend operations.
    BlendOp {
        /// Sum.
        Add = "add",
        /// Source - destination.
        Subtract = "subtract",
        /// Destination - source.
        ReverseSubtract = "reverse-subtract",
        /// Smaller of both; factors are not used.
        Min = "min",
        /// Larger of both; factors are not used.
        Max = "max",
    }
);
words!(
    /// Stencil operations.
    StencilOp {
        /// Keep.
        Keep = "keep",
        /// Write 0.
        Zero = "zero",
        /// Write the reference.
        Replace = "replace",
        /// Add 1, clamped.
        IncrementClamp = "increment-clamp",
        /// Subtract 1, clamped.
        DecrementClamp = "decrement-clamp",
        /// Flip all bits.
        Invert = "invert",
        /// Add 1, wrapping.
        IncrementWrap = "increment-wrap",
        /// Subtract 1, wrapping.
        DecrementWrap = "decrement-wrap",
    }
);

/// A blend equation: `color = src * color[0] (color_op) dst * color[1]`, the same for alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Blend {
    /// Source and destination factor of the colour.
    pub color: [Factor; 2],
    /// Operation of the colour.
    pub color_op: BlendOp,
    /// Source and destination factor of alpha.
    pub alpha: [Factor; 2],
    /// Operation of alpha.
    pub alpha_op: BlendOp,
}

impl Blend {
    /// The same factors for colour and alpha, added.
    pub const fn add(src: Factor, dst: Factor) -> Self {
        Self { color: [src, dst], color_op: BlendOp::Add, alpha: [src, dst], alpha_op: BlendOp::Add }
    }

    /// `blend = "alpha"`: source over destination; alpha accumulates coverage.
    pub const ALPHA: Self = Self {
        color: [Factor::SrcAlpha, Factor::OneMinusSrcAlpha],
        color_op: BlendOp::Add,
        alpha: [Factor::One, Factor::OneMinusSrcAlpha],
        alpha_op: BlendOp::Add,
    };
    /// `blend = "premultiplied"`.
    pub const PREMULTIPLIED: Self = Self::add(Factor::One, Factor::OneMinusSrcAlpha);
    /// `blend = "additive"`: source times its alpha is added.
    pub const ADDITIVE: Self = Self::add(Factor::SrcAlpha, Factor::One);
    /// `blend = "add"`: source is added.
    pub const ADD: Self = Self::add(Factor::One, Factor::One);
    /// `blend = "modulate"`: destination times source.
    pub const MODULATE: Self = Self::add(Factor::Zero, Factor::SrcColor);
    /// `blend = "modulate-2x"`: twice destination times source.
    pub const MODULATE_2X: Self = Self::add(Factor::DstColor, Factor::SrcColor);
    /// `blend = "max"`: the larger of both.
    pub const MAX: Self = Self {
        color: [Factor::One, Factor::One],
        color_op: BlendOp::Max,
        alpha: [Factor::One, Factor::One],
        alpha_op: BlendOp::Max,
    };
    /// `blend = "min"`: the smaller of both.
    pub const MIN: Self = Self {
        color: [Factor::One, Factor::One],
        color_op: BlendOp::Min,
        alpha: [Factor::One, Factor::One],
        alpha_op: BlendOp::Min,
    };

    /// The presets of graph files; `"none"` is no blending.
    pub const PRESETS: &'static [(&'static str, Option<Self>)] = &[
        ("none", None),
        ("alpha", Some(Self::ALPHA)),
        ("premultiplied", Some(Self::PREMULTIPLIED)),
        ("additive", Some(Self::ADDITIVE)),
        ("add", Some(Self::ADD)),
        ("modulate", Some(Self::MODULATE)),
        ("modulate-2x", Some(Self::MODULATE_2X)),
        ("max", Some(Self::MAX)),
        ("min", Some(Self::MIN)),
    ];
}

/// Stencil test, the same for both faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Stencil {
    /// Comparison of the reference (left) with the stored value.
    pub compare: Compare,
    /// Reference value.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
    /// When the stencil test fails.
    pub fail: StencilOp,
    /// When the stencil test passes and the depth test fails.
    pub depth_fail: StencilOp,
    /// When both pass.
    pub pass: StencilOp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_material_fills_only_what_the_pass_leaves_open() {
        let pass = MaterialState { depth_write: Some(false), ..MaterialState::default() };
        let material =
            MaterialState { depth_write: Some(true), blend: Some(Some(Blend::ALPHA)), ..MaterialState::default() };
        let state = RasterState::compose(&pass, &material);
        assert!(!state.depth_write);
        assert_eq!(state.blend, Some(Blend::ALPHA));
        assert_eq!(state.depth_compare, Compare::LessOrEqual);
    }
}
