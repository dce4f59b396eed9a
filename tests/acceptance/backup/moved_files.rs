//! SQLite files that are copied or moved by hand.

use super::Site;
use crate::credentials::with_credentials;
use crate::starting::Starting;
use crate::world::{Answer, Process, free_port, ordinary_account};
use rustix::process::Signal;
use serde_json::json;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

const FILE: &str = "switchboard.db";

/// Returns all files in a directory and its subdirectories.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap().map(|it| it.unwrap().path());
    let of = |path: PathBuf| if path.is_dir() { files_in(&path) } else { vec![path] };
    entries.flat_map(of).collect()
}

#[tokio::test]
async fn a_server_that_was_stopped_leaves_a_file_with_everything_in_it() {
    // Given a server that has accepted a message,
    let site = Site::on_sqlite().await;
    let process = site.serve().await;
    let id = site.text(&process.base, "+12025560001", "Hello").await.unwrap();
    // when the server is stopped, and only its database file is copied,
    process.signal(Signal::TERM);
    assert_eq!(process.exit_code().await, Some(0));
    let log = site.path("switchboard.db-wal");
    assert!(!log.exists() || log.metadata().unwrap().len() == 0, "nothing is left in the log");
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::copy(site.path(FILE), elsewhere.path().join(FILE)).unwrap();
    let url = format!("sqlite:{}", elsewhere.path().join(FILE).display());

    // then a server on the copy has the message.
    let process = Process::serve(&url, free_port()).await;
    let kept = site.get(&format!("{}/api/v1/messages/{id}", process.base)).await;
    assert_eq!(kept.status, 200, "{}", kept.body);
    assert_eq!(kept.body["id"], json!(id));
}

#[tokio::test]
async fn a_server_whose_file_is_moved_away_takes_no_writes_until_it_is_back() {
    // Given a running server,
    let site = Site::on_sqlite().await;
    let variables = site.variables();
    let variables: Vec<_> = variables.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let mut server = Starting::serve(&site.url, &[], &variables);
    server.says("ready").await;
    let send = async || {
        let body = json!({"type": "text", "phone_number": "+12025560001", "text": "Hello"});
        let request = site.http.post(format!("{}/api/v1/messages", server.base)).json(&body);
        Answer::of(with_credentials(request, &site.key)).await
    };
    let ready_is = async |status: u16| {
        for _ in 0..200 {
            if site.get(&format!("{}/readyz", server.base)).await.status == status {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await; // real time: a write is tried once a second
        }
        panic!("{status} within ten seconds");
    };
    assert_eq!(send().await.status, 201);

    // when its files are moved away, then it accepts no message and is not ready,
    let away = tempfile::tempdir_in(site.folder.path()).unwrap();
    let names = ["", "-wal", "-shm", ".server-lock", ".write-lock"].map(|it| format!("{FILE}{it}"));
    for name in &names {
        std::fs::rename(site.path(name), away.path().join(name)).unwrap();
    }
    assert_eq!(send().await.status, 503);
    ready_is(503).await;
    // and it neither creates a new database in their place nor uses one that somebody puts there;
    assert!(!site.path(FILE).exists());
    std::fs::copy(away.path().join(FILE), site.path(FILE)).unwrap();
    assert_eq!(send().await.status, 503);

    // when the files are put back, then it continues.
    for name in &names {
        std::fs::rename(away.path().join(name), site.path(name)).unwrap();
    }
    assert_eq!(send().await.status, 201);
    ready_is(200).await;
    let said = server.ends_on_request().await;
    let words = "no writes are taken";
    assert_eq!(said.matches(words).count(), 1, "{said}");
}

#[tokio::test]
async fn files_restored_by_root_belong_to_the_owner_of_the_folder() {
    let Some((user, group)) = ordinary_account() else { return };
    // Given a backup with an upload and the key, and an empty directory that belongs to the
    // server's user,
    let site = Site::on_sqlite().await;
    let process = site.serve().await;
    site.upload(&process.base, "A file.").await.unwrap();
    process.kill().await;
    let path = site.path("backup").display().to_string();
    site.run(&["backup", &path, "--with-key"]).await.succeeded();
    let place = tempfile::tempdir().unwrap();
    chown(place.path(), Some(user), Some(group)).unwrap();
    let within =
        |scheme: &str, name: &str| format!("{scheme}:{}", place.path().join(name).display());
    let (url, media) = (within("sqlite", FILE), within("file", "media"));
    let key = within("file", "encryption.key");

    // when root restores the backup there, then all files belong to that user.
    let other = [
        ("SWITCHBOARD_DATABASE_URL", url.as_str()),
        ("SWITCHBOARD_MEDIA_URL", &media),
        ("SWITCHBOARD_ENCRYPTION_KEY", &key),
    ];
    site.run_with(&["restore", &path], &other).await.succeeded();
    let mut made = files_in(place.path());
    assert!(made.len() >= 4, "{made:?}");
    made.push(place.path().join("media"));
    for path in made {
        let metadata = path.metadata().unwrap();
        assert_eq!(metadata.uid(), user, "{}", path.display());
        assert_eq!(metadata.gid(), group, "{}", path.display());
    }
}
