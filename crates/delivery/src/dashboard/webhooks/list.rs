//! The endpoints of one owner, and a form for one more.

use super::form::{Fields, read};
use super::place::{Place, beside_field};
use crate::browser::{Alone, Failed, FieldErrors, Form};
use crate::dashboard::frame::{Frame, day};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{Done, run_to_completion};
use crate::deps::Deps;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::webhook::{EndpointState, Selection};
use persistence::rows::Endpoint;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "integrations/webhooks/list.html")]
struct Page {
    frame: Frame,
    token: String,
    base: String,
    application: Option<String>,
    endpoints: Vec<Shown>,
    /// What the form of a new endpoint holds, and what is wrong with it.
    fields: Fields,
    errors: FieldErrors,
    /// Whether the form is open.
    open: bool,
}

struct Shown {
    id: String,
    url: String,
    description: Option<String>,
    enabled: bool,
    failing: bool,
    events: String,
    created: String,
}

/// Shows them.
pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let place = Place::of(&request, &deps).await?;
    let typed = place.at_work.typed_into(&place.base);
    let fields = typed.map_or_else(|| Fields::of("", "", Selection::All), Fields::again);
    page(&deps, &place, StatusCode::OK, fields, FieldErrors::default()).await
}

async fn page(
    deps: &Deps,
    place: &Place,
    status: StatusCode,
    fields: Fields,
    errors: FieldErrors,
) -> Result<HttpResponse, Failed> {
    let endpoints = deps.db.owner(place.owner).endpoints_of().await?;
    let page = Page {
        open: endpoints.is_empty() || !errors.is_empty() || place.at_work.has_typed(),
        frame: place.frame(),
        token: place.at_work.token(),
        base: place.base.clone(),
        application: place.application.clone(),
        endpoints: endpoints.into_iter().map(shown).collect(),
        fields,
        errors,
    };
    Ok(Alone::Dashboard.page(status, &page))
}

fn shown(endpoint: Endpoint) -> Shown {
    Shown {
        id: endpoint.id.to_string(),
        enabled: *endpoint.state == EndpointState::Enabled,
        failing: endpoint.failing_since.is_some(),
        events: chosen(&endpoint),
        created: day(*endpoint.created_at),
        url: endpoint.url,
        description: endpoint.description,
    }
}

/// The events of an endpoint in a few words.
pub fn chosen(endpoint: &Endpoint) -> String {
    match Selection::kept(&endpoint.events).chosen().len() {
        _ if endpoint.events == "*" => "all".to_owned(),
        1 => endpoint.events.clone(),
        count => format!("{count} chosen"),
    }
}

/// Creates an endpoint; the page that this leads to shows its secret once.
pub async fn create(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    run_to_completion(async move {
        let (place, form) = Place::with_form(&request, payload, &deps).await?;
        let work = create_from(&deps, &place, &form);
        match place.at_work.once(&deps, &request, &form, work).await? {
            Ok(response) => Ok(response),
            Err(errors) => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                page(&deps, &place, status, Fields::again(&form), errors).await
            }
        }
    })
    .await
}

async fn create_from(
    deps: &Deps,
    place: &Place,
    form: &Form,
) -> Result<Result<Done, FieldErrors>, Failed> {
    let made = match read(form) {
        Ok(wished) => place.endpoints(deps).create(wished).await,
        Err(error) => Err(error),
    };
    let (endpoint, secret) = match made {
        Ok(made) => made,
        Err(error) => return beside_field(error).map(Err),
    };
    let sentence = "Copy its signing secret now: your server checks each request with it. You won’t be \
                    able to see this secret again.";
    let notice = Notice::saying("Endpoint created", sentence).with(
        "Signing secret",
        "secret",
        secret.reveal(),
    );
    Ok(Ok(Done { location: format!("{}/{}", place.base, *endpoint.id), notice }))
}
