//! Phase 4: what shaders want against what passes and draw lists give. Every binding has a name and is checked.

use std::sync::Arc;

use super::SampledKind;
use super::ast::{ConstantAst, PassAst, PassKind};
use super::ir::{Constant, Draw, Feed, Image, Pass, PassShader, Sample, Source, Target, Uniforms};
use super::plan::{PlanAttribute, Stages};
use super::resolve::Resolved;
use super::shaders::Shaders;
use super::source::{Log, Place, quoted, suggest};
use crate::scene::{ListDecl, ParamDecl, Registry, Value, ValueType};
use crate::shader::{BindingKind, CompiledShader, ShaderBinding, Stage, set};

/// What matching reads.
pub(crate) struct Matching<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) params: &'a [ParamDecl],
    pub(crate) shaders: &'a Shaders,
}

/// An input that nobody feeds, next to a key that nobody reads: one slip, which the report of the key explains.
fn drop_twins(log: &mut Log, pass: &Pass, since: usize) {
    let unread: Vec<String> = pass
        .samples
        .iter()
        .filter(|s| s.stages.is_empty())
        .map(|s| format!("\"{}\"?", s.input.value))
        .chain(pass.storage.iter().filter(|s| s.stages.is_empty()).map(|s| format!("\"{}\"?", s.input.value)))
        .collect();
    let mut at = 0;
    log.errors.retain(|e| {
        at += 1;
        let twin = e.code == "graph.unfed-input"
            && e.help.as_ref().is_some_and(|h| unread.iter().any(|key| h.ends_with(key.as_str())));
        at <= since || !twin
    });
}

/// A specialization constant that follows a param: the param and the constant's type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LiveConstant {
    pub(crate) param: u32,
    pub(crate) kind: ValueType,
}

/// Matches all passes; returns the constants that follow params.
pub(crate) fn match_all(log: &mut Log, resolved: &mut Resolved, cx: &Matching<'_>) -> Vec<LiveConstant> {
    let mut live = Vec::new();
    let Resolved { passes, asts, images, .. } = resolved;
    for (i, (pass, ast)) in passes.iter_mut().zip(asts.iter()).enumerate() {
        if pass.dropped.is_some() {
            continue;
        }
        match_pass(log, pass, ast, images, &cx.shaders.by_pass[i], &mut live, cx);
    }
    live
}

fn match_pass(
    log: &mut Log,
    pass: &mut Pass,
    ast: &PassAst,
    images: &[Image],
    ids: &[Option<u32>],
    live: &mut Vec<LiveConstant>,
    cx: &Matching<'_>,
) {
    let mut local: Vec<u32> = Vec::new();
    for id in ids.iter().flatten() {
        if !local.contains(id) {
            local.push(*id);
        }
    }
    let mut lists_of: Vec<Vec<(&ListDecl, Place)>> = vec![Vec::new(); local.len()];
    for (draw, id) in ast.draws.iter().zip(ids) {
        let (Some(list), Some(id)) = (cx.registry.list(&draw.list.value), id) else { continue };
        let Some(slot) = local.iter().position(|l| l == id) else { continue };
        let decl = &cx.registry.lists[list.index()];
        lists_of[slot].push((decl, draw.list.at));
        if let Some(matched) = match_vertices(log, decl, draw.list.at, &cx.shaders.list[*id as usize]) {
            let presets = decl.presets.iter().map(|p| p.state).collect();
            pass.draws.push(Draw { list, shader: slot, attributes: matched.0, streams: matched.1, presets });
        }
    }
    let complete = ids.iter().all(Option::is_some);
    let before = log.errors.len();
    for (slot, id) in local.iter().enumerate() {
        let shader = cx.shaders.list[*id as usize].clone();
        let feeds = match_bindings(log, (pass, ast), images, &shader, &lists_of[slot], cx);
        let uniforms = match_uniforms(log, ast, &shader, cx);
        let constants = match_constants(log, ast, &shader, live, cx);
        pass.shaders.push(PassShader { shader: *id, feeds, uniforms, constants });
    }
    if complete {
        let used: Vec<&Arc<CompiledShader>> = local.iter().map(|id| &cx.shaders.list[*id as usize]).collect();
        unused_inputs(log, pass, ast, &used);
        drop_twins(log, pass, before);
        let draws = matches!(pass.kind, PassKind::Raster | PassKind::Fullscreen);
        let somewhere = !ast.colors.is_empty() || ast.depth.is_some();
        if draws && somewhere && pass.colors.len() == ast.colors.len() {
            match_outputs(log, pass, ast, images, &used);
        }
    }
}

type Vertices = (Vec<PlanAttribute>, Vec<(u32, u32, bool)>);

fn match_vertices(log: &mut Log, list: &ListDecl, at: Place, shader: &CompiledShader) -> Option<Vertices> {
    let mut attributes = Vec::new();
    let mut streams: Vec<(u32, u32, bool)> = Vec::new();
    let mut good = true;
    for input in &shader.interface.inputs {
        let found = list.streams.iter().enumerate().find_map(|(s, stream)| {
            stream.attributes.iter().find(|a| a.name == input.name).map(|a| (s as u32, stream, a))
        });
        let Some((s, stream, attribute)) = found else {
            let names = list.streams.iter().flat_map(|s| &s.attributes).map(|a| a.name.as_str());
            let help = suggest(&input.name, names);
            let message = format!(
                "shader \"{}\" reads the vertex attribute \"{}\", which \"{}\" does not have",
                shader.request.name, input.name, list.name
            );
            log.error("graph.missing-attribute", message, at, "this list").help = help;
            good = false;
            continue;
        };
        if attribute.format.is_integer() != input.integer {
            let kind = |integer| if integer { "integers" } else { "floats" };
            let message = format!(
                "shader \"{}\" reads \"{}\" as {}, \"{}\" has {}",
                shader.request.name,
                input.name,
                kind(input.integer),
                list.name,
                kind(attribute.format.is_integer())
            );
            log.error("graph.attribute-type", message, at, "this list");
            good = false;
        }
        attributes.push(PlanAttribute {
            location: input.location,
            format: attribute.format,
            stream: s,
            offset: attribute.offset,
        });
        if !streams.iter().any(|known| known.0 == s) {
            streams.push((s, stream.stride, stream.per_instance));
        }
    }
    attributes.sort_by_key(|a| a.location);
    streams.sort_unstable();
    good.then_some((attributes, streams))
}

fn stages(binding: &ShaderBinding) -> Stages {
    binding.stages.iter().fold(Stages::NONE, |all, stage| {
        all | match stage {
            Stage::Vertex => Stages::VERTEX,
            Stage::Fragment => Stages::FRAGMENT,
            Stage::Compute => Stages::COMPUTE,
        }
    })
}

fn match_bindings(
    log: &mut Log,
    (pass, ast): (&mut Pass, &PassAst),
    images: &[Image],
    shader: &CompiledShader,
    lists: &[(&ListDecl, Place)],
    cx: &Matching<'_>,
) -> Vec<(u32, Feed)> {
    let mut feeds = Vec::new();
    for binding in &shader.interface.bindings {
        match binding.set {
            set::PASS => feeds.extend(match_pass_binding(log, (pass, ast), images, shader, binding, cx)),
            set::MATERIAL | set::DATA => match_list_binding(log, pass, shader, binding, lists),
            _ => {}
        }
    }
    feeds
}

fn match_pass_binding(
    log: &mut Log,
    (pass, ast): (&mut Pass, &PassAst),
    images: &[Image],
    shader: &CompiledShader,
    binding: &ShaderBinding,
    cx: &Matching<'_>,
) -> Option<(u32, Feed)> {
    let at = pass.name.at;
    match binding.kind {
        BindingKind::Uniform => None,
        BindingKind::Sampled(kind) => {
            if let Some(i) = pass.samples.iter().position(|s| s.input.value == binding.name) {
                let sample = &mut pass.samples[i];
                sample.stages |= stages(binding);
                sample.kind = Some(kind);
                check_kind(log, sample, images, kind, shader, cx);
                return Some((binding.binding, Feed::Sample(i)));
            }
            if let Some(import) = cx.registry.import(&binding.name) {
                let decl = &cx.registry.imports[import.index()];
                if decl.kind != kind {
                    kind_error(log, at, &binding.name, decl.kind, kind, shader);
                }
                return Some((binding.binding, Feed::Import(import)));
            }
            if ast.samples.iter().any(|s| s.input.value == binding.name) {
                return None;
            }
            let known = pass.samples.iter().map(|s| s.input.value.as_str());
            let known: Vec<&str> = known.chain(cx.registry.imports.iter().map(|i| i.name.as_str())).collect();
            let near = crate::diag::near_miss(&binding.name, known);
            unfed(log, pass, shader, binding, near.map(str::to_owned), "sample");
            None
        }
        BindingKind::StorageImage { written } | BindingKind::StorageBuffer { written } => {
            let Some(i) = pass.storage.iter().position(|s| s.input.value == binding.name) else {
                if ast.storage.iter().any(|s| s.input.value == binding.name) {
                    return None;
                }
                let near = crate::diag::near_miss(&binding.name, pass.storage.iter().map(|s| s.input.value.as_str()));
                unfed(log, pass, shader, binding, near.map(str::to_owned), "storage");
                return None;
            };
            let storage = &mut pass.storage[i];
            storage.stages |= stages(binding);
            storage.written |= written;
            let wants_image = matches!(binding.kind, BindingKind::StorageImage { .. });
            if wants_image != matches!(storage.target, Target::Image(_)) {
                let (want, have) = if wants_image { ("an image", "a buffer") } else { ("a buffer", "an image") };
                let message = format!("\"{}\" is {want} in shader \"{}\"", binding.name, shader.request.name);
                log.error("graph.binding-kind", message, storage.at, format!("{have} here"));
                return None;
            }
            Some((binding.binding, Feed::Storage(i)))
        }
    }
}

fn unfed(
    log: &mut Log,
    pass: &Pass,
    shader: &CompiledShader,
    binding: &ShaderBinding,
    near: Option<String>,
    key: &str,
) {
    let message =
        format!("nothing feeds \"{}\" of shader \"{}\" in \"{}\"", binding.name, shader.request.name, pass.name.value);
    let help = match near {
        Some(near) => format!("did you mean \"{}\" where the pass says \"{near}\"?", binding.name),
        None => format!("add {key} = {{ {} = \"…\" }} to the pass", binding.name),
    };
    log.error("graph.unfed-input", message, pass.name.at, "this pass").help = Some(help);
}

fn kind_name(kind: SampledKind) -> &'static str {
    match kind {
        SampledKind::D2 => "sampler2D",
        SampledKind::D2Array => "sampler2DArray",
        SampledKind::Cube => "samplerCube",
        SampledKind::D2Shadow => "sampler2DShadow",
        SampledKind::D2Multisampled => "sampler2DMS",
        SampledKind::D2Uint => "usampler2D",
    }
}

fn kind_error(log: &mut Log, at: Place, name: &str, have: SampledKind, want: SampledKind, shader: &CompiledShader) {
    let message = format!("\"{name}\" is a {} in shader \"{}\"", kind_name(want), shader.request.name);
    log.error("graph.binding-kind", message, at, format!("what is fed is a {}", kind_name(have)));
}

/// The image's shape against the sampler's.
fn check_kind(
    log: &mut Log,
    sample: &Sample,
    images: &[Image],
    want: SampledKind,
    shader: &CompiledShader,
    cx: &Matching<'_>,
) {
    if let Some(compare) = &sample.compare
        && compare.value != (want == SampledKind::D2Shadow)
    {
        let message =
            format!("\"{}\" is a {} in shader \"{}\"", sample.input.value, kind_name(want), shader.request.name);
        log.error("graph.binding-kind", message, compare.at, "comparing is for sampler2DShadow alone");
    }
    let have = match sample.source {
        Source::Import(id) => cx.registry.imports[id.index()].kind,
        Source::File(_) => SampledKind::D2,
        Source::Image { image, .. } => {
            let image = &images[image as usize];
            let format = image.formats.first().map(|f| f.value);
            if want == SampledKind::D2Shadow && format.is_some_and(super::Format::is_depth) && image.layers == 1 {
                return;
            }
            match format {
                Some(f) if f.is_integer() => SampledKind::D2Uint,
                _ if image.samples > 1 => SampledKind::D2Multisampled,
                _ if image.layers > 1 && sample.layer.is_none() => SampledKind::D2Array,
                _ => SampledKind::D2,
            }
        }
    };
    if have != want {
        kind_error(log, sample.at, &sample.input.value, have, want, shader);
    }
}

fn match_list_binding(
    log: &mut Log,
    pass: &Pass,
    shader: &CompiledShader,
    binding: &ShaderBinding,
    lists: &[(&ListDecl, Place)],
) {
    let what = if binding.set == set::MATERIAL { "texture" } else { "buffer" };
    if lists.is_empty() && pass.kind != PassKind::Raster {
        let message = format!(
            "shader \"{}\" reads the {what} \"{}\" of a draw list, and a {} pass draws none",
            shader.request.name,
            binding.name,
            pass.kind.name()
        );
        log.error("graph.unfed-input", message, pass.name.at, "this pass");
        return;
    }
    for (list, at) in lists {
        let names: Vec<&str> = match binding.set {
            set::MATERIAL => list.material.iter().map(|m| m.name.as_str()).collect(),
            _ => list.storage.iter().map(String::as_str).collect(),
        };
        if !names.contains(&binding.name.as_str()) {
            let message = format!(
                "shader \"{}\" reads the {what} \"{}\", which \"{}\" does not have",
                shader.request.name, binding.name, list.name
            );
            log.error("graph.missing-material", message, *at, "this list").help = suggest(&binding.name, names);
            continue;
        }
        let slot = list.material.iter().find(|m| m.name == binding.name);
        if let (set::MATERIAL, BindingKind::Sampled(kind), Some(slot)) = (binding.set, binding.kind, slot)
            && slot.kind != kind
        {
            kind_error(log, *at, &binding.name, slot.kind, kind, shader);
        }
    }
}

/// Inputs that the pass feeds and no shader reads.
fn unused_inputs(log: &mut Log, pass: &Pass, ast: &PassAst, shaders: &[&Arc<CompiledShader>]) {
    if shaders.is_empty() {
        return;
    }
    let bindings = || shaders.iter().flat_map(|s| &s.interface.bindings).filter(|b| b.set == set::PASS);
    let shader_names: Vec<&str> = shaders.iter().map(|s| s.request.name.as_str()).collect();
    let samples = pass.samples.iter().map(|s| (&s.input, s.stages, true));
    let storage = pass.storage.iter().map(|s| (&s.input, s.stages, false));
    for (input, stages, sampled) in samples.chain(storage) {
        if !stages.is_empty() {
            continue;
        }
        let names = bindings().filter(|b| matches!(b.kind, BindingKind::Sampled(_)) == sampled);
        let names = names.filter(|b| b.kind != BindingKind::Uniform).map(|b| b.name.as_str());
        let help = suggest(&input.value, names).or_else(|| Some("remove the key".into()));
        let message = format!("no input of shader {} is called \"{}\"", quoted(&shader_names), input.value);
        log.error("graph.unknown-input", message, input.at, "read by nobody").help = help;
    }
    for (name, _) in &ast.constants {
        let all: Vec<&str> = shaders.iter().flat_map(|s| &s.interface.constants).map(|c| c.name.as_str()).collect();
        if !all.contains(&name.value.as_str()) {
            let help = suggest(&name.value, all);
            let message = format!("shader {} has no constant \"{}\"", quoted(&shader_names), name.value);
            log.error("graph.unknown-input", message, name.at, "read by nobody").help = help;
        }
    }
}

/// True when a block's member can take the param: all one-word integers are alike.
fn fits(member: ValueType, param: ValueType) -> bool {
    let word = |t| matches!(t, ValueType::Bool | ValueType::Int | ValueType::Enum);
    member == param || word(member) && word(param)
}

fn match_uniforms(log: &mut Log, ast: &PassAst, shader: &CompiledShader, cx: &Matching<'_>) -> Option<Uniforms> {
    let (binding, block) = shader.interface.params.as_ref()?;
    let mut members = Vec::new();
    for member in &block.members {
        let Some(param) = cx.params.iter().position(|p| p.name == member.name) else {
            let help = suggest(&member.name, cx.params.iter().map(|p| p.name.as_str()));
            let message = format!(
                "shader \"{}\" reads the param \"{}\", which nobody declares",
                shader.request.name, member.name
            );
            let error = log.error("graph.unknown-param", message, ast.name.at, "this pass");
            error.help = help;
            error.notes.push(format!("declare it as [param.{}] or `#pragma param {}`", member.name, member.name));
            continue;
        };
        let decl = &cx.params[param];
        if !fits(member.kind, decl.kind) {
            let message = format!(
                "param \"{}\" is {} and {} in the `Params` block of shader \"{}\"",
                decl.name,
                decl.kind.name(),
                member.kind.name(),
                shader.request.name
            );
            log.error("graph.param-type", message, ast.name.at, "this pass").help =
                Some(format!("declare it with type = \"{}\" or change the shader", member.kind.name()));
            continue;
        }
        members.push((member.offset, param as u32, decl.kind));
    }
    Some(Uniforms { binding: *binding, size: block.size, members })
}

fn match_constants(
    log: &mut Log,
    ast: &PassAst,
    shader: &CompiledShader,
    live: &mut Vec<LiveConstant>,
    cx: &Matching<'_>,
) -> Vec<(u32, Constant)> {
    let mut out = Vec::new();
    for constant in &shader.interface.constants {
        let given = ast.constants.iter().find(|c| c.0.value == constant.name);
        let (name, at) = match given {
            Some((key, ConstantAst::Value(value))) => {
                match word_of(*value, constant.kind) {
                    Some(word) => out.push((constant.id, Constant::Word(word))),
                    None => {
                        let message = format!("constant \"{}\" is of type {}", constant.name, constant.kind.name());
                        log.error("graph.wrong-type", message, key.at, "of another type");
                    }
                }
                continue;
            }
            Some((_, ConstantAst::Param(name))) => (&name.value, Some(name.at)),
            None => (&constant.name, None),
        };
        let Some(param) = cx.params.iter().position(|p| p.name == *name) else {
            if let Some(at) = at {
                let help = suggest(name, cx.params.iter().map(|p| p.name.as_str()));
                log.error("graph.unknown-param", format!("no param is called \"{name}\""), at, "unknown param").help =
                    help;
            }
            continue;
        };
        if word_of(cx.params[param].default, constant.kind).is_none() {
            let message = format!(
                "param \"{name}\" is {} and the constant \"{}\" of shader \"{}\" is {}",
                cx.params[param].kind.name(),
                constant.name,
                shader.request.name,
                constant.kind.name()
            );
            log.error("graph.param-type", message, at.unwrap_or(ast.name.at), "here");
            continue;
        }
        let entry = LiveConstant { param: param as u32, kind: constant.kind };
        let index = live.iter().position(|l| *l == entry).unwrap_or_else(|| {
            live.push(entry);
            live.len() - 1
        });
        out.push((constant.id, Constant::Live(index as u32)));
    }
    out.sort_by_key(|c| c.0);
    out
}

/// A value as the word of a specialization constant.
pub(crate) fn word_of(value: Value, kind: ValueType) -> Option<u32> {
    match (kind, value) {
        (ValueType::Bool, Value::Bool(b)) => Some(u32::from(b)),
        (ValueType::Int | ValueType::Enum, Value::Int(i)) => Some(i as u32),
        (ValueType::Float, Value::Float(x)) => Some(x.to_bits()),
        (ValueType::Float, Value::Int(i)) => Some((i as f32).to_bits()),
        _ => None,
    }
}

/// Which attachment every output goes to; puts the pass's attachments in the order of locations.
fn match_outputs(log: &mut Log, pass: &mut Pass, ast: &PassAst, images: &[Image], shaders: &[&Arc<CompiledShader>]) {
    let silent = ast.writes_no_color();
    let mut order: Option<(Vec<usize>, &str)> = None;
    for shader in shaders {
        let outputs = &shader.interface.outputs;
        if silent && (outputs.is_empty() || pass.colors.is_empty()) {
            continue;
        }
        let Some(found) = order_of(log, pass, ast, images, shader) else { return };
        match &order {
            None => order = Some((found, shader.request.name.as_str())),
            Some((first, name)) if *first != found => {
                let message = format!(
                    "shaders \"{name}\" and \"{}\" give their outputs in different orders",
                    shader.request.name
                );
                log.error("graph.outputs", message, pass.name.at, "this pass").help =
                    Some("give the outputs the same locations in both".into());
                return;
            }
            Some(_) => {}
        }
    }
    if let Some((order, _)) = order {
        pass.colors = order.iter().map(|i| pass.colors[*i]).collect();
    }
}

fn order_of(
    log: &mut Log,
    pass: &Pass,
    ast: &PassAst,
    images: &[Image],
    shader: &CompiledShader,
) -> Option<Vec<usize>> {
    let mut outputs: Vec<_> = shader.interface.outputs.iter().collect();
    outputs.sort_by_key(|o| o.location);
    let silent = ast.writes_no_color();
    let mut taken = Vec::new();
    let image_name = |i: usize| images[pass.colors[i].image as usize].name.value.as_str();
    for (location, output) in outputs.iter().enumerate() {
        if output.location != location as u32 {
            let message = format!("shader \"{}\" has no output at location {location}", shader.request.name);
            log.error("graph.outputs", message, pass.name.at, "this pass").help =
                Some("number the outputs from 0 without gaps".into());
            return None;
        }
        let only = outputs.len() == 1 && pass.colors.len() == 1;
        let found = (0..pass.colors.len()).find(|&i| match &ast.colors[i].output {
            Some(key) => key.value == output.name || only && key.value == image_name(i),
            None => only || image_name(i) == output.name,
        });
        match found {
            Some(i) => taken.push(i),
            None => {
                let keys = (0..pass.colors.len())
                    .map(|i| ast.colors[i].output.as_ref().map_or(image_name(i), |k| k.value.as_str()));
                let near = crate::diag::near_miss(&output.name, keys).map(str::to_owned);
                let message =
                    format!("the output \"{}\" of shader \"{}\" goes nowhere", output.name, shader.request.name);
                let help = match near {
                    Some(near) => format!("did you mean \"{}\" where the pass says \"{near}\"?", output.name),
                    None => format!("add color = {{ {} = \"…\" }}, or state = {{ color_write = false }}", output.name),
                };
                log.error("graph.missing-attachment", message, pass.name.at, "this pass").help = Some(help);
                return None;
            }
        }
    }
    for (i, color) in pass.colors.iter().enumerate() {
        if !taken.contains(&i) && !silent {
            let names: Vec<&str> = outputs.iter().map(|o| o.name.as_str()).collect();
            let message = format!("no output of shader \"{}\" goes to \"{}\"", shader.request.name, image_name(i));
            let at = ast.colors[i].output.as_ref().map_or(color.at, |k| k.at);
            let key = ast.colors[i].output.as_ref().map_or(image_name(i), |k| k.value.as_str());
            let help = suggest(key, names).unwrap_or_else(|| "the shader has no colour output".into());
            log.error("graph.unknown-output", message, at, "written by nobody").help = Some(help);
            return None;
        }
    }
    Some(taken)
}
