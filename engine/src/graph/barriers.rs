//! Phase 11: the fewest barriers that make every access safe, in as few calls as possible.
//!
//! The frame is walked with the state of every mip and layer of every instance. Frames follow each other on one queue
//! without waiting, so the state at a frame's end is the state at the next one's start; the walk is repeated until both
//! agree. A barrier may stand anywhere between the access before and the access behind it; batches are placed at as few
//! points as possible (earliest deadline first, which is optimal for intervals), each barrier as late as a batch allows.

use std::collections::BTreeMap;
use std::ops::Range;

use super::access::{BufferUse, ImageUse};
use super::frame::Step;
use super::plan::{
    Access, BarrierBatch, BufferBarrier, ImageBarrier, ImageRef, ImageState, Layout, Scope, Stages, Subresource,
};
use super::shapes::Shape;

/// How an image takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// Starts undefined in each frame, at this offset of the shared heap.
    Transient { offset: u64, size: u64 },
    /// Lasts; this many instances.
    Persistent { instances: u32 },
    /// Is not touched.
    Absent,
}

/// What the phase reads.
pub(crate) struct Input<'a> {
    pub(crate) steps: &'a [Step],
    pub(crate) groups: &'a [Range<usize>],
    pub(crate) shapes: &'a [Shape],
    pub(crate) stores: &'a [Store],
    pub(crate) buffers: usize,
    /// False gives every barrier a call of its own where it is needed.
    pub(crate) batched: bool,
}

/// What the phase gives.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// Batch before each group, if any.
    pub(crate) before: Vec<Vec<BarrierBatch>>,
    /// Batch after the last group: brings all parts of lasting images into one layout.
    pub(crate) after: Option<BarrierBatch>,
    /// State of each image at the frame's start, by age; empty for those that do not last.
    pub(crate) resting: Vec<Vec<ImageState>>,
    /// State of each image's age 0 at the frame's end.
    pub(crate) ends: Vec<ImageState>,
    /// Scope of each buffer before a frame.
    pub(crate) buffers: Vec<Scope>,
    /// For each barrier what made it: group behind it, image or buffer.
    pub(crate) causes: Vec<Cause>,
}

/// Why a barrier stands: the group that was waited for (`None`: an earlier frame) and the group that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    pub(crate) image: Option<u32>,
    pub(crate) buffer: Option<u32>,
    pub(crate) after: Option<u32>,
    pub(crate) before: u32,
}

/// State of one mip of one layer, or of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Unit {
    layout: Layout,
    /// The last write, or the transition that stands for it.
    write: Scope,
    /// Stages that have read since.
    readers: Stages,
    /// Where the last write is visible.
    visible: Scope,
    /// The last write has been waited for by a barrier.
    synced: bool,
    /// First group that may not come before a barrier: 1 + the last group that touched it in this frame.
    after: u32,
    /// The same for writes only.
    after_write: u32,
    /// The barrier of this frame that made the write visible, 1 + index.
    barrier: u32,
}

impl Unit {
    /// What the next access must wait for.
    fn pending(&self) -> Scope {
        let access = if self.synced { Access::NONE } else { Access(self.write.access.0 & Access::WRITES.0) };
        let stages =
            if self.synced && !self.readers.is_empty() { self.readers } else { self.write.stages | self.readers };
        Scope { stages, access }
    }

    /// The state as the next frame finds it.
    fn carried(&self) -> Self {
        Self { after: 0, after_write: 0, barrier: 0, ..*self }
    }
}

#[derive(Clone, Copy, Debug)]
enum What {
    Image { image: ImageRef, part: Subresource, old: Layout, new: Layout },
    Buffer(u32),
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    what: What,
    src: Scope,
    dst: Scope,
    /// Groups before which it may stand.
    window: (u32, u32),
}

fn union(a: Scope, b: Scope) -> Scope {
    Scope { stages: a.stages | b.stages, access: a.access | b.access }
}

fn covers(a: Scope, b: Scope) -> bool {
    a.stages.contains(b.stages) && a.access.contains(b.access)
}

/// Who lies in a part of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Owner {
    end: u64,
    image: u32,
}

struct Walk<'a, 'b> {
    input: &'a Input<'b>,
    /// For each image all units of all ages: age, then mip, then layer.
    images: Vec<Vec<Unit>>,
    started: Vec<bool>,
    buffers: Vec<Unit>,
    heap: BTreeMap<u64, Owner>,
    /// What the frame before left in transient memory, by image.
    left: Vec<Scope>,
    pending: Vec<Pending>,
}

/// Runs the phase.
pub(crate) fn barriers(input: &Input<'_>) -> Output {
    let merged: Vec<(Vec<ImageUse>, Vec<BufferUse>)> =
        input.groups.iter().map(|g| merged_uses(&input.steps[g.clone()])).collect();
    let instances = |i: usize| match input.stores[i] {
        Store::Persistent { instances } => instances,
        Store::Transient { .. } => 1,
        Store::Absent => 0,
    };
    let images = input.shapes.iter().enumerate();
    let mut walk = Walk {
        input,
        images: images.map(|(i, s)| vec![Unit::default(); (instances(i) * s.mips * s.layers) as usize]).collect(),
        started: vec![false; input.shapes.len()],
        buffers: vec![Unit::default(); input.buffers],
        heap: BTreeMap::new(),
        left: vec![Scope::default(); input.shapes.len()],
        pending: Vec::new(),
    };
    // Every chain of instances is at most MAX_HISTORY long, so a dozen rounds reach the fixed point; the bound only
    // guards against a mistake here.
    for _ in 0..16 {
        let start = (walk.images.clone(), walk.buffers.clone(), walk.heap.clone(), walk.left.clone());
        walk.frame(&merged);
        let mut after = Vec::new();
        walk.settle(&mut after);
        let ends = walk.ends();
        walk.next_frame();
        let end = (walk.images.clone(), walk.buffers.clone(), walk.heap.clone(), walk.left.clone());
        if start == end {
            return walk.finish(after, ends);
        }
    }
    let mut after = Vec::new();
    walk.frame(&merged);
    walk.settle(&mut after);
    let ends = walk.ends();
    walk.next_frame();
    walk.finish(after, ends)
}

/// Uses of a group by image part: neighbours of one rendering count as one access.
fn merged_uses(steps: &[Step]) -> (Vec<ImageUse>, Vec<BufferUse>) {
    let mut images: Vec<ImageUse> = Vec::new();
    let mut buffers: Vec<BufferUse> = Vec::new();
    for step in steps {
        for used in &step.uses {
            let same = |o: &&mut ImageUse| {
                o.image == used.image && o.age == used.age && o.part == used.part && o.layout == used.layout
            };
            match images.iter_mut().find(same) {
                Some(known) => {
                    known.scope = union(known.scope, used.scope);
                    known.reads |= used.reads && !known.replaces;
                    known.writes |= used.writes;
                }
                None => images.push(*used),
            }
        }
        for used in &step.buffers {
            match buffers.iter_mut().find(|o| o.buffer == used.buffer) {
                Some(known) => {
                    known.scope = union(known.scope, used.scope);
                    known.reads |= used.reads;
                    known.writes |= used.writes;
                }
                None => buffers.push(*used),
            }
        }
    }
    (images, buffers)
}

impl Walk<'_, '_> {
    fn frame(&mut self, merged: &[(Vec<ImageUse>, Vec<BufferUse>)]) {
        self.pending.clear();
        for (g, (images, buffers)) in merged.iter().enumerate() {
            for used in images {
                self.image(g as u32, used);
            }
            for used in buffers {
                self.buffer(g as u32, used);
            }
        }
    }

    /// The first touch of a transient image in a frame: it waits for everybody who had its memory.
    fn start(&mut self, image: u32, offset: u64, size: u64) {
        if std::mem::replace(&mut self.started[image as usize], true) {
            return;
        }
        let end = offset + size;
        let mut src = Scope::default();
        let mut after = 0;
        let before = self.heap.range(..offset).next_back().map(|(s, o)| (*s, *o)).filter(|(_, o)| o.end > offset);
        let touched: Vec<(u64, Owner)> =
            before.into_iter().chain(self.heap.range(offset..end).map(|(s, o)| (*s, *o))).collect();
        for (start, owner) in touched {
            let used_now = self.started[owner.image as usize] && owner.image != image;
            if used_now {
                for unit in &self.images[owner.image as usize] {
                    src = union(src, unit.pending());
                    after = after.max(unit.after);
                }
            } else {
                src = union(src, self.left[owner.image as usize]);
            }
            self.heap.remove(&start);
            if start < offset {
                self.heap.insert(start, Owner { end: offset, image: owner.image });
            }
            if owner.end > end {
                self.heap.insert(end, owner);
            }
        }
        self.heap.insert(offset, Owner { end, image });
        let fresh = Unit { layout: Layout::Undefined, write: src, after, after_write: after, ..Unit::default() };
        self.images[image as usize].fill(fresh);
    }

    fn image(&mut self, g: u32, used: &ImageUse) {
        if let Store::Transient { offset, size } = self.input.stores[used.image as usize] {
            self.start(used.image, offset, size);
        }
        let shape = self.input.shapes[used.image as usize];
        let p = used.part;
        // Runs of layers with the same barrier, then runs of mips.
        let mut runs: Vec<(Subresource, Unit)> = Vec::new();
        for mip in p.mip..p.mip + p.mips {
            let first_of_mip = runs.len();
            for layer in p.layer..p.layer + p.layers {
                let index = unit_index(shape, used.age, mip, layer);
                let Some(unit) = self.images[used.image as usize].get(index).copied() else { continue };
                match runs[first_of_mip..].last_mut() {
                    Some((run, known)) if *known == unit && run.layer + run.layers == layer => run.layers += 1,
                    _ => runs.push((Subresource { mip, mips: 1, layer, layers: 1 }, unit)),
                }
            }
            if first_of_mip > 0 && runs.len() == first_of_mip + 1 {
                let (row, unit) = runs[first_of_mip];
                let (above, known) = &mut runs[first_of_mip - 1];
                let fits = above.layer == row.layer && above.layers == row.layers && above.mip + above.mips == mip;
                if fits && *known == unit {
                    above.mips += 1;
                    runs.pop();
                }
            }
        }
        for (run, unit) in runs {
            let image = ImageRef { image: used.image, age: used.age };
            let next = self.access(unit, g, used.layout, used.scope, used.writes, used.replaces, |old| What::Image {
                image,
                part: run,
                old,
                new: used.layout,
            });
            for mip in run.mip..run.mip + run.mips {
                for layer in run.layer..run.layer + run.layers {
                    let index = unit_index(shape, used.age, mip, layer);
                    if let Some(slot) = self.images[used.image as usize].get_mut(index) {
                        *slot = next;
                    }
                }
            }
        }
    }

    fn buffer(&mut self, g: u32, used: &BufferUse) {
        let unit = self.buffers[used.buffer as usize];
        let what = |_| What::Buffer(used.buffer);
        // Buffers have no layout; one that nobody touched yet needs no barrier.
        let next = self.access(unit, g, unit.layout, used.scope, used.writes, false, what);
        self.buffers[used.buffer as usize] = next;
    }

    /// One access to one unit: the barrier it needs, and the state behind it.
    #[allow(clippy::too_many_arguments)]
    fn access(
        &mut self,
        mut unit: Unit,
        g: u32,
        layout: Layout,
        scope: Scope,
        writes: bool,
        replaces: bool,
        what: impl Fn(Layout) -> What,
    ) -> Unit {
        let fresh = unit.write.stages.is_empty() && unit.readers.is_empty();
        if !writes && layout == unit.layout {
            if !covers(unit.visible, scope) && !fresh {
                match unit.barrier {
                    // An earlier reader waits for the same write: its barrier serves both.
                    n if n > 0 => {
                        let known = &mut self.pending[n as usize - 1];
                        known.dst = union(known.dst, scope);
                    }
                    _ => {
                        let src =
                            Scope { stages: unit.write.stages, access: Access(unit.write.access.0 & Access::WRITES.0) };
                        if !src.stages.is_empty() {
                            self.push(what(unit.layout), src, scope, (unit.after_write, g));
                            unit.barrier = self.pending.len() as u32;
                        }
                    }
                }
                unit.synced = true;
            }
            unit.visible = union(unit.visible, scope);
            unit.readers |= scope.stages;
            unit.after = g + 1;
            return unit;
        }
        let needs = layout != unit.layout || !fresh;
        if needs {
            let old = if replaces { Layout::Undefined } else { unit.layout };
            self.push(what(old), unit.pending(), scope, (unit.after, g));
        }
        let write = if writes {
            Scope { stages: scope.stages, access: Access(scope.access.0 & Access::WRITES.0) }
        } else {
            scope
        };
        Unit {
            layout,
            write: if writes { write } else { Scope { stages: scope.stages, access: Access::NONE } },
            readers: if writes { Stages::NONE } else { scope.stages },
            visible: if writes { Scope::default() } else { scope },
            synced: !writes,
            after: g + 1,
            // Later readers may join the barrier of a transition, which stands at or before this group.
            after_write: if writes { g + 1 } else { unit.after },
            barrier: if writes || !needs { 0 } else { self.pending.len() as u32 },
        }
    }

    fn push(&mut self, what: What, src: Scope, dst: Scope, window: (u32, u32)) {
        self.pending.push(Pending { what, src, dst, window: (window.0.min(window.1), window.1) });
    }

    /// Lasting images whose parts end in different layouts get the layout of their first part.
    fn settle(&mut self, after: &mut Vec<ImageBarrier>) {
        for (i, shape) in self.input.shapes.iter().enumerate() {
            if !matches!(self.input.stores[i], Store::Persistent { .. }) {
                continue;
            }
            let per_age = (shape.mips * shape.layers) as usize;
            for (age, units) in self.images[i].chunks_mut(per_age.max(1)).enumerate() {
                let target = units[0];
                if units.iter().all(|u| u.layout == target.layout) {
                    continue;
                }
                let mut all = Scope::default();
                for (k, unit) in units.iter_mut().enumerate() {
                    if unit.layout != target.layout {
                        let part = Subresource {
                            mip: k as u32 / shape.layers,
                            mips: 1,
                            layer: k as u32 % shape.layers,
                            layers: 1,
                        };
                        let dst =
                            union(target.visible, Scope { stages: target.pending().stages, access: Access::NONE });
                        after.push(ImageBarrier {
                            image: ImageRef { image: i as u32, age: age as u32 },
                            part,
                            old: unit.layout,
                            new: target.layout,
                            src: unit.pending(),
                            dst,
                        });
                        *unit = Unit {
                            layout: target.layout,
                            write: Scope { stages: dst.stages, access: Access::NONE },
                            readers: dst.stages,
                            ..Unit::default()
                        };
                    }
                    all = union(all, unit.pending());
                }
            }
        }
    }

    fn ends(&self) -> Vec<ImageState> {
        let state = |(units, shape): (&Vec<Unit>, &Shape)| {
            let first = units.iter().take((shape.mips * shape.layers) as usize);
            let scope = first.fold(Scope::default(), |all, u| union(all, u.pending()));
            ImageState { layout: units.first().map_or(Layout::Undefined, |u| u.layout), scope }
        };
        self.images.iter().zip(self.input.shapes).map(state).collect()
    }

    /// Ages everything by a frame.
    fn next_frame(&mut self) {
        for (i, units) in self.images.iter_mut().enumerate() {
            match self.input.stores[i] {
                Store::Persistent { .. } => {
                    let shape = self.input.shapes[i];
                    units.iter_mut().for_each(|u| *u = u.carried());
                    units.rotate_right((shape.mips * shape.layers) as usize);
                }
                Store::Transient { .. } => {
                    if self.started[i] {
                        self.left[i] = units.iter().fold(Scope::default(), |all, u| union(all, u.pending()));
                    }
                    units.fill(Unit::default());
                }
                Store::Absent => {}
            }
        }
        self.started.fill(false);
        self.buffers.iter_mut().for_each(|u| *u = u.carried());
    }

    fn finish(self, after: Vec<ImageBarrier>, ends: Vec<ImageState>) -> Output {
        let mut out = Output { ends, ..Output::default() };
        for (i, units) in self.images.iter().enumerate() {
            let shape = self.input.shapes[i];
            let per_age = ((shape.mips * shape.layers) as usize).max(1);
            out.resting.push(match self.input.stores[i] {
                Store::Persistent { .. } => units.chunks(per_age).map(resting).collect(),
                _ => Vec::new(),
            });
        }
        out.buffers = self.buffers.iter().map(Unit::pending).collect();
        out.after = (!after.is_empty()).then(|| BarrierBatch { images: after, buffers: Vec::new() });
        out.causes = self.pending.iter().map(cause).collect();
        out.before = place(&self.pending, self.input.groups.len(), self.input.batched);
        out
    }
}

fn resting(units: &[Unit]) -> ImageState {
    let scope = units.iter().fold(Scope::default(), |all, u| union(all, u.pending()));
    ImageState { layout: units.first().map_or(Layout::Undefined, |u| u.layout), scope }
}

fn cause(p: &Pending) -> Cause {
    let (image, buffer) = match p.what {
        What::Image { image, .. } => (Some(image.image), None),
        What::Buffer(buffer) => (None, Some(buffer)),
    };
    Cause { image, buffer, after: p.window.0.checked_sub(1), before: p.window.1 }
}

fn unit_index(shape: Shape, age: u32, mip: u32, layer: u32) -> usize {
    ((age * shape.mips + mip) * shape.layers + layer) as usize
}

/// Equal barriers on neighbouring layers, then on neighbouring mips, become one. The list is sorted by part.
fn join_parts(barriers: &mut Vec<ImageBarrier>) {
    let alike = |a: &ImageBarrier, b: &ImageBarrier| ImageBarrier { part: a.part, ..*b } == *a;
    barriers.dedup_by(|b, a| {
        let next =
            a.part.mip == b.part.mip && a.part.mips == b.part.mips && a.part.layer + a.part.layers == b.part.layer;
        let joins = next && alike(a, b);
        if joins {
            a.part.layers += b.part.layers;
        }
        joins
    });
    barriers.dedup_by(|b, a| {
        let same_layers = a.part.layer == b.part.layer && a.part.layers == b.part.layers;
        let joins = same_layers && a.part.mip + a.part.mips == b.part.mip && alike(a, b);
        if joins {
            a.part.mips += b.part.mips;
        }
        joins
    });
}

/// Points for all barriers: the fewest batches, each barrier as late as they allow.
fn place(pending: &[Pending], groups: usize, batched: bool) -> Vec<Vec<BarrierBatch>> {
    let mut before: Vec<Vec<BarrierBatch>> = vec![Vec::new(); groups];
    let mut by_deadline: Vec<usize> = (0..pending.len()).collect();
    by_deadline.sort_by_key(|&i| (pending[i].window.1, pending[i].window.0));
    let mut points: Vec<u32> = Vec::new();
    for &i in &by_deadline {
        let (open, deadline) = pending[i].window;
        if points.last().is_none_or(|p| *p < open) {
            points.push(deadline);
        }
    }
    for p in pending {
        let at = if batched {
            let k = points.partition_point(|point| *point <= p.window.1);
            k.checked_sub(1).map_or(p.window.1, |k| points[k])
        } else {
            p.window.1
        };
        let list = &mut before[at as usize];
        if list.is_empty() || !batched {
            list.push(BarrierBatch::default());
        }
        let Some(batch) = list.last_mut() else { continue };
        match p.what {
            What::Image { image, part, old, new } => {
                batch.images.push(ImageBarrier { image, part, old, new, src: p.src, dst: p.dst });
            }
            What::Buffer(buffer) => batch.buffers.push(BufferBarrier { buffer, src: p.src, dst: p.dst }),
        }
    }
    for batch in before.iter_mut().flatten() {
        batch.images.sort_unstable();
        join_parts(&mut batch.images);
        batch.buffers.sort_unstable();
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_placement_has_fewer_batches(windows in proptest::collection::vec((0u32..8, 0u32..8), 1..12)) {
            let pending: Vec<Pending> = windows
                .iter()
                .map(|w| Pending {
                    what: What::Buffer(0),
                    src: Scope::default(),
                    dst: Scope::default(),
                    window: (w.0.min(w.1), w.0.max(w.1)),
                })
                .collect();
            let found = place(&pending, 8, true).iter().filter(|b| !b.is_empty()).count() as u32;
            // Every subset of the eight points, the smallest that meets all windows.
            let meets = |set: u32| pending.iter().all(|p| (p.window.0..=p.window.1).any(|i| set & (1 << i) != 0));
            let best = (0u32..256).filter(|s| meets(*s)).map(u32::count_ones).min().unwrap();
            prop_assert_eq!(found, best);
        }
    }
}
