//! Developer apps: the applications that the organization registered
//! (`docs/contract.md#applications`).

mod fields;
mod log;
mod one;

use super::frame::{Frame, MemberContext};
use super::notice::Notice;
use super::once::{ActionResult, run_to_completion};
use crate::browser::{
    FieldErrors, ObjectState, PageError, PagePolicy, ShownTime, StateLabel, permitted,
};
use crate::dashboard::APPLICATIONS;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::role::Area;
use fields::ApplicationFields;
use http_layer::deps::ServerDeps;
use persistence::records::Application;
use service::applications;
use std::sync::Arc;

/// The page with the form for a new application.
const NEW: &str = "/integrations/applications/new";

#[derive(Template)]
#[template(path = "integrations/applications/list.html")]
struct ApplicationListPage {
    frame: Frame,
    applications: Vec<ApplicationRow>,
}

struct ApplicationRow {
    id: String,
    name: String,
    client_id: String,
    publication: StateLabel,
    review: StateLabel,
    description: Option<String>,
    created: ShownTime,
}

#[derive(Template)]
#[template(path = "integrations/applications/new.html")]
struct NewApplicationPage {
    frame: Frame,
    token: String,
    fields: ApplicationFields,
    errors: FieldErrors,
}

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(
        web::resource(APPLICATIONS).route(web::get().to(show)).route(web::post().to(register)),
    );
    app.service(web::resource(NEW).route(web::get().to(form)));
    app.service(
        web::resource("/integrations/applications/{id}")
            .route(web::get().to(one::show))
            .route(web::post().to(one::change)),
    );
    app.service(
        web::resource("/integrations/applications/{id}/edit").route(web::get().to(one::edit)),
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

async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::DeveloperApps)?;
    let own = applications::list(&deps, member_context.reader()).await?;
    let page = ApplicationListPage {
        frame: member_context.frame(APPLICATIONS),
        applications: own.into_iter().map(row_of).collect(),
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn row_of(application: Application) -> ApplicationRow {
    ApplicationRow {
        id: application.id.to_string(),
        publication: publication(application.published),
        review: review(application.verified),
        name: application.name,
        client_id: application.client_id,
        description: application.description,
        created: ShownTime::date(application.created_at),
    }
}

/// Returns the label that says whether every business can find an application in the directory.
fn publication(published: bool) -> StateLabel {
    if published {
        ObjectState::Active.saying("Published")
    } else {
        ObjectState::Draft.saying("Unpublished")
    }
}

/// Returns the label that says whether the operator has reviewed an application.
#[must_use]
pub fn review(verified: bool) -> StateLabel {
    if verified { ObjectState::Verified.label() } else { ObjectState::NotReviewed.label() }
}

async fn form(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    let fields = member_context
        .form_values_for(APPLICATIONS)
        .map_or_else(ApplicationFields::empty, ApplicationFields::of);
    Ok(form_page(&member_context, StatusCode::OK, fields, FieldErrors::default()))
}

fn form_page(
    member_context: &MemberContext,
    status: StatusCode,
    fields: ApplicationFields,
    errors: FieldErrors,
) -> HttpResponse {
    let (frame, token) = (member_context.frame(APPLICATIONS), member_context.token());
    PagePolicy::Dashboard.page(status, &NewApplicationPage { frame, token, fields, errors })
}

/// Registers an application. The page that follows shows its secret once.
async fn register(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let fields = ApplicationFields::of(&form);
        let work = register_from(&deps, &member_context, &fields);
        let refused = async |errors| {
            let (status, fields) = (StatusCode::UNPROCESSABLE_ENTITY, ApplicationFields::of(&form));
            Ok(form_page(&member_context, status, fields, errors))
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

async fn register_from(
    deps: &ServerDeps,
    member_context: &MemberContext,
    fields: &ApplicationFields,
) -> Result<Result<ActionResult, FieldErrors>, PageError> {
    let terms = match fields.terms() {
        Ok(terms) => terms,
        Err(errors) => return Ok(Err(errors)),
    };
    let made = permitted(member_context.actor(deps).applications().register(&terms).await)??;
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
