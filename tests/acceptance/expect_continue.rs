//! Clients that wait for `100 Continue` before they send a body (RFC 9110 section 10.1.1).

use crate::world::{Pair, World, on_both_databases};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const BODY: &str = r#"{"type": "text", "phone_number": "+12025550110", "text": "Hello"}"#;

/// Sends only the head of a request to send a message. Returns the connection and the server's
/// first response.
async fn announced(world: &World, pair: &Pair) -> (TcpStream, String) {
    let address = world.base.strip_prefix("http://").unwrap();
    let Pair { client_id, client_secret } = pair;
    let length = BODY.len();
    let head = format!(
        "POST /api/v1/messages HTTP/1.1\r\nHost: {address}\r\nX-Client-Id: {client_id}\r\n\
         X-Client-Secret: {client_secret}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n"
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut said = vec![0; 8192];
    let read = stream.read(&mut said).await.unwrap();
    said.truncate(read);
    (stream, String::from_utf8(said).unwrap())
}

async fn wrong_credentials_are_refused_before_the_body_is_read(world: World) {
    let other = world.key_of(world.organization).await;
    let wrong = Pair { client_id: world.key.client_id.clone(), client_secret: other.client_secret };
    let unknown = Pair { client_id: "swk_0000000000000000000000".to_owned(), ..world.key.clone() };
    for pair in [wrong, unknown, Pair { client_secret: "x".to_owned(), ..world.key.clone() }] {
        let (_, said) = announced(&world, &pair).await;
        assert!(said.starts_with("HTTP/1.1 401 "), "{said}");
        assert!(said.to_ascii_lowercase().contains("\r\nx-request-id: req_"), "{said}");
        assert!(said.contains("\"invalid_credentials\""), "{said}");
    }
}

async fn correct_credentials_get_100_continue(world: World) {
    let (mut stream, said) = announced(&world, &world.key).await;
    assert_eq!(said, "HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(BODY.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
}

on_both_databases! {
    wrong_credentials_are_refused_before_the_body_is_read,
    correct_credentials_get_100_continue,
}
