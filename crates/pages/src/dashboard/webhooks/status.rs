//! The status of a delivery in words.

use crate::browser::{ObjectState, StateLabel};
use domain::webhook::{DeliveryStatus, EndpointState, MAX_ATTEMPTS};
use persistence::records::Delivery;

/// The status of a delivery, for a row and for the page of the delivery.
pub struct DeliveryLabel {
    /// State and answer: `Retrying · 503`.
    pub short: StateLabel,
    /// State, answer and attempts: `Retrying · 503 · attempt 2 of 10`.
    pub long: StateLabel,
    /// The attempts: `2 of 10`.
    pub attempts: String,
}

impl DeliveryLabel {
    /// Returns the status of a delivery. `answer` is the response status of the last attempt.
    pub fn of(delivery: &Delivery, answer: Option<i32>, endpoint: EndpointState) -> Self {
        let failures = *delivery.failures;
        let answer = answer.map_or_else(|| "no answer".to_owned(), |it| it.to_string());
        let tried = match failures {
            1 => "1 attempt".to_owned(),
            _ => format!("{failures} attempts"),
        };
        let status = DeliveryStatus::from_state(delivery.state, failures);
        let paused = endpoint == EndpointState::Disabled;
        let (state, short, long) = match status {
            DeliveryStatus::Pending if paused => {
                (ObjectState::Paused, "Paused".to_owned(), "Paused".to_owned())
            }
            DeliveryStatus::Retrying if paused => {
                let short = format!("Paused · {answer}");
                let long = format!("{short} · {tried}");
                (ObjectState::Paused, short, long)
            }
            DeliveryStatus::Pending => {
                (ObjectState::Queued, "Pending".to_owned(), "Pending".to_owned())
            }
            DeliveryStatus::Retrying => {
                let short = format!("Retrying · {answer}");
                let long = format!("{short} · attempt {failures} of {MAX_ATTEMPTS}");
                (ObjectState::Retrying, short, long)
            }
            DeliveryStatus::Failed => {
                let short = format!("Failed · {answer}");
                let long = format!("{short} · {tried}");
                (ObjectState::Failed, short, long)
            }
            DeliveryStatus::Succeeded => {
                let text = format!("Delivered · {answer}");
                (ObjectState::Delivered, text.clone(), text)
            }
        };
        let attempts = match status {
            DeliveryStatus::Retrying => format!("{failures} of {MAX_ATTEMPTS}"),
            _ => delivery.attempts.to_string(),
        };
        Self { short: state.saying(short), long: state.saying(long), attempts }
    }
}
