//! Events, as `GET /events` and webhooks show them: one envelope for all kinds
//! (`docs/contract.md#events`).

mod example;
mod record;

pub use example::example;

use crate::contact::{Person, message_contact};
use crate::message::MessageRecord;
use crate::schema::{IdOf, Instant, PREFIX};
use crate::template::TemplateRecord;
use domain::event::{EventKind, Topic};
use domain::id;
use domain::keyword::Keyword as _;
use domain::message::{MessageProgress, MessageStatus};
use domain::revision::Revisions;
use domain::time::Timestamp;
use persistence::Document;
use persistence::content::event_data::{
    AccountData, ClosingWindowData, ConnectionData, ContactData, ContactDeletionData,
    ContactMergeData, ContactUpdateData, ConversationUpdateData, EndpointHealthData, HandoverData,
    KeyExpiryData, LimitData, MessageContactData, NoteData, ScheduledMessageData,
    TemplateChangeData, TurnData,
};
use persistence::content::{StoredContent, revisions};
use persistence::records::{Contact, Event, EventWithSubject, Message, Subject};
use record::{ConversationData, EndpointData};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// An event, as `GET /events` and webhooks show it.
#[derive(Debug, Serialize)]
pub struct Envelope {
    id: IdOf<id::Event>,
    #[serde(rename = "type")]
    kind: &'static str,
    timestamp: Instant,
    organization_id: IdOf<id::Organization>,
    account_id: Option<IdOf<id::Account>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connection_id: Option<IdOf<id::Connection>>,
    sequence: i64,
    data: EventDataJson,
}

impl Envelope {
    /// Returns the event as JSON, as a webhook delivery carries it. All attempts send the same
    /// body.
    ///
    /// # Errors
    ///
    /// The event cannot be written as JSON, which is an error in this program.
    pub fn body(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// Returns the position of the event among the organization's events.
    #[must_use]
    pub const fn sequence(&self) -> i64 {
        self.sequence
    }
}

/// The data of an event, by its topic.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum EventDataJson {
    Message(Box<MessageRecord>),
    Conversation(Box<ConversationData>),
    Contact(Box<ContactData>),
    Endpoint(EndpointData),
    /// The data that was stored with the event.
    Kept(Box<RawValue>),
    /// Data that should exist but is missing. An event without its data is better than a gap in the
    /// sequence.
    Missing,
}

impl From<EventWithSubject> for Envelope {
    fn from(recorded: EventWithSubject) -> Self {
        let Event { organization_id, sequence, id, kind, account_id, at, .. } = recorded.event;
        Self {
            id: IdOf(id),
            kind: kind.as_str(),
            timestamp: Instant(at),
            organization_id: IdOf(organization_id),
            account_id: account_id.map(IdOf),
            connection_id: recorded.connection.map(IdOf),
            sequence,
            data: payload(recorded),
        }
    }
}

fn payload(recorded: EventWithSubject) -> EventDataJson {
    let EventWithSubject { event, subject, person, .. } = recorded;
    let payload = match (event.kind.topic(), subject) {
        (Topic::Message(status), Some(Subject::Message(row))) => {
            let person = person_then(&event, person.as_deref(), &row);
            Some(EventDataJson::Message(Box::new(snapshot_at(&row, person, status, event.at))))
        }
        (Topic::MessageRevision, Some(Subject::Message(row))) => {
            let person = person_then(&event, person.as_deref(), &row);
            let row = saying(&row, |it| it.known_at(event.at));
            Some(EventDataJson::Message(Box::new(MessageRecord::from_row_with_contact(
                &row, person,
            ))))
        }
        (Topic::Conversation(agent), Some(Subject::Conversation(row))) => {
            let mut data = ConversationData::from_conversation(&row, agent);
            if let Some(stored) = &event.data {
                data = data.with_agent(stored);
            }
            let then = event.contact.as_ref().map(|it| data.clone().then(it));
            Some(EventDataJson::Conversation(Box::new(then.unwrap_or(data))))
        }
        // Older events do not store the contact.
        (Topic::Contact, Some(Subject::Conversation(row))) if event.data.is_none() => {
            Some(EventDataJson::Contact(Box::new(ContactData::from(&row.contact))))
        }
        (
            Topic::Contact
            | Topic::ContactUpdate
            | Topic::ContactMerge
            | Topic::ContactDeletion
            | Topic::ConversationUpdate
            | Topic::Note
            | Topic::Handover
            | Topic::Turn
            | Topic::ScheduledMessage
            | Topic::ConversationWindow
            | Topic::Template
            | Topic::TemplateChange
            | Topic::Account
            | Topic::Connection
            | Topic::EndpointHealth
            | Topic::Key
            | Topic::Plan,
            _,
        ) => {
            let kept = event.data.map(|data| RawValue::from_string(data.0));
            kept.and_then(Result::ok).map(EventDataJson::Kept)
        }
        (Topic::Endpoint, _) => {
            event.endpoint_id.map(|id| EventDataJson::Endpoint(EndpointData::from_id(id)))
        }
        (Topic::Message(_) | Topic::MessageRevision | Topic::Conversation(_), _) => None,
    };
    payload.unwrap_or_else(|| {
        tracing::error!(event = %event.id, kind = %event.kind, "the data of an event is missing");
        EventDataJson::Missing
    })
}

/// Returns the contact of a message as known when the event was recorded. Events of the previous
/// version do not store the contact. For them, the contact is returned as known now.
fn person_then(event: &Event, now: Option<&Contact>, row: &Message) -> Person {
    let then = event.contact.as_ref().map(|it| RawValue::from_string(it.0.clone()));
    if let Some(Ok(then)) = then {
        return Person::Rendered(then.into());
    }
    let unknown = || MessageContactData::unknown(row.contact_id);
    now.map_or_else(unknown, message_contact).into()
}

/// Returns a message as it was when it reached `status` at `at`. One field may be newer: the URL of
/// a file that a contact sent is shown even if the file had not been fetched at that time.
fn snapshot_at(
    row: &Message,
    person: Person,
    status: MessageStatus,
    at: Timestamp,
) -> MessageRecord {
    let is_before_changes =
        matches!(status, MessageStatus::Received | MessageStatus::Queued | MessageStatus::Sent);
    let row = saying(row, |it| if is_before_changes { it.first() } else { it.known_at(at) });
    let now = MessageProgress {
        status: row.status,
        sent_at: row.sent_at,
        delivered_at: row.delivered_at,
        read_at: row.read_at,
        error: None,
    };
    MessageRecord::from_row_with_contact(&row, person).standing(&now.when(status))
}

/// Returns a message with only the revisions that `then` keeps, and with the content after the last
/// of them.
fn saying(
    row: &Message,
    then: impl FnOnce(Revisions<StoredContent>) -> Revisions<StoredContent>,
) -> Cow<'_, Message> {
    let Some(changes) = &row.changes else { return Cow::Borrowed(row) };
    let then = revisions::decode(&changes.0).map(then).map_err(|error| error.to_string());
    let written =
        then.and_then(|it| Ok((revisions::encode(&it).map_err(|error| error.to_string())?, it)));
    let (changes, then) = match written {
        Ok(written) => written,
        Err(error) => {
            tracing::error!(%error, message = %row.id, "the stored revisions of a message cannot be parsed");
            return Cow::Borrowed(row);
        }
    };
    let mut row = row.clone();
    if let Some(last) = then.versions().last() {
        row.kind = last.content.kind;
        row.content = Document(last.content.document.clone());
    }
    row.changes = Some(Document(changes));
    Cow::Owned(row)
}

fn schema_of(topic: Topic, schemas: &mut SchemaGenerator) -> Schema {
    match topic {
        Topic::Message(_) | Topic::MessageRevision => schemas.subschema_for::<MessageRecord>(),
        Topic::Template => schemas.subschema_for::<TemplateRecord>(),
        Topic::TemplateChange => schemas.subschema_for::<TemplateChangeData>(),
        Topic::Account => schemas.subschema_for::<AccountData>(),
        Topic::Conversation(_) => schemas.subschema_for::<ConversationData>(),
        Topic::Contact => schemas.subschema_for::<ContactData>(),
        Topic::ContactUpdate => schemas.subschema_for::<ContactUpdateData>(),
        Topic::ContactMerge => schemas.subschema_for::<ContactMergeData>(),
        Topic::ContactDeletion => schemas.subschema_for::<ContactDeletionData>(),
        Topic::ConversationUpdate => schemas.subschema_for::<ConversationUpdateData>(),
        Topic::Note => schemas.subschema_for::<NoteData>(),
        Topic::Handover => schemas.subschema_for::<HandoverData>(),
        Topic::Turn => schemas.subschema_for::<TurnData>(),
        Topic::ConversationWindow => schemas.subschema_for::<ClosingWindowData>(),
        Topic::ScheduledMessage => schemas.subschema_for::<ScheduledMessageData>(),
        Topic::Connection => schemas.subschema_for::<ConnectionData>(),
        Topic::Plan => schemas.subschema_for::<LimitData>(),
        Topic::Endpoint => schemas.subschema_for::<EndpointData>(),
        Topic::EndpointHealth => schemas.subschema_for::<EndpointHealthData>(),
        Topic::Key => schemas.subschema_for::<KeyExpiryData>(),
    }
}

/// Returns the name of the schema of a kind of event, such as `MessageDeliveredEvent`.
#[must_use]
pub fn schema_name(kind: EventKind) -> String {
    let words = kind.as_str().split(['.', '_']).map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    words.collect::<String>() + "Event"
}

/// Returns the schema with `what` as its description.
fn described(
    schemas: &mut SchemaGenerator,
    what: &str,
    schema: fn(&mut SchemaGenerator) -> Schema,
) -> Schema {
    let mut schema = schema(schemas);
    schema.insert("description".to_owned(), what.into());
    schema
}

/// Returns the schema of the whole envelope of one kind, with its constant `type` and its `data`.
fn schema_of_kind(kind: EventKind, schemas: &mut SchemaGenerator) -> Schema {
    let data = schema_of(kind.topic(), schemas);
    json_schema!({
        "description": kind.plain_description(),
        "type": "object",
        "properties": {
            "id": described(schemas, "The id of the event, the same in every delivery.", IdOf::<id::Event>::json_schema),
            "type": { "description": "The kind of event.", "type": "string", "const": kind.as_str() },
            "timestamp": described(schemas, "When the event was recorded.", Instant::json_schema),
            "organization_id": described(schemas, "The organization that the event belongs to.", IdOf::<id::Organization>::json_schema),
            "account_id": described(schemas, "The account that the event concerns; null if it concerns none or several.", Option::<IdOf<id::Account>>::json_schema),
            "connection_id": described(schemas, "The connection that the event concerns, or through which an application receives it; omitted otherwise.", IdOf::<id::Connection>::json_schema),
            "sequence": { "description": "The position of the event among the organization's events, from 1 and without gaps.", "type": "integer", "format": "int64", "minimum": 1 },
            "data": data,
        },
        "required": ["id", "type", "timestamp", "organization_id", "account_id", "sequence", "data"],
    })
}

/// Written by hand, because `type` decides what `data` contains, and the list of events is in the
/// domain.
///
/// Each branch is complete and is identified by the constant in `type`. There is no
/// `discriminator`: JSON Schema does not need one, and the Rust clients of `openapi-generator`
/// cannot read a union that has both (its issues 22018 and 22344).
impl JsonSchema for Envelope {
    fn schema_name() -> Cow<'static, str> {
        "Event".into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        let mut branches = Vec::with_capacity(EventKind::ALL.len());
        for kind in EventKind::ALL.iter().copied() {
            let (name, schema) = (schema_name(kind), schema_of_kind(kind, schemas));
            branches.push(json!({ "$ref": format!("{PREFIX}{name}") }));
            schemas.definitions_mut().insert(name, schema.to_value());
        }
        json_schema!({ "description": "An event. `type` decides what `data` contains.", "oneOf": branches })
    }
}
