//! Forms with a file (`multipart/form-data`, RFC 7578). The fields are kept in memory, and the file is
//! written to the disk. Nothing is written before the form has proved that it came from our page.

use super::form::{Form, FormError, MAX_FIELDS, MAX_FORM_BYTES, is_ours};
use actix_multipart::{Field, Multipart};
use actix_web::http::header;
use actix_web::{HttpRequest, web};
use auth::digest::{Digest, DigestBuilder};
use domain::media::MAX_FILE_BYTES;
use futures_util::StreamExt as _;
use http_layer::deps::ServerDeps;
use std::fs::File;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

/// The time that a form with a file may take to arrive.
const ARRIVES_WITHIN: Duration = Duration::from_mins(7);
/// Maximum number of bytes that are read and discarded of a file that is not kept. A browser reads
/// the response only after it has sent the file.
const MAX_DISCARDED_BYTES: u64 = 16 * 1024 * 1024;

/// A file that was submitted with a form, received completely.
#[derive(Debug)]
pub struct ReceivedFile {
    /// The file name as the browser sent it.
    pub name: String,
    /// The content type as the browser sent it; may be empty.
    pub content_type: String,
    pub file: File,
    pub size: u64,
    pub sha256: Digest,
}

/// The file of a form.
#[derive(Debug, Default)]
pub enum FormFile {
    /// No file was chosen.
    #[default]
    Missing,
    Received(ReceivedFile),
    /// The file has more than [`MAX_FILE_BYTES`].
    TooLarge,
}

/// Reads a form that may have a file. See [`Form::read_if`]. The file is kept only if `keeps_file`
/// is true.
pub async fn read_with_file(
    request: &HttpRequest,
    payload: web::Payload,
    deps: &ServerDeps,
    keeps_file: bool,
    proves: impl Fn(&Form) -> bool,
) -> Result<(Form, FormFile), FormError> {
    if is_multipart(request) {
        return receive(request, payload, deps, keeps_file, proves).await;
    }
    Ok((Form::read_if(request, payload, proves).await?, FormFile::Missing))
}

/// Whether a request submits a form that can have a file.
fn is_multipart(request: &HttpRequest) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    kind.is_some_and(|it| it.trim_start().to_ascii_lowercase().starts_with("multipart/form-data"))
}

/// Reads a form for which `proves` returns true, because it was submitted on our page. The CSRF
/// token comes before the file. The file is kept only if `keeps_file` is true.
///
/// # Errors
///
/// If another site sent the form, the body cannot be read, the fields are too large, or `proves`
/// returns false.
async fn receive(
    request: &HttpRequest,
    payload: web::Payload,
    deps: &ServerDeps,
    keeps_file: bool,
    proves: impl Fn(&Form) -> bool,
) -> Result<(Form, FormFile), FormError> {
    if !is_ours(request.headers()) {
        return Err(FormError);
    }
    let parts = Multipart::new(request.headers(), payload);
    let received = read(parts, deps, keeps_file, proves);
    tokio::time::timeout(ARRIVES_WITHIN, received).await.map_err(|_| FormError)?
}

async fn read(
    mut parts: Multipart,
    deps: &ServerDeps,
    keeps_file: bool,
    proves: impl Fn(&Form) -> bool,
) -> Result<(Form, FormFile), FormError> {
    let (mut fields, mut room) = (Vec::new(), MAX_FORM_BYTES);
    let mut found = FormFile::default();
    while let Some(part) = parts.next().await {
        let mut part = part.map_err(|_| FormError)?;
        let name = part.name().unwrap_or_default().to_owned();
        let file_name = part.content_disposition().and_then(|it| it.get_filename());
        let Some(file_name) = file_name.map(str::to_owned) else {
            let value = text(&mut part, &mut room).await?;
            room = room.checked_sub(name.len()).ok_or(FormError)?;
            fields.push((name, value));
            if fields.len() > MAX_FIELDS {
                return Err(FormError);
            }
            continue;
        };
        let form = Form::with(fields);
        if !proves(&form) {
            return Err(FormError);
        }
        fields = form.into_fields();
        if keeps_file && matches!(found, FormFile::Missing) {
            found = file(part, file_name, deps).await?;
        } else {
            discard(part).await?;
        }
    }
    let form = Form::with(fields);
    if proves(&form) { Ok((form, found)) } else { Err(FormError) }
}

/// Reads a text field. `room` is the number of bytes that this field and the following ones may
/// have.
async fn text(part: &mut Field, room: &mut usize) -> Result<String, FormError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = part.next().await {
        let chunk = chunk.map_err(|_| FormError)?;
        *room = room.checked_sub(chunk.len()).ok_or(FormError)?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes a file to the disk. If no file was chosen, browsers send an empty one without a name.
async fn file(mut part: Field, name: String, deps: &ServerDeps) -> Result<FormFile, FormError> {
    let content_type = part.content_type().map(ToString::to_string).unwrap_or_default();
    let unwritable = |error: std::io::Error| {
        tracing::error!(%error, "a file of a form cannot be written to the disk");
        FormError
    };
    let into = deps.files.temporary().await.map_err(unwritable)?;
    let mut into = tokio::fs::File::from_std(into);
    let (mut digesting, mut size) = (DigestBuilder::default(), 0_u64);
    while let Some(chunk) = part.next().await {
        let chunk = chunk.map_err(|_| FormError)?;
        size += chunk.len() as u64;
        if size > MAX_FILE_BYTES {
            discard(part).await?;
            return Ok(FormFile::TooLarge);
        }
        digesting.update(&chunk);
        into.write_all(&chunk).await.map_err(unwritable)?;
    }
    into.flush().await.map_err(unwritable)?;
    if size == 0 && name.is_empty() {
        return Ok(FormFile::Missing);
    }
    let (file, sha256) = (into.into_std().await, digesting.finish());
    Ok(FormFile::Received(ReceivedFile { name, content_type, file, size, sha256 }))
}

/// Reads and discards a file.
async fn discard(mut part: Field) -> Result<(), FormError> {
    let mut left = MAX_DISCARDED_BYTES;
    while let Some(chunk) = part.next().await {
        let chunk = chunk.map_err(|_| FormError)?;
        left = left.checked_sub(chunk.len() as u64).ok_or(FormError)?;
    }
    Ok(())
}
