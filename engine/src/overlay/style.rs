//! One dark, compact look for egui and the dock.

use egui::{Color32, Context, FontFamily, FontId, Margin, Stroke, TextStyle, Theme, vec2};

/// Behind panels; the scene stays visible as a shade.
const PANEL: Color32 = Color32::from_rgba_premultiplied(17, 19, 23, 238);
const BAR: Color32 = Color32::from_rgba_premultiplied(11, 12, 15, 245);
const LINE: Color32 = Color32::from_rgb(52, 57, 66);

/// Behind the count of errors.
pub(super) const BADGE: Color32 = Color32::from_rgb(165, 45, 40);
/// Marks what is switched on, dropped on or selected.
pub(super) const ACCENT: Color32 = Color32::from_rgb(92, 160, 235);

/// Sets fonts, spacing and colours; sizes are points.
pub(super) fn apply(context: &Context) {
    context.set_theme(Theme::Dark);
    context.all_styles_mut(|style| {
        let sizes = [
            (TextStyle::Small, 10.0, FontFamily::Proportional),
            (TextStyle::Body, 12.0, FontFamily::Proportional),
            (TextStyle::Button, 12.0, FontFamily::Proportional),
            (TextStyle::Heading, 14.0, FontFamily::Proportional),
            (TextStyle::Monospace, 11.0, FontFamily::Monospace),
        ];
        style.text_styles = sizes.into_iter().map(|(s, size, family)| (s, FontId::new(size, family))).collect();
        style.spacing.item_spacing = vec2(5.0, 3.0);
        style.spacing.button_padding = vec2(5.0, 1.0);
        style.spacing.interact_size.y = 16.0;
        style.spacing.slider_width = 90.0;
        style.spacing.icon_width = 13.0;
        style.visuals.panel_fill = PANEL;
        style.visuals.window_fill = PANEL;
        style.visuals.window_stroke = Stroke::new(1.0, LINE);
        style.visuals.extreme_bg_color = Color32::from_rgb(8, 9, 11);
        style.visuals.override_text_color = None;
        style.visuals.widgets.noninteractive.fg_stroke.color = Color32::from_rgb(205, 210, 216);
        style.visuals.widgets.noninteractive.bg_stroke.color = LINE;
        style.visuals.selection.bg_fill = Color32::from_rgb(40, 78, 122);
        style.visuals.slider_trailing_fill = true;
    });
}

/// The dock's look.
pub(super) fn dock(style: &egui::Style) -> egui_dock::Style {
    let mut dock = egui_dock::Style::from_egui(style);
    dock.tab_bar.bg_fill = BAR;
    dock.tab_bar.height = 20.0;
    dock.tab_bar.hline_color = LINE;
    // egui_dock 0.21 gives the scroll bars of two windows one id, which egui refuses; the wheel scrolls tabs as well.
    dock.tab_bar.show_scroll_bar_on_overflow = false;
    dock.tab.tab_body.bg_fill = PANEL;
    dock.tab.tab_body.inner_margin = Margin::same(5);
    // The scene's tab bar is hidden: nothing of it may be grabbed or clicked.
    dock.tab.tab_body.hidden_tab_bar_drag_height = Some(0.0);
    dock.buttons.show_tab_bar_size = 0.0;
    dock.buttons.show_tab_bar_color = Color32::TRANSPARENT;
    dock.buttons.show_tab_bar_active_color = Color32::TRANSPARENT;
    dock.buttons.show_tab_bar_hover_expand = 0.0;
    dock.buttons.add_tab_bg_fill = LINE;
    dock.separator.color_idle = LINE;
    dock.separator.width = 2.0;
    dock.separator.extra = 120.0;
    dock
}
