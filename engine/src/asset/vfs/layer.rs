use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::folder::Folder;
use super::{AssetError, VirtualPath};
use crate::asset::mpq::{Archive, MAX_FILE_BYTES, MpqError, Profile};
use crate::diag::Diagnostic;

#[derive(Clone, Debug)]
enum Store {
    Folder(Arc<Folder>),
    Archive(Arc<Archive>),
    Memory(Arc<BTreeMap<String, Arc<[u8]>>>),
}

/// One place that files come from. Cloning shares the open archive or folder.
#[derive(Clone, Debug)]
pub struct Layer {
    name: Arc<str>,
    store: Store,
    /// Where the layer's root lies inside its store.
    below: Option<VirtualPath>,
}

impl Layer {
    fn new(name: &str, store: Store) -> Self {
        Self { name: name.into(), store, below: None }
    }

    /// Opens what a path leads to: a folder, or an archive (whatever its extension). The layer's name is the path.
    ///
    /// # Errors
    /// A diagnostic with a way out for a path that does not exist, an empty file, a file that is no archive, and what
    /// the disk says.
    pub fn from_path(path: &Path, profile: Profile) -> Result<Self, Diagnostic> {
        let name = path.display().to_string();
        let io = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::NotFound => Diagnostic::error("asset.no-path", format!("{name} does not exist"))
                .in_file(&name)
                .help("give the path of a folder or of an archive"),
            _ => Diagnostic::error("asset.io", format!("{name} cannot be read: {e}")).in_file(&name),
        };
        if std::fs::metadata(path).map_err(io)?.is_dir() {
            let folder = Folder::new(path.to_path_buf()).map_err(io)?;
            return Ok(Self::new(&name, Store::Folder(Arc::new(folder))));
        }
        match Archive::open_file(path, profile) {
            Ok(archive) => Ok(Self::archive(&name, archive)),
            Err(MpqError::Io(e)) => Err(io(e)),
            Err(e) => Err(e.in_archive(&name)),
        }
    }

    /// An open archive.
    pub fn archive(name: &str, archive: Archive) -> Self {
        Self::new(name, Store::Archive(Arc::new(archive)))
    }

    /// The archive at `path` inside another layer. Its name is `outer:path`.
    ///
    /// # Errors
    /// [`AssetError`] when the outer layer does not have it or it is no archive.
    pub fn nested(outer: &Self, path: &str, profile: Profile) -> Result<Self, AssetError> {
        let path = VirtualPath::new(path)?;
        let name: Arc<str> = format!("{}:{path}", outer.name).into();
        let bytes = outer.read(&path)?;
        let archive = Archive::open(bytes, profile).map_err(|source| AssetError::Archive {
            path,
            layer: outer.name.clone(),
            source,
        })?;
        Ok(Self { name, store: Store::Archive(Arc::new(archive)), below: None })
    }

    /// Files that the program brings along or makes itself.
    ///
    /// # Errors
    /// [`AssetError::BadPath`]. Of equal names the last one counts.
    pub fn memory(name: &str, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Self, AssetError> {
        let files = files
            .into_iter()
            .map(|(path, bytes)| Ok((VirtualPath::new(&path)?.as_str().to_owned(), bytes.into())))
            .collect::<Result<_, AssetError>>()?;
        Ok(Self::new(name, Store::Memory(Arc::new(files))))
    }

    /// The same store with its root at a folder inside it.
    ///
    /// # Errors
    /// [`AssetError::BadPath`].
    pub fn under(&self, folder: &str) -> Result<Self, AssetError> {
        let folder = VirtualPath::new(folder)?;
        let below = self.below.as_ref().map_or_else(|| folder.clone(), |below| folder.below(below));
        Ok(Self { name: format!("{}:{folder}", self.name).into(), store: self.store.clone(), below: Some(below) })
    }

    /// The layer's name, for users and as part of cache keys.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn inner(&self, path: &VirtualPath) -> VirtualPath {
        self.below.as_ref().map_or_else(|| path.clone(), |below| path.below(below))
    }

    /// True when the layer has the path.
    pub fn contains(&self, path: &VirtualPath) -> bool {
        let path = self.inner(path);
        match &self.store {
            Store::Folder(folder) => folder.contains(path.as_str()),
            Store::Archive(archive) => archive.contains(path.as_str()),
            Store::Memory(files) => files.contains_key(path.as_str()),
        }
    }

    /// Reads a file of this layer only.
    ///
    /// # Errors
    /// [`AssetError`].
    pub fn read(&self, path: &VirtualPath) -> Result<Arc<[u8]>, AssetError> {
        let inner = self.inner(path);
        let missing = || AssetError::NotFound { path: path.clone(), layers: vec![self.name.clone()] };
        match &self.store {
            Store::Folder(folder) => {
                let real = folder.get(inner.as_str()).ok_or_else(missing)?;
                read_file(&real).map(Into::into).map_err(|source| match source.kind() {
                    std::io::ErrorKind::NotFound => missing(),
                    _ => AssetError::Io { path: path.clone(), layer: self.name.clone(), source },
                })
            }
            Store::Archive(archive) => archive.read(inner.as_str()).map(Into::into).map_err(|source| match source {
                MpqError::NotFound { .. } => missing(),
                source => AssetError::Archive { path: path.clone(), layer: self.name.clone(), source },
            }),
            Store::Memory(files) => files.get(inner.as_str()).cloned().ok_or_else(missing),
        }
    }

    /// The normalized paths that the layer knows, sorted. An archive without a list of names gives none of its files.
    pub fn names(&self) -> Vec<VirtualPath> {
        let all = match &self.store {
            Store::Folder(folder) => folder.names(),
            Store::Archive(archive) => archive.listfile(),
            Store::Memory(files) => files.keys().cloned().collect(),
        };
        let mut out: Vec<_> = all.iter().filter_map(|name| VirtualPath::new(name).ok()).collect();
        if let Some(below) = &self.below {
            let prefix = format!("{below}/");
            out = out
                .iter()
                .filter_map(|path| path.as_str().strip_prefix(&prefix))
                .filter_map(|path| VirtualPath::new(path).ok())
                .collect();
        }
        out.sort();
        out.dedup();
        out
    }

    /// The open archive, where the layer is one.
    pub fn as_archive(&self) -> Option<&Archive> {
        if let Store::Archive(archive) = &self.store { Some(archive) } else { None }
    }

    pub(super) fn rescan(&self) {
        if let Store::Folder(folder) = &self.store {
            folder.rescan();
        }
    }
}

fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    let size = std::fs::metadata(path)?.len();
    if size > MAX_FILE_BYTES {
        return Err(std::io::Error::other(format!("it has {size} bytes, the limit is {MAX_FILE_BYTES}")));
    }
    std::fs::read(path)
}
