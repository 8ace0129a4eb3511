//! Made-up games, shaders, devices and files for the compiler's tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{DeviceModel, FileLoader, Format, Graph, ImageDesc, MaterialState, SampledKind, Sizes, Usage};
use crate::diag::{Diagnostic, SourceFile};
use crate::scene::{
    Attribute, AttributeFormat, FlagDecl, ImportDecl, ListDecl, MaterialSlot, ParamDecl, ParamTable, PresetDecl,
    Registry, SizeDecl, Stream, Value, ValueType,
};
use crate::shader::{
    BindingKind, Block, CompiledShader, FragmentOutput, Member, ShaderBinding, ShaderInterface, ShaderProvider,
    ShaderRequest, SpecConstant, Stage, VertexInput, set,
};

/// Shaders by name, each described by a line such as
/// `in position:3 uv:2; out color; sample lit veil:shadow; param fog_start:float; image result:w; local 8 8 1`.
#[derive(Default)]
pub(crate) struct Shaders(BTreeMap<String, String>);

/// The shaders that tests use.
pub(crate) const SHADERS: &[(&str, &str)] = &[
    ("ground", "in position:3 uv:2; out color; material diffuse; sample depthmap:shadow; param fog_start:float"),
    ("plain", "in position:3; out color"),
    ("depth_only", "in position:3"),
    ("water", "in position:3 uv:2; out color; material diffuse; data segments"),
    ("bones", "in position:3 weights:4; out color"),
    ("fill", "out color"),
    ("copy", "out color; sample source"),
    ("combine", "out color; sample first second"),
    ("grade", "out scene; sample lit previous; param exposure:float fog_start:float"),
    ("two", "out color normal; sample source"),
    ("fow", "out color; sample fow_mask"),
    ("array", "out color; sample layers:array"),
    ("shadowed", "out color; sample depthmap:shadow"),
    ("taps", "out color; sample source; const TAPS:int"),
    ("pragma", "out color; sample source; param glow:float; pragma glow:float"),
    ("histogram", "sample source; buffer bins:w; local 8 8 1"),
    ("expose", "buffer bins:r; buffer arguments:w; local 1 1 1"),
    ("blur", "sample source; image result:w; local 8 8 1"),
    ("accumulate", "image result:w; local 8 8 1"),
    ("consume", "buffer bins:r; image result:w; local 64 1 1"),
    ("wrong_type", "out color; param exposure:vec3"),
];

impl Shaders {
    pub(crate) fn standard() -> Self {
        Self(SHADERS.iter().map(|(n, d)| ((*n).to_owned(), (*d).to_owned())).collect())
    }
}

impl Shaders {
    pub(crate) fn add(&mut self, name: &str, text: &str) {
        self.0.insert(name.to_owned(), text.to_owned());
    }
}

impl ShaderProvider for Shaders {
    fn shader(&self, request: &ShaderRequest) -> Result<Arc<CompiledShader>, Vec<Diagnostic>> {
        let text =
            self.0.get(&request.name).ok_or_else(|| vec![Diagnostic::error("shader.missing", "no such shader")])?;
        Ok(Arc::new(CompiledShader {
            request: request.clone(),
            stages: Vec::new(),
            interface: interface(text),
            files: vec![format!("{}.glsl", request.name)],
            hash: 0,
        }))
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

fn value_type(name: &str) -> ValueType {
    match name {
        "bool" => ValueType::Bool,
        "int" => ValueType::Int,
        "vec2" => ValueType::Vec2,
        "vec3" => ValueType::Vec3,
        "vec4" => ValueType::Vec4,
        _ => ValueType::Float,
    }
}

fn interface(text: &str) -> ShaderInterface {
    let mut out = ShaderInterface { workgroup: [1; 3], ..ShaderInterface::default() };
    let compute = text.contains("local");
    let mut binding = 0;
    for part in text.split(';') {
        let mut words = part.split_whitespace();
        let Some(what) = words.next() else { continue };
        for (i, word) in words.enumerate() {
            let (name, detail) = word.split_once(':').unwrap_or((word, ""));
            let mut bind = |set, kind, stage| {
                binding += 1;
                out.bindings.push(ShaderBinding {
                    set,
                    binding: binding - 1,
                    name: name.into(),
                    kind,
                    stages: vec![stage],
                });
            };
            let stage = if compute { Stage::Compute } else { Stage::Fragment };
            let sampled = BindingKind::Sampled(match detail {
                "shadow" => SampledKind::D2Shadow,
                "array" => SampledKind::D2Array,
                _ => SampledKind::D2,
            });
            let written = detail == "w";
            match what {
                "sample" => bind(set::PASS, sampled, stage),
                "material" => bind(set::MATERIAL, sampled, stage),
                "image" => bind(set::PASS, BindingKind::StorageImage { written }, stage),
                "buffer" => bind(set::PASS, BindingKind::StorageBuffer { written }, stage),
                "data" => bind(set::DATA, BindingKind::StorageBuffer { written: false }, Stage::Vertex),
                "in" => {
                    let components = detail.parse().unwrap_or(4);
                    let location = i as u32;
                    out.inputs.push(VertexInput { name: name.into(), location, components, integer: false });
                }
                "out" => {
                    out.outputs.push(FragmentOutput { name: name.into(), location: i as u32, components: 4 });
                }
                "param" => {
                    let block = &mut out.params.get_or_insert((9, Block { size: 0, members: Vec::new() })).1;
                    block.members.push(Member { name: name.into(), offset: block.size, kind: value_type(detail) });
                    block.size += 16;
                }
                "pragma" => out.declared_params.push(ParamDecl::new(name, Value::Float(1.0), "from a shader")),
                "const" => {
                    out.constants.push(SpecConstant { name: name.into(), id: i as u32, kind: value_type(detail) });
                }
                "local" => out.workgroup[i] = name.parse().unwrap(),
                other => panic!("{other} is no part of a made-up shader"),
            }
        }
    }
    out
}

/// A game with a few lists, images, flags and sizes.
pub(crate) fn registry() -> Registry {
    let attribute = |name: &str, format, offset| Attribute { name: name.into(), format, offset };
    let list = |name: &str, attributes: Vec<Attribute>| ListDecl {
        name: name.into(),
        doc: String::new(),
        streams: vec![Stream { stride: 32, per_instance: false, attributes }],
        material: vec![MaterialSlot { name: "diffuse".into(), kind: SampledKind::D2 }],
        presets: vec![PresetDecl { name: "opaque".into(), state: MaterialState::default() }],
        storage: vec!["segments".into()],
    };
    let full = || vec![attribute("position", AttributeFormat::F32x3, 0), attribute("uv", AttributeFormat::F32x2, 12)];
    Registry {
        lists: vec![
            list("ground", full()),
            list("cliff", full()),
            list("entity.solid", full()),
            list("water", full()),
            list("lines", vec![attribute("position", AttributeFormat::F32x3, 0)]),
        ],
        imports: vec![ImportDecl { name: "fow_mask".into(), doc: String::new(), kind: SampledKind::D2 }],
        params: vec![ParamDecl::new("exposure", Value::Float(1.0), "")],
        flags: vec![FlagDecl { name: "menu".into(), doc: String::new(), default: false }],
        sizes: vec![SizeDecl { name: "map_cells".into(), doc: String::new() }],
        ..Registry::with_standard_views()
    }
}

/// A device that has everything, and memory as the texels are.
pub(crate) struct Device {
    pub(crate) lacks: Vec<Format>,
    pub(crate) budget: u64,
}

impl Default for Device {
    fn default() -> Self {
        Self { lacks: Vec::new(), budget: u64::MAX }
    }
}

impl DeviceModel for Device {
    fn supports(&self, format: Format, _: Usage, _: u32) -> bool {
        !self.lacks.contains(&format)
    }

    fn image_memory(&self, desc: &ImageDesc) -> (u64, u64) {
        let mip = |m: u32| desc.format.bytes_for((desc.extent[0] >> m).max(1), (desc.extent[1] >> m).max(1)) as u64;
        let texels: u64 = (0..desc.mips).map(mip).sum();
        ((texels * u64::from(desc.layers * desc.samples)).next_multiple_of(256), 256)
    }

    fn max_extent(&self) -> u32 {
        16_384
    }

    fn memory_budget(&self) -> u64 {
        self.budget
    }
}

/// Files by path.
#[derive(Default)]
pub(crate) struct Files(pub(crate) BTreeMap<String, String>);

impl Files {
    pub(crate) fn one(text: &str) -> Self {
        Self(BTreeMap::from([("test.toml".to_owned(), text.to_owned())]))
    }
}

impl FileLoader for Files {
    fn read(&self, path: &str) -> Result<Arc<SourceFile>, Diagnostic> {
        match self.0.get(path) {
            Some(text) => Ok(SourceFile::new(path, text.as_str())),
            None => Err(Diagnostic::error("graph.file", format!("cannot read {path}"))),
        }
    }
}

/// Sizes that tests plan with.
pub(crate) fn sizes() -> Sizes {
    Sizes { view: [640, 360], named: vec![[64, 32]] }
}

/// Loads a text, or gives its errors as `check` prints them.
pub(crate) fn load(text: &str) -> Result<Graph, String> {
    Graph::load("test.toml", &Files::one(text), &registry(), &Shaders::standard()).map_err(|e| print(&e))
}

/// Errors as `check` prints them.
pub(crate) fn print(errors: &[Diagnostic]) -> String {
    errors.iter().map(|e| format!("{e}\n")).collect()
}

/// The params of a graph and of the made-up game, with their defaults.
pub(crate) fn params(graph: &Graph) -> ParamTable {
    let mut table = ParamTable::default();
    for decl in registry().params.iter().chain(graph.params()) {
        table.declare(decl.clone());
    }
    table
}
