//! GLSL to SPIR-V to a reflected interface.
//!
//! Authors write no set, binding or location numbers: `PASS uniform sampler2D scene;` is enough, and what two stages
//! share is matched by name. Files need no `#version` line (460 is forced) and may `#include` by a path beside
//! themselves or below the shader folder.

mod compiler;
mod interface;
mod pragma;
mod reflect;
mod sources;
mod spirv;
#[cfg(test)]
mod tests;

pub use compiler::{MAX_INCLUDE_DEPTH, MAX_SOURCE_BYTES, ShaderCompiler};
pub use interface::{
    BindingKind, Block, CompiledShader, FragmentOutput, Member, ShaderBinding, ShaderInterface, ShaderKind,
    ShaderProvider, ShaderRequest, SpecConstant, Stage, VertexInput, set,
};
pub use sources::{FolderSources, MemorySources, ShaderSources};
