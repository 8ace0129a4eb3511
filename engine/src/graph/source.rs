//! Graph files as trees whose every key and value knows its place, and the collector of diagnostics.

use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use crate::diag::{Diagnostic, Label, SourceFile, near_miss};

/// A byte range of one of the files that make up a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Index in [`Log::files`].
    pub(crate) file: u32,
    /// First byte.
    pub(crate) start: u32,
    /// First byte after it.
    pub(crate) end: u32,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Sp<T> {
    /// The value.
    pub(crate) value: T,
    /// Its place.
    pub(crate) at: Place,
}

/// Files read so far and what was found wrong in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    /// The files.
    pub(crate) files: Vec<Arc<SourceFile>>,
    /// Errors.
    pub(crate) errors: Vec<Diagnostic>,
    /// Warnings and notes.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Log {
    /// A label of a diagnostic.
    pub(crate) fn label(&self, at: Place, text: impl Into<String>) -> Label {
        match self.files.get(at.file as usize) {
            Some(file) => {
                Label::Source { file: file.clone(), span: at.start as usize..at.end as usize, text: text.into() }
            }
            None => Label::File { file: String::from("<graph>") },
        }
    }

    /// The line (from 1) of a place.
    pub(crate) fn line(&self, at: Place) -> usize {
        self.files.get(at.file as usize).map_or(0, |f| f.line_column(at.start as usize).0)
    }

    /// Adds an error; the caller may add help and further labels to what is returned.
    pub(crate) fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        at: Place,
        label: impl Into<String>,
    ) -> &mut Diagnostic {
        let label = self.label(at, label);
        let mut diagnostic = Diagnostic::error(code, message);
        diagnostic.labels.push(label);
        self.errors.push(diagnostic);
        let last = self.errors.len() - 1;
        &mut self.errors[last]
    }
}

/// "did you mean …" where a candidate is near, else the list of candidates if it is short, else nothing.
pub(crate) fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut all: Vec<&str> = candidates.into_iter().collect();
    if let Some(near) = near_miss(name, all.iter().copied()) {
        return Some(format!("did you mean \"{near}\"?"));
    }
    all.sort_unstable();
    all.dedup();
    match all.len() {
        0 => None,
        1 => Some(format!("there is only \"{}\"", all[0])),
        2..=12 => Some(format!("there are {}", quoted(&all))),
        n => Some(format!("there are {n}, such as {}", quoted(&all[..8]))),
    }
}

/// `"a", "b" and "c"`.
pub(crate) fn quoted<S: AsRef<str>>(names: &[S]) -> String {
    let mut out = String::new();
    for (i, name) in names.iter().enumerate() {
        let sep = match i {
            0 => "",
            _ if i + 1 == names.len() => " and ",
            _ => ", ",
        };
        out.push_str(sep);
        out.push('"');
        out.push_str(name.as_ref());
        out.push('"');
    }
    out
}

/// A value of a graph file.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// Text.
    Str(String),
    /// A whole number.
    Int(i64),
    /// A number with a point.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// An array.
    Array(Vec<Item>),
    /// A table.
    Table(Table),
    /// A date or a number out of range: nothing that a graph uses.
    Other,
}

impl Node {
    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Str(_) => "a string",
            Self::Int(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Bool(_) => "a truth value",
            Self::Array(_) => "an array",
            Self::Table(_) => "a table",
            Self::Other => "a date or a number out of range",
        }
    }
}

/// A value with its place.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// The value.
    pub(crate) node: Node,
    /// Its place.
    pub(crate) at: Place,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The key.
    pub(crate) key: Sp<String>,
    /// The value.
    pub(crate) item: Item,
}

/// A table whose entries are in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Entries.
    pub(crate) entries: Vec<Entry>,
    /// Its place.
    pub(crate) at: Place,
}

impl Table {
    /// Finds an entry.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.key.value == key)
    }
}

/// Reads a file as a tree; syntax errors go to the log, all of them.
pub(crate) fn read_tree(log: &mut Log, file: &Arc<SourceFile>) -> Option<(u32, Table)> {
    let index = log.files.len() as u32;
    log.files.push(file.clone());
    let (root, errors) = DeTable::parse_recoverable(&file.text);
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        let at = place(index, span);
        let message = error.message().lines().next().unwrap_or("not TOML").to_owned();
        log.error("graph.syntax", message, at, "").help =
            Some("a graph is a TOML file: key = value, [section], [[pass]]".into());
    }
    errors.is_empty().then(|| (index, table(index, root.get_ref(), root.span())))
}

fn place(file: u32, span: std::ops::Range<usize>) -> Place {
    Place { file, start: span.start as u32, end: span.end as u32 }
}

fn table(file: u32, from: &DeTable<'_>, span: std::ops::Range<usize>) -> Table {
    let mut entries: Vec<Entry> = from
        .iter()
        .map(|(key, value)| Entry {
            key: Sp { value: key.get_ref().to_string(), at: place(file, key.span()) },
            item: item(file, value.get_ref(), value.span()),
        })
        .collect();
    entries.sort_by_key(|e| e.key.at.start);
    Table { entries, at: place(file, span) }
}

fn item(file: u32, from: &DeValue<'_>, span: std::ops::Range<usize>) -> Item {
    let at = place(file, span.clone());
    let node = match from {
        DeValue::String(s) => Node::Str(s.to_string()),
        DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix()).map_or(Node::Other, Node::Int),
        DeValue::Float(f) => match f.as_str().parse::<f64>() {
            Ok(v) if v.is_finite() => Node::Float(v),
            _ => Node::Other,
        },
        DeValue::Boolean(b) => Node::Bool(*b),
        DeValue::Datetime(_) => Node::Other,
        DeValue::Array(a) => Node::Array(a.iter().map(|v| item(file, v.get_ref(), v.span())).collect()),
        DeValue::Table(t) => Node::Table(table(file, t, span)),
    };
    Item { node, at }
}

/// Puts the number of a `repeat` step into every string of a tree: `{mip}`, `{mip+1}`, `{mip-1}`. A string that is
/// nothing but one such placeholder becomes a number.
pub(crate) fn substitute(from: &Item, var: &str, step: i64) -> Item {
    let node = match &from.node {
        Node::Str(s) => match whole_placeholder(s, var, step) {
            Some(n) => Node::Int(n),
            None => Node::Str(substitute_text(s, var, step)),
        },
        Node::Array(a) => Node::Array(a.iter().map(|i| substitute(i, var, step)).collect()),
        Node::Table(t) => Node::Table(substitute_table(t, var, step)),
        other => other.clone(),
    };
    Item { node, at: from.at }
}

/// [`substitute`] on a table.
pub(crate) fn substitute_table(from: &Table, var: &str, step: i64) -> Table {
    let entries =
        from.entries.iter().map(|e| Entry { key: e.key.clone(), item: substitute(&e.item, var, step) }).collect();
    Table { entries, at: from.at }
}

fn whole_placeholder(text: &str, var: &str, step: i64) -> Option<i64> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    placeholder(inner, var, step)
}

fn placeholder(inner: &str, var: &str, step: i64) -> Option<i64> {
    let rest = inner.trim().strip_prefix(var)?.trim_start();
    if rest.is_empty() {
        return Some(step);
    }
    let (sign, digits) = match rest.strip_prefix('+') {
        Some(d) => (1, d),
        None => (-1, rest.strip_prefix('-')?),
    };
    let offset: i64 = digits.trim().parse().ok()?;
    step.checked_add(sign * offset)
}

/// [`substitute`] on a text.
pub(crate) fn substitute_text(text: &str, var: &str, step: i64) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let close = rest[open..].find('}').map(|c| open + c);
        let value = close.and_then(|c| placeholder(&rest[open + 1..c], var, step).map(|n| (c, n)));
        match value {
            Some((close, n)) => {
                out.push_str(&rest[..open]);
                out.push_str(&n.to_string());
                rest = &rest[close + 1..];
            }
            None => {
                out.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_become_numbers_and_text() {
        assert_eq!(whole_placeholder("{mip+1}", "mip", 2), Some(3));
        assert_eq!(whole_placeholder("{mip - 1}", "mip", 2), Some(1));
        assert_eq!(whole_placeholder("a{mip}", "mip", 2), None);
        assert_eq!(substitute_text("blur {mip} of {other}", "mip", 4), "blur 4 of {other}");
    }

    #[test]
    fn entries_keep_the_order_of_the_file() {
        let mut log = Log::default();
        let file = SourceFile::new("a.toml", "[b]\nz = 1\na = 2\n[a]\n");
        let (_, root) = read_tree(&mut log, &file).unwrap();
        let names: Vec<_> = root.entries.iter().map(|e| e.key.value.as_str()).collect();
        assert_eq!(names, ["b", "a"]);
        let Node::Table(b) = &root.entries[0].item.node else { panic!() };
        assert_eq!(b.entries[0].key.value, "z");
    }
}
