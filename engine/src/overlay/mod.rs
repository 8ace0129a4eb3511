//! The overlay: dockable panels over the picture that show why a frame looks and costs what it does.
//!
//! Pure user interface: no window, no device, no file. Every frame the host hands over input and an [`OverlayModel`],
//! draws the shapes that come back and carries out the [`OverlayAction`]s. The dock's centre is transparent and lets
//! the pointer through: ask [`Overlay::wants_pointer_at`] before an event goes to the camera.

mod dock;
mod errors;
mod graph;
mod images;
mod log;
mod model;
mod params;
mod passes;
mod stats;
mod style;
mod text;
mod timings;

#[cfg(test)]
mod tests;

use egui::{Align2, Area, Context, FullOutput, Id, Order, Pos2, RawInput, Rect, RichText, Ui, WidgetText};
use egui_dock::tab_viewer::OnCloseResponse;
use egui_dock::{DockArea, NodePath, TabStyle, TabViewer};

use crate::diag::{Diagnostic, Severity};
use crate::scene::ParamTable;
use dock::Dock;

pub use dock::Panel;
pub use model::{
    Channel, FrameSummary, GraphSummary, ImageInfo, ImageView, LogLine, MemorySummary, OverlayAction, OverlayModel,
    PassInfo, PickedTexel, Preview, ReloadSummary, SaveFormat,
};
pub use stats::{History, mean, p95};

/// The overlay's state: egui, the dock and what each panel remembers.
pub struct Overlay {
    context: Context,
    dock: Dock,
    visible: bool,
    panels: Panels,
    badge: Rect,
    view: Option<ImageView>,
    pick: Option<[u32; 2]>,
    pressed_on_scene: bool,
}

#[derive(Default)]
struct Panels {
    params: params::ParamsPanel,
    images: images::ImagesPanel,
    log: log::LogPanel,
}

/// What a panel reads and where it puts what a person asks for.
struct PanelContext<'a> {
    model: &'a OverlayModel<'a>,
    params: &'a ParamTable,
    actions: &'a mut Vec<OverlayAction>,
}

impl Default for Overlay {
    fn default() -> Self {
        Self::new()
    }
}

impl Overlay {
    /// A hidden overlay in its default layout.
    pub fn new() -> Self {
        let context = Context::default();
        style::apply(&context);
        Self {
            context,
            dock: Dock::default(),
            visible: false,
            panels: Panels::default(),
            badge: Rect::NOTHING,
            view: None,
            pick: None,
            pressed_on_scene: false,
        }
    }

    /// The egui context, for the window's input and the renderer's tessellation.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// True while the panels are shown.
    pub fn visible(&self) -> bool {
        self.visible
    }

    /// Shows or hides the panels (F1).
    pub fn toggle(&mut self) {
        self.visible = !self.visible;
    }

    /// Shows the panels with this one in front, opening it where it was closed.
    pub fn open(&mut self, panel: Panel) {
        self.visible = true;
        self.dock.open(panel);
    }

    /// Layout and visibility as text, for the host to remember.
    pub fn layout(&self) -> String {
        self.dock.save(self.visible)
    }

    /// Takes over what [`Overlay::layout`] gave. A text that does not fit changes nothing and comes back as a warning.
    pub fn restore(&mut self, layout: &str) -> Result<(), Diagnostic> {
        (self.dock, self.visible) = Dock::load(layout)?;
        Ok(())
    }

    /// True if the overlay takes a press at this place (in points): a panel, a window, a menu or the badge is there.
    /// Over the scene it is false.
    pub fn wants_pointer_at(&self, position: Pos2) -> bool {
        if !self.visible {
            return self.badge.contains(position);
        }
        match self.context.layer_id_at(position) {
            Some(layer) if layer.order != Order::Background => true,
            _ => !self.dock.scene_rect().contains(position),
        }
    }

    /// True if pointer events belong to the overlay: the pointer is over it, or a button went down on it and is still
    /// down. A drag that began over the scene stays with the scene wherever it goes.
    pub fn wants_pointer(&self) -> bool {
        let (down, position) = self.context.input(|i| (i.pointer.any_down(), i.pointer.latest_pos()));
        if down { !self.pressed_on_scene } else { position.is_some_and(|p| self.wants_pointer_at(p)) }
    }

    /// True while a text or a number is being typed.
    pub fn wants_keyboard(&self) -> bool {
        self.visible && self.context.text_edit_focused()
    }

    /// Runs one frame. The output's texture changes must be applied (or cleared) before it is dropped, also while the
    /// overlay is hidden.
    pub fn run(
        &mut self,
        input: RawInput,
        model: &OverlayModel<'_>,
        params: &ParamTable,
    ) -> (FullOutput, Vec<OverlayAction>) {
        let mut actions = Vec::new();
        let context = self.context.clone();
        let output = context.run_ui(input, |ui| {
            let pressed = ui.input(|i| i.pointer.any_pressed().then(|| i.pointer.latest_pos()).flatten());
            if let Some(position) = pressed {
                self.pressed_on_scene = !self.wants_pointer_at(position);
            }
            self.panels.images.begin_frame();
            if self.visible {
                let cx = PanelContext { model, params, actions: &mut actions };
                self.show_panels(ui, cx);
            } else {
                self.show_badge(ui, model);
            }
        });
        self.announce_view(&mut actions);
        (output, actions)
    }

    fn show_panels(&mut self, ui: &mut Ui, cx: PanelContext<'_>) {
        self.badge = Rect::NOTHING;
        self.dock.fit_width(ui.max_rect().width());
        let open = Panel::ALL.map(|panel| self.dock.is_open(panel));
        let mut viewer = Viewer { panels: &mut self.panels, cx, open, toggled: None, reset: false };
        DockArea::new(&mut self.dock.state)
            .style(style::dock(ui.style()))
            .show_add_buttons(true)
            .show_add_popup(true)
            .show_leaf_close_all_buttons(false)
            .show_leaf_collapse_buttons(false)
            .tab_context_menus(false)
            .hidable_tab_bars(true)
            .show_inside(ui, &mut viewer);
        let (toggled, reset) = (viewer.toggled, viewer.reset);
        match toggled {
            Some((panel, true)) => self.dock.open(panel),
            Some((panel, false)) => self.dock.close(panel),
            None => {}
        }
        if reset {
            self.dock = Dock::default();
        }
        self.dock.keep_scene_alone();
    }

    /// A small count of errors in the corner; a click on it opens the errors panel.
    fn show_badge(&mut self, ui: &Ui, model: &OverlayModel<'_>) {
        self.badge = Rect::NOTHING;
        let errors = error_count(model.diagnostics);
        if errors == 0 {
            return;
        }
        let area = Area::new(Id::new("overlay badge")).anchor(Align2::RIGHT_TOP, [-8.0, 8.0]).fade_in(false);
        let shown = area.show(ui.ctx(), |ui| {
            let plural = if errors == 1 { "" } else { "s" };
            let text = RichText::new(format!("{errors} error{plural} · F1")).color(egui::Color32::WHITE);
            ui.add(egui::Button::new(text).fill(style::BADGE))
        });
        self.badge = shown.response.rect;
        if shown.inner.clicked() {
            self.open(Panel::Errors);
        }
    }

    /// Tells the host about the preview only when it changed, also that nobody looks at it any more.
    fn announce_view(&mut self, actions: &mut Vec<OverlayAction>) {
        let (view, pick) = self.panels.images.wanted();
        if view != self.view {
            self.view.clone_from(&view);
            actions.push(OverlayAction::ShowImage(view));
        }
        if pick != self.pick {
            self.pick = pick;
            actions.push(OverlayAction::PickTexel(pick));
        }
    }
}

fn error_count(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|d| d.severity == Severity::Error).count()
}

struct Viewer<'a> {
    panels: &'a mut Panels,
    cx: PanelContext<'a>,
    open: [bool; Panel::ALL.len()],
    toggled: Option<(Panel, bool)>,
    reset: bool,
}

impl Viewer<'_> {
    fn last_open(&self) -> bool {
        self.open.iter().filter(|open| **open).count() < 2
    }
}

impl TabViewer for Viewer<'_> {
    type Tab = Panel;

    fn id(&mut self, tab: &mut Panel) -> Id {
        Id::new(tab.title())
    }

    fn title(&mut self, tab: &mut Panel) -> WidgetText {
        let errors = error_count(self.cx.model.diagnostics);
        if *tab == Panel::Errors && errors > 0 {
            let text = RichText::new(format!("Errors {errors}"));
            return text.color(text::severity_colour(Severity::Error)).into();
        }
        tab.title().into()
    }

    fn ui(&mut self, ui: &mut Ui, tab: &mut Panel) {
        let cx = &mut self.cx;
        match tab {
            Panel::Scene => {}
            Panel::Timings => timings::show(ui, cx),
            Panel::Params => self.panels.params.show(ui, cx),
            Panel::Passes => passes::show(ui, cx),
            Panel::Images => self.panels.images.show(ui, cx),
            Panel::Graph => graph::show(ui, cx),
            Panel::Errors => errors::show(ui, cx),
            Panel::Log => self.panels.log.show(ui, cx),
        }
    }

    fn is_closeable(&self, tab: &Panel) -> bool {
        *tab != Panel::Scene && !self.last_open()
    }

    fn on_close(&mut self, tab: &mut Panel) -> OnCloseResponse {
        if self.is_closeable(tab) { OnCloseResponse::Close } else { OnCloseResponse::Ignore }
    }

    fn add_popup(&mut self, ui: &mut Ui, _path: NodePath) {
        for (panel, open) in Panel::ALL.into_iter().zip(self.open) {
            let mut shown = open;
            if ui.add_enabled(!(open && self.last_open()), egui::Checkbox::new(&mut shown, panel.title())).changed() {
                self.toggled = Some((panel, shown));
            }
        }
        self.reset |= ui.button("Default layout").clicked();
    }

    fn tab_style_override(&self, tab: &Panel, style: &TabStyle) -> Option<TabStyle> {
        (*tab == Panel::Scene).then(|| {
            let mut clear = style.clone();
            clear.tab_body.stroke = egui::Stroke::NONE;
            clear.tab_body.inner_margin = egui::Margin::ZERO;
            clear
        })
    }

    fn allowed_in_windows(&self, tab: &mut Panel) -> bool {
        *tab != Panel::Scene
    }

    fn clear_background(&self, tab: &Panel) -> bool {
        *tab != Panel::Scene
    }

    fn scroll_bars(&self, tab: &Panel) -> [bool; 2] {
        [!matches!(tab, Panel::Scene | Panel::Log); 2]
    }
}
