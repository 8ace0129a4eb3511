//! Geometry of cliff and ramp pieces, by the directory and the letters of their files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{Vec2, Vec3};

use super::Terrain;
use super::ownership::{Candidate, candidate};
use super::ramps::cliff_letter;
use super::slots;
use crate::formats::mdx::Model;

/// Folder of all pieces.
pub const PIECE_FOLDER: &str = "Doodads\\Terrain";
/// Most variations of one piece: the file's three bits reach no more.
pub const MAX_VARIATIONS: u8 = 8;

/// A piece's geometry in its own axes: a cliff's footprint is X -128..0, Y 0..128, a ramp's long side has 256.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CliffModel {
    /// Where it was found, or what generated it.
    pub name: String,
    /// Vertices.
    pub positions: Vec<Vec3>,
    /// A normal a vertex.
    pub normals: Vec<Vec3>,
    /// A texture coordinate a vertex.
    pub uvs: Vec<Vec2>,
    /// Triangles.
    pub indices: Vec<u32>,
}

impl CliffModel {
    /// All geometry of a model in one piece; `None` when it has no triangle. Its own textures do not count: the
    /// cliff type of the map says which texture a piece has.
    pub fn from_mdx(model: &Model, name: String) -> Option<Self> {
        let mut out = Self { name, ..Self::default() };
        for geoset in &model.geosets {
            let first = out.positions.len() as u32;
            let uvs = geoset.uvs(0);
            for (i, &position) in geoset.positions.iter().enumerate() {
                out.positions.push(position.into());
                out.normals.push(geoset.normals.get(i).copied().map_or(Vec3::Z, Vec3::from));
                out.uvs.push(uvs.get(i).copied().map_or(Vec2::ZERO, Vec2::from));
            }
            out.indices.extend(geoset.faces.iter().flatten().map(|&i| first + u32::from(i)));
        }
        let sound = out.positions.iter().all(|p| p.is_finite()) && out.uvs.iter().all(|uv| uv.is_finite());
        (sound && !out.indices.is_empty()).then_some(out)
    }
}

/// What names the files of a piece, all variations together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PieceKey {
    /// Directory below [`PIECE_FOLDER`], lower case. Directories have pieces of the same letters and other geometry,
    /// so letters alone are no key.
    pub dir: String,
    /// Letters.
    pub letters: [u8; 4],
}

impl PieceKey {
    /// A key; directories are compared without case.
    pub fn new(dir: &str, letters: [u8; 4]) -> Self {
        Self { dir: dir.to_ascii_lowercase(), letters }
    }

    /// Path of the file of a variation.
    pub fn path(&self, variation: u8) -> String {
        let Self { dir, letters } = self;
        let letters = String::from_utf8_lossy(letters);
        format!("{PIECE_FOLDER}\\{dir}\\{dir}{letters}{variation}.mdx")
    }
}

/// A piece that a terrain may need.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    /// Which files.
    pub key: PieceKey,
    /// Ramps have one variation, and a missing ramp file means a cliff piece.
    pub ramp: bool,
}

/// Every piece that the terrain may need, for whoever loads files. Cells that could be ramps ask for both.
pub fn requests(terrain: &Terrain) -> BTreeSet<Request> {
    let mut out = BTreeSet::new();
    let [w, h] = terrain.cells();
    for (x, y) in (0..h).flat_map(|y| (0..w).map(move |x| (x, y))) {
        let candidate = candidate(terrain, x, y);
        if candidate == Candidate::Ground {
            continue;
        }
        let kind = &terrain.cliff_types[slots::slot(terrain, x, y).index];
        if let (Candidate::Ramp(form), Some(dir)) = (candidate, &kind.ramp_dir) {
            out.insert(Request { key: PieceKey::new(dir, form.letters), ramp: true });
        }
        out.insert(Request { key: PieceKey::new(&kind.cliff_dir, cliff_letters(terrain, x, y)), ramp: false });
    }
    out
}

/// The letters of a cell's cliff piece: A, B, C for 0, 1, 2 and more levels above the lowest corner.
pub fn cliff_letters(terrain: &Terrain, x: u32, y: u32) -> [u8; 4] {
    let layers = terrain.layers(x, y);
    let base = layers.into_iter().min().unwrap_or(0);
    layers.map(|layer| cliff_letter(layer - base, false))
}

/// Loaded pieces.
#[derive(Clone, Debug, Default)]
pub struct CliffModels {
    by_key: BTreeMap<PieceKey, Vec<Arc<CliffModel>>>,
}

impl CliffModels {
    /// Adds the variations of a piece, from 0 on without gaps.
    pub fn insert(&mut self, key: PieceKey, variations: Vec<Arc<CliffModel>>) {
        if !variations.is_empty() {
            self.by_key.insert(key, variations);
        }
    }

    /// True when a piece is there.
    pub fn has(&self, dir: &str, letters: [u8; 4]) -> bool {
        self.by_key.contains_key(&PieceKey::new(dir, letters))
    }

    /// A variation of a piece, the last one where there are fewer.
    pub fn get(&self, dir: &str, letters: [u8; 4], variation: u8) -> Option<&Arc<CliffModel>> {
        let variations = self.by_key.get(&PieceKey::new(dir, letters))?;
        variations.get(usize::from(variation)).or(variations.last())
    }

    /// Number of models.
    pub fn len(&self) -> usize {
        self.by_key.values().map(Vec::len).sum()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// All keys with their models.
    pub fn iter(&self) -> impl Iterator<Item = (&PieceKey, &[Arc<CliffModel>])> {
        self.by_key.iter().map(|(k, v)| (k, v.as_slice()))
    }
}
