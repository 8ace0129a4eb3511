//! GLSL to SPIR-V to a reflected interface.

mod interface;

pub use interface::{
    BindingKind, Block, CompiledShader, FragmentOutput, Member, ShaderBinding, ShaderInterface, ShaderKind,
    ShaderProvider, ShaderRequest, SpecConstant, Stage, VertexInput, set,
};
