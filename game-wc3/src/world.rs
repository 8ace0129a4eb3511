//! An opened map: plain data, baked meshes, camera.

use std::collections::BTreeSet;

use glam::{Vec2, Vec3};
use terrace_engine::asset::Vfs;
use terrace_engine::diag::{Diagnostic, Severity};
use terrace_engine::scene::{
    CameraBounds, Command, FrameInput, MapSource, OpenContext, OpenError, OrbitCamera, ParamSource, ParamTable,
    Registry, Scene, Value, World,
};

use crate::camera::{blurred_height, default_camera, fit, light_view, map_view};
use crate::content::{self, Content};
use crate::formats::shd::Shd;
use crate::formats::w3e::W3e;
use crate::formats::w3i::W3i;
use crate::formats::wts::Wts;
use crate::formats::{TileId, mmp};
use crate::module::BuiltinMap;
use crate::open::{self, W3E};
use crate::registry::ids;
use crate::terrain::cliffs::{self, CliffOptions};
use crate::terrain::models::{self, CliffModels};
use crate::terrain::ownership::{self, Ownership};
use crate::terrain::paint::paint;
use crate::terrain::tables::GroundType;
use crate::terrain::{Terrain, ground, water};
use crate::{assets, info};

/// Greatest camera distance, in lengths of the map's longer side.
const MOST_DISTANCE: f32 = 1.5;

/// The small files of a map.
#[derive(Debug, Default)]
pub(crate) struct MapFiles {
    pub(crate) properties: Option<W3i>,
    pub(crate) strings: Wts,
    pub(crate) icons: Vec<mmp::Icon>,
    pub(crate) shadow: Option<Shd>,
}

pub(crate) struct Wc3World {
    scene: Scene,
    terrain: Terrain,
    ownership: Ownership,
    models: CliffModels,
    content: Content,
    camera: OrbitCamera,
    start: OrbitCamera,
    bounds: CameraBounds,
    /// What the camera's target lies above the blurred ground.
    lift: f32,
    start_values: Vec<(&'static str, Value)>,
    map_fog: Option<(f32, f32, [f32; 3])>,
    variations: bool,
    diagnostics: Vec<Diagnostic>,
    info: serde_json::Value,
}

/// Opens a map.
///
/// # Errors
/// The map cannot be read at all, or its terrain cannot. Everything else is a diagnostic of the world.
pub(crate) fn open(
    registry: &Registry,
    source: &MapSource,
    builtin: BuiltinMap,
    context: &mut OpenContext<'_>,
) -> Result<Wc3World, OpenError> {
    let mut diagnostics = Vec::new();
    let name = open::source_name(source);
    (context.progress)("reading the map", 0.05);
    let map = open::map_layer(source, builtin)?;
    let w3e = read_terrain(&map, &name)?;
    let vfs = open::layers(map.clone(), &context.vfs, w3e.tileset, &mut diagnostics);
    let own = Vfs::new(vec![map]);
    let files = read_files(&own, &w3e, &mut diagnostics);
    (context.progress)("reading tables", 0.15);
    let tables = assets::tables(&vfs, &mut diagnostics);
    let mut terrain = Terrain::new(&w3e, &tables, &mut diagnostics);
    let blight = add_blight(&mut terrain, &vfs);
    (context.progress)("loading cliff pieces", 0.25);
    let (models, problems) = assets::cliff_models(&vfs, models::requests(&terrain));
    diagnostics.extend(problems);
    let ownership = Ownership::new(&terrain, &models);
    ownership::report_steep(&terrain, &mut diagnostics);
    cliffs::report_unresolved(&terrain, &ownership, &mut diagnostics);
    (context.progress)("loading textures", 0.4);
    let (mut scene, textures) = (Scene::new(registry), content::load_textures(&vfs, &terrain));
    let painted = paint(&terrain, &ownership, blight);
    (context.progress)("baking the ground", 0.6);
    let input = ground::GroundInput { terrain: &terrain, ownership: &ownership, paint: &painted, wide: &textures.wide };
    let ground = ground::bake(input);
    (context.progress)("baking cliffs and water", 0.8);
    let cliff = cliffs::bake(&terrain, &ownership, &models, CliffOptions::default());
    let water = water::bake(&terrain);
    diagnostics.extend(textures.diagnostics.iter().cloned());
    let content = Content::new(&mut scene, textures, [ground, cliff, water]);
    content.set_shadow(&mut scene, files.shadow.as_ref());
    let [w, h] = terrain.cells();
    scene.set_size(ids::MAP_CELLS, [w, h]);
    let start = default_camera(start_target(&terrain, &files));
    let facts = info::Facts { name: &name, w3e: &w3e, files: &files, terrain: &terrain, ownership: &ownership };
    let bounds = camera_bounds(&terrain, files.properties.as_ref());
    let info = facts.to_json(&content, &models, bounds);
    (context.progress)("ready", 1.0);
    let mut world = Wc3World {
        scene,
        terrain,
        ownership,
        models,
        content,
        camera: start,
        start,
        bounds,
        lift: 0.0,
        start_values: Vec::new(),
        map_fog: None,
        variations: true,
        diagnostics: unique(diagnostics),
        info,
    };
    world.take_environment(&files);
    world.start.clamp(&world.bounds);
    world.start.target.z = world.follow(world.start.target.truncate());
    world.camera = world.start;
    Ok(world)
}

fn read_terrain(map: &terrace_engine::asset::Layer, name: &str) -> Result<W3e, Diagnostic> {
    let path = terrace_engine::asset::VirtualPath::new(W3E).map_err(|e| e.diagnostic())?;
    if !map.contains(&path) {
        return Err(open::no_terrain(map, name));
    }
    let bytes = map.read(&path).map_err(|e| Diagnostic { severity: Severity::Error, ..e.diagnostic() })?;
    let file = if name.ends_with(W3E) { name.to_owned() } else { format!("{name}:{W3E}") };
    W3e::parse(&bytes).map_err(|e| e.in_file(&file).help("the terrain is damaged, or of a version that is not known"))
}

/// Reads the map's small files; what is missing or broken is left out and reported.
fn read_files(own: &Vfs, w3e: &W3e, diagnostics: &mut Vec<Diagnostic>) -> MapFiles {
    let mut read = |path: &str| match own.exists(path).then(|| own.read(path)) {
        Some(Ok(asset)) => Some(asset.bytes),
        Some(Err(error)) => {
            diagnostics.push(error.diagnostic());
            None
        }
        None => None,
    };
    let [w3i, wts, mmp, shd] = ["war3map.w3i", "war3map.wts", "war3map.mmp", "war3map.shd"].map(&mut read);
    let mut warn = |error: terrace_engine::bytes::FormatError, file: &str| {
        diagnostics.push(Diagnostic { severity: Severity::Warning, ..error.in_file(file) });
    };
    let mut files = MapFiles::default();
    if let Some(bytes) = w3i {
        files.properties = W3i::parse(&bytes).map_err(|e| warn(e, "war3map.w3i")).ok();
    }
    if let Some(bytes) = mmp {
        files.icons = mmp::parse(&bytes).map_err(|e| warn(e, "war3map.mmp")).unwrap_or_default();
    }
    files.strings = wts.map(|bytes| Wts::parse(&bytes)).unwrap_or_default();
    if let Some(bytes) = shd {
        let [w, h] = w3e.tiles();
        match Shd::parse(&bytes, w, h) {
            Ok(shadow) => files.shadow = Some(shadow),
            Err(error) => diagnostics.push(error.in_file("war3map.shd")),
        }
    }
    files
}

/// Gives blight an index behind the map's own list, if the map has blight and the tileset a sheet for it.
fn add_blight(terrain: &mut Terrain, vfs: &Vfs) -> Option<u8> {
    if !terrain.vertices().iter().any(|v| v.blight) {
        return None;
    }
    let path = assets::blight_path(vfs, terrain.tileset)?;
    let index = u8::try_from(terrain.ground_types.len()).ok()?;
    terrain.ground_types.push(GroundType { id: TileId(*b"blig"), texture: Some(path) });
    Some(index)
}

/// The first player's start, else the first start icon, else the middle of the map.
fn start_target(terrain: &Terrain, files: &MapFiles) -> Vec3 {
    let inside = |at: &Vec2| {
        let max = terrain.origin + terrain.extent();
        at.cmpge(terrain.origin).all() && at.cmple(max).all()
    };
    let players = files.properties.iter().flat_map(|p| &p.players).map(|p| Vec2::from_array(p.start));
    let icons = files.icons.iter().filter(|i| i.kind == mmp::IconKind::StartLocation).map(|i| {
        let share = Vec2::new(i.x as f32 / 256.0, 1.0 - i.y as f32 / 256.0);
        terrain.origin + share * terrain.extent()
    });
    players.chain(icons).find(inside).unwrap_or_else(|| terrain.middle()).extend(0.0)
}

/// The bounds that the map's properties give; the whole map where they give none.
fn camera_bounds(terrain: &Terrain, properties: Option<&W3i>) -> CameraBounds {
    let whole = CameraBounds { min: terrain.origin, max: terrain.origin + terrain.extent() };
    let Some(properties) = properties else { return whole };
    let corners: Vec<Vec2> = properties.camera_bounds.chunks_exact(2).map(Vec2::from_slice).collect();
    let min = corners.iter().copied().fold(Vec2::INFINITY, Vec2::min);
    let max = corners.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max);
    let sound = min.is_finite() && max.is_finite() && min.cmplt(max).all();
    let meets = sound && min.cmplt(whole.max).all() && max.cmpgt(whole.min).all();
    if meets { CameraBounds { min: min.max(whole.min), max: max.min(whole.max) } } else { whole }
}

/// Of equal diagnostics the first.
fn unique(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    diagnostics.into_iter().filter(|d| seen.insert(d.to_string())).collect()
}

impl Wc3World {
    fn take_environment(&mut self, files: &MapFiles) {
        let extent = self.terrain.extent();
        self.start_values = vec![
            ("map_min", Value::Vec2(self.terrain.origin.to_array())),
            ("map_size", Value::Vec2(extent.to_array())),
        ];
        let Some(properties) = &files.properties else { return };
        let tint = properties.active_water_tint().map(|c| f32::from(c) / 255.0);
        self.start_values.push(("water_tint", Value::Vec4(tint)));
        self.map_fog = properties.active_fog().map(|fog| {
            let [r, g, b, _] = fog.color.map(|c| f32::from(c) / 255.0);
            (fog.start, fog.end, [r, g, b])
        });
    }

    /// Height of the camera's target over a point.
    fn follow(&self, at: Vec2) -> f32 {
        blurred_height(self.terrain.surface(), at) + self.lift
    }

    fn most_distance(&self) -> f32 {
        self.terrain.extent().max_element() * MOST_DISTANCE
    }

    fn apply(&mut self, command: &Command, params: &mut ParamTable) {
        match command {
            Command::SetCamera(camera) => self.set_camera(*camera),
            Command::PanCamera(by) => {
                let (sin, cos) = self.camera.yaw.to_radians().sin_cos();
                let ahead = Vec2::new(cos, sin) * by.y;
                let right = Vec2::new(sin, -cos) * by.x;
                let to = self.camera.target.truncate() + ahead + right;
                if to.is_finite() {
                    self.camera.target = to.extend(self.camera.target.z);
                }
            }
            Command::ZoomCamera(factor) => self.camera.distance *= factor.max(0.0),
            Command::TurnCamera { yaw, pitch } => {
                self.camera.yaw += yaw;
                self.camera.pitch += pitch;
            }
            Command::ResetCamera => {
                self.camera = self.start;
                self.lift = 0.0;
            }
            Command::SetParam { name, value, source } => {
                if let Err(error) = params.require(name).and_then(|id| params.set(id, *value, *source)) {
                    tracing::warn!("{error}");
                }
            }
        }
    }

    fn place_camera(&mut self) {
        let most = self.most_distance();
        fit(&mut self.camera, most);
        self.camera.clamp(&self.bounds);
        self.camera.target.z = self.follow(self.camera.target.truncate());
    }

    fn set_params(&mut self, input: &FrameInput<'_>, params: &mut ParamTable) {
        for (name, value) in &self.start_values {
            set_own(params, name, *value);
        }
        if let (true, Some((start, end, color))) = (read_bool(params, "fog_from_map"), self.map_fog) {
            set_own(params, "fog_enabled", Value::Bool(true));
            set_own(params, "fog_start", Value::Float(start));
            set_own(params, "fog_end", Value::Float(end));
            set_own(params, "fog_color", Value::Vec3(color));
        }
        let frames = self.content.water_frames();
        let rate = f64::from(self.terrain.water.rate);
        let frame = (input.time_ms as f64 / 1000.0 * rate).floor() as u64 % u64::from(frames);
        set_own(params, "water_frame", Value::Int(frame as i32));
        let variations = params.find("cliff_variations").is_none_or(|id| params.get(id) != Value::Bool(false));
        if variations != self.variations {
            self.variations = variations;
            let batch = cliffs::bake(&self.terrain, &self.ownership, &self.models, CliffOptions { variations });
            self.content.replace_cliffs(&mut self.scene, batch);
        }
    }

    fn set_views(&mut self, input: &FrameInput<'_>, params: &ParamTable) {
        let aspect = input.size[0].max(1) as f32 / input.size[1].max(1) as f32;
        let sun = params.find("sun_direction").map(|id| params.get(id).components().0);
        let to_light = sun.map_or(Vec3::Z, |[x, y, z, _]| Vec3::new(x, y, z));
        self.scene.set_view(ids::MAIN, self.camera.view(aspect));
        self.scene.set_view(ids::LIGHT, light_view(&self.camera, aspect, to_light));
        let heights = self.terrain.surface().range();
        self.scene.set_view(ids::MAP, map_view(self.terrain.origin, self.terrain.extent(), heights));
    }
}

fn read_bool(params: &ParamTable, name: &str) -> bool {
    params.find(name).is_some_and(|id| params.get(id) == Value::Bool(true))
}

/// Sets a param that the map decides, unless a person, a script or the command line has spoken.
fn set_own(params: &mut ParamTable, name: &str, value: Value) {
    let Some(id) = params.find(name) else { return };
    let state = params.entry(id).1;
    let own = matches!(state.source, ParamSource::Default | ParamSource::Game) && !state.held;
    if own && state.value != value {
        // The value has the declared type; a range that cuts it is what the declaration asks for.
        let _ = params.set(id, value, ParamSource::Game);
    }
}

impl World for Wc3World {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }

    fn update(&mut self, input: &FrameInput<'_>, params: &mut ParamTable) {
        for command in input.commands {
            self.apply(command, params);
            self.place_camera();
        }
        self.set_params(input, params);
        self.set_views(input, params);
    }

    fn camera(&self) -> OrbitCamera {
        self.camera
    }

    fn default_camera(&self) -> OrbitCamera {
        self.start
    }

    fn set_camera(&mut self, camera: OrbitCamera) {
        self.camera = camera;
        let most = self.most_distance();
        fit(&mut self.camera, most);
        self.camera.clamp(&self.bounds);
        // The height that was asked for stays: later moves follow the ground from there.
        self.lift = 0.0;
        self.lift = self.camera.target.z - self.follow(self.camera.target.truncate());
    }

    fn camera_bounds(&self) -> CameraBounds {
        self.bounds
    }

    fn ground_height(&self, at: Vec2) -> f32 {
        self.terrain.surface().height(at)
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn info(&self) -> serde_json::Value {
        self.info.clone()
    }
}
