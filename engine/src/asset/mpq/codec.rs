//! Decompression. Each method returns what it could make, at most the expected size; a stream that only stops early
//! is no error here, because what a short one means depends on the profile.

use std::io::Read;

use super::MpqError;

const HUFFMAN: u8 = 0x01;
const ZLIB: u8 = 0x02;
const PKWARE: u8 = 0x08;
const BZIP2: u8 = 0x10;
const LZMA: u8 = 0x12;
const SPARSE: u8 = 0x20;
const ADPCM: u8 = 0x40 | 0x80;

/// Packed data and the most bytes that may come out.
type Step = fn(&[u8], usize) -> Result<Vec<u8>, String>;

/// Why a unit could not be unpacked, before its place is known.
#[derive(Debug)]
pub(super) enum CodecError {
    Unsupported { mask: u8, codec: &'static str },
    Corrupt(String),
}

impl CodecError {
    pub(super) fn in_unit(self, unit: &str) -> Self {
        match self {
            Self::Corrupt(what) => Self::Corrupt(format!("{unit}: {what}")),
            other => other,
        }
    }

    pub(super) fn locate(self, path: &str, offset: u64) -> MpqError {
        let path = path.to_owned();
        match self {
            Self::Unsupported { mask, codec } => MpqError::UnsupportedCodec { path, mask, codec },
            Self::Corrupt(what) => MpqError::Corrupt { path, offset, what },
        }
    }
}

/// Unpacks a unit that starts with its mask byte. Several methods may be stacked; the last one packed comes off first.
pub(super) fn decompress(data: &[u8], size: usize) -> Result<Vec<u8>, CodecError> {
    let Some((&mask, data)) = data.split_first() else { return Ok(Vec::new()) };
    let unsupported = |codec| Err(CodecError::Unsupported { mask, codec });
    match mask {
        LZMA => return unsupported("LZMA"),
        m if m & ADPCM != 0 => return unsupported("the ADPCM sound codec"),
        m if m & HUFFMAN != 0 => return unsupported("the Huffman sound codec"),
        m if m & 0x04 != 0 || m == 0 => return unsupported("an unknown method"),
        _ => {}
    }
    let steps: [(u8, Step); 4] = [(BZIP2, bunzip2), (PKWARE, explode), (ZLIB, inflate), (SPARSE, unsparse)];
    let mut out: Option<Vec<u8>> = None;
    let mut left = mask;
    for (bit, step) in steps.into_iter().filter(|(bit, _)| mask & bit != 0) {
        left &= !bit;
        // What one method leaves for the next may be a little larger than the file itself.
        let limit = if left == 0 { size } else { size.saturating_mul(2).saturating_add(64) };
        out = Some(step(out.as_deref().unwrap_or(data), limit).map_err(CodecError::Corrupt)?);
    }
    Ok(out.unwrap_or_default())
}

/// Reads until the end, an error or the limit.
fn drain(mut reader: impl Read, limit: usize, name: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut chunk = [0; 8192];
    while out.len() < limit {
        let want = chunk.len().min(limit - out.len());
        match reader.read(&mut chunk[..want]) {
            Ok(0) => break,
            Ok(n) => out.extend_from_slice(&chunk[..n]),
            Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => break,
            Err(e) => return Err(format!("{name}: {e} after {} bytes", out.len())),
        }
    }
    Ok(out)
}

fn inflate(data: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    drain(flate2::read::ZlibDecoder::new(data), limit, "zlib")
}

fn bunzip2(data: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    drain(bzip2_rs::DecoderReader::new(data), limit, "bzip2")
}

/// PKWARE Data Compression Library "implode".
pub(super) fn explode(data: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    let mut decoder = explode::Explode::new();
    let mut chunk = [0; 4096];
    let mut out = Vec::new();
    let mut input = data.iter();
    let mut byte = input.next();
    while out.len() < limit && !decoder.done() {
        let mut window = decoder.with_buffer(&mut chunk);
        // A full buffer leaves its last byte to be fed again.
        while let Some(&b) = byte {
            match window.feed(b) {
                Ok(()) => break,
                Err(explode::Error::IncompleteInput) => byte = input.next(),
                Err(e) => return Err(format!("implode: {e} after {} bytes", out.len())),
            }
        }
        out.extend_from_slice(window.get());
        if byte.is_none() {
            break;
        }
    }
    out.truncate(limit);
    Ok(out)
}

/// Runs of zeros: a big-endian size, then control bytes: with bit 7, (low bits + 1) bytes follow; without it, (low
/// bits + 3) zeros are meant.
fn unsparse(data: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    let Some((size, mut rest)) = data.split_first_chunk::<4>() else { return Err("sparse: no size".to_owned()) };
    let limit = limit.min(u32::from_be_bytes(*size) as usize);
    let mut out = Vec::new();
    while let Some((&control, tail)) = rest.split_first() {
        if out.len() >= limit {
            break;
        }
        rest = tail;
        if control & 0x80 != 0 {
            let (copy, tail) = rest.split_at(rest.len().min(usize::from(control & 0x7F) + 1));
            out.extend_from_slice(copy);
            rest = tail;
        } else {
            out.resize(out.len() + usize::from(control) + 3, 0);
        }
    }
    out.truncate(limit);
    Ok(out)
}
