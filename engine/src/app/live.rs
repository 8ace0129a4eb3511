//! Watching the files behind a session: a batch of changes becomes one reload.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;

use super::session::{ReloadOutcome, Session};
use crate::diag::Diagnostic;
use crate::live::{ChangeSet, Root, WatchOptions, Watcher};

/// Watches a session's graph files and shaders.
pub struct LiveFiles {
    watcher: Watcher,
    batches: Receiver<ChangeSet>,
    roots: BTreeSet<PathBuf>,
}

/// What a reload says to a person.
pub struct LiveEvent {
    /// One line.
    pub text: String,
    /// What is wrong; empty after a swap.
    pub errors: Vec<Diagnostic>,
}

impl LiveFiles {
    /// Starts watching.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new(session: &Session) -> Result<Self, Diagnostic> {
        let relevant = |path: &Path| {
            path.extension().is_some_and(|e| ["toml", "vert", "frag", "comp", "glsl"].iter().any(|known| e == *known))
        };
        let (watcher, batches) = Watcher::new(WatchOptions::new(relevant))?;
        let mut live = Self { watcher, batches, roots: BTreeSet::new() };
        live.follow(session);
        Ok(live)
    }

    /// Watches the folders of all files that the graph is made of now; a graph may extend a file elsewhere.
    fn follow(&mut self, session: &Session) {
        let folder = |file: &Path| match file.parent() {
            Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
            Some(parent) => parent.to_path_buf(),
            None => PathBuf::from("."),
        };
        let mut folders: BTreeSet<PathBuf> = session.graph().files().iter().map(|f| folder(Path::new(f))).collect();
        folders.insert(folder(session.graph_path()));
        if folders != self.roots {
            let flat = folders.iter().map(Root::flat);
            self.watcher.set_roots(flat.chain([Root::recursive(session.shader_folder())]));
            self.roots = folders;
        }
    }

    /// Starts a reload when files changed, and swaps in what is ready. Called between two frames.
    ///
    /// # Errors
    /// What the GPU says at the swap.
    pub fn poll(&mut self, session: &mut Session) -> Result<Option<LiveEvent>, Vec<Diagnostic>> {
        let mut changed = false;
        while let Ok(batch) = self.batches.try_recv() {
            changed |= !batch.files.is_empty();
        }
        if changed {
            session.reload();
        }
        Ok(session.poll_reload()?.map(|outcome| match outcome {
            ReloadOutcome::Swapped(report) => {
                self.follow(session);
                LiveEvent { text: report.line(), errors: Vec::new() }
            }
            ReloadOutcome::Kept(errors) => {
                let text = format!("the last good graph goes on: {} errors", errors.len());
                LiveEvent { text, errors }
            }
        }))
    }

    /// Tells that the program itself wrote a file, so that the write is not reported.
    pub fn wrote(&self, path: &Path, bytes: &[u8]) {
        self.watcher.loaded(path, bytes);
    }
}
