//! The counts that the sidebar shows beside its pages: how many things need attention there.

use super::{MESSAGES, NUMBERS, WEBHOOKS};
use crate::browser::PageError;
use domain::role::{Area, Role};
use http_layer::deps::ServerDeps;
use persistence::Reader;
use persistence::records::Owner;
use service::endpoints;
use service::messages::{self, MAX_COUNTED_FAILURES};
use service::overview::endpoint_attention;
use std::time::Duration;

/// The period for which failed messages are counted.
const FAILED_WITHIN: Duration = Duration::from_hours(24);

/// The count that the sidebar shows beside a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidebarMark {
    /// The path of the page.
    path: &'static str,
    pub number: String,
    /// The CSS class of the number.
    pub class: &'static str,
    /// The name of the counted things, for screen readers.
    pub words: &'static str,
}

impl SidebarMark {
    /// Whether the mark is for the page with this path.
    pub fn is_of(&self, path: &str) -> bool {
        self.path == path
    }
}

/// Counts what needs attention on the pages that a role may read. `held` is the number of the
/// organization's phone numbers that are held or restricted. The number of rows that are read does
/// not grow with the number of messages.
pub async fn load(
    deps: &ServerDeps,
    reader: Reader,
    role: Role,
    held: usize,
) -> Result<Vec<SidebarMark>, PageError> {
    let mut marks = Vec::new();
    if role.may_read(Area::Messages) {
        let since = deps.clock.now().minus(FAILED_WITHIN);
        let failed = messages::count_failed_since(deps, reader, since).await?;
        marks.extend(mark(MESSAGES, failed, "c-bad", "failed in the last 24 hours"));
    }
    if role.may_read(Area::Webhooks) {
        let owner = Owner::Organization(reader.organization);
        let endpoints = endpoints::list(deps, owner, reader.seen).await?;
        let failing = endpoints.iter().filter_map(endpoint_attention).count();
        marks.extend(mark(WEBHOOKS, failing, "c-warn", "failing or disabled by failures"));
    }
    if role.may_read(Area::Numbers) {
        marks.extend(mark(NUMBERS, held, "c-warn", "held or restricted"));
    }
    Ok(marks)
}

/// Returns the mark of a page, if there is anything to count.
fn mark(
    path: &'static str,
    count: usize,
    class: &'static str,
    words: &'static str,
) -> Option<SidebarMark> {
    let is_most = i64::try_from(count).is_ok_and(|it| it >= MAX_COUNTED_FAILURES);
    let number = if is_most { format!("{}+", MAX_COUNTED_FAILURES - 1) } else { count.to_string() };
    (count > 0).then_some(SidebarMark { path, number, class, words })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stops_at_99() {
        let number = |count| mark(MESSAGES, count, "c-bad", "failed").map(|it| it.number);
        assert_eq!(number(0), None);
        assert_eq!(number(99).as_deref(), Some("99"));
        assert_eq!(number(100).as_deref(), Some("99+"));
    }
}
