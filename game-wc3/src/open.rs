//! From a map's source to bytes: its own layer, the tileset's layer, the game's data, the built-in art.

use std::path::Path;

use terrace_engine::asset::{AssetError, Layer, Profile, Vfs};
use terrace_engine::diag::Diagnostic;
use terrace_engine::scene::MapSource;

/// How archives are read.
pub(crate) const PROFILE: Profile = Profile::Classic;
/// The terrain inside a map.
pub(crate) const W3E: &str = "war3map.w3e";
/// Files that are taken along when only the terrain file of a folder is opened.
const COMPANIONS: [&str; 5] = ["shd", "w3i", "wts", "mmp", "doo"];
/// Largest terrain file that is read from disk: 1025x1025 vertices of version 12 have 8.4 MB.
const MAX_W3E_BYTES: u64 = 64 << 20;

/// What a map's path holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapKind {
    /// An archive, whatever its extension.
    Archive,
    /// A folder with `war3map.w3e` in it.
    Folder,
    /// A terrain file.
    Terrain,
}

impl MapKind {
    /// The kind of a path by its first bytes, its extension where they say nothing.
    pub(crate) fn of(path: &Path, head: &[u8]) -> Option<Self> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        if head.starts_with(b"W3E!") || ending == "w3e" {
            return Some(Self::Terrain);
        }
        if head.is_empty() && path.join(W3E).is_file() {
            return Some(Self::Folder);
        }
        let archive = matches!(ending.as_str(), "w3m" | "w3x") || head.starts_with(b"HM3W");
        archive.then_some(Self::Archive)
    }
}

/// A source's name for messages.
pub(crate) fn source_name(source: &MapSource) -> String {
    match source {
        MapSource::BuiltIn => "the built-in map".to_owned(),
        MapSource::Path(path) => path.display().to_string(),
    }
}

/// The map's own files as a layer.
///
/// # Errors
/// A path that does not exist, an empty file, a file that is neither archive nor terrain; with the file and a way out.
pub(crate) fn map_layer(
    source: &MapSource,
    builtin: impl FnOnce() -> Vec<(String, Vec<u8>)>,
) -> Result<Layer, Diagnostic> {
    let path = match source {
        MapSource::BuiltIn => return memory("built-in map", builtin()),
        MapSource::Path(path) => path,
    };
    let name = path.display().to_string();
    if path.is_dir() {
        return Layer::from_path(path, PROFILE);
    }
    let head = read_head(path, &name)?;
    match MapKind::of(path, &head) {
        Some(MapKind::Terrain) => terrain_layer(path, &name),
        _ => Layer::from_path(path, PROFILE),
    }
}

fn read_head(path: &Path, name: &str) -> Result<Vec<u8>, Diagnostic> {
    use std::io::Read;
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(1024).read_to_end(&mut head));
    match read {
        Ok(0) => Err(Diagnostic::error("wc3.empty", format!("{name} is empty"))
            .at_bytes(name, 0, "header")
            .help("give a map: .w3m, .w3x, a map's folder, or a war3map.w3e")),
        Ok(_) => Ok(head),
        Err(e) => Err(io_error(name, &e)),
    }
}

fn io_error(name: &str, error: &std::io::Error) -> Diagnostic {
    match error.kind() {
        std::io::ErrorKind::NotFound => Diagnostic::error("asset.no-path", format!("{name} does not exist"))
            .in_file(name)
            .help("give a map: .w3m, .w3x, a map's folder, or a war3map.w3e"),
        _ => Diagnostic::error("asset.io", format!("{name} cannot be read: {error}")).in_file(name),
    }
}

/// A terrain file and the files of the same name beside it.
fn terrain_layer(path: &Path, name: &str) -> Result<Layer, Diagnostic> {
    let size = std::fs::metadata(path).map_err(|e| io_error(name, &e))?.len();
    if size > MAX_W3E_BYTES {
        return Err(Diagnostic::error(
            "wc3.too-large",
            format!("{name} has {size} bytes, {MAX_W3E_BYTES} are allowed"),
        )
        .in_file(name));
    }
    let bytes = std::fs::read(path).map_err(|e| io_error(name, &e))?;
    let mut files = vec![(W3E.to_owned(), bytes)];
    for ending in COMPANIONS {
        let beside = path.with_extension(ending);
        let small = std::fs::metadata(&beside).is_ok_and(|m| m.is_file() && m.len() <= MAX_W3E_BYTES);
        if let Some(bytes) = small.then(|| std::fs::read(&beside).ok()).flatten() {
            files.push((format!("war3map.{ending}"), bytes));
        }
    }
    memory(name, files)
}

fn memory(name: &str, files: Vec<(String, Vec<u8>)>) -> Result<Layer, Diagnostic> {
    Layer::memory(name, files).map_err(|e| e.diagnostic())
}

/// The file system of a map: its own files, then the tileset's archives of the data, then the data, then the tileset's
/// archive of the built-in art, then that art. The last layer of `data` is the built-in art, as the host puts it there.
/// An archive that is there and cannot be opened is reported and left out.
pub(crate) fn layers(map: Layer, data: &Vfs, tileset: u8, diagnostics: &mut Vec<Diagnostic>) -> Vfs {
    let nested_name = format!("{}.mpq", tileset as char);
    let mut nested = |outer: &Layer| match Layer::nested(outer, &nested_name, PROFILE) {
        Ok(layer) => Some(layer),
        Err(AssetError::NotFound { .. } | AssetError::BadPath { .. }) => None,
        Err(error) => {
            diagnostics.push(error.diagnostic());
            None
        }
    };
    let mut out = vec![map];
    if let Some((builtin, games)) = data.layers().split_last() {
        out.extend(games.iter().filter_map(&mut nested));
        out.extend(games.iter().cloned());
        out.extend(nested(builtin));
        out.push(builtin.clone());
    }
    Vfs::new(out)
}

/// A map archive can be opened although it is none: the archive reader takes the first plausible header. This says what
/// is missing.
pub(crate) fn no_terrain(layer: &Layer, name: &str) -> Diagnostic {
    let base = Diagnostic::error("wc3.no-terrain", format!("{name} has no {W3E}")).in_file(name);
    match layer.as_archive() {
        Some(archive) => base
            .note(format!("its archive begins at byte {} and has {} entries", archive.offset(), archive.block_count()))
            .help("the file may be damaged, or no map of this game"),
        None => base.help("give a map: .w3m, .w3x, a map's folder, or a war3map.w3e"),
    }
}
