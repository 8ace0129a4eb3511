//! What lies in a watched folder: which files count, and whether their content is new.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A longer file is taken for changed when its length or time is: archives are not read whole on every event.
const MAX_HASHED: u64 = 64 << 20;
/// Folders below folders that are followed; deeper ones are left out.
const MAX_DEPTH: usize = 32;

/// A folder that is watched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Root {
    /// The folder; may be a symbolic link. Changes are reported below this spelling.
    pub folder: PathBuf,
    /// True when everything below counts, false for the files directly in it.
    pub recursive: bool,
}

impl Root {
    /// A folder with everything below.
    pub fn recursive(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), recursive: true }
    }

    /// A folder with the files directly in it.
    pub fn flat(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), recursive: false }
    }
}

/// True for files that editors and tools make beside the one that is saved: vim's probe `4913` and swap files, backups
/// `x~`, lock files `.#x` and `#x#`, `sed -i`'s `sedAbCdEf`, drafts of KDE, GNOME and JetBrains editors, `*.tmp`; and
/// for everything in a `.git` folder.
pub fn editor_file(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|n| n.to_str()) else { return false };
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let swap = name.starts_with('.') && extension.len() == 3 && extension.starts_with("sw");
    let sed = name.len() == 9 && name.starts_with("sed") && name.bytes().all(|b| b.is_ascii_alphanumeric());
    let draft = matches!(extension, "tmp" | "kate-swp") || name.starts_with(".goutputstream-");
    let lock = name.starts_with(".#") || (name.starts_with('#') && name.ends_with('#'));
    let jetbrains = name.ends_with("___jb_tmp___") || name.ends_with("___jb_old___");
    let git = path.components().any(|c| c.as_os_str() == ".git");
    name == "4913" || name.ends_with('~') || swap || sed || draft || lock || jetbrains || git
}

/// What tells a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stamp {
    /// Bytes.
    pub(crate) len: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stamp {
    /// The stamp of a file that is not there.
    pub(crate) const NONE: Self = Self { len: 0, modified: None, inode: 0 };

    pub(crate) fn of(meta: &Metadata) -> Self {
        Self { len: meta.len(), modified: meta.modified().ok(), inode: inode(meta).1 }
    }
}

#[cfg(unix)]
fn inode(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Where a folder really is and which one it is; None when it is no folder that can be reached. A folder that was
/// deleted and made again is another one, and so is the new target of a symbolic link.
pub(crate) fn identity(folder: &Path) -> Option<(PathBuf, (u64, u64))> {
    // The folder of a bare file name is the empty path.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let real = folder.canonicalize().ok()?;
    let meta = fs::metadata(&real).ok().filter(Metadata::is_dir)?;
    Some((real, inode(&meta)))
}

/// What was found under a path.
#[derive(Debug)]
pub(crate) enum Content {
    /// No file.
    Missing,
    /// A file that cannot be read now.
    Unreadable(io::Error),
    /// A file. `steady` is false when it changed while it was read.
    Read { stamp: Stamp, hash: u64, steady: bool },
}

/// Reads the file at `path`.
pub(crate) fn read(path: &Path) -> Content {
    let attempt = || -> io::Result<Option<Content>> {
        let meta = fs::metadata(path)?;
        if !meta.is_file() {
            return Ok(None);
        }
        let stamp = Stamp::of(&meta);
        if stamp.len > MAX_HASHED {
            return Ok(Some(Content::Read { stamp, hash: hash_of_stamp(&stamp), steady: true }));
        }
        let hash = hash_of(File::open(path)?)?;
        let steady = Stamp::of(&fs::metadata(path)?) == stamp;
        Ok(Some(Content::Read { stamp, hash, steady }))
    };
    match attempt() {
        Ok(Some(content)) => content,
        Ok(None) => Content::Missing,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Content::Missing,
        Err(e) => Content::Unreadable(e),
    }
}

/// Hash of a content, for this run of the program only.
pub(crate) fn hash_of(mut from: impl Read) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        // Whole buffers but for the last, so that equal content is always fed in equal pieces.
        let mut filled = 0;
        while filled < buffer.len() {
            match from.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        hasher.write(&buffer[..filled]);
        if filled < buffer.len() {
            return Ok(hasher.finish());
        }
    }
}

/// The hash by which content handed over in memory is compared with the file at `path` of the same content.
pub(crate) fn hash_of_loaded(path: &Path, bytes: &[u8]) -> Option<u64> {
    if bytes.len() as u64 > MAX_HASHED {
        return Some(hash_of_stamp(&Stamp::of(&fs::metadata(path).ok()?)));
    }
    hash_of(bytes).ok()
}

fn hash_of_stamp(stamp: &Stamp) -> u64 {
    use std::hash::Hash;
    let mut hasher = DefaultHasher::new();
    stamp.hash(&mut hasher);
    hasher.finish()
}

/// Visits the files in `folder`; links to folders are followed, each folder once. What cannot be read is left out.
pub(crate) fn walk(folder: &Path, recursive: bool, visit: &mut impl FnMut(PathBuf, Stamp)) {
    let mut seen = BTreeSet::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(real) = folder.canonicalize() else { continue };
        if !seen.insert(real) {
            continue;
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(meta) = fs::metadata(&path) else { continue };
            if meta.is_file() {
                visit(path, Stamp::of(&meta));
            } else if recursive && meta.is_dir() && depth < MAX_DEPTH && entry.file_name() != ".git" {
                folders.push((path, depth + 1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_the_saved_one_are_told_apart() {
        for name in [
            "4913",
            ".frame.toml.swp",
            ".x.swx",
            "frame.toml~",
            ".#frame.toml",
            "#frame.toml#",
            "sedAbC12f",
            "a.tmp",
            ".git/x",
        ] {
            assert!(editor_file(Path::new("/graphs").join(name).as_path()), "{name}");
        }
        for name in ["frame.toml", "sediment.frag", "a.swap", "x.glsl", "4913.png", "tmp"] {
            assert!(!editor_file(Path::new("/graphs").join(name).as_path()), "{name}");
        }
    }

    #[test]
    fn equal_content_hashes_equal_in_memory_and_on_disk() {
        let dir = tempfile::tempdir().unwrap();
        for length in [0, 1, 65_535, 65_536, 200_000] {
            let path = dir.path().join("x");
            let bytes: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
            fs::write(&path, &bytes).unwrap();
            let Content::Read { hash, steady: true, .. } = read(&path) else { panic!("not read") };
            assert_eq!(Some(hash), hash_of_loaded(&path, &bytes));
        }
    }
}
