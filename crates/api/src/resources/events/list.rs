//! `GET /api/v1/events` (`docs/contract.md#events`).

use crate::admission::{ApplicationHolder, EventReader, KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::event::Envelope;
use api_types::pagination::{
    Cursor, CursorPagination, LIMIT_DEFAULT, MAX_LIMIT, MIN_LIMIT, PositionPagination,
};
use domain::event::EventKind;
use domain::id::ConnectionId;
use domain::key::KeyKind;
use domain::keyword::Keyword as _;
use domain::number::saturating;
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use http_layer::deps::ServerDeps;
use http_layer::problem::{Code, Problem};
use persistence::records::{EventFilter, EventResend, EventWithSubject, LogPart};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::connections;
use service::events::{self, EventPart};

/// Returns the organization's events in order.
///
/// A key that is bound to an account sees what it sees elsewhere: the messages, conversations,
/// contacts and connections of that account, and what concerns all accounts (templates and the
/// limits of the plan). Like a `type` filter, it skips the sequences of other events.
pub struct ListEvents;

/// The events to return.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ListEventsInput {
    /// Return events after this `sequence`. Events are kept for 30 days.
    #[schemars(range(min = 0), extend("default" = 0))]
    after: Option<i64>,
    /// Maximum number of entries to return.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
    /// Return only events of these types, separated by commas, such as
    /// `message.received,message.failed`.
    #[serde(rename = "type")]
    kinds: Option<String>,
    /// Also return `resends`: which events somebody asked to get again since the request with this
    /// `number`; 0 for all that are known.
    #[schemars(range(min = 0))]
    resends_after: Option<i64>,
}

/// A page of events, in the order of their sequence.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventPage {
    /// The events.
    data: Vec<Envelope>,
    #[serde(flatten)]
    position: PositionPagination<i64>,
    /// An older form of `has_more` and `next_after`.
    pagination: CursorPagination,
    /// With `resends_after`: the newest requests to get events again, in order; at most 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    resends: Option<Vec<Resend>>,
}

impl EventPage {
    fn new(
        data: Vec<Envelope>,
        pagination: CursorPagination,
        resends: Option<Vec<Resend>>,
    ) -> Self {
        Self { data, position: pagination.position(), pagination, resends }
    }
}

/// Events that somebody asked to get again, by resending a delivery of an endpoint or replaying a
/// period. They can be read again by their sequences.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Resend {
    /// The number of the request, to pass as `resends_after`.
    number: i64,
    /// The sequence of the first event.
    first_sequence: i64,
    /// The sequence of the last event.
    last_sequence: i64,
}

impl From<EventResend> for Resend {
    fn from(EventResend { number, first, last }: EventResend) -> Self {
        Self { number, first_sequence: first, last_sequence: last }
    }
}

impl Operation for ListEvents {
    const ID: &'static str = "list_events";
    const SUMMARY: &'static str = "Read events.";
    const DESCRIPTION: &'static str = "\
Returns the same events as webhooks deliver, in the order of their `sequence`, for the last 30 days. To find events that
a webhook did not deliver, start after the last `sequence` that you have, and pass `next_after` as `after` while
`has_more` is true.

An application that authenticates with its own client id and secret reads the events of all its connections, each with
`connection_id`. `sequence` is then the application's own, without gaps. The list begins with the first request, which goes back to the
beginning of each connection or 30 days; an event is in it within a second or so.

A key that is bound to a number sees the messages, conversations, contacts and connections of that number, and events
that concern all numbers, so it skips the sequence numbers of other events. So does a request with `type`. Such a request
scans at most 5,000 events: its page may be short or empty although `has_more` is true, and `next_after` is then the last
sequence number that was scanned.

With `resends_after` the answer also says which events somebody asked to get again, in the dashboard or by the API. A
program that follows the list can read those again. An application's own pair gets none.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/events";
    const ACCESS: Required<EventReader> = EventReader::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = EventReader;
    type Path = Nothing;
    type Input = ListEventsInput;
    type Reply = EventPage;

    fn example() -> ExampleOf<Self> {
        let kind = EventKind::ConversationCreated;
        let input = ListEventsInput {
            after: Some(0),
            kinds: Some(kind.as_str().to_owned()),
            ..ListEventsInput::default()
        };
        let data = vec![api_types::event::example(kind)];
        let cursor = Cursor { limit: LIMIT_DEFAULT, after: 0 };
        let last = data.last().map(Envelope::sequence);
        let pagination = CursorPagination::new(cursor, last, false);
        Example {
            path: Nothing {},
            input: Some(input),
            reply: EventPage::new(data, pagination, None),
        }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<EventPage>, Problem> {
        let EventsRequest { kinds, cursor, resends_after } = call.parse(ListEventsInput::parse)?;
        let holder = match &call.caller {
            EventReader::Key(holder) => holder,
            EventReader::Application(holder) => {
                let resends = resends_after.map(|_| Vec::new());
                return of_application(&call.deps, holder, kinds, cursor, resends).await;
            }
        };
        let wanted = EventFilter { account: holder.key.account_id, kinds };
        let (reader, limit) = (holder.reader(), cursor.one_more());
        let EventPart { found, looked } =
            events::list(&call.deps, reader, wanted, cursor.after, limit).await?;
        let through = connection(&call.deps, holder).await?;
        let with = |mut it: EventWithSubject| {
            it.connection = it.connection.or(through);
            Envelope::from(it)
        };
        let mut data: Vec<Envelope> = found.into_iter().map(with).collect();
        let more_found = cursor.truncate(&mut data);
        let shown = data.last().map(Envelope::sequence);
        let pagination = match looked {
            Some((until, last)) if !more_found => {
                CursorPagination::new(cursor, Some(until), until < last)
            }
            _ => CursorPagination::new(cursor, shown, more_found),
        };
        let resends = match resends_after {
            Some(after) => {
                let found = events::resends(&call.deps, reader, after).await?;
                Some(found.into_iter().map(Resend::from).collect())
            }
            None => None,
        };
        Answer::new(Self::SUCCESS, &EventPage::new(data, pagination, resends))
    }
}

/// Returns the events of an application's connections. They have sequences of the application's own
/// log.
async fn of_application(
    deps: &ServerDeps,
    holder: &ApplicationHolder,
    kinds: Option<Vec<EventKind>>,
    cursor: Cursor,
    resends: Option<Vec<Resend>>,
) -> Result<Answer<EventPage>, Problem> {
    let page = saturating(cursor.limit, usize::MAX);
    let part = events::list_of_application(deps, holder.id, kinds, cursor.after, page).await?;
    let envelope = |(sequence, mut event): (i64, EventWithSubject)| {
        event.event.sequence = sequence;
        Envelope::from(event)
    };
    let LogPart { found, until, last, is_incomplete } = part;
    let data = found.into_iter().map(envelope).collect();
    let pagination = CursorPagination::new(cursor, Some(until), is_incomplete || until < last);
    Answer::new(StatusCode::OK, &EventPage::new(data, pagination, resends))
}

/// Returns the caller's connection if its key belongs to one. The events then name the connection.
async fn connection(
    deps: &ServerDeps,
    holder: &KeyHolder,
) -> Result<Option<ConnectionId>, Problem> {
    let key = &holder.key;
    if key.kind == KeyKind::Manual {
        return Ok(None);
    }
    let found = connections::find_by_key(deps, key.organization_id, key.id).await?;
    Ok(found.map(|(connection, _)| connection.id))
}

/// The parsed parameters of the request.
struct EventsRequest {
    kinds: Option<Vec<EventKind>>,
    cursor: Cursor,
    resends_after: Option<i64>,
}

impl ListEventsInput {
    fn parse(&self, faults: &mut Violations) -> Option<EventsRequest> {
        let kinds = self.kinds.as_deref().map(|list| kinds(list, faults));
        if self.resends_after.is_some_and(|after| after < 0) {
            let at = Field::root("resends_after");
            faults.add(&at, Fault::OutOfRange, "must be 0 or more");
        }
        let cursor = Cursor::parse(self.limit, self.after, faults)?;
        Some(EventsRequest { kinds, cursor, resends_after: self.resends_after })
    }
}

fn kinds(list: &str, faults: &mut Violations) -> Vec<EventKind> {
    let at = Field::root("type");
    let known = list.split(',').filter_map(|word| {
        let kind = EventKind::from_keyword(word.trim());
        if kind.is_none() {
            let message =
                format!("{word:?} is not an event; the events are {}", EventKind::listed());
            faults.add(&at, Fault::NotOneOf, message);
        }
        kind
    });
    known.collect()
}
