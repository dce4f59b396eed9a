//! What people wrote.

use super::PartOutcome;
use crate::Deps;
use channel::callback::InboundContent;
use domain::callback::DeadLetterReason;
use domain::contact::Identity;
use domain::content::MessageKind;
use domain::keyword::Keyword as _;
use domain::time::Timestamp;
use persistence::rows::{Account, Inbound};
use persistence::{Document, Result};
use wire::content::{ChoiceDocument, Chosen, MediaDocument, TextDocument, UnsupportedDocument};
use wire::json::write;

/// A message that was heard of.
pub struct InboundReport {
    /// The number that was written to.
    pub account: Account,
    /// The channel's id of the message.
    pub channel_id: String,
    /// What the channel says of the person.
    pub from: Identity,
    /// The channel's id of the message that it answers.
    pub answers: Option<String>,
    /// When it was written.
    pub at: Timestamp,
}

/// Keeps a message, once.
pub async fn receive(
    deps: &Deps,
    inbound_report: InboundReport,
    said: InboundContent,
) -> Result<PartOutcome> {
    let file = match &said {
        InboundContent::Media { id, .. } => Some(id.clone()),
        _ => None,
    };
    let Ok((kind, content)) = document(said) else {
        let detail = "the message cannot be written as history shows it".to_owned();
        return Ok(PartOutcome::keep(DeadLetterReason::NotUnderstood, detail));
    };
    let InboundReport { account, channel_id, from, answers, at } = inbound_report;
    let fetch = file.is_some();
    let inbound = Inbound {
        message: deps.id(at),
        account: *account.id,
        organization: *account.organization_id,
        from,
        new_contact: deps.id(at),
        new_conversation: deps.id(at),
        kind,
        content: Document(content),
        answers,
        channel_message_id: channel_id,
        file,
        at,
        received_at: deps.clock.now(),
    };
    deps.db.receive(inbound).await?;
    if fetch {
        deps.wakeups.arrived.notify_one();
    }
    Ok(PartOutcome::Done)
}

/// What was said, as history shows it.
fn document(said: InboundContent) -> serde_json::Result<(MessageKind, String)> {
    let text = |text| write(&TextDocument { text: Some(text), preview_url: None });
    Ok(match said {
        InboundContent::Text(words) => (MessageKind::Text, text(words)?),
        InboundContent::Reaction(emoji) => (MessageKind::Reaction, text(emoji)?),
        InboundContent::Media { kind, content_type, caption, filename, .. } => {
            let document = MediaDocument {
                url: None,
                media_type: Some(kind.as_str().to_owned()),
                content_type: Some(content_type),
                caption,
                filename,
                voice: None,
            };
            (MessageKind::Media, write(&document)?)
        }
        InboundContent::Choice { kind, id, title, description } => {
            let chosen = Some(Chosen { id, title, description });
            let (button_reply, list_reply) =
                if kind == "button_reply" { (chosen, None) } else { (None, chosen) };
            let document = ChoiceDocument { kind, button_reply, list_reply };
            (MessageKind::Interactive, write(&document)?)
        }
        InboundContent::Unsupported { kind, payload } => {
            let payload = serde_json::value::RawValue::from_string(payload)?;
            (MessageKind::Unsupported, write(&UnsupportedDocument { kind, payload })?)
        }
    })
}
