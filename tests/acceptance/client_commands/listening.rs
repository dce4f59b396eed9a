//! `switchboard listen`, with a real server and a real receiver.

use super::{RunningCommand, converse, events_after, get, run};
use crate::operators::{admin, prepare};
use crate::webhooks::receiver::{Answers, Received, Receiver};
use crate::world::{
    Database, Pair, Process, TerminalSession, World, free_port, noon, on_both_databases,
};
use auth::webhook::WebhookSecret;
use axum::extract::Request;
use axum::routing::get as on_get;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::time::Timestamp;
use platform::clock::Clock;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;
use tokio::net::TcpListener;

/// Waits until the receiver has the event with this sequence.
async fn until_received(receiver: &Receiver, sequence: i64) {
    for _ in 0..400 {
        if receiver.received().iter().any(|it| it.sequence() >= sequence) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await; // real time: another process forwards
    }
    panic!("event {sequence} did not arrive within 20 seconds: {:?}", receiver.kinds());
}

async fn last_sequence(server: &Process, key: &Pair) -> i64 {
    events_after(server, key, 0).await.last().map_or(0, |it| it["sequence"].as_i64().unwrap())
}

/// Reads the lines with which a session begins. Returns its secret.
pub async fn secret_of(listening: &mut RunningCommand) -> WebhookSecret {
    let line = listening.next_line().await;
    let secret = line.strip_prefix("The signing secret of this key is ").expect(&line);
    assert!(listening.next_line().await.starts_with("Listening to http"));
    WebhookSecret::parse(secret).unwrap()
}

async fn a_restart_causes_no_gap_and_no_duplicate(database: Database) {
    // Given a server with past events, and a receiver,
    let port = free_port();
    let key = prepare(&database.url).await;
    let server = Process::serve(&database.url, port).await;
    converse(&server, &key, "before").await;
    let first = last_sequence(&server, &key).await;
    let receiver = Receiver::start().await;

    // when a session begins, then only new events arrive, signed with the secret that was printed.
    let base = server.base.clone();
    let forward = ["listen", "--forward-to", &receiver.url];
    let mut listening = RunningCommand::start(&base, &key, &forward);
    let secret = secret_of(&mut listening).await;
    converse(&server, &key, "one").await;
    let second = last_sequence(&server, &key).await;
    until_received(&receiver, second).await;

    // When the server is away, and events happen that the session cannot read,
    server.signal(Signal::TERM);
    assert_eq!(server.exit_code().await, Some(0));
    listening.next_note("cannot be reached").await;
    let elsewhere = Process::serve(&database.url, free_port()).await;
    converse(&elsewhere, &key, "two").await;
    elsewhere.signal(Signal::TERM);
    assert_eq!(elsewhere.exit_code().await, Some(0));

    // then the session catches up when the server is back, and says so,
    let server = Process::serve(&database.url, port).await;
    let third = last_sequence(&server, &key).await;
    listening.next_note(&format!("caught up {} events", third - second)).await;
    converse(&server, &key, "three").await;
    let last = last_sequence(&server, &key).await;
    until_received(&receiver, last).await;

    // and each event arrived once, in order, with the bytes that a webhook has.
    let arrived = receiver.received();
    let sequences: Vec<i64> = arrived.iter().map(Received::sequence).collect();
    assert_eq!(sequences, (first + 1..=last).collect::<Vec<_>>());
    assert!(arrived.iter().all(|it| it.is_signed_by(&secret)));
    let listed = events_after(&server, &key, first).await;
    assert_eq!(arrived.iter().map(Received::json).collect::<Vec<_>>(), listed);
    assert!(arrived.iter().zip(&listed).all(|(it, listed)| listed["id"] == it.id.as_str()));
    let line = listening.next_line().await;
    let (kind, timestamp) = (listed[0]["type"].as_str(), listed[0]["timestamp"].as_str());
    let begins = format!("{} {} → 200 (", timestamp.unwrap(), kind.unwrap());
    assert!(line.starts_with(&begins) && line.ends_with(" ms)"), "{line}");

    // Ctrl-C is no failure.
    assert_eq!(listening.interrupted().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_causes_no_gap_and_no_duplicate_on_sqlite() {
    a_restart_causes_no_gap_and_no_duplicate(Database::migrated_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_causes_no_gap_and_no_duplicate_on_postgres() {
    a_restart_causes_no_gap_and_no_duplicate(Database::migrated_postgres().await).await;
}

/// Posts a request, and returns the answer.
async fn post(server: &Process, key: &Pair, path: &str, body: &Value) -> Value {
    let request = crate::world::client().post(format!("{}{path}", server.base));
    let request = crate::credentials::with_credentials(request, key).json(body);
    let answer = crate::world::Answer::of(request).await;
    assert!(matches!(answer.status, 200 | 201), "{}", answer.text);
    answer.body
}

async fn resends_and_replays_reach_a_running_session(database: Database) {
    // Given an endpoint that got the events of a message, and a session that began afterwards,
    let allowed = [("SWITCHBOARD_WEBHOOK_ALLOW", "127.0.0.0/8")];
    prepare(&database.url).await;
    let create =
        ["key", "create", "--organization", "Bakery", "--name", "All", "--rate-limit", "0"];
    let scopes = "messages.send,conversations.read,webhooks.manage";
    let made = admin(&database.url, &[&create[..], &["--scopes", scopes]].concat()).await;
    let text = |field: &str| made[field].as_str().unwrap().to_owned();
    let key = Pair { client_id: text("client_id"), client_secret: text("client_secret") };
    let server = Process::serve_with(&database.url, free_port(), &allowed).await;
    let endpoint = Receiver::start().await;
    let body = json!({"url": endpoint.url, "events": ["message.received"]});
    let created = post(&server, &key, "/api/v1/webhook-endpoints", &body).await;
    let path = format!("/api/v1/webhook-endpoints/{}", created["id"].as_str().unwrap());
    converse(&server, &key, "hello").await;
    let all = events_after(&server, &key, 0).await;
    let event = all.iter().find(|it| it["type"] == "message.received").unwrap();
    until_received(&endpoint, event["sequence"].as_i64().unwrap()).await;
    let receiver = Receiver::start().await;
    let forward = ["listen", "--output", "json", "--forward-to", &receiver.url];
    let mut listening = RunningCommand::start(&server.base, &key, &forward);
    let ready: Value = serde_json::from_str(&listening.next_line().await).unwrap();
    assert_eq!(ready["ready"]["after"], all.last().unwrap()["sequence"]);
    let mut beside = RunningCommand::start(&server.base, &key, &["listen", "--json"]);
    assert!(beside.next_line().await.starts_with("{\"ready\":"));

    // when the delivery is resent, then its event comes again,
    let page = get(&server, &key, &format!("{path}/deliveries")).await;
    let delivery = page["data"][0]["id"].as_str().unwrap();
    let resend = format!("{path}/deliveries/{delivery}/resend");
    post(&server, &key, &resend, &json!({})).await;
    let line: Value = serde_json::from_str(&listening.next_line().await).unwrap();
    assert_eq!(&line["event"], event, "{line}");
    assert_eq!(line["resent"], true, "{line}");
    assert_eq!(line["status"], 200, "{line}");
    // also in another session,
    let line: Value = serde_json::from_str(&beside.next_line().await).unwrap();
    assert_eq!(&line["event"], event, "{line}");
    assert_eq!(line["resent"], true, "{line}");
    assert_eq!(line["status"], Value::Null, "{line}");
    assert_eq!(beside.interrupted().await, Some(0));

    // when a period is replayed, then all its events come again, in order,
    let period = json!({"since": all[0]["timestamp"]});
    post(&server, &key, &format!("{path}/replay"), &period).await;
    for expected in &all {
        let line: Value = serde_json::from_str(&listening.next_line().await).unwrap();
        assert_eq!(&line["event"], expected, "{line}");
        assert_eq!(line["resent"], true, "{line}");
    }

    // and new events come as ever.
    converse(&server, &key, "again").await;
    let line: Value = serde_json::from_str(&listening.next_line().await).unwrap();
    assert_eq!(line["resent"], false, "{line}");
    let next = all.last().unwrap()["sequence"].as_i64().unwrap() + 1;
    assert_eq!(line["sequence"], next, "{line}");
    assert_eq!(listening.interrupted().await, Some(0));
    let arrived: Vec<Value> = receiver.received().iter().map(Received::json).collect();
    assert_eq!(&arrived[0], event);
    assert_eq!(arrived[1..=all.len()], all);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resends_and_replays_reach_a_running_session_on_sqlite() {
    resends_and_replays_reach_a_running_session(Database::migrated_sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resends_and_replays_reach_a_running_session_on_postgres() {
    resends_and_replays_reach_a_running_session(Database::migrated_postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_hangs_or_fails_holds_up_later_events_for_its_timeout_only() {
    let database = Database::migrated_sqlite();
    let key = prepare(&database.url).await;
    let server = Process::serve(&database.url, free_port()).await;
    let receiver = Receiver::that(Answers::Never).await;
    let arguments = ["listen", "--forward-to", &receiver.url, "--timeout", "1"];
    let mut listening = RunningCommand::start(&server.base, &key, &arguments);
    secret_of(&mut listening).await;

    converse(&server, &key, "hello").await;
    let line = listening.next_line().await;
    assert!(line.contains(" → no answer within 1 second ("), "{line}");
    receiver.answer(Answers::With(500));
    let last = last_sequence(&server, &key).await;
    until_received(&receiver, last).await;
    let mut lines = Vec::new();
    while lines.len() + 1 < usize::try_from(last).unwrap() {
        lines.push(listening.next_line().await);
    }
    assert!(lines.last().unwrap().contains(" → 500 ("), "{lines:?}");

    assert_eq!(listening.interrupted().await, Some(0));

    // A receiver that is not there is named as the cause.
    let nowhere = format!("http://127.0.0.1:{}/hooks", free_port());
    let listen = ["listen", "--forward-to", &nowhere, "--since", "0"];
    let mut listening = RunningCommand::start(&server.base, &key, &listen);
    secret_of(&mut listening).await;
    let line = listening.next_line().await;
    assert!(line.contains(" → nothing listens on that host and port"), "{line}");
    assert_eq!(listening.interrupted().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_sessions_get_each_event_signed_with_the_secret_of_their_keys() {
    // Given the sessions of two keys,
    let database = Database::migrated_sqlite();
    let key = prepare(&database.url).await;
    let create = ["key", "create", "--organization", "Bakery", "--name", "Other"];
    let scopes: Vec<&str> = Scope::ALL.iter().map(|it| it.as_str()).collect();
    let scopes = scopes.join(",");
    let rights = ["--scopes", scopes.as_str(), "--rate-limit", "0"];
    let made = admin(&database.url, &[&create[..], &rights].concat()).await;
    let text = |field: &str| made[field].as_str().unwrap().to_owned();
    let other = Pair { client_id: text("client_id"), client_secret: text("client_secret") };
    let server = Process::serve(&database.url, free_port()).await;
    let receivers = [Receiver::start().await, Receiver::start().await];
    let mut sessions = Vec::new();
    for (receiver, key) in receivers.iter().zip([&key, &other]) {
        let arguments = ["listen", "--forward-to", &receiver.url];
        let mut listening = RunningCommand::start(&server.base, key, &arguments);
        let secret = secret_of(&mut listening).await;
        sessions.push((listening, secret));
    }
    let secrets: Vec<WebhookSecret> = sessions.iter().map(|it| it.1.clone()).collect();
    assert_ne!(secrets[0], secrets[1]);

    // then each gets each event, signed with the secret of its key.
    converse(&server, &key, "hello").await;
    let expected = events_after(&server, &key, 0).await;
    let last = expected.last().unwrap()["sequence"].as_i64().unwrap();
    for ((listening, secret), receiver) in sessions.into_iter().zip(&receivers) {
        until_received(receiver, last).await;
        let arrived = receiver.received();
        assert!(arrived.iter().all(|it| it.is_signed_by(&secret)));
        let arrived: Vec<Value> = arrived.iter().map(Received::json).collect();
        assert_eq!(arrived[..], expected[expected.len() - arrived.len()..]);
        assert_eq!(listening.interrupted().await, Some(0));
    }
    let first = |receiver: &Receiver| receiver.received()[0].clone();
    let [one, two] = receivers.each_ref().map(first);
    assert_eq!(one.id, two.id);
    assert_ne!(one.signatures, two.signatures);

    // A later session with a key has the secret that a program was configured with.
    let arguments = ["listen", "--forward-to", &receivers[0].url];
    let mut again = RunningCommand::start(&server.base, &key, &arguments);
    assert_eq!(secret_of(&mut again).await, secrets[0]);
    assert_eq!(again.interrupted().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_was_suspended_catches_up_and_reports_it() {
    // Given a session that has forwarded everything so far,
    let database = Database::migrated_sqlite();
    let key = prepare(&database.url).await;
    let server = Process::serve(&database.url, free_port()).await;
    let receiver = Receiver::start().await;
    let arguments = ["listen", "--forward-to", &receiver.url];
    let mut listening = RunningCommand::start(&server.base, &key, &arguments);
    secret_of(&mut listening).await;
    converse(&server, &key, "before").await;
    let before = last_sequence(&server, &key).await;
    until_received(&receiver, before).await;

    // when its process is suspended for a while, as on a computer that sleeps,
    listening.signal(Signal::STOP);
    tokio::time::sleep(Duration::from_secs(16)).await; // real time: the session compares two times of its own
    converse(&server, &key, "meanwhile").await;
    let last = last_sequence(&server, &key).await;
    listening.signal(Signal::CONT);

    // then it continues after the last event that it forwarded.
    listening.next_note(&format!("caught up {} events", last - before)).await;
    until_received(&receiver, last).await;
    let sequences: Vec<i64> = receiver.received().iter().map(Received::sequence).collect();
    let (first, count) = (sequences[0], sequences.len());
    assert_eq!(sequences, (first..=last).collect::<Vec<_>>(), "{count} events");
    assert_eq!(listening.interrupted().await, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_repeat_show_and_open_the_last_event_and_end_the_session() {
    // Given a session on a terminal, and a program that opens addresses,
    let database = Database::migrated_sqlite();
    let key = prepare(&database.url).await;
    let server = Process::serve(&database.url, free_port()).await;
    let receiver = Receiver::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (program, opened) = (folder.path().join("xdg-open"), folder.path().join("opened"));
    std::fs::write(&program, format!("#!/bin/sh\necho \"$1\" > {}\n", opened.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let variables = [
        ("PATH", path.as_str()),
        ("SWITCHBOARD_CLIENT_ID", key.client_id.as_str()),
        ("SWITCHBOARD_CLIENT_SECRET", key.client_secret.as_str()),
    ];
    let selected = "--events message.received";
    let arguments =
        format!("listen --url {} --forward-to {} {selected}", server.base, receiver.url);
    let mut session = TerminalSession::start_with(folder.path(), &arguments, &variables);
    session.until("keys: r posts the last event again, d shows it, o opens it, q ends").await;
    session.press("r").await;
    session.until("there was no event yet").await;
    converse(&server, &key, "Are you open?").await;
    session.until(" 200 (").await;

    // when r is pressed, then the event is posted again,
    session.press("r").await;
    session.until(" ms), again").await;
    let arrived = receiver.received();
    assert_eq!(arrived.len(), 2);
    assert_eq!(arrived[0].id, arrived[1].id);
    assert_eq!(arrived[0].body, arrived[1].body);
    // d shows it,
    session.press("d").await;
    session.until("\"type\": \"message.received\"").await;
    // o opens the page of what it is about,
    session.press("o").await;
    let id = arrived[0].json()["data"]["id"].as_str().unwrap().to_owned();
    let page = format!("{}/search?q={id}", server.base);
    session.until(&page).await;
    let is_opened = || std::fs::read_to_string(&opened).is_ok_and(|it| it.trim() == page);
    for _ in 0..400 {
        if is_opened() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process starts
    }
    assert!(is_opened(), "{page}");
    // and q ends the session.
    session.press("q").await;
    assert_eq!(session.ended().await.0, Some(0));
}

/// The events of a server whose clock shows noon: one of half an hour ago, and one of five minutes
/// ago.
fn events_at_noon(request: &Request) -> ([(&'static str, &'static str); 2], String) {
    let query = request.uri().query().unwrap_or_default();
    let after = query.split('&').find_map(|it| it.strip_prefix("after=")).unwrap();
    let after: i64 = after.parse().unwrap();
    let event = |sequence: i64, minutes: u64| {
        json!({
            "id": format!("evt_{sequence}"), "type": "message.received", "account_id": null,
            "timestamp": noon().minus(Duration::from_mins(minutes)).to_string(),
            "sequence": sequence, "data": {"id": format!("msg_{sequence}")},
        })
    };
    let all = [event(1, 30), event(2, 5)];
    let is_after = |it: &&Value| it["sequence"].as_i64() > Some(after);
    let data: Vec<&Value> = all.iter().filter(is_after).collect();
    let pagination =
        json!({"limit": 100, "after": after, "has_more": false, "next_after": after.max(2)});
    let body = json!({"data": data, "pagination": pagination}).to_string();
    ([("content-type", "application/json"), ("date", "Sat, 21 Nov 2026 12:00:00 GMT")], body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_works_with_a_server_whose_clock_differs() {
    // Given a server whose clock shows another time than this machine's,
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let events = on_get(|request: Request| async move { events_at_noon(&request) });
    let router = axum::Router::new().route("/api/v1/events", events);
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let receiver = Receiver::start().await;
    let key = Pair { client_id: "swk_1".to_owned(), client_secret: "sws_1".to_owned() };

    // when a session begins with the last ten minutes, then they are the server's,
    let arguments = ["listen", "--json", "--since", "10m", "--forward-to", &receiver.url];
    let mut listening = RunningCommand::start(&base, &key, &arguments);
    let ready: Value = serde_json::from_str(&listening.next_line().await).unwrap();
    let secret = WebhookSecret::parse(ready["ready"]["secret"].as_str().unwrap()).unwrap();
    let line: Value = serde_json::from_str(&listening.next_line().await).unwrap();
    assert_eq!(line["sequence"], 2, "{line}");
    assert_eq!(line["status"], 200, "{line}");

    // and the signature has the time of this machine, which the receiver compares with its own.
    let arrived = receiver.received();
    assert_eq!(arrived.len(), 1);
    assert!(arrived[0].is_signed_by(&secret));
    let age = Clock::system().wall().since(Timestamp::from_seconds(arrived[0].timestamp));
    assert!(age < Duration::from_mins(1), "{age:?}");
    assert_eq!(listening.interrupted().await, Some(0));
    server.abort();
}

async fn a_number_is_found_among_many_by_its_id_or_its_digits(world: World) {
    // Given more numbers than a page of the list has, and an event of the last one,
    let mut last = world.account;
    for number in 2000..2060 {
        last = world.number(world.organization, &format!("+1202555{number}")).await;
    }
    let bound = world.key_with(world.organization, Scope::ALL, Some(last), 0).await;
    for (key, text) in [(&world.key, "To the first"), (&bound, "To the last")] {
        let body = json!({"phone_number": "+12025550143", "text": text});
        let written = world.post("/api/v1/sandbox/inbound", key, &body).await;
        assert_eq!(written.status, 201, "{}", written.text);
    }
    world.live_through(Duration::from_secs(1)).await;

    // when a session names that number, then it gets its events only.
    for named in [last.to_string(), "1 202 555-2059".to_owned()] {
        let select = ["--since", "0", "--events", "message.received", "--account", &named];
        let arguments = [&["listen", "--json"][..], &select].concat();
        let mut listening = RunningCommand::start(&world.base, &world.key, &arguments);
        assert!(listening.next_line().await.starts_with("{\"ready\":"));
        let line: Value = serde_json::from_str(&listening.next_line().await).unwrap();
        assert_eq!(line["event"]["data"]["text"], "To the last", "{named}: {line}");
        assert_eq!(listening.interrupted().await, Some(0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn past_events_are_selected_by_time_type_and_number() {
    let database = Database::migrated_sqlite();
    let key = prepare(&database.url).await;
    let server = Process::serve(&database.url, free_port()).await;
    converse(&server, &key, "a secret matter").await;
    let all = events_after(&server, &key, 0).await;
    let receiver = Receiver::start().await;

    let select = ["--since", "1h", "--events", "message.received", "--account", "+12025550191"];
    let show = ["--output", "json", "--redact", "--forward-to", &receiver.url];
    let arguments = [&["listen"][..], &select, &show].concat();
    let mut listening = RunningCommand::start(&server.base, &key, &arguments);
    let ready: Value = serde_json::from_str(&listening.next_line().await).unwrap();
    let secret = WebhookSecret::parse(ready["ready"]["secret"].as_str().unwrap()).unwrap();
    let line: Value = serde_json::from_str(&listening.next_line().await).unwrap();
    assert_eq!(listening.interrupted().await, Some(0));

    // What is printed hides what people wrote. What is forwarded is whole.
    let expected = all.iter().find(|it| it["type"] == "message.received").unwrap();
    assert_eq!(line["type"], "message.received", "{line}");
    assert_eq!(line["status"], 200, "{line}");
    assert_eq!(line["error"], Value::Null, "{line}");
    assert_eq!(line["event"]["data"]["text"], "…", "{line}");
    assert_eq!(line["event"]["data"]["id"], expected["data"]["id"], "{line}");
    assert!(!line.to_string().contains("secret matter"), "{line}");
    let arrived = receiver.received();
    assert_eq!(arrived.len(), 1);
    assert_eq!(arrived[0].json(), *expected);
    assert!(arrived[0].is_signed_by(&secret));

    // Events before the time are left out.
    let after = all[2]["sequence"].as_i64().unwrap();
    for since in [all[3]["timestamp"].as_str().unwrap(), &after.to_string()] {
        let listen = ["listen", "--output", "json", "--since", since];
        let mut listening = RunningCommand::start(&server.base, &key, &listen);
        let ready: Value = serde_json::from_str(&listening.next_line().await).unwrap();
        assert_eq!(ready["ready"]["secret"], Value::Null, "nothing is signed");
        let first: Value = serde_json::from_str(&listening.next_line().await).unwrap();
        assert!(first["sequence"].as_i64() <= Some(after + 1), "{since}: {first}");
        assert!(first["timestamp"].as_str() >= all[2]["timestamp"].as_str(), "{since}: {first}");
        assert_eq!(listening.interrupted().await, Some(0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_impossible_session_ends_with_an_error_that_says_what_to_do() {
    let database = Database::migrated_sqlite();
    let key = prepare(&database.url).await;
    let server = Process::serve(&database.url, free_port()).await;
    let wrong = Pair { client_secret: format!("{}x", key.client_secret), ..key.clone() };
    let nobody = Pair { client_id: String::new(), client_secret: String::new() };
    let nowhere = format!("http://127.0.0.1:{}", free_port());
    for (base, key, arguments, words) in [
        (&server.base, &wrong, &[][..], &["401", "--client-id"][..]),
        (&server.base, &nobody, &[], &["SWITCHBOARD_CLIENT_ID", "admin key create"]),
        (&nowhere, &key, &[], &["cannot be reached", "nothing listens", "--url"]),
        (&format!("{}/elsewhere", server.base), &key, &[], &["--url", "has no path"]),
        (&server.base, &key, &["--events", "message.red"], &["422", "message.read"]),
        (&server.base, &key, &["--account", "+1"], &["+12025550191"]),
        (&server.base, &key, &["--since", "yesterday"], &["10m", "2026-11-21T12:00:00Z"]),
        (&server.base, &key, &["--forward-to", "localhost:3000"], &["--forward-to", "http://"]),
        (&"localhost:8080".to_owned(), &key, &[], &["--url", "http://"]),
    ] {
        let arguments = [&["listen"][..], arguments].concat();
        let (code, printed, notes) = run(base, key, &arguments).await;
        assert!(matches!(code, Some(1 | 2)), "{arguments:?}: {code:?} {printed}{notes}");
        for word in words {
            assert!(notes.contains(word), "{arguments:?} without {word}: {notes}");
        }
    }
}

on_both_databases! {
    a_number_is_found_among_many_by_its_id_or_its_digits,
}
