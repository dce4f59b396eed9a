//! Operations on messages, conversations and the outbox.
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
    /// Changes or deletes a message as the channel reports it, once.
    write revisions::revise(new: RevisedMessage) -> RevisionOutcome;
}

operations! {
    OrganizationDb<organization>;
    /// Returns the contact that a contact id, a conversation id or a user id names.
    read conversations::addressee(named: PersonKey) -> Option<Addressee>;
    /// Records whether a contact wants marketing messages. Returns `false` if there is no such
    /// contact.
    write preferences::set_preference(account: AccountId, who: Identity, wants: bool, at: Timestamp, now: Timestamp) -> bool;
    /// Returns whether a contact wants no marketing messages from the organization.
    read preferences::has_opted_out(account: AccountId, to: Address) -> bool;
    /// Returns the conversations with a contact.
    read conversations::list_conversations(named: PersonKey) -> Vec<ConversationWithContact>;
    /// Returns the messages of a conversation in a range of positions, newest or oldest first.
    read conversations::part(conversation: ConversationId, from: i64, to: i64, oldest_first: bool) -> Vec<Message>;
    /// Returns a page of the messages of several conversations, newest or oldest first.
    long_read conversations::list_conversation_messages(within: Vec<ConversationId>, oldest_first: bool, limit: i64, offset: i64) -> Vec<Message>;
    /// Returns the conversations whose next message is due, for the instance that has claimed the
    /// organization, without those that it is already working on. On SQLite this runs on the
    /// writing thread, which has the pages in its cache.
    write_after outbox::organization_turn(claim: Claim, look: i64, in_progress: BTreeSet<ConversationId>, most: usize, now: Timestamp) -> OrganizationTurn;
    /// Returns one of the organization's messages, or of one of its accounts.
    read conversations::message(account: Option<AccountId>, id: MessageId) -> Option<Message>;
}

operations! {
    OperatorDb anywhere;
    /// Returns how many messages wait in the outbox, and when the oldest of them was accepted.
    read outbox::outbox_depth() -> (i64, Option<Timestamp>);
}
