//! The places where a secret could be stored: the database's files, dumps and log, our log, and the
//! metrics.

use crate::handover::private_postgres::PrivatePostgres;
use diesel::sqlite::SqliteConnection;
use diesel::{Connection as _, QueryableByName, RunQueryDsl as _};
use std::path::Path;
use tempfile::TempDir;

/// A place and its content.
pub struct Place {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Place {
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }
}

/// A database all of whose files can be read.
pub enum Subject {
    Sqlite,
    Postgres(PrivatePostgres),
}

/// The options with which PostgreSQL logs each statement with its parameters.
const EVERY_STATEMENT: &str =
    "-c log_statement=all -c log_min_duration_statement=0 -c wal_compression=off";

impl Subject {
    /// Starts a PostgreSQL that logs every statement.
    pub async fn postgres() -> Self {
        Self::Postgres(PrivatePostgres::start_with(EVERY_STATEMENT).await)
    }

    /// Returns the database's URL: a file in the directory for SQLite, or one with a password for
    /// PostgreSQL.
    pub fn url(&self, folder: &TempDir, password: &str) -> String {
        match self {
            Self::Sqlite => {
                format!("sqlite:{}", folder.path().join("data/switchboard.db").display())
            }
            Self::Postgres(server) => {
                server.url().replacen("postgres@", &format!("postgres:{password}@"), 1)
            }
        }
    }

    /// Returns everything that the database has written, while the server runs.
    pub async fn places(&self, folder: &Path) -> Vec<Place> {
        match self {
            Self::Sqlite => {
                let file = folder.join("data/switchboard.db");
                let mut places = files(&folder.join("data"));
                assert!(places.iter().any(|it| it.name.ends_with("-wal")), "the journal is there");
                places.push(Place::new("a dump of SQLite", dump(&file)));
                places
            }
            Self::Postgres(server) => {
                let (client, connection) =
                    tokio_postgres::connect(&server.url(), tokio_postgres::NoTls).await.unwrap();
                let driver = tokio::spawn(connection);
                client.batch_execute("CHECKPOINT").await.unwrap();
                driver.abort();
                let dump = server.dump().await;
                let mut places = files(server.folder());
                for part in ["pg_wal", "/log"] {
                    assert!(places.iter().any(|it| it.name.contains(part)), "{part} is there");
                }
                places.push(Place::new("a dump of PostgreSQL", dump));
                places
            }
        }
    }
}

/// Returns the files in a directory and its subdirectories.
pub fn files(folder: &Path) -> Vec<Place> {
    let mut places = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            places.extend(files(&path));
        } else if path.is_file()
            && let Ok(bytes) = std::fs::read(&path)
        {
            places.push(Place::new(path.display().to_string(), bytes));
        }
    }
    places
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = diesel::sql_types::Text)]
    line: String,
}

/// Returns every value of every table as SQL. In the file itself a long value is spread over
/// several pages.
fn dump(file: &Path) -> String {
    let mut conn = SqliteConnection::establish(&file.display().to_string()).unwrap();
    conn.set_instrumentation(|_: diesel::connection::InstrumentationEvent<'_>| ());
    let mut lines = |query: &str| -> Vec<String> {
        let found = diesel::sql_query(query).load::<Line>(&mut conn).unwrap();
        found.into_iter().map(|it| it.line).collect()
    };
    let mut dump = Vec::new();
    for table in lines("SELECT name AS line FROM sqlite_master WHERE type = 'table'") {
        let columns = lines(&format!("SELECT name AS line FROM pragma_table_info('{table}')"));
        let values: Vec<String> = columns.iter().map(|it| format!("quote(\"{it}\")")).collect();
        let row = values.join(" || ', ' || ");
        dump.extend(lines(&format!("SELECT {row} AS line FROM \"{table}\"")));
    }
    dump.join("\n")
}
