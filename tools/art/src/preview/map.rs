//! Draws the built-in map with the plain rules: blended ground, cliff and ramp pieces, water, baked shadows.

use super::Library;
use super::raster::{Raster, Spot, View, light};
use super::read::{Model, Texture};
use crate::builtin::SIDE;
use crate::piece::{RampPlace, Style, ramp_place};

const TILE: f32 = 128.0;

/// A vertex as stored.
struct Vertex {
    height: f32,
    layer: i32,
    ground: usize,
    ramp: bool,
    blight: bool,
    water: bool,
    edge: bool,
    surface: f32,
    variation: usize,
    cliff: usize,
    middle: bool,
}

pub(super) struct Map {
    vertices: Vec<Vertex>,
    grounds: Vec<String>,
}

fn ids(bytes: &[u8], at: &mut usize) -> Vec<String> {
    let n = u32::from_le_bytes([bytes[*at], bytes[*at + 1], bytes[*at + 2], bytes[*at + 3]]) as usize;
    *at += 4;
    let out = (0..n).map(|i| String::from_utf8_lossy(&bytes[*at + i * 4..*at + i * 4 + 4]).into_owned()).collect();
    *at += n * 4;
    out
}

impl Map {
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut at = 13;
        let grounds = ids(bytes, &mut at);
        ids(bytes, &mut at);
        at += 16;
        let vertices = bytes[at..]
            .chunks_exact(7)
            .map(|c| {
                let word = |k: usize| u16::from_le_bytes([c[k], c[k + 1]]);
                Vertex {
                    height: (f32::from(word(0)) - 8192.0) / 4.0,
                    layer: i32::from(c[6] & 15),
                    ground: usize::from(c[4] & 15),
                    ramp: c[4] & 0x10 != 0,
                    blight: c[4] & 0x20 != 0,
                    water: c[4] & 0x40 != 0,
                    edge: word(2) & 0x4000 != 0,
                    surface: (f32::from(word(2) & 0x3FFF) - 8192.0) / 4.0 - 0.7 * TILE,
                    variation: usize::from(c[5] & 31),
                    cliff: usize::from(c[6] >> 4),
                    middle: false,
                }
            })
            .collect();
        let mut map = Self { vertices, grounds };
        map.mark_middles();
        map
    }

    fn at(&self, x: usize, y: usize) -> &Vertex {
        &self.vertices[y.min(SIDE - 1) * SIDE + x.min(SIDE - 1)]
    }

    /// The low middle of a ramp, which the ground raises by half a level.
    fn mark_middles(&mut self) {
        for y in 1..SIDE - 1 {
            for x in 1..SIDE - 1 {
                let pair = |a: &Vertex, b: &Vertex| {
                    a.ramp && b.ramp && a.layer != b.layer && self.at(x, y).layer == a.layer.min(b.layer)
                };
                let middle = self.at(x, y).ramp
                    && (pair(self.at(x - 1, y), self.at(x + 1, y)) || pair(self.at(x, y - 1), self.at(x, y + 1)));
                self.vertices[y * SIDE + x].middle = middle;
            }
        }
    }

    fn z(&self, x: usize, y: usize) -> f32 {
        let v = self.at(x, y);
        v.height + (v.layer - 2) as f32 * TILE + if v.middle { 64.0 } else { 0.0 }
    }

    fn normal(&self, x: usize, y: usize) -> [f32; 3] {
        let h = |x: usize, y: usize| self.at(x, y).height;
        let n = [h(x.saturating_sub(1), y) - h(x + 1, y), h(x, y.saturating_sub(1)) - h(x, y + 1), 2.0 * TILE];
        let l = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        n.map(|v| v / l)
    }

    /// Corners of a cell: north-east, north-west, south-east, south-west.
    fn corners(&self, x: usize, y: usize) -> [&Vertex; 4] {
        [self.at(x + 1, y + 1), self.at(x, y + 1), self.at(x + 1, y), self.at(x, y)]
    }

    /// Letters of a cell that holds a piece: plain cliff or ramp.
    pub(super) fn letters(&self, x: usize, y: usize) -> Option<(String, bool)> {
        let [ne, nw, se, sw] = self.corners(x, y);
        let cell = [nw, ne, se, sw];
        let base = cell.iter().map(|v| v.layer).min()?;
        let ramps = cell.iter().filter(|v| v.ramp).count();
        if cell.iter().all(|v| v.layer == base) || ramps == 4 {
            return None;
        }
        let spell = |with_ramp: bool| -> String {
            cell.iter()
                .map(|v| {
                    let row = if v.ramp && with_ramp { *b"LHX" } else { *b"ABC" };
                    char::from(row[(v.layer - base).clamp(0, 2) as usize])
                })
                .collect()
        };
        let ramp = ramps == 2 && ramp_place(&spell(true)).is_some();
        Some((spell(ramp), ramp))
    }

    /// Bilinear height without levels at a world position in vertices.
    fn bend(&self, x: f32, y: f32) -> f32 {
        let (ix, iy) = ((x.max(0.0) as usize).min(SIDE - 2), (y.max(0.0) as usize).min(SIDE - 2));
        let (tx, ty) = (x - ix as f32, y - iy as f32);
        let h = |dx: usize, dy: usize| self.at(ix + dx, iy + dy).height;
        let south = h(0, 0) + (h(1, 0) - h(0, 0)) * tx;
        let north = h(0, 1) + (h(1, 1) - h(0, 1)) * tx;
        south + (north - south) * ty
    }
}

/// Draws the whole map from `bytes` of a war3map.w3e.
pub(super) fn draw(library: &Library<'_>, bytes: &[u8], shadow: &[u8], view: View, size: [usize; 2]) -> Vec<u8> {
    let mut map = Map::read(bytes);
    let covered = paint_footprints(&mut map);
    let sheets: Vec<Texture> = map
        .grounds
        .iter()
        .filter_map(|id| library.texture(&crate::catalog::tile_path(crate::catalog::tile(id)?)))
        .collect();
    let blight = library.texture("TerrainArt\\LordaeronSummer\\Lords_Blight.blp");
    let mut out = Raster::new(size[0], size[1]);
    let half = (SIDE - 1) as f32 * 64.0;
    let middle = [size[0] as f32 / 2.0, size[1] as f32 / 2.0];
    let project = |p: [f32; 3]| {
        let [x, y, z] = view.project([p[0] - half, p[1] - half, p[2]]);
        [x + middle[0], y + middle[1], z]
    };
    let side = (SIDE - 1) * 4;
    let dark = |uv: [f32; 2]| {
        let (x, y) = ((uv[0] * 4.0) as usize, (uv[1] * 4.0) as usize);
        if shadow.get(y.min(side - 1) * side + x.min(side - 1)).copied().unwrap_or(0) > 0 { 0.62 } else { 1.0 }
    };
    for y in 0..SIDE - 1 {
        for x in 0..SIDE - 1 {
            if covered[y * SIDE + x] {
                continue;
            }
            let cell = map.corners(x, y);
            let deep = |dx: usize, dy: usize| {
                let v = map.at(x + dx, y + dy);
                if v.water {
                    (1.0 - ((v.surface - map.z(x + dx, y + dy)) / 250.0).clamp(0.0, 0.6)).min(1.0)
                } else {
                    1.0
                }
            };
            let spot = |dx: usize, dy: usize| {
                let k = light(map.normal(x + dx, y + dy)) * deep(dx, dy);
                let shade = [k, (x + dx) as f32, (y + dy) as f32, 0.0];
                let world = [(x + dx) as f32 * TILE, (y + dy) as f32 * TILE, map.z(x + dx, y + dy)];
                Spot { at: project(world), uv: [dx as f32, 1.0 - dy as f32], shade }
            };
            let lowest = cell.iter().map(|v| v.ground).min().unwrap_or(0);
            for (layer, sheet) in sheets.iter().enumerate().skip(lowest) {
                let mask = if layer == lowest {
                    15
                } else {
                    cell.iter().zip([4, 8, 1, 2]).map(|(v, bit)| if v.ground >= layer { bit } else { 0 }).sum()
                };
                if mask == 0 {
                    continue;
                }
                let (column, row, across) = atlas(sheet, mask, map.at(x, y).variation);
                for t in [[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]] {
                    out.triangle(t.map(|(dx, dy)| spot(dx, dy)), true, |uv, s| {
                        let pull = |v: f32| 0.025 + 0.95 * v;
                        let [r, g, b, a] = sheet.sample((column + pull(uv[0])) / across, (row + pull(uv[1])) / 4.0);
                        let k = s[0] * dark([s[1], s[2]]);
                        [r * k, g * k, b * k, if layer == lowest { 1.0 } else { a }]
                    });
                }
            }
            if let Some(sheet) = &blight {
                let mask: usize = cell.iter().zip([4, 8, 1, 2]).map(|(v, bit)| if v.blight { bit } else { 0 }).sum();
                if mask > 0 {
                    let (column, row, across) = atlas(sheet, mask, map.at(x, y).variation);
                    for t in [[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]] {
                        out.triangle(t.map(|(dx, dy)| spot(dx, dy)), true, |uv, s| {
                            let [r, g, b, a] = sheet.sample((column + uv[0]) / across, (row + uv[1]) / 4.0);
                            let k = s[0] * dark([s[1], s[2]]);
                            [r * k, g * k, b * k, if mask == 15 { 1.0 } else { a }]
                        });
                    }
                }
            }
        }
    }
    for y in 0..SIDE - 1 {
        for x in 0..SIDE - 1 {
            if let Some((letters, ramp)) = map.letters(x, y) {
                piece(library, &map, &mut out, &project, [x, y], &letters, ramp);
            }
        }
    }
    water(library, &map, &mut out, &project);
    out.png()
}

/// Column, row and cells across of the atlas cell for a mask.
fn atlas(sheet: &Texture, mask: usize, variation: usize) -> (f32, f32, f32) {
    let wide = sheet.width > sheet.height;
    let across = if wide { 8.0 } else { 4.0 };
    if mask == 15 && wide && variation < 16 {
        return ((4 + variation % 4) as f32, (variation / 4) as f32, across);
    }
    ((mask % 4) as f32, (mask / 4) as f32, across)
}

/// Cells without ground; and the cliff's ground type on the corners of every piece.
fn paint_footprints(map: &mut Map) -> Vec<bool> {
    let mut covered = vec![false; SIDE * SIDE];
    let mut paint = Vec::new();
    for y in 0..SIDE - 1 {
        for x in 0..SIDE - 1 {
            let Some((letters, ramp)) = map.letters(x, y) else { continue };
            let ground = if map.at(x, y).cliff == 0 { 0 } else { 4 };
            let mut cells = vec![(x, y)];
            if let Some(RampPlace { low, .. }) = ramp.then(|| ramp_place(&letters)).flatten() {
                cells.push((x.wrapping_add_signed(low[0]), y.wrapping_add_signed(low[1])));
            }
            for (cx, cy) in cells {
                covered[cy * SIDE + cx] = true;
                paint.extend(
                    [(cx, cy), (cx + 1, cy), (cx, cy + 1), (cx + 1, cy + 1)].map(|(u, v)| (v * SIDE + u, ground)),
                );
            }
        }
    }
    for (i, ground) in paint {
        map.vertices[i].ground = ground;
    }
    covered
}

fn piece(
    library: &Library<'_>,
    map: &Map,
    out: &mut Raster,
    project: &impl Fn([f32; 3]) -> [f32; 3],
    cell: [usize; 2],
    letters: &str,
    ramp: bool,
) {
    let slot = map.at(cell[0], cell[1]).cliff;
    let dir = if ramp { Style::Rock.ramp_dir() } else { Style::Rock.cliff_dir() };
    let model: Option<Model> = library.model(&format!("Doodads\\Terrain\\{dir}\\{dir}{letters}0.mdx"));
    let texture = library.texture(&format!("ReplaceableTextures\\Cliff\\Cliff{slot}.blp"));
    let (Some(model), Some(texture)) = (model, texture) else { return };
    let base = map.corners(cell[0], cell[1]).iter().map(|v| v.layer).min().unwrap_or(2);
    let shift = if ramp { ramp_place(letters).map_or([0.0; 2], |p| p.shift) } else { [0.0; 2] };
    out.model(
        &model,
        &texture,
        &View::top(1.0),
        |p| {
            let (x, y) = (p[0] + shift[0] + cell[0] as f32 * TILE, p[1] + shift[1] + cell[1] as f32 * TILE);
            let world = [x, y, p[2] + (base - 2) as f32 * TILE + map.bend(x / TILE, y / TILE)];
            // `model` projects straight down, so the screen position goes in as x and -y
            let [sx, sy, depth] = project(world);
            [sx, -sy, depth]
        },
        [0.0, 0.0],
    );
}

fn water(library: &Library<'_>, map: &Map, out: &mut Raster, project: &impl Fn([f32; 3]) -> [f32; 3]) {
    let Some(texture) = library.texture(&format!("{}00.blp", crate::catalog::WATER_FILE)) else { return };
    let Some(tileset) = crate::catalog::tileset('L') else { return };
    let colour = |v: u32| v.to_be_bytes().map(|b| f32::from(b) / 255.0);
    let bands = [tileset.water.shore, tileset.water.shallow, tileset.water.deep].map(colour);
    for y in 0..SIDE - 1 {
        for x in 0..SIDE - 1 {
            let cell = map.corners(x, y);
            if !cell.iter().any(|v| v.water) || cell.iter().any(|v| v.edge) {
                continue;
            }
            let spot = |dx: usize, dy: usize| {
                let v = map.at(x + dx, y + dy);
                let d = ((v.surface - map.z(x + dx, y + dy)) / TILE).clamp(0.0, 1.0);
                let mix = |a: [f32; 4], b: [f32; 4], t: f32| [0, 1, 2, 3].map(|k| a[k] + (b[k] - a[k]) * t);
                let shade = if d <= 0.5 {
                    mix(bands[0], bands[1], (d - 10.0 / 128.0).max(0.0) / (54.0 / 128.0))
                } else {
                    mix(bands[1], bands[2], (d - 0.5).min(8.0 / 128.0) / (8.0 / 128.0))
                };
                let uv = [((x % 3) + dx) as f32 / 3.0, ((y % 3) + dy) as f32 / 3.0];
                Spot { at: project([(x + dx) as f32 * TILE, (y + dy) as f32 * TILE, v.surface]), uv, shade }
            };
            for t in [[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]] {
                out.triangle(t.map(|(dx, dy)| spot(dx, dy)), false, |uv, s| {
                    let [r, g, b, a] = texture.sample(uv[0], uv[1]);
                    [r * s[0], g * s[1], b * s[2], a * s[3]]
                });
            }
        }
    }
}
