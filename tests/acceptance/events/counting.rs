//! Under any concurrent activity an organization's events have a sequence without gaps or
//! repetitions, and a reader never misses an event that appears late.

use super::{EVENTS, SEND, are_gapless, events, kinds};
use crate::template_creation::{TEMPLATES, plain_template};
use crate::world::{Answer, Pair, World, on_both_databases, settings};
use delivery::cli::{Running, start};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const CALLERS: usize = 8;
const SENDS: usize = 50;

/// A client that calls one server with one key.
struct Caller<'a> {
    world: &'a World,
    base: &'a str,
    key: &'a Pair,
}

impl Caller<'_> {
    async fn post(&self, path: &str, body: &Value, name: Option<&str>) -> Answer {
        let request = self.world.http.post(format!("{}{path}", self.base)).json(body);
        let request = request.header("x-client-id", &self.key.client_id);
        let request = request.header("x-client-secret", &self.key.client_secret);
        Answer::of(match name {
            Some(name) => request.header("Idempotency-Key", name),
            None => request,
        })
        .await
    }

    /// Sends to a few contacts, some messages twice with the same idempotency key. Returns the ids
    /// of the accepted messages.
    async fn sends(&self, caller: usize) -> Vec<String> {
        let mut ids = Vec::new();
        for turn in 0..SENDS {
            let to = format!("+120255602{:02}", (caller + turn) % 20);
            let body = json!({"type": "text", "phone_number": to, "text": "Hello"});
            // Every fifth message has an idempotency key that all callers share, so that they
            // compete for it.
            let name = (turn % 5 == 0).then(|| format!("shared-{}", turn % 10));
            let answer = self.post(SEND, &body, name.as_deref()).await;
            match answer.status {
                201 => ids.push(answer.text_of("id")),
                403 | 409 | 422 => {}
                _ => panic!("{}", answer.text),
            }
        }
        ids
    }

    async fn templates(&self, caller: usize) {
        for turn in 0..5 {
            let answer = self
                .post(TEMPLATES, &plain_template(&format!("of_{caller}_{turn}_paused")), None)
                .await;
            assert_eq!(answer.status, 201, "{}", answer.text);
        }
    }
}

/// Moves the clock and runs the workers of all servers until `enough` is set.
async fn run_workers(world: &World, servers: &[&Running], enough: &AtomicBool) {
    while !enough.load(Ordering::Relaxed) {
        world.advance(Duration::from_millis(20));
        let steps = servers.iter().map(|server| workers::run_until_idle(&server.deps));
        for step in join_all(steps).await {
            step.unwrap();
        }
        tokio::task::yield_now().await;
    }
}

/// Reads events as they come, and asserts that none appears before one that was already read.
async fn follow_events(world: &World, key: &Pair, enough: &AtomicBool) {
    let mut after = 0;
    loop {
        let last_round = enough.load(Ordering::Relaxed);
        let page = world.get(&format!("{EVENTS}?limit=100&after={after}"), key).await;
        for event in page.body["data"].as_array().unwrap() {
            assert_eq!(event["sequence"], after + 1, "a reader would have missed one");
            after += 1;
        }
        if last_round && page.body["pagination"]["has_more"] == false {
            return;
        }
    }
}

/// Runs everything at once: clients of two organizations that send and create templates, the
/// workers, and a reader.
async fn all_at_once(world: &World, servers: &[&Running], other_key: &Pair) -> Vec<String> {
    let bases: Vec<String> = servers.iter().map(|it| format!("http://{}", it.address)).collect();
    let enough = AtomicBool::new(false);
    let key_of = |caller: usize| if caller % 4 == 3 { other_key } else { &world.key };
    let callers = (0..CALLERS).map(|caller| {
        let of = Caller { world, base: &bases[caller % bases.len()], key: key_of(caller) };
        async move {
            let (ids, ()) = tokio::join!(of.sends(caller), of.templates(caller));
            if caller % 4 == 3 { Vec::new() } else { ids }
        }
    });
    let calls = async {
        let ids: Vec<Vec<String>> = join_all(callers).await;
        enough.store(true, Ordering::Relaxed);
        ids.concat()
    };
    let (ids, (), ()) = tokio::join!(
        calls,
        run_workers(world, servers, &enough),
        follow_events(world, &world.key, &enough)
    );
    world.live_through(Duration::from_secs(3)).await;
    ids
}

/// Asserts that each accepted message was queued, sent and delivered once, and that each template
/// has its three events.
async fn all_is_told(world: &World, ids: Vec<String>) {
    let all = events(world, &world.key).await;
    are_gapless(&all);
    let distinct: BTreeSet<String> = ids.into_iter().collect();
    for kind in ["message.queued", "message.sent", "message.delivered"] {
        let of = all.iter().filter(|event| event["type"] == kind);
        let reported: Vec<&str> = of.map(|event| event["data"]["id"].as_str().unwrap()).collect();
        assert_eq!(reported.len(), distinct.len(), "{kind}");
        assert!(reported.iter().all(|id| distinct.contains(*id)), "{kind}");
    }
    let count = |kind: &str| kinds(&all).iter().filter(|it| **it == kind).count();
    for kind in ["template.submitted", "template.approved", "template.paused"] {
        assert_eq!(count(kind), 6 * 5, "{kind}");
    }
    assert_eq!(count("conversation.created"), 20);
    assert_eq!(count("contact.created"), 20);
}

/// Creates another organization with an allowance of forty messages, so that most of its sends are
/// rejected. Returns its key.
async fn create_other_organization(world: &World) -> Pair {
    world.plan("Small", true, None, Some(40)).await;
    let other = world.organization_on("Small", "Small").await;
    world.number(other, "+12025550192").await;
    world.key_of(other).await
}

async fn no_event_is_missed_or_repeated(world: World) {
    let key = create_other_organization(&world).await;
    let ids = all_at_once(&world, &[&world.server], &key).await;
    all_is_told(&world, ids).await;

    // The other organization has its own sequence, and rejected sends have no events.
    let theirs = events(&world, &key).await;
    are_gapless(&theirs);
    let count = |kind: &str| kinds(&theirs).iter().filter(|it| **it == kind).count();
    assert_eq!(count("message.queued"), 40);
    assert_eq!(count("plan.limit_reached"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_on_one_database_number_together() {
    let world = World::on_postgres().await;
    let key = create_other_organization(&world).await;
    let second = start(settings(world.database_url()), world.clock.clone(), false).await.unwrap();
    let ids = all_at_once(&world, &[&world.server, &second], &key).await;
    all_is_told(&world, ids).await;
    are_gapless(&events(&world, &key).await);
}

on_both_databases! {
    no_event_is_missed_or_repeated,
}
