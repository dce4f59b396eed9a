//! The message history: pages, the order of messages, and access of bound keys.

use crate::world::snapshot::with_numbered_ids;
use crate::world::{Answer, Pair, World, on_both_databases};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use reqwest::Method;
use serde_json::{Value, json};

const HISTORY: &str = "/api/v1/conversations/history";
const SEND: &str = "/api/v1/messages";
const PERSON: &str = "+12025550110";

/// Sends `count` texts, and returns their ids in order.
async fn send_texts(world: &World, key: &Pair, count: usize) -> Vec<Value> {
    let mut ids = Vec::with_capacity(count);
    for number in 0..count {
        let body =
            json!({"type": "text", "phone_number": PERSON, "text": format!("Number {number}")});
        let answer = world.post(SEND, key, &body).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        ids.push(answer.body["id"].clone());
    }
    ids
}

/// Reads the history with GET and with POST, and asserts that both responses are the same.
async fn read_history(world: &World, key: &Pair, more: &[(&str, Value)]) -> Value {
    let mut body = json!({"phone_number": PERSON});
    let mut path = format!("{HISTORY}?phone_number=%2B12025550110");
    for (name, value) in more {
        body[*name] = value.clone();
        path = format!("{path}&{name}={}", value.to_string().trim_matches('"'));
    }
    let (got, posted) = (world.get(&path, key).await, world.post(HISTORY, key, &body).await);
    assert_eq!(got.status, 200, "{} {}", got.text, posted.text);
    assert_eq!(posted.status, 200, "{} {}", got.text, posted.text);
    assert_eq!(got.text, posted.text);
    got.body
}

fn ids(page: &Value) -> Vec<Value> {
    page["data"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect()
}

async fn query_history(world: &World, query: &str) -> Answer {
    world.get(&format!("{HISTORY}?{query}"), &world.key).await
}

async fn message_of(world: &World, key: &Pair, id: &str) -> Answer {
    let path = format!("/api/v1/messages/{id}");
    Answer::of(world.request(Method::GET, &path, key).header("x-request-id", "same")).await
}

fn empty_history() -> Value {
    json!({
        "data": [],
        "pagination": {
            "limit": 50,
            "offset": 0,
            "total": 0,
            "has_more": false,
            "next_offset": null,
        },
        "conversation": null,
    })
}

async fn a_number_that_nobody_wrote_to_has_an_empty_history(world: World) {
    assert_eq!(read_history(&world, &world.key, &[]).await, empty_history());
}

/// All messages have the same time, so that their order cannot come from times alone.
async fn many_messages_are_read_page_by_page_and_each_once(world: World) {
    let sent = send_texts(&world, &world.key, 120).await;
    let newest_first: Vec<_> = sent.iter().rev().cloned().collect();
    for (order, expected) in [("asc", &sent), ("desc", &newest_first)] {
        let (mut found, mut offset) = (Vec::new(), json!(0));
        for next in [json!(50), json!(100), json!(null)] {
            let page = read_history(
                &world,
                &world.key,
                &[("order", json!(order)), ("offset", offset.clone())],
            )
            .await;
            assert_eq!(
                page["pagination"],
                json!({
                    "limit": 50,
                    "offset": offset,
                    "total": 120,
                    "has_more": !next.is_null(),
                    "next_offset": next,
                })
            );
            found.extend(ids(&page));
            offset = next;
        }
        assert_eq!(found, *expected, "{order}");
    }
    // By default the newest message comes first.
    assert_eq!(ids(&read_history(&world, &world.key, &[]).await), newest_first[..50]);
}

async fn pages_end_where_the_history_ends(world: World) {
    let sent = send_texts(&world, &world.key, 7).await;
    let cases = [
        (1, 0, 0..1, json!(1)),
        (7, 0, 0..7, json!(null)),
        (6, 0, 0..6, json!(6)),
        (3, 3, 3..6, json!(6)),
        (3, 4, 4..7, json!(null)),
        (100, 6, 6..7, json!(null)),
        (100, 7, 7..7, json!(null)),
        (1, 1000, 7..7, json!(null)),
    ];
    for (limit, offset, expected, next) in cases {
        let more = [("order", json!("asc")), ("limit", json!(limit)), ("offset", json!(offset))];
        let page = read_history(&world, &world.key, &more).await;
        assert_eq!(ids(&page), sent[expected]);
        assert_eq!(
            page["pagination"],
            json!({
                "limit": limit,
                "offset": offset,
                "total": 7,
                "has_more": !next.is_null(),
                "next_offset": next,
            })
        );
    }
}

async fn a_record_has_exactly_the_fields_of_the_contract(world: World) {
    let body = json!({
        "type": "text",
        "phone_number": PERSON,
        "text": "Hello",
        "client_ref": "r",
        "metadata": {"k": "v"},
    });
    let sent = world.post(SEND, &world.key, &body).await;
    let page = read_history(&world, &world.key, &[]).await;
    insta::assert_compact_json_snapshot!(with_numbered_ids(&page), @r#"
    {
      "data": [
        {
          "id": "msg_1",
          "conversation_id": "conv_1",
          "contact_id": "ctc_1",
          "contact": {
            "id": "ctc_1",
            "phone_number": "+12025550110",
            "channel_user_id": null,
            "username": null,
            "name": null
          },
          "account_id": "acc_1",
          "direction": "outbound",
          "source": "api",
          "type": "text",
          "text": "Hello",
          "media": null,
          "interactive": null,
          "template": null,
          "status": "queued",
          "error": null,
          "client_ref": "r",
          "metadata": {
            "k": "v"
          },
          "reply_to": null,
          "created_at": "2026-11-21T12:00:00.000Z",
          "sent_at": null,
          "delivered_at": null,
          "read_at": null
        }
      ],
      "pagination": {
        "limit": 50,
        "offset": 0,
        "total": 1,
        "has_more": false,
        "next_offset": null
      },
      "conversation": {
        "id": "conv_1",
        "ai_agent": "paused",
        "window_expires_at": null,
        "contact": {
          "id": "ctc_1",
          "account_id": "acc_1",
          "phone_number": "+12025550110",
          "channel_user_id": null,
          "channel_parent_user_id": null,
          "username": null,
          "name": null,
          "opted_out_at": null,
          "created_at": "2026-11-21T12:00:00.000Z"
        }
      }
    }
    "#);
    assert_eq!(page["data"][0]["id"], sent.body["id"]);
    assert_eq!(page["data"][0]["account_id"], world.account.to_string());
    assert_eq!(page["conversation"]["id"], sent.body["conversation_id"]);
    assert_eq!(page["conversation"]["contact"]["id"], sent.body["contact_id"]);
}

async fn the_number_is_required(world: World) {
    query_history(&world, "").await.has_faults(&[("phone_number", "required")]);
    world.post(HISTORY, &world.key, &json!({})).await.has_faults(&[("phone_number", "required")]);
    query_history(&world, "phone_number=").await.has_faults(&[("phone_number", "invalid_format")]);
    query_history(&world, "phone_number=me")
        .await
        .has_faults(&[("phone_number", "invalid_format")]);
    let body = json!({"phone_number": 12_025_550_110_u64});
    world.post(HISTORY, &world.key, &body).await.has_faults(&[("phone_number", "wrong_type")]);
}

async fn the_number_is_read_as_people_write_it(world: World) {
    send_texts(&world, &world.key, 1).await;
    for number in
        ["12025550110", "+12025550110", "%2B12025550110", "1%20202-555-0110", "+1-202-555-0110"]
    {
        let page = query_history(&world, &format!("phone_number={number}")).await;
        assert_eq!(page.body["pagination"]["total"], 1, "{number}: {}", page.text);
    }
}

async fn parameters_out_of_range_are_rejected_and_not_clamped(world: World) {
    let cases: [(&str, Value, &str); 8] = [
        ("limit", json!(0), "out_of_range"),
        ("limit", json!(101), "out_of_range"),
        ("limit", json!(-1), "out_of_range"),
        ("offset", json!(-1), "out_of_range"),
        ("order", json!("sideways"), "not_one_of"),
        ("order", json!("ASC"), "not_one_of"),
        ("limt", json!(5), "unknown_field"),
        ("limit", json!("ten"), "wrong_type"),
    ];
    for (field, value, fault) in cases {
        let body = json!({"phone_number": PERSON, field: value});
        world.post(HISTORY, &world.key, &body).await.has_faults(&[(field, fault)]);
        let text = value.to_string();
        let text = text.trim_matches('"');
        query_history(&world, &format!("phone_number={PERSON}&{field}={text}"))
            .await
            .has_faults(&[(field, fault)]);
    }
    for text in ["", "1.5", "0x10", "1e1", "99999999999999999999"] {
        query_history(&world, &format!("phone_number={PERSON}&limit={text}"))
            .await
            .has_faults(&[("limit", "wrong_type")]);
    }
    query_history(&world, "limit=0&offset=-1&order=up&x=1").await.has_faults(&[
        ("phone_number", "required"),
        ("limit", "out_of_range"),
        ("offset", "out_of_range"),
        ("order", "not_one_of"),
        ("x", "unknown_field"),
    ]);
}

async fn a_parameter_that_is_given_twice_is_refused(world: World) {
    query_history(&world, "phone_number=%2B12025550110&limit=5&limit=6")
        .await
        .has_faults(&[("limit", "duplicate")]);
    query_history(&world, "phone_number=%2B12025550110&phone_number=%2B12025550111")
        .await
        .has_faults(&[("phone_number", "duplicate")]);
}

async fn a_bound_key_sees_its_own_number_only_and_an_unbound_one_sees_all(world: World) {
    // Given a contact who receives messages from two accounts of the organization,
    let account = world.number(world.organization, "+12025550191").await;
    let bound = world.key_with(world.organization, Scope::ALL, Some(account), 0).await;
    let first = send_texts(&world, &world.key, 2).await;
    world.advance(std::time::Duration::from_secs(1));
    let second = send_texts(&world, &bound, 1).await;
    // then the bound key reads only its own conversation,
    let page = read_history(&world, &bound, &[]).await;
    assert_eq!(ids(&page), second);
    assert_eq!(page["pagination"]["total"], 1);
    assert_eq!(page["conversation"]["id"], page["data"][0]["conversation_id"]);
    // and the unbound key reads both, which are separate conversations.
    let page = read_history(&world, &world.key, &[("order", json!("asc"))]).await;
    assert_eq!(ids(&page), [first.clone(), second.clone()].concat());
    assert_eq!(page["pagination"]["total"], 3);
    assert_eq!(page["conversation"], json!(null));
    // The same holds for single messages.
    let theirs = message_of(&world, &bound, first[0].as_str().unwrap()).await;
    theirs.is_problem(404, "not_found");
    let not_found_answer = message_of(&world, &bound, "msg_01h2xcejqtf2nbrexx3vqjhp41").await;
    assert_eq!(theirs.text, not_found_answer.text);
    assert_eq!(message_of(&world, &world.key, second[0].as_str().unwrap()).await.status, 200);
}

async fn another_organization_sees_nothing(world: World) {
    let sent = send_texts(&world, &world.key, 2).await;
    let other = world.organization_on("Other", "Unlimited").await;
    world.number(other, "+12025550192").await;
    let key = world.key_of(other).await;
    assert_eq!(read_history(&world, &key, &[]).await, empty_history());
    let theirs = message_of(&world, &key, sent[0].as_str().unwrap()).await;
    theirs.is_problem(404, "not_found");
    for id in ["msg_01h2xcejqtf2nbrexx3vqjhp41", "nonsense", "conv_01h2xcejqtf2nbrexx3vqjhp41"] {
        assert_eq!(theirs.text, message_of(&world, &key, id).await.text, "{id}");
    }
}

async fn one_message_reads_as_it_does_in_history(world: World) {
    let body = json!({
        "type": "media",
        "phone_number": "+12025550100",
        "media_url": "https://example.com/a.jpg",
        "client_ref": "r",
    });
    world.post(SEND, &world.key, &body).await;
    world.live_through(std::time::Duration::from_secs(1)).await;
    let history = world.history("+12025550100").await;
    assert_eq!(history.len(), 2);
    for record in &history {
        let one = message_of(&world, &world.key, record["id"].as_str().unwrap()).await;
        assert_eq!(one.status, 200);
        assert_eq!(&one.body, record);
    }
}

async fn reading_needs_its_scope_and_counts_no_message(world: World) {
    let sent = send_texts(&world, &world.key, 1).await;
    let key = world.key_with(world.organization, &[Scope::MessagesSend], None, 0).await;
    let refused = world.get(&format!("{HISTORY}?phone_number=12025550110"), &key).await;
    assert_eq!(
        refused.is_problem(403, "insufficient_scope").body["required_scope"],
        "conversations.read"
    );
    message_of(&world, &key, sent[0].as_str().unwrap()).await.is_problem(403, "insufficient_scope");
    read_history(&world, &world.key, &[]).await;
    let me = world.get("/api/v1/me", &world.key).await;
    assert_eq!(me.body["plan"]["messages"]["used"], 1);
}

on_both_databases! {
    a_number_that_nobody_wrote_to_has_an_empty_history,
    many_messages_are_read_page_by_page_and_each_once,
    pages_end_where_the_history_ends,
    a_record_has_exactly_the_fields_of_the_contract,
    the_number_is_required,
    the_number_is_read_as_people_write_it,
    parameters_out_of_range_are_rejected_and_not_clamped,
    a_parameter_that_is_given_twice_is_refused,
    a_bound_key_sees_its_own_number_only_and_an_unbound_one_sees_all,
    another_organization_sees_nothing,
    one_message_reads_as_it_does_in_history,
    reading_needs_its_scope_and_counts_no_message,
}
