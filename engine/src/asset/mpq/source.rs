use std::fs::File;
use std::sync::Arc;

/// Where an archive's bytes are.
pub(super) enum Source {
    Bytes(Arc<[u8]>),
    File { file: File, len: u64 },
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Source({} bytes)", self.len())
    }
}

impl Source {
    pub(super) fn file(file: File, len: u64) -> Self {
        Self::File { file, len }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File { len, .. } => *len,
        }
    }

    /// Up to `len` bytes from `offset`: fewer where the file ends, none past its end.
    pub(super) fn read(&self, offset: u64, len: u64) -> std::io::Result<Vec<u8>> {
        let len = len.min(self.len().saturating_sub(offset)) as usize;
        match self {
            // `len` is 0 wherever `offset` is past the end.
            Self::Bytes(_) if len == 0 => Ok(Vec::new()),
            Self::Bytes(bytes) => Ok(bytes[offset as usize..offset as usize + len].to_vec()),
            Self::File { file, .. } => {
                let mut out = vec![0; len];
                read_exact_at(file, &mut out, offset)?;
                Ok(out)
            }
        }
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, out: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut out: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !out.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, out, offset)?;
        if n == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        out = &mut out[n..];
        offset += n as u64;
    }
    Ok(())
}
