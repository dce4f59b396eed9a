//! The page of one webhook endpoint: its status, its settings and its deliveries.

use super::context::EndpointContext;
use super::form::Fields;
use super::list::{chosen, selection_of};
use super::status::Status;
use crate::browser::{FieldErrors, Form, PageError, PagePolicy};
use crate::dashboard::frame::{Frame, counted, day};
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::DeliveryId;
use domain::keyword::Keyword as _;
use domain::time::Timestamp;
use domain::webhook::{DeliveryStatus, DisabledReason, EndpointState, Selection};
use http_layer::deps::Deps;
use persistence::Seen;
use persistence::records::{Delivery, Endpoint};
use service::endpoints::{DeliveryPage, Endpoints};
use std::sync::Arc;
use std::time::Duration;

#[derive(Template)]
#[template(path = "integrations/webhooks/endpoint.html")]
struct Page {
    frame: Frame,
    token: String,
    base: String,
    endpoint: EndpointView,
    /// The fields of the settings form.
    fields: Fields,
    /// Errors of the settings form or, if `replaying`, of the replay form.
    errors: FieldErrors,
    changing: bool,
    replaying: bool,
    deliveries: Vec<DeliveryRow>,
    filter: &'static str,
    /// Whether this is not the first page of deliveries.
    begun: bool,
    /// The delivery after which the next older page begins, if there is one.
    older: Option<DeliveryId>,
    /// The start and the end in the replay form.
    from: String,
    to: String,
}

struct EndpointView {
    id: String,
    url: String,
    description: Option<String>,
    enabled: bool,
    disabled: Option<Disabled>,
    failing_since: Option<String>,
    ends_at: Option<String>,
    /// The selected events in a few words. `None` if the stored selection cannot be read.
    events: Option<String>,
    created: String,
    rotated_until: Option<String>,
    pending: String,
    /// The number of failed deliveries, including those that are retried.
    failed: String,
    retrying: Option<String>,
}

/// Why and since when an endpoint is disabled.
struct Disabled {
    /// A sentence with the time, and whether a member did it.
    what: String,
    /// The reason, unless a member did it.
    why: Option<&'static str>,
}

impl Disabled {
    fn of((reason, at): (DisabledReason, Timestamp)) -> Self {
        let at = day(at);
        match reason {
            DisabledReason::ByMember => {
                Self { what: format!("Disabled by a member, {at}."), why: None }
            }
            reason => {
                let why = Some(reason.plain_description());
                Self { what: format!("Disabled since {at}."), why }
            }
        }
    }
}

struct DeliveryRow {
    id: String,
    kind: &'static str,
    sequence: i64,
    status: Status,
    attempts: u32,
    next: Option<String>,
    created: String,
}

/// The input of a form and its errors.
pub struct FormInput<'a> {
    pub form: &'a Form,
    pub errors: FieldErrors,
}

/// Returns the context and the endpoint of a request.
pub async fn found(
    request: &HttpRequest,
    deps: &Deps,
) -> Result<(EndpointContext, Endpoint), PageError> {
    let place = EndpointContext::of(request, deps).await?;
    let endpoint = place.endpoint(request, deps).await?;
    Ok((place, endpoint))
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let (place, endpoint) = found(&request, &deps).await?;
    let form_values = place.member_context.form_values_for(request.path());
    let form_values = form_values.map(|form| FormInput { form, errors: FieldErrors::default() });
    page(&request, &deps, &place, endpoint, form_values).await
}

/// Returns the page, with the input of one of its forms if given.
pub async fn page(
    request: &HttpRequest,
    deps: &Deps,
    place: &EndpointContext,
    endpoint: Endpoint,
    form_values: Option<FormInput<'_>>,
) -> Result<HttpResponse, PageError> {
    let query = Query::of(request);
    let filter = query.value("state").and_then(DeliveryStatus::from_keyword);
    let after: Option<DeliveryId> = query.value("after").and_then(|it| it.parse().ok());
    let seen = place.member_context.seen();
    let DeliveryPage { deliveries, more } =
        place.endpoints(deps).deliveries(seen, endpoint.id, filter, after).await?;
    let now = deps.clock.now();
    let time = |name: &str, kept: Timestamp| {
        let form_values =
            form_values.as_ref().map(|it| it.form.value(name)).filter(|text| !text.is_empty());
        form_values.map_or_else(|| minute(kept), str::to_owned)
    };
    let from = time("from", now.minus(Duration::from_hours(24)));
    let to = time("to", now.plus(Duration::from_mins(1)));
    let acts = |action: &str| form_values.as_ref().filter(|it| it.form.value("action") == action);
    let (saved, replaying) = (acts("save"), acts("replay").is_some());
    let (selection, state) = (selection_of(&endpoint), endpoint.state);
    let description = endpoint.description.as_deref().unwrap_or_default();
    let page = Page {
        frame: place.frame(),
        token: place.member_context.token(),
        base: place.base.clone(),
        fields: saved.map_or_else(
            || Fields::of(&endpoint.url, description, selection),
            |form_values| Fields::again(form_values.form),
        ),
        changing: saved.is_some(),
        replaying,
        errors: form_values.map(|it| it.errors).unwrap_or_default(),
        endpoint: row_of((&place.endpoints(deps), seen), endpoint, selection, now).await?,
        deliveries: deliveries.iter().map(|(it, answer)| sent(it, *answer, state)).collect(),
        filter: filter.map_or("", DeliveryStatus::as_str),
        begun: after.is_some(),
        older: deliveries.last().filter(|_| more).map(|(delivery, _)| delivery.id),
        from,
        to,
    };
    let status =
        if page.errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

/// Formats a time for an `input` of type `datetime-local`.
fn minute(at: Timestamp) -> String {
    at.to_string().chars().take(16).collect()
}

async fn row_of(
    (endpoints, seen): (&Endpoints<'_>, Seen),
    endpoint: Endpoint,
    selection: Option<Selection>,
    now: Timestamp,
) -> Result<EndpointView, PageError> {
    let counts = endpoints.delivery_counts(seen, endpoint.id).await?;
    let count = |status| counts.get(&status).copied().unwrap_or_default();
    let retrying = count(DeliveryStatus::Retrying);
    let health = endpoint.health();
    Ok(EndpointView {
        id: endpoint.id.to_string(),
        enabled: endpoint.state == EndpointState::Enabled,
        disabled: health.disabled.map(Disabled::of),
        failing_since: health.failing_since.map(day),
        ends_at: health.ends_at().map(day),
        events: selection.map(chosen),
        created: day(endpoint.created_at),
        rotated_until: endpoint.previous_until.filter(|until| *until > now).map(day),
        pending: counted(count(DeliveryStatus::Pending)),
        failed: counted(count(DeliveryStatus::Failed) + retrying),
        retrying: (retrying > 0).then(|| counted(retrying)),
        url: endpoint.url,
        description: endpoint.description,
    })
}

fn sent(delivery: &Delivery, answer: Option<i32>, endpoint: EndpointState) -> DeliveryRow {
    DeliveryRow {
        id: delivery.id.to_string(),
        kind: delivery.kind.as_str(),
        sequence: delivery.sequence,
        status: Status::of(delivery, answer, endpoint),
        attempts: *delivery.attempts,
        next: delivery.due_at.map(day),
        created: day(delivery.created_at),
    }
}
