//! Files: those that we keep, and those that are still to be fetched from the channel.
use super::ChannelAccess;
use crate::schema::{fetches, media};
use crate::types::{Attempts, Col, Document};
use diesel::prelude::*;
use domain::id::{AccountId, MediaId, MessageId, OrganizationId};
use domain::media::MediaState;
use domain::time::Timestamp;

/// A file.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = media)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Media {
    pub id: Col<MediaId>,
    pub organization_id: Col<OrganizationId>,
    pub state: Col<MediaState>,
    pub file_name: String,
    pub content_type: String,
    pub size: Col<u64>,
    pub sha256: Vec<u8>,
    pub created_at: Col<Timestamp>,
}

/// A file that a person sent, as long as it is still with the channel.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = fetches)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Fetch {
    pub message_id: Col<MessageId>,
    pub account_id: Col<AccountId>,
    pub file_id: String,
    pub attempts: Attempts,
    pub due_at: Col<Timestamp>,
    pub received_at: Col<Timestamp>,
}

/// A file to be fetched, by one worker until its claim runs out.
#[derive(Clone, Debug)]
pub struct ClaimedFetch {
    /// Which file.
    pub fetch: Fetch,
    /// Whose message it came with.
    pub organization: OrganizationId,
    /// What the message says, as the API shows it.
    pub content: Document,
    /// How the channel is reached for the number it came to.
    pub access: ChannelAccess,
}
