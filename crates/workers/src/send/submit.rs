//! Processes one claimed conversation.

use super::held::{HoldDecision, NumberState, give_up_at};
use super::organizations::ConversationWork;
use api_types::template::definition;
use channel::adapter::Adapter;
use channel::{AcceptedByChannel, ChannelSendError, KnownTemplate, OutboundMessage};
use domain::contact::{Address, Identity};
use domain::content::{self, Content, PassthroughContent, TemplateContent};
use domain::id::{AccountId, ConversationId, MessageId, OrganizationId};
use domain::message::{Failure, MessageError};
use domain::retry::next_attempt;
use domain::template::TemplateStatus;
use domain::time::Timestamp;
use futures_util::FutureExt as _;
use persistence::content::decode;
use persistence::records::{
    AnsweredRecipient, Claimed, HandoverResult, OutgoingMessage, Retry, Settlement, Template,
};
use platform::Deps;
use platform::channel_client;
use platform::counters;
use serde_json::Value;
use service::callbacks::simulated;
use service::media;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long a conversation waits after processing it panicked.
const AFTER_A_PANIC: Duration = Duration::from_secs(30);
/// The first wait before results are written again, and the longest. The wait doubles each time.
const FIRST_WRITE_RETRY_DELAY: Duration = Duration::from_millis(50);
const MAX_WRITE_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Hands over the due messages of a conversation, and releases it.
pub async fn work_on(deps: &Deps, mut work: ConversationWork) {
    let (claimed, mut recipients) = (&work.claimed, BTreeMap::new());
    let submitted = AssertUnwindSafe(submit_all(deps, claimed, &mut recipients)).catch_unwind();
    let settlement = submitted.await.unwrap_or_else(|_| {
        tracing::error!(conversation = %claimed.conversation, "sending in a conversation panicked");
        let later = deps.clock.now().plus(AFTER_A_PANIC);
        Settlement { next_due: Some(later), ..empty_settlement(deps, claimed) }
    });
    let (organization, account) = (claimed.organization, claimed.access.id);
    let conversation = claimed.conversation;
    work.has_more = record_settlement(deps, settlement).await;
    record_recipients(deps, organization, account, conversation, recipients).await;
    let has_more = work.has_more;
    drop(work);
    if has_more {
        deps.wakeups.accepted.notify_one();
    }
}

/// The identities of recipients, as the channel's answers named them, by the address that the
/// message was sent to.
type Recipients = BTreeMap<Address, Identity>;

/// Records the identity of a conversation's contact, as the channel's answers named it. A failure
/// is only logged, because the next message or report names the contact again.
async fn record_recipients(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
    conversation: ConversationId,
    recipients: Recipients,
) {
    for (to, named) in recipients {
        let answered = AnsweredRecipient { organization, account, conversation, to, named };
        match deps.db.operator().learn_recipient(answered, deps.clock.now()).await {
            Ok(0) => {}
            Ok(_) => deps.events_recorded_of([organization]),
            Err(error) => {
                tracing::error!(%error, %conversation, "the channel's name for a recipient was not recorded");
            }
        }
    }
}

/// Returns the part of the recipient's identity in the channel's answer that is not known yet. Most
/// answers name only the address that the message was sent to. The answer to the first message of a
/// conversation also shows which of two forms of a number the channel uses.
fn new_identity(to: &Address, position: i64, named: Identity) -> Option<Identity> {
    let user = to.user_id();
    let number = named.phone_number.filter(|number| {
        let is_first = position == 1 && number.other_form().is_some();
        to.phone_number() != Some(number) || is_first
    });
    let parent = user.filter(|id| id.is_parent()).cloned();
    let own = named.user_id.filter(|id| Some(id) != user && !id.is_parent());
    if number.is_none() && own.is_none() {
        return None;
    }
    let user_id = own.or_else(|| user.filter(|id| !id.is_parent()).cloned());
    Some(Identity { phone_number: number, user_id, parent_user_id: parent, ..Identity::default() })
}

fn empty_settlement(deps: &Deps, claimed: &Claimed) -> Settlement {
    Settlement {
        conversation: claimed.conversation,
        account: (claimed.organization, claimed.access.id),
        verdicts: Vec::new(),
        retry: None,
        next_due: None,
        waits_for_account: false,
        at: deps.clock.now(),
        callbacks: Vec::new(),
    }
}

/// Records the results of messages, with retries until they are written. Without them, messages
/// that the channel has accepted would be sent again. Returns whether the released conversation has
/// more due messages.
async fn record_settlement(deps: &Deps, settlement: Settlement) -> bool {
    let reports = !settlement.callbacks.is_empty();
    let mut wait = FIRST_WRITE_RETRY_DELAY;
    let left = loop {
        match deps.db.operator().record_settlement(settlement.clone()).await {
            Ok(left) => break left,
            Err(error) => {
                let conversation = settlement.conversation;
                tracing::error!(%error, %conversation, "a settlement failed; it is retried");
                metrics::counter!("switchboard_settlements_retried_total").increment(1);
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(MAX_WRITE_RETRY_DELAY);
            }
        }
    };
    if reports {
        deps.wakeups.reported.notify_one();
    }
    left
}

/// Sends one conversation's messages in order until one has to wait. Each result is recorded before
/// the next message is sent. Returns the results that are not recorded yet.
async fn submit_all(deps: &Deps, claimed: &Claimed, recipients: &mut Recipients) -> Settlement {
    let mut open = empty_settlement(deps, claimed);
    let mut channel_ids = BTreeMap::new();
    let mut number = NumberState::new(deps, claimed);
    let line = channel_client::adapter(deps, &claimed.access);
    for message in &claimed.messages {
        // A send on the sandbox takes effect only in the transaction that records its result. So
        // several results can be recorded together.
        if !open.verdicts.is_empty() && !line.as_ref().is_ok_and(|line| line.is_simulated()) {
            record_settlement(deps, std::mem::replace(&mut open, empty_settlement(deps, claimed)))
                .await;
        }
        if deps.stopping.load(Ordering::Relaxed) || !deps.claims.holds(claimed.claim) {
            break;
        }
        let outcome = if message.reported {
            Some(Ok(None))
        } else if message.withdrawn {
            Some(Err(withdrawn()))
        } else {
            match number.turn(message).await {
                HoldDecision::GiveUp(error) => Some(Err(given_up(error))),
                HoldDecision::Wait => None,
                HoldDecision::Later(at) => {
                    open.next_due = Some(at);
                    None
                }
                HoldDecision::Send => {
                    let now = deps.clock.now();
                    let answers = answered(message, &channel_ids);
                    let mut handed = match &line {
                        Ok(line) => {
                            submit_message(deps, line.as_ref(), claimed, message, answers, now)
                                .await
                        }
                        Err(why) => Err(channel_client::missing(why)),
                    };
                    let recipient = handed.as_mut().ok().and_then(|it| it.recipient.take());
                    if let (Some(named), Ok(Some(to))) = (recipient, claimed.to()) {
                        let news = new_identity(&to, message.position, *named);
                        recipients.extend(news.map(|news| (to, news)));
                    }
                    message_outcome(deps, &mut number, &mut open, message, handed).await
                }
            }
        };
        let Some(outcome) = outcome else {
            if number.is_held() {
                open.waits_for_account = true;
                open.next_due = Some(give_up_at(message));
            }
            break;
        };
        if let Err(error) = &outcome {
            metrics::counter!("switchboard_messages_refused_total").increment(1);
            counters::failed(error.failure, 1);
        }
        if let Ok(Some(channel_id)) = &outcome {
            channel_ids.insert(message.message, channel_id.clone());
        }
        let OutgoingMessage { message, position, .. } = message;
        open.verdicts.push(HandoverResult { message: *message, position: *position, outcome });
    }
    open.next_due.get_or_insert(deps.clock.now());
    open
}

/// Returns the failure of an AI agent's message that was still waiting when a person took the
/// conversation over.
fn withdrawn() -> MessageError {
    MessageError {
        failure: Failure::AgentPaused,
        message: "a person took the conversation over".to_owned(),
        channel_code: None,
    }
}

/// Converts the channel's answer to the outcome of a message. Returns `None` if the message is
/// retried. The time of the retry is then in the settlement `open`.
async fn message_outcome(
    deps: &Deps,
    number: &mut NumberState<'_>,
    open: &mut Settlement,
    message: &OutgoingMessage,
    handed: Result<AcceptedByChannel, ChannelSendError>,
) -> Option<Result<Option<String>, MessageError>> {
    let (after, error) = match handed {
        Ok(handed) => {
            number.got_through().await;
            metrics::counter!("switchboard_messages_handed_over_total").increment(1);
            let (channel, now) = (number.channel(), deps.clock.now());
            let reports = handed
                .callbacks
                .into_iter()
                .map(|(after, payload)| simulated(deps, channel, after, payload, now));
            open.callbacks.extend(reports);
            return Some(Ok(handed.channel_id));
        }
        Err(ChannelSendError::Definite(error)) => {
            // A refusal of the message shows that the channel accepts the account.
            if error.channel_code.is_some() {
                number.got_through().await;
            }
            return Some(Err(error));
        }
        Err(ChannelSendError::Later { after, error }) => (after, error),
        Err(ChannelSendError::TooFast { limit, after, error }) => {
            number.slow_down(limit).await;
            (after, error)
        }
        Err(ChannelSendError::Account { reason, error })
            if number.is_of_the_message(reason, message) =>
        {
            (None, error)
        }
        Err(ChannelSendError::Account { reason, error }) => {
            number.refused(reason, &error).await;
            (None, error)
        }
    };
    let Some(next) = next_try(deps, message, after) else { return Some(Err(given_up(error))) };
    metrics::counter!("switchboard_messages_retried_total").increment(1);
    let OutgoingMessage { message, position, attempts, .. } = *message;
    open.retry = Some(Retry { message, position, attempts });
    open.next_due = Some(next);
    None
}

/// Returns the time of the next attempt for a message that was just refused. The wait begins now
/// and not when the message was sent, because the channel may have taken long to refuse it.
fn next_try(deps: &Deps, message: &OutgoingMessage, after: Option<Duration>) -> Option<Timestamp> {
    let [jitter] = deps.entropy.id_bytes();
    next_attempt(message.accepted_at, message.attempts, after, jitter, deps.clock.now())
}

fn given_up(last: MessageError) -> MessageError {
    let MessageError { failure, message, channel_code } = last;
    let message = format!("Given up after 24 hours: {message}");
    MessageError { failure, message, channel_code }
}

/// Returns the channel's id of the message that this one replies to. `channel_ids` contains the ids
/// that the channel has assigned to messages of this claim. The database may not have them yet.
fn answered<'a>(
    message: &'a OutgoingMessage,
    channel_ids: &'a BTreeMap<MessageId, String>,
) -> Option<&'a str> {
    let just_now = || channel_ids.get(&message.reply_to?).map(String::as_str);
    message.answers.as_deref().or_else(just_now)
}

async fn submit_message(
    deps: &Deps,
    line: &dyn Adapter,
    claimed: &Claimed,
    message: &OutgoingMessage,
    answers: Option<&str>,
    now: Timestamp,
) -> Result<AcceptedByChannel, ChannelSendError> {
    let read = decode(message.content_format, message.kind, &message.content.0);
    let mut content = read.map_err(|error| {
        tracing::error!(%error, message = %message.message, "a message cannot be handed over");
        ChannelSendError::Definite(MessageError {
            failure: Failure::ChannelError,
            message: "The message could not be read.".to_owned(),
            channel_code: None,
        })
    })?;
    let to = claimed.to().map_err(|error| {
        tracing::error!(%error, message = %message.message, "a message cannot be handed over");
        channel_client::later("the person's address could not be read".to_owned())
    })?;
    let to = to.ok_or_else(|| ChannelSendError::Definite(out_of_reach()))?;
    let needs = line.needs();
    name_documents(deps, &mut content).await?;
    let known = match &content {
        Content::Template(named) if needs.rendered || needs.template => {
            template_named(deps, claimed.organization, named).await?
        }
        Content::Channel(body) if needs.rendered => match named_template(body) {
            Some((name, language)) => {
                template_called(deps, claimed.organization, name, language).await?
            }
            None => None,
        },
        _ => None,
    };
    let text = needs.rendered.then(|| rendered_text(&content, known.as_ref())).flatten();
    let template = known.as_ref().map(|known| KnownTemplate {
        external_id: known.external_id.as_deref(),
        components: &known.components.0,
    });
    let handover = OutboundMessage {
        message: message.message,
        account: claimed.access.id,
        to: &to,
        content: &content,
        rendered: text.as_deref(),
        template,
        answers,
        attempts: message.attempts,
    };
    let handed = channel_client::run(deps, |answers| line.send(&handover, now, answers)).await;
    if matches!(&handed, Ok(AcceptedByChannel { channel_id: None, .. })) {
        let message = handover.message;
        tracing::warn!(%message, "the channel accepted a message, but its answer cannot be read");
    }
    handed
}

/// Sets the names of documents that were uploaded here, if the sender set none. Otherwise the
/// recipient would see a file without a name. A channel that takes no names shows the name in the
/// URL.
async fn name_documents(deps: &Deps, content: &mut Content) -> Result<(), ChannelSendError> {
    for (url, name) in content.unnamed_documents() {
        let recipient = media::uploaded_name(deps, url.as_str()).await;
        *name = recipient.map_err(|error| {
            tracing::error!(%error, "the name of a file could not be looked up");
            channel_client::later("the name of a file could not be looked up".to_owned())
        })?;
    }
    Ok(())
}

fn out_of_reach() -> MessageError {
    MessageError {
        failure: Failure::RecipientUnreachable,
        message: "The person's number has a new owner, and no other address is known.".to_owned(),
        channel_code: None,
    }
}

/// Finds the template of a message, if it was created here.
async fn template_named(
    deps: &Deps,
    organization: OrganizationId,
    named: &TemplateContent,
) -> Result<Option<Template>, ChannelSendError> {
    let (name, language) = (named.name.to_string(), named.language.to_string());
    template_called(deps, organization, name, language).await
}

/// Finds a template by its name and language, if it was created here.
async fn template_called(
    deps: &Deps,
    organization: OrganizationId,
    name: String,
    language: String,
) -> Result<Option<Template>, ChannelSendError> {
    let found = deps.db.organization(organization).template_named(name, language).await;
    // The channel no longer has a deleted template.
    let found = found.map(|it| it.filter(|it| it.status != TemplateStatus::Deleted));
    found.map_err(|error| {
        tracing::error!(%error, "a template could not be looked up");
        channel_client::later("the template could not be looked up".to_owned())
    })
}

/// Returns the name and the language of the template that a raw body names.
fn named_template(body: &PassthroughContent) -> Option<(String, String)> {
    if !body.is_template() {
        return None;
    }
    let body: Value = serde_json::from_str(&body.body).ok()?;
    let text = |at: &str| body.pointer(at).and_then(Value::as_str).map(str::to_owned);
    Some((text("/template/name")?, text("/template/language/code")?))
}

/// Returns the text that the recipient would read, or `None` for a template that was not created
/// here.
fn rendered_text(content: &Content, known: Option<&Template>) -> Option<String> {
    let named = match content {
        Content::Template(named) => named,
        Content::Channel(body) if named_template(body).is_some() => {
            return known.map(|_| content.words());
        }
        _ => return Some(content.words()),
    };
    known.map(|known| match definition(&known.components.0) {
        Ok(definition) => content::render(&definition, named),
        Err(_) => content.words(),
    })
}
