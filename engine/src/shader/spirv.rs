//! The little of SPIR-V that is needed to give bindings and locations their numbers by name.
//!
//! Layout: SPIR-V specification, "Physical Layout of a SPIR-V Module" (five header words, then instructions whose first
//! word holds the word count above the opcode).

use std::collections::BTreeMap;

const OP_DECORATE: u32 = 71;
const OP_VARIABLE: u32 = 59;
const OP_NAME: u32 = 5;
const OP_EXECUTION_MODE: u32 = 16;
const MODE_LOCAL_SIZE: u32 = 17;
const DECORATION_LOCATION: u32 = 30;
const DECORATION_BINDING: u32 = 33;
const DECORATION_SET: u32 = 34;
const STORAGE_INPUT: u32 = 1;
const STORAGE_OUTPUT: u32 = 3;

/// Which side of a stage a variable is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Read by the stage.
    Input,
    /// Written by the stage.
    Output,
}

fn instructions(words: &[u32]) -> impl Iterator<Item = (usize, u32, &[u32])> {
    let mut at = 5;
    std::iter::from_fn(move || {
        let first = *words.get(at)?;
        let count = (first >> 16) as usize;
        let operands = words.get(at + 1..at + count)?;
        let start = at;
        at += count.max(1);
        Some((start, first & 0xFFFF, operands))
    })
}

/// Rewrites binding numbers: `number(set, old)` gives the new one.
pub(super) fn rebind(words: &mut [u32], number: impl Fn(u32, u32) -> Option<u32>) {
    let mut sets = BTreeMap::new();
    let mut bindings = Vec::new();
    for (at, op, operands) in instructions(words) {
        match (op, operands) {
            (OP_DECORATE, &[target, DECORATION_SET, set]) => {
                sets.insert(target, set);
            }
            (OP_DECORATE, &[target, DECORATION_BINDING, binding]) => bindings.push((at + 3, target, binding)),
            _ => {}
        }
    }
    for (at, target, old) in bindings {
        if let Some(new) = number(sets.get(&target).copied().unwrap_or(0), old) {
            words[at] = new;
        }
    }
}

/// Rewrites the locations of a stage's inputs or outputs by variable name.
pub(super) fn relocate(words: &mut [u32], side: Side, locations: &BTreeMap<String, u32>) {
    let storage = if side == Side::Input { STORAGE_INPUT } else { STORAGE_OUTPUT };
    let mut names = BTreeMap::new();
    let mut wanted = Vec::new();
    let mut variables = Vec::new();
    for (at, op, operands) in instructions(words) {
        match (op, operands) {
            (OP_NAME, [target, text @ ..]) => {
                names.insert(*target, string(text));
            }
            (OP_VARIABLE, &[_, id, class, ..]) if class == storage => variables.push(id),
            (OP_DECORATE, &[target, DECORATION_LOCATION, _]) => wanted.push((at + 3, target)),
            _ => {}
        }
    }
    for (at, target) in wanted {
        let name = names.get(&target).filter(|_| variables.contains(&target));
        if let Some(location) = name.and_then(|n| locations.get(n)) {
            words[at] = *location;
        }
    }
}

/// The work group size of a compute shader, 1 where there is none.
pub(super) fn local_size(words: &[u32]) -> [u32; 3] {
    instructions(words)
        .find_map(|(_, op, operands)| match (op, operands) {
            (OP_EXECUTION_MODE, &[_, MODE_LOCAL_SIZE, x, y, z]) => Some([x, y, z]),
            _ => None,
        })
        .unwrap_or([1; 3])
}

fn string(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).take_while(|&b| b != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// FNV-1a over the words of all stages.
pub(super) fn hash<'a>(stages: impl Iterator<Item = &'a [u32]>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for word in stages.flatten() {
        for byte in word.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
