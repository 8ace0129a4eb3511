//! Phase 6: the passes that run under some conditions, in order, with what they do to images. Renames of switched-off
//! passes, default loads, and the rule that a read needs a writer.

use super::access::{
    BufferUse, ImageUse, Role, color_use, copy_use, depth_use, part, resolve_use, scope, stages_or_default,
};
use super::ast::PassKind;
use super::checked::Graph;
use super::ir::{Color, Dispatch, Part, Pass, Source, Target};
use super::plan::{Access, Layout, Load, Stages, Subresource};
use super::shapes::Shape;
use super::source::{Log, Place};

/// A step of the frame; only `mips` passes have more than one.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Index in the graph's passes.
    pub(crate) pass: u32,
    pub(crate) uses: Vec<ImageUse>,
    pub(crate) buffers: Vec<BufferUse>,
    /// Colour attachments with their loads and after renames.
    pub(crate) colors: Vec<Color>,
    pub(crate) depth: Option<(super::ir::Depth, Load)>,
    /// Image of each sample after renames; `None` where the fallback is read.
    pub(crate) samples: Vec<Option<ImageUse>>,
    /// Whether each sample is on.
    pub(crate) sample_on: Vec<bool>,
    /// Image of each storage binding after renames.
    pub(crate) storage: Vec<Option<ImageUse>>,
    pub(crate) copies: Vec<(Part, Part)>,
    /// Only the clears of the attachments are left.
    pub(crate) empty: bool,
}

impl Step {
    fn new(pass: u32) -> Self {
        Self {
            pass,
            uses: Vec::new(),
            buffers: Vec::new(),
            colors: Vec::new(),
            depth: None,
            samples: Vec::new(),
            sample_on: Vec::new(),
            storage: Vec::new(),
            copies: Vec::new(),
            empty: false,
        }
    }

    /// True when the step draws into attachments.
    pub(crate) fn renders(&self) -> bool {
        !self.colors.is_empty() || self.depth.is_some()
    }
}

/// A pass that does not run, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    pub(crate) pass: u32,
    pub(crate) why: String,
}

/// The steps of a frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) steps: Vec<Step>,
    pub(crate) skipped: Vec<Skipped>,
    /// What stands for each image at the end of the frame.
    pub(crate) renamed: Vec<u32>,
}

/// What is known about texels while the frame is walked.
struct Written {
    /// For each image, for each mip and layer: the step that wrote it first, plus 1.
    units: Vec<Vec<u32>>,
}

impl Written {
    fn has(&self, shapes: &[Shape], image: u32, p: Subresource) -> bool {
        self.each(shapes, image, p).all(|w| *w > 0)
    }

    fn each(&self, shapes: &[Shape], image: u32, p: Subresource) -> impl Iterator<Item = &u32> {
        let shape = shapes[image as usize];
        let units = &self.units[image as usize];
        (p.mip..p.mip + p.mips).flat_map(move |m| {
            (p.layer..p.layer + p.layers).filter_map(move |l| units.get((m * shape.layers + l) as usize))
        })
    }

    fn mark(&mut self, shapes: &[Shape], image: u32, p: Subresource) {
        let layers = shapes[image as usize].layers;
        for m in p.mip..p.mip + p.mips {
            for l in p.layer..p.layer + p.layers {
                if let Some(unit) = self.units[image as usize].get_mut((m * layers + l) as usize) {
                    *unit = 1;
                }
            }
        }
    }
}

/// Which passes and bindings are on.
pub(crate) struct Switches<'a> {
    /// Outcome of every condition.
    pub(crate) truths: &'a [bool],
    /// Passes that are switched off by name.
    pub(crate) disabled: &'a [String],
}

impl Switches<'_> {
    fn holds(&self, condition: Option<u32>) -> bool {
        condition.is_none_or(|c| self.truths.get(c as usize).copied().unwrap_or(true))
    }
}

struct Walk<'a> {
    graph: &'a Graph,
    shapes: &'a [Shape],
    written: Written,
    buffers_written: Vec<bool>,
    rename: Vec<u32>,
}

/// Walks the passes in order.
pub(crate) fn frame(log: &mut Log, graph: &Graph, shapes: &[Shape], on: &Switches<'_>) -> Frame {
    let units = shapes.iter().map(|s| vec![0; (s.mips * s.layers) as usize]).collect();
    let mut walk = Walk {
        graph,
        shapes,
        written: Written { units },
        buffers_written: vec![false; graph.buffers.len()],
        rename: (0..graph.images.len() as u32).collect(),
    };
    let mut out = Frame::default();
    for (i, pass) in graph.passes.iter().enumerate() {
        let off = match &pass.dropped {
            Some(why) => Some(why.clone()),
            None if on.disabled.contains(&pass.name.value) => {
                out.steps.extend(walk.clears(log, pass, i as u32));
                Some("it is switched off".to_owned())
            }
            None if !on.holds(pass.when) => {
                let text = pass.when.map_or("", |c| graph.conditions[c as usize].text.as_str());
                Some(format!("its condition `{text}` does not hold"))
            }
            None => walk.missing_mip(pass),
        };
        if let Some(why) = off {
            out.skipped.push(Skipped { pass: i as u32, why });
            for (image, instead) in &pass.bypass {
                walk.rename[*image as usize] = walk.rename[*instead as usize];
            }
            continue;
        }
        for step in walk.steps(pass, i as u32, on) {
            walk.check(log, pass, &step);
            out.steps.push(step);
        }
    }
    out.renamed = walk.rename;
    out
}

impl Walk<'_> {
    fn image(&self, image: u32) -> u32 {
        self.rename[image as usize]
    }

    /// A pass of a mip chain that the image does not have at this size is left out.
    fn missing_mip(&self, pass: &Pass) -> Option<String> {
        let attachments = pass.colors.iter().map(|c| (c.image, c.mip));
        let depth = pass.depth.iter().map(|d| (d.image, d.mip));
        let samples = pass.samples.iter().filter_map(|s| match s.source {
            Source::Image { image, .. } => s.mip.map(|m| (image, m)),
            _ => None,
        });
        let storage = pass.storage.iter().filter_map(|s| match s.target {
            Target::Image(image) => Some((image, s.mip)),
            Target::Buffer(_) => None,
        });
        let parts = pass.from.iter().chain(&pass.to).map(|p| (p.image, p.mip));
        let mut all = attachments.chain(depth).chain(samples).chain(storage).chain(parts);
        all.find(|(image, mip)| *mip >= self.shapes[self.image(*image) as usize].mips).map(|(image, mip)| {
            format!("\"{}\" has no mip {mip} at this size", self.graph.images[image as usize].name.value)
        })
    }

    fn default_load(&self, image: u32, p: Subresource, clear: [f32; 4]) -> Load {
        let entry = &self.graph.images[image as usize];
        let lasting = entry.persistent && entry.history == 0;
        if lasting || self.written.has(self.shapes, image, p) { Load::Keep } else { Load::Clear(clear) }
    }

    /// What is left of a pass that a person switched off: the clears of attachments that nobody wrote before, so that
    /// those who read them find an empty picture instead of nothing.
    fn clears(&mut self, log: &mut Log, pass: &Pass, index: u32) -> Option<Step> {
        let mut step = Step { empty: true, ..Step::new(index) };
        self.attachments(pass, &mut step);
        let clears = step.uses.iter().any(|u| u.replaces && !self.written.has(self.shapes, u.image, u.part));
        let keeps = step.uses.iter().all(|u| !u.reads || self.written.has(self.shapes, u.image, u.part));
        if !clears || !keeps || !pass.bypass.is_empty() {
            return None;
        }
        self.check(log, pass, &step);
        Some(step)
    }

    fn steps(&mut self, pass: &Pass, index: u32, on: &Switches<'_>) -> Vec<Step> {
        let mut step = Step::new(index);
        if pass.kind == PassKind::Mips {
            return self.mip_steps(pass, index);
        }
        self.bindings(pass, &mut step, on);
        self.end_bypasses(pass);
        self.attachments(pass, &mut step);
        for i in 0..step.uses.len() {
            let used = step.uses[i];
            let tested = step.uses.iter().any(|u| u.layout == Layout::DepthReadOnly && u.overlaps(&used));
            if used.role == Role::Sampled && tested {
                step.uses[i].layout = Layout::DepthReadOnly;
            }
        }
        if let (Some(from), Some(to)) = (pass.from, pass.to) {
            let from = Part { image: self.image(from.image), ..from };
            let to = Part { image: self.image(to.image), ..to };
            step.uses.push(copy_use(from.image, part(from.mip, from.layer), false, from.at));
            step.uses.push(copy_use(to.image, part(to.mip, to.layer), true, to.at));
            step.copies.push((from, to));
        }
        if let Some(Dispatch::Indirect { buffer, at, .. }) = pass.dispatch {
            step.buffers.push(BufferUse {
                buffer,
                scope: scope(Stages::INDIRECT, Access::INDIRECT_READ),
                reads: true,
                writes: false,
                at,
            });
        }
        vec![step]
    }

    fn mip_steps(&self, pass: &Pass, index: u32) -> Vec<Step> {
        let Some(to) = pass.to else { return Vec::new() };
        let image = self.image(to.image);
        let shape = self.shapes[image as usize];
        let mut steps = Vec::new();
        for mip in to.mip + 1..shape.mips {
            let mut step = Step::new(index);
            let all = |mip| Subresource { mip, mips: 1, layer: 0, layers: shape.layers };
            step.uses.push(copy_use(image, all(mip - 1), false, to.at));
            step.uses.push(copy_use(image, all(mip), true, to.at));
            for layer in 0..shape.layers {
                let at = |mip| Part { image, mip, layer, at: to.at };
                step.copies.push((at(mip - 1), at(mip)));
            }
            steps.push(step);
        }
        steps
    }

    /// An image that is written anew stands for itself again, whatever flowed through it before.
    fn end_bypasses(&mut self, pass: &Pass) {
        let cleared = |load: &Option<Load>| matches!(load, Some(Load::Clear(_) | Load::DontCare));
        let colors = pass.colors.iter().filter(|c| cleared(&c.load)).map(|c| c.image);
        let depth = pass.depth.iter().filter(|d| cleared(&d.load)).map(|d| d.image);
        let resolves = pass.colors.iter().filter_map(|c| c.resolve);
        let fresh: Vec<u32> = colors.chain(depth).chain(resolves).chain(pass.to.map(|t| t.image)).collect();
        for image in fresh {
            self.rename[image as usize] = image;
        }
    }

    fn attachments(&self, pass: &Pass, step: &mut Step) {
        for color in &pass.colors {
            let mut color = *color;
            color.image = self.image(color.image);
            color.resolve = color.resolve.map(|r| self.image(r));
            let p = part(color.mip, color.layer);
            let load = color.load.unwrap_or_else(|| self.default_load(color.image, p, [0.0; 4]));
            color.load = Some(load);
            step.uses.push(color_use(&color, load));
            step.uses.extend(color.resolve.map(|r| resolve_use(r, color.at)));
            step.colors.push(color);
        }
        if let Some(depth) = &pass.depth {
            let mut depth = *depth;
            depth.image = self.image(depth.image);
            let p = part(depth.mip, depth.layer);
            let load = depth.load.unwrap_or_else(|| self.default_load(depth.image, p, [1.0, 0.0, 0.0, 0.0]));
            step.uses.push(depth_use(&depth, load));
            step.depth = Some((depth, load));
        }
    }

    fn bindings(&self, pass: &Pass, step: &mut Step, on: &Switches<'_>) {
        for sample in &pass.samples {
            let held = on.holds(sample.when);
            step.sample_on.push(held);
            let mut found = None;
            if let (true, Source::Image { image, age }) = (held, sample.source) {
                let image = if age == 0 { self.image(image) } else { image };
                let p = view_part(self.shapes[image as usize], sample.mip, sample.layer);
                let used = ImageUse {
                    image,
                    age,
                    part: p,
                    layout: Layout::ShaderRead,
                    scope: scope(stages_or_default(sample.stages, pass), Access::SAMPLED_READ),
                    reads: true,
                    writes: false,
                    replaces: false,
                    role: Role::Sampled,
                    at: sample.at,
                };
                step.uses.push(used);
                found = Some(used);
            }
            step.samples.push(found);
        }
        for storage in &pass.storage {
            let stages = stages_or_default(storage.stages, pass);
            let access = match storage.written {
                true => Access::STORAGE_READ | Access::STORAGE_WRITE,
                false => Access::STORAGE_READ,
            };
            let mut found = None;
            match storage.target {
                Target::Image(image) => {
                    let image = self.image(image);
                    let p = view_part(self.shapes[image as usize], Some(storage.mip), storage.layer);
                    let used = ImageUse {
                        image,
                        age: 0,
                        part: p,
                        layout: Layout::General,
                        scope: scope(stages, access),
                        reads: !storage.written || self.written.has(self.shapes, image, p),
                        writes: storage.written,
                        replaces: false,
                        role: Role::Storage,
                        at: storage.at,
                    };
                    step.uses.push(used);
                    found = Some(used);
                }
                Target::Buffer(buffer) => {
                    let reads = !storage.written || self.buffers_written[buffer as usize];
                    let writes = storage.written;
                    step.buffers.push(BufferUse {
                        buffer,
                        scope: scope(stages, access),
                        reads,
                        writes,
                        at: storage.at,
                    });
                }
            }
            step.storage.push(found);
        }
    }

    /// Rule 4, uses that fight, and afterwards what the step wrote.
    fn check(&mut self, log: &mut Log, pass: &Pass, step: &Step) {
        for used in &step.uses {
            let image = &self.graph.images[used.image as usize];
            let lasting = used.age > 0 || image.persistent && image.history == 0;
            if used.reads && !lasting && !self.written.has(self.shapes, used.image, used.part) {
                read_before_write(log, self.graph, pass, used, step.pass);
            }
        }
        for used in &step.buffers {
            let buffer = &self.graph.buffers[used.buffer as usize];
            if used.reads && !buffer.persistent && !self.buffers_written[used.buffer as usize] {
                let message =
                    format!("\"{}\" is read by \"{}\" before any pass writes it", buffer.name.value, pass.name.value);
                log.error("graph.read-before-write", message, used.at, "read here").help =
                    Some("write it in an earlier pass, or say persistent = true".into());
            }
        }
        conflicts(log, self.graph, pass, step);
        for used in step.uses.iter().filter(|u| u.writes && u.age == 0) {
            self.written.mark(self.shapes, used.image, used.part);
        }
        for used in step.buffers.iter().filter(|b| b.writes) {
            self.buffers_written[used.buffer as usize] = true;
        }
    }
}

/// A depth image that some pass tests without writing is sampled in that layout everywhere, which spares transitions.
pub(crate) fn unify_depth_layouts(steps: &mut [Step]) {
    let uses = steps.iter().flat_map(|s| &s.uses);
    let tested: std::collections::BTreeSet<u32> =
        uses.filter(|u| u.layout == Layout::DepthReadOnly).map(|u| u.image).collect();
    for used in steps.iter_mut().flat_map(|s| &mut s.uses) {
        if used.role == Role::Sampled && tested.contains(&used.image) {
            used.layout = Layout::DepthReadOnly;
        }
    }
}

/// Mips and layers that a binding sees.
fn view_part(shape: Shape, mip: Option<u32>, layer: Option<u32>) -> Subresource {
    let (mip, mips) = mip.map_or((0, shape.mips), |m| (m, 1));
    let (layer, layers) = layer.map_or((0, shape.layers), |l| (l, 1));
    Subresource { mip, mips, layer, layers }
}

fn read_before_write(log: &mut Log, graph: &Graph, pass: &Pass, used: &ImageUse, index: u32) {
    let image = &graph.images[used.image as usize];
    let later = graph.passes.iter().enumerate().skip(index as usize + 1).find(|(_, p)| writes(p, used.image));
    let line = log.line(used.at);
    let (name, reader) = (&image.name.value, &pass.name.value);
    let (message, second): (String, Option<(Place, &'static str)>) = match later {
        Some((_, writer)) => {
            let writer_line = log.line(writer.name.at);
            let text = format!(
                "\"{name}\" is read by \"{reader}\" (line {line}) before \"{}\" (line {writer_line}) writes it",
                writer.name.value
            );
            (text, Some((writer.name.at, "writes it later")))
        }
        None => (format!("\"{name}\" is read by \"{reader}\" (line {line}) and no pass writes it"), None),
    };
    let labels: Vec<_> = second.map(|(at, text)| log.label(at, text)).into_iter().collect();
    let help = match (later, image.history) {
        (Some((_, writer)), 0) => {
            format!("move \"{}\" before \"{reader}\", or read \"{name}@prev\"", writer.name.value)
        }
        (_, 1..) => format!("read \"{name}@prev\" for the frame before"),
        (None, _) => "draw to it first, or say persistent = true".to_owned(),
    };
    let error = log.error("graph.read-before-write", message, used.at, "read here");
    error.labels.extend(labels);
    error.help = Some(help);
}

fn writes(pass: &Pass, image: u32) -> bool {
    pass.colors.iter().any(|c| c.image == image || c.resolve == Some(image))
        || pass.depth.is_some_and(|d| d.image == image && !d.read_only)
        || pass.storage.iter().any(|s| s.written && s.target == Target::Image(image))
        || pass.to.is_some_and(|t| t.image == image)
}

/// Two uses of one texel by one pass, one of which writes.
fn conflicts(log: &mut Log, graph: &Graph, pass: &Pass, step: &Step) {
    for (i, a) in step.uses.iter().enumerate() {
        for b in &step.uses[i + 1..] {
            let storage = a.role == Role::Storage && b.role == Role::Storage;
            if !a.overlaps(b) || storage || !(a.writes || b.writes) && a.layout == b.layout {
                continue;
            }
            let attached = |u: &ImageUse| matches!(u.role, Role::Color | Role::Depth | Role::Resolve);
            let (a, b) = if attached(b) && !attached(a) { (b, a) } else { (a, b) };
            let name = &graph.images[a.image as usize].name.value;
            let message =
                format!("\"{}\" {} \"{name}\" and {} it at once", pass.name.value, a.role.verb(), b.role.verb());
            let second = log.label(a.at, "and here");
            let help = match (a.role, b.role) {
                (Role::Depth, Role::Sampled) => {
                    "say depth = { image = \"…\", write = false } to test and sample it at once".to_owned()
                }
                (Role::Color, Role::Sampled) => format!("draw to another image, or sample \"{name}@prev\""),
                _ => "use another image, mip or layer".to_owned(),
            };
            let error = log.error("graph.feedback", message, b.at, "here");
            error.labels.push(second);
            error.help = Some(help);
        }
    }
}
