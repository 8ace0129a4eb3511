//! Cliff and ramp pieces: placed, fitted to the ground, welded, batched by cliff type and segment.

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};
use rayon::prelude::*;
use terrace_engine::diag::Diagnostic;
use terrace_engine::terrain::{Batch, Part, SegmentGrid, WeldTolerance, assemble, snorm8x4, unorm8x4, weld_normals};

use super::models::{CliffModel, CliffModels, cliff_letters};
use super::ownership::{Owner, Ownership};
use super::ramps::RampForm;
use super::slots::{Slot, slot};
use super::{HALF_LAYER, Terrain, fallback, water};
use crate::formats::w3e::{LAYER_HEIGHT, TILE_SIZE, ZERO_LAYER};

/// How near a grid line a vertex counts as lying on it, in tiles.
const BORDER: f32 = 1e-4;
/// Vertices within these steps of world units are one point for the weld of normals.
const WELD: WeldTolerance = WeldTolerance { xy: 0.01, z: 0.001 };

/// A vertex of the list "cliff".
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct CliffVertex {
    /// World units.
    pub position: [f32; 3],
    /// Signed bytes.
    pub normal: [i8; 4],
    /// As the model has it.
    pub uv: [f32; 2],
    /// Colour of depth under water.
    pub tint: [u8; 4],
}

/// A placed piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The cell.
    pub cell: [u32; 2],
    /// Its cliff type and why.
    pub slot: Slot,
    /// The ramp form, or none for a cliff.
    pub form: Option<RampForm>,
    /// Letters of its file.
    pub letters: [u8; 4],
    /// Lowest layer of its corners.
    pub base: u8,
}

/// The piece that stands in a cell.
pub fn piece(terrain: &Terrain, x: u32, y: u32, form: Option<RampForm>) -> Piece {
    Piece {
        cell: [x, y],
        slot: slot(terrain, x, y),
        form,
        letters: form.map_or_else(|| cliff_letters(terrain, x, y), |f| f.letters),
        base: terrain.layers(x, y).into_iter().min().unwrap_or(0),
    }
}

/// How cliffs are baked.
#[derive(Clone, Copy, Debug)]
pub struct CliffOptions {
    /// Use the variation that the map names; off: always variation 0.
    pub variations: bool,
}

impl Default for CliffOptions {
    fn default() -> Self {
        Self { variations: true }
    }
}

/// One segment's pieces of one cliff type before the weld.
struct Raw {
    part: Part<CliffVertex>,
    normals: Vec<Vec3>,
    placements: Vec<u32>,
}

/// Bakes all pieces. A piece without a model gets generated geometry. Normals are welded over the whole map, so that
/// seams between segments and between cliff types take part, before anything is packed.
pub fn bake(terrain: &Terrain, ownership: &Ownership, models: &CliffModels, options: CliffOptions) -> Batch {
    let grid = SegmentGrid::new(terrain.cells());
    let wet = water::wet_vertices(terrain);
    let context = Context { terrain, ownership, models, wet: &wet, options };
    let mut raws: Vec<Raw> =
        (0..grid.count()).into_par_iter().flat_map_iter(|segment| context.segment(&grid, segment)).collect();
    let positions: Vec<Vec3> =
        raws.iter().flat_map(|r| r.part.vertices.iter().map(|v| Vec3::from(v.position))).collect();
    let normals: Vec<Vec3> = raws.iter().flat_map(|r| r.normals.iter().copied()).collect();
    let placements: Vec<u32> = raws.iter().flat_map(|r| r.placements.iter().copied()).collect();
    let welded = weld_normals(&positions, &normals, &placements, WELD);
    let mut next = welded.into_iter();
    for vertex in raws.iter_mut().flat_map(|r| &mut r.part.vertices) {
        vertex.normal = snorm8x4(next.next().unwrap_or(Vec3::Z));
    }
    assemble(raws.into_iter().map(|r| r.part).collect())
}

struct Context<'a> {
    terrain: &'a Terrain,
    ownership: &'a Ownership,
    models: &'a CliffModels,
    wet: &'a [bool],
    options: CliffOptions,
}

impl Context<'_> {
    fn segment(&self, grid: &SegmentGrid, segment: u32) -> Vec<Raw> {
        let mut raws: Vec<Raw> = Vec::new();
        for (x, y) in grid.segment(segment).cells() {
            let form = match self.ownership.owner(x as i32, y as i32) {
                Some(Owner::Cliff) => None,
                Some(Owner::Ramp(form)) => Some(form),
                _ => continue,
            };
            let piece = piece(self.terrain, x, y, form);
            let material = piece.slot.index as u32;
            let at = raws.iter().position(|r| r.part.material == material).unwrap_or_else(|| {
                raws.push(Raw { part: Part::new(material, segment), normals: Vec::new(), placements: Vec::new() });
                raws.len() - 1
            });
            self.place(&piece, &mut raws[at]);
        }
        raws
    }

    fn place(&self, piece: &Piece, raw: &mut Raw) {
        let kind = &self.terrain.cliff_types[piece.slot.index];
        let (dir, variation) = match piece.form {
            Some(_) => (kind.ramp_dir.as_deref().unwrap_or_default(), 0),
            None if self.options.variations => (kind.cliff_dir.as_str(), piece.slot.variation),
            None => (kind.cliff_dir.as_str(), 0),
        };
        let generated;
        let model = match self.models.get(dir, piece.letters, variation) {
            Some(model) => model.as_ref(),
            None => {
                generated = generated_piece(piece);
                &generated
            }
        };
        let placement = self.terrain.index(piece.cell[0], piece.cell[1]) as u32;
        let first = raw.part.vertices.len() as u32;
        for i in 0..model.positions.len() {
            let (position, normal) = self.vertex(piece, model.positions[i], model.normals[i]);
            raw.part.bounds.grow(position);
            raw.part.vertices.push(CliffVertex {
                position: position.to_array(),
                normal: [0; 4],
                uv: model.uvs[i].to_array(),
                tint: unorm8x4(water::tint(self.terrain, self.wet, position)),
            });
            raw.normals.push(normal);
            raw.placements.push(placement);
        }
        raw.part.indices.extend(model.indices.iter().map(|i| first + i));
        let [x, y] = piece.cell.map(|c| c as i32);
        let low = piece.form.map(|f| f.low_neighbour()).map(|(dx, dy)| (x + dx, y + dy));
        let owned = |&(x, y): &(i32, i32)| self.ownership.owner(x, y) == Some(Owner::RampLow(piece.cell));
        for cell in std::iter::once((x, y)).chain(low.filter(owned)) {
            self.close_sides(piece.base, cell, placement, raw);
        }
    }

    /// Closes the gap between a piece and the slope beside it. Where a map's ramps are not of the sixteen forms, the
    /// ground beside a piece rises along an edge on which the piece is level or steps in the middle: a curtain hangs
    /// from the ground's edge to the piece's base, seen from both sides.
    fn close_sides(&self, base: u8, (x, y): (i32, i32), placement: u32, raw: &mut Raw) {
        let terrain = self.terrain;
        let sides = [(0, -1, (0, 0), (1, 0)), (1, 0, (1, 0), (1, 1)), (0, 1, (1, 1), (0, 1)), (-1, 0, (0, 1), (0, 0))];
        for (nx, ny, a, b) in sides {
            let [a, b] = [a, b].map(|(dx, dy)| (x + dx, y + dy));
            let same = terrain.vertex(a.0, a.1).layer == terrain.vertex(b.0, b.1).layer;
            let level = same && !terrain.mid_ramp(a.0, a.1) && !terrain.mid_ramp(b.0, b.1);
            if level || !self.ownership.has_ground(x + nx, y + ny) {
                continue;
            }
            let base = (f32::from(base) - ZERO_LAYER) * LAYER_HEIGHT;
            let top = [a, b].map(|(x, y)| terrain.surface().position(x, y));
            let foot = [a, b].map(|(x, y)| terrain.rolling().position(x, y) + Vec3::Z * base);
            let first = raw.part.vertices.len() as u32;
            let outwards = Vec3::new(nx as f32, ny as f32, 0.0);
            for (side, normal) in [(0, outwards), (4, -outwards)] {
                for (i, position) in [foot[0], foot[1], top[1], top[0]].into_iter().enumerate() {
                    let along = if i == 1 || i == 2 { 1.0 } else { 0.0 };
                    raw.part.bounds.grow(position);
                    raw.part.vertices.push(CliffVertex {
                        position: position.to_array(),
                        normal: [0; 4],
                        uv: [along, -position.z / TILE_SIZE],
                        tint: unorm8x4(water::tint(terrain, self.wet, position)),
                    });
                    raw.normals.push(normal);
                    raw.placements.push(placement);
                }
                let order = if side == 0 { [0, 1, 2, 0, 2, 3] } else { [0, 2, 1, 0, 3, 2] };
                raw.part.indices.extend(order.map(|i| first + side + i));
            }
        }
    }

    /// Places a vertex: turned by -90 degrees about Z, moved to its cell, lifted by the rolling ground under it, and
    /// moved onto the edge of drawn ground where it is within half a layer of it. Normals lean with the ground; a
    /// joined vertex that faces up takes the ground's normal.
    fn vertex(&self, piece: &Piece, position: Vec3, normal: Vec3) -> (Vec3, Vec3) {
        let terrain = self.terrain;
        let (turned, facing) = (turn(position), turn(normal));
        let (dx, dy) = piece.form.map_or((0, 0), |f| f.shift());
        let cell = Vec2::new((piece.cell[0] as i32 + dx) as f32, (piece.cell[1] as i32 + dy) as f32);
        let local = on_grid(cell + turned.truncate() / TILE_SIZE);
        let xy = terrain.origin + local * TILE_SIZE;
        let base = (f32::from(piece.base) - ZERO_LAYER) * LAYER_HEIGHT;
        let z = turned.z + base + terrain.rolling().height(xy);
        let ground = terrain.rolling().normal(xy);
        let leaning = (facing.truncate().extend(0.0) + ground * facing.z).normalize_or(facing);
        match ground_edge(terrain, self.ownership, local).filter(|edge| (edge - z).abs() < HALF_LAYER) {
            Some(edge) if facing.z > 0.0 => (xy.extend(edge), ground),
            Some(edge) => (xy.extend(edge), leaning),
            None => (xy.extend(z), leaning),
        }
    }
}

fn generated_piece(piece: &Piece) -> CliffModel {
    piece.form.map_or_else(|| fallback::cliff(piece.letters), fallback::ramp)
}

/// The quarter turn of pieces: their own axes to the world's.
pub fn turn(v: Vec3) -> Vec3 {
    Vec3::new(v.y, -v.x, v.z)
}

/// Moves coordinates that are nearly on a grid line onto it.
fn on_grid(local: Vec2) -> Vec2 {
    let line = local.round();
    Vec2::select((local - line).abs().cmplt(Vec2::splat(BORDER)), line, local)
}

/// Height of the edge of drawn ground at a point in tiles, where it lies on one: between the heights of the edge's
/// two vertices, ramp midpoints included.
pub fn ground_edge(terrain: &Terrain, ownership: &Ownership, local: Vec2) -> Option<f32> {
    let line = local.round();
    let (on_x, on_y) = (local.x == line.x, local.y == line.y);
    let (x, y) = (line.x as i32, line.y as i32);
    let (cx, cy) = (local.x.floor() as i32, local.y.floor() as i32);
    let surface = terrain.surface();
    let lerp = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let any = |cells: &[(i32, i32)]| cells.iter().any(|&(x, y)| ownership.has_ground(x, y));
    match (on_x, on_y) {
        (true, true) => any(&[(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)]).then(|| surface.at(x, y)),
        (true, false) => {
            any(&[(x - 1, cy), (x, cy)]).then(|| lerp(surface.at(x, cy), surface.at(x, cy + 1), local.y - cy as f32))
        }
        (false, true) => {
            any(&[(cx, y - 1), (cx, y)]).then(|| lerp(surface.at(cx, y), surface.at(cx + 1, y), local.x - cx as f32))
        }
        (false, false) => None,
    }
}

/// Reports cells for which no vertex names a cliff type, once.
pub fn report_unresolved(terrain: &Terrain, ownership: &Ownership, diagnostics: &mut Vec<Diagnostic>) {
    let cells: Vec<_> =
        ownership.pieces().filter(|&(x, y, _)| slot(terrain, x, y).vertex.is_none()).map(|(x, y, _)| (x, y)).collect();
    if let Some((x, y)) = cells.first() {
        diagnostics.push(
            Diagnostic::new(
                terrace_engine::diag::Severity::Note,
                "wc3.cliff-slot",
                format!("{} cliff cells name no cliff type nearby, the first at ({x}, {y})", cells.len()),
            )
            .in_file("war3map.w3e")
            .help("they take the first type of the map's list"),
        );
    }
}
