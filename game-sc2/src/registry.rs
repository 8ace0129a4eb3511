//! The names that graph files may use for StarCraft II maps.

use terrace_engine::graph::{MaterialState, SampledKind};
use terrace_engine::scene::{
    Attribute, AttributeFormat, FlagDecl, ImportDecl, ListDecl, MaterialSlot, ParamDecl, PresetDecl, Registry,
    SizeDecl, Stream, Value,
};

use crate::light::Light;

/// Ids by meaning. The order of the declarations gives them.
pub(crate) mod ids {
    use terrace_engine::scene::{ImportId, ListId, SizeId, ViewId};

    /// List "ground".
    pub(crate) const GROUND: ListId = ListId(0);
    /// List "water".
    pub(crate) const WATER: ListId = ListId(1);
    /// View "main".
    pub(crate) const MAIN: ViewId = ViewId(0);
    /// View "light".
    pub(crate) const LIGHT: ViewId = ViewId(1);
    /// View "map".
    pub(crate) const MAP: ViewId = ViewId(2);
    /// Imports "mask_a" and "mask_b".
    pub(crate) const MASKS: [ImportId; 2] = [ImportId(0), ImportId(1)];
    /// Size "map_cells".
    pub(crate) const MAP_CELLS: SizeId = SizeId(0);
    /// Index of the flag "has_water".
    pub(crate) const HAS_WATER: usize = 0;
}

/// Everything that graph files may name.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::with_standard_views();
    registry.lists = vec![ground(), water()];
    let mask = |name: &str, layers: &str| ImportDecl {
        name: name.into(),
        doc: format!(
            "weights of ground layers {layers}, 8x8 texels a cell; row 0 is the south, sampled at the ground's uv"
        ),
        kind: SampledKind::D2,
    };
    registry.imports = vec![mask("mask_a", "0 to 3"), mask("mask_b", "4 to 7")];
    registry.flags =
        vec![FlagDecl { name: "has_water".into(), doc: "water is drawn somewhere on the map".into(), default: false }];
    registry.sizes = vec![SizeDecl { name: "map_cells".into(), doc: "cells of the map".into() }];
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
    use AttributeFormat::{F32x2, F32x3, Snorm8x4, Unorm8x4};
    let attributes = vec![
        attribute("position", F32x3, 0),
        attribute("normal", Snorm8x4, 12),
        attribute("uv", F32x2, 16),
        attribute("tint", Unorm8x4, 24),
    ];
    let doc = "the ground: one draw for each texture set and 8x8 cells; ground_layers has the eight textures of the set, \
               uv is the place in mask_a and mask_b, tint the baked brightness";
    list("ground", doc, 28, attributes, ("ground_layers", SampledKind::D2Array))
}

fn water() -> ListDecl {
    use AttributeFormat::{F32x3, Unorm8x4};
    let attributes = vec![attribute("position", F32x3, 0), attribute("color", Unorm8x4, 12)];
    let doc = "the water surface; color is colour and opacity of the depth below, ripples has slopes in red and green";
    list("water", doc, 16, attributes, ("ripples", SampledKind::D2))
}

fn params() -> Vec<ParamDecl> {
    let vec3 = |v: glam::Vec3| Value::Vec3(v.to_array());
    let light = Light::fallback();
    vec![
        ParamDecl::new(
            "sun_direction",
            vec3(light.to_light()),
            "from a surface to the key light, world space; the map's light sets it",
        )
        .range(-1.0, 1.0),
        ParamDecl::new("sun_color", vec3(light.color), "colour of the key light").range(0.0, 8.0),
        ParamDecl::new("ambient_color", vec3(light.ambient), "colour of the ambient light").range(0.0, 8.0),
        ParamDecl::new("runtime_shadows", Value::Bool(true), "shadows from the depth map"),
        ParamDecl::new("shadow_strength", Value::Float(0.75), "0 no shadows, 1 no key light in them").range(0.0, 1.0),
        ParamDecl::new("vertex_brightness", Value::Bool(true), "baked brightness of t3VertCol"),
        ParamDecl::new("ground_repeat", Value::Float(8.0), "length of one repeat of a ground texture in cells")
            .range(0.25, 256.0)
            .unit("cells"),
        ParamDecl::new(
            "height_fog",
            Value::Bool(false),
            "fog that lies in the depths; on where the map's CTerrain has it",
        ),
        ParamDecl {
            colour: true,
            ..ParamDecl::new("fog_color", Value::Vec4([0.5, 0.5, 0.5, 1.0]), "colour of the fog; alpha limits it")
                .range(0.0, 1.0)
        },
        ParamDecl::new("fog_density", Value::Float(0.0), "share of fog a world unit of depth").range(0.0, 10.0),
        ParamDecl::new("fog_falloff", Value::Float(1.0), "how fast the fog thins above its height, a world unit")
            .range(0.001, 10.0),
        ParamDecl::new("fog_height", Value::Float(0.0), "height below which the fog is thickest, world units")
            .range(-100.0, 100.0),
        ParamDecl::new(
            "water_drift",
            Value::Vec4([0.0, -0.001, 0.0005, 0.0]),
            "drift of the two ripple layers, repeats a millisecond",
        )
        .range(-0.1, 0.1),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_strides_are_those_of_the_declarations() {
        let r = registry();
        assert_eq!([r.list("ground"), r.list("water")], [Some(ids::GROUND), Some(ids::WATER)]);
        assert_eq!([r.import("mask_a"), r.import("mask_b")], ids::MASKS.map(Some));
        assert_eq!([r.view("main"), r.view("light"), r.view("map")], [ids::MAIN, ids::LIGHT, ids::MAP].map(Some));
        assert_eq!(r.size("map_cells"), Some(ids::MAP_CELLS));
        assert_eq!(r.flags[ids::HAS_WATER].name, "has_water");
        let stride = |i: usize| r.lists[i].streams[0].stride as usize;
        assert_eq!(stride(0), size_of::<crate::terrain::ground::GroundVertex>());
        assert_eq!(stride(1), size_of::<crate::terrain::water::WaterVertex>());
    }
}
