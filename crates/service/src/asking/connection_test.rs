//! The connection test: finds out what the server of an agent can do, and describes the results in
//! words.

use super::http::{HttpAnswer, send};
use super::model::{AskFailure, client, content, read};
use super::transcription::transcribe;
use super::{AskingDeps, MAX_ANSWER_BYTES};
use auth::webhook::{WebhookSecret, sign};
use domain::agent::{AgentConnection, AgentSettings, ModelConnection};
use domain::id::{AiAgentId, Id, OrganizationId, TurnId};
use domain::number::saturating;
use domain::time::seconds_in_words;
use platform::clock::Stopwatch;
use platform::outbound::AllowSetting;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::time::Duration;

/// Time limit for each request of the test.
const CHECK_TIMEOUT: Duration = Duration::from_secs(20);
/// A red square, as a data URI.
const RED_SQUARE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==";
/// The type of the request to a webhook.
const TEST_TYPE: &str = "agent.test";

/// Titles of the checks whose outcome may be [`CheckOutcome::Missing`].
const USES_TOOLS: &str = "Uses tools";
const SEES_IMAGES: &str = "Sees images";

/// How a check of the connection test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    Works,
    /// The server answers, but does not have this capability.
    Missing,
    Failed,
}

impl CheckOutcome {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Missing => "missing",
            Self::Failed => "failed",
        }
    }
}

/// A check of the connection test.
#[derive(Clone, Debug)]
pub struct ConnectionCheck {
    pub title: &'static str,
    pub outcome: CheckOutcome,
    /// A description of what happened.
    pub detail: String,
    pub took_ms: u64,
}

impl ConnectionCheck {
    /// Returns what the check found, in words.
    #[must_use]
    pub fn finding(&self) -> String {
        match (self.outcome, self.title) {
            (CheckOutcome::Works, title) => title.to_owned(),
            (CheckOutcome::Missing, USES_TOOLS) => "Does not use tools".to_owned(),
            (CheckOutcome::Missing, SEES_IMAGES) => "Does not see images".to_owned(),
            (CheckOutcome::Missing, title) => format!("Not found: {title}"),
            (CheckOutcome::Failed, title) => format!("Failed: {title}"),
        }
    }
}

/// The result of a connection test.
#[derive(Clone, Debug, Default)]
pub struct ConnectionReport {
    pub checks: Vec<ConnectionCheck>,
}

impl ConnectionReport {
    /// Whether the first check passed, so that the agent can be asked.
    #[must_use]
    pub fn works(&self) -> bool {
        self.checks.first().is_some_and(|it| it.outcome == CheckOutcome::Works)
    }
}

/// The agent whose server is tested.
#[derive(Clone, Debug)]
pub struct TestedAgent<'a> {
    pub organization: OrganizationId,
    pub id: AiAgentId,
    pub settings: &'a AgentSettings,
    /// The key of a model's server, or the signing secret of a webhook.
    pub secret: Option<String>,
}

/// Tests the server of an agent. Nothing is sent to customers.
pub async fn test_connection(deps: AskingDeps<'_>, agent: &TestedAgent<'_>) -> ConnectionReport {
    let checks = match &agent.settings.connection {
        AgentConnection::Model(connection) => test_model(deps, agent, connection).await,
        AgentConnection::Webhook { url } => vec![test_webhook(deps, agent, url).await],
        AgentConnection::Api => vec![ConnectionCheck {
            title: "Is not asked",
            outcome: CheckOutcome::Works,
            detail: "Your program reads events and answers over the API.".to_owned(),
            took_ms: 0,
        }],
    };
    ConnectionReport { checks }
}

async fn test_model(
    deps: AskingDeps<'_>,
    agent: &TestedAgent<'_>,
    connection: &ModelConnection,
) -> Vec<ConnectionCheck> {
    let key = agent.secret.as_deref();
    let tester = Tester { deps, connection, key };
    let mut checks = vec![tester.answers("Answers", &connection.model).await];
    if checks.first().is_none_or(|it| it.outcome != CheckOutcome::Works) {
        return checks;
    }
    if let Some(fallback) = &connection.fallback_model {
        checks.push(tester.answers("Second model answers", fallback).await);
    }
    checks.push(tester.uses_tools().await);
    checks.push(tester.sees_images().await);
    if let Some(model) = &connection.transcription_model {
        checks.push(tester.transcribes(model).await);
    }
    checks
}

struct Tester<'a> {
    deps: AskingDeps<'a>,
    connection: &'a ModelConnection,
    key: Option<&'a str>,
}

impl Tester<'_> {
    async fn answers(&self, title: &'static str, model: &str) -> ConnectionCheck {
        let messages = json!([{"role": "user", "content": "Answer with the word ready."}]);
        let (answer, took_ms) = self.ask(&json!({"model": model, "messages": messages})).await;
        let (outcome, detail) = match answer {
            Ok(answer) if answer.pointer("/choices/0/message").is_some_and(Value::is_object) => {
                let count = |name: &str| answer.pointer(name).and_then(Value::as_u64);
                // A price needs both counts.
                let input = count("/usage/prompt_tokens");
                let counts = match input.and(count("/usage/completion_tokens")) {
                    Some(_) => "and counts its tokens",
                    None => "and does not count its tokens, so its cost is unpriced",
                };
                (CheckOutcome::Works, format!("in {}, {counts}", time_in_words(took_ms)))
            }
            Ok(_) => (CheckOutcome::Failed, "the answer has no choices[0].message".to_owned()),
            Err(failure) => (CheckOutcome::Failed, in_words(&failure, &self.connection.base_url)),
        };
        ConnectionCheck { title, outcome, detail, took_ms }
    }

    async fn uses_tools(&self) -> ConnectionCheck {
        let tool = json!({"type": "function", "function": {
            "name": "report_ready",
            "description": "Report that you are ready.",
            "parameters": {"type": "object", "properties": {}},
        }});
        let messages = json!([{"role": "user", "content": "Call the tool report_ready now."}]);
        let request =
            json!({"model": self.connection.model, "messages": messages, "tools": [tool]});
        let (answer, took_ms) = self.ask(&request).await;
        let called = |answer: &Value| {
            let name = answer.pointer("/choices/0/message/tool_calls/0/function/name");
            name.and_then(Value::as_str) == Some("report_ready")
        };
        let (outcome, detail) = match answer {
            Ok(answer) if called(&answer) => {
                (CheckOutcome::Works, "hands over, looks up facts, stays silent".to_owned())
            }
            Ok(_) => (
                CheckOutcome::Missing,
                "it did not call a tool; it can only answer or stay silent".to_owned(),
            ),
            Err(failure) => (
                CheckOutcome::Missing,
                format!(
                    "a request with tools fails, so switch “Uses tools” off: {}",
                    in_words(&failure, &self.connection.base_url)
                ),
            ),
        };
        ConnectionCheck { title: USES_TOOLS, outcome, detail, took_ms }
    }

    async fn sees_images(&self) -> ConnectionCheck {
        let question = json!([
            {"type": "text", "text": "Which color is this picture? Answer with one English word."},
            {"type": "image_url", "image_url": {"url": RED_SQUARE}},
        ]);
        let messages = json!([{"role": "user", "content": question}]);
        let request = json!({"model": self.connection.model, "messages": messages});
        let (answer, took_ms) = self.ask(&request).await;
        let message = answer.ok().and_then(|it| it.pointer("/choices/0/message").cloned());
        let text = content(message.as_ref().and_then(|it| it.get("content"))).to_lowercase();
        let mut words = text.split(|it: char| !it.is_alphanumeric());
        let (outcome, detail) = if words.any(|word| word == "red") {
            (CheckOutcome::Works, "it recognized a red picture")
        } else {
            (CheckOutcome::Missing, "photos reach it as a name in brackets")
        };
        let detail = detail.to_owned();
        ConnectionCheck { title: SEES_IMAGES, outcome, detail, took_ms }
    }

    async fn transcribes(&self, model: &str) -> ConnectionCheck {
        let (watch, file) = (Stopwatch::start(), silence());
        let heard = transcribe(
            self.deps,
            self.connection,
            self.key,
            model,
            "silence.wav",
            "audio/wav",
            &file,
        );
        let heard = match tokio::time::timeout(CHECK_TIMEOUT, heard).await {
            Ok(heard) => heard,
            Err(_) => Err(AskFailure::new(late())),
        };
        let took_ms = saturating(watch.elapsed().as_millis(), u64::MAX);
        let (outcome, detail) = match heard {
            Ok(_) => (CheckOutcome::Works, format!("in {}", time_in_words(took_ms))),
            Err(failure) => (CheckOutcome::Failed, in_words(&failure, &self.connection.base_url)),
        };
        ConnectionCheck { title: "Transcribes voice messages", outcome, detail, took_ms }
    }

    async fn ask(&self, request: &Value) -> (Result<Value, AskFailure>, u64) {
        let watch = Stopwatch::start();
        let answer = match tokio::time::timeout(CHECK_TIMEOUT, self.post(request)).await {
            Ok(answer) => answer,
            Err(_) => Err(AskFailure::new(late())),
        };
        (answer, saturating(watch.elapsed().as_millis(), u64::MAX))
    }

    async fn post(&self, request: &Value) -> Result<Value, AskFailure> {
        let url = format!("{}/chat/completions", self.connection.base_url);
        let client = client(self.deps, self.connection.is_trusted);
        let post = client.request(Method::POST, &url);
        let post = post.map_err(|error| AskFailure::new(error.to_string()))?;
        let post = post.header(CONTENT_TYPE, "application/json").body(request.to_string());
        let post = match self.key {
            Some(key) => post.bearer_auth(key),
            None => post,
        };
        read(&send(post, MAX_ANSWER_BYTES).await.map_err(AskFailure::new)?)
    }
}

fn late() -> String {
    format!("no answer within {}", seconds_in_words(CHECK_TIMEOUT.as_secs()))
}

/// Returns half a second of silence as a WAV file.
fn silence() -> Vec<u8> {
    /// One channel of 16 bits with 16,000 samples a second.
    const DATA: u32 = 16_000;
    let mut file = Vec::new();
    file.extend(b"RIFF");
    file.extend((DATA + 36).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16_u32.to_le_bytes());
    // PCM with one channel.
    file.extend(1_u16.to_le_bytes());
    file.extend(1_u16.to_le_bytes());
    file.extend(16_000_u32.to_le_bytes());
    file.extend(32_000_u32.to_le_bytes());
    file.extend(2_u16.to_le_bytes());
    file.extend(16_u16.to_le_bytes());
    file.extend(b"data");
    file.extend(DATA.to_le_bytes());
    file.resize(44 + 16_000, 0);
    file
}

/// Explains a failure in words, with advice.
fn in_words(failure: &AskFailure, base_url: &str) -> String {
    let reason = &failure.reason;
    if reason.contains("public internet") {
        // The reason contains the address.
        let address = reason.split_whitespace().find_map(|word| word.parse::<IpAddr>().ok());
        let advice = address.map(|it| AllowSetting::Agent.advice(it));
        return format!("{} ({reason})", advice.unwrap_or_default());
    }
    let advice = match failure.status.map(|it| it.as_u16()) {
        Some(401 | 403) => "The server rejects the key. Enter it again.",
        Some(404) => {
            "The server does not know this address or this model. The address ends before \
             /chat/completions, often with /v1."
        }
        Some(429) => "The server limits how often it is asked, or its credit is used up.",
        Some(500..) => "The server has a problem of its own.",
        Some(_) => return reason.clone(),
        None if reason.contains("is not JSON") => {
            "Something else answers at this address, perhaps a web page."
        }
        None => return format!("{reason}. The server URL is {base_url}"),
    };
    format!("{advice} ({reason})")
}

/// Returns a duration in milliseconds in words.
fn time_in_words(ms: u64) -> String {
    if ms < 1000 { format!("{ms} ms") } else { format!("{}.{} s", ms / 1000, ms % 1000 / 100) }
}

/// Posts a signed request that a webhook answers with any 2xx.
async fn test_webhook(deps: AskingDeps<'_>, agent: &TestedAgent<'_>, url: &str) -> ConnectionCheck {
    let watch = Stopwatch::start();
    let answer = tokio::time::timeout(CHECK_TIMEOUT, post_test(deps, agent, url)).await;
    let took_ms = saturating(watch.elapsed().as_millis(), u64::MAX);
    let (outcome, detail) = match answer {
        Err(_) => (CheckOutcome::Failed, late()),
        Ok(Err(reason)) => (CheckOutcome::Failed, reason),
        Ok(Ok(answer)) if answer.status.is_success() => (
            CheckOutcome::Works,
            format!("with HTTP {} in {}", answer.status.as_u16(), time_in_words(took_ms)),
        ),
        Ok(Ok(answer)) if answer.status == StatusCode::UNAUTHORIZED => {
            let detail = format!("{}: it may have another signing secret", answer.describe());
            (CheckOutcome::Failed, detail)
        }
        Ok(Ok(answer)) => (CheckOutcome::Failed, answer.describe()),
    };
    ConnectionCheck { title: "Answers", outcome, detail, took_ms }
}

async fn post_test(
    deps: AskingDeps<'_>,
    agent: &TestedAgent<'_>,
    url: &str,
) -> Result<HttpAnswer, String> {
    let secret = agent.secret.as_deref().and_then(|text| WebhookSecret::parse(text).ok());
    let secret = secret.ok_or("the signing secret of the agent cannot be read")?;
    let now = deps.clock.wall();
    let id: TurnId = Id::new(now, [0; 10]);
    let body = json!({
        "id": id.to_string(),
        "type": TEST_TYPE,
        "timestamp": now.to_string(),
        "organization_id": agent.organization.to_string(),
        "data": {"agent_id": agent.id.to_string()},
    });
    let body = body.to_string();
    let request = deps.outbound.guarded.request(Method::POST, url);
    let request = request.map_err(|why| why.to_string())?;
    let proof = sign(&[secret], &id.to_string(), now, body.as_bytes());
    let request = request
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", id.to_string())
        .header("webhook-timestamp", &proof.timestamp)
        .header("webhook-signature", &proof.signature)
        .body(body);
    send(request, MAX_ANSWER_BYTES).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_said_in_words() {
        let url = "https://llm.example/v1";
        let answered = |status, body: &str| {
            let body = body.as_bytes().to_vec();
            let answer = HttpAnswer { status, body, is_cut: false, retry_after: None };
            in_words(&AskFailure::refused(&answer), url)
        };
        let rejected = answered(StatusCode::UNAUTHORIZED, "bad key");
        assert!(rejected.starts_with("The server rejects the key."), "{rejected}");
        assert!(rejected.contains("bad key"), "{rejected}");
        assert!(answered(StatusCode::NOT_FOUND, "").contains("/chat/completions"));
        let unknown = r#"{"error": {"message": "no such model"}}"#;
        assert_eq!(
            answered(StatusCode::BAD_REQUEST, unknown),
            "the server answered 400: no such model"
        );
        let words = |reason: &str| in_words(&AskFailure::new(reason), url);
        assert!(words("the answer is not JSON: x").contains("web page"));
        let private = words("127.0.0.1 is not an address of the public internet");
        assert!(private.contains("--agent-allow 127.0.0.0/8,::1/128"), "{private}");
        assert!(private.contains("SWITCHBOARD_AGENT_ALLOW"), "{private}");
        assert_eq!(
            words("nothing listens there"),
            "nothing listens there. The server URL is https://llm.example/v1"
        );
    }

    #[test]
    fn a_check_says_what_it_found() {
        let found = |title, outcome| {
            ConnectionCheck { title, outcome, detail: String::new(), took_ms: 0 }.finding()
        };
        assert_eq!(found(USES_TOOLS, CheckOutcome::Works), "Uses tools");
        assert_eq!(found(USES_TOOLS, CheckOutcome::Missing), "Does not use tools");
        assert_eq!(found(SEES_IMAGES, CheckOutcome::Missing), "Does not see images");
        assert_eq!(found("Answers", CheckOutcome::Failed), "Failed: Answers");
    }

    #[test]
    fn the_silence_is_a_wav_file() {
        let file = silence();
        assert_eq!(file.len(), 44 + 16_000);
        assert_eq!(&file[..4], b"RIFF");
    }
}
