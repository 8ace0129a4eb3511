//! The viewer in a real window under Xvfb: it starts, draws, resizes, is minimized and restored, and closes cleanly;
//! a graph that is saved is drawn.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test may end at a wrong value")]

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{black_share, root, terrace};
use image::RgbaImage;

/// A private X server that ends with the test.
struct Display {
    server: Child,
    name: String,
}

impl Display {
    fn start() -> Option<Self> {
        Self::start_sized("1024x768x24")
    }

    /// A server that answers; servers that start at the same time may take each other's display away.
    fn start_sized(screen: &str) -> Option<Self> {
        for _ in 0..5 {
            let display = Self::try_start(screen)?;
            if !display.xdotool(&["getdisplaygeometry"]).is_empty() {
                return Some(display);
            }
        }
        panic!("no X server answered");
    }

    fn try_start(screen: &str) -> Option<Self> {
        use std::io::Read;

        // The server picks a free display itself and writes its number.
        let server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", screen, "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut server) = server else {
            eprintln!("skipped: Xvfb is absent");
            return None;
        };
        let mut number = String::new();
        let mut out = server.stdout.take().unwrap();
        let mut byte = [0];
        while out.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' {
            number.push(byte[0] as char);
        }
        // Dropping the pipe would end the server.
        server.stdout = Some(out);
        assert!(!number.is_empty(), "Xvfb did not start");
        Some(Self { server, name: format!(":{number}") })
    }

    fn xdotool(&self, args: &[&str]) -> String {
        let output = Command::new("xdotool").args(args).env("DISPLAY", &self.name).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn screenshot(&self, folder: &Path) -> RgbaImage {
        let path = folder.join("screen.png");
        let done = Command::new("import")
            .args(["-display", &self.name, "-window", "root", path.to_str().unwrap()])
            .status()
            .unwrap();
        assert!(done.success());
        image::open(path).unwrap().into_rgba8()
    }

    /// The viewer's window once it is there.
    fn window(&self, viewer: &mut Child) -> String {
        let start = Instant::now();
        loop {
            let id = self.xdotool(&["search", "--name", "terrace"]);
            if let Some(id) = id.lines().next().filter(|l| !l.is_empty()) {
                return id.to_owned();
            }
            assert!(viewer.try_wait().unwrap().is_none(), "the viewer ended before its window came");
            assert!(start.elapsed() < Duration::from_secs(120), "no window after two minutes");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Waits until the screen fulfils a condition, and gives that screen.
    fn wait_for(&self, folder: &Path, what: &str, condition: impl Fn(&RgbaImage) -> bool) -> RgbaImage {
        let start = Instant::now();
        loop {
            let screen = self.screenshot(folder);
            if condition(&screen) {
                return screen;
            }
            if start.elapsed() > Duration::from_secs(60) {
                let kept = root().join("target/window-failure.png");
                screen.save(&kept).unwrap();
                panic!("{what}: not within a minute; the last screen is {}", kept.display());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Waits for the program's end.
fn ended(viewer: &mut Child) -> i32 {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        if let Some(status) = viewer.try_wait().unwrap() {
            return status.code().unwrap_or(-1);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    viewer.kill().unwrap();
    panic!("the viewer did not end within a minute");
}

/// The part of the screen that is not black: where the window is, as no window manager runs.
fn drawn(screen: &RgbaImage) -> f64 {
    1.0 - black_share(screen)
}

#[test]
fn the_viewer_draws_resizes_minimizes_and_closes() {
    let Some(display) = Display::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut viewer = terrace()
        .args(["--quiet", "view", "--size", "640x480", "--validation"])
        .env("DISPLAY", &display.name)
        .spawn()
        .unwrap();
    let window = display.window(&mut viewer);
    let first = display.wait_for(folder.path(), "the first picture", |s| drawn(s) > 0.3);
    assert!(drawn(&first) < 0.5, "640x480 of 1024x768 is 39% of the screen");

    display.xdotool(&["windowsize", &window, "900", "700"]);
    display.wait_for(folder.path(), "the larger picture", |s| drawn(s) > 0.7);

    display.xdotool(&["windowunmap", &window]);
    display.wait_for(folder.path(), "the window to go", |s| drawn(s) < 0.05);
    display.xdotool(&["windowmap", &window]);
    let before = display.wait_for(folder.path(), "the window to come back", |s| drawn(s) > 0.7);

    // A middle drag pans the map.
    display.xdotool(&["mousemove", "450", "350", "mousedown", "2", "mousemove", "300", "250", "mouseup", "2"]);
    display.wait_for(folder.path(), "the picture after the drag", |s| common::differing(s, &before) > 50_000);

    display.xdotool(&["windowfocus", &window, "key", "--window", &window, "Escape"]);
    assert_eq!(ended(&mut viewer), 0);
}

/// How many pixels of the picture are nearly the clear colour that the test writes into the graph.
fn magenta(screen: &RgbaImage) -> usize {
    screen.pixels().filter(|p| p.0[0] > 200 && p.0[1] < 60 && p.0[2] > 200).count()
}

#[test]
fn a_saved_graph_is_drawn_a_broken_one_is_refused_and_the_picture_stays() {
    let Some(display) = Display::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let graph = folder.path().join("live.toml");
    let text = std::fs::read_to_string(root().join("graphs/wc3.toml")).unwrap();
    std::fs::write(&graph, &text).unwrap();
    let mut viewer = terrace()
        .args(["view", "--size", "640x480", "--validation", "--graph", graph.to_str().unwrap()])
        .env("DISPLAY", &display.name)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let window = display.window(&mut viewer);
    display.wait_for(folder.path(), "the first picture", |s| drawn(s) > 0.3 && magenta(s) == 0);

    // A pass that clears the picture to magenta and draws the water over it.
    let paint = "[[pass]]\nname = \"paint\"\nview = \"main\"\ncolor = { scene = \"scene\", clear = [1, 0, 1, 1] }\n\
                 draw = [\"water\"]\nshader = \"wc3/water\"\nstate = { blend = \"alpha\" }\n";
    let overlay = "[[pass]]\nname = \"overlay\"";
    let painted = text.replace(overlay, &format!("{paint}\n{overlay}"));
    std::fs::write(&graph, &painted).unwrap();
    display.wait_for(folder.path(), "the painted picture", |s| magenta(s) > 50_000);

    // A broken file changes nothing; the next good one does. Saved as many editors do: a new file over the old.
    std::fs::write(&graph, "[graph\n").unwrap();
    std::thread::sleep(Duration::from_secs(3));
    assert!(magenta(&display.screenshot(folder.path())) > 50_000);
    let fresh = folder.path().join("live.toml.new");
    std::fs::write(&fresh, &text).unwrap();
    std::fs::rename(&fresh, &graph).unwrap();
    display.wait_for(folder.path(), "the first graph again", |s| drawn(s) > 0.3 && magenta(s) == 0);

    display.xdotool(&["windowfocus", &window, "key", "--window", &window, "Escape"]);
    assert_eq!(ended(&mut viewer), 0);
    let mut log = String::new();
    std::io::Read::read_to_string(&mut viewer.stderr.take().unwrap(), &mut log).unwrap();
    assert!(log.contains("live.toml:1:"), "the error names its place: {log}");
}

/// Pixels of the scene, right of the overlay's column, that have the clear colour of the ground pass.
fn cleared(screen: &RgbaImage) -> usize {
    screen.enumerate_pixels().filter(|(x, _, p)| *x > 500 && p.0[0] < 12 && p.0[2] < 20).count()
}

/// Where the overlay's rows are in a window of 1200x760: the pass list's first row and the distance of rows.
const FIRST_ROW: i32 = 406;
const ROW: i32 = 20;

#[test]
fn passes_are_ticked_dragged_and_written_to_the_file_in_the_window() {
    let Some(display) = Display::start_sized("1200x760x24") else { return };
    let folder = tempfile::tempdir().unwrap();
    let graph = folder.path().join("live.toml");
    let text = std::fs::read_to_string(root().join("graphs/wc3.toml")).unwrap();
    std::fs::write(&graph, &text).unwrap();
    let mut viewer = terrace()
        .args(["--quiet", "view", "--size", "1200x760", "--validation", "--graph", graph.to_str().unwrap()])
        .env("DISPLAY", &display.name)
        .spawn()
        .unwrap();
    let window = display.window(&mut viewer);
    display.wait_for(folder.path(), "the first picture", |s| drawn(s) > 0.9 && cleared(s) < 1000);
    display.xdotool(&["windowfocus", &window, "key", "--window", &window, "F1"]);
    // The column of panels is nearly black.
    display.wait_for(folder.path(), "the overlay", |s| s.get_pixel(200, 700).0[..3].iter().all(|c| *c < 40));

    let row = |index: i32| (FIRST_ROW + ROW * index).to_string();
    let tick = |index: i32| display.xdotool(&["mousemove", "26", &row(index), "click", "1"]);
    tick(1);
    display.wait_for(folder.path(), "the picture without ground", |s| cleared(s) > 50_000);
    tick(1);
    display.wait_for(folder.path(), "the ground again", |s| cleared(s) < 1000);

    // "water depth" is dragged below "water color", step by step as a hand does.
    display.xdotool(&["mousemove", "11", &row(2), "mousedown", "1"]);
    for step in 1..=8 {
        display.xdotool(&["mousemove", "12", &(FIRST_ROW + ROW * 2 + step * 4).to_string()]);
        std::thread::sleep(Duration::from_millis(150));
    }
    display.xdotool(&["mouseup", "1"]);
    let start = Instant::now();
    loop {
        // "write to file"
        display.xdotool(&["mousemove", "41", "376", "click", "1"]);
        if std::fs::read_to_string(&graph).unwrap() != text {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was written");
        std::thread::sleep(Duration::from_millis(300));
    }
    let written = std::fs::read_to_string(&graph).unwrap();
    let block = |from: &str, to: &str| {
        let start = text.find(from).unwrap();
        text[start..start + text[start..].find(to).unwrap()].to_owned()
    };
    let depth = block("# Water hides what is drawn later", "[[pass]]\nname = \"water color\"");
    let color = block("[[pass]]\nname = \"water color\"", "[[pass]]\nname = \"overlay\"");
    assert_eq!(written, text.replace(&format!("{depth}{color}"), &format!("{color}{depth}")));

    display.xdotool(&["windowfocus", &window, "key", "--window", &window, "Escape"]);
    assert_eq!(ended(&mut viewer), 0);
}

#[test]
fn a_start_on_a_broken_file_shows_its_last_good_version_and_says_so() {
    let Some(display) = Display::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let graph = folder.path().join("kept.toml");
    std::fs::copy(root().join("graphs/wc3.toml"), &graph).unwrap();
    let start = |frames: &str| {
        terrace()
            .args(["view", "--size", "320x240", "--frames", frames, "--graph", graph.to_str().unwrap()])
            .env("DISPLAY", &display.name)
            .env("XDG_CACHE_HOME", folder.path())
            .output()
            .unwrap()
    };
    assert!(start("3").status.success());
    std::fs::write(&graph, "[graph]\nname = 7\n").unwrap();
    let output = start("3");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    assert!(log.contains("last good version") && log.contains("kept.toml:2:8"), "{log}");
}
