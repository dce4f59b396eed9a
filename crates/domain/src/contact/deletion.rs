//! The stages in which the personal data of a contact is erased (`docs/contract.md#contacts`).

use crate::keyword::keywords;
use std::time::Duration;

/// Number of rounds of a deletion. What requests that were under way wrote after the first round
/// is erased in the second.
pub const DELETION_ROUNDS: u32 = 2;

/// The time from the end of the first round to the second. It is longer than any request or write
/// takes that could have read the contact before the deletion.
pub const SECOND_ROUND_AFTER: Duration = Duration::from_secs(30);

keywords! {
    /// What a worker erases next.
    pub enum DeletionStage {
        /// The content of messages, and the files' ids are collected.
        Messages = "messages",
        /// Notes, drafts, the entry in the inbox, dead letters.
        Conversation = "conversation",
        /// The contact and notes in events.
        Events = "events",
        /// Stored answers of idempotent requests.
        Answers = "answers",
        /// Files that no other contact sent or was sent.
        Files = "files",
        /// What remains of deleted rows in the database's file.
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
