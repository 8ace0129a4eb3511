//! The program `terrace`.

mod args;
mod art;
mod commands;
mod host;
mod report;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command, View};

fn main() -> ExitCode {
    let cli = Cli::parse();
    start_log(cli.verbose, cli.quiet);
    let quiet = cli.quiet;
    let result = match cli.command.unwrap_or_else(|| Command::View(View::at_default_size())) {
        Command::View(args) => commands::view::run(&args, quiet),
        Command::Shot(args) => commands::shot::run(&args, quiet),
        Command::Info(args) => commands::info::run(&args, quiet),
        Command::List(args) => commands::list::run(&args),
        Command::Graph(args) => commands::graph::run(&args),
        Command::Check(args) => commands::check::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure.report()),
    }
}

/// Logs go to stderr; `TERRACE_LOG` takes tracing's own filter words.
fn start_log(verbose: u8, quiet: bool) {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "info",
        (false, 2) => "debug",
        (false, _) => "trace",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("TERRACE_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false).init();
}
