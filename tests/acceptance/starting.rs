//! A start with obstacles: a silent PostgreSQL or Redis, migrations that another server runs, and a
//! pooler in front of the database.

use crate::world::pgbouncer::{PgBouncer, PoolMode};
use crate::world::{Database, Process, Proxy, free_port, switchboard};
use rustix::process::{Pid, Signal, kill_process};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr};
use tokio::time::timeout;

/// The longest time for anything that must not take forever.
const SOON: Duration = Duration::from_secs(20);

/// A started program whose standard error is read line by line.
pub struct Starting {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
    received: String,
    /// The base URL, if the program is a server.
    pub base: String,
}

impl Starting {
    fn with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = switchboard(arguments);
        command.envs(variables.iter().copied()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, lines, received: String::new(), base: String::new() }
    }

    pub fn serve(database_url: &str, more: &[&str], variables: &[(&str, &str)]) -> Self {
        let address = || format!("127.0.0.1:{}", free_port());
        let (bind, metrics) = (address(), address());
        let ours =
            ["serve", "--bind", &bind, "--metrics-bind", &metrics, "--database-url", database_url];
        let starting = Self::with(&[&ours, more].concat(), variables);
        Self { base: format!("http://{bind}"), ..starting }
    }

    /// Waits for a line that contains this text.
    pub async fn says(&mut self, words: &str) {
        let received = timeout(SOON, async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                self.received.extend([line.as_str(), "\n"]);
                if line.contains(words) {
                    return true;
                }
            }
            false
        });
        assert_eq!(received.await, Ok(true), "{words:?} in {}", self.received);
    }

    async fn ends(&mut self) -> ExitStatus {
        let ended = timeout(SOON, self.child.wait()).await;
        ended.unwrap_or_else(|_| panic!("it goes on: {}", self.received)).unwrap()
    }

    /// Asserts that the program fails and that its output contains this text. Returns the whole
    /// output.
    pub async fn expect_failure(mut self, words: &str) -> String {
        self.says(words).await;
        self.expect_end_of_output().await;
        assert_eq!(self.ends().await.code(), Some(1), "{}", self.received);
        self.received
    }

    /// Sends SIGTERM and returns the whole output.
    pub async fn ends_on_request(mut self) -> String {
        let id = Pid::from_raw(self.child.id().unwrap().cast_signed()).unwrap();
        kill_process(id, Signal::TERM).unwrap();
        self.expect_end_of_output().await;
        assert_eq!(self.ends().await.code(), Some(0), "{}", self.received);
        self.received
    }

    /// Reads the output to its end.
    async fn expect_end_of_output(&mut self) {
        let rest = timeout(SOON, async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                self.received.extend([line.as_str(), "\n"]);
            }
        });
        assert!(rest.await.is_ok(), "it goes on: {}", self.received);
    }

    /// Asserts that the program ends within a second after SIGTERM.
    async fn expect_sigterm_stops(mut self) {
        let id = Pid::from_raw(self.child.id().unwrap().cast_signed()).unwrap();
        kill_process(id, Signal::TERM).unwrap();
        let ended = timeout(Duration::from_secs(1), self.child.wait()).await;
        assert_eq!(ended.expect("it obeys within a second").unwrap().code(), Some(0));
    }
}

#[tokio::test]
async fn a_silent_postgresql_is_named_and_given_up_or_waited_for() {
    // Given a PostgreSQL that accepts connections but does not respond,
    let database = Database::postgres().await;
    let (proxy, url) = Proxy::to_database(&database.url).await;
    proxy.silence_all_connections();

    // when a server starts, then it reports what it waits for, and gives up;
    let mut starting = Starting::serve(&url, &[], &[]);
    starting.says("still waiting for the database postgres://").await;
    starting.expect_failure("no answer within").await;

    // with `--wait` it keeps trying, ends on SIGTERM,
    let mut starting = Starting::serve(&url, &["--wait", "60"], &[]);
    starting.says("trying again").await;
    starting.expect_sigterm_stops().await;

    // and is ready as soon as the database responds.
    let mut starting = Starting::serve(&url, &["--wait", "60"], &[]);
    starting.says("trying again").await;
    proxy.let_new_connections_pass();
    starting.says("ready").await;
    starting.child.kill().await.unwrap();
}

#[tokio::test]
async fn a_silent_redis_is_named_and_given_up_or_waited_for() {
    // Given a Redis that accepts connections but does not respond,
    let redis = std::env::var("SWITCHBOARD_TEST_REDIS").expect("run `cargo xtask test`");
    let proxy = Proxy::start(redis.trim_start_matches("redis://")).await;
    proxy.silence_all_connections();
    let database = Database::sqlite();
    let url = format!("redis://{}", proxy.address());
    let variables = [("SWITCHBOARD_REDIS_URL", url.as_str())];

    // when a server starts, then it reports what it waits for, and gives up;
    let mut starting = Starting::serve(&database.url, &[], &variables);
    starting.says("still waiting for the Redis of SWITCHBOARD_REDIS_URL").await;
    starting.expect_failure("SWITCHBOARD_REDIS_URL").await;

    // with `--wait` it keeps trying and ends on SIGTERM.
    let mut starting = Starting::serve(&database.url, &["--wait", "60"], &variables);
    starting.says("trying again").await;
    starting.expect_sigterm_stops().await;
}

#[tokio::test]
async fn the_holder_of_the_migration_lock_is_named() {
    // Given another process that holds the lock for migrations,
    let database = Database::postgres().await;
    let named = format!("{}?application_name=an%20older%20server", database.url);
    let (holder, connection) =
        tokio_postgres::connect(&named, tokio_postgres::NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    holder.batch_execute("SELECT pg_advisory_lock(7262016)").await.unwrap();

    // when migrations are to run, then the output names the process that holds the lock,
    let mut starting = Starting::with(&["migrate", "run", "--database-url", &database.url], &[]);
    starting.says("an older server, from 127.0.0.1").await;
    // SIGTERM ends the program while it waits,
    let mut serving = Starting::serve(&database.url, &[], &[]);
    serving.says("an older server, from 127.0.0.1").await;
    serving.expect_sigterm_stops().await;

    // and the migrations run when the lock is released.
    driver.abort();
    drop(holder);
    assert!(starting.ends().await.success(), "{}", starting.received);
}

#[tokio::test]
async fn a_pooler_that_mixes_up_statements_is_refused_and_one_that_does_not_is_used() {
    let database = Database::postgres().await;

    // Given PgBouncer in transaction mode without support for prepared statements, when a server
    // starts, then it fails with advice.
    let pooler = PgBouncer::start(&database.url, PoolMode::Transaction).await;
    let starting = Starting::serve(&pooler.url, &[], &[]);
    starting.expect_failure("pool_mode = session").await;

    // Given PgBouncer in session mode, then the server works, and leaves no lock behind.
    let pooler = PgBouncer::start(&database.url, PoolMode::Session).await;
    let server = Process::serve(&pooler.url, free_port()).await;
    server.kill().await;
    let mut direct = Starting::with(&["migrate", "run", "--database-url", &database.url], &[]);
    assert!(direct.ends().await.success(), "{}", direct.received);
}

async fn is_told_of_a_newer_version(database: Database) {
    // Given a database that a newer version has migrated,
    let arguments = ["migrate", "run", "--database-url", &database.url];
    assert!(Starting::with(&arguments, &[]).ends().await.success());
    let newer = "INSERT INTO __diesel_schema_migrations (version) VALUES ('20310101000000')";
    database.beside().await.execute(newer).await;
    // when this version starts on it, then it logs this before it serves.
    let mut starting = Starting::serve(&database.url, &[], &[]);
    starting.says("a newer version migrated the database").await;
    starting.says("ready").await;
    assert!(starting.ends_on_request().await.contains("20310101000000"));
}

#[tokio::test]
async fn a_start_on_what_a_newer_version_has_migrated_says_so_on_sqlite() {
    is_told_of_a_newer_version(Database::sqlite()).await;
}

#[tokio::test]
async fn a_start_on_what_a_newer_version_has_migrated_says_so_on_postgres() {
    is_told_of_a_newer_version(Database::postgres().await).await;
}
