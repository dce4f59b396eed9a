//! Messages from contacts, from the organization's phone, and from the channel's own agent.

use super::PartOutcome;
use channel::callback::{MessageReport, RevisionReport};
use domain::account::ChannelKind;
use domain::callback::DeadLetterReason;
use domain::id::MessageId;
use domain::inbound::{InboundContent, ReportedAuthor};
use domain::opt_out::MarketingWord;
use domain::time::Timestamp;
use persistence::content::received::{encode, encode_context};
use persistence::records::{Account, ChannelSummary, Inbound, RevisedMessage, RevisionOutcome};
use persistence::{Document, Result};
use platform::Deps;

/// Stores a message. A repeated report stores nothing.
pub async fn receive(
    deps: &Deps,
    account: &Account,
    report: MessageReport,
    at: Timestamp,
) -> Result<PartOutcome> {
    let MessageReport { channel_id, author, standby, summary, person, said, answers, context } =
        report;
    let file = match &said {
        InboundContent::Media { id, .. } => Some(id.clone()),
        _ => None,
    };
    let wants = match &said {
        InboundContent::Text(text) if author == ReportedAuthor::Contact => {
            wants_marketing(deps, account, text).await?.map(|wants| (wants, person.clone()))
        }
        _ => None,
    };
    let (Ok(content), Ok(came_with)) = (encode(said), encode_context(context)) else {
        return Ok(unwritable());
    };
    let fetch = file.is_some();
    let inbound = Inbound {
        message: message_id(deps, account, &channel_id, at),
        account: account.id,
        organization: account.organization_id,
        author,
        standby,
        summary: summary.map(|text| ChannelSummary { note: deps.id(deps.clock.now()), text }),
        person,
        new_contact: deps.id(at),
        new_conversation: deps.id(at),
        content,
        context: came_with.map(Document),
        answers,
        channel_message_id: channel_id.clone(),
        file,
        at,
        received_at: deps.clock.now(),
    };
    deps.db.receive(inbound).await?;
    if let Some((wants, person)) = wants {
        // A repeated callback has the same time, so it does not change the preference again.
        let organization = deps.db.organization(account.organization_id);
        organization.set_preference(account.id, person, wants, at, deps.clock.now()).await?;
        if wants {
            organization.resume_after_opt_in(account.id, channel_id, deps.clock.now()).await?;
        }
    }
    if fetch {
        deps.wakeups.arrived.notify_one();
    }
    Ok(PartOutcome::Done)
}

/// Returns whether the contact wants marketing, if the whole text is a word for opting in or out.
async fn wants_marketing(deps: &Deps, account: &Account, text: &str) -> Result<Option<bool>> {
    let Some(word) = MarketingWord::parse(text) else { return Ok(None) };
    if word == MarketingWord::OptIn {
        return Ok(Some(true));
    }
    let (organization, now) = (account.organization_id, deps.clock.now());
    let words = deps.opt_out_words.find(&deps.db, organization, now).await?;
    Ok(words.contains(&word).then_some(false))
}

/// Returns the id of a new message. A message of the sandbox already has an id, which is part of
/// its channel id.
fn message_id(deps: &Deps, account: &Account, channel_id: &str, at: Timestamp) -> MessageId {
    let given = (account.channel == ChannelKind::Sandbox)
        .then(|| channel::sandbox::customer_message_id(channel_id));
    given.flatten().unwrap_or_else(|| deps.id(at))
}

fn unwritable() -> PartOutcome {
    let detail = "the message cannot be written as history shows it".to_owned();
    PartOutcome::dead_letter(DeadLetterReason::NotUnderstood, detail)
}

/// Records the edit or the deletion of a message. A repeated report changes nothing. The message
/// itself may arrive later than this report.
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
                "ignored a change of a message by somebody who has not written the message"
            );
            PartOutcome::Done
        }
        RevisionOutcome::UnknownMessage => PartOutcome::BeforeItsMessage,
    })
}
