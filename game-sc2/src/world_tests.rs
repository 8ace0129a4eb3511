//! Whole maps, opened the way the program opens them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use terrace_engine::asset::{Layer, Profile, Vfs, mpq};
use terrace_engine::scene::{Command, FrameInput, Game, MapSource, OpenContext, OpenError, ParamTable, Scene, World};
use terrace_engine::shader::{FolderSources, ShaderCompiler, ShaderKind, ShaderProvider, ShaderRequest};

use crate::formats::data_tests::{data, maps};
use crate::game;
use crate::registry::{ids, registry};

fn try_open(path: &Path) -> Result<Box<dyn World>, OpenError> {
    let mut context = OpenContext { vfs: Vfs::default(), progress: &mut |_, _| {} };
    let source = MapSource::Path(path.to_path_buf());
    assert!(game().accepts(&source, b""));
    game().open(&source, &mut context)
}

fn open(path: &Path) -> Box<dyn World> {
    try_open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn step(world: &mut dyn World, params: &mut ParamTable, commands: &[Command]) {
    let input = FrameInput { index: 0, time_ms: 0, dt_ms: 16, seed: 0, size: [160, 90], commands };
    world.update(&input, params);
}

fn params() -> ParamTable {
    let mut params = ParamTable::default();
    registry().params.into_iter().for_each(|decl| {
        params.declare(decl);
    });
    params
}

/// All bytes that the renderer would see.
fn bytes(scene: &Scene) -> Vec<&[u8]> {
    let buffers = scene.buffers.iter().map(|b| b.bytes.as_slice());
    buffers.chain(scene.textures.iter().map(|t| t.texels.as_slice())).collect()
}

fn write(folder: &Path, files: &[(&str, Vec<u8>)]) {
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// A map of 16x16 cells with one step from west to east.
fn small_map() -> Vec<(&'static str, Vec<u8>)> {
    let mut heights = b"HMAP".to_vec();
    heights.extend([101u32, 17, 17, 0, 0, 0, 0].iter().flat_map(|v| v.to_le_bytes()));
    for x in (0..17).cycle().take(17 * 17) {
        let base: u16 = if x < 8 { 1000 } else { 5000 };
        heights.extend([16_000u16, base, 0].iter().flat_map(|v| v.to_le_bytes()));
    }
    let xml = "<terrain><heightMap tileSet=\"Test\" dim=\"17 17\"><vertData quantizeBias=\"8\" quantizeScale=\"0.001\" \
               standardHeight=\"8\"/><textureList><texture i=\"0\" name=\"TestGrass\"/></textureList></heightMap></terrain>";
    vec![("t3HeightMap", heights), ("T3terrain.XML", xml.as_bytes().to_vec())]
}

fn assert_height(world: &dyn World, x: f32, z: f32) {
    let found = world.ground_height(Vec2::new(x, 8.0));
    assert!((found - z).abs() < 1e-4, "{found} at {x}");
}

#[test]
fn every_real_map_opens_and_fills_its_scene() {
    for path in maps() {
        let mut world = open(&path);
        let mut params = params();
        step(&mut *world, &mut params, &[]);
        let info = world.info();
        let name = path.display();
        let [w, h] = [0, 1].map(|i| info["cells"][i].as_u64().unwrap());
        let ground = &world.scene().lists[ids::GROUND.index()];
        let indices: u32 = ground.draws.iter().map(|d| d.indices.end - d.indices.start).sum();
        assert_eq!(u64::from(indices), w * h * 6, "{name}");
        let [low, high] = [0, 1].map(|i| info["heights"][i].as_f64().unwrap());
        assert!((-20.0..=40.0).contains(&low) && (low..=40.0).contains(&high), "{name}: {low} {high}");
        // The default camera looks at the ground of the map's middle.
        let camera = world.camera();
        let ground = world.ground_height(camera.target.truncate());
        assert!((camera.target.z - ground).abs() < 12.0, "{name}: {} over {ground}", camera.target);
        assert!(world.scene().imports.iter().all(Option::is_some));
        for diagnostic in world.diagnostics() {
            assert!(!diagnostic.message.is_empty());
        }
    }
}

#[test]
fn opening_twice_and_on_one_thread_gives_the_same_bytes() {
    let Some(root) = data() else { return };
    let path = root.join("oxwhirl__smac/2c_vs_64zg.SC2Map");
    let (first, second) = (open(&path), open(&path));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let third = pool.install(|| open(&path));
    for other in [&second, &third] {
        assert_eq!(bytes(first.scene()), bytes(other.scene()));
        assert_eq!(first.info(), other.info());
    }
}

#[test]
fn a_map_as_folder_and_as_archive_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let files = small_map();
    let components = folder.path().join("Small.SC2Components");
    write(&components, &files);
    let archive = folder.path().join("Small.SC2Map");
    let packed: Vec<(String, Vec<u8>)> = files.iter().map(|(n, b)| (n.to_string(), b.clone())).collect();
    std::fs::write(&archive, mpq::write(&packed)).unwrap();
    let (a, b) = (open(&components), open(&archive));
    assert_eq!(bytes(a.scene()), bytes(b.scene()));
    assert_height(&*a, 2.0, 0.0);
    assert_height(&*a, 12.0, 4.0);
    assert!(Layer::from_path(&archive, Profile::Versioned).is_ok());
}

#[test]
fn the_camera_follows_the_blurred_ground_and_nothing_else_does() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &small_map());
    let mut world = open(folder.path());
    let mut params = params();
    // The cliff at x = 7.5 is a ramp for the camera, and a cliff for everything else.
    let target = |world: &mut dyn World, params: &mut ParamTable, by: f32| {
        step(world, params, &[Command::PanCamera(Vec2::new(by, 0.0))]);
        world.camera().target
    };
    let mut last = target(&mut *world, &mut params, -8.0);
    for _ in 0..28 {
        let next = target(&mut *world, &mut params, 0.5);
        let rise = next.z - last.z;
        assert!((-1e-3..0.15).contains(&rise), "{rise}");
        last = next;
    }
    assert_height(&*world, 7.0, 0.0);
    assert_height(&*world, 8.0, 4.0);
}

#[test]
fn camera_height_offset_is_relative() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = small_map();
    let camera = "<PlacedObjects><ObjectCamera Name=\"StartGame\" CameraTarget=\"14,8,0\"><CameraValue Index=\"HeightOffset\" \
                  Value=\"2\"/></ObjectCamera></PlacedObjects>";
    files.push(("Objects", camera.as_bytes().to_vec()));
    write(folder.path(), &files);
    let mut world = open(folder.path());
    let mut params = params();
    let start = world.camera().target;
    step(&mut *world, &mut params, &[Command::PanCamera(Vec2::new(-8.0, 0.0)), Command::ResetCamera]);
    assert_eq!(world.camera().target, start);
    // The mean of 17 columns around x = 14 with 3 low ones, and the offset: never an absolute height.
    let expected = 4.0 * 15.0 / 17.0 + 2.0;
    assert!((start.z - expected).abs() < 0.3, "{start} {expected}");
    // A camera that is set keeps its height and follows from there.
    let mut set = world.camera();
    set.target = Vec3::new(4.0, 8.0, 9.0);
    step(&mut *world, &mut params, &[Command::SetCamera(set)]);
    assert!((world.camera().target.z - 9.0).abs() < 1e-4);
}

#[test]
fn unknown_tile_id_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = small_map();
    let mut tiles = b"HRDT".to_vec();
    tiles.extend([102u32, 0, 0, 0, 0, 3].iter().flat_map(|v| v.to_le_bytes()));
    for id in ["MarSaraTile", "Lost", "Lost"] {
        tiles.extend([0; 4 + 3]);
        tiles.extend(id.bytes());
        tiles.extend([0; 5]);
    }
    files.push(("t3HardTile", tiles));
    let catalog = b"<Catalog><CTile id=\"MarSaraTile\"><Model value=\"a.m3\"/></CTile></Catalog>".to_vec();
    files.push(("Base.SC2Data/GameData/TileData.xml", catalog));
    write(folder.path(), &files);
    let world = open(folder.path());
    let unknown: Vec<_> = world.diagnostics().iter().filter(|d| d.code == "sc2.unknown-tile").collect();
    assert_eq!(unknown.len(), 1);
    assert!(unknown[0].message.contains("\"Lost\""), "{}", unknown[0]);
    assert_eq!(world.info()["roads"][1]["model"], "a.m3");
}

#[test]
fn a_broken_file_costs_that_file_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = small_map();
    files.push(("t3TextureMasks", b"MASK".to_vec()));
    files.push(("t3HardTile", b"HRDTxxxx".to_vec()));
    files.push(("Objects", b"<broken".to_vec()));
    write(folder.path(), &files);
    let world = open(folder.path());
    for name in ["t3TextureMasks", "t3HardTile", "Objects"] {
        assert!(world.diagnostics().iter().any(|d| d.to_string().contains(name)), "{name}");
    }
}

#[test]
fn what_is_no_map_is_refused_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let paths =
        [folder.path().join("none.SC2Map"), folder.path().join("empty.SC2Map"), folder.path().join("x.SC2Components")];
    std::fs::write(&paths[1], b"").unwrap();
    std::fs::create_dir(&paths[2]).unwrap();
    for path in paths {
        let error = try_open(&path).err().unwrap();
        assert!(error.0[0].to_string().contains(path.file_name().unwrap().to_str().unwrap()), "{error}");
    }
    let mut context = OpenContext { vfs: Vfs::default(), progress: &mut |_, _| {} };
    assert!(game().open(&MapSource::BuiltIn, &mut context).is_err());
}

/// The shaders of this game use the names that the registry declares.
#[test]
fn shaders_compile_and_name_what_is_registered() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shaders");
    if !root.join("common/sets.glsl").exists() {
        eprintln!("skipped: there is no common/sets.glsl");
        return;
    }
    let compiler = ShaderCompiler::new(Arc::new(FolderSources::new(root))).unwrap();
    let registry = registry();
    for (name, list) in [("sc2/ground", ids::GROUND), ("sc2/water", ids::WATER), ("common/depth_only", ids::GROUND)] {
        let request = ShaderRequest { name: name.into(), kind: ShaderKind::Raster, defines: BTreeMap::new() };
        let shader = compiler.shader(&request).unwrap_or_else(|e| panic!("{e:?}"));
        let list = &registry.lists[list.index()];
        for input in &shader.interface.inputs {
            let attributes = &list.streams[0].attributes;
            assert!(attributes.iter().any(|a| a.name == input.name), "{name}: {}", input.name);
        }
        for binding in &shader.interface.bindings {
            let known = match binding.set {
                1 => {
                    registry.import(&binding.name).is_some()
                        || ["shadow_map", "Params"].contains(&binding.name.as_str())
                }
                2 => list.material.iter().any(|slot| slot.name == binding.name),
                _ => true,
            };
            assert!(known, "{name}: {}", binding.name);
        }
        for member in shader.interface.params.iter().flat_map(|(_, block)| &block.members) {
            let decl =
                registry.params.iter().find(|p| p.name == member.name).unwrap_or_else(|| panic!("{}", member.name));
            assert_eq!(decl.kind, member.kind, "{}", member.name);
        }
    }
}
