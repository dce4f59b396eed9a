//! `POST /api/v1/messages/{id}/read`.

use super::get::MessagePath;
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use api_types::schema::{IdOf, ReadWord};
use domain::id::{self, MessageId};
use domain::keyword::Keyword as _;
use domain::message::MessageStatus;
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::receipts::{self, ReceiptError};

/// Marks a received message as read.
pub struct ReadMessage;

/// Options of a read receipt.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReadMessage")]
pub struct ReadMessageBody {
    /// Whether to show the contact a typing indicator, for up to 25 seconds or until your answer
    /// arrives.
    typing: Option<bool>,
}

/// A message that was marked as read.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReadReceipt")]
pub struct ReadReceipt {
    /// The id of the message.
    #[schemars(with = "IdOf<id::Message>")]
    id: String,
    /// Always `read`.
    #[schemars(with = "ReadWord")]
    status: &'static str,
    /// Whether the contact is shown a typing indicator.
    typing: bool,
}

impl Operation for ReadMessage {
    const ID: &'static str = "read_message";
    const SUMMARY: &'static str = "Mark a message as read.";
    const DESCRIPTION: &'static str = "\
Shows the contact that their message and all earlier ones were read. With `typing` they also see a typing indicator, for
up to 25 seconds or until your answer arrives. Set it only if you are going to answer.

Only an inbound message can be marked as read. The channel is called before the response, and nothing is stored.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/messages/{id}/read";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::MessagesSend);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound, Code::NotSupportedByChannel];
    type Caller = KeyHolder;
    type Path = MessagePath;
    type Input = ReadMessageBody;
    type Reply = ReadReceipt;

    fn example() -> ExampleOf<Self> {
        let (id, status) = (sample::RECEIVED.to_string(), MessageStatus::Read.as_str());
        Example {
            path: MessagePath::sample(sample::RECEIVED),
            input: Some(ReadMessageBody { typing: Some(true) }),
            reply: ReadReceipt { id, status, typing: true },
        }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ReadReceipt>, Problem> {
        let typing = call.parse(|body, _| Some(body.typing == Some(true)))?;
        let unknown = || Problem::not_found("message of a person");
        let id: MessageId = call.path.id().parse().map_err(|_| unknown())?;
        let (organization, account) = (call.organization(), call.bound_account());
        let marked = receipts::mark_read(&call.deps, organization, account, id, typing).await;
        marked.map_err(|error| match error {
            ReceiptError::NotFound => unknown(),
            ReceiptError::NotSupported(what, channel) => {
                Problem::not_supported_by_channel(channel, what.feature, what.supported)
            }
            ReceiptError::Away(_) => Problem::unavailable(),
            ReceiptError::Database(error) => error.into(),
        })?;
        let status = MessageStatus::Read.as_str();
        Answer::new(Self::SUCCESS, &ReadReceipt { id: id.to_string(), status, typing })
    }
}
