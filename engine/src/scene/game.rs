//! The trait that a game module implements, and the world it opens.

use std::path::PathBuf;

use glam::Vec2;
use thiserror::Error;

use super::camera::{CameraBounds, OrbitCamera};
use super::data::Scene;
use super::params::{ParamSource, ParamTable};
use super::registry::Registry;
use super::value::Value;
use crate::asset::{Profile, Vfs};
use crate::diag::Diagnostic;

/// A game: its names, and how its maps are opened. A third game is a new crate with another implementation.
pub trait Game: Send + Sync {
    /// Short name for `--game` and messages, lower case.
    fn name(&self) -> &str;
    /// One sentence for `terrace list`.
    fn doc(&self) -> &str;
    /// What graph files may use.
    fn registry(&self) -> &Registry;
    /// Graph file that is used without `--graph`, below the graph folder.
    fn default_graph(&self) -> &str;
    /// How this game reads archives.
    fn archive_profile(&self) -> Profile;
    /// True when a map of this name and these first bytes (at most 1 KiB; empty for a folder) is one of this game's.
    /// The name decides first, because protected maps of one game carry another's header.
    fn accepts(&self, source: &MapSource, head: &[u8]) -> bool;
    /// Opens a map. Slow; called on a worker thread.
    fn open(&self, source: &MapSource, context: &mut OpenContext<'_>) -> Result<Box<dyn World>, OpenError>;
}

/// Where a map comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapSource {
    /// The map that the built-in art brings along.
    BuiltIn,
    /// An archive, a folder or a bare terrain file.
    Path(PathBuf),
}

/// What a game needs to open a map.
pub struct OpenContext<'a> {
    /// Data folders and archives of the command line in their order, then the built-in art. The game puts the map's own
    /// layer on top.
    pub vfs: Vfs,
    /// Told what is being done and the share done, 0 to 1.
    pub progress: &'a mut dyn FnMut(&str, f32),
}

/// A map that cannot be shown at all. A missing or broken asset is not one: it degrades to fallback art and a
/// diagnostic in [`World::diagnostics`].
#[derive(Debug, Error)]
#[error("{}", .0.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n"))]
pub struct OpenError(pub Vec<Diagnostic>);

impl From<Diagnostic> for OpenError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

/// An opened map.
pub trait World: Send {
    /// The data that the renderer reads.
    fn scene(&self) -> &Scene;
    /// The same, for the renderer to clear dirty marks.
    fn scene_mut(&mut self) -> &mut Scene;
    /// Applies the frame's commands, animates, and sets views. The same input gives the same scene.
    fn update(&mut self, input: &FrameInput<'_>, params: &mut ParamTable);
    /// The camera now.
    fn camera(&self) -> OrbitCamera;
    /// The camera that a fresh start has.
    fn default_camera(&self) -> OrbitCamera;
    /// Places the camera.
    fn set_camera(&mut self, camera: OrbitCamera);
    /// Where the camera's target may be.
    fn camera_bounds(&self) -> CameraBounds;
    /// Height of the visible ground in world units; positions outside are clamped to the map.
    fn ground_height(&self, at: Vec2) -> f32;
    /// What was replaced by fallbacks while opening, and what is odd about the map.
    fn diagnostics(&self) -> &[Diagnostic];
    /// Facts about the map for `info`: an object whose keys keep their order.
    fn info(&self) -> serde_json::Value;
}

/// Everything a frame depends on besides the world and the params.
#[derive(Clone, Debug)]
pub struct FrameInput<'a> {
    /// Number of the frame since the start.
    pub index: u64,
    /// Game time in milliseconds.
    pub time_ms: u64,
    /// Milliseconds since the frame before.
    pub dt_ms: u64,
    /// Seed of everything random.
    pub seed: u64,
    /// Size of the picture in pixels.
    pub size: [u32; 2],
    /// What people, scripts and recordings asked for since the frame before.
    pub commands: &'a [Command],
}

/// A change that a person, a script, the command line or a recording asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Places the camera.
    SetCamera(OrbitCamera),
    /// Moves the target by world units in the camera's ground plane: x to the right, y ahead.
    PanCamera(Vec2),
    /// Multiplies the distance.
    ZoomCamera(f32),
    /// Adds degrees to yaw and pitch.
    TurnCamera {
        /// Degrees counter-clockwise.
        yaw: f32,
        /// Degrees further down.
        pitch: f32,
    },
    /// Back to the default camera.
    ResetCamera,
    /// Sets a param by name.
    SetParam {
        /// The param.
        name: String,
        /// Its value.
        value: Value,
        /// Who asks.
        source: ParamSource,
    },
}
