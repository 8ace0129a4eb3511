//! Block-compressed texels. Layout: DXT/BC formats, 4x4 texels a block.

use super::Mip;
use crate::bytes::{Cursor, FormatError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// One bit of alpha; `opaque` files mean none.
    Bc1 {
        opaque: bool,
    },
    Bc2,
    Bc3,
    /// One component: red, with green and blue 0.
    Bc4 {
        signed: bool,
    },
    /// Two components: red and green, with blue 0.
    Bc5 {
        signed: bool,
    },
    Bc7,
}

impl Block {
    pub(super) fn has_alpha(self) -> bool {
        matches!(self, Self::Bc1 { opaque: false } | Self::Bc2 | Self::Bc3 | Self::Bc7)
    }

    fn bytes(self) -> usize {
        if matches!(self, Self::Bc1 { .. } | Self::Bc4 { .. }) { 8 } else { 16 }
    }

    /// One block as 16 RGBA texels.
    fn decode(self, block: &[u8]) -> [u8; 64] {
        let mut out = [0; 64];
        let mut narrow = [0; 32];
        match self {
            Self::Bc1 { .. } => bcdec_rs::bc1(block, &mut out, 16),
            Self::Bc2 => bcdec_rs::bc2(block, &mut out, 16),
            Self::Bc3 => bcdec_rs::bc3(block, &mut out, 16),
            Self::Bc7 => bcdec_rs::bc7(block, &mut out, 16),
            Self::Bc4 { signed } => {
                bcdec_rs::bc4(block, &mut narrow, 4, signed);
                out.chunks_exact_mut(4).zip(&narrow).for_each(|(texel, &r)| texel.copy_from_slice(&[r, 0, 0, 255]));
            }
            Self::Bc5 { signed } => {
                bcdec_rs::bc5(block, &mut narrow, 8, signed);
                for (texel, rg) in out.chunks_exact_mut(4).zip(narrow.chunks_exact(2)) {
                    texel.copy_from_slice(&[rg[0], rg[1], 0, 255]);
                }
            }
        }
        if self == (Self::Bc1 { opaque: true }) {
            out.chunks_exact_mut(4).for_each(|texel| texel[3] = 255);
        }
        out
    }

    /// The next level of a file.
    pub(super) fn level(self, c: &mut Cursor<'_>, width: u32, height: u32, field: &str) -> Result<Mip, FormatError> {
        let (w, h) = (width as usize, height as usize);
        let data = c.bytes(w.div_ceil(4) * h.div_ceil(4) * self.bytes(), field)?;
        let mut rgba = vec![0; w * h * 4];
        for (i, block) in data.chunks_exact(self.bytes()).enumerate() {
            let (x, y) = (i % w.div_ceil(4) * 4, i / w.div_ceil(4) * 4);
            let texels = self.decode(block);
            let len = 4.min(w - x) * 4;
            for row in 0..4.min(h - y) {
                let at = ((y + row) * w + x) * 4;
                rgba[at..at + len].copy_from_slice(&texels[row * 16..row * 16 + len]);
            }
        }
        Ok(Mip { width, height, rgba })
    }
}
