//! The tabs above the lists of messages, and the filter by number that the lists share.

use super::filter::{ListFilters, SCHEDULED, VIEWS};
use crate::browser::PageError;
use crate::dashboard::frame::MemberContext;
use domain::role::VisibleConversations;
use http_layer::deps::ServerDeps;
use persistence::records::Account;
use service::sending;

/// The highest number of messages that a tab shows.
const MAX_COUNTED: i64 = 99;

/// A tab above the list.
pub struct Tab {
    pub path: String,
    pub name: &'static str,
    pub is_current: bool,
    /// The number of messages, or an empty text.
    pub count: String,
}

/// Returns the tabs above the list. The tab of scheduled messages has their number.
pub async fn tabs(
    deps: &ServerDeps,
    member_context: &MemberContext,
    filters: &ListFilters,
) -> Result<Vec<Tab>, PageError> {
    // A member who does not see all conversations does not see all of these messages either.
    let waiting = if member_context.visible() == VisibleConversations::All {
        sending::count_scheduled(deps, member_context.id(), MAX_COUNTED + 1).await?
    } else {
        0
    };
    let tab = |(value, name): &(&'static str, &'static str)| Tab {
        path: filters.url_of_view(value),
        name,
        is_current: *value == filters.view,
        count: match waiting {
            1.. if *value == SCHEDULED => counted(waiting),
            _ => String::new(),
        },
    };
    Ok(VIEWS.iter().map(tab).collect())
}

/// Returns a count as a tab shows it, such as `99+`.
fn counted(count: usize) -> String {
    let is_more = i64::try_from(count).is_ok_and(|it| it > MAX_COUNTED);
    if is_more { format!("{MAX_COUNTED}+") } else { count.to_string() }
}

/// Returns the options of the filter by number.
pub fn numbers(accounts: &[Account]) -> Vec<(String, String)> {
    let all = std::iter::once((String::new(), "All".to_owned()));
    all.chain(accounts.iter().map(|it| (it.id.to_string(), it.display_name.clone()))).collect()
}
