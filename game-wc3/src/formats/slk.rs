//! SLK, the spreadsheet text of the game's tables.
//!
//! A line is a record: a type and fields separated by `;`, of which `;;` stands for a literal one. `C` records set a
//! cell, `F` records only format cells but may move the position. `X` (column) and `Y` (row), both from 1, keep their
//! last value where they are left out. Row 1 names the columns, column 1 is the key of a row.

use std::collections::{BTreeMap, HashMap};

use terrace_engine::bytes::FormatError;
use terrace_engine::diag::{Diagnostic, near_miss};

/// Most columns that are accepted; the game's widest tables have about 200.
pub const MAX_COLUMNS: u32 = 4096;
/// Most rows that are accepted; the game's longest tables have about 3000.
pub const MAX_ROWS: u32 = 1 << 20;

/// A table. Keys and column names are found whatever their case; an exact match wins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    name: String,
    columns: BTreeMap<u32, String>,
    column_index: HashMap<String, u32>,
    rows: Vec<RowData>,
    exact: HashMap<String, usize>,
    folded: HashMap<String, usize>,
}

#[derive(Clone, Debug, PartialEq)]
struct RowData {
    key: String,
    cells: BTreeMap<u32, String>,
}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    table: &'a Table,
    data: &'a RowData,
}

impl Table {
    /// Reads a table; `name` appears in diagnostics. Bytes that are not UTF-8 become the replacement character.
    /// Of two rows with one key the first is found.
    ///
    /// # Errors
    /// A text that does not begin with an `ID` record, or a position that is no number from 1 to the limits.
    pub fn parse(bytes: &[u8], name: &str) -> Result<Self, FormatError> {
        let cells = read_cells(bytes)?;
        let mut rows: BTreeMap<u32, BTreeMap<u32, String>> = BTreeMap::new();
        for ((y, x), value) in cells {
            rows.entry(y).or_default().insert(x, value);
        }
        let columns = rows.remove(&1).unwrap_or_default();
        let mut table = Self { name: name.to_owned(), ..Self::default() };
        for (x, column) in &columns {
            table.column_index.entry(column.trim().to_lowercase()).or_insert(*x);
        }
        table.columns = columns;
        for cells in rows.into_values() {
            let Some(key) = cells.get(&1).map(|k| k.trim().to_owned()).filter(|k| !k.is_empty()) else { continue };
            let at = table.rows.len();
            table.exact.entry(key.clone()).or_insert(at);
            table.folded.entry(key.to_lowercase()).or_insert(at);
            table.rows.push(RowData { key, cells });
        }
        Ok(table)
    }

    /// The name it was parsed under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Column names from left to right.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.values().map(String::as_str)
    }

    /// Rows that have a key.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True when no row has a key.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row of a key.
    pub fn row(&self, key: &str) -> Option<Row<'_>> {
        let at = self.exact.get(key).or_else(|| self.folded.get(&key.to_lowercase()))?;
        Some(Row { table: self, data: &self.rows[*at] })
    }

    /// All rows with a key in the order of the file, duplicates included.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|data| Row { table: self, data })
    }

    /// True when the column exists, be it with the suffix `:sd` or `:hd`.
    pub fn has_column(&self, column: &str) -> bool {
        self.column(column).next().is_some()
    }

    /// Refuses a table that lacks columns.
    ///
    /// # Errors
    /// A diagnostic that names the table, the missing columns and the nearest existing one.
    pub fn require_columns(&self, columns: &[&str]) -> Result<(), Diagnostic> {
        let missing: Vec<_> = columns.iter().copied().filter(|c| !self.has_column(c)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let list = missing.join("\", \"");
        let error =
            Diagnostic::error("wc3.table-column", format!("the table has no column \"{list}\"")).in_file(&self.name);
        let near = missing.iter().find_map(|m| near_miss(m, self.columns()));
        Err(match near {
            Some(near) => error.help(format!("the nearest column is \"{near}\"")),
            None => error.help("the first row of an SLK table names its columns"),
        })
    }

    /// Positions of a column: itself, then its classic and its Reforged form.
    fn column(&self, name: &str) -> impl Iterator<Item = u32> {
        let name = name.to_lowercase();
        ["", ":sd", ":hd"]
            .into_iter()
            .filter_map(move |suffix| self.column_index.get(&format!("{name}{suffix}")).copied())
    }
}

impl<'a> Row<'a> {
    /// The first cell.
    pub fn key(&self) -> &'a str {
        &self.data.key
    }

    /// The cell as it stands; `None` where it is empty, `-` or `_`, which the tables use for "none".
    pub fn str(&self, column: &str) -> Option<&'a str> {
        self.table
            .column(column)
            .filter_map(|x| self.data.cells.get(&x))
            .map(|s| s.trim())
            .find(|s| !matches!(*s, "" | "-" | "_"))
    }

    /// The cell as a finite number. `1,5` and other texts that are no single number are `None`.
    pub fn float(&self, column: &str) -> Option<f32> {
        self.str(column)?.parse::<f32>().ok().filter(|v| v.is_finite())
    }

    /// The cell as a whole number; fractions are cut.
    pub fn int(&self, column: &str) -> Option<i32> {
        self.float(column).map(|v| v as i32)
    }

    /// The cell as a switch: 0 is off, other numbers and TRUE are on.
    pub fn bool(&self, column: &str) -> Option<bool> {
        let text = self.str(column)?;
        match text.to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => self.float(column).map(|v| v != 0.0),
        }
    }

    /// The parts of a cell between commas, without blanks around them and without "none" parts.
    pub fn list(&self, column: &str) -> Vec<&'a str> {
        let cell = self.str(column).unwrap_or("");
        cell.split(',').map(str::trim).filter(|s| !matches!(*s, "" | "-" | "_")).collect()
    }
}

/// All cells by row and column.
fn read_cells(bytes: &[u8]) -> Result<BTreeMap<(u32, u32), String>, FormatError> {
    let mut cells = BTreeMap::new();
    let (mut x, mut y) = (1, 1);
    let mut offset = 0;
    let mut started = false;
    for raw in bytes.split_inclusive(|&b| b == b'\n') {
        let at = offset as u64;
        offset += raw.len();
        let text = String::from_utf8_lossy(raw);
        let line = text.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n', '\0']).trim_start();
        if line.is_empty() {
            continue;
        }
        let (kind, fields) = line.split_once(';').unwrap_or((line, ""));
        if !started {
            if kind.trim() != "ID" {
                return Err(FormatError::new(at, "ID", "an SLK table begins with an ID record"));
            }
            started = true;
        }
        match kind.trim() {
            "C" | "F" => {
                let mut value = None;
                for field in Fields(Some(fields)) {
                    match field.text.as_bytes().first() {
                        Some(b'X') => x = position(&field.text[1..], at, "X", MAX_COLUMNS)?,
                        Some(b'Y') => y = position(&field.text[1..], at, "Y", MAX_ROWS)?,
                        Some(b'K') if kind.trim() == "C" => value = Some(cell_value(field)),
                        _ => {}
                    }
                }
                if let Some(value) = value {
                    cells.insert((y, x), value);
                }
            }
            "E" => break,
            _ => {}
        }
    }
    if started { Ok(cells) } else { Err(FormatError::new(0, "ID", "the file is empty")) }
}

fn position(text: &str, at: u64, field: &str, most: u32) -> Result<u32, FormatError> {
    match text.trim().parse::<u32>() {
        Ok(v) if (1..=most).contains(&v) => Ok(v),
        _ => Err(FormatError::new(at, field, format!("\"{}\" is no position from 1 to {most}", text.trim()))),
    }
}

/// A field of a record, before `;;` is replaced.
#[derive(Clone, Copy)]
struct Field<'a> {
    text: &'a str,
    quoted: bool,
}

/// Splits a record at single semicolons. A quoted value ends at a quote before a separator or the end of the line,
/// so that a plain semicolon between quotes, which some editors write, stays in the value.
struct Fields<'a>(Option<&'a str>);

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        let rest = self.0?;
        let bytes = rest.as_bytes();
        let separator = |i: usize| bytes[i] == b';' && bytes.get(i + 1) != Some(&b';');
        let quoted_end = rest.starts_with("K\"").then(|| {
            (2..bytes.len()).find(|&i| bytes[i] == b'"' && (i + 1 == bytes.len() || separator(i + 1))).map(|i| i + 1)
        });
        let end = match quoted_end.flatten() {
            Some(end) => Some(end).filter(|&e| e < bytes.len()),
            None => {
                let mut i = 0;
                loop {
                    match bytes.get(i) {
                        None => break None,
                        Some(b';') if separator(i) => break Some(i),
                        Some(b';') => i += 2,
                        Some(_) => i += 1,
                    }
                }
            }
        };
        self.0 = end.map(|i| &rest[i + 1..]);
        let text = end.map_or(rest, |i| &rest[..i]);
        Some(Field { text, quoted: quoted_end.flatten().is_some() })
    }
}

fn cell_value(field: Field<'_>) -> String {
    let text = &field.text[1..];
    let text = if field.quoted { &text[1..text.len() - 1] } else { text.trim().trim_matches('"') };
    text.replace(";;", ";")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(text: &str) -> Table {
        Table::parse(text.as_bytes(), "Test.slk").unwrap()
    }

    #[test]
    fn positions_are_differential_and_f_records_move_them() {
        let t = table(concat!(
            "ID;PWXL;N;E\r\nB;Y4;X3;D0\r\nC;X1;Y1;K\"id\"\r\nC;X2;K\"Value\"\r\nC;X3;K\"file:hd\"\r\n",
            "C;Y2;X1;K\"Abcd\"\r\nC;X2;K7\r\nF;X3\r\nC;K\"a;;b\"\r\nC;Y3;K\"in column 3\"\r\n\
             C;X1;K\"efgh\"\r\nE\r\nC;X1;Y4;Kzz\r\n"
        ));
        assert_eq!(t.len(), 2);
        let row = t.row("ABCD").unwrap();
        assert_eq!((row.key(), row.int("value"), row.str("file")), ("Abcd", Some(7), Some("a;b")));
        assert_eq!(t.row("efgh").unwrap().str("FILE:HD"), Some("in column 3"));
        assert!(t.row("zz").is_none());
    }

    #[test]
    fn x_before_y_and_plain_semicolons_in_quotes_are_read() {
        let t =
            table("ID\nC;X1;Y1;K\"id\"\nC;X2;Y1;K\"name\"\nC;X1;Y212;K\"gldo\"\nC;X2;K\"Gold; \"\"mine\"\"\";EX1\nE");
        assert_eq!(t.row("gldo").unwrap().str("name"), Some("Gold; \"\"mine\"\""));
    }

    #[test]
    fn none_marks_and_lists_are_no_numbers() {
        let t = table(
            "ID\nC;Y1;X1;Kid\nC;X2;Ka\nC;X3;Kb\nC;X4;Kc\nC;X5;Kd\nC;Y2;X1;Kr\nC;X2;K\"-\"\nC;X3;K\"_\"\n\
             C;X4;K\"1,5\"\nC;X5;KTRUE\n",
        );
        let r = t.row("r").unwrap();
        assert_eq!((r.str("a"), r.str("b"), r.float("c"), r.str("zz")), (None, None, None, None));
        assert_eq!(r.list("c"), ["1", "5"]);
        assert_eq!(r.bool("d"), Some(true));
    }

    #[test]
    fn exact_keys_win_over_folded_ones_and_first_duplicates_win() {
        let t = table(
            "ID\nC;Y1;X1;Kid\nC;X2;Kv\nC;Y2;X1;KcWc1\nC;X2;K1\nC;Y3;X1;KCWc1\nC;X2;K2\nC;Y4;X1;KcWc1\n\
             C;X2;K3\n",
        );
        assert_eq!(t.row("CWc1").unwrap().int("v"), Some(2));
        assert_eq!(t.row("cWc1").unwrap().int("v"), Some(1));
        assert_eq!(t.row("CWC1").unwrap().int("v"), Some(1));
    }

    #[test]
    fn bytes_that_are_not_utf8_do_not_stop_the_table() {
        let t = Table::parse(b"ID\nC;Y1;X1;Kid\nC;X2;Kname\nC;Y2;X1;Kk\nC;X2;K\"caf\xe9\"\nE\n", "x").unwrap();
        assert_eq!(t.row("k").unwrap().str("name"), Some("caf\u{fffd}"));
    }

    #[test]
    fn missing_columns_name_table_and_nearest_column() {
        let t = table("ID\nC;Y1;X1;K\"tileID\"\nC;X2;K\"fil\"\n");
        assert!(t.require_columns(&["TILEID"]).is_ok());
        let e = t.require_columns(&["tileID", "dir", "file"]).unwrap_err().to_string();
        assert!(e.contains("no column \"dir\", \"file\"") && e.contains("Test.slk") && e.contains("\"fil\""), "{e}");
    }

    #[test]
    fn positions_outside_the_limits_are_errors_with_their_line() {
        let e = Table::parse(b"ID\nC;X1;Y99999999999;K1\n", "x").unwrap_err();
        assert_eq!((e.offset, e.field.as_str()), (3, "Y"));
        assert!(Table::parse(b"ID\nC;X0;K1\n", "x").is_err());
        assert!(Table::parse(b"<html>", "x").is_err() && Table::parse(b"", "x").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_table_or_an_error(text in "(ID\n)?([CF](;[XYK][0-9]{1,3}|;K\"[a;\"é]{0,5}\"?){0,4}\n){0,12}") {
            if let Ok(t) = Table::parse(text.as_bytes(), "x") {
                prop_assert!(t.len() <= text.lines().count());
            }
        }

        #[test]
        fn any_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut text = b"ID\n".to_vec();
            text.extend(bytes);
            let _ = Table::parse(&text, "x");
        }
    }
}
