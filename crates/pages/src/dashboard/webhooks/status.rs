//! The status of a delivery in words.

use crate::browser::{ObjectState, StateLabel};
use domain::webhook::{DeliveryStatus, EndpointState};
use persistence::records::Delivery;

/// The status of a delivery, for a row and for the page of the delivery.
pub struct DeliveryLabel {
    /// State and answer: `Retrying · 503`.
    pub short: StateLabel,
    /// State, answer and attempts: `Retrying · 503 · 2 attempts`.
    pub long: StateLabel,
    /// The number of attempts so far.
    pub attempts: String,
}

impl DeliveryLabel {
    /// Returns the status of a delivery. `answer` is the response status of the last attempt.
    pub fn of(delivery: &Delivery, answer: Option<i32>, endpoint: EndpointState) -> Self {
        let made = *delivery.attempts;
        let answer = answer.map_or_else(|| "no answer".to_owned(), |it| it.to_string());
        let tried = match made {
            1 => "1 attempt".to_owned(),
            _ => format!("{made} attempts"),
        };
        let status = DeliveryStatus::from_state(delivery.state, *delivery.failures);
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
                let long = format!("{short} · {tried}");
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
        Self { short: state.saying(short), long: state.saying(long), attempts: made.to_string() }
    }
}
