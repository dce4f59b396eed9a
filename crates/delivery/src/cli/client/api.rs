//! A client of the REST API.

use anyhow::{Context as _, Result, ensure};
use auth::webhook::WebhookSecret;
use bytes::Bytes;
use domain::time::{Timestamp, seconds_in_words};
use platform::error_chain::cause_in_words;
use platform::outbound;
use reqwest::header::{CONTENT_TYPE, DATE, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, Response, Url};
use serde::Deserialize;
use serde_json::Value;
use std::fmt;
use std::time::{Duration, SystemTime};

/// Time limit for an answer of the server.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The wait after a 429 that does not say how long to wait.
const THROTTLED_WAIT: Duration = Duration::from_secs(1);

/// A client of a server's REST API, with the credentials of a key.
pub struct ApiClient {
    http: reqwest::Client,
    base: String,
    client_id: String,
    client_secret: String,
}

/// A successful response.
pub struct ApiAnswer {
    pub body: Bytes,
    /// The time of the server's clock when it responded.
    pub at: Option<Timestamp>,
}

/// The reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error(
        "{base} cannot be reached: {reason}. Check that the server runs, and that --url is right"
    )]
    Unreachable { base: String, reason: String },
    #[error("{0}")]
    Refused(ApiRefusal),
    #[error(
        "{base} answered {status}, but not like a Switchboard server. Check that --url is its base URL"
    )]
    Foreign { base: String, status: u16 },
}

/// An error response of the API.
#[derive(Debug)]
pub struct ApiRefusal {
    status: u16,
    code: String,
    sentence: String,
    /// The details of the response, unchanged.
    details: Value,
    /// The faults of the fields of a request.
    faults: Vec<String>,
    retry_after: Option<u64>,
}

#[derive(Deserialize)]
struct ErrorBody {
    error: String,
    code: String,
    #[serde(default)]
    details: Value,
}

#[derive(Deserialize)]
struct FieldFault {
    field: String,
    message: String,
}

impl ApiClient {
    pub fn new(url: &str, client_id: String, client_secret: String) -> Result<Self> {
        let base = web_address(url).with_context(|| format!("--url {url:?} cannot be used"))?;
        ensure!(
            base.path() == "/" && base.query().is_none() && base.fragment().is_none(),
            "--url {url:?} cannot be used: the URL of a server has no path, such as http://localhost:8080"
        );
        let http = outbound::unguarded(&base)?;
        let http = http.connect_timeout(CONNECT_TIMEOUT).timeout(ANSWER_TIMEOUT).build()?;
        let base = base.as_str().trim_end_matches('/').to_owned();
        Ok(Self { http, base, client_id, client_secret })
    }

    /// Returns the URL of the server.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the secret with which `listen` signs. It belongs to the key.
    pub fn signing_secret(&self) -> WebhookSecret {
        WebhookSecret::of_listening_key(&self.client_secret)
    }

    pub async fn get(&self, path: &str, query: &[(&str, String)]) -> Result<ApiAnswer, CallError> {
        let query = if query.is_empty() {
            String::new()
        } else {
            #[expect(clippy::disallowed_methods, reason = "names and texts can always be encoded")]
            let encoded = serde_urlencoded::to_string(query).unwrap_or_default();
            format!("?{encoded}")
        };
        self.call(self.request(Method::GET, &format!("{path}{query}"))).await
    }

    /// Posts a body. Posting it again with the same idempotency key has no further effect.
    pub async fn post(
        &self,
        path: &str,
        body: &Value,
        idempotency_key: &str,
    ) -> Result<ApiAnswer, CallError> {
        let request = self.request(Method::POST, path);
        let request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        self.call(request.header("Idempotency-Key", idempotency_key)).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        request
            .header("x-client-id", &self.client_id)
            .header("x-client-secret", &self.client_secret)
    }

    async fn call(&self, request: RequestBuilder) -> Result<ApiAnswer, CallError> {
        let unreachable = |error: reqwest::Error| CallError::Unreachable {
            base: self.base.clone(),
            reason: cause_in_words(&error.without_url()),
        };
        let response = request.send().await.map_err(unreachable)?;
        let (status, at) = (response.status(), server_time(&response));
        let retry_after = response.headers().get(RETRY_AFTER);
        let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
        let body = response.bytes().await.map_err(unreachable)?;
        if status.is_success() {
            return Ok(ApiAnswer { body, at });
        }
        let status = status.as_u16();
        Err(match serde_json::from_slice::<ErrorBody>(&body) {
            Ok(error) => CallError::Refused(ApiRefusal::new(status, error, retry_after)),
            Err(_) => CallError::Foreign { base: self.base.clone(), status },
        })
    }
}

impl ApiAnswer {
    pub fn parse<'a, T: Deserialize<'a>>(&'a self) -> Result<T> {
        serde_json::from_slice(&self.body).context("the server's answer cannot be read")
    }
}

impl CallError {
    /// Returns how long to wait before another attempt, if the same call may succeed later.
    pub fn retry_after(&self, usual: Duration) -> Option<Duration> {
        match self {
            Self::Unreachable { .. } => Some(usual),
            Self::Refused(refusal) if refusal.status == 429 => {
                Some(refusal.retry_after.map_or(THROTTLED_WAIT, Duration::from_secs))
            }
            Self::Refused(ApiRefusal { status, .. }) | Self::Foreign { status, .. } => {
                (*status >= 500).then_some(usual)
            }
        }
    }

    /// Whether the key has reached its rate limit.
    pub fn is_throttled(&self) -> bool {
        matches!(self, Self::Refused(refusal) if refusal.status == 429)
    }
}

impl ApiRefusal {
    fn new(status: u16, error: ErrorBody, retry_after: Option<u64>) -> Self {
        let faults = error.details.as_array().into_iter().flatten();
        let faults = faults.filter_map(|fault| FieldFault::deserialize(fault).ok());
        let faults = faults.map(|FieldFault { field, message }| format!("{field}: {message}"));
        let faults = faults.collect();
        let ErrorBody { error: sentence, code, details } = error;
        Self { status, code, sentence, details, faults, retry_after }
    }

    pub const fn status(&self) -> u16 {
        self.status
    }

    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the details, if the server gave any.
    pub fn details(&self) -> Option<&Value> {
        Some(&self.details).filter(|details| !details.is_null())
    }

    /// Returns a sentence that says what to do.
    pub fn hint(&self) -> String {
        match (self.status, self.retry_after) {
            (401, _) => "Check --client-id and --client-secret, and that the key is not disabled."
                .to_owned(),
            (403, _) => "Give the key what it lacks, or use another key.".to_owned(),
            (429, Some(seconds)) => format!("Try again after {}.", seconds_in_words(seconds)),
            (status, _) if status >= 500 => {
                "Try again. The log of the server says more.".to_owned()
            }
            _ => "Correct what the message names.".to_owned(),
        }
    }
}

impl fmt::Display for ApiRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, code, sentence, faults, .. } = self;
        write!(out, "{} ({status} {code})", sentence.trim_end_matches('.'))?;
        // A single fault is already the sentence above.
        for fault in faults.iter().filter(|_| faults.len() > 1) {
            write!(out, "\n  {fault}")?;
        }
        if *status == 401 {
            write!(
                out,
                ". Check --client-id and --client-secret, and that the key is not disabled"
            )?;
        }
        Ok(())
    }
}

/// Parses an http or https URL.
pub fn web_address(text: &str) -> Result<Url> {
    let url =
        Url::parse(text).context("it is not a URL; write it like http://localhost:3000/path")?;
    ensure!(
        matches!(url.scheme(), "http" | "https") && url.has_host(),
        "it must begin with http:// or https://"
    );
    Ok(url)
}

fn server_time(response: &Response) -> Option<Timestamp> {
    let text = response.headers().get(DATE)?.to_str().ok()?;
    let date: actix_web::http::header::HttpDate = text.parse().ok()?;
    let since = SystemTime::from(date).duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Timestamp::from_seconds(since.as_secs().cast_signed()))
}
