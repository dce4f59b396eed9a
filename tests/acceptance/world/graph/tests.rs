//! Tests of the stand-in itself.

use super::{Fault, Graph};
use serde_json::{Value, json};
use std::io::ErrorKind;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const MESSAGES: &str = "/v23.0/106540352242922/messages";
const TEMPLATES: &str = "/v23.0/102290129340398/message_templates";

/// A raw response; its status is 0 if the connection closed without one.
struct RawResponse {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl RawResponse {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

async fn connect(graph: &Graph) -> std::io::Result<TcpStream> {
    TcpStream::connect(graph.url().strip_prefix("http://").unwrap()).await
}

fn written(method: &str, path: &str, token: &str, body: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: graph\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Reads one response, and leaves the connection open.
async fn read(stream: &mut TcpStream) -> RawResponse {
    let mut bytes = Vec::new();
    loop {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let body = bytes[end + 4..].to_vec();
            if body.len() == length.unwrap().parse::<usize>().unwrap() {
                let status = head.split(' ').nth(1).unwrap().parse().unwrap();
                return RawResponse { status, head, body };
            }
        }
        match stream.read_buf(&mut bytes).await {
            Ok(0) => return RawResponse { status: 0, head: String::new(), body: bytes },
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {
                return RawResponse { status: 0, head: String::new(), body: bytes };
            }
            read => read.unwrap(),
        };
    }
}

async fn ask_as(token: &str, graph: &Graph, method: &str, path: &str, body: &str) -> RawResponse {
    let mut stream = connect(graph).await.unwrap();
    stream.write_all(written(method, path, token, body).as_bytes()).await.unwrap();
    read(&mut stream).await
}

async fn ask(graph: &Graph, method: &str, path: &str, body: &str) -> RawResponse {
    ask_as(graph.token(), graph, method, path, body).await
}

fn hello(ours: &str) -> String {
    json!({
        "messaging_product": "whatsapp",
        "to": "+16505551234",
        "type": "text",
        "text": { "body": "hello" },
        "biz_opaque_callback_data": ours,
    })
    .to_string()
}

async fn send(graph: &Graph, ours: &str) -> RawResponse {
    ask(graph, "POST", MESSAGES, &hello(ours)).await
}

fn our_message_ids(graph: &Graph) -> Vec<String> {
    graph.accepted().into_iter().map(|it| it.ours.unwrap()).collect()
}

fn statuses(graph: &Graph) -> Vec<Option<u16>> {
    graph.calls().iter().map(|call| call.status).collect()
}

#[tokio::test]
async fn a_message_is_accepted() {
    let graph = Graph::start().await;
    let reported = send(&graph, "a").await;
    let accepted = graph.accepted().remove(0);
    let expected = json!({
        "messaging_product": "whatsapp",
        "contacts": [{ "input": "+16505551234", "wa_id": "16505551234" }],
        "messages": [{ "id": accepted.wamid }],
    });
    assert_eq!(reported.status, 200);
    assert_eq!(reported.json(), expected);
    assert!(accepted.wamid.starts_with("wamid."));
    assert_eq!(accepted.phone_number_id.as_str(), "106540352242922");
    assert_eq!(accepted.to.as_str(), "+16505551234");
    assert_eq!(accepted.body.to_string(), hello("a"));
    send(&graph, "b").await;
    assert_ne!(graph.accepted()[1].wamid, accepted.wamid);
    assert_eq!(our_message_ids(&graph), ["a", "b"]);
    assert_eq!(statuses(&graph), vec![Some(200); 2]);
    assert_eq!(graph.violations(), Vec::<String>::new());
    let call = graph.calls().remove(0);
    assert_eq!(call.method.as_str(), "POST");
    assert_eq!(call.path.as_str(), MESSAGES);
}

#[tokio::test]
async fn a_wrong_token_is_refused() {
    let graph = Graph::start().await;
    let reported = ask_as("other", &graph, "POST", MESSAGES, &hello("a")).await;
    let error = &reported.json()["error"];
    assert_eq!(reported.status, 401);
    assert_eq!(error["code"], 190);
    assert_eq!(error["type"], "OAuthException");
    assert!(error["fbtrace_id"].is_string() && error["message"].is_string());
    assert!(graph.accepted().is_empty() && graph.violations().is_empty());
}

#[tokio::test]
async fn a_wrong_shape_is_refused_and_noted() {
    let graph = Graph::start().await;
    for (body, wrong) in [
        (hello("a").replace("hello", ""), "text.body: must have 1 to 4096 characters"),
        ("{".to_owned(), "the body: must be an object"),
    ] {
        let reported = ask(&graph, "POST", MESSAGES, &body).await;
        let error = &reported.json()["error"];
        assert_eq!(reported.status, 400);
        assert_eq!(error["code"], 100);
        assert_eq!(
            error["error_data"],
            json!({ "messaging_product": "whatsapp", "details": wrong })
        );
        assert_eq!(graph.violations().pop().unwrap(), format!("POST {MESSAGES}: {wrong}"));
    }
    assert_eq!(ask(&graph, "POST", "/messages", "{}").await.status, 400);
    assert_eq!(ask(&graph, "GET", &format!("{TEMPLATES}?nam=a"), "").await.status, 400);
    assert_eq!(
        graph.violations()[2..],
        [
            "POST /messages: nothing is there".to_owned(),
            format!("GET {TEMPLATES}: ?nam: no such parameter"),
        ]
    );
    assert!(graph.accepted().is_empty());
}

#[tokio::test]
async fn faults_that_answer() {
    let graph = Graph::start().await;
    let refusal = Fault::Error {
        status: 400,
        code: 131_026,
        subcode: Some(7),
        message: "Undeliverable".into(),
    };
    let mut faults = vec![
        (Fault::Status(500), (500, 1, Value::Null)),
        (Fault::Status(503), (503, 2, Value::Null)),
        (Fault::RateLimited { retry_after: Some(7), code: 130_429 }, (429, 130_429, Value::Null)),
        (Fault::RateLimited { retry_after: None, code: 80_007 }, (429, 80_007, Value::Null)),
        (refusal, (400, 131_026, json!(7))),
    ];
    let mut planned: Vec<Fault> = faults.iter().map(|(fault, _)| fault.clone()).collect();
    graph.plan(move |_| if planned.is_empty() { Fault::None } else { planned.remove(0) });
    for (fault, (status, code, subcode)) in faults.drain(..) {
        let reported = send(&graph, "a").await;
        let error = &reported.json()["error"];
        assert_eq!(reported.status, status, "{fault:?}");
        assert_eq!(error["code"], json!(code), "{fault:?}");
        assert_eq!(error["error_subcode"], subcode, "{fault:?}");
        let waits = reported.head.contains("retry-after: 7");
        assert_eq!(waits, matches!(fault, Fault::RateLimited { retry_after: Some(_), .. }));
    }
    assert!(graph.accepted().is_empty());
    assert_eq!(send(&graph, "a").await.status, 200);
    assert_eq!(statuses(&graph), [500, 503, 429, 429, 400, 200].map(Some));
}

#[tokio::test]
async fn faults_that_drop() {
    let graph = Graph::start().await;
    graph.plan(|request| match request.body["biz_opaque_callback_data"].as_str() {
        Some("before") => Fault::DropBefore,
        Some("after") => Fault::DropAfter,
        _ => Fault::None,
    });
    for message in ["before", "after"] {
        let reported = send(&graph, message).await;
        assert_eq!(reported.status, 0);
        assert_eq!(reported.body.len(), 0);
    }
    assert_eq!(send(&graph, "last").await.status, 200);
    assert_eq!(our_message_ids(&graph), ["after", "last"]);
    assert_eq!(statuses(&graph), [None, None, Some(200)]);
}

#[tokio::test]
async fn a_stall_lasts_until_the_client_goes_away() {
    let graph = Graph::start().await;
    graph.plan(|_| Fault::Stall);
    let mut stream = connect(&graph).await.unwrap();
    stream
        .write_all(written("POST", MESSAGES, graph.token(), &hello("a")).as_bytes())
        .await
        .unwrap();
    graph.until(|graph| graph.calls().len() == 1).await;
    assert_eq!(stream.try_read(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
    // Other connections are served in the meantime.
    graph.plan(|_| Fault::None);
    assert_eq!(send(&graph, "b").await.status, 200);
    assert_eq!(stream.try_read(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
    assert_eq!(graph.0.state.tally.borrow().busy, 1);
    drop(stream);
    let mut tally = graph.0.state.tally.subscribe();
    tally.wait_for(|tally| tally.open == 0 && tally.busy == 0).await.unwrap();
    assert_eq!(our_message_ids(&graph), ["b"]);
    assert_eq!(statuses(&graph), vec![None, Some(200)]);
}

#[tokio::test]
async fn down_and_up_on_the_same_port() {
    let graph = Graph::start().await;
    let (mut used, mut unused) = (connect(&graph).await.unwrap(), connect(&graph).await.unwrap());
    let request = written("POST", MESSAGES, graph.token(), &hello("a"));
    for _ in 0..2 {
        used.write_all(request.as_bytes()).await.unwrap();
        assert_eq!(read(&mut used).await.status, 200);
    }
    let url = graph.url();
    for _ in 0..2 {
        graph.down(true).await;
        graph.down(true).await;
        assert_eq!(connect(&graph).await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
        assert_eq!(read(&mut used).await.status, 0);
        assert_eq!(read(&mut unused).await.status, 0);
        graph.down(false).await;
        graph.down(false).await;
        assert_eq!(send(&graph, "b").await.status, 200);
        assert_eq!(graph.url(), url.clone());
    }
    assert_eq!(our_message_ids(&graph), ["a", "a", "b", "b"]);
}

#[tokio::test]
async fn open_connections_survive_when_the_stand_in_goes_down() {
    let graph = Graph::start().await;
    graph.plan(|_| Fault::Stall);
    let mut stalled = connect(&graph).await.unwrap();
    let request = written("POST", MESSAGES, graph.token(), &hello("a"));
    stalled.write_all(request.as_bytes()).await.unwrap();
    graph.until(|graph| graph.calls().len() == 1).await;
    graph.down(true).await;
    assert_eq!(stalled.try_read(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
    // Dropping one of two clones does not close the connection.
    let url = graph.url();
    drop(graph.clone());
    assert_eq!(stalled.try_read(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);
    graph.down(false).await;
    drop(graph);
    assert_eq!(read(&mut stalled).await.status, 0);
    let address = url.strip_prefix("http://").unwrap();
    assert_eq!(TcpStream::connect(address).await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn templates_are_created_once_and_read() {
    let graph = Graph::start().await;
    let template = json!({
        "name": "seasonal", "language": "en_US", "category": "UTILITY",
        "components": [{ "type": "BODY", "text": "Hello there" }],
    });
    let reported = ask(&graph, "POST", TEMPLATES, &template.to_string()).await;
    let seen = graph.templates().remove(0);
    let created = json!({ "id": seen.id, "status": "PENDING", "category": "UTILITY" });
    assert_eq!(reported.status, 200);
    assert_eq!(reported.json(), created);
    assert!(seen.id.bytes().all(|byte| byte.is_ascii_digit()));
    assert_eq!(seen.waba_id.as_str(), "102290129340398");
    assert_eq!(seen.body, template.clone());

    let again = ask(&graph, "POST", TEMPLATES, &template.to_string()).await;
    let error = &again.json()["error"];
    assert_eq!(again.status, 400);
    assert_eq!(error["code"], 100);
    assert_eq!(error["error_subcode"], json!(2_388_024));
    let elsewhere = ask(&graph, "POST", "/v23.0/1/message_templates", &template.to_string()).await;
    assert_eq!(elsewhere.status, 200);
    assert_eq!(graph.templates().len(), 2);

    graph.set_template_status(&seen.id, "APPROVED");
    let read = ask(&graph, "GET", &format!("{TEMPLATES}?name=seasonal&limit=9"), "").await.json();
    assert_eq!(read["data"].as_array().unwrap().len(), 1);
    assert_eq!(read["data"][0]["status"], "APPROVED");
    assert_eq!(read["data"][0]["id"], json!(seen.id));
    assert_eq!(read["data"][0]["components"], template["components"]);
    let none = ask(&graph, "GET", &format!("{TEMPLATES}?name=other"), "").await;
    assert_eq!(none.json(), json!({ "data": [] }));
    assert!(graph.violations().is_empty());
}

#[tokio::test]
async fn files_are_recorded_and_fetched() {
    let graph = Graph::start().await;
    graph.put_file("1003383421387256", "image/jpeg", &b"abc"[..]);
    let reported = ask(&graph, "GET", "/v23.0/1003383421387256", "").await.json();
    let expected = json!({
        "messaging_product": "whatsapp",
        "url": format!("{}/files/1003383421387256", graph.url()),
        "mime_type": "image/jpeg",
        "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "file_size": 3,
        "id": "1003383421387256",
    });
    assert_eq!(reported, expected);
    let file = ask(&graph, "GET", "/files/1003383421387256", "").await;
    assert_eq!(file.status, 200);
    assert_eq!(file.body.as_slice(), &b"abc"[..]);
    assert!(file.head.contains("content-type: image/jpeg"));
    assert_eq!(ask_as("x", &graph, "GET", "/files/1003383421387256", "").await.status, 401);
    assert_eq!(ask(&graph, "GET", "/files/2", "").await.status, 404);
    assert_eq!(ask(&graph, "GET", "/v23.0/2", "").await.json()["error"]["error_subcode"], 33);
    graph.plan(|_| Fault::Status(500));
    assert_eq!(ask(&graph, "GET", "/files/1003383421387256", "").await.status, 500);
    assert!(graph.violations().is_empty());
}
