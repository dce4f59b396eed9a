//! `/contacts/{id}/merge`: the member chooses the contact that is merged into this one, and
//! confirms. The page shows both contacts.

use super::detail::{find, visible_contact};
use crate::browser::{PageError, PagePolicy, ShownTime};
use crate::dashboard::CONTACTS;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::messages::contact_name;
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::ContactId;
use domain::role::Area;
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use persistence::records::ConversationWithContact;
use service::{contacts, visibility};
use std::sync::Arc;

/// Number of contacts that a search offers.
const MAX_FOUND: usize = 20;
/// Maximum number of characters of a search.
const MAX_SEARCHED: usize = 200;

#[derive(Template)]
#[template(path = "contacts/merge.html")]
struct MergePage {
    frame: Frame,
    token: String,
    path: String,
    kept: Side,
    /// The contact that is merged, if one was chosen.
    merged: Option<Side>,
    sought: String,
    found: Vec<Side>,
}

struct Side {
    id: String,
    name: String,
    phone_number: String,
    user_id: String,
    message_count: i64,
    last_message: ShownTime,
}

impl Side {
    fn of(it: &ConversationWithContact, now: Timestamp) -> Self {
        let ConversationWithContact { conversation, contact } = it;
        let none = || "None".to_owned();
        Self {
            id: contact.id.to_string(),
            name: contact_name(contact),
            phone_number: contact.phone_number.clone().unwrap_or_else(none),
            user_id: contact.channel_user_id.clone().unwrap_or_else(none),
            message_count: conversation.message_count,
            last_message: ShownTime::relative(conversation.last_message_at, now),
        }
    }
}

pub async fn confirm(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Contacts)?;
    let kept = find(&deps, &member_context, &request).await?;
    if kept.contact.deleted_at.is_some() {
        return Err(PageError::NotFound);
    }
    let (query, reader) = (Query::of(&request), member_context.reader());
    let now = deps.clock.now();
    let merged = match query.value("with") {
        Some(id) => {
            let id: ContactId = id.parse().map_err(|_| PageError::NotFound)?;
            let found = visible_contact(&deps, &member_context, id).await?;
            if found.contact.deleted_at.is_some() {
                return Err(PageError::NotFound);
            }
            Some(found)
        }
        None => None,
    };
    let sought = query.value("q").unwrap_or_default().trim();
    let sought: String = sought.chars().take(MAX_SEARCHED).collect();
    let mut found = match sought.as_str() {
        "" => Vec::new(),
        sought => contacts::search(&deps, reader, sought, MAX_FOUND).await?,
    };
    let visible = member_context.visible();
    visibility::retain_visible(&deps, reader, visible, &mut found).await?;
    let others = found.iter().filter(|it| it.contact.id != kept.contact.id);
    let page = MergePage {
        frame: member_context.frame(CONTACTS),
        token: member_context.token(),
        path: format!("{CONTACTS}/{}", kept.contact.id),
        found: others.map(|it| Side::of(it, now)).collect(),
        merged: merged.map(|it| Side::of(&it, now)),
        kept: Side::of(&kept, now),
        sought,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}
