//! Requests to the servers of agents.

use futures_util::StreamExt as _;
use platform::error_chain::chain;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{RequestBuilder, StatusCode};
use std::time::Duration;

/// Maximum number of characters of an answer that a failure quotes.
const MAX_QUOTED: usize = 200;

/// An answer of an agent's server.
#[derive(Debug)]
pub struct HttpAnswer {
    pub status: StatusCode,
    pub body: Vec<u8>,
    /// Whether the body was longer than the limit and was cut.
    pub is_cut: bool,
    /// The wait that the server asked for.
    pub retry_after: Option<Duration>,
}

/// Sends a request and reads at most `most` bytes of the answer. The error is a description of the
/// failure.
pub async fn send(request: RequestBuilder, most: usize) -> Result<HttpAnswer, String> {
    let response = request.send().await.map_err(|error| chain(&error.without_url()))?;
    let status = response.status();
    let retry_after = retry_after(response.headers());
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk.map_err(|error| chain(&error.without_url()))?);
        if body.len() > most {
            body.truncate(most);
            return Ok(HttpAnswer { status, body, is_cut: true, retry_after });
        }
    }
    Ok(HttpAnswer { status, body, is_cut: false, retry_after })
}

impl HttpAnswer {
    /// Returns the body, or an error if it was too long.
    pub fn whole_body(&self) -> Result<&[u8], String> {
        if self.is_cut {
            return Err(format!("the answer has more than {} bytes", self.body.len()));
        }
        Ok(&self.body)
    }

    /// Describes an answer that is an error or cannot be used.
    #[must_use]
    pub fn describe(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        let text: String = text.chars().filter(|it| !it.is_control()).take(MAX_QUOTED).collect();
        if text.is_empty() {
            format!("HTTP {}", self.status.as_u16())
        } else {
            format!("HTTP {}: {text}", self.status.as_u16())
        }
    }
}

/// Returns the wait in whole seconds. A date is ignored: the clocks may differ.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
