use terrace_engine::bytes::{Cursor, FormatError};

/// Longest side of a grid of cells, in cells. The editor's limit is 256.
pub const MAX_SIDE: u32 = 1024;

/// Values in rows from the south, each from west to east.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid<T> {
    /// Values along x.
    pub width: u32,
    /// Values along y.
    pub height: u32,
    /// `width * height` values.
    pub values: Vec<T>,
}

impl<T: Copy + Default> Grid<T> {
    /// The value at a column and row, clamped to the edges; the default where the grid is empty.
    pub fn at(&self, x: i32, y: i32) -> T {
        let clamp = |v: i32, side: u32| v.clamp(0, side.saturating_sub(1) as i32) as usize;
        let index = clamp(y, self.height) * self.width as usize + clamp(x, self.width);
        self.values.get(index).copied().unwrap_or_default()
    }

    /// Reads `width * height` values of `bytes` bytes each.
    ///
    /// # Errors
    /// Fewer bytes than values, before memory is asked for.
    pub(super) fn read(
        c: &mut Cursor<'_>,
        size: [u32; 2],
        bytes: usize,
        field: &str,
        mut value: impl FnMut(&mut Cursor<'_>) -> Result<T, FormatError>,
    ) -> Result<Self, FormatError> {
        let [width, height] = size;
        let count = width as usize * height as usize;
        let mut part = c.sub(count * bytes, field)?;
        let values = (0..count).map(|_| value(&mut part)).collect::<Result<_, _>>()?;
        Ok(Self { width, height, values })
    }
}

/// Width and height, `extra` more than cells a side.
pub(super) fn size(c: &mut Cursor<'_>, extra: u32, field: &str) -> Result<[u32; 2], FormatError> {
    let at = c.offset();
    let (width, height) = (c.u32(field)?, c.u32(field)?);
    let allowed = 1 + extra..=MAX_SIDE + extra;
    if !allowed.contains(&width) || !allowed.contains(&height) {
        let what = format!("{width}x{height}, allowed are {} to {} a side", allowed.start(), allowed.end());
        return Err(FormatError::new(at, field, what));
    }
    Ok([width, height])
}

/// Magic and version.
pub(super) fn header(c: &mut Cursor<'_>, magic: &[u8; 4], versions: &[u32]) -> Result<u32, FormatError> {
    c.magic(magic, "magic")?;
    let at = c.offset();
    let version = c.u32("version")?;
    if versions.contains(&version) {
        return Ok(version);
    }
    Err(FormatError::new(at, "version", format!("{version}, known are {versions:?}")))
}
