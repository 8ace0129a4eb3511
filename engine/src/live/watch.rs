//! The watch thread: from the system's events to batches of files whose content is new.
//!
//! Folders are watched, so a file may be replaced by rename, deleted and made again, or cut and written anew. An event
//! only marks a path; what happened is decided by comparing the content with the one that was there before, once
//! nothing has moved for [`SETTLE`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::files::{Root, hash_of_loaded};
use super::watch_thread::{Message, WatchThread};
use crate::diag::Diagnostic;

/// Quiet time after the last event before a batch is read. Editors' truncate-and-write takes well under 1 ms.
pub const SETTLE: Duration = Duration::from_millis(40);
/// Longest time that a batch waits for files in motion, files that are missing, empty or locked, and event storms.
pub const MAX_WAIT: Duration = Duration::from_millis(200);
/// Time between two looks at whether the folders themselves are still the same ones.
pub const ROOT_CHECK: Duration = Duration::from_millis(500);
/// Time between two looks at all files where the system gives no events.
pub const POLL: Duration = Duration::from_millis(250);

/// Says which files count, by their path below the root's folder with links resolved; called on the watch thread. Files
/// of editors never get here.
pub type Relevant = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// Where events come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The system's notification, and polling where it is not to be had.
    #[default]
    Native,
    /// A look at all files every [`POLL`].
    Polling,
}

/// How to watch.
#[derive(Clone)]
pub struct WatchOptions {
    /// Which files count.
    pub relevant: Relevant,
    /// Where events come from.
    pub backend: Backend,
    /// Quiet time before a batch is read.
    pub settle: Duration,
    /// Longest time that a batch waits.
    pub max_wait: Duration,
}

impl WatchOptions {
    /// Watches the files for which `relevant` holds, with [`SETTLE`] and [`MAX_WAIT`].
    pub fn new(relevant: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self { relevant: Arc::new(relevant), backend: Backend::Native, settle: SETTLE, max_wait: MAX_WAIT }
    }
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It was not there before.
    Created,
    /// Its content is another.
    Modified,
    /// It is gone.
    Removed,
}

/// Everything that changed together.
#[derive(Clone, Debug)]
pub struct ChangeSet {
    /// Files, spelled below the root as it was given; one that lies below two roots appears under both spellings.
    pub files: BTreeMap<PathBuf, Change>,
    /// What hinders watching; may come without files.
    pub problems: Vec<Diagnostic>,
    /// When the first event of the batch arrived.
    pub touched_at: Instant,
    /// When the batch was complete.
    pub settled_at: Instant,
}

/// The watch thread's handle. Dropping it ends the thread.
#[derive(Debug)]
pub struct Watcher {
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Starts the watch thread, which sends batches through the receiver. Nothing is watched before
    /// [`set_roots`](Self::set_roots).
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new(options: WatchOptions) -> Result<(Self, Receiver<ChangeSet>), Diagnostic> {
        let (messages, inbox) = mpsc::channel();
        let (batches, receiver) = mpsc::channel();
        let events = messages.clone();
        let thread = thread::Builder::new()
            .name("watch".into())
            .spawn(move || WatchThread::new(options, events, batches).run(&inbox))
            .map_err(|e| {
                Diagnostic::error("live.no-thread", format!("files are not watched: {e}"))
                    .help("reload by hand, or end other programs")
            })?;
        Ok((Self { messages, thread: Some(thread) }, receiver))
    }

    /// Watches exactly these folders from now on and returns when they are watched. Content that lies there now counts
    /// as known; watch first and read then, or tell by [`loaded`](Self::loaded) what was read. Folders that stay keep
    /// what is known of them, a folder that is missing is watched as soon as it appears.
    pub fn set_roots(&self, roots: impl IntoIterator<Item = Root>) {
        let (done, wait) = mpsc::channel();
        if self.messages.send(Message::SetRoots(roots.into_iter().collect(), done)).is_ok() {
            // An error means that the thread has ended; then there is nothing to wait for.
            let _ = wait.recv();
        }
    }

    /// Tells which content of `path` is in use. If another is on disk, it is reported as a change; the host's own
    /// write, told right after it, is not.
    pub fn loaded(&self, path: &Path, bytes: &[u8]) {
        if let Some(hash) = hash_of_loaded(path, bytes) {
            let _ = self.messages.send(Message::Loaded(path.to_owned(), hash));
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
