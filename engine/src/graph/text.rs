//! A plan as text: one line an instruction, for tests, `terrace graph` and people.

use std::fmt::Write;

use super::plan::{
    Access, Attachment, BarrierBatch, BoundResource, Groups, ImageRef, Instruction, Layout, Load, Plan, Residency,
    Scope, Stages, Subresource,
};

impl Plan {
    /// Images, then instructions with everything they mean.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for image in &self.images {
            let d = &image.desc;
            let place = match &image.residency {
                Residency::Transient { offset, size } => format!("heap {offset}+{size}"),
                Residency::Persistent { instances, resting } => {
                    let states: Vec<String> = resting.iter().map(|s| format!("{:?}", s.layout)).collect();
                    format!("persistent x{instances} resting {}", states.join(" "))
                }
            };
            let shape = match (d.layers, d.mips, d.samples) {
                (1, 1, 1) => String::new(),
                (l, m, s) => format!(" layers {l} mips {m} samples {s}"),
            };
            let [w, h] = d.extent;
            let _ = writeln!(out, "image {} {} {w}x{h}{shape} {place}", image.name, d.format.name());
        }
        for buffer in &self.buffers {
            let _ = writeln!(out, "buffer {} {} bytes", buffer.name, buffer.size);
        }
        for instruction in &self.instructions {
            self.instruction(&mut out, *instruction);
        }
        out
    }

    fn name(&self, image: ImageRef) -> String {
        let name = self.images.get(image.image as usize).map_or("?", |i| i.name.as_str());
        if image.age == 0 { name.to_owned() } else { format!("{name}@{}", image.age) }
    }

    fn part(&self, image: ImageRef, part: Subresource) -> String {
        let whole = self
            .images
            .get(image.image as usize)
            .is_some_and(|i| part.mips == i.desc.mips && part.layers == i.desc.layers);
        if whole {
            return self.name(image);
        }
        let range = |first: u32, count: u32| match count {
            1 => first.to_string(),
            n => format!("{first}..{}", first + n),
        };
        let layers = match part.layers {
            n if self.images.get(image.image as usize).is_some_and(|i| i.desc.layers == n) => String::new(),
            n => format!(" layer {}", range(part.layer, n)),
        };
        format!("{}[mip {}{layers}]", self.name(image), range(part.mip, part.mips))
    }

    fn instruction(&self, out: &mut String, instruction: Instruction) {
        let _ = match instruction {
            Instruction::Barriers(i) => return self.batch(out, &self.barriers[i as usize]),
            Instruction::BeginPass(i) => {
                let pass = &self.passes[i as usize];
                writeln!(out, "begin pass {:?} view {} viewport {:?}", pass.name, pass.view.0, pass.viewport)
            }
            Instruction::EndPass(i) => writeln!(out, "end pass {:?}", self.passes[i as usize].name),
            Instruction::BeginRendering(i) => {
                let r = &self.renderings[i as usize];
                let all = r.colors.iter().map(|a| ("color", a)).chain(r.depth.iter().map(|a| ("depth", a)));
                let text: Vec<String> = all.map(|(kind, a)| format!(" {kind} {}", self.attachment(a))).collect();
                writeln!(out, "begin rendering {}x{}{}", r.extent[0], r.extent[1], text.join(""))
            }
            Instruction::EndRendering => writeln!(out, "end rendering"),
            Instruction::Draw(i) => {
                let draw = &self.draws[i as usize];
                let set = self.set(draw.bindings);
                writeln!(out, "draw list {} pipelines {:?}{set}", draw.list.0, draw.pipelines)
            }
            Instruction::Fullscreen(i) => {
                let full = &self.fullscreens[i as usize];
                writeln!(out, "fullscreen pipeline {}{}", full.pipeline, self.set(full.bindings))
            }
            Instruction::Dispatch(i) => {
                let d = &self.dispatches[i as usize];
                let groups = match d.groups {
                    Groups::Count(count) => format!("{count:?}"),
                    Groups::Indirect { buffer, offset } => {
                        format!("indirect {}+{offset}", self.buffers[buffer as usize].name)
                    }
                };
                writeln!(out, "dispatch {groups} pipeline {}{}", d.pipeline, self.set(d.bindings))
            }
            Instruction::Copy(i) => {
                let c = &self.copies[i as usize];
                let word = if c.blit { "blit" } else { "copy" };
                let end = |(image, mip, layer): (ImageRef, u32, u32)| format!("{}[{mip},{layer}]", self.name(image));
                writeln!(out, "{word} {} -> {}", end(c.src), end(c.dst))
            }
            Instruction::Ui => writeln!(out, "ui"),
        };
    }

    fn attachment(&self, a: &Attachment) -> String {
        let load = match a.load {
            Load::Clear([r, ..]) if a.layout == Layout::DepthAttachment => format!("clear {r}"),
            Load::Clear(c) => format!("clear {c:?}"),
            Load::Keep => "keep".into(),
            Load::DontCare => "dont-care".into(),
        };
        let store = if a.store { "store" } else { "discard" };
        let mip = if a.mip + a.layer > 0 { format!("[{},{}]", a.mip, a.layer) } else { String::new() };
        let resolve = a.resolve.map_or(String::new(), |r| format!(" resolve {}", self.name(r)));
        let layout = if a.layout == Layout::DepthReadOnly { " read-only" } else { "" };
        format!("{}{mip} {load} {store}{layout}{resolve}", self.name(a.image))
    }

    fn set(&self, index: u32) -> String {
        let set = &self.bindings[index as usize];
        let text: Vec<String> = set
            .bindings
            .iter()
            .map(|b| {
                let what = match &b.resource {
                    BoundResource::Sampled { image, part, .. } => self.part(*image, *part),
                    BoundResource::Storage { image, part } => format!("storage {}", self.part(*image, *part)),
                    BoundResource::Buffer { buffer } => format!("buffer {}", self.buffers[*buffer as usize].name),
                    BoundResource::Import { import } => format!("import {}", import.0),
                    BoundResource::File { file } => format!("file {}", self.files[*file as usize]),
                    BoundResource::Fallback(f) => format!("{f:?}"),
                };
                format!(" {}={what}", b.binding)
            })
            .collect();
        let uniforms = set.uniforms.as_ref().map_or(String::new(), |u| {
            let names: Vec<&str> = u.entries.iter().map(|e| self.params[e.param as usize].name.as_str()).collect();
            format!(" params {}", names.join(","))
        });
        format!("{}{uniforms}", text.join(""))
    }

    fn batch(&self, out: &mut String, batch: &BarrierBatch) {
        let _ = writeln!(out, "barriers");
        for b in &batch.images {
            let change = if b.old == b.new { format!("{:?}", b.new) } else { format!("{:?} -> {:?}", b.old, b.new) };
            let name = self.part(b.image, b.part);
            let _ = writeln!(out, "  {name} {change} ({}) -> ({})", scope(b.src), scope(b.dst));
        }
        for b in &batch.buffers {
            let name = &self.buffers[b.buffer as usize].name;
            let _ = writeln!(out, "  {name} ({}) -> ({})", scope(b.src), scope(b.dst));
        }
    }
}

fn scope(s: Scope) -> String {
    let stages = Stages::BITS.iter().filter(|b| s.stages.contains(b.1)).map(|b| b.0);
    let access = Access::BITS.iter().filter(|b| s.access.contains(b.1)).map(|b| b.0);
    let words: Vec<String> = stages.map(str::to_lowercase).collect();
    let more: Vec<String> = access.map(str::to_lowercase).collect();
    match (words.is_empty(), more.is_empty()) {
        (true, _) => "nothing".into(),
        (_, true) => words.join("|"),
        _ => format!("{}: {}", words.join("|"), more.join("|")),
    }
}
