//! The viewer in a real window under Xvfb: it starts, draws, resizes, is minimized and restored, and closes cleanly.

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
        use std::io::Read;

        // The server picks a free display itself and writes its number.
        let server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"])
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
