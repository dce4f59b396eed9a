//! An upgrade reports its migrations.

use super::{restore, versions};
use crate::operators::run;

async fn each_migration_is_told(kind: &str) {
    // Given a database of an earlier version,
    let (database, _) = restore(&versions()[0], kind).await;
    let migrate = async |what: &str| {
        let arguments = ["migrate", what, "--database-url", &database.url];
        run(database.folder.path(), &arguments, &[]).await
    };
    let status = migrate("status").await.succeeded();
    let pending: Vec<_> =
        status.lines().filter_map(|line| line.strip_prefix("pending  ")).collect();
    assert!(!pending.is_empty(), "{status}");

    // when it is migrated, then there is a line for each migration, in order,
    let said = migrate("run").await;
    let all = pending.len();
    let lines = pending.iter().zip(1..);
    let lines: Vec<_> =
        lines.map(|(name, at)| format!("running migration {name} ({at} of {all})")).collect();
    let told: Vec<_> = said.err.lines().filter(|line| line.contains("running migration")).collect();
    assert_eq!(told.len(), all, "{}", said.err);
    for (told, line) in told.iter().zip(lines) {
        assert!(told.contains(&line), "{line} in {}", said.err);
    }
    said.succeeded();

    // and none if there is nothing to migrate.
    assert!(!migrate("run").await.err.contains("migration"));
}

#[tokio::test]
async fn each_migration_is_told_on_sqlite() {
    each_migration_is_told("sqlite").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_migration_is_told_on_postgres() {
    each_migration_is_told("postgres").await;
}
