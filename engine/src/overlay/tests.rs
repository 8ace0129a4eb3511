//! Drives whole frames with made-up models and synthetic input. Widgets are found as a screen reader finds them, by
//! role and label, or by the text that was drawn.

use egui::accesskit::{Node, Role};
use egui::epaint::{ClippedShape, Shape};
use egui::{Event, FullOutput, Modifiers, PointerButton, Pos2, RawInput, Rect, pos2, vec2};

use super::*;
use crate::diag::SourceFile;
use crate::scene::{ParamDecl, ParamId, ParamSource, Value};

const SIZE: [f32; 2] = [1280.0, 800.0];

/// What a model borrows.
struct World {
    passes: Vec<PassInfo>,
    images: Vec<ImageInfo>,
    diagnostics: Vec<Diagnostic>,
    log: Vec<LogLine>,
    reload: Option<ReloadSummary>,
    params: ParamTable,
    graph: GraphSummary<'static>,
    frame: FrameSummary,
    preview: Option<Preview>,
    picked: Option<PickedTexel>,
}

impl World {
    fn empty() -> Self {
        Self {
            passes: Vec::new(),
            images: Vec::new(),
            diagnostics: Vec::new(),
            log: Vec::new(),
            reload: None,
            params: ParamTable::default(),
            graph: GraphSummary::default(),
            frame: FrameSummary::default(),
            preview: None,
            picked: None,
        }
    }

    fn small() -> Self {
        let mut world = Self::empty();
        for (i, name) in ["shadow map", "ground", "grade"].into_iter().enumerate() {
            let mut pass = PassInfo { name: name.into(), kind: "raster".into(), enabled: true, ..Default::default() };
            for ns in 0..10 {
                pass.gpu.push(Some(1_000_000 * (i as i64 + 1) + ns));
            }
            (pass.draws, pass.triangles, pass.cpu_ns) = (3, 123_456, Some(20_000));
            world.passes.push(pass);
        }
        world.passes[0].writes = vec![0];
        (world.passes[1].reads, world.passes[1].writes) = (vec![0], vec![1]);
        (world.passes[2].reads, world.passes[2].writes) = (vec![1], vec![1]);
        for (i, name) in ["depthmap", "scene"].into_iter().enumerate() {
            world.images.push(ImageInfo {
                name: name.into(),
                format: "rgba8".into(),
                extent: [1024, 512],
                mips: 3,
                layers: 1,
                bytes: 2 << 20,
                residency: "transient".into(),
                heap_range: Some((0, 2 << 20)),
                lifetime: Some((i as u32, i as u32 + 1)),
            });
        }
        world.params.declare(ParamDecl::new("fog_start", Value::Float(800.0), "where").range(0.0, 5000.0).unit("m"));
        world.params.declare(ParamDecl::new("wind", Value::Bool(false), "blows"));
        world.graph = GraphSummary { name: "frame", path: "graphs/frame.toml", ..Default::default() };
        world
    }

    fn with_error() -> Self {
        let mut world = Self::small();
        let file = SourceFile::new("graphs/frame.toml", "x = 1\ncolor = \"scen\"\n");
        let error = Diagnostic::error("graph.unknown-image", "no image is called \"scen\"");
        world.diagnostics.push(error.at(&file, 14..20, "not declared").help("did you mean \"scene\"?"));
        world
    }
}

struct Harness {
    overlay: Overlay,
    world: World,
    time: f64,
    output: FullOutput,
}

impl Harness {
    fn new(world: World, panel: Option<Panel>) -> Self {
        let overlay = Overlay::new();
        overlay.context().enable_accesskit();
        let mut harness = Self { overlay, world, time: 0.0, output: FullOutput::default() };
        if let Some(panel) = panel {
            harness.overlay.open(panel);
        }
        for _ in 0..3 {
            harness.frame(Vec::new());
        }
        harness
    }

    fn frame(&mut self, events: Vec<Event>) -> Vec<OverlayAction> {
        self.frame_sized(events, SIZE)
    }

    fn frame_sized(&mut self, events: Vec<Event>, size: [f32; 2]) -> Vec<OverlayAction> {
        self.time += 1.0 / 60.0;
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, size.into()));
        let input = RawInput { screen_rect, time: Some(self.time), events, focused: true, ..Default::default() };
        let world = &self.world;
        let model = OverlayModel {
            graph: world.graph,
            device: "a device",
            frame: world.frame,
            passes: &world.passes,
            images: &world.images,
            diagnostics: &world.diagnostics,
            log: &world.log,
            reload: world.reload.as_ref(),
            preview: world.preview,
            picked: world.picked,
            ..Default::default()
        };
        let (mut output, actions) = self.overlay.run(input, &model, &world.params);
        output.textures_delta.clear();
        self.output = output;
        actions
    }

    fn press(&mut self, at: Pos2, pressed: bool) -> Vec<OverlayAction> {
        let button = PointerButton::Primary;
        let press = Event::PointerButton { pos: at, button, pressed, modifiers: Modifiers::NONE };
        self.frame(vec![Event::PointerMoved(at), press])
    }

    fn click(&mut self, at: Pos2) -> Vec<OverlayAction> {
        self.frame(vec![Event::PointerMoved(at)]);
        let mut actions = self.press(at, true);
        actions.extend(self.press(at, false));
        actions.extend(self.frame(Vec::new()));
        actions
    }

    fn drag(&mut self, from: Pos2, to: Pos2) -> Vec<OverlayAction> {
        self.frame(vec![Event::PointerMoved(from)]);
        let mut actions = self.press(from, true);
        for i in 1..=8 {
            actions.extend(self.frame(vec![Event::PointerMoved(from + (to - from) * (i as f32 / 8.0))]));
        }
        actions.extend(self.press(to, false));
        actions.extend(self.frame(Vec::new()));
        actions
    }

    fn texts(&self) -> Vec<(String, Rect)> {
        let mut texts = Vec::new();
        for ClippedShape { shape, clip_rect } in &self.output.shapes {
            collect(shape, *clip_rect, &mut texts);
        }
        texts
    }

    /// Where a text was drawn, as far as it is not clipped away.
    fn text(&self, wanted: &str) -> Option<Rect> {
        self.texts().into_iter().find(|(text, rect)| text == wanted && rect.is_positive()).map(|(_, rect)| rect)
    }

    fn shows(&self, part: &str) -> bool {
        self.texts().iter().any(|(text, _)| text.contains(part))
    }

    fn nodes(&self) -> Vec<Node> {
        let update = self.output.platform_output.accesskit_update.as_ref();
        update.map(|u| u.nodes.iter().map(|(_, node)| node.clone()).collect()).unwrap_or_default()
    }

    fn widget(&self, role: Role, label: &str) -> Rect {
        let found = self.nodes().into_iter().find(|n| n.role() == role && n.label() == Some(label));
        bounds(&found.unwrap_or_else(|| panic!("no {role:?} called {label}: {:?}", self.nodes())))
    }

    /// The leftmost widget in the same row as a text.
    fn widget_beside(&self, role: Role, text: &str) -> Rect {
        let row = self.text(text).unwrap().y_range();
        let rects = self.nodes().into_iter().filter(|n| n.role() == role).map(|n| bounds(&n));
        rects.filter(|rect| row.intersects(rect.y_range())).min_by(|a, b| a.left().total_cmp(&b.left())).unwrap()
    }
}

fn bounds(node: &Node) -> Rect {
    let b = node.bounds().unwrap();
    Rect::from_min_max(pos2(b.x0 as f32, b.y0 as f32), pos2(b.x1 as f32, b.y1 as f32))
}

fn collect(shape: &Shape, clip: Rect, out: &mut Vec<(String, Rect)>) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(|s| collect(s, clip, out)),
        Shape::Text(text) => out.push((text.galley.text().to_owned(), text.visual_bounding_rect().intersect(clip))),
        _ => {}
    }
}

#[test]
fn ticking_a_pass_asks_to_switch_it_off() {
    let mut h = Harness::new(World::small(), Some(Panel::Passes));
    let tick = h.widget(Role::CheckBox, "ground").left_center() + vec2(6.0, 0.0);
    assert_eq!(h.click(tick), [OverlayAction::SetPass { name: "ground".into(), enabled: false }]);
}

#[test]
fn a_dragged_pass_moves_in_front_of_the_row_it_is_dropped_on() {
    let mut h = Harness::new(World::small(), Some(Panel::Passes));
    let row = |h: &Harness, name: &str| h.widget(Role::CheckBox, name);
    let (first, last) = (row(&h, "shadow map"), row(&h, "grade"));
    let mut handle = first.left_center() - vec2(6.0, 0.0);
    let moved = h.drag(handle, pos2(handle.x, last.top() + 2.0));
    assert_eq!(moved, [OverlayAction::MovePass { name: "shadow map".into(), before: Some("grade".into()) }]);

    let end = h.drag(handle, pos2(handle.x, last.bottom()));
    assert_eq!(end, [OverlayAction::MovePass { name: "shadow map".into(), before: None }]);

    handle.y = last.center().y;
    let to_front = h.drag(handle, pos2(handle.x, first.top()));
    assert_eq!(to_front, [OverlayAction::MovePass { name: "grade".into(), before: Some("shadow map".into()) }]);
}

#[test]
fn a_pass_dropped_where_it_was_or_outside_the_list_stays() {
    let mut h = Harness::new(World::small(), Some(Panel::Passes));
    let row = h.widget(Role::CheckBox, "ground");
    let handle = row.left_center() - vec2(6.0, 0.0);
    assert_eq!(h.drag(handle, handle + vec2(30.0, 8.0)), []);
    assert_eq!(h.drag(handle, pos2(900.0, 500.0)), []);
}

#[test]
fn solo_undo_and_write_ask_for_what_they_say() {
    let mut world = World::small();
    world.passes[1].solo = true;
    (world.graph.unsaved, world.graph.can_undo) = (true, true);
    let mut h = Harness::new(world, Some(Panel::Passes));
    for (label, action) in [
        ("write to file", OverlayAction::WriteToFile),
        ("undo", OverlayAction::Undo),
        ("solo off", OverlayAction::Solo(None)),
    ] {
        let at = h.widget(Role::Button, label).center();
        assert_eq!(h.click(at), [action]);
    }
    let redo = h.widget(Role::Button, "redo").center();
    assert_eq!(h.click(redo), []);
    let solo = h.widget(Role::Button, "solo").center();
    assert_eq!(h.click(solo), [OverlayAction::Solo(Some("shadow map".into()))]);
}

#[test]
fn a_slider_sets_the_param_within_its_range() {
    let mut h = Harness::new(World::small(), Some(Panel::Params));
    let slider = h.widget_beside(Role::Slider, "fog_start [m]");
    let actions = h.drag(slider.left_center() + vec2(15.0, 0.0), slider.left_center() + vec2(60.0, 0.0));
    let values: Vec<f32> = actions
        .iter()
        .map(|action| match action {
            OverlayAction::SetParam { id: ParamId(0), value: Value::Float(x) } => *x,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(values.len() > 2 && values.iter().all(|x| (0.0..=5000.0).contains(x)), "{values:?}");
    assert!(values.last().unwrap() > values.first().unwrap());
}

#[test]
fn a_param_can_be_ticked_held_and_reset() {
    let mut world = World::small();
    world.params.set(ParamId(1), Value::Bool(true), ParamSource::Script).unwrap();
    let mut h = Harness::new(world, Some(Panel::Params));
    assert!(h.shows("script"));
    let tick = h.widget_beside(Role::CheckBox, "wind").center();
    assert_eq!(h.click(tick), [OverlayAction::SetParam { id: ParamId(1), value: Value::Bool(false) }]);
    let row = h.text("wind").unwrap().center().y;
    let hold = h.nodes().iter().filter(|n| n.role() == Role::CheckBox).map(bounds).find(|r| r.left() > tick.x + 60.0);
    let hold = pos2(hold.unwrap().left() + 6.0, row);
    assert_eq!(h.click(hold), [OverlayAction::HoldParam(ParamId(1), true)]);
    let reset = pos2(h.widget(Role::Button, "reset").center().x, row);
    assert_eq!(h.click(reset), [OverlayAction::ResetParam(ParamId(1))]);
    h.world.params.hold(ParamId(1), true);
    assert_eq!(h.click(tick), [], "a held value cannot be changed");
}

#[test]
fn errors_are_shown_as_check_prints_them_and_lead_to_the_line() {
    let mut h = Harness::new(World::with_error(), Some(Panel::Errors));
    let text = h.world.diagnostics[0].to_string();
    let place = h.text(&text).expect("the printed form is drawn");
    let open = OverlayAction::OpenLine { file: "graphs/frame.toml".into(), line: 2, column: 9 };
    assert_eq!(h.click(place.center()), std::slice::from_ref(&open));
    let button = h.widget(Role::Button, "open graphs/frame.toml:2").center();
    assert_eq!(h.click(button), [open]);
    assert!(h.text("Errors 1").is_some());
}

#[test]
fn a_hidden_overlay_draws_nothing_but_the_count_of_errors() {
    let mut h = Harness::new(World::small(), None);
    assert!(h.output.shapes.iter().all(|s| s.shape == Shape::Noop), "{:?}", h.output.shapes);
    assert!(!h.overlay.wants_pointer_at(pos2(10.0, 10.0)));

    h.world = World::with_error();
    h.frame(Vec::new());
    h.frame(Vec::new());
    let badge = h.text("1 error · F1").expect("a badge");
    assert_eq!(h.texts().len(), 1);
    assert!(badge.left() > SIZE[0] - 120.0 && badge.bottom() < 40.0);
    assert!(h.overlay.wants_pointer_at(badge.center()));
    assert_eq!(h.click(badge.center()), []);
    assert!(h.overlay.visible(), "a click on the badge opens the errors");
    h.frame(Vec::new());
    assert!(h.shows("graph.unknown-image"));
}

#[test]
fn the_pointer_belongs_to_the_scene_outside_the_panels() {
    let mut h = Harness::new(World::small(), Some(Panel::Timings));
    let (scene, panel) = (pos2(900.0, 400.0), pos2(150.0, 400.0));
    h.frame(vec![Event::PointerMoved(scene)]);
    assert!(!h.overlay.wants_pointer());
    h.frame(vec![Event::PointerMoved(panel)]);
    assert!(h.overlay.wants_pointer());

    h.press(scene, true);
    h.frame(vec![Event::PointerMoved(panel)]);
    assert!(!h.overlay.wants_pointer(), "a camera drag goes on over a panel");
    h.press(panel, false);
    assert!(h.overlay.wants_pointer());
    h.press(panel, true);
    h.frame(vec![Event::PointerMoved(scene)]);
    assert!(h.overlay.wants_pointer(), "a drag in a panel goes on over the scene");
    h.press(scene, false);
    assert!(!h.overlay.wants_pointer());
    assert!(!h.overlay.wants_keyboard());
}

#[test]
fn the_default_layout_leaves_the_scene_uncovered() {
    let h = Harness::new(World::small(), Some(Panel::Timings));
    let scene = h.overlay.dock.scene_rect();
    assert!((scene.left() - 380.0).abs() < 3.0 && scene.right() == SIZE[0] && scene.height() == SIZE[1], "{scene:?}");
    for ClippedShape { shape, clip_rect } in &h.output.shapes {
        let drawn = shape.visual_bounding_rect().intersect(*clip_rect).intersect(scene.shrink(3.0));
        assert!(*shape == Shape::Noop || !drawn.is_positive() || is_clear(shape), "{shape:?} covers the scene");
    }
}

fn is_clear(shape: &Shape) -> bool {
    match shape {
        Shape::Vec(shapes) => shapes.iter().all(is_clear),
        Shape::Rect(rect) => rect.fill.a() == 0 && (rect.stroke.width == 0.0 || rect.stroke.color.a() == 0),
        Shape::Path(path) => path.fill.a() == 0 && path.stroke.is_empty(),
        Shape::Noop => true,
        _ => false,
    }
}

#[test]
fn layout_and_visibility_survive_a_restart() {
    let mut h = Harness::new(World::small(), Some(Panel::Log));
    let text = h.overlay.layout();
    let mut again = Harness::new(World::small(), None);
    assert_ne!(again.overlay.layout(), text);
    again.overlay.restore(&text).unwrap();
    again.frame(Vec::new());
    h.frame(Vec::new());
    assert!(again.overlay.visible());
    assert_eq!(again.overlay.layout(), h.overlay.layout());
    let warning = again.overlay.restore("{").unwrap_err();
    assert_eq!(warning.severity, Severity::Warning);
    assert_eq!(again.overlay.layout(), h.overlay.layout(), "a spoiled text changes nothing");
}

#[test]
fn timings_show_statistics_and_say_where_there_are_none() {
    let mut world = World::small();
    world.passes[2].gpu.push(Some(-7));
    world.passes[2].cpu_ns = None;
    let h = Harness::new(world, Some(Panel::Timings));
    let texts: Vec<String> = h.texts().into_iter().map(|(text, _)| text).collect();
    for wanted in ["shadow map", "1.000", "2.000", "n/a", "16.7%", "50.0%", "123.5k", "total", "370.4k"] {
        assert!(texts.iter().any(|t| t == wanted), "{wanted} is not in {texts:?}");
    }
}

#[test]
fn an_image_is_asked_for_while_it_is_looked_at() {
    let mut h = Harness::new(World::small(), Some(Panel::Images));
    let at = h.widget(Role::Button, "scene").center();
    let actions = h.click(at);
    let [OverlayAction::ShowImage(Some(view))] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!((view.name.as_str(), view.mip, view.range), ("scene", 0, [0.0, 1.0]));
    h.overlay.toggle();
    assert_eq!(h.frame(Vec::new()), [OverlayAction::ShowImage(None)]);
    assert_eq!(h.frame(Vec::new()), []);
    h.overlay.toggle();
    assert!(matches!(h.frame(Vec::new())[..], [OverlayAction::ShowImage(Some(_))]));

    h.world.images.clear();
    h.frame(Vec::new());
    assert!(h.shows("no image \"scene\""));
}

#[test]
fn the_texel_under_the_pointer_is_read_and_shown() {
    let mut world = World::small();
    world.preview = Some(Preview { texture: egui::TextureId::User(7), size: [64, 32] });
    let mut h = Harness::new(world, Some(Panel::Images));
    let at = h.widget(Role::Button, "scene").center();
    h.click(at);
    h.frame(Vec::new());
    let picture = h.output.shapes.iter().find_map(|s| match &s.shape {
        Shape::Rect(rect) if rect.fill_texture_id() == egui::TextureId::User(7) => Some(rect.rect),
        Shape::Mesh(mesh) if mesh.texture_id == egui::TextureId::User(7) => Some(mesh.calc_bounds()),
        _ => None,
    });
    let picture = picture.expect("the preview is drawn");
    let mut actions = h.frame(vec![Event::PointerMoved(picture.left_top() + picture.size() * 0.26)]);
    actions.extend(h.frame(Vec::new()));
    assert_eq!(actions, [OverlayAction::PickTexel(Some([16, 8]))]);
    h.world.picked = Some(PickedTexel { position: [16, 8], value: [0.5, 0.25, 0.0, 1.0] });
    h.frame(Vec::new());
    assert!(h.shows("16, 8: 0.5000 0.2500 0.0000 1.0000"));
    let save = h.widget(Role::Button, "save EXR").center();
    let saved = h.click(save);
    assert!(
        saved
            .iter()
            .any(|a| matches!(a, OverlayAction::SaveImage { format: SaveFormat::Exr, view } if view.name == "scene"))
    );
}

#[test]
fn the_graph_panel_names_passes_and_images_and_tells_why_a_pass_is_culled() {
    let mut world = World::small();
    world.passes[0].culled = Some("nobody reads \"depthmap\"".into());
    let mut h = Harness::new(world, Some(Panel::Graph));
    for name in ["shadow map", "depthmap", "scene"] {
        assert!(h.text(name).is_some(), "{name}");
    }
    let at = h.text("shadow map").unwrap().center();
    h.frame(vec![Event::PointerMoved(at)]);
    for _ in 0..90 {
        h.frame(Vec::new());
    }
    assert!(h.shows("culled: nobody reads \"depthmap\""));
    assert!(h.shows("writes depthmap"));
}

#[test]
fn the_log_filters_by_severity() {
    let mut world = World::small();
    for (severity, text) in [(Severity::Note, "a note"), (Severity::Error, "a failure\nwith two lines")] {
        world.log.push(LogLine { seconds: 1.5, severity, text: text.into() });
    }
    world.reload = Some(ReloadSummary { frame: 12, moved: vec!["ground".into()], ..Default::default() });
    let mut h = Harness::new(world, Some(Panel::Log));
    assert!(h.shows("a note") && h.shows("a failure") && h.shows("reload at frame 12"));
    h.overlay.panels.log = log::LogPanel::errors_only();
    h.frame(Vec::new());
    assert!(!h.shows("a note") && h.shows("a failure"));
}

#[test]
fn closed_panels_come_back_through_the_plus() {
    let mut h = Harness::new(World::small(), Some(Panel::Timings));
    h.overlay.dock.close(Panel::Log);
    h.frame(Vec::new());
    assert!(h.text("Log").is_none());
    let plus = h.overlay.dock.scene_rect().left() - 14.0;
    h.click(pos2(plus, 10.0));
    h.frame(Vec::new());
    let log = h.widget(Role::CheckBox, "Log").left_center() + vec2(6.0, 0.0);
    h.click(log);
    assert!(h.overlay.dock.is_open(Panel::Log));
}

#[test]
fn panels_can_be_dragged_and_clicked_anywhere_and_the_scene_stays_alone() {
    let mut h = Harness::new(World::small(), Some(Panel::Log));
    let mut seed = 7u32;
    let mut random = |n: f32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 24) as f32 * n
    };
    for i in 0..60 {
        let tabs = h.texts().into_iter().filter(|(text, _)| Panel::ALL.iter().any(|p| p.title() == text));
        let tabs: Vec<Rect> = tabs.map(|t| t.1).filter(|r| r.is_positive()).collect();
        let from = match tabs.get(random(tabs.len() as f32) as usize) {
            Some(tab) if i % 5 != 4 => tab.center(),
            _ => pos2(random(SIZE[0]), random(SIZE[1])),
        };
        let to = pos2(random(SIZE[0]), random(SIZE[1]));
        if i % 7 == 6 {
            h.click(from);
        } else {
            h.drag(from, to);
        }
        let scene = h.overlay.dock.state.find_tab(&Panel::Scene).unwrap();
        assert!(scene.surface.is_main());
        assert_eq!(h.overlay.dock.state.leaf(scene.node_path()).unwrap().tabs, [Panel::Scene]);
        assert!(h.overlay.dock.open_count() > 0);
        let mut again = Overlay::new();
        again.restore(&h.overlay.layout()).unwrap();
    }
    assert_ne!(h.overlay.layout(), Harness::new(World::small(), Some(Panel::Log)).overlay.layout());
}

#[test]
fn nothing_panics_on_emptiness_nonsense_and_tiny_windows() {
    let mut wild = World::small();
    wild.frame = FrameSummary { fps: f32::NAN, cpu_ms: f32::INFINITY, gpu_ms: Some(-1.0), ..Default::default() };
    wild.passes[0].reads = vec![99, u32::MAX];
    wild.passes[1].gpu = History::default();
    wild.images[0].extent = [0, 0];
    (wild.images[0].mips, wild.images[0].layers) = (0, 0);
    wild.images[1].heap_range = Some((10, 5));
    wild.images[1].lifetime = Some((9, 2));
    wild.preview = Some(Preview { texture: egui::TextureId::User(1), size: [0, 0] });
    for (i, (min, max)) in [(0.0, 0.0), (1.0, -1.0), (f32::NAN, 1.0), (f32::NEG_INFINITY, f32::INFINITY), (-3e38, 3e38)]
        .into_iter()
        .enumerate()
    {
        let value = if i % 2 == 0 { Value::Float(f32::NAN) } else { Value::Float(f32::INFINITY) };
        wild.params.declare(ParamDecl::new(format!("f{i}"), value, "").range(min, max));
        wild.params.declare(ParamDecl::new(format!("i{i}"), Value::Int(i32::MIN), "").range(min, max));
        wild.params.declare(ParamDecl::new(format!("v{i}"), Value::Vec3([f32::NAN, 0.0, 1.0]), "").range(min, max));
    }
    let mut colour = ParamDecl::new("sun", Value::Vec4([f32::NAN, 9.0, -1.0, 1.0]), "");
    colour.colour = true;
    wild.params.declare(colour);
    let mut choice = ParamDecl::new("mode", Value::Int(7), "");
    choice.kind = crate::scene::ValueType::Enum;
    wild.params.declare(choice);

    let mut h = Harness::new(World::empty(), Some(Panel::Timings));
    for world in [World::empty(), wild] {
        h.world = world;
        for panel in Panel::ALL {
            h.overlay.open(panel);
            for size in [SIZE, [200.0, 100.0], [1.0, 1.0], [8000.0, 30.0], SIZE] {
                h.frame_sized(vec![Event::PointerMoved(pos2(60.0, 60.0))], size);
                h.frame_sized(Vec::new(), size);
            }
            if panel == Panel::Images && !h.world.images.is_empty() {
                let at = h.widget(Role::Button, "depthmap").center();
                h.click(at);
            }
        }
    }
}
