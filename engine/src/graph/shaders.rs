//! Phase 3a: compiles the shaders that passes name, and gathers params from the graph, the shaders and the game.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::{FileAst, PassAst, PassKind};
use super::source::{Log, Sp, suggest};
use crate::scene::{ParamDecl, Registry};
use crate::shader::{CompiledShader, ShaderKind, ShaderProvider, ShaderRequest};

/// Shaders of all passes.
#[derive(Default)]
pub(crate) struct Shaders {
    pub(crate) list: Vec<Arc<CompiledShader>>,
    /// For each pass: one entry for each draw of a raster pass, else one entry if it has a shader.
    pub(crate) by_pass: Vec<Vec<Option<u32>>>,
}

/// Compiles what the passes ask for. Errors of a shader are reported once.
pub(crate) fn compile_shaders(log: &mut Log, passes: &[PassAst], provider: &dyn ShaderProvider) -> Shaders {
    let mut out = Shaders::default();
    let mut known: BTreeMap<ShaderRequest, Option<u32>> = BTreeMap::new();
    let mut names = None;
    for pass in passes {
        let requests = requests(log, pass);
        let ids = requests.into_iter().map(|request| {
            let (request, at) = request?;
            if let Some(id) = known.get(&request) {
                return *id;
            }
            let all = names.get_or_insert_with(|| provider.names());
            let id = compile_one(log, &mut out.list, provider, all, &request, at);
            known.insert(request, id);
            id
        });
        let ids = ids.collect();
        out.by_pass.push(ids);
    }
    out
}

fn requests<'a>(log: &mut Log, pass: &'a PassAst) -> Vec<Option<(ShaderRequest, &'a Sp<String>)>> {
    let kind = match pass.kind {
        PassKind::Raster => ShaderKind::Raster,
        PassKind::Fullscreen => ShaderKind::Fullscreen,
        PassKind::Compute => ShaderKind::Compute,
        _ => return Vec::new(),
    };
    let request = |name: &'a Sp<String>, defines: BTreeMap<String, String>| {
        (ShaderRequest { name: name.value.clone(), kind, defines }, name)
    };
    if kind != ShaderKind::Raster {
        return vec![pass.shader.as_ref().map(|name| request(name, pass.defines.clone()))];
    }
    let mut out = Vec::new();
    for draw in &pass.draws {
        let Some(name) = draw.shader.as_ref().or(pass.shader.as_ref()) else {
            let message = format!("\"{}\" is drawn without a shader", draw.list.value);
            log.error("graph.missing-key", message, draw.list.at, "this list").help =
                Some("add shader = \"…\" to the pass, or draw = [{ list = \"…\", shader = \"…\" }]".into());
            out.push(None);
            continue;
        };
        let mut defines = pass.defines.clone();
        defines.extend(draw.defines.clone());
        out.push(Some(request(name, defines)));
    }
    out
}

fn compile_one(
    log: &mut Log,
    list: &mut Vec<Arc<CompiledShader>>,
    provider: &dyn ShaderProvider,
    names: &[String],
    request: &ShaderRequest,
    at: &Sp<String>,
) -> Option<u32> {
    if !names.contains(&request.name) {
        let help = suggest(&request.name, names.iter().map(String::as_str));
        let message = format!("no shader is called \"{}\"", request.name);
        log.error("graph.unknown-shader", message, at.at, "unknown shader").help = help;
        return None;
    }
    match provider.shader(request) {
        Ok(shader) => {
            list.push(shader);
            Some(list.len() as u32 - 1)
        }
        Err(mut errors) => {
            if let Some(first) = errors.first_mut() {
                first.labels.push(log.label(at.at, "asked for here"));
            }
            log.errors.extend(errors);
            None
        }
    }
}

/// The graph's params, then those that only shaders declare, then those of the game; and how many are not the game's.
pub(crate) fn gather_params(
    log: &mut Log,
    ast: &FileAst,
    shaders: &[Arc<CompiledShader>],
    registry: &Registry,
) -> (Vec<ParamDecl>, usize) {
    let mut params: Vec<ParamDecl> = ast.params.iter().map(|p| p.decl.clone()).collect();
    let mut index: BTreeMap<String, usize> = params.iter().enumerate().map(|(i, p)| (p.name.clone(), i)).collect();
    for shader in shaders {
        for decl in &shader.interface.declared_params {
            match index.get(&decl.name) {
                Some(&i) if params[i].kind == decl.kind => {}
                Some(&i) => {
                    let (here, there) = (params[i].kind.name(), decl.kind.name());
                    let message =
                        format!("param \"{}\" is {there} in shader \"{}\" and {here}", decl.name, shader.request.name);
                    let at = ast.params.iter().find(|p| p.decl.name == decl.name).map(|p| p.at);
                    let place = format!("`#pragma param {}` in {}", decl.name, shader.files.join(", "));
                    let at = at.unwrap_or_default();
                    log.error("graph.param-type", message, at, format!("{here} here")).notes.push(place);
                }
                None => {
                    index.insert(decl.name.clone(), params.len());
                    params.push(decl.clone());
                }
            }
        }
    }
    let own = params.len();
    for decl in &registry.params {
        match index.get(&decl.name) {
            None => params.push(decl.clone()),
            Some(&i) if params[i].kind != decl.kind => {
                let (here, there) = (params[i].kind.name(), decl.kind.name());
                let message = format!("the game's param \"{}\" is of type {there}, not {here}", decl.name);
                let at = ast.params.iter().find(|p| p.decl.name == decl.name).map(|p| p.at).unwrap_or_default();
                log.error("graph.param-type", message, at, format!("{here} here"));
            }
            Some(_) => {}
        }
    }
    (params, own)
}
