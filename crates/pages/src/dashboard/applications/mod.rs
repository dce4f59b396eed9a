//! Developer apps: the applications that the organization registered
//! (`docs/contract.md#applications`).

mod fields;
mod log;
mod one;

use super::frame::{Frame, MemberContext, day};
use super::notice::Notice;
use super::once::{ActionResult, run_to_completion};
use crate::browser::{FieldErrors, PageError, PagePolicy};
use crate::dashboard::APPLICATIONS;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use fields::Fields;
use http_layer::deps::Deps;
use persistence::records::Application;
use service::applications::Applications;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "integrations/applications.html")]
struct Page {
    frame: Frame,
    token: String,
    /// The content of the form for a new application.
    fields: Fields,
    errors: FieldErrors,
    open: bool,
    applications: Vec<ApplicationRow>,
}

struct ApplicationRow {
    id: String,
    name: String,
    client_id: String,
    published: bool,
    verified: bool,
    description: Option<String>,
    created: String,
}

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
        web::resource("/integrations/applications/{id}/publish")
            .route(web::get().to(one::confirm_publication)),
    );
    app.service(
        web::resource("/integrations/applications/{id}/renew")
            .route(web::get().to(one::confirm_renew)),
    );
}

async fn show(request: HttpRequest, deps: web::Data<Arc<Deps>>) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let fields =
        member_context.form_values_for(APPLICATIONS).map_or_else(Fields::empty, Fields::of);
    page(&deps, &member_context, StatusCode::OK, fields, FieldErrors::default()).await
}

async fn page(
    deps: &Deps,
    member_context: &MemberContext,
    status: StatusCode,
    fields: Fields,
    errors: FieldErrors,
) -> Result<HttpResponse, PageError> {
    let own = Applications::new(deps, member_context.id()).all(member_context.seen()).await?;
    let page = Page {
        open: own.is_empty() || !errors.is_empty() || member_context.has_form_values(),
        frame: member_context.frame(APPLICATIONS),
        token: member_context.token(),
        fields,
        errors,
        applications: own.into_iter().map(row_of).collect(),
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

fn row_of(application: Application) -> ApplicationRow {
    ApplicationRow {
        id: application.id.to_string(),
        name: application.name,
        client_id: application.client_id,
        published: application.published,
        verified: application.verified,
        description: application.description,
        created: day(application.created_at),
    }
}

/// Registers an application. The page that follows shows its secret once.
async fn register(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let fields = Fields::of(&form);
        let work = register_from(&deps, &member_context, &fields);
        let refused = async |errors| {
            let (status, fields) = (StatusCode::UNPROCESSABLE_ENTITY, Fields::of(&form));
            page(&deps, &member_context, status, fields, errors).await
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

async fn register_from(
    deps: &Deps,
    member_context: &MemberContext,
    fields: &Fields,
) -> Result<Result<ActionResult, FieldErrors>, PageError> {
    let terms = match fields.terms() {
        Ok(terms) => terms,
        Err(errors) => return Ok(Err(errors)),
    };
    let made = Applications::new(deps, member_context.id()).register(&terms, false).await?;
    let notice = with_secret("App registered", &made.client_id, &made.client_secret);
    Ok(Ok(ActionResult { location: format!("{APPLICATIONS}/{}", made.id), notice }))
}

/// Returns a notice with a new secret, including the lines for the configuration of the
/// application's server.
fn with_secret(title: &str, client_id: &str, secret: &str) -> Notice {
    let sentence = "Copy the secret now and keep it on your server only. You won’t be able to see this \
                    secret again.";
    let file = format!("APP_CLIENT_ID={client_id}\nAPP_CLIENT_SECRET={secret}");
    Notice::saying(title, sentence)
        .with("Client ID", "client-id", client_id)
        .with("Client secret", "client-secret", secret)
        .with("For the .env file of your server", "env", file)
}
