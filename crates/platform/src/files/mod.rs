//! The file store: where uploaded and received files are kept, and how they are read and written.

mod address;
mod bucket;
mod fault;
mod reports;
mod sniff;
mod transport;
mod uploads;

pub use fault::StorageFault;
pub use reports::{Outage, StorageReports};
pub use uploads::{BucketUpload, Uploads};

pub use address::{
    NameInAddress, address, id_in_address, is_address_of, is_name_in_address, name_of_address,
};
pub use sniff::{DetectedType, sniff};

use crate::error_chain::chain;
use crate::outbound::{self, BuildClientError};
use crate::settings::FileSettings;
use bytes::Bytes;
use domain::id::MediaId;
use futures_util::{Stream, TryStreamExt as _};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::{GetOptions, GetRange, MultipartUpload, ObjectStore, ObjectStoreExt as _};
use std::fs::{File, Permissions};
use std::io::{self, ErrorKind, Read as _, Seek as _};
use std::ops::Range;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// The size of the pieces in which a file is written: S3's minimum size of a part.
const CHUNK_BYTES: usize = 5 * 1024 * 1024;
/// The time limit for an answer of a bucket, including retries, and for each pause while a file is
/// read. A caller waits this long.
const BUCKET_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for an answer of a disk. It may have to write a large file first.
const DISK_TIMEOUT: Duration = Duration::from_mins(1);
/// The folder for files that are still arriving.
pub const ARRIVING: &str = ".arriving";
/// The name of the file with which a store is tested.
const TRIED_OUT_WITH: &str = "switchboard-check";
/// Number of files that are decoded at a time.
const DECODED_AT_A_TIME: usize = 4;

/// The file store. Cheap to clone.
#[derive(Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    /// The folder with the files, if the store is a folder.
    folder: Option<PathBuf>,
    /// The multipart uploads, if the store is a bucket.
    uploads: Option<Arc<Uploads>>,
    arriving: PathBuf,
    /// The time limit for an answer of the store.
    patience: Duration,
    /// Logs the store's failures.
    pub reports: Arc<StorageReports>,
    /// Permits for decoding a file, which occupies a thread.
    pub decoders: Arc<Semaphore>,
}

/// The reason why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenStoreError {
    /// The folder cannot be created.
    #[error("the folder {0} cannot be created: {1}")]
    Folder(String, io::Error),
    /// The settings do not fit the store.
    #[error(transparent)]
    Store(#[from] object_store::Error),
    /// The HTTP client cannot be created.
    #[error(transparent)]
    Client(#[from] BuildClientError),
}

impl Files {
    /// Opens the store. A missing folder is created, and only its owner may read it. Files that
    /// will be sent to a bucket are buffered in `temporary`.
    pub fn open(settings: &FileSettings, temporary: &Path) -> Result<Self, OpenStoreError> {
        let (decoders, reports) = (Arc::new(Semaphore::new(DECODED_AT_A_TIME)), Arc::default());
        match settings {
            FileSettings::Folder(folder) => {
                let arriving = folder.join(ARRIVING);
                private_folder(folder, &arriving)?;
                let store = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true);
                let (store, folder) = (Arc::new(store), Some(folder.clone()));
                let (uploads, patience) = (None, DISK_TIMEOUT);
                Ok(Self { store, folder, uploads, arriving, patience, reports, decoders })
            }
            FileSettings::Bucket(settings) => {
                let arriving = temporary.join(ARRIVING);
                private_folder(&arriving, &arriving)?;
                let (store, uploads) = bucket::open(settings, outbound::bucket(settings)?)?;
                let (uploads, patience) = (Some(Arc::new(uploads)), BUCKET_TIMEOUT);
                Ok(Self { store, folder: None, uploads, arriving, patience, reports, decoders })
            }
        }
    }

    /// Returns the multipart uploads if the store is a bucket.
    #[must_use]
    pub fn uploads(&self) -> Option<&Uploads> {
        self.uploads.as_deref()
    }

    /// Tests the store with the operations that requests use: writes, reads and removes a file. The
    /// file always has the same name, so that interrupted tests leave at most one file behind.
    /// Instances that test at the same time may remove each other's file, so a missing file is no
    /// failure.
    pub async fn check_all(&self) -> Result<(), StoreError> {
        let key = Key::from(TRIED_OUT_WITH);
        let tried = async {
            self.store.put(&key, Bytes::from_static(b"x").into()).await?;
            match self.store.get(&key).await {
                Err(object_store::Error::NotFound { .. }) => {}
                read => drop(read?.bytes().await?),
            }
            match self.store.delete(&key).await {
                Err(object_store::Error::NotFound { .. }) => Ok(()),
                removed => removed,
            }
        };
        self.patiently(tried).await
    }

    /// Creates an unnamed file for data that is arriving. The file disappears when it is closed,
    /// even if the process is killed. It is created on a thread for blocking work.
    pub async fn temporary(&self) -> io::Result<File> {
        let arriving = self.arriving.clone();
        spawn_blocking(move || tempfile::tempfile_in(arriving)).await?
    }

    /// Stores a file, piece by piece. When this returns, the store has made the file durable.
    pub async fn store(&self, id: MediaId, file: File) -> Result<(), StoreError> {
        let (first, rest) = piece(file, true).await?;
        let Some(rest) = rest else {
            self.moving(self.store.put(&key(id), first.into())).await?;
            return Ok(());
        };
        let mut upload = self.patiently(self.store.put_multipart(&key(id))).await?;
        let sent = self.send(upload.as_mut(), first, rest).await;
        if sent.is_err() {
            // A bucket keeps the parts, and charges for them, until the upload is aborted.
            if let Err(error) = self.patiently(upload.abort()).await {
                let error = chain(&error);
                tracing::warn!(error, media = %id, "the parts of a failed upload stay in the bucket for now");
            }
        }
        sent
    }

    /// Sends a file in parts, one at a time, so that only one piece is in memory.
    async fn send(
        &self,
        upload: &mut dyn MultipartUpload,
        first: Bytes,
        rest: File,
    ) -> Result<(), StoreError> {
        let (mut next, mut rest) = (first, Some(rest));
        loop {
            self.moving(upload.put_part(next.into())).await?;
            let Some(file) = rest else { break };
            (next, rest) = piece(file, false).await?;
            if next.is_empty() {
                break;
            }
        }
        self.patiently(upload.complete()).await?;
        Ok(())
    }

    /// Streams a range of a file. The time limit applies to the store only, not to a slow reader.
    pub async fn read(
        &self,
        id: MediaId,
        range: Range<u64>,
    ) -> Result<impl Stream<Item = Result<Bytes, StoreError>> + use<>, StoreError> {
        // An empty file has no range.
        let range = (!range.is_empty()).then_some(GetRange::Bounded(range));
        let options = GetOptions { range, ..GetOptions::default() };
        let found = self.patiently(self.store.get_opts(&key(id), options)).await?;
        let patience = self.patience;
        Ok(futures_util::stream::try_unfold(found.into_stream(), move |mut rest| async move {
            // `timeout` polls the stream first. So data that arrived while the reader was slow is
            // returned even if the time has passed.
            let next = timeout(patience, rest.try_next()).await;
            let next = next.map_err(|_| StoreError::Silent(patience))??;
            Ok(next.map(|bytes| (bytes, rest)))
        }))
    }

    /// Waits for an answer of the store within its time limit.
    async fn patiently<T>(
        &self,
        asked: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, StoreError> {
        self.in_time(async { Ok(asked.await?) }).await
    }

    async fn in_time<T>(
        &self,
        asked: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let answer = timeout(self.patience, asked).await;
        answer.map_err(|_| StoreError::Silent(self.patience))?
    }

    /// Waits for the store to take a piece of a file. A bucket needs no time limit here, because
    /// its transport detects a connection without progress. A folder has its usual time limit.
    async fn moving<T>(
        &self,
        asked: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, StoreError> {
        match self.uploads {
            Some(_) => Ok(asked.await?),
            None => self.patiently(asked).await,
        }
    }

    /// Removes a file if it exists, and the remains of an upload that was interrupted.
    pub async fn remove(&self, id: MediaId) -> Result<(), StoreError> {
        if let Some(uploads) = &self.uploads {
            // Uploads are aborted before the file is deleted, so that none of them creates the file
            // again.
            for upload in self.in_time(uploads.list(Some(id))).await? {
                self.in_time(uploads.abort(&upload)).await?;
            }
        }
        if let Some(folder) = &self.folder {
            // The store first writes a file under this temporary name, which its listings do not
            // show.
            match tokio::fs::remove_file(folder.join(format!("{id}#1"))).await {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        match self.patiently(self.store.delete(&key(id))).await {
            Err(StoreError::Store(object_store::Error::NotFound { .. })) => Ok(()),
            other => other,
        }
    }
}

/// Creates a folder that only its owner can read, and the folder `within` in it.
fn private_folder(folder: &Path, within: &Path) -> Result<(), OpenStoreError> {
    let failed = |error| OpenStoreError::Folder(folder.display().to_string(), error);
    std::fs::create_dir_all(within).map_err(failed)?;
    let open = std::fs::metadata(folder).map_err(failed)?.permissions().mode() & 0o077 != 0;
    if open && let Err(error) = std::fs::set_permissions(folder, Permissions::from_mode(0o700)) {
        tracing::warn!(%error, folder = %folder.display(), "other users can read the folder of uploads");
    }
    Ok(())
}

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store refused.
    #[error("the file store failed: {0}")]
    Store(#[from] object_store::Error),
    /// The store did not answer in time.
    #[error("the file store did not answer for {0:?}")]
    Silent(Duration),
    #[error("the disk failed: {0}")]
    Disk(#[from] io::Error),
}

/// Returns the key of a file: its id, whose characters are safe in every file system.
fn key(id: MediaId) -> Key {
    Key::from(id.to_string())
}

/// Returns the path of a file in the folder of a store.
#[must_use]
pub fn path_in(folder: &Path, id: MediaId) -> PathBuf {
    folder.join(id.to_string())
}

/// Reads the next piece of a file, from its start if `from_start` is set. Also returns the file,
/// unless its end was reached. Reading and closing run on a thread for blocking work.
async fn piece(mut file: File, from_start: bool) -> io::Result<(Bytes, Option<File>)> {
    let read = spawn_blocking(move || {
        if from_start {
            file.rewind()?;
        }
        let mut piece = Vec::with_capacity(CHUNK_BYTES);
        (&mut file).take(CHUNK_BYTES as u64).read_to_end(&mut piece)?;
        let more = piece.len() == CHUNK_BYTES;
        piece.shrink_to_fit();
        Ok((piece.into(), more.then_some(file)))
    });
    read.await?
}
