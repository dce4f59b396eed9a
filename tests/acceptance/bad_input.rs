//! Invalid input: the response has the contract's shape, and nothing changes.

use crate::world::{Answer, World, on_both_databases};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const SEND: &str = "/api/v1/messages";
const PERSON: &str = "+12025550110";
const JSON: &str = "application/json";
const MIB: usize = 1024 * 1024;

fn text_message() -> Value {
    json!({"type": "text", "phone_number": PERSON, "text": "Hello"})
}

/// Asserts that no message was stored or counted.
async fn nothing_happened(world: &World) {
    world.live_through(Duration::from_secs(1)).await;
    assert_eq!(world.history(PERSON).await, Vec::<Value>::new());
    let me = world.get("/api/v1/me", &world.key).await;
    assert_eq!(me.body["plan"]["messages"]["used"], 0);
}

/// Writes raw bytes to the server, and returns the status, head and body of the response.
async fn send_raw_request(world: &World, request: &[u8]) -> (u16, String, String) {
    let mut stream = TcpStream::connect(world.server.address).await.unwrap();
    // The server may respond and close the connection before it has read everything.
    drop(stream.write_all(request).await);
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    let read = tokio::time::timeout(Duration::from_secs(20), read).await;
    read.expect("the server closes the connection").ok();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer with a head");
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a status");
    (status, head.to_ascii_lowercase(), body.to_owned())
}

/// Returns the head of a request with the key's credentials, open for more header lines.
fn request_head(world: &World, line: &str) -> String {
    let (id, secret) = (&world.key.client_id, &world.key.client_secret);
    format!(
        "{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nx-client-id: {id}\r\nx-client-secret: {secret}\r\n"
    )
}

fn has_the_shape(answer: &(u16, String, String), status: u16, code: Option<&str>) -> Value {
    let (found, head, body) = answer;
    assert_eq!(*found, status, "{head}\n\n{body}");
    let body: Value =
        serde_json::from_str(body).unwrap_or_else(|_| panic!("JSON: {head}\n\n{body}"));
    assert!(body["error"].is_string() && body["code"].is_string(), "{body}");
    let id = body["request_id"].as_str().expect("a request id");
    assert!(head.contains(&format!("x-request-id: {id}")), "{head}");
    assert!(code.is_none_or(|code| body["code"] == code), "{body}");
    body
}

/// Returns a JSON body of exactly `bytes` bytes that lacks required fields of a message.
fn body_of(bytes: usize) -> Vec<u8> {
    let mut body = b"{\"type\":\"text\"".to_vec();
    body.resize(bytes - 1, b' ');
    body.push(b'}');
    body
}

async fn with_id(world: &World, id: &[u8]) -> Answer {
    let request = world.request(Method::GET, "/api/v1/messages/nonsense", &world.key);
    Answer::of(request.header("x-request-id", id)).await
}

async fn invalid_json_is_rejected(world: World) {
    let deep = format!("{{\"type\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_unknown = format!("{{\"x\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_objects =
        format!("{{\"interactive\": {}1{}}}", "{\"body\":".repeat(50_000), "}".repeat(50_000));
    let broken: [&[u8]; 18] = [
        b"{",
        b"{\"type\": ",
        b"{\"type\": \"text\",}",
        b"{'type': 'text'}",
        b"{type: \"text\"}",
        b"null x",
        b"text",
        b" ",
        b"\0",
        b"\xef\xbb\xbf{}",
        b"{\"text\": \"\xff\xfe\"}",
        b"{\"text\": \"\xed\xa0\x80\"}",
        b"{\"text\": \"a\0b\"}",
        b"{\"text\": \"\\ud800\"}",
        b"{\"text\": NaN}",
        deep.as_bytes(),
        deep_unknown.as_bytes(),
        deep_objects.as_bytes(),
    ];
    for body in broken {
        let answer = world.post_bytes(SEND, JSON, body).await;
        let start = String::from_utf8_lossy(&body[..body.len().min(40)]);
        assert_eq!(answer.status, 400, "{start}: {}", answer.text);
        assert_eq!(answer.body["code"], "invalid_json", "{start}: {}", answer.text);
        answer.is_problem(400, "invalid_json");
    }
    let twice = br#"{"type":"text","phone_number":"+12025550110","text":"one","text":"two"}"#;
    world.post_bytes(SEND, JSON, twice).await.is_problem(400, "invalid_json");
    nothing_happened(&world).await;
}

async fn json_that_is_no_object_is_refused(world: World) {
    for body in ["[]", "7", "null", "\"text\"", "true", "[{\"type\":\"text\"}]"] {
        world.post_bytes(SEND, JSON, body).await.is_problem(422, "validation_failed");
    }
    // The values of an array are not taken as the fields of an object by position.
    let all = json!([
        "text", PERSON, null, null, "Hello", null, null, null, null, null, null, null, null, null,
        null, null, null, null
    ]);
    for length in [5, 17, 18] {
        let body = json!(all.as_array().unwrap()[..length]);
        world.post(SEND, &world.key, &body).await.is_problem(422, "validation_failed");
    }
    let body = json!([PERSON, 50, 0, "asc"]);
    world
        .post("/api/v1/conversations/history", &world.key, &body)
        .await
        .is_problem(422, "validation_failed");
    nothing_happened(&world).await;
}

async fn an_array_in_the_place_of_an_inner_object_is_of_the_wrong_type(world: World) {
    let button = json!({"type": "reply", "reply": {"id": "a", "title": "A"}});
    let right =
        json!({"type": "button", "body": {"text": "Well?"}, "action": {"buttons": [button]}});
    let mut body = json!({"type": "interactive", "phone_number": PERSON, "interactive": right});
    body["interactive"]["body"] = json!(["Well?"]);
    let answer = world.post(SEND, &world.key, &body).await;
    answer.has_faults(&[("interactive.body", "wrong_type")]);
    nothing_happened(&world).await;
}

async fn an_empty_body_is_no_json_and_no_body_lacks_every_field(world: World) {
    world.post_bytes(SEND, JSON, "").await.is_problem(400, "invalid_json");
    let faults = [("type", "required"), ("phone_number", "required")];
    world.post_bytes(SEND, JSON, "{}").await.has_faults(&faults);
    Answer::of(world.request(Method::POST, SEND, &world.key)).await.has_faults(&faults);
    nothing_happened(&world).await;
}

async fn a_nul_is_rejected_in_every_field(world: World) {
    for (field, value) in
        [("text", "a\0b"), ("client_ref", "\0"), ("phone_number", "+12025550110\0")]
    {
        let mut body = text_message();
        body[field] = json!(value);
        let answer = world.post(SEND, &world.key, &body).await;
        answer.is_problem(422, "validation_failed");
        let named =
            answer.body["details"].as_array().unwrap().iter().any(|it| it["field"] == field);
        assert!(named, "{}", answer.text);
    }
    for metadata in [json!({"a": "\0"}), json!({"\0": "a"})] {
        let mut body = text_message();
        body["metadata"] = metadata;
        world.post(SEND, &world.key, &body).await.is_problem(422, "validation_failed");
    }
    let path = "/api/v1/conversations/history?phone_number=%2B12025550110%00";
    world.get(path, &world.key).await.is_problem(422, "validation_failed");
    // The escaped backslash makes this six ordinary characters and not a NUL.
    let mut body = text_message();
    body["text"] = json!("a\\u0000b");
    body["dry_run"] = json!(true);
    assert_eq!(world.post(SEND, &world.key, &body).await.status, 200);
    nothing_happened(&world).await;
}

async fn an_unknown_field_is_named(world: World) {
    let mut body = text_message();
    body["txet"] = json!("Hello");
    body["Type"] = json!(null);
    world
        .post(SEND, &world.key, &body)
        .await
        .has_faults(&[("txet", "unknown_field"), ("Type", "unknown_field")]);
    let button = json!({"type": "reply", "reply": {"id": "a", "titel": "A", "title": "A"}});
    let interactive =
        json!({"type": "button", "body": {"text": "x"}, "action": {"buttons": [button]}});
    let body = json!({"type": "interactive", "phone_number": PERSON, "interactive": interactive});
    world
        .post(SEND, &world.key, &body)
        .await
        .has_faults(&[("interactive.action.buttons[0].reply.titel", "unknown_field")]);
    nothing_happened(&world).await;
}

async fn a_value_of_the_wrong_type_hides_no_other_fault(world: World) {
    let interactive = json!({"type": "buttons", "body": "x"});
    let body = json!({"type": "interactive", "phone_number": PERSON, "interactive": interactive});
    world.post(SEND, &world.key, &body).await.has_faults(&[
        ("interactive.body", "wrong_type"),
        ("interactive.type", "not_one_of"),
        ("interactive.action", "required"),
    ]);
    let part = json!({"type": "BODY", "text": "{{1}} is your code"});
    let body =
        json!({"name": "code", "language": "en", "category": "utility", "components": [part]});
    world.post("/api/v1/templates", &world.key, &body).await.has_faults(&[
        ("components[0].text", "invalid_format"),
        ("components[0].example.body_text", "required"),
    ]);
}

async fn fields_of_a_wrong_type_are_all_named(world: World) {
    let body = json!({
        "type": 5,
        "phone_number": true,
        "text": ["a"],
        "preview_url": "yes",
        "metadata": {"a": 1},
        "client_ref": {},
        "dry_run": 1,
        "x": 0,
    });
    world.post(SEND, &world.key, &body).await.has_faults(&[
        ("type", "wrong_type"),
        ("phone_number", "wrong_type"),
        ("text", "wrong_type"),
        ("preview_url", "wrong_type"),
        ("metadata.a", "wrong_type"),
        ("client_ref", "wrong_type"),
        ("dry_run", "wrong_type"),
        ("x", "unknown_field"),
    ]);
    nothing_happened(&world).await;
}

async fn a_body_of_a_mebibyte_is_read_and_a_byte_more_is_refused(world: World) {
    let fits = world.post_bytes(SEND, JSON, body_of(MIB)).await;
    fits.has_faults(&[("text", "required"), ("phone_number", "required")]);
    for bytes in [MIB + 1, 3 * MIB] {
        let large = world.post_bytes(SEND, JSON, body_of(bytes)).await;
        assert_eq!(large.is_problem(413, "payload_too_large").body["limit_bytes"], MIB);
    }
    nothing_happened(&world).await;
}

async fn a_body_that_does_not_say_its_length_has_the_same_limit(world: World) {
    let chunked = |bytes: usize| {
        let mut request = request_head(&world, "POST /api/v1/messages").into_bytes();
        request.extend(b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
        for chunk in body_of(bytes).chunks(65_536) {
            request.extend(format!("{:x}\r\n", chunk.len()).bytes());
            request.extend(chunk);
            request.extend(b"\r\n");
        }
        request.extend(b"0\r\n\r\n");
        request
    };
    has_the_shape(&send_raw_request(&world, &chunked(MIB)).await, 422, Some("validation_failed"));
    let large = has_the_shape(
        &send_raw_request(&world, &chunked(MIB + 1)).await,
        413,
        Some("payload_too_large"),
    );
    assert_eq!(large["limit_bytes"], MIB);
    nothing_happened(&world).await;
}

async fn only_plain_json_is_taken(world: World) {
    let body = text_message().to_string();
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "application/json; charset=iso-8859-1",
        "multipart/form-data; boundary=x",
        "",
    ] {
        world.post_bytes(SEND, kind, body.as_str()).await.is_problem(415, "unsupported_media_type");
    }
    let untyped = world.request(Method::POST, SEND, &world.key).body(body.clone());
    Answer::of(untyped).await.is_problem(415, "unsupported_media_type");
    for encoding in ["gzip", "br", "deflate"] {
        let request = world.request(Method::POST, SEND, &world.key).header("content-type", JSON);
        let packed = request.header("content-encoding", encoding).body(body.clone());
        Answer::of(packed).await.is_problem(415, "unsupported_media_type");
    }
    nothing_happened(&world).await;
    for kind in [
        "Application/JSON",
        "application/json;charset=UTF-8",
        "application/json; charset=utf-8",
        "application/json; charset=\"utf-8\"",
    ] {
        let answer = world.post_bytes(SEND, kind, body.as_str()).await;
        assert_eq!(answer.status, 201, "{kind}: {}", answer.text);
    }
}

async fn an_unknown_path_is_not_found(world: World) {
    for path in [
        "/api/v1/nowhere",
        "/api/v1/messages/",
        "/api/v1",
        "/api/v2/messages",
        "/nowhere",
        "/api/v1/messages/a/b",
        "//api/v1/me",
    ] {
        world.get(path, &world.key).await.is_problem(404, "not_found");
        world.post(path, &world.key, &text_message()).await.is_problem(404, "not_found");
    }
    nothing_happened(&world).await;
}

async fn a_wrong_method_gets_the_allowed_ones(world: World) {
    let cases = [
        ("DELETE", SEND, "GET, HEAD, POST"),
        ("PUT", "/api/v1/conversations/history", "GET, HEAD, POST"),
        ("BREW", "/api/v1/messages/template", "POST"),
        ("PATCH", "/api/v1/messages/msg_1", "DELETE, GET, HEAD"),
    ];
    for (method, path, allowed) in cases {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let answer = Answer::of(world.request(method, path, &world.key)).await;
        answer.is_problem(405, "method_not_allowed");
        let mut found: Vec<_> = answer.header("allow").split(", ").collect();
        found.sort_unstable();
        assert_eq!(found.join(", "), allowed, "{path}");
    }
    nothing_happened(&world).await;
}

async fn a_request_id_that_is_fit_comes_back_and_another_is_replaced(world: World) {
    for fit in ["a".to_owned(), "~!@#$%^&*()_+".to_owned(), "x".repeat(128)] {
        let answer = with_id(&world, fit.as_bytes()).await;
        answer.is_problem(404, "not_found");
        assert_eq!(answer.header("x-request-id"), fit);
    }
    let long = "x".repeat(129);
    for unfit in [b"" as &[u8], b"a b", b"a\tb", b"\xc3\xa9", long.as_bytes()] {
        let answer = with_id(&world, unfit).await;
        answer.is_problem(404, "not_found");
        assert!(
            answer.header("x-request-id").starts_with("req_"),
            "{}",
            answer.header("x-request-id")
        );
    }
    // Successful responses and those for unknown paths have a request id too.
    for path in ["/api/v1/me", "/nowhere"] {
        assert!(world.get(path, &world.key).await.header("x-request-id").starts_with("req_"));
    }
}

async fn malformed_ids_in_a_path_are_not_found(world: World) {
    let long = "x".repeat(5000);
    for id in [
        "%00",
        "%ff",
        "%C3%28",
        "%2F",
        "%",
        "%zz",
        "msg_",
        "MSG_01h2xcejqtf2nbrexx3vqjhp41",
        "%F0%9F%98%80",
        "'%20OR%201=1--",
        long.as_str(),
    ] {
        let request =
            format!("{}\r\n", request_head(&world, &format!("GET /api/v1/messages/{id}")));
        let answer = send_raw_request(&world, request.as_bytes()).await;
        has_the_shape(&answer, 404, Some("not_found"));
    }
}

/// actix-http rejects bytes that are not an HTTP request, before any handler runs. Its response
/// is a 400 without a body (ARCHITECTURE.md, Decisions).
async fn invalid_http_requests_are_rejected_without_effect(world: World) {
    let bad_header = format!("{}bad header: x\r\n\r\n", request_head(&world, "GET /api/v1/me"));
    let bad_value = format!("{}x-note: a\0b\r\n\r\n", request_head(&world, "GET /api/v1/me"));
    let bad_length =
        format!("{}Content-Length: many\r\n\r\n", request_head(&world, "POST /api/v1/messages"));
    let two_lengths = format!(
        "{}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}",
        request_head(&world, "POST /api/v1/messages")
    );
    let requests = [
        "GARBAGE\r\n\r\n",
        "GET /api v1 HTTP/1.1\r\n\r\n",
        &bad_header,
        &bad_value,
        &bad_length,
        &two_lengths,
    ];
    let answers = futures_util::future::join_all(
        requests.iter().map(|it| send_raw_request(&world, it.as_bytes())),
    )
    .await;
    nothing_happened(&world).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.0).collect();
    assert_eq!(statuses, [400; 6]);
}

on_both_databases! {
    invalid_json_is_rejected,
    json_that_is_no_object_is_refused,
    an_array_in_the_place_of_an_inner_object_is_of_the_wrong_type,
    an_empty_body_is_no_json_and_no_body_lacks_every_field,
    a_nul_is_rejected_in_every_field,
    an_unknown_field_is_named,
    a_value_of_the_wrong_type_hides_no_other_fault,
    fields_of_a_wrong_type_are_all_named,
    a_body_of_a_mebibyte_is_read_and_a_byte_more_is_refused,
    a_body_that_does_not_say_its_length_has_the_same_limit,
    only_plain_json_is_taken,
    an_unknown_path_is_not_found,
    a_wrong_method_gets_the_allowed_ones,
    a_request_id_that_is_fit_comes_back_and_another_is_replaced,
    malformed_ids_in_a_path_are_not_found,
    invalid_http_requests_are_rejected_without_effect,
}
