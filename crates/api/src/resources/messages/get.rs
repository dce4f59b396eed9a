//! `GET /api/v1/messages/{id}`.

use super::accept::scheduled_message;
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::message::MessageRecord;
use api_types::sample;
use api_types::schema::{IdOf, exactly_one};
use domain::id::{self, MessageId};
use domain::message::MessageStatus;
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use persistence::content::event_data::ScheduledMessageData;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::conversations;
use service::sending;

/// Returns one message.
pub struct GetMessage;

/// The message.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct MessagePath {
    /// The id of the message.
    #[schemars(with = "IdOf<id::Message>")]
    id: String,
}

impl MessagePath {
    /// Returns the path of an example message.
    pub(super) fn sample(id: MessageId) -> Self {
        Self { id: id.to_string() }
    }

    /// Returns the id as it is in the path, which may be malformed.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// A message, or one that is sent later.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(transform = exactly_one)]
pub enum FoundMessage {
    /// A message that was accepted or received.
    Message(Box<MessageRecord>),
    /// A message that waits for its time, or that was canceled.
    Scheduled(Box<ScheduledMessageData>),
}

impl Operation for GetMessage {
    const ID: &'static str = "get_message";
    const SUMMARY: &'static str = "Get a message.";
    const DESCRIPTION: &'static str = "\
Returns a message with its current status. The status only moves forward: `queued`, `sent`, `delivered`, `read`;
or `failed`, with the reason in `error`. A message that is sent later is `scheduled` until then, or `canceled`. A key that is bound to a number sees that number's messages only.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/messages/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = MessagePath;
    type Input = Nothing;
    type Reply = FoundMessage;

    fn example() -> ExampleOf<Self> {
        Example {
            path: MessagePath::sample(sample::MESSAGE),
            input: None,
            reply: FoundMessage::Message(Box::new(MessageRecord::from_row(
                &sample::message(MessageStatus::Delivered),
                &sample::contact(),
            ))),
        }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<FoundMessage>, Problem> {
        call.parse(|_, _| Some(()))?;
        let unknown = || Problem::not_found("message");
        let id: MessageId = call.path.id.parse().map_err(|_| unknown())?;
        let (reader, account) = (call.caller.reader(), call.bound_account());
        let found = conversations::message(&call.deps, reader, account, id).await?;
        let found = if let Some((message, contact)) = found {
            FoundMessage::Message(Box::new(MessageRecord::from_row(&message, &contact)))
        } else {
            let found = sending::find_scheduled(&call.deps, reader.organization, account, id);
            let scheduled = found.await?.as_ref().and_then(scheduled_message);
            FoundMessage::Scheduled(Box::new(scheduled.ok_or_else(unknown)?))
        };
        Answer::new(Self::SUCCESS, &found)
    }
}
