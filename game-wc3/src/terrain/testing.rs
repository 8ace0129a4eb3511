//! Small terrains and tables for tests. Everything goes through the real writers and readers.

use std::path::{Path, PathBuf};

use terrace_engine::diag::Diagnostic;

use super::Terrain;
use super::tables::Tables;
use crate::formats::TileId;
use crate::formats::slk::Table;
use crate::formats::tables::{TableRow, TypedTable};
use crate::formats::w3e::{Version, Vertex, W3e};

/// An SLK table of these rows; the first names the columns.
pub(crate) fn slk(rows: &[&[&str]]) -> Vec<u8> {
    let mut out = String::from("ID;PTEST\n");
    for (y, row) in rows.iter().enumerate() {
        for (x, cell) in row.iter().enumerate() {
            out.push_str(&format!("C;X{};Y{};K\"{cell}\"\n", x + 1, y + 1));
        }
    }
    out.push_str("E\n");
    out.into_bytes()
}

fn table<T: TableRow>(name: &str, rows: &[&[&str]]) -> TypedTable<T> {
    let mut out = TypedTable::default();
    assert_eq!(out.layer(&Table::parse(&slk(rows), name).unwrap()).unwrap(), []);
    out
}

/// Tables with the rows that the tests use.
pub(crate) fn tables() -> Tables {
    let ground = ["Ldrt", "Lgrs", "Vdrt", "Lgrd", "Xdrt", "Xsqd", "Oaby", "Osmb", "Odrt"];
    let mut terrain: Vec<Vec<&str>> = vec![vec!["tileID", "dir", "file"]];
    terrain.extend(ground.iter().map(|id| vec![*id, "TerrainArt", *id]));
    let terrain: Vec<&[&str]> = terrain.iter().map(Vec::as_slice).collect();
    let cliff = |id, dirs: [&'static str; 2], file, ground, upper| {
        vec![id, dirs[0], dirs[1], "ReplaceableTextures\\Cliff", file, ground, upper]
    };
    let natural = ["Cliffs", "CliffTrans"];
    let city = ["CityCliffs", "CityCliffTrans"];
    let rows = [
        vec!["cliffID", "cliffModelDir", "rampModelDir", "texDir", "texFile", "groundTile", "upperTile"],
        cliff("CLgr", natural, "Cliff1", "Lgrs", "_"),
        cliff("CVdi", natural, "Cliff0", "Vdrt", "_"),
        cliff("CXsq", city, "Cliff1", "Xsqd", "_"),
        cliff("CXdi", natural, "Cliff0", "Xdrt", "_"),
        cliff("COrd", natural, "Cliff0", "Oaby", "Osmb"),
    ];
    let cliffs: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    let water: [&[&str]; 2] = [
        &["waterID", "height", "numTex", "texRate", "texFile", "Smin_R", "Smin_A", "Smax_R", "Smax_A", "Dmax_A"],
        &["LSha", "-0.7", "3", "1.5", "Water\\A", "0", "0", "255", "51", "255"],
    ];
    Tables {
        terrain: table("Terrain.slk", &terrain),
        cliffs: table("CliffTypes.slk", &cliffs),
        water: table("Water.slk", &water),
    }
}

/// A flat map on layer 2 with these lists.
pub(crate) fn flat(width: u32, height: u32, ground: &[&str], cliffs: &[&str]) -> W3e {
    let ids = |list: &[&str]| list.iter().map(|id| TileId::from_text(id).unwrap()).collect();
    let vertex = Vertex { raw_height: 0x2000, raw_water: 0x2000, cliff_texture: 15, layer: 2, ..Vertex::default() };
    W3e {
        version: Version::V11,
        tileset: b'L',
        custom: false,
        ground_tiles: ids(ground),
        cliff_tiles: ids(cliffs),
        width,
        height,
        center_offset: [0.0, 0.0],
        vertices: vec![vertex; (width * height) as usize],
        trailing_bytes: 0,
    }
}

/// Changes a vertex.
pub(crate) fn edit(w3e: &mut W3e, x: u32, y: u32, change: impl FnOnce(&mut Vertex)) {
    let i = (y * w3e.width + x) as usize;
    change(&mut w3e.vertices[i]);
}

/// The terrain of the file's bytes, through writer and reader.
pub(crate) fn open(w3e: &W3e) -> (Terrain, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let read = W3e::parse(&w3e.write().unwrap()).unwrap();
    let terrain = Terrain::new(&read, &tables(), &mut diagnostics);
    (terrain, diagnostics)
}

/// The folder of real maps, if a folder above the checkout has it.
pub(crate) fn data() -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|up| up.join("shared/data")).find(|p| p.is_dir());
    if found.is_none() {
        eprintln!("skipped: no folder above the checkout has shared/data");
    }
    found
}
