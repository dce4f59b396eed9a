//! Messages that can be sent: the bounds of their fields, and the errors beyond them.

use crate::world::{Answer, World, on_both_databases};
use serde_json::{Value, json};
use std::time::Duration;

const SEND: &str = "/api/v1/messages";
/// A sandbox number that accepts everything and never replies.
const QUIET_TARGETS: &str = "+12025550110";
/// A sandbox number that reads messages and replies.
const ECHO: &str = "+12025550100";

/// Builds a message to the quiet number with these fields.
fn message(fields: &Value) -> Value {
    let mut body = json!({"phone_number": QUIET_TARGETS});
    let fields = fields.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(fields);
    body
}

async fn send(world: &World, fields: &Value) -> Answer {
    world.post(SEND, &world.key, &message(fields)).await
}

async fn is_accepted(world: &World, fields: &Value) -> Value {
    let answer = send(world, fields).await;
    assert_eq!(answer.status, 201, "{fields}: {}", answer.text);
    answer.body
}

/// Asserts that each message is rejected with these faults, and that nothing was sent or counted.
async fn are_refused(world: &World, cases: &[(Value, &[(&str, &str)])]) {
    for (fields, faults) in cases {
        send(world, fields).await.has_faults(faults);
    }
    nothing_was_sent(world).await;
}

async fn nothing_was_sent(world: &World) {
    assert_eq!(world.history(QUIET_TARGETS).await, Vec::<Value>::new());
    assert_eq!(count_used_messages(world).await, 0);
}

async fn count_used_messages(world: &World) -> u64 {
    let me = world.get("/api/v1/me", &world.key).await;
    me.body["plan"]["messages"]["used"].as_u64().unwrap()
}

async fn agent_state(world: &World, number: &str) -> Value {
    let body = json!({"phone_number": number});
    let page = world.post("/api/v1/conversations/history", &world.key, &body).await;
    page.body["conversation"]["ai_agent"].clone()
}

fn long_text(count: usize) -> String {
    "é".repeat(count)
}

fn text_message(length: usize) -> Value {
    json!({"type": "text", "text": long_text(length)})
}

fn interactive_message(parts: &Value) -> Value {
    let mut whole = json!({
        "type": "button",
        "body": {"text": "Well?"},
        "action": {"buttons": [reply_button("yes", "Yes")]},
    });
    let parts = parts.as_object().unwrap().clone();
    whole.as_object_mut().unwrap().extend(parts);
    json!({"type": "interactive", "interactive": whole})
}

fn reply_button(id: &str, title: &str) -> Value {
    json!({"type": "reply", "reply": {"id": id, "title": title}})
}

fn button_message(buttons: &[Value]) -> Value {
    interactive_message(&json!({"action": {"buttons": buttons}}))
}

fn list_rows(from: usize, count: usize) -> Vec<Value> {
    (from..from + count)
        .map(|n| json!({"id": format!("r{n}"), "title": format!("Row {n}")}))
        .collect()
}

fn list_message(sections: &Value) -> Value {
    interactive_message(
        &json!({"type": "list", "action": {"button": "Choose", "sections": sections}}),
    )
}

fn list_row(id: usize, title: usize, description: usize) -> Value {
    let row = json!({
        "id": long_text(id),
        "title": long_text(title),
        "description": long_text(description),
    });
    list_message(&json!([{"title": long_text(24), "rows": [row]}]))
}

fn link_message(display: usize, url: &str) -> Value {
    let parameters = json!({"display_text": long_text(display), "url": url});
    interactive_message(
        &json!({"type": "cta_url", "action": {"name": "cta_url", "parameters": parameters}}),
    )
}

fn metadata_message(count: usize, key: usize, value: usize) -> Value {
    let notes = (0..count).map(|n| (format!("{n:0>key$}"), json!(long_text(value))));
    let notes: serde_json::Map<String, Value> = notes.collect();
    json!({"type": "text", "text": "x", "metadata": notes})
}

fn url_of_length(length: usize) -> String {
    let start = "https://example.com/";
    format!("{start}{}", "a".repeat(length - start.len()))
}

async fn each_of_the_four_types_is_accepted_and_answered_with_exactly_the_same_fields(
    world: World,
) {
    let fields = [
        "id",
        "status",
        "direction",
        "type",
        "conversation_id",
        "contact_id",
        "contact",
        "account_id",
        "phone_number",
        "channel_message_id",
        "client_ref",
        "warnings",
        "created_at",
    ];
    let kinds = [
        (json!({"type": "text", "text": "Hello https://example.com", "preview_url": true}), "text"),
        (
            json!({"type": "media", "media_url": "https://example.com/a.jpg", "caption": "A"}),
            "media",
        ),
        (interactive_message(&json!({})), "interactive"),
        (json!({"type": "template", "template_name": "hello", "language": "en_US"}), "template"),
    ];
    for (fields_sent, kind) in &kinds {
        let body = is_accepted(&world, fields_sent).await;
        let mut found: Vec<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = fields.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(body["type"], *kind);
        assert_eq!(body["status"], "queued");
        assert_eq!(body["client_ref"], json!(null));
        let free_form = *kind != "template";
        let warnings = if free_form { json!(["window_closed"]) } else { json!([]) };
        assert_eq!(body["warnings"], warnings);
    }
    let history = world.history(QUIET_TARGETS).await;
    let found: Vec<_> = history.iter().map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(found, ["text", "media", "interactive", "template"]);
    assert_eq!(history[1]["media"]["caption"], "A");
    assert_eq!(history[2]["interactive"], kinds[2].0["interactive"]);
    assert_eq!(history[3]["template"]["name"], "hello");
    assert_eq!(count_used_messages(&world).await, 4);
}

async fn the_kind_of_a_file_is_given_or_inferred_from_its_extension(world: World) {
    let said = ["image", "video", "audio", "document", "sticker"];
    for kind in said {
        is_accepted(
            &world,
            &json!({"type": "media", "media_url": "http://example.com/x", "media_type": kind}),
        )
        .await;
    }
    let reported = [
        ("https://example.com/a.PNG?x=.mp4#y.mp3", "image"),
        ("https://example.com/a.mp4", "video"),
        ("https://example.com/a.ogg", "audio"),
        ("https://example.com/b/a.pdf", "document"),
        ("https://example.com/a.webp", "sticker"),
    ];
    for (url, _) in reported {
        is_accepted(&world, &json!({"type": "media", "media_url": url})).await;
    }
    let history = world.history(QUIET_TARGETS).await;
    let kinds = history.iter().map(|it| it["media"]["media_type"].as_str().unwrap().to_owned());
    let expected: Vec<&str> = said.into_iter().chain(reported.map(|(_, kind)| kind)).collect();
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
}

async fn a_file_of_no_kind_or_with_fields_of_another_kind_is_refused(world: World) {
    let media = |url: &str| json!({"type": "media", "media_url": url});
    let with = |kind: &str, field: &str| {
        json!({
            "type": "media",
            "media_url": "https://example.com/x",
            "media_type": kind,
            field: "x",
        })
    };
    are_refused(
        &world,
        &[
            (json!({"type": "media"}), &[("media_url", "required")]),
            (media("https://example.com/a"), &[("media_type", "required")]),
            (media("https://example.jpg"), &[("media_type", "required")]),
            (media("https://example.com/a.exe"), &[("media_type", "required")]),
            (media("ftp://example.com/a.jpg"), &[("media_url", "invalid_format")]),
            (media("javascript:alert(1)"), &[("media_url", "invalid_format")]),
            (media("https://[::1/a.jpg"), &[("media_url", "invalid_format")]),
            (media("https://example.com:99999/a.jpg"), &[("media_url", "invalid_format")]),
            (media(""), &[("media_url", "invalid_format")]),
            (
                json!({"type": "media", "media_url": "https://example.com/x", "media_type": "gif"}),
                &[("media_type", "not_one_of")],
            ),
            (with("audio", "caption"), &[("caption", "not_allowed")]),
            (with("sticker", "caption"), &[("caption", "not_allowed")]),
            (with("image", "filename"), &[("filename", "not_allowed")]),
        ],
    )
    .await;
}

/// The bounds are in characters and not in bytes: each character here has two bytes.
async fn values_at_their_bounds_are_accepted(world: World) {
    let document = json!({
        "type": "media",
        "media_url": url_of_length(2048),
        "media_type": "document",
        "caption": long_text(1024),
        "filename": long_text(240),
    });
    let whole = json!({
        "header": {"type": "text", "text": long_text(60)},
        "body": {"text": long_text(1024)},
        "footer": {"text": long_text(60)},
    });
    let three = [
        reply_button(&long_text(256), &long_text(20)),
        reply_button("b", "B"),
        reply_button("c", "C"),
    ];
    let fits = [
        text_message(4096),
        document,
        interactive_message(&whole),
        button_message(&three),
        list_message(&json!([
            {"title": "A", "rows": list_rows(0, 5)},
            {"title": "B", "rows": list_rows(5, 5)},
        ])),
        list_message(&json!([{"rows": list_rows(0, 10)}])),
        list_row(200, 24, 72),
        link_message(20, "https://example.com/"),
        interactive_message(&json!({
            "type": "list",
            "action": {"button": long_text(20), "sections": [{"rows": list_rows(0, 1)}]},
        })),
        metadata_message(20, 40, 500),
        json!({"type": "text", "text": "x", "client_ref": long_text(512)}),
    ];
    for fields in &fits {
        is_accepted(&world, fields).await;
    }
    world.live_through(Duration::from_secs(1)).await;
    let history = world.history(QUIET_TARGETS).await;
    assert_eq!(history.len(), fits.len());
    assert!(history.iter().all(|it| it["status"] == "delivered"), "{history:?}");
    assert_eq!(history[0]["text"], long_text(4096));
    assert_eq!(history.last().unwrap()["client_ref"], long_text(512));
    assert_eq!(count_used_messages(&world).await, fits.len() as u64);
}

async fn texts_files_and_notes_a_character_too_long_are_refused(world: World) {
    let file = |field: &str, value: String| {
        json!({
            "type": "media",
            "media_type": "document",
            "media_url": "https://example.com/x",
            field: value,
        })
    };
    let long_key = format!("metadata.{:0>41}", 0);
    let value = format!("metadata.{:0>40}", 0);
    are_refused(
        &world,
        &[
            (json!({"type": "text"}), &[("text", "required")]),
            (text_message(0), &[("text", "empty")]),
            (text_message(4097), &[("text", "too_long")]),
            (file("caption", long_text(1025)), &[("caption", "too_long")]),
            (file("filename", long_text(241)), &[("filename", "too_long")]),
            (file("media_url", url_of_length(2049)), &[("media_url", "invalid_format")]),
            (metadata_message(21, 40, 500), &[("metadata", "too_long")]),
            (metadata_message(1, 41, 500), &[(long_key.as_str(), "too_long")]),
            (metadata_message(1, 40, 501), &[(value.as_str(), "too_long")]),
            (
                json!({"type": "text", "text": "x", "client_ref": long_text(513)}),
                &[("client_ref", "too_long")],
            ),
        ],
    )
    .await;
}

async fn buttons_and_links_beyond_their_bounds_are_refused(world: World) {
    let four = [
        reply_button("a", "A"),
        reply_button("b", "B"),
        reply_button("c", "C"),
        reply_button("d", "D"),
    ];
    are_refused(
        &world,
        &[
            (button_message(&four), &[("interactive.action.buttons", "too_long")]),
            (button_message(&[]), &[("interactive.action.buttons", "empty")]),
            (
                button_message(&[reply_button("a", &long_text(21))]),
                &[("interactive.action.buttons[0].reply.title", "too_long")],
            ),
            (
                button_message(&[reply_button(&long_text(257), "A")]),
                &[("interactive.action.buttons[0].reply.id", "too_long")],
            ),
            (
                button_message(&[reply_button("a", "A"), reply_button("a", "B")]),
                &[("interactive.action.buttons", "duplicate")],
            ),
            (
                button_message(&[reply_button("a", "A"), reply_button("b", "A")]),
                &[("interactive.action.buttons", "duplicate")],
            ),
            (
                link_message(21, "https://example.com"),
                &[("interactive.action.parameters.display_text", "too_long")],
            ),
            (
                link_message(1, "example"),
                &[("interactive.action.parameters.url", "invalid_format")],
            ),
            (
                interactive_message(&json!({"header": {"type": "text", "text": long_text(61)}})),
                &[("interactive.header.text", "too_long")],
            ),
            (
                interactive_message(&json!({"body": {"text": long_text(1025)}})),
                &[("interactive.body.text", "too_long")],
            ),
            (
                interactive_message(&json!({"footer": {"text": long_text(61)}})),
                &[("interactive.footer.text", "too_long")],
            ),
            (
                interactive_message(&json!({"type": "hologram"})),
                &[("interactive.type", "not_one_of")],
            ),
            (json!({"type": "interactive"}), &[("interactive", "required")]),
        ],
    )
    .await;
}

async fn lists_beyond_their_bounds_are_refused(world: World) {
    let sections = "interactive.action.sections";
    let opened = json!({"button": long_text(21), "sections": [{"rows": list_rows(0, 1)}]});
    let twice =
        json!([{"title": "A", "rows": list_rows(0, 1)}, {"title": "B", "rows": list_rows(0, 1)}]);
    are_refused(
        &world,
        &[
            (list_message(&json!([{"rows": list_rows(0, 11)}])), &[(sections, "too_long")]),
            (
                list_message(&json!([
                    {"title": "A", "rows": list_rows(0, 6)},
                    {"title": "B", "rows": list_rows(6, 5)},
                ])),
                &[(sections, "too_long")],
            ),
            (list_message(&json!([])), &[(sections, "empty")]),
            (
                list_message(&json!([
                    {"rows": []},
                ])),
                &[("interactive.action.sections[0].rows", "empty")],
            ),
            (list_message(&twice), &[(sections, "duplicate")]),
            (
                list_message(&json!([
                    {"title": long_text(25), "rows": list_rows(0, 1)},
                ])),
                &[("interactive.action.sections[0].title", "too_long")],
            ),
            (list_row(201, 24, 72), &[("interactive.action.sections[0].rows[0].id", "too_long")]),
            (
                list_row(200, 25, 72),
                &[("interactive.action.sections[0].rows[0].title", "too_long")],
            ),
            (
                list_row(200, 24, 73),
                &[("interactive.action.sections[0].rows[0].description", "too_long")],
            ),
            (
                interactive_message(&json!({
                    "type": "list",
                    "action": opened,
                })),
                &[("interactive.action.button", "too_long")],
            ),
        ],
    )
    .await;
}

async fn a_header_may_be_a_file_or_a_line(world: World) {
    for kind in ["image", "video", "document"] {
        let header = json!({"type": kind, kind: {"link": "https://example.com/x"}});
        is_accepted(
            &world,
            &interactive_message(&json!({"header": header, "footer": {"text": "Small print"}})),
        )
        .await;
    }
    let kept = world.history(QUIET_TARGETS).await;
    assert_eq!(kept[1]["interactive"]["header"]["video"]["link"], "https://example.com/x");
    assert_eq!(kept[1]["interactive"]["footer"]["text"], "Small print");
    send(&world, &interactive_message(&json!({"header": {"type": "image"}})))
        .await
        .has_faults(&[("interactive.header.image.link", "required")]);
    assert_eq!(world.history(QUIET_TARGETS).await, kept);
}

async fn all_faults_are_reported_in_one_answer(world: World) {
    let body = json!({
        "type": "text",
        "text": "",
        "phone_number": "call me",
        "caption": "x",
        "client_ref": long_text(513),
        "reply_to": "that one",
        "dry_run": "maybe",
        "txet": "Hello",
        "metadata": {"k": long_text(501)},
    });
    world.post(SEND, &world.key, &body).await.has_faults(&[
        ("text", "empty"),
        ("phone_number", "invalid_format"),
        ("caption", "not_allowed"),
        ("client_ref", "too_long"),
        ("reply_to", "invalid_format"),
        ("dry_run", "wrong_type"),
        ("txet", "unknown_field"),
        ("metadata.k", "too_long"),
    ]);
    send(&world, &json!({"type": "fax"})).await.has_faults(&[("type", "not_one_of")]);
    send(&world, &json!({})).await.has_faults(&[("type", "required")]);
    nothing_was_sent(&world).await;
}

async fn fields_of_another_type_are_refused(world: World) {
    let mut template = json!({"type": "template", "template_name": "a", "language": "en"});
    template["text"] = json!("x");
    are_refused(
        &world,
        &[
            (
                json!({
                    "type": "text",
                    "text": "x",
                    "media_url": "https://example.com/a.jpg",
                }),
                &[("media_url", "not_allowed")],
            ),
            (
                json!({
                    "type": "text",
                    "text": "x",
                    "template_name": "a",
                    "language": "en",
                    "components": [],
                }),
                &[
                    ("template_name", "not_allowed"),
                    ("language", "not_allowed"),
                    ("components", "not_allowed"),
                ],
            ),
            (
                json!({
                    "type": "media",
                    "media_url": "https://example.com/a.jpg",
                    "preview_url": false,
                }),
                &[("preview_url", "not_allowed")],
            ),
            (template, &[("text", "not_allowed")]),
        ],
    )
    .await;
}

async fn only_a_message_of_ones_own_can_be_answered(world: World) {
    // Given a message of ours and one of another organization,
    let own = is_accepted(&world, &text_message(1)).await;
    let other = world.organization_on("Other", "Unlimited").await;
    world.number(other, "+12025550191").await;
    let key = world.key_of(other).await;
    let foreign = world.post(SEND, &key, &message(&text_message(1))).await.text_of("id");
    // when we reply to each of them, and to one that never existed,
    let answering = |id: &str| json!({"type": "text", "text": "x", "reply_to": id});
    let sent = is_accepted(&world, &answering(own["id"].as_str().unwrap())).await;
    let mut bodies = Vec::new();
    for id in [foreign.as_str(), "msg_01h2xcejqtf2nbrexx3vqjhp41"] {
        let request = world.request(reqwest::Method::POST, SEND, &world.key);
        let request = request.header("x-request-id", "same").json(&message(&answering(id)));
        let refused = Answer::of(request).await;
        refused.is_problem(404, "not_found");
        bodies.push(refused.text);
    }
    // then only the reply to our own is accepted, and the errors for the other two are
    // identical.
    assert_eq!(bodies[0], bodies[1]);
    let history = world.history(QUIET_TARGETS).await;
    assert_eq!(history.len(), 2);
    assert_eq!(history[1]["id"], sent["id"]);
    assert_eq!(history[1]["reply_to"], own["id"]);
    assert_eq!(count_used_messages(&world).await, 2);
}

async fn a_reply_answers_a_message_of_its_conversation(world: World) {
    // Given messages to two people,
    let own = is_accepted(&world, &text_message(1)).await;
    let theirs = json!({"type": "text", "phone_number": "+12025550177", "text": "Hello"});
    let theirs = world.post(SEND, &world.key, &theirs).await;
    assert_eq!(theirs.status, 201, "{}", theirs.text);
    // when the message to one is named in a reply to the other, at once, later or in a dry run,
    let answering = json!({"type": "text", "text": "x", "reply_to": theirs.body["id"]});
    for (field, value) in
        [("text", json!("x")), ("dry_run", json!(true)), ("send_at", json!("2026-11-22T12:00:00Z"))]
    {
        let mut reply = message(&answering);
        reply[field] = value;
        // then it is not found, as a message that does not exist.
        world.post(SEND, &world.key, &reply).await.is_problem(404, "not_found");
    }
    // A batch and a template tell it alike.
    let batch = json!({"messages": [message(&answering)]});
    let batch = world.post("/api/v1/messages/batch", &world.key, &batch).await;
    assert_eq!(batch.body["results"][0]["status"], 404, "{}", batch.text);
    // A reply within the conversation is sent, whatever names the person.
    let conversation = json!({
        "type": "text", "text": "x", "reply_to": own["id"], "conversation_id": own["conversation_id"],
    });
    let sent = world.post(SEND, &world.key, &conversation).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    assert_eq!(world.history(QUIET_TARGETS).await.len(), 2);
}

async fn a_dry_run_checks_everything_and_leaves_nothing(world: World) {
    let dry = |fields: Value| {
        let mut fields = fields;
        fields["dry_run"] = json!(true);
        fields
    };
    let (closed, none) = (json!(["window_closed"]), json!([]));
    let runs = [
        (text_message(3), "ééé".to_owned(), &closed),
        (
            json!({"type": "media", "media_url": "https://example.com/a.jpg", "caption": "Look"}),
            "Look".to_owned(),
            &closed,
        ),
        (interactive_message(&json!({})), "Well?".to_owned(), &closed),
        (
            json!({"type": "template", "template_name": "hello", "language": "en"}),
            "hello".to_owned(),
            &none,
        ),
    ];
    for (fields, shown, warnings) in runs {
        let answer = send(&world, &dry(fields)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(answer.text_of("rendered").contains(&shown), "{}", answer.text);
        let mut rest = answer.body.clone();
        rest.as_object_mut().unwrap().remove("rendered");
        assert_eq!(
            rest,
            json!({
                "valid": true,
                "account_id": world.account.to_string(),
                "contact_id": null,
                "conversation_id": null,
                "warnings": warnings,
                "lint": [],
            })
        );
    }
    send(&world, &dry(text_message(4097))).await.has_faults(&[("text", "too_long")]);
    world.live_through(Duration::from_secs(1)).await;
    nothing_was_sent(&world).await;
    // When the contact is known, a dry run returns the ids of the contact and the conversation.
    let sent = is_accepted(&world, &text_message(1)).await;
    let known = send(&world, &dry(text_message(1))).await;
    assert_eq!(known.body["contact_id"], sent["contact_id"]);
    assert_eq!(known.body["conversation_id"], sent["conversation_id"]);
    assert_eq!(count_used_messages(&world).await, 1);
}

async fn the_window_is_open_for_24_hours_after_the_person_wrote(world: World) {
    let body = json!({"type": "text", "phone_number": ECHO, "text": "Hello"});
    let probe = json!({"type": "text", "phone_number": ECHO, "text": "Hello", "dry_run": true});
    let warnings = async || world.post(SEND, &world.key, &probe).await.body["warnings"].clone();
    assert_eq!(warnings().await, json!(["window_closed"]));
    // The contact replies at 12:00:00.700.
    assert_eq!(world.post(SEND, &world.key, &body).await.status, 201);
    world.live_through(Duration::from_secs(1)).await;
    assert_eq!(world.history(ECHO).await[1]["created_at"], "2026-11-21T12:00:00.700Z");
    assert_eq!(warnings().await, json!([]));
    world.advance(Duration::from_millis(24 * 3_600_000 - 301));
    assert_eq!(warnings().await, json!([]));
    world.advance(Duration::from_millis(2));
    assert_eq!(warnings().await, json!(["window_closed"]));
    // The closed window is a warning and not an error, and a template does not need the window.
    let late = world.post(SEND, &world.key, &body).await;
    assert_eq!(late.status, 201, "{}", late.body);
    assert_eq!(late.body["warnings"], json!(["window_closed"]));
    let template =
        json!({"type": "template", "phone_number": ECHO, "template_name": "a", "language": "en"});
    assert_eq!(world.post(SEND, &world.key, &template).await.body["warnings"], json!([]));
}

async fn a_free_form_message_pauses_the_agent_and_a_template_does_not(world: World) {
    let template = json!({"type": "template", "template_name": "hello", "language": "en"});
    is_accepted(&world, &template).await;
    assert_eq!(agent_state(&world, QUIET_TARGETS).await, "running");
    let dry = json!({"type": "text", "text": "x", "dry_run": true});
    assert_eq!(send(&world, &dry).await.status, 200);
    assert_eq!(agent_state(&world, QUIET_TARGETS).await, "running");
    is_accepted(&world, &text_message(1)).await;
    assert_eq!(agent_state(&world, QUIET_TARGETS).await, "paused");
    is_accepted(&world, &template).await;
    assert_eq!(agent_state(&world, QUIET_TARGETS).await, "paused");
}

on_both_databases! {
    each_of_the_four_types_is_accepted_and_answered_with_exactly_the_same_fields,
    the_kind_of_a_file_is_given_or_inferred_from_its_extension,
    a_file_of_no_kind_or_with_fields_of_another_kind_is_refused,
    values_at_their_bounds_are_accepted,
    texts_files_and_notes_a_character_too_long_are_refused,
    buttons_and_links_beyond_their_bounds_are_refused,
    lists_beyond_their_bounds_are_refused,
    a_header_may_be_a_file_or_a_line,
    all_faults_are_reported_in_one_answer,
    fields_of_another_type_are_refused,
    only_a_message_of_ones_own_can_be_answered,
    a_reply_answers_a_message_of_its_conversation,
    a_dry_run_checks_everything_and_leaves_nothing,
    the_window_is_open_for_24_hours_after_the_person_wrote,
    a_free_form_message_pauses_the_agent_and_a_template_does_not,
}
