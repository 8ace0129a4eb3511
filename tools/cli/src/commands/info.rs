//! `terrace info`.

use std::fmt::Write;

use serde_json::Value;

use crate::args::Info;
use crate::host;
use crate::report::{Failure, print};

/// Opens the map and prints what it contains.
pub(crate) fn run(args: &Info, quiet: bool) -> Result<(), Failure> {
    let (game, world) = host::open(&args.map, quiet)?;
    let mut info = world.info();
    if let Value::Object(map) = &mut info {
        map.insert("game".into(), game.name().into());
        let missing: Vec<Value> = world.diagnostics().iter().map(terrace_engine::diag::Diagnostic::to_json).collect();
        map.insert("diagnostics".into(), missing.into());
    }
    if args.json {
        print(&serde_json::to_string_pretty(&info).unwrap_or_default());
        return Ok(());
    }
    let mut out = String::new();
    if let Value::Object(map) = &info {
        for (key, value) in map.iter().filter(|(k, _)| *k != "diagnostics") {
            write_value(&mut out, &key.replace('_', " "), value);
        }
    }
    print(&out);
    Ok(())
}

/// Lists of objects get a line for each.
fn write_value(out: &mut String, name: &str, value: &Value) {
    match value {
        Value::Object(map) if map.values().any(|v| v.is_array() || v.is_object()) => {
            for (key, value) in map {
                write_value(out, &format!("{name} {key}"), value);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for item in items {
                let _ = writeln!(out, "{name:<18} {}", plain(item));
            }
        }
        other => {
            let _ = writeln!(out, "{name:<18} {}", plain(other));
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        Value::Null => "-".into(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(map) => map.iter().map(|(k, v)| format!("{k} {}", plain(v))).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
