//! Writes static models of version 800: for generated art and fixtures.

use super::material::{FilterMode, Texture};

/// A material of one layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StaticMaterial {
    /// Index into the textures.
    pub texture: u32,
    /// How it is drawn.
    pub filter: FilterMode,
    /// Bits such as [`super::LAYER_TWO_SIDED`].
    pub layer_flags: u32,
    /// Higher planes are drawn later.
    pub priority_plane: i32,
}

/// Geometry with one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StaticGeoset {
    /// Vertices, model space.
    pub positions: Vec<[f32; 3]>,
    /// A unit normal a vertex.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates a vertex, v down.
    pub uvs: Vec<[f32; 2]>,
    /// Triangles, counter-clockwise from outside.
    pub faces: Vec<[u16; 3]>,
    /// Index into the materials.
    pub material: u32,
}

/// A sequence without movement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaticSequence {
    /// Name such as "Stand".
    pub name: String,
    /// First millisecond.
    pub start: u32,
    /// Last millisecond.
    pub end: u32,
}

/// A model with one bone that does not move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StaticModel {
    /// Name, cut at 79 bytes.
    pub name: String,
    /// Sequences; may be empty.
    pub sequences: Vec<StaticSequence>,
    /// Textures; paths are cut at 259 bytes.
    pub textures: Vec<Texture>,
    /// Materials.
    pub materials: Vec<StaticMaterial>,
    /// Geometry.
    pub geosets: Vec<StaticGeoset>,
}

/// The model as a version 800 file: VERS, MODL, SEQS, MTLS, TEXS, GEOS, BONE, PIVT. What is inconsistent in the model
/// (an index past a list, lists of different lengths) is written as it stands and reported by the reader.
pub fn write_static(model: &StaticModel) -> Vec<u8> {
    let mut out = b"MDLX".to_vec();
    chunk(&mut out, b"VERS", |b| u32s(b, &[800]));
    let all: Vec<_> = model.geosets.iter().flat_map(|g| &g.positions).copied().collect();
    chunk(&mut out, b"MODL", |b| {
        text(b, &model.name, 80);
        text(b, "", 260);
        extent(b, &all);
        u32s(b, &[150]);
    });
    if !model.sequences.is_empty() {
        chunk(&mut out, b"SEQS", |b| {
            for sequence in &model.sequences {
                text(b, &sequence.name, 80);
                u32s(b, &[sequence.start, sequence.end, 0, 0, 0, 0]);
                extent(b, &all);
            }
        });
    }
    chunk(&mut out, b"MTLS", |b| model.materials.iter().for_each(|m| material(b, m)));
    chunk(&mut out, b"TEXS", |b| {
        for t in &model.textures {
            u32s(b, &[t.replaceable_id]);
            text(b, &t.path, 260);
            u32s(b, &[u32::from(t.wrap_width) | u32::from(t.wrap_height) << 1]);
        }
    });
    chunk(&mut out, b"GEOS", |b| model.geosets.iter().for_each(|g| geoset(b, g, model.sequences.len())));
    chunk(&mut out, b"BONE", |b| {
        u32s(b, &[96]);
        text(b, "root", 80);
        u32s(b, &[0, u32::MAX, 0x100, u32::MAX, u32::MAX]);
    });
    chunk(&mut out, b"PIVT", |b| f32s(b, &[0.0; 3]));
    out
}

fn chunk(out: &mut Vec<u8>, tag: &[u8; 4], body: impl FnOnce(&mut Vec<u8>)) {
    out.extend(tag);
    let at = out.len();
    u32s(out, &[0]);
    body(out);
    let size = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&size.to_le_bytes());
}

/// A record whose size includes the four bytes of the size.
fn record(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    u32s(out, &[0]);
    body(out);
    let size = (out.len() - at) as u32;
    out[at..at + 4].copy_from_slice(&size.to_le_bytes());
}

fn material(out: &mut Vec<u8>, m: &StaticMaterial) {
    record(out, |b| {
        u32s(b, &[m.priority_plane as u32, 0]);
        b.extend(b"LAYS");
        u32s(b, &[1]);
        record(b, |b| {
            u32s(b, &[m.filter as u32, m.layer_flags, m.texture, u32::MAX, 0]);
            f32s(b, &[1.0]);
        });
    });
}

fn geoset(out: &mut Vec<u8>, g: &StaticGeoset, sequences: usize) {
    record(out, |b| {
        part(b, b"VRTX", g.positions.len());
        g.positions.iter().for_each(|v| f32s(b, v));
        part(b, b"NRMS", g.normals.len());
        g.normals.iter().for_each(|v| f32s(b, v));
        part(b, b"PTYP", 1);
        u32s(b, &[4]);
        part(b, b"PCNT", 1);
        u32s(b, &[g.faces.len() as u32 * 3]);
        part(b, b"PVTX", g.faces.len() * 3);
        g.faces.iter().flatten().for_each(|i| b.extend(i.to_le_bytes()));
        part(b, b"GNDX", g.positions.len());
        b.resize(b.len() + g.positions.len(), 0);
        part(b, b"MTGC", 1);
        u32s(b, &[1]);
        part(b, b"MATS", 1);
        u32s(b, &[0, g.material, 0, 0]);
        extent(b, &g.positions);
        u32s(b, &[sequences as u32]);
        (0..sequences).for_each(|_| extent(b, &g.positions));
        part(b, b"UVAS", 1);
        part(b, b"UVBS", g.uvs.len());
        g.uvs.iter().for_each(|v| f32s(b, v));
    });
}

fn part(out: &mut Vec<u8>, tag: &[u8; 4], count: usize) {
    out.extend(tag);
    u32s(out, &[count as u32]);
}

fn u32s(out: &mut Vec<u8>, values: &[u32]) {
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
}

fn f32s(out: &mut Vec<u8>, values: &[f32]) {
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
}

fn text(out: &mut Vec<u8>, text: &str, len: usize) {
    let bytes = &text.as_bytes()[..text.len().min(len - 1)];
    out.extend(bytes);
    out.resize(out.len() + len - bytes.len(), 0);
}

/// Radius about the origin and the box of some points; zeros where there are none.
fn extent(out: &mut Vec<u8>, points: &[[f32; 3]]) {
    let mut min = points.first().copied().unwrap_or_default();
    let (mut max, mut radius) = (min, 0f32);
    for p in points {
        for i in 0..3 {
            min[i] = min[i].min(p[i]);
            max[i] = max[i].max(p[i]);
        }
        radius = radius.max(p.iter().map(|v| v * v).sum::<f32>().sqrt());
    }
    f32s(out, &[radius]);
    f32s(out, &min);
    f32s(out, &max);
}
