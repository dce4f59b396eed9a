//! `/messages/{id}`: the history of one message, why it failed, and what the member can do.

use super::keys::SendingKey;
use super::refusal::why_not_sent;
use super::{contact_name, direction, kind, preview, scheduled, source, state};
use crate::browser::{PageError, PagePolicy, ShownTime, StateLabel, permitted, sentence};
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use crate::dashboard::webhooks::{DeliveryLabel, name_of, took};
use crate::dashboard::{INBOX, MESSAGES, WEBHOOKS};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::account::HealthState;
use domain::conversation::MessageSource;
use domain::id::MessageId;
use domain::keyword::Keyword as _;
use domain::message::{Direction, MessageStatus};
use domain::role::Area;
use domain::time::Timestamp;
use domain::webhook::DeliveryState;
use http_layer::deps::ServerDeps;
use persistence::records::{Account, Contact, Message, Owner};
use service::endpoints::{self, EndpointDelivery};
use service::templates::sent::{SentTemplates, find_sent};
use service::{accounts, conversations, turns, visibility};
use std::sync::Arc;
use std::time::Duration;

/// The time after a change of a message in which webhook deliveries about the change may appear.
const DELIVERIES_APPEAR_WITHIN: Duration = Duration::from_mins(1);

#[derive(Template)]
#[template(path = "messages/message.html")]
struct MessageDetailPage {
    frame: Frame,
    token: String,
    path: String,
    id: String,
    title: &'static str,
    contact: String,
    phone_number: Option<String>,
    state: StateLabel,
    failure: Option<FailureNotice>,
    steps: Vec<TimelineStep>,
    deliveries: Vec<MessageDeliveryRow>,
    /// Whether the message's status can still change.
    waits: bool,
    /// Whether webhook deliveries can still appear or change.
    follows_deliveries: bool,
    text: String,
    /// The labels of the buttons of a template.
    buttons: Vec<String>,
    outbound: bool,
    kind: String,
    source: &'static str,
    number: String,
    number_digits: String,
    key: Option<SendingKey>,
    client_ref: Option<String>,
    channel_id: Option<String>,
    conversation: String,
    /// The conversation in the inbox, if the member may open it.
    inbox: Option<String>,
    /// The API call that returns this message.
    curl: String,
}

struct FailureNotice {
    title: &'static str,
    advice: &'static str,
    code: &'static str,
    channel_code: Option<i64>,
    /// The channel's explanation.
    message: String,
}

/// One step of the timeline.
struct TimelineStep {
    /// The CSS class of the step.
    class: &'static str,
    icon: &'static str,
    title: &'static str,
    sentence: String,
    at: Option<ShownTime>,
}

/// A delivery of an event about the message.
struct MessageDeliveryRow {
    path: String,
    event: &'static str,
    endpoint: String,
    state: StateLabel,
    /// The duration of the last attempt.
    took: String,
    at: ShownTime,
}

impl MessageDeliveryRow {
    fn of(it: &EndpointDelivery) -> Self {
        let EndpointDelivery { delivery, last_attempt, endpoint } = it;
        let answer = last_attempt.as_ref().and_then(|it| it.status);
        let at = last_attempt.as_ref().map_or(delivery.created_at, |it| it.at);
        Self {
            path: format!("{WEBHOOKS}/{}/deliveries/{}", endpoint.id, delivery.id),
            event: delivery.kind.as_str(),
            endpoint: name_of(endpoint).to_owned(),
            state: DeliveryLabel::of(delivery, answer, endpoint.state).short,
            took: last_attempt.as_ref().map(|it| took(it.took_ms)).unwrap_or_default(),
            at: ShownTime::precise(at),
        }
    }
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Messages)?;
    let id = named(&request)?;
    let reader = member_context.reader();
    let found = conversations::message(&deps, reader, None, id).await?;
    let Some((message, contact)) = found else {
        return scheduled::message_page(&deps, &member_context, id).await;
    };
    let visible = member_context.visible();
    if !visibility::is_visible(&deps, reader, visible, message.conversation_id).await? {
        return Err(PageError::NotFound);
    }
    let accounts = accounts::list(&deps, reader).await?;
    let account = accounts.iter().find(|it| it.id == message.account_id);
    let deliveries = if member_context.authority.role.may_read(Area::Webhooks) {
        let owner = Owner::Organization(member_context.id());
        endpoints::deliveries_about(&deps, owner, reader.seen, message.id).await?
    } else {
        Vec::new()
    };
    let templates = find_sent(&deps, reader, [&message]).await?;
    let is_draft = message.source == MessageSource::Inbox
        && turns::sent_drafts(&deps, member_context.id(), message.conversation_id)
            .await?
            .contains(&message.id);
    let key = SendingKey::of(&deps, &member_context, message.key_id).await?;
    let page =
        page(&deps, &member_context, &message, &templates, &contact, account, key, &deliveries);
    let source = if is_draft { "Inbox, draft by the AI agent" } else { page.source };
    let page = MessageDetailPage { source, ..page };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

/// Asks whether a scheduled message shall be canceled.
pub async fn confirm(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Messages)?;
    scheduled::confirm_page(&deps, &member_context, named(&request)?).await
}

/// Sends a failed message again, or cancels a scheduled one.
pub async fn act(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        let id = named(&request)?;
        match form.value("action") {
            "resend" => {}
            "cancel" => {
                let (location, notice) = scheduled::cancel(&deps, &member_context, id).await?;
                return member_context.redirect_with_flash(&deps, &location, &notice).await;
            }
            _ => return Err(PageError::UnknownAction),
        }
        let work = async {
            let own = member_context.actor(&deps).messages();
            let resent = Box::pin(own.resend(member_context.reader(), id)).await;
            match permitted(resent)? {
                Ok(new) => {
                    let sentence = "It is a new message. The failed one stays in the list.";
                    let notice = Notice::saying("Message sent again", sentence);
                    Ok(Ok(ActionResult { location: format!("{MESSAGES}/{new}"), notice }))
                }
                Err(error) => Ok(Err(why_not_sent(error)?)),
            }
        };
        let refused = async |why: String| {
            let notice = Notice::saying("The message was not sent", why).warning();
            member_context.redirect_with_flash(&deps, request.path(), &notice).await
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}

fn named(request: &HttpRequest) -> Result<MessageId, PageError> {
    let id = request.match_info().get("message").and_then(|id| id.parse().ok());
    id.ok_or(PageError::NotFound)
}

fn page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    message: &Message,
    templates: &SentTemplates,
    contact: &Contact,
    account: Option<&Account>,
    key: Option<SendingKey>,
    deliveries: &[EndpointDelivery],
) -> MessageDetailPage {
    let now = deps.clock.now();
    let waits = matches!(
        message.status,
        MessageStatus::Queued | MessageStatus::Sent | MessageStatus::Delivered
    );
    let held = account.is_some_and(|it| it.known_health().at(now).state == HealthState::Held);
    let base = &deps.config.base_url;
    let opens_inbox =
        member_context.authority.role.may_read(Area::Inbox) && contact.deleted_at.is_none();
    MessageDetailPage {
        frame: member_context.frame(MESSAGES),
        token: member_context.token(),
        path: format!("{MESSAGES}/{}", message.id),
        id: message.id.to_string(),
        title: direction(message.direction),
        contact: contact_name(contact),
        phone_number: contact.phone_number.clone(),
        state: state(message, held),
        failure: failure(message),
        steps: steps(message, held),
        deliveries: deliveries.iter().map(MessageDeliveryRow::of).collect(),
        waits,
        follows_deliveries: waits || deliveries_may_change(message, deliveries, now),
        text: preview::text(message, templates),
        buttons: templates.fill(message).map(|it| it.buttons).unwrap_or_default(),
        outbound: message.direction == Direction::Outbound,
        kind: kind(message),
        source: source(message.source),
        number: account.map(|it| it.display_name.clone()).unwrap_or_default(),
        number_digits: account.map(|it| it.phone_number.clone()).unwrap_or_default(),
        key,
        client_ref: message.client_ref.clone(),
        channel_id: message.channel_message_id.clone(),
        conversation: message.conversation_id.to_string(),
        inbox: opens_inbox.then(|| format!("{INBOX}/{}", message.conversation_id)),
        curl: format!(
            "curl {base}/api/v1/messages/{} \\\n  -H \"x-client-id: $SWITCHBOARD_CLIENT_ID\" \\\n  -H \"x-client-secret: $SWITCHBOARD_CLIENT_SECRET\"",
            message.id
        ),
    }
}

/// Whether webhook deliveries about the message can still appear or change.
fn deliveries_may_change(
    message: &Message,
    deliveries: &[EndpointDelivery],
    now: Timestamp,
) -> bool {
    let times = [message.sent_at, message.delivered_at, message.read_at];
    let changed_at = times.into_iter().flatten().fold(message.created_at, Timestamp::max);
    now.since(changed_at) < DELIVERIES_APPEAR_WITHIN
        || deliveries.iter().any(|it| it.delivery.state == DeliveryState::Pending)
}

fn failure(message: &Message) -> Option<FailureNotice> {
    let failure = message.failure?;
    Some(FailureNotice {
        title: failure.title(),
        advice: failure.advice(),
        code: domain::keyword::Keyword::as_str(failure),
        channel_code: message.failure_code,
        message: message.failure_message.clone().unwrap_or_default(),
    })
}

/// Returns the timeline of a message, earliest step first.
fn steps(message: &Message, held: bool) -> Vec<TimelineStep> {
    let step = |title, sentence: &str, at: Timestamp| TimelineStep {
        class: "ok",
        icon: "check",
        title,
        sentence: sentence.to_owned(),
        at: Some(ShownTime::precise(at)),
    };
    if message.direction == Direction::Inbound {
        let mut steps =
            vec![step("Received", "The channel reported the message.", message.created_at)];
        if let Some(at) = message.read_at {
            steps.push(step("Read", "You marked it as read.", at));
        }
        return steps;
    }
    let accepted = format!(
        "{} sent it. Position {} in its conversation.",
        source(message.source),
        message.position
    );
    let mut steps = vec![step("Accepted", &accepted, message.created_at)];
    if let Some(at) = message.sent_at {
        let as_what = message.channel_message_id.as_deref().map(|id| format!(" as {id}"));
        let sentence = format!("The channel accepted it{}.", as_what.unwrap_or_default());
        steps.push(step("Handed to the channel", &sentence, at));
    }
    if let Some(at) = message.delivered_at {
        steps.push(step("Delivered", "It reached the customer’s phone.", at));
    }
    if let Some(at) = message.read_at {
        steps.push(step("Read", "The customer opened it.", at));
    }
    match message.status {
        MessageStatus::Queued if held => steps.push(waiting(
            "warn",
            "Held",
            "The channel refuses this number. The message waits for up to 24 hours.",
        )),
        MessageStatus::Queued => steps.push(waiting(
            "now",
            "Waiting for the channel",
            "It is next in its conversation’s order.",
        )),
        MessageStatus::Failed => {
            let reported = match message.failure_code {
                Some(code) => format!("The channel reported {code}. "),
                None => String::new(),
            };
            let explained = message.failure_message.as_deref().filter(|it| !it.is_empty());
            let sentence = format!("{reported}{}", explained.map(sentence).unwrap_or_default());
            steps.push(TimelineStep {
                class: "bad",
                icon: "x",
                title: "Failed",
                sentence,
                at: None,
            });
        }
        MessageStatus::Sent
        | MessageStatus::Delivered
        | MessageStatus::Read
        | MessageStatus::Received => {}
    }
    steps
}

fn waiting(class: &'static str, title: &'static str, sentence: &str) -> TimelineStep {
    TimelineStep { class, icon: "clock", title, sentence: sentence.to_owned(), at: None }
}
