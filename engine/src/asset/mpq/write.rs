//! A deterministic writer: the same files in the same order give the same bytes.

use std::collections::HashMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::crypt::{self, HashKind};

/// How [`write_with`] lays an archive out.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// Bytes in front of the header, such as a map header; filled with zeros up to the next 512-byte border.
    pub prefix: Vec<u8>,
    /// Sectors hold `512 << sector_shift` bytes.
    pub sector_shift: u8,
    /// Encrypt every file.
    pub encrypt: bool,
    /// With `encrypt`: mix position and size into the key.
    pub fix_key: bool,
    /// Store each file as one unit without a sector offset table.
    pub single_unit: bool,
    /// Add `(listfile)`.
    pub listfile: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { prefix: Vec::new(), sector_shift: 3, encrypt: false, fix_key: false, single_unit: false, listfile: true }
    }
}

/// Packs files into a version 1 archive with zlib sectors of 4096 bytes and a `(listfile)`.
///
/// Of files with an equal name (case and kind of slash aside) the last one counts.
///
/// # Panics
/// When the archive would pass 4 GiB, which its positions cannot express.
pub fn write(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    write_with(files, &WriteOptions::default())
}

/// Packs files into a version 1 archive.
///
/// # Panics
/// As [`write()`], and with a `sector_shift` above 22.
pub fn write_with(files: &[(String, Vec<u8>)], options: &WriteOptions) -> Vec<u8> {
    assert!(options.sector_shift <= 22, "a sector of 512 << {} bytes does not fit 32 bits", options.sector_shift);
    let files = unique(files, options.listfile);
    let mut out = options.prefix.clone();
    out.resize(out.len().next_multiple_of(512), 0);
    let header = out.len();
    out.resize(header + 32, 0);

    let slots = (files.len() * 2).next_power_of_two().max(16);
    let mut hash = vec![[0xFFFF_FFFFu32; 4]; slots];
    let mut blocks = Vec::new();
    for (i, (name, data)) in files.iter().enumerate() {
        let pos = narrow(out.len() - header);
        let flags = push_file(&mut out, name, data, pos, options);
        blocks.push([pos, narrow(out.len() - header) - pos, narrow(data.len()), flags]);
        let mut slot = crypt::hash(name, HashKind::TableIndex) as usize & (slots - 1);
        while hash[slot][3] != 0xFFFF_FFFF {
            slot = (slot + 1) & (slots - 1);
        }
        hash[slot] = [crypt::hash(name, HashKind::NameA), crypt::hash(name, HashKind::NameB), 0, i as u32];
    }
    let hash_pos = push_table(&mut out, header, &hash, "(hash table)");
    let block_pos = push_table(&mut out, header, &blocks, "(block table)");

    let words = [
        u32::from_le_bytes(*b"MPQ\x1A"),
        32,
        narrow(out.len() - header),
        u32::from(options.sector_shift) << 16,
        hash_pos,
        block_pos,
        narrow(slots),
        narrow(blocks.len()),
    ];
    for (at, word) in words.into_iter().enumerate() {
        out[header + at * 4..][..4].copy_from_slice(&word.to_le_bytes());
    }
    out
}

fn narrow(n: usize) -> u32 {
    assert!(u32::try_from(n).is_ok(), "an archive of version 1 ends at 4 GiB");
    n as u32
}

/// The files with backslashes in their names, each name once, and the list of names.
fn unique(files: &[(String, Vec<u8>)], listfile: bool) -> Vec<(String, Vec<u8>)> {
    let mut at: HashMap<String, usize> = HashMap::new();
    let mut out: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, data) in files {
        let name = name.replace('/', "\\");
        match at.get(&name.to_ascii_lowercase()) {
            Some(&i) => out[i].1.clone_from(data),
            None => {
                at.insert(name.to_ascii_lowercase(), out.len());
                out.push((name, data.clone()));
            }
        }
    }
    if listfile && !at.contains_key("(listfile)") {
        let names: String = out.iter().map(|(name, _)| format!("{name}\r\n")).collect();
        out.push(("(listfile)".to_owned(), names.into_bytes()));
    }
    out
}

fn push_table(out: &mut Vec<u8>, header: usize, entries: &[[u32; 4]], name: &str) -> u32 {
    let pos = narrow(out.len() - header);
    let mut bytes: Vec<u8> = entries.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    crypt::encrypt(&mut bytes, crypt::hash(name, HashKind::Key));
    out.extend(bytes);
    pos
}

/// A unit with its mask byte, or as it is where that is not smaller.
fn pack(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(vec![0x02], Compression::best());
    // Writing into memory cannot fail; if it did, the unit would be stored unpacked.
    match encoder.write_all(data).and_then(|()| encoder.finish()) {
        Ok(packed) if packed.len() < data.len() => packed,
        _ => data.to_vec(),
    }
}

/// Appends one file and returns its flags.
fn push_file(out: &mut Vec<u8>, name: &str, data: &[u8], pos: u32, options: &WriteOptions) -> u32 {
    let mut flags = 0x8000_0200;
    if data.is_empty() {
        return flags;
    }
    let mut key = None;
    if options.encrypt {
        flags |= 0x0001_0000;
        let plain = crypt::file_key(name);
        key = Some(if options.fix_key { plain.wrapping_add(pos) ^ narrow(data.len()) } else { plain });
        flags |= if options.fix_key { 0x0002_0000 } else { 0 };
    }
    let sector = if options.single_unit { data.len() } else { 512 << options.sector_shift };
    let mut units: Vec<Vec<u8>> = data.chunks(sector).map(pack).collect();
    let mut offset = if options.single_unit { 0 } else { (units.len() + 1) * 4 };
    let mut table: Vec<u8> = Vec::new();
    for (i, unit) in units.iter_mut().enumerate() {
        table.extend(narrow(offset).to_le_bytes());
        offset += unit.len();
        if let Some(key) = key {
            crypt::encrypt(unit, key.wrapping_add(i as u32));
        }
    }
    table.extend(narrow(offset).to_le_bytes());
    if options.single_unit {
        flags |= 0x0100_0000;
    } else {
        if let Some(key) = key {
            crypt::encrypt(&mut table, key.wrapping_sub(1));
        }
        out.extend(table);
    }
    out.extend(units.into_iter().flatten());
    flags
}
