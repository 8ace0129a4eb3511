//! `war3map.w3e`, the terrain: versions 11 (7-byte vertices) and 12 (8-byte vertices).
//!
//! Layout: "W3E!", version, tileset, custom flag, ground tile list, cliff list, width, height, centre offset, then
//! width * height vertices, row by row from the south, west to east.

use terrace_engine::bytes::{Cursor, FormatError};
use thiserror::Error;

use super::id::TileId;

/// Most vertices along one side that are accepted. The game's own maximum is 481 (480 tiles).
pub const MAX_SIDE: u32 = 1025;
/// Most entries of the ground list: the 6-bit index of version 12 reaches no more.
pub const MAX_GROUND_TILES: usize = 64;
/// Most entries of the cliff list: the 4-bit index, of which 15 means none, reaches no more.
pub const MAX_CLIFF_TILES: usize = 16;
/// World units between two vertices.
pub const TILE_SIZE: f32 = 128.0;
/// World units of one cliff layer.
pub const LAYER_HEIGHT: f32 = 128.0;
/// Raw value of height and water level that stands for 0.
pub const RAW_ZERO: u16 = 0x2000;
/// Raw steps in one world unit. The division is one of floats: an integer division would lose up to 0.75 units.
pub const RAW_PER_UNIT: f32 = 4.0;
/// The layer whose ground lies at 0 (two layers of cliff below it are for water).
pub const ZERO_LAYER: f32 = 2.0;
/// Cliff texture index that means "no cliff texture".
pub const NO_CLIFF_TEXTURE: u8 = 15;
/// Bits of the water word that are the level. Bit 0x4000 is the map edge; a wider mask would keep it in the level.
pub const WATER_LEVEL_MASK: u16 = 0x3FFF;
/// Bit of the water word that marks the map edge (the shadow at the border).
pub const MAP_EDGE_BIT: u16 = 0x4000;
/// Bits of the variation byte that are the ground variation; the other three are the cliff variation.
pub const GROUND_VARIATION_MASK: u8 = 0x1F;

/// Where the texture and the four flags lie in the flag field of a version.
struct FlagLayout {
    texture: u16,
    ramp: u16,
    blight: u16,
    water: u16,
    boundary: u16,
}

const FLAGS_11: FlagLayout = FlagLayout { texture: 0x0F, ramp: 0x10, blight: 0x20, water: 0x40, boundary: 0x80 };
const FLAGS_12: FlagLayout = FlagLayout { texture: 0x3F, ramp: 0x40, blight: 0x80, water: 0x100, boundary: 0x200 };

/// Layout of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// 7-byte vertices, up to 16 ground tiles.
    V11,
    /// 8-byte vertices, up to 64 ground tiles.
    V12,
}

impl Version {
    /// The number that the file stores.
    pub fn number(self) -> u32 {
        match self {
            Self::V11 => 11,
            Self::V12 => 12,
        }
    }

    /// Bytes of one vertex.
    pub fn vertex_size(self) -> usize {
        match self {
            Self::V11 => 7,
            Self::V12 => 8,
        }
    }

    fn flags(self) -> &'static FlagLayout {
        match self {
            Self::V11 => &FLAGS_11,
            Self::V12 => &FLAGS_12,
        }
    }
}

/// One corner of the terrain grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vertex {
    /// Stored height; [`RAW_ZERO`] is 0, four steps are one world unit. Layers are not in it.
    pub raw_height: u16,
    /// Stored water level, 14 bits, scaled as the height.
    pub raw_water: u16,
    /// The border shadow: tiles that touch it lie outside the playable map.
    pub map_edge: bool,
    /// Index into the ground list. Broken maps point past its end.
    pub ground: u8,
    /// Part of a ramp.
    pub ramp: bool,
    /// Covered with blight.
    pub blight: bool,
    /// Under water.
    pub water: bool,
    /// Marked as boundary by the editor's boundary tool.
    pub boundary: bool,
    /// 0..=31.
    pub ground_variation: u8,
    /// 0..=7.
    pub cliff_variation: u8,
    /// Index into the cliff list, 15 = none.
    pub cliff_texture: u8,
    /// Cliff layer, 0..=15; 2 is the ground level of a new map.
    pub layer: u8,
}

impl Vertex {
    /// Height without layers, world units.
    pub fn ground_height(&self) -> f32 {
        (f32::from(self.raw_height) - f32::from(RAW_ZERO)) / RAW_PER_UNIT
    }

    /// Height as displayed, world units: the ground height plus 128 for each layer above the second.
    pub fn height(&self) -> f32 {
        self.ground_height() + (f32::from(self.layer) - ZERO_LAYER) * LAYER_HEIGHT
    }

    /// Height of the water surface, world units. `offset` is the `height` of the tileset's row in Water.slk in tiles
    /// (-0.7 in most tilesets).
    pub fn water_height(&self, offset: f32) -> f32 {
        (f32::from(self.raw_water) - f32::from(RAW_ZERO)) / RAW_PER_UNIT + offset * LAYER_HEIGHT
    }

    /// The index into the cliff list, `None` where the vertex has none.
    pub fn cliff(&self) -> Option<usize> {
        (self.cliff_texture != NO_CLIFF_TEXTURE).then_some(usize::from(self.cliff_texture))
    }

    fn read(cursor: &mut Cursor<'_>, version: Version) -> Result<Self, FormatError> {
        let raw_height = cursor.u16("vertex.height")?;
        let water = cursor.u16("vertex.water")?;
        let flags = match version {
            Version::V11 => u16::from(cursor.u8("vertex.flags")?),
            Version::V12 => cursor.u16("vertex.flags")?,
        };
        let variation = cursor.u8("vertex.variation")?;
        let cliff = cursor.u8("vertex.cliff")?;
        let layout = version.flags();
        Ok(Self {
            raw_height,
            raw_water: water & WATER_LEVEL_MASK,
            map_edge: water & MAP_EDGE_BIT != 0,
            ground: (flags & layout.texture) as u8,
            ramp: flags & layout.ramp != 0,
            blight: flags & layout.blight != 0,
            water: flags & layout.water != 0,
            boundary: flags & layout.boundary != 0,
            ground_variation: variation & GROUND_VARIATION_MASK,
            cliff_variation: variation >> 5,
            cliff_texture: cliff >> 4,
            layer: cliff & 0x0F,
        })
    }

    fn write(&self, version: Version, out: &mut Vec<u8>) {
        let layout = version.flags();
        out.extend(self.raw_height.to_le_bytes());
        let edge = if self.map_edge { MAP_EDGE_BIT } else { 0 };
        out.extend((self.raw_water & WATER_LEVEL_MASK | edge).to_le_bytes());
        let mut flags = u16::from(self.ground) & layout.texture;
        for (set, bit) in [
            (self.ramp, layout.ramp),
            (self.blight, layout.blight),
            (self.water, layout.water),
            (self.boundary, layout.boundary),
        ] {
            flags |= if set { bit } else { 0 };
        }
        match version {
            Version::V11 => out.push(flags as u8),
            Version::V12 => out.extend(flags.to_le_bytes()),
        }
        out.push(self.ground_variation & GROUND_VARIATION_MASK | self.cliff_variation << 5);
        out.push(self.cliff_texture << 4 | self.layer & 0x0F);
    }
}

/// A terrain file.
#[derive(Clone, Debug, PartialEq)]
pub struct W3e {
    /// Layout it was read from or is written in.
    pub version: Version,
    /// Tileset letter such as `L` for Lordaeron Summer.
    pub tileset: u8,
    /// True when the ground list is the map maker's own.
    pub custom: bool,
    /// Ground tiles; a vertex's `ground` indexes them. Blank ids occur.
    pub ground_tiles: Vec<TileId>,
    /// Cliff types in stored order with duplicates; a vertex's `cliff_texture` indexes them.
    pub cliff_tiles: Vec<TileId>,
    /// Vertices from west to east: tiles + 1.
    pub width: u32,
    /// Vertices from south to north: tiles + 1.
    pub height: u32,
    /// World position of the south-west vertex. The stored value counts, whatever the size suggests.
    pub center_offset: [f32; 2],
    /// Row by row from the south, west to east.
    pub vertices: Vec<Vertex>,
    /// Bytes after the last vertex; none in a sound file.
    pub trailing_bytes: usize,
}

/// Why a terrain cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WriteError {
    /// The vertex list does not have width * height entries.
    #[error("{width} x {height} vertices are announced, the list has {found}")]
    VertexCount {
        /// Announced width.
        width: u32,
        /// Announced height.
        height: u32,
        /// Entries of the list.
        found: usize,
    },
    /// A list is longer than the version's index reaches.
    #[error("the {list} list has {found} entries, version {version} allows {most}")]
    ListTooLong {
        /// "ground" or "cliff".
        list: &'static str,
        /// Its length.
        found: usize,
        /// Version number.
        version: u32,
        /// The most that fit.
        most: usize,
    },
}

impl W3e {
    /// Reads a file of version 11 or 12.
    ///
    /// # Errors
    /// Another magic or version, a size outside 2..=[`MAX_SIDE`], lists that are too long, a centre that is not
    /// finite, or fewer bytes than the vertices need.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut c = Cursor::new(bytes);
        c.magic(b"W3E!", "magic")?;
        let at = c.offset();
        let version = match c.u32("version")? {
            11 => Version::V11,
            12 => Version::V12,
            other => return Err(FormatError::new(at, "version", format!("{other} is unknown; 11 and 12 are known"))),
        };
        let tileset = c.u8("tileset")?;
        let custom = c.u32("custom")? != 0;
        let ground_tiles = read_ids(&mut c, "ground_tiles", MAX_GROUND_TILES)?;
        let cliff_tiles = read_ids(&mut c, "cliff_tiles", MAX_CLIFF_TILES)?;
        let width = read_side(&mut c, "width")?;
        let height = read_side(&mut c, "height")?;
        let at = c.offset();
        let center_offset = c.f32s::<2>("center_offset")?;
        if !center_offset.iter().all(|v| v.is_finite()) {
            return Err(FormatError::new(at, "center_offset", format!("{center_offset:?} is not finite")));
        }
        let count = width as usize * height as usize;
        let mut body = c.sub(count * version.vertex_size(), "vertices")?;
        let mut vertices = Vec::with_capacity(count);
        for _ in 0..count {
            vertices.push(Vertex::read(&mut body, version)?);
        }
        Ok(Self {
            version,
            tileset,
            custom,
            ground_tiles,
            cliff_tiles,
            width,
            height,
            center_offset,
            vertices,
            trailing_bytes: c.remaining(),
        })
    }

    /// The file's bytes in the layout of `self.version`. Out-of-range fields of a vertex are cut to their bits.
    ///
    /// # Errors
    /// A vertex list of another length than width * height, or a tile list that the version cannot index.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let count = self.width as usize * self.height as usize;
        if self.vertices.len() != count {
            let found = self.vertices.len();
            return Err(WriteError::VertexCount { width: self.width, height: self.height, found });
        }
        let ground_most = usize::from(self.version.flags().texture) + 1;
        let lists =
            [("ground", self.ground_tiles.len(), ground_most), ("cliff", self.cliff_tiles.len(), MAX_CLIFF_TILES)];
        for (list, found, most) in lists {
            if found > most {
                return Err(WriteError::ListTooLong { list, found, version: self.version.number(), most });
            }
        }
        let mut out = Vec::with_capacity(101 + count * self.version.vertex_size());
        out.extend(b"W3E!");
        out.extend(self.version.number().to_le_bytes());
        out.push(self.tileset);
        out.extend(u32::from(self.custom).to_le_bytes());
        for list in [&self.ground_tiles, &self.cliff_tiles] {
            out.extend((list.len() as u32).to_le_bytes());
            out.extend(list.iter().flat_map(|id| id.0));
        }
        out.extend(self.width.to_le_bytes());
        out.extend(self.height.to_le_bytes());
        out.extend(self.center_offset.iter().flat_map(|v| v.to_le_bytes()));
        for vertex in &self.vertices {
            vertex.write(self.version, &mut out);
        }
        Ok(out)
    }

    /// Tiles along x and y.
    pub fn tiles(&self) -> [u32; 2] {
        [self.width - 1, self.height - 1]
    }

    /// The vertex at a column and row; both are clamped to the grid.
    pub fn vertex(&self, x: i32, y: i32) -> &Vertex {
        let x = x.clamp(0, self.width as i32 - 1) as usize;
        let y = y.clamp(0, self.height as i32 - 1) as usize;
        &self.vertices[y * self.width as usize + x]
    }
}

fn read_ids(c: &mut Cursor<'_>, field: &str, most: usize) -> Result<Vec<TileId>, FormatError> {
    let at = c.offset();
    let count = c.count(4, field)?;
    if count > most {
        return Err(FormatError::new(at, field, format!("{count} entries, at most {most} can be indexed")));
    }
    (0..count).map(|_| c.array(field).map(TileId)).collect()
}

fn read_side(c: &mut Cursor<'_>, field: &str) -> Result<u32, FormatError> {
    let at = c.offset();
    let side = c.u32(field)?;
    if (2..=MAX_SIDE).contains(&side) {
        return Ok(side);
    }
    Err(FormatError::new(at, field, format!("{side} vertices; 2 to {MAX_SIDE} are accepted")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(version: Version) -> W3e {
        let vertices = (0..12u16)
            .map(|i| Vertex {
                raw_height: RAW_ZERO + i * 37,
                raw_water: 0x2100 + i,
                map_edge: i % 2 == 0,
                ground: (i % 3) as u8,
                ramp: i == 1,
                blight: i == 2,
                water: i == 3,
                boundary: i == 4,
                ground_variation: (i * 2) as u8,
                cliff_variation: (i % 8) as u8,
                cliff_texture: if i == 5 { 1 } else { NO_CLIFF_TEXTURE },
                layer: (i % 4) as u8,
            })
            .collect();
        W3e {
            version,
            tileset: b'L',
            custom: true,
            ground_tiles: vec![TileId(*b"Ldrt"), TileId(*b"Lgrs"), TileId(*b"Lrok")],
            cliff_tiles: vec![TileId(*b"CLdi"), TileId(*b"CLgr")],
            width: 4,
            height: 3,
            center_offset: [-192.0, -128.0],
            vertices,
            trailing_bytes: 0,
        }
    }

    #[test]
    fn the_documented_corner_splits_low_five_and_high_three_bits() {
        let v = Vertex::read(&mut Cursor::new(&[0x51, 0x21, 0x00, 0x62, 0x56, 0x84, 0x13]), Version::V11).unwrap();
        let expected = Vertex {
            raw_height: 0x2151,
            raw_water: 0x2200,
            map_edge: true,
            ground: 6,
            ramp: true,
            blight: false,
            water: true,
            boundary: false,
            ground_variation: 4,
            cliff_variation: 4,
            cliff_texture: 1,
            layer: 3,
        };
        assert_eq!(v, expected);
        assert_eq!(v.ground_height(), 84.25);
        assert_eq!(v.height(), 212.25);
    }

    #[test]
    fn heights_divide_as_floats() {
        let v = Vertex { raw_height: 8723, layer: 7, ..Vertex::default() };
        assert_eq!(v.height(), 772.75);
    }

    #[test]
    fn map_edge_is_not_part_of_the_water_level() {
        let bytes = [0, 0x20, 0x01, 0x60, 0x00, 0x00, 0xF2];
        let v = Vertex::read(&mut Cursor::new(&bytes), Version::V11).unwrap();
        assert_eq!((v.raw_water, v.map_edge, v.cliff()), (0x2001, true, None));
        assert!((v.water_height(-0.7) - (0.25 - 89.6)).abs() < 1e-4);
    }

    #[test]
    fn version_12_has_wider_flags() {
        let bytes = [0, 0x20, 0, 0x20, 0xBF, 0x02, 0x00, 0xF2];
        let v = Vertex::read(&mut Cursor::new(&bytes), Version::V12).unwrap();
        assert_eq!((v.ground, v.ramp, v.blight, v.water, v.boundary), (63, false, true, false, true));
    }

    #[test]
    fn both_versions_are_read_back_as_written() {
        for version in [Version::V11, Version::V12] {
            let w3e = sample(version);
            assert_eq!(W3e::parse(&w3e.write().unwrap()).unwrap(), w3e);
        }
    }

    #[test]
    fn errors_name_field_and_offset() {
        let good = sample(Version::V11).write().unwrap();
        let cut = W3e::parse(&good[..good.len() - 1]).unwrap_err();
        assert_eq!((cut.offset, cut.field.as_str()), (57, "vertices"));
        let mut wide = good.clone();
        wide[41..45].copy_from_slice(&70_000u32.to_le_bytes());
        let e = W3e::parse(&wide).unwrap_err();
        assert_eq!((e.offset, e.field.as_str()), (41, "width"));
        let mut other = good;
        other[4] = 10;
        assert_eq!(W3e::parse(&other).unwrap_err().field, "version");
    }

    #[test]
    fn lists_longer_than_the_index_are_not_written() {
        let mut w3e = sample(Version::V11);
        w3e.ground_tiles = vec![TileId(*b"Ldrt"); 17];
        assert!(matches!(w3e.write(), Err(WriteError::ListTooLong { most: 16, .. })));
        w3e.version = Version::V12;
        assert!(w3e.write().is_ok());
        w3e.vertices.pop();
        assert!(matches!(w3e.write(), Err(WriteError::VertexCount { found: 11, .. })));
    }

    proptest! {
        #[test]
        fn damaged_files_are_errors_or_terrains_of_their_size(
            cut in 0usize..200, at in 0usize..200, value: u8, v12: bool
        ) {
            let mut bytes = sample(if v12 { Version::V12 } else { Version::V11 }).write().unwrap();
            let len = bytes.len();
            bytes[at % len] = value;
            bytes.truncate(len - cut.min(len));
            if let Ok(w3e) = W3e::parse(&bytes) {
                prop_assert_eq!(w3e.vertices.len(), (w3e.width * w3e.height) as usize);
                prop_assert!(w3e.vertices.len() * 7 <= bytes.len());
            }
        }
    }
}
