//! What exists: tilesets, ground types, cliff types and waters, and the three tables that name them.

mod cliffs;
mod tiles;

use crate::material::Kind;
use crate::slk::{self, Value};

pub(crate) use cliffs::{CLIFFS, Look, Wall, cliff_looks};
pub(crate) use tiles::TILES;

/// One tileset.
#[derive(Debug)]
pub(crate) struct Tileset {
    pub(crate) letter: char,
    pub(crate) name: &'static str,
    /// Folder of its ground sheets.
    pub(crate) dir: &'static str,
    /// File name of its blight sheet, without folder and ending.
    pub(crate) blight_file: &'static str,
    pub(crate) blight: u32,
    pub(crate) water: Water,
}

/// Surface colours of a tileset's water: 0xRRGGBBAA at the shore, at the end of the shallows, and in the deep.
#[derive(Debug)]
pub(crate) struct Water {
    /// Surface offset from the level stored in the map, in tiles of 128 units.
    pub(crate) height: f64,
    pub(crate) shore: u32,
    pub(crate) shallow: u32,
    pub(crate) deep: u32,
}

/// One ground type.
#[derive(Debug)]
pub(crate) struct Tile {
    pub(crate) tileset: char,
    pub(crate) id: &'static str,
    pub(crate) file: &'static str,
    pub(crate) kind: Kind,
    pub(crate) mid: u32,
    pub(crate) accent: u32,
}

impl Tile {
    /// The sheet has variations. The cliff grounds, which few maps use on few tiles, go without.
    pub(crate) fn extended(&self) -> bool {
        self.kind.extended() && !self.id.starts_with('c')
    }
}

const fn water(shore: u32, shallow: u32, deep: u32) -> Water {
    // -0.7 tiles is the height that maps of nearly every tileset are made for
    Water { height: -0.7, shore, shallow, deep }
}

/// Number of frames of the water animation.
pub(crate) const WATER_FRAMES: usize = 24;

/// Frames a second of the water animation.
const WATER_RATE: f64 = 12.0;

/// Path of a water frame without its two digits.
pub(crate) const WATER_FILE: &str = "ReplaceableTextures\\Water\\Water";

/// Every tileset of the game, by letter.
#[rustfmt::skip]
pub(crate) const TILESETS: &[Tileset] = &[
    Tileset { letter: 'A', name: "Ashenvale", dir: "TerrainArt\\Ashenvale", blight_file: "Ashen_Blight", blight: 0x473C44, water: water(0x8FC2B430, 0x5C9C9CB8, 0x2C5A70E8) },
    Tileset { letter: 'B', name: "Barrens", dir: "TerrainArt\\Barrens", blight_file: "Barrens_Blight", blight: 0x5A443A, water: water(0xA8C0A030, 0x6A9A92B0, 0x2E5C66E4) },
    Tileset { letter: 'C', name: "Felwood", dir: "TerrainArt\\Felwood", blight_file: "Felwood_Blight", blight: 0x3E3638, water: water(0x9CB07A38, 0x6C8A4CC0, 0x37502EEC) },
    Tileset { letter: 'D', name: "Dungeon", dir: "TerrainArt\\Dungeon", blight_file: "Cave_Blight", blight: 0x40363A, water: water(0x8A9AA438, 0x566C7CBC, 0x28384AEC) },
    Tileset { letter: 'F', name: "Lordaeron Fall", dir: "TerrainArt\\LordaeronFall", blight_file: "Lordf_Blight", blight: 0x51423A, water: water(0x9CC0C030, 0x5E94A6B4, 0x2C5576E6) },
    Tileset { letter: 'G', name: "Underground", dir: "TerrainArt\\Dungeon2", blight_file: "Cave2_Blight", blight: 0x383A42, water: water(0x86A8C838, 0x4674A2C0, 0x1C3A68EE) },
    Tileset { letter: 'I', name: "Icecrown", dir: "TerrainArt\\Icecrown", blight_file: "Ice_Blight", blight: 0x5A5A64, water: water(0xB8E0F440, 0x78B0D4BC, 0x386CA0E8) },
    Tileset { letter: 'J', name: "Dalaran Ruins", dir: "TerrainArt\\DalaranRuins", blight_file: "DRuins_Blight", blight: 0x4A4248, water: water(0xA4B4C434, 0x6C86A2B8, 0x384C74E8) },
    Tileset { letter: 'K', name: "Black Citadel", dir: "TerrainArt\\BlackCitadel", blight_file: "Citadel_Blight", blight: 0x46363A, water: water(0xB0806840, 0x8A4A3CC4, 0x50201CF0) },
    Tileset { letter: 'L', name: "Lordaeron Summer", dir: "TerrainArt\\LordaeronSummer", blight_file: "Lords_Blight", blight: 0x524840, water: water(0xA0CCD030, 0x5C9CB4B4, 0x285C88E6) },
    Tileset { letter: 'N', name: "Northrend", dir: "TerrainArt\\Northrend", blight_file: "North_Blight", blight: 0x57525A, water: water(0xB0D4E438, 0x70A4C4B8, 0x346494E8) },
    Tileset { letter: 'O', name: "Outland", dir: "TerrainArt\\Outland", blight_file: "Outland_Blight", blight: 0x55383A, water: Water { height: -1.5, ..water(0xC08A7840, 0x9A5A54C0, 0x58282EEE) } },
    Tileset { letter: 'Q', name: "Village Fall", dir: "TerrainArt\\VillageFall", blight_file: "VillageFall_Blight", blight: 0x54443C, water: water(0xA0C0BC30, 0x6094A2B4, 0x2E5872E6) },
    Tileset { letter: 'V', name: "Village", dir: "TerrainArt\\Village", blight_file: "Village_Blight", blight: 0x554A42, water: water(0xA0CCCC30, 0x5C9EB0B4, 0x285E84E6) },
    Tileset { letter: 'W', name: "Lordaeron Winter", dir: "TerrainArt\\LordaeronWinter", blight_file: "Lordw_Blight", blight: 0x5B5656, water: water(0xB4D8E838, 0x74A8C8B8, 0x3866A0E8) },
    Tileset { letter: 'X', name: "Dalaran", dir: "TerrainArt\\Dalaran", blight_file: "Dalaran_Blight", blight: 0x50484E, water: water(0xA0BCE030, 0x6088BCB4, 0x304C94E6) },
    Tileset { letter: 'Y', name: "Cityscape", dir: "TerrainArt\\Cityscape", blight_file: "City_Blight", blight: 0x504A48, water: water(0xA0C4D030, 0x608FA8B4, 0x2E527AE6) },
    Tileset { letter: 'Z', name: "Sunken Ruins", dir: "TerrainArt\\Ruins", blight_file: "Ruins_Blight", blight: 0x565040, water: water(0x9CE0D030, 0x4CB4B0B0, 0x1C7088E2) },
];

/// The tileset of a letter.
pub(crate) fn tileset(letter: char) -> Option<&'static Tileset> {
    TILESETS.iter().find(|t| t.letter == letter)
}

/// The ground type of an id.
pub(crate) fn tile(id: &str) -> Option<&'static Tile> {
    TILES.iter().find(|t| t.id == id)
}

/// Path of a ground sheet.
pub(crate) fn tile_path(tile: &Tile) -> String {
    let dir = tileset(tile.tileset).map_or("TerrainArt", |t| t.dir);
    format!("{dir}\\{}.blp", tile.file)
}

/// `TerrainArt\Terrain.slk`.
pub(crate) fn terrain_table() -> Vec<u8> {
    let columns = [
        "tileID",
        "cliffSet",
        "dir",
        "file",
        "comment",
        "buildable",
        "footprints",
        "walkable",
        "flyable",
        "blightPri",
        "convertTo",
    ];
    let rows: Vec<Vec<Value>> = TILES
        .iter()
        .map(|t| {
            let buildable =
                !matches!(t.kind, Kind::Marble | Kind::Hedge | Kind::Rock | Kind::Lava | Kind::Abyss | Kind::Ice);
            let prints = matches!(t.kind, Kind::Dirt | Kind::RoughDirt | Kind::Sand | Kind::Snow);
            let set = TILESETS.iter().find(|s| s.letter == t.tileset);
            let number = |b: bool| Value::Number(f64::from(u8::from(b)));
            vec![
                t.id.into(),
                Value::Number(cliffs::slot_of_ground(t.id)),
                set.map_or("TerrainArt", |s| s.dir).into(),
                t.file.into(),
                format!("{} - {:?}", set.map_or("", |s| s.name), t.kind).into(),
                number(buildable),
                number(prints),
                number(t.kind != Kind::Abyss),
                number(true),
                Value::Number(f64::from(u8::from(!buildable)) * 8.0 + 1.0),
                counterparts(t).into(),
            ]
        })
        .collect();
    slk::write(&columns, &rows)
}

/// The id that stands for a ground type in each other tileset: the same look where there is one, else the first.
fn counterparts(tile: &Tile) -> String {
    let of = |letter: char| {
        let mut own = TILES.iter().filter(|t| t.tileset == letter);
        own.clone().find(|t| t.kind == tile.kind).or_else(|| own.next()).map_or("", |t| t.id)
    };
    let ids: Vec<&str> = TILESETS.iter().filter(|s| s.letter != tile.tileset).map(|s| of(s.letter)).collect();
    ids.join(",")
}

/// `TerrainArt\CliffTypes.slk`.
pub(crate) fn cliff_table() -> Vec<u8> {
    let columns = [
        "cliffID",
        "cliffModelDir",
        "rampModelDir",
        "texDir",
        "texFile",
        "name",
        "groundTile",
        "upperTile",
        "cliffClass",
    ];
    let rows: Vec<Vec<Value>> = CLIFFS
        .iter()
        .map(|c| {
            let (model, ramp) = if c.city { ("CityCliffs", "CityCliffTrans") } else { ("Cliffs", "CliffTrans") };
            vec![
                c.id.into(),
                model.into(),
                ramp.into(),
                "ReplaceableTextures\\Cliff".into(),
                format!("Cliff{}", c.slot).into(),
                format!("{} {}", tileset(c.tileset).map_or("", |t| t.name), if c.city { "wall" } else { "cliff" })
                    .into(),
                c.ground.into(),
                c.upper.into(),
                format!("c{}", c.slot + 1).into(),
            ]
        })
        .collect();
    slk::write(&columns, &rows)
}

/// `TerrainArt\Water.slk`.
pub(crate) fn water_table() -> Vec<u8> {
    let mut columns: Vec<String> =
        ["waterID", "height", "numTex", "texRate", "texOffset", "texFile"].map(String::from).into();
    for band in ["Smin", "Smax", "Dmin", "Dmax"] {
        columns.extend(["R", "G", "B", "A"].map(|c| format!("{band}_{c}")));
    }
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let rows: Vec<Vec<Value>> = TILESETS
        .iter()
        .map(|t| {
            let w = &t.water;
            let mut row: Vec<Value> = vec![
                format!("{}Sha", t.letter).into(),
                w.height.into(),
                (WATER_FRAMES as f64).into(),
                WATER_RATE.into(),
                0.0.into(),
                WATER_FILE.into(),
            ];
            // the deep band starts where the shallow one ends
            for colour in [w.shore, w.shallow, w.shallow, w.deep] {
                row.extend(colour.to_be_bytes().map(|v| Value::Number(f64::from(v))));
            }
            row
        })
        .collect();
    slk::write(&names, &rows)
}

/// `UI\WorldEditData.txt`, cut to the section that names each tileset's blight sheet.
pub(crate) fn editor_data() -> Vec<u8> {
    let mut out = String::from("[TileSets]\r\n");
    for t in TILESETS {
        out.push_str(&format!("{}={},{}\\{}\r\n", t.letter, t.name, t.dir, t.blight_file));
    }
    out.into_bytes()
}
