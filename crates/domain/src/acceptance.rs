//! Accepting a message: whether the month's allowance has room for it, where it stands in its conversation, what it
//! changes there, and which events happen (`docs/contract.md#messages`). Persistence reads and writes; this decides.

use crate::contact::ContactSnapshot;
use crate::event::{Event, EventKind, Payload};
use crate::id::{AccountId, ConversationId, MessageId, OrganizationId};
use crate::message::{Direction, Status};
use crate::time::Timestamp;
use std::sync::Arc;

/// Counts against a limit of the plan, one message or call after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    used: u32,
    announced: bool,
}

/// What a [`Count`] says of one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Whether there is room for it.
    pub admitted: bool,
    /// What counts against the limit now, with it if it is admitted.
    pub used: u32,
    /// Whether the event that the limit is reached is recorded: once in a period.
    pub announces_limit: bool,
}

impl Count {
    /// Counts on from `used`; `announced` says whether the organization has been notified of the limit in this period.
    #[must_use]
    pub const fn new(used: u32, announced: bool) -> Self {
        Self { used, announced }
    }

    /// Counts one more, if there is room under `limit`; no limit always has room.
    pub const fn admit(&mut self, limit: Option<u32>) -> Admission {
        let admitted = match limit {
            Some(limit) => self.used < limit,
            None => true,
        };
        if admitted {
            self.used = self.used.saturating_add(1);
        }
        let reached = match limit {
            Some(limit) => self.used >= limit,
            None => false,
        };
        let announces_limit = reached && !self.announced;
        self.announced |= reached;
        Admission { admitted, used: self.used, announces_limit }
    }
}

/// A message that a business asks to send, as far as accepting it depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposed {
    /// Its id.
    pub message: MessageId,
    /// Whether it is free-form: such a message takes the conversation over from the AI agent.
    pub free_form: bool,
    /// When it is accepted.
    pub at: Timestamp,
}

/// What messages change in their conversation, whatever it was before. Persistence merges it into the row with one
/// statement: it adds `messages`, sets `last_message_at`, keeps the later `last_inbound_at`, and keeps `paused_by` of the row
/// where the agent is paused already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversationChange {
    /// How many messages more it has.
    pub messages: i64,
    /// The message that pauses the AI agent, if one does.
    pub paused_by: Option<MessageId>,
    /// When the last of them was accepted or written.
    pub last_message_at: Timestamp,
    /// When the person wrote, if they did.
    pub last_inbound_at: Option<Timestamp>,
}

impl ConversationChange {
    /// What one message that is sent changes.
    #[must_use]
    pub fn sending(message: &Proposed) -> Self {
        Self {
            messages: 1,
            paused_by: message.free_form.then_some(message.message),
            last_message_at: message.at,
            last_inbound_at: None,
        }
    }

    /// What one message that a person wrote at `at` changes.
    #[must_use]
    pub const fn receiving(at: Timestamp) -> Self {
        Self { messages: 1, paused_by: None, last_message_at: at, last_inbound_at: Some(at) }
    }

    /// What one message changes that somebody at the business sent from the phone at `at`: they have taken over.
    #[must_use]
    pub const fn echoing(message: MessageId, at: Timestamp) -> Self {
        Self { messages: 1, paused_by: Some(message), last_message_at: at, last_inbound_at: None }
    }

    /// This change with a later one: the first message that pauses the agent is the one that did.
    #[must_use]
    pub fn then(self, later: Self) -> Self {
        Self {
            messages: self.messages.saturating_add(later.messages),
            paused_by: self.paused_by.or(later.paused_by),
            last_message_at: self.last_message_at.max(later.last_message_at),
            last_inbound_at: self.last_inbound_at.max(later.last_inbound_at),
        }
    }
}

/// A conversation as it was read after the change of a batch was merged into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversationRead {
    /// Whose it is.
    pub organization: OrganizationId,
    /// The number of the organization.
    pub account: AccountId,
    /// Its id.
    pub conversation: ConversationId,
    /// How many messages it has, with those of the batch.
    pub messages: i64,
    /// The message that paused the AI agent, if one did.
    pub paused_by: Option<MessageId>,
}

/// A message that has its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedMessage {
    /// Its position in the conversation: the first is 1, without gaps.
    pub position: i64,
    /// Which way it goes.
    pub direction: Direction,
    /// Its status.
    pub status: Status,
    /// The events, in order.
    pub events: Vec<Event>,
}

/// The places that the messages of a batch get in one conversation, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    read: ConversationRead,
    next: i64,
    /// The person in it, as they are known.
    person: Option<Arc<ContactSnapshot>>,
    /// Whether the batch began it and has not said so yet.
    begins: bool,
}

impl Places {
    /// The places of a batch of `messages`, which began the conversation if there is a person who is new.
    #[must_use]
    pub fn new(read: ConversationRead, messages: i64, new: Option<ContactSnapshot>) -> Self {
        let begins = new.is_some();
        Self { read, next: read.messages - messages + 1, person: new.map(Arc::new), begins }
    }

    /// The person in a conversation that there was before.
    #[must_use]
    pub fn with(self, person: Option<Arc<ContactSnapshot>>) -> Self {
        Self { person: self.person.or(person), ..self }
    }

    /// The person in it, as they are known.
    #[must_use]
    pub fn person(&self) -> Option<Arc<ContactSnapshot>> {
        self.person.clone()
    }

    /// Accepts a message that is to be sent.
    pub fn accept(&mut self, message: &Proposed) -> PlacedMessage {
        let Proposed { message, at, .. } = *message;
        let mut events = self.beginning(at);
        events.push(self.event(EventKind::MessageQueued, self.message(message), at));
        events.extend(self.pause(message, at));
        self.place(Direction::Outbound, Status::Queued, events)
    }

    /// Takes in a message that a person wrote, which was received at `at`.
    pub fn receive(&mut self, message: MessageId, at: Timestamp) -> PlacedMessage {
        let mut events = self.beginning(at);
        events.push(self.event(EventKind::MessageReceived, self.message(message), at));
        self.place(Direction::Inbound, Status::Received, events)
    }

    /// Takes in a message that somebody at the business sent from the phone, which was received at `at`.
    pub fn echo(&mut self, message: MessageId, at: Timestamp) -> PlacedMessage {
        let mut events = self.beginning(at);
        events.push(self.event(EventKind::MessageSent, self.message(message), at));
        events.extend(self.pause(message, at));
        self.place(Direction::Outbound, Status::Sent, events)
    }

    /// The event that the AI agent is paused, if it was this message that paused it.
    fn pause(&self, message: MessageId, at: Timestamp) -> Option<Event> {
        (self.read.paused_by == Some(message))
            .then(|| self.event(EventKind::ConversationAgentPaused, self.conversation(), at))
    }

    fn message(&self, message: MessageId) -> Payload {
        Payload::Message(message, self.person())
    }

    fn conversation(&self) -> Payload {
        Payload::Conversation(self.read.conversation, self.person())
    }

    fn place(&mut self, direction: Direction, status: Status, events: Vec<Event>) -> PlacedMessage {
        let position = self.next;
        self.next += 1;
        PlacedMessage { position, direction, status, events }
    }

    /// The events of a new conversation.
    fn beginning(&mut self, at: Timestamp) -> Vec<Event> {
        let begins = std::mem::take(&mut self.begins);
        let Some(person) = self.person.as_deref().filter(|_| begins) else { return Vec::new() };
        let contact = Payload::Contact(Box::new(person.clone()));
        vec![
            self.event(EventKind::ContactCreated, contact, at),
            self.event(EventKind::ConversationCreated, self.conversation(), at),
        ]
    }

    const fn event(&self, kind: EventKind, payload: Payload, at: Timestamp) -> Event {
        let ConversationRead { organization, account, .. } = self.read;
        Event { organization, account: Some(account), kind, payload, at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Identity;
    use crate::id::ContactId;
    use proptest::prelude::*;
    use std::time::Duration;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_795_262_400 + seconds)
    }

    fn message(number: u8, free_form: bool) -> Proposed {
        let at = at(number.into());
        Proposed { message: MessageId::new(at, [number; 10]), free_form, at }
    }

    /// A conversation, as the database keeps it.
    #[derive(Clone, Copy, Debug, Default)]
    struct Row {
        messages: i64,
        paused_by: Option<MessageId>,
    }

    impl Row {
        /// What the statement in persistence does.
        fn merge(&mut self, change: &ConversationChange) -> ConversationRead {
            self.messages += change.messages;
            self.paused_by = self.paused_by.or(change.paused_by);
            let none = [0; 10];
            ConversationRead {
                organization: OrganizationId::new(at(0), none),
                account: AccountId::new(at(0), none),
                conversation: ConversationId::new(at(0), none),
                messages: self.messages,
                paused_by: self.paused_by,
            }
        }
    }

    fn person() -> ContactSnapshot {
        let (id, account) = (ContactId::new(at(0), [0; 10]), AccountId::new(at(0), [0; 10]));
        let (identity, opted_out_at) = (Identity::default(), None);
        ContactSnapshot { id, account, identity, opted_out_at, created_at: at(0) }
    }

    fn kinds(placed: &PlacedMessage) -> Vec<EventKind> {
        placed.events.iter().map(|event| event.kind).collect()
    }

    /// Accepts batches, one after the other, as persistence does.
    fn accept(batches: &[Vec<Proposed>]) -> (Row, Vec<PlacedMessage>) {
        let (mut row, mut accepted) = (Row::default(), Vec::new());
        for (index, batch) in batches.iter().enumerate() {
            let change = batch.iter().map(ConversationChange::sending);
            let Some(change) = change.reduce(ConversationChange::then) else { continue };
            let new = (index == 0).then(person);
            let mut places = Places::new(row.merge(&change), change.messages, new);
            accepted.extend(batch.iter().map(|message| places.accept(message)));
        }
        (row, accepted)
    }

    #[test]
    fn the_first_message_begins_the_conversation_and_a_free_form_one_pauses_the_agent_once() {
        let (_, placed) = accept(&[vec![message(1, false), message(2, true), message(3, true)]]);
        assert_eq!(
            kinds(&placed[0]),
            [EventKind::ContactCreated, EventKind::ConversationCreated, EventKind::MessageQueued]
        );
        assert_eq!(
            kinds(&placed[1]),
            [EventKind::MessageQueued, EventKind::ConversationAgentPaused]
        );
        assert_eq!(kinds(&placed[2]), [EventKind::MessageQueued]);
        let (_, placed) = accept(&[vec![message(1, true)], vec![message(2, true)]]);
        assert_eq!(kinds(&placed[1]), [EventKind::MessageQueued], "it is paused already");
    }

    #[test]
    fn what_a_person_wrote_begins_a_conversation_and_pauses_nobody() {
        let change = ConversationChange::receiving(at(0));
        let read = Row::default().merge(&change);
        let mut places = Places::new(read, change.messages, Some(person()));
        let received = places.receive(message(1, true).message, at(0));
        let begins = [EventKind::ContactCreated, EventKind::ConversationCreated];
        assert_eq!(kinds(&received), [&begins[..], &[EventKind::MessageReceived]].concat());
        assert_eq!((received.direction, received.status), (Direction::Inbound, Status::Received));
        assert_eq!(received.position, 1);
    }

    #[test]
    fn what_is_sent_from_the_phone_is_sent_already_and_pauses_the_agent_once() {
        let mut row = Row::default();
        for (number, expected) in [(1, true), (2, false)] {
            let message = message(number, true).message;
            let change = ConversationChange::echoing(message, at(0));
            let mut places = Places::new(row.merge(&change), change.messages, None);
            let echoed = places.echo(message, at(0));
            let paused = expected.then_some(EventKind::ConversationAgentPaused);
            let expected: Vec<EventKind> =
                [EventKind::MessageSent].into_iter().chain(paused).collect();
            assert_eq!(kinds(&echoed), expected);
            assert_eq!((echoed.direction, echoed.status), (Direction::Outbound, Status::Sent));
            assert_eq!(echoed.position, i64::from(number));
        }
    }

    #[test]
    fn a_limit_is_announced_by_whoever_reaches_it() {
        let mut count = Count::new(1, false);
        let said = |it: Admission| (it.admitted, it.used, it.announces_limit);
        assert_eq!(said(count.admit(Some(3))), (true, 2, false));
        assert_eq!(said(count.admit(Some(3))), (true, 3, true));
        assert_eq!(said(count.admit(Some(3))), (false, 3, false));
        // A plan without a limit lets everything through, and one with a lower limit nothing.
        assert_eq!(said(count.admit(None)), (true, 4, false));
        assert_eq!(said(Count::new(5, false).admit(Some(0))), (false, 5, true));
        assert_eq!(said(Count::new(5, true).admit(Some(0))), (false, 5, false));
    }

    proptest! {
        #[test]
        fn however_messages_are_gathered_they_come_to_the_same(
            free_form in prop::collection::vec(any::<bool>(), 1..20),
            ends in prop::collection::vec(any::<bool>(), 20),
        ) {
            let all: Vec<Proposed> = (0..).zip(&free_form).map(|(it, free)| message(it, *free)).collect();
            let mut batches = vec![Vec::new()];
            for (message, ends) in all.iter().zip(ends) {
                batches.last_mut().unwrap().push(*message);
                if ends {
                    batches.push(Vec::new());
                }
            }
            let (row, gathered) = accept(&batches);
            let (alone_row, alone) = accept(&all.iter().map(|it| vec![*it]).collect::<Vec<_>>());
            prop_assert_eq!(&gathered, &alone);
            prop_assert_eq!(row.paused_by, alone_row.paused_by);
            prop_assert_eq!(row.paused_by, all.iter().find(|it| it.free_form).map(|it| it.message));
            let positions: Vec<i64> = gathered.iter().map(|it| it.position).collect();
            prop_assert_eq!(positions, (1..).take(all.len()).collect::<Vec<i64>>());
        }

        #[test]
        fn no_more_than_the_limit_is_admitted(used in 0..30_u32, limit in 0..30_u32, asked in 0..60_usize) {
            let mut count = Count::new(used, false);
            let said: Vec<Admission> = (0..asked).map(|_| count.admit(Some(limit))).collect();
            let admitted = said.iter().filter(|it| it.admitted).count();
            prop_assert_eq!(admitted, asked.min(limit.saturating_sub(used) as usize));
            prop_assert!(said.iter().filter(|it| it.announces_limit).count() <= 1);
        }

        #[test]
        fn changes_merge_in_any_grouping(times in prop::collection::vec((0..100_u8, any::<bool>()), 3)) {
            let change = |&(seconds, free_form): &(u8, bool)| {
                let at = at(0).plus(Duration::from_secs(seconds.into()));
                ConversationChange::sending(&Proposed { at, ..message(seconds, free_form) })
            };
            let [a, b, c] = [change(&times[0]), change(&times[1]), change(&times[2])];
            prop_assert_eq!(a.then(b).then(c), a.then(b.then(c)));
        }
    }
}
