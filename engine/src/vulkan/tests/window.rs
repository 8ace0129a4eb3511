//! A real window: shown, resized, minimized and closed. Skipped where there is no X display.

use std::sync::Arc;
use std::time::Duration;

use raw_window_handle::HasDisplayHandle;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::platform::pump_events::EventLoopExtPumpEvents;
use winit::platform::x11::EventLoopBuilderExtX11;
use winit::window::{Window, WindowId};

use super::support::*;
use crate::graph::*;
use crate::vulkan::*;

#[derive(Default)]
struct App {
    window: Option<Arc<Window>>,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        let attributes = Window::default_attributes().with_inner_size(PhysicalSize::new(200, 100));
        self.window = events.create_window(attributes).ok().map(Arc::new);
    }

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, _: WindowEvent) {}
}

fn clear_plan(gpu: &Gpu) -> (Plan, Vec<Arc<crate::shader::CompiledShader>>) {
    let mut maker = Maker::new();
    let image = maker.image(gpu, "scene", Format::Rgba8, [64, 32], Usage::COLOR);
    let plain = "layout(location = 0) out vec4 color; void main() { color = vec4(0.0, 1.0, 0.0, 1.0); }";
    maker.fullscreen("green", image, Load::DontCare, fullscreen("green", plain, &[]), &[]);
    maker.finish(image)
}

#[test]
fn a_window_is_filled_resized_minimized_and_closed() {
    if std::env::var_os("DISPLAY").is_none() {
        eprintln!("skipped: no X display");
        return;
    }
    let mut events = EventLoop::builder().with_x11().with_any_thread(true).build().unwrap();
    let mut app = App::default();
    let _ = events.pump_app_events(Some(Duration::from_millis(50)), &mut app);
    let window = app.window.clone().unwrap();
    let display = window.display_handle().unwrap().as_raw();
    let Some(gpu) = TestGpu::with_display(Some(display)) else { return };
    let mut swapchain = Swapchain::new(&gpu.gpu, window.clone(), [200, 100], true).unwrap();
    assert_eq!(swapchain.extent(), [200, 100]);
    let mut rig = Rig::new(&gpu, clear_plan(&gpu.gpu), &registry());
    let presented = |rig: &mut Rig, swapchain: &mut Swapchain| {
        let Rig { renderer, scene, world, params, frame } = rig;
        renderer.render(scene, world, params, frame, None, Some(swapchain)).unwrap().presented
    };
    for _ in 0..5 {
        assert!(presented(&mut rig, &mut swapchain));
    }
    let _ = window.request_inner_size(PhysicalSize::new(300, 150));
    for _ in 0..20 {
        let _ = events.pump_app_events(Some(Duration::from_millis(10)), &mut app);
        let size = window.inner_size();
        swapchain.resize([size.width, size.height]);
        presented(&mut rig, &mut swapchain);
    }
    assert_eq!(swapchain.extent(), [300, 150]);
    swapchain.resize([0, 0]);
    assert!(swapchain.minimized() && !presented(&mut rig, &mut swapchain));
    swapchain.resize([300, 150]);
    swapchain.set_vsync(false);
    assert!((0..3).any(|_| presented(&mut rig, &mut swapchain)));
    assert_eq!(rig.texel(3, 3), [0, 255, 0, 255]);
    rig.renderer
        .replace(Renderer::new(&gpu.gpu, clear_plan(&gpu.gpu).0, clear_plan(&gpu.gpu).1, &registry()).unwrap())
        .unwrap();
    for _ in 0..5 {
        assert!(presented(&mut rig, &mut swapchain));
    }
    let other = TestGpu::new().unwrap();
    let refused = Swapchain::new(&other.gpu, window, [1, 1], true).err().unwrap().to_string();
    assert!(refused.contains("opened without a display"), "{refused}");
}
