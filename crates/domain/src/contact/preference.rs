//! The marketing preference of a contact (`docs/contract.md#opting-out`).

use crate::time::Timestamp;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preference {
    /// The time at which the contact opted out of marketing, if it did.
    pub opted_out_at: Option<Timestamp>,
    /// The time of the contact's last statement about marketing, an opt-out or an opt-in.
    pub said_at: Option<Timestamp>,
}

impl Preference {
    /// Applies a statement that the contact made at `at`: an opt-in (`wants`) or an opt-out.
    /// Returns `None` if a newer statement is known or if nothing changes. If an opt-in and an
    /// opt-out have the same time, the opt-out counts.
    #[must_use]
    pub fn after(self, wants: bool, at: Timestamp) -> Option<Self> {
        let is_late = self.said_at.is_some_and(|said| at < said || (wants && at == said));
        let opted_out_at = (!wants).then(|| self.opted_out_at.unwrap_or(at));
        let next = Self { opted_out_at, said_at: Some(at) };
        (!is_late && next != self).then_some(next)
    }

    /// Combines the preferences of two contacts that are the same person. The later statement
    /// counts. If both have the same time, an opt-out counts.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        let rank = |it: Self| (it.said_at, it.opted_out_at.is_some());
        if rank(other) > rank(self) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_seconds(second)
    }

    #[test]
    fn what_was_said_last_counts() {
        let out = Preference::default().after(false, at(5)).unwrap();
        assert_eq!(out.opted_out_at, Some(at(5)));
        assert_eq!(out.after(true, at(4)), None, "late");
        assert_eq!(out.after(false, at(5)), None, "a repeat");
        assert_eq!(out.after(false, at(7)).unwrap().opted_out_at, Some(at(5)));
        let back = out.after(true, at(6)).unwrap();
        assert_eq!(back.opted_out_at, None);
        assert_eq!(back.after(true, at(6)), None);
        assert_eq!(back.after(false, at(6)).unwrap().opted_out_at, Some(at(6)));
        assert_eq!(out.joined(back), back);
        assert_eq!(back.joined(out), back);
    }

    proptest! {
        #[test]
        fn in_whatever_order_reports_come_the_same_comes_of_them(
            said in prop::collection::vec((any::<bool>(), 0_i64..6), 1..12),
            seed in prop::collection::vec(any::<u32>(), 24),
        ) {
            let apply = |reports: &[(bool, i64)]| {
                let after = |now: Preference, (wants, second): &(bool, i64)| now.after(*wants, at(*second)).unwrap_or(now);
                reports.iter().fold(Preference::default(), after).opted_out_at.is_some()
            };
            let mut repeated: Vec<_> = said.iter().chain(&said).copied().zip(seed).collect();
            repeated.sort_by_key(|(_, place)| *place);
            let repeated: Vec<_> = repeated.into_iter().map(|(report, _)| report).collect();
            prop_assert_eq!(apply(&said), apply(&repeated));
        }
    }
}
