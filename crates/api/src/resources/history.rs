//! `GET` and `POST /api/v1/conversations/history` (`docs/contract.md#messages-and-history`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::contact::Person;
use api_types::message::MessageRecord;
use api_types::pagination::{LIMIT_DEFAULT, MAX_LIMIT, MAX_OFFSET, MIN_LIMIT, Pagination, Window};
use api_types::sample;
use api_types::schema::{IdOf, Instant, LooseNumber, OneOf, UserIdText};
use domain::conversation::{Agent, SortOrder, window_expires_at};
use domain::id;
use domain::keyword::Keyword;
use domain::message::{MessageStatus, Recipient, RecipientFields};
use domain::scope::Scope;
use domain::violation::{Field, Violations};
use http_layer::problem::{Code, Problem};
use persistence::content::event_data::{ContactData, MessageContactData};
use persistence::records::ConversationWithContact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::conversations::{self, History, HistoryError, HistoryRequest};
use std::collections::BTreeMap;

/// Reads the history with query parameters.
pub struct GetHistory;
/// Reads the history with a request body, so that the phone number stays out of URLs, and thus out
/// of logs.
pub struct PostHistory;

/// The conversation whose history to return, and the page.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "History")]
pub struct HistoryInput {
    /// The contact's phone number. Set exactly one of `phone_number`, `channel_user_id`,
    /// `contact_id` and `conversation_id`.
    #[schemars(with = "Option<LooseNumber>")]
    phone_number: Option<String>,
    /// The channel's id of the contact, for contacts whose phone number may not be known (since
    /// 2026).
    #[schemars(with = "Option<UserIdText>")]
    channel_user_id: Option<String>,
    /// The id of the contact.
    #[schemars(with = "Option<IdOf<id::Contact>>")]
    contact_id: Option<String>,
    /// The id of the conversation.
    #[schemars(with = "Option<IdOf<id::Conversation>>")]
    conversation_id: Option<String>,
    /// Maximum number of entries to return.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
    /// Number of entries to skip.
    #[schemars(range(min = 0, max = MAX_OFFSET), extend("default" = 0))]
    offset: Option<i64>,
    /// `desc` returns the newest messages first, `asc` the oldest.
    #[schemars(with = "Option<OneOf<SortOrder>>", extend("default" = SortOrder::Desc.as_str()))]
    order: Option<String>,
}

/// A page of the history of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryPage {
    /// The messages.
    data: Vec<MessageRecord>,
    /// The position of this page in the history.
    pagination: Pagination,
    /// The conversation; null unless exactly one was found.
    conversation: Option<HistoryConversation>,
}

/// A conversation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Conversation")]
struct HistoryConversation {
    /// The id of the conversation.
    #[schemars(with = "IdOf<id::Conversation>")]
    id: String,
    /// Whether the AI agent replies in this conversation: `running` or `paused`.
    #[schemars(with = "OneOf<Agent>")]
    ai_agent: &'static str,
    /// When the customer service window of 24 hours closes; null if the contact has never written.
    #[schemars(with = "Option<Instant>")]
    window_expires_at: Option<String>,
    /// The contact.
    contact: ContactData,
}

struct HistoryQuery {
    recipient: Recipient,
    window: Window,
    oldest_first: bool,
}

impl Operation for GetHistory {
    const ID: &'static str = "get_history";
    const SUMMARY: &'static str = "Get conversation history.";
    const DESCRIPTION: &'static str = "\
Returns the messages in both directions, the newest first unless `order` is `asc`. A key that is bound to a number reads
only that number's conversations. Set exactly one of `phone_number`, `channel_user_id`, `contact_id` and
`conversation_id`.

A phone number or user id without messages has an empty history, which is not an error. An unknown contact or
conversation is a 404. The id of a contact or conversation that was merged into another returns the history of that one.
If exactly one conversation was found, `conversation` has the contact, the state of the AI agent, and the end of the
customer service window.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/conversations/history";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = HistoryInput;
    type Reply = HistoryPage;

    fn example() -> ExampleOf<Self> {
        let input = HistoryInput {
            phone_number: Some(sample::CONTACT_NUMBER.to_owned()),
            limit: Some(LIMIT_DEFAULT),
            ..HistoryInput::default()
        };
        Example { path: Nothing {}, input: Some(input), reply: HistoryPage::sample() }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<HistoryPage>, Problem> {
        let wanted = call.parse(HistoryInput::parse)?;
        Answer::new(Self::SUCCESS, &page(&call, wanted).await?)
    }
}

impl Operation for PostHistory {
    const ID: &'static str = "post_history";
    const SUMMARY: &'static str = "Query conversation history.";
    const DESCRIPTION: &'static str = "\
Returns the same as the GET, with the parameters in the request body, because a phone number in a URL ends up in logs.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = GetHistory::PATH;
    const ACCESS: Required<KeyHolder> = GetHistory::ACCESS;
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = GetHistory::PROBLEMS;
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = HistoryInput;
    type Reply = HistoryPage;

    fn example() -> ExampleOf<Self> {
        let input = HistoryInput {
            phone_number: Some(sample::CONTACT_NUMBER.to_owned()),
            order: Some(SortOrder::Asc.as_str().to_owned()),
            ..HistoryInput::default()
        };
        Example { path: Nothing {}, input: Some(input), reply: HistoryPage::sample() }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<HistoryPage>, Problem> {
        let wanted = call.parse(HistoryInput::parse)?;
        Answer::new(Self::SUCCESS, &page(&call, wanted).await?)
    }
}

impl HistoryPage {
    /// Returns a conversation of one message.
    fn sample() -> Self {
        let mut conversation = sample::conversation();
        conversation.conversation.agent_paused = true;
        Self {
            data: vec![MessageRecord::from_row(
                &sample::message(MessageStatus::Delivered),
                &sample::contact(),
            )],
            pagination: Pagination::new(Window { limit: LIMIT_DEFAULT, offset: 0 }, 1),
            conversation: Some(HistoryConversation::from(&conversation)),
        }
    }
}

impl HistoryInput {
    fn parse(&self, faults: &mut Violations) -> Option<HistoryQuery> {
        let recipient = Recipient::parse(
            &RecipientFields {
                phone_number: self.phone_number.as_deref(),
                channel_user_id: self.channel_user_id.as_deref(),
                contact_id: self.contact_id.as_deref(),
                conversation_id: self.conversation_id.as_deref(),
            },
            faults,
        );
        let window = Window::parse(self.limit, self.offset, faults);
        let order = match self.order.as_deref() {
            None => Some(SortOrder::Desc),
            Some(word) => faults.word(&Field::root("order"), word),
        };
        Some(HistoryQuery {
            recipient: recipient?,
            window: window?,
            oldest_first: order? == SortOrder::Asc,
        })
    }
}

async fn page<O: Operation<Caller = KeyHolder>>(
    call: &Call<O>,
    wanted: HistoryQuery,
) -> Result<HistoryPage, Problem> {
    let HistoryQuery { recipient, window, oldest_first } = wanted;
    let request = HistoryRequest {
        person: recipient,
        account: call.bound_account(),
        sends_from: call.sending_account().ok(),
        oldest_first,
        limit: window.limit,
        offset: window.offset,
    };
    let History { messages, total, conversations: met } =
        conversations::history(&call.deps, call.caller.reader(), request).await.map_err(refused)?;
    let conversation = match met.as_slice() {
        [only] => Some(HistoryConversation::from(only)),
        _ => None,
    };
    let mut people = BTreeMap::new();
    for ConversationWithContact { conversation, contact } in &met {
        people.insert(conversation.id, Person::render(contact));
    }
    let data = messages.iter().map(|it| {
        // The message may have moved to another conversation in the meantime.
        let unknown = || Person::from(MessageContactData::unknown(it.contact_id));
        MessageRecord::from_row_with_contact(
            it,
            people.get(&it.conversation_id).cloned().unwrap_or_else(unknown),
        )
    });
    Ok(HistoryPage {
        data: data.collect(),
        pagination: Pagination::new(window, total),
        conversation,
    })
}

fn refused(error: HistoryError) -> Problem {
    match error {
        HistoryError::NotFound(what) => Problem::not_found(what),
        HistoryError::Database(error) => error.into(),
    }
}

impl From<&ConversationWithContact> for HistoryConversation {
    fn from(it: &ConversationWithContact) -> Self {
        let ConversationWithContact { conversation: row, contact } = it;
        let agent = row.agent();
        let expires_at = window_expires_at(row.last_inbound_at);
        Self {
            id: row.id.to_string(),
            ai_agent: agent.as_str(),
            window_expires_at: expires_at.map(|at| at.to_string()),
            contact: ContactData::from(contact),
        }
    }
}
