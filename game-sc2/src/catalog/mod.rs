//! The layered GameData catalogs: later layers win. An entry's attributes replace those of the same id below, arrays
//! append, and an entry inherits from its parent and from its class's default.

mod field;
mod records;

use std::collections::BTreeMap;

use roxmltree::Node;
use terrace_engine::bytes::FormatError;

use crate::formats::{Xml, parse_xml};

pub use field::Field;
pub use records::{CliffRecord, LightRecord, TerrainRecord, WaterRecord};

/// Longest chain of parents.
const MAX_PARENTS: usize = 32;

/// The files below `GameData` that are read, in their order.
pub const CATALOG_FILES: [&str; 7] = [
    "TerrainData.xml",
    "TerrainTexData.xml",
    "CliffData.xml",
    "CliffMeshData.xml",
    "TileData.xml",
    "WaterData.xml",
    "LightData.xml",
];

/// One id of a class.
#[derive(Clone, Debug, Default)]
struct Entry {
    parent: Option<String>,
    fields: Field,
}

/// All layers merged.
#[derive(Clone, Debug, Default)]
pub struct Catalogs {
    /// By class and id; a class's default has the empty id.
    entries: BTreeMap<(String, String), Entry>,
}

impl Catalogs {
    /// Adds a file that wins over what was added before.
    ///
    /// # Errors
    /// Text that is no XML; nothing of the file is added.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), FormatError> {
        let xml = Xml::new(bytes);
        let document = parse_xml(&xml)?;
        for node in document.root_element().children().filter(Node::is_element) {
            let id = node.attribute("id").unwrap_or("");
            if id.is_empty() && node.attribute("default").is_none() {
                continue;
            }
            let entry = self.entries.entry((node.tag_name().name().to_owned(), id.to_owned())).or_default();
            if let Some(parent) = node.attribute("parent") {
                entry.parent = Some(parent.to_owned());
            }
            entry.fields.merge(Field::read(node));
        }
        Ok(())
    }

    /// Paths of the catalogs that a `GameData.xml` includes.
    ///
    /// # Errors
    /// Text that is no XML.
    pub fn includes(bytes: &[u8]) -> Result<Vec<String>, FormatError> {
        let xml = Xml::new(bytes);
        let document = parse_xml(&xml)?;
        let catalogs = document.root_element().children().filter(|n| n.has_tag_name("Catalog"));
        Ok(catalogs.filter_map(|n| n.attribute("path")).map(str::to_owned).collect())
    }

    /// True when a layer has the id.
    pub fn contains(&self, class: &str, id: &str) -> bool {
        !id.is_empty() && self.entries.contains_key(&(class.to_owned(), id.to_owned()))
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when nothing was added.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The fields of an id over those of its parents and of its class's default.
    pub fn resolve(&self, class: &str, id: &str) -> Option<Field> {
        if !self.contains(class, id) {
            return None;
        }
        let mut chain = Vec::new();
        let mut next = Some(id.to_owned());
        while let Some(id) = next.take() {
            let Some(entry) = self.entries.get(&(class.to_owned(), id)) else { break };
            chain.push(entry);
            // A chain that comes back to itself ends here.
            if chain.len() < MAX_PARENTS {
                next.clone_from(&entry.parent);
            }
        }
        let mut out =
            self.entries.get(&(class.to_owned(), String::new())).map(|e| e.fields.clone()).unwrap_or_default();
        for entry in chain.into_iter().rev() {
            out.merge(entry.fields.clone());
        }
        Some(out)
    }

    /// A text of an id, with the `##id##` that defaults contain replaced.
    pub fn text(&self, class: &str, id: &str, field: &str) -> Option<String> {
        let fields = self.resolve(class, id)?;
        fields.text(&[field]).filter(|text| !text.is_empty()).map(|text| text.replace("##id##", id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogs(layers: &[&str]) -> Catalogs {
        let mut out = Catalogs::default();
        for layer in layers {
            out.add(format!("<Catalog>{layer}</Catalog>").as_bytes()).unwrap();
        }
        out
    }

    #[test]
    fn later_layers_replace_values_and_append_to_arrays() {
        let c = catalogs(&[
            r#"<CTerrain id="A"><FogDensity value="1"/><FogFalloff value="2"/><CliffSets value="x"/></CTerrain>"#,
            r#"<CTerrain id="A" FogDensity="3"><CliffSets value="y"/></CTerrain>"#,
        ]);
        let a = c.resolve("CTerrain", "A").unwrap();
        assert_eq!([a.text(&["FogDensity"]), a.text(&["FogFalloff"])], [Some("3"), Some("2")]);
        assert_eq!(a.texts("CliffSets").collect::<Vec<_>>(), ["x", "y"]);
    }

    #[test]
    fn parents_and_defaults_fill_what_is_missing() {
        let c = catalogs(&[r#"<CTerrainTex default="1"><Texture value="Assets\##id##.dds"/></CTerrainTex>
               <CTerrainTex id="P"><Normalmap value="n"/></CTerrainTex>
               <CTerrainTex id="Q" parent="P"/><CTerrainTex id="L" parent="L"/>"#]);
        assert_eq!(c.text("CTerrainTex", "Q", "Texture").as_deref(), Some("Assets\\Q.dds"));
        assert_eq!(c.text("CTerrainTex", "Q", "Normalmap").as_deref(), Some("n"));
        // Its own parent, an unknown id, an unknown class.
        assert!(c.resolve("CTerrainTex", "L").is_some());
        assert!(c.resolve("CTerrainTex", "Z").is_none() && c.resolve("CTile", "Q").is_none());
    }

    #[test]
    fn indexed_elements_are_merged_by_their_index() {
        let c = catalogs(&[
            r#"<CLight id="M"><ToDInfoArray index="0" AmbientColor="1,1,1"><DirectionalLight index="Key" Color="1,0,0" Direction="0,0,-1"/></ToDInfoArray></CLight>"#,
            r#"<CLight id="M"><ToDInfoArray index="0"><DirectionalLight index="Key"><Color value="0,1,0"/></DirectionalLight><DirectionalLight index="Fill" Color="9,9,9"/></ToDInfoArray></CLight>"#,
        ]);
        let m = c.resolve("CLight", "M").unwrap();
        assert_eq!(m.text(&["ToDInfoArray[0]", "DirectionalLight[Key]", "Color"]), Some("0,1,0"));
        assert_eq!(m.text(&["ToDInfoArray[0]", "DirectionalLight[Key]", "Direction"]), Some("0,0,-1"));
        assert_eq!(m.text(&["ToDInfoArray[0]", "AmbientColor"]), Some("1,1,1"));
        assert_eq!(m.text(&["ToDInfoArray[0]", "DirectionalLight[Back]", "Color"]), None);
    }

    #[test]
    fn a_deep_nest_ends_and_a_bad_file_adds_nothing() {
        let deep = format!("<Catalog><C id=\"a\">{}{}</C></Catalog>", "<x>".repeat(50_000), "</x>".repeat(50_000));
        let mut c = Catalogs::default();
        c.add(deep.as_bytes()).unwrap();
        assert!(c.add(b"<Catalog><C id=\"b\"/>").is_err());
        assert!(!c.contains("C", "b"));
    }
}
