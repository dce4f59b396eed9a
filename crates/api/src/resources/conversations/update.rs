//! `PATCH /api/v1/conversations/{id}` (`docs/contract.md#conversations`).
#![expect(
    clippy::option_option,
    reason = "a field is omitted, null or a value; and it may be invalid"
)]

use super::{ConversationPath, problem, record, sample_record};
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::conversation::ConversationRecord;
use api_types::schema::{IdOf, Instant, OneOf};
use domain::id::{self, MemberId};
use domain::inbox::{
    ConversationStatus, InboxChange, InboxStatus, InvalidSnooze, Labels, MAX_LABELS, parse_label,
};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::time::Timestamp;
use domain::violation::{Fault, Field, Violations};
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use service::inbox;

/// Changes a conversation.
pub struct UpdateConversation;

/// The fields to change. Fields that are omitted stay as they are.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateConversation")]
pub struct UpdateConversationBody {
    /// The status.
    #[schemars(with = "Option<OneOf<ConversationStatus>>")]
    status: Option<String>,
    /// When the conversation opens again, at most 365 days ahead. Required with the status `snoozed`.
    #[schemars(with = "Option<Instant>")]
    snoozed_until: Option<String>,
    /// The id of the member who answers; null for nobody.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<IdOf<id::Member>>")]
    assignee_id: Option<Option<String>>,
    /// The labels, which replace the present ones. A label has 1 to 50 characters.
    #[schemars(length(max = MAX_LABELS))]
    labels: Option<Vec<String>>,
}

/// Reads a field that is present, also if it is null. A field that is omitted is `None`.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl Operation for UpdateConversation {
    const ID: &'static str = "update_conversation";
    const SUMMARY: &'static str = "Change a conversation.";
    const DESCRIPTION: &'static str = "\
Changes the status, the assignee or the labels, and returns the conversation. A change records the event
`conversation.updated`; a request that changes nothing records none.

A message from the contact opens the conversation, whatever its status is. A snoozed conversation also opens at
`snoozed_until`.";
    const METHOD: Method = Method::PATCH;
    const PATH: &'static str = "/api/v1/conversations/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsWrite);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = ConversationPath;
    type Input = UpdateConversationBody;
    type Reply = ConversationRecord;

    fn example() -> ExampleOf<Self> {
        let input = UpdateConversationBody {
            status: Some(ConversationStatus::Open.as_str().to_owned()),
            labels: Some(Vec::new()),
            ..UpdateConversationBody::default()
        };
        let reply = sample_record();
        Example { path: ConversationPath::sample(), input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ConversationRecord>, Problem> {
        let now = call.now;
        let change = call.parse(|body, faults| body.parse(now, faults))?;
        let id = call.path.parse()?;
        let (reader, account) = (call.caller.reader(), call.bound_account());
        let found = inbox::update(&call.deps, reader, account, id, change).await;
        Answer::new(Self::SUCCESS, &record(&found.map_err(problem)?)?)
    }
}

impl UpdateConversationBody {
    fn parse(&self, now: Timestamp, faults: &mut Violations) -> Option<InboxChange> {
        let status = self.status(now, faults);
        let assignee = self.assignee(faults);
        let labels = match &self.labels {
            Some(labels) => parse_labels(labels, faults).map(Some),
            None => Some(None),
        };
        Some(InboxChange { status: status?, assignee: assignee?, labels: labels? })
    }

    fn status(&self, now: Timestamp, faults: &mut Violations) -> Option<Option<InboxStatus>> {
        let at = Field::root("snoozed_until");
        let until = match self.snoozed_until.as_deref() {
            Some(text) => Some(parse_time(text, &at, faults)?),
            None => None,
        };
        let Some(word) = self.status.as_deref() else {
            if until.is_some() {
                faults.add(&at, Fault::NotAllowed, InvalidSnooze::NotSnoozed.to_string());
                return None;
            }
            return Some(None);
        };
        let status: ConversationStatus = faults.word(&Field::root("status"), word)?;
        match InboxStatus::parse(status, until, now) {
            Ok(status) => Some(Some(status)),
            Err(wrong) => {
                let fault = match wrong {
                    InvalidSnooze::Missing => Fault::Required,
                    InvalidSnooze::NotSnoozed => Fault::NotAllowed,
                    InvalidSnooze::Past | InvalidSnooze::TooFar => Fault::OutOfRange,
                };
                faults.add(&at, fault, wrong.to_string());
                None
            }
        }
    }

    fn assignee(&self, faults: &mut Violations) -> Option<Option<Option<MemberId>>> {
        match &self.assignee_id {
            None => Some(None),
            Some(None) => Some(Some(None)),
            Some(Some(text)) => match text.parse() {
                Ok(id) => Some(Some(Some(id))),
                Err(wrong) => {
                    let wrong: id::InvalidId = wrong;
                    let at = Field::root("assignee_id");
                    faults.add(&at, Fault::InvalidFormat, wrong.to_string());
                    None
                }
            },
        }
    }
}

fn parse_labels(labels: &[String], faults: &mut Violations) -> Option<Labels> {
    let at = Field::root("labels");
    let mut parsed = Vec::with_capacity(labels.len());
    for (place, label) in labels.iter().enumerate() {
        match parse_label(label) {
            Ok(label) => parsed.push(label),
            Err(wrong) => faults.add(&at.index(place), Fault::InvalidFormat, wrong.to_string()),
        }
    }
    let is_complete = parsed.len() == labels.len();
    match Labels::new(parsed) {
        Ok(labels) => is_complete.then_some(labels),
        Err(wrong) => {
            faults.add(&at, Fault::TooLong, wrong.to_string());
            None
        }
    }
}

/// Parses a time of a request.
pub(super) fn parse_time(text: &str, at: &Field<'_>, faults: &mut Violations) -> Option<Timestamp> {
    let time = Timestamp::parse(text);
    if time.is_none() {
        let message = "must be an RFC 3339 time, such as 2026-11-21T09:05:07Z";
        faults.add(at, Fault::InvalidFormat, message);
    }
    time
}
