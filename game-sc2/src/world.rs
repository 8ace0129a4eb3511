//! An opened map: plain data, meshes, camera.

use std::collections::BTreeSet;

use glam::{Vec2, Vec3};
use terrace_engine::diag::Diagnostic;
use terrace_engine::scene::{
    CameraBounds, Command, FrameInput, MapSource, OpenContext, OpenError, OrbitCamera, ParamSource, ParamTable,
    Registry, Scene, Value, World,
};

use crate::assets::{self, LayerSet};
use crate::light::Light;
use crate::map_files::{self, MapFiles, Sources};
use crate::registry::ids;
use crate::terrain::{Terrain, water};
use crate::{camera, content, info};

/// Greatest camera distance, in lengths of the map's longer side.
const MOST_DISTANCE: f32 = 4.0;

/// A StarCraft II map.
pub(crate) struct Sc2World {
    scene: Scene,
    terrain: Terrain,
    camera: OrbitCamera,
    start: OrbitCamera,
    bounds: CameraBounds,
    /// What the camera's target lies above the blurred ground, world units.
    lift: f32,
    start_lift: f32,
    light: Light,
    /// Values that the map gives to params.
    values: Vec<(&'static str, Value)>,
    diagnostics: Vec<Diagnostic>,
    info: serde_json::Value,
}

/// What is known about a road tile.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RoadTile {
    pub(crate) id: String,
    pub(crate) model: Option<String>,
}

/// Opens a map.
///
/// # Errors
/// The source cannot be opened, or nothing in it says how large the map is. Everything else is a diagnostic.
pub(crate) fn open(
    registry: &Registry,
    source: &MapSource,
    context: &mut OpenContext<'_>,
) -> Result<Sc2World, OpenError> {
    let name = map_files::source_name(source);
    let mut diagnostics = Vec::new();
    (context.progress)("reading the map", 0.05);
    let layer = map_files::map_layer(source)?;
    let files = MapFiles::read(&layer, &mut diagnostics);
    let Some(cells) = files.cells() else {
        let error = Diagnostic::error(
            "sc2.no-map",
            format!("{name} has no MapInfo, t3Terrain.xml, t3HeightMap or t3SyncCliffLevel"),
        )
        .in_file(&name)
        .help("give a .SC2Map archive, a .SC2Components folder, or a map's folder");
        return Err(OpenError(std::iter::once(error).chain(diagnostics).collect()));
    };
    (context.progress)("reading catalogs", 0.15);
    let sources = Sources::new(&layer, &context.vfs, &files.dependencies, &mut diagnostics);
    let light = find_light(&sources, files.tileset(), &mut diagnostics);
    let roads = road_tiles(&files, &sources, &mut diagnostics);
    let pools = pools(&files, &sources, &mut diagnostics);
    (context.progress)("building the ground", 0.3);
    let terrain = Terrain::new(cells, &files, &texture_names(&files, &sources, &mut diagnostics), &mut diagnostics);
    (context.progress)("loading textures", 0.5);
    let (sets, problems) = assets::ground_layers(&terrain.texture_sets, &sources);
    diagnostics.extend(problems);
    (context.progress)("baking meshes", 0.7);
    let mut scene = Scene::new(registry);
    content::fill(&mut scene, &terrain, files.ground_masks().as_deref(), &sets, &pools);
    let world = assemble(scene, terrain, &files, &sources, light, diagnostics);
    (context.progress)("ready", 1.0);
    Ok(world.with_info(&name, &files, &sources, &sets, &roads, &pools))
}

fn assemble(
    scene: Scene,
    terrain: Terrain,
    files: &MapFiles,
    sources: &Sources,
    light: Light,
    diagnostics: Vec<Diagnostic>,
) -> Sc2World {
    let bounds = camera_bounds(&terrain, files);
    let middle = (bounds.min + bounds.max) / 2.0;
    let start = camera::start(files.objects.as_ref().map_or(&[], |o| &o.cameras), middle);
    let mut world = Sc2World {
        scene,
        camera: start,
        start,
        bounds,
        lift: 0.0,
        start_lift: start.target.z,
        values: values(&light, sources, files),
        light,
        terrain,
        diagnostics: unique(diagnostics),
        info: serde_json::Value::Null,
    };
    world.lift = world.start_lift;
    world.start.clamp(&world.bounds);
    world.start.target.z = world.follow(world.start.target.truncate());
    world.camera = world.start;
    world
}

fn find_light(sources: &Sources, tileset: &str, diagnostics: &mut Vec<Diagnostic>) -> Light {
    Light::of(&sources.catalogs, tileset).unwrap_or_else(|| {
        let what = format!("no catalog has the light of \"{tileset}\": that of Mar Sara is used");
        diagnostics.push(Diagnostic::warning("sc2.no-light", what).help("give the game's data with --data"));
        Light::fallback()
    })
}

/// Ids of the ground's textures, eight a set: those of the map, else the ones that its CTerrain offers, else the
/// tileset's name.
fn texture_names(files: &MapFiles, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Vec<String> {
    let named = |list: &&[String]| list.iter().any(|name| !name.is_empty());
    let xml = files.xml.as_ref().map(|x| x.textures.as_slice()).filter(named);
    let own = xml.or_else(|| files.textures.as_ref().map(|t| t.names.as_slice()).filter(named));
    if let Some(names) = own {
        return names.to_vec();
    }
    let what = "the map does not name its ground textures: those of its tileset are shown";
    diagnostics.push(Diagnostic::warning("sc2.no-textures", what).in_file("t3Terrain.xml"));
    let offered = sources.catalogs.terrain(files.tileset()).map(|t| t.textures).filter(|t| !t.is_empty());
    offered.unwrap_or_else(|| vec![files.tileset().to_owned()])
}

/// The tiles of the map's roads, each id once.
fn road_tiles(files: &MapFiles, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Vec<RoadTile> {
    let used: BTreeSet<&str> = files.tiles.iter().flat_map(|t| &t.tiles).map(|t| t.tile.as_str()).collect();
    let tile = |id: &str| {
        let model = sources.catalogs.tile_model(id);
        if !sources.catalogs.contains("CTile", id) {
            let what = format!("no catalog has the road tile \"{id}\"");
            diagnostics.push(Diagnostic::warning("sc2.unknown-tile", what).in_file("t3HardTile"));
        }
        RoadTile { id: id.to_owned(), model }
    };
    used.into_iter().map(tile).collect()
}

fn pools(files: &MapFiles, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Vec<water::Pool> {
    let areas = files.water.iter().flat_map(|w| &w.areas);
    let pool = |area: &crate::formats::WaterArea| {
        let record = sources.catalogs.water(&area.water).unwrap_or_else(|| {
            let what = format!("no catalog has the water \"{}\"", area.water);
            diagnostics.push(
                Diagnostic::warning("sc2.unknown-water", what)
                    .in_file("t3Water")
                    .help("plain water one unit below the standard level is shown"),
            );
            water::FALLBACK
        });
        water::Pool { area: area.clone(), record }
    };
    areas.map(pool).collect()
}

/// The map's bounds for the camera, where they make sense, else the whole map.
fn camera_bounds(terrain: &Terrain, files: &MapFiles) -> CameraBounds {
    let all = CameraBounds { min: Vec2::ZERO, max: terrain.extent() };
    let Some(info) = &files.info else { return all };
    let [west, south, east, north] = info.camera_bounds.map(|v| v as f32);
    let own = CameraBounds { min: Vec2::new(west, south), max: Vec2::new(east, north).min(terrain.extent()) };
    if own.min.cmplt(own.max).all() { own } else { all }
}

fn values(light: &Light, sources: &Sources, files: &MapFiles) -> Vec<(&'static str, Value)> {
    let mut out = vec![
        ("sun_direction", Value::Vec3(light.to_light().to_array())),
        ("sun_color", Value::Vec3(light.color.to_array())),
        ("ambient_color", Value::Vec3(light.ambient.to_array())),
    ];
    if let Some((color, density, falloff, height)) = sources.catalogs.terrain(files.tileset()).and_then(|t| t.fog) {
        out.extend([
            ("height_fog", Value::Bool(true)),
            ("fog_color", Value::Vec4(color)),
            ("fog_density", Value::Float(density)),
            ("fog_falloff", Value::Float(falloff)),
            ("fog_height", Value::Float(height)),
        ]);
    }
    let first = files.water.iter().flat_map(|w| &w.areas).find_map(|a| sources.catalogs.water(&a.water));
    if let Some(record) = first.filter(|r| r.uv_rate != [0.0; 4]) {
        out.push(("water_drift", Value::Vec4(record.uv_rate)));
    }
    out
}

fn unique(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        if !out.contains(&diagnostic) {
            out.push(diagnostic);
        }
    }
    out
}

impl Sc2World {
    fn with_info(
        mut self,
        name: &str,
        files: &MapFiles,
        sources: &Sources,
        sets: &[LayerSet],
        roads: &[RoadTile],
        pools: &[water::Pool],
    ) -> Self {
        let facts = info::Facts { name, files, sources, terrain: &self.terrain, sets, roads, pools };
        self.info = facts.to_json(&self.scene, &self.start, self.bounds, &self.light);
        self
    }

    /// Height of the camera's target over a point: the blurred ground and the offset. Only the camera sees the blur, and
    /// nothing is smoothed over time.
    fn follow(&self, at: Vec2) -> f32 {
        self.terrain.camera_surface.height(at) + self.lift
    }

    fn place_camera(&mut self) {
        camera::fit(&mut self.camera, self.terrain.extent().max_element() * MOST_DISTANCE);
        self.camera.clamp(&self.bounds);
        self.camera.target.z = self.follow(self.camera.target.truncate());
    }

    fn apply(&mut self, command: &Command, params: &mut ParamTable) {
        match command {
            Command::SetCamera(camera) => return self.set_camera(*camera),
            Command::PanCamera(by) => {
                let (sin, cos) = self.camera.yaw.to_radians().sin_cos();
                let to = self.camera.target.truncate() + Vec2::new(cos, sin) * by.y + Vec2::new(sin, -cos) * by.x;
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
                (self.camera, self.lift) = (self.start, self.start_lift);
            }
            Command::SetParam { name, value, source } => {
                if let Err(error) = params.require(name).and_then(|id| params.set(id, *value, *source)) {
                    tracing::warn!("{error}");
                }
                return;
            }
        }
        self.place_camera();
    }

    fn set_views(&mut self, input: &FrameInput<'_>, params: &ParamTable) {
        let aspect = input.size[0].max(1) as f32 / input.size[1].max(1) as f32;
        // Somebody may have turned the light: the rays are the negation of what shades.
        let to_light = params.find("sun_direction").map(|id| params.get(id).components().0);
        let ray = to_light.map_or(self.light.ray(), |[x, y, z, _]| -Vec3::new(x, y, z));
        self.scene.set_view(ids::MAIN, self.camera.view(aspect));
        self.scene.set_view(ids::LIGHT, camera::light_view(&self.camera, aspect, ray));
        let heights = self.terrain.surface.range();
        self.scene.set_view(ids::MAP, camera::map_view(self.terrain.extent(), heights));
    }
}

/// Sets a param that the map decides, unless a person, a script or the command line has spoken.
fn set_from_map(params: &mut ParamTable, name: &str, value: Value) {
    let Some(id) = params.find(name) else { return };
    let (decl, state) = params.entry(id);
    let free = matches!(state.source, ParamSource::Default | ParamSource::Game) && !state.held;
    let Ok(value) = decl.check(value) else { return };
    if free && (state.value != value || state.source == ParamSource::Default) {
        // Checked and free: this cannot be refused.
        let _ = params.set(id, value, ParamSource::Game);
    }
}

impl World for Sc2World {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn scene_mut(&mut self) -> &mut Scene {
        &mut self.scene
    }

    fn update(&mut self, input: &FrameInput<'_>, params: &mut ParamTable) {
        for command in input.commands {
            self.apply(command, params);
        }
        for (name, value) in &self.values {
            set_from_map(params, name, *value);
        }
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
        // The height that was asked for stays; later moves follow the ground from there.
        self.lift = 0.0;
        let wanted = self.camera.target.z;
        self.camera.clamp(&self.bounds);
        let ground = self.follow(self.camera.target.truncate());
        self.lift = if wanted.is_finite() { wanted - ground } else { 0.0 };
        self.place_camera();
    }

    fn camera_bounds(&self) -> CameraBounds {
        self.bounds
    }

    fn ground_height(&self, at: Vec2) -> f32 {
        self.terrain.surface.height(at)
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn info(&self) -> serde_json::Value {
        self.info.clone()
    }
}
