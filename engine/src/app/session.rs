//! A world, a graph and a renderer put together: the one loop that headless and windowed runs share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::record::Recording;
use crate::diag::{Diagnostic, SourceFile};
use crate::graph::{Compiled, Conditions, FileLoader, Graph, PlanOptions, Report, Sizes};
use crate::live::{LastGood, ReloadReport};
use crate::scene::{Command, FrameInput, Game, ParamSource, ParamTable, Registry, World};
use crate::shader::{FolderSources, MemorySources, ShaderCompiler, ShaderProvider};
use crate::vulkan::{FrameStats, FrameUniforms, Gpu, GpuError, ImageData, OverlayFrame, Renderer, SceneGpu, Swapchain};

/// Longest graph file that is read, bytes.
const MAX_GRAPH_BYTES: u64 = 1 << 20;

/// Reads graph files from disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskLoader;

impl FileLoader for DiskLoader {
    fn read(&self, path: &str) -> Result<Arc<SourceFile>, Diagnostic> {
        let failed = |what: String| {
            Diagnostic::error("graph.file", format!("{path} cannot be read: {what}"))
                .in_file(path)
                .help("give the path of a graph file such as graphs/frame.toml")
        };
        let size = std::fs::metadata(path).map_err(|e| failed(e.to_string()))?.len();
        if size > MAX_GRAPH_BYTES {
            return Err(failed(format!("it has {size} bytes, {MAX_GRAPH_BYTES} are allowed")));
        }
        let text = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
        Ok(SourceFile::new(path, text))
    }
}

/// Reads one graph file from memory, as a person edits it in the overlay, and the others from disk.
struct EditedLoader {
    path: String,
    text: Option<String>,
}

impl FileLoader for EditedLoader {
    fn read(&self, path: &str) -> Result<Arc<SourceFile>, Diagnostic> {
        match &self.text {
            Some(text) if path == self.path => Ok(SourceFile::new(path, text.clone())),
            _ => DiskLoader.read(path),
        }
    }
}

/// How a session is set up.
#[derive(Clone, Debug, Default)]
pub struct SessionConfig {
    /// The graph file.
    pub graph: PathBuf,
    /// The shader folder.
    pub shaders: PathBuf,
    /// Size of the picture in pixels.
    pub size: [u32; 2],
    /// Params that get a start value, as text.
    pub set: Vec<(String, String)>,
    /// Params that get a value and are held, as text.
    pub pin: Vec<(String, String)>,
    /// Images that must still have their content at the end of a frame.
    pub keep: Vec<String>,
    /// Seed of everything random.
    pub seed: u64,
    /// Where the last good version of the graph is kept. With it, a start on a broken file shows that version.
    pub last_good: Option<PathBuf>,
}

/// Graph files and shaders of the last good version; shaders carry this prefix.
const SHADER_PREFIX: &str = "shader:";

/// Reads graph files from the last good version.
struct KeptLoader(BTreeMap<String, String>);

impl FileLoader for KeptLoader {
    fn read(&self, path: &str) -> Result<Arc<SourceFile>, Diagnostic> {
        match self.0.get(path) {
            Some(text) => Ok(SourceFile::new(path, text.clone())),
            None => {
                Err(Diagnostic::error("graph.file", format!("{path} is not in the last good version")).in_file(path))
            }
        }
    }
}

/// Loads a graph file and the shaders it names.
pub fn load_graph(graph: &Path, compiler: &dyn ShaderProvider, registry: &Registry) -> Result<Graph, Vec<Diagnostic>> {
    Graph::load(&graph.display().to_string(), &DiskLoader, registry, compiler)
}

/// The shader compiler over a folder.
pub fn shader_compiler(folder: &Path) -> Result<ShaderCompiler, Diagnostic> {
    ShaderCompiler::new(Arc::new(FolderSources::new(folder)))
}

/// What it takes to compile a graph: all of it may go to a worker thread.
#[derive(Clone)]
struct Recipe {
    gpu: Gpu,
    registry: Arc<Registry>,
    compiler: Arc<ShaderCompiler>,
    path: String,
    /// Text of the graph file that is not on disk.
    text: Option<String>,
    options: PlanOptions,
}

/// A graph that is ready to be drawn.
struct Ready {
    graph: Graph,
    conditions: Conditions,
    sizes: Sizes,
    report: Report,
    renderer: Renderer,
}

impl Recipe {
    fn load(&self) -> Result<Graph, Vec<Diagnostic>> {
        let loader = EditedLoader { path: self.path.clone(), text: self.text.clone() };
        Graph::load(&self.path, &loader, &self.registry, self.compiler.as_ref())
    }

    /// Plans a graph and builds its pipelines.
    fn build(&self, graph: Graph, params: &ParamTable, flags: &[bool], sizes: Sizes) -> Result<Ready, Vec<Diagnostic>> {
        let conditions = graph.evaluate(params, flags);
        let (report, renderer) = self.renderer(&graph, &conditions, &sizes)?;
        Ok(Ready { graph, conditions, sizes, report, renderer })
    }

    fn renderer(
        &self,
        graph: &Graph,
        conditions: &Conditions,
        sizes: &Sizes,
    ) -> Result<(Report, Renderer), Vec<Diagnostic>> {
        let Compiled { plan, shaders, report } = graph.plan(sizes, conditions, &self.gpu, &self.options)?;
        let renderer = Renderer::new(&self.gpu, plan, shaders, &self.registry).map_err(|e| vec![gpu_error(&e)])?;
        Ok((report, renderer))
    }
}

/// How a reload ended.
pub enum ReloadOutcome {
    /// The new graph is drawn from the next frame on.
    Swapped(ReloadReport),
    /// The old graph goes on.
    Kept(Vec<Diagnostic>),
}

/// A running world.
pub struct Session {
    recipe: Recipe,
    ready: Ready,
    world: Box<dyn World>,
    params: ParamTable,
    scene_gpu: SceneGpu,
    config: SessionConfig,
    frame: u64,
    time_ms: u64,
    job: Option<Receiver<Result<Ready, Vec<Diagnostic>>>>,
    /// Something changed while a job was under way.
    again: bool,
    recording: Option<Recording>,
    /// What was wrong with the file at the start, while the last good version is shown instead.
    start_errors: Vec<Diagnostic>,
}

impl Session {
    /// Compiles the graph and builds everything for the first frame.
    ///
    /// # Errors
    /// Everything that is wrong with the graph, its shaders, or the params of the command line; or what the GPU says.
    pub fn new(
        gpu: Gpu,
        game: &dyn Game,
        mut world: Box<dyn World>,
        config: SessionConfig,
    ) -> Result<Self, Vec<Diagnostic>> {
        let compiler = shader_compiler(&config.shaders).map_err(|e| vec![e])?;
        let recipe = Recipe {
            gpu,
            registry: Arc::new(game.registry().clone()),
            compiler: Arc::new(compiler),
            path: config.graph.display().to_string(),
            text: None,
            options: PlanOptions { keep: config.keep.clone(), ..PlanOptions::default() },
        };
        let (graph, start_errors) = match recipe.load() {
            Ok(graph) => (graph, Vec::new()),
            Err(errors) => (kept_graph(&recipe, &config).ok_or_else(|| errors.clone())?, errors),
        };
        let mut params = ParamTable::default();
        for decl in recipe.registry.params.iter().chain(graph.params()) {
            params.declare(decl.clone());
        }
        set_from_command_line(&mut params, &config)?;
        // The first update gives the scene its flags and sizes, which the plan depends on.
        update(world.as_mut(), &mut params, &config, 0, 0, 0, &[]);
        let sizes = Sizes { view: config.size, named: world.scene().sizes.clone() };
        let ready = recipe.build(graph, &params, &world.scene().flags, sizes)?;
        let scene_gpu = SceneGpu::new(&recipe.gpu).map_err(|e| vec![gpu_error(&e)])?;
        if start_errors.is_empty() {
            keep_graph(&ready.graph, &config);
        }
        Ok(Self {
            recipe,
            ready,
            world,
            params,
            scene_gpu,
            config,
            frame: 0,
            time_ms: 0,
            job: None,
            again: false,
            recording: None,
            start_errors,
        })
    }

    /// Renders the next frame.
    ///
    /// # Errors
    /// What the GPU says; a plan for changed sizes or conditions that cannot be made.
    pub fn step(
        &mut self,
        dt_ms: u64,
        commands: &[Command],
        overlay: Option<&mut OverlayFrame>,
        target: Option<&mut Swapchain>,
    ) -> Result<FrameStats, Vec<Diagnostic>> {
        let dt_ms = if self.frame == 0 { 0 } else { dt_ms };
        self.time_ms += dt_ms;
        let frame = FrameUniforms { index: self.frame, time_ms: self.time_ms, dt_ms, seed: self.config.seed };
        update(self.world.as_mut(), &mut self.params, &self.config, self.frame, self.time_ms, dt_ms, commands);
        self.replan()?;
        let stats = self
            .ready
            .renderer
            .render(self.world.scene_mut(), &mut self.scene_gpu, &self.params, &frame, overlay, target)
            .map_err(|e| vec![gpu_error(&e)])?;
        self.frame += 1;
        if let Some(recording) = &mut self.recording {
            recording.add(self.ready.renderer.timings());
        }
        Ok(stats)
    }

    /// Keeps the timings of the frames from now on.
    pub fn record(&mut self) {
        self.recording = Some(Recording::default());
    }

    /// The timings that were kept, the last frame's too; waits for that frame.
    pub fn recording(&mut self) -> Option<&Recording> {
        let recording = self.recording.as_mut()?;
        // A wait that fails leaves the last frame out.
        if self.recipe.gpu.wait().is_ok() {
            recording.add(self.ready.renderer.timings());
        }
        Some(recording)
    }

    /// What was wrong with the graph file at the start, where the last good version is shown instead; given once.
    pub fn take_start_errors(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.start_errors)
    }

    /// Makes a new plan when a size or the outcome of a condition changed.
    fn replan(&mut self) -> Result<(), Vec<Diagnostic>> {
        let conditions = self.ready.graph.evaluate(&self.params, &self.world.scene().flags);
        let unchanged = self.ready.sizes.view == self.config.size
            && self.ready.sizes.named == self.world.scene().sizes
            && conditions == self.ready.conditions;
        if unchanged {
            return Ok(());
        }
        self.ready.sizes = Sizes { view: self.config.size, named: self.world.scene().sizes.clone() };
        self.ready.conditions = conditions;
        self.rebuild()
    }

    /// Plans the graph anew and takes over what stayed equal.
    fn rebuild(&mut self) -> Result<(), Vec<Diagnostic>> {
        let Ready { graph, conditions, sizes, .. } = &self.ready;
        let (report, renderer) = self.recipe.renderer(graph, conditions, sizes)?;
        self.ready.report = report;
        self.ready.renderer.replace(renderer).map_err(|e| vec![gpu_error(&e)])
    }

    /// Switches passes off without touching the file. When the rest does not make a frame, nothing changes.
    pub fn set_disabled(&mut self, passes: Vec<String>) -> Result<(), Vec<Diagnostic>> {
        let before = std::mem::replace(&mut self.recipe.options.disabled, passes);
        let result = self.rebuild();
        if result.is_err() {
            self.recipe.options.disabled = before;
        }
        result
    }

    /// Passes that are switched off.
    pub fn disabled(&self) -> &[String] {
        &self.recipe.options.disabled
    }

    /// Reads the graph from this text instead of the file, or from the file again.
    pub fn edit_graph(&mut self, text: Option<String>) {
        self.recipe.text = text;
        self.reload();
    }

    /// Compiles the files as they are now on a worker thread, while frames go on.
    pub fn reload(&mut self) {
        if self.job.is_some() {
            self.again = true;
            return;
        }
        let (recipe, params) = (self.recipe.clone(), self.params.clone());
        let flags = self.world.scene().flags.clone();
        let sizes = Sizes { view: self.config.size, named: self.world.scene().sizes.clone() };
        let (sender, receiver) = channel();
        self.job = Some(receiver);
        std::thread::spawn(move || {
            let result = recipe.load().and_then(|graph| {
                let mut params = params;
                for decl in graph.params() {
                    params.declare(decl.clone());
                }
                recipe.build(graph, &params, &flags, sizes)
            });
            // The session may have ended meanwhile.
            let _ = sender.send(result);
        });
    }

    /// Swaps in what the worker made, between two frames. `None` while there is nothing new.
    ///
    /// # Errors
    /// What the GPU says while the images are taken over.
    pub fn poll_reload(&mut self) -> Result<Option<ReloadOutcome>, Vec<Diagnostic>> {
        let Some(job) = &self.job else { return Ok(None) };
        let result = match job.try_recv() {
            Ok(result) => result,
            Err(TryRecvError::Empty) => return Ok(None),
            Err(TryRecvError::Disconnected) => {
                Err(vec![Diagnostic::error("live.worker", "the reload ended without a word").help("save again")])
            }
        };
        self.job = None;
        if std::mem::take(&mut self.again) {
            self.reload();
            return Ok(None);
        }
        let ready = match result {
            Ok(ready) => ready,
            Err(errors) => return Ok(Some(ReloadOutcome::Kept(errors))),
        };
        let built = ready.renderer.pipelines_built() as usize;
        let report = ReloadReport::new(self.ready.renderer.plan(), ready.renderer.plan(), built);
        for decl in ready.graph.params() {
            self.params.declare(decl.clone());
        }
        let Ready { graph, conditions, sizes, report: planned, renderer } = ready;
        self.ready.renderer.replace(renderer).map_err(|e| vec![gpu_error(&e)])?;
        (self.ready.graph, self.ready.conditions) = (graph, conditions);
        (self.ready.sizes, self.ready.report) = (sizes, planned);
        if self.recipe.text.is_none() {
            keep_graph(&self.ready.graph, &self.config);
        }
        Ok(Some(ReloadOutcome::Swapped(report)))
    }

    /// Changes the size of the picture from the next frame on; a side of 0 counts as 1.
    pub fn resize(&mut self, size: [u32; 2]) {
        self.config.size = size.map(|s| s.max(1));
    }

    /// The content of an image of the graph, or of the output, after the last frame.
    pub fn read_image(&mut self, image: Option<&str>) -> Result<ImageData, GpuError> {
        match image {
            Some(name) => self.ready.renderer.read_image(name),
            None => self.ready.renderer.read_output(),
        }
    }

    /// The world.
    pub fn world(&self) -> &dyn World {
        self.world.as_ref()
    }

    /// The world, to place its camera.
    pub fn world_mut(&mut self) -> &mut dyn World {
        self.world.as_mut()
    }

    /// The params.
    pub fn params(&self) -> &ParamTable {
        &self.params
    }

    /// The params, to be set by the overlay and by scripts.
    pub fn params_mut(&mut self) -> &mut ParamTable {
        &mut self.params
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.ready.graph
    }

    /// What the compiler says about the plan.
    pub fn report(&self) -> &Report {
        &self.ready.report
    }

    /// The renderer.
    pub fn renderer(&mut self) -> &mut Renderer {
        &mut self.ready.renderer
    }

    /// The GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.recipe.gpu
    }

    /// The graph file.
    pub fn graph_path(&self) -> &Path {
        &self.config.graph
    }

    /// The shader folder.
    pub fn shader_folder(&self) -> &Path {
        &self.config.shaders
    }

    /// Size of the picture.
    pub fn size(&self) -> [u32; 2] {
        self.config.size
    }
}

fn update(
    world: &mut dyn World,
    params: &mut ParamTable,
    config: &SessionConfig,
    index: u64,
    time_ms: u64,
    dt_ms: u64,
    commands: &[Command],
) {
    let input = FrameInput { index, time_ms, dt_ms, seed: config.seed, size: config.size, commands };
    world.update(&input, params);
}

/// Keeps the files that a graph is made of as the last good version.
fn keep_graph(graph: &Graph, config: &SessionConfig) {
    let Some(folder) = &config.last_good else { return };
    let read = |name: String, path: &Path| std::fs::read(path).ok().map(|bytes| (name, bytes));
    let mut files: Vec<_> = graph.files().iter().filter_map(|f| read(f.clone(), Path::new(f))).collect();
    let shaders: std::collections::BTreeSet<&String> = graph.shaders().iter().flat_map(|s| &s.files).collect();
    files.extend(shaders.iter().filter_map(|f| read(format!("{SHADER_PREFIX}{f}"), &config.shaders.join(f))));
    if let Err(error) = LastGood::new(folder).store(&config.graph.display().to_string(), &files) {
        tracing::info!("the last good version of the graph is not kept: {error}");
    }
}

/// The graph as it was when it last was good.
fn kept_graph(recipe: &Recipe, config: &SessionConfig) -> Option<Graph> {
    let files = LastGood::new(config.last_good.as_ref()?).load(&config.graph.display().to_string())?;
    let texts = files.into_iter().filter_map(|(name, bytes)| Some((name, String::from_utf8(bytes).ok()?)));
    let (mut graphs, mut shaders) = (BTreeMap::new(), BTreeMap::new());
    for (name, text) in texts {
        match name.strip_prefix(SHADER_PREFIX) {
            Some(shader) => shaders.insert(shader.to_owned(), text),
            None => graphs.insert(name, text),
        };
    }
    let compiler = ShaderCompiler::new(Arc::new(MemorySources(shaders))).ok()?;
    Graph::load(&recipe.path, &KeptLoader(graphs), &recipe.registry, &compiler).ok()
}

/// A GPU's word as a diagnostic.
pub fn gpu_error(error: &GpuError) -> Diagnostic {
    Diagnostic::error("gpu", error.to_string())
}

fn set_from_command_line(params: &mut ParamTable, config: &SessionConfig) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let all = config.set.iter().map(|a| (a, false)).chain(config.pin.iter().map(|a| (a, true)));
    for ((name, text), pin) in all {
        let result = params.require(name).and_then(|id| {
            let value = params.entry(id).0.parse(text)?;
            params.set(id, value, ParamSource::CommandLine)?;
            params.hold(id, pin);
            Ok(())
        });
        if let Err(error) = result {
            errors.push(
                Diagnostic::error("use.param", error.to_string()).help("`terrace list` prints the params of a game"),
            );
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
