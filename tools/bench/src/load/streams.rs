//! Open streams of the dashboard's inbox (server-sent events), the changes that they report, and the
//! pages that browsers load after changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, COOKIE, HOST};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::SendRequest;
use servers::clock::Stopwatch;
use servers::interrupt;
use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::client::connect;

const PATH: &str = "/inbox/stream";
const POLL: Duration = Duration::from_millis(20);
/// The time limit until all streams are open.
const PATIENCE: Duration = Duration::from_secs(30);

// The times of assets/app.js. Change them together with the script.

/// The shortest time between two loads of a page after changes, unless a change names the
/// conversation that the page shows: then the page is loaded at once. An item of a stream names a
/// conversation if its data contain the conversation's id.
const LOADED_EVERY: Duration = Duration::from_secs(5);
/// The time between a change and the load of the page.
const AFTER_CHANGE: Duration = Duration::from_millis(50);
/// The interval at which a page is loaded even if nothing changes.
const SLOWLY: Duration = Duration::from_secs(10);
/// The time limit of a load.
const LOADED_WITHIN: Duration = Duration::from_secs(20);

/// A browser with an open stream.
#[derive(Clone)]
pub struct Browser {
    /// The cookie of the member's session.
    pub cookie: String,
    /// The path of the page that the browser shows, and loads again after changes. `None` if the
    /// browser loads nothing.
    pub page: Option<String>,
}

/// A change that a stream has reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The number of the stream.
    pub stream: usize,
    /// The sequence of the organization's last event.
    pub sequence: u64,
    /// The time of the arrival, since the start of the stopwatch.
    pub at: Duration,
}

/// What browsers have received.
pub struct Received {
    /// The changes, in the order of their arrival.
    pub changes: Vec<Change>,
    /// The duration of each load of a page.
    pub loads: Vec<Duration>,
}

/// Open streams. One thread reads all of them.
pub struct Streams {
    changes: Receiver<Change>,
    loads: Receiver<Duration>,
    state: Arc<State>,
    thread: JoinHandle<Result<()>>,
}

#[derive(Default)]
struct State {
    open: AtomicUsize,
    is_over: AtomicBool,
}

impl Streams {
    /// Opens a stream of each browser, and waits until all are open.
    pub fn open(port: u16, browsers: Vec<Browser>, watch: Stopwatch) -> Result<Self> {
        let ((told, changes), (loaded, loads)) = (channel(), channel());
        let state: Arc<State> = Arc::default();
        let shared = Shared { port, watch, told, loaded, state: state.clone() };
        let many = browsers.len();
        let thread = thread::spawn(move || read_all(&shared, browsers));
        let streams = Self { changes, loads, state, thread };
        let waiting = Stopwatch::start();
        loop {
            let open = streams.state.open.load(Ordering::Relaxed);
            if open == many {
                return Ok(streams);
            }
            interrupt::check()?;
            if streams.thread.is_finished() {
                streams.close()?;
                bail!("the streams ended");
            }
            let seconds = PATIENCE.as_secs();
            ensure!(
                waiting.elapsed() < PATIENCE,
                "{open} of {many} streams are open after {seconds} s"
            );
            thread::sleep(POLL);
        }
    }

    /// Closes the streams, and returns what the browsers have received.
    pub fn close(self) -> Result<Received> {
        self.state.is_over.store(true, Ordering::Relaxed);
        self.thread.join().ok().context("the reader of the streams panicked")??;
        Ok(Received {
            changes: self.changes.try_iter().collect(),
            loads: self.loads.try_iter().collect(),
        })
    }
}

/// Reads all streams until they are closed, and loads the pages of the browsers.
fn read_all(shared: &Shared, browsers: Vec<Browser>) -> Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut streams = JoinSet::new();
        let many = u32::try_from(browsers.len())?;
        for (number, Browser { cookie, page }) in browsers.into_iter().enumerate() {
            let reader = Reader { number, cookie, shared: shared.clone() };
            let Some(path) = page else {
                streams.spawn(reader.read(Duration::ZERO, None));
                continue;
            };
            let (items, received) = unbounded_channel();
            let conversation = path.strip_prefix("/inbox/").map(str::to_owned);
            streams.spawn(reader.clone().load_again(path, received));
            // The streams are opened one after the other, so that the browsers do not all load their
            // pages at the same time.
            let opened_after = LOADED_EVERY * u32::try_from(number)? / many;
            streams.spawn(reader.read(opened_after, Some(Page { conversation, items })));
        }
        while !shared.state.is_over.load(Ordering::Relaxed) {
            if let Some(ended) = streams.try_join_next() {
                return ended?;
            }
            sleep(POLL).await;
        }
        Ok(())
    })
}

/// What all readers share.
#[derive(Clone)]
struct Shared {
    port: u16,
    watch: Stopwatch,
    told: Sender<Change>,
    loaded: Sender<Duration>,
    state: Arc<State>,
}

/// The page of a browser, which learns of each item of the stream.
struct Page {
    /// The id of the conversation that the page shows.
    conversation: Option<String>,
    /// Receives for each item whether it names that conversation.
    items: UnboundedSender<bool>,
}

/// The reader of one stream.
#[derive(Clone)]
struct Reader {
    number: usize,
    cookie: String,
    shared: Shared,
}

impl Reader {
    /// Reads the stream. Opens it again when it ends, as a browser does.
    async fn read(self, opened_after: Duration, page: Option<Page>) -> Result<()> {
        sleep(opened_after).await;
        let Shared { port, watch, told, state, .. } = &self.shared;
        let mut last = None;
        let mut was_open = false;
        loop {
            let mut connection = connect(*port).await?;
            connection.ready().await?;
            let response = connection.send_request(self.request(last)?).await?;
            let status = response.status();
            ensure!(status == StatusCode::OK, "a stream is answered {status}");
            if !was_open {
                state.open.fetch_add(1, Ordering::Relaxed);
                was_open = true;
            }
            let (mut body, mut text) = (response.into_body(), String::new());
            let mut pause = Duration::ZERO;
            while let Some(frame) = body.frame().await {
                let frame = frame?;
                let Some(part) = frame.data_ref() else { continue };
                text.push_str(&String::from_utf8_lossy(part));
                while let Some(end) = text.find('\n') {
                    let line: String = text.drain(..=end).collect();
                    match line.trim_end().split_once(": ") {
                        Some(("id", id)) => {
                            let sequence = id.parse()?;
                            let (stream, at) = (self.number, watch.elapsed());
                            // After the streams are closed, nothing receives the changes.
                            let _ = told.send(Change { stream, sequence, at });
                            last = Some(sequence);
                        }
                        Some(("retry", millis)) => pause = Duration::from_millis(millis.parse()?),
                        // The items are `changed`, and `ready` at the beginning of a stream. The
                        // page is loaded after both.
                        Some(("data", data)) => {
                            if let Some(Page { conversation, items }) = &page {
                                let shown = conversation.as_deref();
                                let _ = items.send(shown.is_some_and(|id| data.contains(id)));
                            }
                        }
                        _ => {}
                    }
                }
            }
            sleep(pause).await;
        }
    }

    /// Loads the page again after the items of the stream, as assets/app.js does.
    async fn load_again(self, path: String, mut items: UnboundedReceiver<bool>) -> Result<()> {
        let watch = self.shared.watch;
        let (mut connection, mut loaded_at) = (None, None);
        let mut due = watch.elapsed() + SLOWLY;
        loop {
            let wait = due.saturating_sub(watch.elapsed());
            match timeout(wait, items.recv()).await {
                Ok(Some(is_shown)) => {
                    due = due.min(next_load(watch.elapsed(), loaded_at, is_shown));
                }
                // The reader of the stream has ended.
                Ok(None) => return Ok(()),
                Err(_) => {
                    let begun = watch.elapsed();
                    let load = timeout(LOADED_WITHIN, self.load(&path, connection.take())).await;
                    let seconds = LOADED_WITHIN.as_secs();
                    let load = load.with_context(|| format!("{path} takes over {seconds} s"))?;
                    connection = Some(load.with_context(|| format!("GET {path}"))?);
                    let took = watch.elapsed().saturating_sub(begun);
                    let _ = self.shared.loaded.send(took);
                    loaded_at = Some(begun);
                    due = watch.elapsed() + SLOWLY;
                }
            }
        }
    }

    /// Loads a page on the open connection or a new one. Returns the connection.
    async fn load(
        &self,
        path: &str,
        open: Option<SendRequest<Full<Bytes>>>,
    ) -> Result<SendRequest<Full<Bytes>>> {
        let port = self.shared.port;
        let mut connection = match open {
            Some(open) => open,
            None => connect(port).await?,
        };
        if connection.ready().await.is_err() {
            // The proxy has closed the connection.
            connection = connect(port).await?;
            connection.ready().await?;
        }
        let request = Request::get(path)
            .header(HOST, format!("127.0.0.1:{port}"))
            .header(ACCEPT, "text/html")
            .header(ACCEPT_ENCODING, "gzip, deflate, br, zstd")
            .header(COOKIE, &self.cookie)
            .body(Full::default())?;
        let response = connection.send_request(request).await?;
        let status = response.status();
        ensure!(status == StatusCode::OK, "the page is answered {status}");
        response.into_body().collect().await?;
        Ok(connection)
    }

    fn request(&self, last: Option<u64>) -> Result<Request<Full<Bytes>>> {
        let mut request = Request::get(PATH)
            .header(HOST, format!("127.0.0.1:{}", self.shared.port))
            .header(ACCEPT, "text/event-stream")
            .header(COOKIE, &self.cookie);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        Ok(request.body(Full::default())?)
    }
}

/// Returns the time at which a page is loaded after an item that arrives `now`. `is_shown` tells
/// whether the item names the conversation that the page shows.
fn next_load(now: Duration, loaded_at: Option<Duration>, is_shown: bool) -> Duration {
    let soon = now + AFTER_CHANGE;
    match loaded_at {
        Some(loaded_at) if !is_shown => soon.max(loaded_at + LOADED_EVERY),
        _ => soon,
    }
}

/// Returns the delays in milliseconds. `begun` contains start times with sequences. A delay lasts
/// from a start time until one of the streams has reported a change with the start's sequence or a
/// later one. There is one delay for each start and each of `streams` streams. Returns `None` if a
/// stream has reported no such change.
pub fn delays(changes: &[Change], streams: usize, begun: &[(Duration, u64)]) -> Option<Vec<f64>> {
    let mut delays = Vec::new();
    for stream in 0..streams {
        let told: Vec<&Change> = changes.iter().filter(|it| it.stream == stream).collect();
        for (from, sequence) in begun {
            let first = told.iter().find(|it| it.sequence >= *sequence)?;
            delays.push(first.at.saturating_sub(*from).as_secs_f64() * 1e3);
        }
    }
    Some(delays)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    #[test]
    fn a_delay_ends_when_a_stream_reports_the_sequence() {
        let at = |millis| Duration::from_millis(millis);
        let change = |stream, sequence, millis| Change { stream, sequence, at: at(millis) };
        let changes = [change(0, 3, 120), change(1, 4, 150), change(0, 7, 300)];
        assert_eq!(delays(&changes, 2, &[(at(100), 3)]), Some(vec![20.0, 50.0]));
        // The second stream has not reported the later change.
        assert_eq!(delays(&changes, 2, &[(at(200), 7)]), None);
        assert_eq!(delays(&changes, 1, &[(at(200), 5)]), Some(vec![100.0]));
    }

    #[test]
    fn a_stream_is_read_and_opened_again() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, requests) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut stream = BufReader::new(stream);
                let mut request = String::new();
                while !request.ends_with("\r\n\r\n") {
                    // The reader disconnects at the end of the test.
                    if stream.read_line(&mut request).unwrap() == 0 {
                        return;
                    }
                }
                if asked.send(request).is_err() {
                    return;
                }
                let body = "retry: 1\n\nid: 7\nevent: changed\n\
                    data: {\"sequence\":7,\"changes\":null}\n\n:\n\n";
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = stream.get_mut().write_all(format!("{head}{body}").as_bytes());
            }
        });
        let browser = Browser { cookie: "a=1".to_owned(), page: None };
        let streams = Streams::open(port, vec![browser], Stopwatch::start()).unwrap();
        let (first, second) = (requests.recv().unwrap(), requests.recv().unwrap());
        assert!(first.contains("cookie: a=1") && !first.contains("last-event-id"), "{first}");
        assert!(second.contains("last-event-id: 7"), "{second}");
        let received = streams.close().unwrap();
        assert!(received.loads.is_empty());
        assert_eq!(received.changes.first().map(|it| (it.stream, it.sequence)), Some((0, 7)));
    }

    #[test]
    fn a_page_is_loaded_at_once_only_if_its_conversation_changed() {
        let at = Duration::from_millis;
        assert_eq!(next_load(at(1000), None, false), at(1050));
        assert_eq!(next_load(at(1000), Some(at(900)), true), at(1050));
        assert_eq!(next_load(at(1000), Some(at(900)), false), at(900) + LOADED_EVERY);
        assert_eq!(next_load(at(9000), Some(at(900)), false), at(9050));
    }

    #[test]
    fn a_browser_loads_its_page_when_the_stream_is_ready() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, requests) = channel();
        thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming().flatten() {
                let mut stream = BufReader::new(stream);
                let mut request = String::new();
                while !request.ends_with("\r\n\r\n") {
                    if stream.read_line(&mut request).unwrap() == 0 {
                        return;
                    }
                }
                // The stream stays open, because its answer is shorter than it says.
                let answer = if request.starts_with("GET /inbox/stream ") {
                    "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nevent: ready\ndata: {}\n\n"
                } else {
                    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n-"
                };
                let _ = stream.get_mut().write_all(answer.as_bytes());
                open.push(stream);
                if asked.send(request).is_err() {
                    return;
                }
            }
        });
        let page = Some("/inbox/conv_1".to_owned());
        let browser = Browser { cookie: "a=1".to_owned(), page };
        let streams = Streams::open(port, vec![browser], Stopwatch::start()).unwrap();
        let (first, second) = (requests.recv().unwrap(), requests.recv().unwrap());
        assert!(first.starts_with("GET /inbox/stream "), "{first}");
        assert!(second.starts_with("GET /inbox/conv_1 "), "{second}");
        assert!(second.contains("cookie: a=1"), "{second}");
        assert!(streams.close().unwrap().changes.is_empty());
    }
}
