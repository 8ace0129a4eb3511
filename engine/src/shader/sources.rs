//! Where shader texts come from.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Reads shader files by their path below the shader folder (`world/ground.frag`, forward slashes).
pub trait ShaderSources: Send + Sync {
    /// The text, or `None` when there is no such file.
    fn read(&self, path: &str) -> Option<String>;
    /// All paths, sorted; for near misses.
    fn list(&self) -> Vec<String>;
    /// The path as a person would open it.
    fn display(&self, path: &str) -> String;
}

/// A folder on disk.
#[derive(Clone, Debug)]
pub struct FolderSources {
    root: PathBuf,
}

impl FolderSources {
    /// Reads below `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

impl ShaderSources for FolderSources {
    fn read(&self, path: &str) -> Option<String> {
        let inside = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        inside
            .then(|| std::fs::read(self.root.join(path)).ok())
            .flatten()
            .map(|b| String::from_utf8_lossy(&b).into_owned())
    }

    fn list(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![(self.root.clone(), String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push((entry.path(), format!("{name}/"))),
                    Ok(_) => found.push(name),
                    Err(_) => {}
                }
            }
        }
        found.sort();
        found
    }

    fn display(&self, path: &str) -> String {
        self.root.join(path).display().to_string()
    }
}

/// Texts in memory.
#[derive(Clone, Debug, Default)]
pub struct MemorySources(pub BTreeMap<String, String>);

impl MemorySources {
    /// From pairs of path and text.
    pub fn new<const N: usize>(files: [(&str, &str); N]) -> Self {
        Self(files.into_iter().map(|(p, t)| (p.into(), t.into())).collect())
    }
}

impl ShaderSources for MemorySources {
    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }

    fn list(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    fn display(&self, path: &str) -> String {
        path.into()
    }
}
