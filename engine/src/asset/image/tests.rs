use super::*;

/// Bits, high first, with the zero byte that JPEG puts after 0xFF.
#[derive(Default)]
struct Bits {
    out: Vec<u8>,
    bits: Vec<bool>,
}

impl Bits {
    fn push(&mut self, value: u32, count: u32) {
        (0..count).rev().for_each(|i| self.bits.push(value >> i & 1 == 1));
    }

    fn finish(mut self) -> Vec<u8> {
        while !self.bits.len().is_multiple_of(8) {
            self.bits.push(true);
        }
        for byte in self.bits.chunks(8) {
            let byte = byte.iter().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
            self.out.push(byte);
            if byte == 0xFF {
                self.out.push(0);
            }
        }
        self.out
    }
}

/// A baseline JPEG of one colour, as (tables and headers, scan).
fn flat_jpeg(width: u16, height: u16, components: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let n = components.len() as u8;
    let mut out = vec![0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0];
    // A DC quantizer of 8 makes the DC value the texel value less 128.
    out.extend([8; 64]);
    out.extend([0xFF, 0xC4, 0, 31, 0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    out.extend(0..12);
    out.extend([0xFF, 0xC4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    out.extend([0xFF, 0xC0, 0, 8 + 3 * n, 8]);
    out.extend(height.to_be_bytes());
    out.extend(width.to_be_bytes());
    out.push(n);
    (1..=n).for_each(|id| out.extend([id, 0x11, 0]));
    out.extend([0xFF, 0xDA, 0, 6 + 2 * n, n]);
    (1..=n).for_each(|id| out.extend([id, 0x00]));
    out.extend([0, 63, 0]);
    let mut bits = Bits::default();
    for block in 0..u32::from(width.div_ceil(8)) * u32::from(height.div_ceil(8)) {
        for &value in components {
            let dc = if block == 0 { i32::from(value) - 128 } else { 0 };
            let size = 32 - dc.unsigned_abs().leading_zeros();
            bits.push(size, 4);
            bits.push((if dc < 0 { dc + (1 << size) - 1 } else { dc }) as u32, size);
            bits.push(0, 1);
        }
    }
    let mut scan = bits.finish();
    scan.extend([0xFF, 0xD9]);
    (out, scan)
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A BLP1 with its levels at the end of the file; `body` is what follows the header.
fn blp1(content: u32, alpha_bits: u32, width: u32, height: u32, body: &[u8], levels: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"BLP1".to_vec();
    out.extend(words(&[content, alpha_bits, width, height, 5, u32::from(levels.len() > 1)]));
    let (mut offsets, mut sizes) = ([0; 16], [0; 16]);
    let mut at = 156 + body.len();
    for (i, level) in levels.iter().enumerate() {
        (offsets[i], sizes[i]) = (at as u32, level.len() as u32);
        at += level.len();
    }
    out.extend(words(&offsets));
    out.extend(words(&sizes));
    out.extend(body);
    out.extend(levels.iter().flatten());
    out
}

fn blp1_jpeg(alpha_bits: u32, header: (u32, u32), jpeg: (u16, u16), components: &[u8]) -> Vec<u8> {
    let (head, scan) = flat_jpeg(jpeg.0, jpeg.1, components);
    // The shared part ends in the middle of the tables, as it may.
    let (shared, rest) = head.split_at(100);
    let mut body = words(&[shared.len() as u32]);
    body.extend(shared);
    blp1(0, alpha_bits, header.0, header.1, &body, &[[rest, &scan].concat()])
}

fn palette() -> Vec<u8> {
    (0..=255).flat_map(|i: u8| [i, i / 2, 255 - i, 0x77]).collect()
}

fn blp1_palette(alpha_bits: u32) -> Vec<u8> {
    let indices: Vec<u8> = (0..8).collect();
    let alpha = match alpha_bits {
        1 => vec![0b1000_0001],
        4 => vec![0x21, 0x43, 0x65, 0x87],
        8 => (100..108).collect(),
        _ => Vec::new(),
    };
    let small = [vec![9, 10], vec![0x80; if alpha_bits == 0 { 0 } else { 2 }]].concat();
    blp1(1, alpha_bits, 4, 2, &palette(), &[[indices, alpha].concat(), small, vec![11, 255]])
}

fn dds(flags: u32, fourcc: &[u8; 4], bits: u32, masks: [u32; 4], size: (u32, u32, u32), data: &[u8]) -> Vec<u8> {
    let mut out = b"DDS ".to_vec();
    out.extend(words(&[124, 0x1007, size.1, size.0, 0, 0, size.2]));
    out.extend([0; 44]);
    out.extend(words(&[32, flags]));
    out.extend(fourcc);
    out.extend(words(&[bits, masks[0], masks[1], masks[2], masks[3], 0x1000, 0, 0, 0, 0]));
    out.extend(data);
    out
}

fn tga(kind: u8, bits: u8, descriptor: u8, map: &[u8], data: &[u8]) -> Vec<u8> {
    let mapped = u8::from(!map.is_empty());
    let mut out =
        vec![2, mapped, kind, 0, 0, (map.len() / 3) as u8, 0, 24 * mapped, 0, 0, 0, 0, 2, 0, 2, 0, bits, descriptor];
    out.extend(b"id");
    out.extend(map);
    out.extend(data);
    out
}

#[test]
fn blp_jpeg_components_are_bgra_and_alpha_needs_alpha_bits() {
    let image = decode(&blp1_jpeg(8, (16, 8), (16, 8), &[10, 100, 200, 50]), "a.blp").unwrap();
    assert_eq!((image.width, image.height, image.alpha, image.format), (16, 8, true, ImageFormat::BlpJpeg));
    assert_eq!((image.texel(0, 0), image.texel(15, 7)), ([200, 100, 10, 50], [200, 100, 10, 50]));
    let opaque = decode(&blp1_jpeg(0, (16, 8), (16, 8), &[10, 100, 200, 50]), "a.blp").unwrap();
    assert_eq!((opaque.texel(3, 3), opaque.alpha), ([200, 100, 10, 255], false));
    let three = decode(&blp1_jpeg(8, (8, 8), (8, 8), &[10, 100, 200]), "a.blp").unwrap();
    assert_eq!(three.texel(3, 3), [200, 100, 10, 255]);
}

#[test]
fn blp_jpeg_of_another_size_is_cropped_or_padded_to_the_header() {
    for jpeg in [(32, 32), (8, 8)] {
        let image = decode(&blp1_jpeg(8, (16, 12), jpeg, &[1, 2, 3, 4]), "a.blp").unwrap();
        assert_eq!((image.width, image.height, image.mips[0].rgba.len()), (16, 12, 16 * 12 * 4));
        assert_eq!(image.texel(15, 11), [3, 2, 1, 4]);
    }
}

#[test]
fn blp_jpeg_tables_and_image_may_be_streams_of_their_own() {
    let (head, scan) = flat_jpeg(8, 8, &[1, 2, 3, 4]);
    let frame = head.windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap();
    let tables = [&head[..frame], b"\xFF\xD9"].concat();
    let body = [words(&[tables.len() as u32]), tables].concat();
    let level = [b"\xFF\xD8", &head[frame..], &scan].concat();
    assert_eq!(decode(&blp1(0, 8, 8, 8, &body, &[level]), "a.blp").unwrap().texel(7, 7), [3, 2, 1, 4]);
}

#[test]
fn blp_mips_of_the_wrong_size_end_the_chain() {
    let (head, scan) = flat_jpeg(16, 16, &[1, 2, 3, 4]);
    let level = |w, h, v| {
        let (head, scan) = flat_jpeg(w, h, &[v; 4]);
        [head, scan].concat()
    };
    let fake = [head, scan].concat();
    let file = blp1(0, 8, 16, 16, &[0; 4], &[fake.clone(), level(8, 8, 77), fake]);
    let image = decode(&file, "a.blp").unwrap();
    assert_eq!(image.mips.len(), 2);
    assert_eq!(image.mips[1].rgba[..4], [77; 4]);
}

#[test]
fn blp_palette_reads_every_alpha_depth() {
    let alphas = |bits| {
        let image = decode(&blp1_palette(bits), "a.blp").unwrap();
        assert_eq!(image.mips.len(), 3);
        assert_eq!(image.texel(3, 1)[..3], [248, 3, 7]);
        image.mips[0].rgba.chunks_exact(4).map(|t| t[3]).collect::<Vec<_>>()
    };
    assert_eq!(alphas(0), [255; 8]);
    assert_eq!(alphas(1), [255, 0, 0, 0, 0, 0, 0, 255]);
    assert_eq!(alphas(4), [17, 34, 51, 68, 85, 102, 119, 136]);
    assert_eq!(alphas(8), [100, 101, 102, 103, 104, 105, 106, 107]);
    let error = decode(&blp1_palette(3), "a.blp").unwrap_err();
    assert_eq!(error.field, "alpha bits");
}

#[test]
fn blp_level_may_lie_inside_the_palette() {
    let mut file = blp1_palette(0);
    file[28..32].copy_from_slice(&160u32.to_le_bytes());
    let image = decode(&file, "a.blp").unwrap();
    assert_eq!(image.texel(0, 0), [254, 0, 1, 255]);
}

#[test]
fn blp2_reads_palette_dxt_and_raw() {
    let file = |encoding: u8, alpha: u8, alpha_encoding: u8, level: &[u8]| {
        let mut out = b"BLP2".to_vec();
        out.extend([1, 0, 0, 0, encoding, alpha, alpha_encoding, 0]);
        out.extend(words(&[4, 4]));
        let mut table = [0; 32];
        (table[0], table[16]) = (148 + 1024, level.len() as u32);
        out.extend(words(&table));
        out.extend(palette());
        out.extend(level);
        decode(&out, "a.blp").unwrap()
    };
    assert_eq!(file(1, 0, 0, &[2; 16]).texel(1, 1), [253, 1, 2, 255]);
    assert_eq!(file(3, 8, 0, &[1, 2, 3, 4].repeat(16)).texel(1, 1), [3, 2, 1, 4]);
    // Red, every index 3: transparent where colour 0 <= colour 1 and the file has alpha.
    let block = [0x00, 0xF8, 0x00, 0xF8, 0xFF, 0xFF, 0xFF, 0xFF];
    assert_eq!(file(2, 1, 0, &block).texel(0, 0)[3], 0);
    assert_eq!(file(2, 0, 0, &block).texel(0, 0)[3], 255);
    let with_alpha = [&[0x88; 8][..], &[0x00, 0xF8, 0, 0, 0, 0, 0, 0]].concat();
    assert_eq!(file(2, 8, 1, &with_alpha).texel(2, 2), [255, 0, 0, 0x88]);
    let with_alpha = [&[9, 9, 0, 0, 0, 0, 0, 0][..], &[0x00, 0xF8, 0, 0, 0, 0, 0, 0]].concat();
    assert_eq!(file(2, 8, 7, &with_alpha).texel(2, 2), [255, 0, 0, 9]);
}

#[test]
fn dds_reads_blocks_of_sides_that_are_no_multiple_of_4() {
    let red = [0x00, 0xF8, 0, 0, 0, 0, 0, 0];
    let file = dds(4, b"DXT1", 0, [0; 4], (6, 5, 3), &red.repeat(4 + 1 + 1));
    let image = decode(&file, "a.dds").unwrap();
    let sides: Vec<_> = image.mips.iter().map(|m| (m.width, m.height)).collect();
    assert_eq!(sides, [(6, 5), (3, 2), (1, 1)]);
    assert!(image.mips.iter().all(|m| m.rgba.chunks_exact(4).all(|t| t == [255, 0, 0, 255])));
    let short = decode(&file[..file.len() - 1], "a.dds").unwrap();
    assert_eq!(short.mips.len(), 2);
    assert!(decode(&file[..140], "a.dds").unwrap_err().field.contains("mip 0"));
}

#[test]
fn dds_reads_masks_luminance_and_the_dx10_header() {
    let texel = |file: Vec<u8>| decode(&file, "a.dds").map(|image| image.texel(0, 0));
    let bgra = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000];
    assert_eq!(texel(dds(0x41, &[0; 4], 32, bgra, (1, 1, 1), &[1, 2, 3, 4])), Ok([3, 2, 1, 4]));
    assert_eq!(texel(dds(0x40, &[0; 4], 32, bgra, (1, 1, 1), &[1, 2, 3, 4])), Ok([3, 2, 1, 255]));
    assert_eq!(
        texel(dds(0x40, &[0; 4], 16, [0xF800, 0x7E0, 0x1F, 0], (1, 1, 1), &[0x1F, 0xF8])),
        Ok([255, 0, 255, 255])
    );
    assert_eq!(texel(dds(0x2_0000, &[0; 4], 8, [0xFF, 0, 0, 0], (1, 1, 1), &[7])), Ok([7, 7, 7, 255]));
    let dx10 = |format: u32, data: &[u8]| {
        dds(4, b"DX10", 0, [0; 4], (1, 1, 1), &[words(&[format, 3, 0, 1, 0]), data.to_vec()].concat())
    };
    assert_eq!(texel(dx10(28, &[1, 2, 3, 4])), Ok([1, 2, 3, 4]));
    assert_eq!(texel(dx10(71, &[0x00, 0xF8, 0, 0, 0, 0, 0, 0])), Ok([255, 0, 0, 255]));
    // Mode 6 of BC7 with both ends at 0x7F and their low bits set: white.
    assert_eq!(
        texel(dx10(98, &[0xC0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, 0, 0, 0, 0])),
        Ok([255; 4])
    );
    assert_eq!(texel(dx10(95, &[0; 16])).unwrap_err().field, "DXGI format");
    assert_eq!(texel(dds(4, b"DXT9", 0, [0; 4], (1, 1, 1), &[0; 16])).unwrap_err().field, "fourcc");
}

#[test]
fn tga_reads_every_type_and_origin() {
    // Stored order A B / C D.
    let rgb = [10, 0, 1, 20, 0, 2, 30, 0, 3, 40, 0, 4];
    let reds = |file: Vec<u8>| {
        let image = decode(&file, "a.TGA").unwrap();
        image.mips[0].rgba.chunks_exact(4).map(|t| t[0]).collect::<Vec<_>>()
    };
    assert_eq!(reds(tga(2, 24, 0x20, &[], &rgb)), [1, 2, 3, 4]);
    assert_eq!(reds(tga(2, 24, 0, &[], &rgb)), [3, 4, 1, 2]);
    assert_eq!(reds(tga(2, 24, 0x30, &[], &rgb)), [2, 1, 4, 3]);
    assert_eq!(reds(tga(10, 24, 0x20, &[], &[0x82, 5, 5, 9, 0x00, 6, 6, 7])), [9, 9, 9, 7]);
    assert_eq!(reds(tga(1, 8, 0x20, &rgb, &[3, 2, 1, 0])), [4, 3, 2, 1]);
    assert_eq!(reds(tga(9, 8, 0x20, &rgb, &[0x83, 1])), [2; 4]);
    assert_eq!(reds(tga(3, 8, 0x20, &[], &[1, 2, 3, 4])), [1, 2, 3, 4]);
    assert_eq!(reds(tga(11, 8, 0x20, &[], &[0x83, 77])), [77; 4]);
    assert_eq!(reds(tga(2, 16, 0x20, &[], &[0, 0x7C, 0, 0, 0, 0x7C, 0, 0])), [255, 0, 255, 0]);
    assert_eq!(decode(&tga(12, 24, 0, &[], &rgb), "a.tga").unwrap_err().field, "image type");
}

#[test]
fn tga_alpha_counts_when_declared_or_used() {
    let alpha = |descriptor, alpha: u8| {
        let image = decode(&tga(2, 32, descriptor, &[], &[1, 2, 3, alpha].repeat(4)), "a.tga").unwrap();
        (image.alpha, image.texel(0, 0)[3])
    };
    assert_eq!(alpha(0, 0), (false, 255));
    assert_eq!(alpha(0, 9), (true, 9));
    assert_eq!(alpha(8, 0), (true, 0));
}

#[test]
fn png_round_trips_and_refuses_wrong_lengths() {
    let rgba: Vec<u8> = (0..60).collect();
    let file = encode_png(5, 3, &rgba).unwrap();
    assert_eq!(file, encode_png(5, 3, &rgba).unwrap());
    let image = decode(&file, "whatever").unwrap();
    assert_eq!((image.width, image.height, &image.mips[0].rgba), (5, 3, &rgba));
    assert!(encode_png(5, 4, &rgba).is_err() && Image::from_rgba(5, 4, rgba).is_err());
}

#[test]
fn sides_of_nothing_and_absurd_sides_are_refused() {
    for (w, h) in [(0, 4), (4, 0), (70_000, 1), (16_384, 16_384), (u32::MAX, u32::MAX)] {
        for file in [blp1(1, 0, w, h, &palette(), &[vec![0; 64]]), dds(4, b"DXT1", 0, [0; 4], (w, h, 1), &[0; 64])] {
            assert_eq!(decode(&file, "a").unwrap_err().field, "width and height", "{w}x{h}");
        }
    }
    let huge = blp1_jpeg(0, (8, 8), (8000, 8000), &[1, 2, 3, 4]);
    let cut = decode(&huge[..700], "a.blp").unwrap_err();
    assert!(cut.what.contains("8000x8000 texels in"), "{cut}");
}

#[test]
fn what_is_no_picture_says_what_it_is() {
    assert!(decode(b"MDLX0000", "WoodItem.blp").unwrap_err().what.contains("MDLX"));
    assert!(decode(b"BLP0\0\0\0\0", "a.blp").unwrap_err().what.contains("b00"));
    assert!(decode(b"", "a.dds").is_err());
}

#[test]
fn missing_mips_are_box_filtered_down_to_one_texel() {
    let mut image = Image::from_rgba(3, 2, (0..6).flat_map(|i| [i * 10, 0, 0, 255]).collect()).unwrap();
    assert!(!image.has_all_mips());
    image.mipmaps();
    assert!(image.has_all_mips());
    assert_eq!(image.mips.len(), 2);
    // (0 + 10 + 30 + 40 + 2) / 4.
    assert_eq!(image.mips[1], Mip { width: 1, height: 1, rgba: vec![20, 0, 0, 255] });
}

mod real_files {
    use super::*;
    use std::path::{Path, PathBuf};

    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() { walk(&entry.path(), out) } else { out.push(entry.path()) }
        }
    }

    /// The value after `key=` in a row of facts.
    fn fact<'a>(facts: &'a str, key: &str) -> Option<&'a str> {
        let at = facts.find(&format!("{key}="))? + key.len() + 1;
        facts[at..].split(' ').next()
    }

    #[test]
    fn every_texture_decodes_to_the_size_in_the_table_of_facts() {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|up| up.join("shared/data")).find(|p| p.is_dir());
        let Some(root) = root else {
            eprintln!("skipped: no folder above the checkout has shared/data");
            return;
        };
        let manifest = std::fs::read_to_string(root.join("manifest.tsv")).unwrap();
        let mut decoded = 0;
        for row in manifest.lines().map(|line| line.split('\t').collect::<Vec<_>>()) {
            let (path, facts) = (row[0], *row.last().unwrap());
            let ending = path.rsplit('.').next().unwrap_or("").to_lowercase();
            if !path.starts_with("blp/") && ending != "tga" || ending == "jpg" {
                continue;
            }
            let bytes = std::fs::read(root.join(path)).unwrap();
            let result = decode(&bytes, path);
            if facts.contains("not BLP") {
                assert!(result.is_err(), "{path}");
                continue;
            }
            // One file has neither a frame nor a scan header: tables, then packed data.
            if path.ends_with("blp-rs__a.blp") {
                assert!(result.unwrap_err().what.contains("no baseline or progressive frame header"));
                continue;
            }
            let image = result.unwrap_or_else(|e| panic!("{path}: {e}"));
            let size = format!(" {}x{}", image.width, image.height);
            assert!(ending == "png" || ending == "tga" || facts.contains(&size), "{path} is{size}: {facts}");
            if let Some(bits) = fact(facts, "alphabits") {
                assert_eq!(image.alpha, bits != "0", "{path}");
            }
            if let Some(mips) = fact(facts, "mips").filter(|_| ending == "dds") {
                assert_eq!(image.mips.len().to_string(), mips, "{path}");
            }
            eprintln!(
                "{:?}{size} {} of {} mips {path}",
                image.format,
                image.mips.len(),
                mip_count(image.width, image.height)
            );
            decoded += 1;
        }
        let mut files = Vec::new();
        walk(&root.join("blp"), &mut files);
        assert!(decoded >= files.len() - 2, "{decoded} of {}", files.len());
    }
}

mod mutations {
    use super::*;
    use proptest::prelude::*;

    fn samples() -> Vec<(Vec<u8>, &'static str)> {
        let red = [0x00, 0xF8, 0, 0, 0, 0, 0, 0];
        vec![
            (blp1_jpeg(8, (16, 8), (16, 8), &[10, 100, 200, 50]), "a.blp"),
            (blp1_jpeg(8, (16, 8), (24, 24), &[10, 100, 200]), "a.blp"),
            (blp1_palette(4), "a.blp"),
            (dds(4, b"DXT1", 0, [0; 4], (6, 5, 3), &red.repeat(6)), "a.dds"),
            (dds(4, b"DX10", 0, [0; 4], (1, 1, 1), &[words(&[98, 3, 0, 1, 0]), vec![0x40; 16]].concat()), "a.dds"),
            (dds(0x41, &[0; 4], 16, [0xF800, 0x7E0, 0x1F, 0x8000], (2, 2, 2), &[7; 16]), "a.dds"),
            (tga(10, 32, 8, &[], &[0x83, 1, 2, 3, 4]), "a.tga"),
            (tga(1, 8, 0x20, &[7; 12], &[3, 2, 1, 0]), "a.tga"),
            (encode_png(5, 3, &[90; 60]).unwrap(), "a.png"),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]

        #[test]
        fn damaged_pictures_never_panic(
            which in 0usize..9,
            flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
            cut in prop::option::of(any::<prop::sample::Index>()),
        ) {
            let (mut bytes, name) = samples().swap_remove(which);
            for (at, value) in flips {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            if let Ok(image) = decode(&bytes, name) {
                for mip in &image.mips {
                    prop_assert_eq!(mip.rgba.len(), mip.width as usize * mip.height as usize * 4);
                }
            }
        }
    }
}
