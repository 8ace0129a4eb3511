//! The state and the loop of the watch thread.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use notify::event::{EventKind, ModifyKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use super::files::{Content, Root, Stamp, editor_file, identity, read, walk};
use super::watch::{Backend, Change, ChangeSet, POLL, ROOT_CHECK, WatchOptions};
use crate::diag::{Diagnostic, Severity};

/// Files up to this size are read before `set_roots` returns; longer ones when the thread has nothing else to do.
const READ_AT_ONCE: u64 = 256 << 10;
/// Bytes that are read before `set_roots` returns.
const READ_AT_ONCE_TOTAL: u64 = 16 << 20;

/// No folder's number.
const NO_INODE: (u64, u64) = (u64::MAX, u64::MAX);

/// What the watch thread is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// The system saw something.
    Event(notify::Result<notify::Event>),
    /// Other roots; answered when they are watched.
    SetRoots(Vec<Root>, Sender<()>),
    /// The host uses content of this hash.
    Loaded(PathBuf, u64),
    /// The end.
    Stop,
}

/// Content that was there when it was last looked at.
#[derive(Clone, Copy, Debug)]
struct Known {
    stamp: Stamp,
    /// None until the file has been read.
    hash: Option<u64>,
}

/// What became of a file.
struct Update {
    path: PathBuf,
    change: Option<Change>,
    /// None when it is gone.
    known: Option<Known>,
}

/// A file may still be on its way, and there is time left.
struct NotYet;

/// A root and the folder that it stands for.
struct Place {
    root: Root,
    real: Option<PathBuf>,
}

/// A folder that the system watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Watched {
    recursive: bool,
    inode: (u64, u64),
}

/// All paths inside are below resolved folders; [`WatchThread::names`] gives the host's spelling.
pub(crate) struct WatchThread {
    options: WatchOptions,
    batches: Sender<ChangeSet>,
    /// None while polling.
    native: Option<RecommendedWatcher>,
    places: Vec<Place>,
    watched: BTreeMap<PathBuf, Watched>,
    known: BTreeMap<PathBuf, Known>,
    /// Known files that wait to be read, the shortest last.
    unread: Vec<PathBuf>,
    touched: BTreeSet<PathBuf>,
    first_touch: Instant,
    last_touch: Instant,
    /// Folders that appeared: looked at again later, for files made before the system watched them.
    fresh: Vec<(Instant, PathBuf)>,
    unreadable: BTreeSet<PathBuf>,
    problems: Vec<Diagnostic>,
    next_check: Instant,
}

impl WatchThread {
    pub(crate) fn new(options: WatchOptions, events: Sender<Message>, batches: Sender<ChangeSet>) -> Self {
        let now = Instant::now();
        let mut this = Self {
            options,
            batches,
            native: None,
            places: Vec::new(),
            watched: BTreeMap::new(),
            known: BTreeMap::new(),
            unread: Vec::new(),
            touched: BTreeSet::new(),
            first_touch: now,
            last_touch: now,
            fresh: Vec::new(),
            unreadable: BTreeSet::new(),
            problems: Vec::new(),
            next_check: now + ROOT_CHECK,
        };
        if this.options.backend == Backend::Native {
            let forward = move |event| {
                // An error means that the thread is ending.
                let _ = events.send(Message::Event(event));
            };
            match notify::recommended_watcher(forward) {
                Ok(native) => this.native = Some(native),
                Err(e) => this.poll_from_now_on(&e),
            }
        }
        this
    }

    pub(crate) fn run(mut self, inbox: &Receiver<Message>) {
        loop {
            match inbox.recv_timeout(self.time_to_wait()) {
                Ok(Message::Event(event)) => self.event(event),
                Ok(Message::SetRoots(roots, done)) => {
                    self.set_roots(roots);
                    let _ = done.send(());
                }
                Ok(Message::Loaded(path, hash)) => self.loaded(&path, hash),
                Err(RecvTimeoutError::Timeout) => self.read_one(),
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            }
            if Instant::now() >= self.next_check {
                self.check();
            }
            if self.settle().is_err() {
                return;
            }
        }
    }

    fn time_to_wait(&self) -> Duration {
        let mut until = self.next_check;
        if !self.touched.is_empty() {
            until = until.min(self.deadline());
        } else if !self.unread.is_empty() {
            return Duration::ZERO;
        }
        until.saturating_duration_since(Instant::now())
    }

    fn deadline(&self) -> Instant {
        (self.last_touch + self.options.settle).min(self.first_touch + self.options.max_wait)
    }

    fn touch(&mut self, path: PathBuf) {
        self.last_touch = Instant::now();
        if self.touched.is_empty() {
            self.first_touch = self.last_touch;
        }
        self.touched.insert(path);
    }

    fn counts(&self, path: &Path) -> bool {
        !editor_file(path) && (self.options.relevant)(path)
    }

    /// How a folder is watched: with what is below it, only itself, or not at all.
    fn recursion(&self, folder: &Path) -> Option<bool> {
        if self.watched.iter().any(|(root, w)| w.recursive && folder.starts_with(root)) {
            return Some(true);
        }
        self.watched.get(folder).map(|w| w.recursive)
    }

    fn covered(&self, file: &Path) -> bool {
        file.parent().and_then(|folder| self.recursion(folder)).is_some()
    }

    fn known_below(&self, folder: &Path) -> Vec<PathBuf> {
        let below = self.known.range::<Path, _>((Bound::Included(folder), Bound::Unbounded)).map(|(path, _)| path);
        below.take_while(|path| path.starts_with(folder)).cloned().collect()
    }

    // ---- events ----

    fn event(&mut self, event: notify::Result<notify::Event>) {
        let event = match event {
            Ok(event) => event,
            Err(e) if matches!(e.kind, notify::ErrorKind::MaxFilesWatch) => return self.poll_from_now_on(&e),
            Err(e) => {
                let problem = Diagnostic::warning("live.events", format!("events of the file system are lost: {e}"));
                self.problems.push(problem.help("save once more if a change does not arrive"));
                return;
            }
        };
        if event.need_rescan() {
            // More happened than the system's queue holds; the folders themselves tell what.
            let folders: Vec<_> = self.watched.keys().cloned().collect();
            folders.into_iter().for_each(|folder| self.touch(folder));
        }
        // Reading a file is an access: were it taken for a change, every reload would start the next.
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        let metadata = matches!(event.kind, EventKind::Modify(ModifyKind::Metadata(_) | ModifyKind::Data(_)));
        for path in event.paths {
            if let Some(root) = self.watched.get_mut(&path) {
                if !metadata {
                    // The folder is gone, and its watch with it; one made in its place may get the same number.
                    root.inode = NO_INODE;
                    self.next_check = Instant::now();
                }
            } else if path.components().any(|part| part.as_os_str() == ".git") {
                continue;
            } else if self.is_folder(&path) {
                if !metadata {
                    self.fresh.push((Instant::now(), path.clone()));
                    self.touch(path);
                }
            } else if self.counts(&path) {
                self.touch(path);
            }
        }
    }

    /// True for a folder, and for what was one with files that count.
    fn is_folder(&self, path: &Path) -> bool {
        let below = self.known.range::<Path, _>((Bound::Excluded(path), Bound::Unbounded)).next();
        path.is_dir() || below.is_some_and(|(below, _)| below.starts_with(path))
    }

    fn loaded(&mut self, path: &Path, hash: u64) {
        let below = |place: &Place| Some(place.real.as_ref()?.join(path.strip_prefix(&place.root.folder).ok()?));
        let elsewhere = || Some(identity(path.parent()?)?.0.join(path.file_name()?));
        let Some(path) = self.places.iter().find_map(below).or_else(elsewhere) else { return };
        if self.counts(&path) && self.covered(&path) {
            let stamp = std::fs::metadata(&path).map_or(Stamp::NONE, |meta| Stamp::of(&meta));
            self.known.insert(path.clone(), Known { stamp, hash: Some(hash) });
            self.touch(path);
        }
    }

    // ---- roots ----

    fn set_roots(&mut self, roots: Vec<Root>) {
        for root in &roots {
            if identity(&root.folder).is_none() && !self.places.iter().any(|p| p.root == *root) {
                let name = root.folder.display();
                let problem = Diagnostic::new(Severity::Note, "live.no-folder", format!("there is no folder {name}"));
                self.problems.push(problem.help("it is watched as soon as it exists"));
            }
        }
        self.places = roots.into_iter().map(|root| Place { root, real: None }).collect();
        self.rewatch(true);
        let mut known = std::mem::take(&mut self.known);
        known.retain(|path, _| self.covered(path));
        self.known = known;
        self.unread.retain(|path| self.known.contains_key(path));
        self.fresh.clear();
    }

    /// Brings what the system watches in line with where the roots are now. With `baseline`, files that were not known
    /// are taken as they are; without, they are new.
    fn rewatch(&mut self, baseline: bool) {
        let mut wanted: BTreeMap<PathBuf, Watched> = BTreeMap::new();
        let mut rekeyed = Vec::new();
        for place in &mut self.places {
            let Some((real, inode)) = identity(&place.root.folder) else { continue };
            let entry = wanted.entry(real.clone()).or_insert(Watched { recursive: false, inode });
            entry.recursive |= place.root.recursive;
            if let Some(before) = place.real.replace(real.clone()).filter(|before| *before != real) {
                rekeyed.push((before, real));
            }
        }
        let outer = wanted.clone();
        let covers = |root: &Path, w: &Watched, path: &Path| w.recursive && root != path && path.starts_with(root);
        wanted.retain(|path, _| !outer.iter().any(|(root, w)| covers(root, w, path)));

        let gone: Vec<PathBuf> = self
            .watched
            .iter()
            .filter(|&(path, w)| wanted.get(path) != Some(w))
            .map(|(path, _)| path.clone())
            .collect();
        for path in &gone {
            self.watched.remove(path);
            if let Some(native) = &mut self.native {
                // A folder that is gone has taken its watch along, which is no error here.
                let _ = native.unwatch(path);
            }
            if !baseline {
                self.touch(path.clone());
            }
        }
        for (before, now) in rekeyed {
            self.rekey(&before, &now);
        }
        for (path, watched) in wanted {
            if self.watched.insert(path.clone(), watched).is_none() {
                self.watch(&path, watched.recursive);
                self.take_stock(&path, watched.recursive, baseline);
            }
        }
    }

    /// A root leads to another folder than before: what was known of a file is compared with the file of the same name.
    fn rekey(&mut self, before: &Path, now: &Path) {
        for path in self.known_below(before) {
            if self.covered(&path) {
                continue;
            }
            if let (Ok(rest), Some(known)) = (path.strip_prefix(before), self.known.remove(&path)) {
                let path = now.join(rest);
                self.known.insert(path.clone(), known);
                self.touch(path);
            }
        }
    }

    fn watch(&mut self, folder: &Path, recursive: bool) {
        let mode = if recursive { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        let Some(native) = &mut self.native else { return };
        match native.watch(folder, mode) {
            Ok(()) => {}
            Err(e) if matches!(e.kind, notify::ErrorKind::MaxFilesWatch) => self.poll_from_now_on(&e),
            // It vanished this moment, or a folder below it did; the next check watches it anew.
            Err(e) if matches!(e.kind, notify::ErrorKind::PathNotFound) => {
                self.watched.remove(folder);
            }
            Err(e) => {
                let message = format!("{} is not watched: {e}", folder.display());
                self.problems.push(Diagnostic::warning("live.watch", message).help("check the folder's permissions"));
            }
        }
    }

    fn poll_from_now_on(&mut self, why: &notify::Error) {
        if self.native.take().is_none() && self.options.backend == Backend::Polling {
            return;
        }
        self.options.backend = Backend::Polling;
        self.next_check = Instant::now();
        let message = format!("the system does not watch the files ({why}); they are looked at every {POLL:?}");
        let help = "raise the limits fs.inotify.max_user_watches and fs.inotify.max_user_instances, then start again";
        self.problems.push(Diagnostic::warning("live.polling", message).help(help));
    }

    /// Compares a folder with what is known of it, without reading long files.
    fn take_stock(&mut self, folder: &Path, recursive: bool, baseline: bool) {
        let mut at_once = READ_AT_ONCE_TOTAL;
        let mut later = Vec::new();
        for (path, stamp) in self.files_in(folder, recursive) {
            match self.known.get(&path) {
                Some(known) if known.stamp == stamp => {}
                None if baseline => {
                    let mut known = Known { stamp, hash: None };
                    if stamp.len <= READ_AT_ONCE.min(at_once)
                        && let Content::Read { stamp, hash, .. } = read(&path)
                    {
                        at_once -= stamp.len.min(at_once);
                        known = Known { stamp, hash: Some(hash) };
                    } else {
                        later.push((stamp.len, path.clone()));
                    }
                    self.known.insert(path, known);
                }
                _ => self.touch(path),
            }
        }
        later.sort_unstable_by(|a, b| b.cmp(a));
        self.unread.splice(0..0, later.into_iter().map(|(_, path)| path));
    }

    fn files_in(&self, folder: &Path, recursive: bool) -> Vec<(PathBuf, Stamp)> {
        let mut files = Vec::new();
        walk(folder, recursive, &mut |path, stamp| {
            if self.counts(&path) {
                files.push((path, stamp));
            }
        });
        files
    }

    /// Reads a file that was only looked at so far.
    fn read_one(&mut self) {
        if !self.touched.is_empty() {
            return;
        }
        let Some(path) = self.unread.pop() else { return };
        let Some(known) = self.known.get_mut(&path).filter(|known| known.hash.is_none()) else { return };
        match read(&path) {
            Content::Read { stamp, hash, steady: true } if stamp == known.stamp => known.hash = Some(hash),
            _ => self.touch(path),
        }
    }

    /// Looks after what the system does not tell: roots that are another folder now, files that could not be read,
    /// and everything while polling.
    fn check(&mut self) {
        let now = Instant::now();
        let polling = self.native.is_none();
        self.next_check = now + if polling { POLL } else { ROOT_CHECK };
        self.rewatch(false);
        for path in self.unreadable.clone() {
            self.touch(path);
        }
        let (due, young) = std::mem::take(&mut self.fresh).into_iter().partition(|(at, _)| now >= *at + ROOT_CHECK);
        self.fresh = young;
        let due: Vec<(Instant, PathBuf)> = due;
        let mut folders: Vec<PathBuf> = due.into_iter().map(|(_, path)| path).collect();
        if polling {
            folders.extend(self.watched.keys().cloned());
        }
        for folder in folders {
            for path in self.changed_below(&folder) {
                self.touch(path);
            }
        }
    }

    // ---- batches ----

    /// Files in a folder that differ from what is known, and known ones that are not there.
    fn changed_below(&self, folder: &Path) -> BTreeSet<PathBuf> {
        let mut changed: BTreeSet<PathBuf> = self.known_below(folder).into_iter().collect();
        if let Some(recursive) = self.recursion(folder) {
            for (path, stamp) in self.files_in(folder, recursive) {
                match self.known.get(&path) {
                    Some(known) if known.stamp == stamp => changed.remove(&path),
                    _ => changed.insert(path),
                };
            }
        }
        changed
    }

    /// Sends a batch when it is due. An error means that nobody receives it.
    fn settle(&mut self) -> Result<(), ()> {
        let now = Instant::now();
        let mut files = BTreeMap::new();
        if !self.touched.is_empty() && now >= self.deadline() {
            let last_chance = now >= self.first_touch + self.options.max_wait;
            match self.examine(last_chance) {
                Err(NotYet) => self.last_touch = now,
                Ok(updates) => {
                    self.touched.clear();
                    for Update { path, change, known } in updates {
                        if let Some(change) = change {
                            files.extend(self.names(&path).into_iter().map(|name| (name, change)));
                        }
                        match known {
                            Some(known) => self.known.insert(path, known),
                            None => self.known.remove(&path),
                        };
                    }
                }
            }
        }
        if files.is_empty() && self.problems.is_empty() {
            return Ok(());
        }
        let problems = std::mem::take(&mut self.problems);
        let batch = ChangeSet { files, problems, touched_at: self.first_touch, settled_at: Instant::now() };
        self.batches.send(batch).map_err(drop)
    }

    /// What happened to the touched files.
    fn examine(&mut self, last_chance: bool) -> Result<Vec<Update>, NotYet> {
        let mut paths = BTreeSet::new();
        for path in &self.touched {
            if self.is_folder(path) {
                paths.extend(self.changed_below(path));
            } else if self.known.contains_key(path) || self.counts(path) {
                paths.insert(path.clone());
            }
        }
        let mut updates = Vec::new();
        for path in paths {
            updates.extend(self.examine_file(path, last_chance)?);
        }
        Ok(updates)
    }

    fn examine_file(&mut self, path: PathBuf, last_chance: bool) -> Result<Option<Update>, NotYet> {
        let known = self.known.get(&path).copied();
        let content = read(&path);
        let on_its_way = match &content {
            // Deleted to be made again, or emptied to be written anew, perhaps.
            Content::Missing => known.is_some(),
            Content::Read { stamp, steady, .. } => {
                !steady || (stamp.len == 0 && known.is_none_or(|known| known.stamp.len > 0))
            }
            Content::Unreadable(_) => true,
        };
        if on_its_way && !last_chance {
            return Err(NotYet);
        }
        let (change, now) = match content {
            Content::Unreadable(e) => {
                if self.unreadable.insert(path.clone()) {
                    let problem = Diagnostic::warning("live.unreadable", format!("a file cannot be read: {e}"));
                    let problem = problem.in_file(path.display().to_string());
                    self.problems.push(problem.help("it is reloaded as soon as it can be read"));
                }
                return Ok(None);
            }
            Content::Missing => (known.map(|_| Change::Removed), None),
            Content::Read { stamp, hash, .. } => {
                let change = match known {
                    None => Some(Change::Created),
                    Some(known) if known.hash == Some(hash) => None,
                    Some(_) => Some(Change::Modified),
                };
                (change, Some(Known { stamp, hash: Some(hash) }))
            }
        };
        self.unreadable.remove(&path);
        Ok(Some(Update { path, change, known: now }))
    }

    /// The host's spellings of a path.
    fn names(&self, path: &Path) -> Vec<PathBuf> {
        let spelled = self.places.iter().filter_map(|place| {
            let rest = path.strip_prefix(place.real.as_ref()?).ok()?;
            let within = place.root.recursive || rest.components().count() == 1;
            within.then(|| place.root.folder.join(rest))
        });
        spelled.collect()
    }
}
