//! Random graphs against the oracle, and random bytes against everything.

use std::fmt::Write;

use proptest::prelude::*;

use super::oracle::replay;
use super::testing::{Device, Files, Shaders, load, params, print, registry, sizes};
use super::{BarrierStyle, Compiled, Graph, PlanOptions};

/// A pass as numbers; most of them give a valid pass.
#[derive(Clone, Debug)]
struct Spec {
    kind: u8,
    target: u8,
    depth: u8,
    reads: Vec<(u8, bool)>,
    clear: bool,
}

fn spec() -> impl Strategy<Value = Spec> {
    (0u8..8, 0u8..5, 0u8..4, proptest::collection::vec((0u8..7, proptest::bool::weighted(0.2)), 0..3), any::<bool>())
        .prop_map(|(kind, target, depth, reads, clear)| Spec { kind, target, depth, reads, clear })
}

/// Five colour images (the fourth with mips, the last lasts), a depth image and a buffer.
fn graph_text(specs: &[Spec]) -> String {
    let mut out = String::from("[graph]\noutput = \"i0\"\n");
    for i in 0..5 {
        let more = ["", "", "", "mips = 3\n", "persistent = true\n"][i];
        let _ = write!(out, "[image.i{i}]\nformat = \"rgba8\"\nsize = [64, 64]\n{more}");
    }
    out.push_str("[image.d]\nformat = \"d32\"\nsize = [64, 64]\n[buffer.bins]\nsize = 64\n");
    for (n, spec) in specs.iter().enumerate() {
        pass_text(&mut out, n, spec);
    }
    let _ = write!(out, "[[pass]]\nname = \"last\"\nkind = \"fullscreen\"\ncolor = \"i0\"\nshader = \"fill\"\n");
    out
}

fn pass_text(out: &mut String, n: usize, spec: &Spec) {
    let mut sources = String::new();
    for (k, (image, prev)) in spec.reads.iter().enumerate() {
        let name = if *image == 5 { "d".to_owned() } else { format!("i{}", image % 5) };
        let age = if *prev { "@prev" } else { "" };
        let _ = write!(sources, "{}s{k} = \"{name}{age}\"", if k > 0 { ", " } else { "" });
    }
    let reads = spec.reads.len();
    let _ = write!(out, "[[pass]]\nname = \"p{n}\"\n");
    let sample = if reads > 0 { format!("sample = {{ {sources} }}\n") } else { String::new() };
    let load = if spec.clear { ", clear = 0.0" } else { "" };
    let target = spec.target;
    let first = spec.reads.first().map_or(0, |r| r.0 % 5);
    let _ = match spec.kind {
        0..=2 => {
            let depth = match spec.depth {
                1 => "depth = \"d\"\n",
                2 => "depth = { image = \"d\", clear = 1.0 }\n",
                3 => "depth = { image = \"d\", write = false }\n",
                _ => "",
            };
            write!(
                out,
                "kind = \"fullscreen\"\ncolor = {{ image = \"i{target}\"{load} }}\n{depth}{sample}shader = \"fs{reads}\"\n"
            )
        }
        3 => write!(out, "depth = {{ image = \"d\"{load} }}\ndraw = [\"ground\"]\nshader = \"depth_only\"\n"),
        4 => write!(
            out,
            "kind = \"compute\"\nstorage = {{ result = \"i{target}\" }}\n{sample}shader = \"cs{reads}\"\n\
             dispatch = {{ of = \"i{target}\" }}\n"
        ),
        5 => write!(out, "kind = \"copy\"\nfrom = \"i{first}\"\nto = \"i{target}\"\n"),
        6 => write!(out, "kind = \"mips\"\nto = \"i3\"\n"),
        _ if spec.clear => write!(
            out,
            "kind = \"compute\"\nstorage = {{ bins = \"bins\" }}\nsample = {{ source = \"i{first}\" }}\n\
             shader = \"histogram\"\ndispatch = [4]\n"
        ),
        _ => write!(
            out,
            "kind = \"compute\"\nstorage = {{ bins = \"bins\", result = \"i{target}\" }}\nshader = \"consume\"\n\
             dispatch = [4]\n"
        ),
    };
}

fn shaders() -> Shaders {
    let mut shaders = Shaders::standard();
    for n in 0..3 {
        let samples: String = (0..n).map(|k| format!(" s{k}")).collect();
        let sample = if n > 0 { format!("; sample{samples}") } else { String::new() };
        shaders.add(&format!("fs{n}"), &format!("out color{sample}"));
        shaders.add(&format!("cs{n}"), &format!("image result:w{sample}; local 8 8 1"));
    }
    shaders
}

/// The longest list of passes that is valid: a pass that makes the graph invalid is left out.
fn valid_graph(specs: &[Spec]) -> Option<Graph> {
    let mut kept: Vec<Spec> = Vec::new();
    let mut best = None;
    for spec in specs {
        kept.push(spec.clone());
        match Graph::load("test.toml", &Files::one(&graph_text(&kept)), &registry(), &shaders()) {
            Ok(graph) => best = Some(graph),
            Err(_) => {
                kept.pop();
            }
        }
    }
    best
}

fn compile(graph: &Graph, options: &PlanOptions) -> Compiled {
    let conditions = graph.evaluate(&params(graph), &[false]);
    graph.plan(&sizes(), &conditions, &Device::default(), options).unwrap_or_else(|e| panic!("{}", print(&e)))
}

/// All switches, and every image kept that some pass touches.
fn all_options(graph: &Graph) -> Vec<PlanOptions> {
    let base = PlanOptions::default();
    let touched = compile(graph, &PlanOptions { cull: false, ..base.clone() });
    let keep = touched.plan.images.iter().map(|i| i.name.clone()).collect();
    vec![
        base.clone(),
        PlanOptions { cull: false, ..base.clone() },
        PlanOptions { merge: false, alias: false, ..base.clone() },
        PlanOptions { barriers: BarrierStyle::Individual, ..base.clone() },
        PlanOptions { cull: false, merge: false, barriers: BarrierStyle::Individual, ..base.clone() },
        PlanOptions { keep, ..base },
    ]
}

proptest! {
    #[test]
    fn no_plan_has_a_hazard_a_wrong_layout_or_lost_texels(specs in proptest::collection::vec(spec(), 1..9)) {
        let Some(graph) = valid_graph(&specs) else { return Ok(()) };
        for options in all_options(&graph) {
            let compiled = compile(&graph, &options);
            if let Err(error) = replay(&compiled, 5) {
                prop_assert!(false, "{error}\n{options:?}\n{}", compiled.plan.to_text());
            }
        }
    }

    #[test]
    fn every_barrier_of_a_small_plan_is_needed(specs in proptest::collection::vec(spec(), 1..9)) {
        let Some(graph) = valid_graph(&specs) else { return Ok(()) };
        let compiled = compile(&graph, &PlanOptions { cull: false, ..PlanOptions::default() });
        for (i, batch) in compiled.plan.barriers.iter().enumerate() {
            for k in 0..batch.images.len() {
                let mut without = compiled.clone();
                without.plan.barriers[i].images.remove(k);
                prop_assert!(replay(&without, 5).is_err(), "{i}, {k} in\n{}", compiled.plan.to_text());
            }
            for k in 0..batch.buffers.len() {
                let mut without = compiled.clone();
                without.plan.barriers[i].buffers.remove(k);
                prop_assert!(replay(&without, 5).is_err(), "{i}, buffer {k} in\n{}", compiled.plan.to_text());
            }
        }
    }

    #[test]
    fn bytes_are_a_graph_or_errors_and_never_a_panic(text in "\\PC{0,200}") {
        let _ = load(&text);
    }

    #[test]
    fn a_graph_with_changed_bytes_is_a_graph_or_errors(
        at in 0usize..4000, with in "[ -~]{0,4}", cut in 0usize..6
    ) {
        let source = include_str!("../../tests/graph-plans/everything.toml");
        let start = (0..=at % source.len()).rev().find(|i| source.is_char_boundary(*i)).unwrap_or(0);
        let end = (start + cut..source.len()).find(|i| source.is_char_boundary(*i)).unwrap_or(source.len());
        let text = format!("{}{with}{}", &source[..start], &source[end..]);
        if let Ok(graph) = load(&text) {
            let conditions = graph.evaluate(&params(&graph), &[false]);
            let _ = graph.plan(&sizes(), &conditions, &Device::default(), &PlanOptions::default());
        }
    }
}
