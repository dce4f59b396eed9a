//! What hostile clients know of the server, and what they have seen of it.

use std::collections::BTreeMap;

use super::super::judge::Judge;
use crate::bench::{Credentials, float};
use crate::proof::evidence::zero;
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
    pub fn figures(&self, judge: &Judge, expected: fn(u16) -> bool) -> Vec<Figure> {
        let each = self.statuses.iter().map(|(status, count)| match status {
            0 => format!("closed: {count}"),
            _ => format!("{status}: {count}"),
        });
        let answers: u64 = self.statuses.values().sum();
        let wrong = self.statuses.iter().filter(|(status, _)| !expected(**status));
        let wrong: u64 = wrong.map(|(_, count)| count).sum();
        vec![
            judge.figure("connections of hostile clients", float(self.connections)),
            judge.figure("most of them open at a time", float(self.open)),
            judge
                .figure("answers to them", float(answers))
                .noted(each.collect::<Vec<_>>().join(", ")),
            zero(
                judge.part,
                format!("{}: answers that are not as they should be", judge.run),
                wrong,
            ),
        ]
    }
}
