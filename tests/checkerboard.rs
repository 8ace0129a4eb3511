//! A third game in one file: the engine draws it without knowing anything about it. The docs use it as the tutorial.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test may end at a wrong value")]

use std::path::Path;

use glam::camera::rh::proj::directx::orthographic;
use glam::{Mat4, Vec2, Vec3};
use terrace_engine::app::{Session, SessionConfig, to_rgba8};
use terrace_engine::asset::{Profile, Vfs};
use terrace_engine::diag::Diagnostic;
use terrace_engine::graph::{Format, MaterialState, SampledKind};
use terrace_engine::scene::{
    Aabb, Attribute, AttributeFormat, BufferUse, CameraBounds, Command, Dirty, Draw, DrawFlags, FrameInput, Game,
    IndexType, ListDecl, ListId, MapSource, Material, MaterialSlot, OpenContext, OpenError, OrbitCamera, ParamDecl,
    ParamTable, PresetDecl, Registry, SamplerDesc, Scene, Stream, StreamData, Texture, Value, View, ViewId, World,
};
use terrace_engine::vulkan::{Gpu, GpuOptions};

/// Squares a side.
const SQUARES: u32 = 8;

struct Checkerboard {
    registry: Registry,
}

impl Checkerboard {
    fn new() -> Self {
        let mut registry = Registry::with_standard_views();
        registry.lists.push(ListDecl {
            name: "board".into(),
            doc: "one quad a square".into(),
            streams: vec![Stream {
                stride: 20,
                per_instance: false,
                attributes: vec![
                    Attribute { name: "position".into(), format: AttributeFormat::F32x3, offset: 0 },
                    Attribute { name: "uv".into(), format: AttributeFormat::F32x2, offset: 12 },
                ],
            }],
            material: vec![MaterialSlot { name: "paint".into(), kind: SampledKind::D2 }],
            presets: vec![PresetDecl { name: "opaque".into(), state: MaterialState::default() }],
            storage: Vec::new(),
        });
        registry.params.push(ParamDecl::new("shine", Value::Float(1.0), "brightness of the board").range(0.0, 2.0));
        Self { registry }
    }
}

impl Game for Checkerboard {
    fn name(&self) -> &str {
        "checkerboard"
    }
    fn doc(&self) -> &str {
        "a board of squares"
    }
    fn registry(&self) -> &Registry {
        &self.registry
    }
    fn default_graph(&self) -> &str {
        "board.toml"
    }
    fn archive_profile(&self) -> Profile {
        Profile::Versioned
    }
    fn accepts(&self, source: &MapSource, _: &[u8]) -> bool {
        *source == MapSource::BuiltIn
    }
    fn open(&self, _: &MapSource, _: &mut OpenContext<'_>) -> Result<Box<dyn World>, OpenError> {
        Ok(Box::new(Board::new(&self.registry)))
    }
}

struct Board {
    scene: Scene,
    camera: OrbitCamera,
}

impl Board {
    fn new(registry: &Registry) -> Self {
        let mut scene = Scene::new(registry);
        let materials = [[255u8, 255, 255, 255], [255, 0, 0, 255]].map(|texel| {
            let texture = scene.add_texture(Texture {
                name: "paint".into(),
                kind: SampledKind::D2,
                format: Format::Rgba8,
                size: [1, 1],
                layers: 1,
                mips: 1,
                texels: texel.to_vec(),
                sampler: SamplerDesc::NEAREST,
                dirty: Dirty::All,
            });
            scene.add_material(Material { name: "paint".into(), textures: vec![texture], preset: 0 })
        });
        let (mut vertices, mut indices, mut draws) = (Vec::<f32>::new(), Vec::<u32>::new(), Vec::new());
        for i in 0..SQUARES * SQUARES {
            let (x, y) = ((i % SQUARES) as f32, (i / SQUARES) as f32);
            for (dx, dy) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
                vertices.extend([x + dx, y + dy, 0.0, dx, dy]);
            }
            let first = indices.len() as u32;
            indices.extend([0, 1, 2, 0, 2, 3].map(|k| i * 4 + k));
            let colour = (i % SQUARES + i / SQUARES) % 2;
            draws.push(Draw {
                indices: first..first + 6,
                base_vertex: 0,
                instances: 0..1,
                material: materials[colour as usize],
                bounds: Aabb { min: Vec3::new(x, y, 0.0), max: Vec3::new(x + 1.0, y + 1.0, 0.0) },
                sort_key: u64::from(colour),
                flags: DrawFlags::default(),
                push: [0; 4],
            });
        }
        let bytes = |words: &[f32]| words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let vertex = scene.add_buffer("board", BufferUse::Vertex, bytes(&vertices));
        let index = scene.add_buffer("board", BufferUse::Index, indices.iter().flat_map(|w| w.to_le_bytes()).collect());
        let list = scene.list_mut(ListId(0));
        list.streams = vec![StreamData { buffer: vertex, offset: 0 }];
        list.indices = Some((index, IndexType::U32));
        list.draws = draws;
        list.generation = 1;
        let camera = OrbitCamera {
            target: Vec3::new(4.0, 4.0, 0.0),
            distance: 10.0,
            pitch: 90.0,
            yaw: 90.0,
            roll: 0.0,
            fov: 50.0,
            near: 0.1,
            far: 100.0,
        };
        Self { scene, camera }
    }
}

impl World for Board {
    fn scene(&self) -> &Scene {
        &self.scene
    }
    fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }
    fn update(&mut self, input: &FrameInput<'_>, _: &mut ParamTable) {
        for command in input.commands {
            if let Command::SetCamera(camera) = command {
                self.camera = *camera;
            }
        }
        // The view "map" looks straight down on the whole board.
        let side = SQUARES as f32;
        let projection = orthographic(0.0, side, 0.0, side, -1.0, 1.0);
        self.scene.set_view(ViewId(2), View { view: Mat4::IDENTITY, projection, ..View::default() });
    }
    fn camera(&self) -> OrbitCamera {
        self.camera
    }
    fn default_camera(&self) -> OrbitCamera {
        self.camera
    }
    fn set_camera(&mut self, camera: OrbitCamera) {
        self.camera = camera;
    }
    fn camera_bounds(&self) -> CameraBounds {
        CameraBounds { min: Vec2::ZERO, max: Vec2::splat(SQUARES as f32) }
    }
    fn ground_height(&self, _: Vec2) -> f32 {
        0.0
    }
    fn diagnostics(&self) -> &[Diagnostic] {
        &[]
    }
    fn info(&self) -> serde_json::Value {
        serde_json::json!({ "squares": SQUARES * SQUARES })
    }
}

const GRAPH: &str = r#"
[graph]
name = "board"
output = "scene"

[image.scene]
format = "rgba8"
size = "view"

[[pass]]
name = "board"
view = "map"
color = { scene = "scene", clear = [0, 0, 0, 1] }
draw = ["board"]
shader = "board"
"#;

const VERT: &str = "#include \"common/sets.glsl\"\nin vec3 in_position;\nin vec2 in_uv;\nout vec2 uv;\n\
    void main() { uv = in_uv; gl_Position = view.view_projection * vec4(in_position, 1.0); }\n";

const FRAG: &str = "#include \"common/sets.glsl\"\nMATERIAL uniform sampler2D paint;\n\
    PASS uniform Params { float shine; } params;\nin vec2 uv;\nout vec4 out_scene;\n\
    void main() { out_scene = vec4(texture(paint, uv).rgb * params.shine, 1.0); }\n";

fn write_files(folder: &Path) {
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|p| p.join("shaders").is_dir()).unwrap();
    std::fs::create_dir_all(folder.join("common")).unwrap();
    std::fs::copy(shaders.join("shaders/common/sets.glsl"), folder.join("common/sets.glsl")).unwrap();
    std::fs::write(folder.join("board.toml"), GRAPH).unwrap();
    std::fs::write(folder.join("board.vert"), VERT).unwrap();
    std::fs::write(folder.join("board.frag"), FRAG).unwrap();
}

#[test]
fn a_third_game_is_a_crate_and_not_a_change_of_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let gpu = Gpu::new(&GpuOptions { validation: true, ..GpuOptions::default() }).unwrap();
    let game = Checkerboard::new();
    let mut context = OpenContext { vfs: Vfs::new(Vec::new()), progress: &mut |_, _| {} };
    let world = game.open(&MapSource::BuiltIn, &mut context).unwrap();
    let config = SessionConfig {
        graph: folder.path().join(game.default_graph()),
        shaders: folder.path().to_path_buf(),
        size: [64, 64],
        set: vec![("shine".into(), "0.5".into())],
        ..SessionConfig::default()
    };
    let mut session = Session::new(gpu.clone(), &game, world, config).unwrap();
    session.step(16, &[], None, None).unwrap();
    let image = session.read_image(None).unwrap();
    let pixels = to_rgba8(&image);
    let at = |x: u32, y: u32| {
        let i = ((y * 64 + x) * 4) as usize;
        [pixels[i], pixels[i + 1], pixels[i + 2]]
    };
    // Square (0, 0) is white and lies at the bottom left; half shine makes it grey.
    assert_eq!(at(4, 60), [128, 128, 128]);
    assert_eq!(at(12, 60), [128, 0, 0]);
    assert_eq!(at(4, 52), [128, 0, 0]);
    assert_eq!(gpu.validation_messages(), 0);
}
