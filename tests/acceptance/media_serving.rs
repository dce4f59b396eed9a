//! The public URL of a media file: accessible to everybody, permanent, and harmless
//! (`docs/security.md` 33).

use crate::media_files::{BASE_URL, PDF, ServedFile, fetch, files, local_address, png, upload};
use crate::world::{Answer, World, on_both_databases};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Twenty-six different bytes, so that each shows its position.
const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz";

/// Returns the head of a request that closes the connection afterwards, open for more header lines.
pub fn request_head(line: &str) -> String {
    format!("{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n")
}

/// Writes a raw request (a client would normalize its path), and returns the status, head and body
/// of the response.
pub async fn send_raw_request(world: &World, request: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(world.server.address).await.unwrap();
    // The server may respond and close the connection before it has read everything.
    drop(stream.write_all(request.as_bytes()).await);
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    let read = tokio::time::timeout(Duration::from_secs(20), read).await;
    read.expect("the server closes the connection").ok();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer with a head");
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a status");
    (status, head.to_ascii_lowercase(), body.to_owned())
}

async fn upload_alphabet(world: &World) -> Value {
    upload(world, "text/plain", "abc.txt", ALPHABET).await["url"].clone()
}

/// Downloads a file with these request headers.
async fn fetch_with_headers(world: &World, url: &Value, headers: &[(&str, &str)]) -> ServedFile {
    let request = world.http.get(local_address(world, url));
    ServedFile::of(headers.iter().fold(request, |it, (name, value)| it.header(*name, *value))).await
}

/// Asserts that the response is this part of the alphabet, with a matching `Content-Range`.
#[track_caller]
fn is_part(served: &ServedFile, part: std::ops::RangeInclusive<usize>) {
    assert_eq!(served.status, 206, "{served:?}");
    assert_eq!(served.bytes, ALPHABET[part.clone()]);
    let range = format!("bytes {}-{}/26", part.start(), part.end());
    assert_eq!(served.header("content-range"), range);
    assert_eq!(served.header("content-length"), served.bytes.len().to_string());
}

/// Asserts that the response is the whole alphabet.
#[track_caller]
fn is_whole(served: &ServedFile) {
    assert_eq!(served.status, 200, "{served:?}");
    assert_eq!(served.bytes.as_slice(), ALPHABET, "{served:?}");
    assert_eq!(served.header("content-range"), "");
}

/// Asserts the headers that let a browser only show or save the file.
#[track_caller]
fn is_harmless(served: &ServedFile) {
    assert_eq!(served.header("x-content-type-options"), "nosniff");
    let policies: Vec<_> = served.headers.get_all("content-security-policy").iter().collect();
    assert_eq!(policies, ["sandbox; default-src 'none'"]);
    assert!(!served.headers.contains_key("set-cookie"));
}

async fn anybody_may_fetch_an_upload(world: World) {
    let url = upload(&world, "image/png", "logo.png", &png()).await["url"].clone();
    // Without credentials, with wrong ones, and with a meaningless query,
    let wrong = [
        ("x-client-id", "swk_0000000000000000000000"),
        ("x-client-secret", "hunter2"),
        ("cookie", "a=b"),
    ];
    let query = json!(format!("{}?download=1", url.as_str().unwrap()));
    for served in [
        fetch(&world, &url).await,
        fetch_with_headers(&world, &url, &wrong).await,
        fetch(&world, &query).await,
    ] {
        // the file is served,
        assert_eq!(served.status, 200);
        assert_eq!(served.bytes.as_slice(), png().as_slice());
        assert_eq!(served.header("content-length"), png().len().to_string());
        assert!(!served.header("x-request-id").is_empty());
        // and caches may keep it.
        let cache = served.header("cache-control");
        assert!(
            cache.contains("public") && cache.contains("immutable") && cache.contains("max-age="),
            "{cache}"
        );
        assert!(!cache.contains("no-store") && !cache.contains("private"), "{cache}");
        is_harmless(&served);
    }
}

async fn downloads_do_not_count_as_calls(world: World) {
    world.plan("Unlimited", true, Some(1), None).await;
    let url = upload_alphabet(&world).await;
    for _ in 0..3 {
        let served = fetch(&world, &url).await;
        is_whole(&served);
        assert_eq!(served.header("ratelimit"), "");
        assert_eq!(served.header("ratelimit-policy"), "");
    }
}

/// The file remains when the organization's subscription and key end, because sent messages
/// contain its URL.
async fn an_upload_outlives_the_subscription_and_the_key(world: World) {
    let url = upload_alphabet(&world).await;
    world.subscription(world.organization, domain::plan::SubscriptionStatus::Canceled).await;
    world.admin().delete_key(&world.key.client_id).await.unwrap();
    world.advance(Duration::from_hours(24 * 366));
    world.settle().await;
    is_whole(&fetch(&world, &url).await);
}

async fn each_file_is_served_as_what_it_is(world: World) {
    for (content_type, bytes) in files() {
        let url = upload(&world, &content_type, "a file", &bytes).await["url"].clone();
        let served = fetch(&world, &url).await;
        assert!(served.bytes == bytes, "{content_type}");
        let said = served.header("content-type").split(';').next().unwrap();
        assert_eq!(said, content_type);
        is_harmless(&served);
        let shown =
            ["image/", "audio/", "video/"].iter().any(|start| content_type.starts_with(start));
        let disposition = served.header("content-disposition");
        if shown {
            assert!(
                disposition.is_empty() || disposition.starts_with("inline"),
                "{content_type}: {disposition}"
            );
        } else {
            assert!(disposition.starts_with("attachment"), "{content_type}: {disposition}");
        }
    }
}

async fn a_file_name_cannot_add_a_header(world: World) {
    for name in [
        "a b.pdf",
        "50%.pdf",
        "%2e%2e%2f",
        "a?b#c.pdf",
        "a&b+c.pdf",
        "\"q\"; x=\"y.pdf",
        "Übersicht 😀.pdf",
        "a:b.pdf",
        "<script>.pdf",
        "-",
        "~",
        "a..b",
    ] {
        let record = upload(&world, "application/pdf", name, PDF).await;
        assert_eq!(record["filename"], name);
        let url = record["url"].as_str().unwrap();
        assert!(
            url.bytes().all(|byte| byte.is_ascii_graphic()) && !url.contains(['"', '<', '?', '#']),
            "{url}"
        );
        let served = fetch(&world, &record["url"]).await;
        assert_eq!(served.status, 200, "{url}");
        assert_eq!(served.bytes.as_slice(), PDF, "{url}");
        // There is exactly one `Content-Disposition`, and the file name cannot add another.
        assert_eq!(served.headers.get_all("content-disposition").iter().count(), 1);
        // Programs that do not know `filename*` read `filename`, which is ASCII (RFC 6266).
        let disposition = served.header("content-disposition");
        let (first, second) = disposition
            .split_once("; filename*=UTF-8''")
            .unwrap_or_else(|| panic!("{disposition}"));
        let ascii =
            first.strip_prefix("attachment; filename=\"").and_then(|it| it.strip_suffix('"'));
        let ascii = ascii.unwrap_or_else(|| panic!("{disposition}"));
        assert!(
            !ascii.is_empty() && ascii.is_ascii() && !ascii.contains(['"', '\\', '%']),
            "{disposition}"
        );
        assert!(ascii == name || !name.is_ascii() || name.contains(['"', '%']), "{disposition}");
        assert!(
            second.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._~%".contains(&it)),
            "{disposition}"
        );
        is_harmless(&served);
    }
}

async fn parts_are_served(world: World) {
    let url = upload_alphabet(&world).await;
    is_whole(&fetch(&world, &url).await);
    assert_eq!(fetch(&world, &url).await.header("accept-ranges"), "bytes");
    for (range, part) in [
        ("bytes=0-9", 0..=9),
        ("bytes=5-", 5..=25),
        ("bytes=-5", 21..=25),
        ("bytes=0-0", 0..=0),
        ("bytes=25-", 25..=25),
        ("bytes=20-1000", 20..=25),
        ("bytes=-1000", 0..=25),
        ("bytes=0-", 0..=25),
    ] {
        let served = fetch_with_headers(&world, &url, &[("range", range)]).await;
        is_part(&served, part);
        is_harmless(&served);
        assert_eq!(served.header("content-type").split(';').next(), Some("text/plain"), "{range}");
        assert!(served.header("content-disposition").starts_with("attachment"), "{range}");
    }
}

async fn a_part_beyond_the_end_is_refused(world: World) {
    let url = upload_alphabet(&world).await;
    for range in ["bytes=26-", "bytes=26-30", "bytes=1000-2000", "bytes=-0"] {
        let served = fetch_with_headers(&world, &url, &[("range", range)]).await;
        assert_eq!(served.status, 416, "{range}");
        assert_eq!(served.header("content-range"), "bytes */26", "{range}");
        assert!(!served.header("cache-control").contains("immutable"), "{range}");
    }
}

/// The server may ignore or reject an invalid `Range`, but must not send a wrong part.
async fn an_invalid_range_gets_no_wrong_part(world: World) {
    let url = upload_alphabet(&world).await;
    for range in [
        "bytes=9-5",
        "bytes=",
        "bytes=a-b",
        "bytes=-",
        "bytes",
        "lines=0-1",
        "bytes=1--2",
        "0-9",
        "bytes=0-18446744073709551615",
        "bytes=0-99999999999999999999999",
    ] {
        let served = fetch_with_headers(&world, &url, &[("range", range)]).await;
        match served.status {
            200 => is_whole(&served),
            206 => is_part(&served, 0..=25),
            status => assert!([400, 416].contains(&status), "{range}: {served:?}"),
        }
    }
    let many = vec!["0-0"; 500].join(",");
    let served = fetch_with_headers(&world, &url, &[("range", &format!("bytes={many}"))]).await;
    assert!(
        [200, 206, 400, 416].contains(&served.status) && served.bytes.len() <= 100_000,
        "{served:?}"
    );
}

async fn an_unchanged_document_gets_304(world: World) {
    let url = upload_alphabet(&world).await;
    let first = fetch(&world, &url).await;
    let tag = first.header("etag");
    assert!(tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"'), "strong: {tag}");
    for same in [tag.to_owned(), format!("\"x\", {tag}"), format!("W/{tag}"), "*".to_owned()] {
        let served = fetch_with_headers(&world, &url, &[("if-none-match", &same)]).await;
        assert_eq!(served.status, 304, "{same}");
        assert_eq!(served.bytes.len(), 0, "{same}");
        assert_eq!(served.header("etag"), tag, "{same}");
        // `If-None-Match` is checked before any range.
        assert_eq!(
            fetch_with_headers(&world, &url, &[("if-none-match", &same), ("range", "bytes=0-1")])
                .await
                .status,
            304
        );
    }
    is_whole(&fetch_with_headers(&world, &url, &[("if-none-match", "\"x\"")]).await);
    // Another file has another `ETag`. Identical files may share one.
    let other = upload(&world, "text/plain", "abc.txt", b"zyxwvutsrqponmlkjihgfedcba").await;
    assert_ne!(fetch(&world, &other["url"]).await.header("etag"), tag);
}

async fn if_range_with_another_etag_gets_the_whole_file(world: World) {
    let url = upload_alphabet(&world).await;
    let tag = fetch(&world, &url).await.header("etag").to_owned();
    is_part(
        &fetch_with_headers(&world, &url, &[("range", "bytes=0-1"), ("if-range", &tag)]).await,
        0..=1,
    );
    for other in ["\"x\"".to_owned(), format!("W/{tag}")] {
        is_whole(
            &fetch_with_headers(&world, &url, &[("range", "bytes=0-1"), ("if-range", &other)])
                .await,
        );
    }
}

async fn a_head_says_what_a_get_would(world: World) {
    let url = upload_alphabet(&world).await;
    let whole = fetch(&world, &url).await;
    let asked = ServedFile::of(world.http.head(local_address(&world, &url))).await;
    assert_eq!(asked.status, 200);
    assert_eq!(asked.bytes.len(), 0);
    for name in [
        "content-length",
        "content-type",
        "content-disposition",
        "etag",
        "cache-control",
        "accept-ranges",
    ] {
        assert_eq!(asked.header(name), whole.header(name), "{name}");
    }
    is_harmless(&asked);
    let known =
        world.http.head(local_address(&world, &url)).header("if-none-match", whole.header("etag"));
    assert_eq!(ServedFile::of(known).await.status, 304);
    let nowhere = json!(format!("{BASE_URL}/media/med_01h2xcejqtf2nbrexx3vqjhp41/abc.txt"));
    assert_eq!(ServedFile::of(world.http.head(local_address(&world, &nowhere))).await.status, 404);
}

async fn unknown_files_are_not_found(world: World) {
    let record = upload(&world, "text/plain", "abc.txt", ALPHABET).await;
    let id = record["id"].as_str().unwrap();
    let mut texts = Vec::new();
    for path in [
        format!("/media/{id}/other.txt"),
        format!("/media/{id}/ABC.txt"),
        format!("/media/{id}/abc.txt%20"),
        format!("/media/{id}/abc"),
        "/media/med_01h2xcejqtf2nbrexx3vqjhp41/abc.txt".to_owned(),
        "/media/nonsense/abc.txt".to_owned(),
        format!("/media/{}/abc.txt", id.replacen("med_", "msg_", 1)),
        format!("/media/{}/abc.txt", id.to_ascii_uppercase()),
    ] {
        let request =
            world.http.get(format!("{}{path}", world.base)).header("x-request-id", "same");
        let answer = Answer::of(request).await;
        answer.is_problem(404, "not_found");
        assert!(!answer.header("cache-control").contains("immutable"), "{path}");
        texts.push(answer.text);
    }
    // The response for a wrong file name reveals nothing about the id.
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
    for path in [
        "/media",
        "/media/",
        &format!("/media/{id}"),
        &format!("/media/{id}/"),
        &format!("/media/{id}/abc.txt/"),
        &format!("/media/{id}/abc.txt/x"),
        &format!("//media/{id}/abc.txt"),
    ] {
        Answer::of(world.http.get(format!("{}{path}", world.base)))
            .await
            .is_problem(404, "not_found");
    }
}

async fn a_path_cannot_leave_the_media_directory(world: World) {
    let record = upload(&world, "text/plain", "abc.txt", ALPHABET).await;
    let id = record["id"].as_str().unwrap();
    let up = "../".repeat(12);
    let coded = "%2e%2e%2f".repeat(12);
    let mut paths = vec![
        format!("/media/{up}etc/passwd"),
        format!("/media/{id}/{up}etc/passwd"),
        format!("/media/{id}/{coded}etc%2fpasswd"),
        format!("/media/{coded}etc/passwd"),
        format!("/media/%2e%2e/{id}/abc.txt"),
        format!("/media/{id}/..%2fabc.txt"),
        format!("/media/{id}/%2e%2e/{id}/abc.txt"),
        format!("/media/{id}/..%5c..%5cabc.txt"),
        format!("/media/{id}%2fabc.txt"),
        format!("/media/{id}/abc.txt%00"),
        format!("/media/{id}/abc.txt%00.png"),
        format!("/media/{id}%00/abc.txt"),
        format!("/media/{id}/%ff"),
        format!("/media/{id}/%"),
        format!("/media/{id}/%zz"),
        format!("/media/{id}/%2Fetc%2Fpasswd"),
        format!("/media/{id}/%252e%252e%252f"),
        "/media/../Cargo.toml".to_owned(),
        "/media/./x".to_owned(),
        "/media/%00/%00".to_owned(),
        format!("/media/{}/{}", "x".repeat(4000), "y".repeat(4000)),
        format!("/media/{id}/..;/abc.txt"),
        format!("/media/{id}/."),
        format!("/media/{id}/.."),
    ];
    // The paths include directories, and files that may be next to the media files.
    paths.extend(
        ["", ".", "..", "switchboard.db", "%2e", "%2e%2e"].map(|name| format!("/media/{name}")),
    );
    for path in paths {
        let (status, head, body) = send_raw_request(
            &world,
            &format!("{}\r\n", self::request_head(&format!("GET {path}"))),
        )
        .await;
        assert!([400, 404].contains(&status), "{path}: {head}\n\n{body}");
        assert!(
            !body.contains("root:") && !body.contains("abcdef") && !body.contains("[workspace"),
            "{path}: {body}"
        );
        assert!(!body.contains("os error") && !body.contains("/tmp"), "{path}: {body}");
    }
}

async fn an_upload_is_only_read(world: World) {
    let url = upload_alphabet(&world).await;
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
        let request = world.http.request(method, local_address(&world, &url));
        let answer = Answer::of(request).await;
        answer.is_problem(405, "method_not_allowed");
        assert!(answer.header("allow").contains("GET"), "{}", answer.header("allow"));
    }
    is_whole(&fetch(&world, &url).await);
}

/// A client that reads slowly or disconnects does not disturb others.
async fn a_client_that_disconnects_does_not_disturb_others(world: World) {
    let large = b"0123456789abcdef".repeat(512 * 1024);
    let url = upload(&world, "text/plain", "large.txt", &large).await["url"].clone();
    for _ in 0..20 {
        let response = world.http.get(local_address(&world, &url)).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        drop(response);
    }
    assert!(fetch(&world, &url).await.bytes == large);
    let last = fetch_with_headers(&world, &url, &[("range", "bytes=-16")]).await;
    assert_eq!(last.status, 206);
    assert_eq!(last.bytes.as_slice(), b"0123456789abcdef".as_slice());
}

on_both_databases! {
    anybody_may_fetch_an_upload,
    downloads_do_not_count_as_calls,
    an_upload_outlives_the_subscription_and_the_key,
    each_file_is_served_as_what_it_is,
    a_file_name_cannot_add_a_header,
    parts_are_served,
    a_part_beyond_the_end_is_refused,
    an_invalid_range_gets_no_wrong_part,
    an_unchanged_document_gets_304,
    if_range_with_another_etag_gets_the_whole_file,
    a_head_says_what_a_get_would,
    unknown_files_are_not_found,
    a_path_cannot_leave_the_media_directory,
    an_upload_is_only_read,
    a_client_that_disconnects_does_not_disturb_others,
}
