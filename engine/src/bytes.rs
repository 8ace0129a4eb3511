//! A bounded little-endian cursor for binary file formats.
//!
//! Every read names the field, so that an error says which field at which offset could not be read. Counts from
//! files go through [`Cursor::count`], which refuses what the bytes that are left cannot hold.

use thiserror::Error;

use crate::diag::Diagnostic;

/// Why a file could not be read, with the place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field} at byte {offset} (0x{offset:x}): {what}")]
pub struct FormatError {
    /// Byte offset from the start of the file.
    pub offset: u64,
    /// The field as the format names it.
    pub field: String,
    /// What is wrong with it.
    pub what: String,
}

impl FormatError {
    /// An error at an offset.
    pub fn new(offset: u64, field: impl Into<String>, what: impl Into<String>) -> Self {
        Self { offset, field: field.into(), what: what.into() }
    }

    /// The diagnostic that names the file as well.
    pub fn in_file(&self, file: &str) -> Diagnostic {
        Diagnostic::error("file.format", format!("{file} cannot be read: {}", self.what)).at_bytes(
            file,
            self.offset,
            self.field.clone(),
        )
    }
}

/// A reading position in a byte slice. All numbers are little-endian.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    data: &'a [u8],
    pos: usize,
    base: u64,
}

macro_rules! number {
    ($(#[$doc:meta])* $name:ident, $type:ty) => {
        $(#[$doc])*
        pub fn $name(&mut self, field: &str) -> Result<$type, FormatError> {
            Ok(<$type>::from_le_bytes(self.array(field)?))
        }
    };
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte.
    pub fn new(data: &'a [u8]) -> Self {
        Self { data, pos: 0, base: 0 }
    }

    /// Starts at the first byte of a part that lies at `base` in its file; offsets in errors count from the file.
    pub fn at(data: &'a [u8], base: u64) -> Self {
        Self { data, pos: 0, base }
    }

    /// Offset of the next byte, from the start of the file.
    pub fn offset(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// Bytes that are left.
    pub fn remaining(&self) -> usize {
        self.data.len() - self.pos
    }

    /// True when nothing is left.
    pub fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    /// An error at the current position.
    pub fn error(&self, field: &str, what: impl Into<String>) -> FormatError {
        FormatError::new(self.offset(), field, what)
    }

    /// The next `len` bytes.
    pub fn bytes(&mut self, len: usize, field: &str) -> Result<&'a [u8], FormatError> {
        if len > self.remaining() {
            return Err(self.error(field, format!("needs {len} bytes, {} are left", self.remaining())));
        }
        let start = self.pos;
        self.pos += len;
        Ok(&self.data[start..self.pos])
    }

    /// The next `len` bytes as a cursor of their own.
    pub fn sub(&mut self, len: usize, field: &str) -> Result<Cursor<'a>, FormatError> {
        let base = self.offset();
        Ok(Cursor::at(self.bytes(len, field)?, base))
    }

    /// All that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        let start = self.pos;
        self.pos = self.data.len();
        &self.data[start..]
    }

    /// Skips `len` bytes.
    pub fn skip(&mut self, len: usize, field: &str) -> Result<(), FormatError> {
        self.bytes(len, field).map(|_| ())
    }

    /// A fixed-size array of bytes.
    pub fn array<const N: usize>(&mut self, field: &str) -> Result<[u8; N], FormatError> {
        let mut out = [0; N];
        out.copy_from_slice(self.bytes(N, field)?);
        Ok(out)
    }

    /// A magic number; the error prints what stands there instead.
    pub fn magic(&mut self, expected: &[u8; 4], field: &str) -> Result<(), FormatError> {
        let at = self.offset();
        let found = self.array::<4>(field)?;
        if &found == expected {
            return Ok(());
        }
        Err(FormatError::new(
            at,
            field,
            format!("expected \"{}\", found \"{}\"", expected.escape_ascii(), found.escape_ascii()),
        ))
    }

    number!(
        /// An unsigned byte.
        u8, u8);
    number!(
        /// An unsigned 16-bit number.
        u16, u16);
    number!(
        /// A signed 16-bit number.
        i16, i16);
    number!(
        /// An unsigned 32-bit number.
        u32, u32);
    number!(
        /// A signed 32-bit number.
        i32, i32);
    number!(
        /// An unsigned 64-bit number.
        u64, u64);
    number!(
        /// A 32-bit float.
        f32, f32);

    /// `N` floats.
    pub fn f32s<const N: usize>(&mut self, field: &str) -> Result<[f32; N], FormatError> {
        let mut out = [0.0; N];
        for v in &mut out {
            *v = self.f32(field)?;
        }
        Ok(out)
    }

    /// A `u32` count of records of at least `record` bytes each; refused when the bytes that are left cannot hold
    /// them, so that it is safe to reserve memory for the result.
    pub fn count(&mut self, record: usize, field: &str) -> Result<usize, FormatError> {
        let at = self.offset();
        let count = self.u32(field)? as usize;
        match count.checked_mul(record.max(1)) {
            Some(bytes) if bytes <= self.remaining() => Ok(count),
            _ => Err(FormatError::new(
                at,
                field,
                format!("counts {count} records of {record} bytes, {} bytes are left", self.remaining()),
            )),
        }
    }

    /// A NUL-terminated string; bytes that are not UTF-8 become the replacement character.
    pub fn c_string(&mut self, field: &str) -> Result<String, FormatError> {
        let left = &self.data[self.pos..];
        let Some(len) = left.iter().position(|&b| b == 0) else {
            return Err(self.error(field, "string without an end"));
        };
        let text = String::from_utf8_lossy(&left[..len]).into_owned();
        self.pos += len + 1;
        Ok(text)
    }

    /// A string in a fixed field, cut at its first NUL.
    pub fn fixed_string(&mut self, len: usize, field: &str) -> Result<String, FormatError> {
        let bytes = self.bytes(len, field)?;
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(len);
        Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_reads_name_field_and_offset() {
        let mut c = Cursor::at(&[1, 2, 3], 100);
        c.u16("version").unwrap();
        let e = c.u32("width").unwrap_err();
        assert_eq!((e.offset, e.field.as_str()), (102, "width"));
        assert_eq!(e.what, "needs 4 bytes, 1 are left");
    }

    #[test]
    fn counts_are_bounded_by_what_is_left() {
        let mut data = 3u32.to_le_bytes().to_vec();
        data.extend([0; 11]);
        assert!(Cursor::new(&data).count(4, "n").is_err());
        data.push(0);
        assert_eq!(Cursor::new(&data).count(4, "n"), Ok(3));
        assert!(Cursor::new(&u32::MAX.to_le_bytes()).count(usize::MAX, "n").is_err());
    }

    #[test]
    fn strings_end_at_nul_and_never_past_the_data() {
        assert_eq!(Cursor::new(b"ab\0c").c_string("s"), Ok("ab".into()));
        assert!(Cursor::new(b"abc").c_string("s").is_err());
        assert_eq!(Cursor::new(b"a\0zz").fixed_string(4, "s"), Ok("a".into()));
    }
}
