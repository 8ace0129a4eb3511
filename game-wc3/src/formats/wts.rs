//! `war3map.wts`, the map's strings: `STRING 12`, an optional `//` comment line, then the text between braces.

use std::collections::BTreeMap;

/// Prefix of a reference to a string.
pub const REFERENCE_PREFIX: &str = "TRIGSTR_";

/// The map's strings by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wts {
    strings: BTreeMap<u32, String>,
}

impl Wts {
    /// Reads the strings. What does not follow the pattern is skipped; of two equal numbers the first counts.
    pub fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut strings = BTreeMap::new();
        let mut lines = text.trim_start_matches('\u{feff}').lines();
        while let Some(line) = lines.next() {
            let Some(number) = line.trim().strip_prefix("STRING ").and_then(|n| n.trim().parse().ok()) else {
                continue;
            };
            // Between number and brace only comments and blank lines are allowed.
            let opened = lines.by_ref().find(|l| !l.trim().is_empty() && !l.trim_start().starts_with("//"));
            if opened.is_none_or(|l| l.trim() != "{") {
                continue;
            }
            let body: Vec<_> = lines.by_ref().take_while(|l| l.trim_end() != "}").collect();
            strings.entry(number).or_insert_with(|| body.join("\n"));
        }
        Self { strings }
    }

    /// A string by number.
    pub fn get(&self, number: u32) -> Option<&str> {
        self.strings.get(&number).map(String::as_str)
    }

    /// Strings in it.
    pub fn len(&self) -> usize {
        self.strings.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.strings.is_empty()
    }

    /// The text behind a reference such as `TRIGSTR_007`; any other text, and a reference to nothing, is itself.
    pub fn resolve<'a>(&'a self, text: &'a str) -> &'a str {
        let number = text.strip_prefix(REFERENCE_PREFIX).and_then(|n| n.trim().parse().ok());
        number.and_then(|n| self.get(n)).unwrap_or(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_resolve_and_unknown_ones_stay() {
        let wts = Wts::parse(
            b"\xef\xbb\xbfSTRING 7\r\n// the name\r\n{\r\nTwo\r\nlines\r\n}\r\n\r\n\
         STRING 8\r\n{\r\n}\r\nSTRING x\r\n{\r\nno\r\n}\r\n",
        );
        assert_eq!(wts.resolve("TRIGSTR_007"), "Two\nlines");
        assert_eq!(wts.resolve("TRIGSTR_8"), "");
        assert_eq!(wts.resolve("TRIGSTR_009"), "TRIGSTR_009");
        assert_eq!(wts.resolve("plain"), "plain");
        assert_eq!(wts.len(), 2);
    }
}
