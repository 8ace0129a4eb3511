//! What the compiler did and why, for people.

use std::collections::BTreeMap;

use serde::Serialize;

/// What the compiler did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// All passes in the order of the file, those that do not run too.
    pub passes: Vec<PassReport>,
    /// All images that the plan has.
    pub images: Vec<ImageReport>,
    /// Passes that do not run, in the order of the file.
    pub culled: Vec<CulledPass>,
    /// Passes that share a rendering.
    pub merged: Vec<Vec<String>>,
    /// Images and the format that each got, where the file gives a choice.
    pub formats: Vec<(String, String)>,
    /// Bytes of the heap of transient images.
    pub heap_bytes: u64,
    /// Bytes that the same images would take without sharing.
    pub unshared_bytes: u64,
    /// The largest sum of sizes of images that hold something at once.
    pub live_bytes: u64,
    /// Bytes of persistent images, all instances.
    pub persistent_bytes: u64,
    /// Calls that issue barriers in a frame.
    pub barrier_calls: u32,
    /// Every barrier with its reason.
    pub barriers: Vec<BarrierReason>,
    /// The longest chain of passes that wait for each other.
    pub critical_path: Vec<String>,
}

/// A pass and what it touches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassReport {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: &'static str,
    /// Images and buffers that it reads, `name@1` for the frame before.
    pub reads: Vec<String>,
    /// Images and buffers that it writes.
    pub writes: Vec<String>,
    /// Why it does not run; `None` where it does.
    pub off: Option<String>,
}

/// An image of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImageReport {
    /// Name.
    pub name: String,
    /// Format.
    pub format: &'static str,
    /// Width and height.
    pub extent: [u32; 2],
    /// Bytes of one instance.
    pub bytes: u64,
    /// Offset in the shared heap; `None` for persistent images.
    pub offset: Option<u64>,
    /// Instances.
    pub instances: u32,
    /// First and last pass that touch it.
    pub life: Option<(String, String)>,
    /// The same as positions among the groups of passes between which barriers can stand, both included.
    pub span: (u32, u32),
}

/// A pass that does not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CulledPass {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: String,
}

/// Why a barrier stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BarrierReason {
    /// The image or buffer.
    pub resource: String,
    /// The pass that must be done; `None` is an earlier frame.
    pub after: Option<String>,
    /// The pass that waits.
    pub before: String,
}

impl Report {
    /// Bytes that sharing of memory saves.
    pub fn saved_bytes(&self) -> u64 {
        self.unshared_bytes.saturating_sub(self.heap_bytes)
    }

    /// The longest chain in [`Report::barriers`]; ties go to the earlier pass.
    pub(crate) fn find_critical_path(&mut self) {
        let positions: BTreeMap<&str, usize> =
            self.passes.iter().enumerate().map(|(i, p)| (p.name.as_str(), i)).collect();
        let position = |name: &str| positions.get(name).copied();
        let mut length = vec![1usize; self.passes.len()];
        let mut from: Vec<Option<usize>> = vec![None; self.passes.len()];
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for barrier in &self.barriers {
            let after = barrier.after.as_deref().and_then(position);
            if let (Some(a), Some(b)) = (after, position(&barrier.before))
                && a < b
            {
                edges.push((a, b));
            }
        }
        // Passes are in the order of the frame, so edges by their end are in topological order.
        edges.sort_unstable_by_key(|e| (e.1, e.0));
        for (a, b) in edges {
            if length[a] + 1 > length[b] {
                length[b] = length[a] + 1;
                from[b] = Some(a);
            }
        }
        let runs = |i: &usize| self.passes[*i].off.is_none();
        let mut at = (0..self.passes.len()).filter(runs).max_by_key(|i| (length[*i], std::cmp::Reverse(*i)));
        let mut path = Vec::new();
        while let Some(i) = at {
            path.push(self.passes[i].name.clone());
            at = from[i];
        }
        path.reverse();
        self.critical_path = path;
    }
}
