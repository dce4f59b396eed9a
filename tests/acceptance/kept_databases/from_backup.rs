//! A backup of a database with an older schema is put back as it was, and migrated by the next start.

use super::{KeptDatabase, all_of_it_works, restore, versions};
use crate::operators::run;
use crate::world::Database;
use std::path::Path;

async fn everything_works_from_a_backup(folder: &Path) {
    // Given a backup of what an earlier version wrote,
    let (before, known) = restore(folder, "sqlite").await;
    let place = tempfile::tempdir().unwrap();
    let backup = place.path().join("backup").display().to_string();
    let media = format!("file:{}", place.path().join("media").display());
    std::fs::create_dir(place.path().join("media")).unwrap();
    let key = known["encryption_key"].as_str().unwrap().to_owned();
    let made = async |command: &str, database: &Database| {
        let variables = [
            ("SWITCHBOARD_DATABASE_URL", database.url.as_str()),
            ("SWITCHBOARD_MEDIA_URL", media.as_str()),
            ("SWITCHBOARD_ENCRYPTION_KEY", key.as_str()),
        ];
        run(place.path(), &[command, &backup], &variables).await.succeeded();
        database
            .beside()
            .await
            .number("SELECT count(*) AS number FROM __diesel_schema_migrations")
            .await
    };
    let schema = made("backup", &before).await;

    // when it is put back in an empty place,
    let after = Database::sqlite();
    assert_eq!(made("restore", &after).await, schema, "nothing has been migrated yet");
    drop(before);

    // then a server migrates it, and all of it works.
    all_of_it_works(&KeptDatabase::on(after, known).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_with_an_older_schema_is_restored_and_works() {
    for folder in versions() {
        println!("{}", folder.display());
        everything_works_from_a_backup(&folder).await;
    }
}
