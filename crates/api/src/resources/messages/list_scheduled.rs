//! `GET /api/v1/messages/scheduled` (`docs/contract.md#send-later`).

use super::accept::scheduled_message;
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::pagination::{
    IdCursor, LIMIT_DEFAULT, MAX_LIMIT, MIN_LIMIT, PositionPagination, TimeCursor,
};
use api_types::sample;
use domain::id;
use domain::message::ScheduleState;
use domain::number::saturating;
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use persistence::content::event_data::ScheduledMessageData;
use persistence::records::{ScheduledCursor, ScheduledMessage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::sending;

/// Lists the messages that wait for their time.
pub struct ListScheduledMessages;

/// The page to return.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ListScheduledInput {
    /// The cursor of the page: `next_after` of the page before.
    after: Option<String>,
    /// Maximum number of entries to return.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
}

/// A page of scheduled messages, in the order of their times.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScheduledMessagePage {
    /// The scheduled messages.
    data: Vec<ScheduledMessageData>,
    #[serde(flatten)]
    pagination: PositionPagination<Option<String>>,
}

impl Operation for ListScheduledMessages {
    const ID: &'static str = "list_scheduled_messages";
    const SUMMARY: &'static str = "List scheduled messages.";
    const DESCRIPTION: &'static str = "\
Returns the messages that wait for their time, those that leave first at the beginning. A message that has left or was
canceled is not in the list. A key that is bound to a number sees the messages of that number only.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/messages/scheduled";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = ListScheduledInput;
    type Reply = ScheduledMessagePage;

    fn example() -> ExampleOf<Self> {
        let input = ListScheduledInput { limit: Some(LIMIT_DEFAULT), after: None };
        let waiting = sample::scheduled_message(ScheduleState::Scheduled);
        let data = vec![ScheduledMessageData::from(&waiting)];
        let reply = ScheduledMessagePage { data, pagination: PositionPagination::last_page() };
        Example { path: Nothing {}, input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ScheduledMessagePage>, Problem> {
        let IdCursor { after, limit } = call.parse(|input, faults| {
            IdCursor::<TimeCursor<id::Message>>::parse(input.limit, input.after.as_deref(), faults)
        })?;
        let after = after.map(|it| ScheduledCursor { send_at: it.at, message: it.id });
        let (organization, account) = (call.caller.reader().organization, call.bound_account());
        // One more than the page is read, to know whether there is another page.
        let mut found =
            sending::list_scheduled(&call.deps, organization, account, after, limit + 1).await?;
        let has_more = saturating(found.len(), i64::MAX) > limit;
        found.truncate(saturating(limit, usize::MAX));
        let next = |it: &ScheduledMessage| TimeCursor { at: it.send_at, id: it.id }.to_string();
        let next_after = found.last().filter(|_| has_more).map(next);
        let data = found.iter().filter_map(scheduled_message).collect();
        let reply = ScheduledMessagePage { data, pagination: PositionPagination::at(next_after) };
        Answer::new(Self::SUCCESS, &reply)
    }
}
