//! BLP1 (JPEG or palette) and BLP2 (palette, DXT or raw). Layout: BLP format, "header", "mipmap locators".
//!
//! Offsets are trusted, the order of the parts in the file is not: the first level may lie inside the palette, and
//! sizes may lie. A lower level that cannot be decoded ends the chain; only the first one is an error.

use super::bc::Block;
use super::{Image, ImageFormat, Mip, check_size, jpeg, mip_count};
use crate::bytes::{Cursor, FormatError};

/// Bytes of the BLP1 header with its mip tables; the palette or the shared JPEG header follows.
const BLP1_HEADER: usize = 156;
/// Bytes of the BLP2 header; the palette follows.
const BLP2_HEADER: usize = 148;

struct Levels<'a> {
    bytes: &'a [u8],
    width: u32,
    height: u32,
    offsets: [u32; 16],
    sizes: [u32; 16],
    count: u32,
}

impl<'a> Levels<'a> {
    fn read(bytes: &'a [u8], c: &mut Cursor<'a>, width: u32, height: u32, has_mips: bool) -> Result<Self, FormatError> {
        let mut offsets = [0; 16];
        let mut sizes = [0; 16];
        for offset in &mut offsets {
            *offset = c.u32("mip offsets")?;
        }
        for size in &mut sizes {
            *size = c.u32("mip sizes")?;
        }
        let count = if has_mips { mip_count(width, height).min(16) } else { 1 };
        Ok(Self { bytes, width, height, offsets, sizes, count })
    }

    /// All levels that `decode` can make out of (data up to the end of the file, declared size, width, height).
    fn decode(
        &self,
        mut decode: impl FnMut(Cursor<'a>, usize, u32, u32) -> Result<Mip, FormatError>,
    ) -> Result<Vec<Mip>, FormatError> {
        let mut mips = Vec::new();
        for i in 0..self.count {
            let offset = self.offsets[i as usize];
            let field = || format!("mip {i}");
            let result = match self.bytes.get(offset as usize..) {
                Some(data) if offset != 0 && !data.is_empty() => {
                    let (width, height) = ((self.width >> i).max(1), (self.height >> i).max(1));
                    decode(Cursor::at(data, u64::from(offset)), self.sizes[i as usize] as usize, width, height)
                }
                _ => Err(FormatError::new(u64::from(offset), field(), "it lies outside the file")),
            };
            match result {
                Ok(mip) => mips.push(mip),
                Err(e) if i == 0 => return Err(e),
                Err(_) => break,
            }
        }
        Ok(mips)
    }
}

pub(super) fn decode(bytes: &[u8]) -> Result<Image, FormatError> {
    let mut c = Cursor::new(bytes);
    match &c.array::<4>("magic")? {
        b"BLP1" => blp1(bytes, c),
        b"BLP2" => blp2(bytes, c),
        _ => Err(FormatError::new(
            0,
            "magic",
            "BLP0 keeps its levels in files of their own (.b00), which is not supported",
        )),
    }
}

fn blp1<'a>(bytes: &'a [u8], mut c: Cursor<'a>) -> Result<Image, FormatError> {
    let content = c.u32("content")?;
    let alpha_bits = c.u32("alpha bits")?;
    let at = c.offset();
    let (width, height) = (c.u32("width")?, c.u32("height")?);
    check_size(width, height, at)?;
    c.skip(4, "extra")?;
    let has_mips = c.u32("has mips")? != 0;
    let levels = Levels::read(bytes, &mut c, width, height, has_mips)?;
    if content == 0 {
        return blp1_jpeg(&levels, c, alpha_bits > 0);
    }
    let palette = palette(bytes, BLP1_HEADER)?;
    paletted(&levels, &palette, alpha_bits, ImageFormat::BlpPalette)
}

fn blp1_jpeg(levels: &Levels<'_>, mut c: Cursor<'_>, alpha: bool) -> Result<Image, FormatError> {
    let shared = c.count(1, "JPEG header size")?;
    let shared = c.bytes(shared, "JPEG header")?;
    let mut first = true;
    let mips = levels.decode(|mut data, size, width, height| {
        let at = data.offset();
        let body = data.bytes(size.min(data.remaining()), "mip data")?;
        let raw = jpeg::decode(&join(shared, body)).map_err(|what| FormatError::new(at, "mip data", what))?;
        // A lower level of another size is one of the fake chains that some tools write: all offsets lead to level 0.
        if !first && (raw.width, raw.height) != (width, height) {
            return Err(FormatError::new(at, "mip data", format!("{}x{} texels", raw.width, raw.height)));
        }
        first = false;
        Ok(from_components(&raw, width, height, alpha))
    })?;
    Image::from_mips(mips, alpha, ImageFormat::BlpJpeg)
}

/// Shared header and level as one stream. Either a stream was cut in two somewhere, or both parts are streams of their
/// own: tables alone, up to an end marker, and an abbreviated image with a start marker (JPEG, annex B.4 and B.5).
fn join(shared: &[u8], body: &[u8]) -> Vec<u8> {
    let tables = shared.strip_suffix(b"\xFF\xD9").unwrap_or(shared);
    let image = if tables.is_empty() { body } else { body.strip_prefix(b"\xFF\xD8").unwrap_or(body) };
    [tables, image].concat()
}

/// B, G, R, A components to RGBA, cropped or padded (with its last row and column) to the size in the BLP header.
fn from_components(raw: &jpeg::Raw, width: u32, height: u32, alpha: bool) -> Mip {
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height {
        let row = y.min(raw.height - 1) as usize * raw.width as usize;
        for x in 0..width {
            let at = (row + x.min(raw.width - 1) as usize) * raw.components;
            let texel = &raw.data[at..at + raw.components];
            rgba.extend(match *texel {
                [b, g, r, a] => [r, g, b, if alpha { a } else { 255 }],
                [b, g, r] => [r, g, b, 255],
                _ => [texel[0], texel[0], texel[0], 255],
            });
        }
    }
    Mip { width, height, rgba }
}

fn blp2<'a>(bytes: &'a [u8], mut c: Cursor<'a>) -> Result<Image, FormatError> {
    let content = c.u32("content")?;
    let [encoding, alpha_bits, alpha_encoding, has_mips] = c.array("encoding")?;
    let at = c.offset();
    let (width, height) = (c.u32("width")?, c.u32("height")?);
    check_size(width, height, at)?;
    let levels = Levels::read(bytes, &mut c, width, height, has_mips != 0)?;
    let alpha = alpha_bits > 0;
    let mips = match (content, encoding) {
        (1, 1) => {
            let palette = palette(bytes, BLP2_HEADER)?;
            return paletted(&levels, &palette, u32::from(alpha_bits), ImageFormat::Blp2);
        }
        (1, 2) => {
            let block = match alpha_encoding {
                1 if alpha => Block::Bc2,
                7 if alpha => Block::Bc3,
                _ => Block::Bc1 { opaque: !alpha },
            };
            levels.decode(|mut data, _, w, h| block.level(&mut data, w, h, "mip data"))?
        }
        (1, 3) => levels.decode(|mut data, _, width, height| {
            let mut rgba = data.bytes(width as usize * height as usize * 4, "mip data")?.to_vec();
            for texel in rgba.chunks_exact_mut(4) {
                texel.swap(0, 2);
                texel[3] = if alpha { texel[3] } else { 255 };
            }
            Ok(Mip { width, height, rgba })
        })?,
        _ => {
            return Err(FormatError::new(
                4,
                "content",
                format!("BLP2 of content {content}, encoding {encoding} is not supported"),
            ));
        }
    };
    Image::from_mips(mips, alpha, ImageFormat::Blp2)
}

/// 256 colours of B, G, R and an unused byte.
fn palette(bytes: &[u8], at: usize) -> Result<Vec<[u8; 3]>, FormatError> {
    let mut c = Cursor::at(bytes.get(at..).unwrap_or(&[]), at as u64);
    Ok(c.bytes(1024, "palette")?.chunks_exact(4).map(|bgra| [bgra[2], bgra[1], bgra[0]]).collect())
}

fn paletted(levels: &Levels<'_>, palette: &[[u8; 3]], bits: u32, format: ImageFormat) -> Result<Image, FormatError> {
    if !matches!(bits, 0 | 1 | 4 | 8) {
        return Err(FormatError::new(8, "alpha bits", format!("{bits}; a palette has 0, 1, 4 or 8")));
    }
    let mips = levels.decode(|mut data, _, width, height| {
        let count = width as usize * height as usize;
        let indices = data.bytes(count, "mip indices")?;
        let alphas = data.rest();
        let mut rgba = Vec::with_capacity(count * 4);
        for (i, &index) in indices.iter().enumerate() {
            let [r, g, b] = palette[usize::from(index)];
            rgba.extend([r, g, b, alpha_at(alphas, i, bits)]);
        }
        Ok(Mip { width, height, rgba })
    })?;
    Image::from_mips(mips, bits > 0, format)
}

/// Alpha of texel `i`: the low nibble and the low bit come first. Missing alpha counts as opaque.
fn alpha_at(alphas: &[u8], i: usize, bits: u32) -> u8 {
    let byte = |i: usize| alphas.get(i).copied();
    match bits {
        1 => byte(i / 8).map(|b| (b >> (i % 8) & 1) * 255),
        4 => byte(i / 2).map(|b| (b >> (i % 2 * 4) & 15) * 17),
        8 => byte(i),
        _ => None,
    }
    .unwrap_or(255)
}
