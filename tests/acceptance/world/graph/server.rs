//! The listener and its connections.

use super::Request;
use super::answers::Answer;
use super::records::{ConnectionCounts, State};
use super::routes::{self, Outcome, ReceivedRequest};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::Frame;
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinHandle;

/// An error that closes the connection without a response.
type Closed = Box<dyn std::error::Error + Send + Sync>;
type Body = UnsyncBoxBody<Bytes, Closed>;

pub struct Server {
    pub state: Arc<State>,
    /// Keeps the port reserved while the listener is down: the socket is bound but never listens.
    port: TcpSocket,
    /// Whether the stand-in is up. Connections end when this sender is dropped.
    door: watch::Sender<bool>,
    /// The task that accepts connections while the stand-in is up.
    accepting: Mutex<Option<JoinHandle<()>>>,
}

impl Server {
    pub async fn start() -> Self {
        let port = socket(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let address = address(&port);
        let state = Arc::new(State::new(format!("http://{address}")));
        let server =
            Self { state, port, door: watch::Sender::new(false), accepting: Mutex::default() };
        server.down(false).await;
        server
    }

    pub async fn down(&self, down: bool) {
        let mut accepting = self.accepting.lock().await;
        match (down, accepting.take()) {
            (true, Some(task)) => {
                task.abort();
                // When the task has ended, its listener is closed.
                let _ = task.await;
                self.door.send_replace(false);
                let mut tally = self.state.tally.subscribe();
                let idle_are_gone = |tally: &ConnectionCounts| tally.open == tally.busy;
                tally.wait_for(idle_are_gone).await.expect("its sender is in `self`");
            }
            (false, None) => {
                let listener = socket(address(&self.port)).listen(1024).expect("the port is ours");
                self.door.send_replace(true);
                let task = accept(listener, Arc::clone(&self.state), self.door.subscribe());
                *accepting = Some(tokio::spawn(task));
            }
            (_, snapshot_at) => *accepting = snapshot_at,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(task) = self.accepting.get_mut().take() {
            task.abort();
        }
    }
}

/// Creates a socket that shares its address with others, as long as only one of them listens.
fn socket(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("there are sockets");
    socket.set_reuseaddr(true).expect("sockets can be shared");
    socket.bind(address).expect("the port is free or ours");
    socket
}

fn address(socket: &TcpSocket) -> SocketAddr {
    socket.local_addr().expect("it is bound")
}

async fn accept(listener: TcpListener, state: Arc<State>, door: watch::Receiver<bool>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let counted = Counted::new(&state, |tally| &mut tally.open);
        let connection = serve(stream, Arc::clone(&state), door.clone());
        tokio::spawn(async move {
            connection.await;
            drop(counted);
        });
    }
}

/// Serves a connection until it closes or the stand-in stops.
async fn serve(stream: TcpStream, state: Arc<State>, mut door: watch::Receiver<bool>) {
    let service = service_fn(|request| answer(Arc::clone(&state), request));
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    loop {
        tokio::select! {
            _ = connection.as_mut() => return,
            seen = door.changed() => match seen {
                Err(_) => return,
                Ok(()) if *door.borrow_and_update() => {}
                Ok(()) => connection.as_mut().graceful_shutdown(),
            },
        }
    }
}

async fn answer(
    state: Arc<State>,
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Body>, Closed> {
    let _busy = Counted::new(&state, |tally| &mut tally.busy);
    let (head, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let header = |name| text_of(&head.headers, name);
    let asked = ReceivedRequest {
        bearer: header(AUTHORIZATION),
        content_type: header(CONTENT_TYPE),
        request: Request {
            method: head.method.to_string(),
            path: head.uri.path().to_owned(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            body: json(&body),
        },
    };
    let delay = *state.delay.borrow();
    match routes::handle(&state, &asked) {
        Outcome::Answer(answer) => {
            tokio::time::sleep(delay).await; // real time: a channel that takes its time
            let body = Full::new(answer.body.clone()).map_err(|never| match never {});
            Ok(response(&answer, body.boxed_unsync()))
        }
        Outcome::CutOff(answer) => {
            let begun = Ok(Frame::data(answer.body.clone()));
            let broken = stream::once(async {
                tokio::time::sleep(Duration::from_millis(50)).await; // real time: the beginning must be sent first
                Err("closed, as planned".into())
            });
            let parts = stream::iter([begun]).chain(broken);
            Ok(response(&answer, StreamBody::new(parts).boxed_unsync()))
        }
        Outcome::Stall => std::future::pending().await,
        Outcome::Close => Err("closed, as planned".into()),
    }
}

fn text_of(headers: &HeaderMap, name: hyper::header::HeaderName) -> String {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

fn json(body: &[u8]) -> Value {
    if body.is_empty() {
        return Value::Null;
    }
    let text = || Value::String(String::from_utf8_lossy(body).into_owned());
    serde_json::from_slice(body).unwrap_or_else(|_| text())
}

fn response(answer: &Answer, body: Body) -> hyper::Response<Body> {
    let mut response =
        hyper::Response::builder().status(answer.status).header(CONTENT_TYPE, &answer.content_type);
    for (name, value) in &answer.headers {
        response = response.header(*name, value);
    }
    response.body(body).expect("answers have sound statuses and headers")
}

/// Increments a counter while it is alive.
struct Counted(Arc<State>, fn(&mut ConnectionCounts) -> &mut usize);

impl Counted {
    fn new(state: &Arc<State>, what: fn(&mut ConnectionCounts) -> &mut usize) -> Self {
        state.tally.send_modify(|tally| *what(tally) += 1);
        Self(Arc::clone(state), what)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.tally.send_modify(|tally| *self.1(tally) -= 1);
    }
}
