//! The terrain tables: `TerrainArt/Terrain.slk`, `TerrainArt/CliffTypes.slk`, `TerrainArt/Water.slk`.
//!
//! Each collects rows from several layers, game first and map last: a row of a later layer replaces the whole row of
//! an earlier one. Keys are four-character codes and keep their case.

use std::collections::BTreeMap;

use terrace_engine::diag::Diagnostic;

use super::id::TileId;
use super::slk::{Row, Table};

/// A row that one of the tables can hold.
pub trait TableRow: Sized {
    /// Columns without which the table is useless.
    const REQUIRED: &'static [&'static str];

    /// The row, or the column that it cannot do without.
    ///
    /// # Errors
    /// The name of a column whose cell is empty.
    fn read(id: TileId, row: Row<'_>) -> Result<Self, &'static str>;
}

/// Rows by code.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedTable<T> {
    rows: BTreeMap<TileId, T>,
}

/// Rows of Terrain.slk.
pub type TerrainTable = TypedTable<TerrainRow>;
/// Rows of CliffTypes.slk.
pub type CliffTable = TypedTable<CliffRow>;
/// Rows of Water.slk.
pub type WaterTable = TypedTable<WaterRow>;

impl<T> Default for TypedTable<T> {
    fn default() -> Self {
        Self { rows: BTreeMap::new() }
    }
}

impl<T: TableRow> TypedTable<T> {
    /// Lays a table over what is there. Rows that lack what they need are left out and reported.
    ///
    /// # Errors
    /// A table that lacks a column; nothing is taken from it then.
    pub fn layer(&mut self, table: &Table) -> Result<Vec<Diagnostic>, Diagnostic> {
        table.require_columns(T::REQUIRED)?;
        let mut warnings = Vec::new();
        let mut fresh = BTreeMap::new();
        for row in table.rows() {
            let Some(id) = TileId::from_text(row.key()) else {
                let what = format!("the key \"{}\" is longer than four characters, its row is left out", row.key());
                warnings.push(Diagnostic::warning("wc3.table-key", what).in_file(table.name()));
                continue;
            };
            match T::read(id, row) {
                // As in the table itself the first of two rows with one key counts.
                Ok(value) => drop(fresh.entry(id).or_insert(value)),
                Err(column) => {
                    let what = format!("row \"{id}\" has nothing in column \"{column}\" and is left out");
                    warnings.push(Diagnostic::warning("wc3.table-cell", what).in_file(table.name()));
                }
            }
        }
        self.rows.extend(fresh);
        Ok(warnings)
    }

    /// The row of a code.
    pub fn get(&self, id: TileId) -> Option<&T> {
        self.rows.get(&id)
    }

    /// All rows in the order of their codes.
    pub fn iter(&self) -> impl Iterator<Item = (TileId, &T)> {
        self.rows.iter().map(|(id, row)| (*id, row))
    }

    /// Rows in it.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl WaterTable {
    /// The row of a tileset: its letter and "Sha".
    pub fn of_tileset(&self, tileset: u8) -> Option<&WaterRow> {
        self.get(TileId([tileset, b'S', b'h', b'a']))
    }
}

/// A ground tile.
#[derive(Clone, Debug, PartialEq)]
pub struct TerrainRow {
    /// `tileID`.
    pub id: TileId,
    /// `dir`, folder of the texture.
    pub dir: String,
    /// `file`, texture without extension.
    pub file: String,
    /// `cliffSet`, number of the tileset's cliff, `None` for none.
    pub cliff_set: Option<i32>,
    /// `buildable`.
    pub buildable: bool,
    /// `walkable`.
    pub walkable: bool,
    /// `flyable`.
    pub flyable: bool,
    /// `blightPri`, which of several tiles blight takes first.
    pub blight_priority: Option<i32>,
    /// `convertTo`, tiles it becomes in other tilesets.
    pub convert_to: Vec<TileId>,
}

impl TerrainRow {
    /// Virtual path of the texture without extension.
    pub fn texture(&self) -> String {
        join(&self.dir, &self.file)
    }
}

impl TableRow for TerrainRow {
    const REQUIRED: &'static [&'static str] = &["tileID", "dir", "file"];

    fn read(id: TileId, row: Row<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            id,
            dir: text(row, "dir")?,
            file: text(row, "file")?,
            cliff_set: row.int("cliffSet").filter(|&v| v >= 0),
            buildable: row.bool("buildable").unwrap_or(true),
            walkable: row.bool("walkable").unwrap_or(true),
            flyable: row.bool("flyable").unwrap_or(true),
            blight_priority: row.int("blightPri"),
            convert_to: row.list("convertTo").into_iter().filter_map(TileId::from_text).collect(),
        })
    }
}

/// A cliff type.
#[derive(Clone, Debug, PartialEq)]
pub struct CliffRow {
    /// `cliffID`.
    pub id: TileId,
    /// `cliffModelDir`, folder and first part of the names of the cliff pieces.
    pub cliff_model_dir: String,
    /// `rampModelDir`, folder and first part of the names of the ramp pieces, `None` for none.
    pub ramp_model_dir: Option<String>,
    /// `texDir`, folder of the texture.
    pub tex_dir: String,
    /// `texFile`, texture without extension.
    pub tex_file: String,
    /// `groundTile`, which covers corners at the foot of a piece, `None` for none.
    pub ground_tile: Option<TileId>,
    /// `upperTile`, which covers corners on top of a piece, `None` for none.
    pub upper_tile: Option<TileId>,
    /// `cliffClass`.
    pub cliff_class: Option<String>,
}

impl CliffRow {
    /// Virtual path of the texture without extension.
    pub fn texture(&self) -> String {
        join(&self.tex_dir, &self.tex_file)
    }
}

impl TableRow for CliffRow {
    const REQUIRED: &'static [&'static str] = &["cliffID", "cliffModelDir", "texDir", "texFile"];

    fn read(id: TileId, row: Row<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            id,
            cliff_model_dir: text(row, "cliffModelDir")?,
            ramp_model_dir: row.str("rampModelDir").map(str::to_owned),
            tex_dir: text(row, "texDir")?,
            tex_file: text(row, "texFile")?,
            ground_tile: row.str("groundTile").and_then(TileId::from_text),
            upper_tile: row.str("upperTile").and_then(TileId::from_text),
            cliff_class: row.str("cliffClass").map(str::to_owned),
        })
    }
}

/// Water of a tileset. Colours are red, green, blue, alpha, 0..=255; white where a cell is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct WaterRow {
    /// Key, the tileset's letter and "Sha".
    pub id: TileId,
    /// `height`, tiles of 128 world units that are added to the stored level.
    pub height: f32,
    /// `texFile`, path of the first frame without its two digits and extension.
    pub tex_file: String,
    /// `numTex`, frames, at least 1.
    pub num_tex: u32,
    /// `texRate`, frames a second.
    pub tex_rate: f32,
    /// `texOffset`, first frame.
    pub tex_offset: u32,
    /// `alphaMode`.
    pub alpha_mode: i32,
    /// `lighting`.
    pub lighting: bool,
    /// `cells`, tiles along one side of the texture.
    pub cells: u32,
    /// `mmRed`, `mmGreen`, `mmBlue`, `mmAlpha`, on the minimap.
    pub minimap: [u8; 4],
    /// `Smin_*`, at no depth.
    pub shallow_min: [u8; 4],
    /// `Smax_*`, where shallow water ends.
    pub shallow_max: [u8; 4],
    /// `Dmin_*`, where deep water begins.
    pub deep_min: [u8; 4],
    /// `Dmax_*`, in deep water.
    pub deep_max: [u8; 4],
}

impl WaterRow {
    /// Virtual path without extension of a frame (reduced into the frames there are): the path and two digits.
    pub fn frame(&self, frame: u32) -> String {
        format!("{}{:02}", self.tex_file, self.tex_offset.saturating_add(frame % self.num_tex))
    }
}

impl TableRow for WaterRow {
    const REQUIRED: &'static [&'static str] = &["height", "texFile"];

    fn read(id: TileId, row: Row<'_>) -> Result<Self, &'static str> {
        let channel = |name: String| row.int(&name).map_or(255, |v| v.clamp(0, 255) as u8);
        let color = |prefix: &str| ["R", "G", "B", "A"].map(|c| channel(format!("{prefix}_{c}")));
        Ok(Self {
            id,
            height: row.float("height").ok_or("height")?,
            tex_file: text(row, "texFile")?,
            num_tex: row.int("numTex").map_or(1, |v| v.clamp(1, 1000) as u32),
            tex_rate: row.float("texRate").unwrap_or(0.0).max(0.0),
            tex_offset: row.int("texOffset").map_or(0, |v| v.clamp(0, 1000) as u32),
            alpha_mode: row.int("alphaMode").unwrap_or(1),
            lighting: row.bool("lighting").unwrap_or(true),
            cells: row.int("cells").map_or(1, |v| v.clamp(1, 1000) as u32),
            minimap: ["mmRed", "mmGreen", "mmBlue", "mmAlpha"].map(|c| channel(c.to_owned())),
            shallow_min: color("Smin"),
            shallow_max: color("Smax"),
            deep_min: color("Dmin"),
            deep_max: color("Dmax"),
        })
    }
}

fn text(row: Row<'_>, column: &'static str) -> Result<String, &'static str> {
    row.str(column).map(str::to_owned).ok_or(column)
}

fn join(dir: &str, file: &str) -> String {
    format!("{}\\{file}", dir.trim_end_matches(['\\', '/']))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of rows of cells.
    fn table(name: &str, rows: &[&[&str]]) -> Table {
        let mut text = "ID;PWXL\n".to_owned();
        for (y, row) in rows.iter().enumerate() {
            for (x, cell) in row.iter().enumerate() {
                text += &format!("C;Y{};X{};K\"{cell}\"\n", y + 1, x + 1);
            }
        }
        Table::parse(text.as_bytes(), name).unwrap()
    }

    #[test]
    fn later_layers_replace_rows_and_keep_the_others() {
        let mut terrain = TerrainTable::default();
        let base = table(
            "game",
            &[
                &["tileID", "cliffSet", "dir", "file", "walkable", "convertTo"],
                &["Ldrt", "-1", "TerrainArt\\L\\", "Dirt", "0", "Adrt,Bdrt"],
                &["Lgrs", "2", "TerrainArt\\L", "Grass", "1", "_"],
                &["Lbad", "1", "TerrainArt\\L", "-", "1", "_"],
            ],
        );
        let warnings = terrain.layer(&base).unwrap();
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].message.contains("\"Lbad\"") && warnings[0].message.contains("\"file\""));
        assert_eq!(terrain.layer(&table("map", &[&["tileID", "dir", "file"], &["Lgrs", "x", "Mine"]])).unwrap(), []);
        let dirt = terrain.get(TileId(*b"Ldrt")).unwrap();
        assert_eq!((dirt.texture(), dirt.cliff_set, dirt.walkable), ("TerrainArt\\L\\Dirt".into(), None, false));
        assert_eq!(dirt.convert_to, [TileId(*b"Adrt"), TileId(*b"Bdrt")]);
        let grass = terrain.get(TileId(*b"Lgrs")).unwrap();
        assert_eq!((grass.texture(), grass.cliff_set, terrain.len()), ("x\\Mine".into(), None, 2));
    }

    #[test]
    fn a_table_without_a_column_changes_nothing() {
        let mut cliffs = CliffTable::default();
        let e = cliffs
            .layer(&table("CliffTypes.slk", &[&["cliffID", "texDir", "texFile"], &["CLdi", "a", "b"]]))
            .unwrap_err();
        assert!(e.to_string().contains("cliffModelDir") && e.to_string().contains("CliffTypes.slk"));
        assert!(cliffs.is_empty());
    }

    #[test]
    fn underscores_are_no_tiles_and_no_ramps() {
        let mut cliffs = CliffTable::default();
        let header = ["cliffID", "cliffModelDir", "rampModelDir", "texDir", "texFile", "groundTile", "upperTile"];
        cliffs.layer(&table("c", &[&header, &["CLdi", "Cliffs", "CliffTrans", "d", "f", "Ldrt", "_"]])).unwrap();
        let row = cliffs.get(TileId(*b"CLdi")).unwrap();
        assert_eq!((row.ground_tile, row.upper_tile), (Some(TileId(*b"Ldrt")), None));
        assert_eq!(row.ramp_model_dir.as_deref(), Some("CliffTrans"));
    }

    #[test]
    fn water_has_real_rates_and_two_digit_frames() {
        let mut water = WaterTable::default();
        let header = ["waterID", "height", "texFile", "numTex", "texRate", "Smin_R", "Dmax_A"];
        water.layer(&table("w", &[&header, &["LSha", "-0.7", "Water\\A", "45", "22.5", "300", "7"]])).unwrap();
        let row = water.of_tileset(b'L').unwrap();
        assert_eq!((row.height, row.tex_rate, row.frame(47)), (-0.7, 22.5, "Water\\A02".into()));
        assert_eq!((row.shallow_min, row.deep_max), ([255; 4], [255, 255, 255, 7]));
        assert!(water.of_tileset(b'X').is_none());
    }
}
