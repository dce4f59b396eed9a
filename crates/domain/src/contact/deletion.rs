//! The stages of the deletion of a contact, in which its personal data is erased
//! (`docs/contract.md#contacts`).

use crate::keyword::keywords;
use std::time::Duration;

/// Number of rounds of a deletion. Each round goes through all stages. The second round erases what
/// requests in progress wrote after the first round.
pub const DELETION_ROUNDS: u32 = 2;

/// The time between the end of the first round and the start of the second round. No request that
/// read the contact before the deletion takes longer than that.
pub const SECOND_ROUND_AFTER: Duration = Duration::from_secs(30);

keywords! {
    /// A stage of a deletion, named after the data that a worker erases in it.
    pub enum DeletionStage {
        /// The content of the contact's messages. The ids of the files in the messages are
        /// collected.
        Messages = "messages",
        /// The notes, drafts and inbox entry of the contact's conversation, and the contact's dead
        /// letters.
        Conversation = "conversation",
        /// The data of the contact, the notes and the labels that events contain.
        Events = "events",
        /// The data of the contact in the stored answers of idempotent requests.
        Answers = "answers",
        /// The collected files, except those that are in another contact's messages.
        Files = "files",
        /// Remains of the deleted rows, which can still be found in the database's file.
        Remains = "remains",
    }
}

impl DeletionStage {
    /// The first stage of each round.
    pub const FIRST: Self = Self::Messages;

    /// Returns the stage that follows, or `None` after the last stage of a round.
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
