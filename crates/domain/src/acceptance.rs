//! Rules for accepting a message: its count against the monthly allowance, its position in the
//! conversation, the change that it makes to the conversation, and its events
//! (`docs/contract.md#messages`). This module decides. The database layer only reads and writes.

use crate::contact::ContactSnapshot;
use crate::conversation::MessageSource;
use crate::event::{EventKind, EventPayload, NewEvent};
use crate::id::{AccountId, ConversationId, MemberId, MessageId, OrganizationId};
use crate::inbox::{AgentStatus, PausingMessage};
use crate::message::{Direction, MessageStatus};
use crate::time::Timestamp;
use std::sync::Arc;

/// The number of messages or API calls in a period so far. A plan may limit that number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageCount {
    used: u32,
    announced: bool,
}

/// The result of counting one more message or API call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Whether the message or call was within the limit, and thus admitted.
    pub admitted: bool,
    /// The count, which includes this message or call if it was admitted.
    pub used: u32,
    /// Whether the caller must record the event that the limit is reached. The event is recorded
    /// once per period.
    pub announces_limit: bool,
}

impl UsageCount {
    /// Creates the count of a period in which `used` messages or calls were already admitted.
    /// `announced` says whether the event for the reached limit was already recorded in this
    /// period.
    #[must_use]
    pub const fn new(used: u32, announced: bool) -> Self {
        Self { used, announced }
    }

    /// Counts one more message or call, unless the count has reached `limit`. If `limit` is `None`,
    /// everything is admitted.
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

/// The data about an outbound message that is needed to accept it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProposedMessage {
    pub message: MessageId,
    /// Whether the message pauses the AI agent. A free-form message of a person or a program does,
    /// and so does any message whose sender asks for the pause.
    pub pauses_agent: bool,
    pub source: MessageSource,
    /// The member who sends the message, if one does.
    pub member: Option<MemberId>,
    /// The time at which the message is accepted.
    pub at: Timestamp,
}

/// The change that one or several messages make to their conversation. The change does not depend
/// on the state of the conversation, so one SQL statement can merge it into the conversation's row.
/// The statement adds `messages`, sets `last_message_at`, keeps the later `last_inbound_at`, and
/// keeps the row's `paused_by` if the agent is already paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversationChange {
    /// Number of messages that the change adds.
    pub messages: i64,
    /// The first of the added messages that pauses the AI agent, if one of them does.
    pub paused_by: Option<MessageId>,
    /// The time at which the last added message was accepted (outbound) or written (inbound).
    pub last_message_at: Timestamp,
    /// The time of the contact's last added message, if the contact wrote one of them.
    pub last_inbound_at: Option<Timestamp>,
}

impl ConversationChange {
    /// Returns the change made by one outbound message, which is about to be sent.
    #[must_use]
    pub fn sending(message: &ProposedMessage) -> Self {
        Self {
            messages: 1,
            paused_by: message.pauses_agent.then_some(message.message),
            last_message_at: message.at,
            last_inbound_at: None,
        }
    }

    /// Returns the change made by one message that the contact wrote at `at`.
    #[must_use]
    pub const fn receiving(at: Timestamp) -> Self {
        Self { messages: 1, paused_by: None, last_message_at: at, last_inbound_at: Some(at) }
    }

    /// Returns the change made by one message that the organization sent from its phone at `at`.
    /// Such a message pauses the AI agent.
    #[must_use]
    pub const fn echoing(message: MessageId, at: Timestamp) -> Self {
        Self { messages: 1, paused_by: Some(message), last_message_at: at, last_inbound_at: None }
    }

    /// Returns the change made by one message that the channel's own agent sent at `at`.
    #[must_use]
    pub const fn observing(at: Timestamp) -> Self {
        Self { messages: 1, paused_by: None, last_message_at: at, last_inbound_at: None }
    }

    /// Returns the change made by a report that is about the conversation and contains no message.
    /// The report was made at `at`.
    #[must_use]
    pub const fn touching(at: Timestamp) -> Self {
        Self { messages: 0, paused_by: None, last_message_at: at, last_inbound_at: None }
    }

    /// Combines this change with a later one. If both pause the agent, `paused_by` is the message
    /// of this change.
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

/// The data of a conversation, read from the database after the change of a batch of messages was
/// merged into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConversationRead {
    pub organization: OrganizationId,
    pub account: AccountId,
    pub conversation: ConversationId,
    /// Number of messages in the conversation, including those of the batch.
    pub messages: i64,
    /// The message that paused the AI agent, if it is paused.
    pub paused_by: Option<MessageId>,
}

/// A message with its position in the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessagePlacement {
    /// The position in the conversation. The first message has position 1, and there are no gaps.
    pub position: i64,
    pub direction: Direction,
    pub status: MessageStatus,
    /// The events that the message causes, in the order in which they are recorded.
    pub events: Vec<NewEvent>,
}

/// The placement of a batch of messages in one conversation. Its methods give the messages of the
/// batch their positions and events, one message after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchPositions {
    read: ConversationRead,
    next: i64,
    /// The contact of the conversation, with its current data.
    person: Option<Arc<ContactSnapshot>>,
    /// Whether the events for the new conversation must still be recorded. False if the
    /// conversation existed before this batch.
    begins: bool,
}

impl BatchPositions {
    /// Starts the placement of a batch of `messages` messages. `new` is the contact if the batch
    /// created the conversation, and `None` if the conversation existed before.
    #[must_use]
    pub fn new(read: ConversationRead, messages: i64, new: Option<ContactSnapshot>) -> Self {
        let begins = new.is_some();
        Self { read, next: read.messages - messages + 1, person: new.map(Arc::new), begins }
    }

    /// Sets the contact of the conversation. If the batch created the conversation, its contact is
    /// known already and stays.
    #[must_use]
    pub fn with(self, person: Option<Arc<ContactSnapshot>>) -> Self {
        Self { person: self.person.or(person), ..self }
    }

    /// Returns the contact of the conversation, with its current data.
    #[must_use]
    pub fn person(&self) -> Option<Arc<ContactSnapshot>> {
        self.person.clone()
    }

    /// Places an outbound message that was accepted and will be sent.
    pub fn accept(&mut self, message: &ProposedMessage) -> MessagePlacement {
        let ProposedMessage { message, at, source, member, .. } = *message;
        let mut events = self.beginning(at);
        events.push(self.event(EventKind::MessageQueued, self.message(message), at));
        events.extend(self.pause(message, PausingMessage { source, at, by: member }, at));
        self.place(Direction::Outbound, MessageStatus::Queued, events)
    }

    /// Places a scheduled message that is refused when it is due. The message is recorded as
    /// failed, and is not sent.
    pub fn refuse(&mut self, message: MessageId, at: Timestamp) -> MessagePlacement {
        let mut events = self.beginning(at);
        events.push(self.event(EventKind::MessageFailed, self.message(message), at));
        self.place(Direction::Outbound, MessageStatus::Failed, events)
    }

    /// Places a message that the contact wrote and that was received at `at`.
    pub fn receive(&mut self, message: MessageId, at: Timestamp) -> MessagePlacement {
        let mut events = self.beginning(at);
        events.push(self.event(EventKind::MessageReceived, self.message(message), at));
        self.place(Direction::Inbound, MessageStatus::Received, events)
    }

    /// Returns the events for a new conversation that begins with a report instead of a message.
    /// Returns no events if the conversation existed before.
    pub fn begin(&mut self, at: Timestamp) -> Vec<NewEvent> {
        self.beginning(at)
    }

    /// Places a message that the organization sent from its phone, or that the channel's own agent
    /// sent. The message was sent at `sent_at`, and the channel's report of it was received at
    /// `at`.
    pub fn echo(
        &mut self,
        message: MessageId,
        sent_at: Timestamp,
        at: Timestamp,
    ) -> MessagePlacement {
        let mut events = self.beginning(at);
        events.push(self.event(EventKind::MessageSent, self.message(message), at));
        let source = MessageSource::Phone;
        events.extend(self.pause(message, PausingMessage { source, at: sent_at, by: None }, at));
        self.place(Direction::Outbound, MessageStatus::Sent, events)
    }

    /// Returns the event for the pause of the AI agent, if `message` is the message that paused it.
    fn pause(
        &self,
        message: MessageId,
        pausing: PausingMessage,
        at: Timestamp,
    ) -> Option<NewEvent> {
        (self.read.paused_by == Some(message)).then(|| {
            let status = Some(Box::new(AgentStatus::paused_by(pausing)));
            self.event(EventKind::ConversationAgentPaused, self.conversation(status), at)
        })
    }

    fn message(&self, message: MessageId) -> EventPayload {
        EventPayload::Message(message, self.person())
    }

    fn conversation(&self, agent: Option<Box<AgentStatus>>) -> EventPayload {
        EventPayload::Conversation(self.read.conversation, self.person(), agent)
    }

    fn place(
        &mut self,
        direction: Direction,
        status: MessageStatus,
        events: Vec<NewEvent>,
    ) -> MessagePlacement {
        let position = self.next;
        self.next += 1;
        MessagePlacement { position, direction, status, events }
    }

    /// Returns the events for the new contact and the new conversation, at the first call only.
    /// Returns no events if the conversation existed before this batch.
    fn beginning(&mut self, at: Timestamp) -> Vec<NewEvent> {
        let begins = std::mem::take(&mut self.begins);
        let Some(person) = self.person.as_deref().filter(|_| begins) else { return Vec::new() };
        let contact = EventPayload::Contact(Box::new(person.clone()));
        vec![
            self.event(EventKind::ContactCreated, contact, at),
            self.event(EventKind::ConversationCreated, self.conversation(None), at),
        ]
    }

    const fn event(&self, kind: EventKind, payload: EventPayload, at: Timestamp) -> NewEvent {
        let ConversationRead { organization, account, .. } = self.read;
        NewEvent { organization, account: Some(account), kind, payload, at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Identity;
    use crate::id::ContactId;
    use crate::inbox::PauseCause;
    use proptest::prelude::*;
    use std::time::Duration;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_795_262_400 + seconds)
    }

    fn message(number: u8, pauses_agent: bool) -> ProposedMessage {
        let (at, source) = (at(number.into()), MessageSource::Api);
        let message = MessageId::new(at, [number; 10]);
        ProposedMessage { message, pauses_agent, source, member: None, at }
    }

    /// The row of a conversation in the database, as far as accepting messages changes it.
    #[derive(Clone, Copy, Debug, Default)]
    struct ConversationState {
        messages: i64,
        paused_by: Option<MessageId>,
    }

    impl ConversationState {
        /// Merges a change into the row, as the SQL statement of the database layer does.
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

    fn kinds(placed: &MessagePlacement) -> Vec<EventKind> {
        placed.events.iter().map(|event| event.kind).collect()
    }

    /// Accepts batches one after the other, as the database layer does.
    fn accept(batches: &[Vec<ProposedMessage>]) -> (ConversationState, Vec<MessagePlacement>) {
        let (mut row, mut accepted) = (ConversationState::default(), Vec::new());
        for (index, batch) in batches.iter().enumerate() {
            let change = batch.iter().map(ConversationChange::sending);
            let Some(change) = change.reduce(ConversationChange::then) else { continue };
            let new = (index == 0).then(person);
            let places = BatchPositions::new(row.merge(&change), change.messages, new);
            let mut places = places.with(Some(Arc::new(person())));
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
        let read = ConversationState::default().merge(&change);
        let mut places = BatchPositions::new(read, change.messages, Some(person()));
        let received = places.receive(message(1, true).message, at(0));
        let begins = [EventKind::ContactCreated, EventKind::ConversationCreated];
        assert_eq!(kinds(&received), [&begins[..], &[EventKind::MessageReceived]].concat());
        assert_eq!(received.direction, Direction::Inbound);
        assert_eq!(received.status, MessageStatus::Received);
        assert_eq!(received.position, 1);
    }

    #[test]
    fn what_is_sent_from_the_phone_is_sent_already_and_pauses_the_agent_once() {
        let mut row = ConversationState::default();
        for (number, expected) in [(1, true), (2, false)] {
            let message = message(number, true).message;
            let change = ConversationChange::echoing(message, at(0));
            let mut places = BatchPositions::new(row.merge(&change), change.messages, None);
            let echoed = places.echo(message, at(0), at(1));
            let paused = expected.then_some(EventKind::ConversationAgentPaused);
            let expected: Vec<EventKind> =
                [EventKind::MessageSent].into_iter().chain(paused).collect();
            assert_eq!(kinds(&echoed), expected);
            assert_eq!(echoed.direction, Direction::Outbound);
            assert_eq!(echoed.status, MessageStatus::Sent);
            assert_eq!(echoed.position, i64::from(number));
        }
    }

    #[test]
    fn the_event_of_a_pause_says_who_paused_the_agent() {
        let member = Some(MemberId::new(at(0), [7; 10]));
        let by_member =
            ProposedMessage { source: MessageSource::Inbox, member, ..message(5, true) };
        let (_, placed) = accept(&[vec![by_member]]);
        let paused = placed[0].events.last().unwrap();
        let EventPayload::Conversation(_, _, Some(status)) = &paused.payload else {
            panic!("{paused:?}")
        };
        assert_eq!(status.cause, Some(PauseCause::Member));
        assert_eq!(status.by, member);
        assert_eq!(status.since, Some(at(5)));
        assert_eq!(status.until, None);
    }

    #[test]
    fn a_limit_is_announced_by_whoever_reaches_it() {
        let mut count = UsageCount::new(1, false);
        let admission =
            |admitted, used, announces_limit| Admission { admitted, used, announces_limit };
        assert_eq!(count.admit(Some(3)), admission(true, 2, false));
        assert_eq!(count.admit(Some(3)), admission(true, 3, true));
        assert_eq!(count.admit(Some(3)), admission(false, 3, false));
        // A plan without a limit admits everything. A limit below the count admits nothing.
        assert_eq!(count.admit(None), admission(true, 4, false));
        assert_eq!(UsageCount::new(5, false).admit(Some(0)), admission(false, 5, true));
        assert_eq!(UsageCount::new(5, true).admit(Some(0)), admission(false, 5, false));
    }

    proptest! {
        #[test]
        fn however_messages_are_gathered_they_come_to_the_same(
            free_form in prop::collection::vec(any::<bool>(), 1..20),
            ends in prop::collection::vec(any::<bool>(), 20),
        ) {
            let all: Vec<ProposedMessage> = (0..).zip(&free_form).map(|(it, free)| message(it, *free)).collect();
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
            prop_assert_eq!(row.paused_by, all.iter().find(|it| it.pauses_agent).map(|it| it.message));
            let positions: Vec<i64> = gathered.iter().map(|it| it.position).collect();
            prop_assert_eq!(positions, (1..).take(all.len()).collect::<Vec<i64>>());
        }

        #[test]
        fn no_more_than_the_limit_is_admitted(used in 0..30_u32, limit in 0..30_u32, asked in 0..60_usize) {
            let mut count = UsageCount::new(used, false);
            let said: Vec<Admission> = (0..asked).map(|_| count.admit(Some(limit))).collect();
            let admitted = said.iter().filter(|it| it.admitted).count();
            prop_assert_eq!(admitted, asked.min(limit.saturating_sub(used) as usize));
            prop_assert!(said.iter().filter(|it| it.announces_limit).count() <= 1);
        }

        #[test]
        fn changes_merge_in_any_grouping(times in prop::collection::vec((0..100_u8, any::<bool>()), 3)) {
            let change = |&(seconds, free_form): &(u8, bool)| {
                let at = at(0).plus(Duration::from_secs(seconds.into()));
                ConversationChange::sending(&ProposedMessage { at, ..message(seconds, free_form) })
            };
            let [a, b, c] = [change(&times[0]), change(&times[1]), change(&times[2])];
            prop_assert_eq!(a.then(b).then(c), a.then(b.then(c)));
        }
    }
}
