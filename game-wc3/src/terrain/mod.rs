//! Terrain: from a terrain file and the tables to meshes.
//!
//! [`Terrain`] is the map as plain data. [`ownership`] decides which piece covers which cell, [`paint`] which ground
//! texture each vertex shows, and [`ground`], [`cliffs`] and [`water`] bake meshes from that. Bakers open no files:
//! models come in through [`models::CliffModels`].
//!
//! Columns and rows are counted from the south-west; "local" positions are world units from the south-west vertex.

pub mod cliffs;
pub mod fallback;
pub mod ground;
pub mod models;
pub mod ownership;
pub mod paint;
pub mod ramps;
pub mod shadow;
pub mod slots;
pub mod tables;
pub mod tiles;
pub mod water;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod regressions;
#[cfg(test)]
pub(crate) mod testing;

use glam::Vec2;
use terrace_engine::diag::Diagnostic;
use terrace_engine::terrain::HeightField;

use crate::formats::w3e::{LAYER_HEIGHT, TILE_SIZE, Vertex, W3e};
use tables::{CliffType, GroundType, Tables, WaterType};

/// Half a layer: what a ramp's midpoint is lifted by, and how far a cliff's vertex may be moved onto the ground.
pub const HALF_LAYER: f32 = LAYER_HEIGHT / 2.0;

/// A map's terrain with everything that is computed from the file once: table rows, ramp midpoints, heights.
#[derive(Clone, Debug)]
pub struct Terrain {
    /// Vertices along x and y, at least 2 each.
    pub size: [u32; 2],
    /// World position of the south-west vertex.
    pub origin: Vec2,
    /// Tileset letter.
    pub tileset: u8,
    /// Ground textures by the index that vertices hold; at least one.
    pub ground_types: Vec<GroundType>,
    /// Cliff types by slot, in stored order with duplicates; at least one.
    pub cliff_types: Vec<CliffType>,
    /// The tileset's water.
    pub water: WaterType,
    vertices: Vec<Vertex>,
    mid_ramp: Vec<bool>,
    surface: HeightField,
    rolling: HeightField,
    water_surface: HeightField,
}

impl Terrain {
    /// Resolves a terrain file against the tables. Unknown ids and indices out of range get fallbacks and a diagnostic.
    pub fn new(w3e: &W3e, tables: &Tables, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let size = [w3e.width, w3e.height];
        let origin = Vec2::from_array(w3e.center_offset);
        let mut vertices = w3e.vertices.clone();
        vertices.resize(size[0] as usize * size[1] as usize, Vertex::default());
        let ground_types = tables.ground_types(&w3e.ground_tiles, diagnostics);
        clamp_ground(&mut vertices, ground_types.len(), diagnostics);
        let water = tables.water_type(w3e.tileset, diagnostics);
        let mid_ramp = ramps::midpoints(size, &vertices);
        let field = |height: &dyn Fn(usize, &Vertex) -> f32| {
            let z = vertices.iter().enumerate().map(|(i, v)| height(i, v)).collect();
            HeightField::new(size, origin, TILE_SIZE, z)
        };
        let surface = field(&|i, v| v.height() + if mid_ramp[i] { HALF_LAYER } else { 0.0 });
        let rolling = field(&|_, v| v.ground_height());
        let water_surface = field(&|_, v| v.water_height(water.height));
        Self {
            size,
            origin,
            tileset: w3e.tileset,
            ground_types,
            cliff_types: tables.cliff_types(&w3e.cliff_tiles, diagnostics),
            water,
            vertices,
            mid_ramp,
            surface,
            rolling,
            water_surface,
        }
    }

    /// Cells along x and y.
    pub fn cells(&self) -> [u32; 2] {
        self.size.map(|s| s - 1)
    }

    /// Index of a vertex in per-vertex lists; the position is inside the map.
    pub fn index(&self, x: u32, y: u32) -> usize {
        y as usize * self.size[0] as usize + x as usize
    }

    /// True when the cell lies in the map.
    pub fn has_cell(&self, x: i32, y: i32) -> bool {
        x >= 0 && y >= 0 && (x as u32) < self.size[0] - 1 && (y as u32) < self.size[1] - 1
    }

    /// The vertex as stored; positions outside are clamped to the edge.
    pub fn vertex(&self, x: i32, y: i32) -> &Vertex {
        let x = x.clamp(0, self.size[0] as i32 - 1) as u32;
        let y = y.clamp(0, self.size[1] as i32 - 1) as u32;
        &self.vertices[self.index(x, y)]
    }

    /// All vertices, row by row.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// True where the ground is lifted by [`HALF_LAYER`] because the vertex is the middle of a ramp. Computed: what the
    /// file holds in the same bits is ignored.
    pub fn mid_ramp(&self, x: i32, y: i32) -> bool {
        let (x, y) = (x.clamp(0, self.size[0] as i32 - 1) as u32, y.clamp(0, self.size[1] as i32 - 1) as u32);
        self.mid_ramp[self.index(x, y)]
    }

    /// Heights of the ground as it is drawn: rolling height, layer and ramp midpoints, world units.
    pub fn surface(&self) -> &HeightField {
        &self.surface
    }

    /// Heights without layers, which cliff pieces and normals follow.
    pub fn rolling(&self) -> &HeightField {
        &self.rolling
    }

    /// Heights of the water surface, also where no water is drawn.
    pub fn water_surface(&self) -> &HeightField {
        &self.water_surface
    }

    /// Layers of a cell's corners in the order of cliff letters: north-west, north-east, south-east, south-west.
    pub fn layers(&self, x: u32, y: u32) -> [u8; 4] {
        self.letter_corners(x, y).map(|v| v.layer)
    }

    /// A cell's corners in the order of cliff letters.
    pub fn letter_corners(&self, x: u32, y: u32) -> [&Vertex; 4] {
        let (x, y) = (x as i32, y as i32);
        [self.vertex(x, y + 1), self.vertex(x + 1, y + 1), self.vertex(x + 1, y), self.vertex(x, y)]
    }

    /// World position of the middle of the map.
    pub fn middle(&self) -> Vec2 {
        self.origin + self.extent() / 2.0
    }

    /// World size of the map.
    pub fn extent(&self) -> Vec2 {
        Vec2::new(self.cells()[0] as f32, self.cells()[1] as f32) * TILE_SIZE
    }
}

/// Corners of a cell in the order of cliff letters, as offsets from its south-west vertex.
pub const LETTER_CORNERS: [(i32, i32); 4] = [(0, 1), (1, 1), (1, 0), (0, 0)];

fn clamp_ground(vertices: &mut [Vertex], types: usize, diagnostics: &mut Vec<Diagnostic>) {
    let last = types.saturating_sub(1).min(u8::MAX as usize) as u8;
    let mut wrong = 0usize;
    for vertex in vertices.iter_mut().filter(|v| v.ground > last) {
        vertex.ground = last;
        wrong += 1;
    }
    if wrong > 0 {
        diagnostics.push(
            Diagnostic::warning(
                "wc3.ground-index",
                format!("{wrong} vertices name a ground texture past the map's list of {types}"),
            )
            .in_file("war3map.w3e")
            .help("they are shown with the last texture of the list"),
        );
    }
}
