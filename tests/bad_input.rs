//! Bad input: each fault has one clear message, nothing crashes, and a missing asset costs that asset only.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test may end at a wrong value")]

mod common;

use std::path::Path;

use common::{outcome, root, run};

fn refused(args: &[&str], code: i32, words: &[&str]) {
    let (found, text) = outcome(&run(args));
    assert_eq!(found, code, "{args:?}: {text}");
    for word in words {
        assert!(text.contains(word), "{args:?}: \"{word}\" is missing in\n{text}");
    }
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A file of the built-in map.
fn built_in(name: &str) -> Vec<u8> {
    let files = terrace_art::builtin_map();
    files.into_iter().find(|(n, _)| n == name).unwrap().1
}

#[test]
fn a_missing_map_is_named() {
    refused(&["shot", "no/such/map.w3x"], 1, &["no/such/map.w3x does not exist", "help:"]);
}

#[test]
fn an_empty_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    refused(&["shot", &write(folder.path(), "empty.w3x", b"")], 1, &["empty.w3x is empty"]);
}

#[test]
fn a_truncated_terrain_names_byte_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let w3e = built_in("war3map.w3e");
    let path = write(folder.path(), "war3map.w3e", &w3e[..w3e.len() / 2]);
    refused(&["shot", &path], 1, &["war3map.w3e", "byte ", "field "]);
}

#[test]
fn an_archive_with_a_false_header_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = b"HM3W".to_vec();
    bytes.resize(512, 0);
    bytes.extend(b"MPQ\x1a");
    bytes.resize(2048, 0xFF);
    refused(&["shot", &write(folder.path(), "false.w3x", &bytes)], 1, &["false.w3x", "error["]);
}

#[test]
fn a_file_of_no_game_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "notes.txt", b"hello");
    refused(&["shot", &path], 1, &["is not a map of a known game", "--game"]);
}

#[test]
fn a_broken_starcraft_archive_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    refused(&["shot", &write(folder.path(), "a.SC2Map", b"MPQ\x1a")], 1, &["a.SC2Map", "error["]);
}

#[test]
fn a_table_without_its_column_names_table_and_column() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "data/TerrainArt/Terrain.slk",
        b"ID;PWXL;N;E\r\nC;Y1;X1;K\"wrong\"\r\nC;Y2;X1;K\"Ldrt\"\r\nE\r\n",
    );
    let data = folder.path().join("data");
    let out = folder.path().join("out.png");
    let (_, text) =
        outcome(&run(&["shot", "--data", data.to_str().unwrap(), "-o", out.to_str().unwrap(), "--size", "64x64"]));
    assert!(text.to_lowercase().contains("terrain.slk") && text.contains("tileID"), "{text}");
}

#[test]
fn an_unknown_tileset_costs_nothing_but_its_own_art() {
    let folder = tempfile::tempdir().unwrap();
    let mut w3e = built_in("war3map.w3e");
    // The tileset letter stands behind magic and version; the first ground id begins at byte 17.
    w3e[8] = b'!';
    w3e[17..21].copy_from_slice(b"!abc");
    let map = write(folder.path(), "war3map.w3e", &w3e);
    let out = folder.path().join("out.png");
    let (code, text) = outcome(&run(&["shot", &map, "-o", out.to_str().unwrap(), "--size", "64x64"]));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("!abc"), "{text}");
    assert!(out.is_file());
}

#[test]
fn a_texture_of_no_size_costs_that_texture_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut blp = b"BLP1".to_vec();
    // Palette, 8 bits of alpha, 0 x 0.
    for word in [1u32, 8, 0, 0, 4, 0] {
        blp.extend(word.to_le_bytes());
    }
    blp.resize(156 + 1024, 0);
    write(folder.path(), "data/TerrainArt/LordaeronSummer/Lords_Grass.blp", &blp);
    let data = folder.path().join("data");
    let out = folder.path().join("out.png");
    let (code, text) =
        outcome(&run(&["shot", "--data", data.to_str().unwrap(), "-o", out.to_str().unwrap(), "--size", "64x64"]));
    assert_eq!(code, 0, "{text}");
    assert!(text.to_lowercase().contains("lords_grass.blp") && text.contains("warning["), "{text}");
}

#[test]
fn a_graph_that_names_an_unknown_list_points_at_it_and_suggests_one() {
    let folder = tempfile::tempdir().unwrap();
    let graph = std::fs::read_to_string(root().join("graphs/wc3.toml")).unwrap();
    let graph =
        graph.replace("draw = [\"water\"]\nshader = \"wc3/water\"", "draw = [\"watr\"]\nshader = \"wc3/water\"");
    let path = write(folder.path(), "bad.toml", graph.as_bytes());
    let line = graph.lines().position(|l| l.contains("watr")).unwrap() + 1;
    let place = format!("bad.toml:{line}:9");
    for command in [vec!["check", &path], vec!["shot", "--graph", &path]] {
        refused(&command, 1, &[&place, "watr", "did you mean \"water\"?"]);
    }
}

#[test]
fn wrong_use_is_exit_code_2_and_shows_the_right_one() {
    refused(&["shot", "--size", "0x5"], 2, &["1280x720"]);
    refused(&["list", "--game", "wc4"], 2, &["wc4", "wc3"]);
    refused(&["nonsense"], 2, &["nonsense"]);
    refused(&["shot", "--set", "fog_stat=1"], 1, &["fog_stat", "did you mean \"fog_start\"?"]);
}

#[cfg(unix)]
#[test]
fn pipes_are_neither_read_nor_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let pipe = pipe.to_str().unwrap();
    refused(&["info", pipe], 1, &["pipe is neither a file nor a folder"]);
    refused(&["shot", "--data", pipe], 1, &["pipe is neither a file nor a folder"]);
    refused(&["shot", "-o", pipe, "--size", "64x64"], 1, &["pipe cannot be written", "is not a file"]);
}
