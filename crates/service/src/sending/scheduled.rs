//! Messages that are sent later (`docs/contract.md#send-later`).

use super::references::{TemplateLookups, check_channel, check_reply};
use super::{Author, PreparedMessage, SendError, Sender, addressee, not_stored, prepare};
use crate::usage;
use api_types::json::write;
use domain::connection::ConnectionState;
use domain::contact::Address;
use domain::content::{Content, ContentType};
use domain::conversation::MessageSource;
use domain::id::{AccountId, KeyId, MessageId, OrganizationId};
use domain::message::{Draft, Failure, MessageError, Recipient, ScheduleState};
use domain::plan::Meter;
use domain::time::Timestamp;
use persistence::content::{StoredContent, decode, encode};
use persistence::records::{
    CancelOutcome, Idempotent, Key, MessageSubmission, PersonKey, ScheduledCursor,
    ScheduledMessage, StoredAnswer,
};
use persistence::{Document, Result};
use platform::Deps;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of an organization's newest connections among which an application's current one is
/// looked for.
const MAX_CONNECTIONS: i64 = 500;
/// Maximum number of messages that are sent in one commit.
const MAX_RELEASED: i64 = 100;

/// The result of scheduling a message.
#[derive(Debug)]
pub enum ScheduleOutcome {
    /// The message is stored, together with the answer to an idempotent request.
    Scheduled(Box<ScheduledMessage>),
    /// The same request was answered before.
    Answered(StoredAnswer),
}

/// An idempotent request, and the function that writes its answer.
pub type OnceScheduled =
    (Idempotent, Arc<dyn Fn(&ScheduledMessage) -> serde_json::Result<String> + Send + Sync>);

/// Stores a draft that is sent at `send_at`. The recipient, the channel and the message that the
/// draft replies to are checked now. The customer service window, the template and the allowance
/// are checked when it is sent.
pub async fn schedule(
    deps: &Deps,
    sender: &Sender,
    draft: &Draft,
    send_at: Timestamp,
    once: Option<OnceScheduled>,
) -> std::result::Result<ScheduleOutcome, SendError> {
    let row = scheduled(deps, sender, draft, send_at).await?;
    let once = once.map(|(request, answer)| Ok((request, answer(&row)?))).transpose();
    let once = once.map_err(SendError::Unwritable)?;
    if let Some(stored) = deps.db.schedule(row.clone(), once).await.map_err(not_stored)? {
        return Ok(ScheduleOutcome::Answered(stored));
    }
    deps.wakeups.scheduled.notify_one();
    Ok(ScheduleOutcome::Scheduled(Box::new(row)))
}

/// Checks a draft. Returns the row that stores it until it is due.
pub(super) async fn scheduled(
    deps: &Deps,
    sender: &Sender,
    draft: &Draft,
    send_at: Timestamp,
) -> std::result::Result<ScheduledMessage, SendError> {
    let (to, _) = addressee(deps, sender, &draft.recipient).await?;
    check_channel(deps, sender, draft, &to).await?;
    check_reply(deps, sender, draft, &to).await?;
    let now = deps.clock.now();
    let StoredContent { kind, document } = encode(&draft.content).map_err(SendError::Unwritable)?;
    let fallback = draft.fallback.clone().map(|template| encode(&Content::Template(template)));
    let fallback = fallback.transpose().map_err(SendError::Unwritable)?;
    let metadata = (!draft.metadata.is_empty()).then(|| write(&draft.metadata)).transpose();
    Ok(ScheduledMessage {
        organization_id: sender.organization,
        id: deps.id(now),
        account_id: sender.account,
        bound_to: sender.bound_to,
        recipient: draft.recipient.to_string(),
        kind,
        content: Document(document),
        content_format: persistence::content::FORMAT,
        fallback: fallback.map(|it| Document(it.document)),
        source: sender.author.source(),
        pauses_agent: sender.pauses_agent,
        client_ref: draft.client_ref.clone(),
        metadata: metadata.map_err(SendError::Unwritable)?.map(Document),
        reply_to: draft.reply_to,
        state: ScheduleState::Scheduled,
        send_at,
        created_at: now,
        canceled_at: None,
        connection_key_id: sender.connection_key,
        key_id: sender.key,
    })
}

/// Finds a message that is scheduled or was canceled.
pub async fn find_scheduled(
    deps: &Deps,
    organization: OrganizationId,
    account: Option<AccountId>,
    id: MessageId,
) -> Result<Option<ScheduledMessage>> {
    deps.db.organization(organization).scheduled_message(account, id).await
}

/// Lists up to `limit` messages that wait for their time, in the order in which they are sent.
pub async fn list_scheduled(
    deps: &Deps,
    organization: OrganizationId,
    account: Option<AccountId>,
    after: Option<ScheduledCursor>,
    limit: i64,
) -> Result<Vec<ScheduledMessage>> {
    deps.db.organization(organization).list_scheduled(account, after, limit).await
}

/// Counts the messages that wait for their time, up to `most`.
pub async fn count_scheduled(
    deps: &Deps,
    organization: OrganizationId,
    most: i64,
) -> Result<usize> {
    deps.db.organization(organization).count_scheduled(most).await
}

/// Returns the key of the person who gets a message.
#[must_use]
pub fn person_key(recipient: &Recipient, account: AccountId) -> PersonKey {
    match recipient {
        Recipient::Phone(number) => PersonKey::Number(number.clone()),
        Recipient::User(id) => PersonKey::Address(Address::User(id.clone()), account),
        Recipient::Contact(id) => PersonKey::Contact(*id),
        Recipient::Conversation(id) => PersonKey::Conversation(*id),
    }
}

/// Cancels a scheduled message.
pub async fn cancel(
    deps: &Deps,
    organization: OrganizationId,
    account: Option<AccountId>,
    id: MessageId,
) -> Result<CancelOutcome> {
    let now = deps.clock.now();
    let outcome = deps.db.organization(organization).cancel_message(account, id, now).await?;
    if let CancelOutcome::Canceled(_) = outcome {
        deps.events_recorded_of([organization]);
    }
    Ok(outcome)
}

/// Sends some of an organization's due messages in the order of their times. Returns the number of
/// messages that were sent or failed. A message that cannot be sent becomes a failed message.
pub async fn release_due(deps: &Deps, organization: OrganizationId) -> Result<usize> {
    let owner = deps.db.organization(organization);
    let due = owner.list_due_scheduled(deps.clock.now(), MAX_RELEASED).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let plan = usage::plan(deps, organization).await?;
    let (allowance, is_refused) = plan.map_or((None, true), |(row, plan)| {
        let refusal = usage::refusal(row.subscription_status, plan.as_ref());
        (usage::messages_limit(plan.as_ref()), refusal.is_some())
    });
    let release = Release { deps, allowance, is_refused, templates: TemplateLookups::default() };
    let mut submissions = Vec::with_capacity(due.len());
    for row in &due {
        submissions.extend(release.submission(row).await?);
    }
    let left = match owner.release_scheduled(submissions.clone()).await {
        Err(error) if error.is_refusal() || matches!(error, persistence::Error::Moved) => {
            release_alone(deps, organization, submissions).await?
        }
        left => left?,
    };
    if left > 0 {
        deps.messages_due_of(organization);
        deps.events_recorded_of([organization]);
    }
    Ok(left)
}

/// Sends messages one by one, so that a message that cannot be stored does not block the others.
async fn release_alone(
    deps: &Deps,
    organization: OrganizationId,
    submissions: Vec<MessageSubmission>,
) -> Result<usize> {
    let (mut left, mut failed) = (0, None);
    for submission in submissions {
        let message = submission.message;
        match deps.db.organization(organization).release_scheduled(vec![submission]).await {
            Ok(one) => left += one,
            Err(error @ persistence::Error::AccountGone) => {
                tracing::warn!(%error, %message, "a scheduled message cannot be sent; it is canceled");
                cancel(deps, organization, None, message).await?;
                left += 1;
            }
            Err(error) => {
                tracing::error!(%error, %message, "a scheduled message was not sent; it is retried");
                failed = Some(error);
            }
        }
    }
    match failed {
        Some(error) if left == 0 => Err(error),
        _ => Ok(left),
    }
}

/// Data that all due messages of an organization share.
struct Release<'a> {
    deps: &'a Deps,
    allowance: Option<u32>,
    /// Whether the subscription or the plan forbids every message.
    is_refused: bool,
    templates: TemplateLookups,
}

impl Release<'_> {
    /// Checks a due message. Returns the message to send, or the failed message to store. A message
    /// whose recipient is gone is canceled.
    async fn submission(&self, row: &ScheduledMessage) -> Result<Option<MessageSubmission>> {
        let deps = self.deps;
        let key = match row.connection_key_id {
            Some(key) => current_key(deps, row.organization_id, key).await?,
            None => None,
        };
        let sender = Sender {
            key: row.scheduled_by_key(),
            connection_key: row.connection_key_id,
            cap: key.as_ref().and_then(Key::message_cap),
            organization: row.organization_id,
            account: row.account_id,
            bound_to: row.bound_to,
            allowance: self.allowance,
            author: match row.source {
                MessageSource::Inbox => Author::Inbox(None),
                _ => Author::Api,
            },
            member: None,
            pauses_agent: row.pauses_agent,
        };
        let draft = match draft(row) {
            Ok(draft) => draft,
            Err(why) => return self.failed(row, &sender, error(Failure::ChannelError, why)).await,
        };
        if row.connection_key_id.is_some() && key.is_none() {
            let why = "the connection that scheduled the message has ended".to_owned();
            return self.failed(row, &sender, error(Failure::ChannelError, why)).await;
        }
        if self.is_refused {
            let why = "the organization's subscription admits no messages";
            let refusal = error(Failure::PlanLimitExceeded, why.to_owned());
            return self.failed(row, &sender, refusal).await;
        }
        match prepare(deps, &sender, &draft, &self.templates).await {
            Ok(PreparedMessage { mut submission, .. }) => {
                submission.message = row.id;
                Ok(Some(submission))
            }
            Err(SendError::Database(error)) => Err(error),
            Err(refused) => self.failed(row, &sender, refusal(&refused)).await,
        }
    }

    /// Returns the failed message.
    async fn failed(
        &self,
        row: &ScheduledMessage,
        sender: &Sender,
        refusal: MessageError,
    ) -> Result<Option<MessageSubmission>> {
        let deps = self.deps;
        let (to, contact) = match addressee(deps, sender, &row.recipient()?).await {
            Ok(found) => found,
            Err(SendError::Database(error)) => return Err(error),
            Err(error) => {
                tracing::warn!(%error, message = %row.id, "a scheduled message has no recipient; it is canceled");
                cancel(deps, row.organization_id, None, row.id).await?;
                return Ok(None);
            }
        };
        let now = deps.clock.now();
        Ok(Some(MessageSubmission {
            message: row.id,
            organization: row.organization_id,
            account: row.account_id,
            to,
            contact,
            new_contact: deps.id::<domain::id::Contact>(now),
            new_conversation: deps.id::<domain::id::Conversation>(now),
            content: StoredContent { kind: row.kind, document: row.content.0.clone() },
            pauses_agent: false,
            source: row.source,
            member: None,
            key: sender.key,
            client_ref: row.client_ref.clone(),
            metadata: row.metadata.clone(),
            reply_to: row.reply_to,
            at: now,
            month: Meter::Messages.period(now),
            allowance: None,
            cap: None,
            refusal: Some(refusal),
            idempotent: None,
        }))
    }
}

/// Returns the key of a connection, or the key that its application has now. Returns `None` if the
/// connection ended and no newer connection replaced it.
async fn current_key(deps: &Deps, organization: OrganizationId, id: KeyId) -> Result<Option<Key>> {
    let owner = || deps.db.organization(organization);
    if let Some(key) = owner().own_key(id).await? {
        return Ok(Some(key));
    }
    let Some((_, application)) = owner().connection_of_key(id).await? else { return Ok(None) };
    let connections = owner().list_connections(MAX_CONNECTIONS).await?.into_iter();
    let mut keys = connections
        .filter(|(it, _, _)| it.state == ConnectionState::Connected)
        .filter(|(it, _, _)| it.application_id == application.id)
        .filter_map(|(_, _, key)| key);
    Ok(keys.next())
}

/// Returns the draft in a row.
fn draft(row: &ScheduledMessage) -> std::result::Result<Draft, String> {
    let unreadable = |error: &dyn std::fmt::Display| format!("the message cannot be read: {error}");
    let read = |kind, document: &Document| {
        decode(row.content_format, kind, &document.0).map_err(|error| unreadable(&error))
    };
    let metadata: BTreeMap<String, String> = match &row.metadata {
        Some(document) => serde_json::from_str(&document.0).map_err(|error| unreadable(&error))?,
        None => BTreeMap::new(),
    };
    let template = ContentType::Template.into();
    let fallback = row.fallback.as_ref().map(|document| read(template, document)).transpose()?;
    let fallback = fallback.and_then(|content| match content {
        Content::Template(template) => Some(template),
        _ => None,
    });
    Ok(Draft {
        recipient: row.recipient().map_err(|error| unreadable(&error))?,
        content: read(row.kind, &row.content)?,
        reply_to: row.reply_to,
        client_ref: row.client_ref.clone(),
        metadata,
        fallback,
    })
}

/// Returns the failure of a message that is refused when it is due.
fn refusal(refused: &SendError) -> MessageError {
    let failure = match refused {
        SendError::TemplateNotApproved { .. } => Failure::TemplateNotApproved,
        SendError::Mismatch(_) => Failure::TemplateParamsMismatch,
        SendError::PhoneNumberRequired => Failure::PhoneNumberRequired,
        SendError::RecipientOptedOut => Failure::RecipientOptedOut,
        SendError::AllowanceReached(_) | SendError::CapReached(_) => Failure::PlanLimitExceeded,
        SendError::NotFound(_)
        | SendError::NotSupported(..)
        | SendError::AgentRefused(_)
        | SendError::AnsweredMeanwhile(_)
        | SendError::UnreadableTemplate(..)
        | SendError::Unwritable(_)
        | SendError::Database(_) => Failure::ChannelError,
    };
    error(failure, refused.to_string())
}

const fn error(failure: Failure, message: String) -> MessageError {
    MessageError { failure, message, channel_code: None }
}
