//! What a map puts into the scene: textures, materials, buffers, draws.

use terrace_engine::asset::Vfs;
use terrace_engine::diag::Diagnostic;
use terrace_engine::scene::{
    BufferUse, Dirty, Draw, DrawFlags, IndexType, ListId, Material, MaterialId, Scene, StreamData, TextureId,
};
use terrace_engine::terrain::Batch;

use crate::assets::{self, Loaded, SheetUse, TextureOrigin};
use crate::formats::shd::Shd;
use crate::registry::{BLEND, OPAQUE, ids};
use crate::terrain::{Terrain, shadow};

/// The textures of a terrain.
pub(crate) struct Textures {
    ground: Vec<Loaded>,
    cliff: Vec<Loaded>,
    water: Loaded,
    /// Whether the sheet of each ground index is wide.
    pub(crate) wide: Vec<bool>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Loads all textures that the terrain names.
pub(crate) fn load_textures(vfs: &Vfs, terrain: &Terrain) -> Textures {
    let paths = |list: Vec<Option<String>>, used| assets::sheets(vfs, &list, used);
    let ground = paths(terrain.ground_types.iter().map(|t| t.texture.clone()).collect(), SheetUse::Ground);
    let cliff = paths(terrain.cliff_types.iter().map(|t| t.texture.clone()).collect(), SheetUse::Cliff);
    let water = assets::water_frames(vfs, &terrain.water.frames);
    let all = ground.iter().chain(&cliff).chain(std::iter::once(&water));
    let diagnostics = all.filter_map(|l| l.diagnostic.clone()).collect();
    let wide = ground.iter().map(|l| l.texture.size[0] > l.texture.size[1]).collect();
    Textures { ground, cliff, water, wide, diagnostics }
}

/// What the scene holds, for later changes and for `info`.
pub(crate) struct Content {
    pub(crate) ground_origins: Vec<TextureOrigin>,
    pub(crate) cliff_origins: Vec<TextureOrigin>,
    pub(crate) water_origin: TextureOrigin,
    water_frames: u32,
    cliff_materials: Vec<MaterialId>,
}

impl Content {
    /// Fills the scene. Batches: ground, cliff, water; the materials of a batch's draws count from 0.
    pub(crate) fn new(scene: &mut Scene, textures: Textures, [ground, cliff, water]: [Batch; 3]) -> Self {
        let water_frames = textures.water.texture.layers;
        let add = |scene: &mut Scene, loaded: Vec<Loaded>| {
            loaded.into_iter().map(|l| (scene.add_texture(l.texture), l.origin)).unzip::<_, _, Vec<_>, Vec<_>>()
        };
        let (sheets, ground_origins) = add(scene, textures.ground);
        let (skins, cliff_origins) = add(scene, textures.cliff);
        let (surface, mut water_origins) = add(scene, vec![textures.water]);
        // As the ground's ranks: all opaque layers, then all blended ones.
        let mut ground_materials = materials(scene, &sheets, OPAQUE, "ground");
        ground_materials.extend(materials(scene, &sheets, BLEND, "ground, blended"));
        let cliff_materials = materials(scene, &skins, OPAQUE, "cliff");
        let water_materials = materials(scene, &surface, OPAQUE, "water");
        scene.flags[ids::HAS_WATER] = !water.draws.is_empty();
        set_list(scene, ids::GROUND, "ground", ground, &ground_materials);
        set_list(scene, ids::CLIFF, "cliff", cliff, &cliff_materials);
        set_list(scene, ids::WATER, "water", water, &water_materials);
        let water_origin = water_origins.remove(0);
        Self { ground_origins, cliff_origins, water_origin, water_frames, cliff_materials }
    }

    /// Sets the baked shadow; without one the import stays empty, which is white: lit everywhere.
    pub(crate) fn set_shadow(&self, scene: &mut Scene, shadow: Option<&Shd>) {
        let Some(shadow) = shadow.filter(|s| s.texels.iter().any(|&t| t != 0)) else { return };
        let texture = scene.add_texture(shadow::texture(shadow));
        scene.set_import(ids::BAKED_SHADOW, texture);
        scene.flags[ids::HAS_SHADOW] = true;
    }

    /// Frames of the water animation, at least 1.
    pub(crate) fn water_frames(&self) -> u32 {
        self.water_frames.max(1)
    }

    /// Puts newly baked cliffs in place of the old ones.
    pub(crate) fn replace_cliffs(&self, scene: &mut Scene, batch: Batch) {
        set_list(scene, ids::CLIFF, "cliff", batch, &self.cliff_materials);
    }
}

fn materials(scene: &mut Scene, textures: &[TextureId], preset: u32, name: &str) -> Vec<MaterialId> {
    let named = |texture: &TextureId| format!("{name}: {}", scene.textures[texture.0 as usize].name);
    let names: Vec<String> = textures.iter().map(named).collect();
    let add =
        |(texture, name): (&TextureId, String)| scene.add_material(Material { name, textures: vec![*texture], preset });
    textures.iter().zip(names).map(add).collect()
}

/// Fills a list, reusing its buffers where it has some.
fn set_list(scene: &mut Scene, list: ListId, name: &str, batch: Batch, materials: &[MaterialId]) {
    let indices = bytemuck::cast_slice(&batch.indices).to_vec();
    let old = scene.list_mut(list);
    let (vertex_buffer, index_buffer) = match (old.streams.first().copied(), old.indices) {
        (Some(stream), Some((index_buffer, _))) => {
            for (id, bytes) in [(stream.buffer, batch.vertices), (index_buffer, indices)] {
                let buffer = &mut scene.buffers[id.0 as usize];
                (buffer.bytes, buffer.dirty) = (bytes, Dirty::All);
            }
            (stream.buffer, index_buffer)
        }
        _ if batch.draws.is_empty() => return,
        _ => (
            scene.add_buffer(format!("{name} vertices"), BufferUse::Vertex, batch.vertices),
            scene.add_buffer(format!("{name} indices"), BufferUse::Index, indices),
        ),
    };
    let draws = batch.draws.into_iter().map(|draw| Draw {
        indices: draw.indices,
        base_vertex: 0,
        instances: 0..1,
        material: materials[draw.material as usize],
        bounds: draw.bounds,
        sort_key: u64::from(draw.material),
        flags: DrawFlags::default(),
        push: [0; 4],
    });
    let data = scene.list_mut(list);
    data.streams = vec![StreamData { buffer: vertex_buffer, offset: 0 }];
    data.indices = Some((index_buffer, IndexType::U32));
    data.draws = draws.collect();
    data.generation += 1;
}
