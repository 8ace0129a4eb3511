//! `when`: Rhai expressions that are compiled at load and know which names they read.

use std::collections::BTreeMap;

use rhai::{AST, Array, Dynamic, Engine, Scope};

use super::limits::MAX_WHEN_BYTES;
use super::source::{Log, Place, Sp, suggest};
use crate::scene::{ParamDecl, Value, ValueType};

/// A name that an expression reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Read {
    /// A param, by index in the graph's list.
    Param(u32),
    /// A flag of the game.
    Flag(u32),
    /// A pass: true while its own `when` holds.
    Pass(u32),
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    ast: AST,
    /// Names and what they are.
    pub(crate) reads: Vec<(String, Read)>,
    pub(crate) at: Place,
    pub(crate) text: String,
}

/// What names mean. A param hides a flag of the same name, a flag hides a pass. In expressions every character of a
/// pass's name that is not a letter, a digit or `_` is written `_`.
pub(crate) type Names = BTreeMap<String, Read>;

/// How a pass is called in expressions.
pub(crate) fn pass_variable(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// An engine that only evaluates expressions, with bounded work.
pub(crate) fn engine() -> Engine {
    let mut engine = Engine::new();
    engine.set_max_operations(10_000);
    engine.set_max_expr_depths(32, 8);
    engine.set_max_string_size(1024);
    engine.set_max_array_size(64);
    engine.set_max_map_size(64);
    for symbol in ["eval", "print", "debug", "sleep", "timestamp"] {
        engine.disable_symbol(symbol);
    }
    engine
}

/// Compiles an expression. `None` after an error, which is in the log; `unknown` gets names that nobody knows instead
/// where the pass is optional.
pub(crate) fn compile(
    log: &mut Log,
    engine: &Engine,
    text: &Sp<String>,
    names: &Names,
    unknown: Option<&mut Vec<String>>,
) -> Option<Condition> {
    if text.value.len() > MAX_WHEN_BYTES {
        let message = format!("a condition of more than {MAX_WHEN_BYTES} bytes is too long");
        log.error("graph.limit", message, text.at, "too long");
        return None;
    }
    let mut reads = Vec::new();
    let mut missing = Vec::new();
    for (start, name) in identifiers(&text.value) {
        match names.get(name) {
            Some(read) => reads.push((name.to_owned(), *read)),
            None => missing.push((start, name)),
        }
    }
    reads.sort();
    reads.dedup();
    if let Some(unknown) = unknown {
        unknown.extend(missing.drain(..).map(|m| m.1.to_owned()));
        if !unknown.is_empty() {
            return None;
        }
    }
    for (start, name) in &missing {
        let at = inner(log, text, *start, name.len());
        let help = suggest(name, names.keys().map(String::as_str));
        let message = format!("\"{name}\" is neither a param, a flag of the game nor a pass");
        log.error("graph.unknown-name", message, at, "unknown name").help = help;
    }
    if !missing.is_empty() {
        return None;
    }
    match engine.compile_expression(&text.value) {
        Ok(ast) => Some(Condition { ast, reads, at: text.at, text: text.value.clone() }),
        Err(error) => {
            let offset = error.position().position().map_or(0, |c| c.saturating_sub(1));
            let at = inner(log, text, offset, 1);
            let message = format!("the condition is not an expression: {}", error.err_type());
            log.error("graph.condition", message, at, "here");
            None
        }
    }
}

/// The place of a part of a string, where the string stands in the file as it is.
fn inner(log: &Log, text: &Sp<String>, start: usize, len: usize) -> Place {
    let at = text.at;
    let literal = log
        .files
        .get(at.file as usize)
        .and_then(|f| f.text.get(at.start as usize + 1..(at.end as usize).saturating_sub(1)));
    match literal {
        Some(literal) if literal == text.value => {
            let first = at.start + 1 + start as u32;
            Place { file: at.file, start: first, end: first + len as u32 }
        }
        _ => at,
    }
}

/// Identifiers that are variables: not in strings, not fields, not called, not keywords.
fn identifiers(text: &str) -> Vec<(usize, &str)> {
    const KEYWORDS: &[&str] = &["true", "false", "in", "is", "this", "if", "else", "switch"];
    let bytes = text.as_bytes();
    let word = |b: u8| b == b'_' || b.is_ascii_alphanumeric();
    let mut out = Vec::new();
    let mut i = 0;
    let mut field = false;
    while i < bytes.len() {
        let b = bytes[i];
        let start = i;
        if b == b'"' || b == b'`' || b == b'\'' {
            i += 1;
            while i < bytes.len() && bytes[i] != b {
                i += if bytes[i] == b'\\' { 2 } else { 1 };
            }
            i += 1;
        } else if b.is_ascii_digit() {
            while i < bytes.len()
                && (word(bytes[i]) || bytes[i] == b'.' && bytes.get(i + 1).is_some_and(u8::is_ascii_digit))
            {
                i += 1;
            }
        } else if word(b) {
            while i < bytes.len() && word(bytes[i]) {
                i += 1;
            }
            let name = &text[start..i];
            let called = text[i..].trim_start().starts_with('(');
            if !field && !called && !KEYWORDS.contains(&name) {
                out.push((start, name));
            }
        } else {
            i += 1;
            if b == b'.' {
                field = true;
                continue;
            }
            if b.is_ascii_whitespace() {
                continue;
            }
        }
        field = false;
    }
    out
}

impl Condition {
    /// The truth for these values. An expression that fails on them (a division by zero) is false.
    pub(crate) fn holds(&self, engine: &Engine, value: impl Fn(Read) -> Dynamic) -> Result<bool, String> {
        let mut scope = Scope::new();
        for (name, read) in &self.reads {
            scope.push_constant_dynamic(name.as_str(), value(*read));
        }
        match engine.eval_ast_with_scope::<Dynamic>(&mut scope, &self.ast) {
            Ok(result) => {
                result.as_bool().map_err(|found| format!("it gives a value of type {found}, not a truth value"))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

/// A param's value for Rhai: numbers and truth values as they are, vectors as arrays, an enum as its name.
pub(crate) fn dynamic(decl: &ParamDecl, value: Value) -> Dynamic {
    match value {
        Value::Bool(b) => Dynamic::from(b),
        Value::Int(i) if decl.kind == ValueType::Enum => {
            decl.choices.get(i as usize).map_or(Dynamic::UNIT, |c| Dynamic::from(c.clone()))
        }
        Value::Int(i) => Dynamic::from(i64::from(i)),
        Value::Float(x) => Dynamic::from(f64::from(x)),
        _ => {
            let (v, n) = value.components();
            let array: Array = v[..n].iter().map(|x| Dynamic::from(f64::from(*x))).collect();
            Dynamic::from(array)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_are_read() {
        let names: Vec<&str> = identifiers("fog_of_war && !menu && abs(x.len) > 1.5e3 && mode == \"a b\"")
            .into_iter()
            .map(|n| n.1)
            .collect();
        assert_eq!(names, ["fog_of_war", "menu", "x", "mode"]);
    }
}
