//! `GET /api/v1/events` (`docs/contract.md#events`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use domain::event::EventKind;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::violation::{Fault, Field, Violations};
use persistence::rows::EventFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::events::{self, EventPart};
use web_core::problem::{Code, Problem};
use wire::event::Envelope;
use wire::pagination::{Cursor, CursorPagination, LIMIT_DEFAULT, MAX_LIMIT, MIN_LIMIT};

/// Reads the organization's events in order.
///
/// A key that is bound to a number sees what it sees elsewhere: the messages, conversations, contacts and
/// connections of that number, and what concerns all numbers (templates, and the limits of the plan). So
/// it passes over the sequences of other events, as does a `type`.
pub struct ListEvents;

/// Which events, and from where on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct ListEventsInput {
    /// The `sequence` after which to begin. Events are kept for 30 days.
    #[schemars(range(min = 0), extend("default" = 0))]
    after: Option<i64>,
    /// Maximum number of entries of a page.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
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
    const SUMMARY: &'static str = "Read events.";
    const DESCRIPTION: &'static str = "\
What webhooks tell, in the order of their `sequence`, for 30 days back: the same envelopes. Read from the last
`sequence` that you have, and whatever a webhook did not bring is there; go on with `next_after` as `after` while
`has_more` is true.

A key that is bound to a number sees what it sees elsewhere: the messages, conversations, contacts and
connections of that number, and what concerns all numbers. So it passes over the sequences of other events,
as does a `type`. Such a call looks at 5,000 events at most: its page may be short, or empty, although
`has_more` is true, and `next_after` is the last sequence that it looked at.";
    const EXAMPLE: Example = Example {
        path: &[],
        input: r#"{ "after": 0, "type": "conversation.created" }"#,
        reply: r#"{
  "data": [
    {
      "id": "evt_01jd7qkz5wf2pa8n3k6v9s0c4x",
      "type": "conversation.created",
      "timestamp": "2026-11-21T12:00:00.000Z",
      "organization_id": "org_01jd7pyw6hfb1s9t3x5m7c2nze",
      "account_id": "acc_01jd7pz0c2e8ybn6w4v1t9kq3m",
      "sequence": 1024,
      "data": {
        "id": "conv_01jd7qkz5rfjqv6m0c1w8y4b2t",
        "account_id": "acc_01jd7pz0c2e8ybn6w4v1t9kq3m",
        "contact_id": "ctc_01jd7qkz5refa9k3x7d5s2n0pg",
        "phone_number": "+12025550100",
        "ai_agent": "running",
        "created_at": "2026-11-21T12:00:00.000Z"
      }
    }
  ],
  "pagination": { "limit": 50, "after": 0, "has_more": false, "next_after": 1024 }
}"#,
    };
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/events";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[];
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = ListEventsInput;
    type Reply = EventPage;

    async fn handle(mut call: Call<Self>) -> Result<Answer<EventPage>, Problem> {
        let (kinds, cursor) = call.parse(ListEventsInput::parse)?;
        let wanted = EventFilter { account: call.bound_account(), kinds };
        let (organization, part) = (call.organization(), (cursor.after, cursor.one_more()));
        let EventPart { found, looked } =
            events::list(&call.deps, organization, wanted, part).await?;
        let mut data: Vec<Envelope> = found.into_iter().map(Envelope::from).collect();
        let more_found = cursor.cut(&mut data);
        let shown = data.last().map(Envelope::sequence);
        let pagination = match looked {
            Some((until, last)) if !more_found => {
                CursorPagination::of(cursor, Some(until), until < last)
            }
            _ => CursorPagination::of(cursor, shown, more_found),
        };
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
        let kind = EventKind::from_keyword(word.trim());
        if kind.is_none() {
            let message = format!("{word:?} is no event; there are {}", EventKind::listed());
            faults.add(&at, Fault::NotOneOf, message);
        }
        kind
    });
    known.collect()
}
