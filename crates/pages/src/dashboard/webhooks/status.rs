//! The badge with the status of a delivery.

use domain::webhook::{DeliveryStatus, EndpointState, MAX_ATTEMPTS};
use persistence::records::Delivery;

/// A badge: its text, and the CSS class for its color.
pub struct Status {
    pub class: &'static str,
    pub text: String,
}

impl Status {
    /// Returns the badge of a delivery. `answer` is the response status of the last attempt.
    pub fn of(delivery: &Delivery, answer: Option<i32>, endpoint: EndpointState) -> Self {
        let failures = *delivery.failures;
        let answer = answer.map_or_else(|| "no answer".to_owned(), |it| it.to_string());
        let (class, text) = match DeliveryStatus::from_state(delivery.state, failures) {
            DeliveryStatus::Pending | DeliveryStatus::Retrying
                if endpoint == EndpointState::Disabled =>
            {
                ("plain", paused(failures, &answer))
            }
            DeliveryStatus::Pending => ("warn", "Pending".to_owned()),
            DeliveryStatus::Retrying => {
                ("warn", format!("Retrying · {answer} · attempt {failures} of {MAX_ATTEMPTS}"))
            }
            DeliveryStatus::Failed if failures == 1 => {
                ("bad", format!("Failed · {answer} · 1 attempt"))
            }
            DeliveryStatus::Failed => ("bad", format!("Failed · {answer} · {failures} attempts")),
            DeliveryStatus::Succeeded => ("", "Succeeded".to_owned()),
        };
        Self { class, text }
    }
}

/// Returns the text for a delivery that waits until its endpoint is enabled.
fn paused(failures: u32, answer: &str) -> String {
    match failures {
        0 => "Paused".to_owned(),
        1 => format!("Paused · {answer} · 1 attempt"),
        _ => format!("Paused · {answer} · {failures} attempts"),
    }
}
