//! `t3TextureMasks`: "MASK", version 102, a number, size in texels (at byte 12), 44 bytes, then eight layers of 4-bit
//! weights. A layer lies in blocks of 64x64 texels, 32 bytes a row, the even texel in the high bits.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::{MAX_SIDE, header};

/// Layers of a mask.
pub const MASK_LAYERS: usize = 8;
/// Texels along one side of a block.
const BLOCK: usize = 64;
/// Bytes of a block.
const BLOCK_BYTES: usize = BLOCK * BLOCK / 2;
/// Most texels a side: 8 a cell.
const MAX_TEXELS: u32 = MAX_SIDE * 8;
/// Most texels of a mask: 8 a cell of a map of 512x512 cells.
const MAX_AREA: u64 = 1 << 24;

/// Weights of the ground's texture layers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextureMasks {
    /// Texels along x, 8 a cell.
    pub width: u32,
    /// Texels along y.
    pub height: u32,
    /// Eight layers of `width * height` weights of 0 to 15, row by row from the south.
    layers: Vec<u8>,
}

impl TextureMasks {
    /// Reads the file.
    ///
    /// # Errors
    /// Another magic or version, sides out of range, or a size that is neither that of blocks nor of plain rows.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        header(&mut c, b"MASK", &[102])?;
        c.skip(4, "header")?;
        let at = c.offset();
        let (width, height) = (c.u32("size in texels")?, c.u32("size in texels")?);
        let area = u64::from(width) * u64::from(height);
        if width == 0 || height == 0 || width > MAX_TEXELS || height > MAX_TEXELS || area > MAX_AREA {
            return Err(FormatError::new(at, "size in texels", format!("{width}x{height} texels")));
        }
        c.skip(44, "header")?;
        let (w, h) = (width as usize, height as usize);
        let blocked = w.div_ceil(BLOCK) * h.div_ceil(BLOCK) * BLOCK_BYTES;
        let plain = (w * h).div_ceil(2);
        let (start, left) = (c.offset(), c.remaining());
        let data = c.rest();
        let bytes = match left {
            _ if left >= blocked * MASK_LAYERS => blocked,
            _ if left == plain * MASK_LAYERS => plain,
            _ => {
                let what = format!("{left} bytes, eight layers of {blocked} are needed");
                return Err(FormatError::new(start, "layers", what));
            }
        };
        let mut layers = Vec::with_capacity(w * h * MASK_LAYERS);
        for layer in data.chunks_exact(bytes).take(MASK_LAYERS) {
            unpack(layer, w, h, bytes == blocked, &mut layers);
        }
        Ok(Self { width, height, layers })
    }

    /// Masks in which each texel is all of one layer. There are `width * height` layers.
    pub(super) fn from_layers(width: u32, height: u32, texels: &[u8]) -> Self {
        let weight = |layer: usize| texels.iter().map(move |t| if usize::from(*t) == layer { 15 } else { 0 });
        Self { width, height, layers: (0..MASK_LAYERS).flat_map(weight).collect() }
    }

    /// The weight of a layer, 0 to 15; texels outside are clamped to the edge.
    pub fn weight(&self, layer: usize, x: u32, y: u32) -> u8 {
        let (w, h) = (self.width as usize, self.height as usize);
        let (x, y) = ((x as usize).min(w.saturating_sub(1)), (y as usize).min(h.saturating_sub(1)));
        self.layers.get((layer * h + y) * w + x).copied().unwrap_or(0)
    }

    /// The weights of all layers as bytes with a sum of about 255; a texel without weights is all of layer 0.
    pub fn normalized(&self, x: u32, y: u32) -> [u8; MASK_LAYERS] {
        let mut weights = [0u8; MASK_LAYERS];
        for (layer, weight) in weights.iter_mut().enumerate() {
            *weight = self.weight(layer, x, y);
        }
        let sum: u32 = weights.iter().map(|w| u32::from(*w)).sum();
        if sum == 0 {
            weights[0] = 255;
            return weights;
        }
        weights.map(|w| ((u32::from(w) * 255 + sum / 2) / sum) as u8)
    }
}

fn unpack(layer: &[u8], w: usize, h: usize, blocked: bool, out: &mut Vec<u8>) {
    let across = w.div_ceil(BLOCK);
    for y in 0..h {
        for x in 0..w {
            let index = if blocked {
                ((y / BLOCK) * across + x / BLOCK) * BLOCK * BLOCK + (y % BLOCK) * BLOCK + x % BLOCK
            } else {
                y * w + x
            };
            let pair = layer[index / 2];
            out.push(if index % 2 == 0 { pair >> 4 } else { pair & 15 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(width: u32, height: u32, data: &[u8]) -> Vec<u8> {
        let mut out = b"MASK".to_vec();
        out.extend([102, 0, width, height].iter().flat_map(|v: &u32| v.to_le_bytes()));
        out.resize(64, 0);
        out.extend(data);
        out
    }

    #[test]
    fn weights_lie_in_blocks_with_the_even_texel_in_the_high_bits() {
        let mut data = vec![0; 2 * BLOCK_BYTES * MASK_LAYERS];
        data[0] = 0x3C;
        // Layer 1, second block (texels 64 and 65), row 1.
        data[2 * BLOCK_BYTES + BLOCK_BYTES + 32] = 0x5A;
        let masks = TextureMasks::parse(&file(128, 64, &data)).unwrap();
        assert_eq!([masks.weight(0, 0, 0), masks.weight(0, 1, 0), masks.weight(0, 2, 0)], [3, 12, 0]);
        assert_eq!([masks.weight(1, 64, 1), masks.weight(1, 65, 1), masks.weight(1, 64, 0)], [5, 10, 0]);
    }

    #[test]
    fn weights_are_normalized_and_nothing_is_the_first_layer() {
        let mut data = vec![0; BLOCK_BYTES * MASK_LAYERS];
        data[0] = 0x50;
        data[7 * BLOCK_BYTES] = 0xF0;
        let masks = TextureMasks::parse(&file(64, 64, &data)).unwrap();
        assert_eq!(masks.normalized(0, 0), [64, 0, 0, 0, 0, 0, 0, 191]);
        assert_eq!(masks.normalized(1, 0), [255, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn plain_rows_are_read_and_other_sizes_refused() {
        let mut data = vec![0; 8 * 8 / 2 * MASK_LAYERS];
        data[4] = 0x70;
        let masks = TextureMasks::parse(&file(8, 8, &data)).unwrap();
        assert_eq!(masks.weight(0, 0, 1), 7);
        data.pop();
        assert_eq!(TextureMasks::parse(&file(8, 8, &data)).unwrap_err().offset, 64);
        assert_eq!(TextureMasks::parse(&file(u32::MAX, 1, &data)).unwrap_err().offset, 12);
    }
}
