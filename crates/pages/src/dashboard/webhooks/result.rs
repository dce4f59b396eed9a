//! The notice about a test or a resent delivery. The notice shows the endpoint's response if it
//! arrives soon.

use crate::browser::{PageError, sentence};
use crate::dashboard::notice::Notice;
use domain::id::DeliveryId;
use domain::webhook::EndpointState;
use persistence::records::{Attempt, Endpoint};
use service::endpoints::Endpoints;

/// Returns the notice about a delivery that a member sent or resent.
pub async fn result_of(
    endpoints: &Endpoints<'_>,
    endpoint: &Endpoint,
    delivery: DeliveryId,
    earlier_attempts: usize,
    title: &str,
) -> Result<Notice, PageError> {
    if endpoint.state == EndpointState::Disabled {
        let sentence = "The endpoint is disabled. This is sent when you enable the endpoint.";
        return Ok(Notice::saying(title, sentence));
    }
    let attempt = endpoints.next_attempt(endpoint.id, delivery, earlier_attempts).await?;
    let sentence = attempt.map_or_else(
        || "There is no answer yet. Reload the page in a moment.".to_owned(),
        |attempt| told(&attempt),
    );
    Ok(Notice::saying(title, sentence))
}

fn told(attempt: &Attempt) -> String {
    let took = took(attempt.took_ms);
    match (attempt.status, &attempt.error) {
        (Some(status), _) => format!("The endpoint answered {status} in {took}."),
        (None, Some(error)) => sentence(error),
        (None, None) => "The endpoint did not answer.".to_owned(),
    }
}

/// Formats the duration of an attempt.
pub fn took(millis: i32) -> String {
    match millis {
        0 => "less than 1 ms".to_owned(),
        1..1000 => format!("{millis} ms"),
        _ => format!("{}.{} s", millis / 1000, millis % 1000 / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_short() {
        let written = [0, 9, 999, 1000, 1250, 15_090].map(took);
        assert_eq!(written, ["less than 1 ms", "9 ms", "999 ms", "1.0 s", "1.2 s", "15.0 s"]);
    }
}
