//! A complete drill: a backup under load, the loss of everything, and a server on the restored
//! backup.

use super::{Site, Upload};
use crate::media_files::{ServedFile, sha256};
use crate::world::{Database, Process};
use serde_json::Value;
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::process::Command;
use tokio::task::JoinSet;

const CLIENTS: usize = 12;
const PEOPLE: usize = 40;
/// A client uploads one file after this number of messages.
const MESSAGES_A_FILE: usize = 8;

/// The ids and files that the server has accepted.
#[derive(Clone, Default)]
struct Accepted {
    messages: Vec<String>,
    files: Vec<Upload>,
}

/// Clients that send and upload without a pause until they are stopped.
struct Load {
    site: Arc<Site>,
    base: String,
    accepted: Mutex<Accepted>,
    begun: AtomicUsize,
    stopped: AtomicBool,
}

impl Load {
    fn start(site: &Arc<Site>, process: &Process) -> (Arc<Self>, JoinSet<()>) {
        let load = Arc::new(Self {
            site: site.clone(),
            base: process.base.clone(),
            accepted: Mutex::default(),
            begun: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        });
        let clients = (0..CLIENTS).map(|_| {
            let load = load.clone();
            async move { load.client().await }
        });
        (load.clone(), clients.collect())
    }

    async fn client(&self) {
        while !self.stopped.load(Ordering::SeqCst) {
            let turn = self.begun.fetch_add(1, Ordering::SeqCst);
            let to = format!("+1202556{:04}", turn % PEOPLE);
            let sent = self.site.text(&self.base, &to, &format!("Message {turn}")).await;
            let Some(id) = sent else { return };
            self.accepted.lock().unwrap().messages.push(id);
            if turn.is_multiple_of(MESSAGES_A_FILE) {
                let text = format!("{turn:011}\n").repeat(1 + turn);
                let Some(file) = self.site.upload(&self.base, &text).await else { return };
                self.accepted.lock().unwrap().files.push(file);
            }
        }
    }

    fn accepted(&self) -> Accepted {
        self.accepted.lock().unwrap().clone()
    }

    /// Waits until `many` more messages have been accepted.
    async fn until(&self, many: usize) {
        let reached = async {
            while self.accepted().messages.len() < many {
                tokio::time::sleep(Duration::from_millis(5)).await; // real time: another process accepts
            }
        };
        tokio::time::timeout(Duration::from_mins(1), reached).await.expect("sends are accepted");
    }
}

/// Makes a backup while the server runs under load, and runs the commands that the backup prints
/// for the rest.
async fn backed_up(site: &Site, path: &Path) {
    let shown = path.display().to_string();
    let made = site.run(&["backup", &shown, "--with-key", "--json"]).await.succeeded();
    let made: Value = serde_json::from_str(&made).unwrap();
    let next = made["next"].as_array().unwrap();
    // A database on PostgreSQL is copied by `pg_dump`, which the operator runs.
    let finished = site.database_file().is_some();
    assert_eq!(made["finished"], finished, "{made}");
    assert_eq!(next.len(), if finished { 0 } else { 2 }, "{made}");
    for line in next {
        site.run_line(line.as_str().unwrap()).await;
    }
}

/// Asserts that only the owner can read the backup, and that its files match `SHA256SUMS`.
async fn is_private_and_whole(path: &Path) {
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        assert_eq!(
            folder.metadata().unwrap().permissions().mode() & 0o077,
            0,
            "{}",
            folder.display()
        );
        for entry in folder.read_dir().unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            assert_eq!(metadata.permissions().mode() & 0o077, 0, "{entry:?}");
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    let check = ["--check", "--quiet", "--strict", "SHA256SUMS"];
    let checked = Command::new("sha256sum").args(check).current_dir(path).output().await.unwrap();
    assert!(checked.status.success(), "{checked:?}");
    for name in ["manifest.json", "encryption.key"] {
        assert!(path.join(name).exists(), "{name}");
    }
}

/// Deletes everything but the backup.
async fn destroy(site: &Site) {
    std::fs::remove_dir_all(site.path("media")).unwrap();
    std::fs::remove_file(site.path("encryption.key")).unwrap();
    if let Some(file) = site.database_file() {
        let folder = file.parent().unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        for entry in folder.read_dir().unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().to_string_lossy().starts_with(&name) {
                std::fs::remove_file(entry.path()).unwrap();
            }
        }
        return;
    }
    let (_, name) = site.url.rsplit_once('/').unwrap();
    for server in Database::servers() {
        execute(&server, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        execute(&server, &format!("CREATE DATABASE {name}")).await;
    }
}

async fn execute(url: &str, statement: &str) {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(statement).await.unwrap();
}

/// Distributes a database over all nodes.
async fn distribute(site: &Site) {
    let (_, name) = site.url.rsplit_once('/').unwrap();
    for (place, server) in Database::servers().iter().enumerate() {
        let (start, _) = server.rsplit_once('/').unwrap();
        execute(&format!("{start}/{name}"), "CREATE EXTENSION IF NOT EXISTS citus").await;
        let (_, port) = start.rsplit_once(':').unwrap();
        let add = if place == 0 { "citus_set_coordinator_host" } else { "citus_add_node" };
        execute(&site.url, &format!("SELECT {add}('127.0.0.1', {port})")).await;
    }
    site.run(&["migrate", "distribute"]).await.succeeded();
    let status = site.run(&["migrate", "status"]).await.succeeded();
    assert!(status.contains("Citus"), "{status}");
}

/// Asserts that events have no gaps in their sequence, and returns the ids of the messages that
/// they are about.
async fn events(site: &Site, base: &str) -> BTreeSet<String> {
    let (mut after, mut about) = (0, BTreeSet::new());
    loop {
        let page = site.get(&format!("{base}/api/v1/events?limit=100&after={after}")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        for event in page.body["data"].as_array().unwrap() {
            assert_eq!(event["sequence"], after + 1, "a gap");
            after += 1;
            about.extend(event["data"]["id"].as_str().map(str::to_owned));
        }
        if page.body["pagination"]["has_more"] == false {
            return about;
        }
    }
}

async fn restored_after_a_loss(site: Site, is_distributed: bool) {
    // Given a server under load,
    let site = Arc::new(site);
    let process = site.serve().await;
    let (load, mut clients) = Load::start(&site, &process);
    load.until(250).await;

    // when a backup is made, then the server keeps working,
    let before = load.accepted();
    let path = site.path("backup");
    backed_up(&site, &path).await;
    load.until(load.accepted().messages.len() + 20).await;
    is_private_and_whole(&path).await;

    // and when everything is lost and the backup is restored,
    process.kill().await;
    load.stopped.store(true, Ordering::SeqCst);
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
    destroy(&site).await;
    let shown = path.display().to_string();
    let restored = site.run(&["restore", &shown, "--json"]).await.succeeded();
    let restored: Value = serde_json::from_str(&restored).unwrap();
    assert_eq!(restored["key"], "restored", "{restored}");
    for line in restored["next"].as_array().unwrap() {
        site.run_line(line.as_str().unwrap()).await;
    }

    if is_distributed {
        distribute(&site).await;
    }

    // then a new server has everything that had been accepted before the backup began,
    let process = site.serve().await;
    let base = &process.base;
    assert!(before.messages.len() >= 250 && before.files.len() >= 20);
    for id in &before.messages {
        let message = site.get(&format!("{base}/api/v1/messages/{id}")).await;
        assert_eq!(message.status, 200, "{id}: {}", message.text);
    }
    for file in &before.files {
        let served = ServedFile::of(site.http.get(format!("{base}{}", file.path))).await;
        assert_eq!(served.status, 200);
        assert_eq!(sha256(&served.bytes), file.sha256.clone());
    }

    // and works as usual: it decrypts the account's access token, sends messages, and continues the
    // sequence of events without a gap.
    let known = site.graph.accepted().len();
    let id = site.text(base, "+12025560001", "After the loss").await.expect("it is accepted");
    let arrived = |graph: &crate::world::graph::Graph| {
        graph.accepted().iter().skip(known).any(|it| it.ours.as_ref() == Some(&id))
    };
    let arrived = tokio::time::timeout(Duration::from_mins(1), site.graph.until(arrived)).await;
    assert!(arrived.is_ok(), "the message reaches the channel");
    let about = events(&site, base).await;
    assert!(about.contains(&id) && before.messages.iter().all(|id| about.contains(id)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_on_sqlite_goes_on_from_a_backup_made_under_load() {
    restored_after_a_loss(Site::on_sqlite().await, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_on_postgres_goes_on_from_a_backup_made_under_load() {
    let database = Database::postgres().await;
    restored_after_a_loss(Site::on(&database.url).await, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_one_postgresql_is_restored_and_distributed() {
    // This part needs a cluster: `cargo xtask test --database citus`.
    if Database::is_distributed() {
        let database = Database::plain_postgres().await;
        restored_after_a_loss(Site::on(&database.url).await, true).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_distributed_database_is_restored_and_distributed() {
    if Database::is_distributed() {
        let database = Database::postgres().await;
        restored_after_a_loss(Site::on(&database.url).await, true).await;
    }
}
