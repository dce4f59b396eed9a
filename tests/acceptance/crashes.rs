//! A message that was answered with 201 survives `kill -9`, and a server that is asked to stop
//! breaks no request (`docs/security.md`, What is promised).

use crate::credentials::with_credentials;
use crate::operators::prepare;
use crate::world::{Answer, Pair, Process, World, free_port};
use futures_util::future::join_all;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const SEND: &str = "/api/v1/messages";
const CLIENTS: usize = 64;
const SENDS: usize = 2000;
const NUMBERS: usize = 200;
const ROUNDS: usize = 5;

/// The state that all clients of one server share.
struct Load {
    base: String,
    key: Pair,
    http: reqwest::Client,
    begun: AtomicUsize,
    accepted: AtomicUsize,
}

/// The results of one client up to the end of its server.
#[derive(Default)]
struct ClientRun {
    accepted: Vec<String>,
    broken: Vec<String>,
}

fn phone_number(of: usize) -> String {
    format!("+1202556{of:04}")
}

impl Load {
    fn on(process: &Process, key: &Pair) -> Arc<Self> {
        let http = crate::world::client();
        let (base, key) = (process.base.clone(), key.clone());
        let (begun, accepted) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { base, key, http, begun, accepted })
    }

    /// Sends one message after the other, until `most` are sent or the server is gone.
    async fn client(&self, most: usize) -> ClientRun {
        let mut client_run = ClientRun::default();
        loop {
            let turn = self.begun.fetch_add(1, Ordering::SeqCst);
            if turn >= most {
                return client_run;
            }
            let to = phone_number(turn % NUMBERS);
            let body =
                json!({"type": "text", "phone_number": to, "text": format!("Message {turn}")});
            let request =
                with_credentials(self.http.post(format!("{}{SEND}", self.base)), &self.key);
            let answer = match request.json(&body).send().await {
                Ok(answer) => answer,
                Err(error) if error.is_connect() => return client_run,
                Err(error) => {
                    client_run.broken.push(format!("{error:?}"));
                    return client_run;
                }
            };
            let status = answer.status();
            match answer.json::<Value>().await {
                Ok(body) if status == 201 => {
                    client_run.accepted.push(body["id"].as_str().expect("an id").to_owned());
                    self.accepted.fetch_add(1, Ordering::SeqCst);
                }
                Ok(body) => panic!("{status} {body}"),
                Err(error) => {
                    client_run.broken.push(format!("{error:?}"));
                    return client_run;
                }
            }
        }
    }

    fn start(self: &Arc<Self>, most: usize) -> Vec<tokio::task::JoinHandle<ClientRun>> {
        let clients = (0..CLIENTS).map(|_| {
            let load = self.clone();
            tokio::spawn(async move { load.client(most).await })
        });
        clients.collect()
    }

    /// Waits until `many` messages were accepted.
    async fn until_accepted(&self, many: usize) {
        let reached = async {
            while self.accepted.load(Ordering::SeqCst) < many {
                tokio::time::sleep(Duration::from_millis(2)).await; // real time: another process accepts
            }
        };
        tokio::time::timeout(Duration::from_mins(1), reached).await.expect("sends are accepted");
    }
}

/// Returns all messages of a contact, page by page.
async fn full_history(http: &reqwest::Client, base: &str, key: &Pair, of: usize) -> Vec<Value> {
    let mut messages = Vec::new();
    loop {
        let body = json!({
            "phone_number": phone_number(of),
            "limit": 100,
            "offset": messages.len(),
            "order": "asc",
        });
        let request = http.post(format!("{base}/api/v1/conversations/history")).json(&body);
        let page = Answer::of(with_credentials(request, key)).await;
        assert_eq!(page.status, 200, "{}", page.text);
        messages.extend(page.body["data"].as_array().unwrap().iter().cloned());
        if page.body["pagination"]["has_more"] == false {
            return messages;
        }
    }
}

/// Returns the status of each message by its id.
async fn statuses(http: &reqwest::Client, base: &str, key: &Pair) -> BTreeMap<String, String> {
    let numbers = (0..NUMBERS).map(|of| full_history(http, base, key, of));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = join_all(numbers).await.into_iter().flatten();
    all.map(|message| (text(&message["id"]), text(&message["status"]))).collect()
}

/// Asserts that events have no gaps in their sequence, and that each message was queued, sent and
/// delivered exactly once.
async fn each_step_was_recorded_once(
    http: &reqwest::Client,
    base: &str,
    key: &Pair,
    all: &BTreeSet<String>,
) {
    let (mut after, mut reported) = (0, BTreeMap::new());
    loop {
        let request = http.get(format!("{base}/api/v1/events?limit=100&after={after}"));
        let page = Answer::of(with_credentials(request, key)).await;
        assert_eq!(page.status, 200, "{}", page.text);
        for event in page.body["data"].as_array().unwrap() {
            assert_eq!(event["sequence"], after + 1);
            after += 1;
            let of = event["data"]["id"].as_str().unwrap().to_owned();
            let kind = event["type"].as_str().unwrap().to_owned();
            reported.entry(kind).or_insert_with(Vec::new).push(of);
        }
        if page.body["pagination"]["has_more"] == false {
            break;
        }
    }
    for kind in ["message.queued", "message.sent", "message.delivered"] {
        let of = reported.get(kind).unwrap();
        assert_eq!(of.len(), all.len(), "{kind}");
        assert!(of.iter().all(|id| all.contains(id)), "{kind}");
    }
}

async fn killed_again_and_again(url: &str) {
    // Given a server that is killed five times while 64 clients send,
    let key = prepare(url).await;
    let mut accepted: Vec<String> = Vec::new();
    for round in 0..ROUNDS {
        let process = Process::serve(url, free_port()).await;
        let load = Load::on(&process, &key);
        let clients = load.start(SENDS);
        load.until_accepted(200 + 250 * round).await;
        process.kill().await;
        for client in clients {
            accepted.extend(client.await.unwrap().accepted);
        }
    }
    assert!(accepted.len() >= 3500, "{} were accepted", accepted.len());

    // when it has been started once more,
    let process = Process::serve(url, free_port()).await;
    let http = crate::world::client();
    let mut left = Vec::new();
    for _ in 0..90 {
        let found = statuses(&http, &process.base, &key).await;
        // then every message that it had accepted is there,
        let lost: Vec<_> = accepted.iter().filter(|id| !found.contains_key(*id)).collect();
        assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), accepted.len());

        // and within 45 seconds all of them are delivered.
        let all: BTreeSet<String> = found.keys().cloned().collect();
        left = found.into_iter().filter(|(_, status)| status != "delivered").collect();
        if left.is_empty() {
            return each_step_was_recorded_once(&http, &process.base, &key, &all).await;
        }
        tokio::time::sleep(Duration::from_millis(500)).await; // real time: another process delivers
    }
    panic!("{} are stuck: {left:?}", left.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_accepted_message_is_lost_when_a_server_on_sqlite_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    killed_again_and_again(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_accepted_message_is_lost_when_a_server_on_postgres_is_killed() {
    let world = World::on_postgres().await;
    killed_again_and_again(world.database_url()).await;
}

pub fn terminate(process: &Process) {
    process.signal(Signal::TERM);
}

async fn wait_for_stop(url: &str) {
    let key = prepare(url).await;
    let mut accepted: Vec<String> = Vec::new();
    for _ in 0..3 {
        // Given a server with 64 clients that send without a pause,
        let process = Process::serve(url, free_port()).await;
        let load = Load::on(&process, &key);
        let clients = load.start(usize::MAX);
        load.until_accepted(300).await;

        // when it is asked to stop, then it ends in time and with exit code 0,
        terminate(&process);
        let code = tokio::time::timeout(Duration::from_secs(30), process.exit_code()).await;
        assert_eq!(code.expect("it ends within 30 seconds"), Some(0));

        // and no request is broken: each was answered, or its connection was refused.
        for client in clients {
            let client_run = client.await.unwrap();
            assert!(client_run.broken.is_empty(), "{:?}", client_run.broken);
            accepted.extend(client_run.accepted);
        }
    }

    // The next server delivers everything that was accepted.
    let process = Process::serve(url, free_port()).await;
    let found = statuses(&crate::world::client(), &process.base, &key).await;
    assert!(accepted.iter().all(|id| found.contains_key(id)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_server_on_sqlite_fails_no_request() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    wait_for_stop(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_server_on_postgres_fails_no_request() {
    let world = World::on_postgres().await;
    wait_for_stop(world.database_url()).await;
}

/// An idle client with an open connection does not delay the stop.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_nobody_calls_stops_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    let process = Process::serve(&url, free_port()).await;
    let http = crate::world::client();
    assert_eq!(Answer::of(http.get(format!("{}/healthz", process.base))).await.status, 200);
    terminate(&process);
    let code = tokio::time::timeout(Duration::from_secs(10), process.exit_code()).await;
    assert_eq!(code.expect("it ends within ten seconds"), Some(0));
}
