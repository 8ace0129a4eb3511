//! `terrace check`.

use std::path::Path;

use terrace_engine::app::{load_graph, shader_compiler};
use terrace_engine::diag::Diagnostic;
use terrace_engine::graph::Graph;
use terrace_engine::scene::Game;

use crate::args::Check;
use crate::host;
use crate::report::{Failure, print, print_diagnostics};

/// Loads the graph and its shaders against the game's names and prints every error.
pub(crate) fn run(args: &Check) -> Result<(), Failure> {
    match load_fitting(&args.graph, args.game.as_deref())? {
        (_, Ok(graph)) => {
            print_all(args.json, graph.warnings());
            if !args.json {
                print(&format!("{}: no errors", args.graph.display()));
            }
            Ok(())
        }
        (_, Err(errors)) if args.json => {
            print_all(true, &errors);
            Err(Failure::Work(Vec::new()))
        }
        (_, Err(errors)) => Err(errors.into()),
    }
}

/// A game, and what a graph file is to it.
pub(super) type Fit = (Box<dyn Game>, Result<Graph, Vec<Diagnostic>>);

/// Loads a graph for the named game, or for the first game that it fits. Where it fits none, the errors are those of
/// the game whose own graph's name the file's begins with, else of the first game.
pub(super) fn load_fitting(path: &Path, game: Option<&str>) -> Result<Fit, Failure> {
    let games = match game {
        Some(name) => vec![host::game_named(name)?],
        None => host::games(),
    };
    let compiler = shader_compiler(&host::project_root()?.join("shaders"))?;
    let mut best = None;
    for game in games {
        let result = load_graph(path, &compiler, game.registry());
        if result.is_ok() {
            return Ok((game, result));
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if best.is_none() || stem.starts_with(game.default_graph().trim_end_matches(".toml")) {
            best = Some((game, result));
        }
    }
    best.ok_or_else(|| Diagnostic::error("use.game", "there is no game").into())
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
