//! `terrace graph`.

use terrace_engine::diag::Diagnostic;
use terrace_engine::graph::{PlanOptions, Sizes};
use terrace_engine::scene::ParamTable;
use terrace_engine::vulkan::{Gpu, GpuOptions};

use super::check::load_fitting;
use crate::args::{Explain, GraphForm};
use crate::host;
use crate::report::{Failure, print, print_diagnostics};

/// Cells a side that stand for a map's sizes, as no map is open.
const MAP_CELLS: u32 = 128;

/// Compiles the graph for a device and prints the result.
pub(crate) fn run(args: &Explain) -> Result<(), Failure> {
    let (game, loaded) = load_fitting(&args.graph, args.game.as_deref())?;
    let graph = loaded?;
    print_diagnostics(graph.warnings());
    let registry = game.registry();
    let mut params = ParamTable::default();
    for decl in registry.params.iter().chain(graph.params()) {
        params.declare(decl.clone());
    }
    let flags: Vec<bool> = registry.flags.iter().map(|f| f.default).collect();
    let sizes = Sizes { view: args.size, named: vec![[MAP_CELLS; 2]; registry.sizes.len()] };
    let options =
        GpuOptions { device: args.device.clone(), cache_dir: Some(host::cache_dir()), ..GpuOptions::default() };
    let gpu = Gpu::new(&options).map_err(|e| terrace_engine::app::gpu_error(&e))?;
    let compiled = graph.plan(&sizes, &graph.evaluate(&params, &flags), &gpu, &PlanOptions::default())?;
    if let Some(names) = &args.why {
        let (name, other) = match names.split_once(',') {
            Some((a, b)) => (a.trim(), Some(b.trim())),
            None => (names.trim(), None),
        };
        let answer = compiled.why(name, other).map_err(|unknown| {
            Diagnostic::error("use.why", unknown.to_string()).help("`terrace graph FILE` prints the names")
        })?;
        print(&answer.join("\n"));
        return Ok(());
    }
    print(&match args.form {
        GraphForm::Table => compiled.to_table(),
        GraphForm::Json => serde_json::to_string_pretty(&compiled.to_json()).unwrap_or_default(),
        GraphForm::Dot => compiled.to_dot(),
        GraphForm::Svg => compiled.to_svg(),
        GraphForm::Plan => compiled.plan.to_text(),
    });
    Ok(())
}
