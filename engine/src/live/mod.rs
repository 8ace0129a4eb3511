//! Live editing: what changed on disk, edits that keep a file's layout, the last good version, and reload reports.
//!
//! The watch thread ([`Watcher`]) tells which files have new content; the host turns them into one transaction and
//! reports it with a [`ReloadReport`]. What was last accepted is kept by [`LastGood`], so that a start on a broken
//! file still has a picture. The overlay writes into graph files with [`move_pass`], [`set_pass_enabled`] and
//! [`set_param`], whose result differs from the text before in exactly the lines that say so.

mod blocks;
mod diff;
mod files;
mod graph_edit;
mod last_good;
mod watch;
mod watch_thread;

pub use diff::{BeforeAfter, MovedPass, ReloadReport};
pub use files::{Root, editor_file};
pub use graph_edit::{EditError, EditHistory, literal, move_pass, pass_names, set_param, set_pass_enabled};
pub use last_good::LastGood;
pub use watch::{Backend, Change, ChangeSet, MAX_WAIT, POLL, ROOT_CHECK, Relevant, SETTLE, WatchOptions, Watcher};
