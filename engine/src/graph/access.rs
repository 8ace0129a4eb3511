//! What a pass does to images and buffers: layouts, stages, accesses.

use super::ast::PassKind;
use super::ir::{Color, Depth, Pass};
use super::plan::{Access, Layout, Load, Scope, Stages, Subresource};
use super::source::Place;

/// How a use came about, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Color,
    Resolve,
    Depth,
    Sampled,
    Storage,
    CopySource,
    CopyTarget,
}

impl Role {
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Color => "draws to",
            Self::Resolve => "resolves to",
            Self::Depth => "tests depth in",
            Self::Sampled => "samples",
            Self::Storage => "binds as storage",
            Self::CopySource => "copies from",
            Self::CopyTarget => "copies to",
        }
    }
}

/// A use of a part of an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ImageUse {
    pub(crate) image: u32,
    pub(crate) age: u32,
    pub(crate) part: Subresource,
    pub(crate) layout: Layout,
    pub(crate) scope: Scope,
    /// The content from before is needed.
    pub(crate) reads: bool,
    /// The content changes.
    pub(crate) writes: bool,
    /// Every texel of the part is overwritten.
    pub(crate) replaces: bool,
    pub(crate) role: Role,
    pub(crate) at: Place,
}

impl ImageUse {
    /// True when both touch a common texel.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let meet = |a: u32, n: u32, b: u32, m: u32| a < b + m && b < a + n;
        let (p, q) = (&self.part, &other.part);
        self.image == other.image
            && self.age == other.age
            && meet(p.mip, p.mips, q.mip, q.mips)
            && meet(p.layer, p.layers, q.layer, q.layers)
    }
}

/// A use of a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BufferUse {
    pub(crate) buffer: u32,
    pub(crate) scope: Scope,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) at: Place,
}

pub(crate) fn scope(stages: Stages, access: Access) -> Scope {
    Scope { stages, access }
}

pub(crate) fn part(mip: u32, layer: u32) -> Subresource {
    Subresource { mip, mips: 1, layer, layers: 1 }
}

/// A colour attachment. Blending reads what an earlier draw of the same rendering wrote, so reads are always included.
pub(crate) fn color_use(color: &Color, load: Load) -> ImageUse {
    ImageUse {
        image: color.image,
        age: 0,
        part: part(color.mip, color.layer),
        layout: Layout::ColorAttachment,
        scope: scope(Stages::COLOR_OUTPUT, Access::COLOR_READ | Access::COLOR_WRITE),
        reads: matches!(load, Load::Keep),
        writes: true,
        replaces: !matches!(load, Load::Keep),
        role: Role::Color,
        at: color.at,
    }
}

pub(crate) fn resolve_use(image: u32, at: Place) -> ImageUse {
    ImageUse {
        image,
        age: 0,
        part: part(0, 0),
        layout: Layout::ColorAttachment,
        scope: scope(Stages::COLOR_OUTPUT, Access::COLOR_WRITE),
        reads: false,
        writes: true,
        replaces: true,
        role: Role::Resolve,
        at,
    }
}

pub(crate) fn depth_use(depth: &Depth, load: Load) -> ImageUse {
    let read_only = depth.read_only && matches!(load, Load::Keep);
    let access = if read_only { Access::DEPTH_READ } else { Access::DEPTH_READ | Access::DEPTH_WRITE };
    ImageUse {
        image: depth.image,
        age: 0,
        part: part(depth.mip, depth.layer),
        layout: if read_only { Layout::DepthReadOnly } else { Layout::DepthAttachment },
        scope: scope(Stages::DEPTH_TESTS, access),
        reads: matches!(load, Load::Keep),
        writes: !read_only,
        replaces: !read_only && !matches!(load, Load::Keep),
        role: Role::Depth,
        at: depth.at,
    }
}

pub(crate) fn copy_use(image: u32, part: Subresource, write: bool, at: Place) -> ImageUse {
    let (layout, access, role) = match write {
        true => (Layout::TransferDst, Access::TRANSFER_WRITE, Role::CopyTarget),
        false => (Layout::TransferSrc, Access::TRANSFER_READ, Role::CopySource),
    };
    ImageUse {
        image,
        age: 0,
        part,
        layout,
        scope: scope(Stages::TRANSFER, access),
        reads: !write,
        writes: write,
        replaces: write,
        role,
        at,
    }
}

/// Stages that read a sampled or storage binding; a binding that no stage names is read where the pass works.
pub(crate) fn stages_or_default(stages: Stages, pass: &Pass) -> Stages {
    match (stages.is_empty(), pass.kind) {
        (false, _) => stages,
        (true, PassKind::Compute) => Stages::COMPUTE,
        (true, _) => Stages::FRAGMENT,
    }
}
