//! The passes panel: the frame's order, to be switched and dragged.

use egui::{Align, Button, Checkbox, Color32, DragAndDrop, Layout, Rect, RichText, Sense, Ui, UiBuilder, vec2};

use super::model::{OverlayAction, PassInfo};
use super::{PanelContext, style};

/// A pass that hangs on the pointer.
struct DraggedPass(String);

const ROW: f32 = 20.0;
const HANDLE: f32 = 14.0;

pub(super) fn show(ui: &mut Ui, cx: &mut PanelContext<'_>) {
    toolbar(ui, cx);
    ui.separator();
    ui.spacing_mut().item_spacing.y = 0.0;
    let width = ui.available_width().max(200.0);
    let rows: Vec<Rect> = cx.model.passes.iter().map(|pass| row(ui, pass, width, cx.actions)).collect();
    drop_target(ui, &rows, cx);
}

fn toolbar(ui: &mut Ui, cx: &mut PanelContext<'_>) {
    let graph = cx.model.graph;
    let solo = cx.model.passes.iter().any(|p| p.solo);
    let buttons = [
        ("write to file", graph.unsaved, "put order and switches into the graph file", OverlayAction::WriteToFile),
        ("undo", graph.can_undo, "take the last change back", OverlayAction::Undo),
        ("redo", graph.can_redo, "make it again", OverlayAction::Redo),
        ("solo off", solo, "show all passes again", OverlayAction::Solo(None)),
    ];
    ui.horizontal(|ui| {
        for (text, enabled, doc, action) in buttons {
            if ui.add_enabled(enabled, Button::new(text)).on_hover_text(doc).clicked() {
                cx.actions.push(action);
            }
        }
        if graph.unsaved {
            ui.colored_label(style::ACCENT, "•").on_hover_text("the file does not say so yet");
        }
    });
}

fn row(ui: &mut Ui, pass: &PassInfo, width: f32, actions: &mut Vec<OverlayAction>) -> Rect {
    let (rect, _) = ui.allocate_exact_size(vec2(width, ROW), Sense::hover());
    let drag = ui.interact(rect, ui.id().with(("drag", &pass.name)), Sense::drag());
    drag.dnd_set_drag_payload(DraggedPass(pass.name.clone()));
    let lifted = drag.dragged();
    if lifted || drag.hovered() {
        let colour = if lifted { style::ACCENT.gamma_multiply(0.25) } else { Color32::from_white_alpha(8) };
        ui.painter().rect_filled(rect, 2.0, colour);
    }
    handle(ui, rect);

    let inner = Rect::from_min_max(rect.min + vec2(HANDLE, 0.0), rect.max);
    let layout = Layout::left_to_right(Align::Center);
    let mut ui = ui.new_child(UiBuilder::new().max_rect(inner).layout(layout).id_salt(&pass.name));
    let runs = pass.enabled && pass.culled.is_none();
    let text = if runs { RichText::new(&pass.name) } else { RichText::new(&pass.name).weak() };
    let mut enabled = pass.enabled;
    if ui.add(Checkbox::new(&mut enabled, text)).changed() {
        actions.push(OverlayAction::SetPass { name: pass.name.clone(), enabled });
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let solo = Button::selectable(pass.solo, RichText::new("solo").small());
        if ui.add(solo).on_hover_text("show this pass alone").clicked() {
            actions.push(OverlayAction::Solo((!pass.solo).then(|| pass.name.clone())));
        }
        let state = pass.culled.as_deref().unwrap_or(&pass.kind);
        let label = egui::Label::new(RichText::new(state).small().weak()).truncate().selectable(false);
        ui.add(label).on_hover_text(state);
    });
    rect
}

fn handle(ui: &Ui, row: Rect) {
    let colour = ui.visuals().weak_text_color();
    for i in -1..=1 {
        let y = row.center().y + i as f32 * 3.0;
        ui.painter().hline(row.left() + 2.0..=row.left() + HANDLE - 4.0, y, (1.0, colour));
    }
}

/// Marks where a dragged pass would go, and moves it there when it is let go.
fn drop_target(ui: &mut Ui, rows: &[Rect], cx: &mut PanelContext<'_>) {
    let Some(dragged) = DragAndDrop::payload::<DraggedPass>(ui.ctx()) else { return };
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return };
    // Where the button came up, not where the pointer went after it: a slow frame holds both.
    let let_go = ui.input(|i| {
        i.events.iter().find_map(|event| match event {
            egui::Event::PointerButton { pos, pressed: false, .. } => Some(*pos),
            _ => None,
        })
    });
    let Some(pointer) = let_go.or_else(|| ui.input(|i| i.pointer.interact_pos())) else { return };
    let list = first.union(*last);
    if !list.expand(ROW).contains(pointer) {
        return;
    }
    let index = rows.iter().filter(|row| row.center().y < pointer.y).count();
    let y = rows.get(index).map_or(last.bottom(), |row| row.top());
    ui.painter().hline(list.x_range(), y, (2.0, style::ACCENT));
    scroll_at_edges(ui, pointer.y);

    if ui.input(|i| i.pointer.any_released()) {
        DragAndDrop::clear_payload(ui.ctx());
        let passes = cx.model.passes;
        let from = passes.iter().position(|p| p.name == dragged.0);
        // In front of itself and in front of its successor are where it already is.
        if from.is_some_and(|from| index != from && index != from + 1) {
            let before = passes.get(index).map(|p| p.name.clone());
            cx.actions.push(OverlayAction::MovePass { name: dragged.0.clone(), before });
        }
    }
}

/// A list that is longer than the panel scrolls while a pass is held at its edge, 6 points a frame.
fn scroll_at_edges(ui: &Ui, y: f32) {
    let clip = ui.clip_rect();
    if y < clip.top() + ROW {
        ui.scroll_with_delta(vec2(0.0, 6.0));
    } else if y > clip.bottom() - ROW {
        ui.scroll_with_delta(vec2(0.0, -6.0));
    }
}
