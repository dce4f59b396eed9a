//! `GET /api/v1/events` (`contract.md` 4).

use crate::operation::{Access, Answer, Call, KeyHolder, Nothing, Operation};
use crate::problem::{Code, Problem};
use crate::wire::event::Envelope;
use crate::wire::pagination::{Cursor, CursorPagination};
use actix_web::http::{Method, StatusCode};
use domain::event::EventKind;
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use domain::word::Word as _;
use persistence::rows::EventFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reads the organization's events in order.
///
/// A key that is bound to a number sees what it sees elsewhere: the messages, conversations, contacts and
/// connections of that number, and what concerns all numbers (templates, and the limits of the plan). So
/// it passes over the sequences of other events, as does a `type`.
pub struct ListEvents;

/// Which events, and from where on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct ListEventsInput {
    /// The `sequence` after which to begin; 0, the beginning, if left out. Events are kept for 30 days.
    after: Option<i64>,
    /// 1 to 100; 50 if left out.
    limit: Option<i64>,
    /// Only these, with commas between: `message.received,message.failed`.
    #[serde(rename = "type")]
    kinds: Option<String>,
}

/// A page of events, in the order of their sequence.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventPage {
    /// The events.
    data: Vec<Envelope>,
    /// Which part of the list they are.
    pagination: CursorPagination,
}

impl Operation for ListEvents {
    const ID: &'static str = "list_events";
    const SUMMARY: &'static str =
        "Read what happened, in order: what webhooks tell, for 30 days back.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/events";
    const ACCESS: Access = Access::Key(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = ListEventsInput;
    type Reply = EventPage;

    async fn handle(mut call: Call<Self>) -> Result<Answer<EventPage>, Problem> {
        let (kinds, cursor) = call.parse(ListEventsInput::parse)?;
        let wanted = EventFilter { account: call.bound_account(), kinds };
        let found =
            call.deps.db.events_after(call.organization(), wanted, cursor.after, cursor.one_more());
        let mut data: Vec<Envelope> = found.await?.into_iter().map(Envelope::from).collect();
        let has_more = cursor.cut(&mut data);
        let last = data.last().map(Envelope::sequence);
        let pagination = CursorPagination::of(cursor, last, has_more);
        Answer::new(Self::SUCCESS, &EventPage { data, pagination })
    }
}

impl ListEventsInput {
    fn parse(&self, faults: &mut Violations) -> Option<(Option<Vec<EventKind>>, Cursor)> {
        let kinds = self.kinds.as_deref().map(|list| kinds(list, faults));
        let cursor = Cursor::parse(self.limit, self.after, faults)?;
        Some((kinds, cursor))
    }
}

fn kinds(list: &str, faults: &mut Violations) -> Vec<EventKind> {
    let at = Field::root("type");
    let known = list.split(',').filter_map(|word| {
        let kind = EventKind::from_word(word.trim());
        if kind.is_none() {
            let message = format!("{word:?} is no event; there are {}", EventKind::listed());
            faults.add(&at, Fault::NotOneOf, message);
        }
        kind
    });
    known.collect()
}
