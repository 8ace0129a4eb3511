//! `war3mapUnits.doo`, units, buildings, items and start locations: "W3do", version 7 or 8, subversion, records.
//!
//! As in `war3map.doo` the skin has no version number. Subversion 11 added the item table and the hero's attributes.
//! All combinations are tried and the one that uses the file up exactly is taken.

use terrace_engine::bytes::{Cursor, FormatError};

use super::doo::{Drop, Layout, Placement, read_drop_sets, read_header, read_placement, try_layouts};
use super::id::TileId;

/// Kind of a start location.
pub const START_LOCATION: TileId = TileId(*b"sloc");

/// An item in a hero's inventory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InventoryItem {
    /// Slot from 0.
    pub slot: u32,
    /// Item.
    pub item: TileId,
}

/// A changed ability of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbilityChange {
    /// Ability.
    pub ability: TileId,
    /// Cast automatically.
    pub autocast: bool,
    /// Level of a hero's ability.
    pub level: u32,
}

/// What a random unit or item becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Random {
    /// 0: any of a level (-1 any) and an item class (0 any). Units that are not random store this as well.
    Any {
        /// Level, -1 for any.
        level: i32,
        /// Item class, 0 for any.
        class: u8,
    },
    /// 1: a column of a random group in the map's properties.
    Group {
        /// Group.
        group: u32,
        /// Column.
        column: u32,
    },
    /// 2: a list with chances in percent.
    Table(Vec<Drop>),
}

/// A unit, building, item or start location.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Where it stands and what it is.
    pub placement: Placement,
    /// Bits as in doodads.
    pub flags: u8,
    /// Player number.
    pub owner: u32,
    /// -1 for the default.
    pub hit_points: i32,
    /// -1 for the default.
    pub mana: i32,
    /// Item table of the map, -1 for none.
    pub item_table: i32,
    /// One item of each set drops.
    pub item_sets: Vec<Vec<Drop>>,
    /// Gold in a mine.
    pub gold: u32,
    /// World units; -1 default, -2 camp.
    pub target_acquisition: f32,
    /// Hero level.
    pub hero_level: u32,
    /// Strength, agility, intelligence; 0 for the default.
    pub hero_attributes: [u32; 3],
    /// Items a hero carries.
    pub inventory: Vec<InventoryItem>,
    /// Changed abilities.
    pub abilities: Vec<AbilityChange>,
    /// What a random unit becomes.
    pub random: Random,
    /// Player colour, `None` for the owner's.
    pub color: Option<u32>,
    /// Region a way gate leads to, `None` when it is off.
    pub way_gate: Option<u32>,
    /// Number in the editor.
    pub creation_id: u32,
}

/// A unit file.
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// 7 or 8.
    pub version: u32,
    /// 9 or 11 in known files.
    pub subversion: u32,
    /// True when the records have a skin.
    pub has_skin: bool,
    /// Units, buildings, items and start locations.
    pub units: Vec<Unit>,
    /// Bytes that no layout explains; none in a sound file.
    pub trailing_bytes: usize,
}

impl Units {
    /// Reads a unit file.
    ///
    /// # Errors
    /// Another magic or version, or records that no layout can read.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        let (version, subversion) = read_header(&mut c)?;
        let (units, layout, trailing_bytes) = try_layouts(&c, subversion >= 11, |c, layout| {
            let mut units = Vec::new();
            for _ in 0..c.count(91, "units")? {
                units.push(read_unit(c, layout)?);
            }
            Ok(units)
        })?;
        Ok(Self { version, subversion, has_skin: layout.skin, units, trailing_bytes })
    }
}

fn read_unit(c: &mut Cursor<'_>, layout: Layout) -> Result<Unit, FormatError> {
    let placement = read_placement(c, layout.skin)?;
    let flags = c.u8("flags")?;
    let owner = c.u32("owner")?;
    c.skip(2, "unknown")?;
    let (hit_points, mana) = (c.i32("hit_points")?, c.i32("mana")?);
    let item_table = if layout.expansion { c.i32("item_table")? } else { -1 };
    let item_sets = read_drop_sets(c)?;
    let gold = c.u32("gold")?;
    let target_acquisition = c.f32("target_acquisition")?;
    let hero_level = c.u32("hero_level")?;
    let mut hero_attributes = [0; 3];
    if layout.expansion {
        for attribute in &mut hero_attributes {
            *attribute = c.u32("hero_attributes")?;
        }
    }
    let mut inventory = Vec::new();
    for _ in 0..c.count(8, "inventory")? {
        inventory.push(InventoryItem { slot: c.u32("inventory.slot")?, item: TileId(c.array("inventory.item")?) });
    }
    let mut abilities = Vec::new();
    for _ in 0..c.count(12, "abilities")? {
        abilities.push(AbilityChange {
            ability: TileId(c.array("ability.id")?),
            autocast: c.u32("ability.autocast")? != 0,
            level: c.u32("ability.level")?,
        });
    }
    Ok(Unit {
        placement,
        flags,
        owner,
        hit_points,
        mana,
        item_table,
        item_sets,
        gold,
        target_acquisition,
        hero_level,
        hero_attributes,
        inventory,
        abilities,
        random: read_random(c)?,
        color: read_optional(c, "color")?,
        way_gate: read_optional(c, "way_gate")?,
        creation_id: c.u32("creation_id")?,
    })
}

/// A number of which -1 means none.
fn read_optional(c: &mut Cursor<'_>, field: &str) -> Result<Option<u32>, FormatError> {
    Ok(Some(c.u32(field)?).filter(|&v| v != u32::MAX))
}

fn read_random(c: &mut Cursor<'_>) -> Result<Random, FormatError> {
    let at = c.offset();
    match c.u32("random.kind")? {
        0 => {
            let [a, b, d, class] = c.array("random.level")?;
            // 24 bits with a sign.
            Ok(Random::Any { level: i32::from_le_bytes([0, a, b, d]) >> 8, class })
        }
        1 => Ok(Random::Group { group: c.u32("random.group")?, column: c.u32("random.column")? }),
        2 => {
            let mut table = Vec::new();
            for _ in 0..c.count(8, "random.table")? {
                table.push(Drop { item: TileId(c.array("random.id")?), chance: c.i32("random.chance")? });
            }
            Ok(Random::Table(table))
        }
        other => Err(FormatError::new(at, "random.kind", format!("{other} is unknown; 0 to 2 are known"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(subversion: u32, skin: bool) -> Vec<u8> {
        let mut b = b"W3do".to_vec();
        let ints = |b: &mut Vec<u8>, values: &[u32]| b.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        ints(&mut b, &[8, subversion, 3]);
        for kind in 0..3u32 {
            b.extend(b"Hpal");
            ints(&mut b, &[0]);
            b.extend([64f32, -64.0, 0.5, 1.5, 1.0, 1.0, 1.0].iter().flat_map(|v| v.to_le_bytes()));
            if skin {
                b.extend(b"Hart");
            }
            b.push(2);
            ints(&mut b, &[3]);
            b.extend([0, 0]);
            ints(&mut b, &[u32::MAX, u32::MAX]);
            if subversion >= 11 {
                ints(&mut b, &[u32::MAX]);
            }
            ints(&mut b, &[0, 12500, (-1f32).to_bits(), 5]);
            if subversion >= 11 {
                ints(&mut b, &[1, 2, 3]);
            }
            ints(&mut b, &[1, 4]);
            b.extend(b"ratc");
            ints(&mut b, &[1]);
            b.extend(b"AHhb");
            ints(&mut b, &[1, 2, kind]);
            match kind {
                0 => b.extend([0xff, 0xff, 0xff, 2]),
                1 => ints(&mut b, &[6, 1]),
                _ => ints(&mut b, &[1, u32::from_le_bytes(*b"hpea"), 100]),
            }
            ints(&mut b, &[u32::MAX, 9, 70 + kind]);
        }
        b
    }

    #[test]
    fn the_layout_that_uses_the_file_up_is_taken() {
        for (subversion, skin) in [(9, false), (9, true), (11, false), (11, true)] {
            let file = Units::parse(&sample(subversion, skin)).unwrap();
            assert_eq!((file.has_skin, file.trailing_bytes, file.units.len()), (skin, 0, 3), "{subversion} {skin}");
            let u = &file.units[0];
            assert_eq!(u.placement.skin, TileId(if skin { *b"Hart" } else { *b"Hpal" }));
            assert_eq!((u.owner, u.gold, u.hero_level, u.color, u.way_gate), (3, 12500, 5, None, Some(9)));
            assert_eq!(u.hero_attributes, if subversion >= 11 { [1, 2, 3] } else { [0; 3] });
            assert_eq!(u.inventory, [InventoryItem { slot: 4, item: TileId(*b"ratc") }]);
            assert_eq!(u.random, Random::Any { level: -1, class: 2 });
            assert_eq!(file.units[1].random, Random::Group { group: 6, column: 1 });
            assert_eq!(file.units[2].random, Random::Table(vec![Drop { item: TileId(*b"hpea"), chance: 100 }]));
            assert_eq!(file.units[2].creation_id, 72);
        }
    }

    proptest! {
        #[test]
        fn damaged_files_do_not_panic(at: prop::sample::Index, value: u8, cut: prop::sample::Index, skin: bool) {
            let mut bytes = sample(11, skin);
            let at = at.index(bytes.len());
            bytes[at] = value;
            bytes.truncate(cut.index(bytes.len()) + 1);
            if let Ok(file) = Units::parse(&bytes) {
                prop_assert!(file.units.len() * 91 <= bytes.len());
            }
        }
    }
}
