//! Built-in art: pleasant stand-ins, made from code alone, for the terrain art of every Warcraft III tileset, and a map to see
//! them on.
//!
//! Files carry the games' ids and virtual paths, because maps refer to these; what is in them is of our own making. The same input
//! gives the same bytes on every run.
//!
//! ```
//! let names: Vec<String> = terrace_art::tables().into_iter().map(|(path, _)| path).collect();
//! assert!(names.contains(&"TerrainArt\\Terrain.slk".to_owned()));
//! ```

mod blp;
mod builtin;
mod canvas;
mod catalog;
mod material;
pub mod mdx;
mod noise;
mod piece;
pub mod preview;
mod sheet;
pub mod slk;
mod wall;
mod water;

#[cfg(test)]
mod tests;

use rayon::prelude::*;

/// A virtual path (backslashes, as the games write it) and the file's bytes.
pub type File = (String, Vec<u8>);

/// Changes whenever the generator's sources do: the key under which its output may be kept.
pub const FINGERPRINT: &str = env!("TERRACE_ART_FINGERPRINT");

/// Letters of all tilesets, in the order in which the tables list them.
pub fn tilesets() -> Vec<char> {
    catalog::TILESETS.iter().map(|t| t.letter).collect()
}

/// Ids of all ground types that have a row in the terrain table.
pub fn ground_ids() -> Vec<&'static str> {
    catalog::TILES.iter().map(|t| t.id).collect()
}

/// Ids of all cliff types that have a row in the cliff table.
pub fn cliff_ids() -> Vec<&'static str> {
    catalog::CLIFFS.iter().map(|c| c.id).collect()
}

/// The tables: ground types, cliff types, waters, and the blight sheet of each tileset.
pub fn tables() -> Vec<File> {
    vec![
        ("TerrainArt\\Terrain.slk".to_owned(), catalog::terrain_table()),
        ("TerrainArt\\CliffTypes.slk".to_owned(), catalog::cliff_table()),
        ("TerrainArt\\Water.slk".to_owned(), catalog::water_table()),
        ("UI\\WorldEditData.txt".to_owned(), catalog::editor_data()),
    ]
}

/// Every file of the base layer: tables, ground sheets, cliff and ramp pieces, water frames, and the two cliff textures of the
/// default look (Lordaeron Summer). Generated in parallel; order and bytes do not depend on it.
pub fn files() -> Vec<File> {
    let mut out = tables();
    out.par_extend(catalog::TILES.par_iter().map(|t| (catalog::tile_path(t), sheet::ground(t))));
    out.par_extend(
        catalog::TILESETS.par_iter().map(|t| (format!("{}\\{}.blp", t.dir, t.blight_file), sheet::blight(t))),
    );
    out.par_extend(piece::orders().into_par_iter().map(|(style, ramp, letters, variation)| {
        let piece = piece::build(style, ramp, &letters, variation);
        let name = format!("{}{letters}{variation}", piece.dir);
        (piece.path(), mdx::write_static(&name, "ReplaceableTextures\\Cliff\\Cliff0.blp", &piece.mesh))
    }));
    out.par_extend(
        (0..catalog::WATER_FRAMES)
            .into_par_iter()
            .map(|frame| (format!("{}{frame:02}.blp", catalog::WATER_FILE), water::encode(frame))),
    );
    out.extend(tileset_files('L'));
    out
}

/// What a tileset's own layer puts over the base: its two cliff textures. Empty for a letter that is no tileset.
pub fn tileset_files(letter: char) -> Vec<File> {
    catalog::cliff_looks(letter)
        .par_iter()
        .map(|look| {
            let path = format!("ReplaceableTextures\\Cliff\\Cliff{}.blp", look.slot);
            (path, wall::encode(look, u32::from(letter)))
        })
        .collect()
}

/// The built-in map's files, named as inside a map: terrain, information, baked shadows.
pub fn builtin_map() -> Vec<File> {
    builtin::files()
}
