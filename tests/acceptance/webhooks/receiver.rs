//! A server that receives events.

use auth::webhook::WebhookSecret;
use bytes::Bytes;
use domain::time::Timestamp;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// The behavior of a receiver.
#[derive(Clone, Debug)]
pub enum Answers {
    /// Responds with this status.
    With(u16),
    /// Redirects to this URL.
    Redirect(String),
    Never,
    /// Responds with a body that does not end.
    Endless,
    /// Responds with a body of this size in bytes.
    Large(usize),
    /// Responds with this status and body.
    Body(u16, String),
    /// Responds with each of these in turn, and then with the last one.
    Script(Vec<(u16, String)>),
    /// Responds with status 200 and this body, after a time.
    Late(Duration, String),
    /// Responds with status 200 and this body, when the test notifies it.
    Held(Arc<Notify>, String),
}

#[derive(Clone, Debug)]
pub struct Received {
    pub id: String,
    pub timestamp: i64,
    pub signatures: Vec<String>,
    pub headers: hyper::HeaderMap,
    pub body: Bytes,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn kind(&self) -> String {
        self.json()["type"].as_str().unwrap().to_owned()
    }

    pub fn sequence(&self) -> i64 {
        self.json()["sequence"].as_i64().unwrap()
    }

    /// Returns whether one of the signatures was made with this secret.
    pub fn is_signed_by(&self, secret: &WebhookSecret) -> bool {
        let at = Timestamp::from_seconds(self.timestamp);
        let right = auth::webhook::sign([secret], &self.id, at, &self.body).signature;
        self.signatures.contains(&right)
    }
}

pub struct Receiver {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
    answers: Arc<Mutex<Answers>>,
    task: JoinHandle<()>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Receiver {
    pub async fn that(answers: Answers) -> Self {
        Self::at((Ipv4Addr::LOCALHOST, 0).into(), answers).await
    }

    /// Listens at an address. A connection of another test may have its port for a moment.
    async fn listener(address: SocketAddr) -> TcpListener {
        for _ in 0..600 {
            match TcpListener::bind(address).await {
                Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
                    tokio::time::sleep(Duration::from_millis(100)).await; // real time: sockets
                }
                bound => return bound.unwrap(),
            }
        }
        panic!("{address} was in use for a minute");
    }

    /// Starts a receiver at the address of an existing endpoint.
    pub async fn at(address: SocketAddr, answers: Answers) -> Self {
        let listener = Self::listener(address).await;
        let url = format!("http://{}/hooks", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let answers = Arc::new(Mutex::new(answers));
        let task = tokio::spawn(accept(listener, received.clone(), answers.clone()));
        Self { url, received, answers, task }
    }

    pub async fn start() -> Self {
        Self::that(Answers::With(200)).await
    }

    pub fn answer(&self, answers: Answers) {
        *self.answers.lock().unwrap() = answers;
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Returns the events received since the last call.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut *self.received.lock().unwrap())
    }

    pub fn kinds(&self) -> Vec<String> {
        self.received().iter().map(Received::kind).collect()
    }
}

async fn accept(
    listener: TcpListener,
    received: Arc<Mutex<Vec<Received>>>,
    answers: Arc<Mutex<Answers>>,
) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (received, answers) = (received.clone(), answers.clone());
        tokio::spawn(async move {
            let service = service_fn(|request: hyper::Request<Incoming>| {
                let (received, answers) = (received.clone(), answers.clone());
                async move { Ok::<_, Infallible>(answer(request, &received, &answers).await) }
            });
            drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
        });
    }
}

type Body = BoxBody<Bytes, Infallible>;

async fn answer(
    request: hyper::Request<Incoming>,
    received: &Mutex<Vec<Received>>,
    answers: &Mutex<Answers>,
) -> hyper::Response<Body> {
    let header = |name: &str| {
        let value = request.headers().get(name);
        value.map_or("", |value| value.to_str().unwrap()).to_owned()
    };
    assert_eq!(request.method(), "POST");
    // A model transcribes files of forms.
    let is_form = header("content-type").starts_with("multipart/form-data; boundary=");
    assert!(is_form || header("content-type") == "application/json");
    let (id, timestamp, signatures) =
        (header("webhook-id"), header("webhook-timestamp"), header("webhook-signature"));
    let headers = request.headers().clone();
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let signatures = signatures.split(' ').map(str::to_owned).collect();
    // Requests to a model are not signed.
    let timestamp = if timestamp.is_empty() { 0 } else { timestamp.parse().unwrap() };
    received.lock().unwrap().push(Received { id, timestamp, signatures, headers, body });
    let answers = next(&mut answers.lock().unwrap());
    let (status, body, location) = match answers {
        Answers::With(status) => (status, full("Thank you.\0"), None),
        Answers::Redirect(to) => (307, full(""), Some(to)),
        Answers::Never => std::future::pending().await,
        Answers::Endless => {
            let chunks = futures_util::stream::repeat_with(|| {
                Ok(Frame::data(Bytes::from_static(&[b'x'; 16 * 1024])))
            });
            (200, StreamBody::new(chunks).boxed(), None)
        }
        Answers::Script(_) => unreachable!("`next` returns one of its answers"),
        Answers::Late(time, body) => {
            tokio::time::sleep(time).await; // real time: the other side waits for the answer
            (200, Full::new(Bytes::from(body)).boxed(), None)
        }
        Answers::Held(released, body) => {
            released.notified().await;
            (200, Full::new(Bytes::from(body)).boxed(), None)
        }
        Answers::Body(status, body) => (status, Full::new(Bytes::from(body)).boxed(), None),
        Answers::Large(size) => (200, Full::new(Bytes::from(vec![b'x'; size])).boxed(), None),
    };
    let mut response = hyper::Response::builder().status(status);
    if let Some(location) = location {
        response = response.header("location", location);
    }
    response.body(body).unwrap()
}

/// Returns the next answer.
fn next(answers: &mut Answers) -> Answers {
    let Answers::Script(script) = answers else { return answers.clone() };
    let (status, body) = if script.len() > 1 { script.remove(0) } else { script[0].clone() };
    Answers::Body(status, body)
}

fn full(text: &'static str) -> Body {
    Full::new(Bytes::from_static(text.as_bytes())).boxed()
}
