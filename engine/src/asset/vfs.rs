//! The layered virtual file system: folders, archives, archives inside archives, and built-in files.
//!
//! The first layer that has a file wins. Every answer names the layer it came from, so that caches can be keyed by
//! (layer, path) and a user can see which file was taken.

mod folder;
mod layer;
mod path;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use thiserror::Error;

use super::mpq::MpqError;
use crate::diag::Diagnostic;

pub use folder::MAX_FOLDER_FILES;
pub use layer::Layer;
pub use path::{MAX_PATH_BYTES, VirtualPath};

/// Endings that are tried for a texture, in this order, after the exact name.
const TEXTURE_ENDINGS: [&str; 4] = ["blp", "dds", "tga", "png"];

/// A file as it was found.
#[derive(Clone, Debug)]
pub struct Asset {
    /// The whole file.
    pub bytes: Arc<[u8]>,
    /// Name of the layer it came from.
    pub layer: Arc<str>,
    /// Full normalized path; with `layer` the key of every cache. For [`Vfs::read_texture`] the name that was found.
    pub path: VirtualPath,
}

/// Why an asset could not be read.
#[derive(Debug, Error)]
pub enum AssetError {
    /// The path cannot name a file.
    #[error("\"{path}\" is not an asset path: {what}")]
    BadPath {
        /// The path as it was asked for.
        path: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// No layer has it.
    #[error("no layer has \"{path}\"")]
    NotFound {
        /// The normalized path.
        path: VirtualPath,
        /// Names of the layers that were asked, first to last.
        layers: Vec<Arc<str>>,
    },
    /// An archive has it and cannot give it out.
    #[error("\"{path}\" cannot be read from {layer}: {source}")]
    Archive {
        /// The normalized path.
        path: VirtualPath,
        /// Name of the layer.
        layer: Arc<str>,
        /// What the archive says.
        source: MpqError,
    },
    /// A folder has it and the disk cannot give it out.
    #[error("\"{path}\" cannot be read from {layer}: {source}")]
    Io {
        /// The normalized path.
        path: VirtualPath,
        /// Name of the layer.
        layer: Arc<str>,
        /// The operating system's error.
        source: std::io::Error,
    },
}

impl AssetError {
    /// The diagnostic: a warning, because one missing asset is replaced by fallback art and never ends a load.
    pub fn diagnostic(&self) -> Diagnostic {
        let base = |code| Diagnostic::warning(code, self.to_string());
        match self {
            Self::BadPath { path, .. } => base("asset.path").in_file(path.clone()),
            Self::NotFound { path, layers } => {
                base("asset.missing").in_file(path.as_str()).note(if layers.is_empty() {
                    "there are no layers".to_owned()
                } else {
                    format!("asked: {}", layers.join(", "))
                })
            }
            Self::Archive { path, layer, source: MpqError::Corrupt { offset, .. } } => {
                base("asset.archive").at_bytes(&**layer, *offset, path.as_str())
            }
            Self::Archive { layer, .. } => base("asset.archive").in_file(&**layer),
            Self::Io { path, layer, .. } => base("asset.io").in_file(format!("{layer}/{path}")),
        }
    }
}

/// The layers, the first of which wins. Reads take `&self` and may happen on several threads at once.
#[derive(Clone, Debug, Default)]
pub struct Vfs {
    layers: Vec<Layer>,
}

impl Vfs {
    /// Layers in order of priority: the first wins.
    pub fn new(layers: Vec<Layer>) -> Self {
        Self { layers }
    }

    /// Adds a layer that wins over all others.
    pub fn push_front(&mut self, layer: Layer) {
        self.layers.insert(0, layer);
    }

    /// Adds a layer that loses to all others.
    pub fn push_back(&mut self, layer: Layer) {
        self.layers.push(layer);
    }

    /// The layers, first to last.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The first layer that has the path; `None` also for what is no path.
    pub fn find(&self, path: &str) -> Option<&Layer> {
        let path = VirtualPath::new(path).ok()?;
        self.layers.iter().find(|layer| layer.contains(&path))
    }

    /// True when a layer has the path.
    pub fn exists(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// Reads a file from the first layer that has it.
    ///
    /// # Errors
    /// [`AssetError`]; a layer that has the file and cannot read it ends the search, so that damage is not hidden by
    /// an older file below.
    pub fn read(&self, path: &str) -> Result<Asset, AssetError> {
        let path = VirtualPath::new(path)?;
        for layer in self.layers.iter().filter(|layer| layer.contains(&path)) {
            match layer.read(&path) {
                // Gone since the folder was listed.
                Err(AssetError::NotFound { .. }) => {}
                Err(e) => return Err(e),
                Ok(bytes) => return Ok(Asset { bytes, layer: layer.name().clone(), path }),
            }
        }
        Err(AssetError::NotFound { path, layers: self.layers.iter().map(|layer| layer.name().clone()).collect() })
    }

    /// Reads a texture. In each layer, first to last, the exact name is tried, then the same stem with `.blp`, `.dds`,
    /// `.tga`, `.png`: old tables name `.tga` files whose pictures were published as `.blp`. Layers count more than
    /// endings, so that built-in art below never hides a picture of the user's that has another ending.
    ///
    /// # Errors
    /// As [`Vfs::read`]; the error of a missing texture names the path that was asked for.
    pub fn read_texture(&self, path: &str) -> Result<Asset, AssetError> {
        let exact = VirtualPath::new(path)?;
        let other = TEXTURE_ENDINGS.iter().map(|ending| exact.with_extension(ending));
        let names: Vec<_> = std::iter::once(exact.clone()).chain(other).collect();
        let first = self.layers.iter().find_map(|layer| names.iter().find(|name| layer.contains(name)));
        self.read(first.unwrap_or(&exact).as_str())
    }

    /// Lists the folders again after files were added or removed.
    pub fn rescan(&self) {
        for layer in &self.layers {
            layer.rescan();
        }
    }
}
