//! Limits on clients' connections: the number per address, and the time for which a client may
//! leave an answer unread.

use config::PerAddress;
use domain::number::saturating;
use ipnet::IpNet;
use parking_lot::Mutex;
use rustix::process::{Resource, getrlimit, setrlimit};
use socket2::SockRef;
use std::collections::HashMap;
use std::io::{self, IoSlice};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// The upper limit of open files to request from the system: more than any Switchboard server
/// needs.
const MAX_OPEN_FILES: u64 = 1 << 20;
/// The maximum number of connections per address if none is configured.
const MAX_PER_ADDRESS: usize = 4096;
/// The maximum number of bytes in a socket's send buffer that are not sent yet. The smaller it is,
/// the sooner a successful write shows that the client has read something.
const UNSENT: u32 = 64 * 1024;
/// The maximum number of connections per HTTP worker, regardless of the file limit. The value is
/// actix-web's own default.
const MAX_PER_WORKER: usize = 25_600;

/// Raises this process's limit of open files as far as the system allows. Each connection is a
/// file, and the usual limit of 1,024 is reached quickly.
pub fn raise_file_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(MAX_OPEN_FILES).min(MAX_OPEN_FILES);
    if limit.current.is_none_or(|current| current >= most) {
        return;
    }
    limit.current = Some(most);
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
}

/// Returns the maximum number of files that a server started from here could open.
#[must_use]
pub fn most_files() -> u64 {
    getrlimit(Resource::Nofile).maximum.unwrap_or(MAX_OPEN_FILES).min(MAX_OPEN_FILES)
}

/// Returns the number of files that this process may open.
fn file_limit() -> usize {
    let current = getrlimit(Resource::Nofile).current.unwrap_or(MAX_OPEN_FILES);
    saturating(current.min(MAX_OPEN_FILES), usize::MAX)
}

/// Returns the maximum number of connections of each of `workers` HTTP workers. A quarter of the
/// files is left for other purposes.
#[must_use]
pub fn per_worker(workers: usize) -> usize {
    (file_limit() / 4 * 3 / workers.max(1)).clamp(1, MAX_PER_WORKER)
}

/// The open connections, counted by address.
pub struct Connections {
    per_address: usize,
    unbounded: Vec<IpNet>,
    max_unread: Duration,
    open: Mutex<HashMap<IpAddr, usize>>,
}

/// One counted connection. Dropping it lowers the count.
struct ConnectionSlot {
    connections: Arc<Connections>,
    address: IpAddr,
}

impl Connections {
    /// Allows `per_address` connections per address, and any number to the networks in `unbounded`.
    /// A connection whose client reads nothing for `max_unread` is closed.
    #[must_use]
    pub fn new(per_address: PerAddress, unbounded: Vec<IpNet>, max_unread: Duration) -> Self {
        let per_address = match per_address {
            PerAddress::AtMost(most) => most,
            PerAddress::Auto => (file_limit() / 4).clamp(1, MAX_PER_ADDRESS),
        };
        Self { per_address, unbounded, max_unread, open: Mutex::default() }
    }

    /// Admits a new connection. Returns `None` if its address already has the maximum number of
    /// connections.
    pub fn admit(self: &Arc<Self>, stream: TcpStream, peer: Option<SocketAddr>) -> Option<Bounded> {
        let address = peer.map(|peer| peer.ip().to_canonical());
        let counted = address.filter(|it| !self.unbounded.iter().any(|net| net.contains(it)));
        let place = match counted.map(|address| (address, self.reserve(address))) {
            Some((address, None)) => {
                metrics::counter!("switchboard_http_connections_refused_total").increment(1);
                tracing::debug!(%address, "an address has too many connections; one is closed");
                return None;
            }
            Some((_, place)) => place,
            None => None,
        };
        let socket = SockRef::from(&stream);
        let set = socket.set_tcp_nodelay(true).and_then(|()| socket.set_tcp_notsent_lowat(UNSENT));
        if let Err(error) = set {
            tracing::debug!(%error, "a connection could not be set up");
        }
        Some(Bounded { stream, max_unread: self.max_unread, stalled: None, _place: place })
    }

    fn reserve(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionSlot> {
        let address = network_of(address);
        let mut open = self.open.lock();
        let held = open.entry(address).or_default();
        if *held >= self.per_address {
            return None;
        }
        *held += 1;
        Some(ConnectionSlot { connections: self.clone(), address })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.connections.open.lock();
        if let Some(held) = open.get_mut(&self.address) {
            *held -= 1;
            if *held == 0 {
                open.remove(&self.address);
            }
        }
    }
}

/// A connection that fails when its client reads nothing for too long.
pub struct Bounded {
    stream: TcpStream,
    max_unread: Duration,
    /// The timer that runs while the system accepts no more bytes for sending.
    stalled: Option<Pin<Box<Sleep>>>,
    _place: Option<ConnectionSlot>,
}

impl Bounded {
    /// Converts a pending write into a timeout error if it has waited for too long.
    fn within(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let most = self.max_unread;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(most)));
        stalled.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.within(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.within(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Returns the address under which a connection is counted. For IPv6 this is the /64, because one
/// subscriber usually has all of its addresses.
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(per_address: usize) -> Arc<Connections> {
        Arc::new(Connections::new(
            PerAddress::AtMost(per_address),
            Vec::new(),
            Duration::from_secs(30),
        ))
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_place_that_is_given_back_is_free_again() {
        let connections = connections(2);
        let one = connections.reserve(address("192.0.2.1"));
        let other = connections.reserve(address("192.0.2.1"));
        assert!(one.is_some() && other.is_some());
        assert!(connections.reserve(address("192.0.2.1")).is_none());
        assert!(connections.reserve(address("192.0.2.2")).is_some());
        drop(one);
        assert!(connections.reserve(address("192.0.2.1")).is_some());
        drop(other);
        assert!(connections.open.lock().is_empty(), "nothing is kept of who has left");
    }

    #[test]
    fn addresses_of_one_subscriber_are_one() {
        let connections = connections(1);
        let _held = connections.reserve(address("2001:db8::1")).unwrap();
        assert!(connections.reserve(address("2001:db8::ffff:1")).is_none());
        assert!(connections.reserve(address("2001:db8:0:1::1")).is_some());
    }
}
