//! A graph file to a checked plan. Pure: no Vulkan, no window, no clock.

mod format;
mod plan;
mod state;

pub use format::{Format, SampledKind};
pub use plan::{
    Access, Attachment, BarrierBatch, Binding, BindingSet, BoundResource, BufferBarrier, DeviceModel, Fallback, Groups,
    ImageBarrier, ImageDesc, ImageRef, ImageState, Instruction, Layout, Load, PipelineDesc, PipelineKind, Plan,
    PlanAttribute, PlanBuffer, PlanCopy, PlanDispatch, PlanDraw, PlanFullscreen, PlanImage, PlanPass, Rendering,
    Residency, Scope, Stages, Subresource, UniformBlock, UniformEntry, Usage,
};
pub use state::{
    Blend, BlendOp, Compare, Cull, Factor, Front, MaterialState, Polygon, RasterState, Stencil, StencilOp,
};
