//! The JPEG inside a BLP: components as they are stored, without any colour conversion.

use zune_core::bytestream::ZCursor;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use super::{MAX_TEXELS_PER_BYTE, MAX_TEXTURE_SIDE, check_size};

/// Raw components.
pub(super) struct Raw {
    pub(super) width: u32,
    pub(super) height: u32,
    /// 1, 3 or 4.
    pub(super) components: usize,
    pub(super) data: Vec<u8>,
}

/// Decodes baseline and progressive files of 1, 3 or 4 components. The components of a BLP are B, G, R, A; declaring
/// the output in the colour space of the input is what keeps the decoder from turning them into something else.
pub(super) fn decode(bytes: &[u8]) -> Result<Raw, String> {
    let side = MAX_TEXTURE_SIDE as usize;
    let options = DecoderOptions::new_safe().set_max_width(side).set_max_height(side).set_strict_mode(false);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    // No frame marker can stand inside packed data, where a zero follows each 0xFF.
    if !bytes.windows(2).any(|pair| matches!(pair, [0xFF, 0xC0..=0xC2])) {
        return Err("JPEG: no baseline or progressive frame header".to_owned());
    }
    decoder.decode_headers().map_err(|e| format!("JPEG: {e}"))?;
    let (Some((width, height)), Some(space)) = (decoder.dimensions(), decoder.input_colorspace()) else {
        return Err("JPEG: no frame header".to_owned());
    };
    let (width, height) = (width as u32, height as u32);
    check_size(width, height, 0).map_err(|e| format!("JPEG: {}", e.what))?;
    let texels = u64::from(width) * u64::from(height);
    if texels > bytes.len() as u64 * MAX_TEXELS_PER_BYTE {
        return Err(format!("JPEG: {width}x{height} texels in {} bytes", bytes.len()));
    }
    decoder.set_options(options.jpeg_set_out_colorspace(space));
    let data = decoder.decode().map_err(|e| format!("JPEG: {e}"))?;
    let components = data.len() / texels as usize;
    if !matches!(components, 1 | 3 | 4) || data.len() != texels as usize * components {
        return Err(format!("JPEG: {} bytes for {width}x{height} texels", data.len()));
    }
    Ok(Raw { width, height, components, data })
}
