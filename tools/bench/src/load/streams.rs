//! Open streams of the dashboard's inbox (server-sent events), and the changes that they report.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use http::header::{ACCEPT, COOKIE, HOST};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use servers::clock::Stopwatch;
use servers::interrupt;
use tokio::runtime::Builder;
use tokio::task::JoinSet;

use crate::client::connect;

const PATH: &str = "/inbox/stream";
const POLL: Duration = Duration::from_millis(20);
/// The time limit until all streams are open.
const PATIENCE: Duration = Duration::from_secs(30);

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

/// Open streams of one member. One thread reads all of them.
pub struct Streams {
    changes: Receiver<Change>,
    state: Arc<State>,
    thread: JoinHandle<Result<()>>,
}

#[derive(Default)]
struct State {
    open: AtomicUsize,
    is_over: AtomicBool,
}

impl Streams {
    /// Opens this many streams with a member's cookie, and waits until all are open.
    pub fn open(port: u16, cookie: &str, many: usize, watch: Stopwatch) -> Result<Self> {
        let (told, changes) = channel();
        let state: Arc<State> = Arc::default();
        let (cookie, shared) = (cookie.to_owned(), state.clone());
        let reader = Reader { number: 0, port, cookie, watch, told, state: shared };
        let thread = thread::spawn(move || read_all(&reader, many));
        let streams = Self { changes, state, thread };
        while streams.state.open.load(Ordering::Relaxed) < many {
            interrupt::check()?;
            if streams.thread.is_finished() {
                streams.close()?;
                bail!("the streams ended");
            }
            ensure!(watch.elapsed() < PATIENCE, "not all streams are open");
            thread::sleep(POLL);
        }
        Ok(streams)
    }

    /// Closes the streams, and returns the changes in the order of their arrival.
    pub fn close(self) -> Result<Vec<Change>> {
        self.state.is_over.store(true, Ordering::Relaxed);
        self.thread.join().ok().context("the reader of the streams panicked")??;
        Ok(self.changes.try_iter().collect())
    }
}

/// Reads all streams until they are closed.
fn read_all(reader: &Reader, many: usize) -> Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut streams = JoinSet::new();
        for number in 0..many {
            streams.spawn(Reader { number, ..reader.clone() }.read());
        }
        while !reader.state.is_over.load(Ordering::Relaxed) {
            if let Some(ended) = streams.try_join_next() {
                return ended?;
            }
            tokio::time::sleep(POLL).await;
        }
        Ok(())
    })
}

/// The reader of one stream.
#[derive(Clone)]
struct Reader {
    number: usize,
    port: u16,
    cookie: String,
    watch: Stopwatch,
    told: Sender<Change>,
    state: Arc<State>,
}

impl Reader {
    /// Reads the stream. Opens it again when it ends, as a browser does.
    async fn read(self) -> Result<()> {
        let mut last = None;
        let mut was_open = false;
        loop {
            let mut connection = connect(self.port).await?;
            connection.ready().await?;
            let response = connection.send_request(self.request(last)?).await?;
            let status = response.status();
            ensure!(status == StatusCode::OK, "a stream is answered {status}");
            if !was_open {
                self.state.open.fetch_add(1, Ordering::Relaxed);
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
                            let (stream, at) = (self.number, self.watch.elapsed());
                            // After the streams are closed, nothing receives the changes.
                            let _ = self.told.send(Change { stream, sequence, at });
                            last = Some(sequence);
                        }
                        Some(("retry", millis)) => pause = Duration::from_millis(millis.parse()?),
                        _ => {}
                    }
                }
            }
            tokio::time::sleep(pause).await;
        }
    }

    fn request(&self, last: Option<u64>) -> Result<Request<Full<Bytes>>> {
        let mut request = Request::get(PATH)
            .header(HOST, format!("127.0.0.1:{}", self.port))
            .header(ACCEPT, "text/event-stream")
            .header(COOKIE, &self.cookie);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        Ok(request.body(Full::default())?)
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
                let body = "retry: 1\n\nid: 7\nevent: changed\ndata: {\"sequence\":7}\n\n:\n\n";
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = stream.get_mut().write_all(format!("{head}{body}").as_bytes());
            }
        });
        let streams = Streams::open(port, "a=1", 1, Stopwatch::start()).unwrap();
        let (first, second) = (requests.recv().unwrap(), requests.recv().unwrap());
        assert!(first.contains("cookie: a=1") && !first.contains("last-event-id"), "{first}");
        assert!(second.contains("last-event-id: 7"), "{second}");
        let changes = streams.close().unwrap();
        assert_eq!(changes.first().map(|it| (it.stream, it.sequence)), Some((0, 7)));
    }
}
