//! Posts events to the receiver, signed as webhooks are.

use crate::cli::client::api::web_address;
use anyhow::{Context as _, Result};
use auth::webhook::{WebhookSecret, sign};
use domain::time::seconds_in_words;
use platform::clock::{Clock, Stopwatch};
use platform::error_chain::cause_in_words;
use platform::outbound;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Url};
use std::time::Duration;

/// The receiver of events.
pub struct Forwarder {
    http: Client,
    url: Url,
    secret: WebhookSecret,
    timeout: Duration,
}

/// The response of the receiver.
pub struct Forwarded {
    pub outcome: ForwardOutcome,
    pub took: Duration,
}

/// The outcome of posting an event.
pub enum ForwardOutcome {
    /// The status of the response.
    Answered(u16),
    /// The reason why there is no response.
    Failed(String),
}

impl Forwarder {
    pub fn new(url: &str, secret: WebhookSecret, timeout: Duration) -> Result<Self> {
        let url =
            web_address(url).with_context(|| format!("--forward-to {url:?} cannot be used"))?;
        let http = outbound::unguarded(&url)?.timeout(timeout).build()?;
        Ok(Self { http, url, secret, timeout })
    }

    /// Posts an event once, even if the receiver fails.
    pub async fn post(&self, id: &str, body: &str, clock: &Clock) -> Forwarded {
        let watch = Stopwatch::start();
        // The receiver compares this time with its own clock.
        let proof = sign([&self.secret], id, clock.wall(), body.as_bytes());
        let request = self.http.post(self.url.clone());
        let request = request
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", proof.timestamp)
            .header("webhook-signature", proof.signature)
            .body(body.to_owned());
        let outcome = match request.send().await {
            Ok(response) => ForwardOutcome::Answered(response.status().as_u16()),
            Err(error) if error.is_timeout() => ForwardOutcome::Failed(format!(
                "no answer within {}",
                seconds_in_words(self.timeout.as_secs())
            )),
            Err(error) => ForwardOutcome::Failed(cause_in_words(&error.without_url())),
        };
        Forwarded { outcome, took: watch.elapsed() }
    }
}
