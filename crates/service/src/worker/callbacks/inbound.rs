//! What people wrote.

use super::PartOutcome;
use crate::Deps;
use domain::callback::DeadLetterReason;
use domain::contact::Identity;
use domain::inbound::{InboundContent, InboundContext};
use domain::time::Timestamp;
use persistence::content::received::{encode, encode_context};
use persistence::rows::{Account, Inbound};
use persistence::{Document, Result};

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
    /// What it comes from, or with which it came.
    pub context: InboundContext,
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
    let InboundReport { account, channel_id, from, answers, context, at } = inbound_report;
    let (Ok(content), Ok(came_with)) = (encode(said), encode_context(context)) else {
        let detail = "the message cannot be written as history shows it".to_owned();
        return Ok(PartOutcome::keep(DeadLetterReason::NotUnderstood, detail));
    };
    let fetch = file.is_some();
    let inbound = Inbound {
        message: deps.id(at),
        account: *account.id,
        organization: *account.organization_id,
        from,
        new_contact: deps.id(at),
        new_conversation: deps.id(at),
        content,
        context: came_with.map(Document),
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
