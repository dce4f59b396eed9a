//! Reads voice messages and pictures for a model. A file that the model cannot read is only named.

use super::transcription::transcribe;
use super::transcripts;
use super::{AskingDeps, DialogMessage};
use crate::turns::{AskedTurn, text_of};
use api_types::content::{MediaDocument, transcript};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::agent::{ModelConnection, Spending};
use domain::content::MessageKind;
use domain::message::Direction;
use domain::number::saturating;
use domain::time::seconds_in_words;
use persistence::content::StoredContent;
use persistence::content::revisions::lacks_transcript;
use persistence::content::said::said;
use persistence::content::turn_trace::{TraceStep, TurnTrace};
use persistence::records::{Media, Message};
use platform::Deps;
use platform::clock::Stopwatch;
use std::time::Duration;

/// Maximum number of pictures, and of voice messages, that are read in a turn.
const MAX_FILES: usize = 4;
/// Time limits for one transcription, and for all of a turn.
const TRANSCRIPTION_TIMEOUT: Duration = Duration::from_secs(15);
const TRANSCRIPTIONS_TIMEOUT: Duration = Duration::from_secs(25);
/// The types of pictures that models read.
const PICTURES: [&str; 4] = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/// The conversation for a model, and the cost of reading its files.
#[derive(Debug, Default)]
pub struct ReadDialog {
    pub messages: Vec<DialogMessage>,
    pub spending: Spending,
    pub trace: TurnTrace,
    /// The time that reading took.
    pub took: Duration,
}

/// Returns the conversation of a turn. Only the files of messages that the turn answers are read.
pub async fn read_dialog(
    deps: &Deps,
    asked: &AskedTurn,
    connection: &ModelConnection,
    api_key: Option<&str>,
) -> ReadDialog {
    let unanswered = asked.messages.iter().rev();
    let unanswered = unanswered.take_while(|it| it.direction == Direction::Inbound).count();
    let first = asked.messages.len().saturating_sub(unanswered);
    let mut reader = FileReader {
        deps,
        connection,
        api_key,
        left: MAX_FILES,
        watch: Stopwatch::start(),
        read: ReadDialog { trace: asked.trace.clone(), ..ReadDialog::default() },
    };
    for (index, message) in asked.messages.iter().enumerate() {
        let mut shown =
            DialogMessage::text(message.direction == Direction::Inbound, described(message));
        if index >= first {
            reader.add_file(message, &mut shown).await;
        }
        shown.text = marked(&asked.messages, index, shown.text);
        reader.read.messages.push(shown);
    }
    reader.read.took = reader.watch.elapsed();
    reader.read
}

/// Returns the text of the message at `index` for the model. A colleague's answers in a row are
/// marked at their beginning and end, because they have the same role as the model's own messages.
fn marked(messages: &[Message], index: usize, mut text: String) -> String {
    let is_colleagues = |it: &Message| it.source.is_reply(it.kind);
    let neighbor = |index: Option<usize>| index.and_then(|it| messages.get(it));
    let Some(message) = messages.get(index).filter(|it| is_colleagues(it)) else { return text };
    let is_first = !neighbor(index.checked_sub(1)).is_some_and(is_colleagues);
    let is_last = !neighbor(index.checked_add(1)).is_some_and(is_colleagues);
    if is_first {
        let answers = messages.iter().skip(index).take_while(|it| is_colleagues(it));
        let last = answers.last().map_or(message.created_at, |it| it.created_at);
        let first = message.created_at;
        text = format!("[a colleague answered from {first} to {last}] {text}");
    }
    if is_last {
        text.push_str(" [end of the colleague's answer]");
    }
    text
}

/// Describes a message in words.
fn described(message: &Message) -> String {
    if let Some(text) = text_of(message) {
        return text;
    }
    if let Some(transcript) = transcript(message.kind, &message.content) {
        return format!("[voice message] {transcript}");
    }
    let texts = said(&message.content.0).trim().to_owned();
    let name = match message.kind {
        MessageKind::Media => media_name(&document(message)),
        // The text of a tapped button or row is the customer's choice.
        MessageKind::Interactive | MessageKind::Template if !texts.is_empty() => return texts,
        kind => format!("{kind}, not shown"),
    };
    let caption = document(message).caption.unwrap_or_default();
    if caption.is_empty() { format!("[{name}]") } else { format!("[{name}] {caption}") }
}

/// Returns the file of a message, or an empty one if the content cannot be read.
fn document(message: &Message) -> MediaDocument {
    serde_json::from_str(&message.content.0).ok().unwrap_or_default()
}

/// Whether a message is audio that has no transcript and was not erased.
fn may_be_transcribed(message: &Message) -> bool {
    let document = message.content.0.clone();
    lacks_transcript(&StoredContent { kind: message.kind, document })
}

fn media_name(document: &MediaDocument) -> String {
    match document.media_type.as_deref() {
        Some("audio") => "voice message, not transcribed".to_owned(),
        Some("image") => "picture, not shown".to_owned(),
        Some("document") => match &document.filename {
            Some(name) => format!("document, not shown: {name}"),
            None => "document, not shown".to_owned(),
        },
        Some(other) => format!("{other}, not shown"),
        None => "file, not shown".to_owned(),
    }
}

struct FileReader<'a> {
    deps: &'a Deps,
    connection: &'a ModelConnection,
    api_key: Option<&'a str>,
    /// Number of files that may still be read in this turn.
    left: usize,
    watch: Stopwatch,
    read: ReadDialog,
}

impl FileReader<'_> {
    /// Adds the content of a message's file, if the model can read it.
    async fn add_file(&mut self, message: &Message, shown: &mut DialogMessage) {
        if message.kind != MessageKind::Media || self.left == 0 {
            return;
        }
        let document = document(message);
        let transcriber = self.connection.transcription_model.as_deref();
        match (document.media_type.as_deref(), transcriber) {
            (Some("audio"), Some(model)) if may_be_transcribed(message) => {
                let Some((media, file)) = self.file(message).await else { return };
                self.left -= 1;
                if let Some(text) = self.transcribe(message, model, &media, &file).await {
                    shown.text = format!("[voice message] {text}");
                }
            }
            (Some("image" | "sticker"), _) if self.connection.sees_images => {
                let Some((media, file)) = self.file(message).await else { return };
                if !PICTURES.contains(&media.content_type.as_str()) {
                    return;
                }
                self.left -= 1;
                let uri = format!("data:{};base64,{}", media.content_type, STANDARD.encode(&file));
                shown.images.push(uri);
                shown.text = match document.caption {
                    Some(caption) if !caption.is_empty() => format!("[picture] {caption}"),
                    _ => "[picture]".to_owned(),
                };
            }
            _ => {}
        }
    }

    async fn transcribe(
        &mut self,
        message: &Message,
        model: &str,
        media: &Media,
        file: &[u8],
    ) -> Option<String> {
        let room = TRANSCRIPTIONS_TIMEOUT.saturating_sub(self.watch.elapsed());
        let room = room.min(TRANSCRIPTION_TIMEOUT);
        if room.is_zero() {
            return None;
        }
        let watch = Stopwatch::start();
        let deps = AskingDeps::of(self.deps);
        let name = transcripts::file_name(&media.content_type);
        let heard =
            transcribe(deps, self.connection, self.api_key, model, name, &media.content_type, file);
        let heard = match tokio::time::timeout(room, heard).await {
            Ok(Ok(text)) => Ok(text),
            Ok(Err(failure)) => Err(failure.reason),
            Err(_) => Err(format!("no answer within {}", seconds_in_words(room.as_secs()))),
        };
        // Servers bill audio by its length, which they do not report.
        let unpriced = Spending { unpriced_requests: 1, ..Spending::default() };
        self.read.spending = self.read.spending.plus(unpriced);
        self.read.trace.add(&TraceStep::Used {
            tool: "transcription".to_owned(),
            arguments: format!("{model}, {} bytes", media.size),
            result: heard.clone().unwrap_or_else(|reason| reason),
            took_ms: saturating(watch.elapsed().as_millis(), u64::MAX),
        });
        let heard = heard.ok().filter(|text| !text.is_empty())?;
        let (organization, id) = (message.organization_id, message.id);
        if let Err(error) = transcripts::store(self.deps, organization, id, heard.clone()).await {
            tracing::error!(%error, message = %id, "a transcript could not be stored");
        }
        Some(heard)
    }

    async fn file(&self, message: &Message) -> Option<(Media, Vec<u8>)> {
        let (organization, content) = (message.organization_id, &message.content.0);
        let file = transcripts::read_file(self.deps, organization, content).await;
        let file = file.inspect_err(|error| {
            tracing::warn!(%error, message = %message.id, "a file was not given to a model");
        });
        file.ok().flatten()
    }
}
