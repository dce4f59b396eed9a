//! Operations on media files.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb, PublicDb};
use crate::records::{ClaimedFetch, Media};
use domain::id::{InstanceId, MediaId, MessageId, OrganizationId};
use domain::time::Timestamp;

operations! {
    Db;
    /// Records a file that is about to be stored.
    write media::insert_media(new: Media) -> ();
}

operations! {
    PublicDb;
    /// Returns a stored file to anybody who knows its id.
    read media::public_media(id: MediaId) -> Option<Media>;
}

operations! {
    OrganizationDb<organization>;
    /// Records that a file has been stored.
    write media::store_media(id: MediaId) -> bool;
    /// Returns one of the organization's stored files.
    read media::own_media(id: MediaId) -> Option<Media>;
    /// Returns a page of the organization's stored files, by their ids.
    read media::list_media(after: Option<MediaId>, limit: i64) -> Vec<Media>;
    /// Records that a message's file has been stored, and writes its URL into the message.
    write_after media::finish_fetch(message: MessageId, file: MediaId, url: String) -> ();
    /// Postpones the download of a message's file.
    write_after media::reschedule_fetch(message: MessageId, due: Timestamp) -> ();
    /// Gives up the download of a message's file.
    write_after media::abandon_fetch(message: MessageId) -> ();
    /// Deletes the record of a file that was never stored.
    write_after media::delete_media(id: MediaId) -> ();
}

operations! {
    OperatorDb;
    /// Returns the first organization with files after `after`.
    read media::next_with_media(after: Option<OrganizationId>) -> Option<OrganizationId>;
    /// Returns files that were recorded but never stored.
    read media::orphaned_media(cutoff: Timestamp, limit: i64) -> Vec<(OrganizationId, MediaId)>;
}

operations! {
    OperatorDb anywhere;
    /// Claims files to be downloaded from the channel.
    write_after media::claim_fetches(server: InstanceId, limit: i64, now: Timestamp, until: Timestamp) -> Vec<ClaimedFetch>;
}
