//! Integrations → My applications: what the organization registered, for itself or for every business
//! (`docs/contract.md#applications`).

mod fields;
mod log;
mod one;

use super::frame::{AtWork, Frame, day};
use super::notice::Notice;
use super::once::{Done, run_to_completion};
use crate::browser::{Alone, Failed, FieldErrors};
use crate::dashboard::paths::APPLICATIONS;
use crate::deps::Deps;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use fields::Fields;
use persistence::rows::Application;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "integrations/applications.html")]
struct Page {
    frame: Frame,
    token: String,
    /// What the form of a new application holds, and what is wrong with it.
    fields: Fields,
    errors: FieldErrors,
    /// Whether the form is open.
    open: bool,
    applications: Vec<Shown>,
}

struct Shown {
    id: String,
    name: String,
    client_id: String,
    published: bool,
    verified: bool,
    description: Option<String>,
    created: String,
}

/// Mounts the pages.
pub fn mount(app: &mut web::ServiceConfig) {
    app.service(
        web::resource(APPLICATIONS).route(web::get().to(show)).route(web::post().to(register)),
    );
    app.service(
        web::resource("/integrations/applications/{id}")
            .route(web::get().to(one::show))
            .route(web::post().to(one::change)),
    );
    app.service(
        web::resource("/integrations/applications/{id}/delete")
            .route(web::get().to(one::confirm_delete)),
    );
    app.service(
        web::resource("/integrations/applications/{id}/renew")
            .route(web::get().to(one::confirm_renew)),
    );
}

/// Shows the applications.
async fn show(request: HttpRequest, deps: web::Data<Arc<Deps>>) -> Result<HttpResponse, Failed> {
    let at_work = AtWork::of(&request, &deps).await?;
    let fields = at_work.typed_into(APPLICATIONS).map_or_else(Fields::empty, Fields::of);
    page(&deps, &at_work, StatusCode::OK, fields, FieldErrors::default()).await
}

async fn page(
    deps: &Deps,
    at_work: &AtWork,
    status: StatusCode,
    fields: Fields,
    errors: FieldErrors,
) -> Result<HttpResponse, Failed> {
    let own = deps.db.organization(at_work.id()).own_applications().await?;
    let page = Page {
        open: own.is_empty() || !errors.is_empty() || at_work.has_typed(),
        frame: at_work.frame(APPLICATIONS),
        token: at_work.token(),
        fields,
        errors,
        applications: own.into_iter().map(shown).collect(),
    };
    Ok(Alone::Dashboard.page(status, &page))
}

fn shown(application: Application) -> Shown {
    Shown {
        id: application.id.to_string(),
        name: application.name,
        client_id: application.client_id,
        published: application.published,
        verified: application.verified,
        description: application.description,
        created: day(*application.created_at),
    }
}

/// Registers an application; the page that this leads to shows its secret once.
async fn register(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    run_to_completion(async move {
        let (at_work, form) = AtWork::with_form(&request, payload, &deps).await?;
        let fields = Fields::of(&form);
        let work = register_from(&deps, &at_work, &fields);
        match at_work.once(&deps, &request, &form, work).await? {
            Ok(response) => Ok(response),
            Err(errors) => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                page(&deps, &at_work, status, fields, errors).await
            }
        }
    })
    .await
}

async fn register_from(
    deps: &Deps,
    at_work: &AtWork,
    fields: &Fields,
) -> Result<Result<Done, FieldErrors>, Failed> {
    let terms = match fields.terms() {
        Ok(terms) => terms,
        Err(errors) => return Ok(Err(errors)),
    };
    let admin = deps.admin();
    let made = admin.create_application(Some(at_work.id()), &terms, false).await?;
    let notice = with_secret("Application registered", made.client_secret);
    Ok(Ok(Done { location: format!("{APPLICATIONS}/{}", made.id), notice }))
}

/// Tells of a secret that an application was just given.
fn with_secret(title: &str, secret: impl Into<String>) -> Notice {
    let sentence = "Copy the secret now and keep it on your server only. You won’t be able to see this \
                    secret again.";
    Notice::saying(title, sentence).with("Client secret", "client-secret", secret)
}
