//! Writes the generated art, or pictures of it, into a folder.
//!
//! `terrace-art files DIR` writes every file under its virtual path, each tileset's own layer under `<letter>.mpq`, and the map
//! under `map`. `terrace-art pictures DIR` writes contact sheets to look at.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[expect(clippy::print_stderr, reason = "a program talks to the terminal")]
fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["files", dir] => write_files(Path::new(dir)),
        ["pictures", dir] => write_all(
            Path::new(dir),
            &terrace_art::preview::pictures(&terrace_art::files(), &terrace_art::builtin_map()),
        ),
        _ => {
            eprintln!("usage: terrace-art files DIR | terrace-art pictures DIR");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(summary) => {
            eprintln!("{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("terrace-art: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write_files(dir: &Path) -> std::io::Result<String> {
    let base = write_all(dir, &terrace_art::files())?;
    for letter in terrace_art::tilesets() {
        write_all(&dir.join(format!("{letter}.mpq")), &terrace_art::tileset_files(letter))?;
    }
    write_all(&dir.join("map"), &terrace_art::builtin_map())?;
    Ok(base)
}

fn write_all(dir: &Path, files: &[(String, Vec<u8>)]) -> std::io::Result<String> {
    for (path, bytes) in files {
        let target: PathBuf = dir.join(path.replace('\\', "/"));
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&target, bytes)
            .map_err(|e| std::io::Error::new(e.kind(), format!("{}: {e}", target.display())))?;
    }
    let total: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    Ok(format!("{} files, {total} bytes, into {}", files.len(), dir.display()))
}
