//! Files.
use super::operations;
use crate::Db;
use crate::operations::{OperatorDb, OrganizationDb, PublicDb};
use crate::records::{ClaimedFetch, Media};
use domain::id::{InstanceId, MediaId, MessageId, OrganizationId};
use domain::time::Timestamp;

operations! {
    Db;
    /// Announces a file that is about to be stored.
    write media::announce_media(new: Media) -> ();
}

operations! {
    PublicDb;
    /// A stored file, for anyone who knows its id.
    read media::public_media(id: MediaId) -> Option<Media>;
}

operations! {
    OrganizationDb<organization>;
    /// The file is stored.
    write media::store_media(id: MediaId) -> bool;
    /// One of the organization's stored files.
    read media::own_media(id: MediaId) -> Option<Media>;
    /// A page of the organization's stored files, by their ids.
    read media::kept_media(after: Option<MediaId>, limit: i64) -> Vec<Media>;
    /// A message's file is stored, and the message says where.
    write_after media::finish_fetch(message: MessageId, file: MediaId, url: String) -> ();
    /// Puts off the fetching of a message's file.
    write_after media::reschedule_fetch(message: MessageId, due: Timestamp) -> ();
    /// Gives up the fetching of a message's file.
    write_after media::abandon_fetch(message: MessageId) -> ();
    /// Forgets a file that was never stored.
    write_after media::forget_media(id: MediaId) -> ();
}

operations! {
    OperatorDb;
    /// The first organization that comes after that one and has files.
    read media::next_with_media(after: Option<OrganizationId>) -> Option<OrganizationId>;
    /// Files that were announced and never stored.
    read media::orphaned_media(cutoff: Timestamp, limit: i64) -> Vec<(OrganizationId, MediaId)>;
}

operations! {
    OperatorDb anywhere;
    /// Claims files that are to be fetched from the channel.
    write_after media::claim_fetches(server: InstanceId, limit: i64, now: Timestamp, until: Timestamp) -> Vec<ClaimedFetch>;
}
