//! Texels of any format as RGBA, to be written as a picture.

use crate::graph::Format;
use crate::vulkan::ImageData;

/// RGBA, 8 bits a channel, rows from the top.
///
/// Values are clamped to 0 to 1; one channel becomes grey. Depth is stretched so that the nearest and the farthest
/// texel that something was drawn to become black and nearly white, as raw depth hides everything in its last percent.
pub fn to_rgba8(image: &ImageData) -> Vec<u8> {
    let texels = image.width as usize * image.height as usize;
    let size = image.format.block().1 as usize;
    let at = |i: usize| image.bytes.get(i * size..(i + 1) * size).unwrap_or(&[0; 16][..size]);
    if image.format.is_depth() {
        return depth(&(0..texels).map(|i| depth_of(image.format, at(i))).collect::<Vec<_>>());
    }
    (0..texels).flat_map(|i| color_of(image.format, at(i)).map(to_byte)).collect()
}

fn to_byte(x: f32) -> u8 {
    (x.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn depth(values: &[f32]) -> Vec<u8> {
    let drawn = values.iter().copied().filter(|v| *v < 1.0);
    let (near, far) = drawn.fold((f32::MAX, f32::MIN), |(a, b), v| (a.min(v), b.max(v)));
    // What nothing was drawn to is white, and apart from the farthest texel by a tenth of the range.
    let scale = 0.9 / (far - near).max(f32::EPSILON);
    values
        .iter()
        .flat_map(|&v| {
            let grey = if v < 1.0 { to_byte((v - near) * scale) } else { 255 };
            [grey, grey, grey, 255]
        })
        .collect()
}

fn depth_of(format: Format, texel: &[u8]) -> f32 {
    match format {
        Format::D16 => f32::from(u16::from_le_bytes([texel[0], texel[1]])) / 65535.0,
        Format::D24s8 => u32::from_le_bytes([texel[0], texel[1], texel[2], 0]) as f32 / 16_777_215.0,
        _ => f32::from_le_bytes([texel[0], texel[1], texel[2], texel[3]]),
    }
}

/// Red, green, blue, alpha of a texel.
pub fn color_of(format: Format, texel: &[u8]) -> [f32; 4] {
    let byte = |i: usize| f32::from(texel[i]) / 255.0;
    let half = |i: usize| small_float(u32::from(u16::from_le_bytes([texel[2 * i], texel[2 * i + 1]])), 10, true);
    let word = |i: usize| u32::from_le_bytes([texel[4 * i], texel[4 * i + 1], texel[4 * i + 2], texel[4 * i + 3]]);
    let float = |i: usize| f32::from_bits(word(i));
    let grey = |x: f32| [x, x, x, 1.0];
    match format {
        Format::R8 => grey(byte(0)),
        Format::Rg8 => [byte(0), byte(1), 0.0, 1.0],
        Format::Rgba8 | Format::Rgba8Srgb => [byte(0), byte(1), byte(2), byte(3)],
        Format::Bgra8 => [byte(2), byte(1), byte(0), byte(3)],
        Format::R16f => grey(half(0)),
        Format::Rg16f => [half(0), half(1), 0.0, 1.0],
        Format::Rgba16f => [half(0), half(1), half(2), half(3)],
        Format::R32f => grey(float(0)),
        Format::Rgba32f => [float(0), float(1), float(2), float(3)],
        Format::R32u => grey(word(0) as f32 / 255.0),
        Format::R11g11b10f => {
            let w = word(0);
            [
                small_float(w & 0x7FF, 6, false),
                small_float((w >> 11) & 0x7FF, 6, false),
                small_float(w >> 22, 5, false),
                1.0,
            ]
        }
        Format::Rgb10a2 => {
            let w = word(0);
            let ten = |shift: u32| ((w >> shift) & 0x3FF) as f32 / 1023.0;
            [ten(0), ten(10), ten(20), (w >> 30) as f32 / 3.0]
        }
        _ => [0.0, 0.0, 0.0, 1.0],
    }
}

/// A float with 5 bits of exponent (bias 15) and `mantissa` bits, with or without a sign: Vulkan's 16, 11 and 10-bit
/// floats (specification, "16-Bit Floating-Point Numbers" and the two that follow).
fn small_float(bits: u32, mantissa: u32, signed: bool) -> f32 {
    let fraction = (bits & ((1 << mantissa) - 1)) as f32 / (1u32 << mantissa) as f32;
    let exponent = (bits >> mantissa) & 0x1F;
    let magnitude = match exponent {
        0 => fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2f32.powi(exponent as i32 - 15),
    };
    if signed && bits >> (mantissa + 5) & 1 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(format: Format, width: u32, bytes: Vec<u8>) -> ImageData {
        ImageData { width, height: 1, format, bytes }
    }

    #[test]
    fn formats_become_the_colours_they_mean() {
        assert_eq!(to_rgba8(&image(Format::Bgra8, 1, vec![1, 2, 3, 4])), [3, 2, 1, 4]);
        assert_eq!(to_rgba8(&image(Format::R8, 1, vec![9])), [9, 9, 9, 255]);
        // 1.0, 0.5, -1.0, infinity as halves.
        let halves = [0x3C00u16, 0x3800, 0xBC00, 0x7C00].iter().flat_map(|h| h.to_le_bytes()).collect();
        assert_eq!(to_rgba8(&image(Format::Rgba16f, 1, halves)), [255, 128, 0, 255]);
        let packed = (0x3C0u32 | 0x380 << 11 | 0x1E0 << 22).to_le_bytes().to_vec();
        assert_eq!(to_rgba8(&image(Format::R11g11b10f, 1, packed)), [255, 128, 255, 255]);
    }

    #[test]
    fn depth_is_stretched_over_what_was_drawn() {
        let floats = [0.9f32, 0.95, 1.0].iter().flat_map(|d| d.to_le_bytes()).collect();
        let grey: Vec<u8> = to_rgba8(&image(Format::D32, 3, floats)).chunks(4).map(|p| p[0]).collect();
        assert_eq!(grey, [0, 230, 255]);
    }
}
