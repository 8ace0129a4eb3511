//! Whole compiles: files to instruction lists, and files to error texts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::testing::{Device, Files, Shaders, load, params, print, registry, sizes};
use super::{Graph, PlanOptions};
use crate::scene::{ParamSource, Value};

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
    for pass in &report.culled {
        out.push_str(&format!("not run: {} because {}\n", pass.name, pass.why));
    }
    for group in &report.merged {
        out.push_str(&format!("one rendering: {}\n", group.join(", ")));
    }
    out.push_str(&format!("heap {} of {} bytes\n", report.heap_bytes, report.unshared_bytes));
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
