//! `GET` and `POST /api/v1/conversations/history` (`docs/contract.md#messages-and-history`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use domain::conversation::{Agent, Order, window_expires_at};
use domain::id;
use domain::keyword::Keyword;
use domain::phone::PhoneNumber;
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use persistence::rows::Conversation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::conversations::{self, History, HistoryRequest};
use web_core::problem::{Code, Problem};
use wire::message::MessageRecord;
use wire::pagination::{LIMIT_DEFAULT, MAX_LIMIT, MAX_OFFSET, MIN_LIMIT, Pagination, Window};
use wire::schema::{IdOf, Instant, LooseNumber, OneOf};

/// Reads the history by a query.
pub struct GetHistory;
/// Reads the history by a body, so that the number stays out of logs of addresses.
pub struct PostHistory;

/// Whose history, and which part of it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "History")]
pub struct HistoryInput {
    /// The person's number.
    #[schemars(required, with = "LooseNumber")]
    phone_number: Option<String>,
    /// Maximum number of entries of a page.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
    /// How many to pass over.
    #[schemars(range(min = 0, max = MAX_OFFSET), extend("default" = 0))]
    offset: Option<i64>,
    /// `desc` is the newest first, `asc` the oldest.
    #[schemars(with = "Option<OneOf<Order>>", extend("default" = Order::Desc.as_str()))]
    order: Option<String>,
}

/// A page of history.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryPage {
    /// The messages.
    data: Vec<MessageRecord>,
    /// Which part of the history they are.
    pagination: Pagination,
    /// The conversation; null unless the look-up met exactly one.
    conversation: Option<ConversationRecord>,
}

/// A conversation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Conversation")]
struct ConversationRecord {
    /// Its id.
    #[schemars(with = "IdOf<id::Conversation>")]
    id: String,
    /// Whether the AI agent answers.
    #[schemars(with = "OneOf<Agent>")]
    ai_agent: &'static str,
    /// Until when free-form messages are sure to be taken; null if the person never wrote.
    #[schemars(with = "Option<Instant>")]
    window_expires_at: Option<String>,
}

struct HistoryQuery {
    phone_number: PhoneNumber,
    window: Window,
    oldest_first: bool,
}

impl Operation for GetHistory {
    const ID: &'static str = "get_history";
    const SUMMARY: &'static str = "Get conversation history.";
    const DESCRIPTION: &'static str = "\
The messages in both directions, the newest first unless `order` says otherwise. A key that is bound to a
number reads that number's conversations only. A number nobody wrote to or from has an empty history: that is
no error. `conversation` tells of the AI agent and the 24-hour window, where the look-up met exactly one.";
    const EXAMPLE: Example = Example {
        path: &[],
        input: r#"{ "phone_number": "+12025550100", "limit": 50 }"#,
        reply: r#"{
  "data": [
    {
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
    }
  ],
  "pagination": { "limit": 50, "offset": 0, "total": 1, "has_more": false, "next_offset": null },
  "conversation": {
    "id": "conv_01jd7qkz5rfjqv6m0c1w8y4b2t",
    "ai_agent": "paused",
    "window_expires_at": null
  }
}"#,
    };
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/conversations/history";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = HistoryInput;
    type Reply = HistoryPage;

    async fn handle(mut call: Call<Self>) -> Result<Answer<HistoryPage>, Problem> {
        let wanted = call.parse(HistoryInput::parse)?;
        Answer::new(Self::SUCCESS, &page(&call, wanted).await?)
    }
}

impl Operation for PostHistory {
    const ID: &'static str = "post_history";
    const SUMMARY: &'static str = "Query conversation history.";
    const DESCRIPTION: &'static str = "\
The same as the GET, with its parameters in the request body: a phone number in a URL ends up in logs.";
    const EXAMPLE: Example = Example {
        path: &[],
        input: r#"{ "phone_number": "+12025550100", "order": "asc" }"#,
        reply: r#"{
  "data": [
    {
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
    }
  ],
  "pagination": { "limit": 50, "offset": 0, "total": 1, "has_more": false, "next_offset": null },
  "conversation": {
    "id": "conv_01jd7qkz5rfjqv6m0c1w8y4b2t",
    "ai_agent": "paused",
    "window_expires_at": null
  }
}"#,
    };
    const METHOD: Method = Method::POST;
    const PATH: &'static str = GetHistory::PATH;
    const ACCESS: Required<KeyHolder> = GetHistory::ACCESS;
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = GetHistory::PROBLEMS;
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = HistoryInput;
    type Reply = HistoryPage;

    async fn handle(mut call: Call<Self>) -> Result<Answer<HistoryPage>, Problem> {
        let wanted = call.parse(HistoryInput::parse)?;
        Answer::new(Self::SUCCESS, &page(&call, wanted).await?)
    }
}

impl HistoryInput {
    fn parse(&self, faults: &mut Violations) -> Option<HistoryQuery> {
        let at = Field::root("phone_number");
        let phone_number = faults.require(&at, self.phone_number.as_deref()).and_then(|text| {
            let parsed = PhoneNumber::parse(text);
            parsed.map_err(|wrong| faults.add(&at, Fault::InvalidFormat, wrong.to_string())).ok()
        });
        let window = Window::parse(self.limit, self.offset, faults);
        let order = match self.order.as_deref() {
            None => Some(Order::Desc),
            Some(word) => faults.word(&Field::root("order"), word),
        };
        Some(HistoryQuery {
            phone_number: phone_number?,
            window: window?,
            oldest_first: order? == Order::Asc,
        })
    }
}

async fn page<O: Operation<Caller = KeyHolder>>(
    call: &Call<O>,
    wanted: HistoryQuery,
) -> Result<HistoryPage, Problem> {
    let HistoryQuery { phone_number, window, oldest_first } = wanted;
    let request = HistoryRequest {
        phone_number: phone_number.to_string(),
        account: call.bound_account(),
        oldest_first,
        limit: window.limit,
        offset: window.offset,
    };
    let History { messages, total, conversation } =
        conversations::history(&call.deps, call.organization(), request).await?;
    let conversation = conversation.as_ref().map(ConversationRecord::from);
    Ok(HistoryPage {
        data: messages.iter().map(MessageRecord::from).collect(),
        pagination: Pagination::of(window, total),
        conversation,
    })
}

impl From<&Conversation> for ConversationRecord {
    fn from(row: &Conversation) -> Self {
        let agent = if row.agent_paused { Agent::Paused } else { Agent::Running };
        let expires_at = window_expires_at(row.last_inbound_at.map(|at| *at));
        Self {
            id: row.id.to_string(),
            ai_agent: agent.as_str(),
            window_expires_at: expires_at.map(|at| at.to_string()),
        }
    }
}
