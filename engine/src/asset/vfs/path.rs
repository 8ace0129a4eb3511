use std::fmt;
use std::sync::Arc;

use super::AssetError;

/// Longest virtual path, in bytes.
pub const MAX_PATH_BYTES: usize = 1024;

/// A normalized path: ASCII letters in lower case, single forward slashes, none in front or at the end.
///
/// Letters outside ASCII keep their case, because the name hash of archives does not fold them either.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VirtualPath(Arc<str>);

impl VirtualPath {
    /// Normalizes a path as it stands in a table or a model.
    ///
    /// # Errors
    /// [`AssetError::BadPath`] for an empty path, `..`, NUL, a drive letter, or more than [`MAX_PATH_BYTES`].
    pub fn new(path: &str) -> Result<Self, AssetError> {
        let bad = |what| Err(AssetError::BadPath { path: path.chars().take(200).collect(), what });
        if path.len() > MAX_PATH_BYTES {
            return bad("it is longer than 1024 bytes");
        }
        if path.contains('\0') || path.contains(':') {
            return bad("it has a NUL or a colon");
        }
        let mut out = String::with_capacity(path.len());
        for part in path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." {
                return bad("it leads out of its folder with \"..\"");
            }
            if !out.is_empty() {
                out.push('/');
            }
            out.push_str(part);
        }
        if out.is_empty() {
            return bad("it is empty");
        }
        out.make_ascii_lowercase();
        Ok(Self(out.into()))
    }

    /// The normalized text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands after the last dot of the last part; empty without one.
    pub fn extension(&self) -> &str {
        let name = self.0.rsplit('/').next().unwrap_or("");
        name.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// The same path with another extension (without a dot), or with one added.
    pub fn with_extension(&self, extension: &str) -> Self {
        let cut = if self.extension().is_empty() { 0 } else { self.extension().len() + 1 };
        let stem = self.0[..self.0.len() - cut].trim_end_matches('.');
        Self(format!("{stem}.{}", extension.to_ascii_lowercase()).into())
    }

    /// This path below a normalized folder.
    pub(super) fn below(&self, folder: &Self) -> Self {
        Self(format!("{folder}/{self}").into())
    }
}

impl fmt::Display for VirtualPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for VirtualPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}
