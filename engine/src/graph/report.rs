//! What the compiler did and why, for people.

use serde::Serialize;

/// What the compiler did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
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
}
