//! `/messages`: all messages, newest first.

use super::filter::{ListFilters, SCHEDULED, TIMES};
use super::tabs::{Tab, numbers, tabs};
use super::{contact_name, keys, preview, scheduled, source, state};
use crate::browser::{PageError, PagePolicy, ShownTime, StateLabel, redirect};
use crate::dashboard::MESSAGES;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::account::HealthState;
use domain::content::MessageKind;
use domain::conversation::MessageSource;
use domain::id::{AccountId, ConversationId, MessageId};
use domain::keyword::Keyword as _;
use domain::message::{Failure, MessageStatus};
use domain::phone::PhoneNumber;
use domain::role::Area;
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use persistence::records::{
    Account, Contact, ConversationWithContact, Message, MessageFilter, PersonKey,
};
use service::messages::{self, MessagePage};
use service::templates::sent::{SentTemplates, find_sent};
use service::{accounts, contacts, visibility};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of messages on a page.
const ROWS: i64 = 25;

#[derive(Template)]
#[template(path = "messages/list.html")]
struct MessagesPage {
    frame: Frame,
    filters: ListFilters,
    rows: Vec<MessageRow>,
    statuses: Vec<(String, String)>,
    kinds: Vec<(String, String)>,
    sources: Vec<(String, String)>,
    times: Vec<(String, String)>,
    numbers: Vec<(String, String)>,
    keys: Vec<(String, String)>,
    /// The id of the key of the filter, or an empty text.
    chosen_key: String,
    tabs: Vec<Tab>,
    newest: String,
    older: String,
    /// The name of the contact, if the list shows the messages of one conversation.
    person: Option<String>,
    /// The time back to which the list was searched, if older matches may be missing.
    looked_back_to: Option<ShownTime>,
}

struct MessageRow {
    id: String,
    state: StateLabel,
    contact: String,
    failure: Option<&'static str>,
    text: String,
    source: &'static str,
    number: String,
    at: ShownTime,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Messages)?;
    let filters = ListFilters::of(&Query::of(&request));
    if let Ok(id) = filters.search.parse::<MessageId>() {
        return Ok(redirect(&format!("{MESSAGES}/{id}")));
    }
    if filters.view == SCHEDULED {
        return scheduled::list_page(&deps, &member_context, filters).await;
    }
    let (reader, now) = (member_context.reader(), deps.clock.now());
    let accounts = accounts::list(&deps, reader).await?;
    let filter = filters.to_filter(now);
    let (filter, person) = match search_term(&filters.search) {
        None => (Some(filter), None),
        Some(SearchTerm::Reference(text)) => {
            (Some(MessageFilter { client_ref: Some(text), ..filter }), None)
        }
        Some(SearchTerm::Person(key)) => {
            let found = contacts::conversations(&deps, reader, key).await?.into_iter();
            let account = filter.account;
            let mut found = found
                .filter(|it| account.is_none_or(|account| account == it.conversation.account_id));
            match found.next() {
                Some(it) if !is_visible(&deps, &member_context, it.conversation.id).await? => {
                    (None, None)
                }
                Some(ConversationWithContact { conversation, contact }) => {
                    let conversation = Some(conversation.id);
                    let filter = MessageFilter { conversation, ..filter };
                    (Some(filter), Some(contact_name(&contact)))
                }
                None => (None, None),
            }
        }
    };
    let mut found = match filter {
        Some(filter) => messages::list(&deps, reader, filter, filters.after, ROWS).await?,
        None => MessagePage { found: Vec::new(), next_before: None },
    };
    let of = found.found.iter().map(|(message, _)| message.conversation_id);
    let hidden = visibility::hidden(&deps, reader, member_context.visible(), of).await?;
    found.found.retain(|(message, _)| !hidden.contains(&message.conversation_id));
    let shown = found.found.iter().map(|(message, _)| message);
    let templates = find_sent(&deps, reader, shown).await?;
    let tabs = tabs(&deps, &member_context, &filters).await?;
    let keys = keys::options(&deps, &member_context, filters.key).await?;
    let page =
        page(&member_context, filters, person, &accounts, keys, found, &templates, tabs, now);
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

async fn is_visible(
    deps: &ServerDeps,
    member_context: &MemberContext,
    conversation: ConversationId,
) -> Result<bool, PageError> {
    let (reader, visible) = (member_context.reader(), member_context.visible());
    Ok(visibility::is_visible(deps, reader, visible, conversation).await?)
}

/// The object that a search text names.
#[derive(Debug, PartialEq, Eq)]
enum SearchTerm {
    /// A contact, by a phone number or an id, or a conversation.
    Person(PersonKey),
    /// The sender's reference for a message.
    Reference(String),
}

fn search_term(search: &str) -> Option<SearchTerm> {
    if search.is_empty() {
        return None;
    }
    let contact = search.parse().map(PersonKey::Contact).ok();
    let conversation = || search.parse().map(PersonKey::Conversation).ok();
    let number = || PhoneNumber::parse(search).map(PersonKey::Number).ok();
    let person = contact.or_else(conversation).or_else(number);
    Some(person.map_or_else(|| SearchTerm::Reference(search.to_owned()), SearchTerm::Person))
}

fn page(
    member_context: &MemberContext,
    filters: ListFilters,
    person: Option<String>,
    accounts: &[Account],
    keys: Vec<(String, String)>,
    found: MessagePage,
    templates: &SentTemplates,
    tabs: Vec<Tab>,
    now: Timestamp,
) -> MessagesPage {
    let MessagePage { found, next_before } = found;
    let by_id: BTreeMap<AccountId, &Account> = accounts.iter().map(|it| (it.id, it)).collect();
    let is_short = i64::try_from(found.len()).is_ok_and(|rows| rows < ROWS);
    let older = next_before.map(|id| filters.url_after(Some(id))).unwrap_or_default();
    let newest = filters.after.map(|_| filters.url_after(None)).unwrap_or_default();
    let looked_back_to = next_before.filter(|_| is_short);
    let looked_back_to = looked_back_to.map(|id| ShownTime::exact(id.made_at()));
    let row = |(message, contact): &(Message, Contact)| {
        row(message, contact, preview::line(message, templates), &by_id, now)
    };
    let rows = found.iter().map(row).collect();
    MessagesPage {
        frame: member_context.frame(MESSAGES),
        rows,
        statuses: words("Any", MessageStatus::ALL.iter().map(|it| it.as_str())),
        kinds: words("Any", MessageKind::ALL.iter().map(|it| it.as_str())),
        sources: sources(),
        times: TIMES
            .iter()
            .map(|(value, name, _)| ((*value).to_owned(), (*name).to_owned()))
            .collect(),
        numbers: numbers(accounts),
        keys,
        chosen_key: filters.chosen_key(),
        tabs,
        newest,
        older,
        person,
        looked_back_to,
        filters,
    }
}

fn row(
    message: &Message,
    contact: &Contact,
    text: String,
    accounts: &BTreeMap<AccountId, &Account>,
    now: Timestamp,
) -> MessageRow {
    let account = accounts.get(&message.account_id);
    let held = |it: &&Account| it.known_health().at(now).state == HealthState::Held;
    MessageRow {
        id: message.id.to_string(),
        state: state(message, account.is_some_and(held)),
        contact: contact_name(contact),
        failure: message.failure.map(Failure::title),
        text,
        source: source(message.source),
        number: account.map(|it| it.display_name.clone()).unwrap_or_default(),
        at: ShownTime::relative(message.created_at, now),
    }
}

/// Returns the options of a filter: one for no filter, and one for each word.
fn words(all: &str, words: impl Iterator<Item = &'static str>) -> Vec<(String, String)> {
    let capital = |word: &'static str| {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        (word.to_owned(), first.chain(letters).collect())
    };
    std::iter::once((String::new(), all.to_owned())).chain(words.map(capital)).collect()
}

fn sources() -> Vec<(String, String)> {
    let all = std::iter::once((String::new(), "Any".to_owned()));
    let named = |it: &MessageSource| (it.as_str().to_owned(), source(*it).to_owned());
    all.chain(MessageSource::ALL.iter().map(named)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_text_names_a_person_or_a_reference() {
        assert_eq!(search_term(""), None);
        let reference = SearchTerm::Reference("order-7".to_owned());
        assert_eq!(search_term("order-7"), Some(reference));
        let is_person = |text| matches!(search_term(text), Some(SearchTerm::Person(_)));
        for text in
            ["+1 202 555 0110", "ctc_01kb1yf3n8w2c6t4s9x7z5q0ha", "conv_01kb1yf3n8w2c6t4s9x7z5q0ha"]
        {
            assert!(is_person(text), "{text}");
        }
    }
}
