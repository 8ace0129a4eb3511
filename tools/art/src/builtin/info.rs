//! `war3map.w3i`, version 25: what the view reads, and the lists a game would read, one player and one force.

use super::{SIDE, TILE};

/// Margins that players cannot enter: left, right, bottom, top, in tiles.
const MARGINS: [i32; 4] = [5, 5, 5, 5];

pub(super) fn write() -> Vec<u8> {
    let mut w = Writer(Vec::new());
    w.ints(&[25, 1, 6052]);
    for text in ["Summer Valley", "terrace", "The built-in map: a river, two lakes, plateaus and ramps.", "1"] {
        w.text(text);
    }
    let half = (SIDE - 1) as f32 * TILE / 2.0;
    // the camera stays inside the playable part: corners south-west, north-east, north-west, south-east
    let (x, y) = (half - 10.0 * TILE, half - 8.0 * TILE);
    w.floats(&[-x, -y, x, y, -x, y, x, -y]);
    w.ints(&MARGINS);
    let playable = (SIDE - 1) as i32 - MARGINS[0] - MARGINS[1];
    w.ints(&[playable, playable]);
    // flags: terrain type is set, shows water waves on cliff and rolling shores
    w.ints(&[0x0400 | 0x0800 | 0x1000]);
    w.0.push(b'L');
    w.ints(&[-1]);
    // loading screen model, text, title, subtitle
    for _ in 0..4 {
        w.text("");
    }
    // game data set, then prologue screen and its texts
    w.ints(&[0]);
    for _ in 0..4 {
        w.text("");
    }
    // no fog, but sensible numbers: style, start, end, density, colour
    w.ints(&[0]);
    w.floats(&[3000.0, 5000.0, 0.5]);
    w.0.extend([160, 176, 190, 255]);
    // weather none, sound environment none, light environment as the tileset, water as it is
    w.ints(&[0]);
    w.text("");
    w.0.push(0);
    w.0.extend([255; 4]);
    // one player: number, human, human race, free start, name, position, ally priorities
    w.ints(&[1, 0, 1, 1, 0]);
    w.text("Player 1");
    w.floats(&[0.0, 0.0]);
    w.ints(&[0, 0]);
    // one force with everybody in it
    w.ints(&[1, 0, -1]);
    w.text("Force 1");
    // no upgrades, tech, random unit tables, random item tables
    w.ints(&[0, 0, 0, 0]);
    w.0
}

struct Writer(Vec<u8>);

impl Writer {
    fn ints(&mut self, values: &[i32]) {
        values.iter().for_each(|v| self.0.extend(v.to_le_bytes()));
    }

    fn floats(&mut self, values: &[f32]) {
        values.iter().for_each(|v| self.0.extend(v.to_le_bytes()));
    }

    fn text(&mut self, value: &str) {
        self.0.extend(value.bytes());
        self.0.push(0);
    }
}
