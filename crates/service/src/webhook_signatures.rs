//! The signatures of requests to webhook endpoints: the secrets that make them, and a test that
//! shows a member why a signature does not verify (`docs/contract.md#webhooks`).

use crate::endpoints::EndpointError;
use api_types::event::Envelope;
use auth::webhook::{Signatures, WebhookSecret};
use domain::time::Timestamp;
use persistence::Seen;
use persistence::records::{Endpoint, Owner};
use platform::Deps;
use platform::sealing::SealingError;
use serde_json::Value;
use std::time::Duration;

/// Maximum age of a request that Standard Webhooks libraries accept, and the maximum time by which
/// its timestamp may be ahead.
pub const TOLERANCE: Duration = Duration::from_mins(5);

/// Returns the secrets that sign requests to an endpoint now: the current one, and for a day the
/// previous one.
pub fn signing_secrets(
    deps: &Deps,
    endpoint: &Endpoint,
    now: Timestamp,
) -> Result<Vec<WebhookSecret>, SealingError> {
    let before = endpoint.previous_until.is_some_and(|until| until > now);
    let before = endpoint.previous_secret.iter().filter(|_| before);
    let sealed = std::iter::once(&endpoint.secret).chain(before);
    sealed.map(|sealed| open(deps, endpoint, sealed)).collect()
}

fn open(deps: &Deps, endpoint: &Endpoint, sealed: &[u8]) -> Result<WebhookSecret, SealingError> {
    let text = deps.sealing.open(sealed, &endpoint.id.to_string())?;
    Ok(WebhookSecret::parse(&text).map_err(|_| auth::seal::UnsealError)?)
}

/// A request as a member's server received it.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedRequest<'a> {
    /// The value of `webhook-id`. If it is empty, the id in the body is used.
    pub id: &'a str,
    /// The value of `webhook-timestamp`.
    pub timestamp: Timestamp,
    /// The value of `webhook-signature`.
    pub signatures: &'a Signatures,
    pub body: &'a str,
}

/// The result of a test of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureResult {
    Valid {
        /// Whether only the previous secret verifies the signature.
        by_previous_secret: bool,
        /// Whether the signature verifies only after line breaks of the body were changed or
        /// removed.
        line_breaks_changed: bool,
        /// The age of the timestamp, if it is too old.
        too_old: Option<Duration>,
        too_early: Option<Duration>,
    },
    /// The signature belongs to another body of this event. The number is the position of the first
    /// difference, in characters from 1.
    ChangedBody(usize),
    /// The signature is for another `webhook-id`.
    OtherId(String),
    /// The signature is for another timestamp, in seconds since 1970.
    OtherTimestamp(i64),
    /// This signature was sent to the endpoint, but the endpoint's secret was rotated since.
    RotatedSecret,
    /// No secret of the endpoint made the signature.
    OtherSecret,
}

/// Tests whether a received request verifies with a secret of the endpoint. If not, finds the
/// reason: the body names a delivery, and the request is compared with what was sent for it.
pub async fn test_signature(
    deps: &Deps,
    owner: Owner,
    seen: Seen,
    endpoint: &Endpoint,
    received: ReceivedRequest<'_>,
) -> Result<SignatureResult, EndpointError> {
    let ReceivedRequest { timestamp, signatures, .. } = received;
    let now = deps.clock.now();
    let named = serde_json::from_str::<Value>(received.body).ok();
    let id_in_body = named.as_ref().and_then(|it| it.get("id")?.as_str()).unwrap_or_default();
    let id = if received.id.is_empty() { id_in_body } else { received.id };

    let current = open(deps, endpoint, &endpoint.secret)?;
    let previous = endpoint.previous_secret.as_ref();
    let previous = previous.map(|sealed| open(deps, endpoint, sealed)).transpose()?;
    let signs = endpoint.previous_until.is_some_and(|until| until > now);
    let secrets = [Some((&current, false)), previous.as_ref().map(|it| (it, true))];
    let bodies = forms_of(received.body);
    for (secret, by_previous_secret) in secrets.into_iter().flatten() {
        for (place, body) in bodies.iter().enumerate() {
            if !secret.verifies(id, timestamp, body.as_bytes(), signatures) {
                continue;
            }
            if by_previous_secret && !signs {
                return Ok(SignatureResult::RotatedSecret);
            }
            return Ok(SignatureResult::Valid {
                by_previous_secret,
                line_breaks_changed: place > 0,
                too_old: Some(now.since(timestamp)).filter(|it| *it > TOLERANCE),
                too_early: Some(timestamp.since(now)).filter(|it| *it > TOLERANCE),
            });
        }
    }

    let sequence = named.as_ref().and_then(|it| it.get("sequence")?.as_i64());
    let of = named.as_ref().and_then(|it| it.get("organization_id")?.as_str()?.parse().ok());
    let Some((of, sequence)) = of.zip(sequence) else {
        return Ok(SignatureResult::OtherSecret);
    };
    let owner_reads = deps.db.reads_of(owner, seen);
    let found = owner_reads.delivery_of_event(endpoint.id, of, sequence).await?;
    let Some((delivery, event, attempts)) = found else {
        return Ok(SignatureResult::OtherSecret);
    };
    let sent_id = delivery.event_id.to_string();
    let sent = event.and_then(|it| Envelope::from(it).body().ok()).unwrap_or_default();
    let made_now = secrets
        .into_iter()
        .flatten()
        .any(|(secret, _)| secret.verifies(&sent_id, timestamp, sent.as_bytes(), signatures));
    if made_now && sent_id != id {
        return Ok(SignatureResult::OtherId(sent_id));
    }
    if made_now {
        return Ok(SignatureResult::ChangedBody(first_difference(&sent, received.body)));
    }
    let same = attempts
        .iter()
        .find(|it| Signatures::parse(&it.signature).is_ok_and(|sent| sent.has_any_of(signatures)));
    let seconds = |at: Timestamp| at.micros() / 1_000_000;
    Ok(match same.map(|it| seconds(it.at)) {
        Some(sent_at) if sent_at != seconds(timestamp) => SignatureResult::OtherTimestamp(sent_at),
        Some(_) => SignatureResult::RotatedSecret,
        None => SignatureResult::OtherSecret,
    })
}

/// Returns the possible originals of a pasted body: the body as it is, and with the line breaks
/// that browsers and editors add or change.
fn forms_of(body: &str) -> Vec<String> {
    let unix = body.replace("\r\n", "\n");
    let trimmed = unix.trim_end_matches('\n').to_owned();
    let mut forms = vec![body.to_owned(), unix, trimmed];
    forms.dedup();
    forms
}

/// Returns the number of the first character, counted from 1, in which two texts differ.
fn first_difference(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_of_a_pasted_body_are_tried_in_several_forms() {
        assert_eq!(forms_of("{}"), ["{}"]);
        assert_eq!(forms_of("{}\r\n"), ["{}\r\n", "{}\n", "{}"]);
    }

    #[test]
    fn the_first_difference_is_counted_from_one() {
        assert_eq!(first_difference("{\"a\":1}", "{\"a\": 1}"), 6);
        assert_eq!(first_difference("", "x"), 1);
    }
}
