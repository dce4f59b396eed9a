//! When the channel reports a rate limit, messages are sent more slowly
//! (`docs/contract.md#health-of-a-number`): all messages of the account, or those to one contact.

use crate::cloud::{Cloud, MINUTE, PERSON, SECOND, on_both_clouds, refusal};
use crate::world::World;
use crate::world::graph::Fault;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The number of messages that the channel accepts per second.
const MOST: usize = 10;

fn phone_number(of: usize) -> String {
    format!("+1202558{of:04}")
}

/// Returns the send rate of a key's account from `GET /me`.
async fn send_rate(world: &World) -> Value {
    let me = world.get("/api/v1/me", &world.key).await;
    me.body["account"]["health"]["pace"].clone()
}

/// Lets the channel accept `most` messages per window, in total or (with `each`) per recipient. It
/// refuses the others with this code.
fn limit_sends(cloud: &Cloud, most: usize, window: Duration, code: i64, each: bool) {
    let taken = Arc::new(Mutex::new(std::collections::HashMap::<String, VecDeque<i64>>::new()));
    let clock = cloud.clock.clone();
    cloud.graph.plan(move |request| {
        let to = if each { request.body["to"].to_string() } else { String::new() };
        let (mut taken, now) = (taken.lock().unwrap(), clock.now().micros());
        let taken = taken.entry(to).or_default();
        let window = i64::try_from(window.as_micros()).unwrap();
        while taken.front().is_some_and(|at| now - at >= window) {
            taken.pop_front();
        }
        if taken.len() >= most {
            return refusal(400, code, "Too many messages");
        }
        taken.push_back(now);
        Fault::None
    });
}

async fn a_number_is_slowed_down_to_what_the_channel_takes(cloud: Cloud) {
    assert_eq!(send_rate(&cloud).await, Value::Null);
    // Given a channel that accepts ten messages a second, and messages to three hundred
    // contacts,
    limit_sends(&cloud, MOST, SECOND, 130_429, false);
    for of in 0..300 {
        cloud.text(&phone_number(of), "Hello").await;
    }
    // when they are sent, then the channel gets few requests more than it accepts,
    cloud.settle().await;
    let shown = send_rate(&cloud).await.as_f64().unwrap();
    assert!(shown <= 40.0, "{shown}");
    let mut seconds = 0;
    while cloud.graph.accepted().len() < 300 {
        assert!(seconds < 300, "{} in {seconds} seconds", cloud.graph.accepted().len());
        cloud.live_through(SECOND).await;
        seconds += 1;
    }
    let asked = cloud.graph.calls().len();
    assert!(asked <= 600, "{asked} calls for 300 messages");
    let shown = send_rate(&cloud).await.as_f64().unwrap();
    assert!(shown > 0.1 && shown < 40.0, "{shown}");
    // each message arrives once,
    let mut to: Vec<String> = cloud.graph.accepted().into_iter().map(|it| it.to).collect();
    to.sort();
    to.dedup();
    assert_eq!(to.len(), 300);
    // and after a while the account sends at full speed again.
    cloud.advance(MINUTE * 15);
    assert_eq!(send_rate(&cloud).await, Value::Null);
    cloud.graph.plan(|_| Fault::None);
    for of in 0..100 {
        cloud.text(&phone_number(of), "Hello again").await;
    }
    cloud.settle().await;
    assert_eq!(cloud.graph.accepted().len(), 400);
}

async fn a_throttled_contact_does_not_delay_other_contacts(cloud: Cloud) {
    // Given a contact to whom the channel accepts one message every six seconds,
    limit_sends(&cloud, 1, SECOND * 6, 131_056, true);
    for of in 0..5 {
        cloud.text(PERSON, &of.to_string()).await;
    }
    for of in 0..50 {
        cloud.text(&phone_number(of), "Hello").await;
    }
    // when they are sent, then all other contacts get their messages at once,
    cloud.settle().await;
    assert_eq!(cloud.graph.accepted().len(), 51);
    assert_eq!(send_rate(&cloud).await, Value::Null);
    // and that contact gets the remaining ones in order and with few retries.
    for _ in 0..20 {
        cloud.advance_by(8, SECOND).await;
    }
    let theirs: Vec<Value> = cloud
        .graph
        .accepted()
        .into_iter()
        .filter(|it| it.to == PERSON)
        .map(|it| it.body["text"]["body"].clone())
        .collect();
    assert_eq!(theirs, ["0", "1", "2", "3", "4"]);
    let asked = cloud.graph.calls().len() - 50;
    assert!(asked <= 12, "{asked} calls for 5 messages");
}

async fn another_server_knows_how_fast_a_number_sends(cloud: Cloud) {
    // Given an account whose send rate was reduced by another server,
    limit_sends(&cloud, 0, SECOND, 130_429, false);
    cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    cloud.graph.plan(|_| Fault::None);
    let other = cloud
        .server
        .deps
        .db
        .organization(cloud.organization)
        .account(cloud.account)
        .await
        .unwrap()
        .unwrap();
    let recorded = other.known_health().pace.unwrap();
    assert_eq!(send_rate(&cloud).await, recorded.rate.per_second());
    // then an older record of the send rate does not replace the newer one.
    let earlier = domain::account::pace::Pace { since: recorded.since.minus(SECOND), ..recorded };
    cloud
        .server
        .deps
        .db
        .organization(cloud.organization)
        .set_pace(cloud.account, earlier)
        .await
        .unwrap();
    let again = cloud
        .server
        .deps
        .db
        .organization(cloud.organization)
        .account(cloud.account)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(again.known_health().pace, Some(recorded));
}

on_both_clouds! {
    a_number_is_slowed_down_to_what_the_channel_takes,
    a_throttled_contact_does_not_delay_other_contacts,
    another_server_knows_how_fast_a_number_sends,
}
