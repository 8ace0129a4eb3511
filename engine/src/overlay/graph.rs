//! The graph panel: passes as a column, images as lines with marks where they are read and written, and the lifetimes
//! of transient images over the heap they share.

use std::f32::consts::FRAC_PI_2;

use egui::epaint::TextShape;
use egui::{Align2, Pos2, Rect, Sense, Stroke, StrokeKind, TextStyle, Ui, pos2, vec2};

use super::PanelContext;
use super::model::{ImageInfo, OverlayModel, PassInfo};
use super::text::{bytes, index_colour};

const ROW: f32 = 16.0;
const NAMES: f32 = 130.0;
const LINE: f32 = 15.0;
/// Most that the images' names take above the first pass.
const HEAD: f32 = 120.0;
const HEAP_HEIGHT: f32 = 150.0;

pub(super) fn show(ui: &mut Ui, cx: &mut PanelContext<'_>) {
    let model = cx.model;
    if model.passes.is_empty() {
        ui.weak("the graph has no passes");
        return;
    }
    ui.horizontal(|ui| {
        for (name, use_of) in [("writes", (false, true)), ("reads", (true, false)), ("both", (true, true))] {
            let (rect, _) = ui.allocate_exact_size(vec2(10.0, ROW), Sense::hover());
            mark(ui, rect.center(), 0, use_of);
            ui.weak(name);
        }
        ui.weak(format!("{} passes, {} images", model.passes.len(), model.images.len()));
    });
    matrix(ui, model);
    ui.separator();
    heap(ui, model);
}

fn matrix(ui: &mut Ui, model: &OverlayModel<'_>) {
    let width = NAMES + LINE * model.images.len() as f32 + 8.0;
    let head_height = head_height(ui, model.images);
    let height = head_height + ROW * model.passes.len() as f32;
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let pointer = response.hover_pos();
    let row = |i: usize| rect.top() + head_height + ROW * (i as f32 + 0.5);
    let line = |i: usize| rect.left() + NAMES + LINE * (i as f32 + 0.5);
    let hovered_pass = pointer.and_then(|p| index_at(p.y - rect.top() - head_height, ROW, model.passes.len()));
    let hovered_image = pointer.and_then(|p| index_at(p.x - rect.left() - NAMES, LINE, model.images.len()));

    if let Some(i) = hovered_pass {
        let stripe = Rect::from_x_y_ranges(rect.x_range(), row(i) - ROW / 2.0..=row(i) + ROW / 2.0);
        ui.painter().rect_filled(stripe, 0.0, egui::Color32::from_white_alpha(10));
    }
    for (i, image) in model.images.iter().enumerate() {
        let lit = hovered_image == Some(i);
        head(ui, pos2(line(i), rect.top() + head_height - 4.0), &image.name, lit);
        let users = (0..model.passes.len()).filter(|p| uses(&model.passes[*p], i) != (false, false));
        let (first, last) = (users.clone().min(), users.max());
        if let (Some(first), Some(last)) = (first, last) {
            let stroke = Stroke::new(if lit { 2.5 } else { 1.0 }, index_colour(i));
            ui.painter().vline(line(i), row(first)..=row(last), stroke);
        }
    }
    for (p, pass) in model.passes.iter().enumerate() {
        pass_name(ui, pass, pos2(rect.left(), row(p)));
        for i in 0..model.images.len() {
            mark(ui, pos2(line(i), row(p)), i, uses(pass, i));
        }
    }
    if hovered_pass.is_some() || hovered_image.is_some() {
        response.on_hover_ui_at_pointer(|ui| {
            hovered_pass.inspect(|p| pass_details(ui, &model.passes[*p], model));
            hovered_image.inspect(|i| image_details(ui, &model.images[*i]));
        });
    }
}

/// The longest name of an image on its side, up to [`HEAD`].
fn head_height(ui: &Ui, images: &[ImageInfo]) -> f32 {
    let font = TextStyle::Small.resolve(ui.style());
    let width =
        |i: &ImageInfo| ui.painter().layout_no_wrap(i.name.clone(), font.clone(), egui::Color32::PLACEHOLDER).size().x;
    images.iter().map(width).fold(0.0, f32::max).min(HEAD - 8.0) + 8.0
}

fn index_at(offset: f32, size: f32, count: usize) -> Option<usize> {
    (offset >= 0.0).then(|| (offset / size) as usize).filter(|i| *i < count)
}

/// Whether a pass reads and writes an image.
fn uses(pass: &PassInfo, image: usize) -> (bool, bool) {
    let among = |list: &[u32]| list.iter().any(|i| *i as usize == image);
    (among(&pass.reads), among(&pass.writes))
}

fn head(ui: &Ui, at: Pos2, name: &str, lit: bool) {
    let visuals = ui.visuals();
    let colour = if lit { visuals.strong_text_color() } else { visuals.weak_text_color() };
    let galley = ui.painter().layout_no_wrap(name.to_owned(), TextStyle::Small.resolve(ui.style()), colour);
    let corner = pos2(at.x - galley.size().y / 2.0, at.y);
    let clip = Rect::from_min_max(pos2(corner.x - 2.0, at.y - HEAD), pos2(at.x + LINE, at.y + 2.0));
    let painter = ui.painter().with_clip_rect(clip.intersect(ui.clip_rect()));
    painter.add(TextShape::new(corner, galley, colour).with_angle(-FRAC_PI_2));
}

fn pass_name(ui: &Ui, pass: &PassInfo, at: Pos2) {
    let visuals = ui.visuals();
    let runs = pass.enabled && pass.culled.is_none();
    let colour = if runs { visuals.text_color() } else { visuals.weak_text_color().gamma_multiply(0.7) };
    let clip = Rect::from_min_max(at - vec2(0.0, ROW / 2.0), at + vec2(NAMES - 4.0, ROW / 2.0));
    let font = TextStyle::Small.resolve(ui.style());
    let painter = ui.painter().with_clip_rect(clip.intersect(ui.clip_rect()));
    let text = painter.text(at, Align2::LEFT_CENTER, &pass.name, font, colour);
    if !runs {
        painter.hline(text.x_range(), at.y, (1.0, colour));
    }
}

fn mark(ui: &Ui, at: Pos2, image: usize, (reads, writes): (bool, bool)) {
    let colour = index_colour(image);
    let painter = ui.painter();
    if reads {
        painter.circle(at, 4.0, egui::Color32::from_rgb(17, 19, 23), (1.5, colour));
    }
    if writes {
        painter.circle_filled(at, if reads { 2.0 } else { 4.0 }, colour);
    }
}

fn pass_details(ui: &mut Ui, pass: &PassInfo, model: &OverlayModel<'_>) {
    ui.strong(&pass.name);
    if let Some(reason) = &pass.culled {
        ui.label(format!("culled: {reason}"));
    } else if !pass.enabled {
        ui.label("switched off");
    }
    for (verb, list) in [("reads", &pass.reads), ("writes", &pass.writes)] {
        let names: Vec<&str> =
            list.iter().filter_map(|i| model.images.get(*i as usize)).map(|i| i.name.as_str()).collect();
        if !names.is_empty() {
            ui.label(format!("{verb} {}", names.join(", ")));
        }
    }
}

fn image_details(ui: &mut Ui, image: &ImageInfo) {
    ui.strong(&image.name);
    let [w, h] = image.extent;
    ui.label(format!("{} {w} × {h}, {}, {}", image.format, bytes(image.bytes), image.residency));
    if let Some((start, end)) = image.heap_range {
        ui.label(format!("heap {start}..{end}"));
    }
    if let Some((first, last)) = image.lifetime {
        ui.label(format!("lives from pass {} to pass {}", u64::from(first) + 1, u64::from(last) + 1));
    }
}

/// Passes from left to right, heap offsets from top to bottom: rectangles may touch, never overlap.
fn heap(ui: &mut Ui, model: &OverlayModel<'_>) {
    let end = model.images.iter().filter_map(|i| i.heap_range).map(|r| r.1).max().unwrap_or(0);
    if end == 0 {
        ui.weak("no transient image shares memory");
        return;
    }
    let memory = model.memory;
    ui.label(format!("heap {}, aliasing saved {}", bytes(memory.heap_bytes), bytes(memory.saved_by_aliasing)));
    let width = ui.available_width().max(200.0);
    let (rect, response) = ui.allocate_exact_size(vec2(width, HEAP_HEIGHT), Sense::hover());
    ui.painter().rect_filled(rect, 0.0, ui.visuals().extreme_bg_color);
    let mut under = None;
    for (i, image) in model.images.iter().enumerate() {
        let (Some(range), Some(life)) = (image.heap_range, image.lifetime) else { continue };
        let place = heap_rect(rect, range, end, life, model.passes.len());
        let lit = response.hover_pos().is_some_and(|p| place.contains(p));
        if lit {
            under = Some(image);
        }
        let colour = index_colour(i);
        ui.painter().rect_filled(place, 1.0, colour.gamma_multiply(if lit { 0.8 } else { 0.45 }));
        ui.painter().rect_stroke(place, 1.0, (1.0, colour), StrokeKind::Inside);
        let painter = ui.painter().with_clip_rect(place.shrink(2.0).intersect(ui.clip_rect()));
        let font = TextStyle::Small.resolve(ui.style());
        painter.text(
            place.left_top() + vec2(3.0, 1.0),
            Align2::LEFT_TOP,
            &image.name,
            font,
            ui.visuals().strong_text_color(),
        );
    }
    if let Some(image) = under {
        response.on_hover_ui_at_pointer(|ui| image_details(ui, image));
    }
}

/// Where an image's bytes and passes are in the picture of the heap; at least 2 points in each direction.
fn heap_rect(area: Rect, range: (u64, u64), end: u64, life: (u32, u32), passes: usize) -> Rect {
    let x = |pass: f64| area.left() + area.width() * (pass / passes.max(1) as f64).clamp(0.0, 1.0) as f32;
    let y = |byte: u64| area.top() + area.height() * (byte as f64 / end.max(1) as f64).clamp(0.0, 1.0) as f32;
    let min = pos2(x(f64::from(life.0)), y(range.0));
    let max = pos2(x(f64::from(life.1) + 1.0), y(range.1));
    Rect::from_min_max(min, max.max(min + vec2(2.0, 2.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_that_alias_lie_side_by_side() {
        let area = Rect::from_min_max(pos2(0.0, 0.0), pos2(100.0, 50.0));
        let first = heap_rect(area, (0, 500), 1000, (0, 1), 4);
        let second = heap_rect(area, (0, 1000), 1000, (2, 3), 4);
        assert_eq!(first, Rect::from_min_max(pos2(0.0, 0.0), pos2(50.0, 25.0)));
        assert_eq!(second, Rect::from_min_max(pos2(50.0, 0.0), pos2(100.0, 50.0)));
    }

    #[test]
    fn nonsense_ranges_stay_inside_and_visible() {
        let area = Rect::from_min_max(pos2(0.0, 0.0), pos2(100.0, 50.0));
        for rect in [heap_rect(area, (9, 3), 0, (7, 2), 0), heap_rect(area, (0, u64::MAX), 1, (0, u32::MAX), 1)] {
            assert!(rect.is_positive() && area.expand(2.0).contains_rect(rect), "{rect:?}");
        }
    }
}
