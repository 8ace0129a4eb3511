//! Small helpers over `roxmltree`: errors with a byte offset and the name of the attribute.

use std::borrow::Cow;
use std::str::FromStr;

use roxmltree::{Document, Node};
use terrace_engine::bytes::FormatError;

/// Text of a file. Bytes that are not UTF-8 become the replacement character; a byte order mark is allowed.
pub(crate) struct Xml<'a>(Cow<'a, str>);

impl<'a> Xml<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(String::from_utf8_lossy(bytes))
    }
}

pub(crate) fn parse<'a>(xml: &'a Xml<'_>) -> Result<Document<'a>, FormatError> {
    Document::parse(&xml.0).map_err(|error| {
        let pos = error.pos();
        let before: usize = xml.0.split_inclusive('\n').take(pos.row.saturating_sub(1) as usize).map(str::len).sum();
        let offset = before + pos.col.saturating_sub(1) as usize;
        FormatError::new(offset as u64, "XML", error.to_string())
    })
}

/// An attribute as a number, if it is there.
pub(crate) fn attribute<T: FromStr>(node: Node<'_, '_>, name: &str) -> Result<Option<T>, FormatError> {
    let Some(attribute) = node.attribute_node(name) else { return Ok(None) };
    let text = attribute.value().trim();
    match text.parse() {
        Ok(value) => Ok(Some(value)),
        Err(_) => Err(bad(node, name, format!("\"{}\" cannot be read", text.chars().take(80).collect::<String>()))),
    }
}

/// An attribute that has to be there.
pub(crate) fn required<T: FromStr>(node: Node<'_, '_>, name: &str) -> Result<T, FormatError> {
    attribute(node, name)?.ok_or_else(|| bad(node, name, "is missing"))
}

/// The error of an attribute.
pub(crate) fn bad(node: Node<'_, '_>, name: &str, what: impl Into<String>) -> FormatError {
    let offset = node.attribute_node(name).map_or(node.range().start, |a| a.range().start);
    FormatError::new(offset as u64, format!("{}/{name}", node.tag_name().name()), what)
}

/// `N` finite numbers divided by commas or blanks; more than `N` are cut.
pub(crate) fn numbers<const N: usize>(text: &str) -> Option<[f32; N]> {
    let mut out = [0.0; N];
    let mut parts = text.split([',', ' ']).filter(|part| !part.is_empty());
    for slot in &mut out {
        *slot = parts.next()?.parse().ok().filter(|v: &f32| v.is_finite())?;
    }
    Some(out)
}

/// Three numbers divided by commas.
pub(crate) fn triple(text: &str) -> Option<[f32; 3]> {
    numbers(text)
}
