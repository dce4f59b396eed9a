//! Edits of a message, and its deletion, by the sender (`docs/contract.md#messages-and-history`).
//!
//! The channel may report edits and deletions in any order, and may repeat a report. The earlier
//! versions of an edited message are kept.

use crate::time::Timestamp;

/// Maximum number of versions that are stored of a message, including the original and the current
/// version.
pub const MAX_VERSIONS: usize = 50;

/// One version of the content of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version<C> {
    pub content: C,
    /// The time at which the sender wrote the version.
    pub written_at: Timestamp,
    /// The time at which the service received the version.
    pub noted_at: Timestamp,
    /// The channel's id of the edit. `None` for the original version.
    pub change: Option<String>,
}

/// The deletion of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletion {
    pub at: Timestamp,
    /// The time at which the service received the report of the deletion.
    pub noted_at: Timestamp,
}

/// All versions of a message, and its deletion if it was deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revisions<C> {
    /// The versions, in the order in which the sender wrote them. The first is the original, the
    /// last is current.
    versions: Vec<Version<C>>,
    deletion: Option<Deletion>,
}

impl<C> Revisions<C> {
    /// Creates the revisions of a message that has been neither edited nor deleted.
    #[must_use]
    pub fn none(first: Version<C>) -> Self {
        Self { versions: vec![first], deletion: None }
    }

    /// Restores the versions from the database. Returns `None` if there is no version.
    #[must_use]
    pub fn stored(versions: Vec<Version<C>>, deletion: Option<Deletion>) -> Option<Self> {
        (!versions.is_empty()).then_some(Self { versions, deletion })
    }

    /// Returns the versions, in the order in which the sender wrote them. The last version is the
    /// current one.
    #[must_use]
    pub fn versions(&self) -> &[Version<C>] {
        &self.versions
    }

    /// Returns the deletion, if the message was deleted.
    #[must_use]
    pub const fn deletion(&self) -> Option<Deletion> {
        self.deletion
    }

    /// Returns the time of the last edit, or `None` if the message was not edited.
    #[must_use]
    pub fn edited_at(&self) -> Option<Timestamp> {
        self.versions.last().filter(|it| it.change.is_some()).map(|it| it.written_at)
    }

    /// Inserts an edited version at its place in the order of writing. If there are then more than
    /// [`MAX_VERSIONS`], the oldest edit is dropped. Returns `false` if the version is known
    /// already, or is itself the one that was dropped.
    pub fn edit(&mut self, new: Version<C>) -> bool {
        let change = new.change.clone();
        if self.versions.iter().any(|it| it.change == change) {
            return false;
        }
        // The original version always stays the first one. An edit comes after it even if the
        // edit's time is earlier.
        let later = self.versions.iter().skip(1).filter(|it| it.written_at > new.written_at);
        let place = self.versions.len() - later.count();
        self.versions.insert(place, new);
        if self.versions.len() > MAX_VERSIONS {
            self.versions.remove(1);
        }
        self.versions.iter().any(|it| it.change == change)
    }

    /// Records the deletion. Returns `false` if a deletion was recorded before.
    pub fn delete(&mut self, deletion: Deletion) -> bool {
        let is_new = self.deletion.is_none();
        self.deletion = self.deletion.or(Some(deletion));
        is_new
    }

    /// Returns the versions and the deletion of which the service knew at `at`.
    #[must_use]
    pub fn known_at(mut self, at: Timestamp) -> Self {
        self.deletion = self.deletion.filter(|it| it.noted_at <= at);
        self.first_and(|it| it.noted_at <= at)
    }

    /// Returns only the original version, without edits and without the deletion.
    #[must_use]
    pub fn first(mut self) -> Self {
        self.deletion = None;
        self.first_and(|_| false)
    }

    fn first_and(mut self, wanted: impl Fn(&Version<C>) -> bool) -> Self {
        self.versions.retain(|it| it.change.is_none() || wanted(it));
        self
    }

    /// Applies `change` to the content of each version.
    pub fn map(&mut self, mut change: impl FnMut(&mut C)) {
        self.versions.iter_mut().for_each(|it| change(&mut it.content));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_seconds(second)
    }

    fn first() -> Revisions<i64> {
        let (written_at, noted_at) = (at(100), at(100));
        Revisions::none(Version { content: -1, written_at, noted_at, change: None })
    }

    fn version(number: i64, second: i64) -> Version<i64> {
        let (written_at, noted_at) = (at(second), at(1000 + number));
        Version { content: number, written_at, noted_at, change: Some(number.to_string()) }
    }

    fn contents(of: &Revisions<i64>) -> Vec<i64> {
        of.versions().iter().map(|it| it.content).collect()
    }

    #[test]
    fn changes_stand_in_the_order_of_writing_and_the_first_version_first() {
        let mut message = first();
        assert_eq!(message.edited_at(), None);
        assert!(message.edit(version(1, 120)) && message.edit(version(2, 110)));
        assert!(message.edit(version(3, 120)) && message.edit(version(4, 50)));
        assert_eq!(contents(&message), [-1, 4, 2, 1, 3]);
        assert_eq!(message.edited_at(), Some(at(120)));
        assert!(!message.edit(version(2, 110)), "it is known");
        // An event shows a message as the service knew it at the time of the event.
        assert_eq!(contents(&message.clone().known_at(at(1002))), [-1, 2, 1]);
        assert_eq!(contents(&message.first()), [-1]);
    }

    #[test]
    fn a_message_is_deleted_once() {
        let mut message = first();
        let deletion = |second| Deletion { at: at(second), noted_at: at(second) };
        assert!(message.delete(deletion(200)) && !message.delete(deletion(150)));
        assert_eq!(message.deletion(), Some(deletion(200)));
        assert_eq!(message.clone().known_at(at(199)).deletion(), None);
        assert_eq!(message.known_at(at(200)).deletion(), Some(deletion(200)));
    }

    proptest! {
        #[test]
        fn in_whichever_order_and_however_often_changes_come_they_come_to_the_same(
            seconds in prop::collection::hash_set(101..10_000_i64, 0..70),
            repeats in prop::collection::vec(0..70_usize, 0..70),
            seed: u64,
        ) {
            let edits: Vec<_> = (0..).zip(&seconds).map(|(it, second)| version(it, *second)).collect();
            let mut sorted = edits.clone();
            sorted.sort_by_key(|it| it.written_at);
            let mut shuffled = edits.clone();
            shuffled.sort_by_key(|it| (it.written_at.micros().cast_unsigned() ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            shuffled.extend(repeats.iter().filter_map(|it| edits.get(*it).cloned()));
            let (mut one, mut other) = (first(), first());
            for edit in sorted {
                one.edit(edit);
            }
            for edit in shuffled {
                other.edit(edit);
            }
            prop_assert_eq!(&one, &other);
            prop_assert_eq!(one.versions().len(), (edits.len() + 1).min(MAX_VERSIONS));
        }
    }
}
