//! The last version of a graph's files that was accepted, kept beside the pipeline cache.
//!
//! One file for each key: `TRGOOD01`, key, number of files, name and bytes of each, FNV-1a of all before. Lengths are
//! 64-bit little-endian. A file that is torn or from another version is as good as none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"TRGOOD01";
/// Longest container that is read: graphs and shaders are text of a few hundred KiB.
const MAX_BYTES: u64 = 64 << 20;

/// A folder of last good versions.
#[derive(Clone, Debug)]
pub struct LastGood {
    folder: PathBuf,
}

impl LastGood {
    /// Uses `folder`, which is made when something is stored.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Keeps `files` (name and content) as the last good version of `key`, for example the graph's path. Replaces the
    /// version before in one step: whoever reads meanwhile sees the old one or the new one.
    ///
    /// # Errors
    /// What the file system says, or `InvalidInput` for more than 64 MiB.
    pub fn store(&self, key: &str, files: &[(String, Vec<u8>)]) -> io::Result<()> {
        let mut out = MAGIC.to_vec();
        put(&mut out, key.as_bytes());
        out.extend((files.len() as u64).to_le_bytes());
        for (name, bytes) in files {
            put(&mut out, name.as_bytes());
            put(&mut out, bytes);
        }
        out.extend(fnv1a(&out).to_le_bytes());
        if out.len() as u64 > MAX_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "more than 64 MiB of graph and shader files"));
        }
        fs::create_dir_all(&self.folder)?;
        let path = self.path(key);
        let draft = path.with_extension(format!("{}.tmp", std::process::id()));
        let result = fs::write(&draft, &out).and_then(|()| fs::rename(&draft, &path));
        if result.is_err() {
            let _ = fs::remove_file(&draft);
        }
        result
    }

    /// The last good version of `key`; None when there is none, or it cannot be read, or it is damaged.
    pub fn load(&self, key: &str) -> Option<Vec<(String, Vec<u8>)>> {
        let path = self.path(key);
        if fs::metadata(&path).ok()?.len() > MAX_BYTES {
            return None;
        }
        parse(&fs::read(&path).ok()?, key)
    }

    /// Where the version of `key` lies.
    pub fn path(&self, key: &str) -> PathBuf {
        Path::new(&self.folder).join(format!("{:016x}.lastgood", fnv1a(key.as_bytes())))
    }
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend(bytes);
}

fn parse(bytes: &[u8], key: &str) -> Option<Vec<(String, Vec<u8>)>> {
    let (body, sum) = bytes.split_last_chunk::<8>()?;
    if fnv1a(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut rest = body.strip_prefix(MAGIC)?;
    if take(&mut rest)? != key.as_bytes() {
        return None;
    }
    let count = number(&mut rest)?;
    let mut files = Vec::new();
    for _ in 0..count {
        let name = std::str::from_utf8(take(&mut rest)?).ok()?.to_owned();
        files.push((name, take(&mut rest)?.to_vec()));
    }
    rest.is_empty().then_some(files)
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let (head, tail) = rest.split_first_chunk::<8>()?;
    *rest = tail;
    Some(u64::from_le_bytes(*head))
}

fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(number(rest)?).ok()?;
    let (head, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    Some(head)
}

/// 64-bit FNV-1a: the same on every machine and in every version, unlike the standard hasher.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Vec<(String, Vec<u8>)> {
        vec![("graphs/a.toml".into(), b"[graph]\n".to_vec()), ("shaders/x.frag".into(), vec![0, 255, 10])]
    }

    #[test]
    fn a_stored_version_comes_back_and_a_newer_one_replaces_it() {
        let dir = tempfile::tempdir().unwrap();
        let good = LastGood::new(dir.path().join("cache/good"));
        assert_eq!(good.load("a"), None);
        good.store("a", &files()).unwrap();
        good.store("b", &[]).unwrap();
        assert_eq!(good.load("a"), Some(files()));
        assert_eq!(good.load("b"), Some(vec![]));
        good.store("a", &files()[..1]).unwrap();
        assert_eq!(good.load("a").unwrap().len(), 1);
        let left: Vec<_> = fs::read_dir(dir.path().join("cache/good")).unwrap().collect();
        assert_eq!(left.len(), 2, "no draft stays behind: {left:?}");
    }

    #[test]
    fn every_torn_or_flipped_container_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let good = LastGood::new(dir.path());
        good.store("a", &files()).unwrap();
        let whole = fs::read(good.path("a")).unwrap();
        for length in 0..whole.len() {
            assert_eq!(parse(&whole[..length], "a"), None, "cut to {length}");
        }
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x40;
            assert_eq!(parse(&flipped, "a"), None, "flipped byte {at}");
        }
        fs::write(good.path("a"), &whole[..whole.len() / 2]).unwrap();
        assert_eq!(good.load("a"), None);
        assert_eq!(parse(&whole, "another key"), None);
    }

    #[test]
    fn lengths_beyond_the_file_are_refused_without_asking_for_memory() {
        let mut bytes = MAGIC.to_vec();
        put(&mut bytes, b"a");
        bytes.extend(u64::MAX.to_le_bytes());
        bytes.extend(u64::MAX.to_le_bytes());
        bytes.extend(fnv1a(&bytes).to_le_bytes());
        assert_eq!(parse(&bytes, "a"), None);
    }
}
