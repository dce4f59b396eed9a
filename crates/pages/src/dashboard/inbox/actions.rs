//! What a member does on the page of a conversation. Each action is a form, and leads back to the
//! page.

use super::composer::{Composer, ComposerMode, TEMPLATE, TEXT, body_of};
use super::view::InboxQuery;
use super::{id_in, page_error, render};
use crate::browser::{Form, PageError, permitted, redirect, sentence};
use crate::dashboard::INBOX;
use crate::dashboard::frame::MemberContext;
use crate::dashboard::messages::refusal::why_not_sent;
use crate::dashboard::once::run_to_completion;
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use api_types::send::SendMessageBody;
use domain::content::ContentType;
use domain::conversation::MessageSource;
use domain::id::ConversationId;
use domain::inbox::{
    InboxChange, InboxStatus, LabelChange, MAX_NOTE_LENGTH, TooManyLabels, parse_label,
};
use domain::keyword::Keyword as _;
use domain::role::Area;
use domain::time::Timestamp;
use domain::violation::Violations;
use http_layer::deps::Deps;
use persistence::records::InboxConversation;
use service::actor::{ActionError, MemberInbox};
use service::inbox::{self, InboxError};
use service::templates;
use std::sync::Arc;
use std::time::Duration;

/// How long a conversation can be snoozed with one click: value, name and length.
pub const SNOOZES: [(&str, &str, Duration); 4] = [
    ("hour", "for 1 hour", Duration::from_hours(1)),
    ("four_hours", "for 4 hours", Duration::from_hours(4)),
    ("day", "for 1 day", Duration::from_hours(24)),
    ("week", "for 1 week", Duration::from_hours(7 * 24)),
];

/// What the page does after an action.
enum Outcome {
    /// It shows the conversation again.
    Done,
    /// It shows the composer with what was typed.
    Refused(Box<Composer>),
    /// The draft is stored, and a script waits for the answer.
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
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        member_context.require(Area::Inbox)?;
        let (id, query) = (id_in(&request)?, Query::of(&request));
        let action = Action {
            deps: &deps,
            member_context: &member_context,
            request: &request,
            form: &form,
            id,
        };
        match Box::pin(action.perform()).await? {
            Outcome::Saved => Ok(HttpResponse::NoContent().finish()),
            Outcome::Done => {
                let list = InboxQuery::of(&query).to_query();
                Ok(redirect(&format!("{INBOX}/{id}{list}")))
            }
            Outcome::Refused(composer) => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                render(&deps, &member_context, id, &query, *composer, status).await
            }
        }
    })
    .await
}

struct Action<'a> {
    deps: &'a Deps,
    member_context: &'a MemberContext,
    request: &'a HttpRequest,
    form: &'a Form,
    id: ConversationId,
}

impl Action<'_> {
    async fn perform(&self) -> Result<Outcome, PageError> {
        let inbox = self.inbox();
        match self.form.value("action") {
            "send" => return self.send().await,
            TEMPLATE => return self.send_template().await,
            "note" => return self.create_note().await,
            "draft" => {
                allowed(inbox.save_draft(&self.form.typed(TEXT)).await)?;
                return Ok(Outcome::Saved);
            }
            "read" => allowed(inbox.mark(true).await)?,
            "unread" => allowed(inbox.mark(false).await)?,
            "take_over" => drop(allowed(inbox.pause_agent().await)?),
            "resume" => drop(allowed(inbox.resume_agent().await)?),
            "resend" => return self.resend().await,
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
        let reader = self.member_context.reader();
        inbox::find(self.deps, reader, None, self.id).await.map_err(page_error)
    }

    /// Returns the change that the form asks for.
    fn change(&self) -> Result<InboxChange, PageError> {
        let with_status = |status| InboxChange { status: Some(status), ..InboxChange::default() };
        Ok(match self.form.value("action") {
            "open" => with_status(InboxStatus::Open),
            "wait" => with_status(InboxStatus::Waiting),
            "close" => with_status(InboxStatus::Closed),
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

    /// Sends the text, unless somebody answered since the member opened the page.
    async fn send(&self) -> Result<Outcome, PageError> {
        let mode = ComposerMode::Reply;
        let body = SendMessageBody {
            kind: Some(ContentType::Text.as_str().to_owned()),
            text: Some(self.form.typed(TEXT)),
            conversation_id: Some(self.id.to_string()),
            ..SendMessageBody::default()
        };
        self.send_body(body, mode).await
    }

    async fn send_template(&self) -> Result<Outcome, PageError> {
        let mode = ComposerMode::Template;
        let id = self.form.value(TEMPLATE).parse().map_err(|_| PageError::NotFound)?;
        let found = templates::find(self.deps, self.member_context.reader(), id).await?;
        let template = found.ok_or(PageError::NotFound)?;
        let body = body_of(&template, self.id, self.form)?;
        self.send_body(body, mode).await
    }

    async fn send_body(
        &self,
        body: SendMessageBody,
        mode: ComposerMode,
    ) -> Result<Outcome, PageError> {
        let found = self.find().await?;
        if self.form.value("anyway").is_empty()
            && let Some(who) = self.answered_since(&found).await?
        {
            return Ok(Outcome::refused(Composer::answered(self.form, mode, who)));
        }
        let mut faults = Violations::default();
        let Some(prepared) = body.prepare(None, &mut faults).filter(|_| faults.is_empty()) else {
            let why = faults.into_vec().into_iter().map(|it| sentence(&it.message));
            let why: Vec<String> = why.collect();
            return Ok(Outcome::refused(Composer::refused(self.form, mode, why.join(" "))));
        };
        if !self.member_context.is_first(self.deps, self.request, self.form).await? {
            return Ok(Outcome::Done);
        }
        let actor = self.member_context.actor(self.deps);
        let account = found.conversation.account_id;
        match permitted(actor.messages().send(account, prepared.draft).await)? {
            Ok(_) => {
                let (reader, member) =
                    (self.member_context.reader(), self.member_context.member.id);
                let sends_draft = mode == ComposerMode::Reply;
                let answered =
                    inbox::record_answer(self.deps, reader, member, self.id, sends_draft).await;
                answered.map_err(page_error)?;
                Ok(Outcome::Done)
            }
            Err(error) => {
                self.member_context.release(self.deps, self.request, self.form).await?;
                let why = why_not_sent(error)?;
                Ok(Outcome::refused(Composer::refused(self.form, mode, why)))
            }
        }
    }

    /// Returns who answered after the last message that the member saw, if somebody did.
    async fn answered_since(&self, found: &InboxConversation) -> Result<Option<String>, PageError> {
        let Ok(seen) = self.form.value("seen").parse::<i64>() else { return Ok(None) };
        let reader = self.member_context.reader();
        let answer = inbox::find_answer_after(self.deps, reader, found, seen).await?;
        Ok(answer.map(|it| match it.source {
            MessageSource::Inbox => "A colleague answered".to_owned(),
            MessageSource::Agent => "The AI agent answered".to_owned(),
            MessageSource::Phone => "Somebody answered on the phone".to_owned(),
            MessageSource::Api | MessageSource::Customer => "A program answered".to_owned(),
        }))
    }

    async fn create_note(&self) -> Result<Outcome, PageError> {
        let text = self.form.typed(TEXT).trim().to_owned();
        if text.is_empty() || text.chars().count() > MAX_NOTE_LENGTH {
            let why = format!("A note has 1 to {MAX_NOTE_LENGTH} characters.");
            return Ok(Outcome::refused(Composer::refused(self.form, ComposerMode::Note, why)));
        }
        if self.member_context.is_first(self.deps, self.request, self.form).await? {
            allowed(self.inbox().create_note(text, self.member_context.member.name.clone()).await)?;
        }
        Ok(Outcome::Done)
    }

    async fn resend(&self) -> Result<Outcome, PageError> {
        let id = self.form.value("message").parse().map_err(|_| PageError::NotFound)?;
        let reader = self.member_context.reader();
        if !self.member_context.is_first(self.deps, self.request, self.form).await? {
            return Ok(Outcome::Done);
        }
        let actor = self.member_context.actor(self.deps);
        match permitted(actor.messages().resend(reader, id).await)? {
            Ok(_) => Ok(Outcome::Done),
            Err(error) => {
                self.member_context.release(self.deps, self.request, self.form).await?;
                let why = why_not_sent(error)?;
                Ok(Outcome::refused(Composer::refused(self.form, ComposerMode::Reply, why)))
            }
        }
    }
}

/// Returns the result of an action that the member's role allows.
fn allowed<T>(done: Result<T, ActionError<InboxError>>) -> Result<T, PageError> {
    permitted(done)?.map_err(page_error)
}
