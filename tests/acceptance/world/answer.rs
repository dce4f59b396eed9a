//! A response of the server. Each one is checked against the `OpenAPI` document.

use reqwest::header::{HeaderMap, HeaderName};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A response with its body parsed as JSON.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
    pub body: Value,
}

impl Answer {
    pub async fn of(request: reqwest::RequestBuilder) -> Self {
        let (client, request) = request.build_split();
        let request = request.expect("the request can be sent");
        let (method, path) = (request.method().to_string(), request.url().path().to_owned());
        let response = client.execute(request).await.expect("the server answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("the answer is text");
        Self::received(&method, &path, status, headers, text)
    }

    fn received(method: &str, path: &str, status: u16, headers: HeaderMap, text: String) -> Self {
        let body = serde_json::from_str(&text).unwrap_or_else(|_| Value::Null);
        super::document::allows(method, path, status, &headers, &body);
        Self { status, headers, text, body }
    }

    /// Sends only the head of a request, with a `Content-Length` of `bytes` and no body, and reads
    /// the response.
    pub async fn announcing(request: reqwest::RequestBuilder, bytes: usize) -> Self {
        let request = request.build().expect("the request can be sent");
        let (url, method) = (request.url(), request.method().to_string());
        let mut head = format!("{method} {} HTTP/1.1\r\nconnection: close\r\n", url.path());
        head.extend([format!("host: {}\r\ncontent-length: {bytes}\r\n", url.authority())]);
        for (name, value) in request.headers() {
            head.extend([format!("{name}: {}\r\n", value.to_str().unwrap())]);
        }
        let mut stream = TcpStream::connect(url.authority()).await.expect("the server accepts");
        stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("the answer is text");
        let (head, text) = answer.split_once("\r\n\r\n").expect("an answer with a head");
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let headers = lines.filter_map(|line| {
            let (name, value) = line.split_once(": ")?;
            Some((name.parse::<HeaderName>().ok()?, value.parse().ok()?))
        });
        let headers = headers.collect();
        Self::received(&method, url.path(), status.expect("a status"), headers, text.to_owned())
    }

    /// Returns a header's value, or an empty string if the header is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Returns a string field of the body.
    pub fn text_of(&self, field: &str) -> String {
        self.body[field].as_str().unwrap_or_else(|| panic!("{field} in {}", self.text)).to_owned()
    }

    /// Asserts that this is an error with the given status and code, in the contract's shape.
    #[track_caller]
    pub fn is_problem(&self, status: u16, code: &str) -> &Self {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.body["code"], code, "{}", self.text);
        assert!(self.body["error"].is_string(), "{}", self.text);
        assert_eq!(self.body["request_id"].as_str(), Some(self.header("x-request-id")));
        assert_eq!(self.header("content-type"), "application/json");
        self
    }

    /// Asserts that this is a validation error with exactly these pairs of field and code.
    #[track_caller]
    pub fn has_faults(&self, expected: &[(&str, &str)]) {
        self.is_problem(422, "validation_failed");
        let details = self.body["details"].as_array().expect("details");
        let mut found: Vec<(&str, &str)> = details
            .iter()
            .map(|it| (it["field"].as_str().unwrap(), it["code"].as_str().unwrap()))
            .collect();
        let mut expected = expected.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{}", self.text);
        assert!(details.iter().all(|it| it["message"].is_string()));
    }
}
