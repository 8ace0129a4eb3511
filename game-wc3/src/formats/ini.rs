//! Sectioned text: `MiscData.txt`, `war3mapMisc.txt`, `WorldEditData.txt`, unit profiles and `*skin.txt`.
//!
//! `[Section]`, then `Key=value` lines. `//` begins a comment at the start of a line or after a blank. Sections of one
//! name are one section, and of two equal keys the first counts (`destructableskin.txt` repeats keys).

use std::collections::HashMap;

/// A sectioned text. Section names and keys are found whatever their case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ini {
    sections: Vec<Section>,
    index: HashMap<String, usize>,
}

/// A section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    name: String,
    entries: Vec<(String, String)>,
    index: HashMap<String, usize>,
}

impl Ini {
    /// Reads a text. Nothing in it is an error: lines without `=` are skipped, lines before the first section belong
    /// to the section "". Bytes that are not UTF-8 become the replacement character.
    pub fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut ini = Self::default();
        let mut current = None;
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = strip_comment(line).trim();
            if let Some(name) = line.strip_prefix('[').and_then(|l| l.split(']').next()) {
                current = Some(ini.section_at(name.trim()));
            } else if let Some((key, value)) = line.split_once('=') {
                let at = *current.get_or_insert_with(|| ini.section_at(""));
                ini.sections[at].insert(key.trim(), value.trim());
            }
        }
        ini
    }

    fn section_at(&mut self, name: &str) -> usize {
        *self.index.entry(name.to_lowercase()).or_insert_with(|| {
            self.sections.push(Section { name: name.to_owned(), ..Section::default() });
            self.sections.len() - 1
        })
    }

    /// A section by name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.index.get(&name.to_lowercase()).map(|&at| &self.sections[at])
    }

    /// All sections in the order of the file.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The value of a key in a section.
    pub fn get(&self, section: &str, key: &str) -> Option<&str> {
        self.section(section)?.get(key)
    }

    /// The value of a key as a finite number.
    pub fn float(&self, section: &str, key: &str) -> Option<f32> {
        self.section(section)?.float(key)
    }

    /// The parts of a value between commas; empty where the key is missing.
    pub fn list(&self, section: &str, key: &str) -> Vec<&str> {
        self.section(section).map_or_else(Vec::new, |s| s.list(key))
    }
}

impl Section {
    fn insert(&mut self, key: &str, value: &str) {
        let at = self.entries.len();
        if *self.index.entry(key.to_lowercase()).or_insert(at) == at {
            self.entries.push((key.to_owned(), value.to_owned()));
        }
    }

    /// The name as the file writes it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Keys and values in the order of the file, first duplicates only.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// A value without the quotes around it. A list of several quoted parts is returned as it stands.
    pub fn get(&self, key: &str) -> Option<&str> {
        let value = self.entries[*self.index.get(&key.to_lowercase())?].1.as_str();
        Some(unquote(value))
    }

    /// A value as a finite number.
    pub fn float(&self, key: &str) -> Option<f32> {
        self.get(key)?.parse::<f32>().ok().filter(|v| v.is_finite())
    }

    /// A value as a whole number.
    pub fn int(&self, key: &str) -> Option<i32> {
        self.get(key)?.parse().ok()
    }

    /// The parts of a value between commas that do not stand in quotes; quotes around parts are removed.
    pub fn list(&self, key: &str) -> Vec<&str> {
        let Some(&at) = self.index.get(&key.to_lowercase()) else { return Vec::new() };
        let value = self.entries[at].1.as_str();
        let (mut parts, mut start, mut quoted) = (Vec::new(), 0, false);
        for (i, byte) in value.bytes().enumerate() {
            match byte {
                b'"' => quoted = !quoted,
                b',' if !quoted => {
                    parts.push(unquote(value[start..i].trim()));
                    start = i + 1;
                }
                _ => {}
            }
        }
        parts.push(unquote(value[start..].trim()));
        parts
    }
}

fn unquote(value: &str) -> &str {
    let inner = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    inner.filter(|v| !v.contains('"')).unwrap_or(value)
}

/// Cuts a comment. Slashes inside quotes or right after a character other than a blank (`http://`) are text.
fn strip_comment(line: &str) -> &str {
    let bytes = line.as_bytes();
    let mut quoted = false;
    for i in 0..bytes.len() {
        match bytes[i] {
            b'"' => quoted = !quoted,
            b'/' if !quoted && bytes.get(i + 1) == Some(&b'/') && (i == 0 || bytes[i - 1].is_ascii_whitespace()) => {
                return &line[..i];
            }
            _ => {}
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn first_duplicates_win_and_comments_are_cut() {
        let ini = Ini::parse(
            b"\xef\xbb\xbfloose=1\r\n// Misc stuff\r\n[Misc]\r\nA=1 // one\r\na=2\r\nUrl=http://x\r\n\
             [other]\r\nA=9\r\n[MISC]\r\nB=\"q // r\"\r\nnonsense\r\n",
        );
        assert_eq!(ini.get("misc", "A"), Some("1"));
        assert_eq!(ini.get("Misc", "b"), Some("q // r"));
        assert_eq!(ini.get("Misc", "url"), Some("http://x"));
        assert_eq!((ini.get("", "loose"), ini.float("OTHER", "a")), (Some("1"), Some(9.0)));
        assert_eq!(ini.sections().len(), 3);
    }

    #[test]
    fn commas_in_quotes_do_not_split_lists() {
        let ini = Ini::parse(b"[s]\nl=\"a,b\", c ,,d\none=\"x\"\n");
        assert_eq!(ini.list("s", "l"), ["a,b", "c", "", "d"]);
        assert_eq!(ini.list("s", "one"), ["x"]);
        assert!(ini.list("s", "none").is_empty());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_text(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let ini = Ini::parse(&bytes);
            for section in ini.sections() {
                for (key, _) in section.entries() {
                    prop_assert!(section.get(key).is_some());
                    prop_assert!(!section.list(key).is_empty());
                }
            }
        }
    }
}
