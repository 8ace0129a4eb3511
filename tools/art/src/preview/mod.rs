//! Contact sheets: PNG pictures of what was generated, to be looked at. They are drawn from the finished files, so they show what a
//! loader sees.

mod map;
mod png;
pub(crate) mod raster;
pub(crate) mod read;

use std::collections::BTreeMap;

use raster::{Raster, View};
use read::{Model, Texture};

use crate::File;

/// A picture with a name: `(file name, PNG bytes)`.
pub type Picture = (String, Vec<u8>);

/// Everything that can be looked up by its path.
pub(crate) struct Library<'a> {
    files: BTreeMap<&'a str, &'a [u8]>,
}

impl<'a> Library<'a> {
    fn new(files: &'a [File]) -> Self {
        Self { files: files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect() }
    }

    fn texture(&self, path: &str) -> Option<Texture> {
        read::blp(self.files.get(path)?)
    }

    fn model(&self, path: &str) -> Option<Model> {
        read::mdx(self.files.get(path)?)
    }
}

/// Contact sheets of the files: ground sheets of each tileset, blend masks, pieces, cliff textures, water, and the built-in map.
pub fn pictures(files: &[File], map: &[File]) -> Vec<Picture> {
    let library = Library::new(files);
    let mut out = Vec::new();
    for tileset in crate::catalog::TILESETS {
        out.push((format!("ground_{}.png", tileset.letter), ground(&library, tileset)));
    }
    for (dir, slot) in [("Cliffs", 1), ("CityCliffs", 0), ("CliffTrans", 1), ("CityCliffTrans", 0)] {
        out.push((format!("pieces_{dir}.png"), pieces(&library, dir, slot)));
    }
    out.push(("cliff_textures.png".to_owned(), cliff_textures()));
    out.push(("masks.png".to_owned(), masks(&library)));
    out.push(("water.png".to_owned(), water(&library)));
    if let Some(bytes) = map.iter().find(|f| f.0 == "war3map.w3e").map(|f| &f.1) {
        let shadow = map.iter().find(|f| f.0 == "war3map.shd").map_or(&[][..], |f| &f.1);
        out.push(("map_top.png".to_owned(), map::draw(&library, bytes, shadow, View::top(12.0 / 128.0), [1160, 1160])));
        // both sides of everything: from the south-west and from the north-east
        for (name, turn) in [("map_south_west.png", 0.6), ("map_north_east.png", 3.6)] {
            let view = View::slanted(24.0 / 128.0, turn, 0.8);
            out.push((name.to_owned(), map::draw(&library, bytes, shadow, view, [2800, 2300])));
        }
    }
    out
}

fn ground(library: &Library<'_>, tileset: &crate::catalog::Tileset) -> Vec<u8> {
    let tiles: Vec<_> = crate::catalog::TILES.iter().filter(|t| t.tileset == tileset.letter).collect();
    let paths: Vec<String> = tiles
        .iter()
        .map(|t| crate::catalog::tile_path(t))
        .chain([format!("{}\\{}.blp", tileset.dir, tileset.blight_file)])
        .collect();
    let mut sheet = Raster::new(4 * 256 + 10, paths.len().div_ceil(2) * 262);
    for (i, path) in paths.iter().enumerate() {
        let Some(texture) = library.texture(path) else { continue };
        let (x0, y0) = ((i % 2) * 516, (i / 2) * 262);
        for y in 0..texture.height {
            for x in 0..texture.width {
                let [r, g, b, a] = texture.at(x, y);
                // magenta shows through the blend cells
                let over = |c: f32, back: f32| back + (c - back) * a;
                sheet.put(x0 + x, y0 + y, [over(r, 0.35), over(g, 0.1), over(b, 0.35)]);
            }
        }
        if texture.width == texture.height {
            for y in 0..256 {
                for x in 0..256 {
                    let [r, g, b, _] = texture.at(x % 64, y % 64);
                    sheet.put(x0 + 256 + x, y0 + y, [r, g, b]);
                }
            }
        }
    }
    sheet.png()
}

fn pieces(library: &Library<'_>, dir: &str, slot: usize) -> Vec<u8> {
    // city pieces with a city's masonry
    let letter = if dir.starts_with("City") { 'Y' } else { 'L' };
    let look = crate::catalog::cliff_looks(letter).into_iter().nth(if letter == 'Y' { 1 } else { slot });
    let Some(texture) = look.and_then(|l| read::blp(&crate::wall::encode(&l, 0))) else { return Vec::new() };
    let prefix = format!("Doodads\\Terrain\\{dir}\\");
    let models: Vec<Model> =
        library.files.keys().filter(|p| p.starts_with(&prefix)).filter_map(|p| library.model(p)).collect();
    let columns = 10;
    let size = 190;
    let mut sheet = Raster::new(columns * size, models.len().div_ceil(columns) * size);
    let view = View::slanted(0.62, 0.5, 0.75);
    for (i, model) in models.iter().enumerate() {
        let at = [(i % columns * size + size / 2) as f32, (i / columns * size + size * 3 / 5) as f32];
        let centre = model.centre();
        sheet.model(model, &texture, &view, |p| [p[0] - centre[0], p[1] - centre[1], p[2]], at);
    }
    sheet.png()
}

fn cliff_textures() -> Vec<u8> {
    let mut sheet = Raster::new(6 * 262, 6 * 262);
    for (i, tileset) in crate::catalog::TILESETS.iter().enumerate() {
        for look in crate::catalog::cliff_looks(tileset.letter) {
            let Some(texture) = read::blp(&crate::wall::encode(&look, u32::from(tileset.letter))) else { continue };
            let n = i * 2 + usize::from(look.slot);
            sheet.image(&texture, (n % 6) * 262, (n / 6) * 262);
        }
    }
    sheet.png()
}

/// The opacity of one sheet for each look of an edge.
fn masks(library: &Library<'_>) -> Vec<u8> {
    let mut sheet = Raster::new(4 * 262, 256);
    let ids = ["Ldrt", "Lgrs", "Ybtl", "Wsnw"];
    for (i, tile) in ids.iter().filter_map(|id| crate::catalog::tile(id)).enumerate() {
        let Some(texture) = library.texture(&crate::catalog::tile_path(tile)) else { continue };
        for y in 0..256 {
            for x in 0..256 {
                sheet.put(i * 262 + x, y, [texture.at(x, y)[3]; 3]);
            }
        }
    }
    sheet.png()
}

fn water(library: &Library<'_>) -> Vec<u8> {
    let mut sheet = Raster::new(6 * 132, 4 * 132);
    for frame in 0..crate::catalog::WATER_FRAMES {
        if let Some(texture) = library.texture(&format!("{}{frame:02}.blp", crate::catalog::WATER_FILE)) {
            sheet.image(&texture, (frame % 6) * 132, (frame / 6) * 132);
        }
    }
    sheet.png()
}
