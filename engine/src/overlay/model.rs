//! What the overlay draws, and what it asks for. Both are plain data: the host fills an [`OverlayModel`] every frame
//! and carries out the [`OverlayAction`]s that come back.

use super::stats::History;
use crate::diag::{Diagnostic, Severity};
use crate::scene::{ParamId, Value};

/// Everything the panels show in one frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct OverlayModel<'a> {
    /// The graph file's name, path and state of editing.
    pub graph: GraphSummary<'a>,
    /// The device's name as the driver reports it.
    pub device: &'a str,
    /// The frame as a whole.
    pub frame: FrameSummary,
    /// Memory of the graph's images.
    pub memory: MemorySummary,
    /// All passes in the order of the frame, culled and disabled ones included.
    pub passes: &'a [PassInfo],
    /// All images; [`PassInfo::reads`] and [`PassInfo::writes`] are indices into this.
    pub images: &'a [ImageInfo],
    /// What is wrong now; empty where the graph in use is the file on disk.
    pub diagnostics: &'a [Diagnostic],
    /// The log, the oldest line first.
    pub log: &'a [LogLine],
    /// The last reload, if there was one.
    pub reload: Option<&'a ReloadSummary>,
    /// The picture for the images panel, made for the view of the last [`OverlayAction::ShowImage`].
    pub preview: Option<Preview>,
    /// The texel of the last [`OverlayAction::PickTexel`].
    pub picked: Option<PickedTexel>,
    /// A trace is being written.
    pub tracing: bool,
}

/// The graph file and what was changed in it from the overlay.
#[derive(Clone, Copy, Debug, Default)]
pub struct GraphSummary<'a> {
    /// `[graph] name`.
    pub name: &'a str,
    /// The file, as the user wrote it.
    pub path: &'a str,
    /// Passes were moved or switched and the file does not say so yet.
    pub unsaved: bool,
    /// There is a change to take back.
    pub can_undo: bool,
    /// There is a change to make again.
    pub can_redo: bool,
}

/// One frame in numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameSummary {
    /// Frames since the start.
    pub index: u64,
    /// Pixels of the output.
    pub size: [u32; 2],
    /// Frames a second, averaged by the host.
    pub fps: f32,
    /// Milliseconds on the CPU.
    pub cpu_ms: f32,
    /// Milliseconds on the GPU, from the first to the last timestamp.
    pub gpu_ms: Option<f32>,
}

/// Memory of the graph's images in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemorySummary {
    /// The heap that transient images share.
    pub heap_bytes: u64,
    /// What the transient images would need more if each had its own memory.
    pub saved_by_aliasing: u64,
    /// Images that keep their content.
    pub persistent_bytes: u64,
    /// All device memory in use by the program.
    pub device_bytes: u64,
}

/// One pass.
#[derive(Clone, Debug, Default)]
pub struct PassInfo {
    /// Its name in the graph file; unique.
    pub name: String,
    /// `raster`, `fullscreen`, `compute`, `copy` or `ui`.
    pub kind: String,
    /// Not switched off in the overlay.
    pub enabled: bool,
    /// The only pass that is shown.
    pub solo: bool,
    /// Why it does not run, if it does not.
    pub culled: Option<String>,
    /// GPU durations of the last frames.
    pub gpu: History,
    /// Nanoseconds to record its commands.
    pub cpu_ns: Option<u64>,
    /// Draw calls or dispatches.
    pub draws: u32,
    /// Triangles.
    pub triangles: u64,
    /// Pipeline statistics by name, where the device has them.
    pub statistics: Vec<(String, u64)>,
    /// Images it reads.
    pub reads: Vec<u32>,
    /// Images it writes.
    pub writes: Vec<u32>,
}

/// One image of the graph.
#[derive(Clone, Debug, Default)]
pub struct ImageInfo {
    /// Its name in the graph file.
    pub name: String,
    /// Its format as the graph file spells it.
    pub format: String,
    /// Width and height in texels.
    pub extent: [u32; 2],
    /// Mip levels.
    pub mips: u32,
    /// Array layers.
    pub layers: u32,
    /// Bytes with all mips and layers.
    pub bytes: u64,
    /// `transient`, `persistent`, `history`, `imported` or `file`.
    pub residency: String,
    /// First byte and first byte past the end in the shared heap, for transient images.
    pub heap_range: Option<(u64, u64)>,
    /// First and last pass (indices into [`OverlayModel::passes`]) that need its content.
    pub lifetime: Option<(u32, u32)>,
}

/// A line of the log.
#[derive(Clone, Debug)]
pub struct LogLine {
    /// Seconds since the start.
    pub seconds: f64,
    /// How much it matters.
    pub severity: Severity,
    /// The text; may have several lines.
    pub text: String,
}

/// What a reload changed.
#[derive(Clone, Debug, Default)]
pub struct ReloadSummary {
    /// The frame that was the first to use it.
    pub frame: u64,
    /// Milliseconds from the save to that frame.
    pub milliseconds: f32,
    /// It failed and the graph before it goes on.
    pub failed: bool,
    /// Passes that are new.
    pub added: Vec<String>,
    /// Passes that are gone.
    pub removed: Vec<String>,
    /// Passes that have another place.
    pub moved: Vec<String>,
    /// Barriers before and after.
    pub barriers: (u32, u32),
    /// Bytes of the graph's images before and after.
    pub memory: (u64, u64),
    /// Pipelines that were built again.
    pub pipelines_rebuilt: u32,
    /// Pipelines in all.
    pub pipelines: u32,
}

/// A picture for the images panel.
#[derive(Clone, Copy, Debug)]
pub struct Preview {
    /// The texture under which the host registered it with the renderer.
    pub texture: egui::TextureId,
    /// Texels of the mip level that is shown.
    pub size: [u32; 2],
}

/// A texel that was read back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickedTexel {
    /// Column and row in the mip level that is shown, from the top left.
    pub position: [u32; 2],
    /// Its components before channel and range are applied.
    pub value: [f32; 4],
}

/// Which components of an image are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Channel {
    /// Colour over black, alpha ignored.
    #[default]
    Rgb,
    /// Colour over black, weighted by alpha.
    Rgba,
    /// Red as grey; also depth.
    Red,
    /// Green as grey.
    Green,
    /// Blue as grey.
    Blue,
    /// Alpha as grey.
    Alpha,
}

impl Channel {
    /// All channels in the order of the overlay.
    pub const ALL: [Self; 6] = [Self::Rgb, Self::Rgba, Self::Red, Self::Green, Self::Blue, Self::Alpha];

    /// The name in the overlay.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rgb => "rgb",
            Self::Rgba => "rgba",
            Self::Red => "red, depth",
            Self::Green => "green",
            Self::Blue => "blue",
            Self::Alpha => "alpha",
        }
    }
}

/// One way to look at one image.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageView {
    /// The image.
    pub name: String,
    /// Its content after this pass; at the frame's end where there is none.
    pub after_pass: Option<String>,
    /// What is shown.
    pub channel: Channel,
    /// Mip level.
    pub mip: u32,
    /// Array layer.
    pub layer: u32,
    /// The values that become black and white; the first is smaller, both are finite.
    pub range: [f32; 2],
}

/// A file format for a saved image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveFormat {
    /// 8 bits, as shown.
    Png,
    /// Floats, as stored.
    Exr,
}

/// Something a person asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum OverlayAction {
    /// Switches a pass on or off without touching the file.
    SetPass {
        /// The pass.
        name: String,
        /// On or off.
        enabled: bool,
    },
    /// Shows one pass alone, or all again.
    Solo(Option<String>),
    /// Moves a pass; never to where it already is.
    MovePass {
        /// The pass.
        name: String,
        /// The pass it goes in front of; to the end where there is none.
        before: Option<String>,
    },
    /// Writes moved and switched passes into the graph file.
    WriteToFile,
    /// Takes the last change of passes back.
    Undo,
    /// Makes it again.
    Redo,
    /// Sets a param as [`crate::scene::ParamSource::Overlay`].
    SetParam {
        /// The param.
        id: ParamId,
        /// The value, of the param's type.
        value: Value,
    },
    /// Back to the declared value.
    ResetParam(ParamId),
    /// Holds or releases a param.
    HoldParam(ParamId, bool),
    /// The view that the images panel needs a [`Preview`] of; nothing while it is closed or hidden. Sent on change.
    ShowImage(Option<ImageView>),
    /// Saves an image as it is shown (PNG) or as it is stored (EXR).
    SaveImage {
        /// What to save.
        view: ImageView,
        /// How.
        format: SaveFormat,
    },
    /// Keeps the preview's content as it is, or follows the frames again.
    FreezeImage(bool),
    /// Reads one texel of the view back for [`OverlayModel::picked`]; nothing when the pointer left. Sent on change.
    PickTexel(Option<[u32; 2]>),
    /// Opens an editor at the place a diagnostic points to.
    OpenLine {
        /// The file as the diagnostic names it.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
    /// Writes a trace of the next frames.
    StartTrace,
    /// Writes the timings as a table.
    SaveCsv,
}
