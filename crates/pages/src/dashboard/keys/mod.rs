//! API keys: pages that list, create, change, disable and delete them
//! (`docs/contract.md#api-keys`).

mod fields;

use super::confirm::Confirm;
use super::frame::{Frame, MemberContext, day, limit, named};
use super::notice::Notice;
use super::once::{ActionResult, run_to_completion};
use crate::browser::{FieldErrors, Form, PageError, PagePolicy, SUBMITTED_TO, form_only};
use crate::dashboard::fields::{ACCOUNT, NAME, RATE_LIMIT};
use crate::dashboard::query::Query;
use crate::dashboard::{CONNECTED, KEYS};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::KeyId;
use domain::key::{KeyKind, KeyState};
use fields::{FOREIGN_NUMBER, KeyChange, KeyFields};
use http_layer::deps::Deps;
use persistence::records::{Account, Key};
use service::accounts;
use service::keys::Keys;
use service::keys::{KeyError, KeyPage, ListedKey};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "integrations/keys.html")]
struct Page {
    frame: Frame,
    token: String,
    /// The form for a new key, its errors, and whether it is open.
    fields: KeyFields,
    errors: FieldErrors,
    open: bool,
    keys: Vec<KeyRow>,
    /// The key after which this page begins.
    after: Option<KeyId>,
    /// The key after which the next older page begins, if there is one.
    older: Option<KeyId>,
    numbers: Vec<(String, String)>,
}

struct KeyRow {
    id: String,
    name: String,
    client_id: String,
    active: bool,
    connection: bool,
    number: String,
    rate_limit: String,
    scopes: String,
    created: String,
    last_used: String,
    /// The form that changes the key.
    change: KeyChange,
}

impl KeyRow {
    fn name_control(&self) -> String {
        self.change.errors.bare_control(NAME.name, &format!("name-{}", self.id))
    }

    fn limit_control(&self) -> String {
        self.change.errors.bare_control(RATE_LIMIT, &format!("rate-{}", self.id))
    }
}

/// Form input that the page shows in addition to the stored keys.
struct FormInput {
    fields: KeyFields,
    errors: FieldErrors,
    /// The rejected change of a key.
    change: Option<(KeyId, KeyChange)>,
    /// The key after which the page begins.
    after: Option<KeyId>,
}

impl FormInput {
    fn nothing() -> Self {
        let errors = FieldErrors::default();
        Self { fields: KeyFields::empty(), errors, change: None, after: None }
    }

    /// Returns the input that the member submitted before they had to sign in again.
    fn before(member_context: &MemberContext, request: &HttpRequest) -> Self {
        if let Some(form) = member_context.form_values_for(KEYS) {
            return Self { fields: KeyFields::of(form), ..Self::nothing() };
        }
        let form = member_context.form_values().filter(|form| form.value("action") == "save");
        let after = form.map_or_else(|| Query::of(request).value(AFTER)?.parse().ok(), after);
        let change = form.and_then(|form| {
            let id = form.value(SUBMITTED_TO).rsplit('/').next()?.parse().ok()?;
            Some((id, KeyChange::of(form)))
        });
        Self { change, after, ..Self::nothing() }
    }
}

/// The query parameter and the form field with the key after which a page of keys begins.
const AFTER: &str = "after";

/// Returns the key after which the page with a form begins.
fn after(form: &Form) -> Option<KeyId> {
    form.value(AFTER).parse().ok()
}

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(KEYS).route(web::get().to(show)).route(web::post().to(create)));
    app.service(form_only("/integrations/keys/{id}").route(web::post().to(change)));
    app.service(web::resource("/integrations/keys/{id}/delete").route(web::get().to(confirm)));
}

async fn show(request: HttpRequest, deps: web::Data<Arc<Deps>>) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let form_values = FormInput::before(&member_context, &request);
    page(&deps, &member_context, StatusCode::OK, form_values).await
}

async fn page(
    deps: &Deps,
    member_context: &MemberContext,
    status: StatusCode,
    mut form_values: FormInput,
) -> Result<HttpResponse, PageError> {
    let accounts = accounts::list(deps, member_context.reader()).await?;
    let KeyPage { keys: stored, more } =
        Keys::new(deps, member_context.id()).page(member_context.seen(), form_values.after).await?;
    let numbers = accounts.iter().map(|it| (it.id.to_string(), named(it))).collect();
    let keys = stored.iter().map(|key| {
        let change =
            form_values.change.take_if(|(id, _)| *id == key.key.id).map(|(_, change)| change);
        row_of(key, &accounts, change)
    });
    let page = Page {
        frame: member_context.frame(KEYS),
        token: member_context.token(),
        open: stored.is_empty() && form_values.after.is_none()
            || !form_values.errors.is_empty()
            || member_context.form_values_for(KEYS).is_some(),
        keys: keys.collect(),
        older: stored.last().filter(|_| more).map(|key| key.key.id),
        after: form_values.after,
        fields: form_values.fields,
        errors: form_values.errors,
        numbers,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

fn row_of(listed: &ListedKey, accounts: &[Account], change: Option<KeyChange>) -> KeyRow {
    let ListedKey { key, last_used_at } = listed;
    let account = key.account_id.and_then(|id| accounts.iter().find(|it| it.id == id));
    let kept = || KeyChange {
        name: key.name.clone(),
        rate_limit: key.rate_limit.number().to_string(),
        errors: FieldErrors::default(),
        open: false,
    };
    KeyRow {
        id: key.id.to_string(),
        name: key.name.clone(),
        client_id: key.client_id.clone(),
        active: key.state == KeyState::Active,
        connection: key.kind == KeyKind::Connection,
        number: account.map_or_else(|| "All numbers".to_owned(), named),
        rate_limit: limit(key.rate_limit),
        scopes: key.scopes.replace(' ', ", "),
        created: day(key.created_at),
        last_used: last_used_at.map_or_else(|| "Never used".to_owned(), day),
        change: change.unwrap_or_else(kept),
    }
}

/// Creates a key. The page that follows shows its secret once.
async fn create(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let fields = KeyFields::of(&form);
        let work = create_from(&deps, &member_context, &fields);
        let refused = async |errors| {
            let fields = KeyFields::of(&form);
            let form_values = FormInput { fields, errors, ..FormInput::nothing() };
            page(&deps, &member_context, StatusCode::UNPROCESSABLE_ENTITY, form_values).await
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

async fn create_from(
    deps: &Deps,
    member_context: &MemberContext,
    fields: &KeyFields,
) -> Result<Result<ActionResult, FieldErrors>, PageError> {
    let new = match fields.parse() {
        Ok(new) => new,
        Err(errors) => return Ok(Err(errors)),
    };
    let made = match Keys::new(deps, member_context.id()).create(new).await {
        Ok(made) => made,
        // A database error is logged and not shown.
        Err(KeyError::Database(error)) => return Err(error.into()),
        Err(KeyError::NoNumber(_)) => return Ok(Err(FieldErrors::one(ACCOUNT, FOREIGN_NUMBER))),
    };
    let sentence = format!(
        "Copy the secret of {} now. You won’t be able to see this secret again.",
        made.name
    );
    let notice = Notice::saying("API key created", sentence)
        .with("Client ID", "client-id", made.client_id)
        .with("Client secret", "client-secret", made.client_secret);
    Ok(Ok(ActionResult { location: KEYS.to_owned(), notice }))
}

/// Finds a key of the organization by the id in the path.
async fn own(deps: &Deps, member_context: &MemberContext, id: &str) -> Result<Key, PageError> {
    let id = id.parse::<KeyId>().map_err(|_| PageError::NotFound)?;
    Keys::new(deps, member_context.id()).find(id).await?.ok_or(PageError::NotFound)
}

/// Changes, disables, enables or deletes a key.
async fn change(
    request: HttpRequest,
    payload: web::Payload,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
    let key = own(&deps, &member_context, &id).await?;
    let after = after(&form);
    let back = if key.kind == KeyKind::Connection { CONNECTED } else { KEYS };
    let (client_id, own_keys) = (key.client_id.as_str(), Keys::new(&deps, member_context.id()));
    let name = &key.name;
    let notice = match form.value("action") {
        "disable" => {
            own_keys.set_state(client_id, KeyState::Inactive).await?;
            let sentence = format!("Calls with {name} are refused until you enable it again.");
            Notice::saying("Key disabled", sentence)
        }
        "enable" => {
            own_keys.set_state(client_id, KeyState::Active).await?;
            let sentence = format!("{name} works again, with the same client ID and secret.");
            Notice::saying("Key enabled", sentence)
        }
        "delete" => {
            own_keys.delete(client_id).await?;
            let notice = deleted(&key);
            return member_context.redirect_with_flash(&deps, back, &notice).await;
        }
        "save" => match KeyChange::parse(&form) {
            Ok((name, limit)) => {
                own_keys.change(key.id, &name, limit).await?;
                let sentence = format!("They apply to {name} from now on.");
                Notice::saying("Changes saved", sentence)
            }
            Err(change) => {
                let change = Some((key.id, change));
                let form_values = FormInput { change, after, ..FormInput::nothing() };
                return page(&deps, &member_context, StatusCode::UNPROCESSABLE_ENTITY, form_values)
                    .await;
            }
        },
        _ => return Err(PageError::UnknownAction),
    };
    // Return to the page of the list that shows the key.
    let page = after.map_or_else(|| KEYS.to_owned(), |after| format!("{KEYS}?{AFTER}={after}"));
    member_context.redirect_with_flash(&deps, &page, &notice).await
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

/// Asks for confirmation before a key is deleted or an application is disconnected.
async fn confirm(
    request: HttpRequest,
    id: web::Path<String>,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let key = own(&deps, &member_context, &id).await?;
    let connection = key.kind == KeyKind::Connection;
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
        frame: member_context.frame(back),
        token: member_context.token(),
        title,
        sentence: sentence.to_owned(),
        action: format!("{KEYS}/{}", key.id),
        value: "delete",
        button,
        grave: true,
        choice: None,
        back: back.to_owned(),
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}
