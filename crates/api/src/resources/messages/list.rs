//! `GET /api/v1/messages` (`docs/contract.md#messages-and-history`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::message::MessageRecord;
use api_types::pagination::{IdCursor, IdPagination, LIMIT_DEFAULT, MAX_LIMIT, MIN_LIMIT};
use api_types::sample;
use api_types::schema::{IdOf, Instant, OneOf};
use domain::id::{self, MessageId};
use domain::keyword::Keyword;
use domain::message::{Direction, MessageStatus};
use domain::scope::Scope;
use domain::violation::{Field, Violations};
use http_layer::problem::{Code, Problem};
use persistence::records::MessageFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::messages::{self, MessagePage};

/// Lists the organization's messages.
pub struct ListMessages;

/// Filters and the page to return.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ListMessagesInput {
    /// Return only the messages that were sent with this `client_ref`.
    client_ref: Option<String>,
    /// Return only messages with this status.
    #[schemars(with = "Option<OneOf<MessageStatus>>")]
    status: Option<String>,
    /// Return only messages of this direction.
    #[schemars(with = "Option<OneOf<Direction>>")]
    direction: Option<String>,
    /// Return only messages of this conversation.
    #[schemars(with = "Option<IdOf<id::Conversation>>")]
    conversation_id: Option<String>,
    /// Return only messages that were accepted or received at this time or later.
    #[schemars(with = "Option<Instant>")]
    since: Option<String>,
    /// Return only messages that were accepted or received before this time.
    #[schemars(with = "Option<Instant>")]
    until: Option<String>,
    /// Return the messages after the one with this id.
    #[schemars(with = "Option<IdOf<id::Message>>")]
    after: Option<String>,
    /// Maximum number of entries to return.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
}

/// A page of messages, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessagePage")]
pub struct MessageListPage {
    /// The messages.
    data: Vec<MessageRecord>,
    #[serde(flatten)]
    pagination: IdPagination<id::Message>,
}

impl Operation for ListMessages {
    const ID: &'static str = "list_messages";
    const SUMMARY: &'static str = "List messages.";
    const DESCRIPTION: &'static str = "\
Returns the messages of all conversations, in both directions, the newest first. A key that is bound to a number sees the
messages of that number only.

Messages with a `client_ref` and failed messages are found however old they are. With other filters a request looks at no
more than 5,000 messages: its page may be short or empty although `has_more` is true, and `next_after` is then the last
message that was looked at.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/messages";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = ListMessagesInput;
    type Reply = MessageListPage;

    fn example() -> ExampleOf<Self> {
        let input = ListMessagesInput {
            status: Some(MessageStatus::Delivered.as_str().to_owned()),
            limit: Some(LIMIT_DEFAULT),
            ..ListMessagesInput::default()
        };
        let data = vec![MessageRecord::from_row(
            &sample::message(MessageStatus::Delivered),
            &sample::contact(),
        )];
        let reply = MessageListPage { data, pagination: IdPagination::last_page() };
        Example { path: Nothing {}, input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<MessageListPage>, Problem> {
        let (filter, cursor) = call.parse(ListMessagesInput::parse)?;
        let filter = MessageFilter { account: call.bound_account(), ..filter };
        let (reader, IdCursor { after, limit }) = (call.caller.reader(), cursor);
        let MessagePage { found, next_before } =
            messages::list(&call.deps, reader, filter, after, limit).await?;
        let data = found.iter().map(|(message, contact)| MessageRecord::from_row(message, contact));
        let reply =
            MessageListPage { data: data.collect(), pagination: IdPagination::new(next_before) };
        Answer::new(Self::SUCCESS, &reply)
    }
}

impl ListMessagesInput {
    fn parse(&self, faults: &mut Violations) -> Option<(MessageFilter, IdCursor<MessageId>)> {
        let status = faults.optional_word(&Field::root("status"), self.status.as_deref());
        let direction = faults.optional_word(&Field::root("direction"), self.direction.as_deref());
        let at = Field::root("conversation_id");
        let conversation = faults.optional_id(&at, self.conversation_id.as_deref());
        let since = faults.optional_time(&Field::root("since"), self.since.as_deref());
        let until = faults.optional_time(&Field::root("until"), self.until.as_deref());
        let cursor = IdCursor::parse(self.limit, self.after.as_deref(), faults);
        let filter = MessageFilter {
            account: None,
            conversation,
            direction,
            source: None,
            key: None,
            kind: None,
            status,
            client_ref: self.client_ref.clone(),
            since,
            until,
        };
        Some((filter, cursor?))
    }
}
