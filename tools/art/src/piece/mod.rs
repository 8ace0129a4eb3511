//! Cliff and ramp pieces.
//!
//! Everything here is built in the cell's world axes (x east, y north, z up, one cell = 128 units, the cell's south-west corner
//! at the origin) and turned into the native axes at the end: a renderer places a native vertex by (x, y, z) -> (y, -x, z).
//! Corner letters come north-west, north-east, south-east, south-west.

pub(crate) mod cliff;
mod polygon;
pub(crate) mod profile;
pub(crate) mod ramp;
mod soup;

pub(crate) use ramp::{RampPlace, place as ramp_place};

use crate::mdx::Mesh;

/// Side of a cell in world units, and the height of one cliff level.
pub(crate) const CELL: f32 = 128.0;

/// Look of a family of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Weathered rock: folders `Cliffs` and `CliffTrans`.
    Rock,
    /// Walls of dressed stone: folders `CityCliffs` and `CityCliffTrans`.
    City,
}

impl Style {
    pub(crate) fn cliff_dir(self) -> &'static str {
        if self == Self::Rock { "Cliffs" } else { "CityCliffs" }
    }

    pub(crate) fn ramp_dir(self) -> &'static str {
        if self == Self::Rock { "CliffTrans" } else { "CityCliffTrans" }
    }
}

/// One piece: its folder, its letters, its variation number and its mesh in native axes.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) dir: &'static str,
    pub(crate) letters: String,
    pub(crate) variation: u32,
    pub(crate) mesh: Mesh,
}

impl Piece {
    /// Virtual path of the model.
    pub(crate) fn path(&self) -> String {
        format!("Doodads\\Terrain\\{0}\\{0}{1}{2}.mdx", self.dir, self.letters, self.variation)
    }
}

/// Highest variation numbers of the rock pieces; a configuration that is not named has 0 only.
const ROCK_VARIATIONS: &str = "AAAB1 AAAC1 AABA1 AABB2 AACA1 AACC1 ABAA1 ABAB1 ABBA2 ABBB1 ACAA1 ACAC1 ACCA1 ACCC1 BAAA1 BAAB1 \
     BABA1 BABB1 BBAA1 BBAB1 BBBA1 CAAA1 CAAC1 CACA1 CACC1 CCAA1 CCAC1 CCCA1";

/// Highest variation numbers of the city pieces.
const CITY_VARIATIONS: &str = "AAAB2 AAAC1 AABA1 AABB3 AACA1 AACC3 ABAA1 ABAB2 ABBA3 ACAA1 ACAC2 ACCA3 ACCC1 BAAA1 BAAB3 BABA2 \
     BBAA3 BBAB1 BBBA1 CAAA1 CAAC3 CACA2 CACC1 CCAA3 CCAC1 CCCA1";

/// Highest variation number of a cliff configuration.
pub(crate) fn last_variation(style: Style, letters: &str) -> u32 {
    let table = if style == Style::Rock { ROCK_VARIATIONS } else { CITY_VARIATIONS };
    table.split_whitespace().find_map(|entry| entry.strip_prefix(letters)?.parse().ok()).unwrap_or(0)
}

/// Every cliff configuration: four letters of A, B, C with an A and not all A.
pub(crate) fn configurations() -> Vec<String> {
    (0..81u32)
        .map(|n| [27, 9, 3, 1].map(|d| char::from(b'A' + (n / d % 3) as u8)).into_iter().collect::<String>())
        .filter(|s| s.contains('A') && s != "AAAA")
        .collect()
}

/// The 16 ramp forms over one level.
const RAMPS: &str = "AAHL AALH ABHL AHLA ALHA ALHB BALH BHLA HAAL HBAL HLAA HLAB LAAH LABH LHAA LHBA";

/// Every ramp form: over one level (L, H), and the same over two (L, X; a high side is then C).
pub(crate) fn ramp_forms() -> Vec<String> {
    let one = RAMPS.split_whitespace().map(String::from);
    let two = RAMPS.split_whitespace().map(|s| s.replace('H', "X").replace('B', "C"));
    one.chain(two).collect()
}

/// What has to be built: folder, letters, variation.
pub(crate) fn orders() -> Vec<(Style, bool, String, u32)> {
    let mut out = Vec::new();
    for style in [Style::Rock, Style::City] {
        for letters in configurations() {
            for variation in 0..=last_variation(style, &letters) {
                out.push((style, false, letters.clone(), variation));
            }
        }
        out.extend(ramp_forms().into_iter().map(|letters| (style, true, letters, 0)));
    }
    out
}

/// Builds one piece of `orders`.
pub(crate) fn build(style: Style, is_ramp: bool, letters: &str, variation: u32) -> Piece {
    let mesh = if is_ramp { ramp::build(style, letters) } else { cliff::build(style, letters, variation) };
    let dir = if is_ramp { style.ramp_dir() } else { style.cliff_dir() };
    Piece { dir, letters: letters.to_owned(), variation, mesh }
}
