//! A stand-in for Twilio: the Messages API, the Content API, and files that contacts sent.
//!
//!
//! It is as strict as Twilio, records each request, and fails in the ways that a test plans. It
//! never calls the server: [`callbacks`] builds the callbacks, and the test sends them.

pub mod callbacks;
mod routes;
mod shapes;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use routes::{Outcome, ReceivedRequest};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub const ACCOUNT: &str = "ACefb707f7c4ce4d15bc4261fd1d5ed615";
pub const TOKEN: &str = "8f1c7b9a4d2e6f308b5a7c9d1e3f5a7b";

/// The stand-in. All clones share one listener, which stops when the last clone is dropped.
#[derive(Clone)]
pub struct Twilio(Arc<Server>);

struct Server {
    state: Arc<State>,
    accepting: JoinHandle<()>,
}

/// The result of a request to send a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The regular response.
    None,
    /// An error with Twilio's code.
    Error { status: u16, code: i64, retry_after: Option<u64> },
    /// The connection closes without a response, and the message is not accepted.
    DropBefore,
    /// The connection closes without a response, although the message is accepted.
    DropAfter,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub sid: String,
    pub fields: BTreeMap<String, String>,
}

impl Accepted {
    /// Returns a field of the request, or an empty string if it is missing.
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// Returns our message id, which the URL for status callbacks contains.
    pub fn message_id(&self) -> String {
        let callback = url::Url::parse(self.field("StatusCallback")).expect("an address");
        let found = callback.query_pairs().find(|(name, _)| name == "message");
        found.expect("our id").1.into_owned()
    }
}

/// A resource of the Content API.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    pub sid: String,
    pub body: Value,
    /// The body of the approval request; null before there is one.
    pub request: Value,
    pub status: String,
    pub reason: String,
}

#[derive(Default)]
struct Records {
    accepted: Vec<Accepted>,
    calls: Vec<String>,
    violations: Vec<String>,
    contents: Vec<Content>,
    files: BTreeMap<String, (String, Bytes)>,
    faults: VecDeque<Fault>,
    status: String,
}

struct State {
    url: String,
    records: Mutex<Records>,
}

impl State {
    fn change<T>(&self, how: impl FnOnce(&mut Records) -> T) -> T {
        how(&mut self.records.lock())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Twilio {
    /// Starts the stand-in on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there are ports");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let records = Records { status: "active".to_owned(), ..Records::default() };
        let state = Arc::new(State { url, records: Mutex::new(records) });
        let accepting = tokio::spawn(accept(listener, state.clone()));
        Self(Arc::new(Server { state, accepting }))
    }

    /// Returns the base URL, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        self.0.state.url.clone()
    }

    /// Plans the faults of the next messages, one fault for each.
    pub fn faults(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0.state.change(|records| records.faults = faults.into_iter().collect());
    }

    /// Returns the accepted messages in order, including those whose response was lost.
    pub fn accepted(&self) -> Vec<Accepted> {
        self.0.state.change(|records| records.accepted.clone())
    }

    /// Returns the method and path of all requests, in order of arrival.
    pub fn calls(&self) -> Vec<String> {
        self.0.state.change(|records| records.calls.clone())
    }

    /// Returns what was wrong with the requests so far.
    pub fn violations(&self) -> Vec<String> {
        self.0.state.change(|records| records.violations.clone())
    }

    /// Returns the resources of the Content API, in order of creation.
    pub fn contents(&self) -> Vec<Content> {
        self.0.state.change(|records| records.contents.clone())
    }

    /// Sets the reviewer's verdict on the resource at this index, in order of creation.
    pub fn review(&self, index: usize, status: &str, reason: &str) {
        self.0.state.change(|records| {
            let content = &mut records.contents[index];
            (content.status, content.reason) = (status.to_owned(), reason.to_owned());
        });
    }

    /// Creates a media file, and returns the URL that a callback gives for it.
    pub fn put_file(&self, id: &str, content_type: &str, bytes: impl Into<Bytes>) -> String {
        let file = (content_type.to_owned(), bytes.into());
        self.0.state.change(|records| records.files.insert(id.to_owned(), file));
        format!("https://api.twilio.com/2010-04-01/Accounts/{ACCOUNT}/Messages/MM1/Media/{id}")
    }

    /// Sets the status of the Twilio account.
    pub fn set_status(&self, status: &str) {
        self.0.state.change(|records| status.clone_into(&mut records.status));
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        tokio::spawn(serve(stream, state.clone()));
    }
}

async fn serve(stream: TcpStream, state: Arc<State>) {
    let service = service_fn(move |request| answer(state.clone(), request));
    // A client that closes the connection early is not an error.
    drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
}

async fn answer(
    state: Arc<State>,
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Full<Bytes>>, Box<dyn std::error::Error + Send + Sync>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let header = |name: &str| {
        let value = head.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let asked = ReceivedRequest {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        authorization: header("authorization"),
        content_type: header("content-type"),
        body,
    };
    match state.change(|records| routes::handle(&state.url, records, &asked)) {
        Outcome::Close => Err("closed, as planned".into()),
        Outcome::Answer { status, headers, body } => {
            let response = headers
                .iter()
                .fold(hyper::Response::builder().status(status), |it, (name, value)| {
                    it.header(*name, value)
                });
            Ok(response.body(Full::new(body))?)
        }
    }
}
