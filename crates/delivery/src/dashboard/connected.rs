//! Integrations → Connected apps: which applications act for the organization, and since when.

use super::frame::{AtWork, Frame, day, named};
use crate::browser::{Alone, Failed};
use crate::dashboard::paths::CONNECTED;
use crate::deps::Deps;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::connection::{ConnectionState, Ending};
use persistence::rows::{Account, Connection, Key};
use std::sync::Arc;

/// Ended connections are shown as far back as these many.
const SHOWN_MOST: i64 = 100;

#[derive(Template)]
#[template(path = "integrations/connected.html")]
struct Page {
    frame: Frame,
    connections: Vec<Shown>,
}

struct Shown {
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

/// Shows the connections, the living ones first.
pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    let accounts = deps.db.organization(at_work.id()).accounts().await?;
    let keys = deps.db.organization(at_work.id()).keys_of().await?;
    let mut connections = Vec::new();
    let found = deps.db.organization(at_work.id()).connections_of(SHOWN_MOST).await?;
    for (connection, application) in found {
        connections.push(shown(connection, application.name, &accounts, &keys));
    }
    connections.sort_by_key(|it| !it.alive);
    let page = Page { frame: at_work.frame(CONNECTED), connections };
    Ok(Alone::Dashboard.page(StatusCode::OK, &page))
}

fn shown(connection: Connection, name: String, accounts: &[Account], keys: &[Key]) -> Shown {
    let account = connection.account_id.and_then(|id| accounts.iter().find(|it| it.id == id));
    let key = keys.iter().find(|key| key.id == connection.key_id);
    let limit = key.map(|key| match key.rate_limit {
        0 => "none".to_owned(),
        limit => format!("{limit} a minute"),
    });
    Shown {
        name,
        alive: *connection.state == ConnectionState::Connected,
        ending: connection.ending.map_or("", |ending| told(*ending)),
        reason: connection.ending_reason,
        number: account.map_or_else(|| "any / default".to_owned(), named),
        limit,
        scopes: connection.scopes.replace(' ', ", "),
        since: day(*connection.connected_at),
        until: connection.ended_at.map(|at| day(*at)),
        key: connection.key_id.to_string(),
    }
}

/// Who ended it, as the business reads it.
const fn told(ending: Ending) -> &'static str {
    match ending {
        Ending::Business => "Disconnected by you",
        Ending::Application => "Disconnected by the application",
        Ending::Superseded => "Superseded by a reconnect",
        Ending::Revoked => "Revoked by the application",
    }
}
