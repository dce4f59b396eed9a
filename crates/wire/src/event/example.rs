//! One event of each kind, as the reference shows it.

use super::{Envelope, snapshot_at};
use domain::connection::EndReason;
use domain::content::MessageKind;
use domain::conversation::Source;
use domain::event::{ConnectionSnapshot, EventKind, Payload, Topic};
use domain::id::{Id, SubjectId};
use domain::keyword::Keyword as _;
use domain::message::{Direction, Failure, Status};
use domain::plan::{Meter, Usage};
use domain::scope::Scope;
use domain::template::{Category, ParameterFormat, RejectionReason, TemplateStatus};
use domain::time::Timestamp;
use persistence::Document;
use persistence::event_data::encode;
use persistence::rows::{
    Conversation, Event, EventWithSubject, Message, NewMessage, Subject, Template,
};
use std::time::Duration;

/// 2026-11-21T12:00:00Z.
const NOON: i64 = 1_795_262_400;

fn noon() -> Timestamp {
    Timestamp::from_seconds(NOON)
}

fn later(seconds: u64) -> Timestamp {
    noon().plus(Duration::from_secs(seconds))
}

/// An id that looks like any other.
fn id<K>(number: u8) -> Id<K> {
    Id::new(noon(), [number.wrapping_mul(37), 91, 4, 178, number, 219, 66, 13, 150, 88])
}

/// An event of that kind, made by what makes the real ones.
#[must_use]
pub fn example(kind: EventKind) -> Envelope {
    let mut event = Event {
        organization_id: id(1).into(),
        sequence: 1024,
        id: id(2).into(),
        kind: kind.into(),
        account_id: Some(id(3).into()),
        subject: None,
        connection_id: None,
        endpoint_id: None,
        data: None,
        at: later(3).into(),
    };
    let mut subject = None;
    match kind.topic() {
        Topic::Message(status) => {
            let row = message(status);
            event.subject = Some(SubjectId::from_uuid(*row.id.uuid()).into());
            subject = Some(Subject::Message(Box::new(row)));
        }
        Topic::Conversation(_) | Topic::Contact => {
            subject = Some(Subject::Conversation(Box::new(conversation())));
        }
        Topic::Template => {
            event.data = stored(&Payload::Template(Box::new(template(kind).snapshot())));
        }
        Topic::Connection => {
            let connection = connection(kind);
            event.connection_id = Some(connection.id.into());
            event.data = stored(&Payload::Connection(Box::new(connection)));
        }
        Topic::Plan => {
            event.account_id = None;
            let usage = Usage { limit: Some(1000), used: 1000, resets_at: later(43_200) };
            event.data = stored(&Payload::Limit(Meter::ApiCalls, usage));
        }
        Topic::Endpoint => {
            event.account_id = None;
            event.endpoint_id = Some(id(9).into());
        }
    }
    Envelope::from(EventWithSubject { event, subject })
}

fn message(status: Status) -> Message {
    let inbound = status == Status::Received;
    let failed = status == Status::Failed;
    let row = NewMessage {
        id: id(4),
        organization: id(1),
        account: id(3),
        conversation: id(5),
        contact: id(6),
        position: 1,
        direction: if inbound { Direction::Inbound } else { Direction::Outbound },
        source: if inbound { Source::Customer } else { Source::Api },
        kind: MessageKind::Text,
        content: Document(r#"{"text":"Your order is on its way."}"#.to_owned()),
        status,
        at: noon(),
    };
    let row = Message {
        failure: failed.then(|| Failure::RecipientUnreachable.into()),
        failure_message: failed.then(|| "Message undeliverable".to_owned()),
        failure_code: failed.then_some(131_026),
        client_ref: (!inbound).then(|| "order-1024".to_owned()),
        sent_at: Some(later(1).into()),
        delivered_at: Some(later(2).into()),
        read_at: Some(later(3).into()),
        ..row.into()
    };
    snapshot_at(row, status)
}

fn conversation() -> Conversation {
    Conversation {
        id: id(5).into(),
        organization_id: id(1).into(),
        account_id: id(3).into(),
        contact_id: id(6).into(),
        phone_number: "+12025550123".to_owned(),
        agent_paused: false,
        message_count: 1,
        last_message_at: noon().into(),
        last_inbound_at: None,
        created_at: noon().into(),
        outbox_due_at: None,
        agent_paused_by: None,
    }
}

fn template(kind: EventKind) -> Template {
    let mut came = TemplateStatus::Pending;
    for status in TemplateStatus::ALL {
        if EventKind::of_template(*status) == Some(kind) {
            came = *status;
        }
    }
    let rejected = came == TemplateStatus::Rejected;
    Template {
        id: id(7).into(),
        organization_id: id(1).into(),
        account_id: id(3).into(),
        name: "order_update".to_owned(),
        language: "en".to_owned(),
        category: Category::Utility.into(),
        status: came.into(),
        rejection_reason: rejected.then(|| RejectionReason::Promotional.into()),
        rejection_detail: rejected.then(|| "It reads like an advertisement.".to_owned()),
        parameter_format: ParameterFormat::Positional.into(),
        components: Document(
            r#"[{"type":"BODY","text":"Your order {{1}} is on its way.","example":{"body_text":[["1024"]]}}]"#
                .to_owned(),
        ),
        external_id: Some("594425479261596".to_owned()),
        submitted_at: Some(noon().into()),
        reviewed_at: (came != TemplateStatus::Pending).then(|| later(3).into()),
        created_at: noon().into(),
        updated_at: later(3).into(),
        submission_due_at: None,
        submission_attempts: 1.into(),
        message_send_ttl_seconds: None,
        quality: None,
    }
}

fn connection(kind: EventKind) -> ConnectionSnapshot {
    let ending = (kind == EventKind::ConnectionDisconnected).then_some(EndReason::Business);
    ConnectionSnapshot {
        id: id(8),
        application: "swa_4QfHs9Dk2LmWxTz6BvNc8R".to_owned(),
        application_name: "Partner CRM".to_owned(),
        client_id: "swk_8JmLq2Zt5XcVbNa7RkYw3P".to_owned(),
        account: Some(id(3)),
        scopes: [Scope::MessagesSend, Scope::ConversationsRead]
            .map(|it| it.as_str().to_owned())
            .into(),
        connected_at: noon(),
        ended_at: ending.map(|_| later(3)),
        ending,
    }
}

/// What is stored of it; an event without what it tells shows that by itself.
fn stored(payload: &Payload) -> Option<Document> {
    encode(payload).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let stored = encode(&Payload::Template(Box::new(row.snapshot()))).unwrap().unwrap();
        let shown = serde_json::to_string(&crate::template::TemplateRecord::from(&row)).unwrap();
        assert_eq!(stored.0, shown);
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
        assert_eq!(delivered["delivered_at"], "2026-11-21T12:00:02.000Z");
        assert_eq!(delivered["read_at"], Value::Null);
        assert_eq!(shown(EventKind::MessageFailed)["error"]["code"], "recipient_unreachable");
        assert_eq!(shown(EventKind::TemplateRejected)["rejection_reason"], "promotional");
        assert_eq!(shown(EventKind::ConnectionDisconnected)["reason"], "business");
    }
}
