//! The endpoints of one owner, and a form for one more.

use super::form::{Fields, read};
use super::place::{Place, told};
use crate::browser::{Alone, Failed};
use crate::dashboard::frame::{Frame, day};
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
    problem: Option<String>,
    /// Id, URL and secret of an endpoint that was just made.
    made: Option<(String, String, String)>,
    endpoints: Vec<Shown>,
    fields: Fields,
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
    let place = match Place::of(&request, &deps).await? {
        Ok(place) => place,
        Err(way_out) => return Ok(way_out),
    };
    let fields = Fields::of("", "", Selection::All);
    page(&deps, &place, StatusCode::OK, None, None, fields).await
}

async fn page(
    deps: &Deps,
    place: &Place,
    status: StatusCode,
    problem: Option<String>,
    made: Option<(String, String, String)>,
    fields: Fields,
) -> Result<HttpResponse, Failed> {
    let endpoints = deps.db.endpoints_of(place.owner).await?;
    let page = Page {
        frame: place.frame(),
        token: place.at_work.token(),
        base: place.base.clone(),
        application: place.application.clone(),
        problem,
        made,
        endpoints: endpoints.into_iter().map(shown).collect(),
        fields,
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

/// Makes an endpoint, and shows its secret this once.
pub async fn create(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, Failed> {
    let place = match Place::of(&request, &deps).await? {
        Ok(place) => place,
        Err(way_out) => return Ok(way_out),
    };
    let form = place.at_work.form(&request, payload).await?;
    let made = match read(&form) {
        Ok(wished) => place.endpoints(&deps).create(wished).await,
        Err(error) => Err(error),
    };
    match made {
        Ok((endpoint, secret)) => {
            let made = Some((endpoint.id.to_string(), endpoint.url, secret.reveal()));
            let fields = Fields::of("", "", Selection::All);
            page(&deps, &place, StatusCode::CREATED, None, made, fields).await
        }
        Err(error) => {
            let (problem, status) = (told(error)?, StatusCode::UNPROCESSABLE_ENTITY);
            page(&deps, &place, status, Some(problem), None, Fields::again(&form)).await
        }
    }
}
