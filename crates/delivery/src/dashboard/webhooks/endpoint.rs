//! One endpoint: how it fares, what it was sent, and all that can be done to it.

use super::form::{Fields, read};
use super::list::chosen;
use super::place::{Place, told};
use crate::browser::{Alone, Failed, Form, redirect};
use crate::dashboard::confirm::Confirm;
use crate::dashboard::frame::{Frame, day};
use crate::deps::Deps;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::id::WebhookEndpointId;
use domain::time::Timestamp;
use domain::webhook::{DeliveryState, EndpointState, Selection};
use domain::word::Word as _;
use persistence::rows::{Delivery, Endpoint};
use std::sync::Arc;

/// Deliveries on a page.
const PAGE: i64 = 25;
const PAGES_MOST: i64 = 10_000;

#[derive(Template)]
#[template(path = "integrations/webhooks/endpoint.html")]
struct Page {
    frame: Frame,
    token: String,
    base: String,
    problem: Option<String>,
    done: Option<String>,
    secret: Option<String>,
    endpoint: Shown,
    fields: Fields,
    deliveries: Vec<Sent>,
    filter: &'static str,
    number: i64,
    more: bool,
    /// The bounds that a replay begins with.
    from: String,
    to: String,
}

struct Shown {
    id: String,
    url: String,
    description: Option<String>,
    enabled: bool,
    why: Option<&'static str>,
    since: Option<String>,
    failing_since: Option<String>,
    ends_at: Option<String>,
    events: String,
    created: String,
    rotated_until: Option<String>,
    pending: i64,
    failed: i64,
}

struct Sent {
    id: String,
    kind: &'static str,
    sequence: i64,
    state: &'static str,
    attempts: i32,
    next: Option<String>,
    created: String,
}

/// What a page says besides the endpoint itself.
#[derive(Default)]
struct Said {
    problem: Option<String>,
    done: Option<String>,
    secret: Option<String>,
    fields: Option<Fields>,
}

/// The place and the endpoint that a request is about, or the way out.
async fn found(
    request: &HttpRequest,
    deps: &Deps,
) -> Result<Result<(Place, Endpoint), HttpResponse>, Failed> {
    let place = match Place::of(request, deps).await? {
        Ok(place) => place,
        Err(way_out) => return Ok(Err(way_out)),
    };
    Ok(match place.endpoint(request, deps).await? {
        Some(endpoint) => Ok((place, endpoint)),
        None => Err(redirect(&place.base)),
    })
}

/// Shows it.
pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let (place, endpoint) = match found(&request, &deps).await? {
        Ok(found) => found,
        Err(way_out) => return Ok(way_out),
    };
    page(&request, &deps, &place, endpoint, StatusCode::OK, Said::default()).await
}

async fn page(
    request: &HttpRequest,
    deps: &Deps,
    place: &Place,
    endpoint: Endpoint,
    status: StatusCode,
    said: Said,
) -> Result<HttpResponse, Failed> {
    let query = serde_urlencoded::from_str(request.query_string());
    let query: Vec<(String, String)> = query.unwrap_or_default();
    let value =
        |name: &str| query.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str());
    let state = value("state").and_then(DeliveryState::from_word);
    let number = value("page").and_then(|it| it.parse().ok()).unwrap_or(1).clamp(1, PAGES_MOST);
    let id = *endpoint.id;
    let offset = (number - 1) * PAGE;
    let mut deliveries = deps.db.deliveries_of(id, state, PAGE + 1, offset).await?;
    let more = deliveries.len() > usize::try_from(PAGE).unwrap_or_default();
    deliveries.truncate(usize::try_from(PAGE).unwrap_or_default());
    let now = deps.clock.now();
    let selection = Selection::kept(&endpoint.events);
    let description = endpoint.description.clone().unwrap_or_default();
    let fields = said.fields.unwrap_or_else(|| Fields::of(&endpoint.url, &description, selection));
    let day_before = now.minus(std::time::Duration::from_hours(24));
    let page = Page {
        frame: place.frame(),
        token: place.at_work.token(),
        base: place.base.clone(),
        problem: said.problem,
        done: said.done,
        secret: said.secret,
        endpoint: shown(deps, endpoint, now).await?,
        fields,
        deliveries: deliveries.iter().map(sent).collect(),
        filter: state.map_or("", DeliveryState::as_str),
        number,
        more,
        from: minute(day_before),
        to: minute(now.plus(std::time::Duration::from_mins(1))),
    };
    Ok(Alone::Dashboard.page(status, &page))
}

/// A time as a browser's field holds it.
fn minute(at: Timestamp) -> String {
    at.to_string().chars().take(16).collect()
}

async fn shown(deps: &Deps, endpoint: Endpoint, now: Timestamp) -> Result<Shown, Failed> {
    let counts = deps.db.delivery_counts(*endpoint.id).await?;
    let count = |state| counts.iter().find(|(it, _)| *it == state).map_or(0, |(_, count)| *count);
    let health = endpoint.health();
    Ok(Shown {
        id: endpoint.id.to_string(),
        enabled: *endpoint.state == EndpointState::Enabled,
        why: health.disabled.map(|(reason, _)| reason.in_plain_words()),
        since: health.disabled.map(|(_, at)| day(at)),
        failing_since: health.failing_since.map(day),
        ends_at: health.ends_at().map(day),
        events: chosen(&endpoint),
        created: day(*endpoint.created_at),
        rotated_until: endpoint.previous_until.filter(|until| **until > now).map(|it| day(*it)),
        pending: count(DeliveryState::Pending),
        failed: count(DeliveryState::Failed),
        url: endpoint.url,
        description: endpoint.description,
    })
}

fn sent(delivery: &Delivery) -> Sent {
    Sent {
        id: delivery.id.to_string(),
        kind: delivery.kind.as_str(),
        sequence: delivery.sequence,
        state: delivery.state.as_str(),
        attempts: delivery.attempts,
        next: delivery.due_at.map(|at| day(*at)),
        created: day(*delivery.created_at),
    }
}

/// Changes it, switches it, gives it another secret, tries it out, or delivers anew.
pub async fn change(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let (place, endpoint) = match found(&request, &deps).await? {
        Ok(found) => found,
        Err(way_out) => return Ok(way_out),
    };
    let form = place.at_work.form(&request, payload).await?;
    let (id, here) = (*endpoint.id, format!("{}/{}", place.base, *endpoint.id));
    let now = deps.clock.now();
    match form.value("action") {
        "disable" => drop(deps.db.switch_endpoint(place.owner, id, false, now).await?),
        "enable" => {
            deps.db.switch_endpoint(place.owner, id, true, now).await?;
            deps.delivering.notify_waiters();
        }
        "delete" => {
            deps.db.delete_endpoint(place.owner, id, now).await?;
            return Ok(redirect(&place.base));
        }
        _ => {
            let said = done(&deps, &place, &endpoint, &form).await?;
            return answer(&request, &deps, &place, id, said).await;
        }
    }
    Ok(redirect(&here))
}

/// What is answered with a page that says what came of it.
async fn done(
    deps: &Deps,
    place: &Place,
    endpoint: &Endpoint,
    form: &Form,
) -> Result<Said, Failed> {
    let endpoints = place.endpoints(deps);
    let done = |done: String| Said { done: Some(done), ..Said::default() };
    let outcome = match form.value("action") {
        "rotate" => endpoints
            .rotate(*endpoint.id)
            .await
            .map(|secret| Said { secret: secret.map(|secret| secret.reveal()), ..Said::default() }),
        "test" => endpoints.test(endpoint).await.map(|id| {
            done(format!("A test is on its way: {id}. Load the page again to see how it fared."))
        }),
        "replay" => {
            let time = |name| Timestamp::chosen(form.value(name));
            match time("from").zip(time("to")).filter(|(from, to)| from <= to) {
                None => {
                    let problem = "Choose a time that ends after it begins.".to_owned();
                    return Ok(Said { problem: Some(problem), ..Said::default() });
                }
                Some((from, to)) => endpoints.replay(endpoint, from, to).await.map(|found| {
                    done(match found {
                        0 => "Nothing happened in that time that could be delivered.".to_owned(),
                        1 => "One event is looked through, and delivered if it is chosen.".to_owned(),
                        many => format!("{many} events are looked through, and those that are chosen are delivered anew."),
                    })
                }),
            }
        }
        _ => match read(form) {
            Ok(wished) => {
                endpoints.change(*endpoint.id, wished).await.map(|_| done("Saved.".to_owned()))
            }
            Err(error) => Err(error),
        },
    };
    match outcome {
        Ok(said) => Ok(said),
        Err(error) => {
            let (problem, fields) = (Some(told(error)?), Some(Fields::again(form)));
            Ok(Said { problem, fields, ..Said::default() })
        }
    }
}

async fn answer(
    request: &HttpRequest,
    deps: &Deps,
    place: &Place,
    id: WebhookEndpointId,
    said: Said,
) -> Result<HttpResponse, Failed> {
    let Some(endpoint) = deps.db.endpoint(place.owner, id).await? else {
        return Ok(redirect(&place.base));
    };
    let status = match said.problem {
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    page(request, deps, place, endpoint, status, said).await
}

/// Asks before it is deleted.
pub async fn confirm(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let (place, endpoint) = match found(&request, &deps).await? {
        Ok(found) => found,
        Err(way_out) => return Ok(way_out),
    };
    let here = format!("{}/{}", place.base, *endpoint.id);
    let page = Confirm {
        frame: place.frame(),
        token: place.at_work.token(),
        title: "Delete this endpoint?".to_owned(),
        sentence: format!(
            "Nothing more is sent to {}, also what is pending now, and its log is deleted. Disable it \
             instead if it is only away.",
            endpoint.url
        ),
        action: here.clone(),
        value: "delete",
        button: "Delete for good",
        back: here,
    };
    Ok(Alone::Dashboard.page(StatusCode::OK, &page))
}
