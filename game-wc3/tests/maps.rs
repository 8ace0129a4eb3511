//! Maps are opened through the public module with the built-in art, as the program does.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests stop at what they do not expect, and say what they skip"
)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use terrace_engine::asset::{Layer, Vfs};
use terrace_engine::diag::Severity;
use terrace_engine::scene::{Command, FrameInput, Game, MapSource, OpenContext, OpenError, ParamTable, Value, World};

/// The built-in art with the tilesets' own files in nested archives, generated once.
fn art() -> Layer {
    static ART: OnceLock<Layer> = OnceLock::new();
    ART.get_or_init(|| Layer::memory("built-in art", terrace_art::files()).unwrap()).clone()
}

fn open_with(source: &MapSource, layers: Vec<Layer>) -> Result<Box<dyn World>, OpenError> {
    let game = terrace_wc3::game(terrace_art::builtin_map);
    game.open(source, &mut OpenContext { vfs: Vfs::new(layers), progress: &mut |_, _| {} })
}

fn open(path: &Path) -> Result<Box<dyn World>, OpenError> {
    open_with(&MapSource::Path(path.to_owned()), vec![art()])
}

fn params() -> ParamTable {
    let mut table = ParamTable::default();
    let game = terrace_wc3::game(terrace_art::builtin_map);
    for decl in &game.registry().params {
        table.declare(decl.clone());
    }
    table
}

fn update(world: &mut dyn World, params: &mut ParamTable, time_ms: u64, commands: &[Command]) {
    world.update(&FrameInput { index: 0, time_ms, dt_ms: 0, seed: 0, size: [1280, 720], commands }, params);
}

fn data() -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|up| up.join("shared/data")).find(|p| p.is_dir());
    if found.is_none() {
        eprintln!("skipped: no folder above the checkout has shared/data");
    }
    found
}

/// All files below a folder with one of the endings, sorted.
fn files(root: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let (mut out, mut open) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| endings.contains(&e.to_str().unwrap_or_default())) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

#[test]
fn the_built_in_map_opens_without_a_fault() {
    let mut world = open_with(&MapSource::BuiltIn, vec![art()]).unwrap();
    let notes: Vec<_> = world.diagnostics().iter().filter(|d| d.severity > Severity::Note).collect();
    assert!(notes.is_empty(), "{notes:#?}");
    let mut params = params();
    update(world.as_mut(), &mut params, 0, &[]);
    let scene = world.scene();
    assert!(scene.lists.iter().all(|list| !list.draws.is_empty()));
    assert!(scene.flags[0], "it has water");
    let info = world.info();
    assert!(info["counts"]["ramp_pieces"].as_u64().unwrap() > 0, "{info:#}");
    assert_eq!(info["textures"]["ground"][0]["layer"], "built-in art");
}

#[test]
fn every_real_map_opens_or_says_what_is_wrong() {
    let Some(root) = data() else { return };
    let mut maps = files(&root.join("w3e"), &["w3e"]);
    maps.extend(files(&root.join("w3x"), &["w3x", "w3m"]));
    assert!(maps.len() > 60, "{}", maps.len());
    let mut failed = Vec::new();
    for path in &maps {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        match open(path) {
            Ok(world) => {
                let info = world.info();
                let codes: Vec<_> =
                    world.diagnostics().iter().filter(|d| d.severity > Severity::Note).map(|d| d.to_string()).collect();
                eprintln!("{name}: {} {}\n    {}", info["cells"], info["counts"], codes.join("\n    "));
                assert!(!world.scene().lists[0].draws.is_empty(), "{name}");
            }
            Err(error) => {
                let text = error.to_string();
                assert!(error.0.iter().all(|d| !d.labels.is_empty() && d.severity == Severity::Error), "{text}");
                eprintln!("{name}: {text}");
                failed.push(name);
            }
        }
    }
    assert!(failed.len() < 5, "{failed:?}");
}

#[test]
fn water_moves_with_its_rate_and_a_person_wins_over_the_map() {
    let mut world = open_with(&MapSource::BuiltIn, vec![art()]).unwrap();
    let mut params = params();
    let frame = params.find("water_frame").unwrap();
    update(world.as_mut(), &mut params, 0, &[]);
    assert_eq!(params.get(frame), Value::Int(0));
    update(world.as_mut(), &mut params, 1000, &[]);
    let later = params.get(frame);
    assert_ne!(later, Value::Int(0));
    let source = terrace_engine::scene::ParamSource::Overlay;
    let set = Command::SetParam { name: "water_tint".into(), value: Value::Vec4([1.0, 0.0, 0.0, 1.0]), source };
    update(world.as_mut(), &mut params, 1000, &[set]);
    update(world.as_mut(), &mut params, 1000, &[]);
    let tint = params.find("water_tint").unwrap();
    assert_eq!(params.get(tint), Value::Vec4([1.0, 0.0, 0.0, 1.0]));
}

/// The message of a map file with these bytes.
fn refusal(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    open(&path).err().unwrap().to_string()
}

#[test]
fn maps_that_cannot_be_opened_say_file_place_and_reason() {
    let missing = open(Path::new("no/such/map.w3x")).err().unwrap().to_string();
    assert!(missing.contains("no/such/map.w3x does not exist"), "{missing}");
    let empty = refusal("empty.w3x", b"");
    assert!(empty.contains("empty.w3x is empty"), "{empty}");
    let terrain = terrace_art::builtin_map().into_iter().find(|(name, _)| name.ends_with("w3e")).unwrap().1;
    let cut = refusal("war3map.w3e", &terrain[..terrain.len() / 2]);
    assert!(cut.contains("war3map.w3e") && cut.contains("byte") && cut.contains("vertices"), "{cut}");
    let mut false_header = b"HM3W".to_vec();
    false_header.resize(2048, 7);
    let text = refusal("false.w3x", &false_header);
    assert!(text.contains("false.w3x") && text.contains("no MPQ header"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let text = open(folder.path()).err().unwrap().to_string();
    assert!(text.contains("has no war3map.w3e"), "{text}");
}

#[test]
fn a_broken_table_and_missing_art_cost_only_themselves() {
    let broken = ("TerrainArt\\Terrain.slk".to_owned(), b"ID;P\nC;X1;Y1;K\"tileID\"\nE\n".to_vec());
    let picture = ("ReplaceableTextures\\Cliff\\Cliff1.blp".to_owned(), b"BLP1".to_vec());
    let mod_data = Layer::memory("mod", [broken, picture]).unwrap();
    let world = open_with(&MapSource::BuiltIn, vec![mod_data, art()]).unwrap();
    let text: Vec<String> = world.diagnostics().iter().map(ToString::to_string).collect();
    assert!(text.iter().any(|t| t.contains("no column") && t.contains("mod:TerrainArt")), "{text:#?}");
    assert!(text.iter().any(|t| t.contains("Cliff1.blp")), "{text:#?}");
    assert!(world.scene().lists.iter().all(|list| !list.draws.is_empty()));
    // Without any art there are still a ground, walls and water.
    let bare = open_with(&MapSource::BuiltIn, vec![]).unwrap();
    assert!(bare.scene().lists.iter().all(|list| !list.draws.is_empty()));
    assert!(bare.diagnostics().iter().all(|d| d.severity < Severity::Error));
}

#[test]
fn an_unknown_tileset_is_shown_with_fallbacks() {
    let mut files = terrace_art::builtin_map();
    let terrain = &mut files.iter_mut().find(|(name, _)| name.ends_with("w3e")).unwrap().1;
    terrain[8] = b'!';
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, bytes)| std::fs::write(folder.path().join(name), bytes).unwrap());
    let world = open(folder.path()).unwrap();
    assert!(world.diagnostics().iter().any(|d| d.code == "wc3.water-row"), "{:?}", world.diagnostics());
}

#[test]
fn second_map_starts_clean() {
    let Some(root) = data() else { return };
    let city = root.join("w3e/vitalii-zavhorodnii__w3-green-ts/war3map.w3e");
    let facts = |path: &Path| open(path).unwrap().info();
    let other = root.join("w3e/stijnherfst__HiveWE/war3map.w3e");
    let first = facts(&other);
    facts(&city);
    assert_eq!(facts(&other), first);
}

#[test]
fn the_tilesets_archive_lies_between_map_and_data() {
    let picture = "ReplaceableTextures\\Cliff\\Cliff1.blp".to_owned();
    let nested = terrace_engine::asset::mpq::write(&[(picture.clone(), vec![1; 8])]);
    let data = [("L.mpq".to_owned(), nested), (picture, vec![2; 8])];
    let world = open_with(&MapSource::BuiltIn, vec![Layer::memory("game", data).unwrap(), art()]).unwrap();
    let faults: Vec<String> = world.diagnostics().iter().map(ToString::to_string).collect();
    // The picture is none, so the diagnostic names the layer that was asked first.
    assert!(faults.iter().any(|t| t.contains("game:l.mpq:replaceabletextures/cliff/cliff1.blp")), "{faults:#?}");
}
