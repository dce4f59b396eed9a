//! Files that contacts send to an account on the Cloud API (`docs/security.md` 34 and 35): the
//! server downloads them with precautions, stores them, and serves them at its own URL.

use crate::cloud::{Cloud, MINUTE, PERSON, SECOND, from_person, on_both_clouds, refusal};
use crate::media_files::{BASE_URL, PDF, fetch, jpeg, ogg, png, sha256};
use crate::world::Database;
use crate::world::graph::Fault;
use crate::world::graph::callbacks::Media;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The Cloud API's id of the file.
const FILE: &str = "1013859600285441";

const fn file<'a>(kind: &'a str, mime_type: &'a str) -> Media<'a> {
    Media { kind, id: FILE, mime_type, sha256: "", caption: None, filename: None }
}

/// Receives a message with a file, and returns the file's entry in the history.
async fn receive_file(cloud: &Cloud, message: &str, file: &Media<'_>) -> Value {
    cloud.post_callback(&from_person(message).media(file)).await;
    latest_file(cloud).await
}

/// Returns the latest file in the contact's history.
async fn latest_file(cloud: &Cloud) -> Value {
    let message = cloud.history(PERSON).await.pop().unwrap();
    assert_eq!(message["type"], "media");
    assert_eq!(message["status"], "received");
    message["media"].clone()
}

/// Returns how often the server requested a file's URL.
fn count_url_requests(cloud: &Cloud) -> usize {
    count_requests(cloud, "/v23.0/")
}

/// Returns how often the server requested a file's bytes.
fn count_downloads(cloud: &Cloud) -> usize {
    count_requests(cloud, "/files/")
}

fn count_requests(cloud: &Cloud, path: &str) -> usize {
    cloud.graph.calls().iter().filter(|call| call.path.starts_with(path)).count()
}

/// Returns whether a file in this directory or below contains these bytes.
fn contains_bytes(folder: &Path, bytes: &[u8]) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return contains_bytes(&path, bytes);
        }
        std::fs::read(path).unwrap().windows(bytes.len()).any(|window| window == bytes)
    })
}

/// Asserts that the file has no URL, and that its bytes are not in the media directory.
async fn nothing_is_kept(cloud: &Cloud, bytes: &[u8]) {
    assert_eq!(latest_file(cloud).await["url"], json!(null));
    assert!(!contains_bytes(&cloud.folder().join("media"), bytes));
}

async fn a_file_is_fetched_and_served(cloud: Cloud) {
    let files = [
        ("image", "image/jpeg", jpeg()),
        ("document", "application/pdf", PDF.to_vec()),
        ("audio", "audio/ogg; codecs=opus", ogg()),
        ("sticker", "image/webp", crate::media_files::webp()),
        ("video", "video/mp4", crate::media_files::mp4_file(*b"mp42")),
    ];
    for (kind, mime_type, bytes) in files {
        // When a contact sends a file,
        cloud.graph.put_file(FILE, mime_type, bytes.clone());
        let mut file = file(kind, mime_type);
        file.caption = Some("Look").filter(|_| kind != "audio" && kind != "sticker");
        file.filename = Some("Terms 2026.pdf").filter(|_| kind == "document");
        let media = receive_file(&cloud, &format!("wamid.{kind}"), &file).await;

        // then the history shows its type, name and URL,
        assert_eq!(media["media_type"], json!(kind));
        assert_eq!(media["content_type"], json!(mime_type));
        assert_eq!(media["caption"], json!(file.caption));
        assert_eq!(media["filename"], json!(file.filename));
        assert!(
            media["url"].as_str().unwrap().starts_with(&format!("{BASE_URL}/media/med_")),
            "{media}"
        );

        // and the URL serves the same bytes.
        let served = fetch(&cloud, &media["url"]).await;
        assert_eq!(served.status, 200);
        assert_eq!(served.bytes, bytes);
        assert!(
            mime_type.starts_with(served.header("content-type")),
            "{}",
            served.header("content-type")
        );
        assert_eq!(served.header("x-content-type-options"), "nosniff");
    }
    assert_eq!(count_url_requests(&cloud), 5);
    assert_eq!(count_downloads(&cloud), 5);
    cloud.all_in_shape();
    // A repeated callback does not download the file again.
    let mut post_callback = file("image", "image/jpeg");
    post_callback.caption = Some("Look");
    cloud.post_callback(&from_person("wamid.image").media(&post_callback)).await;
    assert_eq!(count_url_requests(&cloud), 5);
    assert_eq!(count_downloads(&cloud), 5);
    assert_eq!(cloud.history(PERSON).await.len(), 5);
}

async fn an_unavailable_file_is_fetched_later(cloud: Cloud) {
    // Given a channel that fails in every way, first for the file's URL and then for the file,
    cloud.graph.put_file(FILE, "image/png", png());
    let address = [
        Fault::Status(500),
        Fault::RateLimited { retry_after: None, code: 4 },
        Fault::DropBefore,
        Fault::Stall,
    ];
    let content = [
        Fault::None,
        Fault::Status(500),
        Fault::None,
        Fault::Status(404),
        Fault::None,
        Fault::DropAfter,
        Fault::None,
        Fault::Status(401),
    ];
    cloud.faults(address.into_iter().chain(content));
    assert_eq!(
        receive_file(&cloud, "wamid.A", &file("image", "image/png")).await["url"],
        json!(null)
    );
    // when time passes, then the file is finally there, in the same message,
    cloud.advance_by(3, MINUTE * 5).await;
    cloud.graph.down(true).await;
    cloud.advance_by(12, MINUTE * 5).await;
    cloud.graph.down(false).await;
    cloud.advance_by(8, MINUTE * 5).await;
    let history = cloud.history(PERSON).await;
    assert_eq!(history.len(), 1);
    assert_eq!(fetch(&cloud, &history[0]["media"]["url"]).await.bytes, png());
    // and the channel is not asked again.
    let calls = cloud.graph.calls().len();
    cloud.advance_by(3, MINUTE * 5).await;
    assert_eq!(cloud.graph.calls().len(), calls);
}

async fn files_that_cannot_be_downloaded_are_abandoned(cloud: Cloud) {
    // A file that the channel does not have,
    assert_eq!(
        receive_file(&cloud, "wamid.A", &file("image", "image/png")).await["url"],
        json!(null)
    );
    // ids that would change the path of the request,
    for (message, id) in
        [("wamid.B", "../106540352242922/messages"), ("wamid.C", "1?fields=name"), ("wamid.D", "")]
    {
        assert_eq!(
            receive_file(&cloud, message, &Media { id, ..file("image", "image/png") }).await["url"],
            json!(null)
        );
    }
    cloud.advance_by(3, MINUTE * 5).await;
    assert_eq!(count_url_requests(&cloud), 1);
    assert_eq!(count_downloads(&cloud), 0);
    cloud.all_in_shape();
    // and a file that the channel fails to deliver for a day are given up.
    cloud.graph.put_file(FILE, "image/png", png());
    cloud.graph.plan(|_| Fault::Status(500));
    cloud.post_callback(&from_person("wamid.E").media(&file("image", "image/png"))).await;
    cloud.advance_by(25 * 12, MINUTE * 5).await;
    let calls = cloud.graph.calls().len();
    cloud.graph.plan(|_| Fault::None);
    cloud.advance_by(3, MINUTE * 5).await;
    assert_eq!(cloud.graph.calls().len(), calls);
    nothing_is_kept(&cloud, &png()).await;
}

/// After an outage of the server the channel repeats callbacks for days. The time limit begins
/// when the callback arrives.
async fn a_file_of_an_old_message_is_not_abandoned_earlier(cloud: Cloud) {
    cloud.graph.put_file(FILE, "image/png", png());
    cloud.advance(Duration::from_hours(25));
    cloud.faults([Fault::Status(500)]);
    assert_eq!(
        receive_file(&cloud, "wamid.A", &file("image", "image/png")).await["url"],
        json!(null)
    );
    cloud.advance_by(1, SECOND).await;
    assert_eq!(fetch(&cloud, &latest_file(&cloud).await["url"]).await.bytes, png());
}

async fn an_address_that_is_not_public_is_not_gone_to(cloud: Cloud) {
    cloud.graph.put_file(FILE, "image/png", png());
    receive_file(&cloud, "wamid.A", &file("image", "image/png")).await;
    cloud.advance_by(3, MINUTE * 5).await;
    assert_eq!(count_url_requests(&cloud), 1);
    assert_eq!(count_downloads(&cloud), 0);
    nothing_is_kept(&cloud, &png()).await;
}

async fn a_file_with_a_wrong_hash_is_not_stored(cloud: Cloud) {
    cloud.graph.put_file(FILE, "image/png", png());
    cloud.graph.set_hash(FILE, &sha256(b"another file"));
    receive_file(&cloud, "wamid.A", &file("image", "image/png")).await;
    cloud.advance_by(3, SECOND).await;
    nothing_is_kept(&cloud, &png()).await;
    // When the reported hash matches, the file is stored, whether the hash is in upper or lower
    // case.
    cloud.graph.set_hash(FILE, &sha256(&png()).to_uppercase());
    cloud.advance_by(1, MINUTE * 5).await;
    assert_eq!(fetch(&cloud, &latest_file(&cloud).await["url"]).await.bytes, png());
}

/// A file without its extension is hard to open.
async fn a_long_name_keeps_its_ending_and_scripts_their_joiners(cloud: Cloud) {
    let long = format!("{}.pdf", "Überweisung ".repeat(60));
    let ideographs = format!("{}.xlsx", "請求書".repeat(200));
    let families = format!("{}.pdf", "👨\u{200d}👩\u{200d}👧".repeat(80));
    let names = [
        long.as_str(),
        &ideographs,
        &families,
        "می\u{200c}خواهم.pdf",
        "ශ්\u{200d}රී ලංකා.pdf",
        "അവന്\u{200d}.pdf",
        "👨\u{200d}👩\u{200d}👧.pdf",
        "I ❤\u{fe0f} U.pdf",
    ];
    for (index, name) in names.into_iter().enumerate() {
        cloud.graph.put_file(FILE, "application/pdf", PDF.to_vec());
        let document = Media { filename: Some(name), ..file("document", "application/pdf") };
        let media = receive_file(&cloud, &format!("wamid.{index}"), &document).await;
        let (_, ending) = name.rsplit_once('.').unwrap();
        assert!(media["url"].as_str().unwrap().ends_with(&format!(".{ending}")), "{media}");
        let served = fetch(&cloud, &media["url"]).await;
        assert_eq!(served.status, 200);
        assert_eq!(served.bytes.as_slice(), PDF);
        let disposition = served.header("content-disposition");
        assert!(
            disposition.ends_with(&format!(".{ending}"))
                && disposition.contains(&format!(".{ending}\"; ")),
            "{disposition}"
        );
        let kept = disposition.rsplit_once("''").unwrap().1;
        let (kept, _) = url::form_urlencoded::parse(kept.as_bytes()).next().unwrap();
        assert!(kept.chars().count() <= 240, "{kept}");
        if name.chars().count() <= 240 {
            assert_eq!(kept, name);
        }
    }
}

async fn names_and_types_of_files_do_no_harm(cloud: Cloud) {
    let names = [
        "../../etc/passwd",
        "a/../../b.html",
        "x\r\nSet-Cookie: a=b",
        "\u{202e}gnp.exe",
        "..",
        "",
        "\\\\host\\share",
        "a\"; b=\"c",
        "%2e%2e%2fx",
        "<b>.html",
        "a?b#c",
    ];
    for (index, name) in names.iter().enumerate() {
        // Given a file with a hostile name, and of a type that a browser would execute,
        cloud.graph.put_file(FILE, "text/html", &b"<script>alert(1)</script>"[..]);
        let post_callback = Media { filename: Some(name), ..file("document", "text/html") };
        let media = receive_file(&cloud, &format!("wamid.{index}"), &post_callback).await;

        // then the last segment of its URL is a harmless name,
        let url = media["url"].as_str().unwrap_or_else(|| panic!("{name:?}: {media}"));
        let path = url.strip_prefix(BASE_URL).unwrap();
        assert_eq!(path.matches('/').count(), 3, "{url}");
        assert!(
            path.bytes().all(|it| it.is_ascii_graphic() && !b"\\?#\"<>".contains(&it)),
            "{url}"
        );

        // and browsers save it and do not display it.
        let served = fetch(&cloud, &media["url"]).await;
        assert_eq!(served.status, 200, "{url}");
        assert_eq!(served.header("content-type"), "application/octet-stream", "{url}");
        assert!(served.header("content-disposition").starts_with("attachment"), "{served:?}");
        assert_eq!(served.header("x-content-type-options"), "nosniff");
        assert!(!served.headers.contains_key("set-cookie"));
    }
}

/// The file is one byte larger than the largest size of any file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_too_large_is_given_up() {
    let cloud = Cloud::on(Database::migrated_sqlite(), &[]).await;
    cloud.graph.put_file(FILE, "application/pdf", vec![0; 100 * 1024 * 1024 + 1]);
    receive_file(&cloud, "wamid.A", &file("document", "application/pdf")).await;
    cloud.advance_by(3, MINUTE * 5).await;
    assert_eq!(latest_file(&cloud).await["url"], json!(null));
    assert_eq!(count_url_requests(&cloud), 1);
    assert_eq!(count_downloads(&cloud), 1);
    let kept: Vec<_> = std::fs::read_dir(cloud.folder().join("media")).unwrap().collect();
    assert!(kept.len() <= 1, "{kept:?}");
}

/// The account's access token (`docs/security.md` 35).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_token_appears_nowhere() {
    // Given an account that sends, gets an error, receives a file and submits a template,
    let cloud = Cloud::on(Database::migrated_sqlite(), &[]).await;
    cloud.graph.put_file(FILE, "image/png", png());
    receive_file(&cloud, "wamid.A", &file("image", "image/png")).await;
    cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    cloud.faults([refusal(401, 190, "Invalid OAuth access token")]);
    cloud.text(PERSON, "Refused").await;
    crate::template_creation::create_template(
        &cloud,
        &crate::template_creation::plain_template("sale"),
    )
    .await;
    cloud.settle().await;
    cloud.graph.down(true).await;
    cloud.text(PERSON, "Away").await;
    cloud.advance_by(3, MINUTE).await;

    // then its token is neither in the database or its log, nor in a media file, nor in any
    // response.
    let token = cloud.graph.token();
    assert!(contains_bytes(cloud.folder(), b"wamid.A"), "the database is looked at");
    assert!(!contains_bytes(cloud.folder(), token.as_bytes()));
    assert!(!json!(cloud.history(PERSON).await).to_string().contains(token));
    for path in ["/api/v1/me", "/api/v1/templates"] {
        assert!(!cloud.get(path, &cloud.key).await.text.contains(token));
    }
}

on_both_clouds! {
    a_file_is_fetched_and_served,
    an_unavailable_file_is_fetched_later with [("graph_timeout", "1")],
    files_that_cannot_be_downloaded_are_abandoned,
    a_file_of_an_old_message_is_not_abandoned_earlier,
    an_address_that_is_not_public_is_not_gone_to with [("webhook_allow", "")],
    a_file_with_a_wrong_hash_is_not_stored,
    a_long_name_keeps_its_ending_and_scripts_their_joiners,
    names_and_types_of_files_do_no_harm,
}
