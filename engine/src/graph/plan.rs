//! The compiled graph: a flat list of instructions over tables. The executor replays it without a decision.
//!
//! Everything is an index into a table of the same [`Plan`]; names stand beside them for debug labels and reports only.
//! A plan belongs to one set of sizes and one outcome of all `when` conditions; a resize or a changed condition gives
//! a new plan, and images and pipelines that are equal are taken over.

use std::ops::Range;

use serde::Serialize;

use super::format::Format;
use super::state::RasterState;
use crate::scene::{AttributeFormat, ImportId, ListId, ParamDecl, SamplerDesc, ValueType, ViewId};
use crate::shader::ShaderRequest;

macro_rules! bits {
    ($(#[$doc:meta])* $name:ident { $($(#[$bdoc:meta])* $bit:ident = $value:expr),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub struct $name(pub u32);

        impl $name {
            /// Nothing.
            pub const NONE: Self = Self(0);
            $($(#[$bdoc])* pub const $bit: Self = Self(1 << $value);)*
            /// Name and value of every bit.
            pub const BITS: &'static [(&'static str, Self)] = &[$((stringify!($bit), Self::$bit)),*];

            /// True when all bits of `other` are set.
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// True when a bit of `other` is set.
            pub const fn intersects(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }

            /// True when no bit is set.
            pub const fn is_empty(self) -> bool {
                self.0 == 0
            }
        }

        impl std::ops::BitOr for $name {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl std::ops::BitOrAssign for $name {
            fn bitor_assign(&mut self, other: Self) {
                self.0 |= other.0;
            }
        }
    };
}

bits!(
    /// Pipeline stages of an access.
    Stages {
        /// Indirect command reads.
        INDIRECT = 0,
        /// Vertex shader.
        VERTEX = 1,
        /// Fragment shader.
        FRAGMENT = 2,
        /// Early and late depth and stencil tests, loads and stores of a depth attachment.
        DEPTH_TESTS = 3,
        /// Colour attachment loads, blends, stores and resolves.
        COLOR_OUTPUT = 4,
        /// Compute shader.
        COMPUTE = 5,
        /// Copies, blits and clears.
        TRANSFER = 6,
    }
);

bits!(
    /// Kinds of memory access.
    Access {
        /// Indirect command read.
        INDIRECT_READ = 0,
        /// Sampled image read.
        SAMPLED_READ = 1,
        /// Storage image or buffer read.
        STORAGE_READ = 2,
        /// Storage image or buffer write.
        STORAGE_WRITE = 3,
        /// Colour attachment read (load or blend).
        COLOR_READ = 4,
        /// Colour attachment write.
        COLOR_WRITE = 5,
        /// Depth or stencil read (test or load).
        DEPTH_READ = 6,
        /// Depth or stencil write.
        DEPTH_WRITE = 7,
        /// Source of a copy or blit.
        TRANSFER_READ = 8,
        /// Destination of a copy, blit or clear.
        TRANSFER_WRITE = 9,
    }
);

impl Access {
    /// The bits that write.
    pub const WRITES: Self =
        Self(Self::STORAGE_WRITE.0 | Self::COLOR_WRITE.0 | Self::DEPTH_WRITE.0 | Self::TRANSFER_WRITE.0);

    /// True when a bit writes.
    pub const fn writes(self) -> bool {
        self.intersects(Self::WRITES)
    }
}

bits!(
    /// What an image or buffer is used as; decides its creation flags.
    Usage {
        /// Colour attachment.
        COLOR = 0,
        /// Depth attachment.
        DEPTH = 1,
        /// Sampled.
        SAMPLED = 2,
        /// Storage image or buffer.
        STORAGE = 3,
        /// Source of copies.
        TRANSFER_SRC = 4,
        /// Destination of copies and clears.
        TRANSFER_DST = 5,
        /// Indirect commands.
        INDIRECT = 6,
    }
);

/// Image layouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Contents are not needed.
    #[default]
    Undefined,
    /// Storage.
    General,
    /// Colour attachment.
    ColorAttachment,
    /// Depth attachment that is written.
    DepthAttachment,
    /// Depth attachment that is only tested, and may be sampled at the same time.
    DepthReadOnly,
    /// Sampled.
    ShaderRead,
    /// Source of a copy.
    TransferSrc,
    /// Destination of a copy.
    TransferDst,
}

/// Stages and accesses: one side of a barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Scope {
    /// Stages.
    pub stages: Stages,
    /// Accesses.
    pub access: Access,
}

/// An image at the border of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct ImageState {
    /// Layout.
    pub layout: Layout,
    /// What last touched it; the source of the next barrier.
    pub scope: Scope,
}

/// One of the images that a history keeps: age 0 is this frame's, 1 the frame's before (`@prev`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ImageRef {
    /// Index in [`Plan::images`].
    pub image: u32,
    /// Frames back; the physical instance is `(phase + instances - age) % instances`.
    pub age: u32,
}

/// Mips and layers of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Subresource {
    /// First mip.
    pub mip: u32,
    /// Number of mips.
    pub mips: u32,
    /// First layer.
    pub layer: u32,
    /// Number of layers.
    pub layers: u32,
}

/// Shape of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ImageDesc {
    /// Format, already chosen from the file's list.
    pub format: Format,
    /// Width and height of mip 0.
    pub extent: [u32; 2],
    /// Array layers.
    pub layers: u32,
    /// Mip levels.
    pub mips: u32,
    /// Samples a texel.
    pub samples: u32,
    /// Everything it is used as in this graph.
    pub usage: Usage,
}

/// Where an image lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Residency {
    /// Only within a frame, in the shared heap. Its first access starts from [`Layout::Undefined`].
    Transient {
        /// Byte offset in the heap.
        offset: u64,
        /// Bytes as the driver asked.
        size: u64,
    },
    /// Keeps its content; one instance, or several for a history. Created zeroed.
    Persistent {
        /// Instances: 1 + the oldest `@prev` that is read.
        instances: u32,
        /// State at the start of a frame by age.
        resting: Vec<ImageState>,
    },
}

/// An image of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanImage {
    /// Name in the graph file.
    pub name: String,
    /// Shape.
    pub desc: ImageDesc,
    /// Memory.
    pub residency: Residency,
    /// Indices of the first and the last pass that touch it.
    pub lifetime: Option<(u32, u32)>,
}

/// A buffer of the plan. Created zeroed; one instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanBuffer {
    /// Name in the graph file.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Everything it is used as.
    pub usage: Usage,
    /// What last touched it before a frame starts.
    pub resting: Scope,
}

/// A barrier on an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ImageBarrier {
    /// The image.
    pub image: ImageRef,
    /// The part.
    pub part: Subresource,
    /// Layout before.
    pub old: Layout,
    /// Layout after.
    pub new: Layout,
    /// What must have finished.
    pub src: Scope,
    /// What waits.
    pub dst: Scope,
}

/// A barrier on a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct BufferBarrier {
    /// Index in [`Plan::buffers`].
    pub buffer: u32,
    /// What must have finished.
    pub src: Scope,
    /// What waits.
    pub dst: Scope,
}

/// Barriers that are issued in one call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BarrierBatch {
    /// Images.
    pub images: Vec<ImageBarrier>,
    /// Buffers.
    pub buffers: Vec<BufferBarrier>,
}

/// How an attachment starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Load {
    /// With a value: colour, or depth in the first component and stencil in the second.
    Clear([f32; 4]),
    /// With what was there.
    Keep,
    /// With anything.
    DontCare,
}

/// An attachment of a rendering.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Attachment {
    /// The image.
    pub image: ImageRef,
    /// Mip that is rendered to.
    pub mip: u32,
    /// First layer that is rendered to.
    pub layer: u32,
    /// Layout while rendering.
    pub layout: Layout,
    /// Start.
    pub load: Load,
    /// False when nobody reads it later. An attachment in [`Layout::DepthReadOnly`] is neither stored nor discarded
    /// (`VK_ATTACHMENT_STORE_OP_NONE`), whatever this says, because a store is a write.
    pub store: bool,
    /// Single-sampled image that receives the resolved samples.
    pub resolve: Option<ImageRef>,
}

/// A `begin rendering` and all passes up to its end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rendering {
    /// Colour attachments by location.
    pub colors: Vec<Attachment>,
    /// Depth attachment.
    pub depth: Option<Attachment>,
    /// Render area.
    pub extent: [u32; 2],
    /// Samples.
    pub samples: u32,
}

/// A pipeline; equal descriptions (with equal SPIR-V) are the same pipeline, also over reloads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PipelineDesc {
    /// Index in [`Plan::shaders`].
    pub shader: u32,
    /// Graphics or compute.
    pub kind: PipelineKind,
    /// Specialization constants: id and value as a 32-bit word.
    pub constants: Vec<(u32, u32)>,
}

/// The part of a pipeline that only one kind has.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PipelineKind {
    /// Rasterization.
    Graphics {
        /// Formats of the colour attachments.
        colors: Vec<Format>,
        /// Format of the depth attachment.
        depth: Option<Format>,
        /// Samples.
        samples: u32,
        /// State with nothing left open.
        state: RasterState,
        /// Attributes: location, format, stream, byte offset.
        attributes: Vec<PlanAttribute>,
        /// Stride and step of each stream that is used: stream index, stride, once an instance.
        streams: Vec<(u32, u32, bool)>,
    },
    /// Compute.
    Compute,
}

/// A vertex attribute of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct PlanAttribute {
    /// Location in the shader.
    pub location: u32,
    /// Format in the buffer.
    pub format: AttributeFormat,
    /// Stream of the draw list: the vertex buffer binding.
    pub stream: u32,
    /// Byte offset in the vertex.
    pub offset: u32,
}

/// Descriptor set 1 of one shader in one pass, and its uniform block.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BindingSet {
    /// Index in [`Plan::shaders`]: the set's layout is that of the shader.
    pub shader: u32,
    /// Descriptors.
    pub bindings: Vec<Binding>,
    /// The `Params` block.
    pub uniforms: Option<UniformBlock>,
}

/// A descriptor of set 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Binding {
    /// Binding number.
    pub binding: u32,
    /// What is bound.
    pub resource: BoundResource,
}

/// What a binding binds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundResource {
    /// An image of the graph, sampled.
    Sampled {
        /// The image.
        image: ImageRef,
        /// The part that the shader sees.
        part: Subresource,
        /// Layout while it is read.
        layout: Layout,
        /// Filter and addressing.
        sampler: SamplerDesc,
    },
    /// An image of the graph, as a storage image of one mip.
    Storage {
        /// The image.
        image: ImageRef,
        /// The part that the shader sees.
        part: Subresource,
    },
    /// A storage buffer of the graph.
    Buffer {
        /// Index in [`Plan::buffers`].
        buffer: u32,
    },
    /// An image of the game, with the game's sampler.
    Import {
        /// The import.
        import: ImportId,
    },
    /// A texture that a file of the graph names, by index in [`Plan::files`].
    File {
        /// Index.
        file: u32,
    },
    /// A texel that stands for an image that is absent.
    Fallback(Fallback),
}

/// One-texel images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// 1, 1, 1, 1.
    White,
    /// 0, 0, 0, 1.
    Black,
    /// 0, 0, 0, 0.
    Transparent,
    /// 0.5, 0.5, 1, 1.
    FlatNormal,
}

/// A `Params` block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UniformBlock {
    /// Binding number in set 1.
    pub binding: u32,
    /// Bytes.
    pub size: u32,
    /// Members.
    pub entries: Vec<UniformEntry>,
}

/// A member of a `Params` block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct UniformEntry {
    /// Byte offset.
    pub offset: u32,
    /// Index in [`Plan::params`].
    pub param: u32,
    /// Type.
    pub kind: ValueType,
}

/// A draw list in a pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanDraw {
    /// The list.
    pub list: ListId,
    /// One pipeline for each preset of the list.
    pub pipelines: Vec<u32>,
    /// Index in [`Plan::bindings`].
    pub bindings: u32,
    /// Shader that gives the layouts of sets 2 and 3.
    pub shader: u32,
}

/// A full-screen triangle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanFullscreen {
    /// Pipeline.
    pub pipeline: u32,
    /// Index in [`Plan::bindings`].
    pub bindings: u32,
}

/// A dispatch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanDispatch {
    /// Pipeline.
    pub pipeline: u32,
    /// Index in [`Plan::bindings`].
    pub bindings: u32,
    /// Number of work groups.
    pub groups: Groups,
}

/// Work groups of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Groups {
    /// Known when the plan is made.
    Count([u32; 3]),
    /// Three words in a buffer of the graph.
    Indirect {
        /// Index in [`Plan::buffers`].
        buffer: u32,
        /// Byte offset.
        offset: u64,
    },
}

/// A copy or a blit of one mip of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PlanCopy {
    /// Source: image, mip, layer.
    pub src: (ImageRef, u32, u32),
    /// Extent of the source.
    pub src_extent: [u32; 2],
    /// Destination: image, mip, layer.
    pub dst: (ImageRef, u32, u32),
    /// Extent of the destination.
    pub dst_extent: [u32; 2],
    /// Scaled (blit) rather than copied.
    pub blit: bool,
    /// A blit filters linearly, else it takes the nearest texel.
    pub linear: bool,
}

/// A pass that runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanPass {
    /// Name in the graph file (with the step of a `repeat`).
    pub name: String,
    /// Byte range of the pass's name in the graph file that declares it.
    pub span: Range<usize>,
    /// View.
    pub view: ViewId,
    /// Viewport in pixels: x, y, width, height.
    pub viewport: [u32; 4],
}

/// One step of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Instruction {
    /// Issues [`Plan::barriers`] of this index.
    Barriers(u32),
    /// Starts [`Plan::passes`] of this index: label, timestamp, view, viewport.
    BeginPass(u32),
    /// Ends the pass: timestamp.
    EndPass(u32),
    /// Begins [`Plan::renderings`] of this index.
    BeginRendering(u32),
    /// Ends it.
    EndRendering,
    /// Draws [`Plan::draws`] of this index.
    Draw(u32),
    /// Draws [`Plan::fullscreens`] of this index.
    Fullscreen(u32),
    /// Dispatches [`Plan::dispatches`] of this index.
    Dispatch(u32),
    /// Copies [`Plan::copies`] of this index.
    Copy(u32),
    /// Draws the overlay into the current rendering.
    Ui,
}

/// A compiled graph for one set of sizes and conditions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Plan {
    /// Name of the graph.
    pub name: String,
    /// The image that is shown: index in [`Plan::images`].
    pub output: u32,
    /// State of the output when the frame's instructions are done.
    pub output_state: ImageState,
    /// Images that can be read when the frame's instructions are done (the output and those that were asked for), with
    /// their states. Whoever reads one brings it back to this state.
    pub ends: Vec<(u32, ImageState)>,
    /// Images.
    pub images: Vec<PlanImage>,
    /// Buffers.
    pub buffers: Vec<PlanBuffer>,
    /// Virtual paths of textures that the graph loads.
    pub files: Vec<String>,
    /// Bytes of the heap that transient images share.
    pub heap_bytes: u64,
    /// Alignment of the heap.
    pub heap_alignment: u64,
    /// Frames after which instances of all histories come round: their least common multiple.
    pub phases: u32,
    /// Params that uniforms read.
    pub params: Vec<ParamDecl>,
    /// Shaders.
    pub shaders: Vec<ShaderRequest>,
    /// Pipelines.
    pub pipelines: Vec<PipelineDesc>,
    /// Descriptor sets.
    pub bindings: Vec<BindingSet>,
    /// Renderings.
    pub renderings: Vec<Rendering>,
    /// Barrier batches.
    pub barriers: Vec<BarrierBatch>,
    /// Passes in order.
    pub passes: Vec<PlanPass>,
    /// Draws.
    pub draws: Vec<PlanDraw>,
    /// Full-screen triangles.
    pub fullscreens: Vec<PlanFullscreen>,
    /// Dispatches.
    pub dispatches: Vec<PlanDispatch>,
    /// Copies and blits.
    pub copies: Vec<PlanCopy>,
    /// The frame.
    pub instructions: Vec<Instruction>,
}

/// What the compiler asks of a device. Pure data in tests, the driver in production.
pub trait DeviceModel {
    /// True when images of this format can be used like this.
    fn supports(&self, format: Format, usage: Usage, samples: u32) -> bool;
    /// Bytes and alignment that an image needs.
    fn image_memory(&self, desc: &ImageDesc) -> (u64, u64);
    /// Longest side of an image.
    fn max_extent(&self) -> u32;
    /// Bytes that may be in use, to refuse a graph before the device runs out of memory.
    fn memory_budget(&self) -> u64;
}
