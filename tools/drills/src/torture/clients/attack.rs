//! The attacks of hostile clients.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;

use super::seen::{Seen, Target};
use super::{crowd, faulty};

/// A kind of hostile client.
#[derive(Clone, Copy)]
pub struct Attack {
    /// The name on the command line.
    pub name: &'static str,
    /// The function that attacks. It sets `ready` once the attack has begun, and ends when `stop`
    /// is set.
    pub run: fn(&Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen>,
    /// Whether an answer with this status is expected.
    pub expected: fn(u16) -> bool,
    /// The duration of each observation.
    pub lasts: Duration,
}

/// Accepts any answer except a server error.
fn no_failure(status: u16) -> bool {
    status < 500
}

/// Accepts a refusal or a closed connection.
fn refused(status: u16) -> bool {
    status == 0 || (400..500).contains(&status)
}

fn ok(status: u16) -> bool {
    status == 200
}

const fn long(
    name: &'static str,
    run: fn(&Target, &AtomicBool, &AtomicBool) -> Result<Seen>,
    expected: fn(u16) -> bool,
) -> Attack {
    Attack { name, run, expected, lasts: Duration::from_secs(11) }
}

const fn short(
    name: &'static str,
    run: fn(&Target, &AtomicBool, &AtomicBool) -> Result<Seen>,
    expected: fn(u16) -> bool,
) -> Attack {
    Attack { name, run, expected, lasts: Duration::from_secs(4) }
}

/// All attacks. Those that hold connections run for longer than the server waits for the head of a
/// request.
pub const ATTACKS: &[Attack] = &[
    long("slow-heads", crowd::slow_heads, no_failure),
    long("slow-bodies", crowd::slow_bodies, no_failure),
    long("idle", crowd::idle, no_failure),
    long("half-heads", crowd::halves, no_failure),
    long("unread-answers", crowd::unread, no_failure),
    short("pipelining", faulty::pipelining, ok),
    short("conflicting-lengths", faulty::conflicting_lengths, refused),
    short("huge-headers", faulty::huge_headers, refused),
    short("deep-json", faulty::deep_json, refused),
    short("compressed-bombs", faulty::compressed_bombs, refused),
    short("aborted-uploads", faulty::aborted_uploads, refused),
];
