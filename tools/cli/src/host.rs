//! What the program brings to a session: games, the project's folders, built-in art, caches.

use std::path::{Path, PathBuf};

use terrace_engine::asset::{Layer, Vfs};
use terrace_engine::diag::{Diagnostic, near_miss};
use terrace_engine::scene::{Game, MapSource, OpenContext, World};

use crate::args::MapArgs;
use crate::report::{Failure, Progress, print_diagnostics};

/// Bytes of a map's head that tell which game it is.
const HEAD_BYTES: usize = 1024;

/// All games, in the order in which they are asked.
pub(crate) fn games() -> Vec<Box<dyn Game>> {
    vec![Box::new(terrace_wc3::game(terrace_art::builtin_map)), Box::new(terrace_sc2::game())]
}

/// Finds a game by name.
pub(crate) fn game_named(name: &str) -> Result<Box<dyn Game>, Failure> {
    let games = games();
    let names: Vec<String> = games.iter().map(|g| g.name().to_owned()).collect();
    games.into_iter().find(|g| g.name() == name).ok_or_else(|| {
        let error = Diagnostic::error("use.game", format!("no game is called \"{name}\""));
        let near = near_miss(name, names.iter().map(String::as_str)).map(|n| format!("did you mean \"{n}\"? "));
        Failure::Use(error.help(format!("{}there are: {}", near.unwrap_or_default(), names.join(", "))))
    })
}

/// The folder that holds `graphs/` and `shaders/`: `TERRACE_ROOT`, else the nearest above the working folder, else the
/// nearest above the program.
pub(crate) fn project_root() -> Result<PathBuf, Failure> {
    let holds = |p: &Path| p.join("graphs").is_dir() && p.join("shaders").is_dir();
    let named = std::env::var_os("TERRACE_ROOT").map(PathBuf::from);
    let above = |start: Option<PathBuf>| start.and_then(|p| p.ancestors().find(|a| holds(a)).map(Path::to_path_buf));
    named
        .filter(|p| holds(p))
        .or_else(|| above(std::env::current_dir().ok()))
        .or_else(|| above(std::env::current_exe().ok()))
        .ok_or_else(|| {
            Diagnostic::error("host.root", "the folders graphs and shaders are not found")
                .help("start inside the project's folder, or name it in TERRACE_ROOT")
                .into()
        })
}

/// Where pipelines and generated art are kept: below `XDG_CACHE_HOME` or `~/.cache`, else the temporary folder.
pub(crate) fn cache_dir() -> PathBuf {
    std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|p| p.is_absolute())
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("terrace")
}

/// A game and a world of its.
pub(crate) type Opened = (Box<dyn Game>, Box<dyn World>);

/// Opens a map with the game that claims it, and says which game that was.
pub(crate) fn open(args: &MapArgs, quiet: bool) -> Result<Opened, Failure> {
    let source = args.map.clone().map_or(MapSource::BuiltIn, MapSource::Path);
    for path in args.map.iter().chain(&args.data) {
        refuse_devices(path)?;
    }
    let game = match &args.game {
        Some(name) => game_named(name)?,
        None => claiming_game(&source)?,
    };
    let mut progress = Progress::new(quiet);
    progress.step("reading data", 0.0);
    let mut layers = Vec::new();
    for path in &args.data {
        layers.push(Layer::from_path(path, game.archive_profile())?);
    }
    let mut vfs = Vfs::new(layers);
    vfs.push_back(crate::art::layer(&cache_dir())?);
    let mut step = |what: &str, share: f32| progress.step(what, share);
    let opened = game.open(&source, &mut OpenContext { vfs, progress: &mut step });
    drop(progress);
    let world = opened.map_err(|e| Failure::Work(e.0))?;
    if !quiet {
        print_diagnostics(world.diagnostics());
    }
    Ok((game, world))
}

/// A pipe or a device would be read until memory runs out, or for ever.
fn refuse_devices(path: &Path) -> Result<(), Failure> {
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        let name = path.display().to_string();
        return Err(Diagnostic::error("host.no-file", format!("{name} is neither a file nor a folder"))
            .in_file(&name)
            .help("give the path of a map, an archive or a folder")
            .into());
    }
    Ok(())
}

fn claiming_game(source: &MapSource) -> Result<Box<dyn Game>, Failure> {
    let head = match source {
        MapSource::BuiltIn => Vec::new(),
        MapSource::Path(path) => head(path)?,
    };
    games().into_iter().find(|g| g.accepts(source, &head)).ok_or_else(|| {
        let MapSource::Path(path) = source else {
            return Diagnostic::error("host.game", "no game has a built-in map").into();
        };
        let name = path.display();
        Diagnostic::error("host.game", format!("{name} is not a map of a known game"))
            .in_file(name.to_string())
            .help("a map is a .w3m, .w3x or .SC2Map archive, a folder with such a map's files, or a war3map.w3e; --game names the game")
            .into()
    })
}

fn head(path: &Path) -> Result<Vec<u8>, Failure> {
    use std::io::Read;

    let name = path.display().to_string();
    let failed = |e: std::io::Error| -> Failure {
        let error = match e.kind() {
            std::io::ErrorKind::NotFound => Diagnostic::error("host.no-map", format!("{name} does not exist")),
            _ => Diagnostic::error("host.io", format!("{name} cannot be read: {e}")),
        };
        error.in_file(&name).help("give the path of a map; without one the built-in map is shown").into()
    };
    if std::fs::metadata(path).map_err(failed)?.is_dir() {
        return Ok(Vec::new());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).and_then(|f| f.take(HEAD_BYTES as u64).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.is_empty() {
        return Err(Diagnostic::error("host.empty", format!("{name} is empty"))
            .in_file(&name)
            .help("the file has no bytes; copy the map again")
            .into());
    }
    Ok(bytes)
}
