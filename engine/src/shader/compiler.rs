//! Compiles requests with shaderc, reflects them, and gives names their numbers.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::interface::{
    Block, CompiledShader, FragmentOutput, ShaderBinding, ShaderInterface, ShaderKind, ShaderProvider, ShaderRequest,
    Stage, VertexInput, set,
};
use super::reflect::{Port, StageInterface, stage as reflect_stage};
use super::sources::ShaderSources;
use super::{pragma, spirv};
use crate::diag::{Diagnostic, SourceFile, near_miss};

/// Longest shader text that is compiled, bytes.
pub const MAX_SOURCE_BYTES: usize = 1 << 20;
/// Deepest nesting of includes.
pub const MAX_INCLUDE_DEPTH: usize = 32;

/// The production [`ShaderProvider`]: shaderc over [`ShaderSources`], cached by request until a file that took part
/// changes its text.
pub struct ShaderCompiler {
    sources: Arc<dyn ShaderSources>,
    // One shaderc compiler is kept: making one costs 100 ms, a shader 1 to 4 ms.
    compiler: Mutex<shaderc::Compiler>,
    cache: Mutex<BTreeMap<ShaderRequest, Cached>>,
}

struct Cached {
    texts: Texts,
    result: Result<Arc<CompiledShader>, Vec<Diagnostic>>,
}

/// Every file that was asked for, with its text; `None` for one that does not exist.
type Texts = BTreeMap<String, Option<Arc<SourceFile>>>;

impl ShaderCompiler {
    /// A compiler over these sources. The error says that shaderc could not be started.
    pub fn new(sources: Arc<dyn ShaderSources>) -> Result<Self, Diagnostic> {
        let compiler = shaderc::Compiler::new().map_err(|e| {
            Diagnostic::error("shader.compiler", format!("the shader compiler cannot be started: {e}"))
                .help("install the package libshaderc-dev, or run tools/setup")
        })?;
        Ok(Self { sources, compiler: Mutex::new(compiler), cache: Mutex::default() })
    }

    fn compile(&self, request: &ShaderRequest, texts: &mut Texts) -> Result<CompiledShader, Vec<Diagnostic>> {
        let files = self.stage_files(request, texts)?;
        let mut errors = Vec::new();
        let mut stages = Vec::new();
        for (stage, path) in &files {
            match self.compile_stage(request, *stage, path, texts) {
                Ok(words) => stages.push((*stage, path.as_str(), words)),
                Err(found) => errors.extend(found),
            }
        }
        let read: Vec<_> = texts.values().flatten().cloned().collect();
        let declared_params = read.iter().flat_map(|file| pragma::params(file, &mut errors)).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut interface = link(&mut stages, texts).map_err(|e| vec![e])?;
        interface.declared_params = declared_params;
        let hash = spirv::hash(stages.iter().map(|(_, _, words)| words.as_slice()));
        Ok(CompiledShader {
            request: request.clone(),
            stages: stages.into_iter().map(|(stage, _, words)| (stage, words.into())).collect(),
            interface,
            files: texts.keys().cloned().collect(),
            hash,
        })
    }

    fn load(&self, path: &str, texts: &mut Texts) -> Option<Arc<SourceFile>> {
        if let Some(known) = texts.get(path) {
            return known.clone();
        }
        let file = self.sources.read(path).map(|text| SourceFile::new(self.sources.display(path), text));
        texts.insert(path.into(), file.clone());
        file
    }

    fn stage_files(&self, request: &ShaderRequest, texts: &mut Texts) -> Result<Vec<(Stage, String)>, Vec<Diagnostic>> {
        let name = &request.name;
        let mut have = |ending: &str| {
            let path = format!("{name}.{ending}");
            self.load(&path, texts).map(|_| path)
        };
        let files = match request.kind {
            ShaderKind::Compute => vec![(Stage::Compute, have("comp"))],
            ShaderKind::Raster => match have("frag") {
                Some(frag) => vec![(Stage::Vertex, have("vert")), (Stage::Fragment, Some(frag))],
                None => vec![(Stage::Vertex, have("vert"))],
            },
            ShaderKind::Fullscreen => {
                let frag = have("frag");
                let vert = have("vert").or_else(|| Some("common/fullscreen.vert".into()));
                vec![(Stage::Vertex, vert), (Stage::Fragment, frag)]
            }
        };
        let missing = |stage: Stage| {
            let ending = ending(stage);
            let mut error = Diagnostic::error("shader.missing", format!("there is no shader file {name}.{ending}"))
                .in_file(self.sources.display(&format!("{name}.{ending}")));
            let names = self.names();
            if let Some(near) = near_miss(name, names.iter().map(String::as_str)).filter(|n| n != name) {
                error = error.help(format!("did you mean \"{near}\"?"));
            }
            vec![error]
        };
        files.into_iter().map(|(stage, path)| path.map(|p| (stage, p)).ok_or_else(|| missing(stage))).collect()
    }

    fn compile_stage(
        &self,
        request: &ShaderRequest,
        stage: Stage,
        path: &str,
        texts: &mut Texts,
    ) -> Result<Vec<u32>, Vec<Diagnostic>> {
        let Some(file) = self.load(path, texts).filter(|f| f.text.len() <= MAX_SOURCE_BYTES) else {
            return Err(vec![Diagnostic::error(
                "shader.missing",
                format!("shader file {path} is missing or too large"),
            )]);
        };
        let shared = RefCell::new(texts);
        let mut options =
            shaderc::CompileOptions::new().map_err(|e| vec![Diagnostic::error("shader.compiler", e.to_string())])?;
        options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_3 as u32);
        // SPIR-V 1.6 would state work group sizes through LocalSizeId, which needs a device feature of its own.
        options.set_target_spirv(shaderc::SpirvVersion::V1_5);
        options.set_forced_version_profile(460, shaderc::GlslProfile::None);
        options.set_optimization_level(shaderc::OptimizationLevel::Zero);
        options.set_auto_bind_uniforms(true);
        options.set_auto_map_locations(true);
        options.add_macro_definition(stage_macro(stage), Some("1"));
        for (name, value) in &request.defines {
            options.add_macro_definition(name, Some(value));
        }
        options.set_include_callback(|asked, _, from, depth| {
            if depth > MAX_INCLUDE_DEPTH {
                return Err(format!("includes are nested deeper than {MAX_INCLUDE_DEPTH}"));
            }
            let beside = from.rsplit_once('/').map(|(folder, _)| normalize(&format!("{folder}/{asked}")));
            let mut texts = shared.borrow_mut();
            for path in beside.into_iter().chain([normalize(asked)]) {
                if let Some(file) = self.load(&path, &mut texts) {
                    return Ok(shaderc::ResolvedInclude { resolved_name: path, content: file.text.clone() });
                }
            }
            Err(format!("no shader file is called {asked}"))
        });
        let compiler = self.compiler.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = compiler.compile_into_spirv(&file.text, shader_kind(stage), path, "main", Some(&options));
        drop(options);
        match compiled {
            Ok(artifact) => Ok(artifact.as_binary().to_vec()),
            Err(shaderc::Error::CompilationError(_, text)) => Err(messages(&text, &file, shared.into_inner())),
            Err(error) => Err(messages(&error.to_string(), &file, shared.into_inner())),
        }
    }
}

impl ShaderProvider for ShaderCompiler {
    fn shader(&self, request: &ShaderRequest) -> Result<Arc<CompiledShader>, Vec<Diagnostic>> {
        let fresh = |cached: &Cached| {
            cached
                .texts
                .iter()
                .all(|(path, file)| self.sources.read(path).as_deref() == file.as_ref().map(|f| f.text.as_str()))
        };
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = cache.get(request).filter(|c| fresh(c)) {
            return cached.result.clone();
        }
        let mut texts = Texts::new();
        let result = self.compile(request, &mut texts).map(Arc::new);
        cache.insert(request.clone(), Cached { texts, result: result.clone() });
        result
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .sources
            .list()
            .iter()
            .filter_map(|p| p.rsplit_once('.').filter(|(_, e)| ["vert", "frag", "comp"].contains(e)))
            .map(|(name, _)| name.to_owned())
            .collect();
        names.dedup();
        names
    }
}

fn ending(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vert",
        Stage::Fragment => "frag",
        Stage::Compute => "comp",
    }
}

fn stage_macro(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "STAGE_VERTEX",
        Stage::Fragment => "STAGE_FRAGMENT",
        Stage::Compute => "STAGE_COMPUTE",
    }
}

fn shader_kind(stage: Stage) -> shaderc::ShaderKind {
    match stage {
        Stage::Vertex => shaderc::ShaderKind::Vertex,
        Stage::Fragment => shaderc::ShaderKind::Fragment,
        Stage::Compute => shaderc::ShaderKind::Compute,
    }
}

/// `a/b/../c` to `a/c`.
fn normalize(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if !parts.is_empty() => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// shaderc prints `path:line: error: text`; a line without that form continues the one before.
fn messages(text: &str, main: &Arc<SourceFile>, texts: &Texts) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':');
        let (path, number, rest) = (parts.next(), parts.next(), parts.next());
        let number = number.and_then(|n| n.trim().parse::<usize>().ok());
        if let (Some(path), Some(number), Some(rest)) = (path, number, rest) {
            let file = texts.get(path).cloned().flatten().unwrap_or_else(|| main.clone());
            let message = rest.trim().trim_start_matches("error:").trim();
            let span = file.line_span(number);
            found.push(Diagnostic::error("shader.compile", message).at(&file, trimmed(&file, span), ""));
        } else if !line.contains(" error generated") && !line.contains(" errors generated") && !line.trim().is_empty() {
            match found.last_mut() {
                Some(last) => last.notes.push(line.trim().into()),
                None => found.push(Diagnostic::error("shader.compile", line.trim()).at(main, 0..0, "")),
            }
        }
    }
    if found.is_empty() {
        found.push(Diagnostic::error("shader.compile", text.trim()).at(main, 0..0, ""));
    }
    found
}

fn trimmed(file: &SourceFile, span: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let text = &file.text[span.clone()];
    span.start + (text.len() - text.trim_start().len())..span.end
}

/// Gives bindings and varyings their numbers by name and joins the stages' interfaces.
fn link(stages: &mut [(Stage, &str, Vec<u32>)], texts: &Texts) -> Result<ShaderInterface, Diagnostic> {
    let mut reflected: Vec<StageInterface> = Vec::new();
    for (stage, path, words) in stages.iter() {
        reflected.push(reflect_stage(words, *stage).map_err(|e| interface_error(e, path, texts))?);
    }
    link_varyings(stages, &mut reflected, texts)?;
    let bindings = number_bindings(stages, &mut reflected, texts)?;
    let mut out = ShaderInterface { workgroup: [1; 3], ..ShaderInterface::default() };
    for ((stage, path, _), part) in stages.iter().zip(&reflected) {
        match stage {
            Stage::Vertex => out.inputs = vertex_inputs(&part.inputs, path, texts)?,
            Stage::Fragment => out.outputs = part.outputs.iter().map(fragment_output).collect(),
            Stage::Compute => out.workgroup = part.workgroup,
        }
        out.push_bytes = out.push_bytes.max(part.push_bytes);
        for constant in &part.constants {
            if !out.constants.contains(constant) {
                out.constants.push(constant.clone());
            }
        }
    }
    let blocks: Vec<&Block> =
        reflected.iter().flat_map(|p| &p.blocks).filter(|(name, _)| name == "Params").map(|(_, b)| b).collect();
    if let (Some(first), Some(binding)) = (blocks.first(), bindings.iter().find(|b| b.name == "Params")) {
        if let Some(other) = blocks.iter().find(|b| b != &first) {
            let text =
                format!("Params differs between stages: {} and {} members", first.members.len(), other.members.len());
            return Err(
                interface_error(text, stages[0].1, texts).help("put the block into a file that both stages include")
            );
        }
        out.params = Some((binding.binding, (*first).clone()));
    }
    out.bindings = bindings;
    Ok(out)
}

fn interface_error(text: String, path: &str, texts: &Texts) -> Diagnostic {
    let error = Diagnostic::error("shader.interface", text);
    match texts.get(path).cloned().flatten() {
        Some(file) => {
            // The first quoted name of the sentence, where the file has it, is the place.
            let name = error.message.split('"').nth(1).unwrap_or("").to_owned();
            let span = match file.text.find(&name) {
                Some(at) if !name.is_empty() => at..at + name.len(),
                _ => 0..0,
            };
            error.at(&file, span, "")
        }
        None => error.in_file(path),
    }
}

fn link_varyings(
    stages: &mut [(Stage, &str, Vec<u32>)],
    reflected: &mut [StageInterface],
    texts: &Texts,
) -> Result<(), Diagnostic> {
    let [(_, _, vertex), (_, path, fragment)] = stages else { return Ok(()) };
    let [writer, reader] = reflected else { return Ok(()) };
    let mut locations = BTreeMap::new();
    for (location, output) in writer.outputs.iter_mut().enumerate() {
        output.location = location as u32;
        locations.insert(output.name.clone(), output.location);
    }
    for input in &reader.inputs {
        let Some(output) = writer.outputs.iter().find(|o| o.name == input.name) else {
            let near = near_miss(&input.name, writer.outputs.iter().map(|o| o.name.as_str()));
            let text =
                format!("\"{}\" is read by the fragment shader, the vertex shader does not write it", input.name);
            let error = interface_error(text, path, texts);
            return Err(match near {
                Some(near) => error.help(format!("did you mean \"{near}\"?")),
                None => error,
            });
        };
        if (output.components, output.integer) != (input.components, input.integer) {
            let text = format!("\"{}\" has another type in the vertex shader than here", input.name);
            return Err(interface_error(text, path, texts));
        }
    }
    spirv::relocate(vertex, spirv::Side::Output, &locations);
    spirv::relocate(fragment, spirv::Side::Input, &locations);
    Ok(())
}

fn number_bindings(
    stages: &mut [(Stage, &str, Vec<u32>)],
    reflected: &mut [StageInterface],
    texts: &Texts,
) -> Result<Vec<ShaderBinding>, Diagnostic> {
    let mut all: BTreeMap<(u32, String), ShaderBinding> = BTreeMap::new();
    for ((_, path, _), part) in stages.iter().zip(reflected.iter()) {
        for binding in &part.bindings {
            let reserved = ["Frame", "View"].contains(&binding.name.as_str());
            if (binding.set == set::FRAME) != reserved || binding.set > set::DATA {
                let text = format!("\"{}\" stands in descriptor set {}", binding.name, binding.set);
                return Err(interface_error(text, path, texts)
                    .help("write PASS, MATERIAL or DATA before `uniform` or `buffer`, see common/sets.glsl"));
            }
            let key = (binding.set, binding.name.clone());
            match all.get_mut(&key) {
                None => {
                    all.insert(key, binding.clone());
                }
                Some(known) if known.kind == binding.kind => known.stages.extend(&binding.stages),
                Some(_) => {
                    let text = format!("\"{}\" has another type in the other stage", binding.name);
                    return Err(interface_error(text, path, texts));
                }
            }
        }
    }
    let mut next = [0u32; 4];
    for binding in all.values_mut() {
        binding.binding = match binding.name.as_str() {
            "Frame" if binding.set == set::FRAME => 0,
            "View" if binding.set == set::FRAME => 1,
            _ => next[binding.set as usize],
        };
        next[binding.set as usize] = binding.binding + 1;
    }
    for ((_, _, words), part) in stages.iter_mut().zip(reflected.iter_mut()) {
        spirv::rebind(words, |set, old| {
            let name = part.bindings.iter().find(|b| (b.set, b.binding) == (set, old)).map(|b| b.name.clone())?;
            all.get(&(set, name)).map(|b| b.binding)
        });
    }
    Ok(all.into_values().collect())
}

fn vertex_inputs(ports: &[Port], path: &str, texts: &Texts) -> Result<Vec<VertexInput>, Diagnostic> {
    ports
        .iter()
        .map(|p| match p.name.strip_prefix("in_") {
            Some(name) => Ok(VertexInput {
                name: name.into(),
                location: p.location,
                components: p.components,
                integer: p.integer,
            }),
            None => Err(interface_error(format!("vertex attribute \"{}\" must be called in_...", p.name), path, texts)),
        })
        .collect()
}

fn fragment_output(port: &Port) -> FragmentOutput {
    FragmentOutput {
        name: port.name.strip_prefix("out_").unwrap_or(&port.name).into(),
        location: port.location,
        components: port.components,
    }
}
