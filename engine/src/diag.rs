//! One diagnostic type for files, graphs, shaders, scripts and assets, and its one printer.
//!
//! A [`Diagnostic`] says what is wrong, where, and what to do about it. Libraries return it; the program, the
//! overlay and the JSON event stream render it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something worth knowing; nothing was lost.
    Note,
    /// One asset, pass or value was replaced by a fallback.
    Warning,
    /// The work could not be done.
    Error,
}

/// A text file as it was when it was read, so that a label keeps its line after the file changed on disk.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path or virtual path as the user wrote it.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl SourceFile {
    /// Wraps a text under the name that labels will show.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into() })
    }

    /// Line and column (both from 1; columns count characters) of a byte offset. Offsets past the end are clamped.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }

    /// The text of a line (from 1), without its end.
    pub fn line(&self, line: usize) -> &str {
        self.text.lines().nth(line.saturating_sub(1)).unwrap_or("")
    }

    /// Byte range of a line (from 1) without its end; empty where there is no such line.
    pub fn line_span(&self, line: usize) -> Range<usize> {
        let text = self.line(line);
        if text.is_empty() {
            return 0..0;
        }
        let start = text.as_ptr() as usize - self.text.as_ptr() as usize;
        start..start + text.len()
    }
}

/// A place that a diagnostic points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// A span in a text file.
    Source {
        /// The file as it was read.
        file: Arc<SourceFile>,
        /// Byte range to underline.
        span: Range<usize>,
        /// What is said about the span; may be empty.
        text: String,
    },
    /// A place in a binary file.
    Bytes {
        /// Path or virtual path.
        file: String,
        /// Byte offset in that file.
        offset: u64,
        /// The field as its format names it.
        field: String,
    },
    /// A whole file or asset.
    File {
        /// Path or virtual path.
        file: String,
    },
}

/// A value that says what is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// Stable, lower-case, dotted code such as `graph.unknown-image`.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// Places, the first is the main one.
    pub labels: Vec<Label>,
    /// A way out.
    pub help: Option<String>,
    /// Further facts.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic with a message and nothing else.
    pub fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self { severity, code, message: message.into(), labels: Vec::new(), help: None, notes: Vec::new() }
    }

    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// Adds a span of a text file.
    pub fn at(mut self, file: &Arc<SourceFile>, span: Range<usize>, text: impl Into<String>) -> Self {
        self.labels.push(Label::Source { file: file.clone(), span, text: text.into() });
        self
    }

    /// Adds a place in a binary file.
    pub fn at_bytes(mut self, file: impl Into<String>, offset: u64, field: impl Into<String>) -> Self {
        self.labels.push(Label::Bytes { file: file.into(), offset, field: field.into() });
        self
    }

    /// Adds a whole file.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.labels.push(Label::File { file: file.into() });
        self
    }

    /// Sets the way out.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a further fact.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The same content as a JSON object with resolved lines and columns.
    pub fn to_json(&self) -> serde_json::Value {
        let labels: Vec<_> = self
            .labels
            .iter()
            .map(|label| match label {
                Label::Source { file, span, text } => {
                    let (line, column) = file.line_column(span.start);
                    serde_json::json!({
                        "file": file.name, "line": line, "column": column,
                        "start": span.start, "end": span.end, "text": text,
                    })
                }
                Label::Bytes { file, offset, field } => {
                    serde_json::json!({ "file": file, "offset": offset, "field": field })
                }
                Label::File { file } => serde_json::json!({ "file": file }),
            })
            .collect();
        serde_json::json!({
            "severity": self.severity, "code": self.code, "message": self.message,
            "labels": labels, "help": self.help, "notes": self.notes,
        })
    }
}

/// Prints the plain form that `check`, the overlay and the tests share:
///
/// ```text
/// error[graph.unknown-image]: no image is called "scen"
///   --> graphs/wc3.toml:12:19
///    |
/// 12 | color = { scene = "scen" }
///    |                   ^^^^^^ not declared
///    = help: did you mean "scene"?
/// ```
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{word}[{}]: {}", self.code, self.message)?;
        for label in &self.labels {
            match label {
                Label::Source { file, span, text } => write_snippet(f, file, span, text)?,
                Label::Bytes { file, offset, field } => {
                    write!(f, "\n  --> {file}: byte {offset} (0x{offset:x}), field {field}")?;
                }
                Label::File { file } => write!(f, "\n  --> {file}")?,
            }
        }
        if let Some(help) = &self.help {
            write!(f, "\n   = help: {help}")?;
        }
        for note in &self.notes {
            write!(f, "\n   = note: {note}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// Characters of a source line that are shown around a span.
const MOST_SHOWN: usize = 200;

fn write_snippet(f: &mut fmt::Formatter<'_>, file: &SourceFile, span: &Range<usize>, text: &str) -> fmt::Result {
    let (line, column) = file.line_column(span.start);
    let source = file.line(line);
    let number = line.to_string();
    let pad = " ".repeat(number.len());
    write!(f, "\n{pad}--> {}:{line}:{column}", file.name)?;
    // A window of a very long line; control characters must not reach a terminal.
    let before = column - 1;
    let first = before.saturating_sub(MOST_SHOWN / 2);
    let shown: String = source
        .chars()
        .skip(first)
        .take(MOST_SHOWN)
        .map(|c| if c.is_control() && c != '\t' { '\u{b7}' } else { c })
        .collect();
    write!(f, "\n{pad} |\n{number} | {shown}\n{pad} | ")?;
    // Tabs stay tabs under tabs, so that the underline stands below what it means.
    for c in shown.chars().take(before - first) {
        f.write_str(if c == '\t' { "\t" } else { " " })?;
    }
    let rest = shown.chars().count().saturating_sub(before - first);
    let spanned = file.text.get(span.clone()).map_or(1, |s| s.chars().take_while(|&c| c != '\n').count());
    f.write_str(&"^".repeat(spanned.clamp(1, rest.max(1))))?;
    if !text.is_empty() {
        write!(f, " {text}")?;
    }
    Ok(())
}

/// The candidate that is nearest to `name` by edit distance, if it is near enough to be a slip of the pen
/// (at most a third of the longer name, and at least one edit is always allowed).
pub fn near_miss<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|c| (edit_distance(name, c), c))
        .filter(|(d, c)| *d <= (name.chars().count().max(c.chars().count()) / 3).max(1))
        .min()
        .map(|(_, c)| c)
}

/// Edit distance in characters, case folded; two neighbours that changed places are one edit, the commonest slip.
fn edit_distance(a: &str, b: &str) -> usize {
    let fold = |s: &str| s.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    let (a, b) = (fold(a), fold(b));
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1];
        for j in 0..b.len() {
            let mut best = (row[j] + usize::from(a[i] != b[j])).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(above[j - 1] + 1);
            }
            next.push(best);
        }
        above = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_form_underlines_the_span() {
        let file = SourceFile::new("a.toml", "x = 1\ncolor = \"scen\"\n");
        let d = Diagnostic::error("graph.unknown-image", "no image is called \"scen\"")
            .at(&file, 14..20, "not declared")
            .help("did you mean \"scene\"?");
        assert_eq!(
            d.to_string(),
            "error[graph.unknown-image]: no image is called \"scen\"\n --> a.toml:2:9\n  |\n2 | color = \"scen\"\n  |         ^^^^^^ not declared\n   = help: did you mean \"scene\"?"
        );
    }

    #[test]
    fn line_column_survives_offsets_inside_characters_and_past_the_end() {
        let file = SourceFile::new("a", "é\nb");
        assert_eq!(file.line_column(1), (1, 1));
        assert_eq!(file.line_column(99), (2, 2));
    }

    #[test]
    fn long_lines_show_a_window_and_control_characters_a_dot() {
        let text = format!("{}x = \u{1b}[31m{}", " ".repeat(5000), "y".repeat(5000));
        let file = SourceFile::new("a.toml", text);
        let printed = Diagnostic::error("a", "b").at(&file, 5000..5001, "here").to_string();
        assert!(printed.len() < 700, "{}", printed.len());
        assert!(printed.contains("x = \u{b7}[31m") && printed.ends_with("^ here"), "{printed}");
        assert!(printed.contains("a.toml:1:5001"));
    }

    #[test]
    fn near_miss_finds_slips_and_nothing_else() {
        assert_eq!(near_miss("scen", ["scene", "depth"]), Some("scene"));
        assert_eq!(near_miss("laod", ["load", "depth"]), Some("load"));
        assert_eq!(near_miss("entirely", ["scene", "depth"]), None);
    }
}
