//! What both ways to send have in common: from a draft to a durable message and its answer.

use crate::admission::KeyHolder;
use crate::operation::{Answer, Call, Operation, write};
use crate::problem::Problem;
use actix_web::http::StatusCode;
use domain::content::{self, Content, ContentType, TemplateContent};
use domain::conversation::{Source, Warning, warnings};
use domain::id::{self, AccountId, ContactId, ConversationId, MessageId};
use domain::message::{CLIENT_REF_MOST, Direction, Draft, Recipient, Status, check_metadata};
use domain::plan::{Meter, Usage};
use domain::template::TemplateStatus;
use domain::violation::{Fault, Field, Violations};
use domain::word::Word;
use persistence::Document;
use persistence::rows::{Outcome, Placed, Render, Submission};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use wire::content::rendered;
use wire::event;
use wire::schema::{IdOf, Instant, Number, OneOf, Outbound, Queued, exactly_one};

/// The answer to a send: an accepted message, or with `dry_run` one that was only checked.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "SendResult", transform = exactly_one)]
pub enum SendReply {
    /// 201: the message is durable and on its way.
    Accepted(Box<Accepted>),
    /// 200: the message would have been accepted; nothing was sent or stored (`dry_run`).
    Checked(Checked),
}

impl SendReply {
    /// The schema of each, by the status it comes with.
    pub fn by_status(schemas: &mut SchemaGenerator) -> Vec<(StatusCode, Schema)> {
        vec![
            (StatusCode::CREATED, schemas.subschema_for::<Accepted>()),
            (StatusCode::OK, schemas.subschema_for::<Checked>()),
        ]
    }
}

/// A message that was accepted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AcceptedMessage")]
pub struct Accepted {
    /// Its id.
    #[schemars(with = "IdOf<id::Message>")]
    id: String,
    /// `queued`.
    #[schemars(with = "Queued")]
    status: &'static str,
    /// `outbound`.
    #[schemars(with = "Outbound")]
    direction: &'static str,
    /// Its type.
    #[serde(rename = "type")]
    #[schemars(with = "OneOf<ContentType>")]
    kind: &'static str,
    /// Its conversation, new if nobody knew the number.
    #[schemars(with = "IdOf<id::Conversation>")]
    conversation_id: String,
    /// The person, likewise.
    #[schemars(with = "IdOf<id::Contact>")]
    contact_id: String,
    /// The number it leaves from.
    #[schemars(with = "IdOf<id::Account>")]
    account_id: String,
    /// The number it goes to.
    #[schemars(with = "Number")]
    phone_number: String,
    /// The channel's id of it: null until the channel has it.
    channel_message_id: Option<String>,
    /// The sender's own name for it.
    client_ref: Option<String>,
    /// What the sender should know: `window_closed`.
    #[schemars(with = "Vec<OneOf<Warning>>")]
    warnings: Vec<&'static str>,
    /// When it was accepted.
    #[schemars(with = "Instant")]
    created_at: String,
}

/// A message that was checked only.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckedMessage")]
pub struct Checked {
    /// `true`.
    valid: bool,
    /// The number it would leave from.
    #[schemars(with = "IdOf<id::Account>")]
    account_id: String,
    /// The person, if that number knows them.
    #[schemars(with = "Option<IdOf<id::Contact>>")]
    contact_id: Option<String>,
    /// The conversation, if there is one.
    #[schemars(with = "Option<IdOf<id::Conversation>>")]
    conversation_id: Option<String>,
    /// What the sender should know.
    #[schemars(with = "Vec<OneOf<Warning>>")]
    warnings: Vec<&'static str>,
    /// What the person would read.
    rendered: String,
}

/// A draft with what it takes to keep it.
pub struct Prepared {
    /// What is to be sent.
    pub draft: Draft,
    /// The same as it is kept.
    pub document: String,
    /// Whether it is only to be checked.
    pub dry_run: bool,
}

/// The fields that every send may have.
pub struct Options<'a> {
    /// `reply_to`.
    pub reply_to: Option<&'a str>,
    /// `client_ref`.
    pub client_ref: Option<&'a str>,
    /// `metadata`.
    pub metadata: Option<&'a BTreeMap<String, String>>,
}

impl Options<'_> {
    /// Puts a draft together.
    pub fn draft(
        &self,
        recipient: Option<Recipient>,
        content: Option<Content>,
        faults: &mut Violations,
    ) -> Option<Draft> {
        let at = Field::root("reply_to");
        let reply_to = self.reply_to.map(|text| {
            let parsed = text.parse::<MessageId>();
            parsed.map_err(|wrong| faults.add(&at, Fault::InvalidFormat, wrong.to_string())).ok()
        });
        let client_ref =
            faults.optional_text(&Field::root("client_ref"), self.client_ref, CLIENT_REF_MOST);
        let metadata = self.metadata.cloned().unwrap_or_default();
        check_metadata(&metadata, faults);
        Some(Draft {
            recipient: recipient?,
            content: content?,
            reply_to: reply_to.flatten(),
            client_ref,
            metadata,
        })
    }
}

/// Checks a draft against what is there, and sends it unless it is only to be checked.
pub async fn accept<O: Operation<Caller = KeyHolder, Reply = SendReply>>(
    call: &Call<O>,
    prepared: Prepared,
) -> Result<Answer<SendReply>, Problem> {
    let account = call.sending_account()?;
    let phone_number = addressee(call, &prepared.draft.recipient).await?;
    check_reply(call, prepared.draft.reply_to).await?;
    let text = match &prepared.draft.content {
        Content::Template(content) => check_template(call, content).await?,
        content => rendered(content),
    };
    if prepared.dry_run {
        return check_only(call, account, phone_number, &prepared.draft, text).await;
    }
    submit(call, account, phone_number, prepared).await
}

/// The person's number. An id of another organization, or for a bound key of another of its
/// numbers, is answered as one that nobody has (`docs/security.md` 27).
async fn addressee<O: Operation<Caller = KeyHolder>>(
    call: &Call<O>,
    recipient: &Recipient,
) -> Result<String, Problem> {
    let (db, organization) = (&call.deps.db, call.organization());
    let (found, what) = match recipient {
        Recipient::Phone(number) => return Ok(number.as_str().to_owned()),
        Recipient::Contact(id) => {
            (db.organization(organization).addressee_of_contact(*id).await?, "contact")
        }
        Recipient::Conversation(id) => {
            (db.organization(organization).addressee_of_conversation(*id).await?, "conversation")
        }
    };
    let bound = call.bound_account();
    let visible = found.filter(|it| bound.is_none_or(|bound| bound == it.account_id));
    visible.map(|it| it.phone_number).ok_or_else(|| Problem::not_found(what))
}

async fn check_reply<O: Operation<Caller = KeyHolder>>(
    call: &Call<O>,
    to: Option<MessageId>,
) -> Result<(), Problem> {
    let Some(id) = to else { return Ok(()) };
    let found =
        call.deps.db.organization(call.organization()).message(call.bound_account(), id).await?;
    found.map(drop).ok_or_else(|| Problem::not_found("message in reply_to"))
}

/// A template that is known here is checked before anything leaves; the text it makes.
async fn check_template<O: Operation<Caller = KeyHolder>>(
    call: &Call<O>,
    content: &TemplateContent,
) -> Result<String, Problem> {
    let (name, language) = (content.name.to_string(), content.language.to_string());
    let found = call
        .deps
        .db
        .organization(call.organization())
        .template_named(name.clone(), language)
        .await?;
    let Some(known) = found else { return Ok(rendered(&Content::Template(content.clone()))) };
    let status: TemplateStatus = *known.status;
    if !status.is_sendable() {
        let reason = known.rejection_reason.map(|reason| *reason);
        return Err(Problem::template_not_approved(&name, status, reason));
    }
    let definition = wire::template::definition(&known.components.0).map_err(|error| {
        Problem::internal(&format_args!("the template {} cannot be read: {error}", *known.id))
    })?;
    content::check(&definition, content)
        .map_err(|mismatch| Problem::template_params_mismatch(&mismatch))?;
    Ok(content::render(&definition, content))
}

async fn check_only<O: Operation<Caller = KeyHolder>>(
    call: &Call<O>,
    account: AccountId,
    phone_number: String,
    draft: &Draft,
    rendered: String,
) -> Result<Answer<SendReply>, Problem> {
    let (db, organization) = (&call.deps.db, call.organization());
    let month = Meter::Messages.period(call.now);
    let usage = Usage {
        limit: allowance(call),
        used: db.organization(organization).used(Meter::Messages, month.number).await?,
        resets_at: month.ends_at,
    };
    if usage.remaining() == Some(0) {
        return Err(Problem::plan_limit_exceeded(
            Meter::Messages,
            &usage,
            &call.deps.settings.upgrade_url,
        ));
    }
    let known =
        db.organization(organization).conversations_with(phone_number, Some(account)).await?;
    let known = known.first();
    let last_inbound_at = known.and_then(|it| it.last_inbound_at).map(|at| *at);
    let checked = Checked {
        valid: true,
        account_id: account.to_string(),
        contact_id: known.map(|it| it.contact_id.to_string()),
        conversation_id: known.map(|it| it.id.to_string()),
        warnings: words(&warnings(draft.content.is_free_form(), last_inbound_at, call.now)),
        rendered,
    };
    Answer::new(StatusCode::OK, &SendReply::Checked(checked))
}

fn words(warnings: &[Warning]) -> Vec<&'static str> {
    warnings.iter().map(|warning| warning.as_str()).collect()
}

/// The plan's allowance of messages a month.
pub fn allowance<O: Operation<Caller = KeyHolder>>(call: &Call<O>) -> Option<u32> {
    let most = call.caller.plan.as_ref()?.messages_per_month?;
    Some(u32::try_from(most).unwrap_or_default())
}

async fn submit<O: Operation<Caller = KeyHolder, Reply = SendReply>>(
    call: &Call<O>,
    account: AccountId,
    phone_number: String,
    prepared: Prepared,
) -> Result<Answer<SendReply>, Problem> {
    let Prepared { draft, document, .. } = prepared;
    // Accepted now, not when the head of a slow request came in.
    let now = call.deps.clock.now();
    let id: MessageId = call.deps.id(now);
    let (kind, free_form) = (draft.content.content_type(), draft.content.is_free_form());
    let answer = AnswerOf {
        id,
        account,
        kind: kind.as_str(),
        free_form,
        phone_number: phone_number.clone(),
        client_ref: draft.client_ref.clone(),
        now,
    };
    let answer = Arc::new(answer);
    let idempotent = call.slot.as_ref().map(|slot| {
        let answer = answer.clone();
        let render: Render = Arc::new(move |placed: &Placed| answer.text(placed));
        (slot.with(StatusCode::CREATED), render)
    });
    let metadata = (!draft.metadata.is_empty()).then(|| write(&draft.metadata)).transpose()?;
    let month = Meter::Messages.period(now);
    let submission = Submission {
        message: id,
        organization: call.organization(),
        account,
        phone_number,
        new_contact: call.deps.id::<domain::id::Contact>(now),
        new_conversation: call.deps.id::<domain::id::Conversation>(now),
        kind: kind.into(),
        content: Document(document),
        free_form,
        source: Source::Api,
        client_ref: draft.client_ref,
        metadata: metadata.map(Document),
        reply_to: draft.reply_to,
        at: now,
        month,
        allowance: allowance(call),
        tell_limit: event::tell_limit,
        idempotent,
    };
    match call.deps.db.send(submission).await? {
        Outcome::Accepted(placed) => {
            metrics::counter!("messages_accepted_total").increment(1);
            call.deps.wakeups.accepted.notify_one();
            call.deps.wakeups.told.notify_one();
            Ok(Answer::written(StatusCode::CREATED, answer.text(&placed)).kept())
        }
        Outcome::AllowanceReached { used } => {
            let usage = Usage { limit: allowance(call), used, resets_at: month.ends_at };
            let upgrade_url = &call.deps.settings.upgrade_url;
            Err(Problem::plan_limit_exceeded(Meter::Messages, &usage, upgrade_url))
        }
        Outcome::Answered(stored) => match &call.slot {
            Some(slot) => slot.again(stored),
            None => Err(Problem::internal("an answer was kept that nobody asked for")),
        },
    }
}

/// All of the answer but the ids that the message's place decides.
struct AnswerOf {
    id: MessageId,
    account: AccountId,
    kind: &'static str,
    free_form: bool,
    phone_number: String,
    client_ref: Option<String>,
    now: domain::time::Timestamp,
}

impl AnswerOf {
    fn text(&self, placed: &Placed) -> String {
        let (contact, conversation): (ContactId, ConversationId) =
            (placed.contact, placed.conversation);
        let accepted = Accepted {
            id: self.id.to_string(),
            status: Status::Queued.as_str(),
            direction: Direction::Outbound.as_str(),
            kind: self.kind,
            conversation_id: conversation.to_string(),
            contact_id: contact.to_string(),
            account_id: self.account.to_string(),
            phone_number: self.phone_number.clone(),
            channel_message_id: None,
            client_ref: self.client_ref.clone(),
            warnings: words(&warnings(self.free_form, placed.last_inbound_at, self.now)),
            created_at: self.now.to_string(),
        };
        // Texts and numbers only: writing them cannot fail.
        write(&accepted).unwrap_or_default()
    }
}
