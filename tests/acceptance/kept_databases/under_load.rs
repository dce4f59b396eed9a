//! An upgrade while clients send: servers of this version start on a database of an earlier
//! version, migrate it, and no send is lost, repeated or reordered.

use super::{SEND, kept_at, pair, restore, settings_of, versions};
use crate::credentials::with_credentials;
use crate::world::graph::Graph;
use crate::world::{Answer, Pair, free_port, settings_with};
use delivery::cli::{Running, start};
use futures_util::future::join_all;
use platform::clock::Clock;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The number of clients, each with its own contact, and of each client's messages.
const CLIENTS: usize = 8;
const MESSAGES: usize = 6;

fn person(client: usize) -> String {
    format!("+1202557{client:04}")
}

/// Sends one message after another. Repeats each with the same idempotency key, alternating between
/// the servers, until one accepts it.
async fn send_all(bases: &[String], key: &Pair, client: usize) -> Vec<String> {
    let http = crate::world::client();
    let mut accepted = Vec::new();
    for number in 0..MESSAGES {
        let body =
            json!({"type": "text", "phone_number": person(client), "text": format!("{number}")});
        let mut answer = None;
        for attempt in 0..2000 {
            let base = &bases[(client + attempt) % bases.len()];
            let request = with_credentials(http.post(format!("{base}{SEND}")), key).json(&body);
            let request = request.header("Idempotency-Key", format!("upgrade-{client}-{number}"));
            match request.send().await {
                Ok(response) if response.status() == 201 => {
                    answer = Some(response.json::<Value>().await.unwrap());
                    break;
                }
                Ok(response) => assert_eq!(response.status(), 503, "{:?}", response.text().await),
                // No server listens yet.
                Err(error) => assert!(error.is_connect(), "{error:?}"),
            }
            tokio::time::sleep(Duration::from_millis(10)).await; // real time: a server migrates
        }
        let answer = answer.expect("accepted within 20 seconds");
        accepted.push(answer["id"].as_str().unwrap().to_owned());
    }
    accepted
}

/// Waits until the channel has this many messages. Messages that were postponed before the upgrade
/// arrive later.
async fn handed_over(graph: &Graph, clock: &Clock, count: usize) -> BTreeMap<String, Vec<String>> {
    for round in 0..600 {
        if graph.accepted().len() >= count {
            break;
        }
        if round % 20 == 19 {
            clock.set(clock.now().plus(Duration::from_mins(10)));
        }
        tokio::time::sleep(Duration::from_millis(25)).await; // real time: the workers run by themselves
    }
    let mut by_person = BTreeMap::<String, Vec<String>>::new();
    for it in graph.accepted() {
        by_person.entry(it.to).or_default().push(it.ours.expect("our id"));
    }
    by_person
}

async fn an_upgrade_loses_nothing(folder: &Path, kind: &str) {
    // Given a database of an earlier version with waiting messages, and clients that send while no
    // server runs,
    let (database, known) = restore(folder, kind).await;
    let (graph, clock) = (Graph::start().await, Clock::frozen_at(kept_at(&known)));
    let graph_url = graph.url();
    let servers = if kind == "sqlite" { 1 } else { 2 };
    let ports: Vec<u16> = (0..servers).map(|_| free_port()).collect();
    let bases: Vec<String> = ports.iter().map(|it| format!("http://127.0.0.1:{it}")).collect();
    let key = pair(&known["cloud_key"]);
    let clients = join_all((0..CLIENTS).map(|client| send_all(&bases, &key, client)));

    // when servers of this version start on it at the same time,
    let media = format!("file:{}", database.folder.path().join("media").display());
    let starting = join_all(ports.iter().map(|port| {
        let bind = format!("127.0.0.1:{port}");
        let more = [("bind", bind.as_str()), ("media_url", media.as_str())];
        let settings = [&settings_of(&known, &graph_url)[..], &more].concat();
        let settings = settings_with(&database.url, &settings);
        let clock = clock.clone();
        async move { start(settings, clock, true).await.expect("the server starts") }
    }));
    let (running, accepted): (Vec<Running>, _) = tokio::join!(starting, clients);

    // then each message reaches the channel once, in order,
    let waiting = known["waiting"].as_array().unwrap();
    let arrived = handed_over(&graph, &clock, CLIENTS * MESSAGES + waiting.len()).await;
    for (client, sent) in accepted.iter().enumerate() {
        let to = person(client);
        let found = arrived.iter().find(|(it, _)| to.ends_with(it.as_str())).map(|it| it.1);
        assert_eq!(found, Some(sent), "{to} in {arrived:#?}");
    }
    let before: Vec<&String> = arrived
        .iter()
        .filter(|(to, _)| (0..CLIENTS).all(|it| !person(it).ends_with(to.as_str())))
        .flat_map(|(_, ids)| ids)
        .collect();
    assert_eq!(json!(before), known["waiting"], "what waited before the upgrade");
    // and in the history.
    for (client, sent) in accepted.iter().enumerate() {
        let number = person(client).replace('+', "%2B");
        let path = format!("/api/v1/conversations/history?phone_number={number}&order=asc");
        let request = crate::world::client().get(format!("{}{path}", bases[0]));
        let history = Answer::of(with_credentials(request, &key)).await;
        let ids: Vec<_> =
            history.body["data"].as_array().unwrap().iter().map(|it| &it["id"]).collect();
        assert_eq!(json!(ids), json!(sent), "{}", history.text);
    }
    for server in running {
        server.stop().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_under_load_loses_nothing_on_sqlite() {
    for folder in versions() {
        an_upgrade_loses_nothing(&folder, "sqlite").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_under_load_loses_nothing_on_postgres() {
    for folder in versions() {
        an_upgrade_loses_nothing(&folder, "postgres").await;
    }
}
