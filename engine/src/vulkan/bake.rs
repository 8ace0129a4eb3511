//! A plan as Vulkan structures, made once when it is loaded: one set of barriers, renderings and copies for each phase
//! of its histories, so that a frame only hands out slices.

use std::collections::HashMap;
use std::ffi::CString;
use std::ops::Range;

use ash::vk;

use super::convert;
use super::debug::c_name;
use super::error::GpuError;
use super::images::{PlanImages, instance};
use super::resource::View;
use crate::graph::{Attachment, ImageRef, Instruction, Layout, Load, Plan, PlanCopy, Subresource};

/// Attachments that a device must at least have, and the most that a pass may have.
pub(super) const MAX_COLORS: usize = 8;

/// A rendering of one phase.
pub(super) struct BakedRendering {
    pub(super) colors: [vk::RenderingAttachmentInfo<'static>; MAX_COLORS],
    pub(super) count: usize,
    pub(super) depth: Option<vk::RenderingAttachmentInfo<'static>>,
    pub(super) stencil: Option<vk::RenderingAttachmentInfo<'static>>,
    pub(super) area: vk::Rect2D,
}

/// A copy of one phase.
pub(super) struct BakedCopy {
    pub(super) src: vk::Image,
    pub(super) dst: vk::Image,
    pub(super) copy: vk::ImageCopy2<'static>,
    pub(super) blit: Option<(vk::ImageBlit2<'static>, vk::Filter)>,
}

/// What depends on which instance of a history is which.
pub(super) struct Phase {
    pub(super) image_barriers: Vec<vk::ImageMemoryBarrier2<'static>>,
    pub(super) renderings: Vec<BakedRendering>,
    pub(super) copies: Vec<BakedCopy>,
}

/// What a pass is recorded with.
pub(super) struct BakedPass {
    pub(super) label: CString,
    pub(super) viewport: vk::Viewport,
    pub(super) scissor: vk::Rect2D,
    /// Begins and ends on the same side of a rendering, so that a statistics query may span it.
    pub(super) statistics: bool,
}

/// A plan as Vulkan structures.
pub(super) struct Baked {
    pub(super) phases: Vec<Phase>,
    /// For each batch its image barriers and its buffer barriers.
    pub(super) batches: Vec<(Range<usize>, Range<usize>)>,
    pub(super) buffer_barriers: Vec<vk::BufferMemoryBarrier2<'static>>,
    pub(super) passes: Vec<BakedPass>,
    /// Layout of every image at the end of a frame, for readback: as tracked for mip 0 of layer 0 and age 0.
    pub(super) final_layouts: Vec<vk::ImageLayout>,
    _views: HashMap<(u32, usize, u32, u32), View>,
}

// SAFETY: the structures hold null pointers in their chains and plain handles; nothing is bound to a thread.
unsafe impl Send for Baked {}

struct Baker<'a> {
    plan: &'a Plan,
    images: &'a PlanImages,
    views: HashMap<(u32, usize, u32, u32), View>,
}

impl Baked {
    pub(super) fn new(plan: &Plan, images: &PlanImages) -> Result<Self, GpuError> {
        let mut baker = Baker { plan, images, views: HashMap::new() };
        let phases = (0..u64::from(plan.phases.max(1))).map(|p| baker.phase(p)).collect::<Result<_, _>>()?;
        let (mut batches, mut buffer_barriers) = (Vec::new(), Vec::new());
        let mut first = 0;
        for batch in &plan.barriers {
            let from = buffer_barriers.len();
            for b in &batch.buffers {
                let ((src_stage, src), (dst_stage, dst)) = (convert::scope(b.src), convert::scope(b.dst));
                buffer_barriers.push(
                    vk::BufferMemoryBarrier2::default()
                        .src_stage_mask(src_stage)
                        .src_access_mask(src)
                        .dst_stage_mask(dst_stage)
                        .dst_access_mask(dst)
                        .buffer(images.buffers[b.buffer as usize].raw)
                        .size(vk::WHOLE_SIZE),
                );
            }
            batches.push((first..first + batch.images.len(), from..buffer_barriers.len()));
            first += batch.images.len();
        }
        Ok(Self {
            phases,
            batches,
            buffer_barriers,
            passes: passes(plan),
            final_layouts: final_layouts(plan),
            _views: baker.views,
        })
    }
}

impl Baker<'_> {
    fn image(&self, phase: u64, image: ImageRef) -> (vk::Image, usize) {
        let all = &self.images.images[image.image as usize];
        let at = instance(phase, all.len(), image.age);
        (all[at].raw, at)
    }

    fn phase(&mut self, phase: u64) -> Result<Phase, GpuError> {
        let barriers = self.plan.barriers.iter().flat_map(|b| &b.images);
        let image_barriers = barriers.map(|b| {
            let ((src_stage, src), (dst_stage, dst)) = (convert::scope(b.src), convert::scope(b.dst));
            let format = self.plan.images[b.image.image as usize].desc.format;
            vk::ImageMemoryBarrier2::default()
                .src_stage_mask(src_stage)
                .src_access_mask(src)
                .dst_stage_mask(dst_stage)
                .dst_access_mask(dst)
                .old_layout(convert::layout(b.old))
                .new_layout(convert::layout(b.new))
                .image(self.image(phase, b.image).0)
                .subresource_range(convert::range(b.part, convert::aspects(format)))
        });
        let image_barriers = image_barriers.collect();
        let copies = self.plan.copies.iter().map(|c| self.copy(phase, c)).collect();
        let mut renderings = Vec::new();
        for r in &self.plan.renderings {
            let mut colors = [vk::RenderingAttachmentInfo::default(); MAX_COLORS];
            if r.colors.len() > MAX_COLORS {
                return Err(GpuError::Plan {
                    graph: self.plan.name.clone(),
                    place: self.plan.images[r.colors[MAX_COLORS].image.image as usize].name.clone(),
                    reason: format!("more than {MAX_COLORS} colour attachments"),
                });
            }
            for (slot, attachment) in colors.iter_mut().zip(&r.colors) {
                *slot = self.attachment(phase, attachment)?;
            }
            let depth = r.depth.as_ref().map(|d| self.attachment(phase, d)).transpose()?;
            let has_stencil =
                r.depth.is_some_and(|d| self.plan.images[d.image.image as usize].desc.format.has_stencil());
            renderings.push(BakedRendering {
                colors,
                count: r.colors.len(),
                depth,
                stencil: depth.filter(|_| has_stencil),
                area: vk::Rect2D {
                    offset: vk::Offset2D::default(),
                    extent: vk::Extent2D { width: r.extent[0], height: r.extent[1] },
                },
            });
        }
        Ok(Phase { image_barriers, renderings, copies })
    }

    fn view(&mut self, phase: u64, image: ImageRef, mip: u32, layer: u32) -> Result<vk::ImageView, GpuError> {
        let (_, at) = self.image(phase, image);
        let key = (image.image, at, mip, layer);
        if !self.views.contains_key(&key) {
            let desc = &self.plan.images[image.image as usize];
            let part = Subresource { mip, mips: 1, layer, layers: 1 };
            let range = convert::range(part, convert::aspects(desc.desc.format));
            let physical = &self.images.images[image.image as usize][at];
            self.views.insert(key, physical.view(vk::ImageViewType::TYPE_2D, range, &desc.name)?);
        }
        Ok(self.views[&key].raw)
    }

    fn attachment(&mut self, phase: u64, a: &Attachment) -> Result<vk::RenderingAttachmentInfo<'static>, GpuError> {
        let format = self.plan.images[a.image.image as usize].desc.format;
        let (load, clear) = match a.load {
            Load::Clear(value) => (vk::AttachmentLoadOp::CLEAR, value),
            Load::Keep => (vk::AttachmentLoadOp::LOAD, [0.0; 4]),
            Load::DontCare => (vk::AttachmentLoadOp::DONT_CARE, [0.0; 4]),
        };
        let store = match (a.store, a.layout) {
            // A read-only attachment must not be written, not even with anything.
            (_, Layout::DepthReadOnly) => vk::AttachmentStoreOp::NONE,
            (true, _) => vk::AttachmentStoreOp::STORE,
            (false, _) => vk::AttachmentStoreOp::DONT_CARE,
        };
        let clear = if format.is_depth() {
            let depth_stencil = vk::ClearDepthStencilValue { depth: clear[0], stencil: clear[1] as u32 };
            vk::ClearValue { depth_stencil }
        } else if format.is_integer() {
            vk::ClearValue { color: vk::ClearColorValue { uint32: clear.map(|c| c as u32) } }
        } else {
            vk::ClearValue { color: vk::ClearColorValue { float32: clear } }
        };
        let mut info = vk::RenderingAttachmentInfo::default()
            .image_view(self.view(phase, a.image, a.mip, a.layer)?)
            .image_layout(convert::layout(a.layout))
            .load_op(load)
            .store_op(store)
            .clear_value(clear);
        if let Some(resolve) = a.resolve {
            let mode = if format.is_depth() || format.is_integer() {
                vk::ResolveModeFlags::SAMPLE_ZERO
            } else {
                vk::ResolveModeFlags::AVERAGE
            };
            info = info
                .resolve_mode(mode)
                .resolve_image_view(self.view(phase, resolve, 0, 0)?)
                .resolve_image_layout(convert::layout(a.layout));
        }
        Ok(info)
    }

    fn copy(&self, phase: u64, c: &PlanCopy) -> BakedCopy {
        let format = self.plan.images[c.src.0.image as usize].desc.format;
        let part = |mip, layer| vk::ImageSubresourceLayers {
            aspect_mask: if c.blit { convert::aspect(format) } else { convert::aspects(format) },
            mip_level: mip,
            base_array_layer: layer,
            layer_count: 1,
        };
        let corner = |e: [u32; 2]| vk::Offset3D { x: e[0] as i32, y: e[1] as i32, z: 1 };
        let copy = vk::ImageCopy2::default()
            .src_subresource(part(c.src.1, c.src.2))
            .dst_subresource(part(c.dst.1, c.dst.2))
            .extent(vk::Extent3D {
                width: c.src_extent[0].min(c.dst_extent[0]),
                height: c.src_extent[1].min(c.dst_extent[1]),
                depth: 1,
            });
        let blit = vk::ImageBlit2::default()
            .src_subresource(copy.src_subresource)
            .src_offsets([vk::Offset3D::default(), corner(c.src_extent)])
            .dst_subresource(copy.dst_subresource)
            .dst_offsets([vk::Offset3D::default(), corner(c.dst_extent)]);
        let smooth = c.linear && !format.is_depth() && !format.is_integer();
        let filter = if smooth { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
        BakedCopy {
            src: self.image(phase, c.src.0).0,
            dst: self.image(phase, c.dst.0).0,
            copy,
            blit: c.blit.then_some((blit, filter)),
        }
    }
}

fn passes(plan: &Plan) -> Vec<BakedPass> {
    let mut inside = vec![(None, None); plan.passes.len()];
    let mut rendering = None;
    for instruction in &plan.instructions {
        match *instruction {
            Instruction::BeginRendering(r) => rendering = Some(r),
            Instruction::EndRendering => rendering = None,
            Instruction::BeginPass(p) => inside[p as usize].0 = Some(rendering),
            Instruction::EndPass(p) => inside[p as usize].1 = Some(rendering),
            _ => {}
        }
    }
    let pass = |(pass, inside): (&crate::graph::PlanPass, &(_, _))| {
        let [x, y, width, height] = pass.viewport;
        BakedPass {
            label: c_name(&pass.name),
            // Negative height: clip space points up.
            viewport: vk::Viewport {
                x: x as f32,
                y: (y + height) as f32,
                width: width as f32,
                height: -(height as f32),
                min_depth: 0.0,
                max_depth: 1.0,
            },
            scissor: vk::Rect2D {
                offset: vk::Offset2D { x: x as i32, y: y as i32 },
                extent: vk::Extent2D { width, height },
            },
            statistics: inside.0 == inside.1,
        }
    };
    plan.passes.iter().zip(&inside).map(pass).collect()
}

fn final_layouts(plan: &Plan) -> Vec<vk::ImageLayout> {
    let mut layouts: Vec<Layout> = vec![Layout::Undefined; plan.images.len()];
    for instruction in &plan.instructions {
        if let Instruction::Barriers(batch) = instruction {
            for b in &plan.barriers[*batch as usize].images {
                if b.image.age == 0 && b.part.mip == 0 && b.part.layer == 0 {
                    layouts[b.image.image as usize] = b.new;
                }
            }
        }
    }
    for (image, layout) in plan.images.iter().zip(&mut layouts) {
        if let crate::graph::Residency::Persistent { instances, resting } = &image.residency {
            // This frame's instance is of age 1 in the next one.
            let next = if *instances > 1 { 1 } else { 0 };
            if let Some(state) = resting.get(next).filter(|s| s.layout != Layout::Undefined) {
                *layout = state.layout;
            }
        }
    }
    for (image, state) in plan.ends.iter().copied().chain([(plan.output, plan.output_state)]) {
        if let Some(layout) = layouts.get_mut(image as usize).filter(|_| state.layout != Layout::Undefined) {
            *layout = state.layout;
        }
    }
    layouts.into_iter().map(convert::layout).collect()
}
