use super::*;

fn sample() -> Vec<(String, Vec<u8>)> {
    let long: Vec<u8> = (0..20_000u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
    let noise: Vec<u8> = (0..9000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    vec![
        ("terrain.bin".to_owned(), long),
        ("Textures/Noise.blp".to_owned(), noise),
        ("empty.txt".to_owned(), Vec::new()),
        ("a\\b\\c.txt".to_owned(), b"short".to_vec()),
    ]
}

fn every_option() -> Vec<WriteOptions> {
    let mut out = Vec::new();
    for bits in 0..16 {
        out.push(WriteOptions {
            prefix: if bits & 1 != 0 { b"HM3W".to_vec() } else { Vec::new() },
            sector_shift: if bits & 1 != 0 { 15 } else { 3 },
            encrypt: bits & 2 != 0,
            fix_key: bits & 4 != 0,
            single_unit: bits & 8 != 0,
            listfile: bits & 1 == 0,
        });
    }
    out
}

#[test]
fn what_is_written_is_read_back_under_any_spelling() {
    for options in every_option() {
        let bytes = write_with(&sample(), &options);
        for profile in [Profile::Classic, Profile::Versioned] {
            let archive = Archive::open(bytes.clone(), profile).unwrap();
            for (name, data) in sample() {
                assert_eq!(archive.read(&name).unwrap(), data, "{name} {options:?}");
                assert_eq!(archive.read(&name.to_uppercase().replace('\\', "/")).unwrap(), data);
                assert_eq!(archive.size(&name), Some(data.len() as u64));
            }
            assert!(matches!(archive.read("absent"), Err(MpqError::NotFound { .. })));
            assert_eq!(archive.listfile().len(), if options.listfile { 4 } else { 0 });
        }
    }
}

#[test]
fn writing_is_deterministic_and_the_last_of_equal_names_counts() {
    assert_eq!(write(&sample()), write(&sample()));
    let twice = [("a/B".to_owned(), vec![1]), ("A\\b".to_owned(), vec![2])];
    let archive = Archive::open(write(&twice), Profile::Classic).unwrap();
    assert_eq!(archive.read("a\\b").unwrap(), [2]);
    assert_eq!(archive.listfile(), ["a\\B"]);
}

#[test]
fn header_size_version_and_archive_size_are_ignored_by_classic_readers() {
    let mut bytes = write(&sample());
    bytes[4..8].copy_from_slice(&0x5A42_0053u32.to_le_bytes());
    bytes[8..12].copy_from_slice(&[0xFF; 4]);
    bytes[12] = 3;
    bytes[15] = 0xEE;
    let archive = Archive::open(bytes.clone(), Profile::Classic).unwrap();
    assert_eq!(archive.read("a/b/c.txt").unwrap(), b"short");
    bytes[4..8].copy_from_slice(&0x1Fu32.to_le_bytes());
    assert!(matches!(Archive::open(bytes, Profile::Classic), Err(MpqError::NotAnArchive)));
}

#[test]
fn fake_header_with_tables_past_the_end_is_skipped() {
    let mut prefix = vec![0; 512];
    prefix[..4].copy_from_slice(b"MPQ\x1A");
    prefix[4] = 32;
    prefix[16..24].copy_from_slice(&[0x7F; 8]);
    prefix[24] = 16;
    prefix[28] = 1;
    let bytes = write_with(&sample(), &WriteOptions { prefix, ..WriteOptions::default() });
    let archive = Archive::open(bytes, Profile::Classic).unwrap();
    assert_eq!(archive.offset(), 512);
    assert_eq!(archive.read("a/b/c.txt").unwrap(), b"short");
}

#[test]
fn first_valid_header_wins_over_an_embedded_archive() {
    let inner = write_with(&sample(), &WriteOptions::default());
    let mut bytes = write(&[("outer".to_owned(), b"o".to_vec())]);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes.extend(inner);
    assert!(Archive::open(bytes, Profile::Classic).unwrap().contains("outer"));
}

#[test]
fn user_data_leads_to_the_header_only_for_versioned_readers() {
    let mut prefix = vec![0; 512];
    // A small archive in the user data is what a reader finds that does not follow the offset.
    prefix.extend(write(&[("decoy".to_owned(), vec![1])]));
    let header = prefix.len().next_multiple_of(512) as u32;
    prefix[..4].copy_from_slice(b"MPQ\x1B");
    prefix[8..12].copy_from_slice(&header.to_le_bytes());
    let bytes = write_with(&sample(), &WriteOptions { prefix, ..WriteOptions::default() });
    assert!(Archive::open(bytes.clone(), Profile::Versioned).unwrap().contains("terrain.bin"));
    assert!(Archive::open(bytes, Profile::Classic).unwrap().contains("decoy"));
}

/// Moves header and first tables so that positions point in front of the header.
#[test]
fn positions_wrap_at_32_bits_so_that_tables_may_lie_before_the_header() {
    let plain = write(&sample());
    let mut bytes = plain.clone();
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    let moved = bytes.len() as u32;
    let mut header = plain[..32].to_vec();
    bytes[..4].fill(0);
    for at in [16, 20] {
        let pos = u32::from_le_bytes(header[at..at + 4].try_into().unwrap());
        header[at..at + 4].copy_from_slice(&pos.wrapping_sub(moved).to_le_bytes());
    }
    bytes.extend(header);
    let archive = Archive::open(bytes, Profile::Classic).unwrap();
    assert_eq!(archive.offset(), u64::from(moved));
    assert!(archive.contains("terrain.bin"));
}

#[test]
fn high_bits_of_a_block_index_and_a_table_cut_by_the_end_are_harmless() {
    let files = sample();
    let mut bytes = write(&files);
    edit_table(&mut bytes, 0, 16, |table| {
        table.chunks_exact_mut(16).filter(|e| e[12..] != [0xFF; 4]).for_each(|e| e[15] |= 0xA0);
    });
    bytes[28..32].copy_from_slice(&86_529u32.to_le_bytes());
    let archive = Archive::open(bytes, Profile::Classic).unwrap();
    assert_eq!(archive.block_count(), 5);
    for (name, data) in files {
        assert_eq!(archive.read(&name).unwrap(), data);
    }
}

#[test]
fn short_data_reads_as_zeros_for_classic_readers_and_is_an_error_for_versioned_ones() {
    let files = [("a".to_owned(), vec![7; 3000])];
    let mut bytes = write_with(&files, &WriteOptions { single_unit: true, ..WriteOptions::default() });
    edit_table(&mut bytes, 0, 20, |table| table[8..12].copy_from_slice(&3500u32.to_le_bytes()));
    let data = Archive::open(bytes.clone(), Profile::Classic).unwrap().read("a").unwrap();
    assert_eq!((&data[..3000], &data[3000..]), (&[7; 3000][..], &[0; 500][..]));
    let error = Archive::open(bytes, Profile::Versioned).unwrap().read("a").unwrap_err();
    assert!(error.to_string().contains("holds 3000 bytes where 3500 are declared"), "{error}");
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// Lets `edit` change a table in its plain form; `field` is the offset of the table's position in the header.
fn edit_table(bytes: &mut [u8], header: usize, field: usize, edit: impl FnOnce(&mut [u8])) {
    let (at, count) = (header + word(bytes, header + field), word(bytes, header + field + 8));
    let name = if field == 16 { "(hash table)" } else { "(block table)" };
    let key = crypt::hash(name, crypt::HashKind::Key);
    let table = &mut bytes[at..at + count * 16];
    crypt::decrypt(table, key);
    edit(table);
    crypt::encrypt(table, key);
}

#[test]
fn neutral_locale_wins_and_another_one_is_better_than_none() {
    let mut bytes = write(&[("a".to_owned(), b"neutral".to_vec()), ("b".to_owned(), b"other".to_vec())]);
    edit_table(&mut bytes, 0, 16, |table| {
        let slot = table.chunks_exact(16).position(|entry| entry[12..] == [0; 4]).unwrap();
        let neutral = table[slot * 16..][..16].to_vec();
        // In front of it in the search: the same name, English, the second block.
        table[slot * 16 + 8..][..8].copy_from_slice(&[9, 4, 0, 0, 1, 0, 0, 0]);
        let next = (slot + 1) % (table.len() / 16);
        table[next * 16..][..16].copy_from_slice(&neutral);
    });
    assert_eq!(Archive::open(bytes.clone(), Profile::Classic).unwrap().read("a").unwrap(), b"neutral");
    edit_table(&mut bytes, 0, 16, |table| {
        table.chunks_exact_mut(16).filter(|entry| entry[8..] == [0; 8]).for_each(|entry| entry[8] = 7);
    });
    assert_eq!(Archive::open(bytes, Profile::Classic).unwrap().read("a").unwrap(), b"other");
}

/// A version 4 header in the 512 bytes in front of a version 1 archive, with the hash table packed.
fn version_4() -> Vec<u8> {
    let mut bytes = write_with(&sample(), &WriteOptions { prefix: vec![1], ..WriteOptions::default() });
    let (hash, block) = (512 + word(&bytes, 512 + 16), 512 + word(&bytes, 512 + 20));
    let (hash_count, block_count) = (word(&bytes, 512 + 24), word(&bytes, 512 + 28));
    edit_table(&mut bytes, 512, 20, |table| {
        for entry in table.chunks_exact_mut(16) {
            let pos = word(entry, 0) as u32 + 512;
            entry[..4].copy_from_slice(&pos.to_le_bytes());
        }
    });
    let key = crypt::hash("(hash table)", crypt::HashKind::Key);
    let mut table = bytes[hash..hash + hash_count * 16].to_vec();
    crypt::decrypt(&mut table, key);
    let mut packed = vec![2];
    let mut encoder = flate2::write::ZlibEncoder::new(&mut packed, flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &table).unwrap();
    encoder.finish().unwrap();
    assert!(packed.len() < table.len());
    crypt::encrypt(&mut packed, key);
    let mut header = b"MPQ\x1A".to_vec();
    for value in [208, 0, 3 | 3 << 16, bytes.len(), block, hash_count, block_count] {
        header.extend((value as u32).to_le_bytes());
    }
    header.resize(208, 0);
    header[0x44..0x48].copy_from_slice(&(packed.len() as u32).to_le_bytes());
    header[0x4C..0x50].copy_from_slice(&(block_count as u32 * 16).to_le_bytes());
    bytes[..208].copy_from_slice(&header);
    bytes.extend(packed);
    bytes
}

#[test]
fn packed_tables_of_version_4_are_read_and_het_tables_alone_are_an_error() {
    let mut bytes = version_4();
    let archive = Archive::open(bytes.clone(), Profile::Versioned).unwrap();
    assert_eq!(archive.offset(), 0);
    for (name, data) in sample() {
        assert_eq!(archive.read(&name).unwrap(), data);
    }
    bytes[16..20].fill(0);
    bytes[0x3C] = 1;
    bytes[512..516].fill(0);
    assert!(matches!(Archive::open(bytes, Profile::Versioned), Err(MpqError::NoHashTable)));
}

#[test]
fn archive_that_stays_on_disk_reads_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.mpq");
    std::fs::write(&path, write(&sample())).unwrap();
    let file = File::open(&path).unwrap();
    let len = file.metadata().unwrap().len();
    let archive = Archive::from_source(Source::file(file, len), Profile::Classic).unwrap();
    for (name, data) in sample() {
        assert_eq!(archive.read(&name).unwrap(), data);
        assert_eq!(Archive::open_file(&path, Profile::Classic).unwrap().read(&name).unwrap(), data);
    }
}

#[test]
fn inflated_list_of_names_counts_as_none() {
    let mut bytes = write(&sample());
    assert_eq!(Archive::open(bytes.clone(), Profile::Classic).unwrap().listfile().len(), 4);
    edit_table(&mut bytes, 0, 20, |table| table[4 * 16 + 8..][..4].copy_from_slice(&(400u32 << 20).to_le_bytes()));
    assert!(Archive::open(bytes, Profile::Classic).unwrap().listfile().is_empty());
}

#[test]
fn codecs_unpack_and_unknown_ones_are_named() {
    let sparse = [0x20, 0, 0, 0, 9, 0x81, 1, 2, 0x02, 0x80, 3, 0x00];
    assert_eq!(codec::decompress(&sparse, 9).unwrap(), [1, 2, 0, 0, 0, 0, 0, 3, 0]);
    let imploded = [0x08, 0x00, 0x04, 0x82, 0x24, 0x25, 0x8F, 0x80, 0x7F];
    assert_eq!(codec::decompress(&imploded, 13).unwrap(), b"AIAIAIAIAIAIA");
    assert_eq!(codec::decompress(&imploded, 4).unwrap(), b"AIAI");
    let bzip2 = b"\x10BZh91AY&SY\xc1\xc0\x80\xe2\x00\x00\x01\x41\x00\x00\x10\x02\x44\xa0\x00\x30\xcd\x00\xc3\x46\x29\x97\x17\x72\x45\x38\x50\x90\xc1\xc0\x80\xe2";
    assert_eq!(codec::decompress(bzip2, 6).unwrap(), b"hello\n");
    for (mask, name) in [(0x12, "LZMA"), (0x41, "ADPCM"), (0x01, "Huffman"), (0x04, "unknown")] {
        let error = codec::decompress(&[mask, 0, 0], 4).unwrap_err().locate("a.wav", 9);
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn empty_and_foreign_files_are_refused_with_a_way_out() {
    assert!(matches!(Archive::open(Vec::new(), Profile::Classic), Err(MpqError::Empty)));
    let error = Archive::open(vec![1; 4000], Profile::Versioned).unwrap_err();
    assert!(error.in_archive("x.mpq").help.is_some());
}

mod mutations {
    use super::*;
    use proptest::prelude::*;

    fn read_all(bytes: Vec<u8>) {
        for profile in [Profile::Classic, Profile::Versioned] {
            if let Ok(archive) = Archive::open(bytes.clone(), profile) {
                archive.listfile();
                for (name, _) in sample() {
                    let _ = archive.read(&name);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn damaged_archives_never_panic(
            which in 0usize..16,
            flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
            cut in prop::option::of(any::<prop::sample::Index>()),
        ) {
            let mut bytes = write_with(&sample(), &every_option()[which]);
            for (at, value) in flips {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            read_all(bytes);
        }

        #[test]
        fn damaged_headers_and_tables_never_panic(at in 4usize..32, value in any::<u8>(), table in any::<[u8; 16]>()) {
            let mut bytes = write(&sample());
            bytes[at] = value;
            let len = bytes.len();
            let block = &mut bytes[len - 80..];
            let key = crypt::hash("(block table)", crypt::HashKind::Key);
            crypt::decrypt(block, key);
            block[..16].copy_from_slice(&table);
            block[15] |= 0x80;
            crypt::encrypt(block, key);
            read_all(bytes);
        }

        #[test]
        fn damaged_streams_never_panic(mask in any::<u8>(), data in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = vec![mask];
            bytes.extend(&data);
            let _ = codec::decompress(&bytes, 5000);
            let _ = codec::explode(&data, 5000);
            let mut bzip2 = b"\x10BZh91AY&SY".to_vec();
            bzip2.extend(&data);
            let _ = codec::decompress(&bzip2, 5000);
        }
    }
}
