//! The names that graph files may use for Warcraft III maps.

use terrace_engine::graph::{Blend, Compare, MaterialState, SampledKind};
use terrace_engine::scene::{
    Attribute, AttributeFormat, FlagDecl, ImportDecl, ListDecl, MaterialSlot, ParamDecl, PresetDecl, Registry,
    SizeDecl, Stream, Value,
};

/// Preset of draws that hide what is below them.
pub(crate) const OPAQUE: u32 = 0;
/// Preset of ground layers that are blended over those below.
pub(crate) const BLEND: u32 = 1;

/// Ids by meaning. The order of the declarations gives them.
pub(crate) mod ids {
    use terrace_engine::scene::{ImportId, ListId, SizeId, ViewId};

    /// List "ground".
    pub(crate) const GROUND: ListId = ListId(0);
    /// List "cliff".
    pub(crate) const CLIFF: ListId = ListId(1);
    /// List "water".
    pub(crate) const WATER: ListId = ListId(2);
    /// View "main".
    pub(crate) const MAIN: ViewId = ViewId(0);
    /// View "light".
    pub(crate) const LIGHT: ViewId = ViewId(1);
    /// View "map".
    pub(crate) const MAP: ViewId = ViewId(2);
    /// Import "baked_shadow".
    pub(crate) const BAKED_SHADOW: ImportId = ImportId(0);
    /// Size "map_cells".
    pub(crate) const MAP_CELLS: SizeId = SizeId(0);
    /// Index of the flag "has_water".
    pub(crate) const HAS_WATER: usize = 0;
    /// Index of the flag "has_shadow".
    pub(crate) const HAS_SHADOW: usize = 1;
}

/// Angles of the light that stands in for a tileset's day and night model, in degrees: about X, then about Z.
const FALLBACK_LIGHT: [f32; 2] = [-40.0, 60.0];
/// Light in full shadow, as `mix(0.35, 1, 1.2 n.l) * 1.1` gives it.
const AMBIENT: f32 = 0.35 * 1.1;
/// What full light adds to that.
const SUN: f32 = 0.65 * 1.2 * 1.1;

/// Direction towards the fallback light: the third row of the rotation that looks along it.
pub(crate) fn fallback_sun_direction() -> [f32; 3] {
    let [about_x, about_z] = FALLBACK_LIGHT.map(f32::to_radians);
    let (s, c) = about_x.sin_cos();
    let (zs, zc) = about_z.sin_cos();
    [s * zs, s * zc, c]
}

/// Everything that graph files may name.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::with_standard_views();
    registry.lists = vec![ground(), cliff(), water()];
    registry.imports = vec![ImportDecl {
        name: "baked_shadow".into(),
        doc: "shadows from war3map.shd, 4x4 texels a cell: 1 lit, 0 in shadow; row 0 is the south, sampled at \
              (position - map_min) / map_size"
            .into(),
        kind: SampledKind::D2,
    }];
    let flag = |name: &str, doc: &str| FlagDecl { name: name.into(), doc: doc.into(), default: false };
    registry.flags = vec![
        flag("has_water", "water is drawn somewhere on the map"),
        flag("has_shadow", "the map has baked shadows"),
        flag("menu", "a menu scene is shown instead of a map"),
    ];
    registry.sizes =
        vec![SizeDecl { name: "map_cells".into(), doc: "cells of the map, one less than vertices".into() }];
    registry.params = params();
    registry
}

fn attribute(name: &str, format: AttributeFormat, offset: u32) -> Attribute {
    Attribute { name: name.into(), format, offset }
}

fn list(name: &str, doc: &str, stride: u32, attributes: Vec<Attribute>, slot: (&str, SampledKind)) -> ListDecl {
    ListDecl {
        name: name.into(),
        doc: doc.into(),
        streams: vec![Stream { stride, per_instance: false, attributes }],
        material: vec![MaterialSlot { name: slot.0.into(), kind: slot.1 }],
        presets: vec![PresetDecl { name: "opaque".into(), state: MaterialState::default() }],
        storage: Vec::new(),
    }
}

fn ground() -> ListDecl {
    use AttributeFormat::{F32x3, Snorm8x4, Unorm8x4, Unorm16x2};
    let attributes = vec![
        attribute("position", F32x3, 0),
        attribute("normal", Snorm8x4, 12),
        attribute("uv", Unorm16x2, 16),
        attribute("tint", Unorm8x4, 20),
    ];
    let doc = "the ground: a quad for each cell and texture on it, bottom layers opaque, the others blended in the \
               order of the map's list; tint darkens what is under water";
    let mut list = list("ground", doc, 24, attributes, ("ground_sheet", SampledKind::D2));
    list.presets.push(PresetDecl {
        name: "blend".into(),
        state: MaterialState {
            blend: Some(Some(Blend::ALPHA)),
            depth_compare: Some(Compare::LessOrEqual),
            depth_write: Some(false),
            ..MaterialState::default()
        },
    });
    list
}

fn cliff() -> ListDecl {
    use AttributeFormat::{F32x2, F32x3, Snorm8x4, Unorm8x4};
    let attributes = vec![
        attribute("position", F32x3, 0),
        attribute("normal", Snorm8x4, 12),
        attribute("uv", F32x2, 16),
        attribute("tint", Unorm8x4, 24),
    ];
    list("cliff", "cliff and ramp pieces, one material a cliff type", 28, attributes, ("cliff_sheet", SampledKind::D2))
}

fn water() -> ListDecl {
    use AttributeFormat::{F32x3, Unorm8x4, Unorm16x2};
    let attributes =
        vec![attribute("position", F32x3, 0), attribute("uv", Unorm16x2, 12), attribute("color", Unorm8x4, 16)];
    let doc = "the water surface; color is colour and opacity of the depth, the texture's layers are the frames of \
               the animation (param water_frame)";
    list("water", doc, 20, attributes, ("water_sheet", SampledKind::D2Array))
}

fn params() -> Vec<ParamDecl> {
    let colour = |name: &str, rgba: [f32; 4], doc: &str| ParamDecl {
        colour: true,
        ..ParamDecl::new(name, Value::Vec4(rgba), doc).range(0.0, 1.0)
    };
    vec![
        ParamDecl::new("sun_direction", Value::Vec3(fallback_sun_direction()), "direction towards the light")
            .range(-1.0, 1.0),
        ParamDecl::new("sun_color", Value::Vec3([SUN; 3]), "what full light adds to the ambient light").range(0.0, 4.0),
        ParamDecl::new("ambient_color", Value::Vec3([AMBIENT; 3]), "light in full shadow").range(0.0, 4.0),
        colour("water_tint", [1.0; 4], "colour that water is multiplied with; the map's own where it has one"),
        ParamDecl::new("water_frame", Value::Int(0), "layer of the water texture now, set by the game from its rate")
            .range(0.0, 4096.0),
        ParamDecl::new("baked_shadows", Value::Bool(true), "shadows that the world editor baked"),
        ParamDecl::new("runtime_shadows", Value::Bool(true), "shadows from the depth map of the light"),
        ParamDecl::new("shadow_strength", Value::Float(1.0), "0: no shadows, 1: as authored").range(0.0, 1.0),
        ParamDecl::new("fog_enabled", Value::Bool(false), "linear distance fog"),
        ParamDecl::new("fog_from_map", Value::Bool(false), "use the fog that the map's properties ask for"),
        ParamDecl::new("fog_start", Value::Float(3000.0), "view depth at which fog begins")
            .range(0.0, 100_000.0)
            .unit("units"),
        ParamDecl::new("fog_end", Value::Float(5000.0), "view depth at which fog is complete")
            .range(0.0, 100_000.0)
            .unit("units"),
        ParamDecl::new("fog_color", Value::Vec3([0.0; 3]), "colour of the fog").range(0.0, 1.0),
        ParamDecl::new("map_min", Value::Vec2([0.0; 2]), "south-west corner of the map, set by the game").unit("units"),
        ParamDecl::new("map_size", Value::Vec2([1.0; 2]), "size of the map, set by the game").unit("units"),
        ParamDecl::new("cliff_variations", Value::Bool(true), "cliffs in the variations that the map names"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terrain::cliffs::CliffVertex;
    use crate::terrain::ground::GroundVertex;
    use crate::terrain::water::WaterVertex;

    #[test]
    fn ids_and_strides_fit_the_declarations() {
        let r = registry();
        assert_eq!(
            [r.list("ground"), r.list("cliff"), r.list("water")],
            [ids::GROUND, ids::CLIFF, ids::WATER].map(Some)
        );
        assert_eq!([r.view("main"), r.view("light"), r.view("map")], [ids::MAIN, ids::LIGHT, ids::MAP].map(Some));
        assert_eq!(r.import("baked_shadow"), Some(ids::BAKED_SHADOW));
        assert_eq!(r.size("map_cells"), Some(ids::MAP_CELLS));
        assert_eq!(
            (r.flags[ids::HAS_WATER].name.as_str(), r.flags[ids::HAS_SHADOW].name.as_str()),
            ("has_water", "has_shadow")
        );
        let strides = r.lists.iter().map(|l| l.streams[0].stride as usize).collect::<Vec<_>>();
        assert_eq!(strides, [size_of::<GroundVertex>(), size_of::<CliffVertex>(), size_of::<WaterVertex>()]);
        for list in &r.lists {
            let mut end = 0;
            for a in &list.streams[0].attributes {
                assert_eq!(a.offset, end, "{} {}", list.name, a.name);
                end += a.format.size();
            }
            assert_eq!(end, list.streams[0].stride);
        }
    }

    #[test]
    fn the_light_comes_from_above_and_full_light_is_a_little_over_one() {
        let sun = glam::Vec3::from(fallback_sun_direction());
        assert!((sun.length() - 1.0).abs() < 1e-5 && sun.z > 0.5);
        assert!((AMBIENT + SUN - 1.243).abs() < 1e-3);
    }
}
