use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// Most files of a folder layer; a folder with more is most likely not the one that was meant.
pub const MAX_FOLDER_FILES: usize = 1 << 20;

/// A folder on disk with an index from normalized paths to real ones, which a case-sensitive disk needs.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    index: RwLock<BTreeMap<String, PathBuf>>,
}

impl Folder {
    pub(super) fn new(root: PathBuf) -> std::io::Result<Self> {
        let index = RwLock::new(list(&root)?);
        Ok(Self { root, index })
    }

    pub(super) fn get(&self, path: &str) -> Option<PathBuf> {
        self.index.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    pub(super) fn contains(&self, path: &str) -> bool {
        self.index.read().unwrap_or_else(PoisonError::into_inner).contains_key(path)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.index.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// Lists the folder again; a folder that cannot be listed any more keeps its old index.
    pub(super) fn rescan(&self) {
        if let Ok(index) = list(&self.root) {
            *self.index.write().unwrap_or_else(PoisonError::into_inner) = index;
        }
    }
}

/// All files below `root`. Of names that differ in case only, the first in byte order counts. Subfolders that cannot
/// be read are skipped; a link to a folder that was already visited is not followed.
fn list(root: &Path) -> std::io::Result<BTreeMap<String, PathBuf>> {
    let mut out = BTreeMap::new();
    let mut visited = HashSet::new();
    let mut open = vec![(String::new(), root.to_path_buf())];
    let mut first = true;
    while let Some((prefix, folder)) = open.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(e) if first => return Err(e),
            Err(_) => continue,
        };
        first = false;
        if !visited.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())) {
            continue;
        }
        let mut entries: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for path in entries {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let key = format!("{prefix}{}", name.to_ascii_lowercase());
            if path.is_dir() {
                open.push((format!("{key}/"), path));
            } else if out.len() < MAX_FOLDER_FILES {
                out.entry(key).or_insert(path);
            }
        }
    }
    Ok(out)
}
