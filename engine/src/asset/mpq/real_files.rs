//! Real archives, where the checkout has them beside it.

use std::path::{Path, PathBuf};

use super::*;

fn data() -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|up| up.join("shared/data")).find(|p| p.is_dir());
    if found.is_none() {
        eprintln!("skipped: no folder above the checkout has shared/data");
    }
    found
}

fn archives(root: &Path, below: &str, endings: &[&str]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for folder in std::fs::read_dir(root.join(below)).unwrap().flatten() {
        for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
            let name = file.file_name().to_string_lossy().to_lowercase();
            if endings.iter().any(|ending| name.ends_with(ending)) {
                out.push(file.path());
            }
        }
    }
    out.sort();
    out
}

/// Reads everything that can be named; gives (files read, errors).
fn read_all(path: &Path, archive: &Archive, known: &[&str]) -> (usize, Vec<String>) {
    let mut names = archive.listfile();
    names.extend(known.iter().filter(|name| archive.contains(name)).map(|name| (*name).to_owned()));
    let mut errors = Vec::new();
    let mut good = 0;
    for name in &names {
        match archive.read(name) {
            Ok(bytes) => {
                assert_eq!(Some(bytes.len() as u64), archive.size(name), "{} {name}", path.display());
                good += 1;
            }
            Err(e) => errors.push(format!("{}: {e}", path.display())),
        }
    }
    (good, errors)
}

/// The two numbers in front of `marker` in the row of facts that the corpus has for a file: `marker` follows `WxH`.
fn facts_size(root: &Path, path: &Path, kind: &str, marker: &str) -> (u64, u64) {
    let manifest = std::fs::read_to_string(root.join("manifest.tsv")).unwrap();
    let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
    let row = manifest.lines().find(|row| row.split('\t').next() == Some(&name)).unwrap();
    let facts = &row[row.find(kind).unwrap()..];
    let size = facts[..facts.find(marker).unwrap()].rsplit(' ').next().unwrap();
    let (width, height) = size.split_once('x').unwrap();
    (width.parse().unwrap(), height.parse().unwrap())
}

/// Bytes of a vertex in version 11 and 12 of the classic terrain.
fn vertex_bytes(w3e: &[u8]) -> u64 {
    if w3e[4] >= 12 { 8 } else { 7 }
}

const CLASSIC_NAMES: [&str; 12] = [
    "war3map.w3e",
    "war3map.w3i",
    "war3map.j",
    "scripts\\war3map.j",
    "war3map.lua",
    "war3map.shd",
    "war3map.doo",
    "war3mapUnits.doo",
    "war3map.wpm",
    "war3map.mmp",
    "war3mapMap.blp",
    "war3map.wts",
];
const VERSIONED_NAMES: [&str; 8] = [
    "MapInfo",
    "t3Terrain.xml",
    "t3HeightMap",
    "t3SyncCliffLevel",
    "t3TextureMasks",
    "t3CellFlags",
    "Objects",
    "Minimap.tga",
];

#[test]
fn every_classic_map_gives_its_terrain() {
    let Some(root) = data() else { return };
    let files = archives(&root, "w3x", &[".w3x", ".w3m", ".mpq"]);
    assert!(files.len() > 40, "{} archives", files.len());
    let mut all_errors = Vec::new();
    for path in files {
        let archive = Archive::open_file(&path, Profile::Classic).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let (good, errors) = read_all(&path, &archive, &CLASSIC_NAMES);
        eprintln!("{good:4} files, {} errors: {}", errors.len(), path.display());
        all_errors.extend(errors);
        if path.extension().is_some_and(|e| e == "mpq") {
            continue;
        }
        let w3e = archive.read("war3map.w3e").unwrap();
        assert_eq!(&w3e[..4], b"W3E!", "{}", path.display());
        assert!(archive.contains("war3map.w3i"), "{}", path.display());
        let (width, height) = facts_size(&root, &path, "W3E v", " cells");
        let lists = w3e[13] as usize * 4 + w3e[13 + 4 + w3e[13] as usize * 4] as usize * 4;
        let header = 4 + 4 + 1 + 4 + 4 + 4 + 8 + 8 + lists as u64;
        assert_eq!(w3e.len() as u64, header + (width + 1) * (height + 1) * vertex_bytes(&w3e), "{}", path.display());
        if let Ok(shadow) = archive.read("war3map.shd") {
            assert_eq!(shadow.len() as u64, width * height * 16, "{}", path.display());
        }
    }
    assert!(all_errors.is_empty(), "{all_errors:#?}");
}

#[test]
fn every_versioned_map_gives_its_terrain() {
    let Some(root) = data() else { return };
    let files = archives(&root, "sc2", &[".sc2map"]);
    assert!(files.len() >= 16, "{} archives", files.len());
    for path in files {
        let archive =
            Archive::open_file(&path, Profile::Versioned).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let (good, errors) = read_all(&path, &archive, &VERSIONED_NAMES);
        eprintln!("{good:4} files: {}", path.display());
        assert!(errors.is_empty(), "{errors:#?}");
        let heights = archive.read("t3HeightMap").unwrap();
        let (width, height) = facts_size(&root, &path, "HMAP v", " points");
        assert_eq!(
            (&heights[..4], heights.len() as u64),
            (&b"HMAP"[..], 32 + 6 * width * height),
            "{}",
            path.display()
        );
        assert!(archive.contains("MapInfo") && archive.contains("t3Terrain.xml"), "{}", path.display());
    }
}
