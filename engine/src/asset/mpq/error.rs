use thiserror::Error;

use crate::diag::Diagnostic;

/// Why an archive, or a file in it, could not be read.
#[derive(Debug, Error)]
pub enum MpqError {
    /// No usable header on any 512-byte border.
    #[error("no MPQ header with its tables inside the file was found on a 512-byte border")]
    NotAnArchive,
    /// The file has no bytes at all.
    #[error("the file is empty")]
    Empty,
    /// Only the HET and BET tables of versions 3 and 4 are there.
    #[error("the archive has HET and BET tables only, and no hash table")]
    NoHashTable,
    /// No file of that name.
    #[error("the archive has no file \"{path}\"")]
    NotFound {
        /// The name as it was asked for.
        path: String,
    },
    /// The declared size is above [`super::MAX_FILE_BYTES`].
    #[error("\"{path}\" declares {size} bytes, the limit is {}", super::MAX_FILE_BYTES)]
    TooLarge {
        /// The name as it was asked for.
        path: String,
        /// Declared size in bytes.
        size: u64,
    },
    /// A compression method that is not implemented.
    #[error("\"{path}\" is packed with {codec} (mask 0x{mask:02x}), which is not supported")]
    UnsupportedCodec {
        /// The name as it was asked for.
        path: String,
        /// The mask byte in front of the packed data.
        mask: u8,
        /// What the mask means.
        codec: &'static str,
    },
    /// Bytes that mean nothing.
    #[error("\"{path}\" is damaged at byte {offset} of the archive: {what}")]
    Corrupt {
        /// The name of the file or table.
        path: String,
        /// Byte offset in the archive's file.
        offset: u64,
        /// What is wrong.
        what: String,
    },
    /// The operating system's error.
    #[error("the archive cannot be read: {0}")]
    Io(#[from] std::io::Error),
}

impl MpqError {
    /// The diagnostic that names the archive as well.
    pub fn in_archive(&self, archive: &str) -> Diagnostic {
        let base = Diagnostic::error("asset.archive", format!("{archive}: {self}"));
        match self {
            Self::Corrupt { offset, path, .. } => base.at_bytes(archive, *offset, path.clone()),
            Self::NotAnArchive | Self::Empty => base
                .in_file(archive)
                .help("give an MPQ archive (a map file, a .mpq) or a folder with the same files in it"),
            Self::NoHashTable | Self::UnsupportedCodec { .. } => {
                base.in_file(archive).help("unpack it with another tool and give the folder instead")
            }
            _ => base.in_file(archive),
        }
    }
}
