//! The built-in art as an archive that is generated once and kept in the cache folder.

use std::path::Path;

use terrace_engine::asset::mpq::{self, WriteOptions};
use terrace_engine::asset::{Archive, Layer, Profile};
use terrace_engine::diag::Diagnostic;

/// Name of the layer in reports.
const LAYER: &str = "built-in art";

/// The layer of the built-in art. It is generated on first use and after every change of the generator; a cache folder
/// that cannot be written to costs the time to generate, nothing else.
pub(crate) fn layer(cache: &Path) -> Result<Layer, Diagnostic> {
    let path = cache.join(format!("art-{}.mpq", terrace_art::FINGERPRINT));
    if let Ok(archive) = Archive::open_file(&path, Profile::Classic) {
        return Ok(Layer::archive(LAYER, archive));
    }
    let bytes = archive();
    if let Err(error) = keep(&path, &bytes) {
        tracing::info!("the built-in art is not kept: {}: {error}", path.display());
    }
    let archive = Archive::open(bytes, Profile::Classic).map_err(|e| e.in_archive(LAYER))?;
    Ok(Layer::archive(LAYER, archive))
}

/// All files, and each tileset's own files in an archive of its own inside, as the games have them.
fn archive() -> Vec<u8> {
    let mut files = terrace_art::files();
    for letter in terrace_art::tilesets() {
        let own = terrace_art::tileset_files(letter);
        if !own.is_empty() {
            files.push((format!("{letter}.mpq"), mpq::write(&own)));
        }
    }
    // 64 KiB sectors pack a fifth better than the usual 4 KiB.
    mpq::write_with(&files, &WriteOptions { sector_shift: 7, ..WriteOptions::default() })
}

/// Two programs may start at once: each writes a file of its own and renames it.
fn keep(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let temporary = path.with_extension(format!("{}.part", std::process::id()));
    std::fs::write(&temporary, bytes)?;
    std::fs::rename(&temporary, path)
}
