//! The page of one webhook endpoint with its status and its deliveries, and the pages with its
//! settings and with the form that replays events.

use super::context::{EndpointContext, name_of};
use super::form::EndpointFields;
use super::list::{chosen, selection_of, state_of};
use super::status::DeliveryLabel;
use crate::browser::{DisabledBy, FieldErrors, Form, PageError, PagePolicy, ShownTime, StateLabel};
use crate::dashboard::frame::{Frame, counted};
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::DeliveryId;
use domain::keyword::Keyword as _;
use domain::role::MemberAction;
use domain::time::Timestamp;
use domain::webhook::{DeliveryStatus, DisabledReason, EndpointState};
use http_layer::deps::ServerDeps;
use persistence::records::{Delivery, DeliveryResults, Endpoint};
use service::audit;
use service::endpoints::{self, DeliveryPage, MAX_COUNTED};
use std::sync::Arc;
use std::time::Duration;

/// Number of deliveries on a page. With more, the page of a failing endpoint would be too long,
/// because it also shows a notice, and the time of the next attempt in each row.
const DELIVERIES: i64 = 20;

#[derive(Template)]
#[template(path = "integrations/webhooks/endpoint.html")]
struct EndpointDetailPage {
    frame: Frame,
    token: String,
    base: String,
    back: String,
    /// The path of this page.
    here: String,
    endpoint: EndpointView,
    errors: FieldErrors,
    tabs: Vec<DeliveryTab>,
    deliveries: Vec<EndpointDeliveryRow>,
    /// The text in place of an empty list.
    nothing: String,
    filtered: bool,
    /// The URLs of the newest and the next older page, or empty strings.
    newest: String,
    older: String,
}

/// A view of the deliveries: all of them, or those with a status.
struct DeliveryTab {
    path: String,
    name: &'static str,
    current: bool,
    count: String,
}

struct EndpointView {
    id: String,
    url: String,
    description: Option<String>,
    state: StateLabel,
    enabled: bool,
    disabled: Option<Disabled>,
    failing_since: Option<ShownTime>,
    ends_at: Option<ShownTime>,
    /// The selected events in a few words. `None` if the stored selection cannot be read.
    events: Option<String>,
    created: ShownTime,
    rotated_until: Option<ShownTime>,
    /// The rate of the last 24 hours, if there were attempts.
    success_rate: Option<SuccessRate>,
    pending: String,
    /// The number of failed deliveries, including those that are retried.
    failed: String,
    retrying: Option<String>,
}

/// The share of deliveries that succeeded.
#[derive(Debug, PartialEq, Eq)]
struct SuccessRate {
    percent: String,
    counts: String,
}

impl SuccessRate {
    /// Returns the success rate, or `None` if nothing was attempted. The rate is rounded down, so
    /// that it is 100 % only if no delivery failed.
    fn of(results: DeliveryResults) -> Option<Self> {
        let DeliveryResults { attempted, succeeded } = results;
        let per_mille = (succeeded * 1000).checked_div(attempted)?;
        let counts = if attempted < MAX_COUNTED {
            format!("{succeeded} of {attempted} deliveries in the last 24 hours")
        } else {
            format!("{succeeded} of the newest {attempted} deliveries in the last 24 hours")
        };
        Some(Self { percent: format!("{}.{}%", per_mille / 10, per_mille % 10), counts })
    }
}

/// The time since when an endpoint is disabled, and the reason.
struct Disabled {
    /// The name of the member who disabled it.
    member: Option<String>,
    at: ShownTime,
    why: &'static str,
}

impl Disabled {
    async fn of(
        deps: &ServerDeps,
        place: &EndpointContext,
        endpoint: &Endpoint,
    ) -> Result<Option<Self>, PageError> {
        let Some((reason, at)) = endpoint.health().disabled else { return Ok(None) };
        let member = if reason == DisabledReason::ByMember {
            let (disabled, enabled) =
                (MemberAction::EndpointDisabled, MemberAction::EndpointEnabled);
            let reader = place.member_context.reader();
            let found = audit::find_disabling(deps, reader, endpoint.id, disabled, enabled).await?;
            Some(found.map_or_else(|| "a member".to_owned(), |it| DisabledBy::from(it).member))
        } else {
            None
        };
        Ok(Some(Self { member, at: ShownTime::exact(at), why: reason.plain_description() }))
    }
}

struct EndpointDeliveryRow {
    id: String,
    kind: &'static str,
    sequence: i64,
    status: DeliveryLabel,
    next: Option<ShownTime>,
    created: ShownTime,
}

#[derive(Template)]
#[template(path = "integrations/webhooks/edit.html")]
struct EditEndpointPage {
    frame: Frame,
    token: String,
    here: String,
    name: String,
    fields: EndpointFields,
    errors: FieldErrors,
}

#[derive(Template)]
#[template(path = "integrations/webhooks/replay.html")]
struct ReplayPage {
    frame: Frame,
    token: String,
    here: String,
    name: String,
    /// The start and the end of the replay.
    from: String,
    to: String,
    errors: FieldErrors,
}

/// The input of a form and its errors.
pub struct FormInput<'a> {
    pub form: &'a Form,
    pub errors: FieldErrors,
}

/// Returns the context and the endpoint of a request.
pub async fn found(
    request: &HttpRequest,
    deps: &ServerDeps,
) -> Result<(EndpointContext, Endpoint), PageError> {
    let place = EndpointContext::of(request, deps).await?;
    let endpoint = place.endpoint(request, deps).await?;
    Ok((place, endpoint))
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (place, endpoint) = found(&request, &deps).await?;
    let form_values = place.member_context.form_values_for(request.path());
    let form_values = form_values.map(|form| FormInput { form, errors: FieldErrors::default() });
    page(&request, &deps, &place, endpoint, form_values).await
}

/// Returns the page with the form that was submitted, or else the page of the endpoint.
pub async fn page(
    request: &HttpRequest,
    deps: &ServerDeps,
    place: &EndpointContext,
    endpoint: Endpoint,
    form_values: Option<FormInput<'_>>,
) -> Result<HttpResponse, PageError> {
    match form_values {
        Some(input) if input.form.value("action") == "save" => {
            Ok(edit_page(place, &endpoint, EndpointFields::again(input.form), input.errors))
        }
        Some(input) if input.form.value("action") == "replay" => {
            let time = |name| input.form.value(name).to_owned();
            Ok(replay_page(place, &endpoint, time("from"), time("to"), input.errors))
        }
        other => {
            let errors = other.map(|input| input.errors).unwrap_or_default();
            detail_page(request, deps, place, endpoint, errors).await
        }
    }
}

/// Shows the form with the settings.
pub async fn edit(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (place, endpoint) = found(&request, &deps).await?;
    let description = endpoint.description.as_deref().unwrap_or_default();
    let fields = EndpointFields::of(&endpoint.url, description, selection_of(&endpoint));
    Ok(edit_page(&place, &endpoint, fields, FieldErrors::default()))
}

fn edit_page(
    place: &EndpointContext,
    endpoint: &Endpoint,
    fields: EndpointFields,
    errors: FieldErrors,
) -> HttpResponse {
    let status = status_with(&errors);
    let page = EditEndpointPage {
        frame: place.frame(),
        token: place.member_context.token(),
        here: format!("{}/{}", place.base, endpoint.id),
        name: name_of(endpoint).to_owned(),
        fields,
        errors,
    };
    PagePolicy::Dashboard.page(status, &page)
}

/// Shows the form that replays events. The form proposes the last day unless the member has entered
/// another period.
pub async fn replay(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (place, endpoint) = found(&request, &deps).await?;
    let now = deps.clock.now();
    let from = minute(now.minus(Duration::from_hours(24)));
    let to = minute(now.plus(Duration::from_mins(1)));
    Ok(replay_page(&place, &endpoint, from, to, FieldErrors::default()))
}

fn replay_page(
    place: &EndpointContext,
    endpoint: &Endpoint,
    from: String,
    to: String,
    errors: FieldErrors,
) -> HttpResponse {
    let status = status_with(&errors);
    let page = ReplayPage {
        frame: place.frame(),
        token: place.member_context.token(),
        here: format!("{}/{}", place.base, endpoint.id),
        name: name_of(endpoint).to_owned(),
        from,
        to,
        errors,
    };
    PagePolicy::Dashboard.page(status, &page)
}

fn status_with(errors: &FieldErrors) -> StatusCode {
    if errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY }
}

async fn detail_page(
    request: &HttpRequest,
    deps: &ServerDeps,
    place: &EndpointContext,
    endpoint: Endpoint,
    errors: FieldErrors,
) -> Result<HttpResponse, PageError> {
    let query = Query::of(request);
    let filter = query.value("state").and_then(DeliveryStatus::from_keyword);
    let after: Option<DeliveryId> = query.value("after").and_then(|it| it.parse().ok());
    let seen = place.member_context.seen();
    let (owner, id) = (place.owner, endpoint.id);
    let DeliveryPage { deliveries, more } =
        endpoints::deliveries(deps, owner, seen, id, filter, after, DELIVERIES).await?;
    let counts = endpoints::delivery_counts(deps, owner, seen, id).await?;
    let results = endpoints::results_of_a_day(deps, owner, seen, id).await?;
    let count = |status| counts.get(&status).copied().unwrap_or_default();
    let retrying = count(DeliveryStatus::Retrying);
    let failed = count(DeliveryStatus::Failed) + retrying;
    let here = format!("{}/{}", place.base, endpoint.id);
    let path_of = |status: Option<DeliveryStatus>| {
        let query = status.map(|it| format!("?state={}", it.as_str())).unwrap_or_default();
        format!("{here}{query}#deliveries")
    };
    let tab = |status: Option<DeliveryStatus>, name, count: String| DeliveryTab {
        path: path_of(status),
        name,
        current: status == filter,
        count,
    };
    let tabs = vec![
        tab(None, "All", String::new()),
        tab(Some(DeliveryStatus::Pending), "Pending", counted(count(DeliveryStatus::Pending))),
        tab(Some(DeliveryStatus::Retrying), "Retrying", counted(retrying)),
        tab(Some(DeliveryStatus::Failed), "Failed", counted(failed)),
        // Successful deliveries are not counted, because there may be millions.
        tab(Some(DeliveryStatus::Succeeded), "Delivered", String::new()),
    ];
    let older = deliveries.last().filter(|_| more).map(|(delivery, _)| {
        let state = filter.map_or("", DeliveryStatus::as_str);
        format!("{here}?state={state}&after={}#deliveries", delivery.id)
    });
    let (now, state) = (deps.clock.now(), endpoint.state);
    let health = endpoint.health();
    let page = EndpointDetailPage {
        frame: place.frame(),
        token: place.member_context.token(),
        base: place.base.clone(),
        back: place.list_name(),
        nothing: match (filter, after) {
            (None, None) => "No deliveries yet".to_owned(),
            (None, Some(_)) => "No more deliveries".to_owned(),
            (Some(DeliveryStatus::Succeeded), _) => "No successful deliveries".to_owned(),
            (Some(status), _) => format!("No {} deliveries", status.as_str()),
        },
        filtered: filter.is_some() || after.is_some(),
        newest: after.map(|_| path_of(filter)).unwrap_or_default(),
        older: older.unwrap_or_default(),
        deliveries: deliveries
            .iter()
            .map(|(it, answer)| sent(it, answer.status, state, now))
            .collect(),
        tabs,
        errors,
        endpoint: EndpointView {
            id: endpoint.id.to_string(),
            state: state_of(&endpoint),
            enabled: endpoint.state == EndpointState::Enabled,
            disabled: Disabled::of(deps, place, &endpoint).await?,
            failing_since: health.failing_since.map(ShownTime::exact),
            ends_at: health.ends_at().map(ShownTime::exact),
            events: selection_of(&endpoint).map(chosen),
            created: ShownTime::date(endpoint.created_at),
            rotated_until: endpoint
                .previous_until
                .filter(|until| *until > now)
                .map(ShownTime::exact),
            success_rate: SuccessRate::of(results),
            pending: counted(count(DeliveryStatus::Pending)),
            failed: counted(failed),
            retrying: (retrying > 0).then(|| counted(retrying)),
            url: endpoint.url,
            description: endpoint.description,
        },
        here,
    };
    Ok(PagePolicy::Dashboard.page(status_with(&page.errors), &page))
}

/// Formats a time for an `input` of type `datetime-local`.
fn minute(at: Timestamp) -> String {
    at.to_string().chars().take(16).collect()
}

fn sent(
    delivery: &Delivery,
    answer: Option<i32>,
    endpoint: EndpointState,
    now: Timestamp,
) -> EndpointDeliveryRow {
    EndpointDeliveryRow {
        id: delivery.id.to_string(),
        kind: delivery.kind.as_str(),
        sequence: delivery.sequence,
        status: DeliveryLabel::of(delivery, answer, endpoint),
        next: delivery.due_at.map(|at| ShownTime::relative(at, now)),
        created: ShownTime::relative(delivery.created_at, now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_success_rate_is_rounded_down() {
        let percent = |succeeded, attempted| {
            SuccessRate::of(DeliveryResults { attempted, succeeded }).map(|it| it.percent)
        };
        assert_eq!(percent(0, 0), None);
        assert_eq!(percent(0, 3).as_deref(), Some("0.0%"));
        assert_eq!(percent(999, 1000).as_deref(), Some("99.9%"));
        assert_eq!(percent(9_999, 10_000).as_deref(), Some("99.9%"));
        assert_eq!(percent(7, 7).as_deref(), Some("100.0%"));
    }
}
