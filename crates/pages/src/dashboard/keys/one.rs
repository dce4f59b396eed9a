//! The page of one key: its credentials, permissions and settings, and the page that shows its
//! secret once.

use super::fields::{CapsFields, KeyChange};
use super::{created, number_of, scopes_of, state_of};
use crate::browser::{DisabledBy, Form, PageError, PagePolicy, ShownTime, StateLabel, permitted};
use crate::dashboard::confirm::Confirm;
use crate::dashboard::frame::{Frame, MemberContext, limit};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::run_to_completion;
use crate::dashboard::{CONNECTED, KEYS};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::KeyId;
use domain::key::{KeyKind, KeyState};
use domain::role::MemberAction;
use domain::scope::Scope;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::Key;
use service::keys;
use service::{accounts, audit, connections};
use std::convert::Infallible;
use std::sync::Arc;

/// The ids of the elements with the values of a new key.
pub const CLIENT_ID: &str = "client-id";
pub const CLIENT_SECRET: &str = "client-secret";
/// The id of the notice value that contains the id of the replaced key. The page does not show it.
const REPLACED: &str = "replaced";

#[derive(Template)]
#[template(path = "integrations/keys/one.html")]
struct KeyDetailPage {
    frame: Frame,
    token: String,
    id: String,
    name: String,
    client_id: String,
    state: StateLabel,
    active: bool,
    /// The member who disabled the key.
    disabled: Option<DisabledBy>,
    connection: bool,
    /// Whether the member may create a key that replaces this one.
    may_rotate: bool,
    permissions: Vec<&'static str>,
    number: String,
    limit: String,
    created: ShownTime,
    use_line: UseLine,
    base_url: String,
    /// The path that the forms are submitted to.
    path: String,
    delete_path: String,
    rotate_path: String,
    delete_button: &'static str,
    /// The settings form.
    change: KeyChange,
    /// The form with the caps of a connection.
    caps: CapsFields,
    /// The messages that a capped connection sent in this month.
    sent: Option<u32>,
}

#[derive(Template)]
#[template(path = "integrations/keys/created.html")]
struct CreatedPage {
    frame: Frame,
    id: String,
    name: String,
    /// The path of the key that this one replaces.
    replaced_path: Option<String>,
    notice: Notice,
    client_id: String,
    secret: String,
    base_url: String,
    use_line: UseLine,
}

/// The line that says when a key was last used. A script of the page renews the line until the
/// first call.
#[derive(Template)]
#[template(path = "integrations/keys/use.html")]
struct UseLine {
    id: String,
    last_used: Option<ShownTime>,
}

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(
        web::resource("/integrations/keys/{id}")
            .route(web::get().to(show))
            .route(web::post().to(change)),
    );
    app.service(web::resource("/integrations/keys/{id}/delete").route(web::get().to(confirm)));
    app.service(
        web::resource("/integrations/keys/{id}/rotate").route(web::get().to(confirm_rotation)),
    );
    app.service(web::resource("/integrations/keys/{id}/use").route(web::get().to(last_use)));
}

async fn show(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let key = own(&deps, &member_context, &id).await?;
    let mut frame = member_context.frame(KEYS);
    let secret = frame.notice.as_ref().and_then(|it| it.value(CLIENT_SECRET)).map(str::to_owned);
    if let (Some(secret), Some(notice)) = (secret, frame.notice.take_if(|it| !it.values.is_empty()))
    {
        let page = CreatedPage {
            use_line: use_line(&deps, &member_context, &key).await?,
            id: key.id.to_string(),
            replaced_path: notice.value(REPLACED).map(|id| format!("{KEYS}/{id}")),
            name: key.name,
            client_id: key.client_id,
            base_url: deps.config.base_url.clone(),
            frame,
            notice,
            secret,
        };
        return Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page));
    }
    let form_values = member_context.form_values().filter(|form| form.value("action") == "save");
    let change = form_values.map(KeyChange::of);
    page(&deps, &member_context, StatusCode::OK, key, change, None).await
}

async fn page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    status: StatusCode,
    key: Key,
    change: Option<KeyChange>,
    caps: Option<CapsFields>,
) -> Result<HttpResponse, PageError> {
    let usage = connections::capped_usage(deps, member_context.id(), &key).await?;
    let accounts = accounts::list(deps, member_context.reader()).await?;
    let page = KeyDetailPage {
        frame: member_context.frame(KEYS),
        token: member_context.token(),
        id: key.id.to_string(),
        use_line: use_line(deps, member_context, &key).await?,
        state: state_of(&key),
        active: key.state == KeyState::Active,
        disabled: disabled_by(deps, member_context, &key).await?,
        connection: key.kind == KeyKind::Connection,
        may_rotate: key.kind == KeyKind::Manual && member_context.may(MemberAction::KeyCreated),
        permissions: scopes_of(&key).iter().map(Scope::plain_description).collect(),
        number: number_of(&key, &accounts),
        limit: limit(key.rate_limit),
        created: ShownTime::date(key.created_at),
        base_url: deps.config.base_url.clone(),
        path: format!("{KEYS}/{}", key.id),
        delete_path: format!("{KEYS}/{}/delete", key.id),
        rotate_path: format!("{KEYS}/{}/rotate", key.id),
        delete_button: if key.kind == KeyKind::Connection { "Disconnect" } else { "Delete key" },
        change: change.unwrap_or_else(|| KeyChange::stored(&key)),
        caps: caps.unwrap_or_else(|| CapsFields::stored(&key.caps())),
        sent: usage.limit.map(|_| usage.used),
        name: key.name,
        client_id: key.client_id,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

/// Returns who disabled a key that is disabled now.
async fn disabled_by(
    deps: &ServerDeps,
    member_context: &MemberContext,
    key: &Key,
) -> Result<Option<DisabledBy>, PageError> {
    if key.state == KeyState::Active {
        return Ok(None);
    }
    let (disabled, enabled) = (MemberAction::KeyDisabled, MemberAction::KeyEnabled);
    let found =
        audit::find_disabling(deps, member_context.reader(), key.id, disabled, enabled).await?;
    Ok(found.map(DisabledBy::from))
}

async fn use_line(
    deps: &ServerDeps,
    member_context: &MemberContext,
    key: &Key,
) -> Result<UseLine, PageError> {
    let last_used = keys::last_used(deps, member_context.reader(), key.id).await?;
    let now = deps.clock.now();
    Ok(UseLine { id: key.id.to_string(), last_used: last_used.map(|at| ShownTime::ago(at, now)) })
}

/// Returns only the line with the last use.
async fn last_use(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let key = own(&deps, &member_context, &id).await?;
    let line = use_line(&deps, &member_context, &key).await?;
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &line))
}

/// Finds a key of the organization by the id in the path.
async fn own(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: &str,
) -> Result<Key, PageError> {
    let id = id.parse::<KeyId>().map_err(|_| PageError::NotFound)?;
    keys::find(deps, member_context.id(), id).await?.ok_or(PageError::NotFound)
}

/// Changes, rotates, disables, enables or deletes a key.
async fn change(
    request: HttpRequest,
    payload: web::Payload,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
    let key = own(&deps, &member_context, &id).await?;
    if form.value("action") == "rotate" {
        return rotate(request, deps, member_context, key, form).await;
    }
    let own_keys = member_context.actor(&deps).keys();
    let name = &key.name;
    let (is_changed, notice) = match form.value("action") {
        "disable" => {
            let is_changed = permitted(own_keys.set_state(&key, KeyState::Inactive).await)??;
            let sentence = format!("Calls with {name} are refused until you enable it again.");
            (is_changed, Notice::saying("Key disabled", sentence))
        }
        "enable" => {
            let is_changed = permitted(own_keys.set_state(&key, KeyState::Active).await)??;
            let sentence = format!("{name} works again, with the same client ID and secret.");
            (is_changed, Notice::saying("Key enabled", sentence))
        }
        "delete" => {
            permitted(own_keys.delete(&key).await)??;
            let back = if key.kind == KeyKind::Connection { CONNECTED } else { KEYS };
            return member_context.redirect_with_flash(&deps, back, &deleted(&key)).await;
        }
        "save" => return save(&deps, &member_context, key, &form).await,
        "cap" => return cap(&deps, &member_context, key, &form).await,
        _ => return Err(PageError::UnknownAction),
    };
    if !is_changed {
        return redirect_too_late(&deps, &member_context, &key).await;
    }
    let page = format!("{KEYS}/{}", key.id);
    member_context.redirect_with_flash(&deps, &page, &notice).await
}

/// Returns to the list, with the notice that the key was deleted before it could be changed.
async fn redirect_too_late(
    deps: &ServerDeps,
    member_context: &MemberContext,
    key: &Key,
) -> Result<HttpResponse, PageError> {
    let (list, sentence) = match key.kind {
        KeyKind::Connection => (CONNECTED, "This connection has ended."),
        KeyKind::Manual => (KEYS, "This key was deleted."),
    };
    let notice = Notice::saying("Nothing was saved", sentence).warning();
    member_context.redirect_with_flash(deps, list, &notice).await
}

/// Rotates a key once, by creating another key with the same settings. The page that follows shows
/// the new secret.
async fn rotate(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
    member_context: MemberContext,
    key: Key,
    form: Form,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let work = async {
            let rotated = permitted(member_context.actor(&deps).keys().rotate(&key).await)?;
            let rotated = rotated.map_err(Problem::from)?;
            let mut result = created(rotated.ok_or(PageError::NotFound)?);
            result.notice = result.notice.with("Replaced key", REPLACED, key.id.to_string());
            Ok(Ok::<_, Infallible>(result))
        };
        let refused = async |never: Infallible| match never {};
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

async fn save(
    deps: &ServerDeps,
    member_context: &MemberContext,
    key: Key,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    let (name, limit) = match KeyChange::parse(form) {
        Ok(valid) => valid,
        Err(change) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return page(deps, member_context, status, key, Some(change), None).await;
        }
    };
    let own_keys = member_context.actor(deps).keys();
    if !permitted(own_keys.change(&key, &name, limit).await)?? {
        return redirect_too_late(deps, member_context, &key).await;
    }
    let notice = Notice::saying("Changes saved", format!("They apply to {name} from now on."));
    member_context.redirect_with_flash(deps, &format!("{KEYS}/{}", key.id), &notice).await
}

/// Sets the caps of a connection.
async fn cap(
    deps: &ServerDeps,
    member_context: &MemberContext,
    key: Key,
    form: &Form,
) -> Result<HttpResponse, PageError> {
    if key.kind != KeyKind::Connection {
        return Err(PageError::UnknownAction);
    }
    let caps = match CapsFields::parse(form, key.rate_limit, deps.clock.now()) {
        Ok(caps) => caps,
        Err(caps) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return page(deps, member_context, status, key, None, Some(caps)).await;
        }
    };
    if !permitted(member_context.actor(deps).keys().cap(&key, caps).await)?? {
        return redirect_too_late(deps, member_context, &key).await;
    }
    let sentence = format!("They apply to {} from now on.", key.name);
    let notice = Notice::saying("Limits saved", sentence);
    member_context.redirect_with_flash(deps, &format!("{KEYS}/{}", key.id), &notice).await
}

/// Returns the notice about a deleted key. Deleting the key of a connection ends the connection.
fn deleted(Key { kind, name, .. }: &Key) -> Notice {
    match kind {
        KeyKind::Connection => {
            let sentence = format!("Calls of {name} are refused from now on.");
            Notice::saying("App disconnected", sentence)
        }
        KeyKind::Manual => {
            Notice::saying("Key deleted", format!("Calls with {name} are refused from now on."))
        }
    }
}

/// Asks for confirmation before a key is rotated, and says what happens to the current key.
async fn confirm_rotation(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let key = own(&deps, &member_context, &id).await?;
    if key.kind == KeyKind::Connection {
        return Err(PageError::NotFound);
    }
    let here = format!("{KEYS}/{}", key.id);
    let page = Confirm {
        frame: member_context.frame(KEYS),
        token: member_context.token(),
        title: format!("Rotate {}?", key.name),
        sentence: "You get a new key with the same name, permissions, number and rate limit. The \
                   current key keeps working until you disable it, so you can change your servers \
                   over without a gap."
            .to_owned(),
        action: here.clone(),
        value: "rotate",
        button: "Rotate key",
        grave: false,
        choice: None,
        back: here,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

/// Asks for confirmation before a key is deleted or an application is disconnected.
async fn confirm(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let key = own(&deps, &member_context, &id).await?;
    let here = format!("{KEYS}/{}", key.id);
    let (title, sentence, button, tab, back) = match key.kind {
        KeyKind::Connection => (
            format!("Disconnect {}?", key.name),
            "Its requests will fail immediately. To connect it again, start from its own page.",
            "Disconnect",
            CONNECTED,
            CONNECTED.to_owned(),
        ),
        KeyKind::Manual => (
            format!("Delete the key {}?", key.name),
            "Requests using this key will fail immediately. A deleted key cannot be restored.",
            "Delete key",
            KEYS,
            here.clone(),
        ),
    };
    let page = Confirm {
        frame: member_context.frame(tab),
        token: member_context.token(),
        title,
        sentence: sentence.to_owned(),
        action: here,
        value: "delete",
        button,
        grave: true,
        choice: None,
        back,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}
