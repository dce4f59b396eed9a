//! `POST /api/v1/messages/batch` (`docs/contract.md#send-a-batch`).

use super::accept::{
    Accepted, Checked, SendReply, problem, scheduled_message, send_allowance, uploaded_as,
};
use crate::admission::{KeyHolder, Required};
use crate::input::{Input, InputBody, Shape, read_object};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation, write};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use api_types::json;
use api_types::object::Object;
use api_types::sample;
use api_types::send::{PreparedSend, SendMessageBody};
use api_types::send_examples;
use domain::content::ContentType;
use domain::conversation::Warning;
use domain::media::MediaKind;
use domain::message::{MAX_BATCH, check_send_at};
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use http_layer::deps::ServerDeps;
use http_layer::problem::{Code, Problem};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use service::sending::{
    self, Author, BatchEntry, BatchOutcome, BatchedMessage, BatchedSend, OnceTogether, Sender,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Sends several messages.
pub struct SendBatch;

/// Messages to send together.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "SendBatch")]
pub struct SendBatchBody {
    /// The messages, each as for sending one message. `as` is not allowed.
    #[schemars(length(min = 1, max = MAX_BATCH))]
    messages: Vec<SendMessageBody>,
}

/// The messages of a batch, each decoded by itself.
#[derive(Default)]
pub struct SendBatchInput(Vec<Result<(SendMessageBody, Violations), Problem>>);

impl JsonSchema for SendBatchInput {
    fn schema_name() -> Cow<'static, str> {
        SendBatchBody::schema_name()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        SendBatchBody::json_schema(schemas)
    }
}

/// The result of one message of a batch.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BatchResult {
    /// The status that the message would have been answered with alone: 201 if it is accepted, 200
    /// if it was only validated.
    status: u16,
    /// The answer to the message; omitted if it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<SendReply>,
    /// The error; omitted if the message was not refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<BatchError>,
}

/// The error of one message of a batch, with the fields that the error has alone.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BatchError {
    /// A sentence for people.
    error: String,
    /// A word for programs.
    code: String,
    #[serde(flatten)]
    details: Map<String, Value>,
}

/// The results of a batch.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BatchResults")]
pub struct SendBatchReply {
    /// One result for each message, in the order of the request.
    results: Vec<BatchResult>,
}

impl Operation for SendBatch {
    const ID: &'static str = "send_batch";
    const SUMMARY: &'static str = "Send several messages.";
    const DESCRIPTION: &'static str = "\
Sends 1 to 100 messages with one request. Each is judged by itself, exactly as if it were sent alone: the answer is a
200 with one result for each, in order, whose `status` is 201 or that of the error. The messages that are accepted are
stored in one commit, and messages to one recipient keep their order.

Each message counts as one call, for the rate limit of the key and for the daily calls of the plan, and as one message;
the batch itself counts for nothing. An `Idempotency-Key` applies to the whole batch. A body that is not JSON, that has
no message or more than 100, or that has more than 1 MiB is refused as a whole.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/messages/batch";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::MessagesSend);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NoMessagingAccount];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = SendBatchInput;
    type Reply = SendBatchReply;

    fn example() -> ExampleOf<Self> {
        let second = SendMessageBody {
            text: Some(sample::TEXT.to_owned()),
            ..SendMessageBody::sample(ContentType::Text, sample::TAPPING_NUMBER)
        };
        let first = send_examples::text();
        let accepted = |body: &SendMessageBody| {
            let client_ref = body.client_ref.as_deref();
            Accepted::sample(ContentType::Text, client_ref, &[Warning::WindowClosed])
        };
        let results = [&first, &second].map(|body| BatchResult::accepted(accepted(body)));
        let reply = SendBatchReply { results: results.into() };
        let input = SendBatchBody { messages: vec![first, second] };
        Example { path: Nothing {}, input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<SendBatchReply>, Problem> {
        call.parse(|_, _| Some(()))?;
        let items = std::mem::take(&mut call.input.0);
        let sender = Sender {
            organization: call.organization(),
            account: call.sending_account()?,
            bound_to: call.bound_account(),
            allowance: send_allowance(&call),
            key: Some(call.caller.key.id),
            connection_key: call.caller.key.connection_key(),
            cap: call.caller.key.message_cap(),
            author: Author::Api,
            member: None,
            pauses_agent: false,
        };
        let further = items.len().saturating_sub(1);
        let admissions = call.caller.admit_more(&call.deps, further, call.now).await?;
        let mut kinds = UploadedKinds::default();
        let mut entries = Vec::with_capacity(items.len());
        let mut refusals = std::iter::once(None).chain(admissions.refusals);
        for item in items {
            entries.push(match refusals.next().flatten() {
                Some(refusal) => Err(refusal),
                None => prepared(&call, item, &mut kinds).await?,
            });
        }
        let upgrade_url: Arc<str> = call.deps.config.upgrade_url.as_str().into();
        let (known, drafts) = judge(&call, &sender, entries, &upgrade_url).await?;
        let once: Option<OnceTogether> = call.slot.as_ref().map(|slot| {
            let (request, known) = (slot.with(StatusCode::OK), known.clone());
            let upgrade_url = Arc::clone(&upgrade_url);
            let once: OnceTogether =
                (request, Arc::new(move |sent| render(&known, sent, &upgrade_url)));
            once
        });
        let sent = sending::send_together(&call.deps, &sender, drafts, once).await;
        let sent = sent.map_err(|error| problem(&error, &upgrade_url))?;
        let answer = match (sent, &call.slot) {
            (BatchOutcome::Judged { answer: Some(stored), .. }, _) => {
                Answer::written(Self::SUCCESS, stored).mark_stored()
            }
            (BatchOutcome::Judged { sent, answer: None }, _) => {
                let text = render(&known, &sent, &upgrade_url);
                Answer::written(Self::SUCCESS, text.map_err(|error| Problem::internal(&error))?)
            }
            (BatchOutcome::Answered(stored), Some(slot)) => slot.replay(stored)?,
            (BatchOutcome::Answered(_), None) => {
                return Err(Problem::internal(
                    "a stored answer was found for a request without an Idempotency-Key",
                ));
            }
        };
        Ok(answer.with_limits(admissions.limit_status))
    }
}

impl BatchResult {
    fn accepted(message: SendReply) -> Self {
        Self { status: StatusCode::CREATED.as_u16(), message: Some(message), error: None }
    }

    fn checked(message: Checked) -> Self {
        let message = Some(SendReply::Checked(message));
        Self { status: StatusCode::OK.as_u16(), message, error: None }
    }

    fn refused(problem: &Problem) -> Self {
        let error = BatchError {
            error: problem.message().to_owned(),
            code: problem.code.as_str().to_owned(),
            details: problem.details().clone(),
        };
        Self { status: problem.code.status().as_u16(), message: None, error: Some(error) }
    }
}

/// Writes the answer as JSON. `known` contains the JSON results of the messages that were not
/// submitted, and `None` for each submitted one. The results of those are in `sent`.
fn render(
    known: &[Option<String>],
    sent: &[BatchedSend],
    upgrade_url: &str,
) -> serde_json::Result<String> {
    let mut sent = sent.iter();
    let mut results = Vec::with_capacity(known.len());
    for known in known {
        if let Some(result) = known {
            results.push(result.clone());
        } else if let Some(sent) = sent.next() {
            let result = match sent {
                Ok(message) => BatchResult::accepted(match message {
                    BatchedMessage::Accepted(it) => {
                        SendReply::Accepted(Box::new(Accepted::new(it)))
                    }
                    BatchedMessage::Scheduled(row) => {
                        let unreadable =
                            || serde_json::Error::custom("a scheduled message cannot be shown");
                        let row = scheduled_message(row).ok_or_else(unreadable)?;
                        SendReply::Scheduled(Box::new(row))
                    }
                }),
                Err(error) => BatchResult::refused(&problem(error, upgrade_url)),
            };
            results.push(json::write(&result)?);
        }
    }
    Ok(format!("{{\"results\":[{}]}}", results.join(",")))
}

/// Returns a message of a batch that can be submitted.
async fn prepared(
    call: &Call<SendBatch>,
    item: Result<(SendMessageBody, Violations), Problem>,
    kinds: &mut UploadedKinds,
) -> Result<Result<PreparedSend, Problem>, Problem> {
    let (body, mut faults) = match item {
        Ok(item) => item,
        Err(problem) => return Ok(Err(problem)),
    };
    let uploaded_as = kinds.find(call, &body).await?;
    let prepared = body.prepare(uploaded_as, &mut faults);
    faults.forbid(&Field::root("as"), body.send_as.as_ref(), "a batch");
    if let Some(at) = prepared.as_ref().and_then(|it| it.send_at) {
        check_send_at(at, call.now, &mut faults);
    }
    Ok(faults.finish(prepared).map_err(Problem::from))
}

/// Returns the results that are already known, and the messages to submit.
async fn judge(
    call: &Call<SendBatch>,
    sender: &Sender,
    entries: Vec<Result<PreparedSend, Problem>>,
    upgrade_url: &str,
) -> Result<(Arc<[Option<String>]>, Vec<BatchEntry>), Problem> {
    let (mut known, mut submitted) = (Vec::with_capacity(entries.len()), Vec::new());
    for entry in entries {
        let result = match entry {
            Ok(prepared) if prepared.dry_run => {
                let sender = Sender { pauses_agent: prepared.pauses_agent, ..*sender };
                let checked = sending::check(&call.deps, &sender, &prepared.draft, call.now).await;
                match checked {
                    Ok(checked) => BatchResult::checked(Checked::new(&sender, checked)),
                    Err(error) => BatchResult::refused(&problem(&error, upgrade_url)),
                }
            }
            Ok(PreparedSend { draft, pauses_agent, send_at, .. }) => {
                submitted.push(BatchEntry { draft, pauses_agent, send_at });
                known.push(None);
                continue;
            }
            Err(refusal) => BatchResult::refused(&refusal),
        };
        known.push(Some(write(&result)?));
    }
    Ok((known.into(), submitted))
}

/// The kinds of the uploads that messages of the batch name, each looked up once.
#[derive(Default)]
struct UploadedKinds(HashMap<String, Option<MediaKind>>);

impl UploadedKinds {
    async fn find(
        &mut self,
        call: &Call<SendBatch>,
        body: &SendMessageBody,
    ) -> Result<Option<MediaKind>, Problem> {
        let (Some(url), None) = (&body.media_url, &body.media_type) else { return Ok(None) };
        if let Some(kind) = self.0.get(url) {
            return Ok(*kind);
        }
        let kind = uploaded_as(&call.deps, call.organization(), body).await?;
        self.0.insert(url.clone(), kind);
        Ok(kind)
    }
}

/// A batch as it arrives. Each message is decoded later, by itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBatch {
    messages: Vec<Box<RawValue>>,
}

impl Input for SendBatchInput {
    type Sample = SendBatchBody;

    async fn read(
        _deps: &ServerDeps,
        body: InputBody,
        _shape: &Shape,
    ) -> Result<(Self, Violations), Problem> {
        let bytes = match body {
            InputBody::Json(bytes) => bytes,
            InputBody::Absent => Bytes::from_static(b"{}"),
            InputBody::Query(_) | InputBody::OnDisk(..) => {
                return Err(Problem::internal("a batch came neither as a body nor in memory"));
            }
        };
        read_batch(&bytes)
    }
}

fn read_batch(bytes: &[u8]) -> Result<(SendBatchInput, Violations), Problem> {
    let at = Field::root("messages");
    let mut faults = Violations::default();
    let items = match serde_json::from_slice::<Object<RawBatch>>(bytes) {
        Ok(Object(batch)) => batch.messages,
        Err(error) if error.classify() == Category::Data => {
            let body: Value = serde_json::from_slice(bytes)
                .map_err(|error| Problem::invalid_json(&error.to_string()))?;
            find_faults(&body, &mut faults);
            if faults.is_empty() {
                // Only a repeated field leads here.
                return Err(Problem::invalid_json("a field is repeated"));
            }
            return Ok((SendBatchInput::default(), faults));
        }
        Err(error) => return Err(Problem::invalid_json(&error.to_string())),
    };
    if items.is_empty() {
        faults.add(&at, Fault::Empty, format!("must have 1 to {MAX_BATCH} messages"));
    }
    if items.len() > MAX_BATCH {
        let message = format!("has {} messages; at most {MAX_BATCH} are allowed", items.len());
        faults.add(&at, Fault::TooLong, message);
    }
    if !faults.is_empty() {
        return Ok((SendBatchInput::default(), faults));
    }
    let items = items.iter().map(|item| read_object(item.get().as_bytes()));
    Ok((SendBatchInput(items.collect()), faults))
}

/// Finds the faults of a body that is not a batch.
fn find_faults(body: &Value, faults: &mut Violations) {
    let Some(fields) = body.as_object() else {
        faults.add(&Field::root(""), Fault::WrongType, "the body must be a JSON object");
        return;
    };
    for name in fields.keys().filter(|name| *name != "messages") {
        let name = name.replace('\0', "\u{fffd}");
        let message = "unknown field; check its spelling";
        faults.add(&Field::root(&name), Fault::UnknownField, message);
    }
    let at = Field::root("messages");
    match fields.get("messages") {
        None | Some(Value::Null) => drop(faults.require(&at, None::<()>)),
        Some(Value::Array(_)) => {}
        Some(_) => faults.add(&at, Fault::WrongType, "must be an array"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<usize, Vec<(String, Fault)>> {
        let (batch, faults) = read_batch(text.as_bytes()).unwrap();
        let faults = faults.into_vec().into_iter().map(|it| (it.field, it.fault)).collect();
        if batch.0.is_empty() { Err(faults) } else { Ok(batch.0.len()) }
    }

    #[test]
    fn a_batch_is_a_list_of_one_to_a_hundred() {
        let of = |count: usize| format!(r#"{{"messages": [{}]}}"#, vec!["{}"; count].join(","));
        assert_eq!(read(&of(1)), Ok(1));
        assert_eq!(read(&of(100)), Ok(100));
        let fault = |field: &str, fault| Err(vec![(field.to_owned(), fault)]);
        assert_eq!(read(&of(0)), fault("messages", Fault::Empty));
        assert_eq!(read(&of(101)), fault("messages", Fault::TooLong));
        assert_eq!(read("{}"), fault("messages", Fault::Required));
        assert_eq!(read(r#"{"messages": null}"#), fault("messages", Fault::Required));
        assert_eq!(read(r#"{"messages": {}}"#), fault("messages", Fault::WrongType));
        assert_eq!(read("[[{}]]"), fault("", Fault::WrongType));
        assert_eq!(read(r#"{"messages": [{}], "x": 1}"#), fault("x", Fault::UnknownField));
        assert!(read_batch(br#"{"messages": [], "messages": []}"#).is_err());
        assert!(read_batch(b"{").is_err());
    }

    #[test]
    fn each_message_is_read_by_itself() {
        let text =
            r#"{"messages": [{"text": "a\u0000b"}, 5, {"x": 1}, {"text": "a", "text": "b"}]}"#;
        let (batch, faults) = read_batch(text.as_bytes()).unwrap();
        assert!(faults.is_empty());
        let codes: Vec<String> = batch
            .0
            .into_iter()
            .map(|item| match item {
                Ok((_, faults)) => faults.into_vec()[0].field.clone(),
                Err(problem) => problem.code.as_str().to_owned(),
            })
            .collect();
        assert_eq!(codes, ["text", "validation_failed", "x", "invalid_json"]);
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_refused(
            text in "(\\{\"(messages|text)\":|\\[|\"a\"|[0-9]{1,3}|null|[\\]},]){0,14}|\\PC{0,40}",
        ) {
            match read_batch(text.as_bytes()) {
                Ok((batch, faults)) => prop_assert_eq!(batch.0.is_empty(), !faults.is_empty()),
                Err(problem) => prop_assert!(problem.code.status().is_client_error()),
            }
        }
    }
}
