//! Phase 1: the text of one file to [`FileAst`].

use std::sync::Arc;

use super::Format;
use super::ast::{BufferAst, BufferSizeAst, Edit, FileAst, ImageAst, Mips, MoveAst, ParamAst, RawPass, SizeAst};
use super::keys;
use super::limits::{MAX_BUFFER_BYTES, MAX_IMAGES, MAX_LAYERS, MAX_PARAMS, MAX_PASSES};
use super::reader::{Reader, array, number, numbers, string, table, wrong_type};
use super::source::{Entry, Item, Log, Node, Place, Sp, Table, read_tree, suggest};
use crate::diag::SourceFile;
use crate::scene::{ParamDecl, Value, ValueType};

/// Reads one file. What is wrong goes to the log; what could be read is returned.
pub(crate) fn parse_file(log: &mut Log, file: &Arc<SourceFile>) -> FileAst {
    let mut ast = FileAst::default();
    let Some((index, root)) = read_tree(log, file) else { return ast };
    let reader = Reader::new(log, &root, &keys::TOP);
    let start = Place { file: index, start: 0, end: 0 };
    match reader.get("graph") {
        Some(entry) => parse_graph(log, &mut ast, entry),
        None => {
            log.error("graph.missing-key", "the file has no `[graph]` section", start, "here").help =
                Some("start it with [graph] and output = \"…\"".into());
        }
    }
    if let Some(t) = reader.get("image").and_then(|e| table(log, &e.item, "image")) {
        limit(log, t.entries.len(), MAX_IMAGES, "images", t.at);
        ast.images = t.entries.iter().take(MAX_IMAGES).filter_map(|e| parse_image(log, e)).collect();
    }
    if let Some(t) = reader.get("buffer").and_then(|e| table(log, &e.item, "buffer")) {
        limit(log, t.entries.len(), MAX_IMAGES, "buffers", t.at);
        ast.buffers = t.entries.iter().take(MAX_IMAGES).filter_map(|e| parse_buffer(log, e)).collect();
    }
    if let Some(t) = reader.get("param").and_then(|e| table(log, &e.item, "param")) {
        limit(log, t.entries.len(), MAX_PARAMS, "params", t.at);
        ast.params = t.entries.iter().take(MAX_PARAMS).filter_map(|e| parse_param(log, e)).collect();
    }
    if let Some(a) = reader.get("pass").and_then(|e| array(log, &e.item, "pass")) {
        if let Some(first) = a.first() {
            limit(log, a.len(), MAX_PASSES, "passes", first.at);
        }
        ast.passes = a.iter().take(MAX_PASSES).filter_map(|i| parse_raw_pass(log, i)).collect();
    }
    if let Some(a) = reader.get("move").and_then(|e| array(log, &e.item, "move")) {
        ast.moves = a.iter().take(MAX_PASSES).filter_map(|i| parse_move(log, i)).collect();
    }
    ast
}

/// Reports more than a named limit allows.
pub(crate) fn limit(log: &mut Log, count: usize, max: usize, what: &str, at: Place) {
    if count > max {
        log.error("graph.limit", format!("{count} {what} are more than the limit of {max}"), at, "too many");
    }
}

fn parse_graph(log: &mut Log, ast: &mut FileAst, entry: &Entry) {
    let Some(t) = table(log, &entry.item, "graph") else { return };
    let reader = Reader::new(log, t, &keys::GRAPH);
    ast.name = reader.str(log, "name");
    ast.output = reader.str(log, "output");
    ast.extends = reader.str(log, "extends");
    reader.str(log, "doc");
    if let Some(items) = reader.get("remove").and_then(|e| array(log, &e.item, "remove")) {
        limit(log, items.len(), MAX_PASSES, "removed passes", entry.key.at);
        ast.remove = items.iter().take(MAX_PASSES).filter_map(|i| string(log, i, "remove")).collect();
    }
    if ast.output.is_none() && ast.extends.is_none() {
        reader.need(log, "output", entry.key.at);
    }
}

fn parse_image(log: &mut Log, entry: &Entry) -> Option<ImageAst> {
    let t = table(log, &entry.item, &entry.key.value)?;
    let reader = Reader::new(log, t, &keys::IMAGE);
    check_name(log, &entry.key, "image");
    reader.str(log, "doc");
    let file = reader.str(log, "file");
    let mut formats = Vec::new();
    let found = if file.is_some() { reader.get("format") } else { reader.need(log, "format", entry.key.at) };
    if let Some(e) = found {
        match &e.item.node {
            Node::Array(a) => formats.extend(a.iter().filter_map(|i| parse_format(log, i))),
            _ => formats.extend(parse_format(log, &e.item)),
        }
        if matches!(&e.item.node, Node::Array(a) if a.is_empty()) {
            wrong_type(log, &e.item, "format", "a format or an array with at least one");
        }
    }
    if file.is_some() {
        for key in ["format", "size", "layers", "mips", "samples", "persistent"] {
            if let Some(e) = reader.get(key) {
                let message = format!("\"{key}\" says nothing about an image from a file");
                log.error("graph.useless-key", message, e.key.at, "comes from the file").help =
                    Some("remove the key".into());
            }
        }
    }
    let whole = |v: i64| Sp { value: v as u32, at: entry.key.at };
    let size = match reader.get("size") {
        Some(e) => parse_size(log, &e.item),
        None => SizeAst::Of { of: Sp { value: "view".into(), at: entry.key.at }, scale: [1.0; 2] },
    };
    let layers = reader.int(log, "layers", 1, i64::from(MAX_LAYERS));
    let samples = reader.get("samples").and_then(|e| {
        let ok = matches!(e.item.node, Node::Int(1 | 2 | 4 | 8));
        if !ok {
            wrong_type(log, &e.item, "samples", "1, 2, 4 or 8");
        }
        reader.int(log, "samples", 1, 8).filter(|_| ok)
    });
    Some(ImageAst {
        name: entry.key.clone(),
        formats,
        size,
        layers: layers.map_or(whole(1), |v| Sp { value: v.value as u32, at: v.at }),
        mips: parse_mips(log, &reader, entry.key.at),
        samples: samples.map_or(whole(1), |v| Sp { value: v.value as u32, at: v.at }),
        persistent: reader.bool(log, "persistent").unwrap_or(false),
        file,
    })
}

fn parse_mips(log: &mut Log, reader: &Reader<'_>, at: Place) -> Sp<Mips> {
    let Some(e) = reader.get("mips") else { return Sp { value: Mips::Count(1), at } };
    if matches!(&e.item.node, Node::Str(s) if s == "full") {
        return Sp { value: Mips::Full, at: e.item.at };
    }
    let count = reader.int(log, "mips", 1, 16).map_or(1, |v| v.value as u32);
    Sp { value: Mips::Count(count), at: e.item.at }
}

fn parse_format(log: &mut Log, item: &Item) -> Option<Sp<Format>> {
    let text = string(log, item, "format")?;
    let found = Format::from_name(&text.value);
    if found.is_none() {
        let help = suggest(&text.value, Format::ALL.iter().map(|f| f.name()));
        let message = format!("no format is called \"{}\"", text.value);
        log.error("graph.unknown-format", message, text.at, "unknown format").help = help;
    }
    found.map(|value| Sp { value, at: text.at })
}

fn parse_size(log: &mut Log, item: &Item) -> SizeAst {
    let view = |at| SizeAst::Of { of: Sp { value: "view".into(), at }, scale: [1.0; 2] };
    match &item.node {
        Node::Str(s) => SizeAst::Of { of: Sp { value: s.clone(), at: item.at }, scale: [1.0; 2] },
        Node::Array(a) => match a.as_slice() {
            [Item { node: Node::Int(w), .. }, Item { node: Node::Int(h), .. }] => {
                if *w < 1 || *h < 1 || *w > i64::from(u32::MAX) || *h > i64::from(u32::MAX) {
                    let message = format!("an image of {w}x{h} texels cannot be");
                    log.error("graph.image-size", message, item.at, "at least 1 on both axes");
                    return view(item.at);
                }
                SizeAst::Fixed([*w as u32, *h as u32], item.at)
            }
            _ => {
                wrong_type(log, item, "size", "two whole numbers");
                view(item.at)
            }
        },
        Node::Table(t) => {
            let reader = Reader::new(log, t, &keys::SIZE);
            let scale = parse_scale(log, &reader);
            match reader.need_str(log, "of", item.at) {
                Some(of) => SizeAst::Of { of, scale },
                None => view(item.at),
            }
        }
        _ => {
            wrong_type(log, item, "size", "[width, height], a name, or { of, scale }");
            view(item.at)
        }
    }
}

fn parse_scale(log: &mut Log, reader: &Reader<'_>) -> [f32; 2] {
    let Some(e) = reader.get("scale") else { return [1.0; 2] };
    let scale = match &e.item.node {
        Node::Array(_) => numbers::<2>(log, &e.item, "scale"),
        _ => number(log, &e.item, "scale").map(|s| [s; 2]),
    };
    match scale {
        Some(s) if s.iter().all(|v| *v > 0.0 && *v <= 65_536.0) => s,
        Some(_) => {
            log.error("graph.out-of-range", "\"scale\" must be above 0 and at most 65536", e.item.at, "out of range");
            [1.0; 2]
        }
        None => [1.0; 2],
    }
}

fn parse_buffer(log: &mut Log, entry: &Entry) -> Option<BufferAst> {
    let t = table(log, &entry.item, &entry.key.value)?;
    let reader = Reader::new(log, t, &keys::BUFFER);
    check_name(log, &entry.key, "buffer");
    reader.str(log, "doc");
    let size = reader.need(log, "size", entry.key.at)?;
    let size = match &size.item.node {
        Node::Table(t) => {
            let inner = Reader::new(log, t, &keys::BUFFER_SIZE);
            let stride = inner.int(log, "stride", 1, 1 << 16).map_or(4, |v| v.value as u64);
            let scale = parse_scale(log, &inner);
            BufferSizeAst::Of { of: inner.need_str(log, "of", size.item.at)?, scale, stride }
        }
        _ => BufferSizeAst::Bytes(reader.int(log, "size", 4, MAX_BUFFER_BYTES as i64)?.value as u64),
    };
    let persistent = reader.bool(log, "persistent").unwrap_or(false);
    Some(BufferAst { name: entry.key.clone(), size, persistent })
}

/// Names are used in `image@prev` and in conditions, so a few characters are kept free.
fn check_name(log: &mut Log, name: &Sp<String>, what: &str) {
    if name.value.is_empty() || name.value.len() > 128 || name.value.contains(['@', '{', '}', '"', '\n']) {
        let message = format!("\"{}\" cannot be the name of this {what}", name.value);
        log.error("graph.bad-name", message, name.at, "1 to 128 characters, none of @ { } \"");
    }
}

fn parse_param(log: &mut Log, entry: &Entry) -> Option<ParamAst> {
    let t = table(log, &entry.item, &entry.key.value)?;
    let reader = Reader::new(log, t, &keys::PARAM);
    check_name(log, &entry.key, "param");
    let name = entry.key.value.clone();
    let choices = match reader.get("choices").and_then(|e| array(log, &e.item, "choices")) {
        Some(items) => items.iter().filter_map(|i| string(log, i, "choices")).map(|s| s.value).collect(),
        None => Vec::new(),
    };
    const TYPES: &[(&str, (ValueType, bool))] = &[
        ("bool", (ValueType::Bool, false)),
        ("int", (ValueType::Int, false)),
        ("float", (ValueType::Float, false)),
        ("vec2", (ValueType::Vec2, false)),
        ("vec3", (ValueType::Vec3, false)),
        ("vec4", (ValueType::Vec4, false)),
        ("colour", (ValueType::Vec4, true)),
        ("color", (ValueType::Vec4, true)),
        ("enum", (ValueType::Enum, false)),
    ];
    let declared = reader.word(log, "type", TYPES);
    let value = reader.need(log, "value", entry.key.at)?;
    let default = param_value(log, &value.item, declared.map(|d| d.0), &choices)?;
    let plain = if choices.is_empty() { default.value_type() } else { ValueType::Enum };
    if let Some((kind, _)) = declared
        && kind != plain
    {
        wrong_type(log, &value.item, "value", &format!("of type {}", kind.name()));
        return None;
    }
    let doc = reader.str(log, "doc").map_or(String::new(), |s| s.value);
    let mut decl = ParamDecl::new(name, default, doc);
    if !choices.is_empty() {
        decl.kind = ValueType::Enum;
    }
    decl.choices = choices;
    let limit_of = |log: &mut Log, key: &str| reader.get(key).and_then(|e| number(log, &e.item, key));
    decl.min = limit_of(log, "min");
    decl.max = limit_of(log, "max");
    decl.unit = reader.str(log, "unit").map_or(String::new(), |s| s.value);
    decl.colour = declared.is_some_and(|d| d.1);
    if let (Some(min), Some(max)) = (decl.min, decl.max)
        && min > max
    {
        log.error("graph.param-range", format!("\"min\" {min} is above \"max\" {max}"), entry.key.at, "this param");
        return None;
    }
    match decl.check(decl.default) {
        Ok(checked) if checked == decl.default => {}
        Ok(_) => {
            let message = format!("the value of \"{}\" is outside its range", decl.name);
            log.error("graph.param-range", message, value.item.at, "out of range");
        }
        Err(error) => {
            log.error("graph.wrong-type", error.to_string(), value.item.at, "does not fit the type");
            return None;
        }
    }
    Some(ParamAst { decl, at: entry.key.at })
}

/// A value of a param; whole numbers become floats where the type is `float`.
fn param_value(log: &mut Log, item: &Item, kind: Option<ValueType>, choices: &[String]) -> Option<Value> {
    let value = match &item.node {
        Node::Bool(b) => Value::Bool(*b),
        Node::Int(i) if kind == Some(ValueType::Float) => Value::Float(*i as f32),
        Node::Int(i) => match i32::try_from(*i) {
            Ok(v) => Value::Int(v),
            Err(_) => {
                wrong_type(log, item, "value", "a 32-bit number");
                return None;
            }
        },
        Node::Float(_) => Value::Float(number(log, item, "value")?),
        Node::Str(s) => match choices.iter().position(|c| c == s) {
            Some(i) => Value::Int(i as i32),
            None => {
                let help = suggest(s, choices.iter().map(String::as_str))
                    .or_else(|| Some("give the names of the enum's values as choices = [\"…\"]".into()));
                let message = format!("\"{s}\" is not among the choices");
                log.error("graph.unknown-word", message, item.at, "unknown choice").help = help;
                return None;
            }
        },
        Node::Array(a) => match a.len() {
            2 => Value::Vec2(numbers(log, item, "value")?),
            3 if kind == Some(ValueType::Vec4) => {
                let [r, g, b] = numbers(log, item, "value")?;
                Value::Vec4([r, g, b, 1.0])
            }
            3 => Value::Vec3(numbers(log, item, "value")?),
            4 => Value::Vec4(numbers(log, item, "value")?),
            _ => {
                wrong_type(log, item, "value", "an array of 2 to 4 numbers");
                return None;
            }
        },
        _ => {
            wrong_type(log, item, "value", "true, a number, an array of 2 to 4 numbers, or a choice");
            return None;
        }
    };
    Some(value)
}

fn parse_raw_pass(log: &mut Log, item: &Item) -> Option<RawPass> {
    let t = table(log, item, "pass")?;
    let reader = Reader::new(log, t, &keys::PASS);
    let name = reader.need_str(log, "name", item.at)?;
    check_name_of_pass(log, &name);
    let replace = reader.get("replace").and_then(|e| match &e.item.node {
        Node::Bool(true) => Some(name.clone()),
        Node::Bool(false) => None,
        _ => string(log, &e.item, "replace"),
    });
    let edit = parse_edit(log, &reader, replace);
    Some(RawPass { name, table: t.clone(), edit })
}

fn check_name_of_pass(log: &mut Log, name: &Sp<String>) {
    if name.value.trim().is_empty() || name.value.len() > 128 || name.value.contains(['"', '\n']) {
        let message = format!("\"{}\" cannot be the name of a pass", name.value);
        log.error("graph.bad-name", message, name.at, "1 to 128 characters, no \" and no line end");
    }
}

fn parse_edit(log: &mut Log, reader: &Reader<'_>, replace: Option<Sp<String>>) -> Edit {
    let before = reader.str(log, "before");
    let after = reader.str(log, "after");
    match (before, after, replace) {
        (None, None, None) => Edit::Append,
        (Some(b), None, None) => Edit::Before(b),
        (None, Some(a), None) => Edit::After(a),
        (None, None, Some(r)) => Edit::Replace(r),
        (b, a, r) => {
            let at = r.or(a).or(b).map_or(reader.table.at, |s| s.at);
            log.error("graph.edit", "only one of \"before\", \"after\" and \"replace\" can hold", at, "one too many");
            Edit::Append
        }
    }
}

fn parse_move(log: &mut Log, item: &Item) -> Option<MoveAst> {
    let t: &Table = table(log, item, "move")?;
    let reader = Reader::new(log, t, &keys::MOVE);
    let pass = reader.need_str(log, "pass", item.at)?;
    let target = parse_edit(log, &reader, None);
    if matches!(target, Edit::Append) {
        let message = format!("where \"{}\" should go is not said", pass.value);
        log.error("graph.edit", message, pass.at, "this pass").help =
            Some("add before = \"…\" or after = \"…\"".into());
    }
    Some(MoveAst { pass, target })
}
