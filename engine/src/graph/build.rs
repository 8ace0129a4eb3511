//! Phase 12: everything together as tables and a flat list of instructions.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Format;
use super::access::Role;
use super::alias::{Block, lower_bound, pack};
use super::ast::PassKind;
use super::barriers::{self, Store, barriers};
use super::checked::{BarrierStyle, Compiled, Conditions, Graph, PlanOptions, Sizes};
use super::cull::{Needed, cull};
use super::frame::{Frame, Step, Switches, frame, unify_depth_layouts};
use super::instructions::Writer;
use super::lifetimes::{lifetimes, stores};
use super::merge::group;
use super::plan::{DeviceModel, ImageDesc, Layout, Plan, PlanBuffer, PlanImage, Residency, Usage};
use super::report::{BarrierReason, CulledPass, ImageReport, PassReport, Report};
use super::shapes::{Shape, buffer_sizes, choose_format, shapes};
use super::source::{Log, suggest};

/// Everything that is known before instructions are written.
pub(crate) struct Parts<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) steps: &'a [Step],
    pub(crate) groups: &'a [Range<usize>],
    pub(crate) shapes: &'a [Shape],
    /// Index in the plan's images, for images that are used.
    pub(crate) image_of: &'a [Option<u32>],
    pub(crate) buffer_of: &'a [Option<u32>],
    pub(crate) stores: &'a [Vec<bool>],
    pub(crate) barriers: &'a barriers::Output,
    pub(crate) conditions: &'a Conditions,
    pub(crate) view: [u32; 2],
    /// First and last group of each image.
    pub(crate) lives: &'a [Option<(u32, u32)>],
    /// Chosen formats by the graph's images.
    pub(crate) formats: &'a [Option<Format>],
}

/// Runs all phases behind the load.
pub(crate) fn build(
    log: &mut Log,
    graph: &Graph,
    sizes: &Sizes,
    conditions: &Conditions,
    device: &dyn DeviceModel,
    options: &PlanOptions,
) -> Option<Compiled> {
    let shapes = shapes(log, graph, sizes, device.max_extent());
    let bytes_of_buffers = buffer_sizes(log, graph, sizes, &shapes);
    let on = Switches { truths: &conditions.truths, disabled: &options.disabled };
    let mut frame = frame(log, graph, &shapes, &on);
    let output = frame.renamed.get(graph.output as usize).copied().unwrap_or(graph.output);
    let kept = kept_images(log, graph, &frame, options);
    check_extents(log, graph, &shapes, &frame.steps);
    if options.cull {
        cull(graph, &shapes, &mut frame, &Needed { output, kept: &kept });
    }
    let written = frame.steps.iter().flat_map(|s| &s.uses).any(|u| u.image == output && (u.writes || u.age > 0));
    if !written && !graph.images[output as usize].persistent && log.errors.is_empty() {
        let message = format!("no pass that is on writes the output \"{}\"", graph.images[output as usize].name.value);
        log.error("graph.read-before-write", message, graph.images[output as usize].name.at, "the output").help =
            Some("give the pass that is off a bypass = { … }".into());
    }
    if !log.errors.is_empty() {
        return None;
    }
    unify_depth_layouts(&mut frame.steps);
    let groups = group(&mut frame.steps, options.merge);
    let mut ends = kept;
    ends.push(output);
    let table = image_table(log, graph, &shapes, &frame, &groups, &ends, device, options);
    if !log.errors.is_empty() {
        return None;
    }
    let buffers = buffer_table(graph, &frame.steps, &bytes_of_buffers);
    let barrier_output = barriers(&barriers::Input {
        steps: &frame.steps,
        groups: &groups,
        shapes: &shapes,
        stores: &table.stores,
        buffers: graph.buffers.len(),
        batched: options.barriers == BarrierStyle::Batched,
    });
    let lasts = |i: u32| ends.contains(&i) || graph.images[i as usize].lasts();
    let stores = stores(&frame.steps, &groups, &shapes, lasts);
    let image_of = table.image_of.clone();
    let lives = lifetimes(&frame.steps, &groups, graph.images.len(), &ends);
    let formats: Vec<Option<Format>> =
        table.image_of.iter().map(|slot| slot.map(|s| table.images[s as usize].desc.format)).collect();
    let parts = Parts {
        graph,
        steps: &frame.steps,
        groups: &groups,
        shapes: &shapes,
        image_of: &image_of,
        buffer_of: &buffers.1,
        stores: &stores,
        barriers: &barrier_output,
        conditions,
        view: sizes.view,
        lives: &lives,
        formats: &formats,
    };
    Some(assemble(&parts, table, buffers.0, &frame, &ends, output))
}

fn kept_images(log: &mut Log, graph: &Graph, frame: &Frame, options: &PlanOptions) -> Vec<u32> {
    let mut kept = Vec::new();
    for name in &options.keep {
        match graph.images.iter().position(|i| i.name.value == *name && i.file.is_none()) {
            Some(i) if graph.images[i].samples > 1 => {
                let message = format!("\"{name}\" is multisampled and cannot be read");
                log.error("graph.keep", message, graph.images[i].name.at, "this image").help =
                    Some("ask for the image that it is resolved to".into());
            }
            Some(i) => {
                let image = frame.renamed[i];
                let written = frame.steps.iter().flat_map(|s| &s.uses).any(|u| u.image == image);
                if written && !kept.contains(&image) {
                    kept.push(image);
                }
                if !written {
                    let message = format!("no pass that is on touches \"{name}\"");
                    log.error("graph.keep", message, graph.images[i].name.at, "this image");
                }
            }
            None => {
                let help = suggest(name, graph.image_names());
                let mut error = crate::diag::Diagnostic::error("graph.keep", format!("no image is called \"{name}\""));
                error.help = help;
                log.errors.push(error);
            }
        }
    }
    kept
}

/// All attachments of a pass have one extent and one number of samples; copies have fitting extents.
fn check_extents(log: &mut Log, graph: &Graph, shapes: &[Shape], steps: &[Step]) {
    for step in steps {
        let name = &graph.passes[step.pass as usize].name.value;
        let mut first: Option<(u32, [u32; 2], u32, super::source::Place)> = None;
        for used in step.uses.iter().filter(|u| matches!(u.role, Role::Color | Role::Depth)) {
            let image = &graph.images[used.image as usize];
            let (extent, samples) = (shapes[used.image as usize].mip(used.part.mip), image.samples);
            match first {
                None => first = Some((used.image, extent, samples, used.at)),
                Some((other, e, s, at)) if e != extent || s != samples => {
                    let other = &graph.images[other as usize].name.value;
                    let message = format!(
                        "\"{name}\" draws to \"{other}\" of {}x{} texels and to \"{}\" of {}x{}",
                        e[0], e[1], image.name.value, extent[0], extent[1]
                    );
                    let second = log.label(at, format!("{}x{}, {s} samples", e[0], e[1]));
                    let label = format!("{}x{}, {samples} samples", extent[0], extent[1]);
                    log.error("graph.attachment-size", message, used.at, label).labels.push(second);
                }
                Some(_) => {}
            }
            if used.part.layer >= image.layers {
                let message = format!("\"{}\" has {} layers", image.name.value, image.layers);
                log.error("graph.image-shape", message, used.at, "layers count from 0");
            }
        }
        check_resolves(log, graph, shapes, step);
        check_copies(log, graph, shapes, step);
    }
}

/// Copies need equal extents and texels of equal size, blits scale and convert colours; neither resolves samples.
fn check_copies(log: &mut Log, graph: &Graph, shapes: &[Shape], step: &Step) {
    let kind = graph.passes[step.pass as usize].kind;
    for (from, to) in &step.copies {
        let (a, b) = (&graph.images[from.image as usize], &graph.images[to.image as usize]);
        let extents = (shapes[from.image as usize].mip(from.mip), shapes[to.image as usize].mip(to.mip));
        let formats = |i: &super::ir::Image| i.formats.first().map(|f| (f.value.block(), f.value.is_depth()));
        let depth = |i: &super::ir::Image| i.formats.first().is_some_and(|f| f.value.is_depth());
        let trouble = if a.samples > 1 || b.samples > 1 {
            "one of them is multisampled"
        } else if kind == PassKind::Copy && extents.0 != extents.1 {
            "their sizes differ"
        } else if kind == PassKind::Copy && formats(a) != formats(b) {
            "their texels differ in size or class"
        } else if kind != PassKind::Copy && (depth(a) || depth(b)) {
            "depth is copied, never scaled"
        } else if from.layer >= a.layers || to.layer >= b.layers {
            "there is no such layer"
        } else {
            continue;
        };
        let [[w, h], [x, y]] = [extents.0, extents.1];
        let message = format!("\"{}\" cannot be copied to \"{}\": {trouble}", a.name.value, b.name.value);
        let second = log.label(from.at, format!("{w}x{h}"));
        let error = log.error("graph.copy", message, to.at, format!("{x}x{y}"));
        error.labels.push(second);
        error.help = (kind == PassKind::Copy).then(|| "kind = \"blit\" scales and converts".into());
    }
}

fn check_resolves(log: &mut Log, graph: &Graph, shapes: &[Shape], step: &Step) {
    for color in &step.colors {
        let Some(resolve) = color.resolve else { continue };
        let (from, to) = (&graph.images[color.image as usize], &graph.images[resolve as usize]);
        let same = shapes[color.image as usize].mip(color.mip) == shapes[resolve as usize].extent;
        if from.samples == 1 || to.samples != 1 || !same {
            let message = format!("\"{}\" cannot be resolved to \"{}\"", from.name.value, to.name.value);
            log.error("graph.resolve", message, color.at, "this attachment").help =
                Some("the first needs several samples, the second one, and both the same size".into());
        }
    }
}

/// Images of the plan and how the barrier phase sees all images.
pub(crate) struct ImageTable {
    images: Vec<PlanImage>,
    image_of: Vec<Option<u32>>,
    stores: Vec<Store>,
    /// Bytes of one instance, by the plan's images.
    sizes: Vec<u64>,
    report: Report,
    heap_alignment: u64,
}

#[allow(clippy::too_many_arguments)]
fn image_table(
    log: &mut Log,
    graph: &Graph,
    shapes: &[Shape],
    frame: &Frame,
    groups: &[Range<usize>],
    ends: &[u32],
    device: &dyn DeviceModel,
    options: &PlanOptions,
) -> ImageTable {
    let usages = usages(graph, frame, ends);
    let lives = lifetimes(&frame.steps, groups, graph.images.len(), ends);
    let mut out = ImageTable {
        images: Vec::new(),
        image_of: vec![None; graph.images.len()],
        stores: vec![Store::Absent; graph.images.len()],
        sizes: Vec::new(),
        report: Report::default(),
        heap_alignment: 1,
    };
    let mut blocks = Vec::new();
    let mut block_of = Vec::new();
    let mut pass_of_step: Vec<u32> = Vec::new();
    for step in &frame.steps {
        let known = pass_of_step.last().copied();
        let fresh = pass_of_step.is_empty() || frame.steps[pass_of_step.len() - 1].pass != step.pass;
        pass_of_step.push(known.map_or(0, |k| k + u32::from(fresh)));
    }
    let first_last = lifetimes_in_passes(&frame.steps, &pass_of_step, graph.images.len());
    for (i, image) in graph.images.iter().enumerate() {
        let Some(life) = lives[i] else { continue };
        let format = choose_format(log, image, usages[i], device);
        if image.formats.len() > 1 {
            out.report.formats.push((image.name.value.clone(), format.name().to_owned()));
        }
        let shape = shapes[i];
        let desc = ImageDesc {
            format,
            extent: shape.extent,
            layers: shape.layers,
            mips: shape.mips,
            samples: image.samples,
            usage: usages[i],
        };
        let (size, alignment) = device.image_memory(&desc);
        let residency = if image.lasts() {
            let instances = image.history + 1;
            out.stores[i] = Store::Persistent { instances };
            out.report.persistent_bytes += size.saturating_mul(u64::from(instances));
            Residency::Persistent { instances, resting: Vec::new() }
        } else {
            block_of.push(i);
            blocks.push(Block { size, alignment, life });
            Residency::Transient { offset: 0, size }
        };
        out.sizes.push(size);
        out.image_of[i] = Some(out.images.len() as u32);
        out.images.push(PlanImage { name: image.name.value.clone(), desc, residency, lifetime: first_last[i] });
    }
    let packing = pack(&blocks, options.alias);
    for (k, &i) in block_of.iter().enumerate() {
        let (offset, size) = (packing.offsets[k], blocks[k].size);
        out.stores[i] = Store::Transient { offset, size };
        if let Some(image) = out.image_of[i] {
            out.images[image as usize].residency = Residency::Transient { offset, size };
        }
    }
    out.report.heap_bytes = packing.bytes;
    out.report.unshared_bytes = packing.unshared;
    out.report.live_bytes = lower_bound(&blocks);
    out.heap_alignment = packing.alignment;
    check_budget(log, graph, &out, device);
    out
}

fn check_budget(log: &mut Log, graph: &Graph, table: &ImageTable, device: &dyn DeviceModel) {
    let total = table.report.heap_bytes.saturating_add(table.report.persistent_bytes);
    let budget = device.memory_budget();
    if total <= budget {
        return;
    }
    let size = |image: &PlanImage| device.image_memory(&image.desc).0;
    let Some(largest) = table.images.iter().max_by_key(|i| size(i)) else { return };
    let at = graph.images.iter().find(|i| i.name.value == largest.name).map(|i| i.name.at).unwrap_or_default();
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let message = format!("the images need {} MiB, the device allows {} MiB", mib(total), mib(budget));
    log.error("graph.memory", message, at, format!("the largest, {} MiB", mib(size(largest)))).help =
        Some("use smaller sizes, fewer samples or smaller formats".into());
}

fn lifetimes_in_passes(steps: &[Step], pass_of_step: &[u32], images: usize) -> Vec<Option<(u32, u32)>> {
    let mut out: Vec<Option<(u32, u32)>> = vec![None; images];
    for (step, &pass) in steps.iter().zip(pass_of_step) {
        for used in &step.uses {
            let slot = &mut out[used.image as usize];
            *slot = Some((slot.map_or(pass, |s| s.0), pass));
        }
    }
    out
}

/// What every image is used as. The output and kept images are read back.
fn usages(graph: &Graph, frame: &Frame, ends: &[u32]) -> Vec<Usage> {
    let mut out = vec![Usage::NONE; graph.images.len()];
    for used in frame.steps.iter().flat_map(|s| &s.uses) {
        out[used.image as usize] |= match used.role {
            Role::Color | Role::Resolve => Usage::COLOR,
            Role::Depth => Usage::DEPTH,
            Role::Sampled => Usage::SAMPLED,
            Role::Storage => Usage::STORAGE,
            Role::CopySource => Usage::TRANSFER_SRC,
            Role::CopyTarget => Usage::TRANSFER_DST,
        };
    }
    for image in ends {
        out[*image as usize] |= Usage::TRANSFER_SRC | Usage::SAMPLED;
    }
    for (image, usage) in graph.images.iter().zip(&mut out) {
        // Instances are cleared to zero when they are made.
        if image.lasts() && *usage != Usage::NONE {
            *usage |= Usage::TRANSFER_DST;
        }
    }
    out
}

fn buffer_table(graph: &Graph, steps: &[Step], bytes: &[u64]) -> (Vec<PlanBuffer>, Vec<Option<u32>>) {
    let mut usage = vec![Usage::NONE; graph.buffers.len()];
    for used in steps.iter().flat_map(|s| &s.buffers) {
        let indirect = used.scope.stages.contains(super::plan::Stages::INDIRECT);
        usage[used.buffer as usize] |= if indirect { Usage::INDIRECT } else { Usage::STORAGE };
    }
    let mut out = Vec::new();
    let mut of = vec![None; graph.buffers.len()];
    for (i, buffer) in graph.buffers.iter().enumerate() {
        if usage[i] == Usage::NONE {
            continue;
        }
        of[i] = Some(out.len() as u32);
        out.push(PlanBuffer {
            name: buffer.name.value.clone(),
            size: bytes[i],
            usage: usage[i] | Usage::TRANSFER_DST,
            resting: Default::default(),
        });
    }
    (out, of)
}

fn assemble(
    parts: &Parts<'_>,
    mut table: ImageTable,
    mut buffers: Vec<PlanBuffer>,
    frame: &Frame,
    ends: &[u32],
    output: u32,
) -> Compiled {
    let graph = parts.graph;
    let mut phases = 1;
    for (i, slot) in table.image_of.iter().enumerate() {
        let Some(image) = slot.map(|s| &mut table.images[s as usize]) else { continue };
        if let Residency::Persistent { instances, resting } = &mut image.residency {
            resting.clone_from(&parts.barriers.resting[i]);
            // An instance that nobody touched in any frame still needs a layout to be bound with.
            for state in resting.iter_mut().filter(|s| s.layout == Layout::Undefined) {
                state.layout = Layout::General;
            }
            phases = lcm(phases, *instances);
        }
    }
    for (i, slot) in parts.buffer_of.iter().enumerate() {
        if let Some(slot) = slot {
            buffers[*slot as usize].resting = parts.barriers.buffers[i];
        }
    }
    let writer = Writer::new(parts).write();
    let mut plan = Plan {
        name: graph.name.clone(),
        output: table.image_of[output as usize].unwrap_or(0),
        output_state: parts.barriers.ends[output as usize],
        images: table.images,
        buffers,
        files: graph.textures.clone(),
        heap_bytes: table.report.heap_bytes,
        heap_alignment: table.heap_alignment,
        phases,
        params: graph.all_params.clone(),
        ..writer.plan
    };
    for image in ends {
        let Some(index) = table.image_of[*image as usize] else { continue };
        if !plan.ends.iter().any(|e| e.0 == index) {
            plan.ends.push((index, parts.barriers.ends[*image as usize]));
        }
    }
    let shaders = writer.shaders.iter().map(|s| graph.shaders[*s as usize].clone()).collect();
    let mut report = report(parts, table.report, frame, &plan);
    for (image, bytes) in report.images.iter_mut().zip(&table.sizes) {
        image.bytes = *bytes;
    }
    Compiled { plan, shaders, report }
}

fn lcm(a: u32, b: u32) -> u32 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x.max(1) * b
}

fn report(parts: &Parts<'_>, mut report: Report, frame: &Frame, plan: &Plan) -> Report {
    let graph = parts.graph;
    let pass_name = |pass: u32| graph.passes[pass as usize].name.value.clone();
    report.passes = pass_reports(graph, frame);
    report.images = image_reports(plan, parts);
    report.culled = frame.skipped.iter().map(|s| CulledPass { name: pass_name(s.pass), why: s.why.clone() }).collect();
    for group in parts.groups.iter().filter(|g| g.len() > 1) {
        report.merged.push(parts.steps[group.clone()].iter().map(|s| pass_name(s.pass)).collect());
    }
    report.barrier_calls = plan.barriers.len() as u32;
    let group_name = |g: u32| {
        let group = &parts.groups[(g as usize).min(parts.groups.len().saturating_sub(1))];
        pass_name(parts.steps[group.end - 1].pass)
    };
    let first_name = |g: u32| pass_name(parts.steps[parts.groups[g as usize].start].pass);
    let mut seen: BTreeMap<(String, Option<String>, String), ()> = BTreeMap::new();
    for cause in &parts.barriers.causes {
        let resource = match (cause.image, cause.buffer) {
            (Some(i), _) => graph.images[i as usize].name.value.clone(),
            (_, Some(b)) => graph.buffers[b as usize].name.value.clone(),
            _ => continue,
        };
        let key = (resource, cause.after.map(group_name), first_name(cause.before));
        if seen.insert(key.clone(), ()).is_none() {
            report.barriers.push(BarrierReason { resource: key.0, after: key.1, before: key.2 });
        }
    }
    report.find_critical_path();
    report
}

/// All passes with what they touch: from the steps where they run, from the file where they do not.
fn pass_reports(graph: &Graph, frame: &Frame) -> Vec<PassReport> {
    let mut out: Vec<PassReport> = graph
        .passes
        .iter()
        .map(|p| PassReport {
            name: p.name.value.clone(),
            kind: p.kind.name(),
            reads: Vec::new(),
            writes: Vec::new(),
            off: None,
        })
        .collect();
    let image = |i: u32| graph.images[i as usize].name.value.clone();
    let add = |list: &mut Vec<String>, name: String| {
        if !list.contains(&name) {
            list.push(name);
        }
    };
    for skipped in &frame.skipped {
        let pass = &graph.passes[skipped.pass as usize];
        let report = &mut out[skipped.pass as usize];
        report.off = Some(skipped.why.clone());
        for sample in &pass.samples {
            if let super::ir::Source::Image { image: i, .. } = sample.source {
                add(&mut report.reads, image(i));
            }
        }
        pass.colors.iter().for_each(|c| add(&mut report.writes, image(c.image)));
        pass.depth.iter().for_each(|d| add(&mut report.writes, image(d.image)));
        pass.to.iter().for_each(|t| add(&mut report.writes, image(t.image)));
    }
    for step in &frame.steps {
        let report = &mut out[step.pass as usize];
        let images = step.uses.iter().map(|u| {
            let age = if u.age > 0 { format!("@{}", u.age) } else { String::new() };
            (format!("{}{age}", image(u.image)), u.reads, u.writes)
        });
        let buffers =
            step.buffers.iter().map(|b| (graph.buffers[b.buffer as usize].name.value.clone(), b.reads, b.writes));
        for (name, reads, writes) in images.chain(buffers) {
            if reads {
                add(&mut report.reads, name.clone());
            }
            if writes {
                add(&mut report.writes, name);
            }
        }
    }
    out
}

fn image_reports(plan: &Plan, parts: &Parts<'_>) -> Vec<ImageReport> {
    let mut spans = vec![(0, 0); plan.images.len()];
    for (i, slot) in parts.image_of.iter().enumerate() {
        if let (Some(slot), Some(life)) = (slot, parts.lives[i]) {
            spans[*slot as usize] = life;
        }
    }
    let pass = |i: u32| plan.passes.get(i as usize).map_or(String::new(), |p| p.name.clone());
    let report = |(image, span): (&PlanImage, &(u32, u32))| {
        let (offset, instances) = match &image.residency {
            Residency::Transient { offset, .. } => (Some(*offset), 1),
            Residency::Persistent { instances, .. } => (None, *instances),
        };
        ImageReport {
            name: image.name.clone(),
            format: image.desc.format.name(),
            extent: image.desc.extent,
            bytes: 0,
            offset,
            instances,
            life: image.lifetime.map(|(a, b)| (pass(a), pass(b))),
            span: *span,
        }
    };
    plan.images.iter().zip(&spans).map(report).collect()
}
