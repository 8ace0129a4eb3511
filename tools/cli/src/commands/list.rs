//! `terrace list`.

use std::fmt::Write;

use terrace_engine::scene::{Game, Registry};

use crate::args::List;
use crate::host;
use crate::report::{Failure, print};

/// Prints the names that graph files may use.
pub(crate) fn run(args: &List) -> Result<(), Failure> {
    let games = match &args.game {
        Some(name) => vec![host::game_named(name)?],
        None => host::games(),
    };
    if args.json {
        let all: serde_json::Map<String, serde_json::Value> = games
            .iter()
            .map(|g| (g.name().to_owned(), serde_json::to_value(g.registry()).unwrap_or_default()))
            .collect();
        print(&serde_json::to_string_pretty(&all).unwrap_or_default());
        return Ok(());
    }
    let mut out = String::new();
    for game in &games {
        write_game(&mut out, game.as_ref());
    }
    print(&out);
    Ok(())
}

fn write_game(out: &mut String, game: &dyn Game) {
    let _ = writeln!(out, "{}: {}", game.name(), game.doc());
    let Registry { lists, views, imports, params, flags, sizes } = game.registry();
    section(
        out,
        "draw lists",
        lists.iter().map(|l| {
            let attributes: Vec<_> = l.streams.iter().flat_map(|s| &s.attributes).map(|a| a.name.as_str()).collect();
            let textures: Vec<_> = l.material.iter().map(|m| m.name.as_str()).collect();
            let presets: Vec<_> = l.presets.iter().map(|p| p.name.as_str()).collect();
            let mut text = format!("{} [attributes: {}", l.doc, attributes.join(" "));
            for (word, names) in [("textures", textures), ("presets", presets)] {
                if !names.is_empty() {
                    let _ = write!(text, "; {word}: {}", names.join(" "));
                }
            }
            (l.name.clone(), text + "]")
        }),
    );
    section(out, "views", views.iter().map(|v| (v.name.clone(), v.doc.clone())));
    section(out, "images", imports.iter().map(|i| (i.name.clone(), i.doc.clone())));
    section(
        out,
        "params",
        params.iter().map(|p| {
            let (value, n) = p.default.components();
            let value: Vec<String> = value[..n].iter().map(f32::to_string).collect();
            let range = p.min.zip(p.max).map(|(a, b)| format!(", {a} to {b}")).unwrap_or_default();
            (p.name.clone(), format!("{} [{} {}{range}]", p.doc, p.kind.name(), value.join(",")))
        }),
    );
    section(out, "flags", flags.iter().map(|f| (f.name.clone(), f.doc.clone())));
    section(out, "sizes", sizes.iter().map(|s| (s.name.clone(), s.doc.clone())));
    out.push('\n');
}

fn section(out: &mut String, title: &str, rows: impl Iterator<Item = (String, String)>) {
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let width = rows.iter().map(|(n, _)| n.len()).max().unwrap_or(0);
    let _ = writeln!(out, "\n  {title}");
    for (name, doc) in rows {
        let _ = writeln!(out, "    {name:<width$}  {doc}");
    }
}
