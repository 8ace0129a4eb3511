//! Maps are opened through the public module with the built-in art, as the program does.

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
