//! Pictures: BLP, DDS, TGA and PNG to RGBA8 with the mip chain that the file has.
//!
//! Values stay as they are authored: no gamma conversion, no premultiplication. The first row is the top one.

mod bc;
mod blp;
mod dds;
mod jpeg;
mod png;
mod tga;

#[cfg(test)]
mod tests;

use crate::bytes::FormatError;

pub use self::png::encode_png;

/// Longest side of a texture, in texels.
pub const MAX_TEXTURE_SIDE: u32 = 16_384;

/// Most texels of a texture's first level (8192 x 8192, which is 256 MiB of RGBA8).
pub const MAX_TEXTURE_TEXELS: u64 = 1 << 26;

/// Most texels that one byte of a compressed picture may stand for. A JPEG of one colour has about 64 to a byte.
const MAX_TEXELS_PER_BYTE: u64 = 1024;

/// One level of a mip chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mip {
    /// Width in texels.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    /// `width * height` texels of R, G, B, A, top row first.
    pub rgba: Vec<u8>,
}

/// The file format a picture came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageFormat {
    /// BLP1 with JPEG content.
    BlpJpeg,
    /// BLP1 with a palette.
    BlpPalette,
    /// BLP2 of any content.
    Blp2,
    /// DDS of any content.
    Dds,
    /// TGA.
    Tga,
    /// PNG.
    Png,
}

/// A decoded picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width of the first level in texels.
    pub width: u32,
    /// Height of the first level in texels.
    pub height: u32,
    /// At least one level, the largest first. Each has half the sides of the one before, rounded down, at least 1.
    pub mips: Vec<Mip>,
    /// The file says that alpha means something. Without it every alpha is 255.
    pub alpha: bool,
    /// Where it came from.
    pub format: ImageFormat,
}

impl Image {
    /// A picture of one level.
    ///
    /// # Errors
    /// [`FormatError`] when the sides break a limit or the bytes are not `width * height * 4`.
    pub fn from_rgba(width: u32, height: u32, rgba: Vec<u8>) -> Result<Self, FormatError> {
        check_size(width, height, 0)?;
        if rgba.len() as u64 != u64::from(width) * u64::from(height) * 4 {
            return Err(FormatError::new(0, "texels", format!("{} bytes for {width}x{height} texels", rgba.len())));
        }
        let alpha = rgba.chunks_exact(4).any(|texel| texel[3] != 255);
        Ok(Self { width, height, mips: vec![Mip { width, height, rgba }], alpha, format: ImageFormat::Png })
    }

    fn from_mips(mips: Vec<Mip>, alpha: bool, format: ImageFormat) -> Result<Self, FormatError> {
        match mips.first() {
            Some(first) => Ok(Self { width: first.width, height: first.height, mips, alpha, format }),
            None => Err(FormatError::new(0, "mip levels", "there is none")),
        }
    }

    /// True when the chain goes down to one texel.
    pub fn has_all_mips(&self) -> bool {
        self.mips.len() as u32 >= mip_count(self.width, self.height)
    }

    /// Adds the levels that the file does not have, each from the one above by a 2x2 box filter of all four
    /// components; an odd last row or column is dropped.
    pub fn mipmaps(&mut self) {
        while let Some(last) = self.mips.last().filter(|last| last.width > 1 || last.height > 1) {
            let next = half(last);
            self.mips.push(next);
        }
    }

    /// The texel at (x, y) of the first level, clamped to its sides.
    pub fn texel(&self, x: u32, y: u32) -> [u8; 4] {
        let at = (y.min(self.height - 1) as usize * self.width as usize + x.min(self.width - 1) as usize) * 4;
        let texel = &self.mips[0].rgba[at..at + 4];
        [texel[0], texel[1], texel[2], texel[3]]
    }
}

/// Levels of a whole chain.
pub fn mip_count(width: u32, height: u32) -> u32 {
    32 - width.max(height).max(1).leading_zeros()
}

fn half(mip: &Mip) -> Mip {
    let (width, height) = ((mip.width / 2).max(1), (mip.height / 2).max(1));
    let row = mip.width as usize * 4;
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height as usize {
        let (top, bottom) = (y * 2, (y * 2 + 1).min(mip.height as usize - 1));
        for x in 0..width as usize {
            let (left, right) = (x * 2, (x * 2 + 1).min(mip.width as usize - 1));
            for c in 0..4 {
                let at = |x: usize, y: usize| u32::from(mip.rgba[y * row + x * 4 + c]);
                let sum = at(left, top) + at(right, top) + at(left, bottom) + at(right, bottom);
                rgba.push(((sum + 2) / 4) as u8);
            }
        }
    }
    Mip { width, height, rgba }
}

/// Decodes a picture: by its magic number, and by the extension of `name` where there is none (TGA).
///
/// # Errors
/// [`FormatError`] with the byte offset and the field; sides of 0, sides above [`MAX_TEXTURE_SIDE`] and pictures above
/// [`MAX_TEXTURE_TEXELS`] are refused before memory is asked for.
pub fn decode(bytes: &[u8], name: &str) -> Result<Image, FormatError> {
    match bytes.get(..4) {
        Some(b"BLP0" | b"BLP1" | b"BLP2") => blp::decode(bytes),
        Some(b"DDS ") => dds::decode(bytes),
        Some(b"\x89PNG") => png::decode(bytes),
        _ if name.to_ascii_lowercase().ends_with(".tga") => tga::decode(bytes),
        Some(magic) => Err(FormatError::new(
            0,
            "magic",
            format!(
                "\"{}\" is no picture that is known (BLP1, BLP2, DDS, PNG, or TGA by its name)",
                magic.escape_ascii()
            ),
        )),
        None => Err(FormatError::new(0, "magic", format!("a picture of {} bytes", bytes.len()))),
    }
}

/// Refuses what no texture can be.
fn check_size(width: u32, height: u32, offset: u64) -> Result<(), FormatError> {
    if width == 0 || height == 0 {
        return Err(FormatError::new(offset, "width and height", format!("{width}x{height} texels")));
    }
    if width > MAX_TEXTURE_SIDE
        || height > MAX_TEXTURE_SIDE
        || u64::from(width) * u64::from(height) > MAX_TEXTURE_TEXELS
    {
        return Err(FormatError::new(
            offset,
            "width and height",
            format!(
                "{width}x{height} texels, the limits are {MAX_TEXTURE_SIDE} a side and {MAX_TEXTURE_TEXELS} texels"
            ),
        ));
    }
    Ok(())
}
