//! Failover between several PostgreSQL servers (`docs/deploy/failover.md`): a host that accepts
//! connections but is silent does not block another host, and connections to a server that rejects
//! writes are closed.

use crate::handover::private_postgres::PrivatePostgres;
use crate::world::{Answer, Database, DirectConnection, Proxy, World, settings_with};
use delivery::cli::start;
use platform::clock::{Clock, Stopwatch};
use serde_json::json;
use std::time::Duration;

/// The time within which calls are accepted again.
const WITHIN: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

/// Puts another host before the one in a database URL, and requires a host that takes writes.
fn with_host_before(url: &str, host: &str) -> String {
    let (start, rest) = url.split_once('@').expect("a URL with a user");
    format!("{start}@{host},{rest}?target_session_attrs=read-write")
}

impl World {
    async fn send_named(&self, name: &str) -> Answer {
        let body = json!({"type": "text", "phone_number": "+12025560001", "text": name});
        self.post_once("/api/v1/messages", name, &body).await
    }

    /// Sends the same message until it is accepted, and returns the time. Asserts that each
    /// rejection has a `Retry-After`.
    async fn until_accepted(&self, name: &str) -> Duration {
        let watch = Stopwatch::start();
        loop {
            let answer = self.send_named(name).await;
            if answer.status == 201 {
                return watch.elapsed();
            }
            answer.is_problem(503, "unavailable");
            assert!(!answer.header("retry-after").is_empty());
            assert!(watch.elapsed() < 3 * WITHIN, "no send is accepted");
            tokio::time::sleep(PAUSE).await; // real time: the server's own deadlines pass
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_accepts_connections_and_says_nothing_does_not_keep_a_server_from_the_next() {
    // Given two database hosts of which the first is silent,
    let mut database = Database::postgres().await;
    let (proxy, _) = Proxy::to_database(&database.url).await;
    proxy.silence_all_connections();
    database.url = with_host_before(&database.url, &proxy.address().to_string());

    // when a server starts, then it connects to the other host and accepts messages.
    let world = World::on(database, &[]).await;
    let took = world.until_accepted("one").await;
    println!("accepted after {took:?}");
    assert!(proxy.connections() > 0, "the first host is asked");
    assert!(took < WITHIN, "{took:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_listens_again_when_the_connection_on_which_it_listened_has_gone_silent() {
    // Given a server that listens for notifications of messages accepted by other instances,
    let world = World::on_postgres().await;
    let (proxy, url) = Proxy::to_database(world.database_url()).await;
    let media = format!("file:{}", world.folder().join("media").display());
    let settings = settings_with(&url, &[("media_url", &media)]);
    let server = start(settings, Clock::system(), true).await.unwrap();
    let mut beside = DirectConnection::connect(world.database_url()).await;
    let listening = "SELECT count(*) AS number FROM pg_stat_activity \
                     WHERE datname = current_database() AND query LIKE 'LISTEN%'";
    let mut until = async |many: i64| {
        let watch = Stopwatch::start();
        while beside.number(listening).await < many {
            assert!(watch.elapsed() < 3 * WITHIN, "{many} connections do not listen");
            tokio::time::sleep(PAUSE).await; // real time: the server's own deadlines pass
        }
        watch.elapsed()
    };
    until(1).await;

    // when that connection goes silent, then the server listens on a new one. (PostgreSQL still
    // counts the old one.)
    proxy.silence_open_connections();
    println!("listens again after {:?}", until(2).await);
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_on_which_nothing_may_be_written_any_more_are_given_up() {
    // Given a server with connections to its own PostgreSQL,
    let postgres = PrivatePostgres::start().await;
    let mut database = Database::postgres().await;
    database.url = format!("{}?target_session_attrs=read-write", postgres.url());
    let world = World::on(database, &[]).await;
    world.until_accepted("before").await;
    let mut beside = DirectConnection::connect(&postgres.url()).await;
    let ours = "CREATE TABLE before AS SELECT pid FROM pg_stat_activity \
                WHERE application_name = 'switchboard' AND query NOT LIKE 'LISTEN%'";
    beside.execute(ours).await;
    let left = "SELECT count(*) AS number FROM pg_stat_activity JOIN before USING (pid)";
    assert!(beside.number(left).await > 0, "the server has connections");

    // when that PostgreSQL becomes read-only, like a primary that steps down,
    beside.execute("ALTER SYSTEM SET default_transaction_read_only = on").await;
    beside.execute("SELECT pg_reload_conf()").await;
    let watch = Stopwatch::start();
    let mut turn = 0;
    loop {
        // then sends are rejected quickly, with a `Retry-After`,
        let answer = world.send_named(&format!("meanwhile-{turn}")).await;
        // (PostgreSQL takes a moment to reload its configuration.)
        if answer.status != 201 {
            answer.is_problem(503, "unavailable");
            assert!(!answer.header("retry-after").is_empty());
        }
        // the old connections are closed,
        if answer.status == 503 && beside.number(left).await == 0 {
            break;
        }
        assert!(watch.elapsed() < WITHIN, "{} are kept", beside.number(left).await);
        turn += 1;
        tokio::time::sleep(PAUSE).await; // real time: another process reads its settings
    }

    // and when PostgreSQL takes writes again, sends are accepted.
    beside.execute("ALTER SYSTEM RESET default_transaction_read_only").await;
    beside.execute("SELECT pg_reload_conf()").await;
    let took = world.until_accepted("after").await;
    assert!(took < WITHIN, "{took:?}");
}
