//! Checks across chunks: every index that a consumer follows is in range afterwards, and the nodes form a forest.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::reader::Warnings;
use super::*;

pub(super) fn validate(m: &mut Model, w: &mut Warnings) {
    sequences(m, w);
    textures(m, w);
    materials(m, w);
    geosets(m, w);
    emitters(m, w);
    parents(m, w);
    global_sequences(m, w);
    let nodes = m.nodes().count();
    if nodes > m.pivots.len() {
        w.add(0, "PIVT", format!("{} pivots for {nodes} nodes; the others turn about the origin", m.pivots.len()));
    }
}

fn sequences(m: &mut Model, w: &mut Warnings) {
    for (i, sequence) in m.sequences.iter_mut().enumerate() {
        if sequence.end < sequence.start {
            let (name, start, end) = (&sequence.name, sequence.start, sequence.end);
            w.add(0, "SEQS.end", format!("sequence {i} \"{name}\" ends at {end} before it begins at {start}"));
            sequence.end = start;
        }
    }
}

fn textures(m: &mut Model, w: &mut Warnings) {
    for (i, texture) in m.textures.iter().enumerate() {
        if texture.path.is_empty() && texture.replaceable_id == 0 {
            w.add(0, "TEXS.path", format!("texture {i} names no file and no replaceable id"));
        }
    }
}

/// Clears an index that is out of range.
fn check(index: &mut Option<usize>, len: usize, at: u64, field: &str, of: &str, w: &mut Warnings) {
    if let Some(i) = index.filter(|&i| i >= len) {
        w.add(at, field, format!("{i} is past the last of {len} {of}"));
        *index = None;
    }
}

fn materials(m: &mut Model, w: &mut Warnings) {
    let (textures, animations) = (m.textures.len(), m.texture_animations.len());
    for material in &mut m.materials {
        let at = material.offset;
        for layer in &mut material.layers {
            check(&mut layer.texture_animation, animations, at, "LAYS.textureAnimationId", "texture animations", w);
            for texture in &mut layer.textures {
                check(&mut texture.texture, textures, at, "LAYS.textureId", "textures", w);
                let Some(track) = &mut texture.texture_track else { continue };
                let before = track.keys.len();
                track.keys.retain(|k| (k.value as usize) < textures);
                if track.keys.len() < before {
                    w.add(at, "KMTF", format!("{} keys name textures past the last", before - track.keys.len()));
                }
            }
        }
    }
}

fn geosets(m: &mut Model, w: &mut Warnings) {
    let ids: HashSet<u32> = m.nodes().map(|n| n.object_id).collect();
    let (materials, geosets) = (m.materials.len(), m.geosets.len());
    for geoset in &mut m.geosets {
        let at = geoset.offset;
        check(&mut geoset.material, materials, at, "GEOS.materialId", "materials", w);
        if geoset.material.is_none() && materials > 0 {
            geoset.material = Some(0);
        }
        let before: usize = geoset.groups.iter().map(Vec::len).sum();
        geoset.groups.iter_mut().for_each(|g| g.retain(|id| ids.contains(id)));
        let lost = before - geoset.groups.iter().map(Vec::len).sum::<usize>();
        if lost > 0 {
            w.add(at, "MATS", format!("{lost} entries name nodes that do not exist"));
        }
        let mut wild = 0;
        for skin in &mut geoset.skin {
            for (node, weight) in skin.nodes.iter().zip(&mut skin.weights) {
                if *weight > 0 && !ids.contains(&u32::from(*node)) {
                    *weight = 0;
                    wild += 1;
                }
            }
        }
        if wild > 0 {
            w.add(at, "SKIN", format!("{wild} weights name nodes that do not exist"));
        }
    }
    for animation in &mut m.geoset_animations {
        check(&mut animation.geoset, geosets, animation.offset, "GEOA.geosetId", "geosets", w);
    }
    // The hints of bones are not followed; exporters leave old ones, so that they are cleared without a word.
    let animations = m.geoset_animations.len();
    for bone in &mut m.bones {
        bone.geoset = bone.geoset.filter(|&i| i < geosets);
        bone.geoset_animation = bone.geoset_animation.filter(|&i| i < animations);
    }
}

fn emitters(m: &mut Model, w: &mut Warnings) {
    let (textures, materials) = (m.textures.len(), m.materials.len());
    for emitter in &mut m.particle_emitters2 {
        check(&mut emitter.texture, textures, emitter.node.offset, "PRE2.textureId", "textures", w);
    }
    for ribbon in &mut m.ribbons {
        check(&mut ribbon.material, materials, ribbon.node.offset, "RIBB.materialId", "materials", w);
    }
}

/// Makes every parent an existing node and breaks circles.
fn parents(m: &mut Model, w: &mut Warnings) {
    let mut parent_of: BTreeMap<u32, Option<u32>> = BTreeMap::new();
    for node in m.nodes() {
        if parent_of.insert(node.object_id, node.parent).is_some() {
            w.add(
                node.offset,
                "NODE.objectId",
                format!("\"{}\" has the id {} of another node", node.name, node.object_id),
            );
        }
    }
    // The first of several nodes with one id counts, as in the hierarchy.
    let mut seen = HashSet::new();
    for node in m.nodes_mut() {
        if let Some(parent) = node.parent.filter(|p| !parent_of.contains_key(p)) {
            w.add(
                node.offset,
                "NODE.parentId",
                format!("\"{}\" has the parent {parent}, which does not exist", node.name),
            );
            node.parent = None;
        }
        if seen.insert(node.object_id) {
            parent_of.insert(node.object_id, node.parent);
        } else if node.parent == Some(node.object_id) {
            node.parent = None;
        }
    }
    let cut = circles(&parent_of);
    for node in m.nodes_mut().filter(|n| cut.contains(&n.object_id)) {
        w.add(node.offset, "NODE.parentId", format!("\"{}\" is its own ancestor; it becomes a root", node.name));
        node.parent = None;
    }
}

/// One node of every circle.
fn circles(parent_of: &BTreeMap<u32, Option<u32>>) -> HashSet<u32> {
    let mut done: HashSet<u32> = HashSet::new();
    let mut cut = HashSet::new();
    for &start in parent_of.keys() {
        let mut path = HashSet::new();
        let mut at = start;
        while !done.contains(&at) {
            if !path.insert(at) {
                cut.insert(at);
                break;
            }
            match parent_of.get(&at).copied().flatten() {
                Some(parent) => at = parent,
                None => break,
            }
        }
        done.extend(path);
    }
    cut
}

/// Clears the global sequences of tracks that name one past the last.
macro_rules! check_tracks {
    ($count:expr, $at:expr, $w:expr, $($track:expr),+ $(,)?) => {
        $(if let Some(track) = &mut $track {
            check(&mut track.global_sequence, $count, $at, "track.globalSequenceId", "global sequences", $w);
        })+
    };
}

fn global_sequences(m: &mut Model, w: &mut Warnings) {
    let count = m.global_sequences.len();
    for n in m.nodes_mut() {
        check_tracks!(count, n.offset, w, n.translation, n.rotation, n.scaling);
    }
    for a in &mut m.geoset_animations {
        check_tracks!(count, a.offset, w, a.alpha_track, a.color_track);
    }
    for event in &mut m.events {
        check(&mut event.global_sequence, count, event.node.offset, "KEVT.globalSequenceId", "global sequences", w);
    }
    for c in &mut m.cameras {
        check_tracks!(count, 0, w, c.translation, c.target_translation, c.roll);
    }
    for a in &mut m.attachments {
        check_tracks!(count, a.node.offset, w, a.visibility_track);
    }
    material_tracks(m, count, w);
    light_tracks(m, count, w);
    emitter_tracks(m, count, w);
}

fn material_tracks(m: &mut Model, count: usize, w: &mut Warnings) {
    for a in &mut m.texture_animations {
        check_tracks!(count, 0, w, a.translation, a.rotation, a.scaling);
    }
    for material in &mut m.materials {
        let at = material.offset;
        for l in &mut material.layers {
            check_tracks!(count, at, w, l.alpha_track, l.emissive_gain_track, l.fresnel_color_track);
            check_tracks!(count, at, w, l.fresnel_opacity_track, l.fresnel_team_color_track);
            for texture in &mut l.textures {
                check_tracks!(count, at, w, texture.texture_track);
            }
        }
    }
}

fn light_tracks(m: &mut Model, count: usize, w: &mut Warnings) {
    for l in &mut m.lights {
        let at = l.node.offset;
        check_tracks!(count, at, w, l.attenuation_start_track, l.attenuation_end_track, l.color_track);
        check_tracks!(count, at, w, l.intensity_track, l.ambient_intensity_track, l.ambient_color_track);
        check_tracks!(count, at, w, l.visibility_track);
    }
}

fn emitter_tracks(m: &mut Model, count: usize, w: &mut Warnings) {
    for p in &mut m.particle_emitters {
        let at = p.node.offset;
        check_tracks!(count, at, w, p.emission_rate_track, p.gravity_track, p.longitude_track, p.latitude_track);
        check_tracks!(count, at, w, p.life_span_track, p.speed_track, p.visibility_track);
    }
    for p in &mut m.particle_emitters2 {
        let at = p.node.offset;
        check_tracks!(count, at, w, p.speed_track, p.variation_track, p.latitude_track, p.gravity_track);
        check_tracks!(count, at, w, p.emission_rate_track, p.length_track, p.width_track, p.visibility_track);
    }
    for r in &mut m.ribbons {
        let at = r.node.offset;
        check_tracks!(count, at, w, r.height_above_track, r.height_below_track, r.alpha_track, r.color_track);
        check_tracks!(count, at, w, r.texture_slot_track, r.visibility_track);
    }
    for p in &mut m.popcorn_emitters {
        let at = p.node.offset;
        check_tracks!(count, at, w, p.alpha_track, p.color_track, p.emission_rate_track, p.life_span_track);
        check_tracks!(count, at, w, p.speed_track, p.visibility_track);
    }
}

pub(super) fn hierarchy(m: &Model) -> Vec<Joint<'_>> {
    let mut by_id: HashMap<u32, &Node> = HashMap::new();
    let mut children: BTreeMap<u32, Vec<&Node>> = BTreeMap::new();
    let mut stack = Vec::new();
    for node in m.nodes() {
        if by_id.contains_key(&node.object_id) {
            continue;
        }
        by_id.insert(node.object_id, node);
        match node.parent {
            Some(parent) => children.entry(parent).or_default().push(node),
            None => stack.push((node, None)),
        }
    }
    // From a stack, so the reverse keeps the stored order among brothers.
    stack.reverse();
    let mut out = Vec::with_capacity(by_id.len());
    while let Some((node, parent)) = stack.pop() {
        let at = out.len();
        out.push(Joint { node, parent });
        let below = children.remove(&node.object_id).unwrap_or_default();
        stack.extend(below.into_iter().rev().map(|child| (child, Some(at))));
    }
    out
}
