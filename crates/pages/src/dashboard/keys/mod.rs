//! API keys: pages that list, create, show, change, disable and delete them
//! (`docs/contract.md#api-keys`).

pub mod fields;
mod filter;
mod one;

use super::frame::{Frame, MemberContext, named, requests_per_minute};
use super::notice::Notice;
use super::once::{ActionResult, run_to_completion};
use crate::browser::{
    FieldErrors, ObjectState, PageError, PagePolicy, ShownTime, StateLabel, permitted,
};
use crate::dashboard::KEYS;
use crate::dashboard::fields::ACCOUNT;
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::key::{KeyKind, KeyState};
use domain::role::MemberAction;
use domain::scope::{Scope, ScopeSet};
use domain::time::Timestamp;
use fields::{FOREIGN_NUMBER, KeyFields};
use filter::{KINDS, KeyListFilters, STATES, options};
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::{Account, Key};
use service::accounts;
use service::keys::{self, CreatedKey, KeyError, KeyPage, ListedKey};
use std::sync::Arc;

/// The page with the form for a new key.
pub const NEW: &str = "/integrations/keys/new";
/// The text for a key that is not bound to a number.
const ALL_NUMBERS: &str = "All numbers";

#[derive(Template)]
#[template(path = "integrations/keys/list.html")]
struct KeyListPage {
    frame: Frame,
    filters: KeyListFilters,
    states: Vec<(String, String)>,
    kinds: Vec<(String, String)>,
    chosen_state: String,
    chosen_kind: String,
    keys: Vec<KeyRow>,
    /// The URLs of the newest and the next older page, or empty strings.
    newest: String,
    older: String,
    /// The number of keys, or the sort order if there are more pages.
    summary: String,
    /// The time back to which the list was searched, if older matches may be missing.
    looked_back_to: Option<ShownTime>,
}

struct KeyRow {
    id: String,
    name: String,
    /// The client id, shortened.
    client_id: String,
    state: StateLabel,
    connection: bool,
    number: String,
    rate_limit: String,
    permissions: String,
    last_used: Option<ShownTime>,
}

#[derive(Template)]
#[template(path = "integrations/keys/new.html")]
struct NewKeyPage {
    frame: Frame,
    token: String,
    fields: KeyFields,
    errors: FieldErrors,
    numbers: Vec<(String, String)>,
}

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(KEYS).route(web::get().to(show)).route(web::post().to(create)));
    app.service(web::resource(NEW).route(web::get().to(form)));
    one::mount(app);
}

async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let filters = KeyListFilters::of(&Query::of(&request));
    let accounts = accounts::list(&deps, member_context.reader()).await?;
    let (reader, after) = (member_context.reader(), filters.after);
    let KeyPage { keys, next_after } = keys::page(&deps, reader, &filters.keys, after).await?;
    let summary = match keys.len() {
        _ if next_after.is_some() || filters.after.is_some() => "Newest first".to_owned(),
        1 => "1 key".to_owned(),
        several => format!("{several} keys"),
    };
    let is_short = keys.last().map(|it| it.key.id) != next_after;
    let looked_back_to = next_after.filter(|_| is_short).map(|id| ShownTime::exact(id.made_at()));
    let now = deps.clock.now();
    let page = KeyListPage {
        frame: member_context.frame(KEYS),
        states: options(STATES),
        kinds: options(KINDS),
        chosen_state: filters.state().to_owned(),
        chosen_kind: filters.kind().to_owned(),
        keys: keys.iter().map(|key| row_of(key, &accounts, now)).collect(),
        newest: filters.after.map(|_| filters.url_after(None)).unwrap_or_default(),
        older: next_after.map(|id| filters.url_after(Some(id))).unwrap_or_default(),
        summary,
        looked_back_to,
        filters,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn row_of(listed: &ListedKey, accounts: &[Account], now: Timestamp) -> KeyRow {
    let ListedKey { key, last_used_at } = listed;
    let account = account_of(key, accounts);
    KeyRow {
        id: key.id.to_string(),
        name: key.name.clone(),
        client_id: shortened(&key.client_id),
        state: state_of(key),
        connection: key.kind == KeyKind::Connection,
        number: account.map_or_else(|| ALL_NUMBERS.to_owned(), |it| it.display_name.clone()),
        rate_limit: requests_per_minute(key.rate_limit),
        permissions: in_short(key),
        last_used: last_used_at.map(|at| ShownTime::relative(at, now)),
    }
}

fn state_of(key: &Key) -> StateLabel {
    match key.state {
        KeyState::Active => ObjectState::Active.label(),
        KeyState::Inactive => ObjectState::Disabled.label(),
    }
}

/// Returns the number that a key is bound to.
fn number_of(key: &Key, accounts: &[Account]) -> String {
    account_of(key, accounts).map_or_else(|| ALL_NUMBERS.to_owned(), named)
}

fn account_of<'a>(key: &Key, accounts: &'a [Account]) -> Option<&'a Account> {
    key.account_id.and_then(|id| accounts.iter().find(|it| it.id == id))
}

/// Returns the permissions of a key. Logs those that cannot be read and shows none, so that the key
/// can still be disabled.
fn scopes_of(key: &Key) -> ScopeSet {
    match ScopeSet::stored(&key.scopes) {
        Ok(scopes) => scopes,
        Err(error) => {
            tracing::error!(%error, key = %key.id, "the permissions of a key cannot be read");
            ScopeSet::default()
        }
    }
}

/// Describes the permissions of a key in a few words.
fn in_short(key: &Key) -> String {
    let scopes: Vec<Scope> = scopes_of(key).iter().collect();
    match scopes.as_slice() {
        [only] => only.plain_description().to_owned(),
        several => format!("{} permissions", several.len()),
    }
}

/// Shortens a client id in the middle. The first and the last letters tell keys apart.
pub fn shortened(client_id: &str) -> String {
    match (
        client_id.get(..10),
        client_id.len().checked_sub(5).and_then(|from| client_id.get(from..)),
    ) {
        (Some(begin), Some(end)) if client_id.len() > 18 => format!("{begin}…{end}"),
        _ => client_id.to_owned(),
    }
}

async fn form(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.authority.check(MemberAction::KeyCreated).map_err(PageError::Forbidden)?;
    let fields = member_context.form_values_for(KEYS).map_or_else(KeyFields::empty, KeyFields::of);
    form_page(&deps, &member_context, StatusCode::OK, fields, FieldErrors::default()).await
}

async fn form_page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    status: StatusCode,
    fields: KeyFields,
    errors: FieldErrors,
) -> Result<HttpResponse, PageError> {
    let accounts = accounts::list(deps, member_context.reader()).await?;
    let all = (String::new(), ALL_NUMBERS.to_owned());
    let numbers = accounts.iter().map(|it| (it.id.to_string(), named(it)));
    let page = NewKeyPage {
        frame: member_context.frame(KEYS),
        token: member_context.token(),
        numbers: std::iter::once(all).chain(numbers).collect(),
        fields,
        errors,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

/// Creates a key. The page that follows shows its secret once.
async fn create(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let fields = KeyFields::of(&form);
        let work = create_from(&deps, &member_context, &fields);
        let refused = async |errors| {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            form_page(&deps, &member_context, status, KeyFields::of(&form), errors).await
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

async fn create_from(
    deps: &ServerDeps,
    member_context: &MemberContext,
    fields: &KeyFields,
) -> Result<Result<ActionResult, FieldErrors>, PageError> {
    let new = match fields.parse() {
        Ok(new) => new,
        Err(errors) => return Ok(Err(errors)),
    };
    let made = match permitted(member_context.actor(deps).keys().create(new).await)? {
        Ok(made) => made,
        Err(KeyError::NoNumber(_)) => return Ok(Err(FieldErrors::one(ACCOUNT, FOREIGN_NUMBER))),
        // A database error is logged and not shown.
        Err(error) => return Err(Problem::from(error).into()),
    };
    Ok(Ok(created(made)))
}

/// Returns the location of a new key's page, and the notice with which that page shows the secret
/// once.
fn created(key: CreatedKey) -> ActionResult {
    let sentence =
        "You won’t be able to see this secret again. If it gets lost, create another key.";
    let notice = Notice::saying("Copy the secret now", sentence)
        .with("Client ID", one::CLIENT_ID, key.client_id)
        .with("Client secret", one::CLIENT_SECRET, key.client_secret);
    ActionResult { location: format!("{KEYS}/{}", key.id), notice }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_id_is_shortened_in_the_middle() {
        assert_eq!(shortened("swk_EXAMPLEw9pLm2Xk7Tq4Rd8"), "swk_EXAMPL…q4Rd8");
        assert_eq!(shortened("swk_short"), "swk_short");
    }
}
