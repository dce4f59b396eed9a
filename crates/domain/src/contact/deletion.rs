//! The stages in which the personal data of a contact is erased (`docs/contract.md#contacts`).

use crate::keyword::keywords;
use std::time::Duration;

/// Number of rounds of a deletion. The second round erases what requests in progress wrote after
/// the first round.
pub const DELETION_ROUNDS: u32 = 2;

/// The time between the end of the first round and the second round. No request or write that read
/// the contact before the deletion takes that long.
pub const SECOND_ROUND_AFTER: Duration = Duration::from_secs(30);

keywords! {
    /// The data that a worker erases next.
    pub enum DeletionStage {
        /// The content of messages. The ids of their files are collected.
        Messages = "messages",
        /// Notes, drafts, the inbox entry and dead letters.
        Conversation = "conversation",
        /// The contact and the notes in events.
        Events = "events",
        /// Stored answers of idempotent requests.
        Answers = "answers",
        /// Files that are in no other contact's messages.
        Files = "files",
        /// Deleted rows that can still be found in the database's file.
        Remains = "remains",
    }
}

impl DeletionStage {
    /// The first stage.
    pub const FIRST: Self = Self::Messages;

    /// Returns the next stage, or nothing after the last one.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        match self {
            Self::Messages => Some(Self::Conversation),
            Self::Conversation => Some(Self::Events),
            Self::Events => Some(Self::Answers),
            Self::Answers => Some(Self::Files),
            Self::Files => Some(Self::Remains),
            Self::Remains => None,
        }
    }
}
