//! Media files in an S3-compatible bucket (`docs/contract.md#upload-media`): they work as on a
//! disk, and failures of the bucket are handled. The database does not matter here, so SQLite alone
//! is enough.

use crate::media_files::{
    BASE_URL, PDF, ServedFile, fetch, local_address, padded, png, post, upload, upload_body,
};
use crate::world::s3::{ACCESS_KEY, S3, S3Behavior, SECRET_KEY, files_under};
use crate::world::{Answer, Database, World};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use std::future::Future;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use workers::housekeeping;

const MIB: usize = 1024 * 1024;
/// The size of a part. A larger file is uploaded in several parts.
const PART: usize = 5 * MIB;
/// The longest time until an error if nothing listens at the bucket's address. Most of it is for a
/// busy machine.
const SOON: Duration = Duration::from_secs(20);
/// The longest time until an error if the bucket accepts connections but does not respond.
const LATE: Duration = Duration::from_secs(40);

async fn world_on(s3: &S3, other: &[(&str, &str)]) -> World {
    let settings = s3.settings();
    let settings = settings.iter().map(|(name, value)| (*name, value.as_str()));
    let settings: Vec<_> = settings.chain(other.iter().copied()).collect();
    World::on(Database::migrated_sqlite(), &settings).await
}

/// Returns a PDF of this size, of which each stretch is different.
fn pdf(bytes: usize) -> Vec<u8> {
    let mut file = PDF.to_vec();
    while file.len() < bytes {
        let line = format!("% {:061}\n", file.len());
        file.extend_from_slice(line.as_bytes());
    }
    padded(file, bytes)
}

/// Returns the key of an upload's object.
fn object_key(record: &Value) -> String {
    format!("switch/board/{}", record["id"].as_str().unwrap())
}

async fn fetch_part(world: &World, url: &Value, range: &str) -> ServedFile {
    ServedFile::of(world.http.get(local_address(world, url)).header("range", range)).await
}

/// Awaits a result within a time limit.
async fn within_time_limit<T>(most: Duration, of: impl Future<Output = T>) -> T {
    timeout(most, of).await.expect("it is over in time")
}

/// Asserts that the response asks to try again and reveals no internals.
#[track_caller]
fn is_unavailable(answer: &Answer) {
    answer.is_problem(503, "unavailable");
    let said = answer.text_of("error").to_ascii_lowercase();
    for inside in ["s3", "bucket", "127.0.0.1", "switch/board", ACCESS_KEY, SECRET_KEY] {
        assert!(!said.contains(&inside.to_ascii_lowercase()), "{said}");
    }
}

async fn get(request: RequestBuilder) -> Answer {
    Answer::of(request).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_go_into_a_bucket_and_come_back() {
    // Given a server whose files are in a bucket,
    let s3 = S3::start().await;
    let world = world_on(&s3, &[]).await;
    // when files of one part, of exactly one part, and of several parts are uploaded,
    let sizes = [PDF.len(), PART - 1, PART, PART + 1, 2 * PART, 12 * MIB + 7];
    let mut keys = Vec::new();
    for size in sizes {
        let bytes = pdf(size);
        let record = upload(&world, "application/pdf", "order.pdf", &bytes).await;
        assert_eq!(record["size"], size);
        keys.push(object_key(&record));
        // then downloads return the same bytes,
        let served = fetch(&world, &record["url"]).await;
        assert!(served.status == 200 && served.bytes == bytes, "{size}: {:?}", served.headers);
        assert_eq!(served.header("content-length"), size.to_string());
        // a client with the present `ETag` gets a 304,
        let tag = served.header("etag").to_owned();
        let known =
            world.http.get(local_address(&world, &record["url"])).header("if-none-match", &tag);
        assert_eq!(ServedFile::of(known).await.status, 304);
        // and HEAD returns the same headers without the body.
        let asked = ServedFile::of(world.http.head(local_address(&world, &record["url"]))).await;
        assert_eq!(asked.status, 200);
        assert_eq!(asked.bytes.len(), 0);
        assert_eq!(asked.header("etag"), tag.as_str());
        assert_eq!(asked.header("content-length"), size.to_string());
    }
    // All objects are under the prefix, there are no others, and nothing is on the disk.
    keys.sort();
    assert_eq!(s3.keys(), keys);
    assert_eq!(s3.unfinished_uploads(), Vec::<String>::new());
    assert!(!world.folder().join("media").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_of_a_file_in_a_bucket_are_served() {
    let s3 = S3::start().await;
    let world = world_on(&s3, &[]).await;
    let bytes = pdf(12 * MIB);
    let url = upload(&world, "application/pdf", "order.pdf", &bytes).await["url"].clone();
    let end = bytes.len() - 1;
    for (range, first, last) in [
        ("bytes=0-", 0, end),
        ("bytes=0-0", 0, 0),
        ("bytes=5242870-5242889", PART - 10, PART + 9),
        ("bytes=-5", end - 4, end),
        ("bytes=12582911-", end, end),
        ("bytes=6000000-99999999", 6_000_000, end),
    ] {
        let served = fetch_part(&world, &url, range).await;
        assert_eq!(served.status, 206, "{range}");
        assert!(served.bytes == bytes[first..=last], "{range}");
        assert_eq!(served.header("content-range"), format!("bytes {first}-{last}/{}", end + 1));
    }
    assert_eq!(fetch_part(&world, &url, "bytes=12582912-").await.status, 416);
    let nowhere = json!(format!("{BASE_URL}/media/med_01h2xcejqtf2nbrexx3vqjhp41/order.pdf"));
    assert_eq!(fetch(&world, &nowhere).await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_knows_the_key_no_more_keeps_nothing_and_is_not_worth_a_repetition() {
    let s3 = S3::start().await;
    let world = world_on(&s3, &[]).await;
    s3.is_in(S3Behavior::Refuses("InvalidAccessKeyId"));
    for bytes in [PDF.to_vec(), pdf(12 * MIB)] {
        let answer =
            within_time_limit(SOON, post(&world, &upload_body("application/pdf", &bytes))).await;
        is_unavailable(&answer);
        assert!(!answer.headers.contains_key("retry-after"), "{:?}", answer.headers);
        let said = "The service cannot do this until its operator fixes a configuration problem.";
        assert_eq!(answer.text_of("error"), said);
    }
    assert!(s3.keys().is_empty());
    assert!(s3.unfinished_uploads().is_empty());
    // The rest of the server works as usual.
    assert_eq!(world.get("/api/v1/me", &world.key).await.status, 200);
    world.advance(Duration::from_mins(61));
    housekeeping::step(&world.server.deps, true).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_is_away_is_missed_until_it_is_back() {
    // Given a file in a bucket,
    let mut s3 = S3::start().await;
    let world = world_on(&s3, &[]).await;
    let record = upload(&world, "image/png", "logo.png", &png()).await;
    let url = local_address(&world, &record["url"]);
    let tag = fetch(&world, &record["url"]).await.header("etag").to_owned();

    // when the bucket becomes unavailable, then uploads and downloads fail quickly with an error,
    s3.stop_listening().await;
    for bytes in [png(), padded(png(), 4 * MIB)] {
        let answer = within_time_limit(SOON, post(&world, &upload_body("image/png", &bytes))).await;
        is_unavailable(&answer);
    }
    is_unavailable(
        &within_time_limit(SOON, post(&world, &upload_body("application/pdf", &pdf(12 * MIB))))
            .await,
    );
    let missed = within_time_limit(SOON, get(world.http.get(&url))).await;
    is_unavailable(&missed);
    assert!(!missed.header("cache-control").contains("immutable"), "{:?}", missed.headers);
    // requests that need no bytes succeed,
    let known = world.http.get(&url).header("if-none-match", &tag);
    assert_eq!(ServedFile::of(known).await.status, 304);
    assert_eq!(ServedFile::of(world.http.head(&url)).await.status, 200);

    // and when the bucket is back, everything works again.
    s3.listen_again().await;
    assert_eq!(fetch(&world, &record["url"]).await.bytes, png());
    let again = upload(&world, "image/png", "logo.png", &png()).await;
    assert_eq!(fetch(&world, &again["url"]).await.bytes, png());
    let mut keys = vec![object_key(&record), object_key(&again)];
    keys.sort();
    assert_eq!(s3.keys(), keys);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_hangs_is_not_waited_for_without_end() {
    let s3 = S3::start().await;
    let world = world_on(&s3, &[]).await;
    let record = upload(&world, "image/png", "logo.png", &png()).await;
    let (small, large) =
        (upload_body("image/png", &png()), upload_body("application/pdf", &pdf(6 * MIB)));
    s3.is_in(S3Behavior::Hangs);
    let sent = futures_util::future::join3(
        post(&world, &small),
        post(&world, &large),
        get(world.http.get(local_address(&world, &record["url"]))),
    );
    let (small, large, served) = within_time_limit(LATE, sent).await;
    for answer in [small, large, served] {
        is_unavailable(&answer);
    }
    s3.is_in(S3Behavior::Works);
    assert_eq!(fetch(&world, &record["url"]).await.bytes, png());
}

/// Buckets respond with 503 when they are overloaded, and expect a retry.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_fails_for_a_moment_is_asked_again() {
    let s3 = S3::start().await;
    let world = world_on(&s3, &[]).await;
    s3.is_in(S3Behavior::Fails);
    let better = async {
        sleep(Duration::from_millis(150)).await; // real time: requests are under way
        s3.is_in(S3Behavior::Works);
    };
    let logo = png();
    let (record, ()) = tokio::join!(upload(&world, "image/png", "logo.png", &logo), better);
    assert_eq!(fetch(&world, &record["url"]).await.bytes, png());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_fails_halfway_leaves_no_parts() {
    let s3 = S3::start().await;
    let world = world_on(&s3, &[]).await;
    for part in ["partNumber=1", "partNumber=2", "partNumber=3"] {
        s3.is_in(S3Behavior::FailsFor(part));
        let answer =
            within_time_limit(SOON, post(&world, &upload_body("application/pdf", &pdf(12 * MIB))))
                .await;
        is_unavailable(&answer);
        assert!(s3.keys().is_empty(), "{part}");
        assert!(s3.unfinished_uploads().is_empty(), "{part}");
    }
    // The failed upload leaves nothing on the disk either.
    s3.is_in(S3Behavior::Works);
    world.advance(Duration::from_mins(61));
    housekeeping::step(&world.server.deps, true).await.unwrap();
    let left = world.server.deps.db.operator().orphaned_media(world.clock.now(), 10).await.unwrap();
    assert!(left.is_empty(), "{left:?}");
    assert!(files_under(world.folder()).iter().all(|name| name.starts_with("switchboard.db")));
}

/// A bucket that hangs delays only the removal of orphans.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orphans_in_a_bucket_that_hangs_hold_up_nothing() {
    let s3 = S3::start().await;
    let world = world_on(&s3, &[]).await;
    s3.is_in(S3Behavior::Fails);
    let body = upload_body("image/png", &png());
    let sent = (0..20).map(|_| post(&world, &body));
    for answer in futures_util::future::join_all(sent).await {
        is_unavailable(&answer);
    }
    s3.is_in(S3Behavior::Hangs);
    world.advance(Duration::from_mins(61));
    within_time_limit(LATE, housekeeping::step(&world.server.deps, true)).await.unwrap();
    // The orphans are found again later.
    s3.is_in(S3Behavior::Works);
    housekeeping::step(&world.server.deps, true).await.unwrap();
    let left =
        world.server.deps.db.operator().orphaned_media(world.clock.now(), 100).await.unwrap();
    assert!(left.is_empty(), "{left:?}");
}

/// The timeout for a silent bucket does not apply to a slow reader.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_pauses_gets_the_rest_of_the_file() {
    let s3 = S3::start().await;
    let world = world_on(&s3, &[]).await;
    let bytes = pdf(30 * MIB);
    let url = upload(&world, "application/pdf", "order.pdf", &bytes).await["url"].clone();
    let mut response = world.http.get(local_address(&world, &url)).send().await.unwrap();
    let mut read = response.chunk().await.unwrap().unwrap().to_vec();
    sleep(Duration::from_secs(12)).await; // real time: longer than the bucket may be silent
    while let Some(chunk) = response.chunk().await.unwrap() {
        read.extend_from_slice(&chunk);
    }
    assert!(read == bytes);
}
