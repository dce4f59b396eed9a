//! Messages, conversations and the outbox.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb};
use crate::records::{
    Addressee, Claim, ConversationWithContact, Message, OrganizationTurn, PersonKey,
    RevisedMessage, RevisionOutcome,
};
use domain::contact::{Address, Identity};
use domain::id::{AccountId, ConversationId, MessageId};
use domain::time::Timestamp;
use std::collections::BTreeSet;

operations! {
    Db;
    /// Changes or deletes a message, as the channel reports it, once.
    write revisions::revise(new: RevisedMessage) -> RevisionOutcome;
}

operations! {
    OrganizationDb<organization>;
    /// Whom a contact id, a conversation id or a user id names.
    read conversations::addressee(named: PersonKey) -> Option<Addressee>;
    /// Records whether a person wants marketing; `false` if nobody is known by that.
    write preferences::set_preference(account: AccountId, who: Identity, said: (bool, Timestamp), now: Timestamp) -> bool;
    /// Whether a person wants no marketing of the organization.
    read preferences::has_opted_out(account: AccountId, to: Address) -> bool;
    /// The conversations with a person.
    read conversations::conversations_of(named: PersonKey) -> Vec<ConversationWithContact>;
    /// The messages of a conversation at these positions, newest or oldest first.
    read conversations::part(conversation: ConversationId, positions: (i64, i64), oldest_first: bool) -> Vec<Message>;
    /// A page of what was said in several conversations, newest or oldest first.
    long_read conversations::page_of_several(within: Vec<ConversationId>, oldest_first: bool, limit: i64, offset: i64) -> Vec<Message>;
    /// The conversations whose next message is due, for the server that has claimed the organization, without those that it
    /// works on already. On SQLite's writer, which has the pages at hand.
    write_after outbox::organization_turn(by: (Claim, i64), in_progress: BTreeSet<ConversationId>, most: usize, now: Timestamp) -> OrganizationTurn;
    /// One of the organization's messages, or of one of its numbers.
    read conversations::message(account: Option<AccountId>, id: MessageId) -> Option<Message>;
}

operations! {
    OperatorDb anywhere;
    /// How many messages wait for the channel, and when the oldest of them was accepted.
    read outbox::outbox_depth() -> (i64, Option<Timestamp>);
}
