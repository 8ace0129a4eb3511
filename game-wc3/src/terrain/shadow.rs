//! The shadow that the world editor baked.

use terrace_engine::graph::Format;
use terrace_engine::scene::{Dirty, SamplerDesc, Texture, TextureKind};

use crate::formats::shd::Shd;

/// The baked shadow as a texture of how much light arrives: 255 in the open, 0 in shadow, the reverse of the file.
/// Row 0 is the south, so that it is sampled at `(position - map_min) / map_size`.
pub fn texture(shadow: &Shd) -> Texture {
    Texture {
        name: "war3map.shd".to_owned(),
        kind: TextureKind::D2,
        format: Format::R8,
        size: [shadow.width.max(1), shadow.height.max(1)],
        layers: 1,
        mips: 1,
        texels: shadow.texels.iter().map(|t| 255 - t).collect(),
        sampler: SamplerDesc::CLAMP,
        dirty: Dirty::All,
    }
}
