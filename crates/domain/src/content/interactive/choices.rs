//! Interactive messages with reply buttons, and those with lists.

use super::Action;
use crate::violation::{Fault, Field, Violations};
use std::collections::HashSet;

/// A reply button. When the contact taps it, the contact sends an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Button {
    /// The value that the answer contains when the contact taps the button.
    pub id: String,
    /// The label of the button.
    pub title: String,
}

/// A list that opens when the contact taps a button.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct List {
    /// The label of the button that opens the list.
    pub button: String,
    /// The sections of the list: 1 to 10 sections, with at most 10 rows in total.
    pub sections: Vec<Section>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section {
    /// The heading of the section. Required if the list has several sections.
    pub title: Option<String>,
    pub rows: Vec<Row>,
}

/// A row of a list, which the contact can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// The value that the answer contains when the contact chooses the row.
    pub id: String,
    pub title: String,
    pub description: Option<String>,
}

pub const MAX_BUTTONS: usize = 3;
/// Maximum number of characters in a button's id.
pub const MAX_BUTTON_ID_LENGTH: usize = 256;
/// Maximum number of characters in a button's label.
pub const MAX_LABEL_LENGTH: usize = 20;
/// Maximum number of sections of a list.
pub const MAX_SECTIONS: usize = 10;
/// Maximum number of rows of a list, in all its sections together.
pub const MAX_ROWS: usize = 10;
/// Maximum number of characters in a row's id.
pub const MAX_ROW_ID_LENGTH: usize = 200;
/// Maximum number of characters in the title of a row or a section.
pub const MAX_TITLE_LENGTH: usize = 24;
/// Maximum number of characters in a row's description.
pub const MAX_DESCRIPTION_LENGTH: usize = 72;

impl Action {
    /// Builds a list from stored parts, which are not checked.
    #[must_use]
    pub const fn stored_list(button: String, sections: Vec<Section>) -> Self {
        Self::List(List { button, sections })
    }

    /// Checks reply buttons. There must be 1 to 3 buttons, and no two may have the same id or
    /// title.
    pub fn buttons(
        at: &Field<'_>,
        count: usize,
        buttons: Vec<Button>,
        faults: &mut Violations,
    ) -> Option<Self> {
        check_buttons(at, count, &buttons, MAX_BUTTONS, faults);
        (!buttons.is_empty()).then_some(Self::Buttons(buttons))
    }

    /// Checks a list. There must be 1 to 10 sections, at most 10 rows in total, and no two rows
    /// with the same id. `section_count` and `row_count` are the numbers in the request. Sections
    /// and rows that could not be parsed are included.
    pub fn list(
        at: &Field<'_>,
        button: Option<&str>,
        sections: Vec<Section>,
        section_count: usize,
        row_count: usize,
        faults: &mut Violations,
    ) -> Option<Self> {
        let button = faults.required_text(&at.key("button"), button, MAX_LABEL_LENGTH);
        let entries = at.key("sections");
        check_count(&entries, section_count, MAX_SECTIONS, "sections", faults);
        if row_count > MAX_ROWS {
            let message = format!("have {row_count} rows in all; at most {MAX_ROWS} are allowed");
            faults.add(&entries, Fault::TooLong, message);
        }
        if sections.len() > 1 {
            for (index, section) in sections.iter().enumerate() {
                if section.title.is_none() {
                    let message = "is required when a list has several sections";
                    faults.add(&entries.index(index).key("title"), Fault::Required, message);
                }
            }
        }
        let rows = sections.iter().flat_map(|section| &section.rows);
        distinct(rows.map(|row| &row.id), &entries, "row id", faults);
        let button = button?;
        (!sections.is_empty()).then_some(Self::List(List { button, sections }))
    }
}

/// Checks that there are 1 to `most` buttons, and that no two have the same id or title. `count` is
/// the number of buttons in the request.
pub(super) fn check_buttons(
    at: &Field<'_>,
    count: usize,
    buttons: &[Button],
    most: usize,
    faults: &mut Violations,
) {
    let entries = at.key("buttons");
    check_count(&entries, count, most, "buttons", faults);
    distinct(buttons.iter().map(|button| &button.id), &entries, "id", faults);
    distinct(buttons.iter().map(|button| &button.title), &entries, "title", faults);
}

impl Button {
    /// Builds a button from stored parts, which are not checked.
    #[must_use]
    pub const fn stored(id: String, title: String) -> Self {
        Self { id, title }
    }

    /// Parses the field `reply` of a button.
    pub fn parse(
        at: &Field<'_>,
        id: Option<&str>,
        title: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let id = faults.required_text(&at.key("id"), id, MAX_BUTTON_ID_LENGTH);
        let title = faults.required_text(&at.key("title"), title, MAX_LABEL_LENGTH);
        Some(Self { id: id?, title: title? })
    }
}

impl Section {
    /// Builds a section from stored parts, which are not checked.
    #[must_use]
    pub const fn stored(title: Option<String>, rows: Vec<Row>) -> Self {
        Self { title, rows }
    }

    /// Builds a section from parsed rows, and checks the title.
    pub fn parse(
        at: &Field<'_>,
        title: Option<&str>,
        rows: Vec<Row>,
        faults: &mut Violations,
    ) -> Option<Self> {
        if rows.is_empty() {
            faults.add(&at.key("rows"), Fault::Empty, "needs at least one row");
        }
        let title = faults.optional_text(&at.key("title"), title, MAX_TITLE_LENGTH);
        (!rows.is_empty()).then_some(Self { title, rows })
    }
}

impl Row {
    /// Builds a row from stored parts, which are not checked.
    #[must_use]
    pub const fn stored(id: String, title: String, description: Option<String>) -> Self {
        Self { id, title, description }
    }

    pub fn parse(
        at: &Field<'_>,
        id: Option<&str>,
        title: Option<&str>,
        description: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let id = faults.required_text(&at.key("id"), id, MAX_ROW_ID_LENGTH);
        let title = faults.required_text(&at.key("title"), title, MAX_TITLE_LENGTH);
        let description =
            faults.optional_text(&at.key("description"), description, MAX_DESCRIPTION_LENGTH);
        Some(Self { id: id?, title: title?, description })
    }
}

fn check_count(at: &Field<'_>, count: usize, most: usize, what: &str, faults: &mut Violations) {
    if count == 0 {
        faults.add(at, Fault::Empty, format!("needs 1 to {most} {what}"));
    } else if count > most {
        let message = format!("has {count} {what}; at most {most} are allowed");
        faults.add(at, Fault::TooLong, message);
    }
}

fn distinct<'a>(
    values: impl Iterator<Item = &'a String>,
    at: &Field<'_>,
    what: &str,
    faults: &mut Violations,
) {
    let mut seen = HashSet::new();
    for value in values {
        if !seen.insert(value) {
            let message = format!("the {what} \"{value}\" stands twice; each must differ");
            faults.add(at, Fault::Duplicate, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Field<'static> = Field::root("action");

    fn rows(count: usize) -> Vec<Row> {
        let row = |n: usize| Row { id: n.to_string(), title: n.to_string(), description: None };
        (0..count).map(row).collect()
    }

    fn list(sections: &[usize]) -> Result<Action, Vec<Fault>> {
        let mut faults = Violations::default();
        let all = sections.iter().sum();
        let mut left = rows(all);
        let made = sections.iter().filter_map(|count| {
            let rest = left.split_off(*count);
            let rows = std::mem::replace(&mut left, rest);
            Section::parse(&AT, Some("part"), rows, &mut faults)
        });
        let made: Vec<_> = made.collect();
        let action = Action::list(&AT, Some("Open"), made, sections.len(), all, &mut faults);
        let kinds = |faults: Violations| faults.into_vec().into_iter().map(|v| v.fault).collect();
        faults.finish(action).map_err(kinds)
    }

    #[test]
    fn a_list_has_ten_rows_at_most_in_all() {
        assert!(list(&[5, 5]).is_ok());
        assert_eq!(list(&[5, 6]), Err(vec![Fault::TooLong]));
        assert_eq!(list(&[1, 0]), Err(vec![Fault::Empty]));
        assert_eq!(list(&[]), Err(vec![Fault::Empty]));
        assert_eq!(list(&[1; 11]), Err(vec![Fault::TooLong, Fault::TooLong]));
    }

    #[test]
    fn buttons_differ_in_id_and_title() {
        let button = |id: &str, title: &str| Button { id: id.into(), title: title.into() };
        let mut faults = Violations::default();
        let twice = vec![button("1", "Yes"), button("1", "No"), button("2", "Yes")];
        Action::buttons(&AT, 3, twice, &mut faults);
        let found: Vec<_> = faults.into_vec().into_iter().map(|v| v.fault).collect();
        assert_eq!(found, [Fault::Duplicate, Fault::Duplicate]);
    }
}
