//! A slow, independent model of a queue that replays a plan for several frames and finds every hazard, wrong layout and
//! lost texel. It knows nothing of how the compiler works, only what barriers mean in Vulkan.

use super::{
    Access, BoundResource, Compiled, Groups, ImageRef, Instruction, Layout, Load, Plan, Residency, Scope, Stages,
    Subresource,
};
use crate::shader::{BindingKind, Stage};

/// What an access touches.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Thing {
    Image { image: u32, instance: u32, part: Subresource },
    Buffer(u32),
}

/// An access of the past and what has been waited for since.
struct Event {
    thing: Thing,
    scope: Scope,
    write: bool,
    /// Stages that come after it.
    reached: Stages,
    available: bool,
    visible: Scope,
    what: String,
}

struct Texels {
    layout: Layout,
    valid: bool,
}

struct Machine<'a> {
    plan: &'a Plan,
    frame: u32,
    events: Vec<Event>,
    /// For each image, for each instance, mip and layer.
    texels: Vec<Vec<Texels>>,
    here: String,
}

fn reads_of(scope: Scope) -> Access {
    scope.access
}

/// Replays the plan for some frames; the first thing that is wrong is returned.
pub(crate) fn replay(compiled: &Compiled, frames: u32) -> Result<(), String> {
    let plan = &compiled.plan;
    let texels = plan.images.iter().map(|i| {
        let (instances, resting) = match &i.residency {
            Residency::Persistent { instances, resting } => (*instances, resting.clone()),
            Residency::Transient { .. } => (1, Vec::new()),
        };
        let per = i.desc.mips * i.desc.layers;
        let unit = |k: u32| {
            // Instance k has age (instances - k) % instances before the frame 0.
            let age = (instances - k / per) % instances;
            let layout = resting.get(age as usize).map_or(Layout::Undefined, |s| s.layout);
            Texels { layout, valid: !resting.is_empty() }
        };
        (0..per * instances).map(unit).collect()
    });
    let mut machine = Machine { plan, frame: 0, events: Vec::new(), texels: texels.collect(), here: String::new() };
    for frame in 0..frames {
        machine.frame = frame;
        machine.replay_frame(compiled).map_err(|e| format!("frame {frame}, {}: {e}", machine.here))?;
        machine.check_ends()?;
    }
    Ok(())
}

impl Machine<'_> {
    fn thing(&self, image: ImageRef, part: Subresource) -> Thing {
        let instances = match &self.plan.images[image.image as usize].residency {
            Residency::Persistent { instances, .. } => *instances,
            Residency::Transient { .. } => 1,
        };
        let instance = (self.frame + instances - image.age) % instances;
        Thing::Image { image: image.image, instance, part }
    }

    fn meets(&self, a: Thing, b: Thing) -> bool {
        match (a, b) {
            (Thing::Buffer(a), Thing::Buffer(b)) => a == b,
            (Thing::Image { image: i, instance: m, part: p }, Thing::Image { image: j, instance: n, part: q }) => {
                if i == j {
                    let cross = |a: u32, n: u32, b: u32, m: u32| a < b + m && b < a + n;
                    return m == n
                        && cross(p.mip, p.mips, q.mip, q.mips)
                        && cross(p.layer, p.layers, q.layer, q.layers);
                }
                self.shares_memory(i, j)
            }
            _ => false,
        }
    }

    fn shares_memory(&self, i: u32, j: u32) -> bool {
        let heap = |k: u32| match self.plan.images[k as usize].residency {
            Residency::Transient { offset, size } => Some((offset, size)),
            Residency::Persistent { .. } => None,
        };
        match (heap(i), heap(j)) {
            (Some((a, n)), Some((b, m))) => a < b + m && b < a + n,
            _ => false,
        }
    }

    fn units(&self, thing: Thing) -> Vec<(u32, usize)> {
        let Thing::Image { image, instance, part } = thing else { return Vec::new() };
        let d = &self.plan.images[image as usize].desc;
        let mut out = Vec::new();
        for mip in part.mip..part.mip + part.mips {
            for layer in part.layer..part.layer + part.layers {
                out.push((image, ((instance * d.mips + mip) * d.layers + layer) as usize));
            }
        }
        out
    }

    fn hazard(&self, thing: Thing, scope: Scope, write: bool) -> Result<(), String> {
        for event in self.events.iter().filter(|e| self.meets(e.thing, thing)) {
            if !(event.write || write) {
                continue;
            }
            if !event.reached.contains(scope.stages) {
                return Err(format!("{thing:?} at {scope:?} does not wait for {}", event.what));
            }
            let seen = event.visible.stages.contains(scope.stages) && event.visible.access.contains(reads_of(scope));
            if event.write && !seen {
                return Err(format!("{thing:?} at {scope:?} does not see {}", event.what));
            }
        }
        Ok(())
    }

    fn access(&mut self, thing: Thing, scope: Scope, layout: Layout) -> Result<(), String> {
        let write = scope.access.writes();
        for (image, unit) in self.units(thing) {
            let now = self.texels[image as usize][unit].layout;
            if now != layout {
                return Err(format!("{thing:?} is in {now:?}, {layout:?} is needed"));
            }
        }
        self.hazard(thing, scope, write)?;
        let what = format!("{thing:?} {scope:?} of {} in frame {}", self.here, self.frame);
        self.events.push(Event {
            thing,
            scope,
            write,
            reached: Stages::NONE,
            available: false,
            visible: Scope::default(),
            what,
        });
        Ok(())
    }

    fn need_valid(&self, thing: Thing) -> Result<(), String> {
        for (image, unit) in self.units(thing) {
            if !self.texels[image as usize][unit].valid {
                return Err(format!("{thing:?} holds nothing"));
            }
        }
        Ok(())
    }

    fn set_valid(&mut self, thing: Thing, valid: bool) {
        for (image, unit) in self.units(thing) {
            self.texels[image as usize][unit].valid = valid;
        }
        if let Thing::Image { image, .. } = thing {
            for other in 0..self.plan.images.len() as u32 {
                if other != image && self.shares_memory(image, other) {
                    self.texels[other as usize].iter_mut().for_each(|t| t.valid = false);
                }
            }
        }
    }

    /// Execution and memory dependencies of one barrier on the events that it covers.
    fn depend(&mut self, thing: Thing, src: Scope, dst: Scope) {
        let mut covered = Vec::new();
        for (i, event) in self.events.iter().enumerate() {
            let chained = event.reached.intersects(src.stages) || event.scope.stages.intersects(src.stages);
            if chained && self.meets(event.thing, thing) {
                covered.push(i);
            }
        }
        for i in covered {
            let event = &mut self.events[i];
            event.reached |= dst.stages;
            let made = event.scope.stages.intersects(src.stages)
                && src.access.contains(Access(event.scope.access.0 & Access::WRITES.0));
            event.available |= event.write && made;
            if event.available {
                event.visible.stages |= dst.stages;
                event.visible.access |= dst.access;
            }
        }
    }

    fn barrier(&mut self, thing: Thing, old: Layout, new: Layout, src: Scope, dst: Scope) -> Result<(), String> {
        self.depend(thing, src, dst);
        if old == new {
            return Ok(());
        }
        // The transition is a write that waits for `src` and that `dst` sees.
        for (image, unit) in self.units(thing) {
            let texel = &self.texels[image as usize][unit];
            if old != Layout::Undefined && texel.layout != old {
                return Err(format!("barrier on {thing:?} from {old:?}, it is in {:?}", texel.layout));
            }
        }
        for event in self.events.iter().filter(|e| self.meets(e.thing, thing)) {
            let waited = event.scope.stages.intersects(src.stages) || event.reached.intersects(src.stages);
            if !waited || event.write && !event.available {
                return Err(format!("the transition of {thing:?} to {new:?} does not wait for {}", event.what));
            }
        }
        if old == Layout::Undefined {
            self.set_valid(thing, false);
        }
        for (image, unit) in self.units(thing) {
            self.texels[image as usize][unit].layout = new;
        }
        let what = format!("the transition of {thing:?} to {new:?}");
        // Everything before the transition is now behind it.
        let gone: Vec<bool> = self.events.iter().map(|e| !self.replaced_by(e.thing, thing)).collect();
        let mut at = 0;
        self.events.retain(|_| {
            at += 1;
            gone[at - 1]
        });
        self.events.push(Event {
            thing,
            scope: Scope { stages: dst.stages, access: Access::NONE },
            write: true,
            reached: dst.stages,
            available: true,
            visible: dst,
            what,
        });
        Ok(())
    }

    /// True when every texel of `a` is one of `b`, so that the transition of `b` stands for all of it.
    fn replaced_by(&self, a: Thing, b: Thing) -> bool {
        match (a, b) {
            (Thing::Image { image: i, instance: m, part: p }, Thing::Image { image: j, instance: n, part: q }) => {
                i == j
                    && m == n
                    && q.mip <= p.mip
                    && p.mip + p.mips <= q.mip + q.mips
                    && q.layer <= p.layer
                    && p.layer + p.layers <= q.layer + q.layers
            }
            _ => false,
        }
    }

    fn replay_frame(&mut self, compiled: &Compiled) -> Result<(), String> {
        let plan = self.plan;
        let mut rendering: Option<usize> = None;
        for instruction in &plan.instructions {
            match *instruction {
                Instruction::Barriers(i) => {
                    for b in &plan.barriers[i as usize].images {
                        let thing = self.thing(b.image, b.part);
                        self.barrier(thing, b.old, b.new, b.src, b.dst)?;
                    }
                    for b in &plan.barriers[i as usize].buffers {
                        self.barrier(Thing::Buffer(b.buffer), Layout::General, Layout::General, b.src, b.dst)?;
                    }
                }
                Instruction::BeginPass(i) => self.here.clone_from(&plan.passes[i as usize].name),
                Instruction::EndPass(_) | Instruction::Ui => {}
                Instruction::BeginRendering(i) => {
                    rendering = Some(i as usize);
                    self.begin(i as usize)?;
                }
                Instruction::EndRendering => {
                    if let Some(i) = rendering.take() {
                        self.end(i);
                    }
                }
                Instruction::Draw(i) => self.bindings(compiled, plan.draws[i as usize].bindings)?,
                Instruction::Fullscreen(i) => self.bindings(compiled, plan.fullscreens[i as usize].bindings)?,
                Instruction::Dispatch(i) => {
                    let dispatch = &plan.dispatches[i as usize];
                    if let Groups::Indirect { buffer, .. } = dispatch.groups {
                        let scope = Scope { stages: Stages::INDIRECT, access: Access::INDIRECT_READ };
                        self.access(Thing::Buffer(buffer), scope, Layout::General)?;
                    }
                    self.bindings(compiled, dispatch.bindings)?;
                }
                Instruction::Copy(i) => {
                    let copy = plan.copies[i as usize];
                    let part = |e: (ImageRef, u32, u32)| Subresource { mip: e.1, mips: 1, layer: e.2, layers: 1 };
                    let src = self.thing(copy.src.0, part(copy.src));
                    let dst = self.thing(copy.dst.0, part(copy.dst));
                    self.need_valid(src)?;
                    let read = Scope { stages: Stages::TRANSFER, access: Access::TRANSFER_READ };
                    let write = Scope { stages: Stages::TRANSFER, access: Access::TRANSFER_WRITE };
                    self.access(src, read, Layout::TransferSrc)?;
                    self.access(dst, write, Layout::TransferDst)?;
                    self.set_valid(dst, true);
                }
            }
        }
        Ok(())
    }

    fn attachments(&self, index: usize) -> Vec<(Thing, Scope, Layout, Load, bool)> {
        let rendering = &self.plan.renderings[index];
        let part = |mip, layer| Subresource { mip, mips: 1, layer, layers: 1 };
        let color = Scope { stages: Stages::COLOR_OUTPUT, access: Access::COLOR_READ | Access::COLOR_WRITE };
        let mut out = Vec::new();
        for a in &rendering.colors {
            out.push((self.thing(a.image, part(a.mip, a.layer)), color, a.layout, a.load, a.store));
            if let Some(resolve) = a.resolve {
                let scope = Scope { stages: Stages::COLOR_OUTPUT, access: Access::COLOR_WRITE };
                out.push((self.thing(resolve, part(0, 0)), scope, Layout::ColorAttachment, Load::DontCare, true));
            }
        }
        if let Some(a) = &rendering.depth {
            let read_only = a.layout == Layout::DepthReadOnly;
            let access = if read_only { Access::DEPTH_READ } else { Access::DEPTH_READ | Access::DEPTH_WRITE };
            let scope = Scope { stages: Stages::DEPTH_TESTS, access };
            out.push((self.thing(a.image, part(a.mip, a.layer)), scope, a.layout, a.load, a.store || read_only));
        }
        out
    }

    fn begin(&mut self, index: usize) -> Result<(), String> {
        for (thing, scope, layout, load, _) in self.attachments(index) {
            if matches!(load, Load::Keep) {
                self.need_valid(thing)?;
            }
            self.access(thing, scope, layout)?;
            if scope.access.writes() {
                self.set_valid(thing, true);
            }
        }
        Ok(())
    }

    fn end(&mut self, index: usize) {
        for (thing, _, _, _, store) in self.attachments(index) {
            for (image, unit) in self.units(thing) {
                self.texels[image as usize][unit].valid &= store;
            }
        }
    }

    fn bindings(&mut self, compiled: &Compiled, set: u32) -> Result<(), String> {
        let set = &self.plan.bindings[set as usize];
        let interface = &compiled.shaders[set.shader as usize].interface;
        for binding in &set.bindings {
            let Some(shader) = interface.bindings.iter().find(|b| b.set == 1 && b.binding == binding.binding) else {
                return Err("a binding that the shader lacks".into());
            };
            let stages = shader.stages.iter().fold(Stages::NONE, |all, s| {
                all | match s {
                    Stage::Vertex => Stages::VERTEX,
                    Stage::Fragment => Stages::FRAGMENT,
                    Stage::Compute => Stages::COMPUTE,
                }
            });
            let storage = match shader.kind {
                BindingKind::StorageImage { written } | BindingKind::StorageBuffer { written } => written,
                _ => false,
            };
            let both = Access::STORAGE_READ | Access::STORAGE_WRITE;
            let access = if storage { both } else { Access::STORAGE_READ };
            match &binding.resource {
                BoundResource::Sampled { image, part, layout, .. } => {
                    let thing = self.thing(*image, *part);
                    self.need_valid(thing)?;
                    self.access(thing, Scope { stages, access: Access::SAMPLED_READ }, *layout)?;
                }
                BoundResource::Storage { image, part } => {
                    let thing = self.thing(*image, *part);
                    if !storage {
                        self.need_valid(thing)?;
                    }
                    self.access(thing, Scope { stages, access }, Layout::General)?;
                    if storage {
                        self.set_valid(thing, true);
                    }
                }
                BoundResource::Buffer { buffer } => {
                    self.access(Thing::Buffer(*buffer), Scope { stages, access }, Layout::General)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The output is there and in the layout that the plan says.
    fn check_ends(&self) -> Result<(), String> {
        for (image, state) in &self.plan.ends {
            let thing =
                self.thing(ImageRef { image: *image, age: 0 }, Subresource { mip: 0, mips: 1, layer: 0, layers: 1 });
            self.need_valid(thing)?;
            for (image, unit) in self.units(thing) {
                let layout = self.texels[image as usize][unit].layout;
                if layout != state.layout {
                    return Err(format!("{thing:?} ends in {layout:?}, the plan says {:?}", state.layout));
                }
            }
        }
        Ok(())
    }
}
