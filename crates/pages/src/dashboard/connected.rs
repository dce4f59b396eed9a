//! Connected apps: the connections of applications to the organization.

use super::frame::{Frame, MemberContext, named};
use crate::browser::{ObjectState, PageError, PagePolicy, ShownTime, StateLabel};
use crate::dashboard::CONNECTED;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::connection::{ConnectionState, EndReason};
use domain::scope::{Scope, ScopeSet};
use http_layer::deps::ServerDeps;
use persistence::records::{Account, Connection, ListedConnection};
use service::{accounts, connections};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "integrations/connected.html")]
struct ConnectedPage {
    frame: Frame,
    connections: Vec<ConnectionRow>,
}

struct ConnectionRow {
    name: String,
    alive: bool,
    state: StateLabel,
    reason: Option<String>,
    number: String,
    /// The permissions in a few words, and all of them if there are several.
    scopes: String,
    all_scopes: String,
    since: ShownTime,
    until: Option<ShownTime>,
    key: String,
}

/// Shows the connections, active ones first.
pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let accounts = accounts::list(&deps, member_context.reader()).await?;
    let found = connections::list(&deps, member_context.reader()).await?;
    let connections = found.into_iter().map(|it| row_of(it, &accounts)).collect();
    let page = ConnectedPage { frame: member_context.frame(CONNECTED), connections };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn row_of((connection, application, key): ListedConnection, accounts: &[Account]) -> ConnectionRow {
    let account = connection.account_id.and_then(|id| accounts.iter().find(|it| it.id == id));
    let permissions = permissions(&connection);
    let (scopes, all_scopes) = match permissions.as_slice() {
        [only] => ((*only).to_owned(), String::new()),
        several => (format!("{} permissions", several.len()), several.join(", ")),
    };
    let last_day = key.and_then(|key| key.caps().last_day());
    let alive = connection.state == ConnectionState::Connected;
    ConnectionRow {
        name: application.name,
        alive,
        state: match connection.ending {
            Some(ending) if !alive => ObjectState::Disabled.saying(end_reason(ending)),
            _ => ObjectState::Active.saying(match last_day {
                Some(day) => format!("Connected until {day}"),
                None => "Connected".to_owned(),
            }),
        },
        reason: connection.ending_reason,
        number: account.map_or_else(|| "All numbers".to_owned(), named),
        scopes,
        all_scopes,
        since: ShownTime::date(connection.connected_at),
        until: connection.ended_at.map(ShownTime::date),
        key: connection.key_id.to_string(),
    }
}

/// Returns the permissions of a connection in words. Logs those that cannot be read.
fn permissions(connection: &Connection) -> Vec<&'static str> {
    match ScopeSet::stored(&connection.scopes) {
        Ok(scopes) => scopes.iter().map(Scope::plain_description).collect(),
        Err(error) => {
            tracing::error!(%error, connection = %connection.id, "the permissions of a connection cannot be read");
            Vec::new()
        }
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
