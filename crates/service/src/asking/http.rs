//! Requests to the servers of agents.

use futures_util::StreamExt as _;
use platform::error_chain::cause_in_words;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{RequestBuilder, StatusCode};
use serde_json::Value;
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
    let response = request.send().await.map_err(|error| cause_in_words(&error.without_url()))?;
    let status = response.status();
    let retry_after = retry_after(response.headers());
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk.map_err(|error| cause_in_words(&error.without_url()))?);
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
        let status = self.status.as_u16();
        let text = error_message(&self.body)
            .unwrap_or_else(|| String::from_utf8_lossy(&self.body).into_owned());
        let text: String = text.chars().filter(|it| !it.is_control()).collect();
        if text.is_empty() {
            return format!("the server answered {status}");
        }
        let quoted: String = text.chars().take(MAX_QUOTED).collect();
        let rest = if quoted.len() < text.len() { "…" } else { "" };
        format!("the server answered {status}: {quoted}{rest}")
    }
}

/// Returns the message of a JSON error: OpenAI's `{"error": {"message": …}}`, and the forms of
/// other servers.
fn error_message(body: &[u8]) -> Option<String> {
    let error: Value = serde_json::from_slice(body).ok()?;
    let places = ["/error/message", "/error", "/message", "/detail"];
    places.iter().find_map(|it| error.pointer(it)?.as_str()).map(str::to_owned)
}

/// Returns the wait in whole seconds. A date is ignored: the clocks may differ.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(body: &str) -> String {
        let (status, body) = (StatusCode::BAD_REQUEST, body.as_bytes().to_vec());
        HttpAnswer { status, body, is_cut: false, retry_after: None }.describe()
    }

    #[test]
    fn an_error_is_described_by_its_message() {
        let openai = r#"{"error": {"message": "no such model", "type": "invalid_request_error"}}"#;
        assert_eq!(described(openai), "the server answered 400: no such model");
        let ollama = r#"{"error": "no such model"}"#;
        assert_eq!(described(ollama), "the server answered 400: no such model");
        assert_eq!(described("overloaded\n"), "the server answered 400: overloaded");
        assert_eq!(described(r#"{"code": 7}"#), r#"the server answered 400: {"code": 7}"#);
        assert_eq!(described(""), "the server answered 400");
    }

    #[test]
    fn a_long_error_is_cut() {
        let long = "é".repeat(MAX_QUOTED + 1);
        let quoted = "é".repeat(MAX_QUOTED);
        assert_eq!(described(&long), format!("the server answered 400: {quoted}…"));
        assert_eq!(described(&quoted), format!("the server answered 400: {quoted}"));
    }
}
