//! The cipher and the name hash. Layout: MPQ format, "encryption" and "hashing".

use std::sync::OnceLock;

/// What a name is hashed for; each use has its own quarter of the table.
#[derive(Clone, Copy)]
pub(super) enum HashKind {
    TableIndex = 0,
    NameA = 1,
    NameB = 2,
    Key = 3,
}

/// 0x500 words from a fixed generator: four quarters of 0x100 for hashing, one for the cipher.
fn table() -> &'static [u32; 0x500] {
    static TABLE: OnceLock<[u32; 0x500]> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut out = [0; 0x500];
        let mut seed: u32 = 0x0010_0001;
        let mut next = || {
            seed = (seed * 125 + 3) % 0x002A_AAAB;
            seed & 0xFFFF
        };
        for low in 0..0x100 {
            for quarter in 0..5 {
                let high = next() << 16;
                out[quarter * 0x100 + low] = high | next();
            }
        }
        out
    })
}

/// Hash of a name; ASCII letters count as upper case and both slashes as a backslash.
pub(super) fn hash(name: &str, kind: HashKind) -> u32 {
    let (mut a, mut b) = (0x7FED_7FEDu32, 0xEEEE_EEEEu32);
    for byte in name.bytes() {
        let c = if byte == b'/' { b'\\' } else { byte.to_ascii_uppercase() };
        a = table()[kind as usize * 0x100 + usize::from(c)] ^ a.wrapping_add(b);
        b = u32::from(c).wrapping_add(a).wrapping_add(b).wrapping_add(b << 5).wrapping_add(3);
    }
    a
}

/// Cipher key of a file: from the part of its name after the last slash.
pub(super) fn file_key(path: &str) -> u32 {
    hash(path.rsplit(['\\', '/']).next().unwrap_or(path), HashKind::Key)
}

/// Runs the cipher over all whole words; the feedback takes the plain word, which `plain` picks from (before, after).
fn run(data: &mut [u8], mut key: u32, plain: impl Fn(u32, u32) -> u32) {
    let mut seed = 0xEEEE_EEEEu32;
    for word in data.chunks_exact_mut(4) {
        seed = seed.wrapping_add(table()[0x400 + (key & 0xFF) as usize]);
        let before = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let after = before ^ key.wrapping_add(seed);
        word.copy_from_slice(&after.to_le_bytes());
        key = (!key << 21).wrapping_add(0x1111_1111) | (key >> 11);
        seed = plain(before, after).wrapping_add(seed).wrapping_add(seed << 5).wrapping_add(3);
    }
}

/// Decrypts in place; up to three bytes at the end stay as they are.
pub(super) fn decrypt(data: &mut [u8], key: u32) {
    run(data, key, |_, after| after);
}

/// Encrypts in place; up to three bytes at the end stay as they are.
pub(super) fn encrypt(data: &mut [u8], key: u32) {
    run(data, key, |before, _| before);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_keys_are_the_published_ones() {
        assert_eq!(hash("(hash table)", HashKind::Key), 0xC3AF_3770);
        assert_eq!(hash("(block table)", HashKind::Key), 0xEC83_B3A3);
    }

    #[test]
    fn case_and_slashes_do_not_matter_and_the_key_takes_the_base_name() {
        assert_eq!(hash("Units\\A.slk", HashKind::NameA), hash("uNITS/a.SLK", HashKind::NameA));
        assert_eq!(file_key("x/y\\Script.j"), file_key("script.J"));
    }

    #[test]
    fn decryption_undoes_encryption() {
        let plain: Vec<u8> = (0..23).collect();
        let mut data = plain.clone();
        encrypt(&mut data, 0xDEAD_BEEF);
        assert_ne!(data[..20], plain[..20]);
        decrypt(&mut data, 0xDEAD_BEEF);
        assert_eq!(data, plain);
    }
}
