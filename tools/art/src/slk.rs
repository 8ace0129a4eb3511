//! Writes tables in the SLK text format: row 1 holds the column names, every later row one record.

use std::fmt::Write as _;

/// One cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A quoted text.
    Text(String),
    /// A number.
    Number(f64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// The table as SLK bytes: `columns` are the names, each of `rows` has one value a column.
pub fn write(columns: &[&str], rows: &[Vec<Value>]) -> Vec<u8> {
    let mut out = String::from("ID;PWXL;N;E\r\n");
    // Writing into a String cannot fail.
    let _ = write!(out, "B;X{};Y{};D0\r\n", columns.len(), rows.len() + 1);
    for (x, name) in columns.iter().enumerate() {
        cell(&mut out, x, 0, &Value::from(*name));
    }
    for (y, row) in rows.iter().enumerate() {
        for (x, value) in row.iter().enumerate() {
            cell(&mut out, x, y + 1, value);
        }
    }
    out.push_str("E\r\n");
    out.into_bytes()
}

/// One C record; Y is given only on the first cell of a row, since it stays until it is named again.
fn cell(out: &mut String, x: usize, y: usize, value: &Value) {
    let _ = write!(out, "C;X{}", x + 1);
    if x == 0 {
        let _ = write!(out, ";Y{}", y + 1);
    }
    let _ = match value {
        Value::Text(text) => write!(out, ";K\"{}\"\r\n", text.replace(';', ";;")),
        Value::Number(number) => write!(out, ";K{number}\r\n"),
    };
}
