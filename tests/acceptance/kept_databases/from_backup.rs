//! A backup of a database with an older schema is restored unchanged, and the next start migrates
//! it.

use super::{KeptDatabase, all_of_it_works, restore, versions};
use crate::operators::{run, run_line};
use crate::world::Database;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

/// Counts the migrations that have run.
const MIGRATIONS: &str = "SELECT count(*) AS number FROM __diesel_schema_migrations";

/// The folder and settings with which an operator makes and restores a backup.
struct Place {
    folder: TempDir,
    key: String,
}

impl Place {
    fn new(key: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("media")).unwrap();
        Self { folder, key: key.to_owned() }
    }

    /// Runs `backup` or `restore` on this database, and the PostgreSQL commands that it asks for.
    /// Returns the number of migrations that have run there.
    async fn run(&self, command: &str, database: &Database) -> i64 {
        let folder = self.folder.path();
        let backup = folder.join("backup").display().to_string();
        let media = format!("file:{}", folder.join("media").display());
        let variables = [
            ("SWITCHBOARD_DATABASE_URL", database.url.as_str()),
            ("SWITCHBOARD_MEDIA_URL", media.as_str()),
            ("SWITCHBOARD_ENCRYPTION_KEY", self.key.as_str()),
        ];
        let done = run(folder, &[command, &backup, "--json"], &variables).await.succeeded();
        let done: Value = serde_json::from_str(&done).unwrap();
        for line in done["next"].as_array().into_iter().flatten() {
            run_line(line.as_str().unwrap(), &variables).await.succeeded();
        }
        database.beside().await.number(MIGRATIONS).await
    }
}

async fn everything_works_from_a_backup(folder: &Path, kind: &str) {
    // Given a backup of a database of an earlier version,
    let (before, known) = restore(folder, kind).await;
    let place = Place::new(known["encryption_key"].as_str().unwrap());
    let schema = place.run("backup", &before).await;

    // when it is restored in an empty place,
    let after = match kind {
        "sqlite" => Database::sqlite(),
        _ => Database::plain_postgres().await,
    };
    assert_eq!(place.run("restore", &after).await, schema, "nothing has been migrated yet");
    drop(before);

    // then a server migrates it, and everything works.
    let kept = KeptDatabase::on(after, known).await;
    let now = kept.world.beside().await.number(MIGRATIONS).await;
    assert!(now > schema, "there was something to migrate");
    all_of_it_works(&kept).await;
}

async fn every_version_works_from_a_backup(kind: &str) {
    for folder in versions() {
        println!("{}", folder.display());
        everything_works_from_a_backup(&folder, kind).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_with_an_older_schema_is_restored_and_works_on_sqlite() {
    every_version_works_from_a_backup("sqlite").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_with_an_older_schema_is_restored_and_works_on_postgres() {
    every_version_works_from_a_backup("postgres").await;
}
