//! Draw lists to commands: sorted once a generation, culled once a view, merged where neighbours touch.

use crate::scene::{Draw, ListId, MaterialId, Scene, View, ViewId};

/// A draw as it is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) base_vertex: i32,
    pub(super) first_instance: u32,
    pub(super) instances: u32,
    pub(super) material: MaterialId,
    pub(super) push: [u32; 4],
}

/// What a view sees of a list.
pub(super) struct Visible {
    pub(super) list: ListId,
    pub(super) view: ViewId,
    pub(super) commands: Vec<Command>,
    /// Draws before merging.
    pub(super) seen: u32,
}

struct Order {
    generation: Option<u64>,
    order: Vec<u32>,
}

/// Order and visibility of all lists that a plan draws.
#[derive(Default)]
pub(super) struct Lists {
    orders: Vec<Order>,
    pub(super) visible: Vec<Visible>,
}

impl Lists {
    /// Index of a list in a view; added where it is new.
    pub(super) fn pair(&mut self, list: ListId, view: ViewId) -> usize {
        self.visible.iter().position(|v| (v.list, v.view) == (list, view)).unwrap_or_else(|| {
            self.visible.push(Visible { list, view, commands: Vec::new(), seen: 0 });
            self.visible.len() - 1
        })
    }

    /// Sorts what changed and culls. Vectors are kept, so a steady frame allocates nothing.
    pub(super) fn update(&mut self, scene: &Scene) {
        if self.orders.len() < scene.lists.len() {
            self.orders.resize_with(scene.lists.len(), || Order { generation: None, order: Vec::new() });
        }
        for Visible { list, view, commands, seen } in &mut self.visible {
            commands.clear();
            *seen = 0;
            let Some(data) = scene.lists.get(list.index()) else { continue };
            let order = &mut self.orders[list.index()];
            if order.generation != Some(data.generation) || order.order.len() != data.draws.len() {
                order.generation = Some(data.generation);
                sort(&mut order.order, &data.draws);
            }
            let view = scene.views.get(view.index()).copied().unwrap_or_default();
            *seen = cull(&order.order, &data.draws, &view, commands);
        }
    }
}

/// Order by key, then by place in the list.
fn sort(order: &mut Vec<u32>, draws: &[Draw]) {
    order.clear();
    order.extend(0..draws.len() as u32);
    order.sort_unstable_by_key(|&i| (draws[i as usize].sort_key, i));
}

/// Appends the commands for what the view sees; returns how many draws that is.
fn cull(order: &[u32], draws: &[Draw], view: &View, commands: &mut Vec<Command>) -> u32 {
    let frustum = view.frustum();
    let mut seen = 0;
    for &i in order {
        let draw = &draws[i as usize];
        let empty = draw.indices.is_empty() || draw.instances.is_empty();
        if empty || draw.flags.layers & view.layers == 0 || !frustum.sees(&draw.bounds) {
            continue;
        }
        seen += 1;
        let command = Command {
            first: draw.indices.start,
            count: draw.indices.len() as u32,
            base_vertex: draw.base_vertex,
            first_instance: draw.instances.start,
            instances: draw.instances.len() as u32,
            material: draw.material,
            push: draw.push,
        };
        match commands.last_mut() {
            Some(last) if touches(last, &command) => last.count += command.count,
            _ => commands.push(command),
        }
    }
    seen
}

fn touches(last: &Command, next: &Command) -> bool {
    last.first + last.count == next.first && Command { first: last.first, count: last.count, ..*next } == *last
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::scene::{Aabb, DrawFlags, DrawListData};

    fn draw(indices: std::ops::Range<u32>, key: u64, x: f32) -> Draw {
        Draw {
            indices,
            base_vertex: 0,
            instances: 0..1,
            material: MaterialId(0),
            bounds: Aabb { min: Vec3::new(x - 0.1, -0.1, 0.4), max: Vec3::new(x + 0.1, 0.1, 0.6) },
            sort_key: key,
            flags: DrawFlags::default(),
            push: [0; 4],
        }
    }

    fn ranges(lists: &Lists) -> Vec<(u32, u32)> {
        lists.visible[0].commands.iter().map(|c| (c.first, c.count)).collect()
    }

    #[test]
    fn draws_are_sorted_culled_and_merged() {
        let mut other = draw(6..9, 0, 0.0);
        other.material = MaterialId(1);
        let draws = vec![draw(3..6, 0, 0.0), other, draw(0..3, 0, 5.0), draw(9..12, 2, 0.0), draw(12..15, 1, 0.0)];
        let data = DrawListData { draws, generation: 1, ..DrawListData::default() };
        let mut scene = Scene { lists: vec![data], views: vec![View::default()], ..Scene::default() };
        let mut lists = Lists::default();
        assert_eq!(lists.pair(ListId(0), ViewId(0)), lists.pair(ListId(0), ViewId(0)));
        lists.update(&scene);
        assert_eq!(ranges(&lists), [(3, 3), (6, 3), (12, 3), (9, 3)], "the third lies outside");
        assert_eq!(lists.visible[0].seen, 4);
        scene.lists[0].draws = (0..1000).map(|i| draw(3 * i..3 * i + 3, 0, 0.0)).collect();
        scene.lists[0].generation = 2;
        lists.update(&scene);
        assert_eq!(ranges(&lists), [(0, 3000)], "a thousand neighbours are one command");
        scene.lists[0].draws[500].bounds = draw(0..3, 0, 7.0).bounds;
        lists.update(&scene);
        assert_eq!(ranges(&lists), [(0, 1500), (1503, 1497)], "bounds count without a new generation");
        scene.views[0].layers = 2;
        scene.lists[0].draws[3].flags.layers = 4;
        lists.update(&scene);
        assert_eq!(lists.visible[0].commands.len(), 3);
    }
}
