//! Exports what is known of a contact as a ZIP file (`docs/contract.md#people`): JSON, and the
//! files of the messages. The archive is written in parts while the client reads it.

use api_types::contact::ListedContactRecord;
use api_types::message::MessageRecord;
use bytes::Bytes;
use domain::id::{ContactId, MediaId};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use persistence::Reader;
use persistence::content::erasure::file_ids;
use persistence::content::event_data::NoteData;
use persistence::records::{ConversationWithContact, Note};
use platform::Deps;
use platform::error_chain::chain;
use platform::export_limiter::MAX_EXPORTS;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

/// Number of parts that wait for the reader.
const PARTS: usize = 2;
/// Number of messages, and of notes, that are read at a time.
const PAGE: i64 = 100;

/// The time after which an export ends if nobody reads it. Then another export can begin.
const UNREAD_TIMEOUT: Duration = Duration::from_mins(1);

/// An export that has begun.
#[derive(Debug)]
pub struct ContactExport {
    /// The exported contact.
    pub contact: ContactId,
    /// The parts of the archive. After an error the archive is incomplete.
    pub parts: Receiver<io::Result<Bytes>>,
}

/// The reason why an export does not begin.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The contact does not exist, was deleted, or the caller may not see it.
    #[error("the contact does not exist")]
    NotFound,
    /// The organization has as many exports under way as it may.
    #[error("the organization has {MAX_EXPORTS} exports under way")]
    Busy,
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// The reason why an export ends early.
#[derive(Debug, thiserror::Error)]
enum AbortedExport {
    #[error(transparent)]
    Database(#[from] persistence::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Archive(#[from] zip::result::ZipError),
    #[error(transparent)]
    Write(#[from] io::Error),
    #[error("a file cannot be read: {0}")]
    File(String),
    /// The client has stopped reading.
    #[error("nobody reads the export")]
    Unread,
}

/// Begins an export of the contact that was found. The export goes on while its parts are received.
pub fn start(
    deps: &Arc<Deps>,
    reader: Reader,
    found: Option<ConversationWithContact>,
) -> Result<ContactExport, ExportError> {
    let found = found.filter(|it| it.contact.deleted_at.is_none()).ok_or(ExportError::NotFound)?;
    let place = deps.export_limiter.take_place(reader.organization).ok_or(ExportError::Busy)?;
    let (sender, parts) = channel(PARTS);
    let (deps, contact) = (deps.clone(), found.contact.id);
    tokio::spawn(async move {
        let mut archive = Archive::new(sender);
        match write(&deps, reader, &found, &mut archive).await {
            Ok(()) | Err(AbortedExport::Unread) => {}
            Err(error) => {
                tracing::error!(%error, %contact, "an export of a contact ended early");
                // If the client has stopped reading, the error need not be sent.
                let ended = archive.sender.send(Err(io::Error::other(error)));
                drop(tokio::time::timeout(UNREAD_TIMEOUT, ended).await);
            }
        }
        drop(place);
    });
    Ok(ContactExport { contact, parts })
}

async fn write(
    deps: &Deps,
    reader: Reader,
    found: &ConversationWithContact,
    archive: &mut Archive,
) -> Result<(), AbortedExport> {
    let organization_db = deps.db.reads(reader);
    let conversation = found.conversation.id;
    archive.add("contact.json", &ListedContactRecord::from(found)).await?;
    archive.begin("messages.json")?;
    let (mut files, mut position) = (BTreeSet::new(), 0);
    let mut list = JsonList::default();
    loop {
        let page = organization_db.part(conversation, position + 1, position + PAGE, true).await?;
        let Some(newest) = page.last() else { break };
        position = newest.position;
        for row in &page {
            files.extend(file_ids(&row.content.0));
            files.extend(row.changes.iter().flat_map(|it| file_ids(&it.0)));
            list.add(archive, &MessageRecord::from_row(row, &found.contact))?;
        }
        archive.pass_on().await?;
    }
    list.end(archive)?;
    archive.begin("notes.json")?;
    let (mut list, mut after) = (JsonList::default(), None);
    loop {
        let page = organization_db.list_notes(conversation, after, PAGE).await?;
        let Some(oldest) = page.last() else { break };
        after = Some(oldest.id);
        for note in &page {
            list.add(archive, &NoteData::from(&Note::snapshot(note)))?;
        }
        archive.pass_on().await?;
    }
    list.end(archive)?;
    for file in files {
        add_file(deps, reader, file, archive).await?;
    }
    archive.finish().await
}

/// Adds a file of a message. A file that no longer exists is left out.
async fn add_file(
    deps: &Deps,
    reader: Reader,
    id: MediaId,
    archive: &mut Archive,
) -> Result<(), AbortedExport> {
    let found = deps.db.organization(reader.organization).own_media(id).await?;
    let Some(media) = found else { return Ok(()) };
    let unreadable = |error| AbortedExport::File(chain(&error));
    // A file name has no slashes, so the entry stays in its folder.
    archive.begin(&format!("media/{id}/{}", media.file_name.replace(['/', '\\'], "_")))?;
    let bytes = deps.files.read(id, 0..media.size).await.map_err(unreadable)?;
    let mut bytes = std::pin::pin!(bytes);
    while let Some(part) = bytes.next().await {
        archive.zip.write_all(&part.map_err(unreadable)?)?;
        archive.pass_on().await?;
    }
    Ok(())
}

/// A JSON array that is written element by element.
#[derive(Default)]
struct JsonList {
    has_elements: bool,
}

impl JsonList {
    fn add(
        &mut self,
        archive: &mut Archive,
        element: &impl Serialize,
    ) -> Result<(), AbortedExport> {
        let before = if std::mem::replace(&mut self.has_elements, true) { ",\n" } else { "[\n" };
        archive.zip.write_all(before.as_bytes())?;
        Ok(serde_json::to_writer(&mut archive.zip, element)?)
    }

    fn end(self, archive: &mut Archive) -> Result<(), AbortedExport> {
        let end: &[u8] = if self.has_elements { b"\n]\n" } else { b"[]\n" };
        Ok(archive.zip.write_all(end)?)
    }
}

/// The bytes of an archive that are not passed on to the reader yet.
#[derive(Clone, Default)]
struct ZipBuffer(Arc<Mutex<Vec<u8>>>);

impl io::Write for ZipBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A ZIP file that is written into a channel, part by part.
struct Archive {
    zip: ZipWriter<StreamWriter<ZipBuffer>>,
    pending: ZipBuffer,
    sender: Sender<io::Result<Bytes>>,
}

impl Archive {
    fn new(sender: Sender<io::Result<Bytes>>) -> Self {
        let pending = ZipBuffer::default();
        Self { zip: ZipWriter::new_stream(pending.clone()), pending, sender }
    }

    /// Begins an entry.
    fn begin(&mut self, name: &str) -> Result<(), AbortedExport> {
        // Most of the bytes belong to media files, which are compressed already.
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        Ok(self.zip.start_file(name, stored.large_file(true))?)
    }

    async fn add(&mut self, name: &str, content: &impl Serialize) -> Result<(), AbortedExport> {
        self.begin(name)?;
        serde_json::to_writer(&mut self.zip, content)?;
        self.pass_on().await
    }

    /// Passes the written bytes on to the reader.
    async fn pass_on(&mut self) -> Result<(), AbortedExport> {
        let bytes = std::mem::take(&mut *self.pending.0.lock());
        if bytes.is_empty() {
            return Ok(());
        }
        let sent = self.sender.send(Ok(bytes.into()));
        match tokio::time::timeout(UNREAD_TIMEOUT, sent).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(AbortedExport::Unread),
        }
    }

    async fn finish(&mut self) -> Result<(), AbortedExport> {
        let zip = std::mem::replace(&mut self.zip, ZipWriter::new_stream(ZipBuffer::default()));
        drop(zip.finish()?);
        self.pass_on().await
    }
}
