//! The uniform ring: `Frame`, `View` and `Params` blocks of a frame in one buffer, one slice for each frame in flight.
//! The layouts are those of `shaders/common/sets.glsl` (std140).

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec4};
use gpu_allocator::MemoryLocation;

use super::error::GpuError;
use super::gpu::{FRAMES_IN_FLIGHT, Gpu};
use super::resource::Buffer;
use crate::graph::Plan;
use crate::scene::{ParamId, ParamTable, Registry, Scene, Value, ValueType, View, ViewId};

/// What a frame depends on besides world and params; goes into the `Frame` block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameUniforms {
    /// Number of the frame.
    pub index: u64,
    /// Game time in milliseconds.
    pub time_ms: u64,
    /// Milliseconds since the frame before.
    pub dt_ms: u64,
    /// Seed of everything random.
    pub seed: u64,
}

/// The `Frame` block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct FrameBlock {
    size: [f32; 2],
    inv_size: [f32; 2],
    time: f32,
    dt: f32,
    index: u32,
    seed: u32,
    main_view_projection: Mat4,
    light_view_projection: Mat4,
    map_view_projection: Mat4,
    main_eye: Vec4,
}

/// The `View` block.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ViewBlock {
    view: Mat4,
    projection: Mat4,
    view_projection: Mat4,
    inverse_view_projection: Mat4,
    eye: Vec4,
    range: Vec4,
    viewport: Vec4,
}

/// Bytes of the two blocks.
pub(super) const FRAME_BYTES: u64 = size_of::<FrameBlock>() as u64;
pub(super) const VIEW_BYTES: u64 = size_of::<ViewBlock>() as u64;

/// Where everything lies in a slice of the ring.
pub(super) struct Uniforms {
    pub(super) buffer: Buffer,
    slice: usize,
    views: Vec<(ViewId, [u32; 4], u32)>,
    /// Offset of the view block of each pass.
    pub(super) pass_views: Vec<u32>,
    /// Offset of the params block of each binding set; 0 where there is none.
    pub(super) params: Vec<u32>,
    standard: [Option<ViewId>; 3],
    ids: Vec<Option<ParamId>>,
    resolved: Option<u64>,
}

impl Uniforms {
    pub(super) fn new(gpu: &Gpu, plan: &Plan, registry: &Registry) -> Result<Self, GpuError> {
        let align = gpu.limits().min_uniform_buffer_offset_alignment.max(16) as usize;
        let mut end = (FRAME_BYTES as usize).next_multiple_of(align);
        let mut take = |bytes: usize| {
            let at = end;
            end = (end + bytes).next_multiple_of(align);
            at as u32
        };
        let mut views: Vec<(ViewId, [u32; 4], u32)> = Vec::new();
        let mut pass_views = Vec::new();
        for pass in &plan.passes {
            let there = views.iter().find(|(view, viewport, _)| (*view, *viewport) == (pass.view, pass.viewport));
            let offset = there.map(|v| v.2).unwrap_or_else(|| {
                let offset = take(VIEW_BYTES as usize);
                views.push((pass.view, pass.viewport, offset));
                offset
            });
            pass_views.push(offset);
        }
        let blocks = plan.bindings.iter().map(|b| b.uniforms.as_ref().map_or(0, |u| take(u.size.max(16) as usize)));
        let params = blocks.collect();
        let bytes = (end * FRAMES_IN_FLIGHT) as u64;
        let usage = ash::vk::BufferUsageFlags::UNIFORM_BUFFER;
        let buffer = Buffer::new(gpu, "uniforms", bytes, usage, MemoryLocation::CpuToGpu)?;
        let standard = ["main", "light", "map"].map(|name| registry.view(name));
        let ids = vec![None; plan.params.len()];
        Ok(Self { buffer, slice: end, views, pass_views, params, standard, ids, resolved: None })
    }

    /// Byte offset of a frame's slice.
    pub(super) fn base(&self, slot: usize) -> u32 {
        (slot * self.slice) as u32
    }

    /// Writes the slice of a frame.
    pub(super) fn fill(&mut self, slot: usize, plan: &Plan, scene: &Scene, params: &ParamTable, frame: &FrameUniforms) {
        self.resolve(plan, params);
        let base = self.base(slot) as usize;
        let Self { buffer, views, params: offsets, ids, standard, .. } = self;
        let view = |id: Option<ViewId>| id.and_then(|id| scene.views.get(id.index()).copied()).unwrap_or_default();
        let size = plan.images.get(plan.output as usize).map_or([1, 1], |i| i.desc.extent).map(|s| s.max(1) as f32);
        let [main, light, map] = standard.map(view);
        let block = FrameBlock {
            size,
            inv_size: size.map(|s| 1.0 / s),
            // Seconds wrap after 4.6 hours, where a 32-bit float still resolves 2 ms.
            time: (frame.time_ms % (1 << 24)) as f32 * 1e-3,
            dt: frame.dt_ms as f32 * 1e-3,
            index: frame.index as u32,
            seed: (frame.seed ^ (frame.seed >> 32)) as u32,
            main_view_projection: main.view_projection(),
            light_view_projection: light.view_projection(),
            map_view_projection: map.view_projection(),
            main_eye: main.eye.extend(1.0),
        };
        buffer.write(base, bytemuck::bytes_of(&block));
        for (id, viewport, offset) in views.iter() {
            buffer.write(base + *offset as usize, bytemuck::bytes_of(&view_block(&view(Some(*id)), *viewport)));
        }
        let bytes = buffer.bytes_mut();
        for (set, offset) in plan.bindings.iter().zip(offsets.iter()) {
            let Some(uniforms) = &set.uniforms else { continue };
            for entry in &uniforms.entries {
                let value = match ids[entry.param as usize] {
                    Some(id) => params.get(id),
                    None => plan.params[entry.param as usize].default,
                };
                let start = base + (*offset + entry.offset) as usize;
                if entry.offset as usize + entry.kind.size() <= uniforms.size as usize
                    && let Some(out) = bytes.get_mut(start..start + entry.kind.size())
                {
                    write_as(entry.kind, value, out);
                }
            }
        }
    }

    /// Names to ids, when a param was declared or changed since and one was unknown.
    fn resolve(&mut self, plan: &Plan, params: &ParamTable) {
        let known = self.resolved.is_some() && self.ids.iter().all(Option::is_some);
        if known || self.resolved == Some(params.generation()) {
            return;
        }
        for (id, decl) in self.ids.iter_mut().zip(&plan.params) {
            *id = params.find(&decl.name);
        }
        self.resolved = Some(params.generation());
    }
}

/// Writes a value as a block's member of a type.
fn write_as(kind: ValueType, value: Value, out: &mut [u8]) {
    let (components, _) = value.components();
    let floats = |n: usize, out: &mut [u8]| {
        for (bytes, x) in out.chunks_exact_mut(4).zip(&components[..n]) {
            bytes.copy_from_slice(&x.to_le_bytes());
        }
    };
    match (kind, value) {
        (ValueType::Int | ValueType::Enum | ValueType::Bool, Value::Int(_) | Value::Bool(_)) => value.write(out),
        (ValueType::Int | ValueType::Enum | ValueType::Bool, _) => Value::Int(components[0] as i32).write(out),
        (ValueType::Float, _) => floats(1, out),
        (ValueType::Vec2, _) => floats(2, out),
        (ValueType::Vec3, _) => floats(3, out),
        (ValueType::Vec4, _) => floats(4, out),
    }
}

fn view_block(view: &View, viewport: [u32; 4]) -> ViewBlock {
    let view_projection = view.view_projection();
    let [near, far] = view.range;
    ViewBlock {
        view: view.view,
        projection: view.projection,
        view_projection,
        inverse_view_projection: view_projection.inverse(),
        eye: view.eye.extend(1.0),
        range: Vec4::new(near, far, far - near, 1.0 / (far - near).max(f32::MIN_POSITIVE)),
        viewport: Vec4::from_array(viewport.map(|v| v as f32)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_laid_out_as_std140() {
        assert_eq!(std::mem::offset_of!(FrameBlock, main_view_projection), 32);
        assert_eq!(std::mem::offset_of!(FrameBlock, main_eye), 224);
        assert_eq!(FRAME_BYTES, 240);
        assert_eq!(std::mem::offset_of!(ViewBlock, eye), 256);
        assert_eq!(VIEW_BYTES, 304);
    }

    #[test]
    fn values_are_written_in_the_type_of_the_member() {
        let mut out = [0; 4];
        write_as(ValueType::Float, Value::Int(3), &mut out);
        assert_eq!(f32::from_le_bytes(out), 3.0);
        write_as(ValueType::Bool, Value::Bool(true), &mut out);
        assert_eq!(u32::from_le_bytes(out), 1);
        write_as(ValueType::Int, Value::Float(7.9), &mut out);
        assert_eq!(i32::from_le_bytes(out), 7);
    }
}
