//! `GET /api/v1/messages`: the list of messages and its filters
//! (`docs/contract.md#messages-and-history`).

use crate::world::{World, on_both_databases};
use domain::message::Direction;
use persistence::Reader;
use persistence::records::MessageFilter;
use serde_json::{Value, json};
use std::time::Duration;

const MESSAGES: &str = "/api/v1/messages";
/// A sandbox number that accepts everything and never replies.
const QUIET: &str = "+12025550110";
/// A sandbox number that reads messages and replies.
const ECHO: &str = "+12025550100";
/// A sandbox number that nobody has.
const UNREACHABLE: &str = "+12025550103";

async fn send(world: &World, to: &str, text: &str, client_ref: Option<&str>) -> String {
    let mut body = json!({"type": "text", "phone_number": to, "text": text});
    if let Some(client_ref) = client_ref {
        body["client_ref"] = json!(client_ref);
    }
    let answer = world.post(MESSAGES, &world.key, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    world.advance(Duration::from_millis(5));
    answer.body["id"].as_str().unwrap().to_owned()
}

async fn list(world: &World, query: &str) -> Value {
    let answer = world.get(&format!("{MESSAGES}{query}"), &world.key).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text);
    answer.body
}

fn texts(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect()
}

async fn messages_of_all_conversations_are_listed_newest_first(world: World) {
    // Given messages in three conversations, one of them answered and one failed,
    send(&world, QUIET, "one", Some("order-1")).await;
    send(&world, ECHO, "two", None).await;
    send(&world, UNREACHABLE, "three", Some("order-3")).await;
    world.settle().await;
    world.advance(Duration::from_secs(1));
    world.settle().await;
    // when they are listed, then the newest comes first, with the contact,
    let all = list(&world, "").await;
    assert_eq!(texts(&all), ["two", "three", "two", "one"]);
    assert_eq!(all["has_more"], false);
    assert_eq!(all["next_after"], Value::Null);
    assert_eq!(all["data"][3]["contact"]["phone_number"], QUIET);
    assert_eq!(all["data"][0]["direction"], "inbound");
    // each is what `GET /messages/{id}` says,
    let path = format!("{MESSAGES}/{}", all["data"][1]["id"].as_str().unwrap());
    assert_eq!(world.get(&path, &world.key).await.body, all["data"][1]);
    // and pages follow each other without a gap.
    let first = list(&world, "?limit=3").await;
    assert_eq!(texts(&first), ["two", "three", "two"]);
    assert_eq!(first["has_more"], true);
    let next = first["next_after"].as_str().unwrap();
    let last = list(&world, &format!("?limit=3&after={next}")).await;
    assert_eq!(texts(&last), ["one"]);
    assert_eq!(last["has_more"], false);
}

async fn filters_narrow_the_list(world: World) {
    send(&world, QUIET, "one", Some("order-1")).await;
    send(&world, ECHO, "two", None).await;
    send(&world, UNREACHABLE, "three", Some("order-3")).await;
    world.settle().await;
    world.advance(Duration::from_secs(1));
    world.settle().await;
    let all = list(&world, "").await;
    let conversation = all["data"][0]["conversation_id"].as_str().unwrap();
    let at = all["data"][3]["created_at"].as_str().unwrap();
    let cases = [
        ("?client_ref=order-3".to_owned(), vec!["three"]),
        ("?client_ref=order-9".to_owned(), vec![]),
        ("?status=failed".to_owned(), vec!["three"]),
        ("?status=read".to_owned(), vec!["two"]),
        ("?direction=inbound".to_owned(), vec!["two"]),
        ("?direction=outbound&status=delivered".to_owned(), vec!["one"]),
        (format!("?conversation_id={conversation}"), vec!["two", "two"]),
        (format!("?conversation_id={conversation}&direction=outbound"), vec!["two"]),
        (format!("?conversation_id={conversation}&limit=1"), vec!["two"]),
        (format!("?conversation_id={conversation}&until=2100-01-01T00:00:00Z"), vec!["two", "two"]),
        (format!("?conversation_id={conversation}&until={at}"), vec![]),
        (format!("?until={at}"), vec![]),
        (format!("?since={at}"), vec!["two", "three", "two", "one"]),
        (
            "?since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:00Z&client_ref=order-1".to_owned(),
            vec!["one"],
        ),
    ];
    for (query, expected) in cases {
        assert_eq!(texts(&list(&world, &query).await), expected, "{query}");
    }
    // A conversation is paged by its own positions.
    let newest = list(&world, &format!("?conversation_id={conversation}&limit=1")).await;
    let next = newest["next_after"].as_str().unwrap();
    let older = list(&world, &format!("?conversation_id={conversation}&after={next}")).await;
    assert_eq!(texts(&older), ["two"]);
    assert_eq!(older["data"][0]["direction"], "outbound");
}

async fn wrong_filters_are_all_named(world: World) {
    let query = "?status=gone&direction=up&conversation_id=x&since=today&until=1&after=y&limit=0";
    let answer = world.get(&format!("{MESSAGES}{query}"), &world.key).await;
    answer.has_faults(&[
        ("status", "not_one_of"),
        ("direction", "not_one_of"),
        ("conversation_id", "invalid_format"),
        ("since", "invalid_format"),
        ("until", "invalid_format"),
        ("limit", "out_of_range"),
        ("after", "invalid_format"),
    ]);
}

async fn a_rare_match_is_found_by_going_on(world: World) {
    // Given one answered message, and five messages after it,
    send(&world, ECHO, "first", None).await;
    world.settle().await;
    world.advance(Duration::from_secs(1));
    world.settle().await;
    for _ in 0..5 {
        send(&world, QUIET, "later", None).await;
    }
    // when four messages are looked at for inbound ones, then the page is empty and says where it
    // stopped,
    let reader = Reader::from_primary(world.organization);
    let find = async |before, conversation| {
        let filter = MessageFilter {
            direction: Some(Direction::Inbound),
            conversation,
            ..MessageFilter::default()
        };
        world.server.deps.db.reads(reader).list_messages(filter, before, 10, 4).await.unwrap()
    };
    let scan = find(None, None).await;
    assert!(scan.found.is_empty());
    // and from there on the message is found.
    let scan = find(scan.oldest_scanned, None).await;
    let [(message, _)] = scan.found.as_slice() else { panic!("{:?}", scan.found) };
    assert_eq!(scan.oldest_scanned, None);
    // The same within a conversation, which is scanned by position.
    let conversation = Some(message.conversation_id);
    let filter = MessageFilter { conversation, ..MessageFilter::default() };
    let scan = world.server.deps.db.reads(reader).list_messages(filter, None, 10, 1).await.unwrap();
    assert_eq!(scan.found.len(), 1);
    assert_eq!(scan.oldest_scanned, Some(message.id));
    let scan = find(scan.oldest_scanned, conversation).await;
    assert!(scan.found.is_empty());
    assert_eq!(scan.oldest_scanned, None);
}

async fn the_messages_of_a_key_are_found_by_going_on(world: World) {
    // Given a message of one key, and five messages of another one after it,
    let other = world.key_of(world.organization).await;
    let db = &world.server.deps.db;
    let key = db.organization(world.organization).key_of_client_id(other.client_id.clone()).await;
    let key = key.unwrap().expect("the key").id;
    let body = json!({"type": "text", "phone_number": QUIET, "text": "first"});
    assert_eq!(world.post(MESSAGES, &other, &body).await.status, 201);
    world.advance(Duration::from_millis(5));
    for _ in 0..5 {
        send(&world, QUIET, "later", None).await;
    }
    // when four messages are looked at, then none of the key is found, and the search says where it
    // stopped,
    let find = async |organization, before| {
        let filter = MessageFilter { key: Some(key), ..MessageFilter::default() };
        let reader = Reader::from_primary(organization);
        db.reads(reader).list_messages(filter, before, 10, 4).await.unwrap()
    };
    let scan = find(world.organization, None).await;
    assert!(scan.found.is_empty(), "{:?}", scan.found);
    assert!(scan.oldest_scanned.is_some());
    // and from there on the message is found.
    let scan = find(world.organization, scan.oldest_scanned).await;
    let [(message, _)] = scan.found.as_slice() else { panic!("{:?}", scan.found) };
    assert_eq!(message.key_id, Some(key));
    assert_eq!(scan.oldest_scanned, None);
    // Another organization finds nothing by the id of the key.
    let elsewhere = world.organization_on("Other", "Unlimited").await;
    assert!(find(elsewhere, None).await.found.is_empty());
}

on_both_databases! {
    messages_of_all_conversations_are_listed_newest_first,
    filters_narrow_the_list,
    wrong_filters_are_all_named,
    a_rare_match_is_found_by_going_on,
    the_messages_of_a_key_are_found_by_going_on,
}
