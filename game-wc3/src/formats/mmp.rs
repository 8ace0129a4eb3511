//! `war3map.mmp`, icons on the minimap: an unknown number that is 0, a count, then 16-byte icons.

use terrace_engine::bytes::{Cursor, FormatError};

/// What an icon stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IconKind {
    /// A gold mine.
    GoldMine,
    /// A neutral building.
    House,
    /// A player's start.
    StartLocation,
    /// Any other number.
    Other(u32),
}

/// An icon on the minimap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icon {
    /// What it stands for.
    pub kind: IconKind,
    /// Minimap texel from the left, 0x10..0xF0 on a 256-texel minimap.
    pub x: u32,
    /// Minimap texel from the top.
    pub y: u32,
    /// Red, green, blue, alpha (stored blue first).
    pub color: [u8; 4],
}

/// Reads the icons.
///
/// # Errors
/// A count that the bytes cannot hold.
pub fn parse(bytes: &[u8]) -> Result<Vec<Icon>, FormatError> {
    let mut c = Cursor::new(bytes);
    c.u32("unknown")?;
    let count = c.count(16, "icons")?;
    let mut icons = Vec::with_capacity(count);
    for _ in 0..count {
        let kind = match c.u32("icon.type")? {
            0 => IconKind::GoldMine,
            1 => IconKind::House,
            2 => IconKind::StartLocation,
            other => IconKind::Other(other),
        };
        let (x, y) = (c.u32("icon.x")?, c.u32("icon.y")?);
        let [b, g, r, a] = c.array("icon.color")?;
        icons.push(Icon { kind, x, y, color: [r, g, b, a] });
    }
    Ok(icons)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn icons_store_blue_first_and_counts_are_bounded() {
        let mut bytes = vec![0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0x20, 0, 0, 0, 0x30, 0, 0, 0, 1, 2, 3, 4];
        let icon = Icon { kind: IconKind::StartLocation, x: 0x20, y: 0x30, color: [3, 2, 1, 4] };
        assert_eq!(parse(&bytes).unwrap(), [icon]);
        bytes[7] = 0x7f;
        assert_eq!(parse(&bytes).unwrap_err().offset, 4);
    }
}
