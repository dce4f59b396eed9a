//! `GET /api/v1/messages/{id}`.

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use domain::id::{self, MessageId};
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;
use service::conversations;
use web_core::problem::{Code, Problem};
use wire::message::MessageRecord;
use wire::schema::IdOf;

/// Reads one message.
pub struct GetMessage;

/// Which message.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MessagePath {
    /// The message's id.
    #[schemars(with = "IdOf<id::Message>")]
    id: String,
}

impl Operation for GetMessage {
    const ID: &'static str = "get_message";
    const SUMMARY: &'static str = "Get a message.";
    const DESCRIPTION: &'static str = "\
Reads a message and how it fares. Its status only moves forward: `queued`, `sent`, `delivered`, `read`;
or `failed`, and then `error` says why. A key that is bound to a number sees that number's messages only.";
    const EXAMPLE: Example = Example {
        path: &[("id", "msg_01jd7qkz5tefrs7nn4j9m2h8xa")],
        input: "",
        reply: r#"{
  "id": "msg_01jd7qkz5tefrs7nn4j9m2h8xa",
  "conversation_id": "conv_01jd7qkz5rfjqv6m0c1w8y4b2t",
  "contact_id": "ctc_01jd7qkz5refa9k3x7d5s2n0pg",
  "account_id": "acc_01jd7pz0c2e8ybn6w4v1t9kq3m",
  "direction": "outbound",
  "source": "api",
  "type": "text",
  "text": "Your order is on its way.",
  "media": null,
  "interactive": null,
  "template": null,
  "status": "delivered",
  "error": null,
  "client_ref": "order-1042",
  "metadata": null,
  "reply_to": null,
  "created_at": "2026-11-21T12:00:00.000Z",
  "sent_at": "2026-11-21T12:00:00.412Z",
  "delivered_at": "2026-11-21T12:00:01.038Z",
  "read_at": null
}"#,
    };
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/messages/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = MessagePath;
    type Input = Nothing;
    type Reply = MessageRecord;

    async fn handle(mut call: Call<Self>) -> Result<Answer<MessageRecord>, Problem> {
        call.parse(|_, _| Some(()))?;
        let unknown = || Problem::not_found("message");
        let id: MessageId = call.path.id.parse().map_err(|_| unknown())?;
        let (organization, account) = (call.organization(), call.bound_account());
        let found = conversations::message(&call.deps, organization, account, id).await?;
        Answer::new(Self::SUCCESS, &MessageRecord::from(&found.ok_or_else(unknown)?))
    }
}
