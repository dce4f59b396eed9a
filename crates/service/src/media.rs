//! Uploaded files of organizations (`docs/contract.md#upload-media`).

use domain::id::{MediaId, OrganizationId};
use domain::keyword::Keyword as _;
use domain::media::{FileName, FileType, MediaState};
use persistence::records::Media;
use platform::Deps;
use platform::error_chain::chain;
use platform::files::{
    NameInAddress, Outage, id_in_address, is_address_of, name_of_address, sniff,
};
use std::fs::File;
use std::io;
use std::sync::Arc;
use tokio::task::{JoinError, spawn_blocking};
use tracing::Instrument as _;

/// Finds a stored file for anyone who knows its id.
pub async fn public(deps: &Deps, id: MediaId) -> persistence::Result<Option<Media>> {
    deps.db.public().public_media(id).await
}

/// Finds one of the organization's stored files.
pub async fn find(
    deps: &Deps,
    organization: OrganizationId,
    id: MediaId,
) -> persistence::Result<Option<Media>> {
    deps.db.organization(organization).own_media(id).await
}

/// Finds one of the organization's stored files by its address.
pub async fn find_by_address(
    deps: &Deps,
    organization: OrganizationId,
    url: &str,
) -> persistence::Result<Option<Media>> {
    let base_url = &deps.settings.base_url;
    let Some(id) = id_in_address(base_url, url) else { return Ok(None) };
    let found = find(deps, organization, id).await?;
    Ok(found.filter(|media| is_address_of(base_url, id, &media.file_name, url)))
}

/// Returns the name with which a file was uploaded to this service. The URL contains the name,
/// unless it is very long. A long name is looked up in the database.
pub async fn uploaded_name(deps: &Deps, url: &str) -> persistence::Result<Option<String>> {
    match name_of_address(&deps.settings.base_url, url) {
        NameInAddress::NotOurs => Ok(None),
        NameInAddress::Whole(name) => Ok(Some(name)),
        NameInAddress::Shortened(id) => Ok(public(deps, id).await?.map(|it| it.file_name)),
    }
}

/// An uploaded file that was received completely.
pub struct Upload {
    pub file: File,
    /// Size in bytes.
    pub size: u64,
    /// The SHA-256 digest of the content.
    pub sha256: Vec<u8>,
    /// The type that the sender states.
    pub file_type: FileType,
    /// The content type in the `data:` URI, if the file came in one.
    pub declared: Option<String>,
    pub name: FileName,
}

/// The reason why a file is not stored.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// The file is larger than its type allows.
    #[error("the file has more than {limit} bytes")]
    TooLarge {
        /// Maximum size in bytes.
        limit: u64,
    },
    /// The content is of another type.
    #[error("the file is {found}")]
    OtherType {
        /// The detected type.
        found: String,
    },
    #[error("the disk failed: {0}")]
    Disk(#[from] io::Error),
    /// The file cannot be stored. The reason is in the log.
    #[error("files cannot be stored")]
    Store(Outage),
    /// Storing the file took so long that it was given up.
    #[error("the file took too long to store")]
    Late,
    /// The task was aborted.
    #[error("the task was aborted: {0}")]
    Task(#[from] JoinError),
    #[error("the server is stopping and accepts no more files")]
    Stopping,
    /// The size does not fit the type.
    #[error("the size of the file cannot be stored")]
    Size,
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Runs blocking work on another thread. Only a few such threads run at a time.
pub async fn in_background<T: Send + 'static>(
    deps: &Deps,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, UploadError> {
    let turn = deps.files.decoders.clone().acquire_owned().await;
    let turn = turn.map_err(|_| UploadError::Stopping)?;
    let span = tracing::Span::current();
    let work = move || {
        // The permit is released only when the work is done, even if nobody waits for the work.
        let _turn = turn;
        span.in_scope(work)
    };
    Ok(spawn_blocking(work).await?)
}

/// Stores a file of an organization if its content matches its type and it is not too large.
pub async fn create(
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
        return Err(UploadError::OtherType { found: found.described(file_type) });
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
    // The file is stored in a task of its own, so that storing completes even if the client
    // disconnects.
    let storing = store(deps.clone(), media.clone(), file).in_current_span();
    tokio::spawn(storing).await??;
    Ok(media)
}

/// Inserts the row of the file, stores the file, and marks the row as stored. If this is
/// interrupted, a sweep finds the row and removes the file later.
async fn store(deps: Arc<Deps>, media: Media, file: File) -> Result<(), UploadError> {
    let (id, organization): (MediaId, OrganizationId) = (media.id, media.organization_id);
    deps.db.insert_media(media).await?;
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
