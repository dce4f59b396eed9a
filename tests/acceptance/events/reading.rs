//! Reading events: pages after a sequence, access of bound keys, and retention for 30 days.

use super::{EVENTS, SEND, are_gapless, events, kinds};
use crate::template_creation::{create_template, plain_template};
use crate::world::{Pair, World, on_both_databases};
use domain::id::AccountId;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use serde_json::{Value, json};
use std::time::Duration;
use workers::housekeeping;

const DAY: Duration = Duration::from_hours(24);

async fn send(world: &World, key: &Pair, to: &str) {
    let body = json!({"type": "text", "phone_number": to, "text": "Hello"});
    assert_eq!(world.post(SEND, key, &body).await.status, 201);
}

fn sequences(page: &Value) -> Vec<i64> {
    let data = page["data"].as_array().unwrap().iter();
    data.map(|event| event["sequence"].as_i64().unwrap()).collect()
}

async fn create_bound_key(world: &World, account: AccountId) -> Pair {
    world.key_with(world.organization, Scope::ALL, Some(account), 0).await
}

async fn events_are_read_page_by_page(world: World) {
    // Given seven events,
    for _ in 0..4 {
        send(&world, &world.key, "+12025550120").await;
    }
    // when they are read in pages of three,
    let page = world.get(&format!("{EVENTS}?limit=3"), &world.key).await;
    assert_eq!(sequences(&page.body), [1, 2, 3]);
    assert_eq!(
        page.body["pagination"],
        json!({"limit": 3, "after": 0, "has_more": true, "next_after": 3})
    );
    // with the position of the next page beside them, as in other lists,
    assert_eq!(page.body["has_more"], true);
    assert_eq!(page.body["next_after"], 3);
    let page = world.get(&format!("{EVENTS}?limit=3&after=3"), &world.key).await;
    assert_eq!(sequences(&page.body), [4, 5, 6]);
    // then the last page contains the sequence for later calls,
    let page = world.get(&format!("{EVENTS}?limit=3&after=6"), &world.key).await;
    assert_eq!(sequences(&page.body), [7]);
    assert_eq!(
        page.body["pagination"],
        json!({"limit": 3, "after": 6, "has_more": false, "next_after": 7})
    );
    assert_eq!(page.body["has_more"], false);
    assert_eq!(page.body["next_after"], 7);
    // and a page after the last sequence is empty.
    for after in ["7", "9000", "9223372036854775807"] {
        let page = world.get(&format!("{EVENTS}?after={after}"), &world.key).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert_eq!(page.body["data"], json!([]));
        assert_eq!(page.body["pagination"]["next_after"].to_string(), after);
        assert_eq!(page.body["next_after"].to_string(), after);
        assert_eq!(page.body["has_more"], false);
    }
}

async fn only_some_kinds_may_be_asked_for(world: World) {
    send(&world, &world.key, "+12025550121").await;
    let page =
        world.get(&format!("{EVENTS}?type=message.queued,contact.created"), &world.key).await;
    let data = page.body["data"].as_array().unwrap();
    assert_eq!(kinds(data), ["contact.created", "message.queued"]);
}

async fn invalid_parameters_are_rejected(world: World) {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("after=-1", &[("after", "out_of_range")]),
        ("after=ten", &[("after", "wrong_type")]),
        ("after=1.5", &[("after", "wrong_type")]),
        ("after=9223372036854775808", &[("after", "wrong_type")]),
        ("after=", &[("after", "wrong_type")]),
        ("limit=0", &[("limit", "out_of_range")]),
        ("limit=101&after=-5", &[("limit", "out_of_range"), ("after", "out_of_range")]),
        ("type=message.lost", &[("type", "not_one_of")]),
        ("type=message.sent,nope,", &[("type", "not_one_of"), ("type", "not_one_of")]),
        ("type=", &[("type", "not_one_of")]),
        ("offset=1", &[("offset", "unknown_field")]),
        ("after=1&after=2", &[("after", "duplicate")]),
    ];
    for (query, faults) in cases {
        world.get(&format!("{EVENTS}?{query}"), &world.key).await.has_faults(faults);
    }
    let refused = world.get(&format!("{EVENTS}?type=message.lost"), &world.key).await;
    assert!(refused.text.contains("message.lost"), "{}", refused.text);
}

async fn a_key_needs_the_scope_to_read(world: World) {
    let without: Vec<Scope> =
        Scope::ALL.iter().copied().filter(|it| *it != Scope::ConversationsRead).collect();
    let key = world.key_with(world.organization, &without, None, 0).await;
    world.get(EVENTS, &key).await.is_problem(403, "insufficient_scope");
}

async fn another_organization_sees_nothing_of_it(world: World) {
    send(&world, &world.key, "+12025550122").await;
    let other = world.organization_on("Other", "Unlimited").await;
    let key = world.key_of(other).await;
    assert_eq!(events(&world, &key).await, Vec::<Value>::new());
    // The other organization has its own sequence.
    world.number(other, "+12025550194").await;
    send(&world, &key, "+12025550122").await;
    let theirs = events(&world, &key).await;
    are_gapless(&theirs);
    assert!(theirs.iter().all(|event| event["organization_id"] == other.to_string()));
}

async fn a_bound_key_sees_its_number_and_what_concerns_all(world: World) {
    // Given two accounts, each with a conversation, and a template and a reached limit of the
    // organization,
    let second = world.number(world.organization, "+12025550193").await;
    let (first_key, second_key) =
        (create_bound_key(&world, world.account).await, create_bound_key(&world, second).await);
    send(&world, &first_key, "+12025550123").await;
    send(&world, &second_key, "+12025550124").await;
    create_template(&world, &plain_template("for_all")).await;
    world.live_through(Duration::from_secs(2)).await;
    world.plan("Unlimited", true, None, Some(2)).await;
    let body = json!({"type": "text", "phone_number": "+12025550123", "text": "Too many"});
    world.post(SEND, &first_key, &body).await.is_problem(403, "plan_limit_exceeded");

    // when a key reads that is bound to the second account, then it sees nothing of the first
    let seen = events(&world, &second_key).await;
    let of_second = second.to_string();
    let foreign: Vec<&Value> =
        seen.iter().filter(|event| event["account_id"] != of_second).collect();
    let foreign: Vec<&str> = foreign.iter().map(|event| event["type"].as_str().unwrap()).collect();
    // except events that concern all accounts,
    assert_eq!(foreign, ["template.submitted", "template.approved", "plan.limit_reached"]);
    assert!(kinds(&seen).contains(&"message.delivered"), "{:?}", kinds(&seen));
    // and an unbound key sees everything.
    are_gapless(&events(&world, &world.key).await);
}

async fn events_are_forgotten_after_thirty_days_and_counted_on(world: World) {
    send(&world, &world.key, "+12025550125").await;
    let first = events(&world, &world.key).await;
    assert_eq!(first.len(), 4);
    // Given a day between the first and the later events,
    world.advance(DAY);
    send(&world, &world.key, "+12025550125").await;
    // when the first events are exactly 30 days old, then they still exist,
    world.advance(DAY * 29);
    housekeeping::step(&world.server.deps, true).await.unwrap();
    assert_eq!(events(&world, &world.key).await.len(), 5);
    // and a millisecond later they do not,
    world.advance(Duration::from_millis(1));
    housekeeping::step(&world.server.deps, true).await.unwrap();
    let left = events(&world, &world.key).await;
    assert_eq!(sequences(&json!({"data": left})), [5]);
    // while new events continue the sequence, even when no event is left.
    world.advance(DAY);
    housekeeping::step(&world.server.deps, true).await.unwrap();
    assert_eq!(events(&world, &world.key).await, Vec::<Value>::new());
    send(&world, &world.key, "+12025550125").await;
    assert_eq!(sequences(&json!({"data": events(&world, &world.key).await})), [6]);
}

on_both_databases! {
    events_are_read_page_by_page,
    only_some_kinds_may_be_asked_for,
    invalid_parameters_are_rejected,
    a_key_needs_the_scope_to_read,
    another_organization_sees_nothing_of_it,
    a_bound_key_sees_its_number_and_what_concerns_all,
    events_are_forgotten_after_thirty_days_and_counted_on,
}
