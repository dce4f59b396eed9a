//! Files on the disk: their permissions, their place, and the commands that create them.

use super::{Output, call, folder, prepare, run};
use crate::world::{Process, free_port, serving, switchboard};
use reqwest::Method;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;

/// Returns the permissions of a directory and of everything in it.
fn modes(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = vec![(folder.to_owned(), folder.metadata().unwrap().mode() & 0o777)];
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.metadata().unwrap();
        if metadata.is_dir() {
            found.extend(modes(&path));
        } else {
            found.push((path, metadata.mode() & 0o777));
        }
    }
    found
}

#[track_caller]
fn only_the_owner_may_look_into(folder: &Path) {
    for (path, mode) in modes(folder) {
        let right = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, right, "{} is {mode:o}", path.display());
    }
}

/// Runs a server in a directory with the default paths and this umask, until it has accepted a
/// message and a media file.
async fn serve_and_use(folder: &Path, umask: &str) -> Process {
    let (binary, port) = (std::env::var("SWITCHBOARD_TEST_BINARY").unwrap(), free_port());
    let mut shell = Command::new("bash");
    let line = format!(
        "umask {umask}; exec {binary} serve --demo --bind 127.0.0.1:{port} --metrics-bind 127.0.0.1:0"
    );
    let printed = folder.join("printed");
    shell
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .args(["-c", &line])
        .current_dir(folder)
        .stdout(std::fs::File::create(&printed).unwrap());
    let server = Process::ready(shell, port).await;
    let mut line = String::new();
    while !line.contains("Open http") {
        tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process prints
        line = std::fs::read_to_string(&printed).unwrap();
    }
    let word = |label: &str| {
        let rest = line.split(label).nth(1).expect("it is printed");
        rest.split_whitespace().next().unwrap().to_owned()
    };
    let key =
        crate::world::Pair { client_id: word("client_id"), client_secret: word("client_secret") };
    let text = json!({"type": "text", "phone_number": "+12025550101", "text": "Hello"});
    let sent = call(Method::POST, &server.base, "/api/v1/messages", &key, Some(&text)).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    let data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let file = json!({"content_type": "image/png", "filename": "a.png", "data": data});
    let kept = call(Method::POST, &server.base, "/api/v1/media", &key, Some(&file)).await;
    assert_eq!(kept.status, 201, "{}", kept.text);
    std::fs::remove_file(printed).unwrap();
    server
}

#[tokio::test]
async fn data_files_are_private_with_any_umask() {
    for umask in ["000", "022", "077"] {
        let (folder, _) = folder();
        let server = serve_and_use(folder.path(), umask).await;
        let data = folder.path().join("data");
        assert!(data.join("switchboard.db-wal").exists());
        only_the_owner_may_look_into(&data);
        server.kill().await;
    }
}

#[tokio::test]
async fn files_with_open_permissions_are_made_private_at_the_next_start() {
    let (folder, _) = folder();
    let server = serve_and_use(folder.path(), "022").await;
    server.signal(Signal::TERM);
    assert_eq!(server.exit_code().await, Some(0));
    let data = folder.path().join("data");
    for (path, _) in modes(&data) {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let port = free_port();
    let mut command = serving("sqlite:data/switchboard.db", port);
    command.current_dir(folder.path());
    let server = Process::ready(command, port).await;
    // The files in the media directory are protected by the directory's permissions, all others by
    // their own.
    for path in ["switchboard.db", "switchboard.db-wal", "switchboard.db.server-lock"] {
        let mode = data.join(path).metadata().unwrap().mode() & 0o777;
        assert_eq!(mode, 0o600, "{path} is {mode:o}");
    }
    assert_eq!(data.join("media").metadata().unwrap().mode() & 0o777, 0o700);
    server.kill().await;
}

#[tokio::test]
async fn looking_at_migrations_makes_nothing_and_changes_nothing() {
    let (folder, url) = folder();
    let status = async || {
        let arguments = ["migrate", "status", "--json", "--database-url", &url];
        let out = run(folder.path(), &arguments, &[]).await.succeeded();
        let list: Value = serde_json::from_str(&out).unwrap();
        let states = list["data"].as_array().unwrap();
        states.iter().filter(|state| state["applied"] == true).count()
    };
    assert_eq!(status().await, 0);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "nothing was made");

    // An existing empty file stays empty,
    let file = folder.path().join("switchboard.db");
    std::fs::write(&file, "").unwrap();
    assert_eq!(status().await, 0);
    assert_eq!(file.metadata().unwrap().len(), 0);
    std::fs::remove_file(&file).unwrap();

    // and a missing directory is not created.
    let nowhere = format!("sqlite:{}", folder.path().join("none/a.db").display());
    let arguments = ["migrate", "status", "--database-url", &nowhere];
    let out = run(folder.path(), &arguments, &[]).await.succeeded();
    assert!(out.contains("pending") && !out.contains("applied"), "{out}");
    assert!(!folder.path().join("none").exists());

    // With a running server the command reports the applied migrations.
    let server = Process::serve(&url, free_port()).await;
    assert!(status().await > 5);
    server.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_at_migrations_on_postgres_makes_nothing() {
    let world = crate::world::Database::plain_postgres().await;
    let arguments = ["migrate", "status", "--database-url", &world.url];
    let out = Output::of(&mut switchboard(&arguments)).await.succeeded();
    assert!(out.contains("pending") && !out.contains("applied"), "{out}");
    let (client, connection) =
        tokio_postgres::connect(&world.url, tokio_postgres::NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    let tables = client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", &[]);
    assert!(tables.await.unwrap().is_empty());
    driver.abort();
}

/// A read-only file system with a single writable directory, as in a container.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_needs_to_write_to_its_data_folder_only() {
    let (folder, url) = folder();
    let key = prepare(&url).await;
    let (binary, port) = (std::env::var("SWITCHBOARD_TEST_BINARY").unwrap(), free_port());
    let data = folder.path().display();
    // In a separate mount namespace everything except this directory is mounted read-only.
    let line = format!(
        "set -e; mount --bind {data} {data}; mount -o remount,bind,ro /; \
         for place in /tmp /var/tmp /dev/shm; do mountpoint -q $place && mount -o remount,bind,ro $place; done; \
         if touch /tmp/x 2>/dev/null || touch /var/tmp/x 2>/dev/null; then exit 9; fi; touch {data}/x; cd /; \
         exec {binary} serve --bind 127.0.0.1:{port} --metrics-bind 127.0.0.1:0 \
         --database-url {url} --media-url file:{data}/media --encryption-key file:{data}/key"
    );
    let mut shell = Command::new("unshare");
    shell.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    shell.args(["--map-root-user", "--mount", "--propagation", "private", "bash", "-c", &line]);
    let server = Process::ready(shell, port).await;
    for number in 0..50 {
        let to = format!("+120255501{number:02}");
        let text = json!({"type": "text", "phone_number": to, "text": "Hello"});
        let sent = call(Method::POST, &server.base, "/api/v1/messages", &key, Some(&text)).await;
        assert_eq!(sent.status, 201, "{}", sent.text);
    }
    server.signal(Signal::TERM);
    assert_eq!(server.exit_code().await, Some(0));
}
