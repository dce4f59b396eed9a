//! Asks a language model behind an OpenAI-compatible server. Only `choices[0].message` of an answer
//! is required, because servers differ.

use super::http::{HttpAnswer, send};
use super::prompt::prompt;
use super::tools::{Ending, ending, name, offered, perform};
use super::{AskingDeps, MAX_ANSWER_BYTES, ModelQuestion};
use api_types::agent_turn::AgentAnswerBody;
use api_types::object::Object;
use api_types::send::SendMessageBody;
use domain::agent::{MAX_ANSWER_MESSAGES, MAX_CALLS_PER_ROUND, Spending, TokenPrices};
use domain::content::text::MAX_TEXT_LENGTH;
use domain::number::saturating;
use domain::time::seconds_in_words;
use persistence::content::turn_trace::{TraceMessage, TraceStep, TurnTrace};
use platform::clock::Stopwatch;
use platform::outbound::Guarded;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, StatusCode};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Maximum number of requests to a model in one turn. Each request after the first one follows a
/// call of a tool.
const MAX_ROUNDS: usize = 5;

/// The reason why an agent gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskFailure {
    pub reason: String,
    /// The status of the answer, if the server refused the request.
    pub status: Option<StatusCode>,
    /// The wait that the server asked for.
    pub wait: Option<Duration>,
    /// Whether the server refused the request, or the request was never sent.
    pub is_refusal: bool,
}

impl AskFailure {
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), status: None, wait: None, is_refusal: false }
    }

    /// Creates the failure of a request that the server refused with this answer.
    #[must_use]
    pub fn refused(answer: &HttpAnswer) -> Self {
        Self {
            reason: answer.describe(),
            status: Some(answer.status),
            wait: answer.retry_after,
            is_refusal: true,
        }
    }
}

/// The result of asking a model.
#[derive(Debug)]
pub struct ModelReply {
    pub answer: Result<AgentAnswerBody, AskFailure>,
    pub spending: Spending,
    pub trace: TurnTrace,
    pub took_ms: i32,
}

/// Asks a model. At the last attempt, asks the second model if the first one fails.
pub async fn ask_model(deps: AskingDeps<'_>, question: &ModelQuestion<'_>) -> ModelReply {
    let room = question.time_limit.saturating_sub(question.used);
    let mut asking = Asking {
        deps,
        question,
        watch: Stopwatch::start(),
        until: room,
        spending: Spending::default(),
        trace: question.trace.clone(),
    };
    let connection = question.connection;
    let fallback = connection.fallback_model.as_deref().filter(|_| question.is_last_attempt);
    if fallback.is_some() {
        // Half of the time is reserved for the second model.
        asking.until = room / 2;
    }
    let first = asking.converse(&connection.model, connection.prices).await;
    let answer = match (first, fallback) {
        (Err(_), Some(fallback)) => {
            asking.until = room;
            asking.converse(fallback, connection.fallback_prices).await
        }
        (first, _) => first,
    };
    ModelReply {
        answer,
        spending: asking.spending,
        trace: asking.trace,
        took_ms: saturating(asking.watch.elapsed().as_millis(), i32::MAX),
    }
}

/// A model that is being asked, and the cost so far.
struct Asking<'a> {
    deps: AskingDeps<'a>,
    question: &'a ModelQuestion<'a>,
    watch: Stopwatch,
    /// The time limit, counted from the start.
    until: Duration,
    spending: Spending,
    trace: TurnTrace,
}

impl Asking<'_> {
    fn room(&self) -> Duration {
        self.until.saturating_sub(self.watch.elapsed())
    }

    /// Asks a model until it answers or has used up its rounds.
    async fn converse(
        &mut self,
        model: &str,
        prices: Option<TokenPrices>,
    ) -> Result<AgentAnswerBody, AskFailure> {
        let tools = offered(self.question);
        let mut messages = prompt(self.question, self.deps.clock.wall());
        let mut traced = 0;
        let mut templates = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let fresh = messages.get(traced..).unwrap_or_default();
            let answer = self.complete(model, prices, &messages, fresh, &tools).await?;
            let message = answer.pointer("/choices/0/message").filter(|it| it.is_object());
            let Some(message) = message else {
                return Err(AskFailure::new("the answer has no choices[0].message"));
            };
            let calls = message.get("tool_calls").and_then(Value::as_array);
            let calls: Vec<Value> = calls
                .into_iter()
                .flatten()
                .enumerate()
                .map(|(at, it)| whole_call(at, it))
                .collect();
            if calls.is_empty() {
                return Ok(texts(templates, &content(message.get("content"))));
            }
            if let Some((call, ending)) = calls.iter().find_map(|it| Some((it, ending(it)?))) {
                self.trace_call(call, "The turn ends.", Duration::ZERO);
                return Ok(match ending {
                    Ending::HandOver(body) => body,
                    Ending::NoReply => texts(templates, ""),
                });
            }
            messages.push(json!({
                "role": "assistant",
                "content": message.get("content"),
                "tool_calls": calls,
            }));
            for (index, call) in calls.iter().enumerate() {
                let watch = Stopwatch::start();
                let result = if index < MAX_CALLS_PER_ROUND {
                    let room = self.room();
                    perform(self.deps, self.question, call, &mut templates, room).await
                } else {
                    "The tool was not used: there are too many calls at once.".to_owned()
                };
                self.trace_call(call, &result, watch.elapsed());
                messages.push(json!({
                    "role": "tool",
                    "tool_call_id": call.get("id"),
                    "content": result,
                }));
            }
            traced = messages.len();
        }
        let reason = format!("the model used tools {MAX_ROUNDS} times and did not answer");
        Err(AskFailure::new(reason))
    }

    fn trace_call(&mut self, call: &Value, result: &str, took: Duration) {
        let arguments = match call.pointer("/function/arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        self.trace.add(&TraceStep::Used {
            tool: name(call).to_owned(),
            arguments,
            result: result.to_owned(),
            took_ms: saturating(took.as_millis(), u64::MAX),
        });
    }

    /// Asks the server once, and records what was asked and what it cost.
    async fn complete(
        &mut self,
        model: &str,
        prices: Option<TokenPrices>,
        messages: &[Value],
        fresh: &[Value],
        tools: &[Value],
    ) -> Result<Value, AskFailure> {
        let watch = Stopwatch::start();
        let request = request(self.question, model, messages, tools);
        let room = self.room();
        let late = || {
            AskFailure::new(format!("no answer within {}", seconds_in_words(self.until.as_secs())))
        };
        let outcome = tokio::time::timeout(room, self.post(&request)).await;
        let outcome = outcome.map_err(|_| late()).flatten();
        let spending = match &outcome {
            Ok(answer) => spending(answer, prices),
            // A refused request is not billed. After any other failure the server may bill the
            // request.
            Err(failure) if failure.is_refusal => Spending::default(),
            Err(_) => Spending { unpriced_requests: 1, ..Spending::default() },
        };
        self.spending = self.spending.plus(spending);
        let names = tools.iter().filter_map(|it| it.pointer("/function/name")?.as_str());
        self.trace.add(&TraceStep::Asked {
            target: model.to_owned(),
            messages: fresh.iter().map(trace_message).collect(),
            tools: names.map(str::to_owned).collect(),
            took_ms: saturating(watch.elapsed().as_millis(), u64::MAX),
            tokens: spending.tokens,
            cost: spending.cost_in_words(),
            error: outcome.as_ref().err().map(|it| it.reason.clone()),
        });
        outcome
    }

    async fn post(&self, request: &Value) -> Result<Value, AskFailure> {
        let connection = self.question.connection;
        let url = format!("{}/chat/completions", connection.base_url);
        let client = client(self.deps, connection.is_trusted);
        let post = client.request(Method::POST, &url);
        let post = post.map_err(|error| AskFailure {
            is_refusal: true,
            ..AskFailure::new(error.to_string())
        })?;
        let post = post.header(CONTENT_TYPE, "application/json").body(request.to_string());
        let post = match &self.question.api_key {
            Some(key) => post.bearer_auth(key),
            None => post,
        };
        read(&send(post, MAX_ANSWER_BYTES).await.map_err(AskFailure::new)?)
    }
}

/// Returns the client for the servers of models.
pub(super) const fn client(deps: AskingDeps<'_>, is_trusted: bool) -> &Guarded {
    if is_trusted { &deps.outbound.trusted_models } else { &deps.outbound.models }
}

/// Returns the tokens that the server reports, with their cost.
fn spending(answer: &Value, prices: Option<TokenPrices>) -> Spending {
    let count = |name: &str| answer.pointer(&format!("/usage/{name}")).and_then(Value::as_u64);
    let (input, output) = (count("prompt_tokens"), count("completion_tokens"));
    Spending::of_request(count("total_tokens"), input, output, prices)
}

pub(super) fn read(answer: &HttpAnswer) -> Result<Value, AskFailure> {
    if !answer.status.is_success() {
        return Err(AskFailure::refused(answer));
    }
    let body = answer.whole_body().map_err(AskFailure::new)?;
    serde_json::from_slice(body).map_err(|error| {
        AskFailure::new(format!("the answer is not JSON: {error}; {}", answer.describe()))
    })
}

/// Returns a tool call with all fields that a server requires when it gets the call back.
fn whole_call(index: usize, call: &Value) -> Value {
    let id = call.get("id").and_then(Value::as_str).filter(|it| !it.is_empty());
    let arguments = match call.pointer("/function/arguments") {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    };
    json!({
        "id": id.map_or_else(|| format!("call_{index}"), str::to_owned),
        "type": "function",
        "function": {"name": name(call), "arguments": arguments},
    })
}

fn request(
    question: &ModelQuestion<'_>,
    model: &str,
    messages: &[Value],
    tools: &[Value],
) -> Value {
    let mut request = Map::new();
    request.insert("model".to_owned(), json!(model));
    request.insert("messages".to_owned(), json!(messages));
    if !tools.is_empty() {
        request.insert("tools".to_owned(), json!(tools));
    }
    if let Some(most) = question.connection.max_tokens {
        request.insert("max_tokens".to_owned(), json!(most));
    }
    if let Some(temperature) = question.connection.temperature {
        request.insert("temperature".to_owned(), json!(temperature.number()));
    }
    request.into()
}

/// Returns a message of a request for the trace. Pictures are left out.
fn trace_message(message: &Value) -> TraceMessage {
    let text = match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let text = |it: &Value| match it.get("text").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => "[picture]".to_owned(),
            };
            parts.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    let role = message.get("role").and_then(Value::as_str).unwrap_or_default().to_owned();
    TraceMessage { role, text }
}

/// Returns the text of a message. Some servers send a list of parts.
pub(super) fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            let texts: Vec<&str> = texts.collect();
            texts.concat().trim().to_owned()
        }
        _ => String::new(),
    }
}

/// Returns an answer with a text after these messages. It is divided if it is too long for one
/// message.
fn texts(mut messages: Vec<Object<SendMessageBody>>, text: &str) -> AgentAnswerBody {
    let message = |text: String| {
        let kind = Some("text".to_owned());
        Object(SendMessageBody { kind, text: Some(text), ..SendMessageBody::default() })
    };
    messages.extend(pieces(text, MAX_TEXT_LENGTH).into_iter().map(message));
    messages.truncate(MAX_ANSWER_MESSAGES);
    if messages.is_empty() {
        AgentAnswerBody::default()
    } else {
        AgentAnswerBody::messages(messages)
    }
}

/// Divides a text into pieces of at most `most` characters, between words where it can.
fn pieces(text: &str, most: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut length = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let letters = word.trim_end().chars().count();
        if length + letters > most && length > 0 {
            pieces.push(String::new());
            length = 0;
        }
        for letter in word.chars() {
            if length == most {
                pieces.push(String::new());
                length = 0;
            }
            if let Some(last) = pieces.last_mut() {
                last.push(letter);
            }
            length += 1;
        }
    }
    let trimmed = pieces.into_iter().map(|piece| piece.trim().to_owned());
    trimmed.filter(|piece| !piece.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_divided_between_words() {
        assert_eq!(pieces("one two three", 7), ["one two", "three"]);
        assert_eq!(pieces("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(pieces("  ", 3), Vec::<String>::new());
        let long = "word ".repeat(2000);
        assert!(
            pieces(&long, MAX_TEXT_LENGTH).iter().all(|it| it.chars().count() <= MAX_TEXT_LENGTH)
        );
    }

    #[test]
    fn answers_are_read_tolerantly() {
        assert_eq!(content(None), "");
        assert_eq!(content(Some(&json!(null))), "");
        assert_eq!(content(Some(&json!(" Hi "))), "Hi");
        assert_eq!(content(Some(&json!([{"type": "text", "text": "Hi"}, {"type": "x"}]))), "Hi");
        let call = whole_call(2, &json!({"function": {"name": "f", "arguments": {"a": 1}}}));
        assert_eq!(call["id"], "call_2");
        assert_eq!(call["function"]["arguments"], r#"{"a":1}"#);
    }

    #[test]
    fn tokens_without_a_report_are_unpriced() {
        let report = json!({"usage": {"prompt_tokens": 10, "completion_tokens": 5}});
        assert_eq!(spending(&report, None).tokens, Some(15));
        assert_eq!(spending(&json!({}), None).unpriced_requests, 1);
        assert_eq!(spending(&json!({"usage": null}), None).tokens, None);
    }
}
