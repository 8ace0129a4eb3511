//! Whole compiles: files to instruction lists, and files to error texts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::testing::{Device, Files, Shaders, load, params, print, registry, sizes};
use super::{BarrierStyle, Compiled, Format, Graph, PlanOptions};
use crate::scene::{ParamSource, ParamTable, Value};

/// Every `*.toml` of a folder below `engine/tests`, but those that others extend (`base-*.toml`).
fn cases(folder: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut out: Vec<PathBuf> = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    out.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    out.retain(|p| !p.file_name().unwrap().to_string_lossy().starts_with("base-"));
    out.sort();
    assert!(!out.is_empty(), "{folder} holds no cases");
    out
}

/// All files of the case's folder, by name.
fn files(case: &Path) -> Files {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(case.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            files.insert(name(&path), fs::read_to_string(&path).unwrap());
        }
    }
    Files(files)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Compares with the text beside each case; `TERRACE_UPDATE=1` writes the texts anew.
fn check(folder: &str, outcome: impl Fn(&Path) -> String) {
    let mut wrong = Vec::new();
    for case in cases(folder) {
        let expected = case.with_extension("txt");
        let found = outcome(&case);
        if std::env::var_os("TERRACE_UPDATE").is_some() {
            fs::write(&expected, &found).unwrap();
        }
        if fs::read_to_string(&expected).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", case.display()));
        }
    }
    let command = "TERRACE_UPDATE=1 cargo test -p terrace-engine graph::tests";
    assert!(wrong.is_empty(), "{}\nif this is what should be: {command}", wrong.join("\n"));
}

fn compile(case: &Path) -> Result<String, String> {
    let graph = Graph::load(&name(case), &files(case), &registry(), &Shaders::standard()).map_err(|e| print(&e))?;
    let conditions = graph.evaluate(&params(&graph), &[false]);
    let compiled =
        graph.plan(&sizes(), &conditions, &Device::default(), &PlanOptions::default()).map_err(|e| print(&e))?;
    let report = &compiled.report;
    let mut out = print(graph.warnings());
    out.push_str(&compiled.plan.to_text());
    out.push('\n');
    out.push_str(&compiled.to_table());
    for barrier in &report.barriers {
        let after = barrier.after.as_deref().unwrap_or("the frame before");
        out.push_str(&format!("{} waits for {after}: {}\n", barrier.before, barrier.resource));
    }
    Ok(out)
}

#[test]
fn files_become_these_instruction_lists() {
    check("graph-plans", |case| compile(case).unwrap_or_else(|e| panic!("{}: {e}", case.display())));
}

#[test]
fn every_kind_of_mistake_has_this_text() {
    check("graph-errors", |case| match compile(case) {
        Ok(_) => panic!("{} has no mistake", case.display()),
        Err(text) => text,
    });
}

const SWITCHED: &str = r#"
[graph]
output = "scene"
[image.scene]
format = "rgba8"
[image.graded]
format = "rgba8"
[param.glow]
value = 0.0
[[pass]]
name = "fill"
kind = "fullscreen"
color = "scene"
shader = "fill"
[[pass]]
name = "soft glow"
kind = "fullscreen"
color = "graded"
sample = { source = "scene" }
shader = "copy"
when = "glow > 0.5 && !menu"
bypass = { graded = "scene" }
[[pass]]
name = "end"
kind = "fullscreen"
color = "scene"
sample = { source = "graded" }
shader = "copy"
when = "soft_glow"
"#;

#[test]
fn conditions_read_params_flags_and_passes_and_equal_outcomes_are_equal() {
    let graph = load(SWITCHED).unwrap();
    let mut table = params(&graph);
    let off = graph.evaluate(&table, &[false]);
    let id = table.find("glow").unwrap();
    table.set(id, Value::Float(0.4), ParamSource::Script).unwrap();
    assert_eq!(off, graph.evaluate(&table, &[false]));
    table.set(id, Value::Float(0.6), ParamSource::Script).unwrap();
    let on = graph.evaluate(&table, &[false]);
    assert_ne!(off, on);
    assert_eq!(off, graph.evaluate(&table, &[true]));
    let names = |conditions| {
        let compiled = graph.plan(&sizes(), conditions, &Device::default(), &PlanOptions::default()).unwrap();
        compiled.plan.passes.iter().map(|p| p.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&off), ["fill"]);
    assert_eq!(names(&on), ["fill", "soft glow", "end"]);
}

fn names(compiled: &Compiled) -> Vec<&str> {
    compiled.plan.passes.iter().map(|p| p.name.as_str()).collect()
}

fn plan(text: &str, device: &Device, options: &PlanOptions) -> Result<Compiled, String> {
    let graph = load(text)?;
    let conditions = graph.evaluate(&params(&graph), &[false]);
    graph.plan(&sizes(), &conditions, device, options).map_err(|e| print(&e))
}

const TWO: &str = r#"
[graph]
output = "scene"
[image.scene]
format = ["rgb10a2", "rgba8"]
[image.lit]
format = "rgba16f"
[image.aside]
format = "r8"
[[pass]]
name = "lit"
kind = "fullscreen"
color = { image = "lit", clear = 0.25 }
shader = "fill"
[[pass]]
name = "aside"
kind = "fullscreen"
color = "aside"
shader = "fill"
[[pass]]
name = "show"
kind = "fullscreen"
color = "scene"
sample = { source = "lit" }
shader = "copy"
"#;

#[test]
fn a_pass_that_a_person_switches_off_still_clears_what_others_read() {
    let options = PlanOptions { disabled: vec!["lit".into()], ..PlanOptions::default() };
    let compiled = plan(TWO, &Device::default(), &options).unwrap();
    assert_eq!(names(&compiled), ["lit", "show"]);
    assert_eq!(compiled.plan.fullscreens.len(), 1, "only \"show\" draws");
    let off = compiled.report.passes.iter().find(|p| p.name == "lit").unwrap();
    assert_eq!(off.off.as_deref(), Some("it is switched off"));
}

#[test]
fn kept_images_are_not_culled_and_can_be_read_at_the_end() {
    let options = PlanOptions { keep: vec!["aside".into()], ..PlanOptions::default() };
    let compiled = plan(TWO, &Device::default(), &options).unwrap();
    assert_eq!(names(&compiled), ["lit", "aside", "show"]);
    let ends: Vec<&str> = compiled.plan.ends.iter().map(|e| compiled.plan.images[e.0 as usize].name.as_str()).collect();
    assert_eq!(ends, ["aside", "scene"]);
    let stored = |name: &str| {
        let image = compiled.plan.images.iter().position(|i| i.name == name).unwrap() as u32;
        compiled.plan.renderings.iter().flat_map(|r| &r.colors).any(|a| a.image.image == image && a.store)
    };
    assert!(stored("aside") && stored("scene"));
    let wrong = PlanOptions { keep: vec!["asid".into()], ..PlanOptions::default() };
    let error = plan(TWO, &Device::default(), &wrong).unwrap_err();
    assert_eq!(error, "error[graph.keep]: no image is called \"asid\"\n   = help: did you mean \"aside\"?\n");
}

#[test]
fn the_first_format_that_the_device_has_is_taken_and_reported() {
    let device = Device { lacks: vec![Format::Rgb10a2], ..Device::default() };
    let compiled = plan(TWO, &device, &PlanOptions::default()).unwrap();
    assert_eq!(compiled.report.formats, [("scene".to_owned(), "rgba8".to_owned())]);
    let none = Device { lacks: vec![Format::Rgb10a2, Format::Rgba8], ..Device::default() };
    let error = plan(TWO, &none, &PlanOptions::default()).unwrap_err();
    assert!(error.contains("graph.format-unsupported") && error.contains("\"rgb10a2\" and \"rgba8\""), "{error}");
}

#[test]
fn a_graph_that_needs_more_memory_than_there_is_is_refused() {
    let device = Device { budget: 1 << 20, ..Device::default() };
    let error = plan(TWO, &device, &PlanOptions::default()).unwrap_err();
    assert!(error.contains("the images need 3 MiB, the device allows 1 MiB"), "{error}");
}

#[test]
fn answers_to_why_name_reasons() {
    let compiled = plan(TWO, &Device::default(), &PlanOptions::default()).unwrap();
    let why = |a: &str, b: Option<&str>| compiled.why(a, b).unwrap().join("\n");
    assert_eq!(why("aside", None), "\"aside\" does not run: nobody needs what it writes to \"aside\"");
    assert_eq!(why("lit", Some("show")), "\"show\" waits for \"lit\" because of \"lit\"");
    assert_eq!(
        why("lit", None).lines().last().unwrap(),
        "\"lit\" and \"scene\" do not share memory: one lives from \"lit\" to \"show\", the other from \"show\" to \"show\""
    );
    assert_eq!(
        compiled.why("shwo", None).unwrap_err().to_string(),
        "no pass and no image is called \"shwo\"; did you mean \"show\"?"
    );
    assert_eq!(compiled.report.critical_path, ["lit", "show"]);
    assert!(compiled.to_dot().contains("\"pass lit\" -> \"image lit\";"));
    assert!(compiled.to_svg().contains(">lit<"));
    assert_eq!(compiled.to_json()["report"]["passes"][1]["name"], "aside");
}

#[test]
fn a_constant_that_follows_a_param_gives_another_plan_when_the_param_changes() {
    let text = TWO.replace("[[pass]]\nname = \"show\"", "[param.TAPS]\nvalue = 3\n[[pass]]\nname = \"show\"");
    let graph = load(&text.replace("\"copy\"", "\"taps\"")).unwrap();
    let mut table = params(&graph);
    let constants = |table: &ParamTable| {
        let conditions = graph.evaluate(table, &[false]);
        let compiled = graph.plan(&sizes(), &conditions, &Device::default(), &PlanOptions::default()).unwrap();
        compiled.plan.pipelines.iter().flat_map(|p| p.constants.clone()).collect::<Vec<_>>()
    };
    assert_eq!(constants(&table), [(0, 3)]);
    let id = table.find("TAPS").unwrap();
    table.set(id, Value::Int(5), ParamSource::Overlay).unwrap();
    assert_eq!(constants(&table), [(0, 5)]);
}

#[test]
fn switches_of_the_compiler_change_the_plan_and_not_what_runs() {
    let graph = load(include_str!("../../tests/graph-plans/everything.toml")).unwrap();
    let conditions = graph.evaluate(&params(&graph), &[false]);
    let with = |options: PlanOptions| graph.plan(&sizes(), &conditions, &Device::default(), &options).unwrap();
    let base = with(PlanOptions::default());
    let plain =
        with(PlanOptions { alias: false, merge: false, barriers: BarrierStyle::Individual, ..PlanOptions::default() });
    assert_eq!(names(&base), names(&plain));
    assert!(base.plan.heap_bytes < plain.plan.heap_bytes);
    assert!(base.plan.barriers.len() < plain.plan.barriers.len());
    assert!(base.plan.renderings.len() < plain.plan.renderings.len());
    assert!(plain.plan.barriers.iter().all(|b| b.images.len() + b.buffers.len() == 1));
}

#[test]
fn what_flows_through_a_bypass_ends_where_the_image_is_written_anew() {
    let text = SWITCHED.replace(
        "[[pass]]\nname = \"end\"",
        "[[pass]]\nname = \"scratch\"\nkind = \"fullscreen\"\n\
        color = { image = \"graded\", clear = 1.0 }\nshader = \"fill\"\n[[pass]]\nname = \"end\"",
    );
    let text = text.replace("when = \"soft_glow\"\n", "");
    let compiled = plan(&text, &Device::default(), &PlanOptions::default()).unwrap();
    let image = |name: &str| compiled.plan.images.iter().position(|i| i.name == name);
    let targets: Vec<_> = compiled.plan.renderings.iter().map(|r| r.colors[0].image.image as usize).collect();
    assert_eq!(names(&compiled), ["fill", "scratch", "end"]);
    assert_eq!(targets, [image("scene").unwrap(), image("graded").unwrap(), image("scene").unwrap()]);
}

#[test]
fn a_graph_can_be_checked_on_one_thread_and_planned_on_another() {
    fn sendable<T: Send + Sync>() {}
    sendable::<Graph>();
    sendable::<Compiled>();
}

/// Milliseconds of load and plan for chains of 128 and 512 passes; run by hand, because it is timed:
/// `cargo test -p terrace-engine compile_time -- --ignored --nocapture`.
#[test]
#[ignore = "timed"]
fn compile_time_grows_with_the_number_of_passes() {
    let chain = |n: usize| {
        let mut text = String::from("[graph]\noutput = \"i0\"\n");
        for i in 0..n.min(512) {
            text += &format!("[image.i{i}]\nformat = \"rgba8\"\n");
        }
        for i in 0..n {
            let (to, from) = ((n - i - 1).min(511), (n - i).min(511));
            let sample = if i == 0 { String::new() } else { format!("sample = {{ source = \"i{from}\" }}\n") };
            let shader = if i == 0 { "fill" } else { "copy" };
            text += &format!(
                "[[pass]]\nname = \"p{i}\"\nkind = \"fullscreen\"\ncolor = \"i{to}\"\n{sample}shader = \"{shader}\"\n"
            );
        }
        text
    };
    let time = |n: usize| {
        let text = chain(n);
        let mut best = f64::MAX;
        for _ in 0..10 {
            let start = std::time::Instant::now();
            let graph = load(&text).unwrap();
            let loaded = start.elapsed().as_secs_f64() * 1e3;
            let conditions = graph.evaluate(&params(&graph), &[false]);
            let compiled = graph.plan(&sizes(), &conditions, &Device::default(), &PlanOptions::default()).unwrap();
            assert_eq!(compiled.plan.passes.len(), n);
            let total = start.elapsed().as_secs_f64() * 1e3;
            if total < best {
                best = total;
                println!("{n} passes: load {loaded:.2} ms, load and plan {total:.2} ms");
            }
        }
        best
    };
    let (small, large) = (time(128), time(512));
    println!("t(512) / t(128) = {:.2}", large / small);
    assert!(large / small <= 4.4);
}
