//! Rows of `TerrainArt\Terrain.slk`, `CliffTypes.slk` and `Water.slk`.

use terrace_engine::diag::Diagnostic;

use crate::formats::TileId;
use crate::formats::slk::{Row, Table};

/// Path of the ground table.
pub const TERRAIN_SLK: &str = "TerrainArt\\Terrain.slk";
/// Path of the cliff table.
pub const CLIFF_TYPES_SLK: &str = "TerrainArt\\CliffTypes.slk";
/// Path of the water table.
pub const WATER_SLK: &str = "TerrainArt\\Water.slk";
/// Columns without which a ground table is useless.
pub const TERRAIN_COLUMNS: [&str; 3] = ["tileID", "dir", "file"];
/// Columns without which a cliff table is useless.
pub const CLIFF_COLUMNS: [&str; 5] = ["cliffID", "cliffModelDir", "rampModelDir", "texDir", "texFile"];
/// Columns without which a water table is useless.
pub const WATER_COLUMNS: [&str; 4] = ["waterID", "height", "numTex", "texFile"];

/// One table in the versions of several layers: a row of the first layer that has the key counts, so that a map's own
/// table overrides rows and does not have to repeat the game's.
#[derive(Clone, Debug, Default)]
pub struct TableStack(pub Vec<Table>);

impl TableStack {
    /// The row of a key.
    pub fn row(&self, key: &str) -> Option<Row<'_>> {
        self.0.iter().find_map(|table| table.row(key))
    }
}

/// The three terrain tables.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Ground textures.
    pub terrain: TableStack,
    /// Cliff types.
    pub cliffs: TableStack,
    /// Water.
    pub water: TableStack,
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
    /// Paths of the animation's frames, at least one.
    pub frames: Vec<String>,
    /// Frames a second.
    pub rate: f32,
    /// Up to half a tile of depth.
    pub shallow: WaterBand,
    /// Below that.
    pub deep: WaterBand,
}

/// Most animation frames; the game's tables have 45.
const MAX_WATER_FRAMES: i32 = 128;
/// Offset of the surface where no table has a row: the value of most tilesets.
const DEFAULT_WATER_HEIGHT: f32 = -0.7;
const DEFAULT_RATE: f32 = 15.0;

impl Tables {
    /// Resolves a map's ground list. An id that no table knows keeps its index and gets no texture.
    pub fn ground_types(&self, ids: &[TileId], diagnostics: &mut Vec<Diagnostic>) -> Vec<GroundType> {
        let mut out: Vec<GroundType> = Vec::new();
        for &id in ids {
            let row = self.terrain.row(&id.to_string());
            let texture = row.and_then(|r| path(r, "dir", "file"));
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
            let row = self.cliffs.row(&id.to_string());
            if row.is_none() {
                diagnostics.push(unknown("wc3.cliff-id", "cliff type", id, CLIFF_TYPES_SLK));
            }
            out.push(row.map_or_else(|| fallback_cliff(id), |row| cliff_type(id, row)));
        }
        if out.is_empty() {
            out.push(fallback_cliff(TileId::default()));
        }
        out
    }

    /// The water of a tileset: the row of its letter with "Sha" appended.
    pub fn water_type(&self, tileset: u8, diagnostics: &mut Vec<Diagnostic>) -> WaterType {
        let key = format!("{}Sha", tileset as char);
        let Some(row) = self.water.row(&key) else {
            diagnostics.push(
                Diagnostic::warning("wc3.water-row", format!("no table has a row \"{key}\" for the tileset's water"))
                    .in_file(WATER_SLK)
                    .help("the map's water is shown in a neutral blue"),
            );
            return fallback_water();
        };
        let count = row.int("numTex").unwrap_or(1).clamp(1, MAX_WATER_FRAMES);
        let file = row.str("texFile").unwrap_or_default();
        let band = |name: &str| {
            let color = |end: &str| {
                ["R", "G", "B", "A"].map(|c| row.float(&format!("{name}{end}_{c}")).unwrap_or(255.0) / 255.0)
            };
            WaterBand { min: color("min"), max: color("max") }
        };
        WaterType {
            height: row.float("height").unwrap_or(DEFAULT_WATER_HEIGHT),
            frames: (0..count).map(|i| format!("{file}{i:02}.blp")).collect(),
            rate: row.float("texRate").unwrap_or(DEFAULT_RATE),
            shallow: band("S"),
            deep: band("D"),
        }
    }
}

fn path(row: Row<'_>, dir: &str, file: &str) -> Option<String> {
    Some(format!("{}\\{}.blp", row.str(dir)?, row.str(file)?))
}

fn cliff_type(id: TileId, row: Row<'_>) -> CliffType {
    let tile = |column: &str| row.str(column).and_then(TileId::from_text);
    CliffType {
        id,
        cliff_dir: row.str("cliffModelDir").unwrap_or("Cliffs").to_owned(),
        ramp_dir: row.str("rampModelDir").map(str::to_owned),
        texture: path(row, "texDir", "texFile"),
        ground_tile: tile("groundTile"),
        upper_tile: tile("upperTile"),
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
        rate: DEFAULT_RATE,
        shallow: band([0.5, 0.7, 0.9, 0.2], [0.4, 0.6, 0.9, 0.6]),
        deep: band([0.4, 0.6, 0.9, 0.6], [0.3, 0.5, 0.9, 0.8]),
    }
}

fn unknown(code: &'static str, what: &str, id: TileId, table: &str) -> Diagnostic {
    Diagnostic::warning(code, format!("the {what} \"{id}\" is in no table"))
        .in_file(table)
        .help("give the game's or the mod's data with --data; a fallback is shown until then")
}
