//! The ground's mesh: two triangles a cell, one part for each texture set and segment.

use bytemuck::{Pod, Zeroable};
use glam::Vec2;
use rayon::prelude::*;
use terrace_engine::graph::Format;
use terrace_engine::scene::{Dirty, SamplerDesc};
use terrace_engine::scene::{Texture, TextureKind};
use terrace_engine::terrain::{Batch, Part, Segment, SegmentGrid, assemble, snorm8x4, unorm8x4};

use super::Terrain;
use crate::formats::TextureMasks;

/// A vertex of list "ground".
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct GroundVertex {
    /// World space.
    pub(crate) position: [f32; 3],
    /// World space.
    pub(crate) normal: [i8; 4],
    /// Place in the masks: 0 to 1 over the map, 0 is the south-west corner.
    pub(crate) uv: [f32; 2],
    /// Baked brightness.
    pub(crate) tint: [u8; 4],
}

/// Bakes the ground. Cells for which `hole` is true are left to other meshes.
pub(crate) fn bake(terrain: &Terrain, hole: &(dyn Fn(u32, u32) -> bool + Sync)) -> Batch {
    let grid = SegmentGrid::new(terrain.cells);
    let parts = (0..grid.count()).into_par_iter().map(|index| part(terrain, &grid.segment(index), hole)).collect();
    assemble(parts)
}

fn part(terrain: &Terrain, segment: &Segment, hole: &dyn Fn(u32, u32) -> bool) -> Part<GroundVertex> {
    // Segments and blocks of one texture set are both 8x8 cells.
    let set = terrain.block_sets.get(segment.index as usize).copied().unwrap_or(0);
    let mut part = Part::new(set, segment.index);
    for (y, x) in (segment.y.start..=segment.y.end).flat_map(|y| (segment.x.start..=segment.x.end).map(move |x| (y, x)))
    {
        let vertex = vertex(terrain, x as i32, y as i32);
        part.bounds.grow(vertex.position.into());
        part.vertices.push(vertex);
    }
    let columns = segment.x.end - segment.x.start + 1;
    for (x, y) in segment.cells().filter(|(x, y)| !hole(*x, *y)) {
        let sw = (y - segment.y.start) * columns + (x - segment.x.start);
        let (se, nw, ne) = (sw + 1, sw + columns, sw + columns + 1);
        // The diagonal runs from south-west to north-east; counter-clockwise from above.
        part.indices.extend([sw, se, ne, sw, ne, nw]);
    }
    part
}

fn vertex(terrain: &Terrain, x: i32, y: i32) -> GroundVertex {
    let (position, normal) = terrain.point(x, y);
    let brightness = terrain.brightness_at(x, y);
    let uv = Vec2::new(position.x, position.y) / terrain.extent();
    GroundVertex {
        position: position.to_array(),
        normal: snorm8x4(normal),
        uv: uv.to_array(),
        tint: unorm8x4([brightness, brightness, brightness, 1.0]),
    }
}

/// The weights of layers 0 to 3 and 4 to 7 as two textures; the first row is the south. A map without masks is all of
/// layer 0.
pub(crate) fn mask_textures(masks: Option<&TextureMasks>) -> [Texture; 2] {
    let (mut low, mut high, mut size) = (vec![255, 0, 0, 0], vec![0; 4], [1, 1]);
    if let Some(masks) = masks {
        size = [masks.width, masks.height];
        let weights: Vec<[u8; 8]> = (0..masks.height)
            .into_par_iter()
            .flat_map_iter(|y| (0..masks.width).map(move |x| masks.normalized(x, y)))
            .collect();
        low = weights.iter().flat_map(|w| [w[0], w[1], w[2], w[3]]).collect();
        high = weights.iter().flat_map(|w| [w[4], w[5], w[6], w[7]]).collect();
    }
    [("weights of layers 0 to 3", low), ("weights of layers 4 to 7", high)].map(|(name, texels)| Texture {
        name: name.into(),
        kind: TextureKind::D2,
        format: Format::Rgba8,
        size,
        layers: 1,
        mips: 1,
        texels,
        sampler: SamplerDesc::CLAMP,
        dirty: Dirty::All,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map_files::MapFiles;

    #[test]
    fn every_cell_is_two_triangles_unless_it_is_a_hole() {
        let terrain = Terrain::new([20, 9], &MapFiles::default(), &[], &mut Vec::new());
        let area = |batch: &Batch| {
            let vertices: &[GroundVertex] = bytemuck::cast_slice(&batch.vertices);
            let triangles = batch.indices.chunks_exact(3).map(|t| {
                let [a, b, c] = [t[0], t[1], t[2]].map(|i| glam::Vec3::from(vertices[i as usize].position).truncate());
                (b - a).perp_dot(c - a) / 2.0
            });
            assert!(triangles.clone().all(|a| a > 0.0));
            triangles.sum::<f32>()
        };
        assert_eq!(area(&bake(&terrain, &|_, _| false)), 180.0);
        assert_eq!(area(&bake(&terrain, &|x, y| x == 19 && y < 2)), 178.0);
    }

    #[test]
    fn masks_become_two_textures_of_four_layers() {
        let [low, high] = mask_textures(None);
        assert_eq!((low.texels.as_slice(), high.texels.as_slice()), (&[255u8, 0, 0, 0][..], &[0u8; 4][..]));
    }
}
