//! Inbound messages, from contacts or from the organization's phone.

use super::PartOutcome;
use channel::callback::{MessageReport, RevisionReport};
use domain::callback::DeadLetterReason;
use domain::inbound::InboundContent;
use domain::time::Timestamp;
use persistence::content::received::{encode, encode_context};
use persistence::records::{Account, Inbound, RevisedMessage, RevisionOutcome};
use persistence::{Document, Result};
use platform::Deps;

/// Stores a message, once.
pub async fn receive(
    deps: &Deps,
    account: &Account,
    report: MessageReport,
    at: Timestamp,
) -> Result<PartOutcome> {
    let MessageReport { channel_id, direction, person, said, answers, context } = report;
    let file = match &said {
        InboundContent::Media { id, .. } => Some(id.clone()),
        _ => None,
    };
    let (Ok(content), Ok(came_with)) = (encode(said), encode_context(context)) else {
        return Ok(unwritable());
    };
    let fetch = file.is_some();
    let inbound = Inbound {
        message: deps.id(at),
        account: account.id,
        organization: account.organization_id,
        direction,
        person,
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

fn unwritable() -> PartOutcome {
    let detail = "the message cannot be written as history shows it".to_owned();
    PartOutcome::dead_letter(DeadLetterReason::NotUnderstood, detail)
}

/// Records the edit or the deletion of a message, once. The message may arrive later.
pub async fn revise(
    deps: &Deps,
    account: &Account,
    revision: RevisionReport,
    at: Timestamp,
) -> Result<PartOutcome> {
    let RevisionReport { message, change, direction, person, said } = revision;
    let Ok(content) = said.map(encode).transpose() else { return Ok(unwritable()) };
    let revised = RevisedMessage {
        organization: account.organization_id,
        account: account.id,
        channel_message_id: message,
        direction,
        person,
        change,
        content,
        at,
        received_at: deps.clock.now(),
    };
    Ok(match deps.db.revise(revised).await? {
        RevisionOutcome::Kept | RevisionOutcome::Repeated => PartOutcome::Done,
        RevisionOutcome::NotTheirs => {
            tracing::warn!(
                account = %account.id,
                "a change of a message comes from somebody who has not written it; it changes nothing"
            );
            PartOutcome::Done
        }
        RevisionOutcome::UnknownMessage => PartOutcome::BeforeItsMessage,
    })
}
