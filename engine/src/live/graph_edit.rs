//! Edits of a graph file that touch only the lines they are about.
//!
//! The text is parsed for spans and never printed again from a tree, so comments, alignment, line ends and the order
//! of keys stay as their author left them.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;
use toml_edit::{Item, Table};

use super::blocks::Blocks;
use crate::diag::{Diagnostic, SourceFile, near_miss};
use crate::scene::{ParamDecl, Value, ValueType};

/// The key of a pass that turns it off.
const ENABLED: &str = "enabled";

/// Why a graph file was left as it is. Spans are byte ranges in the text that was to be edited.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// The file does not parse.
    #[error("the file cannot be edited while it does not parse: {message}")]
    Syntax {
        /// What the parser says.
        message: String,
        /// Where.
        span: Range<usize>,
    },
    /// The passes are an inline array.
    #[error("the passes are not written as [[pass]] blocks")]
    NotBlocks {
        /// The array.
        span: Range<usize>,
    },
    /// There is no such pass in this file.
    #[error("no pass is called {name:?} in this file")]
    NoPass {
        /// The name.
        name: String,
        /// A name that is near.
        near: Option<String>,
    },
    /// Two passes have the name.
    #[error("two passes are called {name:?}")]
    Twice {
        /// The name.
        name: String,
        /// Header of the second.
        span: Range<usize>,
    },
    /// Another table stands between the pass and one of its sub-tables.
    #[error("the block of {name:?} is interrupted by another table")]
    Scattered {
        /// The pass.
        name: String,
        /// Its header.
        span: Range<usize>,
    },
    /// There is no such param in this file.
    #[error("no param is called {name:?} in this file")]
    NoParam {
        /// The name.
        name: String,
        /// A name that is near.
        near: Option<String>,
    },
    /// The new value is not a TOML value.
    #[error("{literal:?} is not a value")]
    NotAValue {
        /// What was to be written.
        literal: String,
    },
    /// The edited text would not say what was asked for.
    #[error("the edit would change more than {name:?}")]
    Refused {
        /// The pass or param.
        name: String,
    },
}

impl EditError {
    pub(crate) fn no_pass(name: &str, names: &[&str]) -> Self {
        let near = near_miss(name, names.iter().copied()).map(str::to_owned);
        Self::NoPass { name: name.to_owned(), near }
    }

    /// The error as a diagnostic on `file`, which holds the text that was to be edited.
    pub fn diagnostic(&self, file: &Arc<SourceFile>) -> Diagnostic {
        let (code, span, help) = match self {
            Self::Syntax { span, .. } => ("edit.syntax", Some(span), Some("repair the file first".to_owned())),
            Self::NotBlocks { span } => {
                ("edit.not-blocks", Some(span), Some("write each pass as a [[pass]] block".to_owned()))
            }
            Self::NoPass { near, .. } => {
                let near = near.as_ref().map(|n| format!("did you mean {n:?}?"));
                ("edit.no-pass", None, near.or_else(|| Some("a pass is edited in the file that declares it".into())))
            }
            Self::Twice { span, .. } => ("edit.twice", Some(span), Some("give one of them another name".to_owned())),
            Self::Scattered { span, .. } => {
                ("edit.scattered", Some(span), Some("put its sub-tables directly below the pass".to_owned()))
            }
            Self::NoParam { near, .. } => {
                let near = near.as_ref().map(|n| format!("did you mean {n:?}?"));
                ("edit.no-param", None, near.or_else(|| Some("add a [param.NAME] block to this file".into())))
            }
            Self::NotAValue { .. } => ("edit.not-a-value", None, Some("give a finite number, a string, …".to_owned())),
            Self::Refused { .. } => ("edit.refused", None, Some("edit the file by hand".to_owned())),
        };
        let diagnostic = Diagnostic::error(code, self.to_string());
        let diagnostic = match span {
            Some(span) => diagnostic.at(file, span.clone(), ""),
            None => diagnostic.in_file(file.name.clone()),
        };
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

/// Names of the passes that `text` itself declares, in file order.
///
/// # Errors
/// When the text does not parse, or the passes are not blocks.
pub fn pass_names(text: &str) -> Result<Vec<String>, EditError> {
    Ok(Blocks::read(text)?.names()?.into_iter().map(str::to_owned).collect())
}

/// Moves the block of pass `name` to before the pass `before`, or behind the last pass.
///
/// The block takes along the comment lines directly above it, its sub-tables, and the blank lines that part it from
/// its neighbour; all other bytes keep their order. A text whose passes already stand so is returned unchanged.
///
/// # Errors
/// When the text does not parse, or a name is missing or not unique, or the block is scattered.
pub fn move_pass(text: &str, name: &str, before: Option<&str>) -> Result<String, EditError> {
    // The last line gets an end for the time of the move, so that every block is whole lines.
    let newline = newline_of(text);
    let open = !text.ends_with('\n');
    let closed = if open { format!("{text}{newline}") } else { text.to_owned() };
    let mut moved = move_lines(&closed, name, before)?;
    if open {
        moved.truncate(moved.len() - if moved.ends_with("\r\n") { 2 } else { 1 });
    }
    Ok(moved)
}

fn move_lines(text: &str, name: &str, before: Option<&str>) -> Result<String, EditError> {
    let blocks = Blocks::read(text)?;
    let names = blocks.names()?;
    let from = blocks.find(name)?;
    let to = before.map(|b| blocks.find(b)).transpose()?;
    let last = names.len() - 1;
    if to == Some(from) || to == Some(from + 1) || (to.is_none() && from == last) {
        return Ok(text.to_owned());
    }
    let block = blocks.block(from);
    if !block.whole {
        let span = block.header..blocks.line_end(block.header);
        return Err(EditError::Scattered { name: name.to_owned(), span });
    }
    let lines = block.lines;
    // At the end of the file the blank lines above part the block from its neighbour; elsewhere those below.
    let after = blocks.blanks_after(lines.end);
    let (cut, gap) = if after == text.len() {
        let start = blocks.blanks_before(lines.start);
        (start..lines.end, start..lines.start)
    } else {
        (lines.start..after, lines.end..after)
    };
    let (lines, gap) = (&text[lines], &text[gap]);
    let (at, first, second) = match to {
        Some(to) => (blocks.block(to).lines.start, lines, gap),
        None => {
            let end = blocks.block(last).lines.end;
            match blocks.blanks_after(end) {
                after if after == text.len() => (end, gap, lines),
                after => (after, lines, gap),
            }
        }
    };
    let mut moved = String::with_capacity(text.len());
    if at <= cut.start {
        moved.extend([&text[..at], first, second, &text[at..cut.start], &text[cut.end..]]);
    } else {
        moved.extend([&text[..cut.start], &text[cut.end..at], first, second, &text[at..]]);
    }
    let mut expected = names.clone();
    expected.remove(from);
    expected.insert(to.map_or(last, |to| if to > from { to - 1 } else { to }), name);
    let as_expected = Blocks::read(&moved).and_then(|b| Ok(b.names()? == expected)).unwrap_or(false);
    if as_expected { Ok(moved) } else { Err(EditError::Refused { name: name.to_owned() }) }
}

/// Turns the pass `name` off with a line `enabled = false` below its name, or on by taking that line away. A line that
/// carries a comment keeps it and says `enabled = true` instead.
///
/// # Errors
/// When the text does not parse, or the name is missing or not unique.
pub fn set_pass_enabled(text: &str, name: &str, enabled: bool) -> Result<String, EditError> {
    let blocks = Blocks::read(text)?;
    let index = blocks.find(name)?;
    let passes = blocks.passes()?;
    let pass = passes[index];
    if let Some(span) = pass.get(ENABLED).and_then(Item::span) {
        let line = blocks.line_start(span.start)..blocks.line_end(span.end);
        let commented = text[span.end..line.end].contains('#');
        let (range, with) = match enabled {
            true if !commented && alone(&text[line.start..span.start]) => (line, ""),
            true => (span, "true"),
            false => (span, "false"),
        };
        return Ok(replaced(text, range, with));
    }
    if enabled {
        return Ok(text.to_owned());
    }
    let span = pass.get("name").and_then(Item::span).unwrap_or(0..0);
    let (start, end) = (blocks.line_start(span.start), blocks.line_end(span.end));
    let indent: String = text[start..].chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    let newline = newline_of(text);
    let line = if text[..end].ends_with('\n') {
        format!("{indent}{ENABLED} = false{newline}")
    } else {
        format!("{newline}{indent}{ENABLED} = false")
    };
    Ok(replaced(text, end..end, &line))
}

/// True when what precedes a value on its line is its key and nothing else.
fn alone(before: &str) -> bool {
    before.split_once('=').is_some_and(|(key, rest)| key.trim() == ENABLED && rest.trim().is_empty())
}

/// Writes `literal` (TOML, see [`literal`]) as the `value` of the param `name`.
///
/// # Errors
/// When the text does not parse, the param is not declared in it, or `literal` is not one TOML value.
pub fn set_param(text: &str, name: &str, literal: &str) -> Result<String, EditError> {
    if literal.parse::<toml_edit::Value>().is_err() {
        return Err(EditError::NotAValue { literal: literal.to_owned() });
    }
    let blocks = Blocks::read(text)?;
    let params = blocks.root().get("param").and_then(Item::as_table_like);
    let Some(param) = params.and_then(|p| p.get(name)) else {
        let near = params.and_then(|p| near_miss(name, p.iter().map(|(key, _)| key))).map(str::to_owned);
        return Err(EditError::NoParam { name: name.to_owned(), near });
    };
    match param.get("value").and_then(Item::span) {
        Some(span) => Ok(replaced(text, span, literal)),
        None => {
            // A param that an extending file declares without a value gets one as its first key.
            let header = param.as_table().filter(|t| !t.is_implicit() && !t.is_dotted()).and_then(Table::span);
            let Some(header) = header else { return Err(EditError::Refused { name: name.to_owned() }) };
            let end = blocks.line_end(header.end);
            let newline = newline_of(text);
            let closed = text[..end].ends_with('\n');
            let line =
                if closed { format!("value = {literal}{newline}") } else { format!("{newline}value = {literal}") };
            Ok(replaced(text, end..end, &line))
        }
    }
}

/// The TOML literal of a param's value: an enum is written by its name, floats as short as they round-trip.
/// None for a number that is not finite and for an index without a name.
pub fn literal(decl: &ParamDecl, value: Value) -> Option<String> {
    let floats = |v: &[f32]| {
        let parts: Option<Vec<String>> = v.iter().map(|&f| float(f)).collect();
        parts.map(|parts| format!("[{}]", parts.join(", ")))
    };
    match value {
        Value::Bool(b) => Some(b.to_string()),
        Value::Int(i) if decl.kind == ValueType::Enum => {
            let choice = decl.choices.get(usize::try_from(i).ok()?)?;
            Some(toml_edit::Value::from(choice.as_str()).to_string())
        }
        Value::Int(i) => Some(i.to_string()),
        Value::Float(f) => float(f),
        Value::Vec2(v) => floats(&v),
        Value::Vec3(v) => floats(&v),
        Value::Vec4(v) => floats(&v),
    }
}

fn float(f: f32) -> Option<String> {
    f.is_finite().then(|| format!("{f:?}"))
}

fn replaced(text: &str, range: Range<usize>, with: &str) -> String {
    [&text[..range.start], with, &text[range.end..]].concat()
}

/// The line end of the first line, which new lines take over.
fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(i) if text[..i].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Texts of one file, for undo and redo.
#[derive(Clone, Debug)]
pub struct EditHistory {
    past: VecDeque<String>,
    present: String,
    future: Vec<String>,
}

impl EditHistory {
    /// Steps that are kept; the oldest go first.
    pub const STEPS: usize = 200;

    /// A history without steps.
    pub fn new(text: impl Into<String>) -> Self {
        Self { past: VecDeque::new(), present: text.into(), future: Vec::new() }
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.present
    }

    /// Takes a new text, an edit's result or what an editor saved. The same text again is no step.
    pub fn push(&mut self, text: impl Into<String>) {
        let text = text.into();
        if text == self.present {
            return;
        }
        self.past.push_back(std::mem::replace(&mut self.present, text));
        if self.past.len() > Self::STEPS {
            self.past.pop_front();
        }
        self.future.clear();
    }

    /// Goes a step back and returns the text that is present then; None at the start.
    pub fn undo(&mut self) -> Option<&str> {
        let text = self.past.pop_back()?;
        self.future.push(std::mem::replace(&mut self.present, text));
        Some(&self.present)
    }

    /// Takes the last undo back; None when there is none.
    pub fn redo(&mut self) -> Option<&str> {
        let text = self.future.pop()?;
        self.past.push_back(std::mem::replace(&mut self.present, text));
        Some(&self.present)
    }

    /// True when [`undo`](Self::undo) has somewhere to go.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// True when [`redo`](Self::redo) has somewhere to go.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
#[path = "graph_edit_tests.rs"]
mod tests;
