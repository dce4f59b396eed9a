//! Connections to PostgreSQL go silent (`docs/security.md`, What is promised), for example because
//! of a failover, of a firewall that drops their state, or of a frozen server. Each call gets a
//! response within five seconds, and the service is back five seconds after new connections work.

use crate::world::{Answer, Database, Pair, Proxy, World, settings_with};
use delivery::cli::start;
use futures_util::future::join_all;
use platform::clock::{Clock, Stopwatch};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

const SEND: &str = "/api/v1/messages";
const READY: &str = "/readyz";
/// The time within which each call gets a response, and after which calls succeed again.
const WITHIN: Duration = Duration::from_secs(5);
/// The time after which the test counts a call as unanswered.
const UNANSWERED_AFTER: Duration = Duration::from_secs(15);
/// The time for which callers keep calling.
const OBSERVED: Duration = Duration::from_secs(12);
/// The pause between two calls of one caller.
const PAUSE: Duration = Duration::from_millis(20);
const SENDERS: usize = 8;
/// The number of first messages of each sender that are sent again at the end.
const REPEATED: usize = 2;

/// One call, with times since the connections went silent.
#[derive(Debug)]
struct Observed {
    path: &'static str,
    begun: Duration,
    took: Duration,
    /// `None` if there was no response.
    status: Option<u16>,
}

/// Creates a world whose server reaches PostgreSQL through a proxy, with all connections of its
/// pool open.
async fn behind_a_proxy() -> (Proxy, World) {
    // A database on a single node, because with a cluster the server also connects to nodes
    // directly, past the proxy.
    let mut database = Database::plain_postgres().await;
    let (proxy, url) = Proxy::to_database(&database.url).await;
    database.url = url;
    let world = World::on(database, &[]).await;
    let before = proxy.connections();
    // History requests use one connection each, while sends and look-ups run in batches.
    join_all((0..32).map(|of| send(&world, of, "warm"))).await;
    join_all((0..32).map(|of| world.history_status(of))).await;
    assert!(proxy.connections() > before, "the pool opened connections");
    (proxy, world)
}

/// Returns a recipient of its own for each of a sender's first messages, which are repeated later.
const fn recipient(sender: usize, turn: usize) -> usize {
    if turn < REPEATED { 200 + REPEATED * sender + turn } else { 100 + sender }
}

fn number(of: usize) -> String {
    format!("+1202556{of:04}")
}

async fn send(world: &World, of: usize, name: &str) -> Answer {
    let body = json!({"type": "text", "phone_number": number(of), "text": name});
    world.post_once(SEND, &format!("{name}-{of}"), &body).await
}

impl World {
    async fn history_status(&self, of: usize) -> u16 {
        let path = format!("/api/v1/conversations/history?phone_number=%2B{}", &number(of)[1..]);
        self.get(&path, &self.key).await.status
    }
}

/// Returns the status of a response, and asserts that a 503 has a `Retry-After`.
async fn status(answer: impl Future<Output = Answer>) -> Option<u16> {
    let answer = tokio::time::timeout(UNANSWERED_AFTER, answer).await.ok()?;
    if answer.status == 503 {
        answer.is_problem(503, "unavailable");
        assert!(!answer.header("retry-after").is_empty());
    }
    Some(answer.status)
}

/// Makes one call after the other until [`OBSERVED`] has passed.
async fn observe(
    watch: Stopwatch,
    path: &'static str,
    call: impl AsyncFn(usize) -> Answer,
) -> Vec<Observed> {
    let mut observed = Vec::new();
    while watch.elapsed() < OBSERVED {
        let begun = watch.elapsed();
        let status = status(call(observed.len())).await;
        observed.push(Observed {
            path,
            begun,
            took: watch.elapsed().saturating_sub(begun),
            status,
        });
        tokio::time::sleep(PAUSE).await; // real time: the server's own deadlines pass
    }
    observed
}

/// Sends, reads and checks the readiness from the moment at which the connections go silent.
async fn observe_all(world: &World, watch: Stopwatch) -> Vec<Observed> {
    let senders = (0..SENDERS).map(|sender| {
        observe(watch, SEND, async move |turn| {
            send(world, recipient(sender, turn), &format!("message-{turn}")).await
        })
    });
    let me = observe(watch, "/api/v1/me", async |_| world.get("/api/v1/me", &world.key).await);
    let history = "/api/v1/conversations/history";
    let history = observe(watch, history, async |_| {
        world.get("/api/v1/conversations/history?phone_number=%2B12025560001", &world.key).await
    });
    let ready = observe(watch, READY, async |_| {
        Answer::of(world.http.get(format!("{}{READY}", world.base))).await
    });
    let (sent, me, history, ready) = tokio::join!(join_all(senders), me, history, ready);
    sent.into_iter().flatten().chain(me).chain(history).chain(ready).collect()
}

fn accepted(observed: &Observed) -> bool {
    matches!(observed.status, Some(200 | 201))
}

/// Prints for each path the numbers of responses by status, the longest call, the first failure,
/// and the end of the last failed call.
fn report(what: &str, observed: &[Observed]) {
    let mut paths: BTreeMap<&str, Vec<&Observed>> = BTreeMap::new();
    for call in observed {
        paths.entry(call.path).or_default().push(call);
    }
    for (path, calls) in paths {
        let mut statuses: BTreeMap<String, usize> = BTreeMap::new();
        for call in &calls {
            *statuses
                .entry(call.status.map_or("none".to_owned(), |it| it.to_string()))
                .or_default() += 1;
        }
        let longest = calls.iter().map(|it| it.took).max();
        let refused = calls.iter().filter(|it| !accepted(it)).map(|it| it.begun + it.took);
        let (first, last) = (refused.clone().min(), refused.max());
        println!(
            "{what} {path}: {statuses:?}, longest {longest:?}, first refusal {first:?}, last {last:?}"
        );
    }
}

fn all_answered_in_time(observed: &[Observed]) {
    let late: Vec<_> =
        observed.iter().filter(|it| it.status.is_none() || it.took > WITHIN).collect();
    assert!(late.is_empty(), "{} calls were not answered in time: {late:?}", late.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_on_silent_connections_are_refused_in_time_and_new_connections_replace_them() {
    // Given a server with open connections to its database,
    let (proxy, world) = behind_a_proxy().await;

    // when they go silent while new ones work,
    let watch = Stopwatch::start();
    proxy.silence_open_connections();
    let observed = observe_all(&world, watch).await;
    report("open connections silent:", &observed);

    // then every call gets a response within five seconds,
    all_answered_in_time(&observed);
    assert!(observed.iter().any(|it| it.status == Some(503)), "nobody met a silent connection");
    // calls that begin more than five seconds later succeed,
    let refused: Vec<_> = observed.iter().filter(|it| it.begun > WITHIN && !accepted(it)).collect();
    assert!(refused.is_empty(), "{} calls were refused later: {refused:?}", refused.len());

    // and a send with an unknown outcome takes effect once when it is repeated.
    for sender in 0..SENDERS {
        for turn in 0..REPEATED {
            let (to, text) = (recipient(sender, turn), format!("message-{turn}"));
            let again = send(&world, to, &text).await;
            assert_eq!(again.status, 201, "{}", again.text);
            let history = world.history(&number(to)).await;
            let texts: Vec<_> = history.iter().map(|it| it["text"].as_str().unwrap()).collect();
            assert_eq!(texts, [text]);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_says_nothing_at_all_refuses_in_time_and_comes_back_in_time() {
    // Given a server with open connections to its database,
    let (proxy, world) = behind_a_proxy().await;

    // when all connections are silent, also new ones, then every call gets a 503 within five
    // seconds,
    let watch = Stopwatch::start();
    proxy.silence_all_connections();
    let observed = observe_all(&world, watch).await;
    report("all connections silent:", &observed);
    all_answered_in_time(&observed);
    assert!(observed.iter().all(|it| it.status == Some(503)), "something was accepted");

    // and when new connections work, calls that begin five seconds later succeed.
    let watch = Stopwatch::start();
    proxy.let_new_connections_pass();
    let observed = observe_all(&world, watch).await;
    report("new connections pass:", &observed);
    all_answered_in_time(&observed);
    let refused: Vec<_> = observed.iter().filter(|it| it.begun > WITHIN && !accepted(it)).collect();
    assert!(refused.is_empty(), "{} calls were refused later: {refused:?}", refused.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_go_on_when_their_connections_have_gone_silent() {
    // Given a server whose workers reach the database through a proxy,
    let world = World::on_postgres().await;
    let (proxy, url) = Proxy::to_database(world.database_url()).await;
    let media = format!("file:{}", world.folder().join("media").display());
    let settings = settings_with(&url, &[("media_url", &media)]);
    let server = start(settings, Clock::system(), true).await.unwrap();
    let base = format!("http://{}", server.address);
    let key: &Pair = &world.key;
    let send = async |to: usize| {
        let body = json!({"type": "text", "phone_number": number(to), "text": "Hello"});
        let request = world.http.post(format!("{base}{SEND}")).json(&body);
        let request = request.header("x-client-id", &key.client_id);
        status(Answer::of(request.header("x-client-secret", &key.client_secret))).await
    };
    let handed_over = async |to: usize| {
        let watch = Stopwatch::start();
        while world.history(&number(to)).await[0]["status"] == "queued" {
            if watch.elapsed() > UNANSWERED_AFTER {
                return None;
            }
            tokio::time::sleep(PAUSE).await; // real time: another server's workers work
        }
        Some(watch.elapsed())
    };
    assert_eq!(send(1).await, Some(201));
    handed_over(1).await.expect("workers work");

    // when their connections go silent,
    let watch = Stopwatch::start();
    proxy.silence_open_connections();
    let mut to = 2;
    while send(to).await != Some(201) {
        assert!(watch.elapsed() < UNANSWERED_AFTER, "no send is accepted");
        to += 1;
    }

    // then a message that is accepted afterwards is submitted within five seconds.
    let took = handed_over(to).await.expect("the message is handed over");
    println!("workers: accepted after {:?}, handed over {took:?} later", watch.elapsed());
    assert!(took < WITHIN, "{took:?}");
    let stopping = Stopwatch::start();
    server.stop().await.unwrap();
    println!("workers: stopped in {:?}", stopping.elapsed());
}
