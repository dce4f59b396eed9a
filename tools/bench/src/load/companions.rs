//! The small servers that run beside the measured server.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;

use crate::client::{answers, request};
use servers::{Running, free_port};

const START: Duration = Duration::from_secs(20);
/// The interval at which the silent server checks for new connections.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A server whose handler does nothing.
pub struct Bare {
    running: Running,
    port: u16,
}

impl Bare {
    /// Starts the server with the default number of workers of the measured server: one per core.
    pub fn start(program: &Path, files: &Path) -> Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "one worker is a safe default")]
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let port = free_port()?;
        let mut command = Command::new(program);
        command.args(["--bind", &format!("127.0.0.1:{port}"), "--workers", &workers.to_string()]);
        let log = files.join("bare.log");
        let mut running = Running::spawn("the bare server", &mut command, log, Signal::TERM)?;
        running.until_ready(START, || answers(port, "/", &[], 200))?;
        Ok(Self { running, port })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the id of the server's process.
    pub fn process(&self) -> u32 {
        self.running.id()
    }
}

/// A server that receives the measured server's requests.
pub struct Sink {
    _running: Running,
    port: u16,
}

impl Sink {
    /// Starts a sink that answers after `delay` milliseconds. If `delay` is 0, the sink acts as a
    /// webhook endpoint, otherwise as Meta's Graph API.
    pub fn start(program: &Path, files: &Path, delay: u32) -> Result<Self> {
        let port = free_port()?;
        let mut command = Command::new(program);
        command.args(["--bind", &format!("127.0.0.1:{port}"), "--delay", &delay.to_string()]);
        let log = files.join("sink.log");
        let mut running = Running::spawn("the sink", &mut command, log, Signal::KILL)?;
        running.until_ready(START, || answers(port, "/count", &[], 200))?;
        Ok(Self { _running: running, port })
    }

    /// Returns the sink's URL without a path.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the number of requests that the sink has answered.
    pub fn count(&self) -> Result<u64> {
        let answer = request(self.port, "GET", "/count", &[], "")?;
        answer.body.trim().parse().context("the sink did not return a count")
    }
}

/// A server in this process that accepts connections and never answers.
pub struct SilentServer {
    port: u16,
    state: Arc<SilentState>,
    thread: JoinHandle<Result<()>>,
}

#[derive(Default)]
struct SilentState {
    accepted: AtomicU64,
    is_over: AtomicBool,
}

impl SilentServer {
    pub fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let state: Arc<SilentState> = Arc::default();
        let shared = state.clone();
        let thread = thread::spawn(move || shared.accept(&listener));
        Ok(Self { port, state, thread })
    }

    /// Returns the URL without a path.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the number of accepted connections.
    pub fn accepted(&self) -> u64 {
        self.state.accepted.load(Ordering::Relaxed)
    }

    /// Closes all connections. The port refuses connections afterwards.
    pub fn close(self) -> Result<()> {
        self.state.is_over.store(true, Ordering::Relaxed);
        self.thread.join().ok().context("the silent server panicked")?
    }
}

impl SilentState {
    fn accept(&self, listener: &TcpListener) -> Result<()> {
        let mut open = Vec::new();
        while !self.is_over.load(Ordering::Relaxed) {
            match listener.accept() {
                Ok((stream, _)) => {
                    open.push(stream);
                    self.accepted.fetch_add(1, Ordering::Relaxed);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(LOOK_EVERY),
                Err(error) => return Err(error).context("the silent server cannot accept"),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn a_silent_server_refuses_connections_once_it_is_closed() {
        let server = SilentServer::start().unwrap();
        let port = server.port;
        let _open = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        while server.accepted() == 0 {
            thread::sleep(LOOK_EVERY);
        }
        server.close().unwrap();
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err());
    }
}
