use super::source::Source;
use super::{MpqError, Profile};

/// Header of version 1, the least that a candidate must declare.
const HEADER_V1: u64 = 0x20;
/// Headers of versions 2, 3 and 4.
const HEADER_V2: u32 = 0x2C;
const HEADER_V3: u32 = 0x44;
const HEADER_V4: u32 = 0xD0;
/// Headers start on multiples of this.
const BORDER: u64 = 512;

/// A table's place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TableAt {
    /// Offset in the file.
    pub(super) pos: u64,
    /// Declared entries, not checked against anything.
    pub(super) count: u32,
    /// Bytes in the file where version 4 says so.
    pub(super) packed: Option<u64>,
}

/// What of the archive header is used.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) offset: u64,
    pub(super) sector_size: u32,
    pub(super) hash: TableAt,
    pub(super) block: TableAt,
    /// Offset in the file of the high 16 bits of block positions.
    pub(super) hi_block: Option<u64>,
    /// Positions wrap at 32 bits.
    pub(super) wraps: bool,
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

impl Header {
    /// The first candidate whose tables lie inside the file.
    pub(super) fn find(source: &Source, profile: Profile) -> Result<Self, MpqError> {
        if source.len() == 0 {
            return Err(MpqError::Empty);
        }
        let mut only_het = false;
        let mut offset = 0;
        while offset + HEADER_V1 <= source.len() {
            let found = match &source.read(offset, 4)?[..] {
                b"MPQ\x1A" => Some(offset),
                b"MPQ\x1B" if profile == Profile::Versioned => {
                    let user = source.read(offset, 16)?;
                    offset.checked_add(u64::from(u32_at(&user, 8)))
                }
                _ => None,
            };
            if let Some(at) = found {
                match Self::parse(source, at, profile)? {
                    Candidate::Good(header) => return Ok(header),
                    Candidate::OnlyHet => only_het = true,
                    Candidate::Fake => {}
                }
            }
            offset += BORDER;
        }
        Err(if only_het { MpqError::NoHashTable } else { MpqError::NotAnArchive })
    }

    fn parse(source: &Source, offset: u64, profile: Profile) -> Result<Candidate, MpqError> {
        let bytes = source.read(offset, u64::from(HEADER_V4))?;
        let header_size = u32_at(&bytes, 4);
        if bytes.len() < HEADER_V1 as usize || &bytes[..4] != b"MPQ\x1A" || u64::from(header_size) < HEADER_V1 {
            return Ok(Candidate::Fake);
        }
        // Only the low byte of the shift is looked at, and the shift is the processor's, modulo 32.
        let sector_size = 512u32.wrapping_shl(u32::from(bytes[14]));
        let version = if profile == Profile::Classic { 0 } else { u16_at(&bytes, 12) };
        let wide = version >= 1 && header_size >= HEADER_V2;
        let mut header = Self {
            offset,
            sector_size,
            hash: TableAt { count: u32_at(&bytes, 24), ..TableAt::default() },
            block: TableAt { count: u32_at(&bytes, 28), ..TableAt::default() },
            hi_block: None,
            wraps: !wide,
        };
        let (mut hash, mut block) = (u64::from(u32_at(&bytes, 16)), u64::from(u32_at(&bytes, 20)));
        if wide {
            hash |= u64::from(u16_at(&bytes, 0x28)) << 32;
            block |= u64::from(u16_at(&bytes, 0x2A)) << 32;
            header.hi_block = Some(u64_at(&bytes, 0x20)).filter(|&p| p != 0).map(|p| header.position(p));
        }
        if version >= 3 && header_size >= HEADER_V4 {
            header.hash.packed = Some(u64_at(&bytes, 0x44)).filter(|&size| size != 0);
            header.block.packed = Some(u64_at(&bytes, 0x4C)).filter(|&size| size != 0);
        }
        header.hash.pos = header.position(hash);
        header.block.pos = header.position(block);
        let has_het = version >= 2 && header_size >= HEADER_V3 && u64_at(&bytes, 0x3C) != 0;
        let outside = |t: &TableAt| t.count != 0 && t.pos >= source.len();
        if has_het && (hash == 0 || header.hash.count == 0) {
            return Ok(Candidate::OnlyHet);
        }
        if sector_size == 0 || outside(&header.hash) || outside(&header.block) || header.hash.count == 0 {
            return Ok(Candidate::Fake);
        }
        Ok(Candidate::Good(header))
    }

    /// Offset in the file of a position that counts from the header. Classic positions wrap at 32 bits, so that a
    /// table or a file may lie in front of the header.
    pub(super) fn position(&self, relative: u64) -> u64 {
        let sum = self.offset.wrapping_add(relative);
        if self.wraps { sum & 0xFFFF_FFFF } else { sum }
    }
}

enum Candidate {
    Good(Header),
    OnlyHet,
    Fake,
}
