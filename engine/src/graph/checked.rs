//! The checked graph: loaded once, planned for every set of sizes and conditions.

use std::sync::{Arc, Mutex};

use super::condition::{Condition, Read, dynamic, engine};
use super::extend::{FileLoader, load_files};
use super::ir::{Buffer, Image, Pass};
use super::matching::{LiveConstant, Matching, match_all, word_of};
use super::plan::{DeviceModel, Plan};
use super::report::Report;
use super::resolve::{Context, Resolved, expand, resolve};
use super::shaders::{compile_shaders, gather_params};
use super::shapes::shapes;
use super::source::Log;
use super::{build, frame};
use crate::diag::{Diagnostic, Label, SourceFile};
use crate::scene::{ParamDecl, ParamTable, Registry, Value};
use crate::shader::{CompiledShader, ShaderProvider};

/// A graph without errors. It depends on no size, no param's value and no device.
#[derive(Debug)]
pub struct Graph {
    pub(crate) name: String,
    pub(crate) output: u32,
    pub(crate) images: Vec<Image>,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) passes: Vec<Pass>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) textures: Vec<String>,
    pub(crate) all_params: Vec<ParamDecl>,
    pub(crate) shaders: Vec<Arc<CompiledShader>>,
    pub(crate) sources: Vec<Arc<SourceFile>>,
    own_params: usize,
    live: Vec<LiveConstant>,
    order: Vec<u32>,
    files: Vec<String>,
    warnings: Vec<Diagnostic>,
    engine: rhai::Engine,
    flag_defaults: Vec<bool>,
    cache: Mutex<Option<(Vec<Input>, Conditions)>>,
}

/// A value that a condition or a constant read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Input {
    Param(Value),
    Flag(bool),
}

/// Outcome of all conditions and the constants that follow params. Equal outcomes have equal plans.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conditions {
    pub(crate) truths: Arc<[bool]>,
    pub(crate) constants: Arc<[u32]>,
}

/// Sizes that images follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Size of the picture in pixels.
    pub view: [u32; 2],
    /// The game's named sizes, by [`crate::scene::SizeId`].
    pub named: Vec<[u32; 2]>,
}

/// How barriers are issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarrierStyle {
    /// As few calls as possible.
    #[default]
    Batched,
    /// One call for each barrier, right where it is needed.
    Individual,
}

/// Switches of planning. All but `disabled` and `keep` change the plan and never the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// Drops passes that nobody needs.
    pub cull: bool,
    /// Transient images share memory.
    pub alias: bool,
    /// Neighbouring raster passes share renderings.
    pub merge: bool,
    /// How barriers are issued.
    pub barriers: BarrierStyle,
    /// Names of passes that are switched off.
    pub disabled: Vec<String>,
    /// Names of images that must be readable when the frame is done.
    pub keep: Vec<String>,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            cull: true,
            alias: true,
            merge: true,
            barriers: BarrierStyle::Batched,
            disabled: Vec::new(),
            keep: Vec::new(),
        }
    }
}

/// A plan with what belongs to it.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The plan.
    pub plan: Plan,
    /// Shaders by [`Plan::shaders`].
    pub shaders: Vec<Arc<CompiledShader>>,
    /// What the compiler did and why.
    pub report: Report,
}

impl Graph {
    /// Reads a graph with all that it extends, and checks it against a game and its shaders.
    ///
    /// # Errors
    /// All mistakes of the files at once, in the order of the files.
    pub fn load(
        path: &str,
        files: &dyn FileLoader,
        registry: &Registry,
        shaders: &dyn ShaderProvider,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut log = Log::default();
        let (ast, paths) = load_files(&mut log, path, files);
        let syntax = log.errors.iter().any(|e| e.code == "graph.syntax") || log.files.is_empty();
        if syntax {
            return Err(sorted(&log.files, log.errors));
        }
        let asts = expand(&mut log, &ast);
        let compiled = compile_shaders(&mut log, &asts, shaders);
        let (params, own_params) = gather_params(&mut log, &ast, &compiled.list, registry);
        let engine = engine();
        let cx = Context { registry, engine: &engine };
        let mut resolved = resolve(&mut log, &ast, &params, asts, &cx);
        let matching = Matching { registry, params: &params, shaders: &compiled };
        let live = match_all(&mut log, &mut resolved, &matching);
        let order = condition_order(&mut log, &resolved);
        let Resolved { images, buffers, passes, conditions, files: textures, output, .. } = resolved;
        if output.is_none() && log.errors.is_empty() {
            log.errors.push(Diagnostic::error("graph.missing-key", "the graph has no output").in_file(path));
        }
        let graph = Self {
            name: ast.name.map_or_else(|| stem(path), |n| n.value),
            output: output.as_ref().map_or(0, |o| o.value),
            images,
            buffers,
            passes,
            conditions,
            textures,
            all_params: params,
            shaders: compiled.list,
            sources: log.files.clone(),
            own_params,
            live,
            order,
            files: paths,
            warnings: Vec::new(),
            engine,
            flag_defaults: registry.flags.iter().map(|f| f.default).collect(),
            cache: Mutex::new(None),
        };
        if log.errors.is_empty() {
            graph.check_conditions(&mut log);
            graph.check_order(&mut log, output.map(|o| o.at));
        }
        if log.errors.is_empty() {
            Ok(Self { warnings: log.warnings, ..graph })
        } else {
            Err(sorted(&log.files, log.errors))
        }
    }

    /// Params that the graph or its shaders declare.
    pub fn params(&self) -> &[ParamDecl] {
        &self.all_params[..self.own_params]
    }

    /// All graph files that were read, for watching.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// All shaders.
    pub fn shaders(&self) -> &[Arc<CompiledShader>] {
        &self.shaders
    }

    /// Warnings and notes.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Name of the graph.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names of all passes in order, with the steps of repeats.
    pub fn pass_names(&self) -> impl Iterator<Item = &str> {
        self.passes.iter().map(|p| p.name.value.as_str())
    }

    /// Names of all images.
    pub fn image_names(&self) -> impl Iterator<Item = &str> {
        self.images.iter().map(|i| i.name.value.as_str())
    }

    /// Evaluates all conditions; cheap while no value that they read has changed. `flags` are the game's, in the
    /// registry's order. A pass's name in a condition stands for that pass's own condition.
    pub fn evaluate(&self, params: &ParamTable, flags: &[bool]) -> Conditions {
        let value = |i: u32| {
            let decl = &self.all_params[i as usize];
            params.find(&decl.name).map_or(decl.default, |id| params.get(id))
        };
        let flag = |i: u32| flags.get(i as usize).copied().unwrap_or(self.flag_defaults[i as usize]);
        let reads = self.conditions.iter().flat_map(|c| &c.reads).filter_map(|(_, read)| match read {
            Read::Param(i) => Some(Input::Param(value(*i))),
            Read::Flag(i) => Some(Input::Flag(flag(*i))),
            Read::Pass(_) => None,
        });
        let reads = reads.chain(self.live.iter().map(|l| Input::Param(value(l.param))));
        let mut cache = self.cache.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((known, conditions)) = &*cache
            && reads.clone().eq(known.iter().copied())
        {
            return conditions.clone();
        }
        let inputs: Vec<Input> = reads.collect();
        let (truths, _) = self.truths(value, flag);
        let constants = self.live.iter().map(|l| {
            let decl = &self.all_params[l.param as usize];
            word_of(value(l.param), l.kind).or(word_of(decl.default, l.kind)).unwrap_or(0)
        });
        let conditions = Conditions { truths: truths.into(), constants: constants.collect() };
        *cache = Some((inputs, conditions.clone()));
        conditions
    }

    /// Outcome of every condition, and what went wrong in some.
    fn truths(&self, value: impl Fn(u32) -> Value, flag: impl Fn(u32) -> bool) -> (Vec<bool>, Vec<(u32, String)>) {
        let mut truths = vec![true; self.conditions.len()];
        let mut errors = Vec::new();
        for &c in &self.order {
            let known = &truths;
            let result = self.conditions[c as usize].holds(&self.engine, |read| match read {
                Read::Param(i) => dynamic(&self.all_params[i as usize], value(i)),
                Read::Flag(i) => flag(i).into(),
                Read::Pass(i) => {
                    let pass = &self.passes[i as usize];
                    (pass.dropped.is_none() && pass.when.is_none_or(|w| known[w as usize])).into()
                }
            });
            match result {
                Ok(holds) => truths[c as usize] = holds,
                Err(error) => {
                    truths[c as usize] = false;
                    errors.push((c, error));
                }
            }
        }
        (truths, errors)
    }

    /// Evaluates every condition with the defaults, so that a condition that is no truth value is found at load.
    fn check_conditions(&self, log: &mut Log) {
        let value = |i: u32| self.all_params[i as usize].default;
        let (_, errors) = self.truths(value, |i| self.flag_defaults[i as usize]);
        for (condition, error) in errors {
            let at = self.conditions[condition as usize].at;
            let message = format!("the condition fails with the default values: {error}");
            log.error("graph.condition", message, at, "this condition");
        }
    }

    /// Rule 4 and uses that fight, with every pass on. Sizes are nominal: they decide only the number of mips.
    fn check_order(&self, log: &mut Log, output: Option<super::source::Place>) {
        let sizes = Sizes { view: [4096, 4096], named: Vec::new() };
        let mut quiet = Log::default();
        let shapes = shapes(&mut quiet, self, &sizes, u32::MAX);
        let truths = vec![true; self.conditions.len()];
        let frame = frame::frame(log, self, &shapes, &frame::Switches { truths: &truths, disabled: &[] });
        let written = frame.steps.iter().flat_map(|s| &s.uses).any(|u| u.writes && u.image == self.output);
        if !written && log.errors.is_empty() && self.images[self.output as usize].file.is_none() {
            let name = &self.images[self.output as usize].name.value;
            let message = format!("no pass writes the output \"{name}\"");
            log.error("graph.read-before-write", message, output.unwrap_or_default(), "the output");
        }
        if self.images[self.output as usize].file.is_some() {
            let message = "the output comes from a file".to_owned();
            log.error("graph.read-only-image", message, output.unwrap_or_default(), "the output");
        }
    }

    /// The plan for some sizes and conditions on a device.
    ///
    /// # Errors
    /// What only shows with them: images that are too large, formats that the device lacks, attachments of different
    /// sizes, reads that no pass that is on writes, more memory than the device has.
    pub fn plan(
        &self,
        sizes: &Sizes,
        conditions: &Conditions,
        device: &dyn DeviceModel,
        options: &PlanOptions,
    ) -> Result<Compiled, Vec<Diagnostic>> {
        let mut log = Log { files: self.sources.clone(), ..Log::default() };
        let compiled = build::build(&mut log, self, sizes, conditions, device, options);
        match compiled {
            Some(compiled) if log.errors.is_empty() => Ok(compiled),
            _ => Err(sorted(&log.files, log.errors)),
        }
    }
}

/// Errors by file and position, so that a person reads them from top to bottom; each once.
fn sorted(files: &[Arc<SourceFile>], mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let place = |error: &Diagnostic| match error.labels.first() {
        Some(Label::Source { file, span, .. }) => {
            (files.iter().position(|f| Arc::ptr_eq(f, file)).unwrap_or(files.len()), span.start)
        }
        _ => (files.len(), 0),
    };
    errors.sort_by_key(place);
    errors.dedup();
    errors
}

fn stem(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".toml").unwrap_or(name).to_owned()
}

/// Conditions in an order in which every pass's condition comes before those that read the pass's name.
fn condition_order(log: &mut Log, resolved: &Resolved) -> Vec<u32> {
    let conditions = &resolved.conditions;
    let needs = |c: u32| {
        conditions[c as usize].reads.iter().filter_map(|(_, read)| match read {
            Read::Pass(p) => resolved.passes[*p as usize].when,
            _ => None,
        })
    };
    let mut state = vec![0u8; conditions.len()];
    let mut order = Vec::new();
    for start in 0..conditions.len() as u32 {
        let mut stack = vec![(start, false)];
        while let Some((c, done)) = stack.pop() {
            if done {
                state[c as usize] = 2;
                order.push(c);
                continue;
            }
            match state[c as usize] {
                2 => continue,
                1 => continue,
                _ => state[c as usize] = 1,
            }
            stack.push((c, true));
            for next in needs(c) {
                if state[next as usize] == 1 {
                    let at = conditions[c as usize].at;
                    let second = log.label(conditions[next as usize].at, "which waits for it");
                    log.error("graph.condition-cycle", "conditions wait for each other", at, "this condition")
                        .labels
                        .push(second);
                } else if state[next as usize] == 0 {
                    stack.push((next, false));
                }
            }
        }
    }
    order
}
