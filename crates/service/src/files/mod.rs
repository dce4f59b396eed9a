//! The files that we keep: where they are stored, what they are, and how they are given out.

mod address;
mod bucket;
mod fault;
mod reports;
mod sniff;
mod transport;
mod uploads;

pub use fault::StorageFault;
pub use reports::{Outage, Reports};
pub use uploads::{Upload, Uploads};

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

/// A piece of a file on its way into the store: the least that S3 takes as a part.
const CHUNK_BYTES: usize = 5 * 1024 * 1024;
/// How long a bucket may take to answer, with all attempts, and be silent in the middle of a file: a
/// caller waits for it.
const BUCKET_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for a disk, which may have a large file to write out.
const DISK_TIMEOUT: Duration = Duration::from_mins(1);
/// Where files lie that are still arriving.
pub const ARRIVING: &str = ".arriving";
/// The name of the file that a store is tried out with.
const TRIED_OUT_WITH: &str = "switchboard-check";
/// Files that are decoded at a time.
const DECODED_AT_A_TIME: usize = 4;

/// Where files are kept. Cheap to clone.
#[derive(Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    /// Where the store keeps them, if that is a folder.
    folder: Option<PathBuf>,
    /// The uploads in parts, if that is a bucket.
    uploads: Option<Arc<Uploads>>,
    arriving: PathBuf,
    /// How long it may take to answer.
    patience: Duration,
    /// What has been said of its failures.
    pub reports: Arc<Reports>,
    /// Held while a file is decoded, which takes a thread.
    pub decoders: Arc<Semaphore>,
}

/// A store that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenStoreError {
    /// Its folder cannot be made.
    #[error("the folder {0} cannot be made: {1}")]
    Folder(String, io::Error),
    /// The settings are not right for it.
    #[error(transparent)]
    Store(#[from] object_store::Error),
    /// It cannot be reached from here at all.
    #[error(transparent)]
    Client(#[from] BuildClientError),
}

impl Files {
    /// Opens the store; a folder is made if it is missing, and is for its owner alone. What is on its way into a
    /// bucket lies in `temporary` meanwhile.
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

    /// The uploads in parts, where the store is a bucket.
    #[must_use]
    pub fn uploads(&self) -> Option<&Uploads> {
        self.uploads.as_deref()
    }

    /// Writes a file, reads it and removes it, as calls do. Servers that try at once may remove each other's: it has
    /// one name, lest those that are cut off leave more than one behind.
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

    /// A file without a name for what is still arriving: it is gone when it is closed, whatever
    /// happens to this process. Made by a thread that may wait for the disk.
    pub async fn temporary(&self) -> io::Result<File> {
        let arriving = self.arriving.clone();
        spawn_blocking(move || tempfile::tempfile_in(arriving)).await?
    }

    /// Stores a file, piece by piece. When this answers it is as durable as the store can make it.
    pub async fn store(&self, id: MediaId, file: File) -> Result<(), StoreError> {
        let (first, rest) = piece(file, true).await?;
        let Some(rest) = rest else {
            self.moving(self.store.put(&key(id), first.into())).await?;
            return Ok(());
        };
        let mut upload = self.patiently(self.store.put_multipart(&key(id))).await?;
        let sent = self.send(upload.as_mut(), first, rest).await;
        if sent.is_err() {
            // A bucket keeps the parts, and charges for them, until it is told that nothing comes of it.
            if let Err(error) = self.patiently(upload.abort()).await {
                let error = chain(&error);
                tracing::warn!(error, media = %id, "the parts of a file are left in the bucket for now");
            }
        }
        sent
    }

    /// Sends a file in parts, one at a time, so that no more than a piece of it is in memory.
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

    /// A part of a file, as it comes. Anyone who reads it may take any time; the store may not.
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
            // What has come is looked at first: it may have waited for the reader.
            let next = timeout(patience, rest.try_next()).await;
            let next = next.map_err(|_| StoreError::Silent(patience))??;
            Ok(next.map(|bytes| (bytes, rest)))
        }))
    }

    /// What the store answers, if it does so in time.
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

    /// What the store answers to a piece of a file. However slow the line to a bucket is, it may take its time as long
    /// as something moves; its transport sees to that.
    async fn moving<T>(
        &self,
        asked: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, StoreError> {
        match self.uploads {
            Some(_) => Ok(asked.await?),
            None => self.patiently(asked).await,
        }
    }

    /// Removes a file, if it is there, and what a process that was killed left of it.
    pub async fn remove(&self, id: MediaId) -> Result<(), StoreError> {
        if let Some(uploads) = &self.uploads {
            // First, lest one is completed in between.
            for upload in self.in_time(uploads.begun(Some(id))).await? {
                self.in_time(uploads.abort(&upload)).await?;
            }
        }
        if let Some(folder) = &self.folder {
            // The store writes a file under such a name first, and does not list what has it.
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

/// Makes a folder that only its owner may look into, and one in it.
fn private_folder(folder: &Path, within: &Path) -> Result<(), OpenStoreError> {
    let failed = |error| OpenStoreError::Folder(folder.display().to_string(), error);
    std::fs::create_dir_all(within).map_err(failed)?;
    let open = std::fs::metadata(folder).map_err(failed)?.permissions().mode() & 0o077 != 0;
    if open && let Err(error) = std::fs::set_permissions(folder, Permissions::from_mode(0o700)) {
        tracing::warn!(%error, folder = %folder.display(), "others may look into the folder of uploads");
    }
    Ok(())
}

/// What a store did not do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It said no.
    #[error("the file store failed: {0}")]
    Store(#[from] object_store::Error),
    /// It said nothing.
    #[error("the file store said nothing for {0:?}")]
    Silent(Duration),
    /// The disk failed.
    #[error("the disk failed: {0}")]
    Disk(#[from] io::Error),
}

/// A file lies under its id, which has only letters that mean nothing to a file system.
fn key(id: MediaId) -> Key {
    Key::from(id.to_string())
}

/// Where a file lies in the folder of a store that is one.
#[must_use]
pub fn path_in(folder: &Path, id: MediaId) -> PathBuf {
    folder.join(id.to_string())
}

/// The next piece of a file, from its start if that is wanted, and the file while there may be more:
/// read, and in the end closed, by a thread that may wait for the disk.
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
