//! A TCP proxy whose connections can go silent: they stay open, but no byte passes. A client sees
//! the same when a firewall drops a connection's state or when a host fails over.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

pub struct Proxy {
    address: SocketAddr,
    state: Arc<State>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    accepted: AtomicUsize,
    /// Connections with a lower number are silent.
    silent_below: AtomicUsize,
    /// Whether newly accepted connections are silent from the start.
    new_are_silent: AtomicBool,
}

impl Proxy {
    /// Starts a proxy in front of `server`, given as `HOST:PORT`.
    pub async fn start(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::<State>::default();
        let accepting = tokio::spawn(accept(listener, server.to_owned(), state.clone()));
        Self { address, state, accepting }
    }

    /// Starts a proxy in front of a database server. Returns the proxy and the database URL through
    /// it.
    pub async fn to_database(url: &str) -> (Self, String) {
        let mut through = url::Url::parse(url).unwrap();
        let (host, port) = (through.host_str().unwrap(), through.port().unwrap());
        let proxy = Self::start(&format!("{host}:{port}")).await;
        through.set_ip_host(proxy.address.ip()).unwrap();
        through.set_port(Some(proxy.address.port())).unwrap();
        (proxy, through.into())
    }

    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Silences all connections that are open now. New connections work.
    pub fn silence_open_connections(&self) {
        self.state.silent_below.store(usize::MAX, Ordering::SeqCst);
        self.state.silent_below.store(self.connections(), Ordering::SeqCst);
    }

    /// Silences all open connections, and all connections that are accepted later.
    pub fn silence_all_connections(&self) {
        self.state.new_are_silent.store(true, Ordering::SeqCst);
        self.silence_open_connections();
    }

    /// Lets new connections work again. Silenced connections stay silent.
    pub fn let_new_connections_pass(&self) {
        self.silence_open_connections();
        self.state.new_are_silent.store(false, Ordering::SeqCst);
    }

    /// Returns the number of connections accepted so far.
    pub fn connections(&self) -> usize {
        self.state.accepted.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, server: String, state: Arc<State>) {
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.unwrap();
        let number = state.accepted.fetch_add(1, Ordering::SeqCst);
        if state.new_are_silent.load(Ordering::SeqCst) {
            connections.spawn(keep_open(client));
        } else {
            connections.spawn(forward(client, server.clone(), state.clone(), number));
        }
    }
}

/// Keeps a connection open without reading or writing.
async fn keep_open(client: TcpStream) {
    let _client = client;
    pending::<()>().await;
}

async fn forward(client: TcpStream, server: String, state: Arc<State>, number: usize) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let is_silent = || number < state.silent_below.load(Ordering::SeqCst);
    tokio::join!(
        copy_bytes(from_client, to_server, is_silent),
        copy_bytes(from_server, to_client, is_silent)
    );
}

async fn copy_bytes(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    is_silent: impl Fn() -> bool,
) {
    let mut bytes = vec![0; 16 * 1024];
    loop {
        // A broken connection is treated like a closed one.
        let Ok(read) = from.read(&mut bytes).await.or(Ok::<usize, ()>(0)) else { return };
        if is_silent() {
            if read == 0 {
                // The other side must not learn that this side has closed the connection.
                pending::<()>().await;
            }
        } else if read == 0 || to.write_all(&bytes[..read]).await.is_err() {
            drop(to.shutdown().await);
            return;
        }
    }
}
