use super::*;
use domain::conversation::ThreadOwner;
use domain::inbound::InboundContent;
use serde_json::json;

fn callback(field: &str, value: &Value) -> String {
    let change = json!({"field": field, "value": value});
    json!({"object": "x", "entry": [{"id": "1", "changes": [change]}]}).to_string()
}

fn standby(lists: &Value) -> String {
    let value = json!({"metadata": {"phone_number_id": "2"}, "standby": lists});
    callback("standby", &value)
}

fn events(payload: &str) -> Vec<CallbackEventKind> {
    let parts = parse(payload).into_iter();
    let event = |part: CallbackPart| match part.content {
        PartContent::Event(event) => Some(event.what),
        _ => None,
    };
    parts.filter_map(event).collect()
}

fn message(payload: &str) -> MessageReport {
    match events(payload).as_slice() {
        [CallbackEventKind::Message { message, .. }] => (**message).clone(),
        other => panic!("{payload}: {other:?}"),
    }
}

fn echo(message: &Value) -> String {
    standby(&json!({"message_echoes": [{"id": "wamid.A", "timestamp": "5", "message": message}]}))
}

#[test]
fn parts_of_standby_are_read_as_before_when_they_come_alone() {
    let text =
        |id: &str| json!({"from": "16505551234", "id": id, "type": "text", "text": {"body": id}});
    let sent = json!({"to": "16505551234", "type": "text", "text": {"body": "Hi"}});
    let lists = json!({
        "contacts": [{"wa_id": "16505551234", "profile": {"name": "Ada"}}],
        "messages": [text("wamid.A"), text("wamid.B")],
        "message_echoes": [{"id": "wamid.C", "timestamp": "5", "message": sent}],
        "statuses": [{"id": "wamid.C", "status": "read", "recipient_id": "16505551234"}],
        "conversation_context": {"type": "summary", "summary": {"text": "A refund"}},
    });
    let whole = parse(&standby(&lists));
    assert_eq!(whole.len(), 4);
    for (place, part) in whole.iter().enumerate() {
        assert!(matches!(part.content, PartContent::Event(_)), "{part:?}");
        let alone = parts_of(&standby(&lists), &BTreeSet::from([place])).pop().unwrap();
        assert_eq!(parse(&alone), std::slice::from_ref(part), "{alone}");
    }
    // Only the first message has the summary.
    let summaries: Vec<Option<String>> = events(&standby(&lists))
        .into_iter()
        .filter_map(|event| match event {
            CallbackEventKind::Message { message, .. } => Some(message.summary),
            _ => None,
        })
        .collect();
    assert_eq!(summaries, [Some("A refund".to_owned()), None, None]);
}

#[test]
fn an_empty_standby_is_kept() {
    let parts = parse(&standby(&json!({})));
    let [CallbackPart { content: PartContent::NotUnderstood(_), .. }] = parts.as_slice() else {
        panic!("{parts:?}")
    };
}

#[test]
fn an_echo_is_the_request_with_which_it_was_sent() {
    let sent = json!({
        "to": "16505551234", "type": "image", "image": {"link": "https://example.com/a.png"},
        "context": {"message_id": "wamid.0"},
    });
    let read = message(&echo(&sent));
    assert_eq!(read.author, ReportedAuthor::ChannelAgent);
    assert_eq!(read.answers.as_deref(), Some("wamid.0"));
    let body = r#"{"type":"image","image":{"link":"https://example.com/a.png"}}"#;
    let expected = InboundContent::Passthrough { kind: "image".to_owned(), body: body.to_owned() };
    assert_eq!(read.said, expected);
    let reaction = json!({
        "to": "16505551234", "type": "reaction", "reaction": {"message_id": "wamid.0", "emoji": "👍"},
    });
    let read = message(&echo(&reaction));
    assert_eq!(read.said, InboundContent::Reaction("👍".to_owned()));
    assert_eq!(read.answers.as_deref(), Some("wamid.0"));
    // A contact without a number is named by the user id. The type may be missing.
    let to_user = json!({"recipient": "US.13491208655302741918", "text": {"body": "Hi"}});
    let read = message(&echo(&to_user));
    assert_eq!(read.said, InboundContent::Text("Hi".to_owned()));
    assert!(read.person.user_id.is_some());
    // An echo that names no recipient is kept as a dead letter.
    assert!(events(&echo(&json!({"type": "text", "text": {"body": "Hi"}}))).is_empty());
}

#[test]
fn an_echo_keeps_the_template_and_the_flow_beside_its_message() {
    let template = json!({"name": "sale", "language": "en", "components": [{"type": "BODY"}]});
    let flow = json!({"id": "7", "name": "Booking"});
    let body = |kind: &str, own: Option<Value>| {
        let mut sent = json!({"to": "16505551234", "type": kind});
        if let Some(own) = own {
            sent[kind] = own;
        }
        let mut echo = json!({"id": "wamid.A", "timestamp": "5", "message": sent});
        if kind == "template" {
            echo["template"] = template.clone();
        } else {
            echo["flow"] = flow.clone();
        }
        match message(&standby(&json!({"message_echoes": [echo]}))).said {
            InboundContent::Passthrough { body, .. } => {
                serde_json::from_str::<Value>(&body).unwrap()
            }
            other => panic!("{other:?}"),
        }
    };
    // If the message has no field of its own, the definition takes its place.
    assert_eq!(body("template", None), json!({"type": "template", "template": template}));
    // If the message has the field, the definition is added beside it.
    let own = json!({"name": "sale", "language": {"code": "en"}});
    let both = json!({"type": "template", "template": own, "template_definition": template});
    assert_eq!(body("template", Some(own)), both);
    let own = json!({"type": "flow", "body": {"text": "Book"}});
    let with_flow = json!({"type": "interactive", "interactive": own, "flow": flow});
    assert_eq!(body("interactive", Some(own)), with_flow);
}

#[test]
fn an_echo_of_a_message_of_this_service_is_its_status() {
    let ours = "msg_01h455vb4pex5vsknk084sn02q";
    let sent = json!({
        "to": "16505551234", "type": "text", "text": {"body": "Hi"},
        "biz_opaque_callback_data": ours,
    });
    let read = events(&echo(&sent));
    let [CallbackEventKind::Progress { ours: Some(id), report: Report::Sent, .. }] =
        read.as_slice()
    else {
        panic!("{read:?}")
    };
    assert_eq!(id.to_string(), ours);
}

#[test]
fn the_role_of_the_new_owner_says_who_answers() {
    let handover = |kind: &str, role: Option<&str>| {
        let mut value = json!({
            "recipient": {"phone_number_id": "2"}, "sender": {"phone_number": "16505551234"},
            "type": kind, "timestamp": "5",
        });
        if let Some(role) = role {
            value[kind] = json!({"new_owner_role": role, "metadata": 7});
        }
        match events(&callback("messaging_handovers", &value)).as_slice() {
            [CallbackEventKind::Handover { handover, .. }] => handover.owner,
            other => panic!("{other:?}"),
        }
    };
    for (kind, role, owner) in [
        ("control_passed", Some("escalation"), ThreadOwner::Organization),
        ("control_passed", Some("ai_agent"), ThreadOwner::ChannelAgent),
        // Every field of the change may be missing.
        ("control_passed", None, ThreadOwner::Organization),
        ("control_taken", Some("escalation"), ThreadOwner::Other),
        ("control_taken", Some("ai_agent"), ThreadOwner::ChannelAgent),
        ("control_taken", None, ThreadOwner::Other),
    ] {
        assert_eq!(handover(kind, role), owner, "{kind} {role:?}");
    }
}

#[test]
fn a_handover_that_is_not_understood_is_kept() {
    let unknown = json!({
        "recipient": {"phone_number_id": "2"}, "sender": {"phone_number": "16505551234"},
        "type": "control_shared",
    });
    let nobody = json!({"recipient": {"phone_number_id": "2"}, "type": "control_taken"});
    for value in [unknown, nobody, json!({}), json!(7)] {
        let parts = parse(&callback("messaging_handovers", &value));
        let [CallbackPart { kind, content: PartContent::NotUnderstood(_) }] = parts.as_slice()
        else {
            panic!("{parts:?}")
        };
        assert_eq!(*kind, CallbackKind::Handover);
    }
}
