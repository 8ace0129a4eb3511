//! Phase 2: follows `extends` and applies what the extending file changes.

use std::sync::Arc;

use super::ast::{Edit, FileAst, RawPass};
use super::limits::{MAX_EXTENDS, MAX_FILE_BYTES};
use super::parse::parse_file;
use super::source::{Log, Place, Sp, suggest};
use crate::diag::{Diagnostic, SourceFile};

/// Reads graph files; the program reads the disk or built-in files, tests read a map.
pub trait FileLoader {
    /// The text of a graph file. The path of an extended file is already joined with the folder of the file that
    /// extends it.
    fn read(&self, path: &str) -> Result<Arc<SourceFile>, Diagnostic>;
}

/// The file and all that it extends as one, and the paths that were read.
pub(crate) fn load_files(log: &mut Log, path: &str, files: &dyn FileLoader) -> (FileAst, Vec<String>) {
    let mut paths = Vec::new();
    let ast = load_file(log, path, files, &mut paths, None);
    (ast, paths)
}

fn load_file(
    log: &mut Log,
    path: &str,
    files: &dyn FileLoader,
    paths: &mut Vec<String>,
    from: Option<Place>,
) -> FileAst {
    if let Some(at) = from {
        if paths.iter().any(|p| p == path) {
            let message = format!("\"{path}\" extends itself");
            let chain = format!("the chain is {}", paths.join(" -> "));
            log.error("graph.extends-cycle", message, at, "closes the circle").notes.push(chain);
            return FileAst::default();
        }
        if paths.len() >= MAX_EXTENDS {
            let message = format!("more than {MAX_EXTENDS} files extend one another");
            log.error("graph.limit", message, at, "too deep");
            return FileAst::default();
        }
    }
    paths.push(path.to_owned());
    let file = match files.read(path) {
        Ok(file) => file,
        Err(mut error) => {
            error.labels.extend(from.map(|at| log.label(at, "extended here")));
            log.errors.push(error);
            return FileAst::default();
        }
    };
    if file.text.len() > MAX_FILE_BYTES {
        let message = format!("\"{path}\" has {} bytes, a graph file has at most {MAX_FILE_BYTES}", file.text.len());
        log.errors.push(Diagnostic::error("graph.limit", message).in_file(path));
        return FileAst::default();
    }
    let ast = parse_file(log, &file);
    match ast.extends.clone() {
        Some(base) => {
            let joined = join(path, &base.value);
            let base = load_file(log, &joined, files, paths, Some(base.at));
            apply(log, base, ast)
        }
        None => {
            refuse_edits(log, &ast);
            ast
        }
    }
}

/// `path` relative to the folder of `of`, with `.` and `..` resolved.
fn join(of: &str, path: &str) -> String {
    let of = of.replace('\\', "/");
    let path = path.replace('\\', "/");
    if path.starts_with('/') || path.get(1..2) == Some(":") {
        return path;
    }
    let absolute = of.starts_with('/');
    let mut parts: Vec<&str> = of.split('/').filter(|p| !p.is_empty()).collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    format!("{}{}", if absolute { "/" } else { "" }, parts.join("/"))
}

fn refuse_edits(log: &mut Log, ast: &FileAst) {
    let edits = ast.passes.iter().filter_map(|p| match &p.edit {
        Edit::Append => None,
        Edit::Before(s) | Edit::After(s) | Edit::Replace(s) => Some(s.at),
    });
    let moves = ast.moves.iter().map(|m| m.pass.at);
    let places: Vec<Place> = edits.chain(moves).chain(ast.remove.iter().map(|r| r.at)).collect();
    for at in places {
        log.error("graph.edit", "this file extends nothing, so there is nothing to change", at, "an edit").help =
            Some("the order of the file is the order of the frame; move the block, or add extends = \"…\"".into());
    }
}

/// Changes `base` by what `ext` says.
fn apply(log: &mut Log, mut base: FileAst, ext: FileAst) -> FileAst {
    base.name = ext.name.or(base.name);
    base.output = ext.output.or(base.output);
    for image in ext.images {
        match base.images.iter_mut().find(|i| i.name.value == image.name.value) {
            Some(slot) => *slot = image,
            None => base.images.push(image),
        }
    }
    for buffer in ext.buffers {
        match base.buffers.iter_mut().find(|i| i.name.value == buffer.name.value) {
            Some(slot) => *slot = buffer,
            None => base.buffers.push(buffer),
        }
    }
    for param in ext.params {
        match base.params.iter_mut().find(|i| i.decl.name == param.decl.name) {
            Some(slot) => *slot = param,
            None => base.params.push(param),
        }
    }
    for name in &ext.remove {
        if let Some(i) = find(log, &base.passes, name) {
            base.passes.remove(i);
        }
    }
    for step in ext.moves {
        let Some(i) = find(log, &base.passes, &step.pass) else { continue };
        let pass = base.passes.remove(i);
        let to = target(log, &base.passes, &step.target).unwrap_or(i);
        base.passes.insert(to.min(base.passes.len()), pass);
    }
    // Blocks that go after the same pass keep the order of the file.
    let mut behind: Vec<(String, String)> = Vec::new();
    for mut pass in ext.passes {
        let edit = std::mem::replace(&mut pass.edit, Edit::Append);
        match &edit {
            Edit::Append => base.passes.push(pass),
            Edit::Before(_) => {
                let at = target(log, &base.passes, &edit).unwrap_or(base.passes.len());
                base.passes.insert(at, pass);
            }
            Edit::After(name) => {
                let last = behind.iter().rev().find(|b| b.0 == name.value).map(|b| b.1.clone());
                let anchor = last.map_or(edit.clone(), |value| Edit::After(Sp { value, at: name.at }));
                let at = target(log, &base.passes, &anchor).unwrap_or(base.passes.len());
                behind.push((name.value.clone(), pass.name.value.clone()));
                base.passes.insert(at, pass);
            }
            Edit::Replace(name) => {
                if let Some(i) = find(log, &base.passes, name) {
                    base.passes[i] = pass;
                }
            }
        }
    }
    base
}

fn find(log: &mut Log, passes: &[RawPass], name: &Sp<String>) -> Option<usize> {
    let found = passes.iter().position(|p| p.name.value == name.value);
    if found.is_none() {
        let help = suggest(&name.value, passes.iter().map(|p| p.name.value.as_str()));
        let message = format!("the extended graph has no pass called \"{}\"", name.value);
        log.error("graph.unknown-pass", message, name.at, "unknown pass").help = help;
    }
    found
}

fn target(log: &mut Log, passes: &[RawPass], edit: &Edit) -> Option<usize> {
    match edit {
        Edit::Before(name) => find(log, passes, name),
        Edit::After(name) => find(log, passes, name).map(|i| i + 1),
        Edit::Append | Edit::Replace(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn an_extended_path_is_relative_to_the_file_that_names_it() {
        assert_eq!(join("graphs/a/b.toml", "../frame.toml"), "graphs/frame.toml");
        assert_eq!(join("/x/b.toml", "./c.toml"), "/x/c.toml");
        assert_eq!(join("b.toml", "/abs.toml"), "/abs.toml");
        assert_eq!(join("b.toml", "../c.toml"), "../c.toml");
    }
}
