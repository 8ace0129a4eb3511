//! The readers against real files, whose manifest has independently found facts. Skipped where the files are absent.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use terrace_engine::asset::{Layer, Profile, VirtualPath};
use terrace_engine::bytes::FormatError;

use super::*;

/// The folder of StarCraft II files, if it is there.
pub(crate) fn data() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A second working tree may lie one folder deeper.
    let found =
        ["../../shared/data/sc2", "../../../shared/data/sc2"].map(|p| root.join(p)).into_iter().find(|p| p.exists());
    if found.is_none() {
        eprintln!("skipped: there are no StarCraft II files");
    }
    found
}

/// Every map: archives, and folders that hold loose files of one.
pub(crate) fn maps() -> Vec<PathBuf> {
    let Some(root) = data() else { return Vec::new() };
    let children = |path: &Path| {
        let mut out: Vec<_> = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect();
        out.sort();
        out
    };
    let mut out = Vec::new();
    for folder in children(&root) {
        if folder.join("MapInfo").exists() {
            out.push(folder);
        } else {
            out.extend(children(&folder).into_iter().filter(|p| p.extension().is_some_and(|e| e == "SC2Map")));
        }
    }
    assert!(out.len() > 10);
    out
}

fn read<T>(layer: &Layer, name: &str, parse: fn(&[u8]) -> Result<T, FormatError>) -> Option<T> {
    let path = VirtualPath::new(name).unwrap();
    if !layer.contains(&path) {
        return None;
    }
    let bytes = layer.read(&path).unwrap();
    Some(parse(&bytes).unwrap_or_else(|e| panic!("{}/{name}: {e}", layer.name())))
}

#[test]
fn every_file_of_every_map_is_read_and_the_sizes_agree() {
    let mut seen = 0;
    for map in maps() {
        let layer = Layer::from_path(&map, Profile::Versioned).unwrap();
        let name = map.display();
        let info = read(&layer, "MapInfo", MapInfo::parse).unwrap();
        let [w, h] = info.size;
        assert!(!info.tileset.is_empty() && info.base_height.abs() < 64.0, "{name}");
        if let Some(xml) = read(&layer, "t3Terrain.xml", TerrainXml::parse) {
            assert_eq!((xml.cells(), &xml.tileset), (info.size, &info.tileset), "{name}");
            assert_eq!(xml.block_sets.len() as u32, w.div_ceil(8) * h.div_ceil(8));
            seen += 1;
        }
        if let Some(heights) = read(&layer, "t3HeightMap", HeightMap::parse) {
            assert_eq!([heights.points.width, heights.points.height], [w + 1, h + 1], "{name}");
        }
        if let Some(heights) = read(&layer, "t3SyncHeightMap", SyncHeights::parse) {
            assert_eq!(heights.points.width, w + 1, "{name}");
        }
        if let Some(levels) = read(&layer, "t3SyncCliffLevel", CliffLevels::parse) {
            assert_eq!([levels.cells.width, levels.cells.height], [w, h], "{name}");
            assert!(levels.cells.values.iter().all(|l| (0.0..=15.0).contains(l)), "{name}");
        }
        if let Some(flags) = read(&layer, "t3CellFlags", CellFlags::parse) {
            assert_eq!([flags.cells.width, flags.cells.height], [w, h], "{name}");
        }
        let textures = read(&layer, "t3SyncTextureInfo", SyncTextures::parse);
        if let Some(masks) = read(&layer, "t3TextureMasks", TextureMasks::parse) {
            let agreed = textures.map_or(1.0, |textures| strongest_layers_agree(&masks, &textures));
            assert!(agreed > 0.98, "{name}: {agreed}");
            assert_eq!([masks.width, masks.height], [w * 8, h * 8], "{name}");
        }
        if let Some(colors) = read(&layer, "t3VertCol", VertexColors::parse) {
            let ground = colors.blocks.iter().filter(|b| b.kind == ColorBlockKind::Ground);
            assert_eq!(ground.count() as u32, w.div_ceil(4) * h.div_ceil(4), "{name}");
            let other = |b: &&ColorBlock| matches!(b.kind, ColorBlockKind::Other(_));
            assert_eq!(colors.blocks.iter().filter(other).count(), 0, "{name}");
        }
        read(&layer, "t3HardTile", HardTiles::parse);
        read(&layer, "t3Water", WaterAreas::parse);
        read(&layer, "t3FluffDoodad", FluffDoodads::parse);
        read(&layer, "t3SyncPathingInfo", SyncPathing::parse);
        read(&layer, "Objects", Objects::parse);
    }
    assert!(data().is_none() || seen >= 15, "{seen} descriptions");
}

/// Share of the cells whose strongest mask is the one that the other file names: it holds only if the masks' blocks, bits
/// and rows are read in the right order.
fn strongest_layers_agree(masks: &TextureMasks, textures: &SyncTextures) -> f32 {
    let [w, h] = [textures.cells.width, textures.cells.height];
    let sum = |layer: usize, x: u32, y: u32| {
        let texels = (0..64).map(|i| (x * 8 + i % 8, y * 8 + i / 8));
        texels.map(|(x, y)| u32::from(masks.weight(layer, x, y))).sum::<u32>()
    };
    let same = |(x, y): &(u32, u32)| {
        let named = usize::from(textures.cells.at(*x as i32, *y as i32));
        (0..MASK_LAYERS).all(|layer| sum(layer, *x, *y) <= sum(named, *x, *y))
    };
    let cells = (0..h).flat_map(|y| (0..w).map(move |x| (x, y)));
    cells.filter(same).count() as f32 / (w * h) as f32
}

#[test]
fn loose_files_agree_with_the_manifest() {
    let Some(root) = data() else { return };
    let manifest = std::fs::read_to_string(root.parent().unwrap().join("manifest.tsv")).unwrap();
    let mut checked = 0;
    for line in manifest.lines().filter(|l| l.starts_with("sc2/")) {
        let columns: Vec<_> = line.split('\t').collect();
        let (path, facts) = (columns[0], columns[columns.len() - 1]);
        let bytes = std::fs::read(root.parent().unwrap().join(path)).unwrap();
        let size = |w: u32, h: u32| format!(" {w}x{h}");
        let expected = match path.rsplit('/').next().unwrap() {
            "t3HeightMap" => HeightMap::parse(&bytes).map(|m| size(m.points.width, m.points.height)),
            "t3SyncCliffLevel" => CliffLevels::parse(&bytes).map(|m| size(m.cells.width, m.cells.height)),
            "t3CellFlags" => CellFlags::parse(&bytes).map(|m| size(m.cells.width, m.cells.height)),
            "t3TextureMasks" => TextureMasks::parse(&bytes).map(|m| size(m.width, m.height)),
            "t3VertCol" => VertexColors::parse(&bytes).map(|m| format!("u32@8={}", m.blocks.len())),
            "t3Water" => WaterAreas::parse(&bytes).map(|m| format!("u32@8={}", m.areas.len())),
            "t3FluffDoodad" => FluffDoodads::parse(&bytes).map(|m| format!("u32@8={}", m.doodads.len())),
            _ => continue,
        };
        let expected = expected.unwrap_or_else(|e| panic!("{path}: {e}"));
        assert!(facts.contains(&expected), "{path}: {expected} in {facts}");
        checked += 1;
    }
    assert!(checked >= 15, "{checked}");
}

#[test]
fn real_ramps_and_water_have_the_values_of_their_files() {
    let Some(root) = data() else { return };
    let layer = Layer::from_path(&root.join("oxwhirl__smac/2c_vs_64zg.SC2Map"), Profile::Versioned).unwrap();
    let xml = read(&layer, "t3Terrain.xml", TerrainXml::parse).unwrap();
    assert_eq!(xml.ramps.len(), 2);
    let ramp = &xml.ramps[0];
    assert_eq!((ramp.direction, ramp.high, ramp.low, ramp.mid.center), (3, 2, 1, [6.0, 16.0]));
    assert_eq!(ramp.variations, [Some(0), None, Some(0), None]);
    let heights = read(&layer, "t3HeightMap", HeightMap::parse).unwrap();
    let q = xml.quantization.unwrap();
    // The chasm, the lower and the upper tier.
    for (x, y, z) in [(0, 0, 0.0), (16, 10, 7.0), (16, 18, 9.0)] {
        assert!((heights.points.at(x, y).height(&q) - z).abs() < 0.02, "({x}, {y})");
    }
    let layer = Layer::from_path(&root.join("C132__Atlas"), Profile::Versioned).unwrap();
    let water = read(&layer, "t3Water", WaterAreas::parse).unwrap();
    assert_eq!((water.areas[0].water.as_str(), water.areas[0].max), ("ZhakulDas", [88.0, 88.0]));
}

/// A file of every format with its size fields set to `a` and `b`, and some bytes after it.
fn forged(magic: &[u8; 4], version: u32, a: u32, b: u32, tail: &[u8]) -> Vec<u8> {
    let mut out = magic.to_vec();
    out.extend([version, a, b, a, b, a, b].iter().flat_map(|v| v.to_le_bytes()));
    out.extend(tail);
    out
}

proptest! {
    #[test]
    fn no_bytes_panic_or_ask_for_much_memory(
        kind in 0usize..9, a in any::<u32>(), b in 0u32..70, tail in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let kinds: [(&[u8; 4], u32); 9] = [
            (b"HMAP", 101), (b"SMAP", 102), (b"CLIF", 100), (b"LFCT", 102), (b"MASK", 102), (b"HRDT", 102),
            (b"WATR", 110), (b"PATH", 100), (b"VTCL", 104),
        ];
        let (magic, version) = kinds[kind];
        for (a, b) in [(a, b), (b, b), (b, a)] {
            let bytes = forged(magic, version, a, b, &tail);
            let _ = HeightMap::parse(&bytes);
            let _ = SyncHeights::parse(&bytes);
            let _ = CliffLevels::parse(&bytes);
            let _ = CellFlags::parse(&bytes);
            let _ = TextureMasks::parse(&bytes);
            let _ = HardTiles::parse(&bytes);
            let _ = WaterAreas::parse(&bytes);
            let _ = SyncPathing::parse(&bytes);
            let _ = VertexColors::parse(&bytes).map(|v| v.ground([9, 9]));
            let _ = FluffDoodads::parse(&forged(b"DLFT", 103, a, b, &tail));
            let _ = MapInfo::parse(&forged(b"IpaM", b, a, b, &tail));
        }
    }

    #[test]
    fn no_text_panics(text in "(<[a-z]{1,3}( i=\"[0-9x]{0,3}\")?>|</[a-z]>|[&;u(, .0-9)rcwh=-]){0,30}") {
        let wrapped = format!("<terrain><heightMap dim=\"9 9\"><cliffCellList>{text}</cliffCellList></heightMap></terrain>");
        let _ = TerrainXml::parse(text.as_bytes());
        let _ = TerrainXml::parse(wrapped.as_bytes());
        let _ = Objects::parse(text.as_bytes());
        let _ = RampBox::parse(&text);
        let _ = crate::catalog::Catalogs::default().add(text.as_bytes());
    }
}
