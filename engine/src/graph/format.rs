//! Texel formats and the shapes of sampled images.

use serde::{Deserialize, Serialize};

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $block:literal, $bytes:literal;)*) => {
        /// Texel formats that a graph file or a texture may name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Format {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in graph files.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Side of a block in texels and bytes of a block.
            pub fn block(self) -> (u32, u32) {
                match self { $(Self::$variant => ($block, $bytes)),* }
            }
        }
    };
}

formats! {
    /// One byte, 0 to 1.
    R8 = "r8", 1, 1;
    /// Two bytes, 0 to 1.
    Rg8 = "rg8", 1, 2;
    /// Four bytes, 0 to 1, no conversion.
    Rgba8 = "rgba8", 1, 4;
    /// Four bytes in the order B, G, R, A.
    Bgra8 = "bgra8", 1, 4;
    /// Four bytes, converted from and to sRGB.
    Rgba8Srgb = "rgba8-srgb", 1, 4;
    /// 16-bit float.
    R16f = "r16f", 1, 2;
    /// Two 16-bit floats.
    Rg16f = "rg16f", 1, 4;
    /// Four 16-bit floats.
    Rgba16f = "rgba16f", 1, 8;
    /// 32-bit float.
    R32f = "r32f", 1, 4;
    /// Four 32-bit floats.
    Rgba32f = "rgba32f", 1, 16;
    /// 32-bit unsigned integer.
    R32u = "r32u", 1, 4;
    /// Packed unsigned floats of 11, 11 and 10 bits.
    R11g11b10f = "r11g11b10f", 1, 4;
    /// 10, 10, 10 and 2 bits, 0 to 1.
    Rgb10a2 = "rgb10a2", 1, 4;
    /// 16-bit depth.
    D16 = "d16", 1, 2;
    /// 32-bit float depth.
    D32 = "d32", 1, 4;
    /// 24-bit depth and 8-bit stencil.
    D24s8 = "d24s8", 1, 4;
    /// 32-bit float depth and 8-bit stencil.
    D32s8 = "d32s8", 1, 8;
    /// BC1 (DXT1), for imports and files.
    Bc1 = "bc1", 4, 8;
    /// BC2 (DXT3), for imports and files.
    Bc2 = "bc2", 4, 16;
    /// BC3 (DXT5), for imports and files.
    Bc3 = "bc3", 4, 16;
    /// BC4, for imports and files.
    Bc4 = "bc4", 4, 8;
    /// BC5, for imports and files.
    Bc5 = "bc5", 4, 16;
    /// BC7, for imports and files.
    Bc7 = "bc7", 4, 16;
}

impl Format {
    /// Finds a format by its name in graph files.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// True for formats with a depth aspect.
    pub fn is_depth(self) -> bool {
        matches!(self, Self::D16 | Self::D32 | Self::D24s8 | Self::D32s8)
    }

    /// True for formats with a stencil aspect.
    pub fn has_stencil(self) -> bool {
        matches!(self, Self::D24s8 | Self::D32s8)
    }

    /// True for block-compressed formats, which are never rendered to.
    pub fn is_compressed(self) -> bool {
        self.block().0 > 1
    }

    /// True for integer formats, which are never filtered or blended.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::R32u)
    }

    /// Tightly packed bytes of a width x height level.
    pub fn bytes_for(self, width: u32, height: u32) -> usize {
        let (side, bytes) = self.block();
        width.div_ceil(side) as usize * height.div_ceil(side) as usize * bytes as usize
    }
}

/// The shape of a sampled image, as a sampler type in GLSL says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SampledKind {
    /// `sampler2D`.
    D2,
    /// `sampler2DArray`.
    D2Array,
    /// `samplerCube`.
    Cube,
    /// `sampler2DShadow`: a depth image that is compared.
    D2Shadow,
    /// `sampler2DMS`.
    D2Multisampled,
    /// `usampler2D`.
    D2Uint,
}
