//! Connected apps: the connections of applications to the organization.

use super::frame::{Frame, MemberContext, day, limit, named};
use crate::browser::{PageError, PagePolicy};
use crate::dashboard::CONNECTED;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::connection::{ConnectionState, EndReason};
use http_layer::deps::Deps;
use persistence::records::{Account, ListedConnection};
use service::{accounts, connections};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "integrations/connected.html")]
struct Page {
    frame: Frame,
    connections: Vec<ConnectionRow>,
}

struct ConnectionRow {
    name: String,
    alive: bool,
    ending: &'static str,
    reason: Option<String>,
    number: String,
    limit: Option<String>,
    scopes: String,
    since: String,
    until: Option<String>,
    key: String,
}

/// Shows the connections, active ones first.
pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let accounts = accounts::list(&deps, member_context.reader()).await?;
    let found = connections::list(&deps, member_context.reader()).await?;
    let connections = found.into_iter().map(|it| row_of(it, &accounts)).collect();
    let page = Page { frame: member_context.frame(CONNECTED), connections };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn row_of((connection, application, key): ListedConnection, accounts: &[Account]) -> ConnectionRow {
    let account = connection.account_id.and_then(|id| accounts.iter().find(|it| it.id == id));
    let limit = key.map(|key| limit(key.rate_limit));
    ConnectionRow {
        name: application.name,
        alive: connection.state == ConnectionState::Connected,
        ending: connection.ending.map_or("", |ending| end_reason(ending)),
        reason: connection.ending_reason,
        number: account.map_or_else(|| "All numbers".to_owned(), named),
        limit,
        scopes: connection.scopes.replace(' ', ", "),
        since: day(connection.connected_at),
        until: connection.ended_at.map(day),
        key: connection.key_id.to_string(),
    }
}

/// Describes who ended a connection, for the organization.
const fn end_reason(ending: EndReason) -> &'static str {
    match ending {
        EndReason::Business => "Disconnected by you",
        EndReason::Application => "Disconnected by the application",
        EndReason::Superseded => "Replaced by a newer connection",
        EndReason::Revoked => "Revoked by the application",
    }
}
