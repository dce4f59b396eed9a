//! `/search` finds pages, and `/open?id=` leads to the page of the object with that id. Both work
//! only within the member's organization. With a script, the search is a dialog on every page.

use super::applications::own_application;
use super::frame::{Frame, MemberContext};
use super::notice::Notice;
use super::query::Query;
use super::sidebar::{PAGES, SidebarPage};
use super::{APPLICATIONS, KEYS, WEBHOOKS};
use crate::browser::{PageError, PagePolicy, redirect};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use http_layer::deps::Deps;
use persistence::records::Owner;
use service::connections;
use service::endpoints::Endpoints;
use service::keys::Keys;
use std::sync::Arc;

pub const SEARCH: &str = "/search";
const OPEN: &str = "/open";
/// Maximum number of characters of a search that are looked at.
const MAX_SEARCHED: usize = 200;

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    frame: Frame,
    /// What is searched for.
    sought: String,
    pages: Vec<&'static SidebarPage>,
    /// Whether the text has the form of an id.
    is_id: bool,
}

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(SEARCH).route(web::get().to(search)));
    app.service(web::resource(OPEN).route(web::get().to(open)));
}

async fn search(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
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
        is_id: is_id(&sought),
        sought,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn sought(text: Option<&str>) -> String {
    text.unwrap_or_default().trim().chars().take(MAX_SEARCHED).collect()
}

/// Leads to the page of an object, or back to the search with a notice that there is none.
async fn open(request: HttpRequest, deps: web::Data<Arc<Deps>>) -> Result<HttpResponse, PageError> {
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

/// Whether a text looks like the id of an object.
fn is_id(text: &str) -> bool {
    text.split_once('_').is_some_and(|(kind, rest)| {
        (3..=4).contains(&kind.len())
            && kind.bytes().all(|byte| byte.is_ascii_lowercase())
            && rest.len() == 26
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Returns the path of the page of an object of the organization. Each kind of object that has a
/// page is one arm.
async fn page_of_object(
    deps: &Deps,
    member_context: &MemberContext,
    id: &str,
) -> Result<Option<String>, PageError> {
    let organization = member_context.id();
    let (kind, _) = id.split_once('_').unwrap_or_default();
    Ok(match kind {
        "key" => match id.parse() {
            Ok(key) => {
                let found = Keys::new(deps, organization).find(key).await?;
                found.map(|key| format!("{KEYS}/{}", key.id))
            }
            Err(_) => None,
        },
        "app" => {
            let found = own_application(deps, member_context, id).await?;
            found.map(|application| format!("{APPLICATIONS}/{}", application.id))
        }
        "conn" => {
            let all = connections::list(deps, member_context.reader()).await?;
            let found = all.into_iter().find(|(connection, ..)| connection.id.to_string() == id);
            found.map(|(connection, ..)| format!("{KEYS}/{}", connection.key_id))
        }
        "whe" => match id.parse() {
            Ok(endpoint) => {
                let owner = Owner::Organization(organization);
                let found = Endpoints { deps, owner, organization }.find(endpoint).await?;
                found.map(|endpoint| format!("{WEBHOOKS}/{}", endpoint.id))
            }
            Err(_) => None,
        },
        "dlv" => delivery_page(deps, member_context, id).await?,
        _ => None,
    })
}

/// Finds a delivery of any endpoint of the organization.
async fn delivery_page(
    deps: &Deps,
    member_context: &MemberContext,
    id: &str,
) -> Result<Option<String>, PageError> {
    let (organization, seen) = (member_context.id(), member_context.seen());
    let endpoints = Endpoints { deps, owner: Owner::Organization(organization), organization };
    let Ok(delivery) = id.parse() else { return Ok(None) };
    for endpoint in endpoints.all(seen).await? {
        if endpoints.delivery(seen, endpoint.id, delivery).await?.is_some() {
            return Ok(Some(format!("{WEBHOOKS}/{}/deliveries/{delivery}", endpoint.id)));
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
        for text in ["key_", "keys", "msg_1", "plan and usage", "KEY_01kb1yf3n8w2c6t4s9x7z5q0ha"] {
            assert!(!is_id(text), "{text}");
        }
    }
}
