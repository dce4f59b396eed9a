//! `/contacts`: the contacts of the organization's numbers, newest first.

use super::detail::marketing;
use crate::browser::{PageError, PagePolicy, ShownTime, StateLabel};
use crate::dashboard::CONTACTS;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::messages::contact_name;
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::AccountId;
use domain::role::Area;
use http_layer::deps::ServerDeps;
use persistence::records::{ContactFilter, ConversationWithContact};
use service::contacts::{self, ContactsPart, ContactsRequest};
use service::{accounts, visibility};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of contacts on a page, and of those that a search finds.
const ROWS: i64 = 25;
const MAX_FOUND: usize = 50;
/// Maximum number of characters of a search.
const MAX_SEARCHED: usize = 200;

#[derive(Template)]
#[template(path = "contacts/list.html")]
struct ContactsPage {
    frame: Frame,
    sought: String,
    rows: Vec<ContactListRow>,
    newest: String,
    older: String,
}

struct ContactListRow {
    id: String,
    name: String,
    phone_number: Option<String>,
    number: String,
    marketing: StateLabel,
    last_message: ShownTime,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Contacts)?;
    let (query, reader) = (Query::of(&request), member_context.reader());
    let sought = query.value("q").unwrap_or_default().trim();
    let sought: String = sought.chars().take(MAX_SEARCHED).collect();
    let after = query.value("after").and_then(|id| id.parse().ok());
    let mut part = if sought.is_empty() {
        let wanted = ContactFilter::default();
        let wanted = ContactsRequest { wanted, phone_number: None, after, limit: ROWS };
        contacts::list(&deps, reader, wanted).await?
    } else {
        let found = contacts::search(&deps, reader, &sought, MAX_FOUND).await?;
        ContactsPart { found, has_more: false }
    };
    let last = part.found.last().map(|it| it.contact.id);
    let visible = member_context.visible();
    visibility::retain_visible(&deps, reader, visible, &mut part.found).await?;
    let accounts = accounts::list(&deps, reader).await?;
    let numbers: BTreeMap<AccountId, &str> =
        accounts.iter().map(|it| (it.id, it.display_name.as_str())).collect();
    let now = deps.clock.now();
    let row = |ConversationWithContact { conversation, contact }: &ConversationWithContact| {
        let name = contact_name(contact);
        ContactListRow {
            id: contact.id.to_string(),
            phone_number: contact.phone_number.clone().filter(|number| *number != name),
            name,
            number: numbers.get(&contact.account_id).copied().unwrap_or_default().to_owned(),
            marketing: marketing(contact),
            last_message: ShownTime::relative(conversation.last_message_at, now),
        }
    };
    let last = last.filter(|_| part.has_more);
    let page = ContactsPage {
        frame: member_context.frame(CONTACTS),
        rows: part.found.iter().map(row).collect(),
        newest: after.map(|_: domain::id::ContactId| CONTACTS.to_owned()).unwrap_or_default(),
        older: last.map(|it| format!("{CONTACTS}?after={it}")).unwrap_or_default(),
        sought,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}
