//! Where the panels are: the dock's tree, its default, and its text form that survives restarts.

use egui::{Rect, pos2};
use egui_dock::{DockState, Node, NodeIndex, NodePath, Split, Surface, TabIndex, Tree};
use serde::{Deserialize, Serialize};

use crate::diag::Diagnostic;

/// A panel of the overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Panel {
    /// The picture itself: a transparent place in the dock that the pointer goes through.
    Scene,
    /// GPU and CPU time of every pass.
    Timings,
    /// Live values.
    Params,
    /// Order and switches of passes.
    Passes,
    /// Images and their content.
    Images,
    /// Passes, images, lifetimes.
    Graph,
    /// What is wrong.
    Errors,
    /// What happened.
    Log,
}

impl Panel {
    /// All panels that have a tab.
    pub const ALL: [Self; 7] =
        [Self::Timings, Self::Graph, Self::Images, Self::Passes, Self::Params, Self::Errors, Self::Log];

    /// The title of its tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Scene => "Scene",
            Self::Timings => "Timings",
            Self::Params => "Params",
            Self::Passes => "Passes",
            Self::Images => "Images",
            Self::Graph => "Graph",
            Self::Errors => "Errors",
            Self::Log => "Log",
        }
    }
}

/// Width of the default column in points: a table of timings fits without its last two columns.
pub(super) const COLUMN_WIDTH: f32 = 380.0;

/// Deepest tree of splits that is read: 2^8 nodes are more than eight panels can use.
const MAX_DEPTH: usize = 8;

/// The dock's tree and the window width its fractions were made for.
pub(super) struct Dock {
    pub(super) state: DockState<Panel>,
    width: f32,
}

impl Default for Dock {
    fn default() -> Self {
        const WIDTH: f32 = 1280.0;
        let mut state = DockState::new(vec![Panel::Scene]);
        let tree = state.main_surface_mut();
        let top = vec![Panel::Timings, Panel::Graph, Panel::Images];
        let bottom = vec![Panel::Passes, Panel::Params, Panel::Errors, Panel::Log];
        let [_, column] = tree.split_left(NodeIndex::root(), COLUMN_WIDTH / WIDTH, top);
        tree.split_below(column, 0.45, bottom);
        let mut dock = Self { state, width: WIDTH };
        dock.keep_scene_alone();
        dock
    }
}

impl Dock {
    /// Keeps the outermost columns as wide as they are in points when the window's width changes.
    pub(super) fn fit_width(&mut self, width: f32) {
        if !(width.is_finite() && width > 1.0) || width == self.width {
            return;
        }
        let scene = self.find(Panel::Scene);
        let ratio = self.width / width;
        self.width = width;
        let Some(scene) = scene.filter(|s| s.surface.is_main()) else { return };
        let mut child = scene.node;
        while let Some(parent) = child.parent().filter(|p| *p != NodeIndex::root()) {
            child = parent;
        }
        let right = child == NodeIndex::root().right();
        if let Some(Node::Horizontal(split)) = self.state.main_surface_mut().root_node_mut() {
            let side = if right { split.fraction } else { 1.0 - split.fraction };
            let side = (side * ratio).clamp(0.05, 0.9);
            split.fraction = if right { side } else { 1.0 - side };
        }
    }

    /// The scene has a leaf of its own without a tab bar; whatever was dropped on it gets a column to its left.
    pub(super) fn keep_scene_alone(&mut self) {
        let Some(path) = self.find(Panel::Scene) else {
            *self = Self::default();
            return;
        };
        let mut guests = Vec::new();
        if let Ok(leaf) = self.state.leaf_mut(path) {
            leaf.tab_bar_hidden = true;
            leaf.active = TabIndex(0);
            guests = leaf.tabs.extract_if(.., |tab| *tab != Panel::Scene).collect();
        }
        if !guests.is_empty() {
            let width = self.scene_rect().width();
            let fraction = if width > 1.0 { (COLUMN_WIDTH / width).clamp(0.1, 0.5) } else { 0.3 };
            self.state.split(path, Split::Left, fraction, Node::leaf_with(guests));
        }
    }

    /// The rectangle of the scene in points.
    pub(super) fn scene_rect(&self) -> Rect {
        let leaf = self.find(Panel::Scene).and_then(|path| self.state.leaf(path).ok());
        leaf.map_or(Rect::NOTHING, |leaf| leaf.rect)
    }

    fn find(&self, panel: Panel) -> Option<NodePath> {
        self.state.find_tab(&panel).map(|path| path.node_path())
    }

    /// True if the panel has a tab somewhere.
    pub(super) fn is_open(&self, panel: Panel) -> bool {
        self.find(panel).is_some()
    }

    /// Panels that have a tab.
    pub(super) fn open_count(&self) -> usize {
        Panel::ALL.into_iter().filter(|p| self.is_open(*p)).count()
    }

    /// Opens the panel where it was closed and brings its tab to the front.
    pub(super) fn open(&mut self, panel: Panel) {
        if !self.is_open(panel) {
            let beside = self.state.iter_leaves().map(|(path, _)| path).find(|path| {
                let leaf = self.state.leaf(*path);
                path.surface.is_main() && leaf.is_ok_and(|leaf| !leaf.tabs.contains(&Panel::Scene))
            });
            match beside.and_then(|path| self.state.leaf_mut(path).ok()) {
                Some(leaf) => leaf.tabs.push(panel),
                None => {
                    self.state.push_to_first_leaf(panel);
                    self.keep_scene_alone();
                }
            }
        }
        if let Some(path) = self.state.find_tab(&panel) {
            let (node, tab) = (path.node_path(), path.tab);
            if let Ok(leaf) = self.state.leaf_mut(node) {
                leaf.active = tab;
            }
        }
    }

    /// Closes the panel, unless it is the last one: the way back is a button on a tab bar.
    pub(super) fn close(&mut self, panel: Panel) {
        if self.open_count() > 1
            && let Some(path) = self.state.find_tab(&panel)
        {
            self.state.remove_tab(path);
        }
    }

    /// The text form of tree, windows and visibility.
    pub(super) fn save(&self, visible: bool) -> String {
        let main = save_tree(self.state.main_surface(), NodeIndex::root());
        let windows = self.state.iter_surfaces().filter_map(|surface| match surface {
            Surface::Window(tree, window) => {
                let rect = window.rect();
                let rect = if rect.is_finite() { [rect.min.x, rect.min.y, rect.max.x, rect.max.y] } else { WINDOW };
                Some(WindowLayout { rect, tree: save_tree(tree, NodeIndex::root())? })
            }
            _ => None,
        });
        let layout = main.map(|main| Layout { visible, width: self.width, main, windows: windows.collect() });
        layout.and_then(|layout| serde_json::to_string(&layout).ok()).unwrap_or_default()
    }

    /// Reads [`Dock::save`]'s text; also says whether the overlay was visible.
    pub(super) fn load(text: &str) -> Result<(Self, bool), Diagnostic> {
        let layout: Layout = serde_json::from_str(text).map_err(|e| bad_layout(&e.to_string()))?;
        let mut seen = Vec::new();
        check_tree(&layout.main, 0, &mut seen)?;
        if !seen.contains(&Panel::Scene) {
            return Err(bad_layout("the scene is missing"));
        }
        for window in &layout.windows {
            check_tree(&window.tree, 0, &mut seen)?;
        }
        if !layout.width.is_finite() || layout.width < 1.0 {
            return Err(bad_layout("the width is not a positive number"));
        }
        let mut state = DockState::new(first_tabs(&layout.main));
        load_tree(state.main_surface_mut(), NodeIndex::root(), &layout.main);
        for window in &layout.windows {
            let surface = state.add_window(first_tabs(&window.tree));
            load_tree(&mut state[surface], NodeIndex::root(), &window.tree);
            let [x0, y0, x1, y1] = if window.rect.iter().all(|x| x.is_finite()) { window.rect } else { WINDOW };
            let rect = Rect::from_two_pos(pos2(x0, y0), pos2(x1, y1));
            if let Some(window) = state.get_window_state_mut(surface) {
                window.set_position(rect.min).set_size(rect.size().max(egui::vec2(80.0, 60.0)));
            }
        }
        let mut dock = Self { state, width: layout.width };
        dock.keep_scene_alone();
        Ok((dock, layout.visible))
    }
}

/// Where a window goes whose place is unknown.
const WINDOW: [f32; 4] = [400.0, 40.0, 800.0, 400.0];

#[derive(Serialize, Deserialize)]
struct Layout {
    visible: bool,
    width: f32,
    main: TreeLayout,
    #[serde(default)]
    windows: Vec<WindowLayout>,
}

#[derive(Serialize, Deserialize)]
struct WindowLayout {
    rect: [f32; 4],
    tree: TreeLayout,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TreeLayout {
    Tabs { tabs: Vec<Panel>, active: usize },
    Columns(f32, Box<[TreeLayout; 2]>),
    Rows(f32, Box<[TreeLayout; 2]>),
}

fn bad_layout(why: &str) -> Diagnostic {
    Diagnostic::warning("overlay.layout", format!("the remembered layout of the overlay cannot be used: {why}"))
        .help("the default layout is shown; it is remembered at the end of this session")
}

fn save_tree(tree: &Tree<Panel>, at: NodeIndex) -> Option<TreeLayout> {
    if at.0 >= tree.len() {
        return None;
    }
    let children = || Some(Box::new([save_tree(tree, at.left())?, save_tree(tree, at.right())?]));
    match &tree[at] {
        Node::Empty => None,
        Node::Leaf(leaf) => Some(TreeLayout::Tabs { tabs: leaf.tabs.clone(), active: leaf.active.0 }),
        Node::Horizontal(split) => Some(TreeLayout::Columns(split.fraction, children()?)),
        Node::Vertical(split) => Some(TreeLayout::Rows(split.fraction, children()?)),
    }
}

fn check_tree(tree: &TreeLayout, depth: usize, seen: &mut Vec<Panel>) -> Result<(), Diagnostic> {
    match tree {
        TreeLayout::Tabs { tabs, .. } if tabs.is_empty() => Err(bad_layout("a tab bar is empty")),
        TreeLayout::Tabs { tabs, .. } => tabs.iter().try_for_each(|tab| {
            if seen.contains(tab) {
                return Err(bad_layout(&format!("the panel {} is there twice", tab.title())));
            }
            seen.push(*tab);
            Ok(())
        }),
        TreeLayout::Columns(..) | TreeLayout::Rows(..) if depth == MAX_DEPTH => {
            Err(bad_layout("it is split too often"))
        }
        TreeLayout::Columns(fraction, children) | TreeLayout::Rows(fraction, children) => {
            if !(0.0..=1.0).contains(fraction) {
                return Err(bad_layout("a split is not between 0 and 1"));
            }
            children.iter().try_for_each(|child| check_tree(child, depth + 1, seen))
        }
    }
}

/// The tabs of the first leaf: a tree cannot be made without any.
fn first_tabs(tree: &TreeLayout) -> Vec<Panel> {
    match tree {
        TreeLayout::Tabs { tabs, .. } => tabs.clone(),
        TreeLayout::Columns(_, children) | TreeLayout::Rows(_, children) => first_tabs(&children[0]),
    }
}

/// Grows the leaf at `at`, which has [`first_tabs`] of `layout`, into the whole of `layout`.
fn load_tree(tree: &mut Tree<Panel>, at: NodeIndex, layout: &TreeLayout) {
    let (split, fraction, children) = match layout {
        TreeLayout::Tabs { tabs, active } => {
            if let Ok(leaf) = tree.leaf_mut(at) {
                leaf.active = TabIndex((*active).min(tabs.len() - 1));
            }
            return;
        }
        TreeLayout::Columns(fraction, children) => (Split::Right, fraction, children),
        TreeLayout::Rows(fraction, children) => (Split::Below, fraction, children),
    };
    let [first, second] = tree.split(at, split, *fraction, Node::leaf_with(first_tabs(&children[1])));
    load_tree(tree, first, &children[0]);
    load_tree(tree, second, &children[1]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui_dock::SurfaceIndex;

    #[test]
    fn the_text_form_keeps_tabs_splits_and_windows() {
        let mut dock = Dock::default();
        let log = dock.state.find_tab(&Panel::Log).unwrap();
        dock.state.detach_tab(log, Rect::from_min_max(pos2(10.0, 20.0), pos2(310.0, 220.0)));
        dock.open(Panel::Params);
        let text = dock.save(false);
        let (again, visible) = Dock::load(&text).unwrap();
        assert!(!visible);
        assert_eq!(again.save(false).replace("0.0,", ""), text.replace("0.0,", ""));
        assert!(Panel::ALL.into_iter().all(|p| again.is_open(p)));
        assert_eq!(again.find(Panel::Log).unwrap().surface, SurfaceIndex(1));
    }

    #[test]
    fn a_spoiled_text_is_refused_with_a_reason() {
        let twice = r#"{"visible":true,"width":800,"main":{"tabs":{"tabs":["scene","log","log"],"active":0}}}"#;
        let none = r#"{"visible":true,"width":800,"main":{"tabs":{"tabs":["log"],"active":0}}}"#;
        let empty = r#"{"visible":true,"width":800,"main":{"tabs":{"tabs":[],"active":0}}}"#;
        let mut deep = r#"{"tabs":{"tabs":["scene"],"active":0}}"#.to_owned();
        for _ in 0..20 {
            deep = format!(r#"{{"rows":[0.5,[{deep},{{"tabs":{{"tabs":["log"],"active":0}}}}]]}}"#);
        }
        let deep = format!(r#"{{"visible":true,"width":800,"main":{deep}}}"#);
        for (text, reason) in
            [(twice, "twice"), (none, "scene"), (empty, "empty"), (&deep, "too often"), ("", "EOF"), ("[]", "")]
        {
            let error = Dock::load(text).err().unwrap();
            assert!(error.message.contains(reason), "{error}");
        }
    }

    #[test]
    fn an_active_tab_past_the_end_becomes_the_last() {
        let text = r#"{"visible":true,"width":800,"main":{"columns":[0.3,[{"tabs":{"tabs":["log","graph"],"active":9}},
            {"tabs":{"tabs":["scene"],"active":0}}]]}}"#;
        let (dock, _) = Dock::load(text).unwrap();
        let path = dock.find(Panel::Log).unwrap();
        assert_eq!(dock.state.leaf(path).unwrap().active, TabIndex(1));
    }

    #[test]
    fn panels_close_and_open_again_and_the_last_one_stays() {
        let mut dock = Dock::default();
        for panel in Panel::ALL {
            dock.close(panel);
        }
        assert_eq!(dock.open_count(), 1);
        for panel in Panel::ALL {
            dock.open(panel);
        }
        assert_eq!(dock.open_count(), Panel::ALL.len());
    }

    #[test]
    fn what_is_dropped_on_the_scene_gets_a_column() {
        let mut dock = Dock::default();
        dock.close(Panel::Log);
        let scene = dock.find(Panel::Scene).unwrap();
        dock.state.leaf_mut(scene).unwrap().tabs.push(Panel::Log);
        dock.keep_scene_alone();
        let scene = dock.find(Panel::Scene).unwrap();
        assert_eq!(dock.state.leaf(scene).unwrap().tabs, [Panel::Scene]);
        assert!(dock.state.leaf(scene).unwrap().tab_bar_hidden);
        assert!(dock.is_open(Panel::Log));
    }

    #[test]
    fn the_column_keeps_its_width_when_the_window_grows() {
        let mut dock = Dock::default();
        dock.fit_width(2560.0);
        let Some(Node::Horizontal(split)) = dock.state.main_surface().root_node() else { panic!() };
        assert!((split.fraction * 2560.0 - COLUMN_WIDTH).abs() < 0.1);
    }
}
