//! `#pragma param name "doc" value [min max [step]]`: a param declared where it is used.

use std::ops::Range;
use std::sync::Arc;

use crate::diag::{Diagnostic, SourceFile};
use crate::scene::{ParamDecl, Value};

/// Reads all param pragmas of a text.
pub(super) fn params(file: &Arc<SourceFile>, errors: &mut Vec<Diagnostic>) -> Vec<ParamDecl> {
    let mut found = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        let Some(rest) = line.trim_start().strip_prefix("#pragma").map(str::trim_start) else { continue };
        let Some(rest) = rest.strip_prefix("param").filter(|r| r.starts_with(char::is_whitespace)) else { continue };
        match param(rest.trim()) {
            Some(decl) => found.push(decl),
            None => errors.push(
                Diagnostic::error("shader.pragma", "this param declaration cannot be read")
                    .at(file, span_of_line(file, number + 1), "")
                    .help("write `#pragma param name \"doc\" value min max`; a value is 0.5, 3, true or (1, 0.5, 0)"),
            ),
        }
    }
    found
}

fn span_of_line(file: &SourceFile, line: usize) -> Range<usize> {
    file.line_span(line)
}

fn param(text: &str) -> Option<ParamDecl> {
    let (name, rest) = text.split_once(char::is_whitespace)?;
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let (doc, rest) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    let rest = rest.trim();
    let (value, range) = match rest.strip_prefix('(') {
        Some(tuple) => tuple.split_once(')').map(|(v, r)| (vector(v), r))?,
        None => match rest.split_once(char::is_whitespace) {
            Some((v, r)) => (scalar(v), r),
            None => (scalar(rest), ""),
        },
    };
    let mut decl = ParamDecl::new(name, value?, doc);
    let numbers: Option<Vec<f32>> = range.split_whitespace().map(|n| n.parse().ok()).collect();
    match numbers?.as_slice() {
        [] => {}
        [min, max] | [min, max, _] if min < max => decl = decl.range(*min, *max),
        _ => return None,
    }
    Some(decl)
}

fn scalar(text: &str) -> Option<Value> {
    match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ if text.contains(['.', 'e']) => text.parse().ok().filter(|x: &f32| x.is_finite()).map(Value::Float),
        _ => text.parse().ok().map(Value::Int),
    }
}

fn vector(text: &str) -> Option<Value> {
    let parts: Option<Vec<f32>> = text.split(',').map(|p| p.trim().parse().ok()).collect();
    match *parts?.as_slice() {
        [x, y] => Some(Value::Vec2([x, y])),
        [x, y, z] => Some(Value::Vec3([x, y, z])),
        [x, y, z, w] => Some(Value::Vec4([x, y, z, w])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn params_are_read_and_bad_ones_point_at_their_line() {
        let file = SourceFile::new(
            "a.frag",
            "#pragma param strength \"how much\" 0.5 0 1 0.1\n#pragma once\n  #pragma param tint \"rgb\" (1, 0.5, 0)\n#pragma param 1\n",
        );
        let mut errors = Vec::new();
        let found = params(&file, &mut errors);
        assert_eq!(found[0], ParamDecl::new("strength", Value::Float(0.5), "how much").range(0.0, 1.0));
        assert_eq!(found[1].default, Value::Vec3([1.0, 0.5, 0.0]));
        assert_eq!(found.len(), 2);
        assert!(errors[0].to_string().contains("a.frag:4:1"), "{}", errors[0]);
    }
}
