//! From a map's source to its parsed files and to the layers that its assets come from.

use std::borrow::Cow;

use terrace_engine::asset::{Layer, Profile, Vfs, VirtualPath};
use terrace_engine::bytes::FormatError;
use terrace_engine::diag::{Diagnostic, Severity};
use terrace_engine::scene::MapSource;

use crate::catalog::{CATALOG_FILES, Catalogs};
use crate::formats::{
    CellFlags, CliffLevels, FluffDoodads, HardTiles, HeightMap, MapInfo, Objects, SyncHeights, SyncPathing,
    SyncTextures, TerrainXml, TextureMasks, VertexColors, WaterAreas, dependencies,
};

/// How archives are read.
pub(crate) const PROFILE: Profile = Profile::Versioned;
/// Mods that every map stands on, the lowest first.
const BASE_MODS: [&str; 4] = ["Mods/Core.SC2Mod", "Mods/Liberty.SC2Mod", "Mods/Swarm.SC2Mod", "Mods/Void.SC2Mod"];
/// Where the catalogs of a map or a mod lie.
const GAME_DATA: &str = "Base.SC2Data/GameData";
/// Where the pictures and models of a mod lie.
const GAME_ASSETS: &str = "Base.SC2Assets";

/// The parsed files of a map. What is missing or broken is `None`.
#[derive(Debug, Default)]
pub(crate) struct MapFiles {
    pub(crate) info: Option<MapInfo>,
    pub(crate) xml: Option<TerrainXml>,
    pub(crate) heights: Option<HeightMap>,
    pub(crate) sync_heights: Option<SyncHeights>,
    pub(crate) levels: Option<CliffLevels>,
    pub(crate) flags: Option<CellFlags>,
    pub(crate) masks: Option<TextureMasks>,
    pub(crate) textures: Option<SyncTextures>,
    pub(crate) tiles: Option<HardTiles>,
    pub(crate) water: Option<WaterAreas>,
    pub(crate) pathing: Option<SyncPathing>,
    pub(crate) colors: Option<VertexColors>,
    pub(crate) fluff: Option<FluffDoodads>,
    pub(crate) objects: Option<Objects>,
    pub(crate) dependencies: Vec<String>,
}

/// A source's name for messages.
pub(crate) fn source_name(source: &MapSource) -> String {
    match source {
        MapSource::BuiltIn => "the built-in map".to_owned(),
        MapSource::Path(path) => path.display().to_string(),
    }
}

/// The map's own files as a layer: an archive, a folder, or the folder around a list of components.
///
/// # Errors
/// A path that does not exist, an empty file, a file that is no archive; with a way out.
pub(crate) fn map_layer(source: &MapSource) -> Result<Layer, Diagnostic> {
    let MapSource::Path(path) = source else {
        return Err(Diagnostic::error("sc2.no-map", "StarCraft II has no built-in map")
            .help("give a .SC2Map archive, a .SC2Components folder, or a map's folder"));
    };
    let list = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("SC2Components")) && path.is_file();
    match path.parent().filter(|_| list) {
        Some(folder) => Layer::from_path(folder, PROFILE),
        None => Layer::from_path(path, PROFILE),
    }
}

struct Reader<'a> {
    layer: &'a Layer,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    /// A file of the map, if it has it and it can be read; anything else costs that file only.
    fn read<T>(&mut self, name: &str, parse: fn(&[u8]) -> Result<T, FormatError>) -> Option<T> {
        let path = VirtualPath::new(name).ok().filter(|path| self.layer.contains(path))?;
        let parsed = self.layer.read(&path).map_err(|e| e.diagnostic());
        let parsed =
            parsed.and_then(|bytes| parse(&bytes).map_err(|e| e.in_file(&format!("{}:{name}", self.layer.name()))));
        match parsed {
            Ok(value) => Some(value),
            Err(error) => {
                self.diagnostics.push(Diagnostic { severity: Severity::Warning, ..error });
                None
            }
        }
    }
}

impl MapFiles {
    pub(crate) fn read(layer: &Layer, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut r = Reader { layer, diagnostics };
        Self {
            info: r.read("MapInfo", MapInfo::parse),
            xml: r.read("t3Terrain.xml", TerrainXml::parse),
            heights: r.read("t3HeightMap", HeightMap::parse),
            sync_heights: r.read("t3SyncHeightMap", SyncHeights::parse),
            levels: r.read("t3SyncCliffLevel", CliffLevels::parse),
            flags: r.read("t3CellFlags", CellFlags::parse),
            masks: r.read("t3TextureMasks", TextureMasks::parse),
            textures: r.read("t3SyncTextureInfo", SyncTextures::parse),
            tiles: r.read("t3HardTile", HardTiles::parse),
            water: r.read("t3Water", WaterAreas::parse),
            pathing: r.read("t3SyncPathingInfo", SyncPathing::parse),
            colors: r.read("t3VertCol", VertexColors::parse),
            fluff: r.read("t3FluffDoodad", FluffDoodads::parse),
            objects: r.read("Objects", Objects::parse),
            dependencies: r.read("DocumentInfo", dependencies).unwrap_or_default(),
        }
    }

    /// Cells along x and y: `MapInfo` counts, then the description, then what the grids have.
    pub(crate) fn cells(&self) -> Option<[u32; 2]> {
        let info = self.info.as_ref().map(|i| i.size);
        let xml = || self.xml.as_ref().map(TerrainXml::cells);
        let heights = || self.heights.as_ref().map(|h| [h.points.width - 1, h.points.height - 1]);
        let levels = || self.levels.as_ref().map(|l| [l.cells.width, l.cells.height]);
        info.or_else(xml).or_else(heights).or_else(levels)
    }

    /// Weights of the ground's layers: the painted masks, else the strongest layer of each cell.
    pub(crate) fn ground_masks(&self) -> Option<Cow<'_, TextureMasks>> {
        let strongest = || self.textures.as_ref().map(|t| Cow::Owned(t.masks()));
        self.masks.as_ref().map(Cow::Borrowed).or_else(strongest)
    }

    /// Id of the CTerrain.
    pub(crate) fn tileset(&self) -> &str {
        let xml = self.xml.as_ref().map(|x| x.tileset.as_str()).filter(|t| !t.is_empty());
        xml.or(self.info.as_ref().map(|i| i.tileset.as_str())).unwrap_or("")
    }
}

/// Where assets come from: the map, then the data, then the mods in it from the last to the first.
#[derive(Debug)]
pub(crate) struct Sources {
    /// Layers for pictures and models.
    pub(crate) vfs: Vfs,
    /// Merged catalogs.
    pub(crate) catalogs: Catalogs,
}

impl Sources {
    pub(crate) fn new(map: &Layer, data: &Vfs, dependencies: &[String], diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut mods: Vec<&str> = BASE_MODS.to_vec();
        for dependency in dependencies {
            if !mods.iter().any(|m| m.eq_ignore_ascii_case(dependency)) {
                mods.push(dependency);
            }
        }
        // Lowest first: mods in their order, then the data's own root, then the map.
        let mut layers = Vec::new();
        for name in mods {
            layers.extend(data.layers().iter().rev().filter_map(|layer| mod_layer(layer, name, diagnostics)));
        }
        layers.extend(data.layers().iter().rev().cloned());
        layers.push(map.clone());
        let mut catalogs = Catalogs::default();
        for layer in &layers {
            add_catalogs(&mut catalogs, layer, diagnostics);
        }
        let with_assets = |layer: &Layer| [Some(layer.clone()), layer.under(GAME_ASSETS).ok()];
        let vfs = Vfs::new(layers.iter().rev().flat_map(with_assets).flatten().collect());
        Self { vfs, catalogs }
    }
}

/// A mod inside a layer: an archive, or a folder.
fn mod_layer(layer: &Layer, name: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<Layer> {
    let path = VirtualPath::new(name).ok()?;
    if !layer.contains(&path) {
        return layer.under(name).ok();
    }
    Layer::nested(layer, name, PROFILE).map_err(|e| diagnostics.push(e.diagnostic())).ok()
}

fn add_catalogs(catalogs: &mut Catalogs, layer: &Layer, diagnostics: &mut Vec<Diagnostic>) {
    let mut names: Vec<String> = CATALOG_FILES.iter().map(|file| format!("{GAME_DATA}/{file}")).collect();
    let mut reader = Reader { layer, diagnostics };
    if let Some(included) = reader.read("Base.SC2Data/GameData.xml", Catalogs::includes) {
        names.extend(included.iter().map(|path| format!("Base.SC2Data/{path}")));
    }
    for name in names {
        if let Some(bytes) = reader.read(&name, |bytes| Ok(bytes.to_vec()))
            && let Err(error) = catalogs.add(&bytes)
        {
            let error = error.in_file(&format!("{}:{name}", layer.name()));
            reader.diagnostics.push(Diagnostic { severity: Severity::Warning, ..error });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn light(color: &str) -> Vec<u8> {
        let key = format!("<DirectionalLight index=\"Key\" Color=\"{color}\" Direction=\"0,0,-1\"/>");
        format!("<Catalog><CLight id=\"L\"><ToDInfoArray index=\"0\">{key}</ToDInfoArray></CLight></Catalog>")
            .into_bytes()
    }

    #[test]
    fn the_map_wins_over_data_and_data_over_mods() {
        let path = |prefix: &str| format!("{prefix}{GAME_DATA}/LightData.xml");
        let core = (path("Mods/Core.SC2Mod/"), light("0,0,0"));
        let own = (path("Mods/My.SC2Mod/"), light("1,0,0"));
        let data = Vfs::new(vec![Layer::memory("data", [core, own]).unwrap()]);
        let map = Layer::memory("map", [(path(""), light("0,0,1"))]).unwrap();
        let empty = Layer::memory("map", []).unwrap();
        let color = |map: &Layer, dependencies: &[String]| {
            let mut problems = Vec::new();
            let sources = Sources::new(map, &data, dependencies, &mut problems);
            assert!(problems.is_empty(), "{problems:?}");
            sources.catalogs.light("L").unwrap().color
        };
        let my = ["Mods/My.SC2Mod".to_owned()];
        assert_eq!(color(&empty, &[]), [0.0, 0.0, 0.0]);
        assert_eq!(color(&empty, &my), [1.0, 0.0, 0.0]);
        assert_eq!(color(&map, &my), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_broken_catalog_costs_that_file_only() {
        let files = [
            (format!("{GAME_DATA}/TileData.xml"), b"<Catalog>".to_vec()),
            (format!("{GAME_DATA}/LightData.xml"), light("1,1,1")),
        ];
        let map = Layer::memory("map", files).unwrap();
        let mut problems = Vec::new();
        let sources = Sources::new(&map, &Vfs::default(), &[], &mut problems);
        assert!(sources.catalogs.light("L").is_some());
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("TileData.xml"), "{}", problems[0]);
    }
}
