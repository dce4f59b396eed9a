//! The page of one delivery: the request, and the response to each attempt.

use super::context::{EndpointContext, beside_field, name_of};
use super::result::{ResultTitles, is_accepted, result_of, took};
use super::status::DeliveryLabel;
use crate::browser::{FieldErrors, PageError, PagePolicy, ShownTime, permitted, sentence};
use crate::dashboard::frame::Frame;
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use api_types::event::Envelope;
use askama::Template;
use domain::id::DeliveryId;
use domain::keyword::Keyword as _;
use domain::time::Timestamp;
use domain::webhook::{DeliveryState, MAX_ATTEMPTS};
use http_layer::deps::ServerDeps;
use persistence::Seen;
use persistence::records::{Attempt, Delivery, Endpoint};
use serde_json::Value;
use service::endpoints;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "integrations/webhooks/delivery.html")]
struct DeliveryDetailPage {
    frame: Frame,
    token: String,
    /// The paths of the endpoint and of this page.
    endpoint: String,
    here: String,
    /// The name of the endpoint on pages.
    name: String,
    url: String,
    id: String,
    event: String,
    kind: &'static str,
    sequence: i64,
    status: DeliveryLabel,
    next: Option<ShownTime>,
    waits: bool,
    completed: Option<ShownTime>,
    max_attempts: u32,
    /// The failed attempts since the delivery was created or resent.
    failures: u32,
    body: Option<String>,
    attempts: Vec<AttemptRow>,
}

struct AttemptRow {
    number: u32,
    at: ShownTime,
    took: String,
    timestamp: i64,
    signature: String,
    status: Option<i32>,
    taken: bool,
    error: Option<String>,
    response: Option<String>,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let place = EndpointContext::of(&request, &deps).await?;
    let (endpoint, id) = named(&place, &request, &deps).await?;
    let (owner, seen) = (place.owner, place.member_context.seen());
    let found = endpoints::delivery(&deps, owner, seen, endpoint.id, id).await?;
    let (delivery, event_row, attempts) = found.ok_or(PageError::NotFound)?;
    let body = event_row.and_then(|it| Envelope::from(it).body().ok());
    let body = body.map(|body| spread(&body));
    let page = page(&place, endpoint, &delivery, body, attempts, deps.clock.now());
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

fn page(
    place: &EndpointContext,
    endpoint: Endpoint,
    delivery: &Delivery,
    body: Option<String>,
    attempts: Vec<Attempt>,
    now: Timestamp,
) -> DeliveryDetailPage {
    let path = format!("{}/{}", place.base, endpoint.id);
    DeliveryDetailPage {
        frame: place.frame(),
        token: place.member_context.token(),
        here: format!("{path}/deliveries/{}", delivery.id),
        endpoint: path,
        waits: endpoint.disabled_at.is_some() && delivery.state == DeliveryState::Pending,
        name: name_of(&endpoint).to_owned(),
        url: endpoint.url,
        id: delivery.id.to_string(),
        event: delivery.event_id.to_string(),
        kind: delivery.kind.as_str(),
        sequence: delivery.sequence,
        status: DeliveryLabel::of(
            delivery,
            attempts.last().and_then(|last| last.status),
            endpoint.state,
        ),
        next: delivery.due_at.map(|at| ShownTime::relative(at, now)),
        completed: delivery.completed_at.map(ShownTime::exact),
        max_attempts: MAX_ATTEMPTS,
        failures: *delivery.failures,
        body,
        attempts: attempts.into_iter().rev().map(row_of).collect(),
    }
}

fn row_of(attempt: Attempt) -> AttemptRow {
    AttemptRow {
        number: *attempt.number,
        taken: is_accepted(&attempt),
        at: ShownTime::precise(attempt.at),
        took: took(attempt.took_ms),
        timestamp: attempt.at.micros() / 1_000_000,
        signature: attempt.signature,
        status: attempt.status,
        error: attempt.error.as_deref().map(sentence),
        response: attempt.response,
    }
}

/// Formats a JSON body with line breaks. Returns other text unchanged.
fn spread(body: &str) -> String {
    let value = serde_json::from_str::<Value>(body);
    let spread = value.and_then(|value| serde_json::to_string_pretty(&value));
    spread.unwrap_or_else(|_| body.to_owned())
}

/// Returns the endpoint and the delivery id in the path.
async fn named(
    place: &EndpointContext,
    request: &HttpRequest,
    deps: &ServerDeps,
) -> Result<(Endpoint, DeliveryId), PageError> {
    let endpoint = place.endpoint(request, deps).await?;
    let id = request.match_info().get("delivery").and_then(|id| id.parse().ok());
    Ok((endpoint, id.ok_or(PageError::NotFound)?))
}

/// Resends the delivery.
pub async fn again(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (place, form) = EndpointContext::with_form(&request, payload, &deps).await?;
        let (endpoint, id) = named(&place, &request, &deps).await?;
        let work = resend(&deps, &place, &endpoint, id);
        let refused = async |errors: FieldErrors| {
            let why = errors.summary().unwrap_or_default();
            let notice = Notice::saying("The delivery was not resent", why).failure();
            place.member_context.redirect_with_flash(&deps, request.path(), &notice).await
        };
        place.member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

const RESEND_TITLES: ResultTitles = ResultTitles {
    succeeded: "Delivery resent",
    failed: "Resending failed",
    waits: "The delivery waits",
};

async fn resend(
    deps: &ServerDeps,
    place: &EndpointContext,
    endpoint: &Endpoint,
    id: DeliveryId,
) -> Result<Result<ActionResult, FieldErrors>, PageError> {
    let owner = place.owner;
    let before = endpoints::delivery(deps, owner, Seen::UNKNOWN, endpoint.id, id).await?;
    let (_, _, attempts) = before.ok_or(PageError::NotFound)?;
    match permitted(place.actions(deps).resend_delivery(endpoint, id).await)? {
        Ok(true) => {}
        Ok(false) => return Err(PageError::NotFound),
        Err(error) => return beside_field(error).map(Err),
    }
    let notice = result_of(deps, owner, endpoint, id, attempts.len(), &RESEND_TITLES).await?;
    let location = format!("{}/{}/deliveries/{id}", place.base, endpoint.id);
    Ok(Ok(ActionResult { location, notice }))
}
