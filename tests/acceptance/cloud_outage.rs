//! During an outage of the channel (`docs/security.md`, What is promised) nothing is lost, each
//! conversation keeps its order, and sends are accepted as usual.

use crate::cloud::{Cloud, MINUTE, NUMBER, TestRng, on_both_clouds, refusal, text_of};
use crate::world::graph::{Fault, callbacks};
use futures_util::future::join_all;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CONVERSATIONS: usize = 50;
const EACH: usize = 10;
/// The percentage of requests that fail.
const FAULTY: usize = 20;

fn phone_number(of: usize) -> String {
    format!("+1202556{of:04}")
}

/// Returns every kind of temporary fault of a channel.
fn faults() -> [Fault; 9] {
    [
        Fault::Status(500),
        Fault::Status(503),
        Fault::Status(408),
        Fault::RateLimited { retry_after: Some(2), code: 130_429 },
        Fault::RateLimited { retry_after: None, code: 80_007 },
        refusal(400, 131_056, "Pair rate limit hit"),
        Fault::Stall,
        Fault::DropBefore,
        Fault::DropAfter,
    ]
}

/// Lets one request in five fail, always the same ones. Returns a counter of the messages that were
/// accepted without a response.
fn fail_some_requests(cloud: &Cloud) -> Arc<AtomicUsize> {
    let unanswered = Arc::new(AtomicUsize::new(0));
    let (count, faults) = (unanswered.clone(), faults());
    let mut attempts: BTreeMap<String, u64> = BTreeMap::new();
    cloud.graph.plan(move |request| {
        let text = text_of(request).to_owned();
        let number: u64 = text.parse().unwrap();
        let attempt = attempts.entry(text).or_default();
        let mut dice = TestRng::new(number * 1000 + *attempt);
        *attempt += 1;
        if dice.roll(100) >= FAULTY {
            return Fault::None;
        }
        let fault = faults[dice.roll(faults.len())].clone();
        count.fetch_add(usize::from(fault == Fault::DropAfter), Ordering::Relaxed);
        fault
    });
    unanswered
}

/// Sends one message to each contact at the same time, and returns the ids.
async fn send_round(cloud: &Cloud, people: usize, round: usize) -> Vec<String> {
    let send =
        async |of: usize| cloud.text(&phone_number(of), &(of * 1000 + round).to_string()).await;
    join_all((0..people).map(send)).await
}

/// Returns our ids of the accepted messages by recipient, each at the place of its first
/// acceptance.
fn accepted_ids(cloud: &Cloud) -> BTreeMap<String, Vec<String>> {
    let (mut arrived, mut seen) = (BTreeMap::<String, Vec<String>>::new(), BTreeSet::new());
    for accepted in cloud.graph.accepted() {
        let ours = accepted.ours.unwrap();
        if seen.insert(ours.clone()) {
            arrived.entry(accepted.to).or_default().push(ours);
        }
    }
    arrived
}

/// Returns the ids of the sent messages by recipient, from the ids of each round.
fn by_person(rounds: &[Vec<String>]) -> BTreeMap<String, Vec<String>> {
    let people = rounds[0].len();
    let all = |of: usize| rounds.iter().map(|round| round[of].clone()).collect();
    (0..people).map(|of| (phone_number(of), all(of))).collect()
}

async fn all_arrive_in_order_whatever_goes_wrong(cloud: Cloud) {
    // Given a channel that fails for one request in five,
    let unanswered = fail_some_requests(&cloud);

    // when ten messages are sent in each of fifty conversations,
    let mut rounds = Vec::new();
    for round in 0..EACH {
        rounds.push(send_round(&cloud, CONVERSATIONS, round).await);
    }
    let mut strides = 0;
    cloud.settle().await;
    while !cloud.is_idle().await {
        cloud.advance_by(1, MINUTE * 5).await;
        strides += 1;
        assert!(strides < 40, "{:?}", accepted_ids(&cloud));
    }

    // then all of them arrive, in the order in which they were accepted,
    assert_eq!(accepted_ids(&cloud), by_person(&rounds));
    // exactly once, except those that the channel accepted without a response, which arrive
    // twice,
    let again = unanswered.load(Ordering::Relaxed);
    assert_eq!(cloud.graph.accepted().len(), CONVERSATIONS * EACH + again);
    assert!(again > 0, "the dice left a fault out");
    cloud.all_in_shape();

    // and the channel's statuses, all in one callback, update each message.
    let delivered = |it: crate::world::graph::Accepted| {
        cloud.status_callback(&it.wamid, it.ours.as_deref(), "delivered")
    };
    cloud
        .post_callback(&callbacks::merge(
            cloud.graph.accepted().into_iter().map(delivered).collect(),
        ))
        .await;
    for _ in 0..3 {
        // A message for which statuses of two channel ids come at once is processed in several
        // rounds.
        cloud.advance_by(1, MINUTE).await;
    }
    for of in 0..CONVERSATIONS {
        let history = cloud.history(&phone_number(of)).await;
        assert_eq!(history.len(), EACH);
        assert!(history.iter().all(|it| it["status"] == "delivered"), "{history:?}");
    }
    assert!(cloud.is_idle().await);
}

async fn two_hours_of_backlog_drain_in_order(cloud: Cloud) {
    const PEOPLE: usize = 20;
    // Given a channel that is down for two hours,
    let before = send_round(&cloud, PEOPLE, 0).await;
    cloud.settle().await;
    assert_eq!(cloud.graph.accepted().len(), PEOPLE);
    cloud.graph.down(true).await;

    // when messages are sent in the meantime (`text` asserts that each is accepted),
    let mut rounds = vec![before];
    for round in 1..=24 {
        rounds.push(send_round(&cloud, PEOPLE, round).await);
        cloud.advance_by(1, MINUTE * 5).await;
    }
    assert_eq!(cloud.graph.accepted().len(), PEOPLE);
    let queued = cloud.history(&phone_number(0)).await;
    assert!(queued.iter().skip(1).all(|it: &Value| it["status"] == "queued"), "{queued:?}");

    // then all of them arrive in order, at most five minutes after the channel is back,
    cloud.graph.down(false).await;
    rounds.push(send_round(&cloud, PEOPLE, 25).await);
    cloud.advance_by(1, MINUTE * 5).await;
    assert_eq!(accepted_ids(&cloud), by_person(&rounds));
    // and exactly once.
    assert_eq!(cloud.graph.accepted().len(), PEOPLE * rounds.len());
    assert!(cloud.graph.accepted().iter().all(|it| it.phone_number_id == NUMBER));
    assert!(cloud.is_idle().await);
    cloud.all_in_shape();
}

on_both_clouds! {
    all_arrive_in_order_whatever_goes_wrong with [("graph_timeout", "1")],
    two_hours_of_backlog_drain_in_order,
}
