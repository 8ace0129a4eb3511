//! One vertex and one index buffer out of many baked parts.

use std::ops::Range;

use bytemuck::Pod;

use crate::scene::Aabb;

/// Geometry of one material in one segment; indices count from the part's first vertex.
#[derive(Clone, Debug)]
pub struct Part<V> {
    /// Rank of the material: parts are drawn in this order.
    pub material: u32,
    /// Segment.
    pub segment: u32,
    /// Vertices.
    pub vertices: Vec<V>,
    /// Triangles.
    pub indices: Vec<u32>,
    /// Box in world space.
    pub bounds: Aabb,
}

impl<V> Part<V> {
    /// A part without geometry.
    pub fn new(material: u32, segment: u32) -> Self {
        Self { material, segment, vertices: Vec::new(), indices: Vec::new(), bounds: Aabb::EMPTY }
    }
}

/// Where a part ended up.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchDraw {
    /// Material of the part.
    pub material: u32,
    /// Segment of the part.
    pub segment: u32,
    /// Its indices.
    pub indices: Range<u32>,
    /// Its vertices: one contiguous slice, so that one segment is rewritten by one copy.
    pub vertices: Range<u32>,
    /// Its box.
    pub bounds: Aabb,
}

/// Shared buffers. Parts lie in the order (material, segment), so that the index ranges of visible neighbours touch
/// and their draws can be merged: the number of commands depends on materials, not on segments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Bytes of all vertices.
    pub vertices: Vec<u8>,
    /// All indices, 32 bits each.
    pub indices: Vec<u32>,
    /// One entry a part that has triangles.
    pub draws: Vec<BatchDraw>,
}

/// Puts parts together. Equal parts give equal bytes whatever order they come in, as long as no two have the same
/// material and segment.
pub fn assemble<V: Pod>(mut parts: Vec<Part<V>>) -> Batch {
    parts.retain(|p| !p.indices.is_empty());
    parts.sort_by_key(|p| (p.material, p.segment));
    let mut batch = Batch::default();
    batch.vertices.reserve(parts.iter().map(|p| p.vertices.len()).sum::<usize>() * size_of::<V>());
    batch.indices.reserve(parts.iter().map(|p| p.indices.len()).sum());
    let mut first_vertex = 0u32;
    for part in parts {
        let first_index = batch.indices.len() as u32;
        batch.indices.extend(part.indices.iter().map(|i| i + first_vertex));
        batch.vertices.extend_from_slice(bytemuck::cast_slice(&part.vertices));
        let end = first_vertex + part.vertices.len() as u32;
        batch.draws.push(BatchDraw {
            material: part.material,
            segment: part.segment,
            indices: first_index..batch.indices.len() as u32,
            vertices: first_vertex..end,
            bounds: part.bounds,
        });
        first_vertex = end;
    }
    batch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(material: u32, segment: u32) -> Part<u32> {
        let base = material * 100 + segment * 10;
        Part { vertices: vec![base, base + 1, base + 2], indices: vec![0, 1, 2], ..Part::new(material, segment) }
    }

    #[test]
    fn ranges_of_one_material_touch_and_the_input_order_does_not_matter() {
        let batch = assemble(vec![part(1, 0), part(0, 1), Part::new(0, 2), part(0, 0)]);
        let order: Vec<_> = batch.draws.iter().map(|d| (d.material, d.segment, d.indices.clone())).collect();
        assert_eq!(order, [(0, 0, 0..3), (0, 1, 3..6), (1, 0, 6..9)]);
        assert_eq!(batch.indices, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(bytemuck::cast_slice::<u8, u32>(&batch.vertices), [0, 1, 2, 10, 11, 12, 100, 101, 102]);
        assert_eq!(batch, assemble(vec![part(0, 0), part(0, 1), part(1, 0)]));
    }
}
