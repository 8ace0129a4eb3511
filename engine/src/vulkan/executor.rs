//! Replays a plan into a command buffer: slices of what was baked, no decision, allocation, string or hash look-up.

use std::sync::Arc;

use ash::vk;

use super::bake::Baked;
use super::descriptors::{DataSet, FrameSet, MaterialSets, PassSets};
use super::error::GpuError;
use super::gpu::Gpu;
use super::images::PlanImages;
use super::lists::{Command, Lists};
use super::overlay::{Overlay, OverlayFrame};
use super::pipeline::{PUSH_STAGES, Pipeline};
use super::timing::{Counts, Queries};
use super::uniforms::Uniforms;
use super::upload::SceneGpu;
use crate::graph::{Groups, Instruction, Plan};
use crate::scene::{IndexType, Scene};

/// Vertex buffers that are bound in one call; the engine's floor guarantees 16 bindings.
pub(super) const MAX_STREAMS: usize = 16;

/// What a draw of the plan needs beside the plan.
pub(super) struct DrawParts {
    /// Index in [`Lists::visible`].
    pub(super) visible: usize,
    pub(super) materials: Option<MaterialSets>,
    pub(super) data: Option<DataSet>,
}

/// Facts about each shader that decide what is bound.
#[derive(Clone, Copy)]
pub(super) struct ShaderUse {
    pub(super) frame: bool,
    pub(super) push: bool,
}

/// Everything that recording reads, borrowed from the renderer for one frame.
pub(super) struct Recorder<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) plan: &'a Plan,
    pub(super) baked: &'a Baked,
    pub(super) phase: usize,
    pub(super) images: &'a PlanImages,
    pub(super) pipelines: &'a [Arc<Pipeline>],
    pub(super) shaders: &'a [ShaderUse],
    pub(super) frame_set: Option<&'a FrameSet>,
    pub(super) pass_sets: &'a PassSets,
    pub(super) uniforms: &'a Uniforms,
    pub(super) slot: usize,
    pub(super) lists: &'a Lists,
    pub(super) draws: &'a mut [DrawParts],
    pub(super) scene: &'a Scene,
    pub(super) world: &'a SceneGpu,
    pub(super) queries: &'a mut Queries,
    pub(super) commands: vk::CommandBuffer,
    /// The overlay and its frame; taken by the first `ui` pass.
    pub(super) overlay: Option<(&'a mut Overlay, &'a OverlayFrame)>,
    pub(super) pass: usize,
    pub(super) rendering: Option<u32>,
}

impl Recorder<'_> {
    /// Records all instructions of the plan.
    pub(super) fn replay(&mut self) -> Result<(), GpuError> {
        for instruction in &self.plan.instructions {
            match *instruction {
                Instruction::Barriers(i) => self.barriers(i as usize),
                Instruction::BeginPass(i) => self.begin_pass(i),
                Instruction::EndPass(i) => self.end_pass(i),
                Instruction::BeginRendering(i) => self.begin_rendering(i),
                Instruction::EndRendering => {
                    self.rendering = None;
                    // SAFETY: a rendering is begun.
                    unsafe { self.gpu.device().cmd_end_rendering(self.commands) };
                }
                Instruction::Draw(i) => self.draw(i as usize)?,
                Instruction::Fullscreen(i) => self.fullscreen(i as usize),
                Instruction::Dispatch(i) => self.dispatch(i as usize),
                Instruction::Copy(i) => self.copy(i as usize),
                Instruction::Ui => self.ui()?,
            }
        }
        Ok(())
    }

    fn barriers(&self, index: usize) {
        let (images, buffers) = &self.baked.batches[index];
        let info = vk::DependencyInfo::default()
            .image_memory_barriers(&self.baked.phases[self.phase].image_barriers[images.clone()])
            .buffer_memory_barriers(&self.baked.buffer_barriers[buffers.clone()]);
        // SAFETY: the images and buffers live as long as the renderer.
        unsafe { self.gpu.device().cmd_pipeline_barrier2(self.commands, &info) };
    }

    fn begin_pass(&mut self, index: u32) {
        self.pass = index as usize;
        let pass = &self.baked.passes[self.pass];
        let d = self.gpu.device();
        // SAFETY: recording; the label is a C string that lives during the call.
        unsafe {
            if let Some(labels) = self.gpu.labels() {
                let label = vk::DebugUtilsLabelEXT::default().label_name(&pass.label);
                labels.cmd_begin_debug_utils_label(self.commands, &label);
            }
            d.cmd_set_viewport(self.commands, 0, &[pass.viewport]);
            d.cmd_set_scissor(self.commands, 0, &[pass.scissor]);
        }
        self.queries.stamp(self.gpu, self.commands, 2 + 2 * index);
        if pass.statistics {
            self.queries.begin(self.gpu, self.commands, index);
        }
    }

    fn end_pass(&mut self, index: u32) {
        if self.baked.passes[index as usize].statistics {
            self.queries.end(self.gpu, self.commands, index);
        }
        self.queries.stamp(self.gpu, self.commands, 3 + 2 * index);
        if let Some(labels) = self.gpu.labels() {
            // SAFETY: a label is begun.
            unsafe { labels.cmd_end_debug_utils_label(self.commands) };
        }
    }

    fn begin_rendering(&mut self, index: u32) {
        self.rendering = Some(index);
        let r = &self.baked.phases[self.phase].renderings[index as usize];
        let mut info =
            vk::RenderingInfo::default().render_area(r.area).layer_count(1).color_attachments(&r.colors[..r.count]);
        if let Some(depth) = &r.depth {
            info = info.depth_attachment(depth);
        }
        if let Some(stencil) = &r.stencil {
            info = info.stencil_attachment(stencil);
        }
        // SAFETY: the views live as long as the baked plan.
        unsafe { self.gpu.device().cmd_begin_rendering(self.commands, &info) };
    }

    /// Binds sets 0 and 1 of a pipeline's layout.
    fn bind_pass(&self, point: vk::PipelineBindPoint, layout: vk::PipelineLayout, bindings: usize) {
        let d = self.gpu.device();
        let base = self.uniforms.base(self.slot);
        let set = &self.plan.bindings[bindings];
        if let Some(frame) = self.frame_set.filter(|_| self.shaders[set.shader as usize].frame) {
            let offsets = [base, base + self.uniforms.pass_views[self.pass]];
            // SAFETY: the set and the ring live as long as the renderer; offsets are aligned and inside the ring.
            unsafe { d.cmd_bind_descriptor_sets(self.commands, point, layout, 0, &[frame.raw], &offsets) };
        }
        let sets = &self.pass_sets.sets[bindings];
        if let Some(raw) = sets.get(self.phase % sets.len().max(1)) {
            let offsets = [base + self.uniforms.params[bindings]];
            let offsets = if set.uniforms.is_some() { &offsets[..] } else { &[] };
            // SAFETY: as above.
            unsafe { d.cmd_bind_descriptor_sets(self.commands, point, layout, 1, &[*raw], offsets) };
        }
    }

    fn count(&mut self, draws: u32, triangles: u64) {
        let Counts { draws: d, triangles: t } = &mut self.queries.counts[self.pass];
        *d += draws;
        *t += triangles;
    }

    fn fullscreen(&mut self, index: usize) {
        let draw = &self.plan.fullscreens[index];
        let pipeline = &self.pipelines[draw.pipeline as usize];
        let (d, point) = (self.gpu.device(), vk::PipelineBindPoint::GRAPHICS);
        // SAFETY: the pipeline lives as long as the renderer; a rendering of its formats is begun.
        unsafe { d.cmd_bind_pipeline(self.commands, point, pipeline.raw()) };
        self.bind_pass(point, pipeline.layout.raw, draw.bindings as usize);
        // SAFETY: as above.
        unsafe { d.cmd_draw(self.commands, 3, 1, 0, 0) };
        self.count(1, 1);
    }

    fn dispatch(&mut self, index: usize) {
        let dispatch = &self.plan.dispatches[index];
        let pipeline = &self.pipelines[dispatch.pipeline as usize];
        let (d, point) = (self.gpu.device(), vk::PipelineBindPoint::COMPUTE);
        // SAFETY: the pipeline lives as long as the renderer.
        unsafe { d.cmd_bind_pipeline(self.commands, point, pipeline.raw()) };
        self.bind_pass(point, pipeline.layout.raw, dispatch.bindings as usize);
        // SAFETY: no rendering is begun; the buffer lives as long as the renderer.
        unsafe {
            match dispatch.groups {
                Groups::Count([x, y, z]) => d.cmd_dispatch(self.commands, x, y, z),
                Groups::Indirect { buffer, offset } => {
                    d.cmd_dispatch_indirect(self.commands, self.images.buffers[buffer as usize].raw, offset);
                }
            }
        }
        self.count(1, 0);
    }

    fn copy(&self, index: usize) {
        let c = &self.baked.phases[self.phase].copies[index];
        let (src, dst) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        // SAFETY: the images live as long as the renderer; no rendering is begun.
        unsafe {
            if let Some((blit, filter)) = c.blit {
                let regions = [blit];
                let info = vk::BlitImageInfo2::default().src_image(c.src).src_image_layout(src);
                let info = info.dst_image(c.dst).dst_image_layout(dst).regions(&regions).filter(filter);
                self.gpu.device().cmd_blit_image2(self.commands, &info);
            } else {
                let regions = [c.copy];
                let info = vk::CopyImageInfo2::default().src_image(c.src).src_image_layout(src);
                let info = info.dst_image(c.dst).dst_image_layout(dst).regions(&regions);
                self.gpu.device().cmd_copy_image2(self.commands, &info);
            }
        }
    }

    fn ui(&mut self) -> Result<(), GpuError> {
        let Some((overlay, frame)) = self.overlay.take() else { return Ok(()) };
        let Some(rendering) = self.rendering else { return Ok(()) };
        let draws = overlay.draw(self.commands, self.plan.renderings[rendering as usize].extent, frame)?;
        self.count(draws, 0);
        Ok(())
    }

    fn draw(&mut self, index: usize) -> Result<(), GpuError> {
        let plan = &self.plan.draws[index];
        let (gpu, d, commands) = (self.gpu, self.gpu.device(), self.commands);
        let point = vk::PipelineBindPoint::GRAPHICS;
        let parts = &mut self.draws[index];
        let visible = &self.lists.visible[parts.visible];
        let Some(list) = self.scene.lists.get(plan.list.index()) else { return Ok(()) };
        let Some(first) = plan.pipelines.first().filter(|_| !visible.commands.is_empty()) else { return Ok(()) };
        let layout = self.pipelines[*first as usize].layout.raw;
        let Some(indexed) = bind_geometry(gpu, commands, list, self.world) else { return Ok(()) };
        let data = parts.data.as_mut().map(|data| data.get(gpu, list, self.world)).transpose()?;
        let push = self.shaders[plan.shader as usize].push;
        let (mut bound, mut material, mut pushed) = (None, None, None);
        let mut triangles = 0;
        let visible = &self.lists.visible[self.draws[index].visible];
        self.bind_pass(point, layout, plan.bindings as usize);
        let materials = &mut self.draws[index].materials;
        // SAFETY: pipelines, sets and buffers live as long as the frame: they are retired by the timeline.
        unsafe {
            if let Some(data) = data {
                d.cmd_bind_descriptor_sets(commands, point, layout, 3, &[data], &[]);
            }
            for c in &visible.commands {
                let state = self.scene.materials.get(c.material.0 as usize);
                let preset = state.map_or(0, |m| m.preset as usize).min(plan.pipelines.len() - 1);
                if bound != Some(preset) {
                    let pipeline = &self.pipelines[plan.pipelines[preset] as usize];
                    d.cmd_bind_pipeline(commands, point, pipeline.raw());
                    bound = Some(preset);
                }
                if let Some(sets) = materials
                    && material != Some(c.material)
                {
                    let set = sets.get(gpu, c.material, state, self.world)?;
                    d.cmd_bind_descriptor_sets(commands, point, layout, 2, &[set], &[]);
                    material = Some(c.material);
                }
                if push && pushed != Some(c.push) {
                    d.cmd_push_constants(commands, layout, PUSH_STAGES, 0, bytemuck::cast_slice(&c.push));
                    pushed = Some(c.push);
                }
                issue(gpu, commands, c, indexed);
                triangles += u64::from(c.count / 3) * u64::from(c.instances);
            }
        }
        self.count(visible.commands.len() as u32, triangles);
        Ok(())
    }
}

/// Binds streams and indices of a list; `None` while the list has no content, else whether it is indexed.
fn bind_geometry(
    gpu: &Gpu,
    commands: vk::CommandBuffer,
    list: &crate::scene::DrawListData,
    world: &SceneGpu,
) -> Option<bool> {
    let mut buffers = [vk::Buffer::null(); MAX_STREAMS];
    let mut offsets = [0; MAX_STREAMS];
    let count = list.streams.len().min(MAX_STREAMS);
    for (i, stream) in list.streams.iter().take(count).enumerate() {
        buffers[i] = world.buffer(stream.buffer)?;
        offsets[i] = stream.offset;
    }
    let index = list.indices.map(|(id, kind)| world.buffer(id).map(|b| (b, kind)));
    let index = match index {
        Some(Some(index)) => Some(index),
        Some(None) => return None,
        None => None,
    };
    // SAFETY: the buffers live as long as the frame: they are retired by the timeline.
    unsafe {
        if count > 0 {
            gpu.device().cmd_bind_vertex_buffers(commands, 0, &buffers[..count], &offsets[..count]);
        }
        if let Some((buffer, kind)) = index {
            let kind = match kind {
                IndexType::U16 => vk::IndexType::UINT16,
                IndexType::U32 => vk::IndexType::UINT32,
            };
            gpu.device().cmd_bind_index_buffer(commands, buffer, 0, kind);
        }
    }
    Some(index.is_some())
}

/// Draws one command.
fn issue(gpu: &Gpu, commands: vk::CommandBuffer, c: &Command, indexed: bool) {
    let d = gpu.device();
    // SAFETY: pipeline, sets and geometry are bound; reads past the buffers give zeroes (robustBufferAccess).
    unsafe {
        if indexed {
            d.cmd_draw_indexed(commands, c.count, c.instances, c.first, c.base_vertex, c.first_instance);
        } else {
            let first = c.first.saturating_add_signed(c.base_vertex);
            d.cmd_draw(commands, c.count, c.instances, first, c.first_instance);
        }
    }
}
