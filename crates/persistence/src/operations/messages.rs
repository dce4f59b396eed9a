//! Messages, conversations and the outbox.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb};
use crate::records::{
    Addressee, Claim, Claimed, ConversationWithContact, Message, PersonKey, RecipientReport,
    RevisedMessage, RevisionOutcome,
};
use domain::contact::{Address, Identity};
use domain::id::{AccountId, ConversationId, MessageId};
use domain::time::Timestamp;

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
    /// One of the organization's messages, or of one of its numbers.
    read conversations::message(account: Option<AccountId>, id: MessageId) -> Option<Message>;
}

operations! {
    OperatorDb;
    /// Those of the reports that change something of what is known of the people that they name.
    read recipient_reports::relevant_reports(reports: Vec<RecipientReport>) -> Vec<RecipientReport>;
    /// Claims conversations whose next message is due; nothing if the server is taken for dead.
    write outbox::claim(by: Claim, limit: i64, now: Timestamp) -> Option<Vec<Claimed>>;
    /// When the next message is due that nobody submits.
    read outbox::next_message_due() -> Option<Timestamp>;
    /// How many messages wait for the channel.
    read outbox::outbox_depth() -> i64;
}
