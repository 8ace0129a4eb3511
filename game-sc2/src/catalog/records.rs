//! The classes that the terrain needs, as typed values.

use super::{Catalogs, Field};

/// A CLight at the first time of day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LightRecord {
    /// World-space direction in which the rays of the key light travel.
    pub direction: [f32; 3],
    /// Colour of the key light, already times its ColorMultiplier.
    pub color: [f32; 3],
    /// Ambient colour, already times the ColorizationBlend where Colorize is on.
    pub ambient: [f32; 3],
}

/// A CTerrain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TerrainRecord {
    /// Id of its CLight.
    pub lighting: Option<String>,
    /// Ids of the ground textures that it offers.
    pub textures: Vec<String>,
    /// Height fog, where it is on: colour (alpha in the fourth), density, falloff, starting height in world units.
    pub fog: Option<([f32; 4], f32, f32, f32)>,
}

/// A CWater's default state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaterRecord {
    /// Height of the surface, world units.
    pub height: f32,
    /// Colour and opacity.
    pub color: [f32; 4],
    /// How fast the colour closes with depth, a world unit.
    pub falloff: f32,
    /// Drift of the two ripple layers, repeats a millisecond.
    pub uv_rate: [f32; 4],
    /// True for lava.
    pub lava: bool,
}

/// A CCliff.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CliffRecord {
    /// Id of its CCliffMesh, which is also the folder below `Assets/Cliffs`.
    pub mesh: String,
}

impl Catalogs {
    /// A light by its id.
    pub fn light(&self, id: &str) -> Option<LightRecord> {
        let fields = self.resolve("CLight", id)?;
        let day = fields.get(&["ToDInfoArray[0]"])?;
        let key = |name: &str| day.get(&["DirectionalLight[Key]", name]);
        let vector = |name: &str| key(name).and_then(|f| f.vector::<3>(&[]));
        let multiplier = key("ColorMultiplier").and_then(|f| f.number(&[])).unwrap_or(1.0);
        let on = |name: &str| day.text(&[name]).is_some_and(|v| v != "0");
        let blend = day.number(&["Param[ColorizationBlend]"]).unwrap_or(1.0);
        let strength = if on("Colorize") { blend } else { 1.0 };
        Some(LightRecord {
            direction: vector("Direction")?,
            color: vector("Color").unwrap_or([1.0; 3]).map(|c| c * multiplier),
            ambient: day.vector::<3>(&["AmbientColor"]).unwrap_or([0.0; 3]).map(|c| c * strength),
        })
    }

    /// A terrain by its id.
    pub fn terrain(&self, id: &str) -> Option<TerrainRecord> {
        let fields = self.resolve("CTerrain", id)?;
        Some(TerrainRecord {
            lighting: fields.text(&["Lighting"]).map(str::to_owned),
            textures: fields.texts("BlendTextures").map(str::to_owned).collect(),
            fog: fog(&fields),
        })
    }

    /// A water by its id.
    pub fn water(&self, id: &str) -> Option<WaterRecord> {
        let fields = self.resolve("CWater", id)?;
        let state = fields.get(&["State[0]"])?;
        Some(WaterRecord {
            height: state.number(&["Height"]).unwrap_or(0.0),
            color: state.vector(&["Color"]).unwrap_or([0.1, 0.3, 0.4, 0.5]),
            falloff: state.number(&["ColorFallOff"]).unwrap_or(0.3),
            uv_rate: state.vector(&["UvRate"]).unwrap_or_default(),
            lava: fields.text(&["IsLava"]) == Some("1"),
        })
    }

    /// A cliff by its id.
    pub fn cliff(&self, id: &str) -> Option<CliffRecord> {
        self.text("CCliff", id, "CliffMesh").map(|mesh| CliffRecord { mesh })
    }

    /// The model of a road tile by its id.
    pub fn tile_model(&self, id: &str) -> Option<String> {
        self.text("CTile", id, "Model")
    }

    /// The picture of a ground texture by its id.
    pub fn terrain_texture(&self, id: &str) -> Option<String> {
        ["Texture", "Diffuse", "DiffuseTexture"].iter().find_map(|field| self.text("CTerrainTex", id, field))
    }
}

fn fog(fields: &Field) -> Option<([f32; 4], f32, f32, f32)> {
    if fields.text(&["FogEnabled"]) != Some("1") {
        return None;
    }
    // Stored as alpha, red, green, blue of 0 to 255.
    let [a, r, g, b] = fields.vector::<4>(&["FogColor"])?.map(|c| c / 255.0);
    let number = |name: &str, default| fields.number(&[name]).unwrap_or(default);
    Some(([r, g, b, a], number("FogDensity", 0.0), number("FogFalloff", 1.0), number("FogStartingHeight", 0.0)))
}
