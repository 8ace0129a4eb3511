use std::fs;
use std::sync::mpsc::RecvTimeoutError;

use super::super::editor_file;
use super::*;

/// Long enough for a machine that does something else.
const PATIENCE: Duration = Duration::from_secs(20);
/// Longest wait of a batch here: a test that is stopped for less between two steps of a save sees one change.
const TEST_WAIT: Duration = Duration::from_millis(700);
/// Time in which a report that must not come would have come.
const QUIET: Duration = Duration::from_millis(900);

struct Bench {
    dir: tempfile::TempDir,
    watcher: Watcher,
    batches: Receiver<ChangeSet>,
}

impl Bench {
    /// A folder with `a.toml` and `sub/b.frag`, watched with all below.
    fn new(backend: Backend) -> Self {
        let mut options = WatchOptions::new(|path| path.extension().is_some_and(|e| e != "txt"));
        options.backend = backend;
        options.max_wait = TEST_WAIT;
        Self::with(options)
    }

    fn with(options: WatchOptions) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        fs::write(dir.path().join("a.toml"), "first").unwrap();
        fs::write(dir.path().join("sub/b.frag"), "first").unwrap();
        let (watcher, batches) = Watcher::new(options).unwrap();
        watcher.set_roots([Root::recursive(dir.path())]);
        Self { dir, watcher, batches }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Waits until every expected change was reported, and nothing else.
    fn expect(&self, changes: &[(&str, Change)]) {
        let mut expected: BTreeMap<PathBuf, Change> = changes.iter().map(|&(n, c)| (self.path(n), c)).collect();
        while !expected.is_empty() {
            let batch = self.batches.recv_timeout(PATIENCE).unwrap_or_else(|e| panic!("{e}, left: {expected:?}"));
            assert_eq!(batch.problems, []);
            for (path, change) in batch.files {
                assert_eq!(expected.remove(&path), Some(change), "{}", path.display());
            }
        }
    }

    fn expect_silence(&self) {
        match self.batches.recv_timeout(QUIET) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("nothing was to be reported, but {other:?}"),
        }
    }
}

#[test]
fn a_hundred_edits_are_each_reported_once() {
    let bench = Bench::new(Backend::Native);
    for i in 0..100 {
        bench.write("a.toml", &format!("edit {i}"));
        bench.expect(&[("a.toml", Change::Modified)]);
    }
    bench.expect_silence();
}

#[test]
fn every_way_to_save_is_one_modification_again_and_again() {
    let bench = Bench::new(Backend::Native);
    let (file, a) = (bench.path("a.toml"), [("a.toml", Change::Modified)]);
    for round in 0..3 {
        // Truncate and write.
        bench.write("a.toml", &format!("in place {round}"));
        bench.expect(&a);
        // vim: probe, backup by rename, new file, backup removed.
        bench.write("4913", "");
        fs::remove_file(bench.path("4913")).unwrap();
        bench.write(".a.toml.swp", "swap");
        fs::rename(&file, bench.path("a.toml~")).unwrap();
        bench.write("a.toml", &format!("vim {round}"));
        fs::remove_file(bench.path("a.toml~")).unwrap();
        bench.expect(&a);
        // sed -i and atomic savers: a new file renamed over the old one.
        bench.write("sedAbCdEf", &format!("sed {round}"));
        fs::rename(bench.path("sedAbCdEf"), &file).unwrap();
        bench.expect(&a);
        bench.write("a.toml.tmp", &format!("atomic {round}"));
        fs::rename(bench.path("a.toml.tmp"), &file).unwrap();
        bench.expect(&a);
        // Delete and create.
        fs::remove_file(&file).unwrap();
        bench.write("a.toml", &format!("anew {round}"));
        bench.expect(&a);
    }
    bench.expect_silence();
}

#[test]
fn a_file_that_is_written_in_pieces_is_reported_whole() {
    let mut options = WatchOptions::new(|_| true);
    (options.settle, options.max_wait) = (TEST_WAIT / 2, TEST_WAIT * 4);
    let bench = Bench::with(options);
    let mut open = fs::File::create(bench.path("a.toml")).unwrap();
    for piece in ["a", "b", "c", "d"] {
        std::io::Write::write_all(&mut open, piece.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(60));
    }
    bench.expect(&[("a.toml", Change::Modified)]);
    bench.watcher.loaded(&bench.path("a.toml"), b"abcd");
    bench.expect_silence();
}

#[test]
fn content_that_is_the_same_is_no_change() {
    let bench = Bench::new(Backend::Native);
    bench.write("a.toml", "first");
    fs::File::options().write(true).open(bench.path("a.toml")).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    bench.write("x.tmp", "first");
    fs::rename(bench.path("x.tmp"), bench.path("sub/b.frag")).unwrap();
    bench.write("notes.txt", "not relevant");
    bench.write("sub/.b.frag.swp", "not relevant");
    assert_eq!(fs::read(bench.path("a.toml")).unwrap(), b"first");
    bench.expect_silence();
}

#[test]
fn files_saved_together_come_in_one_batch() {
    let bench = Bench::new(Backend::Native);
    bench.write("a.toml", "second");
    bench.write("sub/b.frag", "second");
    bench.write("sub/c.frag", "new");
    let batch = bench.batches.recv_timeout(PATIENCE).unwrap();
    assert!(batch.touched_at <= batch.settled_at);
    let mut files = batch.files;
    // On a machine that stops this thread between two writes it may be more batches, but never other changes.
    while files.len() < 3 {
        files.extend(bench.batches.recv_timeout(PATIENCE).unwrap().files);
    }
    let expected = [("a.toml", Change::Modified), ("sub/b.frag", Change::Modified), ("sub/c.frag", Change::Created)];
    assert_eq!(files, expected.iter().map(|&(n, c)| (bench.path(n), c)).collect());
}

#[test]
fn created_and_removed_files_and_folders_are_seen() {
    let bench = Bench::new(Backend::Native);
    fs::create_dir_all(bench.path("new/deep")).unwrap();
    bench.write("new/deep/x.frag", "1");
    bench.expect(&[("new/deep/x.frag", Change::Created)]);
    bench.write("new/deep/x.frag", "2");
    bench.expect(&[("new/deep/x.frag", Change::Modified)]);
    fs::remove_file(bench.path("a.toml")).unwrap();
    bench.expect(&[("a.toml", Change::Removed)]);
    fs::remove_dir_all(bench.path("new")).unwrap();
    bench.expect(&[("new/deep/x.frag", Change::Removed)]);
}

#[test]
fn a_renamed_folder_takes_its_files_along_and_stays_watched() {
    let bench = Bench::new(Backend::Native);
    fs::rename(bench.path("sub"), bench.path("moved")).unwrap();
    bench.expect(&[("sub/b.frag", Change::Removed), ("moved/b.frag", Change::Created)]);
    bench.write("moved/b.frag", "second");
    bench.expect(&[("moved/b.frag", Change::Modified)]);
    // Swapped in place of another: one modification.
    fs::create_dir(bench.path("other")).unwrap();
    bench.write("other/b.frag", "2econd");
    bench.expect(&[("other/b.frag", Change::Created)]);
    fs::rename(bench.path("moved"), bench.path("away")).unwrap();
    fs::rename(bench.path("other"), bench.path("moved")).unwrap();
    bench.expect(&[
        ("moved/b.frag", Change::Modified),
        ("away/b.frag", Change::Created),
        ("other/b.frag", Change::Removed),
    ]);
}

#[test]
fn an_emptied_file_is_reported_though_editors_empty_files_first() {
    let bench = Bench::new(Backend::Native);
    bench.write("a.toml", "");
    bench.expect(&[("a.toml", Change::Modified)]);
    bench.write("a.toml", "again");
    bench.expect(&[("a.toml", Change::Modified)]);
}

#[test]
fn other_roots_are_watched_from_then_on_and_old_ones_no_more() {
    let bench = Bench::new(Backend::Native);
    let second = tempfile::tempdir().unwrap();
    fs::create_dir(second.path().join("below")).unwrap();
    fs::write(second.path().join("base.toml"), "1").unwrap();
    fs::write(second.path().join("below/x.toml"), "1").unwrap();
    bench.watcher.set_roots([Root::recursive(bench.path("sub")), Root::flat(second.path())]);
    bench.expect_silence();
    bench.write("a.toml", "unwatched");
    fs::write(second.path().join("below/x.toml"), "2").unwrap();
    bench.expect_silence();
    bench.write("sub/b.frag", "2");
    bench.expect(&[("sub/b.frag", Change::Modified)]);
    fs::write(second.path().join("base.toml"), "2").unwrap();
    let batch = bench.batches.recv_timeout(PATIENCE).unwrap();
    assert_eq!(batch.files, [(second.path().join("base.toml"), Change::Modified)].into());
    // The same folder by two roots, one within the other.
    bench.watcher.set_roots([Root::recursive(bench.dir.path()), Root::recursive(bench.path("sub"))]);
    bench.write("sub/b.frag", "3");
    bench.expect(&[("sub/b.frag", Change::Modified)]);
}

#[test]
fn a_root_that_is_deleted_and_made_again_is_watched_again() {
    let bench = Bench::new(Backend::Native);
    bench.watcher.set_roots([Root::recursive(bench.path("sub"))]);
    for round in 0..3 {
        fs::remove_dir_all(bench.path("sub")).unwrap();
        bench.expect(&[("sub/b.frag", Change::Removed)]);
        fs::create_dir(bench.path("sub")).unwrap();
        bench.write("sub/b.frag", "1");
        bench.expect(&[("sub/b.frag", Change::Created)]);
        bench.write("sub/b.frag", &format!("round {round}"));
        bench.expect(&[("sub/b.frag", Change::Modified)]);
    }
}

#[test]
fn a_root_that_does_not_exist_yet_is_noted_and_watched_when_it_does() {
    let bench = Bench::new(Backend::Native);
    bench.watcher.set_roots([Root::recursive(bench.path("later"))]);
    let batch = bench.batches.recv_timeout(PATIENCE).unwrap();
    assert_eq!(batch.problems.len(), 1);
    assert_eq!(batch.problems[0].code, "live.no-folder");
    fs::create_dir(bench.path("later")).unwrap();
    bench.write("later/x.frag", "1");
    bench.expect(&[("later/x.frag", Change::Created)]);
}

#[cfg(unix)]
#[test]
fn a_linked_root_is_reported_by_its_own_name_and_followed_when_it_is_pointed_elsewhere() {
    let bench = Bench::new(Backend::Native);
    let link = bench.path("link");
    std::os::unix::fs::symlink(bench.path("sub"), &link).unwrap();
    bench.watcher.set_roots([Root::recursive(&link)]);
    bench.write("sub/b.frag", "2");
    bench.expect(&[("link/b.frag", Change::Modified)]);
    fs::create_dir(bench.path("third")).unwrap();
    bench.write("third/b.frag", "3");
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(bench.path("third"), &link).unwrap();
    bench.expect(&[("link/b.frag", Change::Modified)]);
    bench.write("third/b.frag", "4");
    bench.expect(&[("link/b.frag", Change::Modified)]);
    // Under both names when both are roots.
    bench.watcher.set_roots([Root::recursive(&link), Root::recursive(bench.path("third"))]);
    bench.write("third/b.frag", "5");
    bench.expect(&[("link/b.frag", Change::Modified), ("third/b.frag", Change::Modified)]);
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_said_once_and_reloaded_when_it_can() {
    let bench = Bench::new(Backend::Native);
    fs::remove_file(bench.path("a.toml")).unwrap();
    std::os::unix::fs::symlink(bench.path("a.toml"), bench.path("a.toml")).unwrap();
    let batch = bench.batches.recv_timeout(PATIENCE).unwrap();
    assert_eq!((batch.files.len(), batch.problems[0].code), (0, "live.unreadable"));
    bench.expect_silence();
    fs::remove_file(bench.path("a.toml")).unwrap();
    bench.write("a.toml", "readable");
    bench.expect(&[("a.toml", Change::Modified)]);
}

#[test]
fn content_that_the_host_uses_is_what_counts() {
    let bench = Bench::new(Backend::Native);
    bench.write("a.toml", "written by the overlay");
    bench.watcher.loaded(&bench.path("a.toml"), b"written by the overlay");
    bench.expect_silence();
    bench.watcher.loaded(&bench.path("a.toml"), b"read before it was watched");
    bench.expect(&[("a.toml", Change::Modified)]);
}

#[test]
fn polling_sees_the_same_changes() {
    let bench = Bench::new(Backend::Polling);
    for i in 0..3 {
        bench.write("a.toml", &format!("edit number {}", "x".repeat(i)));
        bench.expect(&[("a.toml", Change::Modified)]);
    }
    fs::rename(bench.path("sub"), bench.path("moved")).unwrap();
    bench.expect(&[("sub/b.frag", Change::Removed), ("moved/b.frag", Change::Created)]);
    bench.write("a.toml~", "backup");
    assert!(editor_file(&bench.path("a.toml~")));
    bench.expect_silence();
}

#[test]
fn a_system_out_of_watches_is_said_with_a_way_out_and_polled() {
    let bench = Bench::new(Backend::Native);
    let limit = notify::Error::new(notify::ErrorKind::MaxFilesWatch);
    bench.watcher.messages.send(Message::Event(Err(limit))).unwrap();
    let batch = bench.batches.recv_timeout(PATIENCE).unwrap();
    assert_eq!(batch.problems[0].code, "live.polling");
    assert!(batch.problems[0].help.as_ref().unwrap().contains("fs.inotify.max_user_watches"));
    for i in 1..4 {
        bench.write("sub/b.frag", &"x".repeat(i));
        bench.expect(&[("sub/b.frag", Change::Modified)]);
    }
}

#[test]
fn long_files_are_told_apart_by_content_too() {
    let bench = Bench::new(Backend::Native);
    let mut long = vec![7; 3 << 20];
    fs::write(bench.path("long.blp"), &long).unwrap();
    bench.expect(&[("long.blp", Change::Created)]);
    fs::write(bench.path("long.blp"), &long).unwrap();
    bench.expect_silence();
    *long.last_mut().unwrap() = 8;
    fs::write(bench.path("long.blp"), &long).unwrap();
    bench.expect(&[("long.blp", Change::Modified)]);
    // What lies there when watching starts is read while nothing else is to do.
    bench.watcher.set_roots([]);
    bench.watcher.set_roots([Root::recursive(bench.dir.path())]);
    bench.expect_silence();
    fs::write(bench.path("long.blp"), &long).unwrap();
    bench.expect_silence();
}

#[test]
fn a_storm_of_edits_ends_with_the_last_content_reported() {
    let bench = Bench::with(WatchOptions::new(|_| true));
    for i in 0..300 {
        bench.write("a.toml", &format!("storm {i}"));
        bench.write("sub/b.frag", &format!("storm {i}"));
        thread::sleep(Duration::from_millis(2));
    }
    let mut seen = 0;
    while let Ok(batch) = bench.batches.recv_timeout(QUIET) {
        assert!(batch.files.values().all(|c| *c == Change::Modified), "{batch:?}");
        seen += batch.files.len();
    }
    assert!((2..600).contains(&seen), "{seen} reports of 600 writes");
    // What was reported last is what lies there: the host's content is up to date.
    bench.watcher.loaded(&bench.path("a.toml"), b"storm 299");
    bench.expect_silence();
}
