//! The page that checks the signature of a received request with the secret of an endpoint. Nothing
//! is stored, and the secret stays on the server.

use super::context::{EndpointContext, name_of};
use super::endpoint::found;
use crate::browser::{FieldErrors, Form, ObjectState, PageError, PagePolicy, StateLabel};
use crate::dashboard::frame::Frame;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use auth::webhook::{Signatures, parse_signed_time};
use domain::number::{saturating, with_commas};
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use persistence::records::Endpoint;
use service::webhook_signatures::{ReceivedRequest, SignatureResult, test_signature};
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "id";
const TIMESTAMP: &str = "timestamp";
const SIGNATURE: &str = "signature";
const BODY: &str = "body";

#[derive(Template)]
#[template(path = "integrations/webhooks/signature.html")]
struct SignaturePage {
    frame: Frame,
    token: String,
    here: String,
    /// The page of the endpoint.
    endpoint: String,
    name: String,
    fields: SignatureFields,
    errors: FieldErrors,
    result: Option<SignatureVerdict>,
}

#[derive(Default)]
struct SignatureFields {
    id: String,
    timestamp: String,
    signature: String,
    body: String,
}

impl SignatureFields {
    fn of(form: &Form) -> Self {
        let header = |name| form.value(name).trim().to_owned();
        Self {
            id: header(ID),
            timestamp: header(TIMESTAMP),
            signature: header(SIGNATURE),
            body: form.value(BODY).to_owned(),
        }
    }

    fn parse(&self) -> Result<(Timestamp, Signatures), FieldErrors> {
        let mut errors = FieldErrors::default();
        if self.body.is_empty() {
            errors.add(BODY, "Paste the body of the request.");
        }
        let timestamp = parse_signed_time(&self.timestamp);
        let timestamp = timestamp.map_err(|_| {
            errors.add(
                TIMESTAMP,
                "Enter the seconds since 1970 from the header, such as 1795262400.",
            );
        });
        let signatures = Signatures::parse(&self.signature).map_err(|_| {
            errors.add(SIGNATURE, "Enter the whole value of the header. It begins with “v1,”.");
        });
        match (timestamp, signatures) {
            (Ok(timestamp), Ok(signatures)) if errors.is_empty() => Ok((timestamp, signatures)),
            _ => Err(errors),
        }
    }
}

/// The result of the check, in words.
#[derive(Debug, PartialEq, Eq)]
struct SignatureVerdict {
    state: StateLabel,
    title: &'static str,
    sentence: String,
}

impl SignatureVerdict {
    fn of(result: &SignatureResult) -> Self {
        let (state, title, sentence) = match result {
            SignatureResult::Valid { too_old: Some(age), .. } => (
                ObjectState::Retrying,
                "The signature is right, but the timestamp is too old",
                format!(
                    "The timestamp is {} old. Servers reject requests that are older than 5 minutes, \
                     so that nobody can repeat one. If your server rejected this request when it \
                     came, compare its clock.",
                    duration(*age)
                ),
            ),
            SignatureResult::Valid { too_early: Some(ahead), .. } => (
                ObjectState::Retrying,
                "The signature is right, but the timestamp is in the future",
                format!("It is {} ahead of this server’s clock.", duration(*ahead)),
            ),
            SignatureResult::Valid { by_previous_secret, line_breaks_changed, .. } => {
                let mut sentence = if *by_previous_secret {
                    "It was made with the secret before the last rotation, which still signs."
                } else {
                    "It was made with this endpoint’s secret over exactly this ID, timestamp and body."
                }
                .to_owned();
                if *line_breaks_changed {
                    sentence.push_str(
                        " Line breaks that came with pasting were left out: your server has to \
                         verify the body as it came, byte for byte.",
                    );
                }
                (ObjectState::Ok, "The signature is valid", sentence)
            }
            SignatureResult::ChangedBody(place) => (
                ObjectState::Failed,
                "The body was changed",
                format!(
                    "The signature is this endpoint’s, but for another body of the same event. The \
                     first difference is at character {}. Verify the raw bytes before you parse \
                     them: JSON that was parsed and written again is another body.",
                    with_commas(saturating(*place, u64::MAX))
                ),
            ),
            SignatureResult::OtherId(id) => (
                ObjectState::Failed,
                "The webhook-id is another one",
                format!("The signature is this endpoint’s, for the ID {id}."),
            ),
            SignatureResult::OtherTimestamp(seconds) => (
                ObjectState::Failed,
                "The timestamp was changed",
                format!(
                    "The signature is this endpoint’s, for the timestamp {seconds}. Use the value of \
                     the header webhook-timestamp of the same request."
                ),
            ),
            SignatureResult::RotatedSecret => (
                ObjectState::Failed,
                "Made with a secret that was rotated",
                "This endpoint’s secret was rotated since, and the old one signs no more. Verify new \
                 requests with the current secret."
                    .to_owned(),
            ),
            SignatureResult::OtherSecret => (
                ObjectState::Failed,
                "Wrong secret, or a changed body",
                "No secret of this endpoint made this signature for this ID, timestamp and body. \
                 Check that the request is to this endpoint, and that the body is pasted as it came."
                    .to_owned(),
            ),
        };
        Self { state: state.label(), title, sentence }
    }
}

/// Formats a duration in its largest unit.
fn duration(length: Duration) -> String {
    let seconds = length.as_secs();
    let (number, unit) = match seconds {
        0..3600 => (seconds / 60, "minute"),
        3600..86400 => (seconds / 3600, "hour"),
        _ => (seconds / 86400, "day"),
    };
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {unit}{plural}", with_commas(number))
}

/// Shows the form.
pub async fn form(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (place, endpoint) = found(&request, &deps).await?;
    let fields = place.member_context.form_values_for(request.path()).map(SignatureFields::of);
    let fields = fields.unwrap_or_default();
    Ok(page(&place, &endpoint, fields, FieldErrors::default(), None))
}

/// Tests a request, and shows the result above the form.
pub async fn test(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let (place, form) = EndpointContext::with_form(&request, payload, &deps).await?;
    let endpoint = place.endpoint(&request, &deps).await?;
    let fields = SignatureFields::of(&form);
    let (timestamp, signatures) = match fields.parse() {
        Ok(parsed) => parsed,
        Err(errors) => return Ok(page(&place, &endpoint, fields, errors, None)),
    };
    let received =
        ReceivedRequest { id: &fields.id, timestamp, signatures: &signatures, body: &fields.body };
    let seen = place.member_context.seen();
    let result = test_signature(&deps, place.owner, seen, &endpoint, received).await;
    let result = match result {
        Ok(result) => SignatureVerdict::of(&result),
        Err(error) => {
            let errors = super::context::beside_field(error)?;
            return Ok(page(&place, &endpoint, fields, errors, None));
        }
    };
    Ok(page(&place, &endpoint, fields, FieldErrors::default(), Some(result)))
}

fn page(
    place: &EndpointContext,
    endpoint: &Endpoint,
    fields: SignatureFields,
    errors: FieldErrors,
    result: Option<SignatureVerdict>,
) -> HttpResponse {
    let path = format!("{}/{}", place.base, endpoint.id);
    let status = if errors.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = SignaturePage {
        frame: place.frame(),
        token: place.member_context.token(),
        here: format!("{path}/signature"),
        endpoint: path,
        name: name_of(endpoint).to_owned(),
        fields,
        errors,
        result,
    };
    PagePolicy::Dashboard.page(status, &page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_written_in_its_largest_unit() {
        let lengths = [300, 3_599, 3_600, 7_300, 86_400, 172_801].map(Duration::from_secs);
        let written = lengths.map(duration);
        assert_eq!(written, ["5 minutes", "59 minutes", "1 hour", "2 hours", "1 day", "2 days"]);
    }

    #[test]
    fn all_faults_of_the_form_are_shown_at_once() {
        let errors = SignatureFields::default().parse().unwrap_err();
        for field in [BODY, TIMESTAMP, SIGNATURE] {
            assert!(errors.of(field).is_some(), "{field}");
        }
    }

    #[test]
    fn only_a_valid_signature_is_green() {
        let verdict = |result| SignatureVerdict::of(&result).state.class();
        let valid = |too_old| SignatureResult::Valid {
            by_previous_secret: false,
            line_breaks_changed: false,
            too_old,
            too_early: None,
        };
        assert_eq!(verdict(valid(None)), "ok");
        assert_eq!(verdict(valid(Some(Duration::from_hours(1)))), "warn");
        for result in [
            SignatureResult::ChangedBody(3),
            SignatureResult::OtherId("evt_1".to_owned()),
            SignatureResult::OtherTimestamp(1),
            SignatureResult::RotatedSecret,
            SignatureResult::OtherSecret,
        ] {
            assert_eq!(verdict(result), "bad");
        }
    }
}
