//! What a reload changed.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::graph::{Instruction, Plan};

/// A pass that stands elsewhere among the passes that both plans have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MovedPass {
    /// Name.
    pub name: String,
    /// Index in the plan before.
    pub from: usize,
    /// Index in the plan now.
    pub to: usize,
}

/// A figure before and now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BeforeAfter {
    /// Before the reload.
    pub before: u64,
    /// Now.
    pub after: u64,
}

/// The difference of two plans. Prints as one compact line, and a line for each list that is not empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReloadReport {
    /// Passes that only the new plan runs, in its order.
    pub added: Vec<String>,
    /// Passes that only the old plan ran, in its order.
    pub removed: Vec<String>,
    /// The fewest passes whose move explains the new order, in the new order.
    pub moved: Vec<MovedPass>,
    /// Image and buffer barriers of a frame.
    pub barriers: BeforeAfter,
    /// Bytes of the heap that transient images share.
    pub heap_bytes: BeforeAfter,
    /// Pipelines that had to be built.
    pub pipelines_built: usize,
    /// Pipelines of the new plan.
    pub pipelines: usize,
}

impl ReloadReport {
    /// Compares two plans; `pipelines_built` is what the backend built for the new one.
    pub fn new(before: &Plan, after: &Plan, pipelines_built: usize) -> Self {
        let old = positions(before);
        let new = positions(after);
        let only = |plan: &Plan, other: &BTreeMap<&str, usize>| {
            let names = plan.passes.iter().map(|p| &p.name);
            names.filter(|name| !other.contains_key(name.as_str())).cloned().collect()
        };
        let common: Vec<(usize, usize, &str)> = after
            .passes
            .iter()
            .enumerate()
            .filter_map(|(to, pass)| old.get(pass.name.as_str()).map(|&from| (from, to, pass.name.as_str())))
            .collect();
        let stays = longest_increasing(&common.iter().map(|c| c.0).collect::<Vec<_>>());
        let moved = common.iter().zip(stays).filter(|(_, stays)| !stays);
        Self {
            added: only(after, &old),
            removed: only(before, &new),
            moved: moved.map(|(&(from, to, name), _)| MovedPass { name: name.to_owned(), from, to }).collect(),
            barriers: BeforeAfter { before: barriers(before), after: barriers(after) },
            heap_bytes: BeforeAfter { before: before.heap_bytes, after: after.heap_bytes },
            pipelines_built,
            pipelines: after.pipelines.len(),
        }
    }

    /// True when the passes are the same in the same order.
    pub fn same_passes(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.moved.is_empty()
    }

    /// The report in one line.
    pub fn line(&self) -> String {
        let passes = if self.same_passes() {
            "same passes".to_owned()
        } else {
            format!("passes +{} -{} moved {}", self.added.len(), self.removed.len(), self.moved.len())
        };
        let BeforeAfter { before, after } = self.barriers;
        let barriers = if before == after { format!("{after}") } else { format!("{before} -> {after}") };
        let BeforeAfter { before, after } = self.heap_bytes;
        let heap = if before == after { mib(after) } else { format!("{} -> {}", mib(before), mib(after)) };
        let (built, all) = (self.pipelines_built, self.pipelines);
        format!("{passes}, barriers {barriers}, heap {heap}, pipelines {built} of {all} rebuilt")
    }
}

impl fmt::Display for ReloadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())?;
        if !self.added.is_empty() {
            write!(f, "\n  added: {}", self.added.join(", "))?;
        }
        if !self.removed.is_empty() {
            write!(f, "\n  removed: {}", self.removed.join(", "))?;
        }
        for moved in &self.moved {
            write!(f, "\n  moved: {} ({} -> {})", moved.name, moved.from + 1, moved.to + 1)?;
        }
        Ok(())
    }
}

fn mib(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

fn positions(plan: &Plan) -> BTreeMap<&str, usize> {
    plan.passes.iter().enumerate().map(|(i, pass)| (pass.name.as_str(), i)).collect()
}

/// Barriers that the instructions of a frame issue.
fn barriers(plan: &Plan) -> u64 {
    let issued = plan.instructions.iter().filter_map(|i| match i {
        Instruction::Barriers(batch) => plan.barriers.get(*batch as usize),
        _ => None,
    });
    issued.map(|batch| (batch.images.len() + batch.buffers.len()) as u64).sum()
}

/// Marks a longest increasing subsequence. Names are unique, so with old positions in the new order this is the
/// longest common subsequence of both orders, in n log n.
fn longest_increasing(values: &[usize]) -> Vec<bool> {
    // `tails[k]` is the index of the smallest end of an increasing run of k + 1 values.
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; values.len()];
    for (i, value) in values.iter().enumerate() {
        let length = tails.partition_point(|&t| values[t] < *value);
        previous[i] = length.checked_sub(1).map(|l| tails[l]);
        match tails.get_mut(length) {
            Some(tail) => *tail = i,
            None => tails.push(i),
        }
    }
    let mut marked = vec![false; values.len()];
    let mut at = tails.last().copied();
    while let Some(i) = at {
        marked[i] = true;
        at = previous[i];
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{BarrierBatch, BufferBarrier, PlanPass, Scope};

    fn plan(names: &[&str], barriers: usize, heap_bytes: u64) -> Plan {
        let barrier = BufferBarrier { buffer: 0, src: Scope::default(), dst: Scope::default() };
        Plan {
            passes: names
                .iter()
                .map(|n| PlanPass { name: (*n).into(), span: 0..0, view: crate::scene::ViewId(0), viewport: [0; 4] })
                .collect(),
            barriers: vec![BarrierBatch { images: vec![], buffers: vec![barrier] }],
            instructions: vec![Instruction::Barriers(0); barriers],
            heap_bytes,
            ..Plan::default()
        }
    }

    #[test]
    fn a_dragged_pass_is_the_only_one_that_moved() {
        let before = plan(&["a", "b", "c", "d", "e"], 3, 1 << 20);
        let after = plan(&["e", "a", "b", "c", "d"], 4, 1 << 19);
        let report = ReloadReport::new(&before, &after, 0);
        assert_eq!(report.moved, [MovedPass { name: "e".into(), from: 4, to: 0 }]);
        assert_eq!(
            report.to_string(),
            "passes +0 -0 moved 1, barriers 3 -> 4, heap 1.0 MiB -> 0.5 MiB, pipelines 0 of 0 rebuilt\n  moved: e (5 -> 1)"
        );
    }

    #[test]
    fn added_and_removed_passes_do_not_count_as_moves() {
        let report = ReloadReport::new(&plan(&["a", "b", "c"], 0, 0), &plan(&["x", "b", "y", "c"], 0, 0), 2);
        assert_eq!(report.added, ["x", "y"]);
        assert_eq!(report.removed, ["a"]);
        assert_eq!(report.moved, []);
        assert!(report.to_string().ends_with("\n  added: x, y\n  removed: a"), "{report}");
    }

    #[test]
    fn equal_plans_report_the_same_passes() {
        let plan = plan(&["a", "b"], 1, 0);
        let report = ReloadReport::new(&plan, &plan, 1);
        assert!(report.same_passes());
        assert_eq!(report.line(), "same passes, barriers 1, heap 0.0 MiB, pipelines 1 of 0 rebuilt");
    }
}
