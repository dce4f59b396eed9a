//! The files that we keep: where they are stored, what they are, and how they are given out.

mod serve;
mod sniff;

pub use serve::{address, id_in_address, serve};
pub use sniff::{Sniffed, sniff};

use crate::config::{Bucket, FileSettings};
use bytes::Bytes;
use domain::id::MediaId;
use futures_util::stream::BoxStream;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt as _, WriteMultipart};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::AsyncReadExt as _;

/// A piece of a file on its way into the store: the least that S3 takes as a part.
const PIECE: usize = 5 * 1024 * 1024;
/// Files that are decoded at a time.
const DECODED_AT_A_TIME: usize = 4;

/// Where files are kept. Cheap to clone.
#[derive(Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    arriving: PathBuf,
    /// Held while a file is decoded, which takes a thread.
    pub decoders: Arc<tokio::sync::Semaphore>,
}

/// A store that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum CannotOpen {
    /// Its folder cannot be made.
    #[error("the folder {0} cannot be made: {1}")]
    Folder(String, io::Error),
    /// The settings are not right for it.
    #[error(transparent)]
    Store(#[from] object_store::Error),
}

impl Files {
    /// Opens the store; a folder is made if it is missing.
    pub fn open(settings: &FileSettings) -> Result<Self, CannotOpen> {
        let (store, arriving): (Arc<dyn ObjectStore>, _) = match settings {
            FileSettings::Folder(folder) => {
                let arriving = folder.join(".arriving");
                std::fs::create_dir_all(&arriving)
                    .map_err(|error| CannotOpen::Folder(folder.display().to_string(), error))?;
                let store = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true);
                (Arc::new(store), arriving)
            }
            FileSettings::Bucket(bucket) => (open_bucket(bucket)?, std::env::temp_dir()),
        };
        let decoders = Arc::new(tokio::sync::Semaphore::new(DECODED_AT_A_TIME));
        Ok(Self { store, arriving, decoders })
    }

    /// A file without a name for what is still arriving: it is gone when it is closed, whatever
    /// happens to this process.
    pub fn temporary(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.arriving)
    }

    /// Stores a file, piece by piece. When this answers it is as durable as the store can make it.
    pub async fn store(&self, id: MediaId, file: File) -> Result<(), StoreError> {
        let mut file = tokio::fs::File::from_std(file);
        tokio::io::AsyncSeekExt::rewind(&mut file).await?;
        let first = piece(&mut file).await?;
        if first.len() < PIECE {
            self.store.put(&key(id), first.into()).await?;
            return Ok(());
        }
        let upload = self.store.put_multipart(&key(id)).await?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PIECE);
        let mut next = first;
        while !next.is_empty() {
            upload.wait_for_capacity(1).await?;
            upload.put(next);
            next = match piece(&mut file).await {
                Ok(piece) => piece,
                Err(error) => {
                    upload.abort().await?;
                    return Err(error.into());
                }
            };
        }
        upload.finish().await?;
        Ok(())
    }

    /// A part of a file, as it comes.
    pub async fn read(
        &self,
        id: MediaId,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, object_store::Result<Bytes>>, StoreError> {
        // An empty file has no range.
        let range = (!range.is_empty()).then_some(GetRange::Bounded(range));
        let options = GetOptions { range, ..GetOptions::default() };
        Ok(self.store.get_opts(&key(id), options).await?.into_stream())
    }

    /// Removes a file, if it is there.
    pub async fn remove(&self, id: MediaId) -> Result<(), StoreError> {
        match self.store.delete(&key(id)).await {
            Err(object_store::Error::NotFound { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// What a store did not do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It said no, or nothing.
    #[error("the file store failed: {0}")]
    Store(#[from] object_store::Error),
    /// The disk failed.
    #[error("the disk failed: {0}")]
    Disk(#[from] io::Error),
}

/// A file lies under its id, which has only letters that mean nothing to a file system.
fn key(id: MediaId) -> Path {
    Path::from(id.to_string())
}

async fn piece(file: &mut tokio::fs::File) -> io::Result<Bytes> {
    let mut piece = Vec::with_capacity(PIECE);
    file.take(PIECE as u64).read_to_end(&mut piece).await?;
    Ok(piece.into())
}

fn open_bucket(bucket: &Bucket) -> Result<Arc<dyn ObjectStore>, object_store::Error> {
    let mut builder =
        AmazonS3Builder::new().with_bucket_name(&bucket.name).with_region(&bucket.region);
    if let Some(endpoint) = &bucket.endpoint {
        let plain = endpoint.starts_with("http://");
        builder = builder.with_endpoint(endpoint.trim_end_matches('/')).with_allow_http(plain);
    }
    if let Some((key, secret)) = &bucket.credentials {
        builder = builder.with_access_key_id(key).with_secret_access_key(secret);
    }
    let store = builder.build()?;
    if bucket.prefix.is_empty() {
        return Ok(Arc::new(store));
    }
    Ok(Arc::new(PrefixStore::new(store, bucket.prefix.as_str())))
}
