use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::graph::SampledKind;
use crate::scene::ValueType;

const SETS: &str = "#define PASS layout(set = 1)\nlayout(set = 0) uniform Frame { vec2 size; mat4 m; } frame;\n";
const VERT: &str = "#include \"common/sets.glsl\"\nin vec3 in_position;\nin vec2 in_uv;\nout vec4 tint;\nout vec2 uv;\n\
    void main() { uv = in_uv; tint = vec4(1); gl_Position = frame.m * vec4(in_position, 1); }\n";
const FRAG: &str = "#include \"../common/sets.glsl\"\n#pragma param strength \"how much\" 0.5 0 1\n\
    PASS uniform sampler2D scene;\nPASS uniform sampler2DShadow depth;\n\
    PASS uniform Params { float strength; bool on; vec3 c; } params;\nin vec2 uv;\nin vec4 tint;\nout vec4 out_scene;\n\
    void main() { out_scene = texture(scene, uv) * params.strength * texture(depth, vec3(uv, 1)) + tint;\n\
    if (params.on) out_scene.rgb += params.c; }\n";

fn compiler(frag: &str) -> ShaderCompiler {
    ShaderCompiler::new(Arc::new(MemorySources::new([
        ("common/sets.glsl", SETS),
        ("a/b.vert", VERT),
        ("a/b.frag", frag),
    ])))
    .unwrap()
}

fn request(name: &str) -> ShaderRequest {
    ShaderRequest { name: name.into(), kind: ShaderKind::Raster, defines: BTreeMap::new() }
}

#[test]
fn stages_agree_on_numbers_that_nobody_wrote() {
    let shader = compiler(FRAG).shader(&request("a/b")).unwrap();
    let i = &shader.interface;
    let bindings: Vec<_> = i.bindings.iter().map(|b| (b.set, b.binding, b.name.as_str(), b.kind)).collect();
    assert_eq!(
        bindings,
        [
            (0, 0, "Frame", BindingKind::Uniform),
            (1, 0, "Params", BindingKind::Uniform),
            (1, 1, "depth", BindingKind::Sampled(SampledKind::D2Shadow)),
            (1, 2, "scene", BindingKind::Sampled(SampledKind::D2)),
        ]
    );
    let (binding, block) = i.params.as_ref().unwrap();
    let members: Vec<_> = block.members.iter().map(|m| (m.name.as_str(), m.offset, m.kind)).collect();
    assert_eq!((*binding, block.size), (0, 32));
    assert_eq!(members, [("strength", 0, ValueType::Float), ("on", 4, ValueType::Bool), ("c", 16, ValueType::Vec3)]);
    let mut names: Vec<_> = i.inputs.iter().map(|v| (v.name.as_str(), v.components)).collect();
    names.sort_unstable();
    assert_eq!(names, [("position", 3), ("uv", 2)]);
    assert_eq!(i.outputs[0].name, "scene");
    assert_eq!(i.declared_params[0].name, "strength");
    assert!(shader.files.contains(&"common/sets.glsl".to_owned()));
    // The varyings stand in another order in the two stages and still have one location each.
    let at = |stage: usize, name: &str, output: bool| {
        let s = reflect::stage(&shader.stages[stage].1, shader.stages[stage].0).unwrap();
        let ports = if output { s.outputs } else { s.inputs };
        ports.iter().find(|p| p.name == name).unwrap().location
    };
    assert_eq!(at(0, "uv", true), at(1, "uv", false));
    assert_eq!(at(0, "tint", true), at(1, "tint", false));
}

#[test]
fn a_compile_error_points_at_its_line() {
    let errors = compiler("void main() {\n  float x = nothing;\n}\n").shader(&request("a/b")).unwrap_err();
    assert!(errors[0].to_string().contains("a/b.frag:2:3"), "{}", errors[0]);
    assert!(errors[0].message.contains("nothing"));
}

#[test]
fn an_error_in_an_include_names_the_include() {
    let c = ShaderCompiler::new(Arc::new(MemorySources::new([
        ("x.vert", "#include \"lib.glsl\"\nvoid main() { gl_Position = f(); }\n"),
        ("lib.glsl", "\nvec4 f() { return zzz; }\n"),
        ("y.vert", "\n#include \"gone.glsl\"\nvoid main() {}\n"),
    ])))
    .unwrap();
    let errors = c.shader(&request("x")).unwrap_err();
    assert!(errors[0].to_string().contains("lib.glsl:2:1"), "{}", errors[0]);
    let errors = c.shader(&request("y")).unwrap_err();
    assert!(
        errors[0].to_string().contains("y.vert:2:1") && errors[0].to_string().contains("gone.glsl"),
        "{}",
        errors[0]
    );
}

#[test]
fn a_resource_without_its_set_is_refused_with_the_way_out() {
    let frag = "uniform sampler2D scene;\nout vec4 out_a;\nvoid main() { out_a = texture(scene, vec2(0)); }\n";
    let errors = compiler(frag).shader(&request("a/b")).unwrap_err();
    assert!(errors[0].to_string().contains("PASS"), "{}", errors[0]);
    assert!(errors[0].to_string().contains("a/b.frag:1:19"), "{}", errors[0]);
}

#[test]
fn unknown_shaders_and_varyings_suggest_near_misses() {
    let errors = compiler(FRAG).shader(&request("a/c")).unwrap_err();
    assert!(errors[0].to_string().contains("did you mean \"a/b\"?"), "{}", errors[0]);
    let frag = "in vec2 uvs;\nout vec4 out_a;\nvoid main() { out_a = vec4(uvs, 0, 1); }\n";
    let errors = compiler(frag).shader(&request("a/b")).unwrap_err();
    assert!(errors[0].to_string().contains("did you mean \"uv\"?"), "{}", errors[0]);
}

#[test]
fn defines_make_permutations_and_edits_are_seen() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("c.comp");
    let write = |n: u32| {
        let text = format!("layout(local_size_x = N, local_size_y = {n}) in;\nvoid main() {{}}\n");
        std::fs::write(&path, text).unwrap();
    };
    write(2);
    let c = ShaderCompiler::new(Arc::new(FolderSources::new(dir.path()))).unwrap();
    let ask = |n: &str| {
        let defines = BTreeMap::from([("N".to_owned(), n.to_owned())]);
        c.shader(&ShaderRequest { name: "c".into(), kind: ShaderKind::Compute, defines }).unwrap()
    };
    assert_eq!(ask("8").interface.workgroup, [8, 2, 1]);
    assert_eq!(ask("4").interface.workgroup, [4, 2, 1]);
    assert!(Arc::ptr_eq(&ask("4"), &ask("4")));
    write(3);
    assert_eq!(ask("4").interface.workgroup, [4, 3, 1]);
}
