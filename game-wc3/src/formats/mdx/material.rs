//! Textures, materials and texture animations (TEXS, MTLS, TXAN).

use terrace_engine::bytes::{Cursor, FormatError};

use super::reader::{Warnings, sized, tracks};
use super::track::Track;
use super::{FRESNEL_VERSION, LAYER_TEXTURES_VERSION, SKIN_VERSION};

/// Alpha below which [`FilterMode::AlphaKey`] discards. Most renderers use 0.75; one uses 0.5.
pub const ALPHA_KEY: f32 = 0.75;

/// Bit of [`Layer::flags`]: not lit.
pub const LAYER_UNSHADED: u32 = 0x1;
/// Bit of [`Layer::flags`]: texture coordinates come from the reflection.
pub const LAYER_SPHERE_ENVIRONMENT: u32 = 0x2;
/// Bit of [`Layer::flags`]: both sides are drawn.
pub const LAYER_TWO_SIDED: u32 = 0x10;
/// Bit of [`Layer::flags`]: no fog.
pub const LAYER_UNFOGGED: u32 = 0x20;
/// Bit of [`Layer::flags`]: no depth test.
pub const LAYER_NO_DEPTH_TEST: u32 = 0x40;
/// Bit of [`Layer::flags`]: no depth write.
pub const LAYER_NO_DEPTH_WRITE: u32 = 0x80;
/// Bit of [`Layer::flags`], from version 900: not lit.
pub const LAYER_UNLIT: u32 = 0x100;

/// Bit of [`Material::flags`]: one colour.
pub const MATERIAL_CONSTANT_COLOR: u32 = 0x1;
/// Bit of [`Material::flags`], from version 900: both sides are drawn.
pub const MATERIAL_TWO_SIDED: u32 = 0x2;
/// Bit of [`Material::flags`]: sort primitives near first.
pub const MATERIAL_SORT_NEAR: u32 = 0x8;
/// Bit of [`Material::flags`]: sort primitives far first.
pub const MATERIAL_SORT_FAR: u32 = 0x10;
/// Bit of [`Material::flags`]: never a reduced texture.
pub const MATERIAL_FULL_RESOLUTION: u32 = 0x20;

/// Replaceable id of the team colour.
pub const REPLACEABLE_TEAM_COLOR: u32 = 1;
/// Replaceable id of the team glow.
pub const REPLACEABLE_TEAM_GLOW: u32 = 2;

/// A texture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texture {
    /// 0: the path counts; 1 team colour, 2 team glow, 11 cliff, 31 and up trees, others by the game's list.
    pub replaceable_id: u32,
    /// File, backslashes as stored.
    pub path: String,
    /// Repeats along u; else clamped.
    pub wrap_width: bool,
    /// Repeats along v; else clamped.
    pub wrap_height: bool,
}

/// How a layer is put over what lies under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FilterMode {
    /// 0: opaque.
    #[default]
    None,
    /// 1: opaque where alpha is at least [`ALPHA_KEY`].
    AlphaKey,
    /// 2: source alpha, one minus source alpha.
    Blend,
    /// 3: source alpha, one.
    Additive,
    /// 4: source alpha, one.
    AddAlpha,
    /// 5: zero, source colour.
    Modulate,
    /// 6: destination colour, source colour.
    Modulate2x,
}

impl FilterMode {
    /// The mode of a number.
    pub fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::None,
            1 => Self::AlphaKey,
            2 => Self::Blend,
            3 => Self::Additive,
            4 => Self::AddAlpha,
            5 => Self::Modulate,
            6 => Self::Modulate2x,
            _ => return None,
        })
    }

    /// True for modes that write no depth and are drawn after opaque geometry.
    pub fn is_translucent(self) -> bool {
        !matches!(self, Self::None | Self::AlphaKey)
    }
}

/// A texture of a layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerTexture {
    /// Index into the model's textures; `None` where the stored one is out of range.
    pub texture: Option<usize>,
    /// 0 diffuse, 1 normal, 2 occlusion/roughness/metal, 3 emissive, 4 team colour, 5 environment.
    pub slot: u32,
    /// Animated index (KMTF).
    pub texture_track: Option<Track<u32>>,
}

/// A layer of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// How it is put over what lies under it.
    pub filter: FilterMode,
    /// Bits such as [`LAYER_UNSHADED`].
    pub flags: u32,
    /// Textures; one before version 1100.
    pub textures: Vec<LayerTexture>,
    /// Index into the model's texture animations.
    pub texture_animation: Option<usize>,
    /// Which UV set of the geoset.
    pub uv_set: u32,
    /// Static alpha.
    pub alpha: f32,
    /// Emissive gain, from version 900.
    pub emissive_gain: f32,
    /// Fresnel colour, from version 1000.
    pub fresnel_color: [f32; 3],
    /// Fresnel opacity, from version 1000.
    pub fresnel_opacity: f32,
    /// Share of the team colour in the fresnel colour, from version 1000.
    pub fresnel_team_color: f32,
    /// 0 classic, 1 Reforged, from version 1100.
    pub shader: u32,
    /// Animated alpha (KMTA).
    pub alpha_track: Option<Track<f32>>,
    /// Animated emissive gain (KMTE).
    pub emissive_gain_track: Option<Track<f32>>,
    /// Animated fresnel colour (KFC3).
    pub fresnel_color_track: Option<Track<[f32; 3]>>,
    /// Animated fresnel opacity (KFCA).
    pub fresnel_opacity_track: Option<Track<f32>>,
    /// Animated share of the team colour (KFTC).
    pub fresnel_team_color_track: Option<Track<f32>>,
}

impl Default for Layer {
    fn default() -> Self {
        Self {
            filter: FilterMode::None,
            flags: 0,
            textures: Vec::new(),
            texture_animation: None,
            uv_set: 0,
            alpha: 1.0,
            emissive_gain: 1.0,
            fresnel_color: [1.0; 3],
            fresnel_opacity: 0.0,
            fresnel_team_color: 0.0,
            shader: 0,
            alpha_track: None,
            emissive_gain_track: None,
            fresnel_color_track: None,
            fresnel_opacity_track: None,
            fresnel_team_color_track: None,
        }
    }
}

/// A material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// Byte offset of the record, for diagnostics.
    pub offset: u64,
    /// Higher planes are drawn later.
    pub priority_plane: i32,
    /// Bits such as [`MATERIAL_SORT_FAR`].
    pub flags: u32,
    /// Shader of versions 900 and 1000; empty means classic.
    pub shader: String,
    /// Layers from bottom to top.
    pub layers: Vec<Layer>,
}

impl Material {
    /// True for Reforged materials, whose textures are slots of one surface: layers in 900 and 1000, the textures of
    /// the first layer from 1100.
    pub fn is_hd(&self) -> bool {
        !self.shader.is_empty() || self.layers.first().is_some_and(|l| l.shader == 1)
    }
}

/// An animation of texture coordinates, about their centre (0.5, 0.5).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextureAnimation {
    /// Animated translation (KTAT).
    pub translation: Option<Track<[f32; 3]>>,
    /// Animated rotation, a quaternion x, y, z, w (KTAR).
    pub rotation: Option<Track<[f32; 4]>>,
    /// Animated scaling (KTAS).
    pub scaling: Option<Track<[f32; 3]>>,
}

pub(super) fn read_texture(c: &mut Cursor<'_>) -> Result<Texture, FormatError> {
    let replaceable_id = c.u32("TEXS.replaceableId")?;
    let path = c.fixed_string(260, "TEXS.path")?;
    let flags = c.u32("TEXS.flags")?;
    Ok(Texture { replaceable_id, path, wrap_width: flags & 1 != 0, wrap_height: flags & 2 != 0 })
}

pub(super) fn read_material(c: &mut Cursor<'_>, version: u32, w: &mut Warnings) -> Result<Material, FormatError> {
    let offset = c.offset();
    let priority_plane = c.i32("MTLS.priorityPlane")?;
    let flags = c.u32("MTLS.flags")?;
    let mut material = Material { offset, priority_plane, flags, ..Material::default() };
    if (SKIN_VERSION..LAYER_TEXTURES_VERSION).contains(&version) {
        material.shader = c.fixed_string(80, "MTLS.shader")?;
    }
    c.magic(b"LAYS", "MTLS.layers")?;
    for _ in 0..c.count(28, "LAYS.count")? {
        let mut layer = sized(c, "LAYS")?;
        material.layers.push(read_layer(&mut layer, version, w)?);
    }
    Ok(material)
}

fn read_layer(c: &mut Cursor<'_>, version: u32, w: &mut Warnings) -> Result<Layer, FormatError> {
    let at = c.offset();
    let filter = c.u32("LAYS.filterMode")?;
    let filter = FilterMode::from_number(filter).unwrap_or_else(|| {
        w.add(at, "LAYS.filterMode", format!("{filter} is unknown, the layer is opaque"));
        FilterMode::None
    });
    let flags = c.u32("LAYS.flags")?;
    let texture = index(c.u32("LAYS.textureId")?);
    let texture_animation = index(c.u32("LAYS.textureAnimationId")?);
    let uv_set = c.u32("LAYS.coordId")?;
    let mut layer = Layer { filter, flags, texture_animation, uv_set, alpha: c.f32("LAYS.alpha")?, ..Layer::default() };
    if version >= SKIN_VERSION {
        layer.emissive_gain = c.f32("LAYS.emissiveGain")?;
    }
    if version >= FRESNEL_VERSION {
        layer.fresnel_color = c.f32s("LAYS.fresnelColor")?;
        layer.fresnel_opacity = c.f32("LAYS.fresnelOpacity")?;
        layer.fresnel_team_color = c.f32("LAYS.fresnelTeamColor")?;
    }
    if version >= LAYER_TEXTURES_VERSION {
        layer.shader = c.u32("LAYS.shader")?;
        for _ in 0..c.count(8, "LAYS.textureCount")? {
            layer.textures.push(read_layer_texture(c)?);
        }
    } else {
        layer.textures.push(LayerTexture { texture, ..LayerTexture::default() });
    }
    tracks(c, "LAYS", w, |tag, c| {
        match tag {
            b"KMTF" => {
                let track = Track::read(c, "KMTF")?;
                if let Some(first) = layer.textures.first_mut() {
                    first.texture_track = Some(track);
                }
            }
            b"KMTA" => layer.alpha_track = Some(Track::read(c, "KMTA")?),
            b"KMTE" => layer.emissive_gain_track = Some(Track::read(c, "KMTE")?),
            b"KFC3" => layer.fresnel_color_track = Some(Track::read(c, "KFC3")?),
            b"KFCA" => layer.fresnel_opacity_track = Some(Track::read(c, "KFCA")?),
            b"KFTC" => layer.fresnel_team_color_track = Some(Track::read(c, "KFTC")?),
            _ => return Ok(false),
        }
        Ok(true)
    });
    Ok(layer)
}

fn read_layer_texture(c: &mut Cursor<'_>) -> Result<LayerTexture, FormatError> {
    let texture = index(c.u32("LAYS.textureId")?);
    let slot = c.u32("LAYS.textureSlot")?;
    let mut ahead = c.clone();
    let animated = ahead.array::<4>("KMTF").is_ok_and(|tag| &tag == b"KMTF");
    let mut texture_track = None;
    if animated {
        *c = ahead;
        texture_track = Some(Track::read(c, "KMTF")?);
    }
    Ok(LayerTexture { texture, slot, texture_track })
}

/// An index of which -1 means none.
pub(super) fn index(stored: u32) -> Option<usize> {
    (stored != u32::MAX).then_some(stored as usize)
}

pub(super) fn read_texture_animation(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<TextureAnimation, FormatError> {
    let mut animation = TextureAnimation::default();
    tracks(c, "TXAN", w, |tag, c| {
        match tag {
            b"KTAT" => animation.translation = Some(Track::read(c, "KTAT")?),
            b"KTAR" => animation.rotation = Some(Track::read(c, "KTAR")?),
            b"KTAS" => animation.scaling = Some(Track::read(c, "KTAS")?),
            _ => return Ok(false),
        }
        Ok(true)
    });
    Ok(animation)
}
