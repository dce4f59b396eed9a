//! When a server dies, other servers take over its conversations.

use super::{Shop, by_id};
use crate::world::{Database, World};
use platform::clock::Stopwatch;
use std::collections::BTreeMap;
use std::time::Duration;

const PEOPLE: usize = 24;
const EACH: usize = 30;
const DELAY: Duration = Duration::from_millis(300);

/// Returns the number of requests to the channel by recipient.
fn requests(shop: &Shop) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for it in shop.graph.accepted() {
        *counts.entry(it.to).or_insert(0) += 1;
    }
    counts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_other_server_takes_over_within_five_seconds_of_a_kill() {
    // Given two servers at work on long queues,
    let world = World::on_postgres().await;
    let shop = Shop::on(world.database_url()).await;
    shop.graph.answer_after(DELAY);
    let (one, other) = (shop.serve().await, shop.serve().await);
    let sent = shop.queue(&one.base, PEOPLE, EACH).await;
    shop.until_arrived(PEOPLE * 4, Duration::from_mins(1)).await;

    // when one of them is killed,
    one.kill().await;
    let (at_kill, watch) = (requests(&shop), Stopwatch::start());

    // then every conversation continues within five seconds plus the time of one response,
    let moved = shop.graph.until(|_| {
        let now = requests(&shop);
        at_kill.iter().all(|(to, count)| now[to] > *count || *count >= EACH)
    });
    drop(tokio::time::timeout(Duration::from_secs(40), moved).await);
    let took = watch.elapsed();

    // all messages arrive in order, and only those in flight at the kill arrive twice,
    shop.until_arrived(PEOPLE * EACH, Duration::from_mins(1)).await;
    assert_eq!(shop.arrived(), sent);
    let repeated = shop.repeated();
    eprintln!("took over within {took:?}, {} repeated", repeated.len());
    assert!(repeated.len() <= PEOPLE, "{} arrived twice", repeated.len());
    assert!(by_id(&shop.graph.accepted()).values().all(|count| *count <= 2));
    // and two servers are never at work on the same conversation.
    for (to, ids) in &sent {
        let all = shop.graph.accepted().into_iter().filter(|it| it.to == *to);
        let order: Vec<_> =
            all.map(|it| ids.iter().position(|id| it.ours.as_ref() == Some(id))).collect();
        assert!(order.is_sorted(), "{to}: {order:?}");
    }
    assert!(took <= Duration::from_secs(5) + DELAY, "it took {took:?}");
    drop(other);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_of_an_unregistered_server_are_released() {
    // This needs a cluster, where a server can claim an organization after it was declared dead:
    // `cargo xtask test --database citus`.
    if !Database::is_distributed() {
        return;
    }
    // Given an organization that such a server has claimed,
    let world = World::on_postgres().await;
    let shop = Shop::on(world.database_url()).await;
    let claim = "INSERT INTO organization_work (organization_id, kind, claimed_by, claim) \
                 SELECT id, 'messages', '00000000-0000-7000-8000-000000000001', 1 FROM organizations";
    world.beside().await.execute(claim).await;
    // when another server accepts a message, then the message is sent soon.
    let other = shop.serve().await;
    shop.queue(&other.base, 1, 1).await;
    shop.until_arrived(1, Duration::from_secs(10)).await;
}
