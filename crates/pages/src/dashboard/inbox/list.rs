//! The list of conversations beside the thread.

use super::view::{InboxQuery, InboxView};
use crate::browser::{ObjectState, PageError, ShownTime, StateLabel, initials};
use crate::dashboard::INBOX;
use crate::dashboard::frame::{MemberContext, counted_conversations};
use crate::dashboard::messages::{contact_name, preview};
use api_types::conversation::ConversationCursor;
use domain::conversation::MessageSource;
use domain::id::ConversationId;
use domain::inbox::ConversationStatus;
use domain::message::{Direction, MessageStatus};
use domain::role::VisibleConversations;
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use persistence::Reader;
use persistence::records::{Conversation, InboxConversation, InboxCursor, InboxFilter, Message};
use service::contacts;
use service::inbox::{self, MemberConversation, MemberInboxPage};
use service::templates::sent::{SentTemplates, find_sent};
use service::turns::{WaitingAgents, waiting_agents};
use std::collections::{BTreeMap, BTreeSet};

/// Number of conversations on a page.
const ROWS: i64 = 30;
/// Maximum number of contacts whose conversations a search shows.
const MAX_FOUND: usize = 30;

/// The list with its views.
pub struct ListView {
    pub chips: Vec<ViewLink>,
    pub menu: Vec<ViewLink>,
    pub labels: Vec<ViewLink>,
    pub view: InboxView,
    pub label: String,
    pub search: String,
    /// The path of the same search in all conversations; empty if the page already searches all of
    /// them.
    pub everywhere: String,
    pub items: Vec<ListItem>,
    /// The path of the next page; empty on the last one.
    pub older: String,
    /// The path of the first page, if this is another one.
    pub newest: String,
}

/// A link to a view or to a label.
pub struct ViewLink {
    pub path: String,
    pub title: String,
    pub count: Option<String>,
    pub current: bool,
}

/// A conversation in the list.
pub struct ListItem {
    pub id: String,
    pub path: String,
    pub current: bool,
    pub unread: i64,
    pub initials: String,
    pub name: String,
    pub at: ShownTime,
    pub state: Option<StateLabel>,
    pub line: String,
    /// The key on the keyboard that opens this conversation from the one that is open.
    pub hotkey: Option<&'static str>,
}

impl ListView {
    pub async fn load(
        deps: &ServerDeps,
        member_context: &MemberContext,
        reader: Reader,
        query: &InboxQuery,
        open: Option<&MemberConversation>,
    ) -> Result<Self, PageError> {
        let member = member_context.member.id;
        let filter = InboxFilter {
            label: Some(query.label.clone()).filter(|it| !it.is_empty()),
            among: found_by(deps, member_context, &query.search).await?,
            ..visible_filter(query.view, member_context)
        };
        let after = query.after.map(InboxCursor::from);
        let MemberInboxPage { page, last_messages } =
            inbox::list_for_member(deps, reader, member, filter, after, ROWS).await?;
        let templates = find_sent(deps, reader, last_messages.values()).await?;
        let waits = |it: &&Conversation| {
            let last = last_messages.get(&it.id);
            last.is_some_and(|last| last.direction == Direction::Inbound)
        };
        let waiting: Vec<_> = page.found.iter().map(|it| &it.conversation).filter(waits).collect();
        let agents = waiting_agents(deps, member_context.id(), &waiting).await?;
        let mut chips = Vec::new();
        for view in InboxView::CHIPS {
            let count = inbox::count(deps, reader, visible_filter(view, member_context)).await?;
            chips.push(view_link(view, query, Some(counted_conversations(count))));
        }
        let now = deps.clock.now();
        let mut items = Vec::new();
        for it in &page.found {
            let last = last_messages.get(&it.conversation.id);
            let (state, line) = said(it, last, &templates, &agents);
            items.push(ListItem::new(it, state, line, query, open, now)?);
        }
        add_hotkeys(&mut items);
        let next = page.next.map(|place| InboxQuery {
            after: Some(ConversationCursor::from(place)),
            ..query.clone()
        });
        let first = InboxQuery { after: None, ..query.clone() };
        let everywhere = InboxQuery { view: InboxView::All, label: String::new(), ..first.clone() };
        Ok(Self {
            chips,
            menu: InboxView::MENU.map(|it| view_link(it, query, None)).into(),
            labels: labels(&page.found, query)?,
            view: query.view,
            label: query.label.clone(),
            search: query.search.clone(),
            everywhere: if everywhere == first {
                String::new()
            } else {
                format!("{INBOX}{}", everywhere.to_query())
            },
            older: next.map(|it| format!("{INBOX}{}", it.to_query())).unwrap_or_default(),
            newest: match query.after {
                Some(_) => format!("{INBOX}{}", first.to_query()),
                None => String::new(),
            },
            items,
        })
    }
}

/// Returns the conversations that a search finds by their contacts or by the words of their
/// messages. Returns `None` if there is no search.
async fn found_by(
    deps: &ServerDeps,
    member_context: &MemberContext,
    search: &str,
) -> Result<Option<Vec<ConversationId>>, PageError> {
    if search.is_empty() {
        return Ok(None);
    }
    let by_contact = contacts::search(deps, member_context.reader(), search, MAX_FOUND).await?;
    let by_words = inbox::find_by_words(deps, member_context.id(), search).await?;
    let found = by_contact.into_iter().map(|it| it.conversation.id).chain(by_words);
    let found: BTreeSet<ConversationId> = found.collect();
    Ok(Some(found.into_iter().collect()))
}

/// Returns the conversations of a view that the member may see.
fn visible_filter(view: InboxView, member_context: &MemberContext) -> InboxFilter {
    let own_or_unassigned = match member_context.visible() {
        VisibleConversations::All => None,
        VisibleConversations::OwnAndUnassigned(member) => Some(member),
    };
    InboxFilter { own_or_unassigned, ..view.filter(member_context.member.id) }
}

fn view_link(view: InboxView, query: &InboxQuery, count: Option<String>) -> ViewLink {
    ViewLink {
        path: format!("{INBOX}{}", InboxQuery::with(view, "").to_query()),
        title: view.title().to_owned(),
        count,
        current: view == query.view && query.label.is_empty(),
    }
}

/// Returns the labels of the conversations on the page, and the chosen one.
fn labels(
    found: &[InboxConversation],
    query: &InboxQuery,
) -> Result<Vec<ViewLink>, persistence::Error> {
    let mut all: BTreeSet<String> =
        Some(query.label.clone()).filter(|it| !it.is_empty()).into_iter().collect();
    for it in found {
        all.extend(it.entry.state()?.labels.iter().map(str::to_owned));
    }
    let link = |label: String| ViewLink {
        path: format!("{INBOX}{}", InboxQuery::with(InboxView::All, &label).to_query()),
        current: label == query.label,
        title: label,
        count: None,
    };
    Ok(all.into_iter().map(link).collect())
}

impl ListItem {
    fn new(
        it: &InboxConversation,
        state: Option<StateLabel>,
        line: String,
        query: &InboxQuery,
        open: Option<&MemberConversation>,
        now: Timestamp,
    ) -> Result<Self, persistence::Error> {
        let name = contact_name(&it.contact);
        Ok(Self {
            id: it.conversation.id.to_string(),
            path: query.path_of(it.conversation.id, ""),
            current: open.is_some_and(|open| open.found.conversation.id == it.conversation.id),
            unread: it.unread_count()?,
            initials: initials(&name),
            name,
            at: ShownTime::relative(it.conversation.last_message_at, now),
            state,
            line,
            hotkey: None,
        })
    }
}

/// Returns the content of a row: a state, if there is one, and a text.
fn said(
    it: &InboxConversation,
    last: Option<&Message>,
    templates: &SentTemplates,
    agents: &WaitingAgents,
) -> (Option<StateLabel>, String) {
    let text = last.map(|it| line(it, templates)).unwrap_or_default();
    if it.entry.needs_person_since.is_some() {
        return (Some(ObjectState::NeedsPerson.label()), text);
    }
    if last.is_some_and(|it| it.status == MessageStatus::Failed) {
        return (Some(ObjectState::Failed.saying("Not delivered")), text);
    }
    if it.entry.status == ConversationStatus::Snoozed {
        return (Some(ObjectState::Held.saying("Snoozed")), text);
    }
    if let Some(draft) = it.member_state.as_ref().and_then(|it| it.draft.as_deref()) {
        return (Some(ObjectState::Draft.label()), preview::one_line(draft));
    }
    if agents.drafted.contains(&it.conversation.id) {
        return (Some(ObjectState::Agent.saying("AI draft")), text);
    }
    if agents.paused.contains(&it.conversation.id) {
        return (Some(ObjectState::Paused.saying("AI agent paused")), text);
    }
    let is_agents = last.is_some_and(|it| it.source == MessageSource::Agent);
    (is_agents.then(|| ObjectState::Agent.label()), text)
}

fn line(message: &Message, templates: &SentTemplates) -> String {
    let text = preview::line(message, templates);
    match (message.direction, message.source) {
        (Direction::Outbound, MessageSource::Inbox | MessageSource::Phone) => {
            format!("Us: {text}")
        }
        (Direction::Outbound, MessageSource::Api) => format!("API: {text}"),
        _ => text,
    }
}

/// Assigns the keys j and k to the next and the previous conversation.
fn add_hotkeys(items: &mut [ListItem]) {
    let current = items.iter().position(|it| it.current);
    let (before, next) = match current {
        Some(place) => (place.checked_sub(1), Some(place.saturating_add(1))),
        None => (None, Some(0)),
    };
    let keys: BTreeMap<usize, &'static str> =
        [(before, "k"), (next, "j")].into_iter().filter_map(|(at, key)| Some((at?, key))).collect();
    for (place, item) in items.iter_mut().enumerate() {
        item.hotkey = keys.get(&place).copied();
    }
}
