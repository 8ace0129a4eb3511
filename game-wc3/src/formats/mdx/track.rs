//! Animation tracks: keys over time with an interpolation and maybe a global sequence.

use terrace_engine::bytes::{Cursor, FormatError};

/// How values between two keys are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// The value of the key before.
    #[default]
    None,
    /// Linear; spherical for rotations.
    Linear,
    /// Hermite with the stored tangents.
    Hermite,
    /// Bezier with the stored tangents.
    Bezier,
}

impl Interpolation {
    /// True when keys carry two tangents.
    pub fn has_tangents(self) -> bool {
        matches!(self, Self::Hermite | Self::Bezier)
    }
}

/// A value that tracks animate.
pub trait TrackValue: Copy + Default + PartialEq + std::fmt::Debug {
    /// Bytes of one value.
    const SIZE: usize;

    /// Reads one value.
    ///
    /// # Errors
    /// Fewer bytes than [`TrackValue::SIZE`].
    fn read(cursor: &mut Cursor<'_>, field: &str) -> Result<Self, FormatError>;

    /// True when no part of it is infinite or not a number.
    fn is_finite(&self) -> bool;
}

impl TrackValue for f32 {
    const SIZE: usize = 4;

    fn read(cursor: &mut Cursor<'_>, field: &str) -> Result<Self, FormatError> {
        cursor.f32(field)
    }

    fn is_finite(&self) -> bool {
        f32::is_finite(*self)
    }
}

impl TrackValue for u32 {
    const SIZE: usize = 4;

    fn read(cursor: &mut Cursor<'_>, field: &str) -> Result<Self, FormatError> {
        cursor.u32(field)
    }

    fn is_finite(&self) -> bool {
        true
    }
}

macro_rules! vector {
    ($n:literal) => {
        impl TrackValue for [f32; $n] {
            const SIZE: usize = 4 * $n;

            fn read(cursor: &mut Cursor<'_>, field: &str) -> Result<Self, FormatError> {
                cursor.f32s(field)
            }

            fn is_finite(&self) -> bool {
                self.iter().all(|v| v.is_finite())
            }
        }
    };
}
vector!(3);
vector!(4);

/// A key of a track.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Key<T> {
    /// Milliseconds; negative times occur.
    pub time: i32,
    /// Value.
    pub value: T,
    /// Tangent before the key; default where the interpolation has none.
    pub in_tan: T,
    /// Tangent after the key; default where the interpolation has none.
    pub out_tan: T,
}

/// A track: keys in ascending time.
///
/// Only keys inside the running sequence count, or inside 0..length of the global sequence where one is named.
#[derive(Clone, Debug, PartialEq)]
pub struct Track<T> {
    /// Interpolation.
    pub interpolation: Interpolation,
    /// Index into the model's global sequences.
    pub global_sequence: Option<usize>,
    /// Keys in ascending time.
    pub keys: Vec<Key<T>>,
}

impl<T: TrackValue> Track<T> {
    /// Reads count, interpolation, global sequence and keys. Keys that are out of order are sorted, keys whose value
    /// is not finite are dropped.
    ///
    /// # Errors
    /// An interpolation above 3, or a count that the bytes that are left cannot hold.
    pub fn read(c: &mut Cursor<'_>, field: &str) -> Result<Self, FormatError> {
        let count_at = c.offset();
        let count = c.u32(field)? as usize;
        let at = c.offset();
        let interpolation = match c.u32(field)? {
            0 => Interpolation::None,
            1 => Interpolation::Linear,
            2 => Interpolation::Hermite,
            3 => Interpolation::Bezier,
            other => {
                return Err(FormatError::new(at, field, format!("interpolation {other} is unknown; 0 to 3 are known")));
            }
        };
        let global_sequence = usize::try_from(c.i32(field)?).ok();
        let size = 4 + T::SIZE * if interpolation.has_tangents() { 3 } else { 1 };
        if count > c.remaining() / size {
            return Err(FormatError::new(
                count_at,
                field,
                format!("counts {count} keys of {size} bytes, {} bytes are left", c.remaining()),
            ));
        }
        let mut keys = Vec::with_capacity(count);
        for _ in 0..count {
            let mut key = Key { time: c.i32(field)?, value: T::read(c, field)?, ..Key::default() };
            if interpolation.has_tangents() {
                key.in_tan = T::read(c, field)?;
                key.out_tan = T::read(c, field)?;
            }
            if key.value.is_finite() && key.in_tan.is_finite() && key.out_tan.is_finite() {
                keys.push(key);
            }
        }
        // Stable, so that of two keys at one time the later stored stays the later one.
        keys.sort_by_key(|k| k.time);
        Ok(Self { interpolation, global_sequence, keys })
    }

    /// The same keys with another value each, tangents included.
    pub fn map(mut self, f: impl Fn(T) -> T) -> Self {
        for key in &mut self.keys {
            *key = Key { time: key.time, value: f(key.value), in_tan: f(key.in_tan), out_tan: f(key.out_tan) };
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(count: u32, interpolation: u32, global: i32, values: &[(i32, &[f32])]) -> Vec<u8> {
        let mut b = [count, interpolation, global as u32].iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
        for (time, floats) in values {
            b.extend(time.to_le_bytes());
            b.extend(floats.iter().flat_map(|v| v.to_le_bytes()));
        }
        b
    }

    #[test]
    fn tangents_belong_to_hermite_and_bezier_only() {
        let b = bytes(1, 2, 4, &[(-5, &[1.0, 2.0, 3.0])]);
        let t = Track::<f32>::read(&mut Cursor::new(&b), "KGAO").unwrap();
        assert_eq!(t.keys, [Key { time: -5, value: 1.0, in_tan: 2.0, out_tan: 3.0 }]);
        assert_eq!(t.global_sequence, Some(4));
        let b = bytes(2, 1, -1, &[(9, &[1.0]), (3, &[2.0])]);
        let t = Track::<f32>::read(&mut Cursor::new(&b), "KGAO").unwrap();
        assert_eq!((t.keys[0].time, t.keys[0].value, t.global_sequence), (3, 2.0, None));
    }

    #[test]
    fn counts_that_lie_are_errors_at_the_count() {
        let b = bytes(u32::MAX, 1, -1, &[(0, &[0.0; 3])]);
        let e = Track::<[f32; 3]>::read(&mut Cursor::at(&b, 50), "KGTR").unwrap_err();
        assert_eq!((e.offset, e.field.as_str()), (50, "KGTR"));
        assert!(Track::<f32>::read(&mut Cursor::new(&bytes(0, 7, -1, &[])), "KGAO").is_err());
    }

    #[test]
    fn keys_that_are_not_finite_are_dropped() {
        let b = bytes(2, 1, -1, &[(0, &[f32::NAN]), (1, &[2.0])]);
        assert_eq!(Track::<f32>::read(&mut Cursor::new(&b), "KGAO").unwrap().keys.len(), 1);
    }
}
