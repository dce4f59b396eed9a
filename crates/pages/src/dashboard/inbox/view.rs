//! The views and filters of the list of conversations, as the URL contains them.

use crate::dashboard::INBOX;
use crate::dashboard::query::Query;
use api_types::conversation::ConversationCursor;
use domain::id::{ConversationId, MemberId};
use domain::inbox::ConversationStatus;
use persistence::records::InboxFilter;

/// A view of the inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboxView {
    Open,
    Mine,
    NeedsPerson,
    Unassigned,
    Unread,
    Waiting,
    Snoozed,
    Closed,
    All,
}

impl InboxView {
    /// The views that stand above the list, with their counts.
    pub const CHIPS: [Self; 3] = [Self::Open, Self::Mine, Self::NeedsPerson];
    /// The views in the menu.
    pub const MENU: [Self; 6] =
        [Self::Unassigned, Self::Unread, Self::Waiting, Self::Snoozed, Self::Closed, Self::All];

    /// Returns the value in the URL, and the name.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Open => ("open", "Open"),
            Self::Mine => ("mine", "Mine"),
            Self::NeedsPerson => ("needs_person", "Needs a person"),
            Self::Unassigned => ("unassigned", "Unassigned"),
            Self::Unread => ("unread", "Unread"),
            Self::Waiting => ("waiting", "Waiting for the customer"),
            Self::Snoozed => ("snoozed", "Snoozed"),
            Self::Closed => ("closed", "Closed"),
            Self::All => ("all", "All conversations"),
        }
    }

    pub const fn title(self) -> &'static str {
        self.names().1
    }

    /// Returns the title that a view without conversations shows.
    pub const fn empty_title(self) -> &'static str {
        match self {
            Self::Open => "No open conversations",
            Self::Mine => "Nothing is assigned to you",
            Self::NeedsPerson => "No conversation needs a person",
            Self::Unassigned => "Every conversation has an assignee",
            Self::Unread => "You have read everything",
            Self::Waiting => "No conversation waits for the customer",
            Self::Snoozed => "Nothing is snoozed",
            Self::Closed => "No closed conversations",
            Self::All => "No conversations yet",
        }
    }

    /// Returns the sentence that explains when conversations appear in the view.
    pub const fn empty_sentence(self) -> &'static str {
        match self {
            Self::Open => "A conversation appears here when a customer writes.",
            Self::Mine => "Assign a conversation to yourself, and it appears here.",
            Self::NeedsPerson => {
                "A conversation appears here when the AI agent hands it over or cannot answer."
            }
            Self::Unassigned | Self::Unread => {
                "Choose another view to see the other conversations."
            }
            Self::Waiting => "Choose “Wait for the customer” in the menu of a conversation.",
            Self::Snoozed => {
                "Snooze a conversation in its menu, and it opens again at the time that you choose."
            }
            Self::Closed => "Close a conversation when there is nothing left to do.",
            Self::All => "A conversation begins when a customer writes, or when you write to them.",
        }
    }

    fn parse(text: &str) -> Self {
        let all = Self::CHIPS.into_iter().chain(Self::MENU);
        all.into_iter().find(|it| it.names().0 == text).unwrap_or(Self::Open)
    }

    /// Returns the conversations of the view, as this member sees it.
    pub fn filter(self, member: MemberId) -> InboxFilter {
        let with_status = |status| InboxFilter { status: Some(status), ..InboxFilter::default() };
        let open = with_status(ConversationStatus::Open);
        match self {
            Self::Open => open,
            Self::Mine => InboxFilter { assignee: Some(Some(member)), ..open },
            Self::NeedsPerson => InboxFilter { needs_person: Some(true), ..InboxFilter::default() },
            Self::Unassigned => InboxFilter { assignee: Some(None), ..open },
            Self::Unread => InboxFilter { unread_by: Some(member), ..InboxFilter::default() },
            Self::Waiting => with_status(ConversationStatus::Waiting),
            Self::Snoozed => with_status(ConversationStatus::Snoozed),
            Self::Closed => with_status(ConversationStatus::Closed),
            Self::All => InboxFilter::default(),
        }
    }
}

/// The view, the filters and the page of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxQuery {
    pub view: InboxView,
    pub label: String,
    /// A name or a number.
    pub search: String,
    pub after: Option<ConversationCursor>,
}

impl InboxQuery {
    pub fn of(query: &Query) -> Self {
        let value = |name| query.value(name).unwrap_or_default();
        Self {
            view: InboxView::parse(value("view")),
            label: value("label").to_owned(),
            search: value("q").trim().to_owned(),
            after: value("after").parse().ok(),
        }
    }

    /// Returns the query for the URL. The query is empty for the first page of the first view.
    pub fn to_query(&self) -> String {
        let view = self.view.names().0;
        let after = self.after.map(|it| it.to_string()).unwrap_or_default();
        let fields = [
            ("view", if self.view == InboxView::Open { "" } else { view }),
            ("label", self.label.as_str()),
            ("q", self.search.as_str()),
            ("after", after.as_str()),
        ];
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
            query.append_pair(name, value);
        }
        let query = query.finish();
        if query.is_empty() { query } else { format!("?{query}") }
    }

    /// Returns the path of a conversation beside this list, with additional query parameters.
    pub fn path_of(&self, conversation: ConversationId, parameters: &str) -> String {
        let list = self.to_query();
        let separator = match (list.is_empty(), parameters.is_empty()) {
            (_, true) => "",
            (true, false) => "?",
            (false, false) => "&",
        };
        format!("{INBOX}/{conversation}{list}{separator}{parameters}")
    }

    /// Returns the query of another view or label, on its first page and without a search.
    pub fn with(view: InboxView, label: &str) -> Self {
        Self { view, label: label.to_owned(), search: String::new(), after: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_as_it_was_written() {
        let cursor = "conv_01kb1yf3n8w2c6t4s9x7z5q0ha.1795262400000000";
        for text in [
            String::new(),
            "?view=mine".to_owned(),
            "?view=closed&label=Custom+cakes&q=%2B1+202".to_owned(),
            format!("?view=all&after={cursor}"),
        ] {
            let query = InboxQuery::of(&Query::parse(text.trim_start_matches('?')));
            assert_eq!(query.to_query(), text);
        }
        let conversation = "conv_01kb1yf3n8w2c6t4s9x7z5q0ha".parse().unwrap();
        for (query, parameters, path) in [
            ("", "", "/inbox/conv_01kb1yf3n8w2c6t4s9x7z5q0ha"),
            ("", "a=b", "/inbox/conv_01kb1yf3n8w2c6t4s9x7z5q0ha?a=b"),
            ("view=mine", "a=b", "/inbox/conv_01kb1yf3n8w2c6t4s9x7z5q0ha?view=mine&a=b"),
        ] {
            let query = InboxQuery::of(&Query::parse(query));
            assert_eq!(query.path_of(conversation, parameters), path);
        }
        let unknown = InboxQuery::of(&Query::parse("view=x&after=y"));
        assert_eq!(unknown, InboxQuery::with(InboxView::Open, ""));
    }
}
