//! A deleted person is in no data file of PostgreSQL, once the space of deleted rows is given back.
//! The test of SQLite's files is beside this one.

use super::{Story, delete, erase, live};
use crate::cloud::Cloud;
use crate::handover::private_postgres::PrivatePostgres;
use crate::world::Database;
use std::path::Path;

/// What all that is known of the person has in common, in any case: names are in the search index in
/// lower case.
const TRACES: [&str; 4] = ["6505559871", "zephyr", "77712345678901234567", "quagga"];
/// What is known of somebody else.
const KEPT: &str = "6505559872";
/// A vacuum or an analysis beside the test would keep rows that were just deleted.
const SETTINGS: &str = "-c autovacuum=off";

/// Returns whether bytes contain a text, in any case.
fn contains(bytes: &[u8], text: &str) -> bool {
    let text = text.as_bytes();
    bytes
        .windows(text.len())
        .any(|window| window[0].eq_ignore_ascii_case(&text[0]) && window.eq_ignore_ascii_case(text))
}

/// Returns the files in PostgreSQL's data directory that contain a text. The write-ahead log is left
/// out: PostgreSQL overwrites its segments later.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("pg_wal") {
                found.extend(files_with(&path, text));
            }
        } else if let Ok(bytes) = std::fs::read(&path)
            && contains(&bytes, text)
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_a_deleted_person_is_left_in_the_files_of_postgres() {
    // Given a person whose words are in the files of PostgreSQL and in the search index,
    let postgres = PrivatePostgres::start_with(SETTINGS).await;
    let database = Database { url: postgres.url(), ..Database::sqlite() };
    let cloud = Box::pin(Cloud::on(database, &[])).await;
    let Story { contact, .. } = live(&cloud).await;
    workers::search::run_until_idle(&cloud.server.deps).await.unwrap();
    let (data, mut beside) = (postgres.folder().join("data"), cloud.beside().await);
    beside.execute("ANALYZE").await;
    beside.execute("CHECKPOINT").await;
    for trace in TRACES {
        assert_ne!(files_with(&data, trace), [""; 0], "{trace} is in no file");
    }

    // when the contact is deleted, and PostgreSQL rewrites its files and its statistics,
    assert_eq!(delete(&cloud, &cloud.key, &contact).await.status, 200);
    erase(&cloud).await;
    for statement in ["ANALYZE", "VACUUM FULL", "CHECKPOINT"] {
        beside.execute(statement).await;
    }

    // then nothing of the person is in them, and the data of others is.
    for trace in TRACES {
        assert_eq!(files_with(&data, trace), [""; 0], "{trace}");
    }
    assert_ne!(files_with(&data, KEPT), [""; 0]);
}
