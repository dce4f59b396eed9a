//! PostgreSQL restarts under load: no accepted message is lost, none arrives twice, and sending
//! continues as soon as PostgreSQL is back.

use super::private_postgres::PrivatePostgres;
use super::{Shop, person};
use platform::clock::Stopwatch;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;

const CLIENTS: usize = 8;
const PEOPLE_EACH: usize = 5;
/// PostgreSQL is restarted when these numbers of messages have arrived.
const RESTARTS_AT: [usize; 3] = [150, 400, 650];

/// The state that the clients and the observer of the channel share.
struct BrowserWorld {
    shop: Shop,
    began: Stopwatch,
    /// The accepted messages with the time of their acceptance, by recipient.
    accepted: Mutex<BTreeMap<String, Vec<(String, Duration)>>>,
    /// Asks the clients to stop.
    ended: AtomicBool,
    /// Set when all clients have stopped.
    complete: AtomicBool,
}

/// Sends to contacts of its own, one message after the other, until it is asked to stop.
async fn client(scene: Arc<BrowserWorld>, bases: [String; 2], number: usize) {
    for turn in 0.. {
        if scene.ended.load(Ordering::SeqCst) {
            return;
        }
        let to = person(number * PEOPLE_EACH + turn % PEOPLE_EACH);
        // A message whose response was lost may have been accepted, but is not counted here.
        if let Some(id) = scene.shop.text(&bases[turn % 2], &to, &turn.to_string()).await {
            let at = scene.began.elapsed();
            scene.accepted.lock().await.entry(to).or_default().push((id, at));
        }
        tokio::time::sleep(Duration::from_millis(40)).await; // real time: a load that leaves room
    }
}

/// Records the time at which each message arrives first, until all accepted messages have arrived.
async fn watch_arrivals(scene: Arc<BrowserWorld>) -> BTreeMap<String, Duration> {
    let mut arrived: BTreeMap<String, Duration> = BTreeMap::new();
    loop {
        let (at, complete) = (scene.began.elapsed(), scene.complete.load(Ordering::SeqCst));
        for it in scene.shop.graph.accepted() {
            arrived.entry(it.ours.expect("our id")).or_insert(at);
        }
        let accepted = scene.accepted.lock().await;
        let left = accepted.values().flatten().any(|(id, _)| !arrived.contains_key(id));
        drop(accepted);
        if complete && (!left || at > Duration::from_mins(3)) {
            return arrived;
        }
        tokio::time::sleep(Duration::from_millis(20)).await; // real time: other processes send
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_repeated_lost_or_left_standing_when_postgres_restarts() {
    // Given two servers under load with their own PostgreSQL,
    let postgres = PrivatePostgres::start().await;
    let shop = Shop::on(&postgres.url()).await;
    shop.graph.answer_after(Duration::from_millis(50));
    let servers = [shop.serve().await, shop.serve().await];
    let bases = [servers[0].base.clone(), servers[1].base.clone()];
    let (ended, complete) = (AtomicBool::new(false), AtomicBool::new(false));
    let accepted = Mutex::default();
    let scene =
        Arc::new(BrowserWorld { shop, began: Stopwatch::start(), accepted, ended, complete });
    let client = |number| tokio::spawn(client(scene.clone(), bases.clone(), number));
    let clients: Vec<_> = (0..CLIENTS).map(client).collect();
    let arrivals = tokio::spawn(watch_arrivals(scene.clone()));

    // when PostgreSQL is restarted several times,
    let mut away = Vec::new();
    for arrivals in RESTARTS_AT {
        scene.shop.until_arrived(arrivals, Duration::from_mins(1)).await;
        let from = scene.began.elapsed();
        postgres.restart().await;
        away.push((from, scene.began.elapsed()));
    }
    scene.shop.until_arrived(900, Duration::from_mins(1)).await;
    scene.ended.store(true, Ordering::SeqCst);
    for client in clients {
        client.await.unwrap();
    }
    scene.complete.store(true, Ordering::SeqCst);
    let arrived = arrivals.await.unwrap();

    // then all accepted messages arrive in order,
    let accepted = scene.accepted.lock().await.clone();
    let all: BTreeSet<_> = accepted.values().flatten().map(|(id, _)| id.clone()).collect();
    let lost: Vec<_> = all.iter().filter(|id| !arrived.contains_key(*id)).collect();
    assert!(lost.is_empty(), "{} of {} are lost", lost.len(), all.len());
    let mut order = scene.shop.arrived();
    for ids in order.values_mut() {
        ids.retain(|id| all.contains(id));
    }
    let ids = |(to, all): (&String, &Vec<(String, Duration)>)| {
        (to.clone(), all.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>())
    };
    assert_eq!(order, accepted.iter().map(ids).collect());

    // each once, and none waited longer than five seconds while PostgreSQL was available.
    let waited = accepted.values().flatten().map(|(id, at)| {
        let until = arrived[id];
        let meanwhile =
            away.iter().map(|(from, to)| (*to).min(until).saturating_sub((*from).max(*at)));
        until.saturating_sub(*at).saturating_sub(meanwhile.sum())
    });
    let longest = waited.max().unwrap();
    let repeated = scene.shop.repeated();
    eprintln!("{} accepted, {} repeated, waited {longest:?}", all.len(), repeated.len());
    assert!(repeated.is_empty(), "{} of {} arrived twice", repeated.len(), all.len());
    assert!(longest <= Duration::from_secs(5), "a message waited for {longest:?}");
}
