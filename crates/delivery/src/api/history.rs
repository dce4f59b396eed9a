//! `GET` and `POST /api/v1/conversations/history` (`service.md` 4.5).

use crate::operation::{Access, Answer, Call, KeyHolder, Nothing, Operation};
use crate::problem::{Code, Problem};
use crate::wire::message::MessageRecord;
use crate::wire::pagination::{Pagination, Window};
use actix_web::http::{Method, StatusCode};
use domain::conversation::{Agent, window_expires_at};
use domain::phone::PhoneNumber;
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use domain::word::Word;
use persistence::rows::Conversation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reads the history by a query.
pub struct GetHistory;
/// Reads the history by a body, so that the number stays out of logs of addresses.
pub struct PostHistory;

/// Whose history, and which part of it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct HistoryInput {
    /// The person's number. Required.
    phone_number: Option<String>,
    /// 1 to 100; 50 if left out.
    limit: Option<i64>,
    /// How many to pass over; 0 if left out.
    offset: Option<i64>,
    /// `desc`, the newest first, which is the default, or `asc`.
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
struct ConversationRecord {
    /// Its id.
    id: String,
    /// Whether the AI agent answers: `running` or `paused`.
    ai_agent: &'static str,
    /// Until when free-form messages are sure to be taken; null if the person never wrote.
    window_expires_at: Option<String>,
}

struct Wanted {
    phone_number: PhoneNumber,
    window: Window,
    oldest_first: bool,
}

impl Operation for GetHistory {
    const ID: &'static str = "get_history";
    const SUMMARY: &'static str = "Read the messages exchanged with a phone number.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/conversations/history";
    const ACCESS: Access = Access::Key(Scope::ConversationsRead);
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
    const SUMMARY: &'static str =
        "Read the messages exchanged with a phone number, which stays out of the address.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = GetHistory::PATH;
    const ACCESS: Access = GetHistory::ACCESS;
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
    fn parse(&self, faults: &mut Violations) -> Option<Wanted> {
        let at = Field::root("phone_number");
        let phone_number = faults.require(&at, self.phone_number.as_deref()).and_then(|text| {
            let parsed = PhoneNumber::parse(text);
            parsed.map_err(|wrong| faults.add(&at, Fault::InvalidFormat, wrong.to_string())).ok()
        });
        let window = Window::parse(self.limit, self.offset, faults);
        let oldest_first = match self.order.as_deref() {
            None | Some("desc") => Some(false),
            Some("asc") => Some(true),
            Some(_) => {
                faults.add(&Field::root("order"), Fault::NotOneOf, "must be one of asc, desc");
                None
            }
        };
        Some(Wanted { phone_number: phone_number?, window: window?, oldest_first: oldest_first? })
    }
}

async fn page<O: Operation<Caller = KeyHolder>>(
    call: &Call<O>,
    wanted: Wanted,
) -> Result<HistoryPage, Problem> {
    let (db, window) = (&call.deps.db, wanted.window);
    let number = wanted.phone_number.to_string();
    let met = db.conversations_with(call.organization(), number, call.bound_account()).await?;
    let total = met.iter().map(|conversation| conversation.message_count).sum();
    let within = met.iter().map(|conversation| *conversation.id).collect();
    let messages = if window.offset < total {
        db.page(within, wanted.oldest_first, window.limit, window.offset).await?
    } else {
        Vec::new()
    };
    let conversation = match met.as_slice() {
        [only] => Some(ConversationRecord::from(only)),
        _ => None,
    };
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
