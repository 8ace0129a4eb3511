//! Where the blocks of a graph file lie in its text.
//!
//! A block is what a person would select to cut it: the comment lines directly above the header, the header, its keys
//! and sub-tables, and comment lines directly below the last key. Blank lines, and comments with a blank line on both
//! sides, belong to nobody and stay where they are.

use std::ops::Range;

use toml_edit::{Document, Item, Table, TableLike};

use super::graph_edit::EditError;

/// A parsed graph file with the spans of its headers and values.
pub(crate) struct Blocks<'a> {
    text: &'a str,
    doc: Document<&'a str>,
    /// Start of each header's line and the pass that it belongs to, in file order.
    heads: Vec<(usize, Option<usize>)>,
    /// Ends of headers and values, ascending.
    ends: Vec<usize>,
}

/// A pass's block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Whole lines, without blank lines around them.
    pub(crate) lines: Range<usize>,
    /// Byte offset of the `[[pass]]` line.
    pub(crate) header: usize,
    /// False when another table stands between the pass and one of its sub-tables.
    pub(crate) whole: bool,
}

impl<'a> Blocks<'a> {
    /// Parses `text`; every pass must be a `[[pass]]` block with a name.
    pub(crate) fn read(text: &'a str) -> Result<Self, EditError> {
        let doc = Document::parse(text)
            .map_err(|e| EditError::Syntax { message: e.message().to_owned(), span: e.span().unwrap_or(0..0) })?;
        let mut blocks = Self { text, doc, heads: Vec::new(), ends: Vec::new() };
        let (mut heads, mut ends) = (Vec::new(), Vec::new());
        collect(blocks.doc.as_table(), None, true, &mut heads, &mut ends);
        heads.sort_unstable();
        ends.sort_unstable();
        blocks.heads = heads.into_iter().map(|(at, owner)| (blocks.line_start(at), owner)).collect();
        blocks.ends = ends;
        Ok(blocks)
    }

    /// The root table.
    pub(crate) fn root(&self) -> &Table {
        self.doc.as_table()
    }

    /// The passes as tables, in file order.
    pub(crate) fn passes(&self) -> Result<Vec<&Table>, EditError> {
        match self.root().get("pass") {
            None => Ok(Vec::new()),
            Some(Item::ArrayOfTables(passes)) => Ok(passes.iter().collect()),
            Some(other) => Err(EditError::NotBlocks { span: other.span().unwrap_or(0..0) }),
        }
    }

    /// The passes' names; empty for a pass that has none.
    pub(crate) fn names(&self) -> Result<Vec<&str>, EditError> {
        Ok(self.passes()?.into_iter().map(|t| t.get("name").and_then(Item::as_str).unwrap_or("")).collect())
    }

    /// Index of the pass `name`, which must be the only one of its name.
    pub(crate) fn find(&self, name: &str) -> Result<usize, EditError> {
        let names = self.names()?;
        let Some(index) = names.iter().position(|n| *n == name) else {
            return Err(EditError::no_pass(name, &names));
        };
        match names[index + 1..].iter().position(|n| *n == name) {
            None => Ok(index),
            Some(second) => {
                let header = self.block(index + 1 + second).header;
                Err(EditError::Twice { name: name.to_owned(), span: header..self.line_end(header) })
            }
        }
    }

    /// The block of pass `index`, which exists.
    pub(crate) fn block(&self, index: usize) -> Block {
        let owned = |&(_, owner): &(usize, Option<usize>)| owner == Some(index);
        let first = self.heads.iter().position(owned).unwrap_or(0);
        let last = self.heads.iter().rposition(owned).unwrap_or(0);
        let whole = self.heads[first..=last].iter().all(owned);
        let header = self.heads[first].0;
        let (content_end, limit) = match self.heads.get(last + 1) {
            Some(&(next, _)) => (self.content_end(next), self.lead(next)),
            None => (self.content_end(self.text.len()), self.text.len()),
        };
        let mut end = content_end;
        while end < limit && self.is_comment(end) {
            end = self.line_end(end);
        }
        Block { lines: self.lead(header)..end, header, whole }
    }

    /// End of the blank lines that start at `at`.
    pub(crate) fn blanks_after(&self, mut at: usize) -> usize {
        while at < self.text.len() && self.is_blank(at) {
            at = self.line_end(at);
        }
        at
    }

    /// Start of the blank lines that end at `at`.
    pub(crate) fn blanks_before(&self, mut at: usize) -> usize {
        while let Some(before) = self.line_before(at)
            && self.is_blank(before)
        {
            at = before;
        }
        at
    }

    /// Offset behind the line that holds `at`, its line end included.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |i| at + i + 1)
    }

    /// Offset of the first character of the line that holds `at`; a byte order mark is not part of a line.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(self.text_start(), |i| i + 1)
    }

    fn text_start(&self) -> usize {
        if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
    }

    /// Offset behind the last line before `at` that holds a header or a value.
    fn content_end(&self, at: usize) -> usize {
        match self.ends[..self.ends.partition_point(|&end| end <= at)].last() {
            Some(&end) => self.line_end(end),
            None => self.text_start(),
        }
    }

    /// Start of the comment lines directly above the header at `header`. Lines of values are out of reach, so a `#`
    /// within a multi-line string is never taken for a comment.
    fn lead(&self, header: usize) -> usize {
        let floor = self.content_end(header);
        let mut at = header;
        while let Some(before) = self.line_before(at)
            && before >= floor
            && self.is_comment(before)
        {
            at = before;
        }
        at
    }

    fn line_before(&self, at: usize) -> Option<usize> {
        (at > self.text_start()).then(|| self.line_start(at - 1))
    }

    fn is_comment(&self, at: usize) -> bool {
        self.text[at..self.line_end(at)].trim_start().starts_with('#')
    }

    fn is_blank(&self, at: usize) -> bool {
        self.text[at..self.line_end(at)].trim().is_empty()
    }
}

/// Gathers headers and ends below `table`. `top` is true for the root, whose `pass` entries own what is below them.
fn collect(
    table: &dyn TableLike,
    owner: Option<usize>,
    top: bool,
    heads: &mut Vec<(usize, Option<usize>)>,
    ends: &mut Vec<usize>,
) {
    let head = |table: &Table, owner, heads: &mut Vec<_>, ends: &mut Vec<usize>| {
        if let Some(span) = table.span().filter(|_| !table.is_implicit() && !table.is_dotted()) {
            heads.push((span.start, owner));
            ends.push(span.end);
        }
    };
    for (key, item) in table.iter() {
        match item {
            Item::Table(inner) => {
                head(inner, owner, heads, ends);
                collect(inner, owner, false, heads, ends);
            }
            Item::ArrayOfTables(array) => {
                for (i, inner) in array.iter().enumerate() {
                    let owner = if top && key == "pass" { Some(i) } else { owner };
                    head(inner, owner, heads, ends);
                    collect(inner, owner, false, heads, ends);
                }
            }
            Item::Value(value) => ends.extend(value.span().map(|span| span.end)),
            Item::None => {}
        }
    }
}
