//! The files that we keep: where they are stored, what they are, and how they are given out.

mod bucket;
mod serve;
mod sniff;

pub use serve::{address, id_in_address, serve};
pub use sniff::{Sniffed, sniff};

use crate::config::FileSettings;
use bytes::Bytes;
use domain::id::MediaId;
use futures_util::stream::BoxStream;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, MultipartUpload, ObjectStore, ObjectStoreExt as _};
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// A piece of a file on its way into the store: the least that S3 takes as a part.
const PIECE: usize = 5 * 1024 * 1024;
/// Files that are decoded at a time.
const DECODED_AT_A_TIME: usize = 4;

/// Where files are kept. Cheap to clone.
#[derive(Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    /// Where the store keeps them, if that is a folder.
    folder: Option<PathBuf>,
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
        let (store, folder, arriving): (Arc<dyn ObjectStore>, _, _) = match settings {
            FileSettings::Folder(folder) => {
                let arriving = folder.join(".arriving");
                std::fs::create_dir_all(&arriving)
                    .map_err(|error| CannotOpen::Folder(folder.display().to_string(), error))?;
                let store = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true);
                (Arc::new(store), Some(folder.clone()), arriving)
            }
            FileSettings::Bucket(bucket) => (bucket::open(bucket)?, None, std::env::temp_dir()),
        };
        let decoders = Arc::new(tokio::sync::Semaphore::new(DECODED_AT_A_TIME));
        Ok(Self { store, folder, arriving, decoders })
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
            self.store.put(&key(id), first.into()).await?;
            return Ok(());
        };
        let mut upload = self.store.put_multipart(&key(id)).await?;
        let sent = send(upload.as_mut(), first, rest).await;
        if sent.is_err() {
            // A bucket keeps the parts, and charges for them, until it is told that nothing comes of it.
            if let Err(error) = upload.abort().await {
                tracing::warn!(%error, media = %id, "the parts of a file may be left in the bucket");
            }
        }
        sent
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

    /// Removes a file, if it is there, and what a process that was killed left of it.
    pub async fn remove(&self, id: MediaId) -> Result<(), StoreError> {
        if let Some(folder) = &self.folder {
            // The store writes a file under such a name first, and does not list what has it.
            match tokio::fs::remove_file(folder.join(format!("{id}#1"))).await {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
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

/// Sends a file in parts, one at a time, so that no more than a piece of it is in memory.
async fn send(
    upload: &mut dyn MultipartUpload,
    first: Bytes,
    mut rest: File,
) -> Result<(), StoreError> {
    let mut next = first;
    loop {
        upload.put_part(next.into()).await?;
        match piece(rest, false).await? {
            (last, None) if last.is_empty() => break,
            (last, None) => {
                upload.put_part(last.into()).await?;
                break;
            }
            (piece, Some(file)) => (next, rest) = (piece, file),
        }
    }
    upload.complete().await?;
    Ok(())
}

/// The next piece of a file, from its start if that is wanted, and the file while there may be more:
/// read, and in the end closed, by a thread that may wait for the disk.
async fn piece(mut file: File, from_start: bool) -> io::Result<(Bytes, Option<File>)> {
    let read = spawn_blocking(move || {
        if from_start {
            file.rewind()?;
        }
        let mut piece = Vec::with_capacity(PIECE);
        (&mut file).take(PIECE as u64).read_to_end(&mut piece)?;
        let more = piece.len() == PIECE;
        piece.shrink_to_fit();
        Ok((piece.into(), more.then_some(file)))
    });
    read.await?
}
