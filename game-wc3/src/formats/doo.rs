//! `war3map.doo`, doodads and destructables: "W3do", version 7 (Reign of Chaos) or 8, subversion, records, then special
//! doodads (those that are part of the terrain).
//!
//! Reforged added a skin id to the records without a new version number: both layouts are tried and the one that uses
//! the file up exactly is taken.

use terrace_engine::bytes::{Cursor, FormatError};

use super::id::TileId;

/// Where an object stands and what it is: the beginning of every record here and in `war3mapUnits.doo`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Placement {
    /// Kind of object.
    pub id: TileId,
    /// Variation of its model.
    pub variation: u32,
    /// World position; z is the editor's and follows the terrain unless a flag fixes it.
    pub position: [f32; 3],
    /// Radians, counter-clockwise from east.
    pub angle: f32,
    /// Factors along x, y, z.
    pub scale: [f32; 3],
    /// Id whose model is shown; the id itself where the file stores none.
    pub skin: TileId,
}

/// An item that may drop and its chance in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drop {
    /// Item, NUL for none; may be a code for a random item.
    pub item: TileId,
    /// Percent.
    pub chance: i32,
}

/// Whether a doodad is seen and stands in the way: the low two bits of its flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoodadState {
    /// 0: neither seen nor in the way.
    Hidden,
    /// 1: seen, not in the way.
    NonSolid,
    /// 2: seen and in the way.
    Normal,
}

/// A doodad or destructable.
#[derive(Clone, Debug, PartialEq)]
pub struct Doodad {
    /// Where it stands and what it is.
    pub placement: Placement,
    /// Bits: the low two are the state, 4 fixes z.
    pub flags: u8,
    /// Percent of its life.
    pub life: u8,
    /// Item table of the map, -1 for none.
    pub item_table: i32,
    /// One item of each set drops.
    pub item_sets: Vec<Vec<Drop>>,
    /// Number in the editor.
    pub editor_id: u32,
}

impl Doodad {
    /// Whether it is seen and stands in the way.
    pub fn state(&self) -> DoodadState {
        match self.flags & 3 {
            0 => DoodadState::Hidden,
            1 => DoodadState::NonSolid,
            _ => DoodadState::Normal,
        }
    }

    /// True when the stored z counts instead of the terrain's.
    pub fn fixed_z(&self) -> bool {
        self.flags & 4 != 0
    }
}

/// A doodad that is part of the terrain; the tiles under it are not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecialDoodad {
    /// Kind of doodad.
    pub id: TileId,
    /// As stored.
    pub z: i32,
    /// Column of its tile, from the west.
    pub x: i32,
    /// Row of its tile, from the south.
    pub y: i32,
}

/// A doodad file.
#[derive(Clone, Debug, PartialEq)]
pub struct Doodads {
    /// 7 or 8.
    pub version: u32,
    /// 9 or 11 in known files.
    pub subversion: u32,
    /// True when the records have a skin.
    pub has_skin: bool,
    /// Doodads and destructables.
    pub doodads: Vec<Doodad>,
    /// Version of the special doodads, 0 in known files.
    pub special_version: u32,
    /// Doodads that are part of the terrain.
    pub special: Vec<SpecialDoodad>,
    /// Bytes that no layout explains; none in a sound file.
    pub trailing_bytes: usize,
}

/// What decides the layout of records beyond the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) skin: bool,
    pub(super) expansion: bool,
}

/// Tries the layouts, those of the stated version first. The first that uses the file up exactly is taken, else the
/// first that can be read, else the error that lies furthest into the file is returned.
pub(super) fn try_layouts<T>(
    c: &Cursor<'_>,
    expansion: bool,
    read: impl Fn(&mut Cursor<'_>, Layout) -> Result<T, FormatError>,
) -> Result<(T, Layout, usize), FormatError> {
    let mut loose = None;
    let mut error: Option<FormatError> = None;
    for (skin, expansion) in [(true, expansion), (false, expansion), (true, !expansion), (false, !expansion)] {
        let mut attempt = c.clone();
        let layout = Layout { skin, expansion };
        match read(&mut attempt, layout) {
            Ok(value) if attempt.is_empty() => return Ok((value, layout, 0)),
            Ok(value) => {
                loose.get_or_insert((value, layout, attempt.remaining()));
            }
            Err(e) if error.as_ref().is_none_or(|old| e.offset > old.offset) => error = Some(e),
            Err(_) => {}
        }
    }
    loose.ok_or_else(|| error.unwrap_or_else(|| c.error("records", "no layout fits")))
}

/// The header that doodads and units share: version and subversion.
pub(super) fn read_header(c: &mut Cursor<'_>) -> Result<(u32, u32), FormatError> {
    c.magic(b"W3do", "magic")?;
    let at = c.offset();
    let version = c.u32("version")?;
    if !(7..=8).contains(&version) {
        return Err(FormatError::new(at, "version", format!("{version} is unknown; 7 and 8 are known")));
    }
    Ok((version, c.u32("subversion")?))
}

pub(super) fn read_placement(c: &mut Cursor<'_>, skin: bool) -> Result<Placement, FormatError> {
    let id = TileId(c.array("id")?);
    Ok(Placement {
        id,
        variation: c.u32("variation")?,
        position: finite(c, "position")?,
        angle: finite::<1>(c, "angle")?[0],
        scale: finite(c, "scale")?,
        skin: if skin { TileId(c.array("skin")?) } else { id },
    })
}

/// Floats that must be finite: a layout that is off by some bytes soon reads one that is not.
fn finite<const N: usize>(c: &mut Cursor<'_>, field: &str) -> Result<[f32; N], FormatError> {
    let at = c.offset();
    let values = c.f32s::<N>(field)?;
    match values.iter().all(|v| v.is_finite()) {
        true => Ok(values),
        false => Err(FormatError::new(at, field, format!("{values:?} is not finite"))),
    }
}

pub(super) fn read_drop_sets(c: &mut Cursor<'_>) -> Result<Vec<Vec<Drop>>, FormatError> {
    let mut sets = Vec::new();
    for _ in 0..c.count(4, "item_sets")? {
        let mut set = Vec::new();
        for _ in 0..c.count(8, "item_set.items")? {
            set.push(Drop { item: TileId(c.array("item_set.item")?), chance: c.i32("item_set.chance")? });
        }
        sets.push(set);
    }
    Ok(sets)
}

impl Doodads {
    /// Reads a doodad file.
    ///
    /// # Errors
    /// Another magic or version, or records that no layout can read.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        let (version, subversion) = read_header(&mut c)?;
        let ((doodads, special_version, special), layout, trailing_bytes) = try_layouts(&c, version > 7, read_all)?;
        let has_skin = layout.skin;
        Ok(Self { version, subversion, has_skin, doodads, special_version, special, trailing_bytes })
    }
}

type All = (Vec<Doodad>, u32, Vec<SpecialDoodad>);

fn read_all(c: &mut Cursor<'_>, layout: Layout) -> Result<All, FormatError> {
    let mut doodads = Vec::new();
    for _ in 0..c.count(42, "doodads")? {
        doodads.push(read_doodad(c, layout)?);
    }
    let special_version = c.u32("special.version")?;
    let mut special = Vec::new();
    for _ in 0..c.count(16, "special")? {
        special.push(SpecialDoodad {
            id: TileId(c.array("special.id")?),
            z: c.i32("special.z")?,
            x: c.i32("special.x")?,
            y: c.i32("special.y")?,
        });
    }
    Ok((doodads, special_version, special))
}

fn read_doodad(c: &mut Cursor<'_>, layout: Layout) -> Result<Doodad, FormatError> {
    let placement = read_placement(c, layout.skin)?;
    let flags = c.u8("flags")?;
    let life = c.u8("life")?;
    let (mut item_table, mut item_sets) = (-1, Vec::new());
    if layout.expansion {
        item_table = c.i32("item_table")?;
        item_sets = read_drop_sets(c)?;
    }
    Ok(Doodad { placement, flags, life, item_table, item_sets, editor_id: c.u32("editor_id")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(version: u32, skin: bool) -> Vec<u8> {
        let mut b = b"W3do".to_vec();
        let ints = |b: &mut Vec<u8>, values: &[u32]| b.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        ints(&mut b, &[version, 11, 2]);
        for i in 0..2u32 {
            b.extend(b"LTlt");
            ints(&mut b, &[i]);
            b.extend([64f32, -64.0, 0.5, 1.5, 1.0, 1.25, 0.75].iter().flat_map(|v| v.to_le_bytes()));
            if skin {
                b.extend(b"LTab");
            }
            b.extend([6, 100]);
            if version > 7 {
                ints(&mut b, &[u32::MAX, 1, 1]);
                b.extend(b"gold");
                ints(&mut b, &[50]);
            }
            ints(&mut b, &[7 + i]);
        }
        ints(&mut b, &[0, 1]);
        b.extend(b"Dcrf");
        ints(&mut b, &[0, 12, 13]);
        b
    }

    #[test]
    fn the_layout_that_uses_the_file_up_is_taken() {
        for (version, skin) in [(7, false), (7, true), (8, false), (8, true)] {
            let file = Doodads::parse(&sample(version, skin)).unwrap();
            assert_eq!((file.has_skin, file.trailing_bytes, file.doodads.len()), (skin, 0, 2), "{version} {skin}");
            let d = &file.doodads[1];
            assert_eq!(d.placement.skin, TileId(if skin { *b"LTab" } else { *b"LTlt" }));
            assert_eq!((d.placement.position, d.placement.angle, d.editor_id), ([64.0, -64.0, 0.5], 1.5, 8));
            assert_eq!((d.state(), d.fixed_z(), d.life), (DoodadState::Normal, true, 100));
            assert_eq!(d.item_sets.len(), usize::from(version > 7));
            assert_eq!(file.special, [SpecialDoodad { id: TileId(*b"Dcrf"), z: 0, x: 12, y: 13 }]);
        }
    }

    #[test]
    fn extra_bytes_are_counted_and_cut_files_are_errors() {
        let mut bytes = sample(8, true);
        bytes.extend([0; 3]);
        assert_eq!(Doodads::parse(&bytes).unwrap().trailing_bytes, 3);
        let e = Doodads::parse(&bytes[..120]).unwrap_err();
        assert!(e.offset > 16, "{e}");
        bytes[4] = 9;
        assert_eq!(Doodads::parse(&bytes).unwrap_err().field, "version");
    }

    proptest! {
        #[test]
        fn damaged_files_do_not_panic(at: prop::sample::Index, value: u8, cut: prop::sample::Index, skin: bool) {
            let mut bytes = sample(8, skin);
            let at = at.index(bytes.len());
            bytes[at] = value;
            bytes.truncate(cut.index(bytes.len()) + 1);
            if let Ok(file) = Doodads::parse(&bytes) {
                prop_assert!(file.doodads.len() * 42 <= bytes.len());
            }
        }
    }
}
