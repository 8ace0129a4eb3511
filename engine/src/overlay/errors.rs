//! The errors panel: the text that `check` prints, with a way to the line.

use egui::{CursorIcon, Frame, Label, RichText, Sense, Ui};

use super::PanelContext;
use super::model::OverlayAction;
use super::text::severity_colour;
use crate::diag;

pub(super) fn show(ui: &mut Ui, cx: &mut PanelContext<'_>) {
    if cx.model.diagnostics.is_empty() {
        ui.weak("nothing is wrong");
        return;
    }
    for (i, diagnostic) in cx.model.diagnostics.iter().enumerate() {
        ui.push_id(i, |ui| entry(ui, diagnostic, cx.actions));
    }
}

fn entry(ui: &mut Ui, diagnostic: &diag::Diagnostic, actions: &mut Vec<OverlayAction>) {
    let colour = severity_colour(diagnostic.severity);
    let places: Vec<OverlayAction> = diagnostic.labels.iter().filter_map(place).collect();
    let frame = Frame::group(ui.style()).inner_margin(5).stroke((1.0, colour.gamma_multiply(0.5)));
    frame.show(ui, |ui| {
        let text = RichText::new(diagnostic.to_string()).monospace().color(colour);
        let label = Label::new(text).extend();
        match places.first() {
            None => {
                ui.add(label);
            }
            Some(first) => {
                let response = ui.add(label.sense(Sense::click())).on_hover_cursor(CursorIcon::PointingHand);
                if response.clicked() {
                    actions.push(first.clone());
                }
            }
        }
        ui.horizontal(|ui| {
            for action in places {
                if let OverlayAction::OpenLine { file, line, .. } = &action
                    && ui.small_button(format!("open {file}:{line}")).clicked()
                {
                    actions.push(action);
                }
            }
            if ui.small_button("copy").clicked() {
                ui.ctx().copy_text(diagnostic.to_string());
            }
        });
    });
}

/// Text files have a line to open; binary files have none.
fn place(label: &diag::Label) -> Option<OverlayAction> {
    match label {
        diag::Label::Source { file, span, .. } => {
            let (line, column) = file.line_column(span.start);
            Some(OverlayAction::OpenLine { file: file.name.clone(), line, column })
        }
        diag::Label::File { file } => Some(OverlayAction::OpenLine { file: file.clone(), line: 1, column: 1 }),
        diag::Label::Bytes { .. } => None,
    }
}
