//! `GET /api/v1/conversations` (`docs/contract.md#conversations`).

use super::{record, sample_record};
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::conversation::{ConversationCursor, ConversationRecord};
use api_types::pagination::{IdCursor, LIMIT_DEFAULT, MAX_LIMIT, MIN_LIMIT, PositionPagination};
use api_types::schema::{Instant, OneOf};
use domain::conversation::Agent;
use domain::inbox::ConversationStatus;
use domain::keyword::Keyword;
use domain::scope::Scope;
use domain::violation::{Field, Violations};
use http_layer::problem::{Code, Problem};
use persistence::records::{InboxCursor, InboxFilter, InboxPart};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::inbox;

/// The value of `assignee_id` that selects conversations without an assignee.
const NOBODY: &str = "none";

/// Lists the organization's conversations.
pub struct ListConversations;

/// Filters and the page to return.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ListConversationsInput {
    /// Return only conversations with this status.
    #[schemars(with = "Option<OneOf<ConversationStatus>>")]
    status: Option<String>,
    /// Return only conversations that are assigned to this member; `none` for those without an assignee.
    assignee_id: Option<String>,
    /// Return only conversations with this label.
    label: Option<String>,
    /// Return only conversations in which the AI agent is `running` or `paused`.
    #[schemars(with = "Option<OneOf<Agent>>")]
    agent: Option<String>,
    /// `true` for conversations in which a person has to answer, `false` for the others.
    needs_person: Option<bool>,
    /// Return only conversations whose newest message is from this time or later.
    #[schemars(with = "Option<Instant>")]
    since: Option<String>,
    /// The cursor of the page: `next_after` of the page before.
    after: Option<String>,
    /// Maximum number of entries to return.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
}

/// A page of conversations, those with the newest messages first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConversationPage {
    /// The conversations.
    data: Vec<ConversationRecord>,
    #[serde(flatten)]
    pagination: PositionPagination<Option<String>>,
}

impl Operation for ListConversations {
    const ID: &'static str = "list_conversations";
    const SUMMARY: &'static str = "List conversations.";
    const DESCRIPTION: &'static str = "\
Returns the conversations of your numbers, those with the newest messages first. Filters can be combined. A key that is bound
to a number sees the conversations of that number only.

A conversation with a new message moves to the first page while you read; `since` finds what has changed since your last
request. With a filter a request looks at no more than 5,000 conversations: its page may be short or empty although
`has_more` is true.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/conversations";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = ListConversationsInput;
    type Reply = ConversationPage;

    fn example() -> ExampleOf<Self> {
        let input = ListConversationsInput {
            status: Some(ConversationStatus::Open.as_str().to_owned()),
            limit: Some(LIMIT_DEFAULT),
            ..ListConversationsInput::default()
        };
        let data = vec![sample_record()];
        let reply = ConversationPage { data, pagination: PositionPagination::last_page() };
        Example { path: Nothing {}, input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ConversationPage>, Problem> {
        let (filter, cursor) = call.parse(ListConversationsInput::parse)?;
        let filter = InboxFilter { account: call.bound_account(), ..filter };
        let after = cursor.after.map(InboxCursor::from);
        let (deps, reader) = (&call.deps, call.caller.reader());
        let InboxPart { found, next } =
            inbox::list(deps, reader, filter, after, cursor.limit).await?;
        let data = found.iter().map(record).collect::<Result<_, _>>()?;
        let next_after = next.map(|place| ConversationCursor::from(place).to_string());
        let reply = ConversationPage { data, pagination: PositionPagination::at(next_after) };
        Answer::new(Self::SUCCESS, &reply)
    }
}

impl ListConversationsInput {
    fn parse(
        &self,
        faults: &mut Violations,
    ) -> Option<(InboxFilter, IdCursor<ConversationCursor>)> {
        let status = faults.optional_word(&Field::root("status"), self.status.as_deref());
        let agent = faults.optional_word(&Field::root("agent"), self.agent.as_deref());
        let assignee = match self.assignee_id.as_deref() {
            Some(NOBODY) => Some(None),
            text => faults.optional_id(&Field::root("assignee_id"), text).map(Some),
        };
        let since = faults.optional_time(&Field::root("since"), self.since.as_deref());
        let cursor = IdCursor::parse(self.limit, self.after.as_deref(), faults);
        let filter = InboxFilter {
            status,
            assignee,
            label: self.label.clone(),
            agent,
            needs_person: self.needs_person,
            since,
            ..InboxFilter::default()
        };
        Some((filter, cursor?))
    }
}
