//! Integrations → API keys: created, changed, switched, deleted (`docs/contract.md#api-keys`).

mod fields;

use super::confirm::Confirm;
use super::frame::{AtWork, Frame, day, named};
use super::notice::Notice;
use super::once::{Done, run_to_completion};
use crate::browser::{Alone, Failed, FieldErrors, SUBMITTED_TO, form_only, redirect};
use crate::dashboard::paths::{CONNECTED, KEYS};
use crate::deps::Deps;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::KeyId;
use domain::key::{KeyKind, KeyState};
use fields::{KeyChange, KeyFields};
use persistence::rows::{Account, Key};
use service::admin::AdminError;
use std::sync::Arc;
use wire::event::tell_connection;

#[derive(Template)]
#[template(path = "integrations/keys.html")]
struct Page {
    frame: Frame,
    token: String,
    /// What the form of a new key holds, what is wrong with it, and whether it is open.
    fields: KeyFields,
    errors: FieldErrors,
    open: bool,
    keys: Vec<Shown>,
    numbers: Vec<(String, String)>,
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
    /// What the form that changes it holds.
    change: KeyChange,
}

impl Shown {
    /// The attributes of the controls that change its name and its limit.
    fn name_control(&self) -> String {
        self.change.errors.bare_control("name", &format!("name-{}", self.id))
    }

    fn limit_control(&self) -> String {
        self.change.errors.bare_control("rate_limit", &format!("rate-{}", self.id))
    }
}

/// What a page shows besides what is kept.
struct Typed {
    fields: KeyFields,
    errors: FieldErrors,
    /// A change of this key that was refused.
    change: Option<(KeyId, KeyChange)>,
}

impl Typed {
    fn nothing() -> Self {
        Self { fields: KeyFields::empty(), errors: FieldErrors::default(), change: None }
    }

    /// What the member typed before they signed in again.
    fn before(at_work: &AtWork) -> Self {
        if let Some(form) = at_work.typed_into(KEYS) {
            return Self { fields: KeyFields::of(form), ..Self::nothing() };
        }
        let form = at_work.typed().filter(|form| form.value("action") == "save");
        let change = form.and_then(|form| {
            let id = form.value(SUBMITTED_TO).rsplit('/').next()?.parse().ok()?;
            Some((id, KeyChange::of(form)))
        });
        Self { change, ..Self::nothing() }
    }
}

/// Mounts the pages.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(KEYS).route(web::get().to(show)).route(web::post().to(create)));
    app.service(form_only("/integrations/keys/{id}").route(web::post().to(change)));
    app.service(web::resource("/integrations/keys/{id}/delete").route(web::get().to(confirm)));
}

/// Shows the keys.
async fn show(request: HttpRequest, deps: web::Data<Arc<Deps>>) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    page(&deps, &at_work, StatusCode::OK, Typed::before(&at_work)).await
}

async fn page(
    deps: &Deps,
    at_work: &AtWork,
    status: StatusCode,
    mut typed: Typed,
) -> Result<HttpResponse, Failed> {
    let accounts = deps.db.organization(at_work.id()).accounts().await?;
    let stored = deps.db.organization(at_work.id()).keys_of().await?;
    let numbers = accounts.iter().map(|it| (it.id.to_string(), named(it))).collect();
    let keys = stored.iter().map(|key| {
        let change = typed.change.take_if(|(id, _)| *id == *key.id).map(|(_, change)| change);
        shown(key, &accounts, change)
    });
    let page = Page {
        frame: at_work.frame(KEYS),
        token: at_work.token(),
        open: stored.is_empty() || !typed.errors.is_empty() || at_work.typed_into(KEYS).is_some(),
        keys: keys.collect(),
        fields: typed.fields,
        errors: typed.errors,
        numbers,
    };
    Ok(Alone::Dashboard.page(status, &page))
}

fn shown(key: &Key, accounts: &[Account], change: Option<KeyChange>) -> Shown {
    let account = key.account_id.and_then(|id| accounts.iter().find(|it| it.id == id));
    let kept = || KeyChange {
        name: key.name.clone(),
        rate_limit: key.rate_limit.to_string(),
        errors: FieldErrors::default(),
        open: false,
    };
    Shown {
        id: key.id.to_string(),
        name: key.name.clone(),
        client_id: key.client_id.clone(),
        active: *key.state == KeyState::Active,
        connection: *key.kind == KeyKind::Connection,
        number: account.map_or_else(|| "All numbers".to_owned(), named),
        rate_limit: key.rate_limit,
        scopes: key.scopes.replace(' ', ", "),
        created: day(*key.created_at),
        last_used: key.last_used_at.map_or_else(|| "Never used".to_owned(), |at| day(*at)),
        change: change.unwrap_or_else(kept),
    }
}

/// Creates a key; the page that this leads to shows its secret once.
async fn create(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    run_to_completion(async move {
        let (at_work, form) = AtWork::with_form(&request, payload, &deps).await?;
        let fields = KeyFields::of(&form);
        let work = create_from(&deps, &at_work, &fields);
        match at_work.once(&deps, &request, &form, work).await? {
            Ok(response) => Ok(response),
            Err(errors) => {
                let typed = Typed { fields, errors, change: None };
                page(&deps, &at_work, StatusCode::UNPROCESSABLE_ENTITY, typed).await
            }
        }
    })
    .await
}

async fn create_from(
    deps: &Deps,
    at_work: &AtWork,
    fields: &KeyFields,
) -> Result<Result<Done, FieldErrors>, Failed> {
    let accounts = deps.db.organization(at_work.id()).accounts().await?;
    let new = match fields.parse(&accounts) {
        Ok(new) => new,
        Err(errors) => return Ok(Err(errors)),
    };
    let made = match deps.admin().create_key(at_work.id(), new).await {
        Ok(made) => made,
        // What the database has to say is for the log.
        Err(AdminError::Database(error)) => return Err(error.into()),
        Err(refusal) => return Ok(Err(FieldErrors::one("account", refusal))),
    };
    let sentence = format!(
        "Copy the secret of {} now. You won’t be able to see this secret again.",
        made.name
    );
    let notice = Notice::saying("API key created", sentence)
        .with("Client ID", "client-id", made.client_id)
        .with("Client secret", "client-secret", made.client_secret);
    Ok(Ok(Done { location: KEYS.to_owned(), notice }))
}

/// One of the organization's keys, by the id in the path.
async fn own(deps: &Deps, at_work: &AtWork, id: &str) -> Result<Key, Failed> {
    let id = id.parse::<KeyId>().map_err(|_| Failed::NotFound)?;
    deps.db.organization(at_work.id()).own_key(id).await?.ok_or(Failed::NotFound)
}

/// Changes a key, switches it, or deletes it.
async fn change(
    request: HttpRequest,
    payload: web::Payload,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let (at_work, form) = AtWork::with_form(&request, payload, &deps).await?;
    let key = own(&deps, &at_work, &id).await?;
    let back = if *key.kind == KeyKind::Connection { CONNECTED } else { KEYS };
    let client_id = key.client_id.clone();
    let own_keys = deps.db.organization(at_work.id());
    match form.value("action") {
        "disable" => drop(own_keys.set_key_state(client_id, KeyState::Inactive).await?),
        "enable" => drop(own_keys.set_key_state(client_id, KeyState::Active).await?),
        "delete" => {
            own_keys.delete_key(client_id, deps.clock.now(), tell_connection).await?;
            return Ok(redirect(back));
        }
        _ => match KeyChange::parse(&form) {
            Ok((name, limit)) => {
                let limit = i32::try_from(limit.number()).unwrap_or(i32::MAX);
                own_keys.change_key(*key.id, name.to_string(), limit).await?;
            }
            Err(change) => {
                let typed = Typed { change: Some((*key.id, change)), ..Typed::nothing() };
                return page(&deps, &at_work, StatusCode::UNPROCESSABLE_ENTITY, typed).await;
            }
        },
    }
    Ok(redirect(KEYS))
}

/// Asks before a key is deleted, or an application disconnected.
async fn confirm(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    let key = own(&deps, &at_work, &id).await?;
    let connection = *key.kind == KeyKind::Connection;
    let (title, sentence, button, back) = if connection {
        (
            format!("Disconnect {}?", key.name),
            "Its requests will fail immediately. To connect it again, start from its own page.",
            "Disconnect",
            CONNECTED,
        )
    } else {
        (
            format!("Delete the key {}?", key.name),
            "Requests using this key will fail immediately. A deleted key cannot be restored.",
            "Delete key",
            KEYS,
        )
    };
    let page = Confirm {
        frame: at_work.frame(back),
        token: at_work.token(),
        title,
        sentence: sentence.to_owned(),
        action: format!("{KEYS}/{}", *key.id),
        value: "delete",
        button,
        back: back.to_owned(),
    };
    Ok(Alone::Dashboard.page(StatusCode::OK, &page))
}
