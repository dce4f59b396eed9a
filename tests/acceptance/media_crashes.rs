//! Uploads when the server is killed or the client disconnects: one that was answered with 201 is
//! kept, and nothing stays of another one (`docs/contract.md#upload-media`; `docs/security.md` 30).

use crate::credentials::with_credentials;
use crate::media_files::{MEDIA, ServedFile, fetch, png, sha256, upload, upload_body};
use crate::operators::prepare;
use crate::world::s3::files_under;
use crate::world::{Pair, Process, World, free_port, noon, on_both_databases, settings_with};
use delivery::cli::start;
use domain::id::MediaId;
use domain::media::MediaState;
use futures_util::future::join_all;
use persistence::records::Media;
use platform::clock::Clock;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::sleep;
use workers::housekeeping;

const MIB: usize = 1024 * 1024;
const CLIENTS: usize = 8;
const ROUNDS: usize = 3;

struct AcceptedFile {
    path: String,
    sha256: String,
}

/// Returns a unique text: usually a few bytes, and now and then several parts long.
fn unique_text(turn: usize) -> String {
    let lines = [3, 20_000, 3, 2_000, 60_000, 3, 2_000, 450_000][turn % 8];
    format!("{turn:011}\n").repeat(lines + turn)
}

/// The state that all clients of one server share.
struct Uploads {
    base: String,
    key: Pair,
    http: reqwest::Client,
    begun: AtomicUsize,
    accepted: AtomicUsize,
}

impl Uploads {
    /// Uploads one file after the other until the server is gone.
    async fn client(&self) -> Vec<AcceptedFile> {
        let mut kept = Vec::new();
        loop {
            let text = unique_text(self.begun.fetch_add(1, Ordering::SeqCst));
            let body = upload_body("text/plain", text.as_bytes());
            let request = self.http.post(format!("{}{MEDIA}", self.base)).json(&body);
            let Ok(answer) = with_credentials(request, &self.key).send().await else { return kept };
            let status = answer.status();
            let Ok(record) = answer.json::<Value>().await else { return kept };
            assert_eq!(status, 201, "{record}");
            let (_, path) = record["url"].as_str().unwrap().split_once("/media/").unwrap();
            let sha256 = sha256(text.as_bytes());
            assert_eq!(record["sha256"], sha256);
            kept.push(AcceptedFile { path: format!("/media/{path}"), sha256 });
            self.accepted.fetch_add(1, Ordering::SeqCst);
        }
    }
}

async fn killed_again_and_again(url: &str) {
    // Given a server that is killed three times while eight clients upload,
    let key = prepare(url).await;
    let folder = tempfile::tempdir().unwrap();
    let media = format!("file:{}", folder.path().display());
    let mut kept = Vec::new();
    for round in 0..ROUNDS {
        let process =
            Process::serve_with(url, free_port(), &[("SWITCHBOARD_MEDIA_URL", &media)]).await;
        let (base, http, key) = (process.base.clone(), crate::world::client(), key.clone());
        let (begun, accepted) = (AtomicUsize::new(1000 * round), AtomicUsize::new(0));
        let uploads = Arc::new(Uploads { base, key, http, begun, accepted });
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let uploads = uploads.clone();
                tokio::spawn(async move { uploads.client().await })
            })
            .collect();
        while uploads.accepted.load(Ordering::SeqCst) < 12 + 5 * round {
            sleep(Duration::from_millis(2)).await; // real time: another process accepts
        }
        process.kill().await;
        for client in clients {
            kept.extend(client.await.unwrap());
        }
    }

    // when it has been started once more, then every accepted file is there and complete,
    let process = Process::serve_with(url, free_port(), &[("SWITCHBOARD_MEDIA_URL", &media)]).await;
    let http = crate::world::client();
    for file in &kept {
        let served = ServedFile::of(http.get(format!("{}{}", process.base, file.path))).await;
        assert_eq!(served.status, 200);
        assert_eq!(sha256(&served.bytes), file.sha256.clone());
    }
    process.kill().await;

    // and after an hour all other files are deleted.
    let later = Clock::frozen_at(Clock::system().now().plus(Duration::from_mins(61)));
    let settings = settings_with(url, &[("media_url", media.as_str())]);
    let server = start(settings, later, false).await.unwrap();
    housekeeping::step(&server.deps, true).await.unwrap();
    let left = files_under(folder.path());
    for name in &left {
        let id = name.parse().unwrap_or_else(|_| panic!("{name} is nothing that was kept"));
        assert!(
            server.deps.db.public().public_media(id).await.unwrap().is_some(),
            "{name} is an orphan"
        );
    }
    assert!(kept.iter().all(|file| left.iter().any(|name| file.path.contains(name))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_accepted_file_is_lost_when_a_server_on_sqlite_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    killed_again_and_again(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_accepted_file_is_lost_when_a_server_on_postgres_is_killed() {
    let world = World::on_postgres().await;
    killed_again_and_again(world.database_url()).await;
}

fn media_of(world: &World) -> PathBuf {
    world.folder().join("media")
}

/// Inserts the row of an upload whose server died before the file was stored.
async fn insert_announced_upload(world: &World, deps: &platform::Deps) -> MediaId {
    let now = deps.clock.now();
    let id: MediaId = deps.id(now);
    let row = Media {
        id,
        organization_id: world.organization,
        state: MediaState::Arriving,
        file_name: "a.txt".to_owned(),
        content_type: "text/plain".to_owned(),
        size: 5,
        sha256: vec![0; 32],
        created_at: now,
    };
    deps.db.insert_media(row).await.unwrap();
    id
}

async fn sweep(world: &World) {
    housekeeping::step(&world.server.deps, true).await.unwrap();
}

async fn orphans(world: &World) -> Vec<MediaId> {
    let end = noon().plus(Duration::from_hours(1000));
    let orphans = world.server.deps.db.operator().orphaned_media(end, 1000).await.unwrap();
    orphans.into_iter().map(|(_, id)| id).collect()
}

/// Returns the number of files in this directory that are still arriving. This process has them
/// open, without names.
fn count_arriving_files(folder: &Path) -> usize {
    let open = std::fs::read_dir("/proc/self/fd").unwrap();
    let paths = open.filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok());
    paths.filter(|path| path.starts_with(folder.join(".arriving"))).count()
}

/// Begins an upload of `announced` bytes and sends only these.
async fn begin_upload(world: &World, announced: usize, sent: &[u8]) -> TcpStream {
    let Pair { client_id, client_secret } = &world.key;
    let head = format!(
        "POST {MEDIA} HTTP/1.1\r\nHost: x\r\nX-Client-Id: {client_id}\r\nX-Client-Secret: {client_secret}\r\n\
         Content-Type: application/json\r\nContent-Length: {announced}\r\n\r\n"
    );
    let mut stream = TcpStream::connect(world.server.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(sent).await.unwrap();
    stream
}

/// Waits until a condition holds.
async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..500 {
        if is_so() {
            return;
        }
        sleep(Duration::from_millis(10)).await; // real time: sockets are closed
    }
    panic!("{what} did not come to be within five seconds");
}

async fn incomplete_uploads_are_removed_after_an_hour(world: World) {
    let deps = &world.server.deps;
    // Given a stored file, and files of uploads whose server died before, during and after the
    // storing,
    let kept = upload(&world, "image/png", "logo.png", &png()).await;
    let (before, within, after) = (
        insert_announced_upload(&world, deps).await,
        insert_announced_upload(&world, deps).await,
        insert_announced_upload(&world, deps).await,
    );
    let folder = media_of(&world);
    std::fs::write(folder.join(format!("{within}#1")), b"He").unwrap();
    std::fs::write(folder.join(after.to_string()), b"Hello").unwrap();

    // when less than an hour has passed, then they are kept, because they may still be
    // completed.
    world.advance(Duration::from_mins(59));
    sweep(&world).await;
    assert_eq!(files_under(&folder).len(), 3);
    let mut left = orphans(&world).await;
    left.sort_unstable();
    let mut expected = vec![before, within, after];
    expected.sort_unstable();
    assert_eq!(left, expected);
    let late = insert_announced_upload(&world, deps).await;

    // When an hour has passed, then they are deleted, and nothing else is.
    world.advance(Duration::from_mins(2));
    sweep(&world).await;
    assert_eq!(files_under(&folder), [kept["id"].as_str().unwrap()]);
    assert_eq!(orphans(&world).await, [late]);
    assert_eq!(fetch(&world, &kept["url"]).await.bytes, png());
}

async fn many_orphans_are_removed_in_turn(world: World) {
    for _ in 0..250 {
        insert_announced_upload(&world, &world.server.deps).await;
    }
    world.advance(Duration::from_mins(61));
    for left in [150, 50, 0] {
        sweep(&world).await;
        assert_eq!(orphans(&world).await.len(), left);
    }
}

async fn an_interrupted_upload_leaves_no_file(world: World) {
    let folder = media_of(&world);
    // Given clients that have sent a part of an upload,
    let mut clients = Vec::new();
    for _ in 0..5 {
        clients.push(begin_upload(&world, 10 * MIB, &vec![b' '; MIB]).await);
    }
    eventually("five uploads", || count_arriving_files(&folder) == 5).await;
    // when they disconnect, then the partial files are deleted.
    drop(clients);
    eventually("none", || count_arriving_files(&folder) == 0).await;
    assert!(files_under(&folder).is_empty() && orphans(&world).await.is_empty());
}

/// A client sends a complete upload and disconnects before the response: the file is stored
/// completely or not at all.
async fn a_client_that_disconnects_early_leaves_no_partial_file(world: World) {
    let folder = media_of(&world);
    let bodies: Vec<Vec<u8>> = (0..16)
        .map(|turn| {
            upload_body("text/plain", unique_text(turn).as_bytes()).to_string().into_bytes()
        })
        .collect();
    let leaving = bodies.iter().enumerate().map(|(turn, body)| {
        let world = &world;
        async move {
            let client = begin_upload(world, body.len(), body).await;
            sleep(Duration::from_millis(20 * u64::try_from(turn).unwrap())).await; // real time: the server is at work
            drop(client);
        }
    });
    join_all(leaving).await;
    eventually("nothing arriving", || count_arriving_files(&folder) == 0).await;
    eventually("nothing half", || files_under(&folder).iter().all(|name| !name.contains('#')))
        .await;
    world.advance(Duration::from_mins(61));
    sweep(&world).await;
    assert_eq!(orphans(&world).await, []);
    for name in files_under(&folder) {
        let kept = world.server.deps.db.public().public_media(name.parse().unwrap()).await.unwrap();
        assert_eq!(
            kept.expect("it is kept").size,
            std::fs::metadata(folder.join(name)).unwrap().len()
        );
    }
}

on_both_databases! {
    incomplete_uploads_are_removed_after_an_hour,
    many_orphans_are_removed_in_turn,
    an_interrupted_upload_leaves_no_file,
    a_client_that_disconnects_early_leaves_no_partial_file,
}
