//! The gate of "not one validation message" is itself tested, and so are the errors of opening a device.

use super::support::*;
use crate::graph::*;
use crate::scene::*;
use crate::shader::BindingKind;
use crate::vulkan::*;

const COPY: &str = "layout(location = 0) in vec2 uv; layout(location = 0) out vec4 color;
    layout(set = 1, binding = 0) uniform sampler2D source; void main() { color = texture(source, uv); }";
const PLAIN: &str = "layout(location = 0) out vec4 color; void main() { color = vec4(0.25); }";

/// Two passes, the second of which samples what the first drew. The image keeps one layout, so that without the
/// barrier between them everything is right but the synchronization.
fn two_passes(gpu: &Gpu, barrier: bool) -> (Plan, Vec<std::sync::Arc<crate::shader::CompiledShader>>) {
    let mut maker = Maker::new();
    let first = maker.image(gpu, "first", Format::Rgba8, [16, 16], Usage::COLOR | Usage::SAMPLED);
    let second = maker.image(gpu, "second", Format::Rgba8, [16, 16], Usage::COLOR);
    maker.fullscreen("draw", first, Load::DontCare, fullscreen("plain", PLAIN, &[]), &[]);
    let Instruction::Barriers(entry) = maker.plan.instructions[0] else { panic!("a pass starts with its barrier") };
    let entry = &mut maker.plan.barriers[entry as usize].images[0];
    (entry.new, entry.src) = (Layout::General, Scope { stages: entry.src.stages | SAMPLED.stages, ..entry.src });
    maker.plan.renderings[0].colors[0].layout = Layout::General;
    if barrier {
        maker.raw_barrier(ImageBarrier {
            image: now(first),
            part: ONE,
            old: Layout::General,
            new: Layout::General,
            src: COLOR,
            dst: SAMPLED,
        });
    }
    let shader = fullscreen("copy", COPY, &[(1, 0, "source", BindingKind::Sampled(SampledKind::D2))]);
    let sampler = SamplerDesc::NEAREST;
    let resource = BoundResource::Sampled { image: now(first), part: ONE, layout: Layout::General, sampler };
    maker.fullscreen("copy", second, Load::DontCare, shader, &[(0, resource)]);
    maker.finish(second)
}

#[test]
fn a_removed_barrier_between_two_raster_passes_is_seen() {
    let Some(mut gpu) = TestGpu::new() else { return };
    let mut rig = Rig::new(&gpu, two_passes(&gpu.gpu, true), &registry());
    rig.render();
    assert_eq!(rig.texel(3, 3), [64; 4]);
    assert_eq!(gpu.gpu.validation_messages(), 0, "{:?}", gpu.gpu.last_validation_message());
    drop(rig);
    let version = gpu.gpu.validation_layer_version();
    if version.is_none_or(|v| v < (1, 4, 0)) {
        eprintln!("skipped: validation layer {version:?} does not see attachments of dynamic rendering, 1.4 does");
        return;
    }
    gpu.noisy = true;
    let mut rig = Rig::new(&gpu, two_passes(&gpu.gpu, false), &registry());
    rig.render();
    gpu.gpu.wait().unwrap();
    assert!(gpu.gpu.validation_messages() > 0, "the gate is blind");
    let message = gpu.gpu.last_validation_message().unwrap();
    assert!(message.contains("SYNC-HAZARD"), "{message}");
}

#[test]
fn a_missing_layout_transition_is_seen_by_every_layer() {
    let Some(mut gpu) = TestGpu::new() else { return };
    if gpu.gpu.validation_layer_version().is_none() {
        eprintln!("skipped: no validation layer");
        return;
    }
    gpu.noisy = true;
    let mut maker = Maker::new();
    let first = maker.image(&gpu.gpu, "first", Format::Rgba8, [16, 16], Usage::COLOR | Usage::SAMPLED);
    let second = maker.image(&gpu.gpu, "second", Format::Rgba8, [16, 16], Usage::COLOR);
    maker.fullscreen("draw", first, Load::DontCare, fullscreen("plain", PLAIN, &[]), &[]);
    let shader = fullscreen("copy", COPY, &[(1, 0, "source", BindingKind::Sampled(SampledKind::D2))]);
    let sampler = SamplerDesc::NEAREST;
    let resource = BoundResource::Sampled { image: now(first), part: ONE, layout: Layout::ShaderRead, sampler };
    maker.fullscreen("copy", second, Load::DontCare, shader, &[(0, resource)]);
    let mut rig = Rig::new(&gpu, maker.finish(second), &registry());
    rig.render();
    gpu.gpu.wait().unwrap();
    assert!(gpu.gpu.validation_messages() > 0);
}

#[test]
fn an_unknown_device_is_an_error_with_the_list() {
    let Some(gpu) = TestGpu::new() else { return };
    let options = GpuOptions { device: Some("voodoo 2".into()), ..GpuOptions::default() };
    let error = Gpu::new(&options).unwrap_err().to_string();
    assert!(error.contains("no device is called \"voodoo 2\"") && error.contains(gpu.gpu.device_name()), "{error}");
    let devices = Gpu::list_devices().unwrap();
    assert!(devices.iter().any(|d| d.name == gpu.gpu.device_name()));
}

#[test]
fn the_device_model_answers_like_the_driver() {
    let Some(gpu) = TestGpu::new() else { return };
    let gpu = &gpu.gpu;
    assert!(gpu.supports(Format::Rgba8, Usage::COLOR | Usage::SAMPLED, 1));
    assert!(gpu.supports(Format::D32, Usage::DEPTH | Usage::SAMPLED, 1));
    assert!(!gpu.supports(Format::Bc1, Usage::COLOR, 1));
    assert!(!gpu.supports(Format::D32, Usage::COLOR, 1));
    let desc =
        ImageDesc { format: Format::Rgba8, extent: [64, 32], layers: 1, mips: 1, samples: 1, usage: Usage::COLOR };
    let (size, alignment) = gpu.image_memory(&desc);
    assert!(size >= 64 * 32 * 4 && alignment.is_power_of_two());
    assert!(gpu.max_extent() >= 4096 && gpu.memory_budget() > 0);
}
