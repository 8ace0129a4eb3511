//! Whole frames from hand-made plans.

use super::support::*;
use crate::graph::*;

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
