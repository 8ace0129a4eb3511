//! Whole frames from hand-made plans.

use super::support::*;
use crate::graph::*;
use crate::scene::*;
use crate::shader::{BindingKind, Stage};
use crate::vulkan::OverlayFrame;

#[test]
fn a_cleared_image_is_read_back_exactly() {
    let Some(gpu) = TestGpu::new() else { return };
    let mut maker = Maker::new();
    let image = maker.image(&gpu.gpu, "scene", Format::Rgba8, [7, 5], Usage::COLOR);
    maker.barrier(image, Layout::ColorAttachment, COLOR);
    let pass = maker.begin_pass("clear", [7, 5]);
    let color = maker.color(now(image), Load::Clear([1.0, 0.5, 0.0, 1.0]));
    maker.begin_rendering(&[color], None);
    maker.end_rendering();
    maker.end_pass(pass);
    let mut rig = Rig::new(&gpu, maker.finish(image), &registry());
    for _ in 0..3 {
        rig.render();
    }
    let read = rig.renderer.read_output().unwrap();
    assert_eq!((read.width, read.height, read.format), (7, 5, Format::Rgba8));
    assert_eq!(read.bytes, [255, 128, 0, 255].repeat(35));
    assert_eq!(rig.renderer.bytes_outside_heap(), 0);
    let timings = rig.renderer.timings();
    assert_eq!((timings.frame, timings.passes[0].name.as_str()), (Some(2), "clear"));
    assert!(timings.gpu_ns.is_some() && timings.passes[0].gpu_ns <= timings.gpu_ns);
}

/// Writes where the fragment lies, and how large the frame says it is.
const WHERE: &str = "layout(location = 0) in vec2 uv; layout(location = 0) out vec4 color;
    void main() { color = vec4(uv, frame.size.x / 255.0, float(frame.index) / 255.0); }";

fn frame_block() -> (u32, u32, &'static str, BindingKind) {
    (0, 0, "frame", BindingKind::Uniform)
}

#[test]
fn fullscreen_passes_start_at_the_top_left_and_read_the_frame_block() {
    let Some(gpu) = TestGpu::new() else { return };
    let mut maker = Maker::new();
    let image = maker.image(&gpu.gpu, "scene", Format::Rgba8, [4, 2], Usage::COLOR);
    maker.fullscreen("where", image, Load::DontCare, fullscreen("where", WHERE, &[frame_block()]), &[]);
    let mut rig = Rig::new(&gpu, maker.finish(image), &registry());
    rig.render();
    let stats = rig.render();
    assert_eq!((stats.frame, stats.draws, stats.triangles), (1, 1, 1));
    assert_eq!(rig.texel(0, 0), [32, 64, 4, 1]);
    assert_eq!(rig.texel(3, 1), [223, 191, 4, 1]);
}

#[test]
fn a_pass_reads_images_and_params_by_binding() {
    let Some(gpu) = TestGpu::new() else { return };
    let copy = "layout(location = 0) in vec2 uv; layout(location = 0) out vec4 color;
        layout(set = 1, binding = 3) uniform sampler2D source;
        layout(set = 1, binding = 1, std140) uniform Params { float share; int steps; };
        layout(set = 1, binding = 2) uniform sampler2D absent;
        void main() { color = texture(source, uv) * share + float(steps) / 255.0 * texture(absent, uv); }";
    let mut maker = Maker::new();
    let usage = Usage::COLOR | Usage::SAMPLED;
    let first = maker.image(&gpu.gpu, "first", Format::Rgba8, [4, 2], usage);
    let second = maker.image(&gpu.gpu, "second", Format::Rgba16f, [4, 2], Usage::COLOR);
    maker.fullscreen("where", first, Load::DontCare, fullscreen("where", WHERE, &[frame_block()]), &[]);
    maker.barrier(first, Layout::ShaderRead, SAMPLED);
    let sampled = BindingKind::Sampled(SampledKind::D2);
    let shader = fullscreen("copy", copy, &[(1, 3, "source", sampled), (1, 2, "absent", sampled)]);
    let resource = BoundResource::Sampled {
        image: now(first),
        part: ONE,
        layout: Layout::ShaderRead,
        sampler: SamplerDesc::NEAREST,
    };
    let set = maker.fullscreen("copy", second, Load::DontCare, with_param(shader, 1), &[(3, resource)]);
    let entry = |offset, param, kind| UniformEntry { offset, param, kind };
    maker.plan.bindings[set as usize].uniforms = Some(UniformBlock {
        binding: 1,
        size: 8,
        entries: vec![entry(0, 0, ValueType::Float), entry(4, 1, ValueType::Int)],
    });
    let decl = |name: &str, value| ParamDecl::new(name, value, "");
    maker.plan.params = vec![decl("share", Value::Float(1.0)), decl("steps", Value::Int(51))];
    let mut rig = Rig::new(&gpu, maker.finish(second), &registry());
    let share = rig.params.declare(decl("share", Value::Float(0.5)));
    rig.render();
    let half =
        |bytes: &[u8]| f32::from_bits(u32::from(u16::from_le_bytes([bytes[0], bytes[1]])) << 13) * 2f32.powi(112);
    let x = |rig: &mut Rig| half(&rig.texel(3, 1)[..2]);
    assert!((x(&mut rig) - (223.0 / 255.0 * 0.5 + 0.2)).abs() < 2e-3);
    rig.params.set(share, Value::Float(0.0), ParamSource::Script).unwrap();
    rig.render();
    assert!((x(&mut rig) - 0.2).abs() < 2e-3, "an undeclared param has its default, a set one its value");
    let first = rig.renderer.read_image("first").unwrap();
    assert_eq!(first.bytes[0..3], [32, 64, 4]);
    let error = rig.renderer.read_image("firs").unwrap_err().to_string();
    assert!(error.contains("did you mean \"first\"?"), "{error}");
}

#[test]
fn a_history_reads_the_frame_before() {
    let Some(gpu) = TestGpu::new() else { return };
    let step = "layout(location = 0) in vec2 uv; layout(location = 0) out vec4 color;
        layout(set = 1, binding = 0) uniform sampler2D previous;
        void main() { color = texture(previous, uv) + vec4(1.0, 2.0, 3.0, 4.0) / 255.0; }";
    let mut maker = Maker::new();
    let read = ImageState { layout: Layout::ShaderRead, scope: SAMPLED };
    let drawn = ImageState { layout: Layout::ColorAttachment, scope: COLOR_RW };
    let usage = Usage::COLOR | Usage::SAMPLED;
    let image = maker.persistent("sum", Format::Rgba8, [2, 2], usage, &[read, drawn]);
    maker.plan.phases = 2;
    let before = ImageRef { image, age: 1 };
    maker.raw_barrier(ImageBarrier {
        image: before,
        part: ONE,
        old: Layout::ColorAttachment,
        new: Layout::ShaderRead,
        src: COLOR_RW,
        dst: SAMPLED,
    });
    let sampler = SamplerDesc::NEAREST;
    let resource = BoundResource::Sampled { image: before, part: ONE, layout: Layout::ShaderRead, sampler };
    let shader = fullscreen("step", step, &[(1, 0, "previous", BindingKind::Sampled(SampledKind::D2))]);
    maker.fullscreen("step", image, Load::DontCare, shader, &[(0, resource)]);
    let mut rig = Rig::new(&gpu, maker.finish(image), &registry());
    for frame in 1..=7u8 {
        rig.render();
        assert_eq!(rig.texel(1, 1), [frame, 2 * frame, 3 * frame, 4 * frame], "created zeroed, then one step a frame");
    }
}

#[test]
fn compute_copies_and_blits_reach_each_other() {
    let Some(gpu) = TestGpu::new() else { return };
    let fill = "layout(local_size_x = 2, local_size_y = 2) in;
        layout(set = 1, binding = 0, rgba8) uniform writeonly image2D target;
        layout(set = 1, binding = 1) buffer Numbers { uint numbers[]; };
        void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy);
            uint before = numbers[0];
            imageStore(target, p, vec4(float(p.x), float(p.y), float(before) / 255.0, 1.0)); }";
    let mut maker = Maker::new();
    let usage = Usage::STORAGE | Usage::TRANSFER_SRC;
    let source = maker.image(&gpu.gpu, "source", Format::Rgba8, [2, 2], usage);
    let copied = maker.image(&gpu.gpu, "copied", Format::Rgba8, [2, 2], Usage::TRANSFER_DST | Usage::TRANSFER_SRC);
    let blitted = maker.image(&gpu.gpu, "blitted", Format::Rgba8, [4, 4], Usage::TRANSFER_DST);
    let numbers = PlanBuffer { name: "numbers".into(), size: 16, usage: Usage::STORAGE, resting: COMPUTE_WRITE };
    maker.plan.buffers.push(numbers);
    let kinds = [
        (1, 0, "target", BindingKind::StorageImage { written: true }),
        (1, 1, "Numbers", BindingKind::StorageBuffer { written: true }),
    ];
    let shader = maker.shader(shader("fill", &[(Stage::Compute, fill)], &kinds));
    let pipeline = maker.pipeline(shader, PipelineKind::Compute);
    let resources =
        [(0, BoundResource::Storage { image: now(source), part: ONE }), (1, BoundResource::Buffer { buffer: 0 })];
    let bindings = maker.bindings(shader, &resources);
    maker.barrier(source, Layout::General, COMPUTE_WRITE);
    let pass = maker.begin_pass("fill", [2, 2]);
    maker.plan.dispatches.push(PlanDispatch { pipeline, bindings, groups: Groups::Count([1, 1, 1]) });
    maker.plan.instructions.push(Instruction::Dispatch(0));
    maker.end_pass(pass);
    let copy = |src: u32, dst: u32, to: u32, blit| PlanCopy {
        src: (now(src), 0, 0),
        src_extent: [2, 2],
        dst: (now(dst), 0, 0),
        dst_extent: [to, to],
        blit,
        linear: true,
    };
    for (i, copy) in [copy(source, copied, 2, false), copy(copied, blitted, 4, true)].into_iter().enumerate() {
        maker.barrier(copy.src.0.image, Layout::TransferSrc, COPY_READ);
        maker.barrier(copy.dst.0.image, Layout::TransferDst, COPY_WRITE);
        maker.plan.copies.push(copy);
        maker.plan.instructions.push(Instruction::Copy(i as u32));
    }
    let mut rig = Rig::new(&gpu, maker.finish(blitted), &registry());
    rig.render();
    rig.render();
    assert_eq!(rig.texel(0, 0), [0, 0, 0, 255]);
    assert_eq!(rig.texel(3, 0), [255, 0, 0, 255]);
    assert_eq!(rig.texel(3, 3), [255, 255, 0, 255]);
    let timings = rig.renderer.timings();
    assert_eq!(timings.passes[0].draws, 1);
    assert!(timings.passes[0].statistics.is_none_or(|s| s.compute_invocations == 4), "{timings:?}");
}

#[test]
fn the_overlay_is_drawn_into_its_pass_and_its_textures_are_drained() {
    let Some(gpu) = TestGpu::new() else { return };
    let mut maker = Maker::new();
    let image = maker.image(&gpu.gpu, "scene", Format::Rgba8, [64, 64], Usage::COLOR);
    maker.barrier(image, Layout::ColorAttachment, COLOR_RW);
    let pass = maker.begin_pass("ui", [64, 64]);
    let color = maker.color(now(image), Load::Clear([0.0, 0.0, 0.0, 1.0]));
    maker.begin_rendering(&[color], None);
    maker.plan.instructions.push(Instruction::Ui);
    maker.end_rendering();
    maker.end_pass(pass);
    let mut rig = Rig::new(&gpu, maker.finish(image), &registry());
    let context = egui::Context::default();
    for _ in 0..4 {
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(64.0, 64.0));
        let input = egui::RawInput { screen_rect: Some(screen), ..egui::RawInput::default() };
        let output = context.run_ui(input, |ui| {
            let rect = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(32.0, 32.0));
            ui.painter().rect_filled(rect, 0.0, egui::Color32::from_rgb(255, 0, 0));
            ui.label("text");
        });
        let mut overlay = OverlayFrame {
            primitives: context.tessellate(output.shapes, output.pixels_per_point),
            textures: output.textures_delta,
            pixels_per_point: output.pixels_per_point,
        };
        let Rig { renderer, scene, world, params, frame } = &mut rig;
        renderer.render(scene, world, params, frame, Some(&mut overlay), None).unwrap();
        assert!(overlay.textures.is_empty());
    }
    assert_eq!(rig.texel(2, 30), [255, 0, 0, 255]);
    assert_eq!(rig.texel(60, 60), [0, 0, 0, 255]);
    rig.render();
    assert_eq!(rig.texel(2, 30), [0, 0, 0, 255], "without an overlay nothing is drawn");
}
