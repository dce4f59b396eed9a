//! Clients that connect and send nothing, or never read their responses, do not block other clients
//! (`docs/security.md` 29).

use crate::world::{Process, free_port};
use platform::clock::Stopwatch;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

/// The number of requests that a client sends without reading: their responses fill all buffers on
/// the way.
const UNREAD: usize = 100;

/// Raises this process' limit of open files to its maximum.
fn many_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
}

/// Connects from this address of the loopback network.
async fn connect_from(address: Ipv4Addr, process: &Process) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    socket.bind((address, 0).into()).unwrap();
    let to = process.base.strip_prefix("http://").unwrap().parse().unwrap();
    socket.connect(to).await.unwrap()
}

/// Returns whether a client at this address gets a response within two seconds.
async fn is_served(address: Ipv4Addr, process: &Process) -> bool {
    let client = reqwest::Client::builder().local_address(IpAddr::V4(address)).build().unwrap();
    let answer = client.get(format!("{}/healthz", process.base)).send();
    matches!(timeout(Duration::from_secs(2), answer).await, Ok(Ok(answer)) if answer.status() == 200)
}

/// Returns whether the server closes this connection within two seconds.
async fn is_closed(stream: &mut TcpStream) -> bool {
    let read = timeout(Duration::from_secs(2), stream.read(&mut [0; 64])).await;
    matches!(read, Ok(Ok(0) | Err(_)))
}

/// Returns the number of open files of a process. The process must permit it.
fn open_files(process: &Process) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", process.id())).unwrap().count()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn database(&self) -> String {
        format!("sqlite:{}", self.0.path().join("switchboard.db").display())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eleven_hundred_silent_connections_lock_nobody_out() {
    // Given a server that was started with the usual soft limit of 1,024 files,
    many_files();
    let folder = Folder::new();
    let process = Process::serve_limited(&folder.database(), "-S -n 1024", &[]).await;

    // when 1,100 connections are opened that send nothing,
    let mut silent = Vec::new();
    for _ in 0..1100 {
        silent.push(connect_from(Ipv4Addr::LOCALHOST, &process).await);
    }
    sleep(Duration::from_millis(500)).await; // real time: another process accepts them

    // then clients are served, both at another address and at the same one.
    assert!(is_served(Ipv4Addr::new(127, 0, 0, 2), &process).await, "from another address");
    assert!(is_served(Ipv4Addr::LOCALHOST, &process).await, "from the same address");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_never_read_are_cut_off() {
    // Given a server with a hard limit of 200 open files,
    let folder = Folder::new();
    let variables = [("SWITCHBOARD_ANSWER_TIMEOUT", "3"), ("SWITCHBOARD_ALLOW_DEBUGGER", "true")];
    let process = Process::serve_limited(&folder.database(), "-n 200", &variables).await;
    assert!(is_served(Ipv4Addr::new(127, 0, 0, 2), &process).await);
    let before = open_files(&process);

    // when 100 clients at one address request more than the buffers hold and read nothing,
    let mut clients = Vec::new();
    for _ in 0..100 {
        let mut client = connect_from(Ipv4Addr::LOCALHOST, &process).await;
        let request = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(UNREAD);
        // The server may have closed the connection already.
        drop(client.write_all(request.as_bytes()).await);
        clients.push(client);
    }

    // then a client at another address is served in the meantime,
    sleep(Duration::from_secs(1)).await; // real time: another process writes
    assert!(
        is_served(Ipv4Addr::new(127, 0, 0, 2), &process).await,
        "files: {}",
        open_files(&process)
    );

    // and their connections are closed after the three seconds, apart from delays of the kernel's
    // timers.
    let begun = Stopwatch::start();
    while open_files(&process) > before + 4 {
        let (open, waited) = (open_files(&process), begun.elapsed());
        assert!(
            waited < Duration::from_secs(20),
            "{open} files are open after {waited:?}, {before} before"
        );
        sleep(Duration::from_millis(100)).await; // real time: the kernel's timers
    }
    drop(clients);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_readers_are_not_disconnected() {
    // Given responses that take longer to read than the timeout for a response without progress,
    let folder = Folder::new();
    let variables = [("SWITCHBOARD_ANSWER_TIMEOUT", "4")];
    let process = Process::serve_with(&folder.database(), free_port(), &variables).await;
    let mut client =
        TcpStream::connect(process.base.strip_prefix("http://").unwrap()).await.unwrap();
    let request = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(UNREAD);
    client.write_all(request.as_bytes()).await.unwrap();

    // when they are read at 200 KB a second for four times as long as the timeout,
    let mut buffer = vec![0; 100_000];
    for _ in 0..32 {
        sleep(Duration::from_millis(500)).await; // real time: a slow client
        // then the server keeps writing.
        client.read_exact(&mut buffer).await.expect("the connection is open");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_holds_so_many_connections_and_no_more() {
    // Given a server that permits twenty connections per address, except for a trusted proxy,
    let folder = Folder::new();
    let (one, other, proxy) =
        (Ipv4Addr::new(127, 0, 0, 3), Ipv4Addr::new(127, 0, 0, 4), Ipv4Addr::new(127, 0, 0, 9));
    let variables = [
        ("SWITCHBOARD_CONNECTIONS_PER_ADDRESS", "20"),
        ("SWITCHBOARD_TRUSTED_PROXIES", "127.0.0.9/32"),
    ];
    let process = Process::serve_with(&folder.database(), free_port(), &variables).await;

    // when a client has twenty, then its next one is closed at once, and other addresses are
    // served,
    let mut held = Vec::new();
    for _ in 0..20 {
        held.push(connect_from(one, &process).await);
    }
    sleep(Duration::from_millis(200)).await; // real time: another process accepts them
    assert!(is_closed(&mut connect_from(one, &process).await).await);
    assert!(!is_served(one, &process).await);
    assert!(is_served(other, &process).await);

    // and when one of them is closed, then a new one is accepted.
    drop(held.pop());
    sleep(Duration::from_millis(200)).await; // real time: another process notices
    assert!(is_served(one, &process).await);

    // A proxy may open more.
    let mut proxied = Vec::new();
    for _ in 0..40 {
        proxied.push(connect_from(proxy, &process).await);
    }
    assert!(is_served(proxy, &process).await);
}
