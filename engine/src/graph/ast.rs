//! A graph file as it is written: typed, with places, names not yet looked up.

use std::collections::BTreeMap;

use super::plan::Load;
use super::source::{Place, Sp, Table};
use super::state::{MaterialState, RasterState};
use super::{Fallback, Format};
use crate::scene::{ParamDecl, Value};

/// One file before `extends` is followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileAst {
    pub(crate) name: Option<Sp<String>>,
    pub(crate) output: Option<Sp<String>>,
    pub(crate) extends: Option<Sp<String>>,
    pub(crate) remove: Vec<Sp<String>>,
    pub(crate) images: Vec<ImageAst>,
    pub(crate) buffers: Vec<BufferAst>,
    pub(crate) params: Vec<ParamAst>,
    pub(crate) passes: Vec<RawPass>,
    pub(crate) moves: Vec<MoveAst>,
}

/// A pass whose table is not read yet, so that `repeat` may write into its strings.
#[derive(Clone, Debug)]
pub(crate) struct RawPass {
    pub(crate) name: Sp<String>,
    pub(crate) table: Table,
    pub(crate) edit: Edit,
}

/// What a pass of an extending file does to the extended one.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Append,
    Before(Sp<String>),
    After(Sp<String>),
    Replace(Sp<String>),
}

#[derive(Clone, Debug)]
pub(crate) struct MoveAst {
    pub(crate) pass: Sp<String>,
    pub(crate) target: Edit,
}

#[derive(Clone, Debug)]
pub(crate) struct ImageAst {
    pub(crate) name: Sp<String>,
    pub(crate) formats: Vec<Sp<Format>>,
    pub(crate) size: SizeAst,
    pub(crate) layers: Sp<u32>,
    pub(crate) mips: Sp<Mips>,
    pub(crate) samples: Sp<u32>,
    pub(crate) persistent: bool,
    pub(crate) file: Option<Sp<String>>,
}

/// Number of mip levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mips {
    Count(u32),
    Full,
}

#[derive(Clone, Debug)]
pub(crate) enum SizeAst {
    Fixed([u32; 2], Place),
    Of { of: Sp<String>, scale: [f32; 2] },
}

#[derive(Clone, Debug)]
pub(crate) struct BufferAst {
    pub(crate) name: Sp<String>,
    pub(crate) size: BufferSizeAst,
    pub(crate) persistent: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum BufferSizeAst {
    Bytes(u64),
    Of { of: Sp<String>, scale: [f32; 2], stride: u64 },
}

#[derive(Clone, Debug)]
pub(crate) struct ParamAst {
    pub(crate) decl: ParamDecl,
    pub(crate) at: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassKind {
    Raster,
    Fullscreen,
    Compute,
    Copy,
    Blit,
    Mips,
    Ui,
}

impl PassKind {
    pub(crate) const WORDS: &'static [(&'static str, Self)] = &[
        ("raster", Self::Raster),
        ("fullscreen", Self::Fullscreen),
        ("compute", Self::Compute),
        ("copy", Self::Copy),
        ("blit", Self::Blit),
        ("mips", Self::Mips),
        ("ui", Self::Ui),
    ];

    pub(crate) fn name(self) -> &'static str {
        Self::WORDS.iter().find(|w| w.1 == self).map_or("", |w| w.0)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct PassAst {
    pub(crate) name: Sp<String>,
    pub(crate) kind: PassKind,
    pub(crate) view: Option<Sp<String>>,
    pub(crate) viewport: Option<[f32; 4]>,
    pub(crate) colors: Vec<ColorAst>,
    pub(crate) depth: Option<DepthAst>,
    pub(crate) draws: Vec<DrawAst>,
    pub(crate) samples: Vec<SampleAst>,
    pub(crate) storage: Vec<StorageAst>,
    pub(crate) shader: Option<Sp<String>>,
    pub(crate) defines: BTreeMap<String, String>,
    pub(crate) constants: Vec<(Sp<String>, ConstantAst)>,
    pub(crate) state: MaterialState,
    pub(crate) dispatch: Option<DispatchAst>,
    pub(crate) from: Option<PartAst>,
    pub(crate) to: Option<PartAst>,
    pub(crate) linear: bool,
    pub(crate) when: Option<Sp<String>>,
    pub(crate) optional: bool,
    pub(crate) bypass: Vec<(Sp<String>, Sp<String>)>,
}

impl PassAst {
    /// True when the pass as it is written writes no colour whatever a material says.
    pub(crate) fn writes_no_color(&self) -> bool {
        RasterState::compose(&self.state, &MaterialState::default()).color_mask == [false; 4]
    }
}

#[derive(Clone, Debug)]
pub(crate) enum ConstantAst {
    Value(Value),
    Param(Sp<String>),
}

#[derive(Clone, Debug)]
pub(crate) struct ColorAst {
    /// Name of the shader's output, where it is given.
    pub(crate) output: Option<Sp<String>>,
    pub(crate) image: Sp<String>,
    pub(crate) load: Option<Sp<Load>>,
    pub(crate) mip: u32,
    pub(crate) layer: u32,
    pub(crate) resolve: Option<Sp<String>>,
}

#[derive(Clone, Debug)]
pub(crate) struct DepthAst {
    pub(crate) image: Sp<String>,
    pub(crate) load: Option<Sp<Load>>,
    pub(crate) mip: u32,
    pub(crate) layer: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct DrawAst {
    pub(crate) list: Sp<String>,
    pub(crate) shader: Option<Sp<String>>,
    pub(crate) defines: BTreeMap<String, String>,
}

#[derive(Clone, Debug)]
pub(crate) struct SampleAst {
    pub(crate) input: Sp<String>,
    pub(crate) image: Sp<String>,
    pub(crate) linear: Option<bool>,
    pub(crate) repeat: bool,
    pub(crate) compare: Option<Sp<bool>>,
    pub(crate) mip: Option<u32>,
    pub(crate) layer: Option<u32>,
    pub(crate) when: Option<Sp<String>>,
    pub(crate) fallback: Fallback,
}

#[derive(Clone, Debug)]
pub(crate) struct StorageAst {
    pub(crate) input: Sp<String>,
    pub(crate) target: Sp<String>,
    pub(crate) mip: u32,
    pub(crate) layer: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) enum DispatchAst {
    Count([u32; 3]),
    Of { image: Sp<String>, mip: u32 },
    Indirect { buffer: Sp<String>, offset: u64 },
}

/// One mip of one layer.
#[derive(Clone, Debug)]
pub(crate) struct PartAst {
    pub(crate) image: Sp<String>,
    pub(crate) mip: u32,
    pub(crate) layer: u32,
}
