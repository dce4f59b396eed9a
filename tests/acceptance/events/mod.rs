//! Events from `GET /api/v1/events` (`docs/contract.md#events`).

mod applications;
mod counting;
mod long_reads;
mod plans;
mod reading;
mod recording;
mod terms;

use crate::world::{Pair, World};
use serde_json::Value;

pub const EVENTS: &str = "/api/v1/events";
pub const SEND: &str = "/api/v1/messages";

/// Returns all events that a key can read, page by page.
pub async fn events(world: &World, key: &Pair) -> Vec<Value> {
    let (mut events, mut after) = (Vec::new(), 0);
    loop {
        let page = world.get(&format!("{EVENTS}?limit=100&after={after}"), key).await;
        assert_eq!(page.status, 200, "{}", page.text);
        events.extend(page.body["data"].as_array().unwrap().iter().cloned());
        after = page.body["next_after"].as_i64().unwrap();
        if page.body["has_more"] == false {
            return events;
        }
    }
}

/// Returns the types of events, in order.
pub fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

/// Returns the types of the events about the object with this id.
pub fn kinds_of<'a>(events: &'a [Value], id: &str) -> Vec<&'a str> {
    let of = events.iter().filter(|event| event["data"]["id"] == id);
    of.map(|event| event["type"].as_str().unwrap()).collect()
}

/// Asserts that the sequences start at 1 and have no gaps or repetitions, and that all ids are
/// different.
#[track_caller]
pub fn are_gapless(events: &[Value]) {
    let sequences: Vec<i64> = events.iter().map(|it| it["sequence"].as_i64().unwrap()).collect();
    let expected: Vec<i64> = (1..).take(events.len()).collect();
    assert_eq!(sequences, expected);
    let mut ids: Vec<&str> = events.iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert!(ids.iter().all(|id| id.starts_with("evt_")));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), events.len());
}

/// Returns the only event of this type.
#[track_caller]
pub fn event_of_kind<'a>(events: &'a [Value], kind: &str) -> &'a Value {
    let of: Vec<&Value> = events.iter().filter(|event| event["type"] == kind).collect();
    assert_eq!(of.len(), 1, "{kind} in {:?}", kinds(events));
    of[0]
}
