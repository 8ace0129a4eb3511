//! Rows of `TerrainArt\Terrain.slk`, `CliffTypes.slk` and `Water.slk`.

use terrace_engine::diag::Diagnostic;

use crate::formats::TileId;
use crate::formats::tables::{CliffRow, CliffTable, TerrainTable, WaterRow, WaterTable};

/// Path of the ground table.
pub const TERRAIN_SLK: &str = "TerrainArt\\Terrain.slk";
/// Path of the cliff table.
pub const CLIFF_TYPES_SLK: &str = "TerrainArt\\CliffTypes.slk";
/// Path of the water table.
pub const WATER_SLK: &str = "TerrainArt\\Water.slk";

/// The three terrain tables, the map's own rows laid over the game's.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Ground textures.
    pub terrain: TerrainTable,
    /// Cliff types.
    pub cliffs: CliffTable,
    /// Water.
    pub water: WaterTable,
}

/// A ground texture.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundType {
    /// Id in the map's list.
    pub id: TileId,
    /// Path of the sheet; `None` when no table knows the id.
    pub texture: Option<String>,
}

/// A cliff type.
#[derive(Clone, Debug, PartialEq)]
pub struct CliffType {
    /// Id in the map's list.
    pub id: TileId,
    /// Folder (and prefix) of cliff pieces below `Doodads\Terrain`.
    pub cliff_dir: String,
    /// Folder (and prefix) of ramp pieces; `None` when the type has no ramps.
    pub ramp_dir: Option<String>,
    /// Path of the texture; `None` when no table knows the id.
    pub texture: Option<String>,
    /// Ground under the piece.
    pub ground_tile: Option<TileId>,
    /// Ground on the higher corners, where it differs.
    pub upper_tile: Option<TileId>,
}

/// Colours of water between two depths, RGBA 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaterBand {
    /// At the lesser depth.
    pub min: [f32; 4],
    /// At the greater depth.
    pub max: [f32; 4],
}

/// A tileset's water.
#[derive(Clone, Debug, PartialEq)]
pub struct WaterType {
    /// Offset of the surface in layers of 128 world units, negative: the surface lies below the stored level.
    pub height: f32,
    /// Paths of the animation's frames; empty only where no table has the tileset.
    pub frames: Vec<String>,
    /// Frames a second.
    pub rate: f32,
    /// Up to half a tile of depth.
    pub shallow: WaterBand,
    /// Below that.
    pub deep: WaterBand,
}

/// Most animation frames; the game's tables have 45.
const MAX_WATER_FRAMES: u32 = 128;
/// Offset of the surface where no table has a row: the value of most tilesets.
const DEFAULT_WATER_HEIGHT: f32 = -0.7;

impl Tables {
    /// Resolves a map's ground list. An id that no table knows keeps its index and gets no texture.
    pub fn ground_types(&self, ids: &[TileId], diagnostics: &mut Vec<Diagnostic>) -> Vec<GroundType> {
        let mut out: Vec<GroundType> = Vec::new();
        for &id in ids {
            let texture = self.terrain.get(id).map(|row| format!("{}.blp", row.texture()));
            if texture.is_none() {
                diagnostics.push(unknown("wc3.ground-id", "ground texture", id, TERRAIN_SLK));
            }
            out.push(GroundType { id, texture });
        }
        if out.is_empty() {
            out.push(GroundType { id: TileId::default(), texture: None });
        }
        out
    }

    /// Resolves a map's cliff list in stored order with its duplicates: dropping one would shift every later index. An
    /// unknown id keeps its slot and gets natural cliffs without a texture.
    pub fn cliff_types(&self, ids: &[TileId], diagnostics: &mut Vec<Diagnostic>) -> Vec<CliffType> {
        let mut out: Vec<CliffType> = Vec::new();
        for &id in ids {
            let row = self.cliffs.get(id);
            if row.is_none() {
                diagnostics.push(unknown("wc3.cliff-id", "cliff type", id, CLIFF_TYPES_SLK));
            }
            out.push(row.map_or_else(|| fallback_cliff(id), cliff_type));
        }
        if out.is_empty() {
            out.push(fallback_cliff(TileId::default()));
        }
        out
    }

    /// The water of a tileset: the row of its letter with "Sha" appended.
    pub fn water_type(&self, tileset: u8, diagnostics: &mut Vec<Diagnostic>) -> WaterType {
        let Some(row) = self.water.of_tileset(tileset) else {
            let key = TileId([tileset, b'S', b'h', b'a']);
            diagnostics.push(
                Diagnostic::warning("wc3.water-row", format!("no table has a row \"{key}\" for the tileset's water"))
                    .in_file(WATER_SLK)
                    .help("the map's water is shown in a neutral blue"),
            );
            return fallback_water();
        };
        water_type(row)
    }
}

fn water_type(row: &WaterRow) -> WaterType {
    let band = |min: [u8; 4], max: [u8; 4]| {
        let color = |c: [u8; 4]| c.map(|v| f32::from(v) / 255.0);
        WaterBand { min: color(min), max: color(max) }
    };
    let count = row.num_tex.clamp(1, MAX_WATER_FRAMES);
    WaterType {
        height: row.height,
        frames: (0..count).map(|i| format!("{}.blp", row.frame(i))).collect(),
        rate: row.tex_rate,
        shallow: band(row.shallow_min, row.shallow_max),
        deep: band(row.deep_min, row.deep_max),
    }
}

fn cliff_type(row: &CliffRow) -> CliffType {
    CliffType {
        id: row.id,
        cliff_dir: row.cliff_model_dir.clone(),
        ramp_dir: row.ramp_model_dir.clone(),
        texture: Some(format!("{}.blp", row.texture())),
        ground_tile: row.ground_tile,
        upper_tile: row.upper_tile,
    }
}

fn fallback_cliff(id: TileId) -> CliffType {
    CliffType {
        id,
        cliff_dir: "Cliffs".to_owned(),
        ramp_dir: Some("CliffTrans".to_owned()),
        texture: None,
        ground_tile: None,
        upper_tile: None,
    }
}

fn fallback_water() -> WaterType {
    let band = |min: [f32; 4], max: [f32; 4]| WaterBand { min, max };
    WaterType {
        height: DEFAULT_WATER_HEIGHT,
        frames: Vec::new(),
        rate: 0.0,
        shallow: band([0.5, 0.7, 0.9, 0.2], [0.4, 0.6, 0.9, 0.6]),
        deep: band([0.4, 0.6, 0.9, 0.6], [0.3, 0.5, 0.9, 0.8]),
    }
}

fn unknown(code: &'static str, what: &str, id: TileId, table: &str) -> Diagnostic {
    Diagnostic::warning(code, format!("the {what} \"{id}\" is in no table"))
        .in_file(table)
        .help("give the game's or the mod's data with --data; a fallback is shown until then")
}
