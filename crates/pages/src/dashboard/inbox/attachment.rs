//! The file of an answer, which a member attached or recorded. The sandbox phone sends files of
//! customers in the same way.

use crate::browser::{FormFile, PageError, ReceivedFile, permitted};
use crate::dashboard::frame::MemberContext;
use api_types::send::SendMessageBody;
use auth::digest::{Digest, DigestBuilder};
use domain::content::ContentType;
use domain::id::MediaId;
use domain::keyword::Keyword as _;
use domain::media::voice::ogg_of_webm;
use domain::media::{FileName, FileType, MAX_FILE_BYTES, MediaKind};
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::Media;
use platform::files::address;
use service::media::{self, Upload, UploadError};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};

/// The content type of voice recordings in Chromium.
const WEBM: &str = "audio/webm";
/// The types of files that the browser's file dialog offers.
pub const ACCEPTED_FILES: &str = "image/jpeg,image/png,image/webp,audio/*,video/mp4,video/3gpp,\
                                  .pdf,.txt,.csv,.doc,.xls,.ppt,.docx,.xlsx,.pptx";
const MIB: u64 = 1024 * 1024;

/// A stored file that is sent with the next message.
#[derive(Clone, Debug)]
pub struct Attachment {
    pub id: MediaId,
    pub name: String,
    pub kind: MediaKind,
    /// Whether the file was recorded as a voice message.
    pub is_voice: bool,
    file_name: String,
}

/// A file that is ready to be stored.
struct ReadyFile {
    file: File,
    size: u64,
    sha256: Digest,
    file_type: FileType,
    name: FileName,
}

impl Attachment {
    fn new(row: Media, is_voice: bool) -> Option<Self> {
        let file_type = FileType::of_content_type(&row.content_type)?;
        let is_voice = is_voice && file_type == FileType::Ogg;
        Some(Self {
            id: row.id,
            name: if is_voice { "Voice message".to_owned() } else { row.file_name.clone() },
            kind: file_type.kind(),
            is_voice,
            file_name: row.file_name,
        })
    }

    /// Finds a file of the organization that a form names.
    pub async fn find(
        deps: &ServerDeps,
        member_context: &MemberContext,
        id: MediaId,
        is_voice: bool,
    ) -> Result<Option<Self>, PageError> {
        let found = media::find(deps, member_context.id(), id).await?;
        Ok(found.and_then(|it| Self::new(it, is_voice)))
    }

    /// Stores the file of a form. Returns the reason in words if it cannot be sent.
    pub async fn store(
        deps: &ServerDeps,
        member_context: &MemberContext,
        file: FormFile,
        is_voice: bool,
    ) -> Result<Result<Option<Self>, String>, PageError> {
        let received = match file {
            FormFile::Missing => return Ok(Ok(None)),
            FormFile::TooLarge => return Ok(Err(too_large(MAX_FILE_BYTES))),
            FormFile::Received(received) => received,
        };
        if received.size == 0 {
            return Ok(Err("The file is empty.".to_owned()));
        }
        let ready = match ready(deps, received).await? {
            Ok(ready) => ready,
            Err(why) => return Ok(Err(why)),
        };
        let ReadyFile { file, size, sha256, file_type, name } = ready;
        let sha256 = sha256.as_bytes().to_vec();
        let upload = Upload { file, size, sha256, file_type, declared: None, name };
        let actor = member_context.actor(deps);
        match permitted(actor.messages().upload(&deps.service, upload).await)? {
            Ok(row) => Ok(Ok(Self::new(row, is_voice))),
            Err(error) => why_not_stored(error, file_type).map(Err),
        }
    }

    /// Returns the message that sends the file with a caption, if there is one.
    pub fn message(&self, deps: &ServerDeps, caption: Option<String>) -> SendMessageBody {
        let is_document = self.kind == MediaKind::Document;
        SendMessageBody {
            kind: Some(ContentType::Media.as_str().to_owned()),
            media_url: Some(address(&deps.config.base_url, self.id, &self.file_name)),
            media_type: Some(self.kind.as_str().to_owned()),
            caption,
            filename: is_document.then(|| self.file_name.clone()),
            voice: self.is_voice.then_some(true),
            ..SendMessageBody::default()
        }
    }

    /// Returns the URL from which the channel fetches the file.
    pub fn url(&self, deps: &ServerDeps) -> String {
        address(&deps.config.base_url, self.id, &self.file_name)
    }
}

/// Finds the type of a file, and converts a recording that channels do not take.
async fn ready(
    deps: &ServerDeps,
    received: ReceivedFile,
) -> Result<Result<ReadyFile, String>, PageError> {
    let ReceivedFile { name, content_type, file, size, sha256 } = received;
    if content_type.starts_with(WEBM) {
        if size > FileType::Ogg.max_bytes() {
            return Ok(Err(too_large(FileType::Ogg.max_bytes())));
        }
        let into = deps.files.temporary().await.map_err(|error| Problem::internal(&error))?;
        let converted = media::in_background(deps, move || converted(file, into)).await;
        return match converted.map_err(|error| Problem::internal(&error))? {
            Ok(Ok(ready)) => Ok(Ok(ready)),
            Ok(Err(why)) => Ok(Err(why)),
            Err(error) => Err(Problem::internal(&error).into()),
        };
    }
    // Browsers take content types from the system, which knows some of them by other names.
    let file_type = FileType::of_name(&name).or_else(|| FileType::of_content_type(&content_type));
    let Some(file_type) = file_type else {
        return Ok(Err(
            "Files of this kind cannot be sent. Attach a picture (JPEG, PNG), a sticker \
                       (WebP), audio (MP3, M4A, AAC, AMR, Ogg), a video (MP4, 3GP) or a document \
                       (PDF, text, CSV, Word, Excel, PowerPoint)."
                .to_owned(),
        ));
    };
    let name = FileName::near(&name).unwrap_or_else(|| FileName::from_type(file_type));
    Ok(Ok(ReadyFile { file, size, sha256, file_type, name }))
}

/// Converts a recording in `WebM` to Ogg.
fn converted(mut file: File, mut into: File) -> io::Result<Result<ReadyFile, String>> {
    let mut webm = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut webm)?;
    let ogg = match ogg_of_webm(&webm) {
        Ok(ogg) => ogg,
        Err(why) => return Ok(Err(format!("This recording cannot be sent: {why}."))),
    };
    into.write_all(&ogg)?;
    let mut digesting = DigestBuilder::default();
    digesting.update(&ogg);
    Ok(Ok(ReadyFile {
        file: into,
        size: ogg.len() as u64,
        sha256: digesting.finish(),
        file_type: FileType::Ogg,
        name: FileName::from_type(FileType::Ogg),
    }))
}

fn too_large(limit: u64) -> String {
    if limit < MIB {
        format!("The file is too large: at most {} KB can be sent.", limit / 1024)
    } else {
        format!("The file is too large: at most {} MB can be sent.", limit / MIB)
    }
}

/// Returns why a file was not stored, in words, or the error page.
fn why_not_stored(error: UploadError, file_type: FileType) -> Result<String, PageError> {
    match error {
        UploadError::TooLarge { limit } => Ok(too_large(limit)),
        UploadError::OtherType { found } => Ok(format!(
            "By its name or type the file is {}, but its content is {found}.",
            file_type.as_str()
        )),
        UploadError::Store(outage) => Err(Problem::from(outage).into()),
        UploadError::Late => Err(Problem::unavailable().into()),
        UploadError::Database(error) => Err(error.into()),
        error @ (UploadError::Disk(_)
        | UploadError::Task(_)
        | UploadError::Stopping
        | UploadError::Size) => Err(Problem::internal(&error).into()),
    }
}
