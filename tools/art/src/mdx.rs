//! Writes a static model as MDX version 800: one geoset, one opaque material, one bone, one sequence.

/// A static mesh: triangles over shared vertices, in the model's own axes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Positions in world units.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates, v down.
    pub uvs: Vec<[f32; 2]>,
    /// Three indices a triangle, counter-clockwise from outside.
    pub indices: Vec<u16>,
}

/// The model's bytes. `texture` is the path the file names (a cliff baker puts its own in its place).
pub fn write_static(name: &str, texture: &str, mesh: &Mesh) -> Vec<u8> {
    let extent = extent(mesh);
    let mut out = b"MDLX".to_vec();
    chunk(&mut out, b"VERS", &800u32.to_le_bytes());
    let mut model = text(name, 80);
    model.extend(text("", 260));
    model.extend(floats(&extent));
    model.extend(150u32.to_le_bytes());
    chunk(&mut out, b"MODL", &model);
    let mut sequence = text("Stand", 80);
    // start, end, move speed, flags, rarity, sync point
    sequence.extend([0u32, 1000, 0, 0, 0, 0].iter().flat_map(|v| v.to_le_bytes()));
    sequence.extend(floats(&extent));
    chunk(&mut out, b"SEQS", &sequence);
    let mut material = words(&[0, 0]);
    material.extend(b"LAYS");
    // one layer: size 28, filter none, flags, texture 0, no texture animation, uv set 0, alpha 1
    material.extend(words(&[1, 28, 0, 0, 0, u32::MAX, 0, 1f32.to_bits()]));
    chunk(&mut out, b"MTLS", &sized(material));
    let mut slot = 0u32.to_le_bytes().to_vec();
    slot.extend(text(texture, 260));
    // wrap on both axes
    slot.extend(3u32.to_le_bytes());
    chunk(&mut out, b"TEXS", &slot);
    chunk(&mut out, b"GEOS", &sized(geoset(mesh, &extent)));
    let mut bone = text("Root", 80);
    bone.extend(words(&[0, u32::MAX, 0x100]));
    let mut bone = sized(bone);
    bone.extend(words(&[0, u32::MAX]));
    chunk(&mut out, b"BONE", &bone);
    chunk(&mut out, b"PIVT", &[0; 12]);
    out
}

fn geoset(mesh: &Mesh, extent: &[f32]) -> Vec<u8> {
    let count = mesh.positions.len() as u32;
    let mut g = Vec::new();
    let mut block = |tag: &[u8; 4], n: u32, body: &[u8]| {
        g.extend_from_slice(tag);
        g.extend_from_slice(&n.to_le_bytes());
        g.extend_from_slice(body);
    };
    block(b"VRTX", count, bytemuck::cast_slice(&mesh.positions));
    block(b"NRMS", count, bytemuck::cast_slice(&mesh.normals));
    block(b"PTYP", 1, &words(&[4]));
    block(b"PCNT", 1, &words(&[mesh.indices.len() as u32]));
    block(b"PVTX", mesh.indices.len() as u32, bytemuck::cast_slice(&mesh.indices));
    block(b"GNDX", count, &vec![0; count as usize]);
    block(b"MTGC", 1, &words(&[1]));
    block(b"MATS", 1, &words(&[0]));
    // material, selection group, selection flags
    g.extend(words(&[0, 0, 0]));
    g.extend(floats(extent));
    g.extend(words(&[1]));
    g.extend(floats(extent));
    g.extend(b"UVAS");
    g.extend(words(&[1]));
    g.extend(b"UVBS");
    g.extend(words(&[count]));
    g.extend_from_slice(bytemuck::cast_slice(&mesh.uvs));
    g
}

/// Bounding radius, minimum and maximum, as the file's seven floats.
fn extent(mesh: &Mesh) -> [f32; 7] {
    let (mut low, mut high, mut radius) = ([f32::MAX; 3], [f32::MIN; 3], 0f32);
    for p in &mesh.positions {
        radius = radius.max((p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt());
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
    }
    if mesh.positions.is_empty() {
        return [0.0; 7];
    }
    [radius, low[0], low[1], low[2], high[0], high[1], high[2]]
}

fn chunk(out: &mut Vec<u8>, tag: &[u8; 4], body: &[u8]) {
    out.extend_from_slice(tag);
    out.extend_from_slice(&(body.len() as u32).to_le_bytes());
    out.extend_from_slice(body);
}

/// The body behind its own inclusive size.
fn sized(body: Vec<u8>) -> Vec<u8> {
    let mut out = (body.len() as u32 + 4).to_le_bytes().to_vec();
    out.extend(body);
    out
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// NUL-padded text of a fixed length; one byte always stays NUL.
fn text(value: &str, length: usize) -> Vec<u8> {
    let mut out: Vec<u8> = value.bytes().take(length - 1).collect();
    out.resize(length, 0);
    out
}
