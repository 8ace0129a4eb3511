//! The log panel: what happened, newest at the bottom, and what the last reload changed.

use egui::{ComboBox, RichText, ScrollArea, TextEdit, Ui};

use super::PanelContext;
use super::model::{LogLine, ReloadSummary};
use super::text::{bytes, severity_colour};
use crate::diag::Severity;

/// Lines that are laid out; older ones stay in the host's log.
const SHOWN: usize = 500;

const LEVELS: [(Severity, &str); 3] =
    [(Severity::Note, "all"), (Severity::Warning, "warnings"), (Severity::Error, "errors")];

/// What the panel remembers.
pub(super) struct LogPanel {
    filter: String,
    least: Severity,
}

impl Default for LogPanel {
    fn default() -> Self {
        Self { filter: String::new(), least: Severity::Note }
    }
}

impl LogPanel {
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut PanelContext<'_>) {
        ui.horizontal(|ui| {
            let level = LEVELS.iter().find(|l| l.0 == self.least).map_or("", |l| l.1);
            ComboBox::from_id_salt("level").width(70.0).selected_text(level).show_ui(ui, |ui| {
                for (severity, name) in LEVELS {
                    ui.selectable_value(&mut self.least, severity, name);
                }
            });
            ui.add(TextEdit::singleline(&mut self.filter).hint_text("filter").desired_width(180.0));
        });
        if let Some(reload) = cx.model.reload {
            ui.label(RichText::new(summary(reload)).small()).on_hover_text(changes(reload));
        }
        ui.separator();
        ScrollArea::both().auto_shrink(false).stick_to_bottom(true).show(ui, |ui| {
            let mut lines: Vec<&LogLine> =
                cx.model.log.iter().rev().filter(|line| self.fits(line)).take(SHOWN).collect();
            lines.reverse();
            for line in lines {
                let text = format!("{:9.3}  {}", line.seconds, line.text);
                let text = RichText::new(text).monospace().color(severity_colour(line.severity));
                ui.add(egui::Label::new(text).extend());
            }
        });
    }

    fn fits(&self, line: &LogLine) -> bool {
        line.severity >= self.least && line.text.to_lowercase().contains(&self.filter.trim().to_lowercase())
    }
}

fn summary(reload: &ReloadSummary) -> String {
    if reload.failed {
        return format!(
            "reload at frame {} failed after {:.1} ms; the graph before it goes on",
            reload.frame, reload.milliseconds
        );
    }
    format!(
        "reload at frame {} in {:.1} ms: {} added, {} removed, {} moved; barriers {} to {}; images {} to {}; \
         {} of {} pipelines built",
        reload.frame,
        reload.milliseconds,
        reload.added.len(),
        reload.removed.len(),
        reload.moved.len(),
        reload.barriers.0,
        reload.barriers.1,
        bytes(reload.memory.0),
        bytes(reload.memory.1),
        reload.pipelines_rebuilt,
        reload.pipelines
    )
}

fn changes(reload: &ReloadSummary) -> String {
    let parts = [("added", &reload.added), ("removed", &reload.removed), ("moved", &reload.moved)];
    let lines = parts.into_iter().filter(|(_, names)| !names.is_empty());
    let lines: Vec<String> = lines.map(|(verb, names)| format!("{verb}: {}", names.join(", "))).collect();
    if lines.is_empty() { "no pass was added, removed or moved".into() } else { lines.join("\n") }
}

#[cfg(test)]
impl LogPanel {
    /// The panel after "errors" was picked.
    pub(super) fn errors_only() -> Self {
        Self { least: Severity::Error, ..Self::default() }
    }
}
