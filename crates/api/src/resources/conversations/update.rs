//! `PATCH /api/v1/conversations/{id}` (`docs/contract.md#conversations`).
#![expect(
    clippy::option_option,
    reason = "a field is omitted, null or a value; and it may be invalid"
)]

use super::{ConversationPath, add_unknown_assignee, problem, record, sample_record};
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::conversation::ConversationRecord;
use api_types::schema::{IdOf, Instant, OneOf};
use domain::id;
use domain::inbox::{
    ConversationStatus, InboxChange, InboxStatus, InvalidSnooze, LabelChange, Labels, MAX_LABELS,
    parse_label,
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
    /// The id of the member to assign the conversation to; null for nobody.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<IdOf<id::Member>>")]
    assignee_id: Option<Option<String>>,
    /// The labels, which replace all present labels. A label has 1 to 50 characters.
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
        let assignee = call.input.assignee_id.as_ref().and_then(Option::as_deref);
        let is_unknown = match assignee.and_then(|id| id.parse().ok()) {
            Some(member) => !inbox::is_member(&call.deps, call.organization(), member).await?,
            None => false,
        };
        let change = call.parse(|body, faults| {
            if is_unknown {
                add_unknown_assignee(faults);
            }
            Some(body.parse(now, faults))
        })?;
        let id = call.path.parse()?;
        let (reader, account) = (call.caller.reader(), call.bound_account());
        let found = inbox::update(&call.deps, reader, account, id, change).await;
        Answer::new(Self::SUCCESS, &record(&found.map_err(problem)?)?)
    }
}

impl UpdateConversationBody {
    /// Parses the fields. The change counts only if there are no faults.
    fn parse(&self, now: Timestamp, faults: &mut Violations) -> InboxChange {
        let assignee = self
            .assignee_id
            .as_ref()
            .map(|id| faults.optional_id(&Field::root("assignee_id"), id.as_deref()));
        let labels =
            self.labels.as_ref().map(|labels| LabelChange::Replace(parse_labels(labels, faults)));
        let status = self.status(now, faults);
        InboxChange { status, assignee, labels, ..InboxChange::default() }
    }

    fn status(&self, now: Timestamp, faults: &mut Violations) -> Option<InboxStatus> {
        let at = Field::root("snoozed_until");
        let status = faults.optional_word(&Field::root("status"), self.status.as_deref());
        let until = faults.optional_time(&at, self.snoozed_until.as_deref());
        let Some(status) = status else {
            if self.snoozed_until.is_some() && self.status.is_none() {
                faults.add(&at, Fault::NotAllowed, InvalidSnooze::NotSnoozed.to_string());
            }
            return None;
        };
        match InboxStatus::parse(status, until, now) {
            Ok(status) => Some(status),
            // The fault of a time that cannot be parsed is already known.
            Err(InvalidSnooze::Missing) if self.snoozed_until.is_some() => None,
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
}

fn parse_labels(labels: &[String], faults: &mut Violations) -> Labels {
    let at = Field::root("labels");
    let mut parsed = Vec::with_capacity(labels.len());
    for (place, label) in labels.iter().enumerate() {
        match parse_label(label) {
            Ok(label) => parsed.push(label),
            Err(wrong) => faults.add(&at.index(place), Fault::InvalidFormat, wrong.to_string()),
        }
    }
    Labels::new(parsed).unwrap_or_else(|wrong| {
        faults.add(&at, Fault::TooLong, wrong.to_string());
        Labels::default()
    })
}
