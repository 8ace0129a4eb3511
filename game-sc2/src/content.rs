//! What a map puts into the scene: textures, materials, buffers, draws.

use terrace_engine::scene::{
    BufferUse, Draw, DrawFlags, IndexType, ListId, Material, MaterialId, Scene, StreamData, TextureKind,
};
use terrace_engine::terrain::Batch;

use crate::assets::{self, LayerSet};
use crate::formats::TextureMasks;
use crate::registry::ids;
use crate::terrain::{Terrain, ground};
use crate::{art, terrain::water};

/// Fills a new scene.
pub(crate) fn fill(
    scene: &mut Scene,
    terrain: &Terrain,
    masks: Option<&TextureMasks>,
    sets: &[LayerSet],
    pools: &[water::Pool],
) {
    let ground_materials: Vec<_> = sets
        .iter()
        .map(|set| {
            let name = set.texture.name.clone();
            let texture = scene.add_texture(set.texture.clone());
            scene.add_material(Material { name, textures: vec![texture], preset: 0 })
        })
        .collect();
    for (import, texture) in ids::MASKS.into_iter().zip(ground::mask_textures(masks)) {
        let texture = scene.add_texture(texture);
        scene.set_import(import, texture);
    }
    // No piece stands in the holes of cliffs yet, so the ground goes on through them.
    set_list(scene, ids::GROUND, "ground", ground::bake(terrain, &|_, _| false), &ground_materials);
    let batch = water::bake(terrain, pools);
    scene.flags[ids::HAS_WATER] = !batch.draws.is_empty();
    if scene.flags[ids::HAS_WATER] {
        let mips = assets::mips(art::ripples());
        let texture = scene.add_texture(assets::texture("ripples", &[&mips], TextureKind::D2));
        let material = scene.add_material(Material { name: "water".into(), textures: vec![texture], preset: 0 });
        set_list(scene, ids::WATER, "water", batch, &vec![material; pools.len()]);
    }
    scene.set_size(ids::MAP_CELLS, terrain.cells);
}

fn set_list(scene: &mut Scene, list: ListId, name: &str, batch: Batch, materials: &[MaterialId]) {
    if batch.draws.is_empty() {
        return;
    }
    let vertices = scene.add_buffer(format!("{name} vertices"), BufferUse::Vertex, batch.vertices);
    let indices = bytemuck::cast_slice(&batch.indices).to_vec();
    let indices = scene.add_buffer(format!("{name} indices"), BufferUse::Index, indices);
    let draws = batch.draws.into_iter().filter_map(|draw| {
        Some(Draw {
            indices: draw.indices,
            base_vertex: 0,
            instances: 0..1,
            material: *materials.get(draw.material as usize)?,
            bounds: draw.bounds,
            sort_key: u64::from(draw.material),
            flags: DrawFlags::default(),
            push: [0; 4],
        })
    });
    let list = scene.list_mut(list);
    list.draws = draws.collect();
    list.streams = vec![StreamData { buffer: vertices, offset: 0 }];
    list.indices = Some((indices, IndexType::U32));
    list.generation += 1;
}
