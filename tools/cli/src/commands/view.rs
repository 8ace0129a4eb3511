//! `terrace view`.

use std::path::PathBuf;

use terrace_engine::app::{WindowConfig, run_window};
use terrace_engine::diag::Diagnostic;

use super::shot::{finish_validation, open_gpu, open_session, write_timings};
use crate::args::{Shot, View};
use crate::host;
use crate::report::{Failure, print};

/// Picture that is written where no display is.
const WITHOUT_DISPLAY: &str = "terrace.png";

/// Opens the viewer; without a display it says so and writes a picture instead.
pub(crate) fn run(args: &View, quiet: bool) -> Result<(), Failure> {
    if !has_display() {
        let shot = Shot {
            map: args.map.clone(),
            render: args.render.clone(),
            output: PathBuf::from(WITHOUT_DISPLAY),
            frames: args.frames.unwrap_or(1).max(1),
            image: None,
        };
        super::shot::run(&shot, quiet)?;
        print(&format!("no display (DISPLAY and WAYLAND_DISPLAY are unset): the picture is in {WITHOUT_DISPLAY}"));
        return Ok(());
    }
    let (game, world) = host::open(&args.map, quiet)?;
    let mut world = Some(world);
    let mut gpu = None;
    let config = WindowConfig {
        title: match &args.map.map {
            Some(path) => format!("terrace - {}", path.display()),
            None => "terrace - built-in map".into(),
        },
        size: args.render.size,
        vsync: !args.no_vsync,
        edge_scroll: args.edge_scroll,
        frames: args.frames,
    };
    let mut written = Ok(());
    let outcome = run_window(
        config,
        &mut |display, size| {
            let failed = |what: &str| vec![Diagnostic::error("window.none", what.to_owned())];
            let opened = open_gpu(&args.render, Some(display)).map_err(diagnostics)?;
            gpu = Some(opened.clone());
            let world = world.take().ok_or_else(|| failed("the window was opened twice"))?;
            open_session(opened, game.as_ref(), world, &args.render, size, Vec::new(), true).map_err(diagnostics)
        },
        &mut |session| written = write_timings(&args.render, session),
    );
    outcome?;
    written?;
    gpu.as_ref().map_or(Ok(()), finish_validation)
}

fn diagnostics(failure: Failure) -> Vec<Diagnostic> {
    match failure {
        Failure::Work(all) => all,
        Failure::Use(one) => vec![one],
    }
}

fn has_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()))
}
