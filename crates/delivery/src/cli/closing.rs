//! Closing a listener so that anyone who is connected already is still served.

use crate::log;
use socket2::{SockFilter, SockRef};
use std::net::{Shutdown, TcpListener};
use std::time::Duration;

/// How long connections that are complete may wait to be accepted, on a machine that may be busy.
const ACCEPTED_TIMEOUT: Duration = Duration::from_millis(500);

/// Drops each packet that asks for a connection: a filter of a TCP socket sees the TCP header, whose byte 13 holds
/// the flags, of which 2 is SYN. What belongs to a connection passes.
const NO_SYN: [SockFilter; 4] = [
    SockFilter::new(0x30, 0, 0, 13),       // load the byte
    SockFilter::new(0x45, 0, 1, 2),        // SYN set?
    SockFilter::new(0x06, 0, 0, 0),        // drop
    SockFilter::new(0x06, 0, 0, u32::MAX), // pass
];

/// Accepts who is connected, and then refuses everybody else. The kernel resets what waits to be accepted when a
/// listener is closed, and a proxy that has sent a request there already cannot repeat it. So nothing new may be
/// connected first; anyone who tries meanwhile is refused when their system repeats the packet, after a second.
pub(super) async fn close(listener: &TcpListener) {
    let socket = SockRef::from(listener);
    match socket.attach_filter(&NO_SYN) {
        Ok(()) => tokio::time::sleep(ACCEPTED_TIMEOUT).await,
        Err(error) => tracing::warn!(%error, "connections that wait to be accepted are cut off"),
    }
    log::listener_closes();
    if let Err(error) = socket.shutdown(Shutdown::Both) {
        tracing::warn!(%error, "the listener could not be closed early");
    }
}
