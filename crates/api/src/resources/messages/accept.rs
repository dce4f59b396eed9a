//! The part that both send operations share: from a draft to a stored message and its answer.

use crate::admission::KeyHolder;
use crate::operation::{Answer, Call, Operation, write};
use actix_web::http::StatusCode;
use api_types::contact::message_contact;
use api_types::json;
use api_types::sample;
use api_types::schema::{
    IdOf, Instant, OneOf, Outbound, PhoneNumberText, Queued, UserIdText, exactly_one,
};
use api_types::send::{PreparedSend, SendMessageBody};
use api_types::template::LintRecord;
use domain::content::ContentType;
use domain::conversation::{AgentRefusal, Warning};
use domain::id::{self, OrganizationId};
use domain::keyword::Keyword;
use domain::media::{FileType, MediaKind};
use domain::message::{Direction, Draft, MessageStatus, check_send_at};
use domain::plan::Meter;
use domain::time::Timestamp;
use domain::violation::Violations;
use http_layer::deps::ServerDeps;
use http_layer::problem::{Code, Problem};
use persistence::content::event_data::{MessageContactData, ScheduledMessageData};
use persistence::records::ScheduledMessage;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use service::media;
use service::sending::{
    self, Author, Once, OnceScheduled, ScheduleOutcome, SendError, SendOutcome, Sender,
};
use service::usage;
use std::sync::Arc;

/// The answer to a send: an accepted message, or with `dry_run` a message that was only validated.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "SendResult", transform = exactly_one)]
pub enum SendReply {
    /// 201: the message is stored durably and will be sent.
    Accepted(Box<Accepted>),
    /// 201: the message is stored durably and will be sent at its time (`send_at`).
    Scheduled(Box<ScheduledMessageData>),
    /// 200: the message is valid and would be accepted; nothing was sent or stored (`dry_run`).
    Checked(Checked),
}

impl SendReply {
    /// Returns the schemas of the answers, with their status.
    pub fn by_status(schemas: &mut SchemaGenerator) -> Vec<(StatusCode, Schema)> {
        let stored =
            [schemas.subschema_for::<Accepted>(), schemas.subschema_for::<ScheduledMessageData>()];
        vec![
            (StatusCode::CREATED, json_schema!({ "oneOf": stored })),
            (StatusCode::OK, schemas.subschema_for::<Checked>()),
        ]
    }
}

/// An accepted message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AcceptedMessage")]
pub struct Accepted {
    /// The id of the message.
    #[schemars(with = "IdOf<id::Message>")]
    id: String,
    /// Always `queued`.
    #[schemars(with = "Queued")]
    status: &'static str,
    /// Always `outbound`.
    #[schemars(with = "Outbound")]
    direction: &'static str,
    /// The type of the message.
    #[serde(rename = "type")]
    #[schemars(with = "OneOf<ContentType>")]
    kind: &'static str,
    /// The id of the conversation, which is created if the recipient is new.
    #[schemars(with = "IdOf<id::Conversation>")]
    conversation_id: String,
    /// The id of the contact.
    #[schemars(with = "IdOf<id::Contact>")]
    contact_id: String,
    /// The contact as known when the message was accepted. Omitted in a stored answer of an earlier version.
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<MessageContactData<'static>>,
    /// The id of the account (the business's number) that the message is sent from.
    #[schemars(with = "IdOf<id::Account>")]
    account_id: String,
    /// The phone number that the message is sent to, in the form that the channel uses if that is known; null if the number is not known and the message is sent to the user id (since 2026).
    #[schemars(with = "Option<PhoneNumberText>")]
    phone_number: Option<String>,
    /// The channel's user id that the message is sent to; omitted if it is sent to the phone
    /// number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<UserIdText>")]
    channel_user_id: Option<String>,
    /// The channel's id of the message; null until the channel has accepted it.
    channel_message_id: Option<String>,
    /// The `client_ref` of the request.
    client_ref: Option<String>,
    /// Warnings: `window_closed` if the customer service window of 24 hours is closed, `fallback_used` if the fallback template is sent because of that.
    #[schemars(with = "Vec<OneOf<Warning>>")]
    warnings: Vec<&'static str>,
    /// When the message was accepted.
    #[schemars(with = "Instant")]
    created_at: String,
}

/// A message that was only validated.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckedMessage")]
pub struct Checked {
    /// Always `true`.
    valid: bool,
    /// The id of the account (the business's number) that the message would be sent from.
    #[schemars(with = "IdOf<id::Account>")]
    account_id: String,
    /// The id of the contact, if it exists.
    #[schemars(with = "Option<IdOf<id::Contact>>")]
    contact_id: Option<String>,
    /// The id of the conversation, if it exists.
    #[schemars(with = "Option<IdOf<id::Conversation>>")]
    conversation_id: Option<String>,
    /// Warnings, as for a message that is sent.
    #[schemars(with = "Vec<OneOf<Warning>>")]
    warnings: Vec<&'static str>,
    /// The text that the recipient would see.
    rendered: String,
    /// What the channel is known to reject or to show wrongly. It never refuses a message.
    lint: Vec<LintRecord>,
}

/// Sends a draft, or only validates it.
pub async fn accept<O: Operation<Caller = KeyHolder, Reply = SendReply>>(
    call: &Call<O>,
    prepared: PreparedSend,
) -> Result<Answer<SendReply>, Problem> {
    let PreparedSend { draft, agent_answer, pauses_agent, send_at, dry_run } = prepared;
    let mut faults = Violations::default();
    if let Some(at) = send_at {
        check_send_at(at, call.now, &mut faults);
    }
    faults.finish(Some(()))?;
    let author = agent_answer.map_or(Author::Api, Author::Agent);
    let sender = Sender {
        organization: call.organization(),
        account: call.sending_account()?,
        bound_to: call.bound_account(),
        allowance: send_allowance(call),
        key: Some(call.caller.key.id),
        connection_key: call.caller.key.connection_key(),
        cap: call.caller.key.message_cap(),
        author,
        member: None,
        pauses_agent,
    };
    let refused = |error: SendError| problem(&error, &call.deps.config.upgrade_url);
    if dry_run {
        let checked = sending::check(&call.deps, &sender, &draft, call.now).await;
        let checked = Checked::new(&sender, checked.map_err(refused)?);
        return Answer::new(StatusCode::OK, &SendReply::Checked(checked));
    }
    if let Some(send_at) = send_at {
        return schedule(call, &sender, &draft, send_at).await;
    }
    let once: Option<Once> = call.slot.as_ref().map(|slot| {
        let request = slot.with(StatusCode::CREATED);
        let answer: Once = (request, Arc::new(|it| json::write(&Accepted::new(it))));
        answer
    });
    let sent = sending::send(&call.deps, &sender, draft, once).await;
    match (sent.map_err(refused)?, &call.slot) {
        (SendOutcome::Accepted(accepted), _) => {
            let text = match accepted.answer {
                Some(stored) => stored,
                None => write(&Accepted::new(&accepted))?,
            };
            Ok(Answer::written(StatusCode::CREATED, text).mark_stored())
        }
        (SendOutcome::Answered(stored), Some(slot)) => slot.replay(stored),
        (SendOutcome::Answered(_), None) => Err(Problem::internal(
            "a stored answer was found for a request without an Idempotency-Key",
        )),
    }
}

/// Stores a message until its time.
async fn schedule<O: Operation<Caller = KeyHolder, Reply = SendReply>>(
    call: &Call<O>,
    sender: &Sender,
    draft: &Draft,
    send_at: Timestamp,
) -> Result<Answer<SendReply>, Problem> {
    let once: Option<OnceScheduled> = call.slot.as_ref().map(|slot| {
        let answer: OnceScheduled =
            (slot.with(StatusCode::CREATED), Arc::new(|row| json::write(&scheduled_message(row))));
        answer
    });
    let is_stored = once.is_some();
    let scheduled = sending::schedule(&call.deps, sender, draft, send_at, once).await;
    let refused = |error: SendError| problem(&error, &call.deps.config.upgrade_url);
    match (scheduled.map_err(refused)?, &call.slot) {
        (ScheduleOutcome::Scheduled(row), _) => {
            let answer = Answer::written(StatusCode::CREATED, write(&scheduled_message(&row))?);
            Ok(if is_stored { answer.mark_stored() } else { answer })
        }
        (ScheduleOutcome::Answered(stored), Some(slot)) => slot.replay(stored),
        (ScheduleOutcome::Answered(_), None) => Err(Problem::internal(
            "a stored answer was found for a request without an Idempotency-Key",
        )),
    }
}

/// Returns a scheduled message as the API shows it, or `None` if the message cannot be read.
#[must_use]
pub fn scheduled_message(row: &ScheduledMessage) -> Option<ScheduledMessageData> {
    row.snapshot().ok().map(|snapshot| ScheduledMessageData::from(&snapshot))
}

/// Returns the kind of the file if the organization uploaded the file itself, otherwise `None`. The
/// URL of an upload need not have an extension that shows the kind.
pub async fn uploaded_as(
    deps: &ServerDeps,
    organization: OrganizationId,
    body: &SendMessageBody,
) -> Result<Option<MediaKind>, Problem> {
    let (Some(url), None) = (&body.media_url, &body.media_type) else { return Ok(None) };
    let found = media::find_by_address(deps, organization, url).await?;
    Ok(found.and_then(|media| FileType::of_content_type(&media.content_type)).map(FileType::kind))
}

/// Returns the plan's allowance of messages per month.
pub fn send_allowance<O: Operation<Caller = KeyHolder>>(call: &Call<O>) -> Option<u32> {
    usage::messages_limit(call.caller.plan.as_ref())
}

/// The errors of a send to a phone number: those of [`SendError`], and that of a caller without an
/// account.
pub const PROBLEMS: &[Code] = &[
    Code::PlanLimitExceeded,
    Code::NotFound,
    Code::TemplateNotApproved,
    Code::TemplateParamsMismatch,
    Code::NotSupportedByChannel,
    Code::RecipientOptedOut,
    Code::NoMessagingAccount,
];

/// Returns the problem for a message that is refused.
#[must_use]
pub fn problem(error: &SendError, upgrade_url: &str) -> Problem {
    match error {
        SendError::NotFound(what) => Problem::not_found(what),
        SendError::TemplateNotApproved { name, status, reason } => {
            Problem::template_not_approved(name, *status, *reason)
        }
        SendError::Mismatch(mismatch) => Problem::template_params_mismatch(mismatch),
        SendError::NotSupported(what, channel) => Problem::not_supported_by_channel(
            *channel,
            what.feature.clone(),
            what.supported.clone(),
        ),
        SendError::PhoneNumberRequired => Problem::phone_number_required(),
        SendError::AgentRefused(AgentRefusal::Paused) => Problem::agent_paused(),
        SendError::AgentRefused(AgentRefusal::LimitReached) => Problem::agent_limit_reached(),
        SendError::AgentRefused(AgentRefusal::Loop) => Problem::contact_is_program(),
        SendError::AgentRefused(AgentRefusal::Off | AgentRefusal::DraftMode) => {
            Problem::agent_does_not_send()
        }
        SendError::AgentRefused(AgentRefusal::ChannelAgent) => Problem::channel_agent_answers(),
        SendError::AgentRefused(AgentRefusal::Superseded { newest }) => {
            Problem::superseded(*newest)
        }
        SendError::AgentRefused(AgentRefusal::UnknownMessage) => {
            Problem::not_found("message in after_message_id")
        }
        SendError::RecipientOptedOut => Problem::recipient_opted_out(),
        SendError::AllowanceReached(usage) => {
            Problem::plan_limit_exceeded(Meter::Messages, usage, upgrade_url)
        }
        // `AnsweredMeanwhile` cannot occur here, because only a member's send says what the sender
        // has seen.
        SendError::AnsweredMeanwhile(_)
        | SendError::UnreadableTemplate(..)
        | SendError::Unwritable(_) => Problem::internal(error),
        SendError::CapReached(usage) => {
            Problem::plan_limit_exceeded(Meter::ConnectionMessages, usage, upgrade_url)
        }
        SendError::Database(error) => error.into(),
    }
}

fn words(warnings: &[Warning]) -> Vec<&'static str> {
    warnings.iter().map(|warning| warning.as_str()).collect()
}

impl Checked {
    #[must_use]
    pub fn new(sender: &Sender, checked: sending::CheckedDraft) -> Self {
        Self {
            valid: true,
            account_id: sender.account.to_string(),
            contact_id: checked.contact.map(|id| id.to_string()),
            conversation_id: checked.conversation.map(|id| id.to_string()),
            warnings: words(&checked.warnings),
            rendered: checked.rendered,
            lint: checked.lint.into_iter().map(LintRecord::from).collect(),
        }
    }
}

impl Accepted {
    /// Returns the answer of an example.
    pub fn sample(kind: ContentType, client_ref: Option<&str>, warnings: &[Warning]) -> SendReply {
        SendReply::Accepted(Box::new(Self {
            id: sample::MESSAGE.to_string(),
            status: MessageStatus::Queued.as_str(),
            direction: Direction::Outbound.as_str(),
            kind: kind.as_str(),
            conversation_id: sample::CONVERSATION.to_string(),
            contact_id: sample::CONTACT.to_string(),
            contact: Some(message_contact(&sample::contact()).into_owned()),
            account_id: sample::ACCOUNT.to_string(),
            phone_number: Some(sample::CONTACT_NUMBER.to_owned()),
            channel_user_id: None,
            channel_message_id: None,
            client_ref: client_ref.map(str::to_owned),
            warnings: words(warnings),
            created_at: sample::noon().to_string(),
        }))
    }

    pub fn new(accepted: &sending::AcceptedMessage) -> Self {
        Self {
            id: accepted.id.to_string(),
            status: MessageStatus::Queued.as_str(),
            direction: Direction::Outbound.as_str(),
            kind: accepted.kind.as_str(),
            conversation_id: accepted.conversation.to_string(),
            contact_id: accepted.contact.to_string(),
            contact: Some(
                accepted
                    .person
                    .as_deref()
                    .map_or_else(
                        || MessageContactData::unknown(accepted.contact),
                        MessageContactData::from,
                    )
                    .into_owned(),
            ),
            account_id: accepted.account.to_string(),
            phone_number: accepted.to.phone_number().map(ToString::to_string),
            channel_user_id: accepted.to.user_id().map(ToString::to_string),
            channel_message_id: None,
            client_ref: accepted.client_ref.clone(),
            warnings: words(&accepted.warnings),
            created_at: accepted.at.to_string(),
        }
    }
}
