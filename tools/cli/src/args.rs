//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

const EXAMPLES: &str = "Examples:
  terrace                                       the viewer on the built-in map
  terrace view my-map.w3x                       any map, with the built-in art
  terrace view my-map.w3x --data ~/Warcraft3    the same with the game's own art
  terrace shot my-map.w3x -o out.png --size 1920x1080
  terrace check graphs/wc3.toml                 every error of a graph file at once
  terrace list                                  the names that a graph file may use

Exit codes: 0 it worked, 1 the work failed, 2 wrong use.";

/// See any map through a pass graph you can edit.
#[derive(Debug, Parser)]
#[command(name = "terrace", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// What to do; without a word: view.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// More log lines; twice for the finest.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Errors only.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Opens a window on a map.
    #[command(after_help = "Example: terrace view map.w3x --set fog_enabled=true\n\n\
        Keys: arrows or WASD pan, wheel zooms, middle button drags, right button turns, Home resets, F1 overlay, Esc ends.")]
    View(View),
    /// Renders a map to a picture, without a window.
    #[command(after_help = "Example: terrace shot map.w3x -o depth.png --image depthmap --frames 3")]
    Shot(Shot),
    /// Says what a map contains.
    #[command(after_help = "Example: terrace info map.w3x --json")]
    Info(Info),
    /// Lists the draw lists, views, images, params, flags and sizes of a game.
    #[command(after_help = "Example: terrace list --game wc3")]
    List(List),
    /// Shows what a graph file is compiled to, and why.
    #[command(
        after_help = "Examples:\n  terrace graph graphs/wc3.toml\n  terrace graph graphs/wc3.toml --form svg > wc3.svg\n  \
        terrace graph graphs/wc3.toml --why \"shadow map,ground and cliffs\""
    )]
    Graph(Explain),
    /// Checks a graph file against a game and says every error.
    #[command(after_help = "Example: terrace check graphs/wc3.toml")]
    Check(Check),
}

/// Which map and which data.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct MapArgs {
    /// An archive, a folder or a bare terrain file; the built-in map when absent.
    pub(crate) map: Option<PathBuf>,
    /// A game folder, an archive or a folder of loose files; repeatable, the first wins.
    #[arg(long, value_name = "PATH")]
    pub(crate) data: Vec<PathBuf>,
    /// The game, where the map does not tell.
    #[arg(long, value_name = "NAME")]
    pub(crate) game: Option<String>,
}

/// How to render.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RenderArgs {
    /// The graph file; the game's own when absent.
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// Gives a param its start value.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,
    /// Gives a param a value and holds it.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) pin: Vec<(String, String)>,
    /// The GPU: its index or a part of its name.
    #[arg(long, value_name = "DEVICE")]
    pub(crate) device: Option<String>,
    /// Turns the validation layer with synchronization validation on.
    #[arg(long)]
    pub(crate) validation: bool,
    /// Width and height in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    pub(crate) size: [u32; 2],
    /// Prints a table of what each pass cost, at the end.
    #[arg(long)]
    pub(crate) stats: bool,
    /// Writes what each pass of each frame cost, as CSV.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Writes the same as a trace for Perfetto or chrome://tracing.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Where the camera stands: target x, y, z, then pitch and yaw in degrees and the distance.
    #[arg(long, value_name = "X,Y,Z,PITCH,YAW,DISTANCE", value_parser = camera, allow_hyphen_values = true)]
    pub(crate) camera: Option<[f32; 6]>,
}

/// `terrace view`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct View {
    #[command(flatten)]
    pub(crate) map: MapArgs,
    #[command(flatten)]
    pub(crate) render: RenderArgs,
    /// Scrolls when the pointer is at the window's edge.
    #[arg(long)]
    pub(crate) edge_scroll: bool,
    /// Does not wait for the screen.
    #[arg(long)]
    pub(crate) no_vsync: bool,
    /// Ends after this many frames.
    #[arg(long, value_name = "N")]
    pub(crate) frames: Option<u64>,
}

impl View {
    /// The viewer without a word on the command line.
    pub(crate) fn at_default_size() -> Self {
        let render = RenderArgs { size: [1280, 720], ..RenderArgs::default() };
        Self { render, ..Self::default() }
    }
}

/// `terrace shot`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Shot {
    #[command(flatten)]
    pub(crate) map: MapArgs,
    #[command(flatten)]
    pub(crate) render: RenderArgs,
    /// The picture to write.
    #[arg(short, long, value_name = "FILE", default_value = "terrace.png")]
    pub(crate) output: PathBuf,
    /// Frames to render; the last is written. A frame is 1/60 s of game time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) frames: u64,
    /// Writes this image of the graph instead of its output.
    #[arg(long, value_name = "NAME")]
    pub(crate) image: Option<String>,
}

/// `terrace info`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) map: MapArgs,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `terrace list`.
#[derive(Args, Clone, Debug)]
pub(crate) struct List {
    /// Only this game.
    #[arg(long, value_name = "NAME")]
    pub(crate) game: Option<String>,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `terrace check`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Check {
    /// The graph file.
    pub(crate) graph: PathBuf,
    /// The game whose names it uses; without a name, the one that the file fits.
    #[arg(long, value_name = "NAME")]
    pub(crate) game: Option<String>,
    /// As JSON, a diagnostic a line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `terrace graph`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Explain {
    /// The graph file.
    pub(crate) graph: PathBuf,
    /// The game whose names it uses; without a name, the one that the file fits.
    #[arg(long, value_name = "NAME")]
    pub(crate) game: Option<String>,
    /// How the plan is shown.
    #[arg(long, value_enum, default_value_t = GraphForm::Table)]
    pub(crate) form: GraphForm,
    /// Says why a pass does not run, or what an image or pass waits for; two names, separated by a comma, ask about
    /// both together.
    #[arg(long, value_name = "NAME[,OTHER]")]
    pub(crate) why: Option<String>,
    /// Width and height of the view in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    pub(crate) size: [u32; 2],
    /// The GPU whose memory sizes count: its index or a part of its name.
    #[arg(long, value_name = "DEVICE")]
    pub(crate) device: Option<String>,
}

/// Forms of `terrace graph`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum GraphForm {
    /// Passes, images, memory and barriers as a table.
    Table,
    /// The same for programs.
    Json,
    /// Graphviz.
    Dot,
    /// A drawing.
    Svg,
    /// The instruction list that the executor replays.
    Plan,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err("write NAME=VALUE, for example fog_start=800".into()),
    }
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let side = |s: &str| s.trim().parse().ok().filter(|n| (1..=16384).contains(n));
    text.split_once('x')
        .and_then(|(w, h)| Some([side(w)?, side(h)?]))
        .ok_or_else(|| "write WIDTHxHEIGHT, each from 1 to 16384, for example 1280x720".into())
}

fn camera(text: &str) -> Result<[f32; 6], String> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    numbers
        .and_then(|n| <[f32; 6]>::try_from(n).ok())
        .filter(|n| n.iter().all(|x| x.is_finite()) && n[5] > 0.0)
        .ok_or_else(|| "write six numbers: x,y,z,pitch,yaw,distance, for example 0,0,0,56,90,1650".into())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_cameras_and_assignments_are_read_or_refused_with_an_example() {
        assert_eq!(size("640x480"), Ok([640, 480]));
        assert!(size("0x1").unwrap_err().contains("1280x720"));
        assert_eq!(camera("-1,2,3,56,90,1650"), Ok([-1.0, 2.0, 3.0, 56.0, 90.0, 1650.0]));
        assert!(camera("1,2").is_err() && camera("0,0,0,56,90,0").is_err());
        assert_eq!(assignment("a = 1"), Ok(("a".into(), "1".into())));
        assert!(assignment("a").is_err());
    }
}
