//! Phase 1, second half: the table of a pass to [`PassAst`], once for each step of its `repeat`.

use std::collections::BTreeMap;

use super::Fallback;
use super::ast::{
    ColorAst, ConstantAst, DepthAst, DispatchAst, DrawAst, PartAst, PassAst, PassKind, RawPass, SampleAst, StorageAst,
};
use super::keys;
use super::limits::{MAX_BINDINGS, MAX_COLORS, MAX_DRAWS, MAX_GROUPS, MAX_LAYERS, MAX_REPEAT};
use super::parse::limit;
use super::parse_state::parse_state;
use super::plan::Load;
use super::reader::{Reader, integer, number, numbers, string, table, word, wrong_type};
use super::source::{Entry, Item, Log, Node, Sp, Table, substitute_table, substitute_text};
use crate::scene::Value;

const MAX_MIP: u32 = 15;
const FILTERS: &[(&str, bool)] = &[("linear", true), ("nearest", false)];

/// All steps of a pass.
pub(crate) fn expand_pass(log: &mut Log, raw: &RawPass, out: &mut Vec<PassAst>) {
    let Some(entry) = raw.table.get("repeat") else {
        out.extend(parse_pass(log, &raw.table, raw.name.clone()));
        return;
    };
    let Some(t) = table(log, &entry.item, "repeat") else { return };
    let reader = Reader::new(log, t, &keys::REPEAT);
    let over = reader.need_str(log, "over", entry.key.at);
    let from = reader.int(log, "from", 0, 1 << 20).map_or(0, |v| v.value);
    let to = reader.need(log, "to", entry.key.at).and_then(|e| integer(log, &e.item, "to", 0, 1 << 20));
    let (Some(over), Some(to)) = (over, to) else { return };
    let count = (to.value - from).abs() + 1;
    limit(log, count as usize, MAX_REPEAT as usize, "steps of a repeat", entry.key.at);
    let errors_before = log.errors.len();
    for i in 0..count.min(MAX_REPEAT) {
        let step = if to.value >= from { from + i } else { from - i };
        let own = substitute_text(&raw.name.value, &over.value, step);
        let name = if own == raw.name.value { format!("{own} {step}") } else { own };
        let stepped = substitute_table(&raw.table, &over.value, step);
        out.extend(parse_pass(log, &stepped, Sp { value: name, at: raw.name.at }));
        // One mistake in a repeated block is one error, not one for each step.
        if log.errors.len() > errors_before {
            return;
        }
    }
}

fn parse_pass(log: &mut Log, t: &Table, name: Sp<String>) -> Option<PassAst> {
    let reader = Reader::open(t, &keys::PASS);
    let kind = reader.word(log, "kind", PassKind::WORDS);
    let unknown_kind = kind.is_none() && reader.get("kind").is_some();
    let kind = kind.unwrap_or(PassKind::Raster);
    reader.str(log, "doc");
    let colors = reader.get("color").map_or_else(Vec::new, |e| parse_colors(log, e));
    let state = reader.get("state").and_then(|e| table(log, &e.item, "state"));
    let mut state = state.map_or_else(Default::default, |t| parse_state(log, t));
    let depth = reader.get("depth").and_then(|e| parse_depth(log, e, &mut state));
    let mut pass = PassAst {
        kind,
        view: reader.str(log, "view"),
        viewport: reader.get("viewport").and_then(|e| parse_viewport(log, &e.item)),
        colors,
        depth,
        draws: reader.get("draw").map_or_else(Vec::new, |e| parse_draws(log, e)),
        samples: parse_map(log, &reader, "sample", parse_sample),
        storage: parse_map(log, &reader, "storage", parse_storage),
        shader: reader.str(log, "shader"),
        defines: parse_defines(log, &reader),
        constants: parse_map(log, &reader, "constants", parse_constant),
        state,
        dispatch: reader.get("dispatch").and_then(|e| parse_dispatch(log, &e.item)),
        from: reader.get("from").and_then(|e| parse_part(log, &e.item, "from")),
        to: reader.get("to").and_then(|e| parse_part(log, &e.item, "to")),
        linear: reader.word(log, "filter", FILTERS).unwrap_or(true),
        when: reader.str(log, "when"),
        optional: reader.bool(log, "optional").unwrap_or(false),
        bypass: parse_map(log, &reader, "bypass", |log, e| {
            string(log, &e.item, "bypass").map(|to| (e.key.clone(), to))
        }),
        name,
    };
    limit(log, pass.colors.len(), MAX_COLORS, "colour attachments", pass.name.at);
    limit(log, pass.draws.len(), MAX_DRAWS, "draw lists", pass.name.at);
    limit(log, pass.samples.len(), MAX_BINDINGS, "sampled images", pass.name.at);
    limit(log, pass.storage.len(), MAX_BINDINGS, "storage bindings", pass.name.at);
    pass.samples.truncate(MAX_BINDINGS);
    pass.storage.truncate(MAX_BINDINGS);
    if unknown_kind {
        return None;
    }
    check_kind(log, &reader, &pass);
    Some(pass)
}

/// Keys that the kind of a pass needs or does not read.
fn check_kind(log: &mut Log, reader: &Reader<'_>, pass: &PassAst) {
    use PassKind::{Blit, Compute, Copy, Fullscreen, Mips, Raster, Ui};
    const READ_BY: &[(&str, &[PassKind])] = &[
        ("color", &[Raster, Fullscreen, Ui]),
        ("depth", &[Raster, Fullscreen]),
        ("draw", &[Raster]),
        ("view", &[Raster, Fullscreen, Compute]),
        ("viewport", &[Raster, Fullscreen]),
        ("state", &[Raster, Fullscreen]),
        ("sample", &[Raster, Fullscreen, Compute]),
        ("storage", &[Raster, Fullscreen, Compute]),
        ("shader", &[Raster, Fullscreen, Compute]),
        ("define", &[Raster, Fullscreen, Compute]),
        ("constants", &[Raster, Fullscreen, Compute]),
        ("dispatch", &[Compute]),
        ("from", &[Copy, Blit]),
        ("to", &[Copy, Blit, Mips]),
        ("filter", &[Blit, Mips]),
    ];
    const NEEDED: &[(PassKind, &[&str])] = &[
        (Raster, &["draw"]),
        (Fullscreen, &["shader"]),
        (Compute, &["shader", "dispatch"]),
        (Copy, &["from", "to"]),
        (Blit, &["from", "to"]),
        (Mips, &["to"]),
        (Ui, &["color"]),
    ];
    for (key, kinds) in READ_BY {
        if let Some(entry) = reader.get(key)
            && !kinds.contains(&pass.kind)
        {
            let message = format!("a {} pass has no \"{key}\"", pass.kind.name());
            let names: Vec<&str> = kinds.iter().map(|k| k.name()).collect();
            log.error("graph.useless-key", message, entry.key.at, "not read by this kind of pass").help =
                Some(format!("\"{key}\" belongs to {} passes", names.join(", ")));
        }
    }
    for key in NEEDED.iter().find(|n| n.0 == pass.kind).map_or(&[][..], |n| n.1) {
        if reader.get(key).is_none() {
            let message = format!("the {} pass \"{}\" needs \"{key}\"", pass.kind.name(), pass.name.value);
            let what = keys::PASS.keys.iter().find(|k| k.key == *key);
            log.error("graph.missing-key", message, pass.name.at, "this pass").help =
                what.map(|k| format!("{key} = {}: {}", k.value, k.doc));
        }
    }
    let draws = matches!(pass.kind, Raster | Fullscreen);
    if draws && reader.get("color").is_none() && reader.get("depth").is_none() {
        let message = format!("the pass \"{}\" draws to nothing", pass.name.value);
        log.error("graph.missing-key", message, pass.name.at, "this pass").help =
            Some("add color = { image = \"…\" } or depth = { image = \"…\" }".into());
    }
}

fn parse_map<T>(log: &mut Log, reader: &Reader<'_>, key: &str, each: impl Fn(&mut Log, &Entry) -> Option<T>) -> Vec<T> {
    match reader.get(key).and_then(|e| table(log, &e.item, key)) {
        Some(t) => t.entries.iter().filter_map(|e| each(log, e)).collect(),
        None => Vec::new(),
    }
}

fn parse_viewport(log: &mut Log, item: &Item) -> Option<[f32; 4]> {
    let v = numbers::<4>(log, item, "viewport")?;
    let inside = v.iter().all(|x| (0.0..=1.0).contains(x)) && v[0] + v[2] <= 1.0 && v[1] + v[3] <= 1.0;
    if !inside || v[2] <= 0.0 || v[3] <= 0.0 {
        log.error("graph.out-of-range", "\"viewport\" does not lie within the attachment", item.at, "out of range")
            .help = Some("x, y, width and height are shares of the attachment, 0 to 1".into());
        return None;
    }
    Some(v)
}

fn parse_colors(log: &mut Log, entry: &Entry) -> Vec<ColorAst> {
    let mut out = Vec::new();
    match &entry.item.node {
        Node::Array(items) => items.iter().for_each(|i| parse_color(log, i, &mut out)),
        _ => parse_color(log, &entry.item, &mut out),
    }
    out
}

fn parse_color(log: &mut Log, item: &Item, out: &mut Vec<ColorAst>) {
    let plain = |image| ColorAst { output: None, image, load: None, mip: 0, layer: 0, resolve: None };
    let t = match &item.node {
        Node::Str(s) => return out.push(plain(Sp { value: s.clone(), at: item.at })),
        Node::Table(t) => t,
        _ => return wrong_type(log, item, "color", "an image's name or a table"),
    };
    let reader = Reader::open(t, &keys::COLOR);
    let clear = reader.get("clear").and_then(|e| parse_clear(log, &e.item));
    let load = parse_load(log, &reader, clear);
    let mip = reader.uint(log, "mip", MAX_MIP).unwrap_or(0);
    let layer = reader.uint(log, "layer", MAX_LAYERS - 1).unwrap_or(0);
    let resolve = reader.str(log, "resolve");
    let image = reader.str(log, "image");
    let before = out.len();
    let mut push = |output, image| {
        out.push(ColorAst { output, image, load: load.clone(), mip, layer, resolve: resolve.clone() });
    };
    if let Some(image) = image {
        push(None, image);
    }
    for other in reader.others() {
        match &other.item.node {
            Node::Str(image) => push(Some(other.key.clone()), Sp { value: image.clone(), at: other.item.at }),
            _ => {
                let help = super::source::suggest(&other.key.value, keys::COLOR.keys.iter().map(|k| k.key));
                let message = format!("\"{}\" is neither a key of `color` nor names an image", other.key.value);
                log.error("graph.unknown-key", message, other.key.at, "unknown key").help = help;
            }
        }
    }
    if out.len() == before && reader.others().next().is_none() {
        reader.need(log, "image", item.at);
    }
}

fn parse_clear(log: &mut Log, item: &Item) -> Option<[f32; 4]> {
    match &item.node {
        Node::Array(_) => numbers::<4>(log, item, "clear"),
        _ => number(log, item, "clear").map(|v| [v; 4]),
    }
}

fn parse_load(log: &mut Log, reader: &Reader<'_>, clear: Option<[f32; 4]>) -> Option<Sp<Load>> {
    const WORDS: &[(&str, u8)] = &[("keep", 0), ("clear", 1), ("dont-care", 2)];
    let entry = reader.get("load").or(reader.get("clear"))?;
    let word = reader.word(log, "load", WORDS);
    let value = match (word, clear) {
        (Some(0 | 2), Some(_)) => {
            log.error("graph.load", "\"clear\" says nothing beside this \"load\"", entry.item.at, "not a clear").help =
                Some("remove one of both".into());
            return None;
        }
        (Some(0), None) => Load::Keep,
        (Some(2), None) => Load::DontCare,
        (_, value) => Load::Clear(value.unwrap_or([0.0; 4])),
    };
    Some(Sp { value, at: entry.item.at })
}

fn parse_depth(log: &mut Log, entry: &Entry, state: &mut super::MaterialState) -> Option<DepthAst> {
    let t = match &entry.item.node {
        Node::Str(s) => {
            let image = Sp { value: s.clone(), at: entry.item.at };
            return Some(DepthAst { image, load: None, mip: 0, layer: 0 });
        }
        _ => table(log, &entry.item, "depth")?,
    };
    let reader = Reader::new(log, t, &keys::DEPTH);
    let depth = reader.get("clear").and_then(|e| number(log, &e.item, "clear"));
    let stencil = reader.uint(log, "stencil", 255);
    let given = depth.is_some() || stencil.is_some();
    let clear = given.then(|| [depth.unwrap_or(1.0), stencil.unwrap_or(0) as f32, 0.0, 0.0]);
    let mut load = parse_load(log, &reader, clear);
    if let Some(Sp { value: Load::Clear(value), .. }) = &mut load
        && clear.is_none()
    {
        *value = [1.0, 0.0, 0.0, 0.0];
    }
    if let Some(write) = reader.bool(log, "write") {
        if state.depth_write == Some(!write) {
            log.error("graph.depth-write", "\"write\" and \"state.depth_write\" differ", entry.key.at, "here").help =
                Some("remove one of both".into());
        }
        state.depth_write = Some(write);
    }
    Some(DepthAst {
        image: reader.need_str(log, "image", entry.key.at)?,
        load,
        mip: reader.uint(log, "mip", MAX_MIP).unwrap_or(0),
        layer: reader.uint(log, "layer", MAX_LAYERS - 1).unwrap_or(0),
    })
}

fn parse_draws(log: &mut Log, entry: &Entry) -> Vec<DrawAst> {
    let one = |log: &mut Log, item: &Item| match &item.node {
        Node::Str(s) => {
            let list = Sp { value: s.clone(), at: item.at };
            Some(DrawAst { list, shader: None, defines: BTreeMap::new() })
        }
        _ => {
            let t = table(log, item, "draw")?;
            let reader = Reader::new(log, t, &keys::DRAW);
            Some(DrawAst {
                list: reader.need_str(log, "list", item.at)?,
                shader: reader.str(log, "shader"),
                defines: parse_defines(log, &reader),
            })
        }
    };
    match &entry.item.node {
        Node::Array(items) => items.iter().filter_map(|i| one(log, i)).collect(),
        _ => one(log, &entry.item).into_iter().collect(),
    }
}

fn parse_defines(log: &mut Log, reader: &Reader<'_>) -> BTreeMap<String, String> {
    let pairs = parse_map(log, reader, "define", |log, e| {
        let name = &e.key.value;
        let good =
            name.chars().enumerate().all(|(i, c)| c == '_' || c.is_ascii_alphabetic() || i > 0 && c.is_ascii_digit());
        if !good || name.is_empty() {
            let message = format!("\"{name}\" cannot be a preprocessor name");
            log.error("graph.bad-name", message, e.key.at, "letters, digits and _");
            return None;
        }
        let value = match &e.item.node {
            Node::Str(s) if !s.contains(['\n', '\r']) => s.clone(),
            Node::Int(i) => i.to_string(),
            Node::Float(f) => format!("{f:?}"),
            Node::Bool(b) => u8::from(*b).to_string(),
            _ => {
                wrong_type(log, &e.item, name, "a string, a number or a truth value");
                return None;
            }
        };
        Some((name.clone(), value))
    });
    pairs.into_iter().collect()
}

fn parse_constant(log: &mut Log, entry: &Entry) -> Option<(Sp<String>, ConstantAst)> {
    let value = match &entry.item.node {
        Node::Bool(b) => ConstantAst::Value(Value::Bool(*b)),
        Node::Int(_) => {
            let range = (i64::from(i32::MIN), i64::from(i32::MAX));
            let v = integer(log, &entry.item, "constants", range.0, range.1)?;
            ConstantAst::Value(Value::Int(v.value as i32))
        }
        Node::Float(_) => ConstantAst::Value(Value::Float(number(log, &entry.item, "constants")?)),
        Node::Str(s) => ConstantAst::Param(Sp { value: s.clone(), at: entry.item.at }),
        _ => {
            wrong_type(log, &entry.item, "constants", "a number, a truth value or a param's name");
            return None;
        }
    };
    Some((entry.key.clone(), value))
}

/// A number, or nothing for `"all"`.
fn number_or_all(log: &mut Log, reader: &Reader<'_>, key: &str, max: u32) -> Option<u32> {
    let entry = reader.get(key)?;
    match &entry.item.node {
        Node::Str(s) if s == "all" => None,
        _ => integer(log, &entry.item, key, 0, i64::from(max)).map(|v| v.value as u32),
    }
}

fn parse_sample(log: &mut Log, entry: &Entry) -> Option<SampleAst> {
    const FALLBACKS: &[(&str, Fallback)] = &[
        ("white", Fallback::White),
        ("black", Fallback::Black),
        ("transparent", Fallback::Transparent),
        ("flat-normal", Fallback::FlatNormal),
    ];
    const WRAPS: &[(&str, bool)] = &[("clamp", false), ("repeat", true)];
    let mut sample = SampleAst {
        input: entry.key.clone(),
        image: Sp { value: String::new(), at: entry.item.at },
        linear: None,
        repeat: false,
        compare: None,
        mip: None,
        layer: None,
        when: None,
        fallback: Fallback::Black,
    };
    if let Node::Str(s) = &entry.item.node {
        sample.image.value.clone_from(s);
        return Some(sample);
    }
    let t = table(log, &entry.item, &entry.key.value)?;
    let reader = Reader::new(log, t, &keys::SAMPLE);
    sample.image = reader.need_str(log, "image", entry.key.at)?;
    sample.linear = reader.word(log, "filter", FILTERS);
    sample.repeat = reader.word(log, "wrap", WRAPS).unwrap_or(false);
    let compare = reader.bool(log, "compare");
    sample.compare = reader.get("compare").zip(compare).map(|(e, value)| Sp { value, at: e.item.at });
    sample.mip = number_or_all(log, &reader, "mip", MAX_MIP);
    sample.layer = number_or_all(log, &reader, "layer", MAX_LAYERS - 1);
    sample.when = reader.str(log, "when");
    if let Some(e) = reader.get("fallback") {
        sample.fallback = word(log, &e.item, "fallback", FALLBACKS).unwrap_or(Fallback::Black);
        if sample.when.is_none() {
            let message = "\"fallback\" is never used without \"when\"";
            log.error("graph.useless-key", message, e.key.at, "never used").help =
                Some("add when = \"…\" or remove the key".into());
        }
    }
    Some(sample)
}

fn parse_storage(log: &mut Log, entry: &Entry) -> Option<StorageAst> {
    if let Node::Str(s) = &entry.item.node {
        let target = Sp { value: s.clone(), at: entry.item.at };
        return Some(StorageAst { input: entry.key.clone(), target, mip: 0, layer: None });
    }
    let t = table(log, &entry.item, &entry.key.value)?;
    let reader = Reader::new(log, t, &keys::STORAGE);
    Some(StorageAst {
        input: entry.key.clone(),
        target: reader.need_str(log, "image", entry.key.at)?,
        mip: reader.uint(log, "mip", MAX_MIP).unwrap_or(0),
        layer: number_or_all(log, &reader, "layer", MAX_LAYERS - 1),
    })
}

fn parse_dispatch(log: &mut Log, item: &Item) -> Option<DispatchAst> {
    if let Node::Array(a) = &item.node {
        let mut count = [1; 3];
        if a.is_empty() || a.len() > 3 {
            wrong_type(log, item, "dispatch", "an array of 1 to 3 counts");
            return None;
        }
        for (slot, i) in count.iter_mut().zip(a) {
            *slot = integer(log, i, "dispatch", 1, i64::from(MAX_GROUPS))?.value as u32;
        }
        return Some(DispatchAst::Count(count));
    }
    let t = table(log, item, "dispatch")?;
    let reader = Reader::new(log, t, &keys::DISPATCH);
    match (reader.str(log, "of"), reader.str(log, "indirect")) {
        (Some(image), None) => Some(DispatchAst::Of { image, mip: reader.uint(log, "mip", MAX_MIP).unwrap_or(0) }),
        (None, Some(buffer)) => {
            let offset = reader.int(log, "offset", 0, 1 << 30);
            if let Some(o) = offset.as_ref().filter(|o| o.value % 4 != 0) {
                log.error("graph.out-of-range", "\"offset\" must be a multiple of 4", o.at, "not a multiple of 4");
            }
            Some(DispatchAst::Indirect { buffer, offset: offset.map_or(0, |o| o.value as u64) })
        }
        _ => {
            let message = "\"dispatch\" needs one of \"of\" and \"indirect\"";
            log.error("graph.missing-key", message, item.at, "here");
            None
        }
    }
}

fn parse_part(log: &mut Log, item: &Item, key: &str) -> Option<PartAst> {
    if let Node::Str(s) = &item.node {
        return Some(PartAst { image: Sp { value: s.clone(), at: item.at }, mip: 0, layer: 0 });
    }
    let t = table(log, item, key)?;
    let reader = Reader::new(log, t, &keys::COPY);
    Some(PartAst {
        image: reader.need_str(log, "image", item.at)?,
        mip: reader.uint(log, "mip", MAX_MIP).unwrap_or(0),
        layer: reader.uint(log, "layer", MAX_LAYERS - 1).unwrap_or(0),
    })
}
