//! `t3Water`: "WATR", version 110, a count, 20 bytes, then areas of 56 bytes.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::header;

/// A rectangle of water.
#[derive(Clone, Debug, PartialEq)]
pub struct WaterArea {
    /// Id of a CWater.
    pub water: String,
    /// South-west corner, world units.
    pub min: [f32; 2],
    /// North-east corner, world units.
    pub max: [f32; 2],
}

/// The water of a map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaterAreas {
    /// Areas in the file's order.
    pub areas: Vec<WaterArea>,
}

impl WaterAreas {
    /// Reads the file.
    ///
    /// # Errors
    /// Another magic or version, more areas than bytes, or corners that are not finite.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        header(&mut c, b"WATR", &[110])?;
        let at = c.offset();
        let count = c.u32("area count")? as usize;
        c.skip(20, "header")?;
        if count > c.remaining() / 56 {
            let what = format!("{count} areas of 56 bytes, {} bytes are left", c.remaining());
            return Err(FormatError::new(at, "area count", what));
        }
        let areas = (0..count).map(|_| area(&mut c)).collect::<Result<_, _>>()?;
        Ok(Self { areas })
    }
}

fn area(c: &mut Cursor<'_>) -> Result<WaterArea, FormatError> {
    // What follows the NUL is whatever lay in the editor's memory.
    let water = c.fixed_string(40, "water id")?;
    let at = c.offset();
    let [x0, y0, x1, y1] = c.f32s::<4>("corners")?;
    if ![x0, y0, x1, y1].iter().all(|v| v.is_finite() && v.abs() < 1e6) {
        return Err(FormatError::new(at, "corners", format!("{x0}, {y0}, {x1}, {y1}")));
    }
    Ok(WaterArea { water, min: [x0.min(x1), y0.min(y1)], max: [x0.max(x1), y0.max(y1)] })
}
