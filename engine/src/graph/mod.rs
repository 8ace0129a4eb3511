//! A graph file to a checked plan. Pure: no Vulkan, no window, no clock.
//!
//! One file a phase: text to a tree with places (`source`, `parse`), `extends` (`extend`), names to ids (`resolve`),
//! shader interfaces against bindings (`matching`), conditions (`condition`), sizes (`shapes`), the steps of a frame
//! (`frame`), culling (`cull`), merging (`merge`), lifetimes, memory (`alias`), barriers, instructions (`build`).

mod access;
mod alias;
mod ast;
mod barriers;
mod build;
mod checked;
mod condition;
mod cull;
mod explain;
mod extend;
mod format;
mod frame;
mod instructions;
mod ir;
pub mod keys;
mod lifetimes;
pub mod limits;
mod matching;
mod merge;
#[cfg(test)]
mod oracle;
mod parse;
mod parse_pass;
mod parse_state;
mod plan;
#[cfg(test)]
mod random;
mod reader;
mod report;
mod resolve;
mod shaders;
mod shapes;
mod source;
mod state;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;

pub use checked::{BarrierStyle, Compiled, Conditions, Graph, PlanOptions, Sizes};
pub use explain::UnknownName;
pub use extend::FileLoader;
pub use format::{Format, SampledKind};
pub use plan::{
    Access, Attachment, BarrierBatch, Binding, BindingSet, BoundResource, BufferBarrier, DeviceModel, Fallback, Groups,
    ImageBarrier, ImageDesc, ImageRef, ImageState, Instruction, Layout, Load, PipelineDesc, PipelineKind, Plan,
    PlanAttribute, PlanBuffer, PlanCopy, PlanDispatch, PlanDraw, PlanFullscreen, PlanImage, PlanPass, Rendering,
    Residency, Scope, Stages, Subresource, UniformBlock, UniformEntry, Usage,
};
pub use report::{BarrierReason, CulledPass, ImageReport, PassReport, Report};
pub use state::{
    Blend, BlendOp, Compare, Cull, Factor, Front, MaterialState, Polygon, RasterState, Stencil, StencilOp,
};
