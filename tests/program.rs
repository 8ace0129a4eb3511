//! The program from outside: its words, its answers, and that the graph file really is the frame.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test may end at a wrong value")]

mod common;

use common::{differing, outcome, root, run, shot, terrace};

#[test]
fn list_names_what_the_graph_uses() {
    let output = run(&["list", "--game", "wc3"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success());
    for word in ["ground", "cliff", "water", "main", "light", "map", "screen", "baked_shadow", "fog_start", "map_cells"]
    {
        assert!(text.lines().any(|l| l.trim_start().starts_with(word)), "{word} is missing in\n{text}");
    }
}

#[test]
fn check_accepts_every_graph_of_the_project() {
    for entry in std::fs::read_dir(root().join("graphs")).unwrap().flatten() {
        if entry.path().extension().is_some_and(|e| e == "toml") {
            let output = run(&["check", entry.path().to_str().unwrap()]);
            assert!(output.status.success(), "{:?}: {}", entry.path(), outcome(&output).1);
        }
    }
}

#[test]
fn info_is_readable_and_json_has_the_same_facts() {
    let text = run(&["info"]);
    assert!(String::from_utf8_lossy(&text.stdout).contains("tileset"));
    let json: serde_json::Value = serde_json::from_slice(&run(&["info", "--json"]).stdout).unwrap();
    assert_eq!(json["game"], "wc3");
    assert_eq!(json["tileset"], "L");
}

#[test]
fn without_a_display_the_viewer_says_so_and_writes_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let output = terrace()
        .args(["--quiet", "view", "--size", "64x64"])
        .env("TERRACE_ROOT", root())
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", outcome(&output).1);
    assert!(String::from_utf8_lossy(&output.stdout).contains("no display"));
    assert!(folder.path().join("terrace.png").is_file());
}

#[test]
fn moving_the_water_color_block_above_the_ground_changes_the_picture() {
    let graph = std::fs::read_to_string(root().join("graphs/wc3.toml")).unwrap();
    let mut blocks: Vec<&str> = graph.split("[[pass]]").collect();
    let at =
        |name: &str, blocks: &[&str]| blocks.iter().position(|b| b.contains(&format!("name = \"{name}\""))).unwrap();
    let water = blocks.remove(at("water color", &blocks));
    blocks.insert(at("ground and cliffs", &blocks), water);
    // The pass that is first now starts its attachments.
    let moved = blocks.join("[[pass]]").replacen(
        "color = { scene = \"scene\", load = \"keep\" }\ndepth = { image = \"scene_depth\", load = \"keep\" }\ndraw = [\"water\"]\nshader = \"wc3/water\"",
        "color = { scene = \"scene\", clear = [0, 0, 0, 1] }\ndepth = { image = \"scene_depth\", clear = 1.0 }\ndraw = [\"water\"]\nshader = \"wc3/water\"",
        1,
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("moved.toml");
    std::fs::write(&path, &moved).unwrap();
    assert_ne!(moved, graph);
    let before = shot(&["--size", "320x180"]);
    let after = shot(&["--size", "320x180", "--graph", path.to_str().unwrap()]);
    let changed = differing(&before, &after);
    assert!(changed > 320 * 180 / 50, "only {changed} pixels changed");
}

#[test]
fn a_param_set_on_the_command_line_reaches_the_shader() {
    let size = ["--size", "160x90"];
    let plain = shot(&size);
    let fogged =
        shot(&[&size[..], &["--set", "fog_enabled=true", "--set", "fog_start=0", "--set", "fog_end=10"]].concat());
    assert!(differing(&plain, &fogged) > 160 * 90 / 2);
}

#[test]
fn timings_come_as_table_csv_and_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (picture, csv, trace) = (path("a.png"), path("a.csv"), path("a.json"));
    let args =
        ["shot", "-o", &picture, "--size", "64x64", "--frames", "5", "--stats", "--csv", &csv, "--trace", &trace];
    let output = run(&args);
    assert!(output.status.success(), "{}", outcome(&output).1);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(table.lines().any(|l| l.starts_with("shadow map")) && table.contains("frame (gpu)"), "{table}");
    let csv = std::fs::read_to_string(csv).unwrap();
    assert!(csv.starts_with("frame,record_ns,gpu_ns,\"shadow map\"") && csv.lines().count() >= 3, "{csv}");
    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(trace).unwrap()).unwrap();
    assert!(trace["traceEvents"].as_array().unwrap().iter().any(|e| e["name"] == "ground and cliffs"));
}

#[test]
fn graph_shows_the_plan_and_answers_why() {
    let text = |args: &[&str]| {
        let output = run(args);
        assert!(output.status.success(), "{}", outcome(&output).1);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let graph = "graphs/wc3.toml";
    assert!(text(&["graph", graph]).contains("critical path"));
    assert!(text(&["graph", graph, "--form", "svg"]).starts_with("<svg"));
    assert!(text(&["graph", graph, "--form", "dot"]).starts_with("digraph"));
    assert!(text(&["graph", graph, "--why", "shadow map,ground and cliffs"]).contains("depthmap"));
    let json: serde_json::Value = serde_json::from_str(&text(&["graph", graph, "--form", "json"])).unwrap();
    assert_eq!(json["plan"]["name"], "wc3");
}
