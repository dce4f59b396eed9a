//! A separate database for each test.

use diesel::connection::{InstrumentationEvent, SimpleConnection as _};
use diesel::sqlite::SqliteConnection;
use diesel::{Connection as _, QueryableByName, RunQueryDsl as _};
use domain::time::Timestamp;
use ring::rand::{SecureRandom as _, SystemRandom};
use tempfile::TempDir;

/// The name of a SQLite database in its directory.
const SQLITE_FILE: &str = "switchboard.db";
/// Copies the database with all tables that the test run has made on each PostgreSQL server.
const FROM_TEMPLATE: &str = "TEMPLATE switchboard_template";

/// The queues of the workers that [`super::World::settle`] runs: a table, and its column with the
/// time at which a row is due.
const QUEUES: [(&str, &str); 4] = [
    ("organization_work", "due_at"),
    ("templates", "submission_due_at"),
    ("callbacks", "due_at"),
    ("endpoint_work", "due_at"),
];

/// A database and a directory that are deleted at the end of the test.
pub struct Database {
    pub url: String,
    pub folder: TempDir,
}

/// Returns random bytes for names that must be unique.
#[expect(clippy::disallowed_methods, reason = "there is no server whose entropy it could be")]
pub fn entropy<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).unwrap();
    bytes
}

/// The URLs of the PostgreSQL servers of this test run. With a Citus cluster there is one for each
/// node, and tests connect to the first.
fn nodes() -> Vec<String> {
    let nodes = std::env::var("SWITCHBOARD_TEST_POSTGRES");
    let nodes = nodes.expect("SWITCHBOARD_TEST_POSTGRES names a server: run `cargo xtask test`");
    nodes.split(' ').map(str::to_owned).collect()
}

impl Database {
    /// Names a database that does not exist yet.
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join(SQLITE_FILE).display());
        Self { url, folder }
    }

    /// Creates a database with all tables. The migrations of hundreds of tests would take minutes.
    pub fn migrated_sqlite() -> Self {
        let database = Self::sqlite();
        let template = std::env::var("SWITCHBOARD_TEST_SQLITE_TEMPLATE");
        let template = template.expect("`cargo xtask test` makes a template");
        std::fs::copy(template, database.folder.path().join(SQLITE_FILE)).unwrap();
        database
    }

    /// Creates an empty database, or a distributed one with all tables if the test run has a
    /// cluster.
    pub async fn postgres() -> Self {
        let nodes = nodes();
        // With several nodes, each node has a template database in which Citus is set up.
        let template = if nodes.len() > 1 { FROM_TEMPLATE } else { "" };
        Self::on_postgres(&nodes, template).await
    }

    /// Creates a database with all tables, which is distributed if the test run has a cluster. The
    /// migrations of hundreds of tests would take minutes.
    pub async fn migrated_postgres() -> Self {
        Self::on_postgres(&nodes(), FROM_TEMPLATE).await
    }

    /// Creates an empty database on the first server only, even if the test run has a cluster.
    pub async fn plain_postgres() -> Self {
        Self::on_postgres(&nodes()[..1], "").await
    }

    async fn on_postgres(nodes: &[String], template: &str) -> Self {
        // The name is random and not the process id: in a long test run the system uses process ids
        // again.
        let [high, low] = [u64::from_be_bytes(entropy()), u64::from_be_bytes(entropy())];
        let name = format!("story_{high:016x}{low:016x}");
        for node in nodes {
            let (client, connection) = tokio_postgres::connect(node, tokio_postgres::NoTls)
                .await
                .expect("PostgreSQL answers");
            let driver = tokio::spawn(connection);
            client.batch_execute(&format!("CREATE DATABASE {name} {template}")).await.unwrap();
            driver.abort();
        }
        let (start, _) = nodes[0].rsplit_once('/').expect("the URL names a database");
        Self { url: format!("{start}/{name}"), folder: tempfile::tempdir().unwrap() }
    }
}

impl Database {
    /// Returns whether [`Database::postgres`] creates a database that is distributed over several
    /// nodes.
    pub fn is_distributed() -> bool {
        nodes().len() > 1
    }

    /// Returns the URL of the default database of each PostgreSQL server.
    pub fn servers() -> Vec<String> {
        nodes()
    }

    /// Opens the test's own connection.
    pub async fn beside(&self) -> DirectConnection {
        DirectConnection::connect(&self.url).await
    }
}

/// The test's own connection to the database, separate from those of the server.
pub enum DirectConnection {
    Postgres(tokio_postgres::Client),
    Sqlite(Box<SqliteConnection>),
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    number: i64,
}

impl DirectConnection {
    pub async fn connect(url: &str) -> Self {
        if let Some(path) = url.strip_prefix("sqlite:") {
            let mut conn = SqliteConnection::establish(path).unwrap();
            // The check that statements name their tenants does not apply to the test's own
            // statements.
            conn.set_instrumentation(|_: InstrumentationEvent<'_>| ());
            conn.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
            return Self::Sqlite(Box::new(conn));
        }
        let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
        let (client, connection) = connected.expect("PostgreSQL answers");
        tokio::spawn(connection);
        Self::Postgres(client)
    }

    pub async fn execute(&mut self, statements: &str) {
        match self {
            Self::Postgres(client) => client.batch_execute(statements).await.unwrap(),
            Self::Sqlite(conn) => conn.batch_execute(statements).unwrap(),
        }
    }

    /// Runs a query and returns the integer in its column `number`.
    pub async fn number(&mut self, query: &str) -> i64 {
        match self {
            Self::Postgres(client) => client.query_one(query, &[]).await.unwrap().get("number"),
            Self::Sqlite(conn) => {
                diesel::sql_query(query).get_result::<Number>(&mut **conn).unwrap().number
            }
        }
    }

    /// Returns a time before which the workers have nothing to do.
    pub async fn next_due(&mut self) -> Timestamp {
        let never = i64::MAX;
        // The due times of transcriptions are stored with an offset, so that any row counts.
        let any = format!("CASE WHEN count(*) = 0 THEN {never} ELSE 0 END");
        let mut due = self.number(&format!("SELECT {any} AS number FROM fetches")).await;
        for (table, column) in QUEUES {
            let first = match self {
                Self::Postgres(_) => {
                    format!("(extract(epoch FROM min({column})) * 1000000)::bigint")
                }
                Self::Sqlite(_) => format!("min({column})"),
            };
            let query = format!("SELECT coalesce({first}, {never}) AS number FROM {table}");
            due = due.min(self.number(&query).await);
        }
        Timestamp::from_micros(due)
    }
}
