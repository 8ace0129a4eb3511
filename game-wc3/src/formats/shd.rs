//! `war3map.shd`, the baked shadow: no header, four by four bytes a tile, 0 or 255, row by row from the south.

use terrace_engine::diag::Diagnostic;
use thiserror::Error;

/// Shadow texels along one side of a tile.
pub const TEXELS_PER_TILE: u32 = 4;

/// A baked shadow, one byte a texel: 255 is in shadow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shd {
    /// Texels from west to east: four a tile.
    pub width: u32,
    /// Texels from south to north: four a tile.
    pub height: u32,
    /// Row by row from the south, west to east.
    pub texels: Vec<u8>,
}

/// The file's length does not fit the terrain. The map is shown without baked shadows then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("war3map.shd has {found} bytes, {width} x {height} texels need {expected}")]
pub struct ShdLengthError {
    /// Bytes of the file.
    pub found: usize,
    /// Bytes that the terrain needs.
    pub expected: usize,
    /// Texels along x.
    pub width: u32,
    /// Texels along y.
    pub height: u32,
}

impl ShdLengthError {
    /// The warning that goes with the fallback to no shadow.
    pub fn in_file(&self, file: &str) -> Diagnostic {
        Diagnostic::warning(
            "wc3.shadow-size",
            format!("the baked shadow has {} bytes, {} are needed", self.found, self.expected),
        )
        .at_bytes(file, self.found.min(self.expected) as u64, "texels")
        .help("the map is shown without baked shadows; save it in the world editor with shadows to get them back")
    }
}

impl Shd {
    /// Reads the shadow of a terrain of `tiles_x` by `tiles_y` tiles.
    ///
    /// # Errors
    /// Any other length than 16 bytes a tile; the caller reports it and uses [`Shd::empty`].
    pub fn parse(bytes: &[u8], tiles_x: u32, tiles_y: u32) -> Result<Self, ShdLengthError> {
        let (width, height) = (tiles_x * TEXELS_PER_TILE, tiles_y * TEXELS_PER_TILE);
        let expected = width as usize * height as usize;
        if bytes.len() != expected {
            return Err(ShdLengthError { found: bytes.len(), expected, width, height });
        }
        Ok(Self { width, height, texels: bytes.to_vec() })
    }

    /// No shadow anywhere.
    pub fn empty(tiles_x: u32, tiles_y: u32) -> Self {
        let (width, height) = (tiles_x * TEXELS_PER_TILE, tiles_y * TEXELS_PER_TILE);
        Self { width, height, texels: vec![0; width as usize * height as usize] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_length_is_a_warning_and_not_a_failure() {
        assert_eq!(Shd::parse(&[255; 96], 3, 2).unwrap().height, 8);
        let e = Shd::parse(&[255; 95], 3, 2).unwrap_err();
        assert_eq!((e.found, e.expected), (95, 96));
        assert_eq!(e.in_file("war3map.shd").severity, terrace_engine::diag::Severity::Warning);
        assert_eq!(Shd::empty(3, 2).texels, [0; 96]);
    }
}
