//! The ground as plain data: heights, brightness, texture sets. The bakers in this module turn it into meshes.
//!
//! World space: one cell is one unit, the map's south-west corner is the origin, z as in the height map.

pub(crate) mod blur;
pub(crate) mod ground;
pub(crate) mod water;

use glam::{Vec2, Vec3};
use terrace_engine::diag::Diagnostic;
use terrace_engine::terrain::HeightField;

use crate::formats::{CliffLevels, Grid, HeightMap, MASK_LAYERS, Quantization};
use crate::map_files::MapFiles;

/// World units of a cell.
pub(crate) const CELL: f32 = 1.0;
/// Quantization that a map without heights is treated as: flat, z = 0 on the standard level.
const FLAT: Quantization = Quantization { bias: 1.0, scale: 10.0 / crate::formats::ZERO_SUM as f32, standard: 8.0 };

/// The ground of a map.
pub(crate) struct Terrain {
    /// Cells along x and y.
    pub(crate) cells: [u32; 2],
    /// The visible ground: exact heights, for everything but the camera.
    pub(crate) surface: HeightField,
    /// The blurred ground that only the camera follows.
    pub(crate) camera_surface: HeightField,
    /// Baked brightness of points.
    pub(crate) brightness: Grid<u8>,
    /// Ids of CTerrainTex: eight a set, empty where a layer has none. At least one set.
    pub(crate) texture_sets: Vec<[String; MASK_LAYERS]>,
    /// Index in `texture_sets` for each block of 8x8 cells, row by row.
    pub(crate) block_sets: Vec<u32>,
    /// How the map stores heights.
    pub(crate) quantization: Quantization,
}

impl Terrain {
    /// The ground of a map of `cells` whose textures have these names, eight a set. What is missing is replaced and
    /// reported.
    pub(crate) fn new(cells: [u32; 2], files: &MapFiles, names: &[String], diagnostics: &mut Vec<Diagnostic>) -> Self {
        let quantization = quantization(files, diagnostics);
        let points = cells.map(|c| c + 1);
        let z = heights(points, files, &quantization, diagnostics);
        let surface = HeightField::new(points, Vec2::ZERO, CELL, z);
        let camera_surface = blur::dense_blur(&surface, Vec2::ZERO, CELL, blur::CAMERA_RADIUS);
        let brightness = files.colors.as_ref().map(|c| c.ground(points)).unwrap_or_default();
        let (texture_sets, block_sets) = texture_sets(cells, files, names);
        Self { cells, surface, camera_surface, brightness, texture_sets, block_sets, quantization }
    }

    /// Size of the map in world units.
    pub(crate) fn extent(&self) -> Vec2 {
        Vec2::new(self.cells[0] as f32, self.cells[1] as f32) * CELL
    }

    /// z in world space of a height that a catalog gives: there the standard cliff level lies at the standard height,
    /// in the height map it lies `bias - 1` above zero.
    pub(crate) fn catalog_height(&self, height: f32) -> f32 {
        height - (self.quantization.standard + 1.0 - self.quantization.bias)
    }

    /// Brightness of a point, 0 to 1.
    pub(crate) fn brightness_at(&self, x: i32, y: i32) -> f32 {
        if self.brightness.values.is_empty() { 1.0 } else { f32::from(self.brightness.at(x, y)) / 255.0 }
    }

    /// Height and normal of a point, and its place.
    pub(crate) fn point(&self, x: i32, y: i32) -> (Vec3, Vec3) {
        (self.surface.position(x, y), self.surface.vertex_normal(x, y))
    }
}

fn quantization(files: &MapFiles, diagnostics: &mut Vec<Diagnostic>) -> Quantization {
    let stored = files.xml.as_ref().and_then(|x| x.quantization).filter(|q| q.scale > 0.0);
    match (stored, &files.heights) {
        (Some(q), _) => q,
        (None, Some(heights)) => {
            let q = heights.estimate();
            let what =
                format!("the scale of heights is missing, {} world units a step are estimated from the tiers", q.scale);
            diagnostics.push(
                Diagnostic::warning("sc2.no-quantization", what)
                    .in_file("t3Terrain.xml")
                    .help("heights are right only if the editor's standard tiers are used"),
            );
            q
        }
        (None, None) => FLAT,
    }
}

/// z of every point: from the height map, else from cliff levels, else flat.
fn heights(points: [u32; 2], files: &MapFiles, q: &Quantization, diagnostics: &mut Vec<Diagnostic>) -> Vec<f32> {
    let [w, h] = points.map(|p| p as i32);
    let all =
        |z: &dyn Fn(i32, i32) -> f32| (0..h).flat_map(|y| (0..w).map(move |x| (x, y))).map(|(x, y)| z(x, y)).collect();
    let missing = |what: &str| Diagnostic::warning("sc2.no-heights", what).in_file("t3HeightMap");
    match (&files.heights, &files.levels) {
        (Some(map), _) => {
            check_size(map, points, diagnostics);
            all(&|x, y| map.points.at(x, y).height(q))
        }
        (None, Some(levels)) => {
            diagnostics.push(missing("the map has no heights: they are made from its cliff levels"));
            all(&|x, y| level_height(levels, x, y) + q.bias - 1.0)
        }
        (None, None) => {
            diagnostics.push(missing("the map has no heights: it is shown flat"));
            all(&|_, _| q.bias - 1.0)
        }
    }
}

fn check_size(map: &HeightMap, points: [u32; 2], diagnostics: &mut Vec<Diagnostic>) {
    let own = [map.points.width, map.points.height];
    if own != points {
        let what = format!("{}x{} heights for {}x{} points: the edge continues", own[0], own[1], points[0], points[1]);
        diagnostics.push(Diagnostic::warning("sc2.size", what).in_file("t3HeightMap"));
    }
}

/// Mean of the standard heights of the four cells around a point.
fn level_height(levels: &CliffLevels, x: i32, y: i32) -> f32 {
    let around = [(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)];
    around.map(|(x, y)| CliffLevels::standard_height(levels.cells.at(x, y))).iter().sum::<f32>() / 4.0
}

/// The texture sets that blocks use, and the set of each block. Sets that no block uses are left out.
fn texture_sets(cells: [u32; 2], files: &MapFiles, names: &[String]) -> (Vec<[String; MASK_LAYERS]>, Vec<u32>) {
    let blocks = cells.map(|c| c.div_ceil(8));
    let mut used: Vec<u8> = Vec::new();
    let mut block_sets = Vec::with_capacity((blocks[0] * blocks[1]) as usize);
    for (y, x) in (0..blocks[1]).flat_map(|y| (0..blocks[0]).map(move |x| (y, x))) {
        let set = files.xml.as_ref().map_or(0, |xml| xml.block_set(x * 8, y * 8));
        let index = used.iter().position(|u| *u == set).unwrap_or_else(|| {
            used.push(set);
            used.len() - 1
        });
        block_sets.push(index as u32);
    }
    let names = |set: &u8| {
        let first = usize::from(*set) * MASK_LAYERS;
        std::array::from_fn(|layer| names.get(first + layer).cloned().unwrap_or_default())
    };
    (used.iter().map(names).collect(), block_sets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::TerrainXml;

    #[test]
    fn a_map_without_heights_gets_them_from_its_levels() {
        let mut bytes = b"CLIF".to_vec();
        bytes.extend([100u32, 4, 2, 0, 0, 0, 0].iter().flat_map(|v| v.to_le_bytes()));
        bytes.extend([0u16, 64, 64, 128, 0, 64, 64, 128].iter().flat_map(|v| v.to_le_bytes()));
        let files = MapFiles { levels: CliffLevels::parse(&bytes).ok(), ..MapFiles::default() };
        let mut problems = Vec::new();
        let terrain = Terrain::new([4, 2], &files, &[], &mut problems);
        let row: Vec<_> = (0..5).map(|x| terrain.surface.at(x, 1)).collect();
        assert_eq!(row, [-8.0, -4.0, 0.0, 1.0, 2.0]);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].code, "sc2.no-heights");
        // Lava at -0.15 of the catalog lies just below the chasm's floor.
        assert!((terrain.catalog_height(-0.15) + 8.15).abs() < 1e-5);
    }

    #[test]
    fn blocks_choose_among_the_sets_that_are_used() {
        let names: Vec<String> = (0..32).map(|i| format!("T{i}")).collect();
        let text = "<terrain><heightMap dim=\"17 9\"><blockTextureSetList><blockTextureSet i=\"0\" tileSet=\"3\"/>\
                    <blockTextureSet i=\"1\" tileSet=\"1\"/></blockTextureSetList></heightMap></terrain>";
        let files = MapFiles { xml: Some(TerrainXml::parse(text.as_bytes()).unwrap()), ..MapFiles::default() };
        let terrain = Terrain::new([16, 8], &files, &names, &mut Vec::new());
        assert_eq!(terrain.block_sets, [0, 1]);
        assert_eq!([&terrain.texture_sets[0][0], &terrain.texture_sets[1][7]], ["T24", "T15"]);
    }
}
