//! One example of each kind of event, for the reference.

use super::Envelope;
use crate::sample::{
    self, ACCOUNT, ACCOUNT_NUMBER, AGENT, CONNECTION, CONTACT, CONVERSATION, ENDPOINT, EVENT, KEY,
    LANGUAGE, MEMBER, MERGED_CONTACT, MERGED_CONVERSATION, MESSAGE, ORGANIZATION, TEMPLATE,
    TEMPLATE_NAME, TURN, later, noon,
};
use domain::account::{ChannelKind, HealthReason, HealthState, HealthSummary};
use domain::agent::TurnState;
use domain::connection::{EXPIRY_NOTICE, EndReason};
use domain::contact::{ContactChange, ContactMerge, ContactSnapshot, Identity};
use domain::conversation::{Agent, MessageSource, WINDOW_NOTICE};
use domain::event::{
    AccountSnapshot, ClosingWindow, ConnectionSnapshot, ConversationUpdate, EndpointSnapshot,
    EventKind, EventPayload, HandoverRequest, KeyExpiry, TemplateChange, Topic, TurnSnapshot,
};
use domain::id::SubjectId;
use domain::inbox::{AgentStatus, InboxChange, InboxState, InboxStatus, PausingMessage};
use domain::keyword::Keyword as _;
use domain::message::ScheduleState;
use domain::plan::{Meter, Usage};
use domain::scope::Scope;
use domain::template::{ChangedPart, TemplateStatus};
use domain::webhook::{EndpointHealth, MAX_FAILING_TIME};
use persistence::Document;
use persistence::content::event_data::encode;
use persistence::records::{Event, EventWithSubject, Subject};
use std::sync::Arc;

/// Returns an example of that kind of event, built by the code that builds real events.
#[must_use]
pub fn example(kind: EventKind) -> Envelope {
    let mut event = row(kind);
    let mut subject = None;
    match kind.topic() {
        Topic::Message(status) => {
            let row = sample::message(status);
            event.subject = Some(SubjectId::from_uuid(*row.id.uuid()));
            subject = Some(Subject::Message(Arc::new(row)));
        }
        Topic::MessageRevision => {
            let row = match kind {
                EventKind::MessageTranscribed => sample::voice_message(),
                kind => sample::revised_message(kind == EventKind::MessageDeleted),
            };
            event.subject = Some(SubjectId::from_uuid(*row.id.uuid()));
            subject = Some(Subject::Message(Arc::new(row)));
        }
        Topic::Conversation(agent) => {
            subject = Some(Subject::Conversation(Arc::new(sample::conversation())));
            if agent == Agent::Paused {
                let paused = Some(Box::new(paused_by_member()));
                event.data = stored(&EventPayload::Conversation(CONVERSATION, None, paused));
            }
        }
        Topic::Contact => {
            event.data = stored(&EventPayload::Contact(Box::new(contact_change().now)));
        }
        Topic::ContactUpdate => {
            event.data = stored(&EventPayload::ContactUpdate(Box::new(contact_change())));
        }
        Topic::ContactDeletion => {
            event.data = stored(&EventPayload::ContactDeletion(CONTACT, CONVERSATION));
        }
        Topic::ContactMerge => {
            event.data = stored(&EventPayload::ContactMerge(ContactMerge {
                contact: CONTACT,
                merged_contact: MERGED_CONTACT,
                conversation: CONVERSATION,
                merged_conversation: MERGED_CONVERSATION,
            }));
        }
        Topic::ConversationUpdate => {
            event.data = stored(&EventPayload::ConversationUpdate(Box::new(conversation_update())));
        }
        Topic::ConversationWindow => {
            let closing = ClosingWindow {
                conversation: CONVERSATION,
                contact: contact_change().now,
                closes_at: event.at.plus(WINDOW_NOTICE),
            };
            event.data = stored(&EventPayload::ConversationWindow(Box::new(closing)));
        }
        Topic::ScheduledMessage => {
            let canceled = sample::scheduled_message(ScheduleState::Canceled);
            event.data = stored(&EventPayload::ScheduledMessage(Box::new(canceled)));
        }
        Topic::Note => {
            event.data = stored(&EventPayload::Note(Box::new(sample::note())));
        }
        Topic::Handover => {
            event.data = stored(&EventPayload::Handover(Box::new(handover())));
        }
        Topic::Turn => {
            event.data = stored(&EventPayload::Turn(Box::new(turn())));
        }
        Topic::Template => {
            event.data = stored(&EventPayload::Template(Box::new(template(kind).snapshot())));
        }
        Topic::TemplateChange => {
            event.data = stored(&EventPayload::TemplateChange(Box::new(template_change())));
        }
        Topic::Account => {
            event.data = stored(&EventPayload::Account(Box::new(account())));
        }
        Topic::Connection => {
            let connection = connection(kind);
            event.connection_id = Some(connection.id);
            event.data = stored(&EventPayload::Connection(Box::new(connection)));
        }
        Topic::Plan => {
            event.account_id = None;
            let usage = Usage { limit: Some(1000), used: 1000, resets_at: later(43_200_000) };
            event.data = stored(&EventPayload::Limit(Meter::ApiCalls, usage));
        }
        Topic::Endpoint => {
            event.account_id = None;
            event.endpoint_id = Some(ENDPOINT);
        }
        Topic::Key => {
            let key = KeyExpiry {
                id: KEY,
                client_id: sample::CLIENT_ID.to_owned(),
                name: "Acme CRM".to_owned(),
                connection: CONNECTION,
                expires_at: later(3000).plus(EXPIRY_NOTICE),
            };
            event.connection_id = Some(key.connection);
            event.data = stored(&EventPayload::Key(Box::new(key)));
        }
        Topic::EndpointHealth => {
            event.account_id = None;
            event.endpoint_id = Some(ENDPOINT);
            event.data = stored(&EventPayload::EndpointHealth(Box::new(endpoint(kind))));
        }
    }
    let person = matches!(subject, Some(Subject::Message(_))).then(|| Arc::new(sample::contact()));
    let connection = event.connection_id;
    Envelope::from(EventWithSubject { event, subject, person, connection })
}

/// Returns an event of that kind, without a subject and without data.
fn row(kind: EventKind) -> Event {
    Event {
        organization_id: ORGANIZATION,
        sequence: 1024,
        id: EVENT,
        kind,
        account_id: Some(ACCOUNT),
        subject: None,
        connection_id: None,
        endpoint_id: None,
        data: None,
        at: later(3000),
        contact: None,
    }
}

fn endpoint(kind: EventKind) -> EndpointSnapshot {
    let failing = EndpointHealth { disabled: None, failing_since: Some(noon()) };
    let health = match kind {
        EventKind::EndpointRecovered => EndpointHealth::default(),
        EventKind::EndpointDisabled => failing.at(noon().plus(MAX_FAILING_TIME)),
        _ => failing,
    };
    EndpointSnapshot {
        id: ENDPOINT,
        url: "https://example.com/webhooks/switchboard".to_owned(),
        description: None,
        health,
    }
}

fn contact_change() -> ContactChange {
    let (id, account, created_at) = (CONTACT, ACCOUNT, noon());
    let (identity, opted_out_at) = (sample::identity(), None);
    let now = ContactSnapshot { id, account, identity, opted_out_at, created_at };
    let before = Identity { phone_number: None, ..sample::identity() };
    ContactChange { now, before, opted_out_before: None }
}

fn conversation_update() -> ConversationUpdate {
    let before = InboxState::new();
    let change = InboxChange { status: Some(InboxStatus::Closed), ..InboxChange::default() };
    let now = before.clone().apply(change, later(3000));
    let agent = AgentStatus::new(Agent::Running);
    ConversationUpdate { id: CONVERSATION, account: ACCOUNT, contact: CONTACT, before, now, agent }
}

fn paused_by_member() -> AgentStatus {
    let by = Some(MEMBER);
    AgentStatus::paused_by(PausingMessage { source: MessageSource::Inbox, at: later(3000), by })
}

fn template_change() -> TemplateChange {
    TemplateChange {
        id: TEMPLATE,
        account: ACCOUNT,
        name: TEMPLATE_NAME.to_owned(),
        language: LANGUAGE.to_owned(),
        part: ChangedPart::Category,
        previous: Some(r#""utility""#.to_owned()),
        current: r#""marketing""#.to_owned(),
    }
}

fn account() -> AccountSnapshot {
    let health = HealthSummary {
        state: HealthState::Held,
        reason: Some(HealthReason::TokenRefused),
        message: Some("Error validating access token: Session has expired. (190)".to_owned()),
        since: Some(noon()),
        quality: None,
        limit: Some("TIER_1K".to_owned()),
        pace: None,
    };
    AccountSnapshot {
        id: ACCOUNT,
        phone_number: ACCOUNT_NUMBER.to_owned(),
        display_name: "Acme Shop".to_owned(),
        channel: ChannelKind::CloudApi,
        health,
    }
}

fn template(kind: EventKind) -> persistence::records::Template {
    let is_of = |status: &&TemplateStatus| EventKind::from_template_status(**status) == Some(kind);
    let status = TemplateStatus::ALL.iter().find(is_of);
    sample::template(status.copied().unwrap_or(TemplateStatus::Pending))
}

fn connection(kind: EventKind) -> ConnectionSnapshot {
    let ending = (kind == EventKind::ConnectionDisconnected).then_some(EndReason::Business);
    ConnectionSnapshot {
        id: CONNECTION,
        application: "swa_4QfHs9Dk2LmWxTz6BvNc8R".to_owned(),
        application_name: "Partner CRM".to_owned(),
        client_id: "swk_8JmLq2Zt5XcVbNa7RkYw3P".to_owned(),
        account: Some(ACCOUNT),
        scopes: [Scope::MessagesSend, Scope::ConversationsRead]
            .map(|it| it.as_str().to_owned())
            .into(),
        connected_at: noon(),
        ended_at: ending.map(|_| later(3000)),
        ending,
    }
}

/// Encodes the data of an event as it is stored. A failure is not handled, because an example
/// without data fails the test below.
fn stored(payload: &EventPayload) -> Option<Document> {
    encode(payload).ok().flatten().map(Document)
}

fn handover() -> HandoverRequest {
    HandoverRequest {
        conversation: CONVERSATION,
        agent: Some(AGENT),
        turn: Some(TURN),
        reason: "The customer wants a refund.".to_owned(),
        summary: Some("Order 1042 arrived broken; the customer sent a picture.".to_owned()),
    }
}

fn turn() -> TurnSnapshot {
    TurnSnapshot {
        id: TURN,
        agent: AGENT,
        conversation: CONVERSATION,
        state: TurnState::Answered,
        reason: None,
        messages: vec![MESSAGE],
        tokens: Some(412),
        took_ms: Some(1830),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use persistence::content::event_data::ContactData;
    use serde_json::Value;

    #[test]
    fn every_kind_has_an_example_with_data() {
        for kind in EventKind::ALL.iter().copied() {
            let shown = serde_json::to_value(example(kind)).unwrap();
            assert_eq!(shown["type"], kind.as_str());
            assert!(shown["data"].is_object(), "{shown}");
            let text = shown.to_string();
            assert!(!text.contains("secret") && !text.contains("digest"), "{text}");
        }
    }

    #[test]
    fn an_event_tells_of_a_template_what_the_api_does() {
        let row = template(EventKind::TemplateRejected);
        let stored = encode(&EventPayload::Template(Box::new(row.snapshot()))).unwrap().unwrap();
        let shown = serde_json::to_string(&crate::template::TemplateRecord::from(&row)).unwrap();
        assert_eq!(stored, shown);
    }

    #[test]
    fn an_event_tells_of_a_contact_what_the_api_does_and_what_changed() {
        let changed = serde_json::to_value(example(EventKind::ContactUpdated)).unwrap();
        let mut shown = serde_json::to_value(ContactData::from(&sample::contact())).unwrap();
        shown["previous"] = serde_json::json!({ "phone_number": null });
        assert_eq!(changed["data"], shown);
    }

    #[test]
    fn what_is_stored_has_the_fields_of_its_schema() {
        for kind in EventKind::ALL.iter().copied() {
            let mut schemas = schemars::SchemaGenerator::default();
            let schema = super::super::schema_of(kind.topic(), &mut schemas).to_value();
            let name = schema["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
            let schema = &schemas.definitions()[name];
            let shown = serde_json::to_value(example(kind)).unwrap();
            let shown: Vec<&String> = shown["data"].as_object().unwrap().keys().collect();
            let known = schema["properties"].as_object().unwrap();
            assert!(shown.iter().all(|field| known.contains_key(*field)), "{kind}: {shown:?}");
            let required = schema["required"].as_array().unwrap();
            let missing = |field: &&Value| !shown.iter().any(|it| *it == field.as_str().unwrap());
            assert_eq!(required.iter().filter(missing).count(), 0, "{kind}: {shown:?}");
        }
    }

    #[test]
    fn an_example_of_a_message_stands_where_its_kind_says() {
        let shown = |kind| serde_json::to_value(example(kind)).unwrap()["data"].clone();
        let delivered = shown(EventKind::MessageDelivered);
        assert_eq!(delivered["status"], "delivered");
        assert_eq!(delivered["delivered_at"], "2026-11-21T12:00:01.038Z");
        assert_eq!(delivered["read_at"], Value::Null);
        assert_eq!(shown(EventKind::MessageFailed)["error"]["code"], "recipient_unreachable");
        assert_eq!(shown(EventKind::TemplateRejected)["rejection_reason"], "promotional");
        assert_eq!(shown(EventKind::ConnectionDisconnected)["reason"], "business");
    }
}
