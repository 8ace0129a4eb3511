//! MPQ archives (versions 1 to 4), read as the games read them.
//!
//! Protected and damaged archives are common, and the programs they were made for accept them. So this reader follows
//! what those programs do, not what the format's description promises: see [`Profile`] for the rules that differ.
//! Files are found by the hash of their name; the list of names inside an archive is optional and never trusted.
//!
//! Layout: MPQ format, "archive header", "hash table", "block table", "sector offset table".

mod codec;
mod crypt;
mod error;
mod header;
mod read;
mod source;
mod write;

#[cfg(test)]
mod real_files;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

pub use error::MpqError;
pub use write::{WriteOptions, write, write_with};

use header::Header;
use read::Tables;
use source::Source;

/// Largest file that is taken out of an archive, in bytes, after decompression.
pub const MAX_FILE_BYTES: u64 = 512 << 20;

/// Archives up to this many bytes are held in memory, so that an editor that saves over them cannot tear a read.
/// Larger ones stay on disk.
pub const MAX_RESIDENT_BYTES: u64 = 128 << 20;

/// Most entries of a hash or block table that are looked at; the games' own limit is 2^19 entries.
pub const MAX_TABLE_ENTRIES: usize = 1 << 20;

/// Largest list of names that is looked at; the largest known ones have about 4 MiB.
pub const MAX_LISTFILE_BYTES: u64 = 16 << 20;

/// Longest name in a list of names, in bytes.
const MAX_NAME_BYTES: usize = 1024;

/// Which program's reading of the format applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The first generation of readers: format version, archive size and user data blocks are ignored, the first
    /// header on a 512-byte border with tables inside the file wins, positions wrap at 32 bits, and data that is too
    /// short reads as zeros.
    Classic,
    /// Readers since format version 2: a user data block (`MPQ\x1B`) leads to its header, versions 2 to 4 have 64-bit
    /// positions and table sizes, and data that is too short is an error.
    Versioned,
}

/// An open archive. Reading takes `&self` and may happen on several threads at once.
#[derive(Debug)]
pub struct Archive {
    source: Source,
    profile: Profile,
    header: Header,
    tables: Tables,
}

impl Archive {
    /// Opens an archive that lies in memory.
    ///
    /// # Errors
    /// [`MpqError::NotAnArchive`] without a usable header, [`MpqError::NoHashTable`] when only the HET and BET tables
    /// of versions 3 and 4 are there, [`MpqError::Corrupt`] when a compressed table cannot be unpacked.
    pub fn open(bytes: impl Into<Arc<[u8]>>, profile: Profile) -> Result<Self, MpqError> {
        Self::from_source(Source::Bytes(bytes.into()), profile)
    }

    /// Opens an archive on disk; up to [`MAX_RESIDENT_BYTES`] it is read at once.
    ///
    /// # Errors
    /// As [`Archive::open`], and [`MpqError::Io`].
    pub fn open_file(path: &Path, profile: Profile) -> Result<Self, MpqError> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        if len <= MAX_RESIDENT_BYTES {
            Self::open(std::fs::read(path)?, profile)
        } else {
            Self::from_source(Source::file(file, len), profile)
        }
    }

    fn from_source(source: Source, profile: Profile) -> Result<Self, MpqError> {
        let header = Header::find(&source, profile)?;
        let tables = Tables::read(&source, &header)?;
        Ok(Self { source, profile, header, tables })
    }

    /// Byte offset of the archive's header in its file.
    pub fn offset(&self) -> u64 {
        self.header.offset
    }

    /// How many blocks (files and free space) the archive describes inside its own bounds.
    pub fn block_count(&self) -> usize {
        self.tables.blocks.len()
    }

    /// True when a file of that name can be looked up. Slashes of both kinds and any case of ASCII letters are equal.
    pub fn contains(&self, path: &str) -> bool {
        self.tables.find(path).is_some()
    }

    /// Size of a file after decompression, as the archive declares it.
    pub fn size(&self, path: &str) -> Option<u64> {
        self.tables.find(path).map(|block| u64::from(block.size))
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// [`MpqError::NotFound`], [`MpqError::TooLarge`] above [`MAX_FILE_BYTES`], [`MpqError::UnsupportedCodec`] for
    /// LZMA and for the sound codecs, [`MpqError::Corrupt`] with the byte offset in the archive's file.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, MpqError> {
        let block = self.tables.find(path).ok_or_else(|| MpqError::NotFound { path: path.to_owned() })?;
        read::FileReader { source: &self.source, header: &self.header, profile: self.profile, path, block }.read()
    }

    /// The names in `(listfile)` that can be looked up, in its order, each once. Empty where there is none: most
    /// published maps have lost it, so ask for known names instead. A list above [`MAX_LISTFILE_BYTES`] counts as none.
    pub fn listfile(&self) -> Vec<String> {
        if self.size("(listfile)").is_none_or(|size| size > MAX_LISTFILE_BYTES) {
            return Vec::new();
        }
        let Ok(bytes) = self.read("(listfile)") else { return Vec::new() };
        let text = String::from_utf8_lossy(&bytes);
        let mut seen = HashSet::new();
        text.trim_start_matches('\u{feff}')
            .split(['\r', '\n', ';', '\0'])
            .map(str::trim)
            .filter(|name| !name.is_empty() && name.len() <= MAX_NAME_BYTES && self.contains(name))
            .filter(|name| seen.insert(name.replace('/', "\\").to_ascii_lowercase()))
            .map(str::to_owned)
            .collect()
    }
}
