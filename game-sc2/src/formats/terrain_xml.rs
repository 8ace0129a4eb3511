//! `t3Terrain.xml`: sizes, quantization of heights, cliff sets, textures, cliff cells and ramps.

use roxmltree::Node;
use terrace_engine::bytes::FormatError;

use super::grid::MAX_SIDE;
use super::height_map::Quantization;
use super::ramp::Ramp;
use super::xml::{Xml, attribute, bad, numbers, parse, required};

/// Flag of a cliff cell: a piece stands here and the ground has a hole.
pub const CELL_ACTIVE: u32 = 1;
/// Flag of a cliff cell: part of a ramp.
pub const CELL_RAMP: u32 = 2;
/// Most names of a list; the editor writes 64 textures.
const MAX_NAMES: usize = 256;

/// One block of two by two cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CliffCell {
    /// [`CELL_ACTIVE`], [`CELL_RAMP`].
    pub flags: u32,
    /// Index of the cliff set.
    pub set: u32,
    /// Art variation.
    pub variation: u32,
}

/// The terrain's description.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TerrainXml {
    /// Id of the CTerrain and of its CLight.
    pub tileset: String,
    /// Points along x and y: one more than cells.
    pub points: [u32; 2],
    /// Attribute `uvtiling`: repeats along x and y, and an offset.
    pub uv_tiling: [f32; 4],
    /// How heights are stored.
    pub quantization: Option<Quantization>,
    /// Ids of CCliff by set index; empty names for gaps.
    pub cliff_sets: Vec<String>,
    /// Ids of CTerrainTex: eight for each texture set; empty names for gaps.
    pub textures: Vec<String>,
    /// Texture set of each block of 8x8 cells, row by row from the south.
    pub block_sets: Vec<u8>,
    /// Cliff cells by index in the grid of half resolution, [`Self::cliff_columns`] wide.
    pub cliff_cells: Vec<Option<CliffCell>>,
    /// Ramps.
    pub ramps: Vec<Ramp>,
}

impl TerrainXml {
    /// Reads the file.
    ///
    /// # Errors
    /// Text that is no XML, no `heightMap`, numbers that cannot be read, sizes and indices out of range.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let xml = Xml::new(bytes);
        let document = parse(&xml)?;
        let root = document.root_element();
        let Some(map) = child(root, "heightMap") else {
            return Err(FormatError::new(root.range().start as u64, "terrain/heightMap", "is missing"));
        };
        let mut out = Self { tileset: map.attribute("tileSet").unwrap_or("").to_owned(), ..Self::default() };
        out.points = points(map)?;
        out.uv_tiling = map.attribute("uvtiling").and_then(numbers).unwrap_or_default();
        if let Some(data) = child(map, "vertData") {
            out.quantization = Some(quantization(data)?);
        }
        out.cliff_sets = names(map, "cliffSetList", "cliffSet")?;
        out.textures = names(map, "textureList", "texture")?;
        out.read_block_sets(map)?;
        out.read_cliff_cells(map)?;
        let ramps = children(map, "rampList", "ramp");
        out.ramps = ramps.map(Ramp::read).collect::<Result<_, _>>()?;
        Ok(out)
    }

    /// Cells along x and y.
    pub fn cells(&self) -> [u32; 2] {
        self.points.map(|p| p.saturating_sub(1))
    }

    /// Columns of the grid of cliff cells: blocks of two by two cells.
    pub fn cliff_columns(&self) -> u32 {
        self.cells()[0].div_ceil(2)
    }

    /// The cliff cell over a cell, if the editor has one there.
    pub fn cliff_cell(&self, x: u32, y: u32) -> Option<CliffCell> {
        let index = y as usize / 2 * self.cliff_columns() as usize + x as usize / 2;
        (x < self.cells()[0]).then(|| self.cliff_cells.get(index).copied().flatten()).flatten()
    }

    /// The texture set of the block of 8x8 cells over a cell.
    pub fn block_set(&self, x: u32, y: u32) -> u8 {
        let columns = self.cells()[0].div_ceil(8) as usize;
        self.block_sets.get(y as usize / 8 * columns + x as usize / 8).copied().unwrap_or(0)
    }

    fn read_block_sets(&mut self, map: Node<'_, '_>) -> Result<(), FormatError> {
        let [w, h] = self.cells();
        self.block_sets = vec![0; w.div_ceil(8) as usize * h.div_ceil(8) as usize];
        for node in children(map, "blockTextureSetList", "blockTextureSet") {
            let index: usize = required(node, "i")?;
            let set: u8 = attribute(node, "tileSet")?.unwrap_or(0);
            if let Some(slot) = self.block_sets.get_mut(index) {
                *slot = set;
            }
        }
        Ok(())
    }

    fn read_cliff_cells(&mut self, map: Node<'_, '_>) -> Result<(), FormatError> {
        let count = self.cliff_columns() as usize * self.cells()[1].div_ceil(2) as usize;
        self.cliff_cells = vec![None; count];
        for node in children(map, "cliffCellList", "cc") {
            let index: usize = required(node, "i")?;
            let cell = CliffCell {
                flags: attribute(node, "f")?.unwrap_or(0),
                set: attribute(node, "cid")?.unwrap_or(0),
                variation: attribute(node, "cvar")?.unwrap_or(0),
            };
            match self.cliff_cells.get_mut(index) {
                Some(slot) => *slot = Some(cell),
                None => return Err(bad(node, "i", format!("{index}, there are {count} cliff cells"))),
            }
        }
        Ok(())
    }
}

fn points(map: Node<'_, '_>) -> Result<[u32; 2], FormatError> {
    let text = map.attribute("dim").unwrap_or("");
    let mut sides = text.split_whitespace().map(|s| s.parse().ok().filter(|v| (2..=MAX_SIDE + 1).contains(v)));
    match (sides.next().flatten(), sides.next().flatten()) {
        (Some(w), Some(h)) => Ok([w, h]),
        _ => Err(bad(map, "dim", format!("\"{text}\" is no size of 2 to {} points", MAX_SIDE + 1))),
    }
}

fn quantization(node: Node<'_, '_>) -> Result<Quantization, FormatError> {
    let number = |name: &str| match required::<f32>(node, name) {
        Ok(v) if !v.is_finite() => Err(bad(node, name, "is not finite")),
        other => other,
    };
    Ok(Quantization {
        bias: number("quantizeBias")?,
        scale: number("quantizeScale")?,
        standard: number("standardHeight")?,
    })
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|n| n.has_tag_name(name))
}

fn children<'a, 'i>(
    node: Node<'a, 'i>,
    list: &str,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> + use<'a, 'i> {
    child(node, list).into_iter().flat_map(move |list| list.children().filter(move |n| n.has_tag_name(name)))
}

fn names(map: Node<'_, '_>, list: &str, name: &'static str) -> Result<Vec<String>, FormatError> {
    let mut out = Vec::new();
    for node in children(map, list, name) {
        let index: usize = required(node, "i")?;
        if index >= MAX_NAMES {
            return Err(bad(node, "i", format!("{index}, {MAX_NAMES} are allowed")));
        }
        if out.len() <= index {
            out.resize(index + 1, String::new());
        }
        out[index] = node.attribute("name").unwrap_or("").to_owned();
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"<?xml version="1.0" encoding="us-ascii"?>
<terrain version="114"><heightMap tileSet="Char" uvtiling="3 3 0 -0.75 " dim="17 9 ">
<cliffSetList num="2"><cliffSet i="1" name="B"/><cliffSet i="0" name="A"/></cliffSetList>
<vertData quantizeBias="8.0e+00" quantizeScale="2.5e-04" standardHeight="8"/>
<textureList num="64"><texture i="0" name="CharRedCracks"/></textureList>
<blockTextureSetList num="2"><blockTextureSet i="1" tileSet="3"/></blockTextureSetList>
<cliffCellList num="32"><cc i="9" f="1" cid="1" cvar="2"/></cliffCellList>
<rampList><ramp dir="3" hi="2" lo="1" cid="0" mid="u(1, 0) r(0, -1) c=(6, 16) w=2 h=2" leftLoVar="0" leftHiVar="4294967295"/></rampList>
</heightMap></terrain>"#;

    #[test]
    fn the_description_is_read_by_name_and_index() {
        let t = TerrainXml::parse(SMALL.as_bytes()).unwrap();
        assert_eq!((t.points, t.cells(), t.cliff_columns()), ([17, 9], [16, 8], 8));
        assert_eq!(t.cliff_sets, ["A", "B"]);
        let cell = CliffCell { flags: CELL_ACTIVE, set: 1, variation: 2 };
        // Index 9 is the second block of the second row.
        assert_eq!([t.cliff_cell(2, 2), t.cliff_cell(3, 3), t.cliff_cell(4, 2)], [Some(cell), Some(cell), None]);
        assert_eq!([t.block_set(7, 0), t.block_set(8, 0)], [0, 3]);
        assert_eq!(t.ramps[0].variations, [Some(0), None, None, None]);
        assert!(t.ramps[0].mid.is_some() && !t.ramps[0].left_low.is_some());
    }

    #[test]
    fn errors_name_the_attribute_and_its_place() {
        let text = SMALL.replace("f=\"1\"", "f=\"x\"");
        let error = TerrainXml::parse(text.as_bytes()).unwrap_err();
        assert_eq!((error.field.as_str(), error.offset), ("cc/f", text.find("f=\"x\"").unwrap() as u64));
        let error = TerrainXml::parse(SMALL.replace("i=\"9\"", "i=\"99\"").as_bytes()).unwrap_err();
        assert!(error.what.contains("32 cliff cells"), "{error}");
        let error = TerrainXml::parse(b"<terrain>\n<heightMap></x></terrain>").unwrap_err();
        assert_eq!((error.field.as_str(), error.offset), ("XML", 21));
        assert_eq!(TerrainXml::parse(SMALL.replace("17 9", "0 9").as_bytes()).unwrap_err().field, "heightMap/dim");
    }
}
