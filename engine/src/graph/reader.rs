//! Typed access to the tables of a graph file: unknown keys and wrong types are errors with a place.

use super::keys::SectionDoc;
use super::source::{Entry, Item, Log, Node, Place, Sp, Table, quoted, suggest};

/// A table that is being read.
pub(crate) struct Reader<'a> {
    pub(crate) table: &'a Table,
    section: &'static SectionDoc,
}

impl<'a> Reader<'a> {
    /// Checks all keys of the table.
    pub(crate) fn new(log: &mut Log, table: &'a Table, section: &'static SectionDoc) -> Self {
        for entry in &table.entries {
            if !section.keys.iter().any(|k| k.key == entry.key.value) {
                let message = format!("`{}` has no key \"{}\"", section.name, entry.key.value);
                let help = suggest(&entry.key.value, section.keys.iter().map(|k| k.key));
                log.error("graph.unknown-key", message, entry.key.at, "unknown key").help = help;
            }
        }
        Self { table, section }
    }

    /// A table with free keys beside those of the section.
    pub(crate) fn open(table: &'a Table, section: &'static SectionDoc) -> Self {
        Self { table, section }
    }

    /// Entries whose keys the section does not know.
    pub(crate) fn others(&self) -> impl Iterator<Item = &'a Entry> {
        let section = self.section;
        self.table.entries.iter().filter(move |e| !section.keys.iter().any(|k| k.key == e.key.value))
    }

    /// An entry.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Entry> {
        debug_assert!(self.section.keys.iter().any(|k| k.key == key), "{key} is not in the key table");
        self.table.get(key)
    }

    /// An entry that must be there.
    pub(crate) fn need(&self, log: &mut Log, key: &str, at: Place) -> Option<&'a Entry> {
        let found = self.get(key);
        if found.is_none() {
            let what = self.section.keys.iter().find(|k| k.key == key).map_or("", |k| k.doc);
            let message = format!("`{}` needs \"{key}\"", self.section.name);
            log.error("graph.missing-key", message, at, "here").help = Some(format!("{key}: {what}"));
        }
        found
    }

    /// A string.
    pub(crate) fn str(&self, log: &mut Log, key: &str) -> Option<Sp<String>> {
        self.get(key).and_then(|e| string(log, &e.item, key))
    }

    /// A string that must be there.
    pub(crate) fn need_str(&self, log: &mut Log, key: &str, at: Place) -> Option<Sp<String>> {
        self.need(log, key, at).and_then(|e| string(log, &e.item, key))
    }

    /// A truth value.
    pub(crate) fn bool(&self, log: &mut Log, key: &str) -> Option<bool> {
        self.get(key).and_then(|e| boolean(log, &e.item, key))
    }

    /// A whole number in a range.
    pub(crate) fn int(&self, log: &mut Log, key: &str, min: i64, max: i64) -> Option<Sp<i64>> {
        self.get(key).and_then(|e| integer(log, &e.item, key, min, max))
    }

    /// A whole number from 0 to `max`.
    pub(crate) fn uint(&self, log: &mut Log, key: &str, max: u32) -> Option<u32> {
        self.int(log, key, 0, i64::from(max)).map(|v| v.value as u32)
    }

    /// A word of a list.
    pub(crate) fn word<T: Copy>(&self, log: &mut Log, key: &str, words: &[(&str, T)]) -> Option<T> {
        self.get(key).and_then(|e| word(log, &e.item, key, words))
    }
}

/// Reports a value of a wrong type.
pub(crate) fn wrong_type(log: &mut Log, item: &Item, key: &str, expected: &str) {
    let message = format!("\"{key}\" is {expected}, not {}", item.node.kind());
    log.error("graph.wrong-type", message, item.at, format!("expected {expected}"));
}

/// Reports a number out of range.
fn out_of_range(log: &mut Log, at: Place, key: &str, range: &str) {
    log.error("graph.out-of-range", format!("\"{key}\" must be {range}"), at, "out of range");
}

/// A string.
pub(crate) fn string(log: &mut Log, item: &Item, key: &str) -> Option<Sp<String>> {
    match &item.node {
        Node::Str(s) => Some(Sp { value: s.clone(), at: item.at }),
        _ => {
            wrong_type(log, item, key, "a string");
            None
        }
    }
}

/// A truth value.
pub(crate) fn boolean(log: &mut Log, item: &Item, key: &str) -> Option<bool> {
    match item.node {
        Node::Bool(b) => Some(b),
        _ => {
            wrong_type(log, item, key, "true or false");
            None
        }
    }
}

/// A whole number in a range.
pub(crate) fn integer(log: &mut Log, item: &Item, key: &str, min: i64, max: i64) -> Option<Sp<i64>> {
    match item.node {
        Node::Int(i) if (min..=max).contains(&i) => Some(Sp { value: i, at: item.at }),
        Node::Int(_) => {
            out_of_range(log, item.at, key, &format!("from {min} to {max}"));
            None
        }
        _ => {
            wrong_type(log, item, key, "a whole number");
            None
        }
    }
}

/// A finite number.
pub(crate) fn number(log: &mut Log, item: &Item, key: &str) -> Option<f32> {
    let value = match item.node {
        Node::Int(i) => i as f32,
        Node::Float(f) => f as f32,
        _ => {
            wrong_type(log, item, key, "a number");
            return None;
        }
    };
    if !value.is_finite() {
        out_of_range(log, item.at, key, "within the range of 32-bit floats");
        return None;
    }
    Some(value)
}

/// An array of exactly N numbers.
pub(crate) fn numbers<const N: usize>(log: &mut Log, item: &Item, key: &str) -> Option<[f32; N]> {
    match &item.node {
        Node::Array(a) if a.len() == N => {
            let mut out = [0.0; N];
            for (slot, value) in out.iter_mut().zip(a) {
                *slot = number(log, value, key)?;
            }
            Some(out)
        }
        _ => {
            wrong_type(log, item, key, &format!("an array of {N} numbers"));
            None
        }
    }
}

/// A word of a list.
pub(crate) fn word<T: Copy>(log: &mut Log, item: &Item, key: &str, words: &[(&str, T)]) -> Option<T> {
    let text = string(log, item, key)?;
    let found = words.iter().find(|w| w.0 == text.value).map(|w| w.1);
    if found.is_none() {
        let names: Vec<&str> = words.iter().map(|w| w.0).collect();
        let help = match suggest(&text.value, names.iter().copied()) {
            Some(near) if near.starts_with("did") => near,
            _ => format!("one of {}", quoted(&names)),
        };
        let message = format!("\"{}\" is no word for \"{key}\"", text.value);
        log.error("graph.unknown-word", message, text.at, "unknown word").help = Some(help);
    }
    found
}

/// A table.
pub(crate) fn table<'a>(log: &mut Log, item: &'a Item, key: &str) -> Option<&'a Table> {
    match &item.node {
        Node::Table(t) => Some(t),
        _ => {
            wrong_type(log, item, key, "a table");
            None
        }
    }
}

/// An array.
pub(crate) fn array<'a>(log: &mut Log, item: &'a Item, key: &str) -> Option<&'a [Item]> {
    match &item.node {
        Node::Array(a) => Some(a),
        _ => {
            wrong_type(log, item, key, "an array");
            None
        }
    }
}
