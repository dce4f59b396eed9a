//! The types and sizes of uploads, and the errors for all others (`docs/contract.md#upload-media`,
//! `POST /media`; `docs/security.md` 32). The database does not matter here, so SQLite alone is
//! enough.

use crate::media_files::{
    MEDIA, PDF, fetch, files, files_of_other_programs, is_uploaded, jpeg, mp4_file, ogg, padded,
    png, post, sha256, upload_body, webp, zip,
};
use crate::media_serving::{request_head, send_raw_request};
use crate::world::{Answer, World};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use reqwest::Method;
use serde_json::{Value, json};

const JSON: &str = "application/json";
const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;
/// The base64 of `Hello`.
const HELLO: &str = "SGVsbG8=";

fn hello_as(data: &str) -> Value {
    json!({"data": data, "content_type": "text/plain"})
}

/// Builds a body with the fields in this order.
fn body_with_fields(fields: [(&str, &str); 2]) -> Vec<u8> {
    let [(first, value), (second, other)] = fields;
    [r#"{""#, first, r#"":""#, value, r#"",""#, second, r#"":""#, other, r#""}"#]
        .concat()
        .into_bytes()
}

/// Asserts that a file of exactly the largest size is accepted and that one with one more byte is
/// not, whether the type stands before or after the data.
async fn has_the_limit(world: &World, content_type: &str, file: &[u8], limit: usize) {
    let encoded = |bytes: usize| BASE64_STANDARD.encode(padded(file.to_vec(), bytes));
    let body = body_with_fields([("content_type", content_type), ("data", &encoded(limit))]);
    let answer = world.post_bytes(MEDIA, JSON, body).await;
    assert_eq!(is_uploaded(&answer)["size"], limit, "{content_type}");

    let large = encoded(limit + 1);
    let reported = [("content_type", content_type), ("data", large.as_str())];
    for fields in [reported, [reported[1], reported[0]]] {
        let answer = world.post_bytes(MEDIA, JSON, body_with_fields(fields)).await;
        let problem = answer.is_problem(413, "media_too_large");
        assert_eq!(problem.body["limit_bytes"], limit, "{content_type}");
    }
}

#[tokio::test]
async fn each_type_of_the_list_is_taken() {
    let world = World::on_sqlite().await;
    for (content_type, bytes) in files().into_iter().chain(files_of_other_programs()) {
        let answer = post(&world, &upload_body(&content_type, &bytes)).await;
        assert_eq!(answer.status, 201, "{content_type}: {}", answer.text);
        assert_eq!(answer.body["content_type"], content_type);
        assert_eq!(answer.body["size"], bytes.len());
        assert_eq!(answer.body["sha256"], sha256(&bytes));
    }
}

#[tokio::test]
async fn a_type_that_is_not_on_the_list_is_refused() {
    let world = World::on_sqlite().await;
    let html = b"<!doctype html><script>alert(1)</script>".as_slice();
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>".as_slice();
    let archive = zip(&["a.txt"]);
    for (content_type, bytes) in [
        ("text/html", html),
        ("application/xhtml+xml", html),
        ("image/svg+xml", svg),
        ("text/xml", svg),
        ("image/gif", b"GIF89a\x01\0\x01\0\0\0\0;".as_slice()),
        ("application/zip", archive.as_slice()),
        ("application/octet-stream", PDF),
        ("text/javascript", b"alert(1)"),
        ("image", PDF),
        ("image/*", PDF),
        ("nonsense", PDF),
        ("", PDF),
    ] {
        let answer = post(&world, &upload_body(content_type, bytes)).await;
        answer.has_faults(&[("content_type", "not_one_of")]);
    }
}

#[tokio::test]
async fn bytes_that_are_not_what_their_type_says_are_refused() {
    let world = World::on_sqlite().await;
    // Some types look the same: a CSV table is a text file.
    let look = |content_type: &str| match content_type {
        "text/plain" | "text/csv" => "text".to_owned(),
        "audio/mp4" | "video/mp4" | "video/3gpp" => "boxes".to_owned(),
        "application/msword" | "application/vnd.ms-excel" | "application/vnd.ms-powerpoint" => {
            "a compound file".to_owned()
        }
        other => other.to_owned(),
    };
    let files = files();
    for (content_type, _) in &files {
        for (kind, bytes) in files.iter().filter(|(kind, _)| look(kind) != look(content_type)) {
            let answer = post(&world, &upload_body(content_type, bytes)).await;
            assert_eq!(answer.status, 422, "{kind} called {content_type}: {}", answer.text);
            answer.is_problem(422, "content_type_mismatch");
        }
    }
    let archive = zip(&["a.txt", "b.txt", "c.txt", "d.txt"]);
    for (content_type, _) in files.iter().filter(|(kind, _)| kind.contains("openxml")) {
        let answer = post(&world, &upload_body(content_type, &archive)).await;
        answer.is_problem(422, "content_type_mismatch");
    }
}

#[tokio::test]
async fn text_is_utf8_without_control_characters() {
    let world = World::on_sqlite().await;
    // Given bytes that are no text, of which some begin like text,
    let long = [b"name,order\n".repeat(20_000).as_slice(), b"\xff"].concat();
    let binary: [&[u8]; 10] = [
        b"\x7fELF\x02\x01\x01\0\0\0",
        b"MZ\x90\0",
        b"a\x01b",
        b"a\0b",
        b"\x1b[31mred",
        b"caf\xe9",
        b"\xff\xfea\0b\0",
        b"c\x7fd",
        b"e\xc2\x9bf",
        &long,
    ];
    for bytes in binary {
        for content_type in ["text/plain", "text/csv"] {
            // when they are uploaded as text, then the error says what text is.
            let answer = post(&world, &upload_body(content_type, bytes)).await;
            let said = String::from_utf8_lossy(&bytes[..bytes.len().min(20)]);
            assert_eq!(answer.status, 422, "{said:?} called {content_type}: {}", answer.text);
            answer.is_problem(422, "content_type_mismatch");
        }
    }
    let latin = post(&world, &upload_body("text/plain", b"caf\xe9")).await;
    let error = latin.body["error"].as_str().unwrap();
    assert!(error.contains("not text in UTF-8 without control characters"), "{error}");
    // White space, a form feed, and a byte order mark are text.
    let text = "\u{feff}name\torder\r\nAda\t\u{1f382}\x0cpage two\n";
    for content_type in ["text/plain", "text/csv"] {
        is_uploaded(&post(&world, &upload_body(content_type, text.as_bytes())).await);
    }
}

#[tokio::test]
async fn html_and_svg_are_rejected_under_any_type() {
    let world = World::on_sqlite().await;
    let pages: [&[u8]; 12] = [
        b"<!DOCTYPE html><p>x",
        b"<html><body>x</body></html>",
        b"  \r\n\t<HTML>\n",
        b"\xef\xbb\xbf<!doctype html>\n<p>x",
        b"<script>alert(1)</script>",
        b"<!-- x --><html></html>",
        b"<iframe src=\"https://example.com\"></iframe>",
        b"<body onload=alert(1)>",
        b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>",
        b"\n<SVG onload=alert(1)>",
        b"<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        b"\xef\xbb\xbf<?xml version=\"1.0\"?><!DOCTYPE svg><svg/>",
    ];
    for page in pages {
        for content_type in ["text/plain", "text/csv", "image/png", "application/pdf"] {
            let answer = post(&world, &upload_body(content_type, page)).await;
            let said = String::from_utf8_lossy(page);
            assert_eq!(answer.status, 422, "{said} called {content_type}: {}", answer.text);
            answer.is_problem(422, "content_type_mismatch");
        }
    }
}

#[tokio::test]
async fn only_canonical_base64_is_read() {
    let world = World::on_sqlite().await;
    is_uploaded(&post(&world, &hello_as(HELLO)).await);
    let wrong = [
        "SGVs*G8=",
        "SGVsbG8=!",
        "SGVsbG8é",
        "SGVsbG8%3D", // stray characters
        "SGVs bG8=",
        "SGVsbG8=\n",
        " SGVsbG8=",
        "SGVs\r\nbG8=",
        "\tSGVsbG8=", // white space
        "SGVsbG8==",
        "SGVsbG8===",
        "SGVs=bG8",
        "SGVs=bG8=",
        "=",
        "====",
        "SGVsbG8=SGVsbG8=", // padding
        "SGVsbG8",
        "SGVsbA",
        "SGVsb",
        "S",
        "SGVsbA=", // none, or too little
        "SGVsbG9=",
        "SGVsbB==",
        "SGVsbP==", // bits after the last byte
        "Pj4-",
        "Pz8_", // the URL-safe alphabet
    ];
    for data in wrong {
        let answer = post(&world, &hello_as(data)).await;
        assert_eq!(answer.status, 422, "{data:?}: {}", answer.text);
        answer.is_problem(422, "invalid_base64");
        let answer = post(&world, &hello_as(&format!("data:text/plain;base64,{data}"))).await;
        answer.is_problem(422, "invalid_base64");
    }
    for (data, text) in [("Pj4+", ">>>"), ("Pz8/", "???"), ("SGVsbA==", "Hell")] {
        let record = is_uploaded(&post(&world, &hello_as(data)).await);
        assert_eq!(record["sha256"], sha256(text.as_bytes()));
    }
}

#[tokio::test]
async fn a_data_uri_is_read_if_it_is_of_the_same_type() {
    let world = World::on_sqlite().await;
    let record = is_uploaded(&post(&world, &hello_as("data:text/plain;base64,SGVsbG8=")).await);
    assert_eq!(record["size"], 5);
    assert_eq!(record["sha256"], json!(sha256(b"Hello")));
    let picture = format!("data:image/png;base64,{}", BASE64_STANDARD.encode(png()));
    let answer = post(&world, &json!({"data": picture, "content_type": "image/png"})).await;
    assert_eq!(is_uploaded(&answer)["sha256"], sha256(&png()));

    let other = post(&world, &json!({"data": picture, "content_type": "image/jpeg"})).await;
    other.is_problem(422, "content_type_mismatch");
    let lie = format!("data:image/jpeg;base64,{}", BASE64_STANDARD.encode(png()));
    let answer = post(&world, &json!({"data": lie, "content_type": "image/jpeg"})).await;
    answer.is_problem(422, "content_type_mismatch");
    for data in ["data:text/plain,Hello", "data:;base64,SGVsbG8=", "data:", "data:base64,SGVsbG8="]
    {
        assert_eq!(post(&world, &hello_as(data)).await.status, 422, "{data}");
    }
}

#[tokio::test]
async fn the_fields_come_in_any_order_and_any_writing() {
    let world = World::on_sqlite().await;
    let data = BASE64_STANDARD.encode([b"\xff\xd8\xff\xe0".as_slice(), &[0xff; 600]].concat());
    let fields = [r#""content_type":"image/jpeg""#, r#""filename":"a.jpg""#];
    let data = format!("\"data\":\"{data}\"");
    let escaped = data.replace('/', "\\/");
    let spelled = data.replacen("\"/9j", "\"\\u002f\\u0039j", 1);
    for data in [data, escaped, spelled] {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let parts = order.map(|place| [fields[0], fields[1], data.as_str()][place]);
            let body = format!("\n{{ {} }}\n", parts.join(" ,\r\n\t"));
            let record = is_uploaded(&world.post_bytes(MEDIA, JSON, body).await);
            assert_eq!(record["size"], 604);
            assert_eq!(record["filename"], "a.jpg");
        }
    }
}

#[tokio::test]
async fn faults_of_the_fields_are_all_named() {
    let world = World::on_sqlite().await;
    let world = &world;
    let faults = |body: Value| async move { post(world, &body).await };
    let missing = [("data", "required"), ("content_type", "required")];
    faults(json!({})).await.has_faults(&missing);
    faults(json!({"data": HELLO})).await.has_faults(&missing[1..]);
    faults(json!({"content_type": "text/plain"})).await.has_faults(&missing[..1]);
    faults(hello_as("")).await.has_faults(&[("data", "empty")]);
    faults(json!({"data": 5, "content_type": true, "filename": []})).await.has_faults(&[
        ("data", "wrong_type"),
        ("content_type", "wrong_type"),
        ("filename", "wrong_type"),
    ]);
    let unknown = json!({
        "data": HELLO,
        "content_type": "text/html",
        "filename": "a/b",
        "name": "a",
        "url": "b",
    });
    faults(unknown).await.has_faults(&[
        ("content_type", "not_one_of"),
        ("filename", "invalid_format"),
        ("name", "unknown_field"),
        ("url", "unknown_field"),
    ]);
}

#[tokio::test]
async fn a_name_is_one_part_of_a_path() {
    let world = World::on_sqlite().await;
    let named = |name: String| {
        let mut body = hello_as(HELLO);
        body["filename"] = json!(name);
        body
    };
    for name in [
        "a/b",
        "/",
        "../a",
        "..\\a",
        "a\\b",
        "a\0b",
        "a\nb",
        "a\r\nX-Other: b",
        "\u{7f}",
        "a\tb",
        ".",
        "..",
    ] {
        let answer = post(&world, &named(name.to_owned())).await;
        assert_eq!(answer.status, 422, "{name:?}: {}", answer.text);
        answer.has_faults(&[("filename", "invalid_format")]);
    }
    post(&world, &named(String::new())).await.has_faults(&[("filename", "empty")]);
    post(&world, &named("é".repeat(241))).await.has_faults(&[("filename", "too_long")]);
    for name in ["é".repeat(240), "a".repeat(240), "a..b".to_owned(), ".hidden".to_owned()] {
        let record = is_uploaded(&post(&world, &named(name.clone())).await);
        assert_eq!(record["filename"], name);
        assert_eq!(fetch(&world, &record["url"]).await.bytes, b"Hello");
    }
}

#[tokio::test]
async fn each_kind_has_its_limit() {
    let world = World::on_sqlite().await;
    has_the_limit(&world, "image/png", &png(), 5 * MIB).await;
    has_the_limit(&world, "image/jpeg", &jpeg(), 5 * MIB).await;
    has_the_limit(&world, "image/webp", &webp(), 500 * KIB).await;
    has_the_limit(&world, "audio/ogg", &ogg(), 16 * MIB).await;
    has_the_limit(&world, "video/mp4", &mp4_file(*b"mp42"), 16 * MIB).await;
}

#[tokio::test]
async fn documents_may_have_a_hundred_mebibytes() {
    let world = World::on_sqlite().await;
    has_the_limit(&world, "application/pdf", PDF, 100 * MIB).await;
}

/// A client need not send a whole file to learn that it is too large.
#[tokio::test]
async fn a_content_length_that_is_too_large_is_rejected_before_the_body() {
    let world = World::on_sqlite().await;
    let (id, secret) = (&world.key.client_id, &world.key.client_secret);
    let request = format!(
        "{}x-client-id: {id}\r\nx-client-secret: {secret}\r\nContent-Type: application/json\r\nContent-Length: 10737418240\r\n\r\n{{\"data\":\"",
        request_head(&format!("POST {MEDIA}"))
    );
    let (status, _, body) = send_raw_request(&world, &request).await;
    assert_eq!(status, 413, "{body}");
}

#[tokio::test]
async fn an_upload_with_invalid_json_is_rejected() {
    let world = World::on_sqlite().await;
    let right = upload_body("image/png", &png()).to_string();
    let cut = &right[..right.len() - 1];
    for body in [
        cut,
        &right[..right.len() / 2],
        &format!("{right}x"),
        &format!("{cut},}}"),
        &format!("{cut},\"content_type\":\"image/png\"}}"),
        &format!("{cut},\"data\":\"\"}}"),
        &right.replace("image/png", "image/\u{1}png"),
        "",
    ] {
        let answer = world.post_bytes(MEDIA, JSON, body).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        answer.is_problem(400, "invalid_json");
    }
    for body in ["[]", "\"data\"", "null", "7"] {
        world.post_bytes(MEDIA, JSON, body).await.is_problem(422, "validation_failed");
    }
    for kind in ["image/png", "multipart/form-data; boundary=x", "text/plain"] {
        let answer = world.post_bytes(MEDIA, kind, right.as_str()).await;
        answer.is_problem(415, "unsupported_media_type");
    }
    let packed = world.request(Method::POST, MEDIA, &world.key).header("content-type", JSON);
    let packed = packed.header("content-encoding", "gzip").body(right.clone());
    Answer::of(packed).await.is_problem(415, "unsupported_media_type");
    is_uploaded(&world.post_bytes(MEDIA, JSON, right).await);
}
