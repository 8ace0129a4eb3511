//! Phase 9: from which group of steps to which an image holds something, and which stores somebody sees.

use std::ops::Range;

use super::access::ImageUse;
use super::frame::Step;
use super::shapes::Shape;

/// First and last group that touch each image; `ends` live to the end of the frame.
pub(crate) fn lifetimes(
    steps: &[Step],
    groups: &[Range<usize>],
    images: usize,
    ends: &[u32],
) -> Vec<Option<(u32, u32)>> {
    let mut out: Vec<Option<(u32, u32)>> = vec![None; images];
    for (g, group) in groups.iter().enumerate() {
        for used in steps[group.clone()].iter().flat_map(|s| &s.uses) {
            let slot = &mut out[used.image as usize];
            *slot = Some((slot.map_or(g as u32, |s| s.0), g as u32));
        }
    }
    for image in ends {
        if let Some(life) = &mut out[*image as usize] {
            life.1 = groups.len() as u32;
        }
    }
    out
}

/// For each group, for each of its first step's attachments in the order of their uses: true when a later group, a later
/// frame or the program reads what is stored.
pub(crate) fn stores(
    steps: &[Step],
    groups: &[Range<usize>],
    shapes: &[Shape],
    lasts: impl Fn(u32) -> bool,
) -> Vec<Vec<bool>> {
    let mut live: Vec<Vec<bool>> =
        shapes.iter().enumerate().map(|(i, s)| vec![lasts(i as u32); (s.mips * s.layers) as usize]).collect();
    let mut out = vec![Vec::new(); groups.len()];
    for (g, group) in groups.iter().enumerate().rev() {
        let first = &steps[group.start];
        out[g] =
            first.uses.iter().map(|u| units(shapes, u).any(|k| live[u.image as usize].get(k) == Some(&true))).collect();
        for step in steps[group.clone()].iter().rev() {
            for used in step.uses.iter().filter(|u| u.replaces) {
                units(shapes, used).for_each(|k| set(&mut live[used.image as usize], k, false));
            }
            for used in step.uses.iter().filter(|u| u.reads && u.age == 0) {
                units(shapes, used).for_each(|k| set(&mut live[used.image as usize], k, true));
            }
        }
    }
    out
}

/// Indices of mips and layers of a use, mip by mip.
pub(crate) fn units(shapes: &[Shape], used: &ImageUse) -> impl Iterator<Item = usize> + use<> {
    let layers = shapes[used.image as usize].layers;
    let p = used.part;
    (p.mip..p.mip + p.mips).flat_map(move |m| (p.layer..p.layer + p.layers).map(move |l| (m * layers + l) as usize))
}

fn set(units: &mut [bool], index: usize, value: bool) {
    if let Some(unit) = units.get_mut(index) {
        *unit = value;
    }
}
