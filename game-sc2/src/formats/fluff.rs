//! `t3FluffDoodad`: "DLFT", version 103, a count, 16 bytes, then nine bytes a doodad.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::header;

/// A small plant or stone that the editor strews.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fluff {
    /// Position, world units.
    pub at: [f32; 2],
    /// Index in the list of the ground texture it grows on.
    pub kind: u8,
}

/// The fluff of a map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FluffDoodads {
    /// Doodads in the file's order.
    pub doodads: Vec<Fluff>,
}

impl FluffDoodads {
    /// Reads the file.
    ///
    /// # Errors
    /// Another magic or version, or more doodads than bytes.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        header(&mut c, b"DLFT", &[103])?;
        let at = c.offset();
        let count = c.u32("doodad count")? as usize;
        c.skip(16, "header")?;
        if count > c.remaining() / 9 {
            let what = format!("{count} doodads of 9 bytes, {} bytes are left", c.remaining());
            return Err(FormatError::new(at, "doodad count", what));
        }
        let doodads = (0..count)
            .map(|_| Ok(Fluff { at: c.f32s::<2>("position")?, kind: c.u8("kind")? }))
            .collect::<Result<_, _>>()?;
        Ok(Self { doodads })
    }
}
