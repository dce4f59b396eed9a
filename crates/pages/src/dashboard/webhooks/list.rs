//! The list of the webhook endpoints of one owner, and the form for a new one.

use super::context::{EndpointContext, beside_field};
use super::form::{EndpointFields, read};
use crate::browser::{
    FieldErrors, Form, ObjectState, PageError, PagePolicy, ShownTime, StateLabel, permitted,
};
use crate::dashboard::frame::Frame;
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::webhook::{EndpointState, Selection};
use http_layer::deps::ServerDeps;
use persistence::records::Endpoint;
use service::endpoints;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "integrations/webhooks/list.html")]
struct EndpointListPage {
    frame: Frame,
    base: String,
    new: String,
    application: Option<String>,
    /// The page of the application that owns the endpoints.
    application_path: String,
    endpoints: Vec<EndpointListRow>,
}

struct EndpointListRow {
    id: String,
    url: String,
    description: Option<String>,
    state: StateLabel,
    events: String,
    created: ShownTime,
}

#[derive(Template)]
#[template(path = "integrations/webhooks/new.html")]
struct NewEndpointPage {
    frame: Frame,
    token: String,
    base: String,
    back: String,
    fields: EndpointFields,
    errors: FieldErrors,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let place = EndpointContext::of(&request, &deps).await?;
    let endpoints = endpoints::list(&deps, place.owner, place.member_context.seen()).await?;
    let page = EndpointListPage {
        frame: place.frame(),
        application_path: place.base.trim_end_matches("/webhooks").to_owned(),
        new: format!("{}/new", place.base),
        base: place.base,
        application: place.application,
        endpoints: endpoints.into_iter().map(row_of).collect(),
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn row_of(endpoint: Endpoint) -> EndpointListRow {
    EndpointListRow {
        id: endpoint.id.to_string(),
        state: state_of(&endpoint),
        events: selection_of(&endpoint).map_or_else(|| "Unreadable".to_owned(), chosen),
        created: ShownTime::date(endpoint.created_at),
        url: endpoint.url,
        description: endpoint.description,
    }
}

/// Returns whether an endpoint is enabled, disabled or failing.
pub fn state_of(endpoint: &Endpoint) -> StateLabel {
    match endpoint.state {
        EndpointState::Disabled => ObjectState::Disabled.label(),
        EndpointState::Enabled if endpoint.failing_since.is_some() => ObjectState::Failing.label(),
        EndpointState::Enabled => ObjectState::Ok.saying("Enabled"),
    }
}

/// Shows the form for a new endpoint.
pub async fn form(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let place = EndpointContext::of(&request, &deps).await?;
    let form_values = place.member_context.form_values_for(&place.base);
    let fields = form_values
        .map_or_else(|| EndpointFields::of("", "", Some(Selection::All)), EndpointFields::again);
    Ok(form_page(&place, StatusCode::OK, fields, FieldErrors::default()))
}

fn form_page(
    place: &EndpointContext,
    status: StatusCode,
    fields: EndpointFields,
    errors: FieldErrors,
) -> HttpResponse {
    let page = NewEndpointPage {
        frame: place.frame(),
        token: place.member_context.token(),
        base: place.base.clone(),
        back: place.list_name(),
        fields,
        errors,
    };
    PagePolicy::Dashboard.page(status, &page)
}

/// Returns the events that an endpoint selects. Returns `None` if they cannot be read, so that the
/// endpoint is still shown and can be corrected or deleted.
pub fn selection_of(endpoint: &Endpoint) -> Option<Selection> {
    match endpoint.selection() {
        Ok(selection) => Some(selection),
        Err(error) => {
            tracing::error!(%error, "the event selection of a webhook endpoint cannot be read");
            None
        }
    }
}

/// Describes a selection in a few words.
pub fn chosen(selection: Selection) -> String {
    match (selection, selection.chosen().as_slice()) {
        (Selection::All, _) => "All events".to_owned(),
        (Selection::Some(_), [only]) => only.to_string(),
        (Selection::Some(_), several) => format!("{} events", several.len()),
    }
}

/// Creates an endpoint. The page that follows shows its secret once.
pub async fn create(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (place, form) = EndpointContext::with_form(&request, payload, &deps).await?;
        let work = create_from(&deps, &place, &form);
        let refused = async |errors| {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(form_page(&place, status, EndpointFields::again(&form), errors))
        };
        place.member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

async fn create_from(
    deps: &ServerDeps,
    place: &EndpointContext,
    form: &Form,
) -> Result<Result<ActionResult, FieldErrors>, PageError> {
    let made = match read(deps, form) {
        Ok(endpoint_input) => permitted(place.actions(deps).create(endpoint_input).await)?,
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
    Ok(Ok(ActionResult { location: format!("{}/{}", place.base, endpoint.id), notice }))
}
