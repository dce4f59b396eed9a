//! The status of a delivery, as a badge.

use domain::webhook::{DeliveryStatus, MAX_ATTEMPTS};
use persistence::records::Delivery;

/// A badge: its words, and the class that colors it.
pub struct Status {
    pub class: &'static str,
    pub text: String,
}

impl Status {
    /// Of a delivery whose last attempt was answered so.
    pub fn of(delivery: &Delivery, answer: Option<i32>) -> Self {
        let failures = *delivery.failures;
        let answer = answer.map_or_else(|| "no answer".to_owned(), |it| it.to_string());
        let (class, text) = match DeliveryStatus::of(delivery.state, failures) {
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
