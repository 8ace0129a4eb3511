//! Which piece covers which cell. Ground, splats, joins and blight all ask here.

use terrace_engine::diag::Diagnostic;

use super::Terrain;
use super::models::CliffModels;
use super::ramps::RampForm;
use super::slots;

/// What covers a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The ground.
    Ground,
    /// A cliff piece.
    Cliff,
    /// A ramp piece that stands in this cell.
    Ramp(RampForm),
    /// The ramp piece of the cell at this position, whose low side reaches here.
    RampLow([u32; 2]),
}

/// The owner of every cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Ownership {
    cells: [u32; 2],
    owners: Vec<Owner>,
}

impl Ownership {
    /// Decides every cell.
    ///
    /// - Corners on different layers and fewer than four ramp corners: a ramp piece where the corners have one of its
    ///   forms, the low ramp corner is a midpoint, the low neighbour lies in the map, and a model exists; else a cliff
    ///   piece.
    /// - A flat cell with exactly two ramp corners and a midpoint among its corners belongs to a ramp piece whose low
    ///   neighbour it is. A midpoint alone is not enough: it can touch flat ground that no piece covers.
    /// - Everything else is ground, also the inside of ramps (four ramp corners).
    pub fn new(terrain: &Terrain, models: &CliffModels) -> Self {
        let cells = terrain.cells();
        let at = |x: u32, y: u32| y as usize * cells[0] as usize + x as usize;
        let mut owners = vec![Owner::Ground; cells[0] as usize * cells[1] as usize];
        for y in 0..cells[1] {
            for x in 0..cells[0] {
                owners[at(x, y)] = match candidate(terrain, x, y) {
                    Candidate::Ground => Owner::Ground,
                    Candidate::Cliff => Owner::Cliff,
                    Candidate::Ramp(form) => {
                        let dir = terrain.cliff_types[slots::slot(terrain, x, y).index].ramp_dir.as_deref();
                        let known = dir.is_some_and(|dir| models.has(dir, form.letters));
                        if known { Owner::Ramp(form) } else { Owner::Cliff }
                    }
                };
            }
        }
        let mut out = Self { cells, owners };
        for y in 0..cells[1] {
            for x in 0..cells[0] {
                let Owner::Ramp(form) = out.owners[at(x, y)] else { continue };
                let (dx, dy) = form.low_neighbour();
                let (lx, ly) = ((x as i32 + dx) as u32, (y as i32 + dy) as u32);
                if is_low_side(terrain, lx, ly) && out.owners[at(lx, ly)] == Owner::Ground {
                    out.owners[at(lx, ly)] = Owner::RampLow([x, y]);
                }
            }
        }
        out
    }

    /// The owner of a cell; `None` outside the map.
    pub fn owner(&self, x: i32, y: i32) -> Option<Owner> {
        let inside = x >= 0 && y >= 0 && (x as u32) < self.cells[0] && (y as u32) < self.cells[1];
        inside.then(|| self.owners[y as usize * self.cells[0] as usize + x as usize])
    }

    /// True when the ground is drawn in a cell of the map.
    pub fn has_ground(&self, x: i32, y: i32) -> bool {
        self.owner(x, y) == Some(Owner::Ground)
    }

    /// True when all the cells of the map that touch the vertex have ground.
    pub fn vertex_is_ground(&self, x: i32, y: i32) -> bool {
        let around = [(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)];
        around.into_iter().all(|(x, y)| matches!(self.owner(x, y), None | Some(Owner::Ground)))
    }

    /// Cells with a piece in them (not the low sides of ramps), row by row.
    pub fn pieces(&self) -> impl Iterator<Item = (u32, u32, Option<RampForm>)> {
        let width = self.cells[0] as usize;
        self.owners.iter().enumerate().filter_map(move |(i, owner)| {
            let (x, y) = ((i % width) as u32, (i / width) as u32);
            match owner {
                Owner::Cliff => Some((x, y, None)),
                Owner::Ramp(form) => Some((x, y, Some(*form))),
                _ => None,
            }
        })
    }

    /// Number of cells with a cliff piece, with a ramp piece, and on the low side of one.
    pub fn counts(&self) -> [usize; 3] {
        let count = |f: fn(&Owner) -> bool| self.owners.iter().filter(|o| f(o)).count();
        [
            count(|o| matches!(o, Owner::Cliff)),
            count(|o| matches!(o, Owner::Ramp(_))),
            count(|o| matches!(o, Owner::RampLow(_))),
        ]
    }
}

/// What a cell could be before models are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// Ground, or the low side of a ramp.
    Ground,
    /// A cliff piece.
    Cliff,
    /// A ramp piece if its model exists, else a cliff piece.
    Ramp(RampForm),
}

/// Classifies a cell by its corners.
pub fn candidate(terrain: &Terrain, x: u32, y: u32) -> Candidate {
    let corners = terrain.letter_corners(x, y);
    let base = corners.iter().map(|v| v.layer).min().unwrap_or(0);
    let levels = corners.map(|v| v.layer - base);
    let ramps = corners.map(|v| v.ramp);
    if levels == [0; 4] || ramps == [true; 4] {
        return Candidate::Ground;
    }
    let form = RampForm::of(levels, ramps).filter(|form| {
        let (dx, dy) = form.low_neighbour();
        let (mx, my) = super::LETTER_CORNERS[form.low];
        // A ramp that ends at its low corner is none: the ground there is not lifted, and the piece would stand half a
        // layer above it. About one in a hundred forms of real maps is such a stump.
        terrain.has_cell(x as i32 + dx, y as i32 + dy) && terrain.mid_ramp(x as i32 + mx, y as i32 + my)
    });
    form.map_or(Candidate::Cliff, Candidate::Ramp)
}

/// The flat cell of a ramp that its piece covers: two ramp corners and a midpoint.
fn is_low_side(terrain: &Terrain, x: u32, y: u32) -> bool {
    let corners = terrain.letter_corners(x, y);
    let flat = corners.iter().all(|v| v.layer == corners[0].layer);
    let ramps = corners.iter().filter(|v| v.ramp).count();
    let middle = super::LETTER_CORNERS.iter().any(|(dx, dy)| terrain.mid_ramp(x as i32 + dx, y as i32 + dy));
    flat && ramps == 2 && middle
}

/// Reports the first cell whose corners are more than two layers apart: its letters are cut to two.
pub fn report_steep(terrain: &Terrain, diagnostics: &mut Vec<Diagnostic>) {
    let [w, h] = terrain.cells();
    let steep = |x: u32, y: u32| {
        let layers = terrain.layers(x, y);
        let span = layers.iter().max().zip(layers.iter().min()).map_or(0, |(a, b)| a - b);
        span > 2 && terrain.letter_corners(x, y).iter().any(|v| !v.ramp)
    };
    let all: Vec<_> = (0..h).flat_map(|y| (0..w).map(move |x| (x, y))).filter(|&(x, y)| steep(x, y)).collect();
    if let Some((x, y)) = all.first() {
        diagnostics.push(
            Diagnostic::warning(
                "wc3.cliff-too-steep",
                format!("{} cells have corners more than two cliff layers apart, the first at ({x}, {y})", all.len()),
            )
            .in_file("war3map.w3e")
            .help("there is no cliff piece for such a step: two layers of it are shown"),
        );
    }
}
