//! `switchboard migrate`: it runs migrations, and `distribute` refuses databases that cannot be
//! distributed (`docs/scale.md`).

use super::{folder, run};
use crate::world::{Database, DirectConnection};
use serde_json::{Value, json};

#[tokio::test]
async fn a_file_is_not_distributed() {
    // Given a database on SQLite, when it is to be distributed, then the command fails and creates
    // nothing.
    let (folder, url) = folder();
    let said = run(folder.path(), &["migrate", "distribute", "--database-url", &url], &[]).await;
    said.failed_with(&["cannot distribute", "a SQLite file cannot be distributed"]);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn distribute_names_the_missing_requirement() {
    // Given a database on PostgreSQL,
    let database = Database::postgres().await;
    let migrate = async |what: &str| {
        let arguments = ["migrate", what, "--database-url", &database.url];
        run(database.folder.path(), &arguments, &[]).await
    };
    if Database::is_distributed() {
        // when everything has been done, then the status reports it;
        assert!(migrate("distribute").await.succeeded().contains("The tables are distributed."));
        let status = migrate("status").await.succeeded();
        return assert!(status.contains("coordinator") && status.contains("worker"), "{status}");
    }
    // when the tables do not exist, then the error names `migrate run`,
    migrate("distribute").await.failed_with(&["migrate run"]);
    // and when they exist, the error names the missing extension.
    migrate("run").await.succeeded();
    migrate("distribute")
        .await
        .failed_with(&["does not have the extension citus", "CREATE EXTENSION citus"]);
    assert!(!migrate("status").await.succeeded().contains("Citus"));
}

#[tokio::test]
async fn migrations_are_listed_and_run() {
    let (folder, url) = folder();
    let migrate = async |what: &[&str]| {
        let arguments = [&["migrate"], what, &["--database-url", &url]].concat();
        run(folder.path(), &arguments, &[]).await.succeeded()
    };
    let states = async || -> Vec<Value> {
        let list: Value =
            serde_json::from_str(&migrate(&["status", "--json"]).await).expect("JSON");
        assert_eq!(list["has_more"], false);
        assert_eq!(list["next_after"], Value::Null);
        list["data"].as_array().unwrap().clone()
    };
    let before = states().await;
    assert!(!before.is_empty() && before.iter().all(|it| it["applied"] == false), "{before:?}");
    migrate(&["run"]).await;
    let again: Value = serde_json::from_str(&migrate(&["run", "--json"]).await).expect("JSON");
    assert_eq!(again, json!({"migrated": true}));
    let after = states().await;
    assert!(after.iter().all(|it| it["applied"] == true), "{after:?}");
    assert_eq!(
        migrate(&["status"]).await.lines().filter(|it| it.starts_with("applied")).count(),
        after.len()
    );
}

#[tokio::test]
async fn migrations_are_complete_in_the_database_file_alone() {
    // Given a database file that another process has open, so that closing it does not checkpoint
    // the write-ahead log,
    let (folder, url) = folder();
    let mut beside = DirectConnection::connect(&url).await;
    beside.execute("PRAGMA journal_mode = WAL").await;
    beside.number("SELECT count(*) AS number FROM sqlite_master").await;

    // when migrations have run, and only the database file is copied,
    run(folder.path(), &["migrate", "run", "--database-url", &url], &[]).await.succeeded();
    let copy = folder.path().join("copy.db");
    std::fs::copy(folder.path().join("switchboard.db"), &copy).unwrap();

    // then all migrations are applied in the copy.
    let copy = format!("sqlite:{}", copy.display());
    let asked = ["migrate", "status", "--json", "--database-url", &copy];
    let printed = run(folder.path(), &asked, &[]).await.succeeded();
    let states: Value = serde_json::from_str(&printed).expect("JSON");
    let states = states["data"].as_array().unwrap();
    assert!(states.iter().all(|it| it["applied"] == true), "{states:?}");
    drop(beside);
}
