//! A compiled graph for people: as a table, JSON, a Graphviz graph, a drawing, and as answers to "why".

use std::fmt::Write;

use super::checked::Compiled;
use super::report::{ImageReport, PassReport};
use super::source::suggest;

/// A question about a name that nothing has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no pass and no image is called \"{name}\"{}", help.as_ref().map(|h| format!("; {h}")).unwrap_or_default())]
pub struct UnknownName {
    /// The name.
    pub name: String,
    /// What may have been meant.
    pub help: Option<String>,
}

impl Compiled {
    /// Passes and images in columns.
    pub fn to_table(&self) -> String {
        let r = &self.report;
        let mut rows = vec![["pass", "kind", "reads", "writes", ""].map(str::to_owned)];
        for pass in &r.passes {
            let note = pass.off.as_ref().map_or(String::new(), |why| format!("not run: {why}"));
            rows.push([pass.name.clone(), pass.kind.into(), pass.reads.join(" "), pass.writes.join(" "), note]);
        }
        let mut out = columns(&rows);
        out.push('\n');
        let mut rows = vec![["image", "format", "size", "bytes", "lives"].map(str::to_owned)];
        for image in &r.images {
            let [w, h] = image.extent;
            let lives = match (&image.life, image.offset) {
                (Some((a, b)), Some(offset)) => format!("{a} .. {b}, heap {offset}"),
                (Some((a, b)), None) => format!("{a} .. {b}, persistent x{}", image.instances),
                _ => String::new(),
            };
            rows.push([image.name.clone(), image.format.into(), format!("{w}x{h}"), image.bytes.to_string(), lives]);
        }
        out.push_str(&columns(&rows));
        for group in &r.merged {
            let _ = writeln!(out, "\none rendering: {}", group.join(", "));
        }
        let _ = writeln!(
            out,
            "\nbarrier calls: {}; transient images {} bytes, {} without sharing; persistent {} bytes",
            r.barrier_calls, r.heap_bytes, r.unshared_bytes, r.persistent_bytes
        );
        let _ = writeln!(out, "critical path: {}", r.critical_path.join(" -> "));
        out
    }

    /// The report and the plan.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({ "report": self.report, "plan": self.plan })
    }

    /// A graph for Graphviz: passes as boxes in order, images between them.
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph frame {\n  rankdir = LR;\n  node [fontname = \"sans-serif\"];\n");
        for pass in &self.report.passes {
            let style = if pass.off.is_some() { "dashed" } else { "solid" };
            let _ = writeln!(out, "  {:?} [shape = box, style = {style}];", format!("pass {}", pass.name));
            for (names, reads) in [(&pass.reads, true), (&pass.writes, false)] {
                for name in names {
                    let (image, pass) = (format!("image {name}"), format!("pass {}", pass.name));
                    let (a, b) = if reads { (image, pass) } else { (pass, image) };
                    let _ = writeln!(out, "  {a:?} -> {b:?};");
                }
            }
        }
        out.push_str("}\n");
        out
    }

    /// A drawing: passes from top to bottom, images as lines, filled dots write, rings read.
    pub fn to_svg(&self) -> String {
        let r = &self.report;
        let mut columns: Vec<&str> = Vec::new();
        for name in r.passes.iter().flat_map(|p| p.reads.iter().chain(&p.writes)) {
            let base = name.split('@').next().unwrap_or(name);
            if !columns.contains(&base) {
                columns.push(base);
            }
        }
        let (left, top, row, column) = (220, 120, 24, 28);
        let x = |name: &str| {
            let base = name.split('@').next().unwrap_or(name);
            left + column * columns.iter().position(|c| *c == base).unwrap_or(0)
        };
        let (width, height) = (left + column * columns.len() + 120, top + row * r.passes.len() + 20);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        for name in &columns {
            let at = x(name);
            let _ = writeln!(
                out,
                "<text x=\"{at}\" y=\"{}\" transform=\"rotate(-60 {at} {})\">{}</text>",
                top - 16,
                top - 16,
                escape(name)
            );
            let touched = |p: &&PassReport| p.reads.iter().chain(&p.writes).any(|n| x(n) == at);
            let first = r.passes.iter().position(|p| touched(&p)).unwrap_or(0);
            let last = r.passes.iter().rposition(|p| touched(&p)).unwrap_or(first);
            let _ = writeln!(
                out,
                "<line x1=\"{at}\" y1=\"{}\" x2=\"{at}\" y2=\"{}\" stroke=\"#88a\"/>",
                top + row * first,
                top + row * last
            );
        }
        for (i, pass) in r.passes.iter().enumerate() {
            let y = top + row * i;
            let ink = if pass.off.is_some() { "#aaa" } else { "#000" };
            let title = pass.off.as_ref().map_or(String::new(), |w| format!("<title>{}</title>", escape(w)));
            let _ = writeln!(out, "<text x=\"8\" y=\"{}\" fill=\"{ink}\">{}{title}</text>", y + 4, escape(&pass.name));
            for name in &pass.reads {
                let _ = writeln!(out, "<circle cx=\"{}\" cy=\"{y}\" r=\"6\" fill=\"none\" stroke=\"{ink}\"/>", x(name));
            }
            for name in &pass.writes {
                let _ = writeln!(out, "<circle cx=\"{}\" cy=\"{y}\" r=\"4\" fill=\"{ink}\"/>", x(name));
            }
        }
        out.push_str("</svg>\n");
        out
    }

    /// Why a pass does not run or what it waits for; why an image lies where it lies; with a second name, why there is a
    /// barrier between two passes, or why two images do not share memory.
    ///
    /// # Errors
    /// A name that neither a pass nor an image has, with what may have been meant.
    pub fn why(&self, name: &str, other: Option<&str>) -> Result<Vec<String>, UnknownName> {
        let r = &self.report;
        let pass = r.passes.iter().find(|p| p.name == name);
        let image = r.images.iter().find(|i| i.name == name);
        let Some(other) = other else {
            return match (pass, image) {
                (None, None) => Err(self.unknown(name)),
                _ => {
                    let mut out = pass.map_or_else(Vec::new, |p| self.why_pass(p));
                    out.extend(image.map_or_else(Vec::new, |i| self.why_image(i)));
                    Ok(out)
                }
            };
        };
        let second_image = r.images.iter().find(|i| i.name == other);
        if let (Some(a), Some(b)) = (image, second_image) {
            return Ok(vec![sharing(a, b)]);
        }
        let second = r.passes.iter().find(|p| p.name == other).ok_or_else(|| self.unknown(other))?;
        let first = pass.ok_or_else(|| self.unknown(name))?;
        Ok(self.between(first, second))
    }

    fn unknown(&self, name: &str) -> UnknownName {
        let passes = self.report.passes.iter().map(|p| p.name.as_str());
        let help = suggest(name, passes.chain(self.report.images.iter().map(|i| i.name.as_str())));
        UnknownName { name: name.to_owned(), help }
    }

    fn why_pass(&self, pass: &PassReport) -> Vec<String> {
        let r = &self.report;
        let name = &pass.name;
        if let Some(why) = &pass.off {
            return vec![format!("\"{name}\" does not run: {why}")];
        }
        let mut out = Vec::new();
        for b in r.barriers.iter().filter(|b| b.before == *name) {
            match &b.after {
                Some(after) => out.push(format!("\"{name}\" waits for \"{after}\" because of \"{}\"", b.resource)),
                None => out.push(format!("\"{name}\" waits for the frame before because of \"{}\"", b.resource)),
            }
        }
        for b in r.barriers.iter().filter(|b| b.after.as_ref() == Some(name)) {
            out.push(format!("\"{}\" waits for \"{name}\" because of \"{}\"", b.before, b.resource));
        }
        for group in r.merged.iter().filter(|g| g.contains(name)) {
            out.push(format!("it shares a rendering: {}", group.join(", ")));
        }
        if r.critical_path.contains(name) {
            out.push(format!("it is on the critical path: {}", r.critical_path.join(" -> ")));
        }
        if out.is_empty() {
            out.push(format!("\"{name}\" waits for nothing"));
        }
        out
    }

    fn why_image(&self, image: &ImageReport) -> Vec<String> {
        let r = &self.report;
        let [w, h] = image.extent;
        let mut out = vec![format!("\"{}\": {} {w}x{h}, {} bytes", image.name, image.format, image.bytes)];
        let users = |list: fn(&PassReport) -> &Vec<String>| {
            let on = r.passes.iter().filter(|p| p.off.is_none());
            let touch = on.filter(|p| list(p).iter().any(|n| n.split('@').next() == Some(image.name.as_str())));
            touch.map(|p| p.name.clone()).collect::<Vec<_>>().join(", ")
        };
        out.push(format!("written by: {}", users(|p| &p.writes)));
        out.push(format!("read by: {}", users(|p| &p.reads)));
        match image.offset {
            None => out.push(format!("it lasts: {} instances of its own", image.instances)),
            Some(_) => {
                for other in r.images.iter().filter(|o| o.name != image.name && o.offset.is_some()) {
                    out.push(sharing(image, other));
                }
            }
        }
        out
    }

    fn between(&self, a: &PassReport, b: &PassReport) -> Vec<String> {
        let found = |after: &str, before: &str| {
            let reasons =
                self.report.barriers.iter().filter(|r| r.after.as_deref() == Some(after) && r.before == before);
            reasons.map(|r| format!("\"{before}\" waits for \"{after}\" because of \"{}\"", r.resource)).collect()
        };
        let mut out: Vec<String> = found(&a.name, &b.name);
        out.extend::<Vec<String>>(found(&b.name, &a.name));
        if out.is_empty() {
            out.push(format!("nothing makes \"{}\" and \"{}\" wait for each other directly", a.name, b.name));
        }
        out
    }
}

fn sharing(a: &ImageReport, b: &ImageReport) -> String {
    let (Some(x), Some(y)) = (a.offset, b.offset) else {
        let lasting = if a.offset.is_none() { &a.name } else { &b.name };
        return format!("\"{}\" and \"{}\" do not share memory: \"{lasting}\" lasts over frames", a.name, b.name);
    };
    if x < y + b.bytes && y < x + a.bytes {
        return format!("\"{}\" and \"{}\" share memory: they never hold something at once", a.name, b.name);
    }
    let apart = a.span.1 < b.span.0 || b.span.1 < a.span.0;
    let life = |i: &ImageReport| i.life.as_ref().map_or(String::new(), |l| format!("\"{}\" to \"{}\"", l.0, l.1));
    if apart {
        return format!("\"{}\" and \"{}\" could share memory; other images decided where they lie", a.name, b.name);
    }
    format!(
        "\"{}\" and \"{}\" do not share memory: one lives from {}, the other from {}",
        a.name,
        b.name,
        life(a),
        life(b)
    )
}

fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (width, cell) in widths.iter().zip(row) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
