//! A partner's site: pages with headers of the test's choice, and a log of requests.

use bytes::Bytes;
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

/// A page, with its headers.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub headers: Vec<(&'static str, String)>,
    pub html: String,
}

#[derive(Default)]
struct State {
    pages: Mutex<BTreeMap<String, Page>>,
    asked: Mutex<Vec<String>>,
}

/// The site, on `127.0.0.1` and its own port.
pub struct Site {
    state: Arc<State>,
    port: u16,
}

impl Site {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        let serving = state.clone();
        tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { continue };
                let state = serving.clone();
                let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
                    let response = state.answer(request.uri());
                    async move { Ok::<_, std::convert::Infallible>(response) }
                });
                let connection =
                    http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                tokio::spawn(connection);
            }
        });
        Self { state, port }
    }

    /// Returns a URL of the site with this name of the machine. For a browser another name is
    /// another site.
    pub fn address(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    pub fn put(&self, path: &str, page: Page) {
        self.state.pages.lock().unwrap().insert(path.to_owned(), page);
    }

    /// Returns the queries of the requests for this path, in order.
    pub fn asked(&self, path: &str) -> Vec<String> {
        let asked = self.state.asked.lock().unwrap();
        let of_path = |line: &String| {
            let (at, query) = line.split_once('?').unwrap_or((line, ""));
            (at == path).then(|| query.to_owned())
        };
        asked.iter().filter_map(of_path).collect()
    }
}

impl State {
    fn answer(&self, address: &hyper::Uri) -> hyper::Response<Full<Bytes>> {
        self.asked.lock().unwrap().push(address.to_string());
        let found = self.pages.lock().unwrap().get(address.path()).cloned();
        let mut response = hyper::Response::builder()
            .header("content-type", "text/html; charset=utf-8")
            .header("cache-control", "no-store");
        let html = match found {
            Some(page) => {
                for (name, value) in page.headers {
                    response = response.header(name, value);
                }
                page.html
            }
            None => "<!doctype html><title>Elsewhere</title><p>Arrived.</p>".to_owned(),
        };
        response.body(Full::new(Bytes::from(html))).unwrap()
    }
}
