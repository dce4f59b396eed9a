use super::*;
use domain::contact::Identity;
use domain::inbound::InboundContent;
use domain::phone::PhoneNumber;
use domain::template::RejectionReason;
use domain::template::Verdict;
use proptest::prelude::*;
use serde_json::{Value, json};

const EXAMPLE: &str = r#"{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[
    {"field":"messages","value":{"messaging_product":"whatsapp",
     "metadata":{"display_phone_number":"15550783881","phone_number_id":"106540352242922"},
     "statuses":[{"id":"wamid.A","status":"failed","timestamp":"1750263773","recipient_id":"1",
       "errors":[{"code":131050,"title":"Unable to deliver","message":"No"}]},
      {"id":7},
      {"id":"wamid.Z","status":"sent","timestamp":"soon"}]}},
    {"field":"messages","value":{"metadata":{"phone_number_id":"2"},
     "messages":[{"from":"16505551234","id":"wamid.B","timestamp":"1749416383","type":"text",
       "text":{"body":"Does it come in another color?"},"context":{"id":"wamid.A"}},
      {"from":"16505551234","id":"wamid.C","timestamp":"1749416384","type":"interactive",
       "interactive":{"type":"list_reply","list_reply":{"id":"x","title":"Priority","description":"Next"}}},
      {"from":"16505551234","id":"wamid.D","timestamp":"1749416385","type":"location",
       "location":{"latitude":1.5,"longitude":2}},
      {"from":"16505551234","id":"wamid.E","timestamp":"1749416386","type":"reaction",
       "reaction":{"message_id":"wamid.A","emoji":"👍"}},
      {"from":"16505551234","id":"wamid.F","timestamp":"1749416387","type":"button",
       "button":{"payload":"yes","text":"Yes"}}]}},
    {"field":"something_new","value":{}}]}]}"#;

fn callback_event(payload: &str) -> Vec<CallbackEvent> {
    let callback_event = parse(payload).into_iter().filter_map(|part| match part.content {
        PartContent::Event(callback_event) => Some(callback_event),
        _ => None,
    });
    callback_event.collect()
}

/// Returns the kind of the only part, and why it was not understood.
fn not_understood(payload: &str) -> (CallbackKind, DeadLetterReason) {
    let parts = parse(payload);
    let [CallbackPart { kind, content: PartContent::NotUnderstood(why) }] = parts.as_slice() else {
        panic!("{payload}: {parts:?}")
    };
    (*kind, why.reason)
}

fn part_of(payload: &str, place: usize) -> Option<String> {
    parts_of(payload, &BTreeSet::from([place])).pop()
}

fn on_number(value: &Value) -> String {
    let mut value = value.clone();
    value["metadata"] = json!({ "phone_number_id": "2" });
    json!({
        "object": "x",
        "entry": [{"id": "1", "changes": [{"field": "messages", "value": value}]}],
    })
    .to_string()
}

#[test]
fn reads_metas_own_examples_and_what_it_does_not_understand_apart() {
    let parts = parse(EXAMPLE);
    let kinds: Vec<&str> = parts
        .iter()
        .filter(|part| matches!(part.content, PartContent::NotUnderstood(_)))
        .map(|part| domain::keyword::Keyword::as_str(part.kind))
        .collect();
    assert_eq!(kinds, ["status", "unknown"]);
    let callback_event = callback_event(EXAMPLE);
    assert_eq!(callback_event.len(), 7);
    let CallbackEventKind::Progress { number, report: Report::Failed(error), .. } =
        &callback_event[0].what
    else {
        panic!()
    };
    assert_eq!(number, &ChannelRef::Theirs("106540352242922".to_owned()));
    assert_eq!(error.channel_code, Some(131_050));
    assert_eq!(callback_event[1].second, None);
    let CallbackEventKind::Message { message, .. } = &callback_event[2].what else { panic!() };
    assert_eq!(message.said, InboundContent::Text("Does it come in another color?".into()));
    let from = message.person.phone_number.as_ref().map(PhoneNumber::as_str);
    assert_eq!(message.answers.as_deref(), Some("wamid.A"));
    assert_eq!(from, Some("+16505551234"));
    let said = |index: usize| match &callback_event[index].what {
        CallbackEventKind::Message { message, .. } => message.said.clone(),
        other => panic!("{other:?}"),
    };
    assert!(matches!(said(3), InboundContent::Choice { .. }));
    let InboundContent::Location { place, .. } = said(4) else { panic!() };
    assert_eq!(place.latitude.to_string(), "1.5");
    assert_eq!(place.longitude.to_string(), "2");
    assert_eq!(said(5), InboundContent::Reaction("👍".into()));
    let InboundContent::Choice { kind, id, title, .. } = said(6) else { panic!() };
    assert_eq!(kind, "button_reply");
    assert_eq!(id, "yes");
    assert_eq!(title, "Yes");
}

#[test]
fn reads_what_the_reviewer_says() {
    let payload = r#"{"entry":[{"id":"102290129340398","time":1751247548,"changes":[
        {"field":"message_template_status_update","value":{"event":"REJECTED",
         "message_template_id":1689556908129832,"message_template_name":"order",
         "message_template_language":"en_US","reason":"INVALID_FORMAT",
         "rejection_info":{"reason":"Two spaces","recommendation":"Take one"}}}]}]}"#;
    let expected = CallbackEventKind::Template {
        business: ChannelRef::Theirs("102290129340398".into()),
        external_id: "1689556908129832".into(),
        name: "order".into(),
        language: "en_US".into(),
        verdict: Verdict::Rejected {
            reason: Some(RejectionReason::InvalidFormat),
            detail: Some("Two spaces Take one".into()),
        },
    };
    let expected = CallbackEvent { second: Some(1_751_247_548), what: expected };
    assert_eq!(callback_event(payload), [expected]);
}

#[test]
fn nothing_is_passed_over_in_silence() {
    use CallbackKind::{Echo, Error, Message, Status, TemplateStatus, Unknown, Unreadable};
    use DeadLetterReason::{NoPhoneNumber, NotUnderstood, Unreadable as Broken};
    let change = |field: &str, value: &Value| {
        json!({"entry": [{"id": "1", "changes": [{"field": field, "value": value}]}]}).to_string()
    };
    let deep = format!("{{\"entry\":{}1{}}}", "[".repeat(9000), "]".repeat(9000));
    let text =
        json!({"id": "wamid.A", "type": "text", "text": {"body": "Hi"}, "from_user_id": "US"});
    for (payload, expected) in [
        (String::new(), (Unreadable, Broken)),
        ("7".to_owned(), (Unreadable, Broken)),
        ("{}".to_owned(), (Unreadable, Broken)),
        ("{\"entry\":7}".to_owned(), (Unreadable, Broken)),
        ("{\"entry\":[7]}".to_owned(), (Unreadable, Broken)),
        (deep, (Unreadable, Broken)),
        (
            json!({"object": "page", "entry": [{"id": "1", "messaging": []}]}).to_string(),
            (Unknown, Broken),
        ),
        (json!({"entry": [{"changes": [7]}]}).to_string(), (Unreadable, Broken)),
        (change("messages", &json!({})), (Unknown, Broken)),
        (change("messages", &json!(7)), (Unreadable, Broken)),
        (change("smb_message_echoes", &json!({"message_echoes": []})), (Unknown, Broken)),
        (change("message_echoes", &json!({"message_echoes": []})), (Echo, NotUnderstood)),
        (
            change(
                "message_template_status_update",
                &json!({"event": "QUARANTINED", "message_template_id": 1}),
            ),
            (TemplateStatus, NotUnderstood),
        ),
        (on_number(&json!({"messages": [text]})), (Message, NoPhoneNumber)),
        (
            on_number(&json!({"messages": [{"id": "wamid.A", "from": "x"}]})),
            (Message, NoPhoneNumber),
        ),
        (on_number(&json!({"messages": [{"from": "16505551234"}]})), (Message, Broken)),
        (
            on_number(&json!({"statuses": [{"id": "wamid.A", "status": "melted"}]})),
            (Status, NotUnderstood),
        ),
        (on_number(&json!({"errors": [{"code": 131_000}]})), (Error, NotUnderstood)),
        (on_number(&json!({"polls": [{"id": 1}]})), (Unknown, NotUnderstood)),
    ] {
        assert_eq!(not_understood(&payload), expected, "{payload:.80}");
    }
    assert_eq!(parse("{\"entry\":[]}"), []);
}

#[test]
fn calls_and_groups_are_out_of_scope() {
    let call =
        json!({"entry": [{"changes": [{"field": "calls", "value": {"calls": [{"id": 1}]}}]}]});
    let group = json!({"messages": [{"id": "wamid.A", "from": "16505551234", "group_id": "g"}],
        "statuses": [{"id": "wamid.B", "status": "sent", "recipient_type": "group"}]});
    for (payload, kind) in
        [(call.to_string(), CallbackKind::Call), (on_number(&group), CallbackKind::Group)]
    {
        for part in parse(&payload) {
            assert_eq!(part.kind, kind, "{payload}");
            assert_eq!(part.content, PartContent::OutOfScope, "{payload}");
        }
    }
}

#[test]
fn a_part_is_a_callback_of_its_own_byte_for_byte() {
    let person =
        |number: &str| format!(r#"{{"wa_id":"{number}","profile":{{"name":"N {number}"}}}}"#);
    let (first, second) = (person("1"), person("2"));
    let part = r#"{"from" : "2", "id":"wamid.\ud83d","zzz":[1.50, "\u0000é"]}"#;
    let payload = format!(
        r#"{{"entry":[{{"id":"9","time":5,"changes":[{{"value":{{"messages":[{{"from":"1"}},{part}],"contacts":[{first},{second}],
           "metadata":{{"phone_number_id":"2"}},"messaging_product":"whatsapp","new":1}},"field":"messages"}}]}}],"object":"o"}}"#
    );
    let expected = format!(
        r#"{{"object":"o","entry":[{{"id":"9","time":5,"changes":[{{"field":"messages","value":{{"messaging_product":"whatsapp","metadata":{{"phone_number_id":"2"}},"contacts":[{second}],"messages":[{part}]}}}}]}}]}}"#
    );
    assert_eq!(part_of(&payload, 1).unwrap(), expected);
    // The result has one part, which gives the same event.
    assert_eq!(part_of(&expected, 0).unwrap(), expected);
    assert_eq!(parse(&expected), &parse(&payload)[1..]);
    assert_eq!(part_of(&payload, 2), None);
    assert_eq!(part_of("{\"entry\": 7} ", 0).unwrap(), "{\"entry\": 7} ");
}

#[test]
fn many_parts_do_not_repeat_what_they_have_in_common() {
    let contacts: Vec<Value> = (0..300).map(|it| json!({"wa_id": it.to_string()})).collect();
    let messages: Vec<Value> = (0..300).map(|it| json!({"from": it.to_string()})).collect();
    let payload = on_number(&json!({"contacts": contacts, "messages": messages}));
    let parts = parts_of(&payload, &(0..300).collect());
    let all: usize = parts.iter().map(String::len).sum();
    assert!(parts.len() == 300 && all < 300 * 200, "{all} bytes");
    assert_eq!(parts[7], part_of(&payload, 7).unwrap());
}

/// Random JSON with the field names that have a meaning in a callback.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(|number| json!(number)),
        "[a-z0-9]{0,3}|16505551234|sent|text|messages|calls".prop_map(|text| json!(text)),
    ];
    let names = "entry|changes|field|value|messages|statuses|errors|contacts|metadata|phone_number_id|from|id|type|status|x";
    leaf.prop_recursive(7, 60, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((names, inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    /// A part that is written as a callback of its own and parsed again is unchanged.
    #[test]
    fn what_is_kept_says_what_it_said(callback in json(), wrapped: bool) {
        let callback = if wrapped {
            json!({"entry": [{"id": 1, "changes": [{"field": "messages", "value": callback}]}]})
        } else {
            callback
        };
        let payload = callback.to_string();
        for (index, part) in parse(&payload).into_iter().enumerate() {
            let alone = part_of(&payload, index).unwrap();
            prop_assert_eq!(parse(&alone), vec![part], "{}", alone);
        }
    }
}

/// Returns the sender's identity in the only part.
fn writer(value: &Value) -> Identity {
    let callback_event = callback_event(&on_number(value)).remove(0);
    let CallbackEventKind::Message { message, .. } = callback_event.what else { panic!() };
    message.person
}

#[test]
fn a_person_is_known_by_what_message_and_contact_say() {
    let text = |mut it: Value| {
        it["id"] = json!("wamid.A");
        it["type"] = json!("text");
        it["text"] = json!({"body": "Hi"});
        it
    };
    let profile = json!({"name": " Ada ", "username": "ada.l"});
    let contact = json!({"profile": profile, "user_id": "US.1", "parent_user_id": "US.ENT.9"});
    let said = writer(
        &json!({"contacts": [contact], "messages": [text(json!({"from_user_id": "US.1"}))]}),
    );
    assert_eq!(said.phone_number, None);
    assert_eq!(said.name.as_deref(), Some("Ada"));
    assert_eq!(said.user_id.unwrap().as_str(), "US.1");
    assert_eq!(said.parent_user_id.unwrap().as_str(), "US.ENT.9");
    assert_eq!(said.username.as_deref(), Some("ada.l"));
    // The contact's number belongs to the user id of the message.
    let contact = json!({"wa_id": "16505551234", "user_id": "US.1"});
    let said = writer(
        &json!({"contacts": [contact], "messages": [text(json!({"from_user_id": "US.1"}))]}),
    );
    assert_eq!(said.phone_number.unwrap().as_str(), "+16505551234");
    // A contact with another id says nothing about the sender.
    let other = json!({"profile": profile, "wa_id": "16505559999", "user_id": "US.2"});
    let wrote = text(json!({"from": "16505551234", "from_user_id": "US.1"}));
    let said = writer(&json!({"contacts": [other], "messages": [wrote]}));
    assert_eq!(said.username, None);
    assert_eq!(said.phone_number.unwrap().as_str(), "+16505551234");
    assert_eq!(said.user_id.unwrap().as_str(), "US.1");
}

/// Returns the number that a contact shares with these cards. `origin` is the origin of the
/// message.
fn shared(origin: Option<&str>, cards: &Value) -> Option<String> {
    let mut message =
        json!({"id": "wamid.A", "type": "contacts", "from_user_id": "US.1", "contacts": cards});
    if let Some(origin) = origin {
        message["origin"] = json!(origin);
    }
    let said = writer(&json!({"messages": [message]}));
    said.phone_number.as_ref().map(|it| it.as_str().to_owned())
}

#[test]
fn a_shared_number_is_the_persons_own_only_where_it_was_asked_for() {
    let phones = json!([{"phone": "+1 212-555-0000", "wa_id": "16505551234"}]);
    let card = json!([{"phones": phones}]);
    for (origin, number) in
        [(Some("contact_request"), Some("+16505551234")), (Some("other"), None), (None, None)]
    {
        assert_eq!(shared(origin, &card).as_deref(), number, "{origin:?}");
        // The origin is in the card or beside the cards.
        if let Some(origin) = origin {
            let card = json!([{"origin": origin, "phones": phones}]);
            assert_eq!(shared(None, &card).as_deref(), number, "{origin}");
        }
    }
    // An origin in the card has precedence over the one beside it.
    let others = json!([{"origin": "other", "phones": phones}]);
    assert_eq!(shared(Some("contact_request"), &others), None);
    // Of two cards, at least one is not the contact's own.
    let two = json!([{"phones": phones}, {"phones": phones}]);
    assert_eq!(shared(Some("contact_request"), &two), None);
}

#[test]
fn a_shared_number_is_read_from_every_place_that_is_documented() {
    let asked_for = |card: Value| shared(Some("contact_request"), &json!([card]));
    let vcard = |tel: &str| format!("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\n{tel}\r\nEND:VCARD");
    for card in [
        json!({"phones": [{"wa_id": "16505551234"}]}),
        json!({"phones": [{"phone": "+16505551234"}]}),
        json!({"phones": [{"phone": "+1 (650) 555-1234", "type": "CELL"}]}),
        json!({"phones": [{"phone": "+1.650.555.1234"}], "vcard": "unknown"}),
        // The same number twice is one number, and the channel's form is preferred.
        json!({"phones": [{"phone": "+16505551234"}, {"phone": "+1 650 555 1234"}]}),
        json!({"phones": [{"phone": "+12125550000"}, {"wa_id": "16505551234"}]}),
        json!({"vcard": vcard("TEL;type=CELL;waid=16505551234:+1 212-555-0000")}),
        json!({"vcard": vcard("item1.TEL;waid=16505\r\n 551234:+1 212-555-0000")}),
        json!({"vcard": vcard("TEL;TYPE=CELL:+1 (650) 555-1234")}),
        json!({"phones": [], "vcard": vcard("tel;value=uri:tel:+1-650-555-1234")}),
    ] {
        assert_eq!(asked_for(card.clone()).as_deref(), Some("+16505551234"), "{card}");
    }
    for card in [
        json!({"phones": [{"phone": "(650) 555-1234"}]}),
        json!({"phones": [{"phone": "+16505551234"}, {"phone": "+12125550000"}]}),
        json!({"phones": [{"phone": 5, "wa_id": "nobody"}]}),
        json!({"phones": "none", "vcard": vcard("TEL:650 555 1234")}),
        json!({"name": {"formatted_name": "Ada"}}),
    ] {
        assert_eq!(asked_for(card.clone()), None, "{card}");
    }
}

#[test]
fn changes_of_number_and_user_id_are_no_messages() {
    let system = |system: Value| {
        json!({
            "messages": [{"id": "wamid.A", "from": "16505551234", "type": "system", "system": system}],
        })
    };
    let changes = |payload: &str| match callback_event(payload).remove(0).what {
        CallbackEventKind::Identity { number: ChannelRef::Theirs(number), changes }
            if number == "2" =>
        {
            changes
        }
        other => panic!("{other:?}"),
    };
    let number = system(json!({
        "type": "user_changed_number",
        "wa_id": "16505559999",
        "previous_user_id": "US.1",
        "user_id": "US.2",
    }));
    let user = system(
        json!({"type": "user_changed_user_id", "previous_user_id": "US.1", "user_id": "US.2"}),
    );
    for (value, moved) in [(number, Some("+16505559999")), (user, None)] {
        let [change] = changes(&on_number(&value)).try_into().unwrap();
        assert_eq!(change.from.user_id.unwrap().as_str(), "US.1");
        assert_eq!(change.to.user_id.unwrap().as_str(), "US.2");
        assert_eq!(change.to.phone_number.as_ref().map(PhoneNumber::as_str), moved);
    }
    let update = json!({"metadata": {"phone_number_id": 2}, "user_id_update": [
        {"user_id": {"previous": "US.1", "current": "US.2"}, "timestamp": "1750263773"}]});
    let update =
        json!({"entry": [{"id": "1", "changes": [{"field": "user_id_update", "value": update}]}]});
    assert_eq!(changes(&update.to_string())[0].to.user_id.as_ref().unwrap().as_str(), "US.2");
    let empty = on_number(&system(json!({"type": "user_changed_number"})));
    let (kind, reason) = not_understood(&empty);
    assert_eq!(kind, CallbackKind::Message);
    assert_eq!(reason, DeadLetterReason::NotUnderstood);
}

#[test]
fn reports_without_effect_are_not_kept() {
    let system = |kind: &str| {
        let system = json!({"type": kind, "body": "x", "identity": "h", "customer": "16505551234"});
        on_number(&json!({
            "messages": [
                {"id": "wamid.A", "from": "16505551234", "type": "system", "system": system},
            ],
        }))
    };
    let status = |fields: Value| on_number(&json!({"statuses": [fields]}));
    for payload in [
        system("customer_identity_changed"),
        system("user_identity_changed"),
        status(json!({"id": "wamid.A", "status": "deleted"})),
        status(json!({"id": "wamid.A", "status": "warning"})),
    ] {
        assert_eq!(parse(&payload).remove(0).content, PartContent::Nothing, "{payload}");
    }
    // A failed payment does not mean that the message failed.
    let payment = status(json!({"id": "wamid.A", "status": "failed", "type": "payment"}));
    let expected = CallbackPart { kind: CallbackKind::Status, content: PartContent::OutOfScope };
    assert_eq!(parse(&payment), [expected]);
    let played = status(json!({"id": "wamid.A", "status": "played"}));
    assert!(matches!(
        &callback_event(&played)[0].what,
        CallbackEventKind::Progress { report: Report::Read, .. }
    ));
}

#[test]
fn earlier_words_of_the_channels_own_messages_are_known() {
    let system = |system: Value| {
        let message =
            json!({"id": "wamid.A", "from": "16505551234", "type": "system", "system": system});
        callback_event(&on_number(&json!({"messages": [message]}))).remove(0).what
    };
    let moved = json!({
        "type": "customer_changed_number",
        "wa_id": "16505559999",
        "new_wa_id": "16505559999",
    });
    let CallbackEventKind::Identity { changes, .. } = system(moved) else { panic!() };
    assert_eq!(changes[0].to.phone_number.as_ref().map(PhoneNumber::as_str), Some("+16505559999"));
    let said = json!({"type": "user_preference_changed", "marketing": "stop"});
    let CallbackEventKind::Preferences { said, .. } = system(said) else { panic!() };
    assert_eq!(said.len(), 1);
    assert!(!said[0].wants);
}

#[test]
fn a_field_that_is_not_known_is_named() {
    let named = |field: &str| {
        let change = json!({"field": field, "value": {"event": "x", "message_template_id": 1}});
        let payload = json!({"entry": [{"id": "1", "changes": [change]}]}).to_string();
        match parse(&payload).remove(0).content {
            PartContent::NotUnderstood(why) => {
                assert!(why.detail.contains(field), "{}", why.detail);
                why.field
            }
            other => panic!("{other:?}"),
        }
    };
    for field in ["account_mood_update", "template_mood_update"] {
        assert_eq!(named(field).as_deref(), Some(field));
    }
    // A known field that is not processed is stored under this program's keyword, not under Meta's name.
    for field in ["history", "smb_app_state_sync", "flows", "message_echoes"] {
        assert_eq!(named(field), None, "{field}");
    }
}

#[test]
fn who_changes_a_message_is_named() {
    let change = |fields: Value| {
        let mut message = json!({
            "id": "wamid.B",
            "type": "revoke",
            "revoke": {"original_message_id": "wamid.A"},
        });
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        on_number(&json!({"messages": [message]}))
    };
    let by = |payload: &str| match callback_event(payload).remove(0).what {
        CallbackEventKind::Revision { revision, .. } => revision.person,
        other => panic!("{other:?}"),
    };
    let person = by(&change(json!({"from": "16505551234", "from_user_id": "US.1"})));
    assert_eq!(person.phone_number.as_ref().map(PhoneNumber::as_str), Some("+16505551234"));
    assert_eq!(person.user_id.unwrap().as_str(), "US.1");
    let (kind, reason) = not_understood(&change(json!({})));
    assert_eq!(kind, CallbackKind::Message);
    assert_eq!(reason, DeadLetterReason::NoPhoneNumber);
}
