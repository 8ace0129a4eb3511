//! A checked graph: all names are ids; sizes, formats and conditions are still open.

use super::ast::{Mips, PassKind};
use super::plan::{Load, PlanAttribute, Stages};
use super::source::{Place, Sp};
use super::state::MaterialState;
use super::{Fallback, Format, SampledKind};
use crate::scene::{ImportId, ListId, SizeId, ValueType, ViewId};

#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) name: Sp<String>,
    pub(crate) formats: Vec<Sp<Format>>,
    pub(crate) size: Size,
    pub(crate) layers: u32,
    pub(crate) mips: Sp<Mips>,
    pub(crate) samples: u32,
    pub(crate) persistent: bool,
    /// Index in the graph's files, for an image that is loaded.
    pub(crate) file: Option<u32>,
    /// Oldest `@prev` that a pass reads.
    pub(crate) history: u32,
}

impl Image {
    /// True when the content outlives the frame.
    pub(crate) fn lasts(&self) -> bool {
        self.persistent || self.history > 0
    }
}

/// What a size follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Base {
    View,
    Named(SizeId),
    Image(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Size {
    Fixed([u32; 2], Place),
    Of { base: Base, scale: [f32; 2], at: Place },
}

#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    pub(crate) name: Sp<String>,
    pub(crate) size: BufferSize,
    pub(crate) persistent: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum BufferSize {
    Bytes(u64),
    Of { base: Base, scale: [f32; 2], stride: u64 },
}

#[derive(Clone, Debug)]
pub(crate) struct Pass {
    pub(crate) name: Sp<String>,
    pub(crate) kind: PassKind,
    pub(crate) view: ViewId,
    pub(crate) viewport: [f32; 4],
    pub(crate) when: Option<u32>,
    /// Attachments by location.
    pub(crate) colors: Vec<Color>,
    pub(crate) depth: Option<Depth>,
    pub(crate) draws: Vec<Draw>,
    pub(crate) shaders: Vec<PassShader>,
    pub(crate) samples: Vec<Sample>,
    pub(crate) storage: Vec<Storage>,
    pub(crate) state: MaterialState,
    pub(crate) dispatch: Option<Dispatch>,
    pub(crate) from: Option<Part>,
    pub(crate) to: Option<Part>,
    pub(crate) linear: bool,
    pub(crate) bypass: Vec<(u32, u32)>,
    /// Why an optional pass is left out for good.
    pub(crate) dropped: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Color {
    pub(crate) image: u32,
    pub(crate) load: Option<Load>,
    pub(crate) mip: u32,
    pub(crate) layer: u32,
    pub(crate) resolve: Option<u32>,
    pub(crate) at: Place,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Depth {
    pub(crate) image: u32,
    pub(crate) load: Option<Load>,
    pub(crate) mip: u32,
    pub(crate) layer: u32,
    /// Only tested, never written.
    pub(crate) read_only: bool,
    pub(crate) at: Place,
}

#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) list: ListId,
    /// Index in [`Pass::shaders`].
    pub(crate) shader: usize,
    pub(crate) attributes: Vec<PlanAttribute>,
    /// Stream, stride, once an instance.
    pub(crate) streams: Vec<(u32, u32, bool)>,
    /// State of the list's presets.
    pub(crate) presets: Vec<MaterialState>,
}

/// A shader of a pass with everything that is fed to it.
#[derive(Clone, Debug)]
pub(crate) struct PassShader {
    /// Index in the graph's shaders.
    pub(crate) shader: u32,
    /// Binding number and what feeds it.
    pub(crate) feeds: Vec<(u32, Feed)>,
    pub(crate) uniforms: Option<Uniforms>,
    /// Constant id and where its value comes from.
    pub(crate) constants: Vec<(u32, Constant)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Feed {
    Sample(usize),
    Storage(usize),
    Import(ImportId),
}

#[derive(Clone, Debug)]
pub(crate) struct Uniforms {
    pub(crate) binding: u32,
    pub(crate) size: u32,
    /// Offset, param, type in the block.
    pub(crate) members: Vec<(u32, u32, ValueType)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Constant {
    Word(u32),
    /// Index in the graph's list of constants that follow params.
    Live(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) input: Sp<String>,
    pub(crate) source: Source,
    pub(crate) linear: Option<bool>,
    pub(crate) repeat: bool,
    pub(crate) compare: Option<Sp<bool>>,
    pub(crate) mip: Option<u32>,
    pub(crate) layer: Option<u32>,
    pub(crate) when: Option<u32>,
    pub(crate) fallback: Fallback,
    pub(crate) at: Place,
    /// Filled by matching: stages that read it, and how the shader sees it.
    pub(crate) stages: Stages,
    pub(crate) kind: Option<SampledKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Image { image: u32, age: u32 },
    Import(ImportId),
    File(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct Storage {
    pub(crate) input: Sp<String>,
    pub(crate) target: Target,
    pub(crate) mip: u32,
    pub(crate) layer: Option<u32>,
    pub(crate) at: Place,
    /// Filled by matching.
    pub(crate) stages: Stages,
    pub(crate) written: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Image(u32),
    Buffer(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Dispatch {
    Count([u32; 3]),
    Of { image: u32, mip: u32 },
    Indirect { buffer: u32, offset: u64, at: Place },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) image: u32,
    pub(crate) mip: u32,
    pub(crate) layer: u32,
    pub(crate) at: Place,
}
