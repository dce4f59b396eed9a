//! `/search` finds pages and contacts, and `/open?id=` redirects to the page of the object with
//! that id. Both work only within the member's organization. In browsers with scripts, the search
//! is a dialog on every page.

use super::frame::{Frame, MemberContext};
use super::messages::contact_name;
use super::notice::Notice;
use super::query::Query;
use super::sidebar::{PAGES, SidebarPage};
use super::{
    AGENTS, APPLICATIONS, KEYS, MEMBERS, MESSAGES, NUMBERS, SAVED_REPLIES, TEMPLATES, WEBHOOKS,
};
use crate::browser::{PageError, PagePolicy, redirect};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use auth::secret::{Holder, is_client_id};
use domain::id::{DeliveryId, WebhookEndpointId};
use domain::role::Area;
use http_layer::deps::ServerDeps;
use persistence::records::{ConversationWithContact, Owner, PersonKey};
use service::agents;
use service::applications;
use service::endpoints;
use service::keys;
use service::{
    accounts, connections, contacts, conversations, saved_replies, templates, visibility,
};
use std::sync::Arc;

pub const SEARCH: &str = "/search";
const OPEN: &str = "/open";
/// Number of characters of a search text that are used. The rest is ignored.
const MAX_SEARCHED: usize = 200;
/// Minimum number of characters of a search text for which contacts are searched.
const MIN_CONTACT_SEARCH: usize = 2;
/// Maximum number of contacts in the results.
const MAX_CONTACTS: usize = 8;

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    frame: Frame,
    /// The search text.
    sought: String,
    pages: Vec<&'static SidebarPage>,
    contacts: Vec<ContactHit>,
    /// Whether the text has the form of an id.
    is_id: bool,
}

/// A contact in the results, which leads to the messages of its conversation.
struct ContactHit {
    path: String,
    name: String,
    phone_number: Option<String>,
}

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(SEARCH).route(web::get().to(search)));
    app.service(web::resource(OPEN).route(web::get().to(open)));
}

async fn search(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let sought = sought(Query::of(&request).value("q"));
    let role = member_context.authority.role;
    let page = SearchPage {
        frame: member_context.frame(SEARCH),
        pages: PAGES
            .iter()
            .filter(|page| role.may_read(page.area) && page.answers(&sought))
            .collect(),
        contacts: contact_hits(&deps, &member_context, &sought).await?,
        is_id: is_id(&sought),
        sought,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn sought(text: Option<&str>) -> String {
    text.unwrap_or_default().trim().chars().take(MAX_SEARCHED).collect()
}

async fn contact_hits(
    deps: &ServerDeps,
    member_context: &MemberContext,
    sought: &str,
) -> Result<Vec<ContactHit>, PageError> {
    let may_read = member_context.authority.role.may_read(Area::Messages);
    if !may_read || sought.chars().count() < MIN_CONTACT_SEARCH || is_id(sought) {
        return Ok(Vec::new());
    }
    let (reader, visible) = (member_context.reader(), member_context.visible());
    let mut found = contacts::search(deps, reader, sought, MAX_CONTACTS).await?;
    visibility::retain_visible(deps, reader, visible, &mut found).await?;
    let hit = |ConversationWithContact { conversation, contact }: ConversationWithContact| {
        let name = contact_name(&contact);
        ContactHit {
            path: messages_of(conversation.id),
            phone_number: contact.phone_number.filter(|number| *number != name),
            name,
        }
    };
    Ok(found.into_iter().map(hit).collect())
}

/// Returns the path of the list of the messages of a contact or a conversation.
fn messages_of(id: impl std::fmt::Display) -> String {
    format!("{MESSAGES}?q={id}")
}

/// Redirects to the page of an object, or back to the search with a notice that there is no such
/// object.
async fn open(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let id = sought(Query::of(&request).value("id"));
    if let Some(path) = page_of_object(&deps, &member_context, &id).await? {
        return Ok(redirect(&path));
    }
    let sentence = format!(
        "Nothing of {} that has a page has the ID “{id}”. Check whether it is complete, and whether it \
         belongs to another organization.",
        member_context.organization.name
    );
    let notice = Notice::saying("Nothing found", sentence).warning();
    member_context.redirect_with_flash(&deps, SEARCH, &notice).await
}

/// Whether a text looks like the id of an object, or like a client id.
fn is_id(text: &str) -> bool {
    let is_object_id = text.split_once('_').is_some_and(|(kind, rest)| {
        (3..=4).contains(&kind.len())
            && kind.bytes().all(|byte| byte.is_ascii_lowercase())
            && rest.len() == 26
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    is_object_id || is_client_id(Holder::Key, text) || is_client_id(Holder::Application, text)
}

/// Returns the path of the page of an object of the organization. Each kind of object with a page
/// has one match arm.
async fn page_of_object(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: &str,
) -> Result<Option<String>, PageError> {
    let (organization, reader) = (member_context.id(), member_context.reader());
    let (kind, _) = id.split_once('_').unwrap_or_default();
    Ok(match kind {
        "acc" => {
            let all = accounts::list(deps, reader).await?;
            let found = all.into_iter().find(|account| account.id.to_string() == id);
            found.map(|account| format!("{NUMBERS}/{}", account.id))
        }
        "agt" => match id.parse() {
            Ok(agent) => {
                let found = agents::find(deps, organization, agent).await?;
                found.map(|agent| format!("{AGENTS}/{}", agent.id))
            }
            Err(_) => None,
        },
        "app" | "swa" => {
            let all = applications::list(deps, reader).await?;
            let found = all.into_iter().find(|it| it.client_id == id || it.id.to_string() == id);
            found.map(|application| format!("{APPLICATIONS}/{}", application.id))
        }
        "conn" => {
            let all = connections::list(deps, reader).await?;
            let found = all.into_iter().find(|(connection, ..)| connection.id.to_string() == id);
            found.map(|(connection, ..)| format!("{KEYS}/{}", connection.key_id))
        }
        "conv" => match id.parse() {
            Ok(id) => conversation_page(deps, member_context, PersonKey::Conversation(id)).await?,
            Err(_) => None,
        },
        "ctc" => match id.parse() {
            Ok(id) => conversation_page(deps, member_context, PersonKey::Contact(id)).await?,
            Err(_) => None,
        },
        "dlv" => match id.parse() {
            Ok(delivery) => delivery_page(deps, member_context, delivery).await?,
            Err(_) => None,
        },
        "key" => match id.parse() {
            Ok(key) => {
                let found = keys::find(deps, organization, key).await?;
                found.map(|key| format!("{KEYS}/{}", key.id))
            }
            Err(_) => None,
        },
        "mem" => match id.parse() {
            Ok(member) => {
                let found = member_context.actor(deps).members().find(member).await?;
                found.map(|it| format!("{MEMBERS}#{}", it.member.id))
            }
            Err(_) => None,
        },
        "msg" => match id.parse() {
            Ok(message) => {
                let found = conversations::message(deps, reader, None, message).await?;
                let of = found.iter().map(|(message, _)| message.conversation_id);
                let hidden = visibility::hidden(deps, reader, member_context.visible(), of).await?;
                found
                    .filter(|_| hidden.is_empty())
                    .map(|(message, _)| format!("{MESSAGES}/{}", message.id))
            }
            Err(_) => None,
        },
        "srp" => match id.parse() {
            Ok(id) => {
                let found = saved_replies::find(deps, reader, id).await?;
                found.map(|it| format!("{SAVED_REPLIES}/{}", it.id))
            }
            Err(_) => None,
        },
        "swk" => {
            let found = keys::find_by_client_id(deps, organization, id).await?;
            found.map(|key| format!("{KEYS}/{}", key.id))
        }
        "tpl" => match id.parse() {
            Ok(template) => {
                let found = templates::find(deps, reader, template).await?;
                found.map(|it| format!("{TEMPLATES}/{}", it.id))
            }
            Err(_) => None,
        },
        "whe" => match id.parse() {
            Ok(endpoint) => endpoint_page(deps, member_context, endpoint).await?,
            Err(_) => None,
        },
        _ => None,
    })
}

/// Returns the path of the messages of a conversation.
async fn conversation_page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    person: PersonKey,
) -> Result<Option<String>, PageError> {
    let (reader, visible) = (member_context.reader(), member_context.visible());
    let mut found = contacts::conversations(deps, reader, person).await?;
    visibility::retain_visible(deps, reader, visible, &mut found).await?;
    Ok(found.first().map(|it| messages_of(it.conversation.id)))
}

/// Returns the owners of the webhook endpoints that the organization's members manage: the
/// organization itself, then its applications. Each comes with the path of its list of endpoints.
async fn endpoint_owners(
    deps: &ServerDeps,
    member_context: &MemberContext,
) -> Result<Vec<(String, Owner)>, PageError> {
    let all = applications::list(deps, member_context.reader()).await?;
    let of_applications = all
        .into_iter()
        .map(|it| (format!("{APPLICATIONS}/{}/webhooks", it.id), Owner::Application(it.id)));
    let own = (WEBHOOKS.to_owned(), Owner::Organization(member_context.id()));
    Ok(std::iter::once(own).chain(of_applications).collect())
}

async fn endpoint_page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    endpoint: WebhookEndpointId,
) -> Result<Option<String>, PageError> {
    for (base, owner) in endpoint_owners(deps, member_context).await? {
        if endpoints::find(deps, owner, endpoint).await?.is_some() {
            return Ok(Some(format!("{base}/{endpoint}")));
        }
    }
    Ok(None)
}

/// Finds a delivery of any endpoint of the organization or of its applications.
async fn delivery_page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    delivery: DeliveryId,
) -> Result<Option<String>, PageError> {
    let seen = member_context.seen();
    for (base, owner) in endpoint_owners(deps, member_context).await? {
        for endpoint in endpoints::list(deps, owner, seen).await? {
            let found = endpoints::delivery(deps, owner, seen, endpoint.id, delivery).await?;
            if found.is_some() {
                return Ok(Some(format!("{base}/{}/deliveries/{delivery}", endpoint.id)));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_told_from_words() {
        assert!(is_id("key_01kb1yf3n8w2c6t4s9x7z5q0ha"));
        assert!(is_id("swk_EXAMPLEw9pLm2Xk7Tq4Rd8"));
        for text in ["key_", "keys", "msg_1", "plan and usage", "KEY_01kb1yf3n8w2c6t4s9x7z5q0ha"] {
            assert!(!is_id(text), "{text}");
        }
    }
}
