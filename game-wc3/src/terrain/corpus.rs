//! Every real terrain bakes without a hole.

use std::path::Path;
use std::sync::Arc;

use glam::{Vec2, Vec3Swizzles};

use super::cliffs::{self, CliffOptions, CliffVertex};
use super::ground::{self, GroundInput};
use super::models::{CliffModels, requests};
use super::ownership::Ownership;
use super::testing::{data, tables};
use super::{Terrain, fallback, paint, water};
use crate::formats::w3e::{TILE_SIZE, W3e};

/// Generated pieces for all that the terrain asks for, ramps included.
fn generated(terrain: &Terrain) -> CliffModels {
    let mut models = CliffModels::default();
    for request in requests(terrain).into_iter().filter(|r| r.ramp) {
        let letters = request.key.letters;
        let levels = letters.map(|l| u8::from(matches!(l, b'B' | b'H')));
        let form = super::ramps::RampForm::of(levels, letters.map(|l| l >= b'H')).unwrap();
        models.insert(request.key, vec![Arc::new(fallback::ramp(form))]);
    }
    models
}

/// Cells that neither ground nor the ground plan of a piece's triangles covers, at nine points a cell.
fn uncovered(terrain: &Terrain, ownership: &Ownership, models: &CliffModels) -> Vec<(u32, u32)> {
    let batch = cliffs::bake(terrain, ownership, models, CliffOptions::default());
    let vertices: Vec<CliffVertex> = bytemuck::pod_collect_to_vec(&batch.vertices);
    let [w, h] = terrain.cells();
    let point = |x: u32, y: u32, i: usize| {
        Vec2::new(x as f32 + 0.21 + (i % 3) as f32 * 0.29, y as f32 + 0.23 + (i / 3) as f32 * 0.27)
    };
    let mut covered = vec![0u16; (w * h) as usize];
    for triangle in batch.indices.chunks_exact(3) {
        let p = [0, 1, 2].map(|i| {
            let at = glam::Vec3::from(vertices[triangle[i] as usize].position).xy();
            (at - terrain.origin) / TILE_SIZE
        });
        let (min, max) = (p[0].min(p[1]).min(p[2]), p[0].max(p[1]).max(p[2]));
        for y in min.y.floor().max(0.0) as u32..(max.y.ceil() as u32).min(h) {
            for x in min.x.floor().max(0.0) as u32..(max.x.ceil() as u32).min(w) {
                for i in 0..9 {
                    let at = point(x, y, i);
                    let side = |a: Vec2, b: Vec2| (b - a).perp_dot(at - a);
                    let s = [side(p[0], p[1]), side(p[1], p[2]), side(p[2], p[0])];
                    if s.iter().all(|&v| v >= 0.0) || s.iter().all(|&v| v <= 0.0) {
                        covered[(y * w + x) as usize] |= 1 << i;
                    }
                }
            }
        }
    }
    let cells = (0..h).flat_map(|y| (0..w).map(move |x| (x, y)));
    cells
        .filter(|&(x, y)| !ownership.has_ground(x as i32, y as i32) && covered[(y * w + x) as usize] != 0x1FF)
        .collect()
}

fn maps(root: &Path) -> Vec<(String, W3e)> {
    let mut folders: Vec<_> = std::fs::read_dir(root.join("w3e")).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    let read = |path: std::path::PathBuf| {
        let w3e = W3e::parse(&std::fs::read(path.join("war3map.w3e")).ok()?).ok()?;
        Some((path.file_name()?.to_string_lossy().into_owned(), w3e))
    };
    folders.into_iter().filter_map(read).collect()
}

#[test]
fn every_real_terrain_is_covered_everywhere() {
    let Some(root) = data() else { return };
    let maps = maps(&root);
    assert!(maps.len() >= 25, "{}", maps.len());
    let mut ramps = 0;
    for (name, w3e) in &maps {
        let terrain = Terrain::new(w3e, &tables(), &mut Vec::new());
        let models = generated(&terrain);
        for models in [&models, &CliffModels::default()] {
            let ownership = Ownership::new(&terrain, models);
            assert_eq!(uncovered(&terrain, &ownership, models), [], "{name}");
            let [cliffs, forms, low] = ownership.counts();
            ramps += forms;
            eprintln!("{name}: {cliffs} cliff cells, {forms} ramp pieces, {low} low sides");
        }
    }
    assert!(ramps > 1000, "{ramps}");
}

#[test]
fn ground_covers_each_of_its_cells_with_one_opaque_quad() {
    let Some(root) = data() else { return };
    for (name, w3e) in &maps(&root) {
        let terrain = Terrain::new(w3e, &tables(), &mut Vec::new());
        let ownership = Ownership::new(&terrain, &generated(&terrain));
        let paint = paint::paint(&terrain, &ownership, None);
        let wide = vec![true; terrain.ground_types.len()];
        let batch = ground::bake(GroundInput { terrain: &terrain, ownership: &ownership, paint: &paint, wide: &wide });
        let opaque: u32 =
            batch.draws.iter().filter(|d| (d.material as usize) < wide.len()).map(|d| d.indices.len() as u32 / 6).sum();
        let [w, h] = terrain.cells();
        let ground = (0..h as i32).flat_map(|y| (0..w as i32).map(move |x| (x, y)));
        let cells = ground.filter(|&(x, y)| ownership.has_ground(x, y)).count();
        assert_eq!(opaque as usize, cells, "{name}");
        let surface = water::bake(&terrain);
        let [w, h] = terrain.cells();
        let wet = (0..h).flat_map(|y| (0..w).map(move |x| (x, y))).filter(|&(x, y)| water::is_drawn(&terrain, x, y));
        assert_eq!(surface.indices.len(), wet.count() * 6, "{name}");
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    let Some(root) = data() else { return };
    let w3e = W3e::parse(&std::fs::read(root.join("w3e/Promises__YAZM/war3map.w3e")).unwrap()).unwrap();
    let bake = || {
        let terrain = Terrain::new(&w3e, &tables(), &mut Vec::new());
        let models = generated(&terrain);
        let ownership = Ownership::new(&terrain, &models);
        let paint = paint::paint(&terrain, &ownership, None);
        let wide = vec![true; terrain.ground_types.len()];
        let input = GroundInput { terrain: &terrain, ownership: &ownership, paint: &paint, wide: &wide };
        let options = CliffOptions::default();
        (ground::bake(input), cliffs::bake(&terrain, &ownership, &models, options), water::bake(&terrain))
    };
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    assert!(pool(1).install(bake) == pool(4).install(bake));
}

#[test]
fn built_in_art_covers_every_real_terrain() {
    let Some(root) = data() else { return };
    let layer = terrace_engine::asset::Layer::memory("art", terrace_art::files()).unwrap();
    let vfs = terrace_engine::asset::Vfs::new(vec![layer]);
    let mut problems = Vec::new();
    let tables = crate::assets::tables(&vfs, &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    for (name, w3e) in &maps(&root) {
        let terrain = Terrain::new(w3e, &tables, &mut Vec::new());
        let (models, problems) = crate::assets::cliff_models(&vfs, requests(&terrain));
        assert!(problems.is_empty(), "{name}: {problems:?}");
        let ownership = Ownership::new(&terrain, &models);
        assert_eq!(uncovered(&terrain, &ownership, &models), [], "{name}");
    }
}
