use super::codec::{self, CodecError};
use super::crypt::{self, HashKind};
use super::header::{Header, TableAt};
use super::source::Source;
use super::{MAX_FILE_BYTES, MAX_TABLE_ENTRIES, MpqError, Profile};

const FLAG_IMPLODE: u32 = 0x0000_0100;
const FLAG_COMPRESS: u32 = 0x0000_0200;
const FLAG_ENCRYPTED: u32 = 0x0001_0000;
const FLAG_FIX_KEY: u32 = 0x0002_0000;
const FLAG_PATCH: u32 = 0x0010_0000;
const FLAG_SINGLE_UNIT: u32 = 0x0100_0000;
const FLAG_DELETED: u32 = 0x0200_0000;
const FLAG_SECTOR_CRC: u32 = 0x0400_0000;
const FLAG_EXISTS: u32 = 0x8000_0000;

/// Block index of a hash entry that was never used; it ends a search.
const HASH_FREE: u32 = 0xFFFF_FFFF;
/// Bits of a block index that count.
const BLOCK_INDEX_MASK: u32 = 0x0FFF_FFFF;
/// Both tables have 16-byte entries.
const ENTRY_BYTES: u64 = 16;

#[derive(Clone, Copy, Debug)]
pub(super) struct HashEntry {
    name_a: u32,
    name_b: u32,
    locale: u16,
    block: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Position from the header.
    pub(super) pos: u64,
    /// Bytes in the archive.
    pub(super) packed: u32,
    /// Bytes after decompression.
    pub(super) size: u32,
    flags: u32,
}

#[derive(Debug)]
pub(super) struct Tables {
    hash: Vec<HashEntry>,
    /// Declared entries; those past the end of the file would read as zeros, which match no name and end no search.
    hash_count: u32,
    pub(super) blocks: Vec<Block>,
}

fn words(entry: &[u8]) -> [u32; 4] {
    std::array::from_fn(|i| u32::from_le_bytes([entry[i * 4], entry[i * 4 + 1], entry[i * 4 + 2], entry[i * 4 + 3]]))
}

impl Tables {
    pub(super) fn read(source: &Source, header: &Header) -> Result<Self, MpqError> {
        let hash = read_table(source, &header.hash, "(hash table)")?;
        let block = read_table(source, &header.block, "(block table)")?;
        let hash: Vec<_> = hash
            .chunks_exact(ENTRY_BYTES as usize)
            .map(|entry| {
                let [name_a, name_b, locale, block] = words(entry);
                HashEntry { name_a, name_b, locale: locale as u16, block }
            })
            .collect();
        let mut blocks: Vec<_> = block
            .chunks_exact(ENTRY_BYTES as usize)
            .map(|entry| {
                let [pos, packed, size, flags] = words(entry);
                Block { pos: u64::from(pos), packed, size, flags }
            })
            .collect();
        if let Some(at) = header.hi_block {
            let high = source.read(at, blocks.len() as u64 * 2)?;
            for (block, high) in blocks.iter_mut().zip(high.chunks_exact(2)) {
                block.pos |= u64::from(u16::from_le_bytes([high[0], high[1]])) << 32;
            }
        }
        Ok(Self { hash, hash_count: header.hash.count, blocks })
    }

    /// The block of a name: the neutral locale first, else the first entry that leads to a file.
    pub(super) fn find(&self, path: &str) -> Option<Block> {
        let (a, b) = (crypt::hash(path, HashKind::NameA), crypt::hash(path, HashKind::NameB));
        let start = (crypt::hash(path, HashKind::TableIndex) & (self.hash_count.wrapping_sub(1))) as usize;
        let start = if start < self.hash.len() { start } else { 0 };
        let mut any = None;
        for entry in self.hash[start..].iter().chain(&self.hash[..start]) {
            if entry.block == HASH_FREE {
                break;
            }
            if entry.name_a != a || entry.name_b != b {
                continue;
            }
            let block = self.blocks.get((entry.block & BLOCK_INDEX_MASK) as usize);
            let Some(block) = block.filter(|b| b.flags & FLAG_EXISTS != 0 && b.flags & FLAG_DELETED == 0) else {
                continue;
            };
            if entry.locale == 0 {
                return Some(*block);
            }
            any.get_or_insert(*block);
        }
        any
    }
}

/// The part of a table that lies inside the file, decrypted and, in version 4, unpacked.
fn read_table(source: &Source, at: &TableAt, name: &str) -> Result<Vec<u8>, MpqError> {
    let full = ENTRY_BYTES * u64::from(at.count).min(MAX_TABLE_ENTRIES as u64);
    let packed = at.packed.filter(|&size| size < full);
    let mut bytes = source.read(at.pos, packed.unwrap_or(full))?;
    crypt::decrypt(&mut bytes, crypt::hash(name, HashKind::Key));
    if packed.is_none() {
        return Ok(bytes);
    }
    codec::decompress(&bytes, full as usize).map_err(|e| e.locate(name, at.pos))
}

/// Takes one file out of an archive.
pub(super) struct FileReader<'a> {
    pub(super) source: &'a Source,
    pub(super) header: &'a Header,
    pub(super) profile: Profile,
    pub(super) path: &'a str,
    pub(super) block: Block,
}

impl FileReader<'_> {
    pub(super) fn read(&self) -> Result<Vec<u8>, MpqError> {
        let size = u64::from(self.block.size);
        if size > MAX_FILE_BYTES {
            return Err(MpqError::TooLarge { path: self.path.to_owned(), size });
        }
        if self.has(FLAG_PATCH) {
            return Err(self.corrupt(self.position(0), "it is a patch to a file of another archive"));
        }
        if size == 0 {
            return Ok(Vec::new());
        }
        let out = if self.has(FLAG_SINGLE_UNIT) {
            self.unit(0, u64::from(self.block.packed), self.block.size, self.key(), "the data")?
        } else {
            self.sectors()?
        };
        Ok(out)
    }

    fn has(&self, flag: u32) -> bool {
        self.block.flags & flag != 0
    }

    fn packed(&self) -> bool {
        self.has(FLAG_COMPRESS | FLAG_IMPLODE)
    }

    /// Offset in the file of a position that counts from the block's first byte.
    fn position(&self, relative: u64) -> u64 {
        self.header.position(self.block.pos.wrapping_add(relative))
    }

    fn corrupt(&self, offset: u64, what: impl Into<String>) -> MpqError {
        MpqError::Corrupt { path: self.path.to_owned(), offset, what: what.into() }
    }

    fn key(&self) -> Option<u32> {
        let key = crypt::file_key(self.path);
        let moved =
            if self.has(FLAG_FIX_KEY) { key.wrapping_add(self.block.pos as u32) ^ self.block.size } else { key };
        self.has(FLAG_ENCRYPTED).then_some(moved)
    }

    /// Start offsets of the sectors and the end of the last one, counted from the block's first byte.
    fn sector_offsets(&self, count: usize) -> Result<Vec<u32>, MpqError> {
        let sector = self.header.sector_size;
        if !self.packed() {
            let last = (count as u64 - 1) * u64::from(sector);
            return Ok((0..count)
                .map(|i| i as u32 * sector)
                .chain([(last as u32).wrapping_add(self.size_of(count - 1))])
                .collect());
        }
        let crc = usize::from(self.has(FLAG_SECTOR_CRC));
        let at = self.position(0);
        let mut bytes = self.source.read(at, (count + 1 + crc) as u64 * 4)?;
        if bytes.len() < (count + 1) * 4 {
            return Err(
                self.corrupt(at, format!("{count} sectors need an offset each, {} bytes are left", bytes.len()))
            );
        }
        if let Some(key) = self.key() {
            crypt::decrypt(&mut bytes, key.wrapping_sub(1));
        }
        Ok(bytes.chunks_exact(4).take(count + 1).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
    }

    /// Size of a sector after decompression.
    fn size_of(&self, sector: usize) -> u32 {
        let start = sector as u64 * u64::from(self.header.sector_size);
        u64::from(self.block.size).saturating_sub(start).min(u64::from(self.header.sector_size)) as u32
    }

    fn sectors(&self) -> Result<Vec<u8>, MpqError> {
        let count = self.block.size.div_ceil(self.header.sector_size) as usize;
        let offsets = self.sector_offsets(count)?;
        let mut out = Vec::new();
        for (i, pair) in offsets.windows(2).enumerate() {
            let (start, end) = (pair[0], pair[1]);
            let size = self.size_of(i);
            if end < start || u64::from(end - start) > self.source.len() {
                let at = self.position(i as u64 * 4);
                return Err(self.corrupt(at, format!("sector {i} starts at {start} and ends at {end}")));
            }
            let key = self.key().map(|key| key.wrapping_add(i as u32));
            out.extend(self.unit(u64::from(start), u64::from(end - start), size, key, &format!("sector {i}"))?);
        }
        Ok(out)
    }

    /// One unit of data: decrypted, unpacked when it is smaller than what it holds, exactly `size` bytes long.
    fn unit(&self, start: u64, packed: u64, size: u32, key: Option<u32>, what: &str) -> Result<Vec<u8>, MpqError> {
        let at = self.position(start);
        // A unit that is not smaller than what it holds is stored as it is; more than that is never looked at, so that
        // sectors which overlap cannot make the work grow with the square of the file.
        let mut bytes = self.source.read(at, packed.min(size.into()))?;
        if let Some(key) = key {
            crypt::decrypt(&mut bytes, key);
        }
        let size = size as usize;
        let mut out = if !self.packed() || packed >= size as u64 {
            bytes
        } else if bytes.is_empty() {
            Vec::new()
        } else if self.has(FLAG_COMPRESS) {
            codec::decompress(&bytes, size).map_err(|e| e.in_unit(what).locate(self.path, at))?
        } else {
            codec::explode(&bytes, size).map_err(|e| CodecError::Corrupt(e).in_unit(what).locate(self.path, at))?
        };
        if out.len() < size && self.profile == Profile::Versioned {
            return Err(self.corrupt(at, format!("{what} holds {} bytes where {size} are declared", out.len())));
        }
        out.resize(size, 0);
        Ok(out)
    }
}
