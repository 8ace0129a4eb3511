use std::io::Cursor as IoCursor;

use image::{ExtendedColorType, ImageEncoder, ImageFormat as Codec, ImageReader, Limits};

use super::{Image, ImageFormat, MAX_TEXTURE_SIDE, MAX_TEXTURE_TEXELS, Mip, check_size};
use crate::bytes::FormatError;

pub(super) fn decode(bytes: &[u8]) -> Result<Image, FormatError> {
    let error = |e: image::ImageError| FormatError::new(0, "PNG", e.to_string());
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_TEXTURE_SIDE);
    limits.max_image_height = Some(MAX_TEXTURE_SIDE);
    // 16 bits of four components are the most that a texel can take.
    limits.max_alloc = Some(MAX_TEXTURE_TEXELS * 8);
    let (width, height) =
        ImageReader::with_format(IoCursor::new(bytes), Codec::Png).into_dimensions().map_err(error)?;
    check_size(width, height, 16)?;
    let mut reader = ImageReader::with_format(IoCursor::new(bytes), Codec::Png);
    reader.limits(limits);
    let picture = reader.decode().map_err(error)?;
    let alpha = picture.color().has_alpha();
    let mip = Mip { width, height, rgba: picture.into_rgba8().into_raw() };
    Image::from_mips(vec![mip], alpha, ImageFormat::Png)
}

/// Packs RGBA8 texels, top row first, into a PNG; the same texels give the same bytes.
///
/// # Errors
/// [`FormatError`] when the sides break a limit or `rgba` is not `width * height * 4` bytes long.
pub fn encode_png(width: u32, height: u32, rgba: &[u8]) -> Result<Vec<u8>, FormatError> {
    check_size(width, height, 0)?;
    if rgba.len() as u64 != u64::from(width) * u64::from(height) * 4 {
        return Err(FormatError::new(0, "texels", format!("{} bytes for {width}x{height} texels", rgba.len())));
    }
    let mut out = Vec::new();
    image::codecs::png::PngEncoder::new(&mut out)
        .write_image(rgba, width, height, ExtendedColorType::Rgba8)
        .map_err(|e| FormatError::new(0, "PNG", e.to_string()))?;
    Ok(out)
}
