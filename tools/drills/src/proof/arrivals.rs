//! The arrivals at the channel's stand-in, compared with the API's history.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::channel::Arrival;
use super::evidence::{Evidence, between, zero};
use super::order;
use super::report::Figure;

/// The arrivals of messages: the first arrival of each message, and all others.
pub struct Arrived<'a> {
    all: &'a [Arrival],
    first: BTreeMap<&'a str, &'a Arrival>,
    /// Repeated arrivals: those of messages that had arrived before.
    pub again: Vec<&'a Arrival>,
}

impl<'a> Arrived<'a> {
    /// Separates first from repeated arrivals. `all` is in the order of arrival.
    pub fn of(all: &'a [Arrival]) -> Self {
        let (mut first, mut again) = (BTreeMap::new(), Vec::new());
        for arrival in all {
            let message = arrival.message.as_str();
            if first.contains_key(message) {
                again.push(arrival);
            } else {
                first.insert(message, arrival);
            }
        }
        Self { all, first, again }
    }

    /// Returns the time of a message's first arrival.
    pub fn first(&self, message: &str) -> Option<Duration> {
        self.first.get(message).map(|it| it.arrived)
    }

    /// Returns the number of first arrivals within a time span.
    pub fn within(&self, from: Duration, to: Duration) -> usize {
        self.first.values().filter(|it| from <= it.arrived && it.arrived <= to).count()
    }

    /// Returns the time from each message's acceptance to its arrival, in seconds.
    pub fn delays<'e>(&self, evidence: &'e Evidence) -> impl Iterator<Item = (f64, &'e str)> {
        let created = evidence.created().into_iter();
        created.filter_map(|(id, at)| Some((between(at, self.first.get(id)?.at), id)))
    }

    /// Checks that every message arrived, and that the messages arrived in the order of the
    /// history.
    pub fn of_messages(&self, drill: &'static str, evidence: &Evidence) -> Vec<Figure> {
        let missing: BTreeSet<&str> =
            evidence.created().into_keys().filter(|id| !self.first.contains_key(id)).collect();
        let mut wrong = 0;
        for (person, records) in &evidence.conversations {
            let history: Vec<&str> = records.iter().map(|it| it.id.as_str()).collect();
            let there = self.all.iter().filter(|it| person.ends_with(&it.to));
            let there: Vec<&str> = there.map(|it| it.message.as_str()).collect();
            wrong += order::differently_ordered(&history, &there);
        }
        let example = missing.first().map(|id| format!("such as {id}")).unwrap_or_default();
        let none =
            |what: &str, count: usize| zero(drill, format!("stand-in: {what}"), count as u64);
        vec![
            none("never arrived", missing.len()).noted(example),
            none("arrived in another order than the history's", wrong),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use servers::clock;

    #[test]
    fn the_first_arrival_is_told_from_those_after_it() {
        let arrival = |message: &str, second| Arrival {
            message: message.to_owned(),
            to: "12026000000".to_owned(),
            by: 1,
            arrived: Duration::from_secs(second),
            answered: Duration::from_secs(second),
            at: clock::now(),
        };
        let all = [arrival("a", 1), arrival("b", 2), arrival("a", 3)];
        let arrived = Arrived::of(&all);
        assert_eq!(arrived.first("a"), Some(Duration::from_secs(1)));
        assert_eq!(arrived.within(Duration::from_secs(2), Duration::from_secs(3)), 1);
        let again: Vec<_> = arrived.again.iter().map(|it| it.arrived.as_secs()).collect();
        assert_eq!(again, [3]);
    }
}
