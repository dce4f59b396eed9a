//! Uploads to a bucket over a slow or broken link, and from a server that is killed: no incomplete
//! upload stays in the bucket, where it would cost money, and slow uploads are not aborted. The
//! bucket is Moto's.

use crate::media_files::{MEDIA, PDF, padded, upload_body};
use crate::operators::prepare;
use crate::world::moto::{Moto, PREFIX, settings_at, variables};
use crate::world::slow_network::{NetworkLink, Throughput};
use crate::world::{
    Answer, Database, Pair, Process, World, client, free_port, noon, settings_with,
};
use delivery::cli::start;
use domain::id::MediaId;
use platform::clock::Clock;
use reqwest::RequestBuilder;
use std::time::Duration;
use tokio::time::timeout;
use workers::housekeeping;

const MIB: usize = 1024 * 1024;
/// The longest time for anything that must not take forever.
const AT_LAST: Duration = Duration::from_mins(2);

/// Starts a server that keeps its media files in the bucket at this address.
async fn server(database: &Database, address: &str) -> Process {
    let variables = variables(&settings_at(address));
    let variables: Vec<_> =
        variables.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
    Process::serve_with(&database.url, free_port(), &variables).await
}

/// Builds the request to upload a file of this size.
fn upload(server: &Process, key: &Pair, bytes: usize) -> RequestBuilder {
    let body = upload_body("application/pdf", &padded(PDF.to_vec(), bytes));
    let request = client().post(format!("{}{MEDIA}", server.base)).json(&body);
    request.header("x-client-id", &key.client_id).header("x-client-secret", &key.client_secret)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_was_killed_midway_leaves_no_parts() {
    // Given a server that was killed with one part of a file in the bucket and the next on its way,
    let (moto, database) = (Moto::start().await, Database::sqlite());
    let key = prepare(&database.url).await;
    let line = NetworkLink::start(&moto.address(), Throughput::Until("partNumber=2")).await;
    let server = server(&database, &line.address()).await;
    let sending = tokio::spawn(upload(&server, &key, 12 * MIB).send());
    timeout(AT_LAST, line.is_broken()).await.expect("the second part is sent");
    server.kill().await;
    assert!(sending.await.unwrap().is_err());
    assert_eq!(moto.unfinished_uploads().await.len(), 1);

    // when another server sweeps an hour later, then the upload is aborted and nothing is left of
    // it.
    let later = Clock::frozen_at(Clock::system().now().plus(Duration::from_mins(61)));
    let settings = settings_at(&moto.address());
    let settings: Vec<_> = settings.iter().map(|(name, it)| (*name, it.as_str())).collect();
    let server = start(settings_with(&database.url, &settings), later, false).await.unwrap();
    housekeeping::step(&server.deps, true).await.unwrap();
    assert_eq!(moto.unfinished_uploads().await, Vec::<String>::new());
    assert_eq!(moto.files().await, Vec::<String>::new());
    let orphans =
        server.deps.db.operator().orphaned_media(server.deps.clock.now(), 10).await.unwrap();
    assert!(orphans.is_empty(), "{orphans:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_that_nobody_knows_are_found_by_listing() {
    let moto = Moto::start().await;
    let settings = settings_at(&moto.address());
    let settings: Vec<_> = settings.iter().map(|(name, it)| (*name, it.as_str())).collect();
    let world = World::on(Database::migrated_sqlite(), &settings).await;
    let at = |minutes| noon().minus(Duration::from_mins(minutes));
    // Given uploads that are in no database: two that began long ago, and one that may still
    // continue,
    let (old, older, new) = (
        MediaId::new(at(61), [1; 10]),
        MediaId::new(at(100_000), [2; 10]),
        MediaId::new(at(59), [3; 10]),
    );
    for id in [old, older, older, new] {
        moto.begin_upload(&format!("{PREFIX}/{id}")).await;
    }
    // and uploads that do not belong to this server,
    let others = [
        format!("{PREFIX}/med_report.pdf"),
        format!("{PREFIX}/more/{old}"),
        format!("elsewhere/{old}"),
        old.to_string(),
    ];
    for key in &others {
        moto.begin_upload(key).await;
    }
    // when the daily search for such uploads runs, then only the server's own old ones are aborted.
    housekeeping::abort_uploads(&world.server.deps).await.unwrap();
    let mut left = others.to_vec();
    left.push(format!("{PREFIX}/{new}"));
    left.sort();
    assert_eq!(moto.unfinished_uploads().await, left);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_that_sweep_at_once_abort_each_upload() {
    // Given two servers with one database and one bucket, and abandoned uploads,
    let (moto, database) = (Moto::start().await, Database::postgres().await);
    let settings = settings_at(&moto.address());
    let settings: Vec<_> = settings.iter().map(|(name, it)| (*name, it.as_str())).collect();
    let world = World::on(database, &settings).await;
    let settings = settings_with(world.database_url(), &settings);
    let other = start(settings, world.clock.clone(), false).await.unwrap();
    let old = noon().minus(Duration::from_hours(2));
    for number in 0..20 {
        moto.begin_upload(&format!("{PREFIX}/{}", MediaId::new(old, [number; 10]))).await;
    }
    // when both search at the same time, then neither fails, and all are aborted.
    let deps = [&world.server.deps, &other.deps];
    let [one, two] = deps.map(|deps| housekeeping::abort_uploads(deps));
    let (one, two) = tokio::join!(one, two);
    one.and(two).unwrap();
    assert_eq!(moto.unfinished_uploads().await, Vec::<String>::new());
    other.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_over_a_slow_line_takes_its_time() {
    // Given a link of 400 KiB/s to the bucket, over which a part of 5 MiB takes 13 seconds,
    let (moto, database) = (Moto::start().await, Database::sqlite());
    let key = prepare(&database.url).await;
    let line = NetworkLink::start(&moto.address(), Throughput::Slowly(400 * 1024)).await;
    let server = server(&database, &line.address()).await;
    // when a file of 6 MiB is uploaded, then it is stored.
    let answer = timeout(AT_LAST, Answer::of(upload(&server, &key, 6 * MIB))).await.unwrap();
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(moto.files().await.len(), 1);
    server.kill().await;
}
