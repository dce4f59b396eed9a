//! Integrations → API keys: made, changed, switched, deleted (`service.md` 2.1 and 3).

use super::confirm::Confirm;
use super::frame::{AtWork, Frame, day, named};
use crate::admin::{Admin, NewKey};
use crate::browser::{Alone, Failed, Form, redirect};
use crate::deps::Deps;
use crate::wire::event::tell_connection;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::KeyId;
use domain::key::{KeyKind, KeyState, RateLimit};
use domain::name::Name;
use domain::scope::{Scope, ScopeSet};
use domain::word::Word as _;
use persistence::rows::{Account, Key};
use std::sync::Arc;

/// Where it is.
pub const PATH: &str = "/integrations/keys";

#[derive(Template)]
#[template(path = "integrations/keys.html")]
struct Page {
    frame: Frame,
    token: String,
    problem: Option<String>,
    /// Name, client id and secret of a key that was just made.
    made: Option<(String, String, String)>,
    keys: Vec<Shown>,
    numbers: Vec<(String, String)>,
    scopes: Vec<(&'static str, &'static str)>,
}

struct Shown {
    id: String,
    name: String,
    client_id: String,
    active: bool,
    connection: bool,
    number: String,
    rate_limit: i32,
    scopes: String,
    created: String,
    last_used: String,
}

/// Shows the keys.
pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    page(&deps, &at_work, StatusCode::OK, None, None).await
}

async fn page(
    deps: &Deps,
    at_work: &AtWork,
    status: StatusCode,
    problem: Option<String>,
    made: Option<(String, String, String)>,
) -> Result<HttpResponse, Failed> {
    let accounts = deps.db.accounts(at_work.id()).await?;
    let keys = deps.db.keys_of(at_work.id()).await?;
    let numbers = accounts.iter().map(|it| (it.id.to_string(), named(it)));
    let page = Page {
        frame: at_work.frame(PATH),
        token: at_work.token(),
        problem,
        made,
        keys: keys.iter().map(|key| shown(key, &accounts)).collect(),
        numbers: numbers.collect(),
        scopes: Scope::ALL.iter().map(|it| (it.as_str(), it.in_plain_words())).collect(),
    };
    Ok(Alone::Dashboard.page(status, &page))
}

fn shown(key: &Key, accounts: &[Account]) -> Shown {
    let account = key.account_id.and_then(|id| accounts.iter().find(|it| it.id == id));
    Shown {
        id: key.id.to_string(),
        name: key.name.clone(),
        client_id: key.client_id.clone(),
        active: *key.state == KeyState::Active,
        connection: *key.kind == KeyKind::Connection,
        number: account.map_or_else(|| "any / default".to_owned(), named),
        rate_limit: key.rate_limit,
        scopes: key.scopes.replace(' ', ", "),
        created: day(*key.created_at),
        last_used: key.last_used_at.map_or_else(|| "never".to_owned(), |at| day(*at)),
    }
}

/// Makes a key, and shows its secret this once.
pub async fn create(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    let form = at_work.form(&request, payload).await?;
    let Deps { db, clock, entropy, sealing, .. } = &***deps;
    let made = match read(&form) {
        Ok(new) => Admin { db, clock, entropy, sealing }.create_key(at_work.id(), new).await,
        Err(problem) => {
            return page(&deps, &at_work, StatusCode::UNPROCESSABLE_ENTITY, Some(problem), None)
                .await;
        }
    };
    match made {
        Ok(made) => {
            let made = Some((made.name, made.client_id, made.client_secret));
            page(&deps, &at_work, StatusCode::CREATED, None, made).await
        }
        Err(error) => {
            // What the database has to say is for the log.
            let problem = Some(error.downcast::<persistence::Error>().map_or_else(
                |refusal| Ok(refusal.to_string()),
                |error| Err(Failed::from(error)),
            )?);
            page(&deps, &at_work, StatusCode::UNPROCESSABLE_ENTITY, problem, None).await
        }
    }
}

fn read(form: &Form) -> Result<NewKey<'_>, String> {
    let scopes = ScopeSet::parse(form.values("scope")).map_err(|wrong| wrong.to_string())?;
    if scopes.is_empty() {
        return Err("Tick at least one thing that the key may do.".to_owned());
    }
    let account = form.value("account");
    let account = (!account.is_empty()).then(|| account.parse()).transpose();
    Ok(NewKey {
        name: form.value("name"),
        scopes,
        account: account.map_err(|_| "That number is not one of yours.".to_owned())?,
        rate_limit: rate_limit(form)?,
    })
}

fn rate_limit(form: &Form) -> Result<RateLimit, String> {
    let number = form.value("rate_limit").trim().parse().unwrap_or(-1);
    RateLimit::parse(number).map_err(|wrong| wrong.to_string())
}

/// One of the organization's keys, by the id in the path.
async fn own(deps: &Deps, at_work: &AtWork, id: &str) -> Result<Option<Key>, Failed> {
    let Ok(id) = id.parse::<KeyId>() else { return Ok(None) };
    Ok(deps.db.own_key(at_work.id(), id).await?)
}

/// Changes a key, switches it, or deletes it.
pub async fn change(
    request: HttpRequest,
    payload: web::Payload,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    let form = at_work.form(&request, payload).await?;
    let Some(key) = own(&deps, &at_work, &id).await? else { return Ok(redirect(PATH)) };
    let back = if *key.kind == KeyKind::Connection { super::connected::PATH } else { PATH };
    let client_id = key.client_id.clone();
    match form.value("action") {
        "disable" => drop(deps.db.set_key_state(client_id, KeyState::Inactive).await?),
        "enable" => drop(deps.db.set_key_state(client_id, KeyState::Active).await?),
        "delete" => {
            deps.db.delete_key(client_id, deps.clock.now(), tell_connection).await?;
            return Ok(redirect(back));
        }
        _ => {
            let read = Name::parse(form.value("name")).map_err(|wrong| wrong.to_string());
            let read = read.and_then(|name| Ok((name, rate_limit(&form)?)));
            let (name, limit) = match read {
                Ok(read) => read,
                Err(problem) => {
                    let status = StatusCode::UNPROCESSABLE_ENTITY;
                    return page(&deps, &at_work, status, Some(problem), None).await;
                }
            };
            let limit = i32::try_from(limit.number()).unwrap_or(i32::MAX);
            deps.db.change_key(at_work.id(), *key.id, name.to_string(), limit).await?;
        }
    }
    Ok(redirect(PATH))
}

/// Asks before a key is deleted, or an application disconnected.
pub async fn confirm(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    let Some(key) = own(&deps, &at_work, &id).await? else { return Ok(redirect(PATH)) };
    let connection = *key.kind == KeyKind::Connection;
    let (title, sentence, button, back) = if connection {
        (
            format!("Disconnect {}?", key.name),
            "Its next call is refused. To let it act for you again, you connect it anew from its own page.",
            "Disconnect",
            super::connected::PATH,
        )
    } else {
        (
            format!("Delete the key {}?", key.name),
            "Everything that uses it is refused from its next call on. A deleted key cannot be restored.",
            "Delete for good",
            PATH,
        )
    };
    let page = Confirm {
        frame: at_work.frame(back),
        token: at_work.token(),
        title,
        sentence: sentence.to_owned(),
        action: format!("{PATH}/{}", *key.id),
        value: "delete",
        button,
        back: back.to_owned(),
    };
    Ok(Alone::Dashboard.page(StatusCode::OK, &page))
}
