//! `war3map.w3i`, the map's properties: versions 0 to 33. 18 is Reign of Chaos, 25 The Frozen Throne, 28 patch 1.31,
//! 31 to 33 Reforged. What a version does not store keeps its default.

use terrace_engine::bytes::{Cursor, FormatError};

use super::id::TileId;
use super::wts::Wts;

/// Newest version with a known layout.
pub const NEWEST_VERSION: u32 = 33;

/// Bit of [`W3i::flags`]: the minimap is hidden in previews.
pub const HIDE_MINIMAP: u32 = 0x1;
/// Bit: a melee map.
pub const MELEE: u32 = 0x4;
/// Bit: unexplored areas are partly visible.
pub const MASKED_PARTLY_VISIBLE: u32 = 0x10;
/// Bit: waves on cliff shores.
pub const WAVES_ON_CLIFF_SHORES: u32 = 0x800;
/// Bit: waves on rolling shores.
pub const WAVES_ON_ROLLING_SHORES: u32 = 0x1000;
/// Bit: [`W3i::fog`] is used.
pub const USE_TERRAIN_FOG: u32 = 0x2000;
/// Bit: [`W3i::water_tint`] is used.
pub const USE_WATER_TINT: u32 = 0x10000;

/// Terrain fog.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fog {
    /// 0 none, 1 linear, 2 exponential, 3 exponential squared.
    pub style: u32,
    /// Distance at which it begins, world units.
    pub start: f32,
    /// Distance at which it is complete, world units.
    pub end: f32,
    /// Density of the exponential styles, 0..=1.
    pub density: f32,
    /// Red, green, blue, alpha.
    pub color: [u8; 4],
}

/// Who controls a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// A person.
    Human,
    /// The computer.
    Computer,
    /// Neutral.
    Neutral,
    /// Rescuable.
    Rescuable,
    /// Any other number.
    Other(u32),
}

/// A player slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// Number, from 0.
    pub number: u32,
    /// Who controls it.
    pub controller: Controller,
    /// 0 selectable, 1 human, 2 orc, 3 undead, 4 night elf.
    pub race: u32,
    /// True when the start location is fixed.
    pub fixed_start: bool,
    /// Name, maybe a reference to the map's strings.
    pub name: String,
    /// World position of the start location.
    pub start: [f32; 2],
    /// Bits of the players that are low-priority allies.
    pub ally_low: u32,
    /// Bits of the players that are high-priority allies.
    pub ally_high: u32,
    /// Bits of the players that are low-priority enemies.
    pub enemy_low: u32,
    /// Bits of the players that are high-priority enemies.
    pub enemy_high: u32,
}

/// A force (team).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Force {
    /// 0x1 allied, 0x2 allied victory, 0x8 shared vision, 0x10 shared control, 0x20 shared advanced control.
    pub flags: u32,
    /// Bits of the players in it.
    pub players: u32,
    /// Name, maybe a reference to the map's strings.
    pub name: String,
}

/// A map's properties.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct W3i {
    /// File version.
    pub version: u32,
    /// Times the map was saved.
    pub saves: u32,
    /// Version of the editor.
    pub editor_version: u32,
    /// Version of the game: major, minor, patch, build. Zero before file version 27.
    pub game_version: [u32; 4],
    /// Name, maybe a reference to the map's strings ([`W3i::resolve`]).
    pub name: String,
    /// Author.
    pub author: String,
    /// Description.
    pub description: String,
    /// Recommended players.
    pub recommended_players: String,
    /// Corners of the camera's bounds as x, y pairs: south-west, north-east, north-west, south-east.
    pub camera_bounds: [f32; 8],
    /// Tiles outside the playable area: left, right, bottom, top.
    pub margins: [i32; 4],
    /// Tiles of the playable area: width, height.
    pub playable_size: [u32; 2],
    /// Bits such as [`USE_TERRAIN_FOG`].
    pub flags: u32,
    /// Tileset letter, 0 when the file has none.
    pub tileset: u8,
    /// Number of a built-in loading screen, -1 for none.
    pub loading_screen: i32,
    /// Model of an own loading screen.
    pub loading_screen_model: String,
    /// Text of the loading screen.
    pub loading_screen_text: String,
    /// Title of the loading screen.
    pub loading_screen_title: String,
    /// Subtitle of the loading screen.
    pub loading_screen_subtitle: String,
    /// Which set of game data: 0 default, 1 custom, 2 melee.
    pub game_data_set: i32,
    /// Terrain fog; it counts when [`USE_TERRAIN_FOG`] is set.
    pub fog: Fog,
    /// Weather effect of the whole map, `None` for none.
    pub weather: Option<TileId>,
    /// Sound environment.
    pub sound_environment: String,
    /// Tileset letter whose light is used, `None` for the map's own.
    pub light_environment: Option<u8>,
    /// Red, green, blue, alpha; white where the file has none.
    pub water_tint: [u8; 4],
    /// 0 JASS, 1 Lua.
    pub script_language: u32,
    /// Graphics the map supports: bit 1 classic, bit 2 Reforged.
    pub graphics_modes: u32,
    /// 0 Reign of Chaos, 1 The Frozen Throne.
    pub game_data_version: u32,
    /// Default and greatest distance of the camera, world units; 0 = the game's.
    pub camera_distance: [u32; 2],
    /// Least distance of the camera, world units; 0 = the game's.
    pub camera_distance_min: u32,
    /// Player slots, as far as they could be read.
    pub players: Vec<Player>,
    /// Forces, as far as they could be read.
    pub forces: Vec<Force>,
    /// Why players or forces could not be read to their end; the view does without them.
    pub warning: Option<FormatError>,
}

impl W3i {
    /// Reads the properties.
    ///
    /// # Errors
    /// A version above 33, or an end before the water tint. Players and forces only set [`W3i::warning`].
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        let version = c.u32("version")?;
        if version > NEWEST_VERSION {
            return Err(FormatError::new(
                0,
                "version",
                format!("{version} is unknown; 0 to {NEWEST_VERSION} are known"),
            ));
        }
        let mut info = Self { version, water_tint: [255; 4], loading_screen: -1, graphics_modes: 1, ..Self::default() };
        info.read_head(&mut c)?;
        info.read_size(&mut c)?;
        info.read_screens(&mut c)?;
        info.read_environment(&mut c)?;
        info.warning = info.read_tail(&mut c).err();
        Ok(info)
    }

    /// The text behind a field that may be a reference to the map's strings.
    pub fn resolve<'a>(&self, text: &'a str, strings: &'a Wts) -> &'a str {
        strings.resolve(text)
    }

    /// The fog to draw: `None` when the flag is off or the style is 0.
    pub fn active_fog(&self) -> Option<&Fog> {
        (self.flags & USE_TERRAIN_FOG != 0 && self.fog.style != 0).then_some(&self.fog)
    }

    /// The tint to draw water with: white when the flag is off.
    pub fn active_water_tint(&self) -> [u8; 4] {
        if self.flags & USE_WATER_TINT != 0 { self.water_tint } else { [255; 4] }
    }

    fn read_head(&mut self, c: &mut Cursor<'_>) -> Result<(), FormatError> {
        let version = self.version;
        if version >= 16 {
            self.saves = c.u32("saves")?;
            self.editor_version = c.u32("editor_version")?;
        }
        if version >= 27 {
            for part in &mut self.game_version {
                *part = c.u32("game_version")?;
            }
        }
        self.name = c.c_string("name")?;
        self.author = c.c_string("author")?;
        self.description = c.c_string("description")?;
        if version >= 8 {
            self.recommended_players = c.c_string("recommended_players")?;
        }
        match version {
            0..=3 => c.skip(8, "unknown"),
            4..=8 => c.skip(24, "unknown"),
            _ => Ok(()),
        }
    }

    fn read_size(&mut self, c: &mut Cursor<'_>) -> Result<(), FormatError> {
        let version = self.version;
        self.camera_bounds = c.f32s("camera_bounds")?;
        if version >= 14 {
            for margin in &mut self.margins {
                *margin = c.i32("margins")?;
            }
        }
        if version >= 1 {
            self.playable_size = [c.u32("playable_width")?, c.u32("playable_height")?];
        }
        if version >= 2 {
            if version <= 8 {
                c.skip(4, "unknown")?;
            }
            self.flags = c.u32("flags")?;
        }
        if version >= 8 {
            self.tileset = c.u8("tileset")?;
        }
        Ok(())
    }

    fn read_screens(&mut self, c: &mut Cursor<'_>) -> Result<(), FormatError> {
        let version = self.version;
        if version >= 17 {
            self.loading_screen = c.i32("loading_screen")?;
        }
        if version >= 20 {
            self.loading_screen_model = c.c_string("loading_screen_model")?;
        }
        if version >= 10 {
            self.loading_screen_text = c.c_string("loading_screen_text")?;
        }
        if version >= 11 {
            self.loading_screen_title = c.c_string("loading_screen_title")?;
            self.loading_screen_subtitle = c.c_string("loading_screen_subtitle")?;
        }
        if version >= 17 {
            self.game_data_set = c.i32("game_data_set")?;
        }
        if version >= 13 {
            // The prologue screen: path, text, title, subtitle. No map shows one any more.
            for _ in 0..if version >= 20 { 4 } else { 3 } {
                c.c_string("prologue")?;
            }
        }
        Ok(())
    }

    fn read_environment(&mut self, c: &mut Cursor<'_>) -> Result<(), FormatError> {
        let version = self.version;
        if version >= 19 {
            self.fog = Fog {
                style: c.u32("fog.style")?,
                start: c.f32("fog.start")?,
                end: c.f32("fog.end")?,
                density: c.f32("fog.density")?,
                color: c.array("fog.color")?,
            };
        }
        if version >= 21 {
            let id = c.array("weather")?;
            self.weather = (id != [0; 4]).then_some(TileId(id));
        }
        if version >= 22 {
            self.sound_environment = c.c_string("sound_environment")?;
        }
        if version >= 23 {
            let letter = c.u8("light_environment")?;
            self.light_environment = (letter != 0).then_some(letter);
        }
        if version >= 25 {
            self.water_tint = c.array("water_tint")?;
        }
        Ok(())
    }

    fn read_tail(&mut self, c: &mut Cursor<'_>) -> Result<(), FormatError> {
        let version = self.version;
        if version >= 28 {
            self.script_language = c.u32("script_language")?;
        }
        if version >= 29 {
            self.graphics_modes = c.u32("graphics_modes")?;
        }
        if version >= 30 {
            self.game_data_version = c.u32("game_data_version")?;
        }
        if version >= 32 {
            self.camera_distance = [c.u32("camera_distance")?, c.u32("camera_distance_max")?];
        }
        if version >= 33 {
            self.camera_distance_min = c.u32("camera_distance_min")?;
        }
        for _ in 0..c.count(25, "players")? {
            self.players.push(read_player(c, version)?);
        }
        for _ in 0..c.count(9, "forces")? {
            let (flags, players) = (c.u32("force.flags")?, c.u32("force.players")?);
            self.forces.push(Force { flags, players, name: c.c_string("force.name")? });
        }
        Ok(())
    }
}

fn read_player(c: &mut Cursor<'_>, version: u32) -> Result<Player, FormatError> {
    let number = c.u32("player.number")?;
    let controller = match c.u32("player.controller")? {
        1 => Controller::Human,
        2 => Controller::Computer,
        3 => Controller::Neutral,
        4 => Controller::Rescuable,
        other => Controller::Other(other),
    };
    let race = c.u32("player.race")?;
    let fixed_start = c.u32("player.fixed_start")? != 0;
    let name = c.c_string("player.name")?;
    let start = c.f32s("player.start")?;
    let mut bits = |from: u32, field: &str| if version >= from { c.u32(field) } else { Ok(0) };
    Ok(Player {
        number,
        controller,
        race,
        fixed_start,
        name,
        start,
        ally_low: bits(5, "player.ally_low")?,
        ally_high: bits(5, "player.ally_high")?,
        enemy_low: bits(31, "player.enemy_low")?,
        enemy_high: bits(31, "player.enemy_high")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bytes of a version 18, 25, 31 or 33 file with one player and one force.
    fn sample(version: u32) -> Vec<u8> {
        let mut b = Vec::new();
        let ints = |b: &mut Vec<u8>, values: &[u32]| b.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        ints(&mut b, &[version, 7, 6052]);
        if version >= 27 {
            ints(&mut b, &[2, 0, 3, 5]);
        }
        b.extend(b"TRIGSTR_001\0Me\0Text\0Any\0");
        b.extend([-1f32, -2., 3., 4., -1., 4., 3., -2.].iter().flat_map(|v| v.to_le_bytes()));
        ints(&mut b, &[6, 6, 4, 8, 52, 48, USE_TERRAIN_FOG | USE_WATER_TINT]);
        b.push(b'L');
        ints(&mut b, &[u32::MAX]);
        b.extend_from_slice(if version >= 20 { b"m.mdx\0text\0title\0sub\0" } else { b"text\0title\0sub\0" });
        ints(&mut b, &[1]);
        b.extend_from_slice(if version >= 20 { b"\0\0\0\0" } else { b"\0\0\0" });
        if version >= 19 {
            ints(&mut b, &[1, 100f32.to_bits(), 2000f32.to_bits(), 0.5f32.to_bits()]);
            b.extend([1, 2, 3, 255]);
            b.extend(b"RAhr\0X");
            b.extend([9, 8, 7, 255]);
        }
        match version {
            31 => ints(&mut b, &[1, 3, 1]),
            33 => ints(&mut b, &[1, 3, 1, 1600, 3000, 1300]),
            _ => {}
        }
        ints(&mut b, &[1, 0, 1, 2, 1]);
        b.extend(b"P1\0");
        ints(&mut b, &[(-640f32).to_bits(), 64f32.to_bits(), 1, 2]);
        if version >= 31 {
            ints(&mut b, &[3, 4]);
        }
        ints(&mut b, &[1, 9, u32::MAX]);
        b.extend(b"F1\0");
        b
    }

    #[test]
    fn every_generation_is_read_to_its_forces() {
        for version in [18, 25, 31, 33] {
            let info = W3i::parse(&sample(version)).unwrap();
            assert_eq!(info.warning, None, "version {version}");
            assert_eq!((info.margins, info.playable_size, info.tileset), ([6, 6, 4, 8], [52, 48], b'L'));
            assert_eq!((info.loading_screen, info.loading_screen_title.as_str()), (-1, "title"));
            assert_eq!((info.players[0].start, info.players[0].controller), ([-640.0, 64.0], Controller::Human));
            assert_eq!((info.forces[0].players, info.forces[0].name.as_str()), (u32::MAX, "F1"));
        }
        let new = W3i::parse(&sample(33)).unwrap();
        assert_eq!((new.camera_distance, new.camera_distance_min, new.players[0].enemy_high), ([1600, 3000], 1300, 4));
    }

    #[test]
    fn environment_is_read_and_missing_parts_are_neutral() {
        let info = W3i::parse(&sample(25)).unwrap();
        let fog = Fog { style: 1, start: 100.0, end: 2000.0, density: 0.5, color: [1, 2, 3, 255] };
        assert_eq!(info.active_fog(), Some(&fog));
        assert_eq!((info.weather, info.light_environment), (Some(TileId(*b"RAhr")), Some(b'X')));
        assert_eq!(info.active_water_tint(), [9, 8, 7, 255]);
        let old = W3i::parse(&sample(18)).unwrap();
        assert_eq!((old.active_fog(), old.active_water_tint(), old.weather), (None, [255; 4], None));
    }

    #[test]
    fn names_resolve_through_the_strings() {
        let info = W3i::parse(&sample(25)).unwrap();
        let strings = Wts::parse(b"STRING 1\n{\nBoulder Vale\n}\n");
        assert_eq!(info.resolve(&info.name, &strings), "Boulder Vale");
    }

    #[test]
    fn a_cut_player_list_is_only_a_warning() {
        let bytes = sample(31);
        let info = W3i::parse(&bytes[..bytes.len() - 20]).unwrap();
        assert_eq!(info.name, "TRIGSTR_001");
        assert!(info.warning.is_some());
        assert_eq!(W3i::parse(&bytes[..40]).unwrap_err().field, "author");
        assert_eq!(W3i::parse(&[34, 0, 0, 0]).unwrap_err().field, "version");
    }

    proptest! {
        #[test]
        fn damaged_files_do_not_panic(version in 0u32..40, at in 0usize..300, value: u8, cut in 0usize..300) {
            let mut bytes = sample(33);
            bytes[..4].copy_from_slice(&version.to_le_bytes());
            let len = bytes.len();
            bytes[at % len] = value;
            bytes.truncate(len.saturating_sub(cut));
            if let Ok(info) = W3i::parse(&bytes) {
                prop_assert!(info.players.len() * 25 + info.forces.len() * 9 <= bytes.len());
            }
        }
    }
}
