//! Checks that a history is in the order of acceptance, without duplicates and gaps.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The time span within which a message was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The time before the first request for the message.
    pub begun: Duration,
    /// The time after the answer with which the server accepted the message.
    pub acked: Duration,
}

/// Returns the number of messages that the history places after a later message. A message is later
/// than another one if it was requested only after the other one had been acknowledged.
///
/// Two messages whose time spans overlap may be in either order.
pub fn out_of_order(history: &[Accepted]) -> usize {
    let mut latest = Duration::ZERO;
    let mut wrong = 0;
    for message in history {
        if message.acked < latest {
            wrong += 1;
        }
        latest = latest.max(message.begun);
    }
    wrong
}

/// Returns how many of the numbers between `first` and the greatest one are missing, plus how many
/// are repeated.
pub fn gaps(first: u64, numbers: impl IntoIterator<Item = u64>) -> u64 {
    let (mut seen, mut twice) = (BTreeSet::new(), 0);
    for number in numbers {
        if !seen.insert(number) {
            twice += 1;
        }
    }
    let Some(last) = seen.last().copied() else { return 0 };
    (first..=last).filter(|number| !seen.contains(number)).count() as u64 + twice
}

/// Returns the expected items that are missing, and the items that are duplicates or were not
/// expected.
pub fn compare<'a>(
    expected: impl IntoIterator<Item = &'a str>,
    found: impl IntoIterator<Item = &'a str>,
) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for one in expected {
        *left.entry(one).or_default() += 1;
    }
    let mut more = Vec::new();
    for one in found {
        match left.get_mut(one) {
            Some(count) if *count > 0 => *count -= 1,
            _ => more.push(one),
        }
    }
    (left.into_iter().filter(|(_, count)| *count > 0).map(|(one, _)| one).collect(), more)
}

/// Returns the number of items in `seen` whose order differs from that in `history`. Only the first
/// occurrence of each item counts.
pub fn differently_ordered(history: &[&str], seen: &[&str]) -> usize {
    let places: BTreeMap<&str, usize> =
        history.iter().enumerate().map(|(place, one)| (*one, place)).collect();
    let (mut met, mut latest, mut wrong) = (BTreeSet::new(), 0, 0);
    for place in seen.iter().filter_map(|one| places.get(one)) {
        if !met.insert(place) {
            continue;
        }
        if *place < latest {
            wrong += 1;
        }
        latest = latest.max(*place);
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(begun: u64, acked: u64) -> Accepted {
        Accepted { begun: Duration::from_millis(begun), acked: Duration::from_millis(acked) }
    }

    #[test]
    fn only_messages_that_do_not_overlap_have_an_order() {
        assert_eq!(out_of_order(&[accepted(0, 10), accepted(10, 20), accepted(15, 30)]), 0);
        // The third message was acknowledged at 14, before the request for the second one at 15.
        assert_eq!(out_of_order(&[accepted(0, 10), accepted(15, 20), accepted(8, 14)]), 1);
        assert_eq!(out_of_order(&[accepted(5, 30), accepted(0, 40), accepted(2, 6)]), 0);
        assert_eq!(out_of_order(&[]), 0);
    }

    #[test]
    fn gaps_and_repetitions_are_counted() {
        assert_eq!(gaps(1, [1, 2, 3]), 0);
        assert_eq!(gaps(1, [3, 1, 2]), 0);
        assert_eq!(gaps(1, [2, 4]), 2);
        assert_eq!(gaps(1, [1, 2, 2]), 1);
        assert_eq!(gaps(1, []), 0);
    }

    #[test]
    fn what_is_lost_and_what_is_there_twice_are_told_apart() {
        let (missing, more) = compare(["a", "b", "c"], ["c", "a", "a", "x"]);
        assert_eq!(missing, ["b"]);
        assert_eq!(more, ["a", "x"]);
    }

    #[test]
    fn a_repeated_arrival_is_no_other_order() {
        assert_eq!(differently_ordered(&["a", "b", "c"], &["a", "b", "a", "c"]), 0);
        assert_eq!(differently_ordered(&["a", "b", "c"], &["b", "a", "c"]), 1);
        assert_eq!(differently_ordered(&["a", "b"], &["x", "b"]), 0);
    }
}
