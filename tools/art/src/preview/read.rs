//! Reads back the files that this crate writes: palette BLP and static MDX, as far as the pictures and the tests need.

/// A decoded texture, the largest mip.
#[derive(Debug, Clone)]
pub(crate) struct Texture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    texels: Vec<[f32; 4]>,
}

impl Texture {
    pub(crate) fn at(&self, x: usize, y: usize) -> [f32; 4] {
        self.texels[(y % self.height) * self.width + x % self.width]
    }

    /// Bilinear, wrapping.
    pub(crate) fn sample(&self, u: f32, v: f32) -> [f32; 4] {
        let (x, y) = (u * self.width as f32 - 0.5, v * self.height as f32 - 0.5);
        let (ix, iy) = (x.floor(), y.floor());
        let (tx, ty) = (x - ix, y - iy);
        let wrap = |i: f32, n: usize| (i as i64).rem_euclid(n as i64) as usize;
        let t = |dx: f32, dy: f32| self.at(wrap(ix + dx, self.width), wrap(iy + dy, self.height));
        let (a, b, c, d) = (t(0.0, 0.0), t(1.0, 0.0), t(0.0, 1.0), t(1.0, 1.0));
        [0, 1, 2, 3].map(|k| {
            let top = a[k] + (b[k] - a[k]) * tx;
            let bottom = c[k] + (d[k] - c[k]) * tx;
            top + (bottom - top) * ty
        })
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Decodes a BLP1 file with a palette.
pub(crate) fn blp(bytes: &[u8]) -> Option<Texture> {
    if bytes.get(..4)? != b"BLP1" || word(bytes, 4)? != 1 {
        return None;
    }
    let (alpha, width, height) = (word(bytes, 8)?, word(bytes, 12)? as usize, word(bytes, 16)? as usize);
    let start = word(bytes, 28)? as usize;
    let count = width * height;
    let indices = bytes.get(start..start + count)?;
    let opacity = if alpha == 8 { Some(bytes.get(start + count..start + 2 * count)?) } else { None };
    let texels = indices
        .iter()
        .enumerate()
        .map(|(i, index)| {
            let p = 156 + 4 * usize::from(*index);
            let c = |k: usize| f32::from(bytes[p + k]) / 255.0;
            [c(2), c(1), c(0), opacity.map_or(1.0, |a| f32::from(a[i]) / 255.0)]
        })
        .collect();
    Some(Texture { width, height, texels })
}

/// A model in world axes of its cell.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) uvs: Vec<[f32; 2]>,
    pub(crate) triangles: Vec<[usize; 3]>,
}

impl Model {
    /// Middle of the footprint.
    pub(crate) fn centre(&self) -> [f32; 2] {
        [0, 1].map(|k| {
            let (low, high) = self.positions.iter().fold((f32::MAX, f32::MIN), |(l, h), p| (l.min(p[k]), h.max(p[k])));
            (low + high) / 2.0
        })
    }
}

/// Reads the geoset of a model and turns it by -90 degrees about Z: (x, y, z) -> (y, -x, z).
pub(crate) fn mdx(bytes: &[u8]) -> Option<Model> {
    let mut at = 4;
    while word(bytes, at)? != u32::from_le_bytes(*b"GEOS") {
        at += 8 + word(bytes, at + 4)? as usize;
    }
    // chunk head and the geoset's own size
    at += 12;
    let mut floats = |tag: &[u8; 4], per: usize, stride: usize| -> Option<(usize, usize)> {
        if bytes.get(at..at + 4)? != tag {
            return None;
        }
        let count = word(bytes, at + 4)? as usize;
        let start = at + 8;
        at = start + count * per * stride;
        Some((start, count))
    };
    let (vertices, count) = floats(b"VRTX", 3, 4)?;
    let (normals, _) = floats(b"NRMS", 3, 4)?;
    floats(b"PTYP", 1, 4)?;
    floats(b"PCNT", 1, 4)?;
    let (indices, index_count) = floats(b"PVTX", 1, 2)?;
    let uv_tag = bytes.windows(4).rposition(|w| w == b"UVBS")?;
    let float = |p: usize| word(bytes, p).map(f32::from_bits);
    let turned = |start: usize| -> Option<Vec<[f32; 3]>> {
        (0..count)
            .map(|i| {
                let p = start + i * 12;
                Some([float(p + 4)?, -float(p)?, float(p + 8)?])
            })
            .collect()
    };
    let uvs =
        (0..count).map(|i| Some([float(uv_tag + 8 + i * 8)?, float(uv_tag + 12 + i * 8)?])).collect::<Option<_>>()?;
    let index = |i: usize| {
        let p = indices + i * 2;
        usize::from(u16::from_le_bytes([bytes[p], bytes[p + 1]]))
    };
    let triangles = (0..index_count / 3).map(|t| [index(t * 3), index(t * 3 + 1), index(t * 3 + 2)]).collect();
    Some(Model { positions: turned(vertices)?, normals: turned(normals)?, uvs, triangles })
}
