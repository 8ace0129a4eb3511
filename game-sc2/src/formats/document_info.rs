//! `DocumentInfo`: the mods that a map stands on.

use terrace_engine::bytes::FormatError;

use super::xml::{Xml, parse};

/// Most dependencies that are taken.
const MAX_DEPENDENCIES: usize = 64;

/// Paths of the mods, the lowest first. A value is `bnet:Name/version,file:Mods/Name.SC2Mod`.
///
/// # Errors
/// Text that is no XML.
pub fn dependencies(bytes: &[u8]) -> Result<Vec<String>, FormatError> {
    let xml = Xml::new(bytes);
    let document = parse(&xml)?;
    let list = document.root_element().children().filter(|n| n.has_tag_name("Dependencies"));
    let values = list.flat_map(|n| n.children()).filter(|n| n.has_tag_name("Value")).filter_map(|n| n.text());
    let files = values.filter_map(|text| text.rsplit_once("file:")).map(|(_, path)| path.trim().replace('\\', "/"));
    Ok(files.filter(|path| !path.is_empty()).take(MAX_DEPENDENCIES).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_dependencies_are_found() {
        let text = "<DocInfo><Dependencies><Value>bnet:Void (Mod)/0.0/999,file:Mods\\Void.SC2Mod</Value>\
                    <Value>bnet:Only</Value></Dependencies></DocInfo>";
        assert_eq!(dependencies(text.as_bytes()).unwrap(), ["Mods/Void.SC2Mod"]);
    }
}
