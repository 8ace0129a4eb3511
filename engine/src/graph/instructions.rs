//! Phase 12, second half: pipelines, bindings, renderings and the list of instructions.

use std::collections::BTreeMap;

use super::access::{ImageUse, Role};
use super::ast::PassKind;
use super::build::Parts;
use super::frame::Step;
use super::ir::{Constant, Dispatch, Feed, Part, Pass, PassShader, Source, Storage, Target};
use super::limits::MAX_GROUPS;
use super::plan::{
    Attachment, BarrierBatch, Binding, BindingSet, BoundResource, Groups, ImageRef, Instruction, Load, PipelineDesc,
    PipelineKind, Plan, PlanCopy, PlanDispatch, PlanDraw, PlanFullscreen, PlanPass, Rendering, UniformBlock,
    UniformEntry,
};
use super::state::{MaterialState, RasterState};
use super::{Format, SampledKind};
use crate::scene::{SamplerDesc, Wrap};

/// Writes the tables of a plan.
pub(crate) struct Writer<'a, 'b> {
    parts: &'a Parts<'b>,
    pub(crate) plan: Plan,
    /// Index in the graph of each shader of the plan.
    pub(crate) shaders: Vec<u32>,
    shader_of: BTreeMap<u32, u32>,
    pipeline_of: BTreeMap<String, u32>,
}

impl<'a, 'b> Writer<'a, 'b> {
    pub(crate) fn new(parts: &'a Parts<'b>) -> Self {
        Self {
            parts,
            plan: Plan::default(),
            shaders: Vec::new(),
            shader_of: BTreeMap::new(),
            pipeline_of: BTreeMap::new(),
        }
    }

    /// Writes all groups.
    pub(crate) fn write(mut self) -> Self {
        let mut open: Option<u32> = None;
        for (g, group) in self.parts.groups.iter().enumerate() {
            let steps = &self.parts.steps[group.clone()];
            let first = &steps[0];
            // Steps of one `mips` pass stay within its label; their barriers stand between them.
            let continues = open == Some(first.pass);
            if !continues {
                self.end_pass(&mut open);
            }
            for batch in &self.parts.barriers.before[g] {
                self.barriers(batch);
            }
            if !first.renders() {
                if !continues {
                    self.begin_pass(first);
                    open = Some(first.pass);
                }
                self.work(first);
                continue;
            }
            let rendering = self.rendering(g, first);
            if let [only] = steps {
                self.begin_pass(only);
                self.push(Instruction::BeginRendering(rendering));
                self.work(only);
                self.push(Instruction::EndRendering);
                self.push_end();
            } else {
                self.push(Instruction::BeginRendering(rendering));
                for step in steps {
                    self.begin_pass(step);
                    self.work(step);
                    self.push_end();
                }
                self.push(Instruction::EndRendering);
            }
        }
        self.end_pass(&mut open);
        if let Some(batch) = &self.parts.barriers.after {
            self.barriers(batch);
        }
        self
    }

    fn push(&mut self, instruction: Instruction) {
        self.plan.instructions.push(instruction);
    }

    fn end_pass(&mut self, open: &mut Option<u32>) {
        if open.take().is_some() {
            self.push_end();
        }
    }

    fn push_end(&mut self) {
        self.push(Instruction::EndPass(self.plan.passes.len() as u32 - 1));
    }

    /// Copies a batch with the plan's image numbers.
    fn barriers(&mut self, batch: &BarrierBatch) {
        let mut out = batch.clone();
        for barrier in &mut out.images {
            barrier.image = self.image(barrier.image.image, barrier.image.age);
        }
        for barrier in &mut out.buffers {
            barrier.buffer = self.buffer(barrier.buffer);
        }
        self.push(Instruction::Barriers(self.plan.barriers.len() as u32));
        self.plan.barriers.push(out);
    }

    fn image(&self, image: u32, age: u32) -> ImageRef {
        ImageRef { image: self.parts.image_of[image as usize].unwrap_or(0), age }
    }

    fn buffer(&self, buffer: u32) -> u32 {
        self.parts.buffer_of[buffer as usize].unwrap_or(0)
    }

    fn pass(&self, step: &Step) -> &'b Pass {
        &self.parts.graph.passes[step.pass as usize]
    }

    fn extent(&self, step: &Step) -> [u32; 2] {
        let target = step.uses.iter().find(|u| matches!(u.role, Role::Color | Role::Depth));
        target.map_or(self.parts.view, |u| self.parts.shapes[u.image as usize].mip(u.part.mip))
    }

    fn begin_pass(&mut self, step: &Step) {
        let pass = self.pass(step);
        let extent = self.extent(step);
        let [x, y, w, h] = pass.viewport;
        let px = |share: f32, side: u32| (f64::from(share) * f64::from(side)).round() as u32;
        let (x, y) = (px(x, extent[0]).min(extent[0] - 1), px(y, extent[1]).min(extent[1] - 1));
        let w = px(w, extent[0]).clamp(1, extent[0] - x);
        let h = px(h, extent[1]).clamp(1, extent[1] - y);
        let span = pass.name.at.start as usize..pass.name.at.end as usize;
        self.push(Instruction::BeginPass(self.plan.passes.len() as u32));
        self.plan.passes.push(PlanPass {
            name: pass.name.value.clone(),
            span,
            view: pass.view,
            viewport: [x, y, w, h],
        });
    }

    fn rendering(&mut self, g: usize, step: &Step) -> u32 {
        let stores = &self.parts.stores[g];
        let attachment = |used: &ImageUse, store: bool, load: Load, resolve: Option<u32>| Attachment {
            image: self.image(used.image, 0),
            mip: used.part.mip,
            layer: used.part.layer,
            layout: used.layout,
            load,
            store,
            resolve: resolve.map(|r| self.image(r, 0)),
        };
        let mut colors = Vec::new();
        let mut depth = None;
        for (used, store) in step.uses.iter().zip(stores) {
            match (used.role, &step.depth) {
                (Role::Color, _) => {
                    let color = &step.colors[colors.len()];
                    let load = color.load.unwrap_or(Load::DontCare);
                    colors.push(attachment(used, *store, load, color.resolve));
                }
                // A depth that is only tested is never stored anew.
                (Role::Depth, Some((_, load))) => depth = Some(attachment(used, *store || !used.writes, *load, None)),
                _ => {}
            }
        }
        let samples = step.uses.iter().find(|u| matches!(u.role, Role::Color | Role::Depth));
        let samples = samples.map_or(1, |u| self.parts.graph.images[u.image as usize].samples);
        let extent = self.extent(step);
        self.plan.renderings.push(Rendering { colors, depth, extent, samples });
        self.plan.renderings.len() as u32 - 1
    }

    fn work(&mut self, step: &Step) {
        let pass = self.pass(step);
        if step.empty {
            return;
        }
        match pass.kind {
            PassKind::Raster => self.draws(step, pass),
            PassKind::Fullscreen => self.fullscreen(step, pass),
            PassKind::Compute => self.dispatch(step, pass),
            PassKind::Copy | PassKind::Blit | PassKind::Mips => self.copies(step, pass),
            PassKind::Ui => self.push(Instruction::Ui),
        }
    }

    fn shader(&mut self, shader: u32) -> u32 {
        if let Some(known) = self.shader_of.get(&shader) {
            return *known;
        }
        let index = self.plan.shaders.len() as u32;
        self.plan.shaders.push(self.parts.graph.shaders[shader as usize].request.clone());
        self.shaders.push(shader);
        self.shader_of.insert(shader, index);
        index
    }

    fn pipeline(&mut self, desc: PipelineDesc) -> u32 {
        let key = format!("{desc:?}");
        if let Some(known) = self.pipeline_of.get(&key) {
            return *known;
        }
        let index = self.plan.pipelines.len() as u32;
        self.plan.pipelines.push(desc);
        self.pipeline_of.insert(key, index);
        index
    }

    fn constants(&self, shader: &PassShader) -> Vec<(u32, u32)> {
        let word = |c: &Constant| match c {
            Constant::Word(word) => *word,
            Constant::Live(i) => self.parts.conditions.constants.get(*i as usize).copied().unwrap_or(0),
        };
        shader.constants.iter().map(|(id, c)| (*id, word(c))).collect()
    }

    fn format(&self, image: u32) -> Format {
        let plan_formats = self.parts.graph.images[image as usize].formats.first().map(|f| f.value);
        self.parts.formats[image as usize].or(plan_formats).unwrap_or(Format::Rgba8)
    }

    /// Targets of a step: formats of colours and depth, samples.
    fn targets(&self, step: &Step) -> (Vec<Format>, Option<Format>, u32) {
        let colors: Vec<Format> = step.colors.iter().map(|c| self.format(c.image)).collect();
        let depth = step.depth.as_ref().map(|d| self.format(d.0.image));
        let first = step.colors.first().map(|c| c.image).or(step.depth.as_ref().map(|d| d.0.image));
        let samples = first.map_or(1, |i| self.parts.graph.images[i as usize].samples);
        (colors, depth, samples)
    }

    fn draws(&mut self, step: &Step, pass: &Pass) {
        let bindings: Vec<(u32, u32)> = pass.shaders.iter().map(|s| self.binding_set(step, pass, s)).collect();
        let (colors, depth, samples) = self.targets(step);
        for draw in &pass.draws {
            let pass_shader = &pass.shaders[draw.shader];
            let (shader, set) = bindings[draw.shader];
            let constants = self.constants(pass_shader);
            let mut pipelines = Vec::new();
            for preset in &draw.presets {
                let kind = PipelineKind::Graphics {
                    colors: colors.clone(),
                    depth,
                    samples,
                    state: state(&pass.state, preset, depth.is_some()),
                    attributes: draw.attributes.clone(),
                    streams: draw.streams.clone(),
                };
                pipelines.push(self.pipeline(PipelineDesc { shader, kind, constants: constants.clone() }));
            }
            self.push(Instruction::Draw(self.plan.draws.len() as u32));
            self.plan.draws.push(PlanDraw { list: draw.list, pipelines, bindings: set, shader });
        }
    }

    fn fullscreen(&mut self, step: &Step, pass: &Pass) {
        let Some(pass_shader) = pass.shaders.first() else { return };
        let (shader, bindings) = self.binding_set(step, pass, pass_shader);
        let (colors, depth, samples) = self.targets(step);
        // A full-screen triangle lies on the near plane, so depth is off unless the pass asks for it.
        let open = MaterialState { depth_test: Some(false), depth_write: Some(false), ..MaterialState::default() };
        let kind = PipelineKind::Graphics {
            colors,
            depth,
            samples,
            state: state(&pass.state, &open, depth.is_some()),
            attributes: Vec::new(),
            streams: Vec::new(),
        };
        let constants = self.constants(pass_shader);
        let pipeline = self.pipeline(PipelineDesc { shader, kind, constants });
        self.push(Instruction::Fullscreen(self.plan.fullscreens.len() as u32));
        self.plan.fullscreens.push(PlanFullscreen { pipeline, bindings });
    }

    fn dispatch(&mut self, step: &Step, pass: &Pass) {
        let (Some(pass_shader), Some(dispatch)) = (pass.shaders.first(), pass.dispatch) else { return };
        let (shader, bindings) = self.binding_set(step, pass, pass_shader);
        let constants = self.constants(pass_shader);
        let pipeline = self.pipeline(PipelineDesc { shader, kind: PipelineKind::Compute, constants });
        let local = self.parts.graph.shaders[pass_shader.shader as usize].interface.workgroup;
        let groups = match dispatch {
            Dispatch::Count(count) => Groups::Count(count),
            Dispatch::Of { image, mip } => {
                let shape = self.parts.shapes[image as usize];
                let [w, h] = shape.mip(mip);
                let count = [(w, local[0]), (h, local[1]), (shape.layers, local[2])];
                Groups::Count(count.map(|(n, l)| n.div_ceil(l.max(1)).min(MAX_GROUPS)))
            }
            Dispatch::Indirect { buffer, offset, .. } => Groups::Indirect { buffer: self.buffer(buffer), offset },
        };
        self.push(Instruction::Dispatch(self.plan.dispatches.len() as u32));
        self.plan.dispatches.push(PlanDispatch { pipeline, bindings, groups });
    }

    fn copies(&mut self, step: &Step, pass: &Pass) {
        for (from, to) in &step.copies {
            let end = |p: &Part| (self.image(p.image, 0), p.mip, p.layer);
            let extent = |p: &Part| self.parts.shapes[p.image as usize].mip(p.mip);
            let copy = PlanCopy {
                src: end(from),
                src_extent: extent(from),
                dst: end(to),
                dst_extent: extent(to),
                blit: pass.kind != PassKind::Copy,
                linear: pass.linear && !self.format(from.image).is_integer() && !self.format(from.image).is_depth(),
            };
            self.push(Instruction::Copy(self.plan.copies.len() as u32));
            self.plan.copies.push(copy);
        }
    }

    /// Descriptors of set 1 for a shader of a pass: index of the shader and of the set.
    fn binding_set(&mut self, step: &Step, pass: &Pass, pass_shader: &PassShader) -> (u32, u32) {
        let shader = self.shader(pass_shader.shader);
        let mut bindings = Vec::new();
        for (binding, feed) in &pass_shader.feeds {
            let resource = match feed {
                Feed::Import(import) => BoundResource::Import { import: *import },
                Feed::Sample(i) => self.sampled(step, pass, *i),
                Feed::Storage(i) => self.storage(step, &pass.storage[*i], *i),
            };
            bindings.push(Binding { binding: *binding, resource });
        }
        bindings.sort_by_key(|b| b.binding);
        let uniforms = pass_shader.uniforms.as_ref().map(|u| UniformBlock {
            binding: u.binding,
            size: u.size,
            entries: u
                .members
                .iter()
                .map(|(offset, param, kind)| UniformEntry { offset: *offset, param: *param, kind: *kind })
                .collect(),
        });
        self.plan.bindings.push(BindingSet { shader, bindings, uniforms });
        (shader, self.plan.bindings.len() as u32 - 1)
    }

    fn sampled(&self, step: &Step, pass: &Pass, index: usize) -> BoundResource {
        let sample = &pass.samples[index];
        if !step.sample_on.get(index).copied().unwrap_or(true) {
            return BoundResource::Fallback(sample.fallback);
        }
        match (sample.source, step.samples.get(index).copied().flatten()) {
            (Source::Import(import), _) => BoundResource::Import { import },
            (Source::File(file), _) => BoundResource::File { file },
            (Source::Image { .. }, None) => BoundResource::Fallback(sample.fallback),
            (Source::Image { .. }, Some(used)) => {
                // A group may have put the image into another layout than the pass alone would.
                let layout = step.uses.iter().find(|u| {
                    u.role == Role::Sampled && u.part == used.part && u.image == used.image && u.age == used.age
                });
                let format = self.format(used.image);
                let compare = sample.kind == Some(SampledKind::D2Shadow);
                let exact = format.is_integer()
                    || format.is_depth() && !compare
                    || sample.kind == Some(SampledKind::D2Multisampled);
                let wrap = if sample.repeat { Wrap::Repeat } else { Wrap::Clamp };
                let linear =
                    sample.linear.unwrap_or(true) && !(exact && sample.linear.is_none()) && !format.is_integer();
                BoundResource::Sampled {
                    image: self.image(used.image, used.age),
                    part: used.part,
                    layout: layout.map_or(used.layout, |u| u.layout),
                    sampler: SamplerDesc { linear, wrap_u: wrap, wrap_v: wrap, compare },
                }
            }
        }
    }

    fn storage(&self, step: &Step, storage: &Storage, index: usize) -> BoundResource {
        match (storage.target, step.storage.get(index).copied().flatten()) {
            (Target::Buffer(buffer), _) => BoundResource::Buffer { buffer: self.buffer(buffer) },
            (Target::Image(_), Some(used)) => {
                BoundResource::Storage { image: self.image(used.image, 0), part: used.part }
            }
            (Target::Image(image), None) => {
                BoundResource::Storage { image: self.image(image, 0), part: super::access::part(0, 0) }
            }
        }
    }
}

/// Pass first, material second; without a depth attachment there is no depth test.
fn state(pass: &MaterialState, material: &MaterialState, has_depth: bool) -> RasterState {
    let mut state = RasterState::compose(pass, material);
    if !has_depth {
        state.depth_test = false;
        state.depth_write = false;
    }
    // Vulkan writes depth only where it tests; "write without a test" is a test that always passes.
    if has_depth && state.depth_write && !state.depth_test {
        state.depth_test = true;
        state.depth_compare = super::state::Compare::Always;
    }
    state
}
