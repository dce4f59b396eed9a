//! What hostile clients do.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use anyhow::Result;

use super::super::judge::Judge;
use super::{crowd, faulty};
use crate::bench::{Credentials, float};
use crate::proof::report::Figure;

/// Whom they attack.
pub struct Target {
    /// Where it listens.
    pub port: u16,
    /// A key that they have.
    pub key: Credentials,
}

/// What they have seen.
#[derive(Default)]
pub struct Seen {
    /// Connections that they have opened.
    pub connections: u64,
    /// Most of them that were open at a time.
    pub open: u64,
    /// Answers, by status; 0 where the connection was closed instead.
    pub statuses: BTreeMap<u16, u64>,
}

impl Seen {
    /// What was seen another time as well.
    pub fn add(&mut self, other: Self) {
        self.connections += other.connections;
        self.open = self.open.max(other.open);
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
    }

    /// An answer, or none.
    pub fn answered(&mut self, status: u16) {
        *self.statuses.entry(status).or_default() += 1;
    }

    /// What was done, and what was answered otherwise than it should have been.
    pub fn figures(&self, judge: &Judge, attack: &Attack) -> Vec<Figure> {
        let each = self.statuses.iter().map(|(status, count)| match status {
            0 => format!("closed: {count}"),
            _ => format!("{status}: {count}"),
        });
        let answers: u64 = self.statuses.values().sum();
        let wrong = self.statuses.iter().filter(|(status, _)| !(attack.expected)(**status));
        let wrong: u64 = wrong.map(|(_, count)| count).sum();
        let count = usize::try_from(wrong).unwrap_or(usize::MAX);
        vec![
            judge.figure("connections of hostile clients", float(self.connections)),
            judge.figure("most of them open at a time", float(self.open)),
            judge
                .figure("answers to them", float(answers))
                .noted(each.collect::<Vec<_>>().join(", ")),
            judge.none("answers to them that are not as they should be", count),
        ]
    }
}

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
