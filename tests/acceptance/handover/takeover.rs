//! A server that dies leaves its conversations to the others.

use super::{Shop, by_id};
use crate::world::{Database, World};
use service::clock::Stopwatch;
use std::collections::BTreeMap;
use std::time::Duration;

const PEOPLE: usize = 24;
const EACH: usize = 30;
const DELAY: Duration = Duration::from_millis(300);

/// How many requests have arrived for each person.
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

    // then every conversation goes on within five seconds, and what one answer takes,
    let moved = shop.graph.until(|_| {
        let now = requests(&shop);
        at_kill.iter().all(|(to, count)| now[to] > *count || *count >= EACH)
    });
    drop(tokio::time::timeout(Duration::from_secs(40), moved).await);
    let took = watch.elapsed();

    // and all arrive, in order, none twice but what was under way when the server was killed,
    shop.until_arrived(PEOPLE * EACH, Duration::from_mins(1)).await;
    assert_eq!(shop.arrived(), sent);
    let repeated = shop.repeated();
    eprintln!("took over within {took:?}, {} repeated", repeated.len());
    assert!(repeated.len() <= PEOPLE, "{} arrived twice", repeated.len());
    assert!(by_id(&shop.graph.accepted()).values().all(|count| *count <= 2));
    // and never are two servers at work on one conversation.
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
async fn what_was_claimed_by_a_server_that_is_not_entered_is_let_go_of() {
    // Needs nodes, where a claim may come after its server was taken for dead: `cargo xtask test --database citus`.
    if !Database::is_distributed() {
        return;
    }
    // Given an organization that such a server has claimed,
    let world = World::on_postgres().await;
    let shop = Shop::on(world.database_url()).await;
    let claim = "INSERT INTO organization_work (organization_id, kind, claimed_by, claim) \
                 SELECT id, 'messages', '00000000-0000-7000-8000-000000000001', 1 FROM organizations";
    world.beside().await.execute(claim).await;
    // when another one accepts a message, then it leaves soon.
    let other = shop.serve().await;
    shop.queue(&other.base, 1, 1).await;
    shop.until_arrived(1, Duration::from_secs(10)).await;
}
