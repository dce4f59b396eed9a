//! Actions on a webhook endpoint: change, disable, enable, delete, rotate, test and replay.

use super::context::{EndpointContext, beside_field, name_of};
use super::endpoint::{FormInput, found, page};
use super::form::read;
use super::result::{ResultTitles, result_of};
use crate::browser::{FieldErrors, Form, PageError, PagePolicy, permitted};
use crate::dashboard::confirm::Confirm;
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use persistence::records::Endpoint;
use std::sync::Arc;

/// Runs the action that the form names.
pub async fn change(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (place, form) = EndpointContext::with_form(&request, payload, &deps).await?;
        let endpoint = place.endpoint(&request, &deps).await?;
        let here = format!("{}/{}", place.base, endpoint.id);
        let outcome = match form.value("action") {
            "disable" => {
                permitted(place.actions(&deps).disable(&endpoint).await)??;
                let sentence = "Nothing is sent to it until you enable it. Pending deliveries wait.";
                let notice = Notice::saying("Endpoint disabled", sentence);
                return place.member_context.redirect_with_flash(&deps, &here, &notice).await;
            }
            "enable" => {
                permitted(place.actions(&deps).enable(&endpoint).await)??;
                let sentence = "Deliveries resume where they stopped. Replay events to send what happened \
                                while it was disabled.";
                let notice = Notice::saying("Endpoint enabled", sentence);
                return place.member_context.redirect_with_flash(&deps, &here, &notice).await;
            }
            "delete" => {
                permitted(place.actions(&deps).delete(&endpoint).await)??;
                let sentence = format!("Nothing more is sent to {}.", endpoint.url);
                let notice = Notice::saying("Endpoint deleted", sentence);
                let list = &place.base;
                return place.member_context.redirect_with_flash(&deps, list, &notice).await;
            }
            "rotate" | "test" | "replay" => {
                let work = work(&deps, &place, &endpoint, &form);
                place.member_context.once(&deps, &request, &form, work).await?
            }
            "save" => save(&deps, &place, &endpoint, &form).await?,
            _ => return Err(PageError::UnknownAction),
        };
        match outcome {
            Ok(response) => Ok(response),
            Err(errors) => {
                let form_values = FormInput { form: &form, errors };
                page(&request, &deps, &place, endpoint, Some(form_values)).await
            }
        }
    })
    .await
}

const TEST_TITLES: ResultTitles = ResultTitles {
    succeeded: "Test event delivered",
    failed: "The test failed",
    waits: "The test event waits",
};

async fn save(
    deps: &ServerDeps,
    place: &EndpointContext,
    endpoint: &Endpoint,
    form: &Form,
) -> Result<Result<HttpResponse, FieldErrors>, PageError> {
    let changed = match read(deps, form) {
        Ok(endpoint_input) => {
            permitted(place.actions(deps).change(endpoint, endpoint_input).await)?
        }
        Err(error) => Err(error),
    };
    if let Err(error) = changed {
        return beside_field(error).map(Err);
    }
    let here = format!("{}/{}", place.base, endpoint.id);
    let notice = Notice::saying("Changes saved", "They apply to events from now on.");
    place.member_context.redirect_with_flash(deps, &here, &notice).await.map(Ok)
}

/// Runs an action that happens once, even if the form is submitted again.
async fn work(
    deps: &ServerDeps,
    place: &EndpointContext,
    endpoint: &Endpoint,
    form: &Form,
) -> Result<Result<ActionResult, FieldErrors>, PageError> {
    let (owner, actions) = (place.owner, place.actions(deps));
    let done = match form.value("action") {
        "rotate" => match permitted(actions.rotate(endpoint).await)? {
            Ok(Some(secret)) => Ok(rotated(&secret.reveal())),
            Ok(None) => return Err(PageError::NotFound),
            Err(error) => Err(error),
        },
        "test" => match permitted(actions.test(endpoint).await)? {
            Ok(Some(delivery)) => {
                Ok(result_of(deps, owner, endpoint, delivery, 0, &TEST_TITLES).await?)
            }
            Ok(None) => return Err(PageError::NotFound),
            Err(error) => Err(error),
        },
        _ => match span(form) {
            Err(errors) => return Ok(Err(errors)),
            Ok((from, to)) => permitted(actions.replay(endpoint, from, to).await)?.map(replayed),
        },
    };
    match done {
        Ok(notice) => {
            let location = format!("{}/{}", place.base, endpoint.id);
            Ok(Ok(ActionResult { location, notice }))
        }
        Err(error) => beside_field(error).map(Err),
    }
}

fn rotated(secret: &str) -> Notice {
    let sentence = "Copy the new signing secret now. You won’t be able to see this secret again. For 24 \
                    hours each request is also signed with the old one, so that you can change over \
                    without missing any.";
    Notice::saying("Secret rotated", sentence).with("Signing secret", "secret", secret)
}

fn replayed(events: i64) -> Notice {
    let sentence = match events {
        0 => {
            let sentence = "No event from that time can be delivered.";
            return Notice::saying("Nothing is replayed", sentence).warning();
        }
        1 => "1 event is checked, and delivered if the endpoint has chosen it.".to_owned(),
        many => {
            format!("{many} events are checked, and delivered if the endpoint has chosen them.")
        }
    };
    Notice::saying("Events are being replayed", sentence)
}

/// Parses the start and the end of a replay.
fn span(form: &Form) -> Result<(Timestamp, Timestamp), FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut time = |name: &'static str| {
        let chosen = Timestamp::chosen(form.value(name));
        if chosen.is_none() {
            errors.add(name, "Enter a date and a time.");
        }
        chosen
    };
    let span = time("from").zip(time("to"));
    match span {
        Some((from, to)) if from <= to => Ok((from, to)),
        Some(_) => Err(FieldErrors::one("to", "Choose a time after the start.")),
        None => Err(errors),
    }
}

/// Asks for confirmation before an endpoint is deleted.
pub async fn confirm(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (place, endpoint) = found(&request, &deps).await?;
    let here = format!("{}/{}", place.base, endpoint.id);
    let page = Confirm {
        frame: place.frame(),
        token: place.member_context.token(),
        title: format!("Delete {}?", name_of(&endpoint)),
        sentence: format!(
            "Nothing more is sent to {}, including pending deliveries, and its log is deleted. If it is \
             only unavailable for a while, disable it instead.",
            endpoint.url
        ),
        action: here.clone(),
        value: "delete",
        button: "Delete endpoint",
        grave: true,
        choice: None,
        back: here,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

/// Asks for confirmation before a secret is rotated, because the old one cannot be restored.
pub async fn confirm_rotation(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (place, endpoint) = found(&request, &deps).await?;
    let here = format!("{}/{}", place.base, endpoint.id);
    let sentence = "You get a new signing secret. For 24 hours each request is also signed with the \
                    current one; after that the current one no longer works.";
    let page = Confirm {
        frame: place.frame(),
        token: place.member_context.token(),
        title: format!("Rotate the secret of {}?", name_of(&endpoint)),
        sentence: sentence.to_owned(),
        action: here.clone(),
        value: "rotate",
        button: "Rotate secret",
        grave: true,
        choice: None,
        back: here,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}
