//! `… list` and `… show`, shared by all kinds of objects.

use crate::cli::results::{Output, ResultPage, cell};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use service::admin::{Admin, ListedEntry, ListedPage, MAX_LIMIT, PageRequest};

/// Arguments of a list command.
#[derive(Clone, Debug, Args)]
pub struct ListArguments {
    /// Maximum number of entries.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_LIMIT)))]
    limit: u8,
    /// The last id of the previous page.
    #[arg(long, value_name = "ID")]
    after: Option<String>,
    #[command(flatten)]
    output: Output,
}

/// Arguments of a list command for things that belong to organizations.
#[derive(Clone, Debug, Args)]
pub struct ListOf {
    /// Only those of this organization, by its id or name.
    #[arg(long)]
    organization: Option<String>,
    #[command(flatten)]
    list: ListArguments,
}

/// Arguments of a show command.
#[derive(Clone, Debug, Args)]
pub struct Show {
    /// The id, or a name that is unique.
    #[arg(value_name = "NAME")]
    one: String,
    #[command(flatten)]
    output: Output,
}

pub async fn list<E: ListedEntry>(admin: &Admin<'_>, list: ListArguments) -> Result<()> {
    page::<E>(admin, None, list).await
}

/// Prints a page of one organization's entries, or of all organizations'.
pub async fn list_in_organization<E: ListedEntry>(
    admin: &Admin<'_>,
    ListOf { organization, list }: ListOf,
) -> Result<()> {
    page::<E>(admin, organization, list).await
}

async fn page<E: ListedEntry>(
    admin: &Admin<'_>,
    organization: Option<String>,
    list: ListArguments,
) -> Result<()> {
    let organization = match organization {
        Some(organization) => Some(admin.organization(&organization).await?),
        None => None,
    };
    let wanted = PageRequest { limit: list.limit, after: list.after.as_deref(), organization };
    let page: ListedPage<E> = admin.list(wanted).await?;
    let data: Vec<Value> = page.data.iter().map(|entry| json!(entry)).collect();
    let shown = ResultPage { data, next_after: page.next_after };
    let none = format!("There are no {}.", E::NOUN.1);
    list.output.list(&shown, &none, |rows| Ok(table(E::COLUMNS, rows)))
}

pub async fn show<E: ListedEntry>(admin: &Admin<'_>, Show { one, output }: Show) -> Result<()> {
    let found: E = admin.one(&one).await?;
    let (noun, _) = E::NOUN;
    output.object(&json!(found), &format!("The {noun} {}", found.id()))
}

/// Formats a table: a line of headings, and a line for each row.
fn table(columns: &[&str], rows: &[Value]) -> String {
    let headings = columns.iter().map(|column| column.to_uppercase().replace('_', " "));
    let mut lines: Vec<Vec<String>> = vec![headings.collect()];
    lines.extend(rows.iter().map(|row| {
        let cells = columns.iter().map(|column| row.get(*column).map_or_else(String::new, cell));
        cells.collect()
    }));
    let widths: Vec<usize> = (0..columns.len())
        .map(|at| lines.iter().filter_map(|line| line.get(at)).map(|it| it.chars().count()).max())
        .map(Option::unwrap_or_default)
        .collect();
    let mut table = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        table.push_str(line.trim_end());
        table.push('\n');
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_as_wide_as_what_stands_in_it() {
        let rows = [
            json!({"id": "org_1", "name": "Bäckerei", "plan": null, "created_at": "2026"}),
            json!({"id": "org_22", "name": "B", "plan": "Pro", "organizations": []}),
        ];
        let shown = table(&["id", "name", "plan", "created_at"], &rows);
        assert_eq!(
            shown,
            "ID      NAME      PLAN  CREATED AT\n\
             org_1   Bäckerei  -     2026\n\
             org_22  B         Pro\n"
        );
    }
}
