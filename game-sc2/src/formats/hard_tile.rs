//! `t3HardTile`: "HRDT", version 102, 16 bytes, a count of blocks (at byte 24). A block is a count, points of 58 bytes,
//! a separator, the NUL-terminated id of a CTile, and 4 bytes. The id's length varies: a fixed field of 12 bytes, as some
//! descriptions have it, shifts the next block by one byte.

use terrace_engine::bytes::{Cursor, FormatError};

use super::grid::header;

/// Most points of a file.
pub const MAX_HARD_TILE_POINTS: usize = 16_384;
/// Bytes of a point.
const POINT_BYTES: usize = 58;
/// Bytes between the points and the id.
const SEPARATOR: usize = 3;
/// Longest id.
const MAX_ID: usize = 256;
/// Flag of a chain's first point.
pub const POINT_START: u16 = 0x1;
/// Flag of a chain's last point.
pub const POINT_END: u16 = 0x100;

/// A control point of a road.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HardTilePoint {
    /// Centre of the road's surface, world space.
    pub center: [f32; 3],
    /// Surface normal.
    pub normal: [f32; 3],
    /// Offset of the handle towards the previous point, world units.
    pub start: [f32; 3],
    /// Offset of the handle towards the next point, world units.
    pub end: [f32; 3],
    /// Half of the road's width, world units.
    pub half_width: f32,
    /// How far above and below the surface the road reaches, world units.
    pub depth: f32,
    /// [`POINT_START`], [`POINT_END`].
    pub flags: u16,
}

/// Points with one tile.
#[derive(Clone, Debug, PartialEq)]
pub struct HardTile {
    /// Id of a CTile.
    pub tile: String,
    /// Control points in their order.
    pub points: Vec<HardTilePoint>,
}

/// The roads of a map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HardTiles {
    /// Blocks in the file's order.
    pub tiles: Vec<HardTile>,
}

impl HardTiles {
    /// Reads the file. The whole file is walked and checked before anything is kept: a bad file gives no roads.
    ///
    /// # Errors
    /// Another magic or version, counts above the limits or the bytes that are left, an id without an end, numbers that
    /// are not finite, or bytes after the last block.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        header(&mut c, b"HRDT", &[102])?;
        c.skip(16, "header")?;
        let blocks = c.count(4 + SEPARATOR + 1 + 4, "block count")?;
        walk(c.clone(), blocks)?;
        let tiles = (0..blocks).map(|_| block(&mut c)).collect::<Result<_, _>>()?;
        Ok(Self { tiles })
    }
}

/// Checks every block without keeping one.
fn walk(mut c: Cursor<'_>, blocks: usize) -> Result<(), FormatError> {
    let mut total = 0;
    for _ in 0..blocks {
        let at = c.offset();
        let count = c.count(POINT_BYTES, "point count")?;
        total += count;
        if total > MAX_HARD_TILE_POINTS {
            let what = format!("{total} points, {MAX_HARD_TILE_POINTS} are allowed");
            return Err(FormatError::new(at, "point count", what));
        }
        for _ in 0..count {
            point(&mut c)?;
        }
        id(&mut c)?;
    }
    if c.is_empty() { Ok(()) } else { Err(c.error("end of file", format!("{} bytes are left over", c.remaining()))) }
}

fn block(c: &mut Cursor<'_>) -> Result<HardTile, FormatError> {
    let count = c.count(POINT_BYTES, "point count")?;
    let points = (0..count).map(|_| point(c)).collect::<Result<_, _>>()?;
    Ok(HardTile { points, tile: id(c)? })
}

fn point(c: &mut Cursor<'_>) -> Result<HardTilePoint, FormatError> {
    let at = c.offset();
    let v = c.f32s::<14>("point")?;
    if v.iter().any(|x| !x.is_finite()) {
        return Err(FormatError::new(at, "point", "a number that is not finite"));
    }
    let xyz = |i: usize| [v[i], v[i + 1], v[i + 2]];
    Ok(HardTilePoint {
        center: xyz(0),
        normal: xyz(3),
        start: xyz(6),
        end: xyz(9),
        half_width: v[12],
        depth: v[13],
        flags: c.u16("point flags")?,
    })
}

fn id(c: &mut Cursor<'_>) -> Result<String, FormatError> {
    c.skip(SEPARATOR, "separator")?;
    let at = c.offset();
    let id = c.c_string("tile id")?;
    if id.len() > MAX_ID {
        return Err(FormatError::new(at, "tile id", format!("{} bytes, {MAX_ID} are allowed", id.len())));
    }
    c.skip(4, "end of block")?;
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(blocks: &[(&str, usize)]) -> Vec<u8> {
        let mut out = b"HRDT".to_vec();
        out.extend([102, 0, 0, 0, 0, blocks.len() as u32].iter().flat_map(|v: &u32| v.to_le_bytes()));
        for (id, points) in blocks {
            out.extend((*points as u32).to_le_bytes());
            for i in 0..*points {
                out.extend((0..14).flat_map(|k| (i as f32 + k as f32).to_le_bytes()));
                out.extend(POINT_START.to_le_bytes());
            }
            out.extend([0; 3]);
            out.extend(id.bytes());
            out.extend([0; 5]);
        }
        out
    }

    #[test]
    fn hard_tile_variable_name() {
        let tiles =
            HardTiles::parse(&file(&[("MarSaraTile", 2), ("A", 1), ("ALongerNameThanTwelveBytes", 3)])).unwrap();
        let names: Vec<_> = tiles.tiles.iter().map(|t| (t.tile.as_str(), t.points.len())).collect();
        assert_eq!(names, [("MarSaraTile", 2), ("A", 1), ("ALongerNameThanTwelveBytes", 3)]);
        let p = tiles.tiles[2].points[1];
        assert_eq!((p.center, p.start, p.half_width, p.depth), ([1.0, 2.0, 3.0], [7.0, 8.0, 9.0], 13.0, 14.0));
    }

    #[test]
    fn hard_tile_bad_file_is_refused_whole() {
        let good = file(&[("MarSaraTile", 2), ("B", 1)]);
        for cut in 28..good.len() {
            assert!(HardTiles::parse(&good[..cut]).is_err(), "cut at {cut}");
        }
        let mut longer = good.clone();
        longer.push(0);
        assert_eq!(HardTiles::parse(&longer).unwrap_err().field, "end of file");
        let mut not_a_number = good.clone();
        not_a_number[32..36].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(HardTiles::parse(&not_a_number).unwrap_err().offset, 32);
        // 300 MB of points are claimed; nothing is reserved for them.
        let mut huge = good;
        huge[28..32].copy_from_slice(&5_000_000u32.to_le_bytes());
        assert_eq!(HardTiles::parse(&huge).unwrap_err().field, "point count");
        let many = file(&[("B", 10_000), ("C", 10_000)]);
        assert!(HardTiles::parse(&many).unwrap_err().what.contains("16384"));
    }
}
