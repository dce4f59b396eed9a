//! The results of commands as they are printed: as text, or with `--json` as one line of JSON
//! (`docs/contract.md#commands`).

use crate::output;
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The output format of a command.
#[derive(Clone, Copy, Debug, Args)]
pub struct Output {
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// A page of a list.
pub struct ResultPage {
    /// The entries.
    pub data: Vec<Value>,
    /// The id to continue after, if more entries follow.
    pub next_after: Option<String>,
}

impl From<Vec<Value>> for ResultPage {
    /// Returns a list that is complete.
    fn from(data: Vec<Value>) -> Self {
        Self { data, next_after: None }
    }
}

impl Output {
    /// Prints an object as JSON, or as a sentence followed by the object's fields.
    pub fn object(self, value: &Value, sentence: &str) -> Result<()> {
        self.report(value, || {
            let mut text = format!("{sentence}\n");
            let fields: Vec<_> = value.as_object().into_iter().flatten().collect();
            let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
            for (name, value) in fields {
                writeln!(text, "  {name:<width$}  {}", cell(value))?;
            }
            Ok(text)
        })
    }

    /// Prints an object as JSON, or as the given text.
    pub fn report(self, value: &Value, text: impl FnOnce() -> Result<String>) -> Result<()> {
        if self.json {
            return Ok(output::line(value)?);
        }
        Ok(output::print(&text()?)?)
    }

    /// Prints a page of a list as JSON, or as text with a line about the next page. For an empty
    /// list, prints the sentence `none`.
    pub fn list(
        self,
        page: &ResultPage,
        none: &str,
        text: impl FnOnce(&[Value]) -> Result<String>,
    ) -> Result<()> {
        let ResultPage { data, next_after } = page;
        let has_more = next_after.is_some();
        let value = json!({"data": data, "has_more": has_more, "next_after": next_after});
        self.report(&value, || {
            if data.is_empty() {
                return Ok(format!("{none}\n"));
            }
            let mut text = text(data)?;
            if let Some(after) = next_after {
                writeln!(text, "\nThere are more: --after {after}")?;
            }
            Ok(text)
        })
    }
}

/// Formats a value. A missing value is a dash, and an object with a name is its name.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) if values.is_empty() => "-".to_owned(),
        Value::Array(values) => values.iter().map(cell).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields.get("name").map_or_else(|| value.to_string(), cell),
        Value::Number(number) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_name_is_shown_by_it() {
        let organizations = json!([{"id": "org_1", "name": "A"}, {"id": "org_2", "name": "B"}]);
        assert_eq!(cell(&organizations), "A, B");
        assert_eq!(cell(&json!(true)), "yes");
    }
}
