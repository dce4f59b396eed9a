//! Files that businesses upload (`docs/contract.md#upload-media`).

use crate::Deps;
use crate::error_chain::chain;
use crate::files::{NameInAddress, Outage, name_of_address, sniff};
use domain::id::{MediaId, OrganizationId};
use domain::keyword::Keyword as _;
use domain::media::{FileName, FileType, MediaState};
use persistence::records::Media;
use std::fs::File;
use std::io;
use std::sync::Arc;
use tokio::task::{JoinError, spawn_blocking};
use tracing::Instrument as _;

/// A stored file, for anyone who knows its id.
pub async fn public(deps: &Deps, id: MediaId) -> persistence::Result<Option<Media>> {
    deps.db.public().public_media(id).await
}

/// One of the organization's stored files.
pub async fn find(
    deps: &Deps,
    organization: OrganizationId,
    id: MediaId,
) -> persistence::Result<Option<Media>> {
    deps.db.organization(organization).own_media(id).await
}

/// The name with which a file of ours was uploaded. Its address says it, so that only a very long one is looked up.
pub async fn uploaded_name(deps: &Deps, url: &str) -> persistence::Result<Option<String>> {
    match name_of_address(&deps.settings.base_url, url) {
        NameInAddress::NotOurs => Ok(None),
        NameInAddress::Whole(name) => Ok(Some(name)),
        NameInAddress::Shortened(id) => Ok(public(deps, id).await?.map(|it| it.file_name)),
    }
}

/// A file that has arrived.
pub struct Upload {
    /// Its bytes.
    pub file: File,
    /// How many they are.
    pub size: u64,
    /// Their SHA-256.
    pub sha256: Vec<u8>,
    /// What the sender says it is.
    pub file_type: FileType,
    /// The content type in its `data:` URI, if it came in one.
    pub declared: Option<String>,
    /// Its name.
    pub name: FileName,
}

/// Why a file is not kept.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// It has more bytes than one of its type may have.
    #[error("the file has more than {limit} bytes")]
    TooLarge {
        /// The most bytes.
        limit: u64,
    },
    /// Its bytes are those of another type.
    #[error("the file is {found}")]
    OtherType {
        /// What it is.
        found: String,
    },
    /// The disk failed.
    #[error("the disk failed: {0}")]
    Disk(#[from] io::Error),
    /// It cannot be stored; why is in the log.
    #[error("files cannot be stored")]
    Store(Outage),
    /// It took so long to store that it was given up.
    #[error("the file took too long to store")]
    Late,
    /// Its task was cut off.
    #[error("the task was cut off: {0}")]
    Task(#[from] JoinError),
    /// The server is stopping.
    #[error("no more files are read")]
    Stopping,
    /// Its size cannot be counted.
    #[error("the size of the file cannot be stored")]
    Size,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Work that takes a thread for a while, and few threads at a time.
pub async fn in_background<T: Send + 'static>(
    deps: &Deps,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, UploadError> {
    let turn = deps.files.decoders.clone().acquire_owned().await;
    let turn = turn.map_err(|_| UploadError::Stopping)?;
    let span = tracing::Span::current();
    let work = move || {
        // Until the work is done, and not only while somebody waits for it.
        let _turn = turn;
        span.in_scope(work)
    };
    Ok(spawn_blocking(work).await?)
}

/// Keeps a file of an organization, if its bytes are what its type says and not too many.
pub async fn keep(
    deps: &Arc<Deps>,
    organization: OrganizationId,
    upload: Upload,
) -> Result<Media, UploadError> {
    let Upload { mut file, size, sha256, file_type, declared, name } = upload;
    let limit = file_type.max_bytes();
    if size > limit {
        return Err(UploadError::TooLarge { limit });
    }
    if let Some(found) = declared.filter(|it| FileType::of_content_type(it) != Some(file_type)) {
        return Err(UploadError::OtherType { found });
    }
    let sniffed = in_background(deps, move || sniff(&mut file).map(|found| (file, found)));
    let (file, found) = sniffed.await??;
    if !found.is(file_type) {
        return Err(UploadError::OtherType { found: found.media_type().to_owned() });
    }
    let now = deps.clock.now();
    let media = Media {
        id: deps.id::<domain::id::Media>(now),
        organization_id: organization,
        state: MediaState::Arriving,
        file_name: name.to_string(),
        content_type: file_type.as_str().to_owned(),
        size,
        sha256,
        created_at: now,
    };
    // In a task of its own, so that it runs to its end when the client goes away.
    let storing = store(deps.clone(), media.clone(), file).in_current_span();
    tokio::spawn(storing).await??;
    Ok(media)
}

/// Announced, then stored, then kept: whatever ends in between is found and removed later.
async fn store(deps: Arc<Deps>, media: Media, file: File) -> Result<(), UploadError> {
    let (id, organization): (MediaId, OrganizationId) = (media.id, media.organization_id);
    deps.db.announce_media(media).await?;
    let stored = deps.files.store(id, file).await;
    let outage = |error| UploadError::Store(deps.files.reports.failed(&error, deps.clock.steady()));
    stored.map_err(outage)?;
    if deps.db.organization(organization).store_media(id).await? {
        return Ok(());
    }
    tracing::error!(media = %id, "a file took so long to store that it was given up");
    if let Err(error) = deps.files.remove(id).await {
        let error = chain(&error);
        tracing::error!(error, media = %id, "a file that was given up was not removed");
    }
    Err(UploadError::Late)
}
