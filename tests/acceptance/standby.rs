//! `SWITCHBOARD_DATABASE_URL_READ` (`docs/deploy/standby.md`): histories, lists and pages are read
//! from a standby. They contain everything that was answered before, and are read from the primary
//! whenever the standby cannot provide that.

mod poolers;
mod timelines;

use crate::connect::Browser;
use crate::dashboard::{KEYS, creation_path, csrf_token, sign_in_member};
use crate::handover::private_postgres::PrivatePostgres;
use crate::operators::run;
use crate::world::pgbouncer::{PgBouncer, PoolMode};
use crate::world::{Answer, Database, DirectConnection, World, settings_with};
use delivery::cli::{Running, start};
use persistence::timing::{self, StandbyRead, Watch};
use platform::clock::Stopwatch;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const HISTORY: &str = "/api/v1/conversations/history?phone_number=%2B12025560001&limit=100";
/// The time within which the standby is used, or used again.
const WITHIN: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(10);
/// The longest time for a read from the primary after the standby has failed to respond: the server
/// waits up to 300 ms for a connection and up to 300 ms for the first response.
const FALLBACK: Duration = Duration::from_secs(2);

/// Returns the standby's settings for `postgresql.conf` from the page.
fn settings_on_the_page() -> &'static str {
    let (_, rest) = include_str!("../../docs/deploy/standby.md").split_once("```ini\n").unwrap();
    rest.split("```").next().unwrap()
}

static SERVED: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of reads that the standby has served since the last call, for all servers of
/// this process.
fn served() -> usize {
    timing::watch(Watch {
        elapsed: || Duration::ZERO,
        waited: |_| (),
        committed: |_| (),
        standby_read: |read| {
            if read == StandbyRead::Served {
                SERVED.fetch_add(1, Ordering::SeqCst);
            }
        },
        standby: |_, _| (),
    });
    SERVED.load(Ordering::SeqCst)
}

/// A server with a primary and a standby.
struct Stage {
    world: World,
    primary: PrivatePostgres,
    standby: PrivatePostgres,
    _pooler: Option<PgBouncer>,
}

impl Stage {
    async fn start() -> Self {
        Self::start_by(None).await
    }

    /// Starts the server with an optional pooler in front of the standby.
    async fn start_by(mode: Option<PoolMode>) -> Self {
        served();
        let primary = PrivatePostgres::start().await;
        let standby = primary.standby(settings_on_the_page()).await;
        let mut database = Database::postgres().await;
        database.url = primary.url();
        let pooler = match mode {
            Some(mode) => Some(PgBouncer::start(&standby.url(), mode).await),
            None => None,
        };
        let url = pooler.as_ref().map_or_else(|| standby.url(), |it| it.url.clone());
        let world = World::on(database, &[("database_url_read", &url)]).await;
        let it = Self { world, primary, standby, _pooler: pooler };
        it.send("one").await;
        it.until_served().await;
        it
    }

    /// Starts another server with the same primary and standby.
    async fn second(&self) -> Running {
        self.server_on(&self.primary, &self.standby).await
    }

    async fn server_on(&self, primary: &PrivatePostgres, standby: &PrivatePostgres) -> Running {
        let media = format!("file:{}", self.world.folder().join("media").display());
        let more = [("database_url_read", standby.url()), ("media_url", media)];
        let more: Vec<_> = more.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let settings = settings_with(&primary.url(), &more);
        start(settings, self.world.clock.clone(), false).await.expect("it starts")
    }

    async fn send(&self, text: &str) {
        let body = json!({"type": "text", "phone_number": "+12025560001", "text": text});
        let sent = self.world.post("/api/v1/messages", &self.world.key, &body).await;
        assert_eq!(sent.status, 201, "{}", sent.body);
    }

    /// Returns the texts of the history from the server at this address, newest first.
    async fn texts_at(&self, base: &str) -> Vec<String> {
        let request = self.world.http.get(format!("{base}{HISTORY}"));
        let answer =
            Answer::of(crate::credentials::with_credentials(request, &self.world.key)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let text = |message: &Value| message["text"].as_str().unwrap().to_owned();
        answer.body["data"].as_array().unwrap().iter().map(text).collect()
    }

    async fn texts(&self) -> Vec<String> {
        self.texts_at(&self.world.base).await
    }

    /// Reads until the standby serves a read.
    async fn until_served(&self) {
        self.until_served_by(&self.world.base).await;
    }

    async fn until_served_by(&self, base: &str) {
        let (watch, before) = (Stopwatch::start(), served());
        while served() == before {
            assert!(watch.elapsed() < WITHIN, "the standby is not used");
            self.texts_at(base).await;
            tokio::time::sleep(PAUSE).await; // real time: other processes replay and look
        }
    }

    /// Pauses the standby's replay, or resumes it.
    async fn pause_replay(&self, pause: bool) {
        let mut beside = DirectConnection::connect(&self.standby.url()).await;
        let what = if pause { "pause" } else { "resume" };
        beside.execute(&format!("SELECT pg_wal_replay_{what}()")).await;
        let watch = Stopwatch::start();
        let paused = "SELECT (pg_get_wal_replay_pause_state() = 'paused')::int::bigint AS number";
        while (beside.number(paused).await == 1) != pause {
            assert!(watch.elapsed() < WITHIN, "replay is not {what}d");
            tokio::time::sleep(PAUSE).await; // real time: another process heeds it
        }
    }

    /// Asserts that reads go to the primary, are fast enough, and contain these texts.
    async fn all_read_from_the_primary(&self, texts: &[&str]) {
        let (before, reads) = (served(), 20);
        for _ in 0..reads {
            let watch = Stopwatch::start();
            assert_eq!(self.texts().await, texts);
            assert!(watch.elapsed() < FALLBACK, "{:?}", watch.elapsed());
        }
        assert_eq!(served(), before, "the standby served some");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories_and_lists_are_read_from_the_standby() {
    // Given a server with a standby that nobody else reads,
    let stage = Stage::start().await;
    let mut standby = DirectConnection::connect(&stage.standby.url()).await;
    let scans = "SELECT sum(idx_scan)::bigint AS number FROM pg_stat_user_tables \
                 WHERE relname IN ('messages', 'events', 'templates')";
    let (before, scanned) = (served(), standby.number(scans).await);

    // when histories and lists are read,
    let message = stage.world.get(HISTORY, &stage.world.key).await.body["data"][0]["id"].clone();
    let message = format!("/api/v1/messages/{}", message.as_str().unwrap());
    let paths = [HISTORY, &message, "/api/v1/events", "/api/v1/events?type=message.queued"];
    for path in paths.into_iter().chain(["/api/v1/templates", "/api/v1/accounts"]) {
        for _ in 0..20 {
            let answer = stage.world.get(path, &stage.world.key).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        }
    }
    // then nearly all reads are served by the standby (a history needs two reads),
    let all = 20 * (2 + 1 + 1 + 1 + 1 + 1) + 2;
    let answered = served() - before;
    assert!(answered > all / 2 && answered <= all, "{answered} of {all}");
    // and appear in the standby's own statistics, which are written once a second.
    let watch = Stopwatch::start();
    while standby.number(scans).await <= scanned {
        assert!(watch.elapsed() < WITHIN, "the standby has read nothing");
        tokio::time::sleep(PAUSE).await; // real time: another process writes its statistics
    }
    // A write does not count as a read of the standby.
    let before = served();
    stage.send("two").await;
    assert_eq!(served(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_are_visible_at_once_on_every_server() {
    // Given two servers with a standby that stops replaying,
    let stage = Stage::start().await;
    let second = stage.second().await;
    let other = format!("http://{}", second.address);
    stage.until_served_by(&other).await;
    let mut browser: Browser = sign_in_member(&stage.world).await;
    let proof = csrf_token(&browser.get(&creation_path(KEYS)).await);
    stage.pause_replay(true).await;

    // when a message is sent and a form is posted on the first server,
    stage.send("two").await;
    let form = [
        ("token", proof.as_str()),
        ("name", "Fresh"),
        ("account", ""),
        ("rate_limit", "7"),
        ("scope", "messages.send"),
    ];
    let posted = browser.post(KEYS, &form).await;
    assert_eq!(posted.status, 303, "{}", posted.text);

    // then both servers show them, although the standby does not have them yet,
    let messages = "SELECT count(*) AS number FROM messages";
    let mut beside = DirectConnection::connect(&stage.standby.url()).await;
    assert_eq!(beside.number(messages).await, 1);
    let before = served();
    for base in [&stage.world.base, &other] {
        assert_eq!(stage.texts_at(base).await, ["two", "one"]);
        let mut browser = browser.clone().at(base);
        let keys = browser.get(KEYS).await;
        assert!(keys.status == 200 && keys.text.contains("Fresh"), "{}", keys.text);
    }
    assert_eq!(served(), before, "the standby has not served what it does not have");
    // and the second server also shows another client's message, which was answered before.
    stage.send("three").await;
    assert_eq!(stage.texts_at(&other).await, ["three", "two", "one"]);

    // When the standby replays again, then it serves reads again.
    stage.pause_replay(false).await;
    stage.until_served().await;
    stage.until_served_by(&other).await;
    assert_eq!(stage.texts().await, ["three", "two", "one"]);
    second.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_that_is_gone_or_frozen_is_passed_by_until_it_is_back() {
    let stage = Stage::start().await;
    // When the standby is killed, then reads go to the primary; when it runs again, it serves reads
    // again.
    stage.standby.kill().await;
    stage.all_read_from_the_primary(&["one"]).await;
    stage.send("two").await;
    stage.all_read_from_the_primary(&["two", "one"]).await;
    stage.standby.start_again().await;
    stage.until_served().await;

    // The same holds when the standby hangs: it accepts connections but does not respond.
    stage.standby.signal(Signal::STOP);
    stage.all_read_from_the_primary(&["two", "one"]).await;
    stage.standby.signal(Signal::CONT);
    stage.until_served().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_that_was_promoted_is_not_read_from_any_more() {
    let stage = Stage::start().await;
    // When the standby is promoted and gets other rows,
    let mut promoted = DirectConnection::connect(&stage.standby.url()).await;
    promoted.execute("SELECT pg_promote()").await;
    promoted.execute("UPDATE messages SET position = 7").await;
    // then reads go to the primary, also after some time.
    stage.all_read_from_the_primary(&["one"]).await;
    stage.send("two").await;
    let watch = Stopwatch::start();
    while watch.elapsed() < Duration::from_millis(1_500) {
        stage.all_read_from_the_primary(&["two", "one"]).await;
        tokio::time::sleep(PAUSE).await; // real time: the standby is looked at once a second
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_that_fails_on_the_standby_is_answered_by_the_primary() {
    let stage = Stage::start().await;
    // When each statement fails on the standby (standbys reject serializable transactions),
    let mut standby = DirectConnection::connect(&stage.standby.url()).await;
    standby.execute("ALTER SYSTEM SET default_transaction_isolation = serializable").await;
    standby.execute("SELECT pg_reload_conf()").await;
    let serializable = "SELECT (current_setting('default_transaction_isolation') = 'serializable')::int::bigint AS number";
    let watch = Stopwatch::start();
    let taken = async || match &standby {
        DirectConnection::Postgres(client) => client.query_one(serializable, &[]).await.is_err(),
        DirectConnection::Sqlite(_) => unreachable!(),
    };
    while !taken().await {
        assert!(watch.elapsed() < WITHIN, "the standby does not read its settings");
        tokio::time::sleep(PAUSE).await; // real time: another process reads its settings
    }
    // then the primary serves the reads.
    stage.all_read_from_the_primary(&["one"]).await;
    assert!(stage.primary.folder().exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_database_is_never_read_from() {
    // Given servers whose "standby" belongs to another primary, is the primary itself, or does not
    // exist,
    served();
    let (primary, other) = (PrivatePostgres::start().await, PrivatePostgres::start().await);
    let stranger = other.standby(settings_on_the_page()).await;
    let mut beside = DirectConnection::connect(&primary.url()).await;
    let at = |url: String| async {
        let mut database = Database::postgres().await;
        database.url = url;
        database
    };
    // (the other primary has the same tables)
    let _other_world = World::on(at(other.url()).await, &[]).await;
    let start = primary.url().trim_end_matches("postgres").to_owned();
    for name in ["stranger", "itself", "nowhere"] {
        beside.execute(&format!("CREATE DATABASE {name}")).await;
        let own = format!("{start}{name}");
        let url = match name {
            "stranger" => stranger.url(),
            "itself" => own.clone(),
            _ => "postgres://a@127.0.0.1:1/b".to_owned(),
        };
        let database = at(own).await;
        // when they start, then they start, serve reads,
        let world = World::on(database, &[("database_url_read", &url)]).await;
        let watch = Stopwatch::start();
        while watch.elapsed() < Duration::from_millis(300) {
            let answer = world.get(HISTORY, &world.key).await;
            assert_eq!(answer.status, 200, "{name}: {}", answer.body);
            tokio::time::sleep(PAUSE).await; // real time: the standby is looked at
        }
    }
    // and never use that "standby".
    assert_eq!(served(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_tells_of_the_standby() {
    // Given a server with a standby,
    const SUBJECT: &str = "SWITCHBOARD_DATABASE_URL_READ";
    let stage = Stage::start().await;
    let (primary, folder) = (stage.primary.url(), stage.world.folder());
    let other = PrivatePostgres::start().await;
    let stranger = other.standby(settings_on_the_page()).await;
    // when the doctor examines it, and also a standby of another database and one that does not
    // exist,
    let look = async |standby: String| {
        let variables =
            [("SWITCHBOARD_DATABASE_URL", primary.as_str()), (SUBJECT, standby.as_str())];
        let said = run(folder, &["doctor", "--json"], &variables).await;
        let report: Value = serde_json::from_str(&said.out).unwrap();
        let findings = report["findings"].as_array().unwrap().clone();
        let of_it = findings.into_iter().find(|it| it["subject"] == SUBJECT);
        of_it.expect("a finding").to_string()
    };
    let (own, itself, strange, nowhere) = tokio::join!(
        look(stage.standby.url()),
        look(stage.primary.url()),
        look(stranger.url()),
        look("postgres://a:hunter2@127.0.0.1:1/b".to_owned()),
    );
    // then it reports each of these cases with advice.
    let says = |found: &str, words: &[&str]| {
        assert!(words.iter().all(|word| found.contains(word)), "{words:?} in {found}");
    };
    says(&own, &["\"ok\"", "is a standby", "bytes behind the primary"]);
    says(&itself, &["\"failed\"", "is not a standby", "reads go to the primary", "pg_rewind"]);
    says(&strange, &["\"failed\"", "is a standby of another database"]);
    says(&nowhere, &["\"failed\"", "127.0.0.1:1", "make sure that the standby runs"]);
    assert!(!nowhere.contains("hunter2"));
}

#[test]
fn a_standby_is_of_a_postgresql() {
    let refused = |database: &str, standby: &str| {
        let mut effective = config::Effective::defaults();
        let values = [("database_url", database), ("database_url_read", standby)];
        for (name, value) in values {
            assert!(effective.set(name, value.to_owned(), config::SettingOrigin::Flag));
        }
        config::Settings::read(&effective).unwrap_err().to_string()
    };
    let said = refused("sqlite:data/switchboard.db", "postgres://a@localhost/b");
    assert!(said.contains("a SQLite file has no standby"), "{said}");
    let said = refused("postgres://a@localhost/b", "sqlite:data/switchboard.db");
    assert!(said.contains("database_url_read") && said.contains("of a standby"), "{said}");
    let said = refused("postgres://a@localhost/b", "mysql://root:hunter2@h/d");
    assert!(said.contains("database_url_read") && !said.contains("hunter2"), "{said}");
}
