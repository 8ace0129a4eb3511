//! Phase 8: neighbouring raster passes that share their attachments become one rendering.

use std::ops::Range;

use super::access::{ImageUse, Role};
use super::frame::Step;
use super::plan::{Layout, Load};

/// Ranges of steps between which no barrier can stand.
pub(crate) fn group(steps: &mut [Step], merge: bool) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for i in 0..steps.len() {
        match groups.last_mut() {
            Some(last) if merge && joins(&steps[last.clone()], &steps[i]) => {
                // A pass that only tests depth works on the layout of its group too.
                let layout = depth_layout(&steps[last.start]);
                for used in steps[i].uses.iter_mut().filter(|u| u.role == Role::Depth) {
                    used.layout = layout.unwrap_or(used.layout);
                }
                last.end = i + 1;
            }
            _ => groups.push(i..i + 1),
        }
    }
    groups
}

fn depth_layout(step: &Step) -> Option<Layout> {
    step.uses.iter().find(|u| u.role == Role::Depth).map(|u| u.layout)
}

/// True when `next` can be drawn into the rendering of `group`.
fn joins(group: &[Step], next: &Step) -> bool {
    let Some(first) = group.first() else { return false };
    if !first.renders() || !next.renders() || first.colors.len() != next.colors.len() {
        return false;
    }
    let same_colors = first.colors.iter().zip(&next.colors).all(|(a, b)| {
        a.image == b.image
            && a.mip == b.mip
            && a.layer == b.layer
            // A resolve happens at the end of a rendering, so it would be seen by nobody in between.
            && a.resolve == b.resolve
            && !matches!(b.load, Some(Load::Clear(_)))
    });
    let same_depth = match (&first.depth, &next.depth) {
        (None, None) => true,
        (Some((a, _)), Some((b, load))) => {
            let fits =
                depth_layout(first) == depth_layout(next) || depth_layout(first) == Some(Layout::DepthAttachment);
            a.image == b.image && a.mip == b.mip && a.layer == b.layer && !matches!(load, Load::Clear(_)) && fits
        }
        _ => false,
    };
    if !same_colors || !same_depth {
        return false;
    }
    let attachment = |u: &ImageUse| matches!(u.role, Role::Color | Role::Depth | Role::Resolve);
    let quiet = next.uses.iter().filter(|u| !attachment(u)).all(|u| {
        let before = group.iter().flat_map(|s| &s.uses).filter(|o| o.overlaps(u));
        before.into_iter().all(|o| !o.writes && !u.writes && o.layout == u.layout)
            && !next.uses.iter().any(|o| attachment(o) && o.overlaps(u))
    });
    quiet
        && next.buffers.iter().all(|b| {
            let before = group.iter().flat_map(|s| &s.buffers).filter(|o| o.buffer == b.buffer);
            before.into_iter().all(|o| !o.writes && !b.writes)
        })
}
