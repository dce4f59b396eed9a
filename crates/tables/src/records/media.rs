//! Stored files, and files to be fetched from the channel.
use super::ChannelAccess;
use crate::schema::{fetches, media};
use crate::types::{Attempts, Document};
use domain::id::{AccountId, MediaId, MessageId, OrganizationId};
use domain::media::{FetchStep, MediaState};
use domain::time::Timestamp;

record! {
    pub struct Media of media {
        pub id: MediaId,
        pub organization_id: OrganizationId,
        pub state: MediaState,
        pub file_name: String,
        pub content_type: String,
        pub size: u64,
        pub sha256: Vec<u8>,
        pub created_at: Timestamp,
    }
}

record! {
    /// A file that a contact sent, and that is still to be fetched from the channel or transcribed.
    pub struct Fetch of fetches {
        pub organization_id: OrganizationId,
        pub message_id: MessageId,
        pub account_id: AccountId,
        pub file_id: String,
        pub attempts: Attempts,
        pub due_at: Timestamp,
        pub received_at: Timestamp,
        pub step: FetchStep,
    }
}

impl Fetch {
    /// Returns the claim of the worker that has just received this row.
    #[must_use]
    pub const fn claim(&self) -> FetchClaim {
        FetchClaim { message_id: self.message_id, step: self.step, attempts: self.attempts }
    }
}

/// A worker's claim on one step of a file. A later claim on the same step has more attempts.
#[derive(Clone, Copy, Debug)]
pub struct FetchClaim {
    pub message_id: MessageId,
    pub step: FetchStep,
    /// The number of attempts, including this one.
    pub attempts: Attempts,
}

/// A file to fetch or to transcribe, claimed by one worker until its claim expires.
#[derive(Clone, Debug)]
pub struct ClaimedFetch {
    pub fetch: Fetch,
    /// The content of the message, as the JSON that the API shows.
    pub content: Document,
    /// The access to the channel of the account that received the file.
    pub access: ChannelAccess,
}
