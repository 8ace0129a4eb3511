use proptest::prelude::*;

use super::*;
use crate::scene::{ParamDecl, Value};

const FILE: &str = r#"# A graph.
[graph]
name = "test"   # shown in the title

[image.scene]
size = "view"

[param.fog]
value = 0.5     # half
min   = 0.0
max   = 1.0

# Light first.
# Two lines of it.
[[pass]]
name  = "shadow"   # from the sun
depth = { image = "depthmap", clear = 1.0 }
# draw = ["all"]

# ---- the world ----

[[pass]]
name = "ground"
doc  = """
# not a comment

[[pass]]
"""
  [pass.state]
  cull = "back"

# Water is drawn late.
[[pass]]
name = "water"
draw = [
    "water",   # a list
]

[[pass]]
name = "grade"
kind = "fullscreen"
"#;

#[test]
fn a_move_changes_the_file_by_exactly_the_moved_block() {
    let block = "[[pass]]\nname = \"grade\"\nkind = \"fullscreen\"\n";
    let moved = move_pass(FILE, "grade", Some("ground")).unwrap();
    let without = FILE.strip_suffix(&format!("\n{block}")).unwrap();
    let at = moved.find(block).unwrap();
    let cut = format!("{}{}", &moved[..at], moved[at + block.len()..].strip_prefix('\n').unwrap());
    assert_eq!(cut, without);
    assert!(moved[..at].ends_with("# ---- the world ----\n\n"), "the comment between two blocks stays: {moved}");
    assert_eq!(pass_names(&moved).unwrap(), ["shadow", "grade", "ground", "water"]);
    assert_eq!(move_pass(&moved, "grade", None).unwrap(), FILE);
}

#[test]
fn comments_above_and_sub_tables_travel_with_the_block() {
    let moved = move_pass(FILE, "ground", None).unwrap();
    let tail = &moved[moved.rfind("\n[[pass]]\nname = \"ground\"").unwrap()..];
    assert!(tail.ends_with("\n# not a comment\n\n[[pass]]\n\"\"\"\n  [pass.state]\n  cull = \"back\"\n"), "{tail}");
    assert!(moved.contains("# ---- the world ----\n\n# Water is drawn late.\n[[pass]]\nname = \"water\""), "{moved}");

    let moved = move_pass(FILE, "shadow", Some("grade")).unwrap();
    let expected = "]\n\n# Light first.\n# Two lines of it.\n[[pass]]\nname  = \"shadow\"   # from the sun\n\
                    depth = { image = \"depthmap\", clear = 1.0 }\n# draw = [\"all\"]\n\n[[pass]]\nname = \"grade\"";
    assert!(moved.contains(expected), "{moved}");
}

#[test]
fn a_last_block_before_other_tables_is_where_moved_blocks_go() {
    let text = "[[pass]]\nname = \"a\"\n\n[[pass]]\nname = \"b\"\n\n[image.x]\nsize = \"view\"\n";
    let moved = move_pass(text, "a", None).unwrap();
    assert_eq!(moved, "[[pass]]\nname = \"b\"\n\n[[pass]]\nname = \"a\"\n\n[image.x]\nsize = \"view\"\n");
}

#[test]
fn errors_name_what_is_wrong_and_a_way_out() {
    let file = SourceFile::new("g.toml", FILE);
    let error = move_pass(FILE, "watr", None).unwrap_err();
    assert!(error.diagnostic(&file).to_string().contains("did you mean \"water\"?"));
    assert!(matches!(move_pass("a = ", "x", None), Err(EditError::Syntax { .. })));
    assert!(matches!(move_pass("pass = [{ name = \"a\" }]", "a", None), Err(EditError::NotBlocks { .. })));
    let twice = "[[pass]]\nname = \"a\"\n[[pass]]\nname = \"a\"\n";
    assert!(matches!(move_pass(twice, "a", None), Err(EditError::Twice { .. })));
    let scattered = "[[pass]]\nname = \"a\"\n[image.x]\n[pass.state]\ncull = \"back\"\n[[pass]]\nname = \"b\"\n";
    let error = move_pass(scattered, "a", None).unwrap_err();
    let shown = error.diagnostic(&SourceFile::new("g.toml", scattered)).to_string();
    assert!(shown.contains("g.toml:1:1"), "{shown}");
}

#[test]
fn moving_behind_a_scattered_block_does_not_take_its_sub_tables() {
    let text = "[[pass]]\nname = \"b\"\n\n[[pass]]\nname = \"a\"\n\n[image.x]\n\n[pass.state]\ncull = \"back\"\n";
    let moved = move_pass(text, "b", None).unwrap();
    assert!(moved.ends_with("[pass.state]\ncull = \"back\"\n\n[[pass]]\nname = \"b\"\n"), "{moved}");
}

#[test]
fn a_pass_is_turned_off_and_on_by_one_line() {
    let off = set_pass_enabled(FILE, "water", false).unwrap();
    assert_eq!(off, FILE.replace("name = \"water\"\n", "name = \"water\"\nenabled = false\n"));
    assert_eq!(set_pass_enabled(&off, "water", false).unwrap(), off);
    assert_eq!(set_pass_enabled(&off, "water", true).unwrap(), FILE);
    assert_eq!(set_pass_enabled(FILE, "water", true).unwrap(), FILE);

    let commented = off.replace("enabled = false", "enabled = false # too slow");
    let on = set_pass_enabled(&commented, "water", true).unwrap();
    assert_eq!(on, commented.replace("enabled = false #", "enabled = true #"));
    assert_eq!(set_pass_enabled(&on, "water", false).unwrap(), commented);

    let open = "[[pass]]\r\n\tname = \"a\"";
    let off = set_pass_enabled(open, "a", false).unwrap();
    assert_eq!(off, "[[pass]]\r\n\tname = \"a\"\r\n\tenabled = false");
}

#[test]
fn a_param_changes_its_value_and_nothing_else() {
    let edited = set_param(FILE, "fog", "0.25").unwrap();
    assert_eq!(edited, FILE.replace("value = 0.5     # half", "value = 0.25     # half"));
    let inline = "[param]\nfog = { value = [1.0, 2.0], doc = \"x\" }\nsun.value = true\n";
    assert_eq!(set_param(inline, "fog", "[3.0]").unwrap(), inline.replace("[1.0, 2.0]", "[3.0]"));
    assert_eq!(set_param(inline, "sun", "false").unwrap(), inline.replace("true", "false"));
    let bare = "[param.fog]\nmax = 1.0\n";
    assert_eq!(set_param(bare, "fog", "0.5").unwrap(), "[param.fog]\nvalue = 0.5\nmax = 1.0\n");
    assert!(matches!(set_param(FILE, "fogg", "1"), Err(EditError::NoParam { near: Some(n), .. }) if n == "fog"));
    assert!(matches!(set_param(FILE, "fog", "1\nmin = 2"), Err(EditError::NotAValue { .. })));
    assert!(matches!(set_param(FILE, "fog", "1 # x"), Err(EditError::NotAValue { .. })));
}

#[test]
fn values_become_literals_that_read_back_equal() {
    let decl = ParamDecl::new("x", Value::Float(0.0), "");
    assert_eq!(literal(&decl, Value::Float(0.1)).unwrap(), "0.1");
    assert_eq!(literal(&decl, Value::Vec3([1.0, -2.5, 1e-9])).unwrap(), "[1.0, -2.5, 1e-9]");
    assert_eq!(literal(&decl, Value::Float(f32::NAN)), None);
    assert_eq!(literal(&decl, Value::Int(-3)).unwrap(), "-3");
    let mut choice = ParamDecl::new("x", Value::Int(0), "");
    choice.kind = ValueType::Enum;
    choice.choices = vec!["low".into(), "a \"b\"".into()];
    let text = literal(&choice, Value::Int(1)).unwrap();
    assert_eq!(text.parse::<toml_edit::Value>().unwrap().as_str(), Some("a \"b\""));
    assert_eq!(literal(&choice, Value::Int(2)), None);
    for f in [f32::MIN_POSITIVE, f32::MAX, 16_777_216.0, -0.0, 1e16] {
        let text = literal(&decl, Value::Float(f)).unwrap();
        let read = text.parse::<toml_edit::Value>().unwrap().as_float().unwrap();
        assert_eq!((read as f32).to_bits(), f.to_bits(), "{text}");
    }
}

#[test]
fn history_goes_back_and_forth_and_forgets_what_was_undone_after_a_new_edit() {
    let mut history = EditHistory::new("0");
    assert_eq!(history.undo(), None);
    assert!(!history.can_undo());
    for i in 1..=EditHistory::STEPS + 10 {
        history.push(i.to_string());
        history.push(i.to_string());
    }
    let newest = (EditHistory::STEPS + 10).to_string();
    assert_eq!(history.text(), newest);
    for _ in 0..EditHistory::STEPS {
        assert!(history.undo().is_some());
    }
    assert_eq!((history.text(), history.can_undo()), ("10", false));
    assert_eq!(history.redo(), Some("11"));
    history.push("other");
    assert_eq!(history.redo(), None);
    assert!(!history.can_redo());
    assert_eq!(history.undo(), Some("11"));
}

/// The pieces of a generated graph file.
#[derive(Clone, Debug)]
struct Generated {
    crlf: bool,
    open: bool,
    mark: bool,
    preamble: usize,
    passes: Vec<(usize, usize, usize)>,
    tail: usize,
}

/// Between passes stand `gap` blank lines only, or with `between` also comments and other tables.
fn text_of(g: &Generated, between: bool) -> String {
    let preambles = ["", "# top\n\n", "[graph]\nname = \"x\"\n\n", "[image.a]\nsize = [1, 2] # c\n# tail\n\n"];
    let comments = ["", "# about it\n", "# a\n  # [[pass]]\n"];
    let bodies = [
        "",
        "draw = [\n  \"a\",\n\n  # in\n  \"b\",\n]\n",
        "state = { cull = \"back\" }\n[pass.extra]\nx = 1\n# y\n",
        "doc = '''\n# [[pass]]\n\n'''\n",
        "  [[pass.item]]\n  a = 1\n\n  # second\n  [[pass.item]]\n",
    ];
    let others = ["", "# free\n\n", "[image.i%]\nformat = \"r8\"\n\n", "# above\n[buffer.b%]\n\n"];
    let mut text = String::from(preambles[g.preamble % preambles.len()]);
    for (i, &(comment, body, gap)) in g.passes.iter().enumerate() {
        text += comments[comment % comments.len()];
        text += &format!("[[pass]]\nname = \"p{i}\"\n{}", bodies[body % bodies.len()]);
        if i + 1 < g.passes.len() {
            text += &"\n".repeat(1 + gap % 3);
            if between {
                text += &others[(comment + gap) % others.len()].replace('%', &i.to_string());
            }
        }
    }
    text += ["", "\n", "\n# end\n", "\n[image.z]\n"][g.tail % 4];
    if g.open {
        text.pop();
    }
    if g.crlf {
        text = text.replace('\n', "\r\n");
    }
    if g.mark { format!("\u{feff}{text}") } else { text }
}

fn generated() -> impl Strategy<Value = Generated> {
    let pass = (0..3usize, 0..5usize, 0..3usize);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (flags, 0..4usize, proptest::collection::vec(pass, 1..7), 0..4usize)
        .prop_map(|((crlf, open, mark), preamble, passes, tail)| Generated { crlf, open, mark, preamble, passes, tail })
}

fn sorted_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    lines.sort_unstable();
    lines
}

fn names_after(count: usize, from: usize, to: Option<usize>) -> Vec<String> {
    let mut names: Vec<String> = (0..count).map(|i| format!("p{i}")).collect();
    let name = names.remove(from);
    let at = to.map_or(names.len(), |to| if to > from { to - 1 } else { to });
    if to != Some(from) {
        names.insert(at, name)
    } else {
        names.insert(from, name)
    }
    names
}

proptest! {
    #[test]
    fn a_move_keeps_every_line_and_gives_the_asked_order(
        g in generated(), from in 0..7usize, to in 0..8usize, between in any::<bool>(),
    ) {
        let text = text_of(&g, between);
        let count = g.passes.len();
        let (from, to) = (from % count, Some(to % (count + 1)).filter(|&to| to < count));
        let before = to.map(|to| format!("p{to}"));
        let moved = move_pass(&text, &format!("p{from}"), before.as_deref()).unwrap();
        prop_assert_eq!(moved.len(), text.len());
        prop_assert_eq!(sorted_lines(&moved), sorted_lines(&text));
        prop_assert_eq!(moved.ends_with('\n'), text.ends_with('\n'));
        prop_assert_eq!(pass_names(&moved).unwrap(), names_after(count, from, to));
        // Every pass still says the same.
        let tables = |text: &str| {
            let root: toml::Table = toml::from_str(text).unwrap();
            let mut passes: Vec<String> = root["pass"].as_array().unwrap().iter().map(|p| p.to_string()).collect();
            passes.sort_unstable();
            passes
        };
        prop_assert_eq!(tables(&moved), tables(&text));
    }

    #[test]
    fn a_move_there_and_back_gives_the_same_bytes(g in generated(), from in 0..7usize, to in 0..8usize) {
        let text = text_of(&g, false);
        let count = g.passes.len();
        let (from, to) = (from % count, Some(to % (count + 1)).filter(|&to| to < count));
        let before = to.map(|to| format!("p{to}"));
        let name = format!("p{from}");
        let moved = move_pass(&text, &name, before.as_deref()).unwrap();
        let successor = (from + 1 < count).then(|| format!("p{}", from + 1));
        prop_assert_eq!(move_pass(&moved, &name, successor.as_deref()).unwrap(), text);
    }

    #[test]
    fn edits_of_any_text_never_panic(text in "(\\[\\[pass\\]\\]|name = \"a\"|#|\\PC|\r?\n|\\[pass.x\\]|'''|=){0,30}") {
        let _ = move_pass(&text, "a", None);
        let _ = set_pass_enabled(&text, "a", false);
        let _ = set_param(&text, "a", "1");
    }
}
