//! `terrace check`.

use terrace_engine::app::{load_graph, shader_compiler};
use terrace_engine::diag::Diagnostic;

use crate::args::Check;
use crate::host;
use crate::report::{Failure, print, print_diagnostics};

/// Loads the graph and its shaders against the game's names and prints every error.
pub(crate) fn run(args: &Check) -> Result<(), Failure> {
    let game = host::game_named(&args.game)?;
    let compiler = shader_compiler(&host::project_root()?.join("shaders"))?;
    match load_graph(&args.graph, &compiler, game.registry()) {
        Ok(graph) => {
            print_all(args.json, graph.warnings());
            if !args.json {
                print(&format!("{}: no errors", args.graph.display()));
            }
            Ok(())
        }
        Err(errors) if args.json => {
            print_all(true, &errors);
            Err(Failure::Work(Vec::new()))
        }
        Err(errors) => Err(errors.into()),
    }
}

fn print_all(json: bool, diagnostics: &[Diagnostic]) {
    if json {
        for diagnostic in diagnostics {
            print(&diagnostic.to_json().to_string());
        }
    } else {
        print_diagnostics(diagnostics);
    }
}
