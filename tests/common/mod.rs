//! What the whole-program tests share: starting the program, the real files beside the project, pictures.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "each test binary uses a part"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use image::RgbaImage;

/// The project's folder.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().find(|p| p.join("graphs").is_dir()).unwrap().to_path_buf()
}

/// The folder of real files beside the project, or `None` with a message where it is absent.
pub fn data() -> Option<PathBuf> {
    let folder = root().join("../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: {} is absent", folder.display());
    None
}

/// A command that starts the program, through the test runner where one is set.
pub fn terrace() -> Command {
    let program = env!("CARGO_BIN_EXE_terrace");
    let mut command = match std::env::var_os("TERRACE_RUNNER") {
        Some(runner) => {
            let mut command = Command::new(runner);
            command.arg(program);
            command
        }
        None => Command::new(program),
    };
    command.current_dir(root()).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command
}

/// Runs the program to its end.
pub fn run(args: &[&str]) -> Output {
    terrace().args(args).output().unwrap()
}

/// Exit code and stderr; a death by signal is code -1.
pub fn outcome(output: &Output) -> (i32, String) {
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Renders a picture with the validation layer on and reads it.
pub fn shot(args: &[&str]) -> RgbaImage {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shot.png");
    let mut all = vec!["shot", "--validation", "-o", path.to_str().unwrap()];
    all.extend(args);
    let output = run(&all);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    image::open(&path).unwrap().into_rgba8()
}

/// Number of pixels that differ; all of them when the sizes do.
pub fn differing(a: &RgbaImage, b: &RgbaImage) -> usize {
    if a.dimensions() != b.dimensions() {
        return (a.width() * a.height()).max(b.width() * b.height()) as usize;
    }
    a.pixels().zip(b.pixels()).filter(|(x, y)| x != y).count()
}

/// Compares with `tests/golden/NAME.png`, or replaces it when `TERRACE_UPDATE_GOLDEN` is set.
pub fn assert_golden(name: &str, picture: &RgbaImage) {
    let path = root().join("tests/golden").join(format!("{name}.png"));
    if std::env::var_os("TERRACE_UPDATE_GOLDEN").is_some() {
        picture.save(&path).unwrap();
        return;
    }
    let golden = image::open(&path).unwrap_or_else(|e| panic!("{}: {e}\n{}", path.display(), update())).into_rgba8();
    let failed = differing(picture, &golden);
    if failed > 0 {
        let folder = root().join("target/golden-failures");
        std::fs::create_dir_all(&folder).unwrap();
        let actual = folder.join(format!("{name}.png"));
        picture.save(&actual).unwrap();
        panic!("{name}: {failed} pixels differ; the new picture is {}\n{}", actual.display(), update());
    }
}

fn update() -> &'static str {
    "look at the new picture; if it is right: TERRACE_UPDATE_GOLDEN=1 tools/test golden"
}

/// Share of pixels that are darker than 6/255 in every channel.
pub fn black_share(picture: &RgbaImage) -> f64 {
    let black = picture.pixels().filter(|p| p.0[..3].iter().all(|&c| c < 6)).count();
    black as f64 / f64::from(picture.width() * picture.height())
}

/// All maps below `w3e` (folders) and `w3x` (archives), sorted.
pub fn maps(data: &Path) -> Vec<PathBuf> {
    let entries = |folder: PathBuf| {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect::<Vec<_>>()
    };
    let mut all = entries(data.join("w3e"));
    for folder in entries(data.join("w3x")) {
        all.extend(entries(folder));
    }
    all.sort();
    all
}
