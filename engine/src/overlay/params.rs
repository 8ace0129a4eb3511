//! The params panel: a widget by type and range, who set the value, hold and reset.

use egui::{Checkbox, ComboBox, DragValue, Grid, Response, RichText, Slider, TextEdit, Ui};

use super::PanelContext;
use super::model::OverlayAction;
use crate::scene::{ParamDecl, ParamId, ParamSource, ParamValueState, Value, ValueType};

/// Width of a name in points: with it, sliders and state fit the default column.
const NAME: f32 = 105.0;

/// What the panel remembers.
#[derive(Default)]
pub(super) struct ParamsPanel {
    filter: String,
}

impl ParamsPanel {
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut PanelContext<'_>) {
        ui.add(TextEdit::singleline(&mut self.filter).hint_text("filter").desired_width(200.0));
        let wanted = self.filter.trim().to_lowercase();
        let fits = |d: &ParamDecl| d.name.to_lowercase().contains(&wanted) || d.doc.to_lowercase().contains(&wanted);
        Grid::new("params").num_columns(3).striped(true).spacing([6.0, 3.0]).show(ui, |ui| {
            for title in ["name", "value", "hold"] {
                ui.label(RichText::new(title).small().weak());
            }
            ui.end_row();
            for (id, decl, state) in cx.params.iter().filter(|(_, decl, _)| fits(decl)) {
                ui.push_id(id.0, |ui| name(ui, decl));
                ui.push_id((id.0, "value"), |ui| value(ui, id, decl, state, cx.actions));
                ui.push_id((id.0, "state"), |ui| ui.horizontal(|ui| state_cells(ui, id, state, cx.actions)));
                ui.end_row();
            }
        });
    }
}

fn name(ui: &mut Ui, decl: &ParamDecl) {
    let unit = if decl.unit.is_empty() { String::new() } else { format!(" [{}]", decl.unit) };
    ui.set_max_width(NAME);
    let label = ui.add(egui::Label::new(format!("{}{unit}", decl.name)).truncate());
    label.on_hover_text(format!("{}\n{}, default {}", decl.doc, decl.kind.name(), shown(decl, decl.default)));
}

fn state_cells(ui: &mut Ui, id: ParamId, state: &ParamValueState, actions: &mut Vec<OverlayAction>) {
    let mut held = state.held;
    if ui.checkbox(&mut held, "").on_hover_text("hold: nobody may set a held value").changed() {
        actions.push(OverlayAction::HoldParam(id, held));
    }
    let changed = state.held || state.source != ParamSource::Default;
    let reset = ui.add_enabled(changed, egui::Button::new(RichText::new("reset").small()));
    if reset.on_hover_text("back to the declared value").clicked() {
        actions.push(OverlayAction::ResetParam(id));
    }
    ui.label(RichText::new(source(state.source)).small().weak()).on_hover_text("who set the value last");
}

fn source(source: ParamSource) -> &'static str {
    match source {
        ParamSource::Default => "default",
        ParamSource::Game => "game",
        ParamSource::CommandLine => "cmdline",
        ParamSource::Overlay => "overlay",
        ParamSource::Script => "script",
    }
}

fn value(ui: &mut Ui, id: ParamId, decl: &ParamDecl, state: &ParamValueState, actions: &mut Vec<OverlayAction>) {
    let new = ui.add_enabled_ui(!state.held, |ui| ui.horizontal(|ui| widget(ui, decl, state.value)).inner).inner;
    if let Some(value) = new {
        actions.push(OverlayAction::SetParam { id, value });
    }
}

/// The widget for a value; the new value where it was changed.
fn widget(ui: &mut Ui, decl: &ParamDecl, value: Value) -> Option<Value> {
    let (v, n) = value.components();
    // Numbers that are none would stick in a slider for ever.
    let mut v = v.map(|x| if x.is_finite() { x } else { 0.0 });
    match (decl.kind, value) {
        (ValueType::Bool, Value::Bool(mut on)) => {
            ui.add(Checkbox::without_text(&mut on)).changed().then_some(Value::Bool(on))
        }
        (ValueType::Int, Value::Int(mut i)) => int(ui, decl, &mut i).changed().then_some(Value::Int(i)),
        (ValueType::Enum, Value::Int(i)) => choice(ui, decl, i).map(Value::Int),
        (ValueType::Float, _) => float(ui, decl, &mut v[0]).changed().then_some(Value::Float(v[0])),
        _ => {
            let picker = decl.colour && n == 4;
            let mut changed = picker && colour(ui, &mut v);
            // The picker knows bytes; brighter colours are numbers.
            if !picker || decl.max.is_some_and(|max| max > 1.0) {
                ui.spacing_mut().interact_size.x = 33.0;
                for x in &mut v[..n] {
                    changed |= ui.add(drag(decl, x).max_decimals(2)).changed();
                }
            }
            changed.then(|| match n {
                2 => Value::Vec2([v[0], v[1]]),
                3 => Value::Vec3([v[0], v[1], v[2]]),
                _ => Value::Vec4(v),
            })
        }
    }
}

fn int(ui: &mut Ui, decl: &ParamDecl, i: &mut i32) -> Response {
    match limits(decl).map(|(min, max)| (min as i32, max as i32)) {
        Some((min, max)) if min < max => ui.add(Slider::new(i, min..=max)),
        _ => ui.add(DragValue::new(i)),
    }
}

fn float(ui: &mut Ui, decl: &ParamDecl, x: &mut f32) -> Response {
    match limits(decl) {
        Some((min, max)) => ui.add(Slider::new(x, min..=max).max_decimals(3)),
        None => ui.add(drag(decl, x).max_decimals(4)),
    }
}

/// A range that a slider can show: two numbers, the first of which is smaller.
fn limits(decl: &ParamDecl) -> Option<(f32, f32)> {
    let (min, max) = (decl.min?, decl.max?);
    (min.is_finite() && max.is_finite() && min < max).then_some((min, max))
}

/// A number to drag; a hundredth of the range, or of the value, a point.
fn drag<'a>(decl: &ParamDecl, x: &'a mut f32) -> DragValue<'a> {
    let span = limits(decl).map_or(x.abs().max(0.1), |(min, max)| max - min);
    let drag = DragValue::new(x).speed(f64::from(span) / 100.0);
    match limits(decl) {
        Some((min, max)) => drag.range(min..=max),
        None => drag,
    }
}

fn choice(ui: &mut Ui, decl: &ParamDecl, now: i32) -> Option<i32> {
    let selected = usize::try_from(now).ok().and_then(|i| decl.choices.get(i)).map_or("?", String::as_str);
    let mut picked = None;
    ComboBox::from_id_salt("choice").width(110.0).selected_text(selected).show_ui(ui, |ui| {
        for (i, name) in decl.choices.iter().enumerate() {
            if ui.selectable_label(now == i as i32, name).clicked() && now != i as i32 {
                picked = Some(i as i32);
            }
        }
    });
    picked
}

/// The picker works on bytes in the picture's own space; components beyond 0 to 1 are kept until it is used.
fn colour(ui: &mut Ui, v: &mut [f32; 4]) -> bool {
    let mut rgba = v.map(|x| (x.clamp(0.0, 1.0) * 255.0).round() as u8);
    let before = rgba;
    ui.color_edit_button_srgba_unmultiplied(&mut rgba);
    if rgba == before {
        return false;
    }
    *v = rgba.map(|b| f32::from(b) / 255.0);
    true
}

fn shown(decl: &ParamDecl, value: Value) -> String {
    match value {
        Value::Bool(on) => on.to_string(),
        Value::Int(i) if decl.kind == ValueType::Enum => {
            usize::try_from(i).ok().and_then(|i| decl.choices.get(i)).cloned().unwrap_or_default()
        }
        Value::Int(i) => i.to_string(),
        _ => {
            let (v, n) = value.components();
            v[..n].iter().map(f32::to_string).collect::<Vec<_>>().join(", ")
        }
    }
}
