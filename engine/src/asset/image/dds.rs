//! DDS. Layout: Microsoft's DDS programming guide, DDS_HEADER, DDS_PIXELFORMAT and DDS_HEADER_DXT10.
//!
//! Of a cube map or an array, the first face or layer is decoded.

use super::bc::Block;
use super::{Image, ImageFormat, Mip, check_size, mip_count};
use crate::bytes::{Cursor, FormatError};

const PF_ALPHA_PIXELS: u32 = 0x1;
const PF_ALPHA_ONLY: u32 = 0x2;
const PF_FOURCC: u32 = 0x4;
const PF_RGB: u32 = 0x40;
const PF_LUMINANCE: u32 = 0x2_0000;

/// Components as bit masks of a little-endian texel; a mask of 0 means the component is not stored.
#[derive(Clone, Copy)]
struct Masks {
    bytes: usize,
    rgba: [u32; 4],
    /// Green and blue repeat red.
    luminance: bool,
}

enum Texels {
    Block(Block),
    Masks(Masks),
}

pub(super) fn decode(bytes: &[u8]) -> Result<Image, FormatError> {
    let mut c = Cursor::new(bytes);
    c.skip(12, "header")?;
    let at = c.offset();
    let (height, width) = (c.u32("height")?, c.u32("width")?);
    check_size(width, height, at)?;
    c.skip(8, "pitch and depth")?;
    let declared = c.u32("mip count")?.max(1);
    c.skip(44, "reserved")?;
    let texels = pixel_format(&mut c)?;
    let alpha = match &texels {
        Texels::Block(block) => block.has_alpha(),
        Texels::Masks(masks) => masks.rgba[3] != 0,
    };
    let mut mips = Vec::new();
    for i in 0..declared.min(mip_count(width, height)) {
        let (w, h) = ((width >> i).max(1), (height >> i).max(1));
        let field = format!("mip {i}");
        let level = match &texels {
            Texels::Block(block) => block.level(&mut c, w, h, &field),
            Texels::Masks(masks) => masks.level(&mut c, w, h, &field),
        };
        match level {
            Ok(mip) => mips.push(mip),
            Err(e) if i == 0 => return Err(e),
            // A chain that is cut off keeps the levels that are whole.
            Err(_) => break,
        }
    }
    Image::from_mips(mips, alpha, ImageFormat::Dds)
}

/// Reads the pixel format, the rest of the header, and the DX10 header where there is one; leaves the cursor at the
/// first level.
fn pixel_format(c: &mut Cursor<'_>) -> Result<Texels, FormatError> {
    c.skip(4, "pixel format size")?;
    let at = c.offset();
    let flags = c.u32("pixel format flags")?;
    let fourcc = c.array::<4>("fourcc")?;
    let bits = c.u32("bits per texel")?;
    let mut rgba = [0; 4];
    for mask in &mut rgba {
        *mask = c.u32("masks")?;
    }
    c.skip(20, "capabilities")?;
    if flags & PF_FOURCC != 0 {
        return match &fourcc {
            b"DXT1" => Ok(Texels::Block(Block::Bc1 { opaque: false })),
            b"DXT2" | b"DXT3" => Ok(Texels::Block(Block::Bc2)),
            b"DXT4" | b"DXT5" => Ok(Texels::Block(Block::Bc3)),
            b"ATI1" | b"BC4U" => Ok(Texels::Block(Block::Bc4 { signed: false })),
            b"BC4S" => Ok(Texels::Block(Block::Bc4 { signed: true })),
            b"ATI2" | b"BC5U" => Ok(Texels::Block(Block::Bc5 { signed: false })),
            b"BC5S" => Ok(Texels::Block(Block::Bc5 { signed: true })),
            b"DX10" => dx10(c),
            other => Err(FormatError::new(at + 4, "fourcc", format!("\"{}\" is not supported", other.escape_ascii()))),
        };
    }
    if !matches!(bits, 8 | 16 | 24 | 32) || flags & (PF_RGB | PF_LUMINANCE | PF_ALPHA_ONLY) == 0 {
        let what = format!("{bits} bits a texel with flags 0x{flags:x} are not supported");
        return Err(FormatError::new(at, "pixel format", what));
    }
    if flags & (PF_ALPHA_PIXELS | PF_ALPHA_ONLY) == 0 {
        rgba[3] = 0;
    }
    Ok(Texels::Masks(Masks { bytes: bits as usize / 8, rgba, luminance: flags & PF_LUMINANCE != 0 }))
}

/// The DXGI formats that the fourcc and mask forms have as well, and BC7.
fn dx10(c: &mut Cursor<'_>) -> Result<Texels, FormatError> {
    let at = c.offset();
    let format = c.u32("DXGI format")?;
    c.skip(16, "DX10 header")?;
    let masks = |rgba| Texels::Masks(Masks { bytes: 4, rgba, luminance: false });
    Ok(match format {
        27..=29 => masks([0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000]),
        87 | 90 | 91 => masks([0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]),
        88 | 92 | 93 => masks([0xFF_0000, 0xFF00, 0xFF, 0]),
        70..=72 => Texels::Block(Block::Bc1 { opaque: false }),
        73..=75 => Texels::Block(Block::Bc2),
        76..=78 => Texels::Block(Block::Bc3),
        79 | 80 => Texels::Block(Block::Bc4 { signed: false }),
        81 => Texels::Block(Block::Bc4 { signed: true }),
        82 | 83 => Texels::Block(Block::Bc5 { signed: false }),
        84 => Texels::Block(Block::Bc5 { signed: true }),
        97..=99 => Texels::Block(Block::Bc7),
        _ => return Err(FormatError::new(at, "DXGI format", format!("{format} is not supported"))),
    })
}

impl Masks {
    fn level(self, c: &mut Cursor<'_>, width: u32, height: u32, field: &str) -> Result<Mip, FormatError> {
        let data = c.bytes(width as usize * height as usize * self.bytes, field)?;
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
        for texel in data.chunks_exact(self.bytes) {
            let word = texel.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
            let [r, g, b, a] = self.rgba.map(|mask| component(word, mask));
            let (r, a) = (r.unwrap_or(0), a.unwrap_or(255));
            let (g, b) = if self.luminance { (r, r) } else { (g.unwrap_or(0), b.unwrap_or(0)) };
            rgba.extend([r, g, b, a]);
        }
        Ok(Mip { width, height, rgba })
    }
}

/// A component stretched to 0..=255; `None` where it is not stored.
fn component(word: u32, mask: u32) -> Option<u8> {
    if mask == 0 {
        return None;
    }
    let shift = mask.trailing_zeros();
    let max = u64::from(mask >> shift);
    let value = u64::from((word & mask) >> shift);
    Some(((value * 255 + max / 2) / max) as u8)
}
