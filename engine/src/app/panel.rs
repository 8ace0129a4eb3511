//! The overlay in the window: what egui sees of the session, and what a person's clicks do to it.

use std::collections::BTreeMap;
use std::time::Instant;

use winit::event::WindowEvent;
use winit::window::Window;

use super::live::{LiveEvent, LiveFiles};
use super::session::Session;
use crate::diag::{Diagnostic, Severity, SourceFile};
use crate::graph::Report;
use crate::live::{EditHistory, move_pass};
use crate::overlay::{
    FrameSummary, GraphSummary, History, ImageInfo, LogLine, MemorySummary, Overlay, OverlayAction, OverlayModel,
    PassInfo,
};
use crate::scene::ParamSource;
use crate::vulkan::OverlayFrame;

/// Log lines that are kept.
const LOG_LINES: usize = 500;

/// The overlay and its state between frames.
pub(super) struct OverlayHost {
    overlay: Overlay,
    winit: egui_winit::State,
    passes: Vec<PassInfo>,
    images: Vec<ImageInfo>,
    histories: BTreeMap<String, History>,
    memory: MemorySummary,
    diagnostics: Vec<Diagnostic>,
    log: Vec<LogLine>,
    edits: EditHistory,
    saved: String,
    solo: Option<String>,
    started: Instant,
    frame: FrameSummary,
    timed_frame: Option<u64>,
}

impl OverlayHost {
    pub(super) fn new(window: &Window, session: &Session) -> Self {
        let overlay = Overlay::new();
        let winit = egui_winit::State::new(
            overlay.context().clone(),
            egui::ViewportId::ROOT,
            window,
            Some(window.scale_factor() as f32),
            None,
            None,
        );
        let text = std::fs::read_to_string(session.graph_path()).unwrap_or_default();
        let mut host = Self {
            overlay,
            winit,
            passes: Vec::new(),
            images: Vec::new(),
            histories: BTreeMap::new(),
            memory: MemorySummary::default(),
            diagnostics: session.graph().warnings().to_vec(),
            log: Vec::new(),
            edits: EditHistory::new(text.clone()),
            saved: text,
            solo: None,
            started: Instant::now(),
            frame: FrameSummary::default(),
            timed_frame: None,
        };
        host.plan_changed(session);
        host
    }

    pub(super) fn toggle(&mut self) {
        self.overlay.toggle();
    }

    /// Gives an event to egui; true when it belongs to the overlay and not to the camera.
    pub(super) fn takes(&mut self, window: &Window, event: &WindowEvent) -> bool {
        let _ = self.winit.on_window_event(window, event);
        match event {
            WindowEvent::KeyboardInput { .. } => self.overlay.wants_keyboard(),
            WindowEvent::MouseInput { .. } | WindowEvent::MouseWheel { .. } => self.overlay.wants_pointer(),
            _ => false,
        }
    }

    /// Renews what depends on the plan only.
    pub(super) fn plan_changed(&mut self, session: &Session) {
        let report = session.report();
        let disabled = session.disabled();
        let index = |name: &String| {
            let image = name.split('@').next().unwrap_or(name);
            report.images.iter().position(|i| i.name == image).map(|i| i as u32)
        };
        self.passes = report
            .passes
            .iter()
            .map(|p| PassInfo {
                name: p.name.clone(),
                kind: p.kind.to_owned(),
                enabled: !disabled.contains(&p.name),
                solo: self.solo.as_ref() == Some(&p.name),
                culled: p.off.clone(),
                reads: p.reads.iter().filter_map(index).collect(),
                writes: p.writes.iter().filter_map(index).collect(),
                ..PassInfo::default()
            })
            .collect();
        self.images = report.images.iter().map(|image| image_info(image, report)).collect();
        self.memory = MemorySummary {
            heap_bytes: report.heap_bytes,
            saved_by_aliasing: report.unshared_bytes.saturating_sub(report.heap_bytes),
            persistent_bytes: report.persistent_bytes,
            ..MemorySummary::default()
        };
    }

    /// Tells what a reload did.
    pub(super) fn reloaded(&mut self, session: &Session, event: LiveEvent) {
        let severity = if event.errors.is_empty() { Severity::Note } else { Severity::Error };
        self.say(severity, event.text);
        self.diagnostics = event.errors;
        if severity == Severity::Note {
            self.diagnostics = session.graph().warnings().to_vec();
            self.plan_changed(session);
            // A change on disk is the new ground of edits; an edit of our own is already the newest.
            if let Ok(text) = std::fs::read_to_string(session.graph_path())
                && text != self.saved
            {
                self.edits = EditHistory::new(text.clone());
                self.saved = text;
            }
        }
    }

    fn say(&mut self, severity: Severity, text: impl Into<String>) {
        if self.log.len() == LOG_LINES {
            self.log.remove(0);
        }
        self.log.push(LogLine { seconds: self.started.elapsed().as_secs_f64(), severity, text: text.into() });
    }

    fn take_timings(&mut self, session: &mut Session, frame: u64, size: [u32; 2], dt: f32) {
        let timings = session.renderer().timings();
        let smooth = |old: f32, new: f32| if old == 0.0 { new } else { old * 0.9 + new * 0.1 };
        let fps = if dt > 0.0 { smooth(self.frame.fps, 1.0 / dt) } else { self.frame.fps };
        let record = timings.record_ns as f32 / 1e6;
        let gpu_ms = timings.gpu_ns.map(|ns| ns as f32 / 1e6);
        self.frame = FrameSummary { index: frame, size, fps, cpu_ms: smooth(self.frame.cpu_ms, record), gpu_ms };
        if timings.frame == self.timed_frame {
            return;
        }
        self.timed_frame = timings.frame;
        for timing in &timings.passes {
            let history = self.histories.entry(timing.name.clone()).or_default();
            history.push(timing.gpu_ns.map(|ns| ns as i64));
            if let Some(pass) = self.passes.iter_mut().find(|p| p.name == timing.name) {
                pass.gpu = history.clone();
                (pass.draws, pass.triangles) = (timing.draws, timing.triangles);
            }
        }
    }

    /// Runs the overlay for a frame and carries out what was clicked.
    pub(super) fn run(
        &mut self,
        window: &Window,
        session: &mut Session,
        live: &LiveFiles,
        frame: u64,
        dt: f32,
    ) -> OverlayFrame {
        let size = session.size();
        if self.overlay.visible() {
            self.take_timings(session, frame, size, dt);
        }
        let input = self.winit.take_egui_input(window);
        let path = session.graph_path().display().to_string();
        let name = session.graph().name().to_owned();
        let device = session.gpu().device_name().to_owned();
        let model = OverlayModel {
            graph: GraphSummary {
                name: &name,
                path: &path,
                unsaved: self.edits.text() != self.saved,
                can_undo: self.edits.can_undo(),
                can_redo: self.edits.can_redo(),
            },
            device: &device,
            frame: self.frame,
            memory: self.memory,
            passes: &self.passes,
            images: &self.images,
            diagnostics: &self.diagnostics,
            log: &self.log,
            reload: None,
            preview: None,
            picked: None,
            tracing: false,
        };
        let (output, actions) = self.overlay.run(input, &model, session.params());
        self.winit.handle_platform_output(window, output.platform_output);
        let primitives = self.overlay.context().tessellate(output.shapes, output.pixels_per_point);
        for action in actions {
            self.act(session, live, action);
        }
        OverlayFrame { primitives, textures: output.textures_delta, pixels_per_point: output.pixels_per_point }
    }

    fn act(&mut self, session: &mut Session, live: &LiveFiles, action: OverlayAction) {
        let params = session.params_mut();
        match action {
            OverlayAction::SetParam { id, value } => {
                if let Err(error) = params.set(id, value, ParamSource::Overlay) {
                    self.say(Severity::Warning, error.to_string());
                }
            }
            OverlayAction::ResetParam(id) => params.reset(id),
            OverlayAction::HoldParam(id, held) => params.hold(id, held),
            OverlayAction::SetPass { name, enabled } => {
                let mut off: Vec<String> = session.disabled().iter().filter(|n| **n != name).cloned().collect();
                off.extend((!enabled).then_some(name));
                self.disable(session, off);
            }
            OverlayAction::Solo(name) => {
                self.solo = name;
                let others = self.passes.iter().filter(|p| self.solo.as_ref().is_some_and(|s| *s != p.name));
                let off = others.filter(|p| p.kind != "ui").map(|p| p.name.clone()).collect();
                self.disable(session, off);
            }
            OverlayAction::MovePass { name, before } => match move_pass(self.edits.text(), &name, before.as_deref()) {
                Ok(text) => {
                    self.edits.push(text);
                    session.edit_graph(Some(self.edits.text().to_owned()));
                }
                Err(error) => {
                    let file = SourceFile::new(session.graph_path().display().to_string(), self.edits.text());
                    self.diagnostics = vec![error.diagnostic(&file)];
                }
            },
            OverlayAction::Undo => {
                let text = self.edits.undo().map(str::to_owned);
                session.edit_graph(text);
            }
            OverlayAction::Redo => {
                let text = self.edits.redo().map(str::to_owned);
                session.edit_graph(text);
            }
            OverlayAction::WriteToFile => self.write(session, live),
            OverlayAction::OpenLine { file, line, column } => {
                self.say(Severity::Note, format!("{file}:{line}:{column}"));
            }
            other => self.say(Severity::Note, format!("not available in this version: {}", action_name(&other))),
        }
    }

    fn disable(&mut self, session: &mut Session, off: Vec<String>) {
        match session.set_disabled(off) {
            Ok(()) => self.plan_changed(session),
            Err(errors) => {
                self.say(Severity::Warning, "without these passes there is no frame");
                self.diagnostics = errors;
            }
        }
    }

    fn write(&mut self, session: &mut Session, live: &LiveFiles) {
        let text = self.edits.text().to_owned();
        let path = session.graph_path().to_path_buf();
        let temporary = path.with_extension("toml.part");
        let written = std::fs::write(&temporary, &text).and_then(|()| std::fs::rename(&temporary, &path));
        match written {
            Ok(()) => {
                live.wrote(&path, text.as_bytes());
                self.saved = text;
                session.edit_graph(None);
                self.say(Severity::Note, format!("{} is written", path.display()));
            }
            Err(error) => self.say(Severity::Error, format!("{} cannot be written: {error}", path.display())),
        }
    }
}

fn image_info(image: &crate::graph::ImageReport, report: &Report) -> ImageInfo {
    let place = |name: &String| report.passes.iter().position(|p| p.name == *name).unwrap_or(0) as u32;
    ImageInfo {
        name: image.name.clone(),
        format: image.format.to_owned(),
        extent: image.extent,
        mips: 1,
        layers: 1,
        bytes: image.bytes,
        residency: if image.offset.is_some() { "transient".into() } else { "persistent".into() },
        heap_range: image.offset.map(|at| (at, at + image.bytes)),
        lifetime: image.life.as_ref().map(|(first, last)| (place(first), place(last))),
    }
}

fn action_name(action: &OverlayAction) -> &'static str {
    match action {
        OverlayAction::ShowImage(_) | OverlayAction::FreezeImage(_) | OverlayAction::PickTexel(_) => "image preview",
        OverlayAction::SaveImage { .. } => "saving images (use terrace shot --image)",
        OverlayAction::StartTrace => "traces",
        OverlayAction::SaveCsv => "tables of timings",
        _ => "this",
    }
}
