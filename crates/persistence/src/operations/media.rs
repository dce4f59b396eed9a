//! Operations on media files.
use super::{
    DbFuture, OperatorDb, OrganizationDb, PublicDb, all_tenants_query, any_node_query,
    tenant_query, unscoped_query,
};
use crate::Db;
use crate::records::{ClaimedFetch, FetchClaim, Media};
use domain::id::{InstanceId, MediaId, MessageId, OrganizationId};
use domain::media::FetchStep;
use domain::time::Timestamp;

impl Db {
    /// Records a file that is about to be stored.
    pub fn insert_media(&self, new: Media) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, media::insert_media(new))
    }
}

impl<'a> PublicDb<'a> {
    /// Returns a stored file to anybody who knows its id.
    pub fn public_media(self, id: MediaId) -> DbFuture<'a, Option<Media>> {
        all_tenants_query!(self, read, media::public_media(id))
    }
}

impl<'a> OrganizationDb<'a> {
    /// Records that a file has been stored.
    pub fn store_media(self, id: MediaId) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, media::store_media(id))
    }

    /// Returns one of the organization's stored files.
    pub fn own_media(self, id: MediaId) -> DbFuture<'a, Option<Media>> {
        tenant_query!(self.organization, read, media::own_media(id))
    }

    /// Returns a page of the organization's stored files, by their ids.
    pub fn list_media(self, after: Option<MediaId>, limit: i64) -> DbFuture<'a, Vec<Media>> {
        tenant_query!(self.organization, read, media::list_media(after, limit))
    }

    /// Records that a message's file has been stored, and writes the file's URL into the message.
    /// If `transcribed` is given, the file is transcribed next, and `transcribed` is the present
    /// time. Returns `false` if the file is not needed any more.
    pub fn finish_fetch(
        self,
        message: MessageId,
        file: MediaId,
        url: String,
        transcribed: Option<Timestamp>,
    ) -> DbFuture<'a, bool> {
        tenant_query!(
            self.organization,
            write_after,
            media::finish_fetch(message, file, url, transcribed)
        )
    }

    /// Writes a transcript into its voice message, unless the message has one already or was
    /// erased. Returns whether the transcript was written.
    pub fn store_transcript(
        self,
        message: MessageId,
        transcript: String,
        now: Timestamp,
    ) -> DbFuture<'a, bool> {
        tenant_query!(
            self.organization,
            write_after,
            media::store_transcript(message, transcript, now)
        )
    }

    /// Postpones the download or the transcription of a message's file, unless the claim has ended.
    pub fn reschedule_fetch(self, claim: FetchClaim, due: Timestamp) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write_after, media::reschedule_fetch(claim, due))
    }

    /// Gives up the download or the transcription of a message's file, unless the claim has ended.
    pub fn abandon_fetch(self, claim: FetchClaim) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write_after, media::abandon_fetch(claim))
    }

    /// Deletes the record of a file that was never stored.
    pub fn delete_media(self, id: MediaId) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write_after, media::delete_media(id))
    }
}

impl<'a> OperatorDb<'a> {
    /// Returns the first organization with files after `after`.
    pub fn next_with_media(
        self,
        after: Option<OrganizationId>,
    ) -> DbFuture<'a, Option<OrganizationId>> {
        all_tenants_query!(self, read, media::next_with_media(after))
    }

    /// Returns files that were recorded but never stored.
    pub fn orphaned_media(
        self,
        cutoff: Timestamp,
        limit: i64,
    ) -> DbFuture<'a, Vec<(OrganizationId, MediaId)>> {
        all_tenants_query!(self, read, media::orphaned_media(cutoff, limit))
    }
}

impl<'a> OperatorDb<'a> {
    /// Claims files to be downloaded from the channel, or to be transcribed.
    pub fn claim_fetches(
        self,
        server: InstanceId,
        step: FetchStep,
        limit: i64,
        now: Timestamp,
        until: Timestamp,
    ) -> DbFuture<'a, Vec<ClaimedFetch>> {
        any_node_query!(self, write_after, media::claim_fetches(server, step, limit, now, until))
    }
}
