//! The viewer's window: winit events in, frames out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use raw_window_handle::{HasDisplayHandle, RawDisplayHandle};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{KeyCode, PhysicalKey};
use winit::window::{Window, WindowId};

use super::input::{CameraInput, Drag, PanKey};
use super::live::{LiveEvent, LiveFiles};
use super::panel::OverlayHost;
use super::session::{Session, gpu_error};
use crate::diag::Diagnostic;
use crate::scene::Command;
use crate::vulkan::Swapchain;

/// Pixels of a touch pad's scroll that count as one wheel notch.
const PIXELS_PER_NOTCH: f64 = 40.0;
/// Longest step of game time that one frame makes, so that a stall does not jump.
const MAX_STEP_MS: u64 = 100;

/// How the window is set up.
#[derive(Clone, Debug)]
pub struct WindowConfig {
    /// Title.
    pub title: String,
    /// Size of the picture in pixels at the start.
    pub size: [u32; 2],
    /// Waits for the screen.
    pub vsync: bool,
    /// The pointer at the window's edge scrolls.
    pub edge_scroll: bool,
    /// Ends after this many frames.
    pub frames: Option<u64>,
}

/// Makes the session once the window's display is known, and is told the size of the window.
pub type MakeSession<'a> = dyn FnMut(RawDisplayHandle, [u32; 2]) -> Result<Session, Vec<Diagnostic>> + 'a;

/// Opens the window and runs until it is closed; `ended` sees the session before it goes.
///
/// # Errors
/// No window system, and everything that [`Session`] may say.
pub fn run_window(
    config: WindowConfig,
    make: &mut MakeSession<'_>,
    ended: &mut dyn FnMut(&mut Session),
) -> Result<(), Vec<Diagnostic>> {
    let events = EventLoop::new().map_err(|e| vec![no_window(&e.to_string())])?;
    events.set_control_flow(ControlFlow::Poll);
    let mut viewer = Viewer { config, make, ended, shown: None, outcome: Ok(()) };
    events.run_app(&mut viewer).map_err(|e| vec![no_window(&e.to_string())])?;
    viewer.outcome
}

fn no_window(why: &str) -> Diagnostic {
    Diagnostic::error("window.none", format!("no window can be opened: {why}"))
        .help("set DISPLAY or WAYLAND_DISPLAY, or use `terrace shot` to write a picture without a window")
}

struct Viewer<'a, 'b> {
    config: WindowConfig,
    make: &'a mut MakeSession<'b>,
    ended: &'a mut dyn FnMut(&mut Session),
    shown: Option<Shown>,
    outcome: Result<(), Vec<Diagnostic>>,
}

/// Everything that exists while the window does. Fields drop in their order: the swapchain before the window it is
/// made on.
struct Shown {
    swapchain: Swapchain,
    overlay: OverlayHost,
    live: LiveFiles,
    session: Session,
    input: CameraInput,
    last: Instant,
    frames: u64,
    window: Arc<Window>,
}

impl Shown {
    fn open(
        events: &ActiveEventLoop,
        config: &WindowConfig,
        make: &mut MakeSession<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let attributes = Window::default_attributes()
            .with_title(config.title.clone())
            .with_inner_size(PhysicalSize::new(config.size[0], config.size[1]));
        let window = events.create_window(attributes).map_err(|e| vec![no_window(&e.to_string())])?;
        let size: [u32; 2] = window.inner_size().into();
        let display = window.display_handle().map_err(|e| vec![no_window(&e.to_string())])?.as_raw();
        let mut session = make(display, size)?;
        let window = Arc::new(window);
        let swapchain =
            Swapchain::new(session.gpu(), window.clone(), size, config.vsync).map_err(|e| vec![gpu_error(&e)])?;
        let input = CameraInput::new(config.edge_scroll);
        let mut overlay = OverlayHost::new(&window, &session);
        let live = LiveFiles::new(&session).map_err(|e| vec![e])?;
        let errors = session.take_start_errors();
        if !errors.is_empty() {
            for error in &errors {
                tracing::error!("{error}");
            }
            let text = "the graph file is broken: its last good version is shown".to_owned();
            tracing::error!("{text}");
            overlay.reloaded(&session, LiveEvent { text, errors });
        }
        Ok(Self { swapchain, overlay, live, session, input, last: Instant::now(), frames: 0, window })
    }

    fn draw(&mut self) -> Result<(), Vec<Diagnostic>> {
        let size: [u32; 2] = self.window.inner_size().into();
        if size.contains(&0) {
            // A minimized window has no picture; waking ten times a second is enough to see it come back.
            std::thread::sleep(Duration::from_millis(100));
            return Ok(());
        }
        let now = Instant::now();
        let elapsed = now.duration_since(self.last);
        let dt_ms = (elapsed.as_millis() as u64).min(MAX_STEP_MS);
        // Whole milliseconds pass on, the rest is kept for the next frame.
        self.last = if dt_ms == MAX_STEP_MS { now } else { self.last + Duration::from_millis(dt_ms) };
        let camera = self.session.world().camera();
        let commands: Vec<Command> = self.input.commands(&camera, size, elapsed.as_secs_f32());
        if let Some(event) = self.live.poll(&mut self.session)? {
            tracing::info!("{}", event.text);
            for error in &event.errors {
                tracing::error!("{error}");
            }
            self.overlay.reloaded(&self.session, event);
        }
        let dt = elapsed.as_secs_f32();
        let mut overlay = self.overlay.run(&self.window, &mut self.session, &self.live, self.frames, dt);
        self.session.step(dt_ms, &commands, Some(&mut overlay), Some(&mut self.swapchain))?;
        self.frames += 1;
        Ok(())
    }

    fn key(&mut self, code: KeyCode, down: bool) {
        let pan = match code {
            KeyCode::ArrowLeft | KeyCode::KeyA => Some(PanKey::Left),
            KeyCode::ArrowRight | KeyCode::KeyD => Some(PanKey::Right),
            KeyCode::ArrowUp | KeyCode::KeyW => Some(PanKey::Ahead),
            KeyCode::ArrowDown | KeyCode::KeyS => Some(PanKey::Back),
            _ => None,
        };
        match (pan, code) {
            (Some(key), _) => self.input.key(key, down),
            (None, KeyCode::Home) if down => self.input.reset(),
            _ => {}
        }
    }

    fn button(&mut self, button: MouseButton, down: bool) {
        let drag = match button {
            MouseButton::Middle => Drag::Pan,
            MouseButton::Right => Drag::Turn,
            _ => return,
        };
        self.input.drag(down.then_some(drag));
    }
}

impl Viewer<'_, '_> {
    fn end(&mut self, events: &ActiveEventLoop, outcome: Result<(), Vec<Diagnostic>>) {
        if self.outcome.is_ok() {
            self.outcome = outcome;
        }
        if let Some(shown) = &mut self.shown {
            (self.ended)(&mut shown.session);
        }
        // Vulkan objects go before the window system closes its connection.
        self.shown = None;
        events.exit();
    }
}

impl ApplicationHandler for Viewer<'_, '_> {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.shown.is_none() {
            match Shown::open(events, &self.config, self.make) {
                Ok(shown) => self.shown = Some(shown),
                Err(errors) => self.end(events, Err(errors)),
            }
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(shown) = &mut self.shown else { return };
        let taken = shown.overlay.takes(&shown.window, &event);
        match event {
            WindowEvent::CloseRequested => self.end(events, Ok(())),
            WindowEvent::Resized(size) if size.width > 0 && size.height > 0 => {
                shown.session.resize(size.into());
                shown.swapchain.resize(size.into());
            }
            WindowEvent::Focused(false) | WindowEvent::CursorLeft { .. } => shown.input.release_all(),
            WindowEvent::KeyboardInput { event, .. } => {
                if let PhysicalKey::Code(code) = event.physical_key {
                    let down = event.state == ElementState::Pressed;
                    if code == KeyCode::Escape && down {
                        self.end(events, Ok(()));
                    } else if code == KeyCode::F1 && down {
                        shown.overlay.toggle();
                    } else if !(taken && down) {
                        shown.key(code, down);
                    }
                }
            }
            WindowEvent::CursorMoved { position, .. } => shown.input.pointer(position.x, position.y),
            WindowEvent::MouseInput { state, .. } if taken && state == ElementState::Pressed => {}
            WindowEvent::MouseInput { state, button, .. } => shown.button(button, state == ElementState::Pressed),
            WindowEvent::MouseWheel { .. } if taken => {}
            WindowEvent::MouseWheel { delta, .. } => shown.input.wheel(match delta {
                MouseScrollDelta::LineDelta(_, y) => y,
                MouseScrollDelta::PixelDelta(p) => (p.y / PIXELS_PER_NOTCH) as f32,
            }),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        let Some(shown) = &mut self.shown else { return };
        let result = shown.draw();
        let done = self.config.frames.is_some_and(|n| shown.frames >= n);
        if result.is_err() || done {
            self.end(events, result);
        }
    }
}
