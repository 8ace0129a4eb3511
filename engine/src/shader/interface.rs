//! What a compiled shader wants, reflected from its SPIR-V. Plain data: the graph compiler checks against it, the
//! Vulkan backend builds layouts from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::diag::Diagnostic;
use crate::graph::SampledKind;
use crate::scene::{ParamDecl, ValueType};

/// Descriptor sets by meaning; authors use the macros of `shaders/common/sets.glsl` and never write the numbers.
pub mod set {
    /// `Frame` and `View` blocks.
    pub const FRAME: u32 = 0;
    /// Images, buffers and params of the pass.
    pub const PASS: u32 = 1;
    /// Textures of the draw's material.
    pub const MATERIAL: u32 = 2;
    /// Storage buffers of the draw list.
    pub const DATA: u32 = 3;
}

/// Which files a pass asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ShaderRequest {
    /// Name below the shader folder without ending: `world/ground` is `world/ground.vert` and `world/ground.frag`.
    pub name: String,
    /// Which stages.
    pub kind: ShaderKind,
    /// Preprocessor definitions.
    pub defines: BTreeMap<String, String>,
}

/// Which stages a shader has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShaderKind {
    /// `.vert`, and `.frag` where that file exists (a depth-only shader has none).
    Raster,
    /// `.frag`, with `common/fullscreen.vert` where there is no `.vert` of its own.
    Fullscreen,
    /// `.comp`.
    Compute,
}

/// A pipeline stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Vertex shader.
    Vertex,
    /// Fragment shader.
    Fragment,
    /// Compute shader.
    Compute,
}

/// A compiled shader.
#[derive(Clone, Debug)]
pub struct CompiledShader {
    /// What was asked for.
    pub request: ShaderRequest,
    /// SPIR-V of each stage, bindings already assigned so that stages agree.
    pub stages: Vec<(Stage, Arc<[u32]>)>,
    /// What all stages together want.
    pub interface: ShaderInterface,
    /// Every file that was read, includes too, as given to the source reader; for watching.
    pub files: Vec<String>,
    /// Hash of the SPIR-V; equal hashes share pipelines over a reload.
    pub hash: u64,
}

/// The interface of a shader.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ShaderInterface {
    /// Vertex attributes, without the `in_` of their names.
    pub inputs: Vec<VertexInput>,
    /// Fragment outputs by name (without `out_`) and location.
    pub outputs: Vec<FragmentOutput>,
    /// Descriptors of sets 0 to 3.
    pub bindings: Vec<ShaderBinding>,
    /// The `Params` block of set 1, if any: its binding and members.
    pub params: Option<(u32, Block)>,
    /// Bytes of push constants, 0 for none.
    pub push_bytes: u32,
    /// Specialization constants.
    pub constants: Vec<SpecConstant>,
    /// Local size of a compute shader.
    pub workgroup: [u32; 3],
    /// Params declared by `#pragma param name "doc" value min max step`.
    pub declared_params: Vec<ParamDecl>,
}

/// A vertex attribute that the shader reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VertexInput {
    /// Name without `in_`.
    pub name: String,
    /// Location.
    pub location: u32,
    /// Number of components, 1 to 4.
    pub components: u32,
    /// True for unsigned or signed integers.
    pub integer: bool,
}

/// A fragment output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FragmentOutput {
    /// Name without `out_`.
    pub name: String,
    /// Location: the index among the pass's colour attachments.
    pub location: u32,
    /// Number of components.
    pub components: u32,
}

/// A descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShaderBinding {
    /// Set number, see [`set`].
    pub set: u32,
    /// Binding number, assigned by the compiler.
    pub binding: u32,
    /// The variable's name; for a block without one, the block's name.
    pub name: String,
    /// What it is.
    pub kind: BindingKind,
    /// Stages that read it.
    pub stages: Vec<Stage>,
}

/// The kind of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BindingKind {
    /// A combined image and sampler.
    Sampled(SampledKind),
    /// A storage image.
    StorageImage {
        /// The shader writes it.
        written: bool,
    },
    /// A storage buffer.
    StorageBuffer {
        /// The shader writes it.
        written: bool,
    },
    /// A uniform block (`Frame`, `View`, `Params`).
    Uniform,
}

/// A uniform block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Block {
    /// Bytes.
    pub size: u32,
    /// Members in the order of their offsets.
    pub members: Vec<Member>,
}

/// A member of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Member {
    /// Name: the param's name.
    pub name: String,
    /// Byte offset.
    pub offset: u32,
    /// Type.
    pub kind: ValueType,
}

/// A specialization constant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpecConstant {
    /// Name.
    pub name: String,
    /// `constant_id`.
    pub id: u32,
    /// Type (bool, int or float).
    pub kind: ValueType,
}

/// Compiles shaders; the graph compiler asks it for interfaces. Tests give a made-up one.
pub trait ShaderProvider {
    /// The compiled shader, from a cache where the sources have not changed.
    fn shader(&self, request: &ShaderRequest) -> Result<Arc<CompiledShader>, Vec<Diagnostic>>;
    /// All shader names (without ending) that exist, for near misses.
    fn names(&self) -> Vec<String>;
}
