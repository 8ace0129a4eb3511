//! `t3SyncTextureInfo`: "RTXT", version 101, size in cells, a count of texture sets, eight NUL-terminated names a set,
//! then eight bytes a cell: the layer that is strongest in the cell, and a set. Found from real files: this reading
//! consumes every one of them exactly, and the layers agree with the masks.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::{Grid, header, size};
use super::texture_masks::{MASK_LAYERS, TextureMasks};

/// Most texture sets.
const MAX_SETS: u32 = 32;

/// The strongest texture of every cell: what footsteps and tyre tracks follow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncTextures {
    /// Ids of CTerrainTex, eight a set; empty names for gaps.
    pub names: Vec<String>,
    /// Layer of 0 to 7 of each cell.
    pub cells: Grid<u8>,
}

impl SyncTextures {
    /// Reads the file.
    ///
    /// # Errors
    /// Another magic or version, a side or count out of range, names without an end, or fewer bytes than cells.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        header(&mut c, b"RTXT", &[101])?;
        let size = size(&mut c, 0, "size in cells")?;
        let at = c.offset();
        let sets = c.u32("set count")?;
        if sets > MAX_SETS {
            return Err(FormatError::new(at, "set count", format!("{sets}, {MAX_SETS} are allowed")));
        }
        let names = (0..sets as usize * MASK_LAYERS).map(|_| c.c_string("texture id")).collect::<Result<_, _>>()?;
        let cells = Grid::read(&mut c, size, 8, "cells", |c| {
            let layer = c.u32("layer")?;
            c.skip(4, "set")?;
            Ok(layer.min(MASK_LAYERS as u32 - 1) as u8)
        })?;
        Ok(Self { names, cells })
    }

    /// Masks of one texel a cell, for a map whose own are missing.
    pub fn masks(&self) -> TextureMasks {
        TextureMasks::from_layers(self.cells.width, self.cells.height, &self.cells.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_layers_are_read_and_become_masks() {
        let mut bytes = b"RTXT".to_vec();
        bytes.extend([101u32, 2, 1, 1].iter().flat_map(|v| v.to_le_bytes()));
        bytes.extend(b"Grass\0Dirt\0\0\0\0\0\0\0");
        bytes.extend([1u32, 0, 0, 0].iter().flat_map(|v| v.to_le_bytes()));
        let textures = SyncTextures::parse(&bytes).unwrap();
        assert_eq!((&textures.names[1], textures.names.len()), (&"Dirt".to_owned(), 8));
        let masks = textures.masks();
        assert_eq!([masks.normalized(0, 0)[1], masks.normalized(1, 0)[0]], [255, 255]);
        bytes.pop();
        assert_eq!(SyncTextures::parse(&bytes).unwrap_err().field, "cells");
    }
}
