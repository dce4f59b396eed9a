//! Operators' commands while a server on SQLite is busy.

use super::{folder, prepare};
use crate::credentials::with_credentials;
use crate::world::{Process, free_port, switchboard};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const CLIENTS: usize = 48;
const COMMANDS: usize = 20;

/// Runs a command, asserts that it succeeds, and returns its duration.
async fn time_command(arguments: &[&str]) -> Duration {
    let begun = now();
    let ended = switchboard(arguments).output().await.unwrap();
    let took = begun.elapsed();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    took
}

#[expect(clippy::disallowed_methods, reason = "what is measured is real time")]
fn now() -> Instant {
    Instant::now()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_disabled_at_once_however_busy_the_server_is() {
    // Given a server on SQLite that accepts messages from many clients without a pause,
    let (_folder, url) = folder();
    let key = prepare(&url).await;
    let server = Process::serve(&url, free_port()).await;
    let (stop, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let answered = Arc::new(Mutex::new(Vec::new()));
    let http = crate::world::client();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (stop, sent, http) = (stop.clone(), sent.clone(), http.clone());
            let answered = answered.clone();
            let (key, address) = (key.clone(), format!("{}/api/v1/messages", server.base));
            tokio::spawn(async move {
                let to = format!("+1202556{client:04}");
                let body = json!({"type": "text", "phone_number": to, "text": "Hello"});
                while !stop.load(Ordering::Relaxed) {
                    let begun = now();
                    let answer =
                        with_credentials(http.post(&address), &key).json(&body).send().await;
                    answered.lock().unwrap().push(begun.elapsed());
                    assert_eq!(answer.unwrap().status(), 201);
                    sent.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    while sent.load(Ordering::Relaxed) < 500 {
        tokio::time::sleep(Duration::from_millis(5)).await; // real time: another process accepts
    }

    // when keys are disabled, then a command waits for the database no longer than a send does.
    let place = ["--database-url", url.as_str()];
    let create = "key create --organization Bakery --name Spare --scopes messages.send";
    let made = super::admin(&url, &create.split(' ').collect::<Vec<_>>()).await;
    let spare = made["client_id"].as_str().unwrap();
    let (mut read, mut taken) = (Vec::new(), Vec::new());
    for turn in 0..COMMANDS {
        let word = if turn % 2 == 0 { "disable" } else { "enable" };
        read.push(time_command(&[&["admin", "key", "show", spare][..], &place].concat()).await);
        taken.push(time_command(&[&["admin", "key", word, spare][..], &place].concat()).await);
    }
    stop.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap();
    }
    let most = taken.iter().max().copied().unwrap();
    let (read, taken) = (median(read), median(taken));
    let sends = median(answered.lock().unwrap().clone());
    eprintln!("show {read:?}, send {sends:?}, disable {taken:?}, at most {most:?}, {sent:?} sent");
    let bound = read + sends + Duration::from_millis(50);
    assert!(taken < bound, "{taken:?}; without writing {read:?}, a send {sends:?}");
    assert!(most < 4 * bound, "{most:?}");
    server.kill().await;
}
