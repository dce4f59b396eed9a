//! What hostile clients do.

use std::sync::atomic::AtomicBool;

use anyhow::Result;

use super::seen::{Seen, Target};
use super::{crowd, faulty};

/// A kind of hostile client.
pub struct Attack {
    /// For people.
    pub name: &'static str,
    /// Attacks until it is told to stop; says once when everything is in place.
    pub run: fn(&Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen>,
    /// Whether an answer with this status is as it should be.
    pub expected: fn(u16) -> bool,
}

/// Any answer but a failure of the server's own.
fn no_failure(status: u16) -> bool {
    status < 500
}

/// A refusal, or a closed connection.
fn refused(status: u16) -> bool {
    status == 0 || (400..500).contains(&status)
}

fn ok(status: u16) -> bool {
    status == 200
}

/// All of them.
pub const ATTACKS: &[Attack] = &[
    Attack { name: "1,000 slow heads", run: crowd::slow_heads, expected: no_failure },
    Attack { name: "1,000 slow bodies", run: crowd::slow_bodies, expected: no_failure },
    Attack { name: "10,000 idle connections", run: crowd::idle, expected: ok },
    Attack { name: "2,000 half-open sockets", run: crowd::half_open, expected: no_failure },
    Attack { name: "answers never read", run: crowd::unread, expected: no_failure },
    Attack { name: "pipelining", run: faulty::pipelining, expected: ok },
    Attack { name: "conflicting lengths", run: faulty::conflicting_lengths, expected: refused },
    Attack { name: "huge headers", run: faulty::huge_headers, expected: refused },
    Attack { name: "deep JSON", run: faulty::deep_json, expected: refused },
    Attack { name: "compressed bombs", run: faulty::compressed_bombs, expected: refused },
    Attack { name: "aborted uploads", run: faulty::aborted_uploads, expected: refused },
];
