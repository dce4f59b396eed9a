//! The positions of messages and the times of events. Both are computed from the numbers of the
//! rows, so the rows of one table can be written without reading another table.
//!
//! Message `i` of `0..messages` is the `i`-th accepted one. Conversation 0 has one of a hundred
//! messages. The others go to the other conversations in turn. The newest messages have events,
//! which are of the last 28 days. The events of older messages were deleted.

use super::counts::{BLOCK, Counts, EVENTS_IN_BLOCK, LONG, RARE};

/// The position in each hundred messages of the one that belongs to conversation 0.
const PLACE: i64 = 50;
const DAY: i64 = 86_400_000_000;
const HOUR: i64 = 3_600_000_000;
/// The number of the first event whose delivery failed, and the distance between two such events.
const FAILED_FIRST: i64 = 500;
const FAILED_EVERY: i64 = 1009;
/// The longest time between two statuses of a message, in microseconds. If messages follow each
/// other faster, the time is shorter.
const STEP: i64 = 100_000;

/// The content of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The rare event: the AI agent of this conversation was paused.
    AgentPaused(i64),
    /// This inbound message arrived.
    Received(i64),
    /// This message was accepted.
    Queued(i64),
    /// The channel accepted the message.
    Sent(i64),
    Delivered(i64),
    Read(i64),
}

/// The computation of positions and times for one filled database.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The number of rows of each kind.
    pub counts: Counts,
    /// The time of filling, in microseconds since 1970.
    pub now: i64,
}

impl Shape {
    /// Returns the first message that still has events.
    fn first_told(&self) -> i64 {
        self.counts.messages - BLOCK * self.blocks()
    }

    fn blocks(&self) -> i64 {
        (self.counts.events - RARE + EVENTS_IN_BLOCK - 1) / EVENTS_IN_BLOCK
    }

    /// Returns the number of deleted events in the first block that still has events.
    fn forgotten_of_block(&self) -> i64 {
        EVENTS_IN_BLOCK * self.blocks() - (self.counts.events - RARE)
    }

    /// Returns the sequence of the last deleted event. The deleted events are two events of each
    /// conversation, and those of older messages.
    pub fn forgotten(&self) -> i64 {
        let messages = EVENTS_IN_BLOCK * (self.first_told() / BLOCK) + self.forgotten_of_block();
        2 * self.counts.conversations + messages
    }

    /// Returns the sequence of the newest event.
    pub fn last_sequence(&self) -> i64 {
        self.forgotten() + self.counts.events
    }

    /// Returns the time from which events exist.
    fn kept_since(&self) -> i64 {
        self.now - 28 * DAY
    }

    /// Returns the time at which the first keys, templates and endpoints were created.
    pub fn begin(&self) -> i64 {
        self.now - 400 * DAY
    }

    /// Returns the time at which message `i` was accepted. Messages with events were accepted in
    /// the days for which events are kept, until an hour ago, and all others before that, within
    /// the past year.
    pub fn accepted(&self, i: i64) -> i64 {
        let told = self.first_told();
        let (from, to, n, of) = if i < told {
            (self.now - 365 * DAY, self.kept_since() - 3 * DAY, i, told)
        } else {
            (self.kept_since(), self.now - HOUR, i - told, self.counts.messages - told)
        };
        from + (to - from) / of * n
    }

    /// Returns the time from one status of a message to the next. It is short enough that the order
    /// of events is the order of their times.
    pub fn step(&self) -> i64 {
        let told = self.counts.messages - self.first_told();
        STEP.min((self.now - HOUR - self.kept_since()) / told / 5)
    }

    /// Whether a message is inbound. One message of each block of four is inbound. Its position in
    /// the block rotates.
    pub fn is_inbound(i: i64) -> bool {
        i % BLOCK == (i / BLOCK) % BLOCK
    }

    /// Returns the conversation of message `i`, and its position there.
    pub fn place(&self, i: i64) -> (i64, i64) {
        let (hundred, rest) = (i / LONG, i % LONG);
        if rest == PLACE {
            return (0, hundred + 1);
        }
        let among = (LONG - 1) * hundred + if rest < PLACE { rest } else { rest - 1 };
        let others = self.counts.conversations - 1;
        (1 + among % others, among / others + 1)
    }

    /// Returns the message at this position of a conversation.
    pub fn message_at(&self, conversation: i64, position: i64) -> i64 {
        if conversation == 0 {
            return LONG * (position - 1) + PLACE;
        }
        let among = (self.counts.conversations - 1) * (position - 1) + conversation - 1;
        let (hundred, rest) = (among / (LONG - 1), among % (LONG - 1));
        LONG * hundred + if rest < PLACE { rest } else { rest + 1 }
    }

    /// Returns the number of messages in a conversation.
    pub fn length(&self, conversation: i64) -> i64 {
        let long = self.counts.messages / LONG;
        if conversation == 0 {
            return long;
        }
        let (among, others) = (self.counts.messages - long, self.counts.conversations - 1);
        among / others + i64::from(conversation - 1 < among % others)
    }

    /// Returns the newest inbound message of a conversation, and the oldest outbound one.
    pub fn turns(&self, conversation: i64) -> (Option<i64>, Option<i64>) {
        let messages =
            (1..=self.length(conversation)).map(|place| self.message_at(conversation, place));
        let inbound = messages.clone().rev().find(|i| Self::is_inbound(*i));
        (inbound, messages.into_iter().find(|i| !Self::is_inbound(*i)))
    }

    /// Returns the content and the time of event `e`. Event 0 is the oldest event that is kept.
    pub fn event(&self, e: i64) -> (Told, i64) {
        if e < RARE {
            let at = self.kept_since() - HOUR + e * 1_000_000;
            return (Told::AgentPaused(e % self.counts.conversations), at);
        }
        let told = e - RARE + self.forgotten_of_block();
        let (block, slot) = (told / EVENTS_IN_BLOCK, told % EVENTS_IN_BLOCK);
        let first = self.first_told() + BLOCK * block;
        let inbound = (first / BLOCK) % BLOCK;
        // An inbound message has one event, every other message four.
        let slot = if slot <= BLOCK * inbound { slot } else { slot + 3 };
        let (message, state) = (first + slot / 4, slot % 4);
        let told = match state {
            0 if slot / 4 == inbound => Told::Received(message),
            0 => Told::Queued(message),
            1 => Told::Sent(message),
            2 => Told::Delivered(message),
            _ => Told::Read(message),
        };
        (told, self.accepted(message) + state * self.step())
    }

    /// Returns the endpoint that received event `e`. Half of all events go to the first endpoint.
    pub fn endpoint_of(&self, e: i64) -> i64 {
        if e % 2 == 0 { 0 } else { 1 + (e / 2) % (self.counts.endpoints - 1) }
    }

    /// Whether the delivery of an event failed, which is so for about one of a thousand.
    pub fn has_failed(e: i64) -> bool {
        e % FAILED_EVERY == FAILED_FIRST
    }

    /// Returns the `n`-th event whose delivery failed.
    pub const fn nth_failed(n: i64) -> i64 {
        FAILED_EVERY * n + FAILED_FIRST
    }

    /// Returns the number of failed deliveries.
    pub const fn failed(&self) -> i64 {
        (self.counts.events - FAILED_FIRST + FAILED_EVERY - 1) / FAILED_EVERY
    }

    /// Whether the delivery of an event waits for a retry, which is so for about one of a hundred
    /// among the newest hundredth of all deliveries.
    pub fn is_retried(&self, e: i64) -> bool {
        e >= self.counts.events - self.counts.events / 100 && e % 101 == 0 && !Self::has_failed(e)
    }

    /// Returns the time of the next retry.
    pub fn retried_at(&self) -> i64 {
        self.now + 10 * HOUR
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn shape(messages: i64) -> Shape {
        Shape { counts: Counts::of(messages), now: 1_795_439_372_929_000 }
    }

    #[test]
    fn positions_have_no_gaps_and_follow_time() {
        for messages in [1000, 10_000, 12_300] {
            let shape = shape(messages);
            let mut lengths: BTreeMap<i64, i64> = BTreeMap::new();
            for i in 0..messages {
                let (conversation, position) = shape.place(i);
                let length = lengths.entry(conversation).or_default();
                *length += 1;
                assert_eq!(position, *length, "message {i}");
                assert_eq!(shape.message_at(conversation, position), i);
                assert!(i == 0 || shape.accepted(i) > shape.accepted(i - 1));
            }
            assert_eq!(i64::try_from(lengths.len()).unwrap(), shape.counts.conversations);
            assert!(lengths.iter().all(|(of, length)| shape.length(*of) == *length));
        }
    }

    #[test]
    fn events_are_in_order_and_none_comes_twice() {
        for events in [10_000, 10_001, 32_500] {
            let counts = Counts { events, ..Counts::of(10_000) };
            let shape = Shape { counts, ..shape(10_000) };
            let (mut seen, mut before) = (BTreeSet::new(), 0);
            for e in 0..events {
                let (told, at) = shape.event(e);
                assert!(at >= before, "event {e}");
                before = at;
                assert!(seen.insert(format!("{told:?}")), "{told:?} comes twice");
            }
            let (last, _) = shape.event(events - 1);
            assert!(matches!(last, Told::Read(9999) | Told::Received(9999)), "{last:?}");
        }
    }

    #[test]
    fn what_came_in_has_one_event_and_what_went_out_four() {
        let shape =
            Shape { counts: Counts { events: 32_500, ..Counts::of(10_000) }, ..shape(10_000) };
        let mut per_message: BTreeMap<i64, i64> = BTreeMap::new();
        for e in RARE..32_500 {
            let (Told::Received(i)
            | Told::Queued(i)
            | Told::Sent(i)
            | Told::Delivered(i)
            | Told::Read(i)) = shape.event(e).0
            else {
                panic!("a seldom one")
            };
            *per_message.entry(i).or_default() += 1;
        }
        let whole = per_message.iter().filter(|(i, _)| **i >= 8);
        for (i, count) in whole {
            assert_eq!(*count, if Shape::is_inbound(*i) { 1 } else { 4 }, "message {i}");
        }
    }

    #[test]
    fn a_few_deliveries_failed_and_some_are_tried_again() {
        let shape = shape(1_000_000);
        let failed = (0..1_000_000).filter(|e| Shape::has_failed(*e)).count();
        assert_eq!(i64::try_from(failed).unwrap(), shape.failed());
        assert!(Shape::has_failed(Shape::nth_failed(shape.failed() - 1)));
        let retried = (0..1_000_000).filter(|e| shape.is_retried(*e)).count();
        assert!((50..150).contains(&retried), "{retried}");
        let first = (0..1000).filter(|e| shape.endpoint_of(*e) == 0).count();
        assert_eq!(first, 500);
    }
}
