//! The notice about a test or a resent delivery. The notice shows the endpoint's response if it
//! arrives soon.

use crate::browser::{PageError, sentence};
use crate::dashboard::notice::Notice;
use domain::id::DeliveryId;
use domain::webhook::EndpointState;
use http_layer::deps::ServerDeps;
use persistence::records::{Attempt, Endpoint, Owner};
use service::endpoints;

/// The titles of the notice about a delivery: after a success, after a failure, and before the
/// endpoint is called.
pub struct ResultTitles {
    pub succeeded: &'static str,
    pub failed: &'static str,
    pub waits: &'static str,
}

/// Returns the notice about a delivery that a member sent or resent.
pub async fn result_of(
    deps: &ServerDeps,
    owner: Owner,
    endpoint: &Endpoint,
    delivery: DeliveryId,
    earlier_attempts: usize,
    titles: &ResultTitles,
) -> Result<Notice, PageError> {
    if endpoint.state == EndpointState::Disabled {
        let sentence = "The endpoint is disabled. This is sent when you enable the endpoint.";
        return Ok(Notice::saying(titles.waits, sentence).warning());
    }
    let attempt =
        endpoints::next_attempt(deps, owner, endpoint.id, delivery, earlier_attempts).await?;
    Ok(match attempt {
        Some(attempt) if is_accepted(&attempt) => Notice::saying(titles.succeeded, told(&attempt)),
        Some(attempt) => Notice::saying(titles.failed, told(&attempt)).failure(),
        None => {
            let sentence = "There is no answer yet. Reload the page in a moment.";
            Notice::saying(titles.waits, sentence).warning()
        }
    })
}

/// Whether the endpoint answered an attempt with a 2xx.
pub fn is_accepted(attempt: &Attempt) -> bool {
    attempt.status.is_some_and(|status| (200..300).contains(&status))
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
