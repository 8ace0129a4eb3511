//! Every map beside the project: a picture, or one error that names file, place and reason.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test may end at a wrong value")]

mod common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{black_share, data, maps, outcome, run};

/// How a map ended.
enum Ending {
    Picture { black: f64 },
    Refused(String),
    Broken(String),
}

fn try_map(path: &str) -> Ending {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("shot.png");
    let output = run(&["-q", "shot", path, "-o", picture.to_str().unwrap(), "--size", "320x180", "--validation"]);
    match outcome(&output) {
        (0, _) => Ending::Picture { black: black_share(&image::open(&picture).unwrap().into_rgba8()) },
        (1, text) if text.starts_with("error[") && text.contains(" --> ") => Ending::Refused(text),
        (code, text) => Ending::Broken(format!("exit code {code}: {text}")),
    }
}

#[test]
fn every_map_gives_a_picture_or_one_clear_error() {
    let Some(data) = data() else { return };
    let maps = maps(&data);
    assert!(maps.len() > 40, "{} maps", maps.len());
    let next = AtomicUsize::new(0);
    let endings = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = maps.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ending = try_map(path.to_str().unwrap());
                    endings.lock().unwrap().push((path, ending));
                }
            });
        }
    });
    let mut endings = endings.into_inner().unwrap();
    endings.sort_by_key(|(path, _)| *path);
    let mut broken = Vec::new();
    for (path, ending) in &endings {
        let name = path.strip_prefix(&data).unwrap().display();
        match ending {
            Ending::Picture { black } => {
                println!("picture  {:5.2}% black  {name}", black * 100.0);
                // Beyond the map's rim the clear colour is seen, which is not this dark.
                if *black > 0.02 {
                    broken.push(format!("{name}: {:.1}% of the picture is black", black * 100.0));
                }
            }
            Ending::Refused(text) => println!("refused  {name}: {}", text.lines().next().unwrap_or("")),
            Ending::Broken(text) => broken.push(format!("{name}: {text}")),
        }
    }
    let pictures = endings.iter().filter(|(_, e)| matches!(e, Ending::Picture { .. })).count();
    println!("{pictures} pictures of {} maps", endings.len());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(pictures * 10 >= endings.len() * 9, "only {pictures} of {} maps were drawn", endings.len());
}
