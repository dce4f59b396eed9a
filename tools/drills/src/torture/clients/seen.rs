//! The target of hostile clients, and the answers that they received.

use std::collections::BTreeMap;

use super::super::judge::Judge;
use crate::proof::evidence::zero;
use crate::proof::report::Figure;
use bench::load::{Credentials, float};

pub struct Target {
    pub port: u16,
    /// A key that the hostile clients have.
    pub key: Credentials,
}

/// The results of hostile clients.
#[derive(Default)]
pub struct Seen {
    /// The number of opened connections.
    pub connections: u64,
    /// The largest number of simultaneously open connections.
    pub open: u64,
    /// The number of answers by status. The status is 0 if the connection was closed instead.
    pub statuses: BTreeMap<u16, u64>,
}

impl Seen {
    /// Adds the results of another round.
    pub fn add(&mut self, other: Self) {
        self.connections += other.connections;
        self.open = self.open.max(other.open);
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
    }

    /// Counts an answer. The status is 0 if there was no answer.
    pub fn answered(&mut self, status: u16) {
        *self.statuses.entry(status).or_default() += 1;
    }

    /// Returns the figures, including the number of unexpected answers.
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
