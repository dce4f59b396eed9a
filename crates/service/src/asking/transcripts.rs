//! Transcripts of voice messages. They are made whether an agent answers or not
//! (`docs/contract.md#ai-agents`).

use super::{AskFailure, AskingDeps, transcribe};
use crate::agents::open_secret;
use domain::agent::{AgentConnection, AgentSettings, ModelConnection};
use domain::id::{AccountId, MessageId, OrganizationId};
use domain::time::seconds_in_words;
use futures_util::StreamExt as _;
use persistence::Result;
use persistence::content::erasure::file_ids;
use persistence::records::Media;
use platform::Deps;
use platform::files::StoreError;
use std::time::Duration;

/// Maximum number of characters of a transcript.
const MAX_TRANSCRIPT_CHARS: usize = 32_000;
/// Maximum size of a file that is given to a model.
pub const MAX_FILE_BYTES: u64 = 5 * 1024 * 1024;

/// The reason why a stored file cannot be read now.
#[derive(Debug, thiserror::Error)]
pub enum FileReadError {
    #[error(transparent)]
    Database(#[from] persistence::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A server that transcribes voice messages, and its model.
pub struct Transcriber {
    connection: ModelConnection,
    api_key: Option<String>,
    model: String,
}

/// Finds the transcriber for the voice messages on a number: the number's agent if it has a
/// transcription model, otherwise the organization's oldest agent that has one. The mode of the
/// agent does not matter, because people read transcripts, too.
pub async fn find(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
) -> Result<Option<Transcriber>> {
    let agents = deps.db.organization(organization).list_agents().await?;
    let mut transcribing = Vec::new();
    for (agent, accounts) in agents {
        let settings = agent.settings().inspect_err(|error| {
            tracing::error!(%error, agent = %agent.id, "the settings of an agent cannot be read");
        });
        let Ok(AgentSettings { connection: AgentConnection::Model(connection), .. }) = settings
        else {
            continue;
        };
        let Some(model) = connection.transcription_model.clone() else { continue };
        transcribing.push((accounts.contains(&account), agent, connection, model));
    }
    // The oldest agent is listed first, and `min_by_key` returns the first of equal entries.
    let first = transcribing.into_iter().min_by_key(|(is_of_number, ..)| !is_of_number);
    let Some((_, agent, connection, model)) = first else { return Ok(None) };
    match open_secret(&deps.sealing, &agent) {
        Ok(api_key) => Ok(Some(Transcriber { connection, api_key, model })),
        Err(error) => {
            tracing::error!(%error, agent = %agent.id, "the key of an agent cannot be opened");
            Ok(None)
        }
    }
}

/// Transcribes the voice message in a stored content. Returns `None` if the file is missing or too
/// large, or if nobody speaks in it.
pub async fn of_message(
    deps: &Deps,
    transcriber: &Transcriber,
    organization: OrganizationId,
    content: &str,
    time_limit: Duration,
) -> Result<Option<String>, AskFailure> {
    let unreadable = |error: FileReadError| AskFailure::new(error.to_string());
    let file = read_file(deps, organization, content).await.map_err(unreadable)?;
    let Some((media, file)) = file else { return Ok(None) };
    let Transcriber { connection, api_key, model } = transcriber;
    let heard = transcribe(
        AskingDeps::of(deps),
        connection,
        api_key.as_deref(),
        model,
        file_name(&media.content_type),
        &media.content_type,
        &file,
    );
    let text = tokio::time::timeout(time_limit, heard).await.map_err(|_| {
        AskFailure::new(format!("no answer within {}", seconds_in_words(time_limit.as_secs())))
    })??;
    Ok(Some(text).filter(|it| !it.is_empty()))
}

/// Cuts a transcript at `MAX_TRANSCRIPT_CHARS`. No transcript of a real voice message is that long.
fn bounded(transcript: String) -> String {
    match transcript.char_indices().nth(MAX_TRANSCRIPT_CHARS) {
        Some((end, _)) => transcript.get(..end).unwrap_or_default().to_owned(),
        None => transcript,
    }
}

/// Writes a transcript into its message, unless the message has one already or was erased.
pub async fn store(
    deps: &Deps,
    organization: OrganizationId,
    message: MessageId,
    transcript: String,
) -> Result<()> {
    let now = deps.clock.now();
    let organization_db = deps.db.organization(organization);
    if organization_db.store_transcript(message, bounded(transcript), now).await? {
        deps.events_recorded_of([organization]);
    }
    Ok(())
}

/// Returns the file of a stored content, or `None` if the file is missing or too large.
pub async fn read_file(
    deps: &Deps,
    organization: OrganizationId,
    content: &str,
) -> Result<Option<(Media, Vec<u8>)>, FileReadError> {
    let Some(id) = file_ids(content).into_iter().next() else { return Ok(None) };
    let media = deps.db.organization(organization).own_media(id).await?;
    let Some(media) = media.filter(|it| it.size <= MAX_FILE_BYTES) else { return Ok(None) };
    let parts = deps.files.read(id, 0..media.size).await?;
    let mut parts = std::pin::pin!(parts);
    let mut file = Vec::new();
    while let Some(part) = parts.next().await {
        file.extend_from_slice(&part?);
    }
    Ok(Some((media, file)))
}

/// Returns a file name for a voice message. Transcription servers recognize the format by the
/// extension.
#[must_use]
pub fn file_name(content_type: &str) -> &'static str {
    match content_type.split(';').next().unwrap_or_default().trim() {
        "audio/mpeg" => "voice.mp3",
        "audio/mp4" | "audio/aac" | "audio/m4a" | "audio/x-m4a" => "voice.m4a",
        "audio/amr" => "voice.amr",
        "audio/wav" | "audio/x-wav" => "voice.wav",
        _ => "voice.ogg",
    }
}
