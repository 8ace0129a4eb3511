//! A graph file to a checked plan. Pure: no Vulkan, no window, no clock.
//!
//! One file a phase: text to a tree with places (`source`, `parse`), `extends` (`extend`), names to ids (`resolve`),
//! shader interfaces against bindings (`matching`), conditions (`condition`), sizes (`shapes`), the steps of a frame
//! (`frame`), culling (`cull`), merging (`merge`), lifetimes, memory (`alias`), barriers, instructions (`build`).
//!
//! What an author has to know beside the table of keys ([`keys::reference_markdown`]):
//!
//! * **Order.** Passes run in the order of the file. `[[move]]`, `remove`, `before`, `after` and `replace` belong to files
//!   that `extends` another; images, buffers and params of the same name replace those of the extended file.
//! * **Loads.** An attachment without `load` and `clear` is cleared (colour to 0, depth to 1) when no pass of this frame
//!   wrote it before, and keeps its content otherwise. Persistent images keep it always. An image with a history starts
//!   each frame anew; the frame before is `name@prev`, the one before that `name@2`.
//! * **Outputs.** `color = { OUTPUT = "image" }` names the shader's output `out_OUTPUT`; `color = "image"` fits a shader
//!   with one output, or the output of the image's name.
//! * **Inputs.** `sample = { NAME = "image" }` feeds the sampler `NAME` of set 1. A sampler with the name of an image of the
//!   game is fed by that image without being mentioned.
//! * **Conditions.** Names are params (an enum is the name of its choice, a vector an array), flags of the game, and passes
//!   (every character but letters, digits and `_` written as `_`; true while that pass's own condition holds), in this
//!   order where a name has several meanings. An expression that fails on some values is false.
//! * **Off.** A pass whose condition does not hold writes nothing: who reads its images then needs another writer, or the
//!   pass a `bypass`, which ends where the image is written anew. A pass that a person switches off in the overlay
//!   and that has no `bypass` still clears attachments that nobody wrote before.
//! * **Mips.** A pass that touches a mip level which the image lacks at the present size is left out, so that one
//!   `repeat` serves all window sizes.
//! * **Depth.** `depth = { image = "…", write = false }` tests without writing, and may be sampled by the same pass.
//! * **Constants.** A specialization constant with a param's name follows the param; a change builds other pipelines.

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
