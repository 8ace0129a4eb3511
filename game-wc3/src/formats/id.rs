//! Four-character codes.

use std::fmt;

use serde::{Serialize, Serializer};

/// A four-character code: a ground tile, cliff type, doodad, unit or item. Case matters, as in the game.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileId(pub [u8; 4]);

impl TileId {
    /// The code of a text. Shorter texts are padded with NUL; `None` when it is longer than four bytes.
    pub fn from_text(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut out = [0; 4];
        out.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(Self(out))
    }

    /// True when no byte but NUL and blanks is in it (blank ids occur in real tile lists).
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(|b| matches!(b, 0 | b' '))
    }
}

/// The text without trailing NULs; bytes that do not print are escaped.
impl fmt::Display for TileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.0.iter().rposition(|&b| b != 0).map_or(0, |i| i + 1);
        fmt::Display::fmt(&self.0[..end].escape_ascii(), f)
    }
}

impl fmt::Debug for TileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl Serialize for TileId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<[u8; 4]> for TileId {
    fn from(bytes: [u8; 4]) -> Self {
        Self(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_print_as_text_and_escape_what_does_not_print() {
        assert_eq!(TileId(*b"Ldrt").to_string(), "Ldrt");
        assert_eq!(TileId(*b"Ab\0\0").to_string(), "Ab");
        assert_eq!(TileId([b'A', 1, b'b', 0xff]).to_string(), "A\\x01b\\xff");
        assert_eq!(TileId::from_text("CLdi"), Some(TileId(*b"CLdi")));
        assert_eq!(TileId::from_text("too long"), None);
        assert!(TileId([0; 4]).is_blank() && !TileId(*b"Ldrt").is_blank());
    }
}
