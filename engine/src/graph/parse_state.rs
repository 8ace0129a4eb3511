//! Phase 1: `state = { … }`.

use super::keys;
use super::reader::{Reader, array, numbers, string, table, word, wrong_type};
use super::source::{Item, Log, Node, Table};
use super::state::{Blend, BlendOp, Compare, Cull, Factor, Front, MaterialState, Polygon, Stencil, StencilOp};

/// Reads the state of a pass.
pub(crate) fn parse_state(log: &mut Log, t: &Table) -> MaterialState {
    let reader = Reader::new(log, t, &keys::STATE);
    let color_write = reader.bool(log, "color_write");
    let mask = reader.get("color_mask").and_then(|e| parse_mask(log, &e.item));
    MaterialState {
        blend: reader.get("blend").and_then(|e| parse_blend(log, &e.item)),
        depth_test: reader.bool(log, "depth_test"),
        depth_write: reader.bool(log, "depth_write"),
        depth_compare: reader.word(log, "depth_compare", Compare::WORDS),
        depth_bias: reader.get("depth_bias").and_then(|e| numbers::<2>(log, &e.item, "depth_bias")),
        cull: reader.word(log, "cull", Cull::WORDS),
        front: reader.word(log, "front", Front::WORDS),
        color_mask: if color_write == Some(false) { Some([false; 4]) } else { mask },
        stencil: reader.get("stencil").and_then(|e| parse_stencil(log, &e.item)),
        polygon: reader.word(log, "polygon", Polygon::WORDS),
        alpha_to_coverage: reader.bool(log, "alpha_to_coverage"),
    }
}

fn parse_mask(log: &mut Log, item: &Item) -> Option<[bool; 4]> {
    let text = string(log, item, "color_mask")?;
    if !text.value.chars().all(|c| "rgba".contains(c)) {
        wrong_type(log, item, "color_mask", "made of the letters r, g, b and a");
        return None;
    }
    Some(['r', 'g', 'b', 'a'].map(|c| text.value.contains(c)))
}

fn parse_blend(log: &mut Log, item: &Item) -> Option<Option<Blend>> {
    if matches!(item.node, Node::Str(_)) {
        return word(log, item, "blend", Blend::PRESETS);
    }
    let t = table(log, item, "blend")?;
    let reader = Reader::new(log, t, &keys::BLEND);
    let color = reader.need(log, "color", item.at).and_then(|e| parse_equation(log, &e.item, "color"))?;
    let alpha = match reader.get("alpha") {
        Some(e) => parse_equation(log, &e.item, "alpha")?,
        None => color,
    };
    Some(Some(Blend { color: color.0, color_op: color.1, alpha: alpha.0, alpha_op: alpha.1 }))
}

fn parse_equation(log: &mut Log, item: &Item, key: &str) -> Option<([Factor; 2], BlendOp)> {
    let parts = array(log, item, key)?;
    let factor = |log: &mut Log, i: &Item| word(log, i, key, Factor::WORDS);
    match parts {
        [src, dst] => Some(([factor(log, src)?, factor(log, dst)?], BlendOp::Add)),
        [src, op, dst] => {
            let op = word(log, op, key, BlendOp::WORDS)?;
            Some(([factor(log, src)?, factor(log, dst)?], op))
        }
        _ => {
            wrong_type(log, item, key, "[source, destination] or [source, operation, destination]");
            None
        }
    }
}

fn parse_stencil(log: &mut Log, item: &Item) -> Option<Option<Stencil>> {
    if let Node::Bool(false) = item.node {
        return Some(None);
    }
    let t = table(log, item, "stencil")?;
    let reader = Reader::new(log, t, &keys::STENCIL);
    let byte = |log: &mut Log, key: &str, default: u8| reader.uint(log, key, 255).map_or(default, |v| v as u8);
    Some(Some(Stencil {
        compare: reader.word(log, "compare", Compare::WORDS).unwrap_or(Compare::Always),
        reference: byte(log, "reference", 0),
        read_mask: byte(log, "read_mask", 255),
        write_mask: byte(log, "write_mask", 255),
        fail: reader.word(log, "fail", StencilOp::WORDS).unwrap_or(StencilOp::Keep),
        depth_fail: reader.word(log, "depth_fail", StencilOp::WORDS).unwrap_or(StencilOp::Keep),
        pass: reader.word(log, "pass", StencilOp::WORDS).unwrap_or(StencilOp::Keep),
    }))
}
