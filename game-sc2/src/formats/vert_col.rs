//! `t3VertCol`: "VTCL", version 104, a count, 20 bytes, then blocks: a hash, a kind, two corners in cells, 8 bytes, a
//! count, and a byte of brightness a vertex. Found from real files: this reading consumes every one of them exactly.
//! Blocks of kind 1 are 4x4 cells of the ground with 5x5 vertices; kinds 2 and 4 are cliff and ramp pieces, whose hash
//! names the mesh.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::{Grid, MAX_SIDE, header};

/// Bytes of a block without its vertices.
const BLOCK_BYTES: usize = 36;

/// What a block colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorBlockKind {
    /// Vertices of the ground, row by row from the south.
    Ground,
    /// Vertices of a cliff piece.
    Cliff,
    /// Vertices of a ramp piece.
    Ramp,
    /// A kind that was not seen.
    Other(u32),
}

/// One block.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorBlock {
    /// Hash of the mesh; 0 for the ground.
    pub mesh: u32,
    /// What it colours.
    pub kind: ColorBlockKind,
    /// South-west corner in cells.
    pub min: [f32; 2],
    /// North-east corner in cells.
    pub max: [f32; 2],
    /// Brightness of each vertex, 255 is full.
    pub brightness: Vec<u8>,
}

/// Baked brightness of vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexColors {
    /// Blocks in the file's order.
    pub blocks: Vec<ColorBlock>,
}

impl VertexColors {
    /// Reads the file.
    ///
    /// # Errors
    /// Another magic or version, or counts above the bytes that are left.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        header(&mut c, b"VTCL", &[104])?;
        let at = c.offset();
        let count = c.u32("block count")? as usize;
        c.skip(20, "header")?;
        if count > c.remaining() / BLOCK_BYTES {
            let what = format!("{count} blocks of {BLOCK_BYTES} bytes, {} bytes are left", c.remaining());
            return Err(FormatError::new(at, "block count", what));
        }
        let blocks = (0..count).map(|_| block(&mut c)).collect::<Result<_, _>>()?;
        Ok(Self { blocks })
    }

    /// Brightness of the ground's points, `size` of them; points without a block are full.
    pub fn ground(&self, size: [u32; 2]) -> Grid<u8> {
        let [width, height] = size.map(|s| s.min(MAX_SIDE + 1));
        let mut values = vec![255; width as usize * height as usize];
        for block in self.blocks.iter().filter(|b| b.kind == ColorBlockKind::Ground) {
            let side = |axis: usize| (block.max[axis] - block.min[axis]).round().clamp(0.0, 64.0) as usize + 1;
            let (columns, rows) = (side(0), side(1));
            if columns * rows != block.brightness.len() {
                continue;
            }
            let corner = block.min.map(|v| v.round().clamp(0.0, 1e6) as usize);
            for (i, brightness) in block.brightness.iter().enumerate() {
                let (x, y) = (corner[0] + i % columns, corner[1] + i / columns);
                if x < width as usize && y < height as usize {
                    values[y * width as usize + x] = *brightness;
                }
            }
        }
        Grid { width, height, values }
    }
}

fn block(c: &mut Cursor<'_>) -> Result<ColorBlock, FormatError> {
    let mesh = c.u32("mesh hash")?;
    let kind = match c.u32("block kind")? {
        1 => ColorBlockKind::Ground,
        2 => ColorBlockKind::Cliff,
        4 => ColorBlockKind::Ramp,
        other => ColorBlockKind::Other(other),
    };
    let [x0, y0, x1, y1] = c.f32s::<4>("corners")?;
    c.skip(8, "block")?;
    let count = c.count(1, "vertex count")?;
    let brightness = c.bytes(count, "brightness")?.to_vec();
    Ok(ColorBlock { mesh, kind, min: [x0, y0], max: [x1, y1], brightness })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_blocks_paint_their_points() {
        let mut bytes = b"VTCL".to_vec();
        bytes.extend([104u32, 1, 0, 0, 0, 0, 0, 0, 1].iter().flat_map(|v| v.to_le_bytes()));
        bytes.extend([4f32, 0.0, 8.0, 4.0, 0.0, 0.0].iter().flat_map(|v| v.to_le_bytes()));
        bytes.extend(25u32.to_le_bytes());
        bytes.extend(0..25u8);
        let colors = VertexColors::parse(&bytes).unwrap();
        let ground = colors.ground([9, 5]);
        assert_eq!([ground.at(3, 0), ground.at(4, 0), ground.at(8, 0), ground.at(4, 1)], [255, 0, 4, 5]);
        bytes.pop();
        assert_eq!(VertexColors::parse(&bytes).unwrap_err().field, "vertex count");
    }
}
