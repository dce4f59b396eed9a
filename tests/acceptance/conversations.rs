//! Conversations as data: the list, what is decided about them, the agent's pause, and notes
//! (`docs/contract.md#conversations`).

use crate::cloud::{Cloud, MINUTE, PERSON, SECOND, SEND, from_person, on_both_clouds};
use crate::connect::PASSWORD;
use crate::events::events;
use crate::operators::admin;
use crate::world::{Answer, DirectConnection, Pair, World};
use domain::id::OrganizationId;
use domain::role::Role;
use domain::scope::Scope;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use workers::housekeeping;

const CONVERSATIONS: &str = "/api/v1/conversations";
const HOUR: Duration = Duration::from_hours(1);
/// The contact of [`from_person`].
const CONTACT: &str = PERSON;

async fn list_conversations(world: &World, query: &str) -> Value {
    let answer = world.get(&format!("{CONVERSATIONS}{query}"), &world.key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

fn ids(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
}

async fn conversation(world: &World, id: &str) -> Value {
    let answer = world.get(&format!("{CONVERSATIONS}/{id}"), &world.key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

async fn patch(world: &World, key: &Pair, id: &str, body: &Value) -> Answer {
    let path = format!("{CONVERSATIONS}/{id}");
    Answer::of(world.request(Method::PATCH, &path, key).json(body)).await
}

async fn change(world: &World, id: &str, body: Value) -> Value {
    let answer = patch(world, &world.key, id, &body).await;
    assert_eq!(answer.status, 200, "{body}: {}", answer.text);
    answer.body
}

/// Creates a member of the role support, and returns the id.
async fn create_member(world: &World, of: OrganizationId, email: &str) -> String {
    let admin = world.admin();
    admin.create_member_as(Role::Support, of, email, "Ana Silva", PASSWORD).await.unwrap();
    let found = world.server.deps.db.member_of_email(email.to_owned()).await.unwrap();
    found.expect("the member").id.to_string()
}

/// Sends a text to a number, and returns the id of the conversation.
async fn write_to(cloud: &Cloud, number: &str) -> String {
    let body = json!({"type": "text", "phone_number": number, "text": "Hello"});
    let sent = cloud.post(SEND, &cloud.key, &body).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    sent.text_of("conversation_id")
}

/// Receives a text from the contact, and returns the id of the conversation.
async fn contact_writes(cloud: &Cloud, wamid: &str) -> String {
    cloud.post_callback(&from_person(wamid).text("Hi")).await;
    cloud.history(CONTACT).await[0]["conversation_id"].as_str().unwrap().to_owned()
}

/// Returns the data of all events of a kind.
async fn data_of(world: &World, kind: &str) -> Vec<Value> {
    let all = events(world, &world.key).await.into_iter();
    all.filter(|it| it["type"] == kind).map(|it| it["data"].clone()).collect()
}

async fn a_conversation_is_shown_with_its_window_and_its_agent(cloud: Cloud) {
    // Given a contact who wrote at noon,
    let id = contact_writes(&cloud, "wamid.A").await;
    let contact = cloud.history(CONTACT).await[0]["contact_id"].clone();
    // then the conversation is open, and its window closes a day later.
    let expected = json!({
        "id": id,
        "account_id": cloud.account.to_string(),
        "contact_id": contact,
        "phone_number": CONTACT,
        "name": null,
        "status": "open",
        "snoozed_until": null,
        "assignee_id": null,
        "labels": [],
        "needs_person_since": null,
        "ai_agent": "running",
        "agent": {
            "state": "running", "cause": null, "reason": null, "by": null, "since": null, "until": null,
        },
        "window_closes_at": "2026-11-22T12:00:00.000Z",
        "last_message_at": "2026-11-21T12:00:00.000Z",
        "message_count": 1,
        "created_at": "2026-11-21T12:00:00.000Z",
    });
    let mut shown = conversation(&cloud, &id).await;
    shown["name"] = Value::Null;
    assert_eq!(shown, expected);
    // When a program answers, it has paused the agent.
    cloud.advance(MINUTE);
    write_to(&cloud, CONTACT).await;
    let shown = conversation(&cloud, &id).await;
    assert_eq!(shown["ai_agent"], "paused");
    assert_eq!(
        shown["agent"],
        json!({
            "state": "paused",
            "cause": "api",
            "reason": null,
            "by": null,
            "since": "2026-11-21T12:01:00.000Z",
            "until": null,
        })
    );
    assert_eq!(shown["message_count"], 2);
    assert_eq!(shown["last_message_at"], "2026-11-21T12:01:00.000Z");
}

async fn the_list_begins_with_the_newest_message(cloud: Cloud) {
    assert_eq!(
        list_conversations(&cloud, "").await,
        json!({"data": [], "has_more": false, "next_after": null})
    );
    // Given seven conversations, of which the third has the newest message,
    let mut expected = Vec::new();
    for number in 0..7 {
        expected.push(write_to(&cloud, &format!("+1650555000{number}")).await);
        cloud.advance(SECOND);
    }
    expected.reverse();
    let third = expected.remove(4);
    assert_eq!(write_to(&cloud, "+16505550002").await, third);
    expected.insert(0, third);
    // then the pages hold each conversation once, in that order.
    let (mut seen, mut after) = (Vec::new(), String::new());
    loop {
        let page = list_conversations(&cloud, &format!("?limit=3{after}")).await;
        seen.extend(ids(&page).into_iter().map(str::to_owned));
        assert_eq!(page["has_more"], page["next_after"].is_string());
        let Some(next) = page["next_after"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(seen, expected);
    // Conversations with messages at the same time do not hide each other.
    let mut together = Vec::new();
    for number in 0..4 {
        together.push(write_to(&cloud, &format!("+1650555010{number}")).await);
    }
    let first = list_conversations(&cloud, "?limit=2").await;
    let next = first["next_after"].as_str().unwrap();
    let second = list_conversations(&cloud, &format!("?limit=2&after={next}")).await;
    let mut paged: Vec<_> = ids(&first).into_iter().chain(ids(&second)).collect();
    paged.sort_unstable();
    together.sort_unstable();
    assert_eq!(paged, together);
}

async fn the_list_can_be_filtered(cloud: Cloud) {
    let mut made = Vec::new();
    for number in 0..4 {
        made.push(write_to(&cloud, &format!("+1650555000{number}")).await);
        cloud.advance(SECOND);
    }
    let [one, two, three, four] = made.try_into().unwrap();
    let member = create_member(&cloud, cloud.organization, "ana@example.com").await;
    change(&cloud, &one, json!({"status": "closed"})).await;
    change(&cloud, &two, json!({"assignee_id": member, "labels": ["vip", "order"]})).await;
    change(&cloud, &three, json!({"labels": ["vip"]})).await;
    let resumed =
        cloud.post(&format!("{CONVERSATIONS}/{four}/resume-agent"), &cloud.key, &json!({})).await;
    assert_eq!(resumed.status, 200, "{}", resumed.text);
    for (query, expected) in [
        ("?status=open", vec![&four, &three, &two]),
        ("?status=closed", vec![&one]),
        ("?status=snoozed", vec![]),
        (&format!("?assignee_id={member}"), vec![&two]),
        ("?assignee_id=none", vec![&four, &three, &one]),
        ("?label=vip", vec![&three, &two]),
        ("?label=order", vec![&two]),
        ("?label=vi", vec![]),
        ("?agent=paused", vec![&three, &two, &one]),
        ("?agent=running", vec![&four]),
        ("?needs_person=true", vec![]),
        ("?needs_person=false&limit=1", vec![&four]),
        ("?since=2026-11-21T12:00:02Z", vec![&four, &three]),
        ("?label=vip&assignee_id=none&status=open&agent=paused", vec![&three]),
    ] {
        assert_eq!(ids(&list_conversations(&cloud, query).await), expected, "{query}");
    }
    for (query, field) in [
        ("?status=done", "status"),
        ("?agent=on", "agent"),
        ("?assignee_id=mem_1", "assignee_id"),
        ("?since=yesterday", "since"),
        ("?after=conv_1", "after"),
        (&format!("?after={one}"), "after"),
        ("?limit=0", "limit"),
    ] {
        let answer = cloud.get(&format!("{CONVERSATIONS}{query}"), &cloud.key).await;
        answer.is_problem(422, "validation_failed");
        assert_eq!(answer.body["details"][0]["field"], field, "{query}");
    }
    let wrong = cloud.get(&format!("{CONVERSATIONS}?needs_person=1"), &cloud.key).await;
    assert!([400, 422].contains(&wrong.status), "{}", wrong.text);
}

async fn a_change_is_an_event_and_repeating_it_is_none(cloud: Cloud) {
    let id = write_to(&cloud, CONTACT).await;
    let member = create_member(&cloud, cloud.organization, "ana@example.com").await;
    let body = json!({
        "status": "snoozed",
        "snoozed_until": "2026-11-21T13:00:00Z",
        "assignee_id": member,
        "labels": ["vip", " order ", "vip"],
    });
    // When everything is changed at once, twice,
    let changed = change(&cloud, &id, body.clone()).await;
    assert_eq!(changed["status"], "snoozed");
    assert_eq!(changed["snoozed_until"], "2026-11-21T13:00:00.000Z");
    assert_eq!(changed["assignee_id"], json!(member));
    assert_eq!(changed["labels"], json!(["order", "vip"]));
    assert_eq!(change(&cloud, &id, body).await, changed);
    // then the change is recorded once, with the values before.
    let recorded = data_of(&cloud, "conversation.updated").await;
    assert_eq!(recorded.len(), 1, "{recorded:#?}");
    assert_eq!(recorded[0]["id"], json!(id));
    assert_eq!(recorded[0]["status"], "snoozed");
    assert_eq!(
        recorded[0]["changes"],
        json!({
            "status": {"previous": "open", "current": "snoozed"},
            "snoozed_until": {"previous": null, "current": "2026-11-21T13:00:00.000Z"},
            "assignee_id": {"previous": null, "current": member},
            "labels": {"previous": [], "current": ["order", "vip"]},
        })
    );
    // A field that is omitted stays, null takes the assignee away, and an empty list the labels.
    let changed = change(&cloud, &id, json!({"assignee_id": null})).await;
    assert_eq!(changed["assignee_id"], Value::Null);
    assert_eq!(changed["status"], "snoozed");
    assert_eq!(change(&cloud, &id, json!({"labels": []})).await["labels"], json!([]));
    assert_eq!(change(&cloud, &id, json!({})).await["status"], "snoozed");
    assert_eq!(data_of(&cloud, "conversation.updated").await.len(), 3);
}

async fn the_contact_opens_a_conversation_and_so_does_the_end_of_a_snooze(cloud: Cloud) {
    let id = contact_writes(&cloud, "wamid.A").await;
    for status in ["closed", "waiting"] {
        // Given a conversation that is not open,
        cloud.advance(SECOND);
        change(&cloud, &id, json!({"status": status})).await;
        // when the business writes, it stays so,
        cloud.advance(SECOND);
        write_to(&cloud, CONTACT).await;
        assert_eq!(conversation(&cloud, &id).await["status"], status);
        // and when the contact writes, it opens.
        cloud.advance(SECOND);
        cloud.post_callback(&from_person(&format!("wamid.{status}")).text("Hi")).await;
        assert_eq!(conversation(&cloud, &id).await["status"], "open", "{status}");
    }
    let until = (cloud.clock.now().plus(HOUR)).to_string();
    change(&cloud, &id, json!({"status": "snoozed", "snoozed_until": until})).await;
    cloud.advance(Duration::from_mins(59));
    workers::inbox::run_until_idle(&cloud.server.deps).await.unwrap();
    assert_eq!(conversation(&cloud, &id).await["status"], "snoozed");
    cloud.advance(MINUTE);
    workers::inbox::run_until_idle(&cloud.server.deps).await.unwrap();
    let woken = conversation(&cloud, &id).await;
    assert_eq!(woken["status"], "open");
    assert_eq!(woken["snoozed_until"], Value::Null);
    // Each opening is an event.
    let recorded = data_of(&cloud, "conversation.updated").await;
    let statuses: Vec<_> = recorded.iter().map(|it| it["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["closed", "open", "waiting", "open", "snoozed", "open"]);
    // A status that is set after the contact wrote stays, also if the inbox was behind.
    cloud.advance(SECOND);
    cloud.post_callback(&from_person("wamid.late").text("Thanks")).await;
    cloud.advance(SECOND);
    assert_eq!(change(&cloud, &id, json!({"status": "closed"})).await["status"], "closed");
    assert_eq!(conversation(&cloud, &id).await["status"], "closed");
}

async fn wrong_changes_are_explained(cloud: Cloud) {
    let id = write_to(&cloud, CONTACT).await;
    let labels: Vec<String> = (0..21).map(|it| format!("label {it}")).collect();
    for (body, field, code) in [
        (json!({"status": "done"}), "status", "not_one_of"),
        (json!({"status": "snoozed"}), "snoozed_until", "required"),
        (
            json!({"status": "open", "snoozed_until": "2026-11-22T12:00:00Z"}),
            "snoozed_until",
            "not_allowed",
        ),
        (json!({"snoozed_until": "2026-11-22T12:00:00Z"}), "snoozed_until", "not_allowed"),
        (
            json!({"status": "snoozed", "snoozed_until": "2026-11-21T12:00:00Z"}),
            "snoozed_until",
            "out_of_range",
        ),
        (
            json!({"status": "snoozed", "snoozed_until": "2027-11-22T12:00:00Z"}),
            "snoozed_until",
            "out_of_range",
        ),
        (
            json!({"status": "snoozed", "snoozed_until": "tomorrow"}),
            "snoozed_until",
            "invalid_format",
        ),
        (json!({"assignee_id": "ana"}), "assignee_id", "invalid_format"),
        (json!({"assignee_id": "mem_01h455vb4pex5vsknk084sn02q"}), "assignee_id", "not_one_of"),
        (json!({"labels": labels}), "labels", "too_long"),
        (json!({"labels": [" "]}), "labels[0]", "invalid_format"),
        (json!({"labels": ["a", "x".repeat(51)]}), "labels[1]", "invalid_format"),
        (json!({"labels": ["a\u{202e}b"]}), "labels[0]", "invalid_format"),
    ] {
        let answer = patch(&cloud, &cloud.key, &id, &body).await;
        answer.is_problem(422, "validation_failed");
        answer.has_faults(&[(field, code)]);
    }
    // An assignee who does not exist is named together with the other faults.
    let body = json!({
        "assignee_id": "mem_01h455vb4pex5vsknk084sn02q",
        "status": "snoozed",
        "labels": ["x".repeat(51)],
        "label": "vip",
    });
    patch(&cloud, &cloud.key, &id, &body).await.has_faults(&[
        ("assignee_id", "not_one_of"),
        ("snoozed_until", "required"),
        ("labels[0]", "invalid_format"),
        ("label", "unknown_field"),
    ]);
    assert!(data_of(&cloud, "conversation.updated").await.is_empty());
    let unknown = "conv_01h455vb4pex5vsknk084sn02q";
    patch(&cloud, &cloud.key, unknown, &json!({})).await.is_problem(404, "not_found");
    patch(&cloud, &cloud.key, "conv_1", &json!({})).await.is_problem(404, "not_found");
}

async fn the_agent_is_paused_with_a_cause_and_resumed(cloud: Cloud) {
    let id = contact_writes(&cloud, "wamid.A").await;
    let pause = format!("{CONVERSATIONS}/{id}/pause-agent");
    let resume = format!("{CONVERSATIONS}/{id}/resume-agent");
    // When a program pauses the agent for an hour,
    let body = json!({"reason": "The order is disputed", "until": "2026-11-21T13:00:00Z"});
    let paused = cloud.post(&pause, &cloud.key, &body).await;
    assert_eq!(paused.status, 200, "{}", paused.text);
    let expected = json!({
        "state": "paused",
        "cause": "api",
        "reason": "The order is disputed",
        "by": null,
        "since": "2026-11-21T12:00:00.000Z",
        "until": "2026-11-21T13:00:00.000Z",
    });
    assert_eq!(paused.body["agent"], expected);
    assert_eq!(paused.body["ai_agent"], "paused");
    assert_eq!(conversation(&cloud, &id).await["agent"], expected);
    assert_eq!(cloud.history(CONTACT).await.len(), 1, "a pause is no message");
    // then the agent answers again an hour later.
    cloud.advance(HOUR);
    workers::inbox::run_until_idle(&cloud.server.deps).await.unwrap();
    assert_eq!(conversation(&cloud, &id).await["ai_agent"], "running");
    // Without an end it stays paused, and resuming twice is one event.
    cloud.post(&pause, &cloud.key, &json!({})).await;
    cloud.advance(Duration::from_hours(24 * 400));
    workers::inbox::run_until_idle(&cloud.server.deps).await.unwrap();
    assert_eq!(conversation(&cloud, &id).await["agent"]["state"], "paused");
    for _ in 0..2 {
        let resumed = cloud.post(&resume, &cloud.key, &json!({})).await;
        assert_eq!(resumed.status, 200, "{}", resumed.text);
        assert_eq!(resumed.body["agent"]["state"], "running");
        assert_eq!(resumed.body["agent"]["cause"], Value::Null);
    }
    assert_eq!(data_of(&cloud, "conversation.agent_paused").await.len(), 2);
    assert_eq!(data_of(&cloud, "conversation.agent_resumed").await.len(), 2);
    // The reason and the end are checked.
    for (body, field, code) in [
        (json!({"reason": ""}), "reason", "empty"),
        (json!({"reason": "x".repeat(201)}), "reason", "too_long"),
        (json!({"until": "2026-11-21T12:00:00Z"}), "until", "out_of_range"),
        (json!({"until": "soon"}), "until", "invalid_format"),
    ] {
        let answer = cloud.post(&pause, &cloud.key, &body).await;
        answer.is_problem(422, "validation_failed");
        answer.has_faults(&[(field, code)]);
    }
}

async fn notes_are_listed_and_never_sent(cloud: Cloud) {
    let id = contact_writes(&cloud, "wamid.A").await;
    let path = format!("{CONVERSATIONS}/{id}/notes");
    let mut expected = Vec::new();
    for text in ["Wants a refund.", "🧾 See order 7.", "Done."] {
        cloud.advance(SECOND);
        let note = cloud.post(&path, &cloud.key, &json!({"text": text})).await;
        assert_eq!(note.status, 201, "{}", note.text);
        assert_eq!(note.body["text"], text);
        assert_eq!(note.body["conversation_id"], json!(id));
        assert_eq!(note.body["author"]["type"], "key");
        expected.insert(0, note.body);
    }
    // Then they are listed, newest first, page by page,
    let page = cloud.get(&format!("{path}?limit=2"), &cloud.key).await.body;
    assert_eq!(page["data"], json!(expected[..2]));
    assert_eq!(page["has_more"], true);
    let next = page["next_after"].as_str().unwrap();
    let page = cloud.get(&format!("{path}?limit=2&after={next}"), &cloud.key).await.body;
    assert_eq!(page, json!({"data": expected[2..], "has_more": false, "next_after": null}));
    // each is an event, and nothing is sent.
    let mut recorded = data_of(&cloud, "note.created").await;
    recorded.reverse();
    assert_eq!(recorded, expected);
    cloud.settle().await;
    assert!(cloud.graph.accepted().is_empty());
    assert_eq!(cloud.history(CONTACT).await.len(), 1);
    for (body, code) in [
        (json!({}), "required"),
        (json!({"text": ""}), "empty"),
        (json!({"text": "x".repeat(4097)}), "too_long"),
    ] {
        let answer = cloud.post(&path, &cloud.key, &body).await;
        answer.is_problem(422, "validation_failed");
        answer.has_faults(&[("text", code)]);
    }
}

async fn a_bound_key_and_another_organization_find_only_their_own(cloud: Cloud) {
    let id = contact_writes(&cloud, "wamid.A").await;
    let bound = cloud.key_with_token(cloud.graph.token()).await;
    let (_, other) = cloud.other("+12025550182", "106540352242924").await;
    for key in [&bound, &other] {
        let none = cloud.get(CONVERSATIONS, key).await;
        assert_eq!(none.body["data"], json!([]));
        for tail in ["", "/notes"] {
            let path = format!("{CONVERSATIONS}/{id}{tail}");
            cloud.get(&path, key).await.is_problem(404, "not_found");
        }
        patch(&cloud, key, &id, &json!({"status": "closed"})).await.is_problem(404, "not_found");
        for (tail, body) in [
            ("pause-agent", json!({})),
            ("resume-agent", json!({})),
            ("hand-over", json!({})),
            ("notes", json!({"text": "Hi"})),
        ] {
            let path = format!("{CONVERSATIONS}/{id}/{tail}");
            cloud.post(&path, key, &body).await.is_problem(404, "not_found");
        }
    }
    let stands = conversation(&cloud, &id).await;
    assert_eq!(stands["status"], "open");
    assert_eq!(stands["ai_agent"], "running");
    // Reading and changing are scopes of their own.
    let reads = cloud.key_with(cloud.organization, &[Scope::ConversationsRead], None, 0).await;
    assert_eq!(cloud.get(&format!("{CONVERSATIONS}/{id}"), &reads).await.status, 200);
    let refused = patch(&cloud, &reads, &id, &json!({"status": "closed"})).await;
    refused.is_problem(403, "insufficient_scope");
    // A member of another organization cannot be the assignee.
    let stranger = create_member(&cloud, cloud.sandbox.0, "eve@example.com").await;
    let answer = patch(&cloud, &cloud.key, &id, &json!({"assignee_id": stranger})).await;
    answer.is_problem(422, "validation_failed");
    answer.has_faults(&[("assignee_id", "not_one_of")]);
}

async fn changes_of_different_fields_at_the_same_instant_all_count(cloud: Cloud) {
    let id = write_to(&cloud, CONTACT).await;
    let member = create_member(&cloud, cloud.organization, "ana@example.com").await;
    for round in 0..10 {
        let status = if round % 2 == 0 { "waiting" } else { "closed" };
        let assignee = if round % 2 == 0 { json!(member) } else { Value::Null };
        let labels = json!([format!("round {round}")]);
        let changes = [
            json!({"status": status}),
            json!({"assignee_id": assignee}),
            json!({"labels": labels}),
        ];
        let sent = changes.iter().map(|it| patch(&cloud, &cloud.key, &id, it));
        for answer in futures_util::future::join_all(sent).await {
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        let stands = conversation(&cloud, &id).await;
        assert_eq!(stands["status"], status, "round {round}");
        assert_eq!(stands["assignee_id"], assignee, "round {round}");
        assert_eq!(stands["labels"], labels, "round {round}");
    }
}

async fn a_member_who_may_no_longer_use_the_inbox_has_no_conversations(cloud: Cloud) {
    // Given two conversations that are assigned to two members,
    let one = write_to(&cloud, "+16505550001").await;
    cloud.advance(SECOND);
    let two = write_to(&cloud, "+16505550002").await;
    let ana = create_member(&cloud, cloud.organization, "ana@example.com").await;
    let ben = create_member(&cloud, cloud.organization, "ben@example.com").await;
    change(&cloud, &one, json!({"assignee_id": ana})).await;
    change(&cloud, &two, json!({"assignee_id": ben, "status": "closed"})).await;
    // when one is removed, and the other one gets a role without the inbox,
    let organization = cloud.organization.to_string();
    let of = ["--organization", organization.as_str()];
    let remove = ["member", "remove", "ana@example.com"];
    admin(cloud.database_url(), &[&remove[..], &of].concat()).await;
    let demote = ["member", "role", "ben@example.com", "--role", "developer"];
    admin(cloud.database_url(), &[&demote[..], &of].concat()).await;
    // then the conversations are assigned to nobody, which events report,
    for id in [&one, &two] {
        assert_eq!(conversation(&cloud, id).await["assignee_id"], Value::Null);
    }
    let unassigned = list_conversations(&cloud, "?assignee_id=none").await;
    assert_eq!(ids(&unassigned), [&two, &one]);
    let recorded = data_of(&cloud, "conversation.updated").await;
    let changes: Vec<&Value> = recorded.iter().skip(2).map(|it| &it["changes"]).collect();
    let ended = |member: &str| json!({"assignee_id": {"previous": member, "current": null}});
    assert_eq!(changes, [&ended(&ana), &ended(&ben)], "{recorded:#?}");
    assert_eq!(recorded[3]["status"], "closed");
    // and neither member can be the assignee.
    for member in [&ana, &ben] {
        let assigned = list_conversations(&cloud, &format!("?assignee_id={member}")).await;
        assert!(ids(&assigned).is_empty(), "{assigned:#}");
        let answer = patch(&cloud, &cloud.key, &one, &json!({"assignee_id": member})).await;
        answer.is_problem(422, "validation_failed");
        answer.has_faults(&[("assignee_id", "not_one_of")]);
    }
}

async fn very_many_conversations_of_a_removed_member_are_unassigned_by_a_worker(cloud: Cloud) {
    // Given a member with more conversations than one transaction unassigns,
    let id = write_to(&cloud, CONTACT).await;
    let member = create_member(&cloud, cloud.organization, "ana@example.com").await;
    change(&cloud, &id, json!({"assignee_id": member})).await;
    let mut beside = cloud.beside().await;
    let copies = match &beside {
        DirectConnection::Postgres(_) => {
            "SELECT organization_id, gen_random_uuid(), account_id, last_message_at, assignee_id \
             FROM inbox_entries, generate_series(1, 1200) WHERE assignee_id IS NOT NULL"
        }
        DirectConnection::Sqlite(_) => {
            "WITH RECURSIVE numbers (number) AS \
             (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1200) \
             SELECT organization_id, randomblob(16), account_id, last_message_at, assignee_id \
             FROM inbox_entries, numbers WHERE assignee_id IS NOT NULL"
        }
    };
    let columns = "organization_id, conversation_id, account_id, last_message_at, assignee_id";
    beside.execute(&format!("INSERT INTO inbox_entries ({columns}) {copies}")).await;
    let assigned = "SELECT count(*) AS number FROM inbox_entries WHERE assignee_id IS NOT NULL";
    assert_eq!(beside.number(assigned).await, 1201);
    // when the member is removed, then some are unassigned at once,
    let (organization_db, now) =
        (cloud.server.deps.db.organization(cloud.organization), cloud.clock.now());
    organization_db.change_role(member.parse().unwrap(), None, now).await.unwrap();
    let left = beside.number(assigned).await;
    assert!((1..1201).contains(&left), "{left}");
    // and a worker unassigns the others.
    housekeeping::step(&cloud.server.deps, false).await.unwrap();
    assert_eq!(beside.number(assigned).await, 0);
    assert_eq!(beside.number("SELECT count(*) AS number FROM former_assignees").await, 0);
    assert_eq!(conversation(&cloud, &id).await["assignee_id"], Value::Null);
    assert_eq!(data_of(&cloud, "conversation.updated").await.len(), 2);
}

async fn conversations_of_members_who_left_before_are_unassigned_after_the_update(cloud: Cloud) {
    // Given assignees who left, and one who did not, as an earlier version stored them,
    let mut members = Vec::new();
    for (number, email) in (0..).zip(["ana@example.com", "ben@example.com", "eve@example.com"]) {
        let id = write_to(&cloud, &format!("+1650555000{number}")).await;
        let member = create_member(&cloud, cloud.organization, email).await;
        change(&cloud, &id, json!({"assignee_id": member})).await;
        members.push((id, member));
    }
    let mut beside = cloud.beside().await;
    let of = |email: &str| format!("(SELECT id FROM members WHERE email = '{email}')");
    let ana = of("ana@example.com");
    beside.execute(&format!("DELETE FROM memberships WHERE member_id = {ana}")).await;
    let ben = of("ben@example.com");
    let demote = format!("UPDATE memberships SET role = 'developer' WHERE member_id = {ben}");
    beside.execute(&demote).await;
    // when the migration and then a worker run,
    let migration = match &beside {
        DirectConnection::Postgres(_) => {
            include_str!("../../migrations/postgres/2026-11-27-210000_former_assignees/up.sql")
        }
        DirectConnection::Sqlite(_) => {
            include_str!("../../migrations/sqlite/2026-11-27-210000_former_assignees/up.sql")
        }
    };
    let (_, values) = migration.split_once("INSERT INTO").expect("the part about assignees");
    beside.execute(&format!("INSERT INTO{values}")).await;
    housekeeping::step(&cloud.server.deps, false).await.unwrap();
    // then only the one who did not leave has a conversation.
    let mut assignees = Vec::new();
    for (id, _) in &members {
        assignees.push(conversation(&cloud, id).await["assignee_id"].clone());
    }
    let (_, eve) = &members[2];
    assert_eq!(assignees, [Value::Null, Value::Null, json!(eve)]);
}

async fn a_member_who_comes_back_keeps_assigned_conversations(cloud: Cloud) {
    // Given an assignee who left and came back before a worker had unassigned everything,
    let id = write_to(&cloud, CONTACT).await;
    let member = create_member(&cloud, cloud.organization, "ana@example.com").await;
    change(&cloud, &id, json!({"assignee_id": member})).await;
    let mut beside = cloud.beside().await;
    let left = "INSERT INTO former_assignees (organization_id, member_id) \
                SELECT memberships.organization_id, memberships.member_id FROM memberships \
                JOIN members ON members.id = memberships.member_id \
                WHERE members.email = 'ana@example.com'";
    beside.execute(left).await;
    assert_eq!(beside.number("SELECT count(*) AS number FROM former_assignees").await, 1);
    // when the worker runs, then the conversation stays assigned, and the worker is done.
    housekeeping::step(&cloud.server.deps, false).await.unwrap();
    assert_eq!(conversation(&cloud, &id).await["assignee_id"], json!(member));
    assert_eq!(beside.number("SELECT count(*) AS number FROM former_assignees").await, 0);
}

async fn merged_conversations_are_one_with_the_notes_of_both(cloud: Cloud) {
    // Given two conversations that turn out to be with one person,
    let by_number = write_to(&cloud, CONTACT).await;
    let note = json!({"text": "Prefers mornings."});
    cloud.post(&format!("{CONVERSATIONS}/{by_number}/notes"), &cloud.key, &note).await;
    let body = json!({"type": "text", "channel_user_id": "US.1", "text": "Hello"});
    cloud.advance(SECOND);
    let by_user = cloud.post(SEND, &cloud.key, &body).await.text_of("conversation_id");
    let note = json!({"text": "Has a dog."});
    cloud.post(&format!("{CONVERSATIONS}/{by_user}/notes"), &cloud.key, &note).await;
    change(&cloud, &by_user, json!({"labels": ["dog"]})).await;
    assert_eq!(list_conversations(&cloud, "").await["data"].as_array().unwrap().len(), 2);
    let mut callback = from_person("wamid.A").text("Hi");
    callback["entry"][0]["changes"][0]["value"]["contacts"] =
        json!([{"wa_id": crate::cloud::PERSON_THERE, "user_id": "US.1"}]);
    cloud.advance(SECOND);
    cloud.post_callback(&callback).await;
    // then one conversation is listed, both ids lead to it, and it has both notes.
    let page = list_conversations(&cloud, "").await;
    assert_eq!(ids(&page).len(), 1, "{page:#}");
    let kept = ids(&page)[0];
    for id in [&by_number, &by_user] {
        assert_eq!(conversation(&cloud, id).await["id"], json!(kept));
        let path = format!("/api/v1/messages?conversation_id={id}");
        let listed = cloud.get(&path, &cloud.key).await.body;
        assert_eq!(listed["data"].as_array().unwrap().len(), 3, "{id}: {listed:#}");
        let path = format!("{CONVERSATIONS}/{id}/notes");
        let notes = cloud.get(&path, &cloud.key).await.body;
        assert_eq!(notes["data"].as_array().unwrap().len(), 2, "{notes:#}");
    }
}

async fn the_inbox_is_rebuilt_when_its_events_are_gone(cloud: Cloud) {
    let one = write_to(&cloud, "+16505550001").await;
    change(&cloud, &one, json!({"status": "closed", "labels": ["vip"]})).await;
    cloud.advance(SECOND);
    // Given that nothing applied the events for so long that they are deleted,
    let two = write_to(&cloud, "+16505550002").await;
    let mut beside = cloud.beside().await;
    beside.execute("DELETE FROM events WHERE kind <> 'message.sent'").await;
    cloud.advance(SECOND);
    let three = write_to(&cloud, "+16505550003").await;
    // then all conversations are listed, and decisions are kept.
    assert_eq!(ids(&list_conversations(&cloud, "").await), [&three, &two, &one]);
    let shown = conversation(&cloud, &one).await;
    assert_eq!(shown["status"], "closed");
    assert_eq!(shown["labels"], json!(["vip"]));
}

on_both_clouds! {
    a_conversation_is_shown_with_its_window_and_its_agent,
    the_list_begins_with_the_newest_message,
    the_list_can_be_filtered,
    a_change_is_an_event_and_repeating_it_is_none,
    the_contact_opens_a_conversation_and_so_does_the_end_of_a_snooze,
    wrong_changes_are_explained,
    changes_of_different_fields_at_the_same_instant_all_count,
    a_member_who_may_no_longer_use_the_inbox_has_no_conversations,
    very_many_conversations_of_a_removed_member_are_unassigned_by_a_worker,
    a_member_who_comes_back_keeps_assigned_conversations,
    conversations_of_members_who_left_before_are_unassigned_after_the_update,
    the_agent_is_paused_with_a_cause_and_resumed,
    notes_are_listed_and_never_sent,
    a_bound_key_and_another_organization_find_only_their_own,
    merged_conversations_are_one_with_the_notes_of_both,
    the_inbox_is_rebuilt_when_its_events_are_gone,
}
