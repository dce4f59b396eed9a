//! Downloads files that contacts sent from the channel and stores them, so that the history
//! contains URLs that keep working.

use api_types::content::{MediaDocument, received_media};
use auth::digest::{Digest, DigestBuilder};
use channel::SubmitError;
use channel::adapter::{FileAddress, FileAt};
use domain::id::MediaId;
use domain::keyword::Keyword as _;
use domain::media::{FetchStep, FileName, FileType, MAX_FILE_BYTES, MediaKind, MediaState};
use domain::retry::next_attempt;
use domain::time::Timestamp;
use futures_util::StreamExt as _;
use persistence::Result;
use persistence::records::{ClaimedFetch, Media};
use platform::Deps;
use platform::channel_client::{adapter, run};
use platform::error_chain::chain;
use platform::files::address;
use platform::outbound::authorized;
use reqwest::header::LOCATION;
use reqwest::{Method, RequestBuilder};
use service::asking::transcripts;
use service::media;
use std::fs::File;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

/// Number of files fetched at a time.
const FILES: u8 = 8;
/// The duration of a claim. Downloading and storing end earlier.
const LEASE: Duration = Duration::from_mins(3);
const FETCH_TIMEOUT: Duration = Duration::from_mins(2);
/// The content type of files of a kind that cannot be uploaded. Browsers save such a file and do
/// not show it.
const UNKNOWN_TYPE: &str = "application/octet-stream";

struct Fetched {
    file: File,
    size: u64,
    sha256: Digest,
    content_type: String,
}

/// Fetches the files that are due. Returns their number.
pub async fn step(deps: &Deps) -> Result<usize> {
    let now = deps.clock.now();
    let (server, step) = (deps.claims.instance(), FetchStep::File);
    let operator = deps.db.operator();
    let claimed = operator.claim_fetches(server, step, FILES.into(), now, now.plus(LEASE)).await?;
    let worked = claimed.len();
    let fetched = futures_util::stream::iter(claimed)
        .map(|it| work_on(deps, it))
        .buffer_unordered(FILES.into());
    let outcomes: Vec<Result<()>> = fetched.collect().await;
    outcomes.into_iter().collect::<Result<()>>()?;
    Ok(worked)
}

async fn work_on(deps: &Deps, wanted: ClaimedFetch) -> Result<()> {
    let message = wanted.fetch.message_id;
    let late = |_| SubmitError::Later { after: None, why: "it took too long".to_owned() };
    let kept = tokio::time::timeout(FETCH_TIMEOUT, fetch(deps, &wanted));
    let kept = kept.await.map_err(late).flatten();
    let Err(error) = kept else { return Ok(()) };
    let now = deps.clock.now();
    if let SubmitError::Later { after, why } = &error {
        let failed = wanted.fetch.attempts.saturating_sub(1);
        let [jitter] = deps.entropy.id_bytes();
        let next = next_attempt(wanted.fetch.received_at, failed, *after, jitter, now);
        if let Some(next) = next {
            tracing::warn!(why, %message, "a file was not fetched; it is retried");
            return deps
                .db
                .organization(wanted.fetch.organization_id)
                .reschedule_fetch(wanted.fetch.claim(), next)
                .await;
        }
    }
    tracing::error!(%error, %message, "a file fetch was abandoned");
    let organization_db = deps.db.organization(wanted.fetch.organization_id);
    organization_db.abandon_fetch(wanted.fetch.claim()).await
}

/// Fetches a file and records its address in the message.
async fn fetch(deps: &Deps, wanted: &ClaimedFetch) -> Result<(), SubmitError> {
    let later = |why| SubmitError::Later { after: None, why };
    let document: MediaDocument = serde_json::from_str(&wanted.content.0)
        .map_err(|error| SubmitError::Definite(format!("the message cannot be read: {error}")))?;
    let declared_type = document.content_type.unwrap_or_default();
    let line = adapter(deps, &wanted.access).map_err(later)?;
    let file_id = &wanted.fetch.file_id;
    let fetched = match run(deps, |answers| line.file(file_id, answers)).await? {
        FileAt::Bytes(bytes) => {
            let mut arriving = IncomingFile::new(deps).await?;
            arriving.write(bytes).await?;
            arriving.finish(declared_type).await?
        }
        FileAt::Address(at) => from_address(deps, at, declared_type).await?,
        FileAt::Upload(id) => return link_upload(deps, wanted, id).await,
    };
    store(deps, wanted, fetched).await.map_err(later)
}

/// Records the address of a file that the organization uploaded itself, so that nothing needs to be
/// downloaded.
async fn link_upload(deps: &Deps, wanted: &ClaimedFetch, id: MediaId) -> Result<(), SubmitError> {
    let later =
        |error: persistence::Error| SubmitError::Later { after: None, why: error.to_string() };
    let organization = wanted.fetch.organization_id;
    let upload = media::find(deps, organization, id).await.map_err(later)?;
    let gone = || SubmitError::Definite(format!("the organization has no upload {id}"));
    let upload = upload.ok_or_else(gone)?;
    let url = address(&deps.settings.base_url, id, &upload.file_name);
    // If the contact was deleted meanwhile, the message gets no address. The upload itself stays,
    // because it belongs to the organization and not to the contact.
    finish(deps, wanted, id, url).await.map_err(later)?;
    Ok(())
}

/// Records the address of a stored file in its message. A voice message is transcribed next, if the
/// organization has a server for that. Returns `false` if the file is no longer needed, because the
/// contact was deleted.
async fn finish(deps: &Deps, wanted: &ClaimedFetch, id: MediaId, url: String) -> Result<bool> {
    let ClaimedFetch { fetch, content, .. } = wanted;
    let is_audio = received_media(content) == Some(MediaKind::Audio);
    let organization = fetch.organization_id;
    let is_transcribed =
        is_audio && transcripts::find(deps, organization, fetch.account_id).await?.is_some();
    let due: Option<Timestamp> = is_transcribed.then(|| deps.clock.now());
    let organization_db = deps.db.organization(organization);
    let is_wanted = organization_db.finish_fetch(fetch.message_id, id, url, due).await?;
    if is_transcribed {
        deps.wakeups.fetched.notify_one();
    }
    Ok(is_wanted)
}

async fn from_address(
    deps: &Deps,
    at: FileAddress,
    declared_type: String,
) -> Result<Fetched, SubmitError> {
    let later = |why| SubmitError::Later { after: None, why };
    let failed = |error: reqwest::Error| later(chain(&error.without_url()));
    let request = guarded(deps, &at.url)?;
    let request = match &at.authorization {
        Some(authorization) => authorized(request, authorization),
        None => request,
    };
    let mut response = request.send().await.map_err(failed)?;
    if response.status().is_redirection() {
        // The redirect is followed without the access token.
        let location = response.headers().get(LOCATION).and_then(|it| it.to_str().ok());
        let next = location.and_then(|it| response.url().join(it).ok());
        let next = next.ok_or_else(|| later("the file's address leads nowhere".to_owned()))?;
        response = guarded(deps, next.as_str())?.send().await.map_err(failed)?;
    }
    let status = response.status();
    if !status.is_success() {
        // The address has expired. The adapter is asked for a new one at the next attempt.
        return Err(later(format!("the file's address answers {status}")));
    }
    let mut arriving = IncomingFile::new(deps).await?;
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        arriving.write(&chunk.map_err(failed)?).await?;
    }
    let fetched = arriving.finish(at.content_type.unwrap_or(declared_type)).await?;
    match at.sha256 {
        Some(promised) if !promised.eq_ignore_ascii_case(&fetched.sha256.hex()) => {
            Err(later("the file is not what the channel promised".to_owned()))
        }
        _ => Ok(fetched),
    }
}

/// Creates a request for a file. The address comes from the channel, so it is checked
/// (`docs/security.md` 34). Its scheme must be https, because the request may contain an access
/// token. Plain http is allowed only if the operator has allowed a network.
fn guarded(deps: &Deps, url: &str) -> Result<RequestBuilder, SubmitError> {
    if !url.starts_with("https://") && deps.settings.channel.allow.is_empty() {
        return Err(SubmitError::Definite("the file's address is not https".to_owned()));
    }
    let request = deps.outbound.guarded.request(Method::GET, url);
    request.map_err(|refused| SubmitError::Definite(refused.to_string()))
}

/// A file during its download, on the disk without a name.
struct IncomingFile {
    file: tokio::fs::File,
    size: u64,
    digesting: DigestBuilder,
}

impl IncomingFile {
    async fn new(deps: &Deps) -> Result<Self, SubmitError> {
        let file = deps.files.temporary().await.map_err(|error| disk(&error))?;
        let digesting = DigestBuilder::default();
        Ok(Self { file: tokio::fs::File::from_std(file), size: 0, digesting })
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), SubmitError> {
        self.size += bytes.len() as u64;
        if self.size > MAX_FILE_BYTES {
            return Err(SubmitError::Definite(format!(
                "the file has more than {MAX_FILE_BYTES} bytes"
            )));
        }
        self.digesting.update(bytes);
        self.file.write_all(bytes).await.map_err(|error| disk(&error))
    }

    async fn finish(mut self, content_type: String) -> Result<Fetched, SubmitError> {
        self.file.flush().await.map_err(|error| disk(&error))?;
        let file = self.file.into_std().await;
        let sha256 = self.digesting.finish();
        Ok(Fetched { file, size: self.size, sha256, content_type })
    }
}

fn disk(error: &std::io::Error) -> SubmitError {
    SubmitError::Later { after: None, why: format!("the disk failed: {error}") }
}

/// Stores the file and records its address in the message. The error is a description of the
/// failure.
async fn store(deps: &Deps, wanted: &ClaimedFetch, fetched: Fetched) -> Result<(), String> {
    let document: MediaDocument =
        serde_json::from_str(&wanted.content.0).map_err(|error| error.to_string())?;
    let row = row(deps, wanted, &document, &fetched);
    let id: MediaId = row.id;
    let url = address(&deps.settings.base_url, id, &row.file_name);
    deps.db.insert_media(row).await.map_err(|error| error.to_string())?;
    deps.files.store(id, fetched.file).await.map_err(|error| chain(&error))?;
    let organization_db = deps.db.organization(wanted.fetch.organization_id);
    let is_wanted = finish(deps, wanted, id, url).await;
    if !is_wanted.map_err(|error| error.to_string())? {
        deps.files.remove(id).await.map_err(|error| chain(&error))?;
        organization_db.delete_media(id).await.map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn row(deps: &Deps, wanted: &ClaimedFetch, document: &MediaDocument, fetched: &Fetched) -> Media {
    let declared_type = FileType::of_content_type(&fetched.content_type);
    let kind = document.media_type.as_deref().and_then(MediaKind::from_keyword);
    let given_name = document.filename.as_deref().and_then(FileName::near);
    let name = given_name.unwrap_or_else(|| match (declared_type, kind) {
        (Some(file_type), _) => FileName::from_type(file_type),
        (None, kind) => FileName::from_kind(kind.unwrap_or(MediaKind::Document)),
    });
    let now = deps.clock.now();
    Media {
        id: deps.id::<domain::id::Media>(now),
        organization_id: wanted.fetch.organization_id,
        state: MediaState::Arriving,
        file_name: name.to_string(),
        content_type: declared_type.map_or(UNKNOWN_TYPE, FileType::as_str).to_owned(),
        size: fetched.size,
        sha256: fetched.sha256.as_bytes().to_vec(),
        created_at: now,
    }
}
