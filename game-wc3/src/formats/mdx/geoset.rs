//! Geometry (GEOS) and its animation (GEOA).

use terrace_engine::bytes::{Cursor, FormatError};

use super::material::index;
use super::reader::{Warnings, tracks};
use super::track::Track;
use super::{Extent, SKIN_VERSION, bgr_to_rgb, read_extent};

/// Most UV sets that are kept; the game's models have one or two.
pub const MAX_UV_SETS: usize = 8;
/// Primitive type of a triangle list, the only one in use.
const TRIANGLES: u32 = 4;
/// Bit of [`Geoset::selection_flags`]: cannot be selected.
pub const UNSELECTABLE: u32 = 4;

/// Weights of a vertex (SKIN).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skin {
    /// Object ids of the nodes.
    pub nodes: [u8; 4],
    /// Weights, of which 255 is one.
    pub weights: [u8; 4],
}

/// A piece of geometry with one material. Every per-vertex list that is not empty has one entry a vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geoset {
    /// Byte offset of the record, for diagnostics.
    pub offset: u64,
    /// Vertices (VRTX), model space.
    pub positions: Vec<[f32; 3]>,
    /// Normals (NRMS); up where the file has none.
    pub normals: Vec<[f32; 3]>,
    /// Tangents with the sign of the bitangent (TANG), empty in most models.
    pub tangents: Vec<[f32; 4]>,
    /// UV sets (UVBS), at least one.
    pub uv_sets: Vec<Vec<[f32; 2]>>,
    /// Triangles (PVTX); every index is in range.
    pub faces: Vec<[u16; 3]>,
    /// Group of each vertex (GNDX), an index into [`Geoset::groups`].
    pub vertex_groups: Vec<u8>,
    /// Object ids of the nodes that move each group with equal weights (MTGC, MATS). Never an empty list of groups;
    /// a group may be empty (it stays where it is) and may have more than four nodes.
    pub groups: Vec<Vec<u32>>,
    /// Weights (SKIN), which count instead of the groups; empty in classic models.
    pub skin: Vec<Skin>,
    /// Index into the model's materials; `None` only when the model has none.
    pub material: Option<usize>,
    /// Selection group.
    pub selection_group: u32,
    /// Bits such as [`UNSELECTABLE`].
    pub selection_flags: u32,
    /// Level of detail, 0 the finest, from version 900.
    pub lod: i32,
    /// Name of the level of detail, from version 900.
    pub lod_name: String,
    /// Bounds.
    pub extent: Extent,
    /// Bounds by sequence.
    pub sequence_extents: Vec<Extent>,
}

impl Geoset {
    /// The UV set of a layer; the first where there is no such set.
    pub fn uvs(&self, set: u32) -> &[[f32; 2]] {
        self.uv_sets.get(set as usize).or(self.uv_sets.first()).map_or(&[], Vec::as_slice)
    }
}

/// Colour and visibility of a geoset over time (GEOA).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeosetAnimation {
    /// Byte offset of the record, for diagnostics.
    pub offset: u64,
    /// Static alpha.
    pub alpha: f32,
    /// Casts a shadow.
    pub drop_shadow: bool,
    /// The colour counts.
    pub use_color: bool,
    /// Static colour.
    pub color: [f32; 3],
    /// Index into the model's geosets; `None` where the stored one is out of range.
    pub geoset: Option<usize>,
    /// Animated alpha (KGAO).
    pub alpha_track: Option<Track<f32>>,
    /// Animated colour (KGAC).
    pub color_track: Option<Track<[f32; 3]>>,
}

/// What is stored before it is brought into shape.
#[derive(Default)]
struct Raw {
    geoset: Geoset,
    primitive_types: Vec<u32>,
    primitive_counts: Vec<u32>,
    indices: Vec<u16>,
    group_sizes: Vec<u32>,
    group_nodes: Vec<u32>,
    uv_set_count: usize,
}

pub(super) fn read_geoset(c: &mut Cursor<'_>, version: u32, w: &mut Warnings) -> Result<Geoset, FormatError> {
    let mut raw = Raw { geoset: Geoset { offset: c.offset(), ..Geoset::default() }, ..Raw::default() };
    // An unreadable part ends the geoset, which keeps what came before it.
    while !c.is_empty() {
        if let Err(e) = raw.read_part(c, version) {
            w.push(e);
            break;
        }
    }
    Ok(raw.finish(w))
}

impl Raw {
    fn read_part(&mut self, c: &mut Cursor<'_>, version: u32) -> Result<(), FormatError> {
        let at = c.offset();
        let tag = c.array::<4>("GEOS.tag")?;
        let g = &mut self.geoset;
        match &tag {
            b"VRTX" => g.positions = list(c, 12, "VRTX", |c| c.f32s("VRTX"))?,
            b"NRMS" => g.normals = list(c, 12, "NRMS", |c| c.f32s("NRMS"))?,
            b"PTYP" => self.primitive_types = list(c, 4, "PTYP", |c| c.u32("PTYP"))?,
            b"PCNT" => self.primitive_counts = list(c, 4, "PCNT", |c| c.u32("PCNT"))?,
            b"PVTX" => self.indices = list(c, 2, "PVTX", |c| c.u16("PVTX"))?,
            b"GNDX" => g.vertex_groups = list(c, 1, "GNDX", |c| c.u8("GNDX"))?,
            b"MTGC" => self.group_sizes = list(c, 4, "MTGC", |c| c.u32("MTGC"))?,
            b"MATS" => {
                self.group_nodes = list(c, 4, "MATS", |c| c.u32("MATS"))?;
                read_properties(g, c, version)?;
            }
            b"TANG" => g.tangents = list(c, 16, "TANG", |c| c.f32s("TANG"))?,
            b"SKIN" => {
                let size = c.count(1, "SKIN")?;
                let mut skin = c.sub(size, "SKIN")?;
                while skin.remaining() >= 8 {
                    g.skin.push(Skin { nodes: skin.array("SKIN.nodes")?, weights: skin.array("SKIN.weights")? });
                }
            }
            b"UVAS" => self.uv_set_count = c.count(8, "UVAS")?,
            b"UVBS" => {
                let uvs = list(c, 8, "UVBS", |c| c.f32s("UVBS"))?;
                if g.uv_sets.len() < MAX_UV_SETS {
                    g.uv_sets.push(uvs);
                }
            }
            _ => {
                return Err(FormatError::new(at, "GEOS", format!("\"{}\" is no part of a geoset", tag.escape_ascii())));
            }
        }
        Ok(())
    }

    fn finish(self, w: &mut Warnings) -> Geoset {
        let Self { geoset: mut g, primitive_types, primitive_counts, indices, group_sizes, group_nodes, uv_set_count } =
            self;
        let at = g.offset;
        let count = g.positions.len();
        for position in &mut g.positions {
            if !position.iter().all(|v| v.is_finite()) {
                w.add(at, "VRTX", "a position is not finite, the origin is used");
                *position = [0.0; 3];
            }
        }
        g.faces = faces(&indices, &primitive_types, &primitive_counts, count, at, w);
        fit(&mut g.normals, count, [0.0, 0.0, 1.0], false, "NRMS", at, w);
        fit(&mut g.tangents, count, [1.0, 0.0, 0.0, 1.0], true, "TANG", at, w);
        fit(&mut g.skin, count, Skin::default(), true, "SKIN", at, w);
        let optional = !g.skin.is_empty();
        fit(&mut g.vertex_groups, count, 0, optional, "GNDX", at, w);
        g.vertex_groups.resize(count, 0);
        if uv_set_count > MAX_UV_SETS {
            w.add(at, "UVAS", format!("{uv_set_count} sets, the first {MAX_UV_SETS} are kept"));
        }
        if g.uv_sets.is_empty() && count > 0 {
            w.add(at, "UVAS", "there are no texture coordinates, 0 is used");
            g.uv_sets.push(vec![[0.0; 2]; count]);
        }
        for uvs in &mut g.uv_sets {
            fit(uvs, count, [0.0; 2], false, "UVBS", at, w);
        }
        g.groups = groups(&group_sizes, &group_nodes, at, w);
        let last = g.groups.len() - 1;
        let wild = g.vertex_groups.iter().filter(|&&v| usize::from(v) > last).count();
        if wild > 0 && !optional {
            w.add(at, "GNDX", format!("{wild} vertices name a group past the last one ({last}) and use group 0"));
        }
        g.vertex_groups.iter_mut().filter(|v| usize::from(**v) > last).for_each(|v| *v = 0);
        g
    }
}

/// What follows MATS without a tag.
fn read_properties(g: &mut Geoset, c: &mut Cursor<'_>, version: u32) -> Result<(), FormatError> {
    g.material = index(c.u32("GEOS.materialId")?);
    g.selection_group = c.u32("GEOS.selectionGroup")?;
    g.selection_flags = c.u32("GEOS.selectionFlags")?;
    if version >= SKIN_VERSION {
        g.lod = c.i32("GEOS.lod")?;
        g.lod_name = c.fixed_string(80, "GEOS.lodName")?;
    }
    g.extent = read_extent(c, "GEOS.extent")?;
    g.sequence_extents = list(c, 28, "GEOS.sequenceExtents", |c| read_extent(c, "GEOS.sequenceExtents"))?;
    Ok(())
}

fn list<T>(
    c: &mut Cursor<'_>,
    size: usize,
    field: &str,
    mut read: impl FnMut(&mut Cursor<'_>) -> Result<T, FormatError>,
) -> Result<Vec<T>, FormatError> {
    let count = c.count(size, field)?;
    (0..count).map(|_| read(c)).collect()
}

/// Brings a per-vertex list to the vertices' number. Lists that may be absent stay empty.
fn fit<T: Copy>(list: &mut Vec<T>, count: usize, fill: T, optional: bool, field: &str, at: u64, w: &mut Warnings) {
    if list.len() == count || optional && list.is_empty() {
        return;
    }
    w.add(at, field, format!("{} entries for {count} vertices; missing ones are filled in", list.len()));
    list.resize(count, fill);
}

/// The triangles whose indices are in range, of the primitives that are triangle lists.
fn faces(indices: &[u16], types: &[u32], counts: &[u32], vertices: usize, at: u64, w: &mut Warnings) -> Vec<[u16; 3]> {
    let mut out = Vec::with_capacity(indices.len() / 3);
    let mut bad = 0;
    let mut add = |part: &[u16]| {
        for face in part.chunks_exact(3) {
            if face.iter().all(|&i| usize::from(i) < vertices) {
                out.push([face[0], face[1], face[2]]);
            } else {
                bad += 1;
            }
        }
        part.len() % 3
    };
    let mut loose = 0;
    if types.iter().all(|&t| t == TRIANGLES) {
        loose = add(indices);
    } else {
        let mut rest = indices;
        for (&kind, &count) in types.iter().zip(counts) {
            let (part, next) = rest.split_at((count as usize).min(rest.len()));
            rest = next;
            match kind {
                TRIANGLES => loose += add(part),
                _ => w.add(at, "PTYP", format!("primitive type {kind} is skipped; only triangle lists (4) are in use")),
            }
        }
    }
    if loose > 0 {
        w.add(at, "PVTX", format!("{loose} indices are left over after the last triangle"));
    }
    if bad > 0 {
        w.add(at, "PVTX", format!("{bad} triangles use vertices past the last of {vertices} and are dropped"));
    }
    out
}

/// Node lists of the groups; at least one group.
fn groups(sizes: &[u32], nodes: &[u32], at: u64, w: &mut Warnings) -> Vec<Vec<u32>> {
    let mut rest = nodes;
    let mut short = 0;
    let mut out = Vec::with_capacity(sizes.len().max(1));
    for &size in sizes {
        let take = (size as usize).min(rest.len());
        short += size as usize - take;
        let (part, next) = rest.split_at(take);
        rest = next;
        out.push(part.to_vec());
    }
    if short > 0 {
        w.add(at, "MATS", format!("the groups want {short} more nodes than the list of {} has", nodes.len()));
    }
    if out.is_empty() {
        out.push(Vec::new());
    }
    out
}

pub(super) fn read_geoset_animation(c: &mut Cursor<'_>, w: &mut Warnings) -> Result<GeosetAnimation, FormatError> {
    let offset = c.offset();
    let alpha = c.f32("GEOA.alpha")?;
    let flags = c.u32("GEOA.flags")?;
    let color = bgr_to_rgb(c.f32s("GEOA.color")?);
    let geoset = index(c.u32("GEOA.geosetId")?);
    let (drop_shadow, use_color) = (flags & 1 != 0, flags & 2 != 0);
    let mut animation =
        GeosetAnimation { offset, alpha, drop_shadow, use_color, color, geoset, ..GeosetAnimation::default() };
    tracks(c, "GEOA", w, |tag, c| {
        match tag {
            b"KGAO" => animation.alpha_track = Some(Track::read(c, "KGAO")?),
            b"KGAC" => animation.color_track = Some(Track::read(c, "KGAC")?.map(bgr_to_rgb)),
            _ => return Ok(false),
        }
        Ok(true)
    });
    Ok(animation)
}
