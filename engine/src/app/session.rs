//! A world, a graph and a renderer put together: the one loop that headless and windowed runs share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diag::{Diagnostic, SourceFile};
use crate::graph::{Compiled, Conditions, FileLoader, Graph, PlanOptions, Sizes};
use crate::scene::{Command, FrameInput, Game, ParamSource, ParamTable, Registry, World};
use crate::shader::{FolderSources, ShaderCompiler, ShaderProvider};
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
                .help("give the path of a graph file such as graphs/wc3.toml")
        };
        let size = std::fs::metadata(path).map_err(|e| failed(e.to_string()))?.len();
        if size > MAX_GRAPH_BYTES {
            return Err(failed(format!("it has {size} bytes, {MAX_GRAPH_BYTES} are allowed")));
        }
        let text = std::fs::read_to_string(path).map_err(|e| failed(e.to_string()))?;
        Ok(SourceFile::new(path, text))
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
}

/// Loads a graph file and the shaders it names.
pub fn load_graph(graph: &Path, compiler: &dyn ShaderProvider, registry: &Registry) -> Result<Graph, Vec<Diagnostic>> {
    Graph::load(&graph.display().to_string(), &DiskLoader, registry, compiler)
}

/// The shader compiler over a folder.
pub fn shader_compiler(folder: &Path) -> Result<ShaderCompiler, Diagnostic> {
    ShaderCompiler::new(Arc::new(FolderSources::new(folder)))
}

/// A running world.
pub struct Session {
    gpu: Gpu,
    registry: Registry,
    world: Box<dyn World>,
    params: ParamTable,
    compiler: ShaderCompiler,
    graph: Graph,
    conditions: Conditions,
    sizes: Sizes,
    renderer: Renderer,
    scene_gpu: SceneGpu,
    config: SessionConfig,
    frame: u64,
    time_ms: u64,
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
        let registry = game.registry().clone();
        let compiler = shader_compiler(&config.shaders).map_err(|e| vec![e])?;
        let graph = load_graph(&config.graph, &compiler, &registry)?;
        let mut params = ParamTable::default();
        for decl in registry.params.iter().chain(graph.params()) {
            params.declare(decl.clone());
        }
        set_from_command_line(&mut params, &config)?;
        // The first update gives the scene its flags and sizes, which the plan depends on.
        update(world.as_mut(), &mut params, &config, 0, 0, 0, &[]);
        let conditions = graph.evaluate(&params, &world.scene().flags);
        let sizes = Sizes { view: config.size, named: world.scene().sizes.clone() };
        let compiled = graph.plan(&sizes, &conditions, &gpu, &plan_options(&config))?;
        let renderer = build(&gpu, compiled, &registry)?;
        let scene_gpu = SceneGpu::new(&gpu).map_err(|e| vec![gpu_error(&e)])?;
        Ok(Self {
            gpu,
            registry,
            world,
            params,
            compiler,
            graph,
            conditions,
            sizes,
            renderer,
            scene_gpu,
            config,
            frame: 0,
            time_ms: 0,
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
        let frame =
            FrameUniforms { index: self.frame, time_ms: self.time_ms, dt_ms, seed: self.config.seed };
        update(self.world.as_mut(), &mut self.params, &self.config, self.frame, self.time_ms, dt_ms, commands);
        self.replan()?;
        let stats = self
            .renderer
            .render(self.world.scene_mut(), &mut self.scene_gpu, &self.params, &frame, overlay, target)
            .map_err(|e| vec![gpu_error(&e)])?;
        self.frame += 1;
        Ok(stats)
    }

    /// Makes a new plan when a size or the outcome of a condition changed.
    fn replan(&mut self) -> Result<(), Vec<Diagnostic>> {
        let conditions = self.graph.evaluate(&self.params, &self.world.scene().flags);
        let unchanged = self.sizes.view == self.config.size
            && self.sizes.named == self.world.scene().sizes
            && conditions == self.conditions;
        if unchanged {
            return Ok(());
        }
        self.sizes = Sizes { view: self.config.size, named: self.world.scene().sizes.clone() };
        self.conditions = conditions;
        let compiled = self.graph.plan(&self.sizes, &self.conditions, &self.gpu, &plan_options(&self.config))?;
        let renderer = build(&self.gpu, compiled, &self.registry)?;
        self.renderer.replace(renderer).map_err(|e| vec![gpu_error(&e)])
    }

    /// Changes the size of the picture from the next frame on; a side of 0 counts as 1.
    pub fn resize(&mut self, size: [u32; 2]) {
        self.config.size = size.map(|s| s.max(1));
    }

    /// The content of an image of the graph, or of the output, after the last frame.
    pub fn read_image(&mut self, image: Option<&str>) -> Result<ImageData, GpuError> {
        match image {
            Some(name) => self.renderer.read_image(name),
            None => self.renderer.read_output(),
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

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The shader compiler.
    pub fn compiler(&self) -> &ShaderCompiler {
        &self.compiler
    }

    /// The renderer.
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    /// The GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
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

fn plan_options(config: &SessionConfig) -> PlanOptions {
    PlanOptions { keep: config.keep.clone(), ..PlanOptions::default() }
}

fn build(gpu: &Gpu, compiled: Compiled, registry: &Registry) -> Result<Renderer, Vec<Diagnostic>> {
    Renderer::new(gpu, compiled.plan, compiled.shaders, registry).map_err(|e| vec![gpu_error(&e)])
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
