//! The cases in which `backup` and `restore` refuse to run, and their error texts for incomplete
//! backups.

use super::Site;
use crate::world::Database;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A finished backup of a server with one upload.
struct Backup {
    site: Site,
    path: PathBuf,
    file: String,
}

impl Backup {
    async fn made(arguments: &[&str]) -> Self {
        let site = Site::on_sqlite().await;
        let process = site.serve().await;
        let upload = site.upload(&process.base, "A file.").await.unwrap();
        process.kill().await;
        let file = upload.path.split('/').nth(2).unwrap().to_owned();
        let path = site.path("backup");
        let shown = path.display().to_string();
        site.run(&[&["backup", &shown], arguments].concat()).await.succeeded();
        Self { site, path, file }
    }

    fn shown(&self) -> String {
        self.path.display().to_string()
    }

    /// Deletes everything that a restored server needs.
    fn lose_all(&self) {
        for name in ["switchboard.db", "switchboard.db-wal", "switchboard.db-shm", "encryption.key"]
        {
            drop(std::fs::remove_file(self.site.path(name)));
        }
        std::fs::remove_dir_all(self.site.path("media")).unwrap();
    }

    /// Asserts that the command failed with these words, and that nothing was restored.
    #[track_caller]
    fn refused(&self, said: &crate::operators::Output, words: &[&str]) {
        said.failed_with(words);
        for name in ["switchboard.db", "media", "encryption.key"] {
            assert!(!self.site.path(name).exists(), "{name}");
        }
    }

    async fn restore(&self) -> crate::operators::Output {
        self.site.run(&["restore", &self.shown()]).await
    }

    fn edit_manifest(&self, edit: impl FnOnce(&mut Value)) {
        let file = self.path.join("manifest.json");
        let mut manifest: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        edit(&mut manifest);
        std::fs::write(&file, manifest.to_string()).unwrap();
    }
}

#[tokio::test]
async fn a_backup_is_not_written_over_anything() {
    let backup = Backup::made(&[]).await;
    let site = &backup.site;
    // An existing backup stays as it is,
    let said = site.run(&["backup", &backup.shown()]).await;
    said.failed_with(&["already exists", "name a new folder"]);
    // and so does a directory or a file that is not a backup.
    let folder = site.path("media").display().to_string();
    site.run(&["backup", &folder]).await.failed_with(&["already exists"]);
    let file = site.path("encryption.key").display().to_string();
    site.run(&["backup", &file]).await.failed_with(&["already exists"]);
    // An empty directory is accepted.
    let empty = site.path("empty");
    std::fs::create_dir(&empty).unwrap();
    site.run(&["backup", &empty.display().to_string()]).await.succeeded();
    // A failed backup leaves nothing behind, and creates nothing where there is no database.
    let none = format!("sqlite:{}", site.path("none.db").display());
    let other = [("SWITCHBOARD_DATABASE_URL", none.as_str())];
    let said = site.run_with(&["backup", &site.path("b").display().to_string()], &other).await;
    said.failed_with(&["there is no database", "SWITCHBOARD_DATABASE_URL"]);
    let names = site.folder.path().read_dir().unwrap();
    let names: Vec<_> = names.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.contains("unfinished") && name != "b"), "{names:?}");
}

#[tokio::test]
async fn a_database_that_is_not_empty_is_not_touched() {
    let backup = Backup::made(&[]).await;
    let file = backup.site.path("switchboard.db");
    let before = std::fs::read(&file).unwrap();
    backup.restore().await.failed_with(&["not empty", "SWITCHBOARD_DATABASE_URL"]);
    assert!(std::fs::read(&file).unwrap() == before, "not a byte is another");

    // If a server is running on the database, the error asks to stop it first.
    let process = backup.site.serve().await;
    backup.restore().await.failed_with(&["server is running on", "stop it first"]);
    process.kill().await;

    // A backup is not restored next to the write-ahead log of another database, because SQLite
    // would apply that log to it.
    backup.lose_all();
    let log = backup.site.path("switchboard.db-wal");
    std::fs::write(&log, "x").unwrap();
    backup.refused(&backup.restore().await, &["switchboard.db-wal exists", "move the file away"]);
}

#[tokio::test]
async fn a_damaged_or_unfinished_backup_is_refused_before_anything_is_restored() {
    let backup = Backup::made(&["--with-key"]).await;
    backup.lose_all();
    let media = format!("media/{}", backup.file);
    for name in ["switchboard.db", "encryption.key", "SHA256SUMS", &media] {
        let file = backup.path.join(name);
        let whole = std::fs::read(&file).unwrap();
        let mut other = whole.clone();
        *other.last_mut().unwrap() ^= 1;
        // First one bit is changed, then the file is missing.
        std::fs::write(&file, other).unwrap();
        backup.refused(&backup.restore().await, &["damaged", name, "another backup"]);
        std::fs::remove_file(&file).unwrap();
        backup.refused(&backup.restore().await, &["damaged", name]);
        std::fs::write(&file, whole).unwrap();
    }
    let manifest = std::fs::read(backup.path.join("manifest.json")).unwrap();
    std::fs::write(backup.path.join("manifest.json"), "{").unwrap();
    backup.refused(&backup.restore().await, &["damaged", "manifest.json"]);
    std::fs::remove_file(backup.path.join("manifest.json")).unwrap();
    backup.refused(&backup.restore().await, &["not a finished backup", "manifest.json"]);
    std::fs::write(backup.path.join("manifest.json"), manifest).unwrap();
    backup.restore().await.succeeded();
}

#[tokio::test]
async fn a_backup_of_a_newer_version_or_another_database_is_refused() {
    let backup = Backup::made(&[]).await;
    backup.lose_all();
    let postgres = Database::postgres().await;
    let other = [("SWITCHBOARD_DATABASE_URL", postgres.url.as_str())];
    let said = backup.site.run_with(&["restore", &backup.shown()], &other).await;
    backup.refused(&said, &["SQLite", "PostgreSQL", "SWITCHBOARD_DATABASE_URL"]);

    backup.edit_manifest(|manifest| {
        manifest["version"] = "9.0.0".into();
        let migrations = manifest["database"]["migrations"].as_array_mut().unwrap();
        migrations.push("2031-01-01-000000_later".into());
    });
    let words = ["newer", "9.0.0", "2031-01-01-000000_later", "or a newer one"];
    backup.refused(&backup.restore().await, &words);
    backup.edit_manifest(|manifest| manifest["format"] = 2.into());
    backup.refused(&backup.restore().await, &["9.0.0", "or a newer one"]);
}

#[tokio::test]
async fn a_restore_reports_whether_the_key_matches() {
    // Given a backup without the key,
    let backup = Backup::made(&[]).await;
    assert!(!backup.path.join("encryption.key").exists());
    let key = std::fs::read(backup.site.path("encryption.key")).unwrap();
    backup.lose_all();
    // when the machine has another key, then nothing is restored,
    let file = backup.site.path("encryption.key");
    std::fs::write(&file, "b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXItb3Q=").unwrap();
    let said = backup.restore().await;
    said.failed_with(&["encryption.key is not the one", "SWITCHBOARD_ENCRYPTION_KEY"]);
    assert!(!backup.site.path("switchboard.db").exists());
    // when it has no key, then the output explains the consequence,
    std::fs::remove_file(&file).unwrap();
    let said = backup.restore().await.succeeded();
    for words in ["not in the backup", "admin account reconnect", "rotated"] {
        assert!(said.contains(words), "{words} in {said}");
    }
    // and when it has the right key, the output says so.
    backup.lose_all();
    std::fs::write(&file, key).unwrap();
    let said = backup.restore().await.succeeded();
    assert!(said.contains("is the right one"), "{said}");
}

#[tokio::test]
async fn a_backup_warns_about_uploads_without_a_file() {
    let backup = Backup::made(&[]).await;
    let site = &backup.site;
    std::fs::remove_file(site.path("media").join(&backup.file)).unwrap();
    let path = site.path("second").display().to_string();
    let said = site.run(&["backup", &path]).await.succeeded();
    assert!(said.contains("warning: 1 files") && said.contains(&backup.file), "{said}");
    let manifest = std::fs::read(Path::new(&path).join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["media"]["missing"], serde_json::json!([backup.file]));
}

#[tokio::test]
async fn a_backup_prints_the_command_that_copies_a_bucket() {
    let backup = Backup::made(&[]).await;
    let bucket = [
        ("SWITCHBOARD_MEDIA_URL", "s3://uploads/shop"),
        ("SWITCHBOARD_MEDIA_S3_ENDPOINT", "https://s3.example.com"),
    ];
    let path = backup.site.path("second").display().to_string();
    let said = backup.site.run_with(&["backup", &path], &bucket).await.succeeded();
    let line = format!(
        "aws s3 sync 's3://uploads/shop' '{path}/media' --endpoint-url 'https://s3.example.com"
    );
    assert!(said.contains("not copied") && said.contains(&line), "{said}");
    // A backup with media files can be restored into a bucket in the same way.
    backup.lose_all();
    let said = backup.site.run_with(&["restore", &backup.shown()], &bucket).await.succeeded();
    let line = format!("aws s3 sync '{}/media' 's3://uploads/shop'", backup.shown());
    assert!(said.contains(&line), "{said}");
}
