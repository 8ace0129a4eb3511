//! The examples for graph authors render, and the guide's reference is what the parser says.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test may end at a wrong value")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::{black_share, differing, outcome, root, run, shot};
use terrace_engine::graph::keys::reference_markdown;

/// What all pictures are taken with: a few frames, so that water moves and history has something to mix.
const VIEW: [&str; 4] = ["--size", "320x180", "--frames", "12"];

/// The files of a folder with this ending, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
    all.sort();
    all
}

/// The example graphs, sorted.
fn examples() -> Vec<PathBuf> {
    let folder = root().join("graphs/examples");
    let all = files(&folder, "toml");
    assert!(all.len() >= 6, "only {all:?}");
    all
}

#[test]
fn every_example_passes_the_check() {
    for path in examples() {
        let output = run(&["check", path.to_str().unwrap()]);
        assert!(output.status.success(), "{path:?}: {}", outcome(&output).1);
    }
}

#[test]
fn every_example_changes_the_picture_and_keeps_it_visible() {
    let plain = shot(&VIEW);
    for path in examples() {
        let picture = shot(&[&VIEW[..], &["--graph", path.to_str().unwrap()]].concat());
        let changed = differing(&plain, &picture);
        assert!(changed > 320 * 180 / 100, "{path:?}: only {changed} pixels changed");
        assert!(black_share(&picture) < 0.2, "{path:?}: {} is black", black_share(&picture));
    }
}

#[test]
fn the_sepia_example_is_brown_and_its_slider_takes_the_brown_away() {
    let graph = root().join("graphs/examples/sepia.toml");
    let sepia = [&VIEW[..], &["--graph", graph.to_str().unwrap()]].concat();
    let brown = shot(&sepia);
    // Red over green over blue, to a step of rounding.
    let wrong = brown.pixels().filter(|p| p.0[0] + 1 < p.0[1] || p.0[1] + 1 < p.0[2]).count();
    assert_eq!(wrong, 0);
    let off = shot(&[&sepia[..], &["--set", "sepia_strength=0"]].concat());
    assert_eq!(differing(&off, &shot(&VIEW)), 0);
}

#[test]
fn the_temporal_example_has_no_trail_in_its_first_frame() {
    let graph = root().join("graphs/examples/temporal.toml");
    let first = ["--size", "160x90"];
    assert_eq!(differing(&shot(&first), &shot(&[&first[..], &["--graph", graph.to_str().unwrap()]].concat())), 0);
}

/// One error of each kind with its way out, from the texts that the compiler's own tests expect.
fn errors_markdown() -> String {
    let mut all: BTreeMap<String, (String, String)> = BTreeMap::new();
    for path in files(&root().join("engine/tests/graph-errors"), "txt") {
        let text = std::fs::read_to_string(path).unwrap_or_default().replace('|', "\\|");
        // A file with several errors has several blocks, each with its first line and its help.
        for block in text.split("error[").skip(1) {
            let Some((code, message)) = block.lines().next().and_then(|l| l.split_once("]: ")) else { continue };
            let help = block.lines().find_map(|l| l.trim_start().strip_prefix("= help: ")).unwrap_or_default();
            let entry = all.entry(code.to_owned()).or_default();
            if entry.0.is_empty() || (entry.1.is_empty() && !help.is_empty()) {
                *entry = (message.to_owned(), help.to_owned());
            }
        }
    }
    let rows = all.iter().map(|(code, (message, help))| format!("| `{code}` | {message} | {help} |\n"));
    format!("| code | for example | way out |\n| --- | --- | --- |\n{}", rows.collect::<String>())
}

/// The text with what stands between the two markers of this name replaced; `None` without the markers.
fn with_part(text: &str, name: &str, part: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) = text.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n{}\n\n{end}{after}", part.trim_end()))
}

#[test]
fn the_guide_lists_every_key_and_error_of_the_compiler() {
    let path = root().join("docs/graph.md");
    let guide = std::fs::read_to_string(&path).unwrap();
    let wanted = with_part(&guide, "reference", &reference_markdown()).unwrap();
    let wanted = with_part(&wanted, "errors", &errors_markdown()).unwrap();
    if std::env::var_os("TERRACE_UPDATE").is_some() {
        std::fs::write(&path, wanted).unwrap();
        return;
    }
    let line = guide.lines().zip(wanted.lines()).take_while(|(a, b)| a == b).count() + 1;
    let update = "TERRACE_UPDATE=1 tools/test -p terrace --test examples every_key";
    assert!(guide == wanted, "docs/graph.md is out of date from line {line} on; mend it with\n{update}");
}

#[test]
fn the_guide_quotes_the_sepia_example_as_it_is() {
    let guide = std::fs::read_to_string(root().join("docs/graph.md")).unwrap();
    let shader = std::fs::read_to_string(root().join("shaders/examples/sepia.frag")).unwrap();
    let graph = std::fs::read_to_string(root().join("graphs/examples/sepia.toml")).unwrap();
    // The guide's prose stands for the file's first comment.
    let (_, graph) = graph.split_once('\n').unwrap();
    assert!(guide.contains(&shader), "shaders/examples/sepia.frag");
    assert!(guide.contains(graph), "graphs/examples/sepia.toml");
}

#[test]
fn the_third_game_guide_quotes_the_checkerboard_as_it_is() {
    let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let guide = std::fs::read_to_string(root().join("docs/third-game.md")).unwrap();
    let game = squeeze(&std::fs::read_to_string(root().join("tests/checkerboard.rs")).unwrap());
    let blocks: Vec<&str> = guide.split("```").skip(1).step_by(2).collect();
    let quoted = blocks.iter().filter_map(|b| b.strip_prefix("rust\n").or(b.strip_prefix("toml\n")));
    let missing: Vec<&str> = quoted.clone().filter(|b| !game.contains(&squeeze(b))).collect();
    assert_eq!(quoted.count(), 8);
    assert!(missing.is_empty(), "not in tests/checkerboard.rs:\n{}", missing.join("\n"));
    // Shaders stand there as string literals.
    let literals = game.replace("\\n\\", "").replace("\\n", "").replace("\\\"", "\"");
    for block in blocks.iter().filter_map(|b| b.strip_prefix("glsl\n")) {
        let (_, code) = block.split_once('\n').unwrap();
        assert!(literals.contains(&squeeze(code)), "not in tests/checkerboard.rs:\n{code}");
    }
}
