//! Graph files, shader sources and a world through the compilers to texels: what the parts agree on.

use std::sync::Arc;

use super::support::*;
use crate::diag::{Diagnostic, SourceFile};
use crate::graph::*;
use crate::scene::*;
use crate::shader::{MemorySources, ShaderCompiler};
use crate::vulkan::*;

struct OneFile(&'static str);

impl FileLoader for OneFile {
    fn read(&self, path: &str) -> Result<Arc<SourceFile>, Diagnostic> {
        Ok(SourceFile::new(path, self.0))
    }
}

const GRAPH: &str = r#"
[graph]
name = "compiled"
output = "scene"

[image.depth]
format = "d32"
size = "view"

[image.shadow]
format = "d32"
size = [16, 16]

[image.lit]
format = "rgba8"
size = "view"

[image.trail]
format = "rgba8"
size = "view"
persistent = true

[image.scene]
format = "rgba8"
size = "view"

[param.share]
value = 0.5
min = 0.0
max = 1.0
doc = "share of the picture"

[[pass]]
name = "shadow"
view = "light"
depth = { image = "shadow", clear = 1.0 }
draw = ["quads"]
shader = "depth"

[[pass]]
name = "quads"
view = "main"
color = { image = "lit", clear = [0.0, 0.0, 1.0, 1.0] }
depth = { image = "depth", clear = 1.0 }
sample = { shadow = "shadow" }
draw = ["quads"]
shader = "quads"

[[pass]]
name = "trail"
kind = "fullscreen"
color = { trail = "trail" }
sample = { lit = "lit", before = "trail@prev" }
shader = "trail"

[[pass]]
name = "show"
kind = "fullscreen"
color = { scene = "scene" }
sample = { trail = "trail" }
shader = "show"
"#;

fn sources() -> MemorySources {
    MemorySources::new([
        ("common/sets.glsl", include_str!("../../../../shaders/common/sets.glsl")),
        ("common/fullscreen.vert", include_str!("../../../../shaders/common/fullscreen.vert")),
        (
            "depth.vert",
            "#include \"common/sets.glsl\"\nin vec2 in_position;\nvoid main() { gl_Position = vec4(in_position, 0.25, 1.0); }\n",
        ),
        (
            "quads.vert",
            "#include \"common/sets.glsl\"\nin vec4 in_tint;\nin vec2 in_position;\nout vec4 tint;\n\
             DATA readonly buffer Offsets { vec2 offsets[]; };\n\
             void main() { tint = in_tint; gl_Position = view.view_projection * vec4(in_position + offsets[push.index.y], 0.5, 1.0); }\n",
        ),
        (
            "quads.frag",
            "#include \"common/sets.glsl\"\nin vec4 tint;\nout vec4 out_lit;\nMATERIAL uniform sampler2D diffuse;\n\
             PASS uniform sampler2DShadow shadow;\n\
             void main() { out_lit = tint * texture(diffuse, vec2(0.5)) * (0.5 + 0.5 * texture(shadow, vec3(0.5, 0.5, 0.9))); }\n",
        ),
        (
            "trail.frag",
            "#include \"common/sets.glsl\"\nin vec2 uv;\nout vec4 out_trail;\nPASS uniform sampler2D lit;\nPASS uniform sampler2D before;\n\
             PASS uniform Params { float share; };\n\
             void main() { out_trail = texture(lit, uv) * share + texture(before, uv) * share; }\n",
        ),
        (
            "show.frag",
            "#include \"common/sets.glsl\"\nin vec2 uv;\nout vec4 out_scene;\nPASS uniform sampler2D trail;\n\
             void main() { out_scene = texture(trail, uv) + 0.0 * frame.size.xyxy; }\n",
        ),
    ])
}

fn compile(gpu: &Gpu, registry: &Registry, options: &PlanOptions, size: [u32; 2]) -> Compiled {
    let shaders = ShaderCompiler::new(Arc::new(sources())).unwrap();
    let text = |e: Vec<Diagnostic>| e.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let graph = Graph::load("test.toml", &OneFile(GRAPH), registry, &shaders).map_err(text).unwrap();
    let conditions = graph.evaluate(&ParamTable::default(), &[]);
    let sizes = Sizes { view: size, named: Vec::new() };
    graph.plan(&sizes, &conditions, gpu, options).map_err(text).unwrap()
}

fn rig(gpu: &TestGpu, options: &PlanOptions) -> Rig {
    let registry = super::lists::list_registry();
    let compiled = compile(&gpu.gpu, &registry, options, [8, 8]);
    let mut rig = Rig::new(gpu, (compiled.plan, compiled.shaders), &registry);
    super::lists::content(&mut rig.scene);
    let list = rig.scene.list_mut(ListId(0));
    list.draws = vec![super::lists::draw(0, 0, 0), super::lists::draw(1, 1, 1)];
    list.generation += 1;
    rig
}

#[test]
fn a_graph_file_is_drawn_and_the_switches_of_planning_do_not_change_the_picture() {
    let Some(gpu) = TestGpu::new() else { return };
    let plain =
        PlanOptions { alias: false, merge: false, barriers: BarrierStyle::Individual, ..PlanOptions::default() };
    let (mut one, mut two) = (rig(&gpu, &PlanOptions::default()), rig(&gpu, &plain));
    for _ in 0..4 {
        one.render();
        two.render();
    }
    assert_eq!(one.renderer.bytes_outside_heap(), 0, "the driver takes the compiler's places");
    let picture = one.renderer.read_output().unwrap();
    assert_eq!(picture, two.renderer.read_output().unwrap());
    // The first quad is red in the shadow of the quad in the middle of the light's picture: half of 255, of which four
    // frames of halves are 15/16.
    let red = one.texel(1, 1);
    assert!(red[0].abs_diff(120) <= 2 && red[1] == 0, "{red:?}");
    let empty = one.texel(1, 6);
    assert!(empty[2].abs_diff(239) <= 2 && empty[0] == 0, "{empty:?}");
}

#[test]
fn a_resize_takes_another_plan_and_keeps_the_pipelines() {
    let Some(gpu) = TestGpu::new() else { return };
    let registry = super::lists::list_registry();
    let mut rig = rig(&gpu, &PlanOptions::default());
    rig.render();
    let compiled = compile(&gpu.gpu, &registry, &PlanOptions::default(), [12, 5]);
    let new = Renderer::new(&gpu.gpu, compiled.plan, compiled.shaders, &registry).unwrap();
    assert_eq!(new.pipelines_built(), 0);
    rig.renderer.replace(new).unwrap();
    rig.render();
    let picture = rig.renderer.read_output().unwrap();
    assert_eq!((picture.width, picture.height), (12, 5));
}
