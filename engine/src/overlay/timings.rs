//! The timings panel: one row a pass, what the frame costs in all, and memory.

use egui::{Align2, Color32, FontId, Pos2, Rect, Sense, TextStyle, Ui, pos2, vec2};

use super::model::{OverlayAction, PassInfo};
use super::stats::History;
use super::text::{MISSING, bytes, count, ms};
use super::{PanelContext, style};

struct Column {
    title: &'static str,
    width: f32,
    doc: &'static str,
}

const NAME: usize = 0;
const SHARE: usize = 4;
const SPARK: usize = 5;

const COLUMNS: [Column; 9] = [
    Column { title: "pass", width: 92.0, doc: "name in the graph file" },
    Column { title: "now", width: 38.0, doc: "GPU milliseconds of the last frame that was measured" },
    Column { title: "mean", width: 38.0, doc: "mean GPU milliseconds of the last 240 frames" },
    Column { title: "p95", width: 38.0, doc: "95 of 100 frames took at most so many GPU milliseconds" },
    Column { title: "share", width: 40.0, doc: "share of all passes' mean GPU time" },
    Column { title: "history", width: 46.0, doc: "GPU time of the last 240 frames, from zero to their longest" },
    Column { title: "cpu", width: 38.0, doc: "CPU milliseconds to record the commands" },
    Column { title: "draws", width: 36.0, doc: "draw calls or dispatches" },
    Column { title: "tris", width: 42.0, doc: "triangles" },
];

const GAP: f32 = 6.0;
const ROW: f32 = 16.0;

pub(super) fn show(ui: &mut Ui, cx: &mut PanelContext<'_>) {
    header(ui, cx);
    ui.separator();
    let total: f64 = cx.model.passes.iter().filter_map(|p| p.gpu.mean()).sum();
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        titles(ui);
        for pass in cx.model.passes {
            row(ui, pass, total);
        }
        totals(ui, cx.model.passes);
    });
    ui.separator();
    memory(ui, cx);
}

fn header(ui: &mut Ui, cx: &mut PanelContext<'_>) {
    let (graph, frame) = (cx.model.graph, cx.model.frame);
    ui.horizontal(|ui| {
        ui.strong(graph.name);
        ui.weak(graph.path);
    });
    let gpu = frame.gpu_ms.map(|x| f64::from(x) * 1e6);
    ui.label(format!(
        "{:.0} fps · cpu {} ms · gpu {} ms · {} × {} · frame {}",
        frame.fps,
        ms(Some(f64::from(frame.cpu_ms) * 1e6)),
        ms(gpu),
        frame.size[0],
        frame.size[1],
        frame.index
    ));
    ui.horizontal(|ui| {
        let trace = egui::Button::new(if cx.model.tracing { "tracing" } else { "trace" });
        if ui.add_enabled(!cx.model.tracing, trace).on_hover_text("write a trace that Perfetto opens").clicked() {
            cx.actions.push(OverlayAction::StartTrace);
        }
        if ui.button("csv").on_hover_text("write this table").clicked() {
            cx.actions.push(OverlayAction::SaveCsv);
        }
        ui.weak(cx.model.device);
    });
}

fn memory(ui: &mut Ui, cx: &PanelContext<'_>) {
    let memory = cx.model.memory;
    let rows = [
        ("shared heap", memory.heap_bytes, "transient images, placed over each other where their lifetimes allow it"),
        ("saved by aliasing", memory.saved_by_aliasing, "what these images would need more with memory of their own"),
        ("persistent", memory.persistent_bytes, "images that keep their content from frame to frame"),
        ("device", memory.device_bytes, "all device memory of the program"),
    ];
    egui::Grid::new("memory").num_columns(4).spacing([8.0, 2.0]).show(ui, |ui| {
        for pair in rows.chunks(2) {
            for (name, n, doc) in pair {
                ui.weak(*name).on_hover_text(*doc);
                ui.label(bytes(*n));
            }
            ui.end_row();
        }
    });
}

/// Places a row's cells; right-aligned numbers, a left-aligned name that is cut at its cell's end.
struct Cells<'a> {
    ui: &'a Ui,
    left: Pos2,
    font: FontId,
}

impl<'a> Cells<'a> {
    fn new(ui: &'a mut Ui) -> (Self, egui::Response) {
        let width = COLUMNS.iter().map(|c| c.width + GAP).sum();
        let (rect, response) = ui.allocate_exact_size(vec2(width, ROW), Sense::hover());
        (Self { font: TextStyle::Small.resolve(ui.style()), ui, left: rect.min }, response)
    }

    fn rect(&self, column: usize) -> Rect {
        let x: f32 = COLUMNS[..column].iter().map(|c| c.width + GAP).sum();
        Rect::from_min_size(self.left + vec2(x, 0.0), vec2(COLUMNS[column].width, ROW))
    }

    fn text(&self, column: usize, text: &str, colour: Color32) {
        let rect = self.rect(column);
        let (at, align) = if matches!(column, NAME | SPARK) {
            (rect.left_center(), Align2::LEFT_CENTER)
        } else {
            (rect.right_center(), Align2::RIGHT_CENTER)
        };
        self.ui.painter().with_clip_rect(rect.intersect(self.ui.clip_rect())).text(
            at,
            align,
            text,
            self.font.clone(),
            colour,
        );
    }
}

fn titles(ui: &mut Ui) {
    let colour = ui.visuals().weak_text_color();
    let id = ui.id().with("titles");
    let (cells, _) = Cells::new(ui);
    let rects: Vec<Rect> = (0..COLUMNS.len()).map(|i| cells.rect(i)).collect();
    for (i, column) in COLUMNS.iter().enumerate() {
        cells.text(i, column.title, colour);
    }
    for (i, (column, rect)) in COLUMNS.iter().zip(rects).enumerate() {
        ui.interact(rect, id.with(i), Sense::hover()).on_hover_text(column.doc);
    }
}

fn row(ui: &mut Ui, pass: &PassInfo, total: f64) {
    let runs = pass.enabled && pass.culled.is_none();
    let visuals = ui.visuals();
    let colour = if runs { visuals.text_color() } else { visuals.weak_text_color() };
    let (cells, response) = Cells::new(ui);
    let mean = pass.gpu.mean();
    cells.text(NAME, &pass.name, colour);
    cells.text(1, &ms(pass.gpu.last()), colour);
    cells.text(2, &ms(mean), colour);
    cells.text(3, &ms(pass.gpu.p95()), colour);
    share(&cells, mean, total, colour);
    sparkline(&cells, &pass.gpu);
    cells.text(6, &ms(pass.cpu_ns.map(|ns| ns as f64)), colour);
    cells.text(7, &count(u64::from(pass.draws)), colour);
    cells.text(8, &count(pass.triangles), colour);
    response.on_hover_ui(|ui| details(ui, pass));
}

fn details(ui: &mut Ui, pass: &PassInfo) {
    ui.strong(&pass.name);
    ui.weak(&pass.kind);
    if let Some(reason) = &pass.culled {
        ui.label(format!("does not run: {reason}"));
    }
    for (name, n) in &pass.statistics {
        ui.label(format!("{name}: {}", count(*n)));
    }
}

fn share(cells: &Cells<'_>, mean: Option<f64>, total: f64, colour: Color32) {
    let Some(mean) = mean.filter(|_| total > 0.0) else {
        cells.text(SHARE, MISSING, colour);
        return;
    };
    let share = mean / total;
    let mut bar = cells.rect(SHARE).shrink2(vec2(0.0, 2.0));
    bar.set_width(bar.width() * share.clamp(0.0, 1.0) as f32);
    cells.ui.painter().rect_filled(bar, 1.0, style::ACCENT.gamma_multiply(0.45));
    cells.text(SHARE, &format!("{:.1}%", share * 100.0), colour);
}

fn sparkline(cells: &Cells<'_>, history: &History) {
    let longest = history.samples().flatten().max().unwrap_or(0);
    if longest == 0 {
        return;
    }
    let rect = cells.rect(SPARK).shrink2(vec2(0.0, 2.0));
    let step = rect.width() / History::CAPACITY as f32;
    let mut line: Vec<Pos2> = Vec::new();
    let draw = |line: &mut Vec<Pos2>| {
        if line.len() > 1 {
            cells.ui.painter().line(std::mem::take(line), egui::Stroke::new(1.0, style::ACCENT));
        }
        line.clear();
    };
    for (i, sample) in history.samples().enumerate() {
        match sample {
            Some(ns) => {
                let height = rect.height() * (ns as f64 / longest as f64) as f32;
                line.push(pos2(rect.left() + i as f32 * step, rect.bottom() - height));
            }
            None => draw(&mut line),
        }
    }
    draw(&mut line);
}

fn totals(ui: &mut Ui, passes: &[PassInfo]) {
    let colour = ui.visuals().strong_text_color();
    let (cells, _) = Cells::new(ui);
    let sum = |of: fn(&PassInfo) -> Option<f64>| {
        let known: Vec<f64> = passes.iter().filter_map(of).collect();
        (!known.is_empty()).then(|| known.iter().sum())
    };
    cells.text(NAME, "total", colour);
    cells.text(1, &ms(sum(|p| p.gpu.last())), colour);
    cells.text(2, &ms(sum(|p| p.gpu.mean())), colour);
    cells.text(6, &ms(sum(|p| p.cpu_ns.map(|ns| ns as f64))), colour);
    cells.text(7, &count(passes.iter().map(|p| u64::from(p.draws)).sum()), colour);
    cells.text(8, &count(passes.iter().map(|p| p.triangles).sum()), colour);
}
