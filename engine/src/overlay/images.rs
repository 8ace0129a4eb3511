//! The images panel: a list, and the content of one image after any pass.

use egui::{Checkbox, Color32, ComboBox, DragValue, Grid, Rect, RichText, Sense, Ui, pos2, vec2};

use super::PanelContext;
use super::model::{Channel, ImageInfo, ImageView, OverlayAction, OverlayModel, Preview, SaveFormat};
use super::text::bytes;

/// What the panel remembers.
#[derive(Default)]
pub(super) struct ImagesPanel {
    view: Option<ImageView>,
    frozen: bool,
    pick: Option<[u32; 2]>,
    drawn: bool,
}

impl ImagesPanel {
    /// Forgets what the last frame showed.
    pub(super) fn begin_frame(&mut self) {
        self.drawn = false;
        self.pick = None;
    }

    /// The view and the texel that the host has to provide; nothing if the panel was not drawn in this frame.
    pub(super) fn wanted(&self) -> (Option<ImageView>, Option<[u32; 2]>) {
        (self.view.clone().filter(|_| self.drawn), self.pick)
    }

    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut PanelContext<'_>) {
        self.drawn = true;
        if let Some(mut view) = self.view.take() {
            let image = cx.model.images.iter().find(|i| i.name == view.name);
            let keep = match image {
                Some(image) => self.details(ui, cx, image, &mut view),
                None => gone(ui, &view.name),
            };
            if keep {
                self.view = Some(view);
            } else if std::mem::take(&mut self.frozen) {
                cx.actions.push(OverlayAction::FreezeImage(false));
            }
            ui.separator();
        }
        self.list(ui, cx.model);
    }

    fn list(&mut self, ui: &mut Ui, model: &OverlayModel<'_>) {
        Grid::new("images").num_columns(5).striped(true).spacing([8.0, 2.0]).show(ui, |ui| {
            for image in model.images {
                let selected = self.view.as_ref().is_some_and(|v| v.name == image.name);
                if ui.selectable_label(selected, &image.name).clicked() && !selected {
                    self.view = Some(first_view(&image.name));
                }
                ui.label(RichText::new(&image.format).small());
                ui.label(RichText::new(size(image)).small());
                ui.label(RichText::new(bytes(image.bytes)).small());
                ui.label(RichText::new(&image.residency).small().weak());
                ui.end_row();
            }
        });
        if model.images.is_empty() {
            ui.weak("the graph has no images");
        }
    }

    /// Controls and picture; false when it was closed.
    fn details(&mut self, ui: &mut Ui, cx: &mut PanelContext<'_>, image: &ImageInfo, view: &mut ImageView) -> bool {
        let mut keep = true;
        ui.horizontal(|ui| {
            ui.strong(&image.name);
            keep = !ui.button("close").clicked();
            for (text, format) in [("save PNG", SaveFormat::Png), ("save EXR", SaveFormat::Exr)] {
                if ui.button(text).clicked() {
                    cx.actions.push(OverlayAction::SaveImage { view: view.clone(), format });
                }
            }
            let freeze = ui.add(Checkbox::new(&mut self.frozen, "freeze"));
            if freeze.on_hover_text("keep this content while frames go on").changed() {
                cx.actions.push(OverlayAction::FreezeImage(self.frozen));
            }
        });
        ui.horizontal(|ui| {
            after_pass(ui, cx.model, image, view);
            channel(ui, view);
        });
        ui.horizontal(|ui| level_and_range(ui, image, view));
        match cx.model.preview {
            Some(preview) => self.picture(ui, cx.model, preview),
            None => {
                ui.weak("the picture comes with the next frame");
            }
        }
        keep
    }

    fn picture(&mut self, ui: &mut Ui, model: &OverlayModel<'_>, preview: Preview) {
        let [w, h] = preview.size.map(|x| x.max(1));
        let width = ui.available_width().max(64.0);
        let scale = (width / w as f32).min(width / h as f32);
        let (rect, response) = ui.allocate_exact_size(vec2(w as f32, h as f32) * scale, Sense::hover());
        let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        ui.painter().image(preview.texture, rect, uv, Color32::WHITE);
        let texel = |x: f32, n: u32| ((x * n as f32) as u32).min(n - 1);
        self.pick = response.hover_pos().map(|p| {
            let at = (p - rect.min) / rect.size();
            [texel(at.x, w), texel(at.y, h)]
        });
        let text = match (self.pick, model.picked) {
            (None, _) => "point at a texel to read it".to_owned(),
            (Some([x, y]), Some(picked)) if picked.position == [x, y] => {
                let [r, g, b, a] = picked.value;
                format!("{x}, {y}: {r:.4} {g:.4} {b:.4} {a:.4}")
            }
            (Some([x, y]), _) => format!("{x}, {y}"),
        };
        ui.monospace(text);
    }
}

fn first_view(name: &str) -> ImageView {
    let (channel, range) = (Channel::Rgb, [0.0, 1.0]);
    ImageView { name: name.to_owned(), after_pass: None, channel, mip: 0, layer: 0, range }
}

fn gone(ui: &mut Ui, name: &str) -> bool {
    ui.horizontal(|ui| {
        ui.weak(format!("the graph has no image \"{name}\" now"));
        !ui.button("close").clicked()
    })
    .inner
}

fn size(image: &ImageInfo) -> String {
    let mut text = format!("{} × {}", image.extent[0], image.extent[1]);
    if image.layers > 1 {
        text += &format!(" × {}", image.layers);
    }
    if image.mips > 1 {
        text += &format!(", {} mips", image.mips);
    }
    text
}

/// Only passes that write the image are offered: its content changes nowhere else.
fn after_pass(ui: &mut Ui, model: &OverlayModel<'_>, image: &ImageInfo, view: &mut ImageView) {
    let index = model.images.iter().position(|i| i.name == image.name).unwrap_or(usize::MAX);
    let writes = |p: &&super::PassInfo| p.writes.iter().any(|w| *w as usize == index);
    let writers: Vec<&str> = model.passes.iter().filter(writes).map(|p| p.name.as_str()).collect();
    if view.after_pass.as_deref().is_some_and(|p| !writers.contains(&p)) {
        view.after_pass = None;
    }
    const END: &str = "frame's end";
    let shown = view.after_pass.clone().unwrap_or_else(|| END.into());
    ui.label("after");
    ComboBox::from_id_salt("after").width(130.0).selected_text(shown).show_ui(ui, |ui| {
        ui.selectable_value(&mut view.after_pass, None, END);
        for writer in writers {
            ui.selectable_value(&mut view.after_pass, Some(writer.to_owned()), writer);
        }
    });
}

fn channel(ui: &mut Ui, view: &mut ImageView) {
    ComboBox::from_id_salt("channel").width(80.0).selected_text(view.channel.name()).show_ui(ui, |ui| {
        for channel in Channel::ALL {
            ui.selectable_value(&mut view.channel, channel, channel.name());
        }
    });
}

fn level_and_range(ui: &mut Ui, image: &ImageInfo, view: &mut ImageView) {
    for (name, value, count) in [("mip", &mut view.mip, image.mips), ("layer", &mut view.layer, image.layers)] {
        *value = (*value).min(count.saturating_sub(1));
        if count > 1 {
            ui.label(name);
            ui.add(DragValue::new(value).range(0..=count - 1).speed(0.1));
        }
    }
    ui.label("range");
    let [low, high] = &mut view.range;
    let speed = f64::from((*high - *low).abs().max(1e-3)) / 100.0;
    ui.add(DragValue::new(low).speed(speed).max_decimals(5));
    ui.add(DragValue::new(high).speed(speed).max_decimals(5));
    if ui.button("0..1").clicked() {
        (*low, *high) = (0.0, 1.0);
    }
    view.range = ordered(view.range);
}

/// A range that a shader can divide by.
fn ordered([low, high]: [f32; 2]) -> [f32; 2] {
    let limit = |x: f32, or: f32| if x.is_finite() { x.clamp(-1e30, 1e30) } else { or };
    let (low, high) = (limit(low, 0.0), limit(high, 1.0));
    [low, high.max(low + (low.abs() * 1e-4).max(1e-5))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_never_empty_or_infinite() {
        for range in [[0.0, 0.0], [5.0, 1.0], [f32::NAN, f32::INFINITY], [1e9, 1e9], [-1e38, 1e38], [1e38, 1e38]] {
            let [low, high] = ordered(range);
            assert!(low < high && (high - low).is_finite(), "{range:?} became {low}..{high}");
        }
        assert_eq!(ordered([0.25, 0.5]), [0.25, 0.5]);
    }
}
