//! Phase 7: drops steps whose results nobody needs, and says why.

use std::collections::BTreeSet;

use super::checked::Graph;
use super::frame::{Frame, Skipped, Step};
use super::shapes::Shape;

/// Images that are needed when the frame's passes are done.
pub(crate) struct Needed<'a> {
    pub(crate) output: u32,
    pub(crate) kept: &'a [u32],
}

/// Keeps what leads to the output, to kept images and to content that a later frame reads.
pub(crate) fn cull(graph: &Graph, shapes: &[Shape], frame: &mut Frame, needed: &Needed<'_>) {
    let steps = &frame.steps;
    // Content of earlier frames that kept steps read makes its writers needed at the frame's end; that can keep more
    // steps, so it is repeated until nothing is added. Each round adds an image or a buffer, in practice one or two.
    let mut lasting_images: BTreeSet<u32> = needed.kept.iter().copied().collect();
    lasting_images.insert(needed.output);
    let mut lasting_buffers: BTreeSet<u32> = BTreeSet::new();
    let mut keep;
    loop {
        keep = walk(graph, shapes, steps, &lasting_images, &lasting_buffers);
        let before = lasting_images.len() + lasting_buffers.len();
        for (step, _) in steps.iter().zip(&keep).filter(|(_, keep)| **keep) {
            for used in step.uses.iter().filter(|u| u.reads) {
                let image = &graph.images[used.image as usize];
                if used.age > 0 || image.persistent {
                    lasting_images.insert(used.image);
                }
            }
            for used in step.buffers.iter().filter(|b| b.reads && graph.buffers[b.buffer as usize].persistent) {
                lasting_buffers.insert(used.buffer);
            }
        }
        if lasting_images.len() + lasting_buffers.len() == before {
            break;
        }
    }
    let mut at = 0;
    let mut dropped: Vec<Skipped> = Vec::new();
    frame.steps.retain(|step| {
        let kept = keep[at];
        at += 1;
        if !kept && dropped.last().is_none_or(|d| d.pass != step.pass) {
            dropped.push(Skipped { pass: step.pass, why: reason(graph, step) });
        }
        kept
    });
    let kept_passes: BTreeSet<u32> = frame.steps.iter().map(|s| s.pass).collect();
    frame.skipped.extend(dropped.into_iter().filter(|d| !kept_passes.contains(&d.pass)));
    frame.skipped.sort_by_key(|s| s.pass);
}

/// Backwards over the steps: a step is kept if it writes texels that are alive behind it.
fn walk(graph: &Graph, shapes: &[Shape], steps: &[Step], images: &BTreeSet<u32>, buffers: &BTreeSet<u32>) -> Vec<bool> {
    let mut live: Vec<Vec<bool>> = shapes
        .iter()
        .enumerate()
        .map(|(i, s)| vec![images.contains(&(i as u32)); (s.mips * s.layers) as usize])
        .collect();
    let mut live_buffers: Vec<bool> = (0..graph.buffers.len()).map(|b| buffers.contains(&(b as u32))).collect();
    let mut keep = vec![false; steps.len()];
    for (i, step) in steps.iter().enumerate().rev() {
        let units = |u: &super::access::ImageUse| {
            let layers = shapes[u.image as usize].layers;
            let p = u.part;
            (p.mip..p.mip + p.mips)
                .flat_map(move |m| (p.layer..p.layer + p.layers).map(move |l| (m * layers + l) as usize))
        };
        let alive = |u: &super::access::ImageUse| units(u).any(|k| live[u.image as usize].get(k) == Some(&true));
        keep[i] = step.uses.iter().any(|u| u.writes && alive(u))
            || step.buffers.iter().any(|b| b.writes && live_buffers[b.buffer as usize]);
        if !keep[i] {
            continue;
        }
        for used in step.uses.iter().filter(|u| u.replaces) {
            units(used).for_each(|k| set(&mut live[used.image as usize], k, false));
        }
        for used in step.uses.iter().filter(|u| u.reads && u.age == 0) {
            units(used).for_each(|k| set(&mut live[used.image as usize], k, true));
        }
        for used in step.buffers.iter().filter(|b| b.reads) {
            live_buffers[used.buffer as usize] = true;
        }
    }
    keep
}

fn set(units: &mut [bool], index: usize, value: bool) {
    if let Some(unit) = units.get_mut(index) {
        *unit = value;
    }
}

fn reason(graph: &Graph, step: &Step) -> String {
    let mut names: Vec<&str> = Vec::new();
    for used in step.uses.iter().filter(|u| u.writes) {
        names.push(graph.images[used.image as usize].name.value.as_str());
    }
    for used in step.buffers.iter().filter(|b| b.writes) {
        names.push(graph.buffers[used.buffer as usize].name.value.as_str());
    }
    names.sort_unstable();
    names.dedup();
    match names.is_empty() {
        true => "it writes nothing".to_owned(),
        false => format!("nobody needs what it writes to {}", super::source::quoted(&names)),
    }
}
