//! How the program speaks: reports on stderr, results on stdout, progress where a terminal is.

use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};
use terrace_engine::diag::{Diagnostic, Severity};

/// Diagnostics that are printed; a file that is wrong everywhere would scroll the first ones away.
const MOST_PRINTED: usize = 100;

/// How a command ended when it did not work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Exit code 1: the work failed.
    Work(Vec<Diagnostic>),
    /// Exit code 2: wrong use.
    Use(Diagnostic),
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Work(vec![diagnostic])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Work(diagnostics)
    }
}

impl Failure {
    /// Prints the diagnostics and gives the exit code.
    pub(crate) fn report(&self) -> u8 {
        match self {
            Self::Work(diagnostics) => {
                print_diagnostics(diagnostics);
                1
            }
            Self::Use(diagnostic) => {
                print_diagnostics(std::slice::from_ref(diagnostic));
                2
            }
        }
    }
}

/// Prints diagnostics on stderr, in colour where a person reads.
pub(crate) fn print_diagnostics(diagnostics: &[Diagnostic]) {
    let mut err = std::io::stderr().lock();
    let colour = err.is_terminal() && std::env::var_os("NO_COLOR").is_none();
    for diagnostic in diagnostics.iter().take(MOST_PRINTED) {
        let text = diagnostic.to_string();
        let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let code = match diagnostic.severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Note => "1;36",
        };
        // A closed stderr leaves nobody to tell.
        let _ = match (colour, rest.is_empty()) {
            (true, true) => writeln!(err, "\x1b[{code}m{head}\x1b[0m"),
            (true, false) => writeln!(err, "\x1b[{code}m{head}\x1b[0m\n{rest}"),
            (false, _) => writeln!(err, "{text}"),
        };
    }
    if let Some(more) = diagnostics.len().checked_sub(MOST_PRINTED).filter(|n| *n > 0) {
        let _ = writeln!(err, "... and {more} more");
    }
}

/// Writes a result to stdout; a closed pipe (`terrace list | head`) is not an error.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ =
        out.write_all(text.as_bytes()).and_then(|()| if text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") });
}

/// A progress bar on a terminal, nothing elsewhere.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Starts; it shows only after 300 ms, so that quick loads stay silent.
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(1000);
            if let Ok(style) = ProgressStyle::with_template("{msg:30} {bar:40} {percent}%") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar }
    }

    /// Says what is being done and the share done, 0 to 1.
    pub(crate) fn step(&mut self, what: &str, share: f32) {
        if let Some(bar) = self.bar.as_ref().filter(|b| b.elapsed().as_millis() > 300) {
            bar.set_message(what.to_owned());
            bar.set_position((share.clamp(0.0, 1.0) * 1000.0) as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
