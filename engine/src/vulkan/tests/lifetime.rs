//! Reloads: what is taken over, what is retired, and that nothing is left.

use super::support::*;
use crate::graph::*;
use crate::vulkan::*;

/// Adds a step to a persistent image, and shows it.
fn counter(
    gpu: &Gpu,
    step: u32,
    name: &str,
    layout: Layout,
) -> (Plan, Vec<std::sync::Arc<crate::shader::CompiledShader>>) {
    let add = format!("layout(location = 0) out vec4 color; void main() {{ color = vec4({step}.0 / 255.0); }}");
    let mut maker = Maker::new();
    let scope = if layout == Layout::ColorAttachment { COLOR_RW } else { SAMPLED };
    let usage = Usage::COLOR | Usage::SAMPLED;
    let image = maker.persistent(name, Format::Rgba8, [4, 4], usage, &[ImageState { layout, scope }]);
    let other = maker.image(gpu, "other", Format::Rgba8, [64, 64], Usage::COLOR);
    maker.fullscreen(
        "fill",
        other,
        Load::DontCare,
        fullscreen("white", "layout(location = 0) out vec4 c; void main() { c = vec4(1.0); }", &[]),
        &[],
    );
    let first = maker.plan.pipelines.len();
    maker.fullscreen("add", image, Load::Keep, fullscreen("add", &add, &[]), &[]);
    if let PipelineKind::Graphics { state, .. } = &mut maker.plan.pipelines[first].kind {
        state.blend = Some(Blend::ADD);
    }
    if layout != Layout::ColorAttachment {
        maker.barrier(image, layout, scope);
    }
    maker.finish(image)
}

#[test]
fn persistent_images_survive_a_reload_and_equal_pipelines_are_not_built_again() {
    let Some(gpu) = TestGpu::new() else { return };
    let mut rig = Rig::new(&gpu, counter(&gpu.gpu, 1, "sum", Layout::ColorAttachment), &registry());
    assert_eq!(rig.renderer.pipelines_built(), 2);
    for _ in 0..5 {
        rig.render();
    }
    assert_eq!(rig.texel(0, 0), [5; 4]);
    let (plan, shaders) = counter(&gpu.gpu, 10, "sum", Layout::ShaderRead);
    let gpu_there = gpu.gpu.clone();
    let built = std::thread::spawn(move || Renderer::new(&gpu_there, plan, shaders, &registry()).unwrap());
    let new = built.join().unwrap();
    assert_eq!(new.pipelines_built(), 1, "only the changed shader");
    rig.renderer.replace(new).unwrap();
    let stats = rig.render();
    assert_eq!(stats.frame, 5, "frames go on");
    assert_eq!(rig.texel(0, 0), [15; 4], "content was kept, and rests in another layout now");
    rig.render();
    assert_eq!(rig.texel(0, 0), [25; 4]);
    let (plan, shaders) = counter(&gpu.gpu, 10, "renamed", Layout::ShaderRead);
    rig.renderer.replace(Renderer::new(&gpu.gpu, plan, shaders, &registry()).unwrap()).unwrap();
    rig.render();
    assert_eq!(rig.texel(0, 0), [10; 4], "another name is another image");
}

#[test]
fn thirty_reloads_leave_nothing_behind() {
    let Some(gpu) = TestGpu::new() else { return };
    let mut rig = Rig::new(&gpu, counter(&gpu.gpu, 1, "sum", Layout::ColorAttachment), &registry());
    let mut before = None;
    for i in 0..30 {
        let layout = if i % 2 == 0 { Layout::ShaderRead } else { Layout::ColorAttachment };
        let (plan, shaders) = counter(&gpu.gpu, 1, "sum", layout);
        rig.renderer.replace(Renderer::new(&gpu.gpu, plan, shaders, &registry()).unwrap()).unwrap();
        rig.render();
        if i == 9 {
            gpu.gpu.wait().unwrap();
            before = Some(gpu.gpu.memory_report());
        }
    }
    gpu.gpu.wait().unwrap();
    assert_eq!(Some(gpu.gpu.memory_report()), before);
    assert_eq!(rig.texel(0, 0), [30; 4]);
}

#[test]
fn two_renderers_of_a_device_live_side_by_side() {
    let Some(gpu) = TestGpu::new() else { return };
    let mut one = Rig::new(&gpu, counter(&gpu.gpu, 1, "sum", Layout::ColorAttachment), &registry());
    let mut two = Rig::new(&gpu, counter(&gpu.gpu, 2, "sum", Layout::ShaderRead), &registry());
    assert_eq!(two.renderer.pipelines_built(), 1);
    for _ in 0..3 {
        one.render();
        two.render();
    }
    drop(one.world);
    assert_eq!(two.texel(0, 0), [6; 4]);
    assert_eq!(one.renderer.read_output().unwrap().bytes[0], 3);
}

#[test]
fn an_image_whose_memory_was_reused_is_refused() {
    let Some(gpu) = TestGpu::new() else { return };
    let plain = |v: &str| format!("layout(location = 0) out vec4 color; void main() {{ color = vec4({v}); }}");
    let mut maker = Maker::new();
    let first = maker.image(&gpu.gpu, "first", Format::Rgba8, [16, 16], Usage::COLOR);
    let second = maker.image(&gpu.gpu, "second", Format::Rgba8, [16, 16], Usage::COLOR);
    let heap = maker.plan.images[0].residency.clone();
    maker.plan.images[1].residency = heap;
    maker.fullscreen("one", first, Load::DontCare, fullscreen("one", &plain("0.0"), &[]), &[]);
    maker.fullscreen("two", second, Load::DontCare, fullscreen("two", &plain("1.0"), &[]), &[]);
    maker.plan.images[0].lifetime = Some((0, 0));
    maker.plan.images[1].lifetime = Some((1, 1));
    let mut rig = Rig::new(&gpu, maker.finish(second), &registry());
    rig.render();
    assert_eq!(rig.texel(0, 0), [255; 4]);
    let error = rig.renderer.read_image("first").unwrap_err().to_string();
    assert!(error.contains("\"second\" reuses its memory"), "{error}");
}

#[test]
fn the_pipeline_cache_is_written_and_a_damaged_one_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let options = GpuOptions { cache_dir: Some(dir.path().join("cache")), ..GpuOptions::default() };
    let Ok(gpu) = Gpu::new(&options) else { return };
    let (plan, shaders) = counter(&gpu, 1, "sum", Layout::ColorAttachment);
    drop(Renderer::new(&gpu, plan, shaders, &registry()).unwrap());
    drop(gpu);
    let files: Vec<_> = std::fs::read_dir(dir.path().join("cache")).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    let mut bytes = std::fs::read(&files[0]).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&files[0], &bytes).unwrap();
    Gpu::new(&options).unwrap();
}
