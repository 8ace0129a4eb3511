//! Packing of vertex attributes.

use glam::{Vec2, Vec3};

fn unorm8(v: f32) -> u8 {
    (v.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn snorm8(v: f32) -> i8 {
    (v.clamp(-1.0, 1.0) * 127.0).round() as i8
}

/// A direction as four signed bytes, the last 0.
pub fn snorm8x4(v: Vec3) -> [i8; 4] {
    [snorm8(v.x), snorm8(v.y), snorm8(v.z), 0]
}

/// A colour as four bytes.
pub fn unorm8x4(rgba: [f32; 4]) -> [u8; 4] {
    rgba.map(unorm8)
}

/// Texture coordinates within 0 to 1 as two 16-bit numbers.
pub fn unorm16x2(uv: Vec2) -> [u16; 2] {
    [uv.x, uv.y].map(|v| (v.clamp(0.0, 1.0) * 65535.0).round() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_values_keep_their_ends_and_clamp() {
        assert_eq!(snorm8x4(Vec3::new(-1.0, 0.0, 2.0)), [-127, 0, 127, 0]);
        assert_eq!(unorm8x4([0.0, 1.0, 0.5, -1.0]), [0, 255, 128, 0]);
        assert_eq!(unorm16x2(Vec2::new(1.0, 0.0)), [65535, 0]);
    }
}
