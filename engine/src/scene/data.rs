//! The world as the renderer sees it: buffers, textures, materials, draw lists. Plain data on the CPU.
//!
//! The world changes bytes and marks the range; the renderer copies marked ranges through its staging ring before the
//! frame's first pass. The CPU keeps the bytes, so that a lost device is rebuilt without asking the game.

use std::ops::Range;

use serde::Serialize;

use super::registry::{ImportId, ListId, SizeId, ViewId};
use super::view::{Aabb, View};
use crate::graph::{Format, SampledKind};

/// Index of a buffer in [`Scene::buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferId(pub u32);
/// Index of a texture in [`Scene::textures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureId(pub u32);
/// Index of a material in [`Scene::materials`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MaterialId(pub u32);

/// What a buffer is bound as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferUse {
    /// A vertex stream.
    Vertex,
    /// Indices.
    Index,
    /// A storage buffer of descriptor set 3.
    Storage,
}

/// What changed since the renderer last looked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Dirty {
    /// Nothing.
    Clean,
    /// Everything, size included; the state of a new object.
    #[default]
    All,
    /// Byte ranges, in the order they were marked.
    Ranges(Vec<Range<usize>>),
}

impl Dirty {
    /// Marks a range.
    pub fn mark(&mut self, range: Range<usize>) {
        match self {
            Self::All => {}
            Self::Clean => *self = Self::Ranges(vec![range]),
            Self::Ranges(ranges) => ranges.push(range),
        }
    }
}

/// Bytes that go to a GPU buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Debug name.
    pub name: String,
    /// What it is bound as.
    pub usage: BufferUse,
    /// The content.
    pub bytes: Vec<u8>,
    /// What the renderer has to copy.
    pub dirty: Dirty,
}

/// How a texture is addressed outside 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wrap {
    /// The edge texel continues.
    Clamp,
    /// The texture repeats.
    Repeat,
}

/// Filtering and addressing of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SamplerDesc {
    /// Linear (true) or nearest filter, within and between mips.
    pub linear: bool,
    /// Addressing on U.
    pub wrap_u: Wrap,
    /// Addressing on V.
    pub wrap_v: Wrap,
    /// True for a depth image that is compared (`sampler2DShadow`, less or equal).
    pub compare: bool,
}

impl SamplerDesc {
    /// Linear, repeating.
    pub const REPEAT: Self = Self { linear: true, wrap_u: Wrap::Repeat, wrap_v: Wrap::Repeat, compare: false };
    /// Linear, clamped.
    pub const CLAMP: Self = Self { linear: true, wrap_u: Wrap::Clamp, wrap_v: Wrap::Clamp, compare: false };
    /// Nearest, clamped.
    pub const NEAREST: Self = Self { linear: false, wrap_u: Wrap::Clamp, wrap_v: Wrap::Clamp, compare: false };
}

/// The shape of a texture; the same words as a graph's sampled images.
pub type TextureKind = SampledKind;

/// Texels that go to a GPU image.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Debug name; a virtual path for loaded art.
    pub name: String,
    /// Shape.
    pub kind: TextureKind,
    /// Texel format.
    pub format: Format,
    /// Width and height of mip 0 in texels, at least 1.
    pub size: [u32; 2],
    /// Array layers, 1 for a plain 2D texture.
    pub layers: u32,
    /// Mip levels, at least 1; level i has max(1, size >> i) texels a side.
    pub mips: u32,
    /// All mips of layer 0, then of layer 1 and so on; tightly packed rows, top row first.
    pub texels: Vec<u8>,
    /// Filter and addressing.
    pub sampler: SamplerDesc,
    /// What the renderer has to copy; a range is widened to whole mips of a layer.
    pub dirty: Dirty,
}

impl Texture {
    /// Bytes of one mip level of one layer.
    pub fn mip_bytes(&self, mip: u32) -> usize {
        let [w, h] = self.size.map(|s| (s >> mip).max(1));
        self.format.bytes_for(w, h)
    }
}

/// The textures and the state that a draw brings along.
#[derive(Clone, Debug)]
pub struct Material {
    /// Debug name.
    pub name: String,
    /// One texture for each slot of [`super::ListDecl::material`].
    pub textures: Vec<TextureId>,
    /// Index in [`super::ListDecl::presets`].
    pub preset: u32,
}

/// Width of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexType {
    /// 16 bits.
    U16,
    /// 32 bits.
    U32,
}

/// Flags of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawFlags {
    /// Views with a common layer draw it.
    pub layers: u32,
}

impl Default for DrawFlags {
    fn default() -> Self {
        Self { layers: !0 }
    }
}

/// One drawn range. Neighbours with the same material and instances whose index ranges touch are merged after culling,
/// so the number of commands does not grow with the number of draws that are seen.
#[derive(Clone, Debug)]
pub struct Draw {
    /// Indices (or vertices where the list has no index buffer).
    pub indices: Range<u32>,
    /// Added to every index.
    pub base_vertex: i32,
    /// Instances.
    pub instances: Range<u32>,
    /// Material.
    pub material: MaterialId,
    /// Box in world space.
    pub bounds: Aabb,
    /// Draws are written in the order of this key, then in the order of the list.
    pub sort_key: u64,
    /// Layers.
    pub flags: DrawFlags,
    /// Pushed as four indices (`push.index`), for example into a storage buffer.
    pub push: [u32; 4],
}

/// Where a stream's data starts.
#[derive(Clone, Copy, Debug)]
pub struct StreamData {
    /// The buffer.
    pub buffer: BufferId,
    /// Byte offset of the first vertex.
    pub offset: u64,
}

/// The content of a registered draw list.
#[derive(Clone, Debug, Default)]
pub struct DrawListData {
    /// One entry for each stream of the declaration; empty while the list has no content.
    pub streams: Vec<StreamData>,
    /// Index buffer.
    pub indices: Option<(BufferId, IndexType)>,
    /// One buffer for each name in the declaration's `storage`.
    pub storage: Vec<BufferId>,
    /// The draws.
    pub draws: Vec<Draw>,
    /// Grows when `draws`, `streams` or `indices` changed, so that sorting is done once.
    pub generation: u64,
}

/// Everything a world hands over.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Buffers; never removed while the world lives.
    pub buffers: Vec<Buffer>,
    /// Textures; never removed while the world lives.
    pub textures: Vec<Texture>,
    /// Materials.
    pub materials: Vec<Material>,
    /// Content of the registry's lists, by [`ListId`].
    pub lists: Vec<DrawListData>,
    /// The registry's views, by [`ViewId`].
    pub views: Vec<View>,
    /// Textures behind the registry's imports, by [`ImportId`]; `None` shows the white texel.
    pub imports: Vec<Option<TextureId>>,
    /// Values of the registry's flags, in its order.
    pub flags: Vec<bool>,
    /// Values of the registry's sizes, by [`SizeId`].
    pub sizes: Vec<[u32; 2]>,
}

impl Scene {
    /// An empty scene of the registry's shape.
    pub fn new(registry: &super::Registry) -> Self {
        Self {
            lists: vec![DrawListData::default(); registry.lists.len()],
            views: vec![View::default(); registry.views.len()],
            imports: vec![None; registry.imports.len()],
            flags: registry.flags.iter().map(|f| f.default).collect(),
            sizes: vec![[1, 1]; registry.sizes.len()],
            ..Self::default()
        }
    }

    /// Adds a buffer.
    pub fn add_buffer(&mut self, name: impl Into<String>, usage: BufferUse, bytes: Vec<u8>) -> BufferId {
        self.buffers.push(Buffer { name: name.into(), usage, bytes, dirty: Dirty::All });
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// Overwrites a part of a buffer and marks it. Does nothing when the part does not lie inside the buffer.
    pub fn write_buffer(&mut self, id: BufferId, offset: usize, bytes: &[u8]) {
        let buffer = &mut self.buffers[id.0 as usize];
        if let Some(part) = offset.checked_add(bytes.len()).and_then(|end| buffer.bytes.get_mut(offset..end)) {
            part.copy_from_slice(bytes);
            buffer.dirty.mark(offset..offset + bytes.len());
        }
    }

    /// Adds a texture.
    pub fn add_texture(&mut self, texture: Texture) -> TextureId {
        self.textures.push(texture);
        TextureId(self.textures.len() as u32 - 1)
    }

    /// Adds a material.
    pub fn add_material(&mut self, material: Material) -> MaterialId {
        self.materials.push(material);
        MaterialId(self.materials.len() as u32 - 1)
    }

    /// A list's content.
    pub fn list_mut(&mut self, id: ListId) -> &mut DrawListData {
        &mut self.lists[id.index()]
    }

    /// Sets a view.
    pub fn set_view(&mut self, id: ViewId, view: View) {
        self.views[id.index()] = view;
    }

    /// Sets an import.
    pub fn set_import(&mut self, id: ImportId, texture: TextureId) {
        self.imports[id.index()] = Some(texture);
    }

    /// Sets a named size.
    pub fn set_size(&mut self, id: SizeId, size: [u32; 2]) {
        self.sizes[id.index()] = size;
    }
}
