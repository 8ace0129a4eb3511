//! TGA, types 1, 2, 3 and their run-length forms 9, 10, 11. Layout: Truevision TGA 2.0, "TGA file header".

use super::{Image, ImageFormat, Mip, check_size};
use crate::bytes::{Cursor, FormatError};

/// Most texels of one run-length packet.
const RUN: usize = 128;

struct Header {
    kind: u8,
    width: usize,
    height: usize,
    bits: u8,
    /// Bits 0-3: bits of alpha; 4: right to left; 5: top row first.
    descriptor: u8,
}

pub(super) fn decode(bytes: &[u8]) -> Result<Image, FormatError> {
    let mut c = Cursor::new(bytes);
    let id = c.u8("id length")?;
    let has_map = c.u8("colour map type")?;
    let kind = c.u8("image type")?;
    let (first, map_len, map_bits) =
        (c.u16("colour map first")?, c.u16("colour map length")?, c.u8("colour map bits")?);
    c.skip(4, "origin")?;
    let (width, height) = (c.u16("width")?, c.u16("height")?);
    let (bits, descriptor) = (c.u8("bits per texel")?, c.u8("descriptor")?);
    check_size(u32::from(width), u32::from(height), 12)?;
    let header = Header { kind: kind & 7, width: width.into(), height: height.into(), bits, descriptor };
    let known = match header.kind {
        1 => has_map == 1 && matches!(bits, 8 | 16) && matches!(map_bits, 15 | 16 | 24 | 32),
        2 => matches!(bits, 15 | 16 | 24 | 32),
        3 => matches!(bits, 8 | 16),
        _ => false,
    };
    if !known || kind & !0xF != 0 || kind & 4 != 0 {
        let what = format!("type {kind} with {bits} bits a texel is not supported");
        return Err(FormatError::new(2, "image type", what));
    }
    c.skip(id.into(), "id")?;
    let map_texel = usize::from(map_bits).div_ceil(8);
    let map = if has_map == 1 { c.bytes(usize::from(map_len) * map_texel, "colour map")? } else { &[] };
    let data = texel_bytes(&mut c, &header, kind & 8 != 0)?;

    let mut rgba = Vec::with_capacity(header.width * header.height * 4);
    for texel in data.chunks_exact(usize::from(bits).div_ceil(8)) {
        rgba.extend(match header.kind {
            1 => {
                let index = texel.iter().rev().fold(0, |i, &byte| i << 8 | usize::from(byte));
                let at = index.wrapping_sub(first.into()).wrapping_mul(map_texel);
                at.checked_add(map_texel).and_then(|end| map.get(at..end)).map_or([0; 4], |t| colour(t, map_bits))
            }
            2 => colour(texel, bits),
            _ => [texel[0], texel[0], texel[0], texel.get(1).copied().unwrap_or(255)],
        });
    }
    let alpha = settle_alpha(&mut rgba, &header, map_bits);
    orient(&mut rgba, &header);
    let mip = Mip { width: width.into(), height: height.into(), rgba };
    Image::from_mips(vec![mip], alpha, ImageFormat::Tga)
}

/// The texels as they are stored, with runs unrolled.
fn texel_bytes(c: &mut Cursor<'_>, header: &Header, runs: bool) -> Result<Vec<u8>, FormatError> {
    let size = usize::from(header.bits).div_ceil(8);
    let total = header.width * header.height * size;
    if !runs {
        return Ok(c.bytes(total, "texels")?.to_vec());
    }
    if total / size > c.remaining().saturating_mul(RUN) {
        return Err(c.error("texels", format!("{} packed bytes cannot hold {} texels", c.remaining(), total / size)));
    }
    let mut out = Vec::with_capacity(total);
    while out.len() < total {
        let packet = c.u8("packet")?;
        let count = usize::from(packet & 0x7F) + 1;
        if packet & 0x80 != 0 {
            let texel = c.bytes(size, "run")?;
            (0..count).for_each(|_| out.extend_from_slice(texel));
        } else {
            out.extend_from_slice(c.bytes(count * size, "raw packet")?);
        }
    }
    out.truncate(total);
    Ok(out)
}

/// B, G, R, A bytes or a 1-5-5-5 word.
fn colour(texel: &[u8], bits: u8) -> [u8; 4] {
    match *texel {
        [b, g, r, a] => [r, g, b, a],
        [b, g, r] => [r, g, b, 255],
        [low, high] => {
            let word = u16::from_le_bytes([low, high]);
            let five = |shift: u16| ((word >> shift & 31) * 255 / 31) as u8;
            let alpha = if bits == 16 && word & 0x8000 == 0 { 0 } else { 255 };
            [five(10), five(5), five(0), alpha]
        }
        _ => [0; 4],
    }
}

/// Many tools write alpha and declare none, others write none into an alpha byte. So 32-bit alpha counts when it is
/// declared or when any is not 0; the single bit of 16-bit texels counts only when it is declared.
fn settle_alpha(rgba: &mut [u8], header: &Header, map_bits: u8) -> bool {
    let declared = header.descriptor & 15 != 0;
    let stored = match (header.kind, header.bits) {
        (1, _) => map_bits == 32 || map_bits == 16 && declared,
        (2, 32) | (3, 16) => true,
        (2, 16) => declared,
        _ => false,
    };
    let alpha = stored && (declared || rgba.chunks_exact(4).any(|texel| texel[3] != 0));
    if !alpha {
        rgba.chunks_exact_mut(4).for_each(|texel| texel[3] = 255);
    }
    alpha
}

/// Turns the stored order into top row first, left to right.
fn orient(rgba: &mut [u8], header: &Header) {
    let row = header.width * 4;
    if header.descriptor & 0x20 == 0 {
        for y in 0..header.height / 2 {
            let (top, bottom) = rgba.split_at_mut((header.height - 1 - y) * row);
            top[y * row..(y + 1) * row].swap_with_slice(&mut bottom[..row]);
        }
    }
    if header.descriptor & 0x10 != 0 {
        for line in rgba.chunks_exact_mut(row) {
            for x in 0..header.width / 2 {
                let other = (header.width - 1 - x) * 4;
                for c in 0..4 {
                    line.swap(x * 4 + c, other + c);
                }
            }
        }
    }
}
