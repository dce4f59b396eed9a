//! Sending: turns a draft into a stored message (`docs/contract.md#messages`).

mod references;
mod scheduled;
mod together;

pub use scheduled::{
    OnceScheduled, ScheduleOutcome, cancel, count_scheduled, find_scheduled, list_scheduled,
    person_key, release_due, schedule,
};
pub use together::{
    BatchEntry, BatchOutcome, BatchedMessage, BatchedSend, OnceTogether, send_together,
};

use api_types::json::write;
use channel::capabilities::Unsupported;
use domain::account::ChannelKind;
use domain::contact::{Address, ContactSnapshot};
use domain::content::{self, Content, ContentType, Mismatch};
use domain::conversation::{
    AgentAnswer, AgentRefusal, AnswerConditions, MessageSource, SeenPart, UnseenAnswer, Warning,
    warnings, window_is_open,
};
use domain::id::{
    AccountId, ContactId, ConversationId, KeyId, MemberId, MessageId, OrganizationId,
};
use domain::inbox::PauseCause;
use domain::message::{Draft, Recipient};
use domain::plan::{Meter, Usage};
use domain::template::{LintFinding, RejectionReason, TemplateStatus};
use domain::time::{Period, Timestamp};
use persistence::Document;
use persistence::content::encode;
use persistence::records::{
    DraftSend, Idempotent, MessageCap, MessageSubmission, PersonKey, PlacedMessage, Render,
    StoredAnswer, SubmissionOutcome,
};
use platform::Deps;
use references::{TemplateLookups, check_channel, check_references};
use std::borrow::Cow;
use std::sync::Arc;

/// Maximum number of repetitions if the recipient's address changes during a send.
const MAX_MOVES: u32 = 5;

/// The sender of a message.
#[derive(Clone, Copy, Debug)]
pub struct Sender {
    pub organization: OrganizationId,
    /// The account that sends.
    pub account: AccountId,
    /// The account that the sender is bound to, if any.
    pub bound_to: Option<AccountId>,
    /// The plan's monthly allowance of messages.
    pub allowance: Option<u32>,
    /// The API key with which the message is accepted, if one is.
    pub key: Option<KeyId>,
    /// The key of the connection that sends, if one does.
    pub connection_key: Option<KeyId>,
    /// The cap of the connection that sends, if there is one.
    pub cap: Option<MessageCap>,
    /// The author of the message.
    pub author: Author,
    /// The member who sends the message, if one does.
    pub member: Option<MemberId>,
    /// Whether the message pauses the AI agent in any case. Otherwise only a free-form message of a
    /// person pauses it, unless the message is a draft of the agent.
    pub pauses_agent: bool,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// A caller of the API who speaks for the organization.
    Api,
    /// A member, in the inbox. If the part of the conversation that they had seen is given, the
    /// message is sent only if nobody else has answered since.
    Inbox(Option<SeenPart>),
    /// A member, in the inbox, who sends a draft of the AI agent, unchanged or edited. The
    /// condition of [`Self::Inbox`] applies, and each draft is sent at most once. The agent keeps
    /// running if the text still counts as a draft when it is accepted.
    AgentDraft(DraftSend),
    /// A member who sends this failed message again. The new message is sent only if no member has
    /// sent the failed one again before, or if that earlier attempt failed, too.
    Again(MessageId),
    /// An AI agent. It may answer only while nobody else answers.
    Agent(AgentAnswer),
}

impl Author {
    #[must_use]
    pub const fn source(self) -> MessageSource {
        match self {
            Self::Api => MessageSource::Api,
            Self::Inbox(_) | Self::AgentDraft(_) | Self::Again(_) => MessageSource::Inbox,
            Self::Agent(_) => MessageSource::Agent,
        }
    }

    /// Whether a free-form message pauses the AI agent. For a draft this is decided again when the
    /// draft is accepted.
    const fn pauses_agent(self) -> bool {
        !matches!(self, Self::Agent(_))
    }
}

/// The reason why a message is not sent. In that case nothing is stored or counted.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// An object that the draft names does not exist, or the sender may not see it.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    #[error("the template {name} is {status}")]
    TemplateNotApproved {
        /// The name of the template.
        name: String,
        status: TemplateStatus,
        /// The reason for the rejection.
        reason: Option<RejectionReason>,
    },
    /// The parameters do not match the template.
    #[error("the parameters of the template's {} do not fit", .0.place)]
    Mismatch(Mismatch),
    /// The channel does not support this.
    #[error("{0} is not supported by {1}")]
    NotSupported(Unsupported, ChannelKind),
    /// The message requires a phone number, and the recipient's is unknown.
    #[error("the recipient's phone number is unknown")]
    PhoneNumberRequired,
    /// The message is marketing, and the recipient has opted out of it.
    #[error("the recipient has opted out of marketing")]
    RecipientOptedOut,
    /// The AI agent may not answer in this conversation.
    #[error(transparent)]
    AgentRefused(#[from] AgentRefusal),
    /// The organization has answered since the member last saw the conversation.
    #[error(transparent)]
    AnsweredMeanwhile(#[from] UnseenAnswer),
    /// The monthly allowance is used up.
    #[error("the month's allowance is used up")]
    AllowanceReached(Usage),
    /// The connection's monthly cap is used up.
    #[error("the connection's cap of messages is used up")]
    CapReached(Usage),
    /// The stored template cannot be read.
    #[error("the template {0} cannot be read: {1}")]
    UnreadableTemplate(String, serde_json::Error),
    /// The message cannot be encoded.
    #[error("the message cannot be written: {0}")]
    Unwritable(serde_json::Error),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// The result of checking a draft.
#[derive(Clone, Debug)]
pub struct CheckedDraft {
    /// The contact, if the account knows the recipient.
    pub contact: Option<ContactId>,
    pub conversation: Option<ConversationId>,
    pub warnings: Vec<Warning>,
    /// The text that the recipient would read.
    pub rendered: String,
    /// Findings about content that the channel is known to reject or to show wrongly.
    pub lint: Vec<LintFinding>,
}

/// A message that was accepted and stored.
#[derive(Clone, Debug)]
pub struct AcceptedMessage {
    pub id: MessageId,
    pub kind: ContentType,
    pub conversation: ConversationId,
    /// The contact.
    pub contact: ContactId,
    /// The contact as known now, or `None` if it cannot be read.
    pub person: Option<Arc<ContactSnapshot>>,
    /// The account that sends.
    pub account: AccountId,
    /// The recipient's address: a number has the form that the channel uses.
    pub to: Address,
    /// The sender's own id for the message.
    pub client_ref: Option<String>,
    pub warnings: Vec<Warning>,
    /// The time of acceptance.
    pub at: Timestamp,
    /// The answer that was stored for an idempotent request.
    pub answer: Option<String>,
}

#[derive(Clone, Debug)]
pub enum SendOutcome {
    /// The message is stored and on its way.
    Accepted(AcceptedMessage),
    /// The same request was answered before.
    Answered(StoredAnswer),
}

/// An idempotent request, and the function that writes its answer.
pub type Once =
    (Idempotent, Arc<dyn Fn(&AcceptedMessage) -> serde_json::Result<String> + Send + Sync>);

/// Checks a draft as a send does, without sending, storing or counting it.
pub async fn check(
    deps: &Deps,
    sender: &Sender,
    draft: &Draft,
    now: Timestamp,
) -> Result<CheckedDraft, SendError> {
    let (to, _) = addressee(deps, sender, &draft.recipient).await?;
    let draft = with_fallback(deps, sender, draft, &to).await?;
    let fallback_used = matches!(draft, Cow::Owned(_));
    let draft = draft.as_ref();
    let channel = check_channel(deps, sender, draft, &to).await?;
    let templates = TemplateLookups::default();
    let rendered = check_references(deps, sender, channel, draft, &to, &templates).await?;
    let category = match &draft.content {
        Content::Template(content) => {
            templates.find(deps, sender.organization, content).await?.map(|it| it.category)
        }
        _ => None,
    };
    let lint = content::lint(&draft.content, category);
    let owner = deps.db.organization(sender.organization);
    let month = Meter::Messages.period(now);
    let used = owner.used(Meter::Messages, month.number).await?;
    let usage = Usage { limit: sender.allowance, used, resets_at: month.ends_at };
    if usage.remaining() == Some(0) {
        return Err(SendError::AllowanceReached(usage));
    }
    if let Some(cap) = sender.cap {
        let used = owner.capped_messages(cap.key, month.number).await?;
        let usage = Usage { limit: Some(cap.limit), used, resets_at: month.ends_at };
        if usage.remaining() == Some(0) {
            return Err(SendError::CapReached(usage));
        }
    }
    let conversations = owner.list_conversations(PersonKey::Address(to, sender.account)).await?;
    let conversations = conversations.first().map(|it| &it.conversation);
    if let (Author::Agent(_), Some(found)) = (sender.author, conversations) {
        // Other conditions are checked only when the answer is sent: whether the channel's own
        // agent answers, whether the contact has written again, the agent's mode, and its limits.
        let conditions = AnswerConditions {
            agent: found.agent(),
            has_channel_agent: false,
            newer: None,
            sends_in_a_row: 0,
        };
        conditions.admit()?;
    }
    let last_inbound_at = conversations.and_then(|it| it.last_inbound_at);
    let mut warnings = warnings(draft.content.is_free_form(), last_inbound_at, now);
    warnings.extend(fallback_used.then_some(Warning::FallbackUsed));
    Ok(CheckedDraft {
        contact: conversations.map(|it| it.contact_id),
        conversation: conversations.map(|it| it.id),
        warnings,
        rendered,
        lint,
    })
}

/// Sends a draft. One transaction stores the message, its place in the outbox, its events, and the
/// answer of an idempotent request.
pub async fn send(
    deps: &Deps,
    sender: &Sender,
    draft: Draft,
    once: Option<Once>,
) -> Result<SendOutcome, SendError> {
    let recipient = draft.recipient.clone();
    let prepared = prepare(deps, sender, &draft, &TemplateLookups::default()).await?;
    let PreparedMessage { new, mut submission } = prepared;
    submission.idempotent = once.as_ref().map(|once| new.once(once));
    // A phone number is used as the address. For any other recipient the address is looked up.
    let (mut moves, named) = (0, !matches!(recipient, Recipient::Phone(_)));
    let outcome = loop {
        let submitted = match sender.author {
            Author::Agent(answer) => deps.db.send_as_agent(submission.clone(), answer).await,
            Author::Inbox(Some(seen)) => deps.db.send_after(submission.clone(), seen).await,
            Author::AgentDraft(draft) => deps.db.send_draft(submission.clone(), draft).await,
            Author::Again(failed) => deps.db.send_again(submission.clone(), failed).await,
            Author::Api | Author::Inbox(None) => deps.db.send(submission.clone()).await,
        };
        match submitted {
            // The address of the recipient has changed after the look-up.
            Err(error)
                if moves < MAX_MOVES
                    && (matches!(error, persistence::Error::Moved)
                        || (named && error.is_refusal())) =>
            {
                moves += 1;
                (submission.to, submission.contact) = addressee(deps, sender, &recipient).await?;
            }
            outcome => break outcome.map_err(not_stored)?,
        }
    };
    if let SubmissionOutcome::AgentRefused(refusal) = outcome
        && let Some(cause) = PauseCause::of_refusal(refusal)
    {
        stop_agent(deps, sender, submission.to, cause).await?;
    }
    sent(deps, sender, &new, outcome)
}

/// Converts the error of a message that was not stored.
fn not_stored(error: persistence::Error) -> SendError {
    match error {
        // The number was disconnected after the look-up.
        persistence::Error::AccountGone => SendError::NotFound("number"),
        error => SendError::Database(error),
    }
}

/// Pauses the AI agent in a conversation after its answer was refused for this reason.
async fn stop_agent(
    deps: &Deps,
    sender: &Sender,
    to: Address,
    cause: PauseCause,
) -> persistence::Result<()> {
    let owner = deps.db.organization(sender.organization);
    let found = owner.list_conversations(PersonKey::Address(to, sender.account)).await?;
    if let Some(found) = found.first() {
        owner.stop_agent(found.conversation.id, cause, deps.clock.now()).await?;
        deps.events_recorded_of([sender.organization]);
    }
    Ok(())
}

/// Prepares the messages of an AI agent's answer, which one transaction accepts.
pub async fn prepare_answer(
    deps: &Deps,
    sender: &Sender,
    drafts: &[Draft],
) -> Result<Vec<MessageSubmission>, SendError> {
    let templates = TemplateLookups::default();
    let mut submissions = Vec::with_capacity(drafts.len());
    for draft in drafts {
        submissions.push(prepare(deps, sender, draft, &templates).await?.submission);
    }
    Ok(submissions)
}

/// Returns the draft to send: the fallback template instead of a free-form message if the customer
/// service window is closed.
async fn with_fallback<'a>(
    deps: &Deps,
    sender: &Sender,
    draft: &'a Draft,
    to: &Address,
) -> Result<Cow<'a, Draft>, SendError> {
    let Some(template) = &draft.fallback else { return Ok(Cow::Borrowed(draft)) };
    let owner = deps.db.organization(sender.organization);
    let person = PersonKey::Address(to.clone(), sender.account);
    let conversations = owner.list_conversations(person).await?;
    let last_inbound_at = conversations.first().and_then(|it| it.conversation.last_inbound_at);
    if window_is_open(last_inbound_at, deps.clock.now()) {
        return Ok(Cow::Borrowed(draft));
    }
    let content = Content::Template(template.clone());
    Ok(Cow::Owned(Draft { content, fallback: None, ..draft.clone() }))
}

/// A message that was checked, and its submission.
struct PreparedMessage {
    new: UnplacedMessage,
    submission: MessageSubmission,
}

/// Checks a draft, and creates its submission.
async fn prepare(
    deps: &Deps,
    sender: &Sender,
    draft: &Draft,
    templates: &TemplateLookups,
) -> Result<PreparedMessage, SendError> {
    let (to, contact) = addressee(deps, sender, &draft.recipient).await?;
    let draft = with_fallback(deps, sender, draft, &to).await?;
    let channel = check_channel(deps, sender, &draft, &to).await?;
    check_references(deps, sender, channel, &draft, &to, templates).await?;
    // The time of acceptance is now. The request may have begun much earlier.
    let mut new = UnplacedMessage::new(deps, sender, &draft);
    new.fallback_used = matches!(draft, Cow::Owned(_));
    let metadata = (!draft.metadata.is_empty()).then(|| write(&draft.metadata)).transpose();
    let submission = MessageSubmission {
        message: new.id,
        organization: sender.organization,
        account: sender.account,
        to,
        contact,
        new_contact: deps.id::<domain::id::Contact>(new.at),
        new_conversation: deps.id::<domain::id::Conversation>(new.at),
        content: encode(&draft.content).map_err(SendError::Unwritable)?,
        pauses_agent: sender.pauses_agent || (new.free_form && sender.author.pauses_agent()),
        source: sender.author.source(),
        member: sender.member,
        key: sender.key,
        client_ref: new.client_ref.clone(),
        metadata: metadata.map_err(SendError::Unwritable)?.map(Document),
        reply_to: draft.reply_to,
        at: new.at,
        month: new.month,
        allowance: sender.allowance,
        cap: sender.cap,
        refusal: None,
        idempotent: None,
    };
    Ok(PreparedMessage { new, submission })
}

/// Converts the outcome of a submission.
fn sent(
    deps: &Deps,
    sender: &Sender,
    new: &UnplacedMessage,
    outcome: SubmissionOutcome,
) -> Result<SendOutcome, SendError> {
    let (organization, resets_at) = (sender.organization, new.month.ends_at);
    match outcome {
        SubmissionOutcome::Accepted(placed) => {
            metrics::counter!("switchboard_messages_accepted_total").increment(1);
            deps.messages_due_of(organization);
            deps.events_recorded_of([organization]);
            Ok(SendOutcome::Accepted(new.accepted(&placed)))
        }
        SubmissionOutcome::AllowanceReached { used } => {
            let limit = sender.allowance;
            Err(SendError::AllowanceReached(Usage { limit, used, resets_at }))
        }
        SubmissionOutcome::CapReached { used } => {
            let limit = sender.cap.map(|cap| cap.limit);
            Err(SendError::CapReached(Usage { limit, used, resets_at }))
        }
        SubmissionOutcome::Answered(stored) => Ok(SendOutcome::Answered(stored)),
        SubmissionOutcome::AgentRefused(refusal) => Err(refusal.into()),
        SubmissionOutcome::AnsweredMeanwhile(answer) => Err(answer.into()),
    }
}

/// The parts of a message that do not depend on its place in a conversation.
#[derive(Clone)]
struct UnplacedMessage {
    id: MessageId,
    kind: ContentType,
    free_form: bool,
    account: AccountId,
    client_ref: Option<String>,
    at: Timestamp,
    /// The month in which the message is counted.
    month: Period,
    /// Whether the fallback template replaces the message.
    fallback_used: bool,
}

impl UnplacedMessage {
    fn new(deps: &Deps, sender: &Sender, draft: &Draft) -> Self {
        let now = deps.clock.now();
        Self {
            id: deps.id(now),
            kind: draft.content.content_type(),
            free_form: draft.content.is_free_form(),
            account: sender.account,
            client_ref: draft.client_ref.clone(),
            at: now,
            month: Meter::Messages.period(now),
            fallback_used: false,
        }
    }

    /// Prepares the answer of an idempotent request.
    fn once(&self, (request, answer): &Once) -> (Idempotent, Render) {
        let (new, answer) = (self.clone(), answer.clone());
        let render: Render = Arc::new(move |placed: &PlacedMessage| answer(&new.accepted(placed)));
        (request.clone(), render)
    }

    fn accepted(&self, placed: &PlacedMessage) -> AcceptedMessage {
        let mut warnings = warnings(self.free_form, placed.last_inbound_at, self.at);
        warnings.extend(self.fallback_used.then_some(Warning::FallbackUsed));
        AcceptedMessage {
            id: self.id,
            kind: self.kind,
            conversation: placed.conversation,
            contact: placed.contact,
            person: placed.person.clone(),
            account: self.account,
            to: placed.to.clone(),
            client_ref: self.client_ref.clone(),
            warnings,
            at: self.at,
            answer: placed.answer.clone(),
        }
    }
}

/// Returns the address of a message, and the recipient's contact if it is known. An id of another
/// organization, or of an account that the sender may not use, gives the same error as an id that
/// does not exist (`docs/security.md` 27).
async fn addressee(
    deps: &Deps,
    sender: &Sender,
    recipient: &Recipient,
) -> Result<(Address, Option<ContactId>), SendError> {
    let (named, what) = match recipient {
        Recipient::Phone(number) => return Ok((Address::Phone(number.clone()), None)),
        Recipient::User(id) => {
            let address = Address::User(id.clone());
            (PersonKey::Address(address, sender.account), "user")
        }
        Recipient::Contact(id) => (PersonKey::Contact(*id), "contact"),
        Recipient::Conversation(id) => (PersonKey::Conversation(*id), "conversation"),
    };
    let owner = deps.db.organization(sender.organization);
    let found = owner.addressee(named).await?;
    let visible = found.filter(|it| sender.bound_to.is_none_or(|bound| bound == it.account_id));
    match (visible, recipient) {
        (Some(found), _) => {
            let address = found.address.ok_or(SendError::PhoneNumberRequired)?;
            if found.account_id == sender.account {
                return Ok((address, Some(found.contact)));
            }
            // User ids are scoped to a business portfolio, and another account may belong to
            // another portfolio.
            if address.phone_number().is_none() {
                return Err(SendError::PhoneNumberRequired);
            }
            // The sending account may know the person as a contact of its own.
            let person_key = PersonKey::Address(address.clone(), sender.account);
            let own = owner.addressee(person_key).await?;
            let own = own.and_then(|it| Some((it.address?, Some(it.contact))));
            Ok(own.unwrap_or((address, None)))
        }
        (None, Recipient::User(id)) => Ok((Address::User(id.clone()), None)),
        (None, _) => Err(SendError::NotFound(what)),
    }
}
