//! Closes a listener in a way that clients that are already connected are still served.

use crate::log;
use socket2::{SockFilter, SockRef};
use std::net::{Shutdown, TcpListener};
use std::time::Duration;

/// The time in which connections that are complete are accepted. It is long enough for a busy
/// machine.
const ACCEPTED_TIMEOUT: Duration = Duration::from_millis(500);

/// A packet filter that drops every connection request. A filter of a TCP socket sees the TCP
/// header, whose byte 13 holds the flags; flag 2 is SYN. Packets of existing connections pass.
const NO_SYN: [SockFilter; 4] = [
    SockFilter::new(0x30, 0, 0, 13),       // load the byte
    SockFilter::new(0x45, 0, 1, 2),        // SYN set?
    SockFilter::new(0x06, 0, 0, 0),        // drop
    SockFilter::new(0x06, 0, 0, u32::MAX), // pass
];

/// Accepts the clients that are already connected, and then refuses all others. When a listener is
/// closed, the kernel resets connections that wait to be accepted. A proxy that has already sent a
/// request on such a connection cannot repeat it. So new connections are blocked first. A client
/// that tries to connect meanwhile is refused when its system repeats the packet, after a second.
pub(super) async fn close(listener: &TcpListener) {
    let socket = SockRef::from(listener);
    match socket.attach_filter(&NO_SYN) {
        Ok(()) => tokio::time::sleep(ACCEPTED_TIMEOUT).await,
        Err(error) => tracing::warn!(%error, "connections that wait to be accepted are reset"),
    }
    log::listener_closes();
    if let Err(error) = socket.shutdown(Shutdown::Both) {
        tracing::warn!(%error, "the listener could not be closed early");
    }
}
