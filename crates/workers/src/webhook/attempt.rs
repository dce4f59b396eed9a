//! One attempt at a delivery.

use api_types::event::Envelope;
use auth::webhook::{SignedHeaders, WebhookSecret, sign};
use domain::number::saturating;
use domain::time::seconds_in_words;
use domain::webhook::{AttemptResult, next_attempt};
use futures_util::StreamExt as _;
use persistence::records::{Attempt, Delivery, DeliveryUpdate, Endpoint, EventWithSubject};
use platform::Deps;
use platform::clock::Stopwatch;
use platform::counters;
use platform::error_chain::cause_in_words;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;

/// Maximum number of bytes read of an answer (`docs/security.md` 34), and maximum number stored.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;
const MAX_STORED_RESPONSE_BYTES: usize = 4 * 1024;

struct AttemptOutcome {
    status: Option<u16>,
    error: Option<String>,
    response: Option<String>,
}

impl AttemptOutcome {
    const fn failed(error: String) -> Self {
        Self { status: None, error: Some(error), response: None }
    }
}

/// Makes one attempt. Returns its effect on the delivery.
pub async fn attempt(
    deps: &Deps,
    endpoint: &Endpoint,
    secrets: &[WebhookSecret],
    delivery: Delivery,
    recorded: Option<EventWithSubject>,
) -> DeliveryUpdate {
    let (begun, watch) = (deps.clock.now(), Stopwatch::start());
    let mut proof = SignedHeaders { timestamp: String::new(), signature: String::new() };
    let (answer, outcome) = match body_or_reason(recorded.map(|it| Envelope::from(it).body())) {
        Ok(body) => {
            let id = delivery.event_id.to_string();
            // The signature contains the wall clock's time, because the recipient compares it with
            // its own clock.
            proof = sign(secrets, &id, deps.clock.wall(), body.as_bytes());
            let posted = post(deps, &endpoint.url, &id, &proof, body);
            let timeout = deps.settings.channel.webhook_timeout;
            let outcome = tokio::time::timeout(timeout, posted).await.unwrap_or_else(|_| {
                AttemptOutcome::failed(format!(
                    "no answer within {}",
                    seconds_in_words(timeout.as_secs())
                ))
            });
            (AttemptResult::from_status(outcome.status), outcome)
        }
        Err(reason) => (AttemptResult::NotSent, AttemptOutcome::failed(reason)),
    };
    counters::webhook_attempts(answer, 1);
    let at = deps.clock.now();
    let failed = *delivery.failures + 1;
    let chance = u16::from_be_bytes(deps.entropy.id_bytes());
    let again = matches!(answer, AttemptResult::Refused | AttemptResult::Gone);
    let again_at = next_attempt(failed, chance).filter(|_| again).map(|wait| at.plus(wait));
    let attempt = Attempt {
        owner_id: delivery.owner_id,
        delivery_id: delivery.id,
        number: (*delivery.attempts + 1).into(),
        at: begun,
        took_ms: saturating(watch.elapsed().as_millis(), i32::MAX),
        signature: proof.signature,
        status: outcome.status.map(i32::from),
        error: outcome.error,
        response: outcome.response,
    };
    DeliveryUpdate { attempt, answer, at, again_at }
}

/// Returns the body to post, or the reason why there is no body.
fn body_or_reason(body: Option<serde_json::Result<String>>) -> Result<String, String> {
    match body {
        Some(Ok(body)) => Ok(body),
        Some(Err(error)) => {
            tracing::error!(%error, "an event could not be written as JSON; it is not delivered");
            Err("an internal error: the event could not be written as JSON".to_owned())
        }
        None => Err("the event is more than 30 days old and was deleted".to_owned()),
    }
}

async fn post(
    deps: &Deps,
    url: &str,
    id: &str,
    proof: &SignedHeaders,
    body: String,
) -> AttemptOutcome {
    let request = match deps.outbound.guarded.request(Method::POST, url) {
        Ok(request) => request,
        Err(refused) => return AttemptOutcome::failed(refused.to_string()),
    };
    let request = request
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", id)
        .header("webhook-timestamp", &proof.timestamp)
        .header("webhook-signature", &proof.signature)
        .body(body);
    let response = match request.send().await {
        Ok(response) => response,
        Err(error) => return AttemptOutcome::failed(cause_in_words(&error.without_url())),
    };
    let status = response.status().as_u16();
    let (mut read, mut kept) = (0, Vec::new());
    let mut chunks = response.bytes_stream();
    // The status decides the result. A body that breaks off or is too long does not change it.
    while let Some(Ok(chunk)) = chunks.next().await {
        read += chunk.len();
        kept.extend(chunk.iter().take(MAX_STORED_RESPONSE_BYTES.saturating_sub(kept.len())));
        if read >= MAX_RESPONSE_BYTES {
            break;
        }
    }
    AttemptOutcome { status: Some(status), error: None, response: excerpt(&kept) }
}

/// Returns the beginning of an answer's body as a text that both databases accept.
fn excerpt(kept: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(kept).replace('\0', "\u{fffd}");
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_cannot_be_written_is_not_called_old() {
        let unwritable = serde_json::from_str::<String>("not JSON");
        let reason = body_or_reason(Some(unwritable)).unwrap_err();
        assert!(reason.contains("could not be written") && !reason.contains("30 days"), "{reason}");
        let gone = body_or_reason(None).unwrap_err();
        assert!(gone.contains("30 days"), "{gone}");
        assert_eq!(body_or_reason(Some(Ok("{}".to_owned()))), Ok("{}".to_owned()));
    }
    use proptest::prelude::*;

    proptest! {
        /// For every answer of an endpoint, the stored excerpt is a text that both databases
        /// accept. An answer that is such a text is stored unchanged.
        #[test]
        fn what_an_endpoint_answers_can_be_kept(text in "(\\PC|\0|\n){0,40}", bytes: Vec<u8>, cut in 0_usize..40) {
            let until = cut.min(text.len());
            for kept in [text.as_bytes(), &text.as_bytes()[..until], &bytes] {
                let excerpt = excerpt(kept).unwrap_or_default();
                prop_assert!(!excerpt.contains('\0') && excerpt.len() <= 3 * kept.len());
                prop_assert_eq!(excerpt.is_empty(), kept.is_empty());
                if let Ok(whole) = std::str::from_utf8(kept) && !whole.contains('\0') {
                    prop_assert_eq!(&excerpt, whole);
                }
            }
        }
    }
}
