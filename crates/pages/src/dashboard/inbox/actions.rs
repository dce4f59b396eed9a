//! The actions of a member on the page of a conversation. Each action is a form that leads back to
//! the page.

use super::attachment::Attachment;
use super::composer::{
    Composer, ComposerMode, DRAFT_OF, MEDIA, REACT, TEMPLATE, TEXT, VOICE, body_of,
};
use super::thread::REPLY_TO;
use super::view::InboxQuery;
use super::{id_in, page_error, render};
use crate::browser::{Form, FormFile, PageError, permitted, redirect, sentence};
use crate::dashboard::frame::MemberContext;
use crate::dashboard::messages::refusal::why_not_sent;
use crate::dashboard::notice::Notice;
use crate::dashboard::once::run_to_completion;
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use api_types::send::SendMessageBody;
use domain::content::ContentType;
use domain::conversation::{MessageSource, SeenPart, UnseenAnswer};
use domain::id::{ConversationId, MessageId};
use domain::inbox::{
    InboxChange, InboxStatus, LabelChange, MAX_NOTE_LENGTH, TooManyLabels, parse_label,
};
use domain::keyword::Keyword as _;
use domain::media::MediaKind;
use domain::message::Draft;
use domain::role::Area;
use domain::time::Timestamp;
use domain::violation::Violations;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::InboxConversation;
use serde_json::json;
use service::actor::{ActionError, ComposedFrom, MemberInbox};
use service::inbox::{self, InboxError};
use service::messages::MemberSendError;
use service::sending::SendError;
use service::{audit, templates};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

/// The durations for which a conversation can be snoozed with one click: value, name and length.
pub const SNOOZES: [(&str, &str, Duration); 4] = [
    ("hour", "for 1 hour", Duration::from_hours(1)),
    ("four_hours", "for 4 hours", Duration::from_hours(4)),
    ("day", "for 1 day", Duration::from_hours(24)),
    ("week", "for 1 week", Duration::from_hours(7 * 24)),
];

/// The action that adds a note, and the action that closes the conversation.
const NOTE: &str = "note";
const CLOSE: &str = "close";

/// The response of the page to an action.
enum Outcome {
    /// Shows the conversation again.
    Done,
    /// Shows the composer with the submitted input.
    Refused(Box<Composer>),
    /// Confirms that the draft is stored. A script waits for this answer.
    Saved,
}

impl Outcome {
    fn refused(composer: Composer) -> Self {
        Self::Refused(Box::new(composer))
    }
}

pub async fn act(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form, file) =
            MemberContext::with_file(&request, payload, &deps).await?;
        let work = answer(&request, &deps, &member_context, &form, file);
        Box::pin(work).await.map_err(|error| with_text(error, &form))
    })
    .await
}

async fn answer(
    request: &HttpRequest,
    deps: &ServerDeps,
    member_context: &MemberContext,
    form: &Form,
    file: FormFile,
) -> Result<HttpResponse, PageError> {
    member_context.require(Area::Inbox)?;
    let (id, query) = (id_in(request)?, Query::of(request));
    let (file, is_sent) = (Cell::new(file), Cell::new(false));
    let action = InboxAction { deps, member_context, request, form, file, is_sent, id };
    match Box::pin(action.perform()).await? {
        Outcome::Saved => Ok(HttpResponse::NoContent().finish()),
        Outcome::Done => {
            // After a note the composer stays at notes. What the member types next is not a message.
            let compose = if form.value("action") == NOTE { "compose=note" } else { "" };
            let location = InboxQuery::of(&query).path_of(id, compose);
            if form.value("action") != CLOSE {
                return Ok(redirect(&location));
            }
            let sentence = "It opens again when the customer writes.";
            let notice = Notice::saying("Conversation closed", sentence);
            member_context.redirect_with_flash(deps, &location, &notice).await
        }
        Outcome::Refused(composer) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            render(deps, member_context, id, &query, *composer, status).await
        }
    }
}

/// Adds the text of the composer to the error of a form whose conversation cannot be opened.
fn with_text(error: PageError, form: &Form) -> PageError {
    let text = form.typed(TEXT);
    let is_composed = matches!(form.value("action"), "send" | NOTE) && !text.trim().is_empty();
    match error {
        PageError::NoConversation | PageError::NotFound | PageError::OtherRole(_)
            if is_composed =>
        {
            PageError::Unsent(Box::new(error), text)
        }
        error => error,
    }
}

struct InboxAction<'a> {
    deps: &'a ServerDeps,
    member_context: &'a MemberContext,
    request: &'a HttpRequest,
    form: &'a Form,
    /// The file of the form, until it is stored.
    file: Cell<FormFile>,
    /// Whether a message was sent.
    is_sent: Cell<bool>,
    id: ConversationId,
}

impl InboxAction<'_> {
    async fn perform(&self) -> Result<Outcome, PageError> {
        let inbox = self.inbox();
        if let Some(emoji) = self.form.value("action").strip_prefix(REACT) {
            return self.once(Box::pin(self.react(emoji))).await;
        }
        match self.form.value("action") {
            "send" => return self.once(Box::pin(self.send())).await,
            TEMPLATE => return self.once(Box::pin(self.send_template())).await,
            NOTE => return self.create_note().await,
            "draft" => {
                allowed(inbox.save_draft(&self.form.typed(TEXT)).await)?;
                return Ok(Outcome::Saved);
            }
            "discard" => {
                let turn = self.form.value(DRAFT_OF).parse().map_err(|_| PageError::NotFound)?;
                allowed(inbox.discard_agent_draft(turn).await)?;
            }
            "read" => allowed(inbox.mark(true).await)?,
            "unread" => allowed(inbox.mark(false).await)?,
            "take_over" => drop(allowed(inbox.pause_agent().await)?),
            "resume" => drop(allowed(inbox.resume_agent().await)?),
            "resend" => return self.once(Box::pin(self.resend())).await,
            "label" => return self.add_label().await,
            _ => drop(allowed(inbox.update(self.change()?).await)?),
        }
        Ok(Outcome::Done)
    }

    fn inbox(&self) -> MemberInbox<'_> {
        let reader = self.member_context.reader();
        self.member_context.actor(self.deps).inbox(reader, self.id)
    }

    async fn find(&self) -> Result<InboxConversation, PageError> {
        self.inbox().find().await.map_err(page_error)
    }

    /// Returns the change that the form asks for.
    fn change(&self) -> Result<InboxChange, PageError> {
        let with_status = |status| InboxChange { status: Some(status), ..InboxChange::default() };
        Ok(match self.form.value("action") {
            "open" => with_status(InboxStatus::Open),
            "wait" => with_status(InboxStatus::Waiting),
            CLOSE => with_status(InboxStatus::Closed),
            "handled" => InboxChange { is_handled: true, ..InboxChange::default() },
            "assign_me" => {
                let me = self.member_context.member.id;
                InboxChange { assignee: Some(Some(me)), ..InboxChange::default() }
            }
            "assign" => {
                let member = match self.form.value("assignee") {
                    "" => None,
                    id => Some(id.parse().map_err(|_| PageError::NotFound)?),
                };
                InboxChange { assignee: Some(member), ..InboxChange::default() }
            }
            "unlabel" => {
                let label = self.form.value("label").to_owned();
                let labels = Some(LabelChange::Remove(label));
                InboxChange { labels, ..InboxChange::default() }
            }
            other => with_status(InboxStatus::SnoozedUntil(self.snoozed_until(other)?)),
        })
    }

    fn snoozed_until(&self, action: &str) -> Result<Timestamp, PageError> {
        let chosen = SNOOZES.iter().find(|(it, ..)| action.strip_prefix("snooze_") == Some(it));
        let (_, _, length) = chosen.ok_or(PageError::UnknownAction)?;
        Ok(self.deps.clock.now().plus(*length))
    }

    async fn add_label(&self) -> Result<Outcome, PageError> {
        let refused = |why: String| {
            let mode = ComposerMode::default();
            Outcome::refused(Composer::refused(self.form, mode, sentence(&why)))
        };
        let label = match parse_label(self.form.value("label")) {
            Ok(label) => label,
            Err(error) => return Ok(refused(error.to_string())),
        };
        let labels = Some(LabelChange::Add(label.clone()));
        let change = InboxChange { labels, ..InboxChange::default() };
        let changed = allowed(self.inbox().update(change).await)?;
        let state = changed.entry.state().map_err(persistence::Error::from)?;
        let is_added = state.labels.contains(&label);
        Ok(if is_added { Outcome::Done } else { refused(TooManyLabels.to_string()) })
    }

    /// Sends a message or stores a note once. A form that is refused, or that fails before anything is
    /// sent, can be submitted again.
    async fn once(
        &self,
        work: impl Future<Output = Result<Result<(), Composer>, PageError>>,
    ) -> Result<Outcome, PageError> {
        if !self.member_context.is_first(self.deps, self.request, self.form).await? {
            return Ok(Outcome::Done);
        }
        let outcome = work.await;
        if !self.is_sent.get() && !matches!(outcome, Ok(Ok(()))) {
            self.member_context.release(self.deps, self.request, self.form).await?;
        }
        Ok(match outcome? {
            Ok(()) => Outcome::Done,
            Err(composer) => Outcome::refused(composer),
        })
    }

    /// Sends the text, or the file with the text below it.
    async fn send(&self) -> Result<Result<(), Composer>, PageError> {
        let mode = ComposerMode::Reply;
        let refused = |why: &str| Composer::refused(self.form, mode, why.to_owned());
        let attached = match self.attach().await? {
            Ok(attached) => attached,
            Err(why) => return Ok(Err(refused(&why))),
        };
        let text = self.form.typed(TEXT).replace("\r\n", "\n");
        let text = Some(text).filter(|it| !it.trim().is_empty());
        let body = match &attached {
            Some(it) if text.is_some() && !takes_caption(it.kind) => {
                let why = "Audio and stickers have no text. Remove one of the two, and send it on its own.";
                return Ok(Err(refused(why).with_attachment(attached)));
            }
            Some(it) => it.message(self.deps, text),
            None if text.is_none() => {
                return Ok(Err(refused("Write a text, or attach a file.")));
            }
            None => SendMessageBody {
                kind: Some(ContentType::Text.as_str().to_owned()),
                text,
                ..SendMessageBody::default()
            },
        };
        let reply_to = Some(self.form.value(REPLY_TO)).filter(|it| !it.is_empty());
        let body = SendMessageBody {
            conversation_id: Some(self.id.to_string()),
            reply_to: reply_to.map(str::to_owned),
            ..body
        };
        let sent = Box::pin(self.send_body(body, mode)).await?;
        Ok(sent.map_err(|composer| composer.with_attachment(attached)))
    }

    /// Stores the file of the form, or finds the file of an earlier submission. Returns the reason in
    /// words if it cannot be sent.
    async fn attach(&self) -> Result<Result<Option<Attachment>, String>, PageError> {
        let is_voice = !self.form.value(VOICE).is_empty();
        let file = self.file.take();
        let stored = Attachment::store(self.deps, self.member_context, file, is_voice).await?;
        match stored {
            Ok(None) => {}
            stored => return Ok(stored),
        }
        match self.form.value(MEDIA).parse() {
            Ok(id) => {
                let kept = Attachment::find(self.deps, self.member_context, id, is_voice).await?;
                Ok(Ok(kept))
            }
            Err(_) => Ok(Ok(None)),
        }
    }

    /// Reacts to a message, or takes the reaction back.
    async fn react(&self, emoji: &str) -> Result<Result<(), Composer>, PageError> {
        let body = json!({
            "type": ContentType::Reaction.as_str(),
            "conversation_id": self.id.to_string(),
            "reaction": {"message_id": self.form.value(REPLY_TO), "emoji": emoji},
        });
        let body = serde_json::from_value(body).map_err(|error| Problem::internal(&error))?;
        let mode = ComposerMode::Reply;
        let draft = match self.draft(&body, mode) {
            Ok(draft) => draft,
            Err(composer) => return Ok(Err(*composer)),
        };
        let account = self.find().await?.conversation.account_id;
        let actor = self.member_context.actor(self.deps);
        match permitted(actor.messages().send(account, draft, ComposedFrom::default()).await)? {
            Ok(_) => {
                self.is_sent.set(true);
                Ok(Ok(()))
            }
            Err(error) => Ok(Err(Composer::refused(self.form, mode, why_not_sent(error)?))),
        }
    }

    async fn send_template(&self) -> Result<Result<(), Composer>, PageError> {
        let mode = ComposerMode::Template;
        let id = self.form.value(TEMPLATE).parse().map_err(|_| PageError::NotFound)?;
        let found = templates::find(self.deps, self.member_context.reader(), id).await?;
        let template = found.ok_or(PageError::NotFound)?;
        let attached = match self.attach().await? {
            Ok(attached) => attached,
            Err(why) => return Ok(Err(Composer::refused(self.form, mode, why))),
        };
        let file = attached.as_ref().map(|it| it.url(self.deps));
        let body = body_of(&template, self.id, self.form, file.as_deref())?;
        let sent = Box::pin(self.send_body(body, mode)).await?;
        Ok(sent.map_err(|composer| composer.with_attachment(attached)))
    }

    /// Returns the message that a body asks for, or the composer with its faults.
    fn draft(&self, body: &SendMessageBody, mode: ComposerMode) -> Result<Draft, Box<Composer>> {
        let mut faults = Violations::default();
        let prepared = body.prepare(None, &mut faults).filter(|_| faults.is_empty());
        prepared.map(|it| it.draft).ok_or_else(|| {
            let why = faults.into_vec().into_iter().map(|it| sentence(&it.message));
            Box::new(Composer::refused(self.form, mode, why.collect::<Vec<_>>().join(" ")))
        })
    }

    async fn send_body(
        &self,
        body: SendMessageBody,
        mode: ComposerMode,
    ) -> Result<Result<(), Composer>, PageError> {
        let draft = match self.draft(&body, mode) {
            Ok(draft) => draft,
            Err(composer) => return Ok(Err(*composer)),
        };
        let account = self.find().await?.conversation.account_id;
        let actor = self.member_context.actor(self.deps);
        let draft_of = self.form.value(DRAFT_OF).parse().ok();
        let composed = ComposedFrom { seen: self.seen(), draft_of };
        match permitted(actor.messages().send(account, draft, composed).await)? {
            Ok(_) => {
                self.is_sent.set(true);
                let (reader, member) =
                    (self.member_context.reader(), self.member_context.member.id);
                let sends_draft = mode == ComposerMode::Reply;
                let answered =
                    inbox::record_answer(self.deps, reader, member, self.id, sends_draft).await;
                // A failure is only logged, because the message is sent already.
                if let Err(error) = answered {
                    tracing::error!(%error, conversation = %self.id, "an answer was not marked as read");
                }
                Ok(Ok(()))
            }
            Err(MemberSendError::Send(SendError::AnsweredMeanwhile(answer))) => {
                Ok(Err(Composer::answered(self.form, mode, self.told(answer).await?)))
            }
            Err(error) => Ok(Err(Composer::refused(self.form, mode, why_not_sent(error)?))),
        }
    }

    /// Returns the part of the conversation that the page had shown to the member. If the page
    /// asked "Send anyway?", that includes the answer that the question is about.
    fn seen(&self) -> Option<SeenPart> {
        let position = self.form.value("seen").parse().ok()?;
        Some(SeenPart { conversation: self.id, position })
    }

    /// Describes who sent an answer, and when.
    async fn told(&self, answer: UnseenAnswer) -> Result<String, PageError> {
        let who = match answer.by {
            MessageSource::Inbox => self.sender(answer.message).await?,
            MessageSource::Agent => "The AI agent".to_owned(),
            MessageSource::Phone => "Somebody at the phone".to_owned(),
            MessageSource::Api | MessageSource::Customer => "A program".to_owned(),
        };
        let seconds = self.deps.clock.now().since(answer.at).as_secs();
        Ok(match seconds {
            0..60 => format!("{who} answered {} s ago", seconds.max(1)),
            60..3600 => format!("{who} answered {} min ago", seconds / 60),
            _ => format!("{who} answered"),
        })
    }

    /// Returns the name of the member who sent a message.
    async fn sender(&self, message: MessageId) -> Result<String, PageError> {
        let reader = self.member_context.reader();
        let sender = audit::senders(self.deps, reader, &[message]).await?.remove(&message);
        Ok(sender.map_or_else(|| "A colleague".to_owned(), |it| it.name))
    }

    async fn create_note(&self) -> Result<Outcome, PageError> {
        let text = self.form.typed(TEXT).trim().to_owned();
        if text.is_empty() || text.chars().count() > MAX_NOTE_LENGTH {
            let why = format!("A note has 1 to {MAX_NOTE_LENGTH} characters.");
            return Ok(Outcome::refused(Composer::refused(self.form, ComposerMode::Note, why)));
        }
        self.once(Box::pin(self.store_note(text))).await
    }

    async fn store_note(&self, text: String) -> Result<Result<(), Composer>, PageError> {
        let name = self.member_context.member.name.clone();
        allowed(self.inbox().create_note(text, name).await)?;
        Ok(Ok(()))
    }

    async fn resend(&self) -> Result<Result<(), Composer>, PageError> {
        let id = self.form.value("message").parse().map_err(|_| PageError::NotFound)?;
        let actor = self.member_context.actor(self.deps);
        match permitted(actor.messages().resend(self.member_context.reader(), id).await)? {
            Ok(_) => Ok(Ok(())),
            Err(error) => {
                let why = why_not_sent(error)?;
                Ok(Err(Composer::refused(self.form, ComposerMode::Reply, why)))
            }
        }
    }
}

/// Whether a text can stand below a file of this kind.
const fn takes_caption(kind: MediaKind) -> bool {
    !matches!(kind, MediaKind::Audio | MediaKind::Sticker)
}

/// Returns the result of an action that the member's role allows.
fn allowed<T>(done: Result<T, ActionError<InboxError>>) -> Result<T, PageError> {
    permitted(done)?.map_err(page_error)
}
