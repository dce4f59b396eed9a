//! The changes that the stream of the inbox reports (`docs/contract.md#inbox`).

use crate::event::EventKind;
use crate::id::ConversationId;
use std::collections::VecDeque;

/// Maximum number of events of an organization that [`RecentEvents`] keeps.
pub const MAX_RECENT_EVENTS: i64 = 100;
/// Maximum number of changes that one item of the stream names.
const MAX_CHANGES: usize = 20;

/// A change of one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamedChange {
    pub conversation: ConversationId,
    pub kind: EventKind,
}

/// An event as the stream reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamedEvent {
    pub sequence: i64,
    /// `None` if the event concerns no conversation, or more than one.
    pub change: Option<StreamedChange>,
}

/// The last events of an organization. Each stream reports those that its browser does not know.
#[derive(Clone, Debug, Default)]
pub struct RecentEvents {
    /// The sequence of the last event.
    last: i64,
    /// Events without a gap between them. The last one has the sequence `last`.
    events: VecDeque<StreamedEvent>,
}

impl RecentEvents {
    /// Returns the sequence of the last event.
    #[must_use]
    pub const fn last(&self) -> i64 {
        self.last
    }

    /// Adds the events that follow, up to the sequence `last`. If some are missing, the events
    /// before `last` are unknown from then on.
    pub fn add(&mut self, last: i64, events: Vec<StreamedEvent>) {
        let sequences = events.iter().map(|it| it.sequence);
        if last > self.last && sequences.eq(self.last + 1..=last) {
            self.events.extend(events);
        } else {
            self.events.clear();
        }
        self.last = last;
        let oldest = last - MAX_RECENT_EVENTS;
        while self.events.front().is_some_and(|it| it.sequence <= oldest) {
            self.events.pop_front();
        }
    }

    /// Returns the changes after the sequence `known`, each once, in the order of their first
    /// events. Returns `None` if anything may have changed: some of the events are unknown, one of
    /// them concerns no single conversation, or there are too many changes.
    #[must_use]
    pub fn changes_after(&self, known: i64) -> Option<Vec<StreamedChange>> {
        let first = self.events.front()?.sequence;
        if known + 1 < first || known > self.last {
            return None;
        }
        let mut changes = Vec::new();
        for event in self.events.iter().filter(|it| it.sequence > known) {
            let change = event.change?;
            if !changes.contains(&change) {
                changes.push(change);
            }
        }
        (changes.len() <= MAX_CHANGES).then_some(changes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn change(conversation: u128, kind: EventKind) -> StreamedChange {
        StreamedChange {
            conversation: ConversationId::from_uuid(Uuid::from_u128(conversation)),
            kind,
        }
    }

    /// Returns a message that was received in a conversation.
    fn received(sequence: i64, conversation: u128) -> StreamedEvent {
        let change = change(conversation, EventKind::MessageReceived);
        StreamedEvent { sequence, change: Some(change) }
    }

    /// Returns events up to this one, each in another conversation.
    fn recent(last: i64) -> RecentEvents {
        let mut recent = RecentEvents::default();
        for (sequence, conversation) in (1..=last).zip(1..) {
            recent.add(sequence, vec![received(sequence, conversation)]);
        }
        recent
    }

    #[test]
    fn a_slow_reader_gets_the_union() {
        let mut recent = RecentEvents::default();
        recent.add(2, vec![received(1, 1), received(2, 2)]);
        let queued = change(1, EventKind::MessageQueued);
        let third = StreamedEvent { sequence: 3, change: Some(queued) };
        recent.add(5, vec![third, received(4, 2), received(5, 1)]);
        let [one, two] = [1, 2].map(|it| change(it, EventKind::MessageReceived));
        assert_eq!(recent.last(), 5);
        assert_eq!(recent.changes_after(0), Some(vec![one, two, queued]));
        assert_eq!(recent.changes_after(1), Some(vec![two, queued, one]));
        assert_eq!(recent.changes_after(4), Some(vec![one]));
        assert_eq!(recent.changes_after(5), Some(vec![]));
    }

    #[test]
    fn more_changes_than_an_item_names_are_anything() {
        let recent = recent(30);
        assert_eq!(recent.changes_after(9), None);
        assert_eq!(recent.changes_after(10).map(|it| it.len()), Some(MAX_CHANGES));
        // The same change is named once, so it does not count again.
        let mut same = RecentEvents::default();
        same.add(60, (1..=60).map(|sequence| received(sequence, 7)).collect());
        let one = change(7, EventKind::MessageReceived);
        assert_eq!(same.changes_after(0), Some(vec![one]));
    }

    #[test]
    fn after_a_gap_anything_may_have_changed() {
        for (last, missing) in [
            (9, vec![]),
            (9, vec![received(7, 1), received(9, 1)]),
            (9, vec![received(8, 1), received(9, 1)]),
            (9, vec![received(6, 1), received(7, 1)]),
            // The database was restored.
            (3, vec![]),
        ] {
            let mut recent = recent(5);
            recent.add(last, missing.clone());
            assert_eq!(recent.last(), last, "{missing:?}");
            assert_eq!(recent.changes_after(5), None, "{missing:?}");
            // Changes after the gap are known again.
            recent.add(last + 1, vec![received(last + 1, 2)]);
            assert_eq!(recent.changes_after(last - 1), None, "{missing:?}");
            let next = change(2, EventKind::MessageReceived);
            assert_eq!(recent.changes_after(last), Some(vec![next]), "{missing:?}");
        }
    }

    #[test]
    fn events_before_the_kept_ones_are_unknown() {
        let mut kept = RecentEvents::default();
        let last = MAX_RECENT_EVENTS + 50;
        for sequence in 1..=last {
            kept.add(sequence, vec![received(sequence, 1)]);
        }
        assert_eq!(kept.changes_after(49), None);
        assert_eq!(kept.changes_after(50).map(|it| it.len()), Some(1));
        assert_eq!(kept.changes_after(last + 1), None);
    }

    #[test]
    fn an_event_without_a_single_conversation_is_anything() {
        let mut recent = recent(2);
        recent.add(3, vec![StreamedEvent { sequence: 3, change: None }]);
        recent.add(4, vec![received(4, 1)]);
        assert_eq!(recent.changes_after(2), None);
        assert_eq!(recent.changes_after(3).map(|it| it.len()), Some(1));
    }
}
