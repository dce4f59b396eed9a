//! What hostile clients do.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;

use super::seen::{Seen, Target};
use super::{crowd, faulty};

/// A kind of hostile client.
#[derive(Clone, Copy)]
pub struct Attack {
    /// As it is named on the command line.
    pub name: &'static str,
    /// Attacks until it is told to stop; says once when everything is in place.
    pub run: fn(&Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen>,
    /// Whether an answer with this status is as it should be.
    pub expected: fn(u16) -> bool,
    /// How long it is watched each time.
    pub lasts: Duration,
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

/// All of them. Those that hold connections last for longer than the server waits for a head.
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
