//! Messages that wait for their time: the tab of the list, and the page of one message.

use super::filter::{ListFilters, SCHEDULED};
use super::keys::SendingKey;
use super::tabs::{Tab, numbers, tabs};
use super::{preview, source};
use crate::browser::{
    ObjectState, PageError, PagePolicy, ShownTime, StateLabel, permitted, redirect,
};
use crate::dashboard::MESSAGES;
use crate::dashboard::confirm::Confirm;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::notice::Notice;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;
use domain::id::{ContactId, ConversationId, MessageId};
use domain::message::{Direction, MessageStatus, Recipient, ScheduleState};
use http_layer::deps::ServerDeps;
use persistence::records::{Message, NewMessage, ScheduledMessage};
use service::actor::CancelError;
use service::templates::sent::find_sent;
use service::{accounts, contacts, conversations, sending, visibility};

/// Number of messages on a page.
const ROWS: i64 = 25;

#[derive(Template)]
#[template(path = "messages/scheduled.html")]
struct ScheduledPage {
    frame: Frame,
    filters: ListFilters,
    numbers: Vec<(String, String)>,
    tabs: Vec<Tab>,
    rows: Vec<ScheduledRow>,
    first: String,
    next: String,
}

struct ScheduledRow {
    id: String,
    recipient: String,
    text: String,
    source: &'static str,
    number: String,
    at: ShownTime,
}

#[derive(Template)]
#[template(path = "messages/scheduled_message.html")]
struct ScheduledMessagePage {
    frame: Frame,
    id: String,
    recipient: String,
    /// The recipient's number or id, if it is not shown as the name.
    address: Option<String>,
    state: StateLabel,
    waits: bool,
    cancel_path: String,
    created_at: ShownTime,
    send_at: ShownTime,
    canceled_at: Option<ShownTime>,
    text: String,
    buttons: Vec<String>,
    has_fallback: bool,
    kind: String,
    source: &'static str,
    number: String,
    number_digits: String,
    key: Option<SendingKey>,
    client_ref: Option<String>,
    /// The API call that cancels this message.
    curl: String,
}

/// Returns the tab with the messages that wait for their time.
pub async fn list_page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    filters: ListFilters,
) -> Result<HttpResponse, PageError> {
    let accounts = accounts::list(deps, member_context.reader()).await?;
    let own = member_context.actor(deps).messages();
    let (account, after) = (filters.number.parse().ok(), filters.scheduled_after);
    let (found, next) = own.list_scheduled(account, after, ROWS).await?;
    let shown: Vec<Message> = found.iter().map(as_message).collect();
    let templates = find_sent(deps, member_context.reader(), &shown).await?;
    let mut rows = Vec::with_capacity(found.len());
    for (row, message) in found.iter().zip(&shown) {
        let account = accounts.iter().find(|it| it.id == row.account_id);
        rows.push(ScheduledRow {
            id: row.id.to_string(),
            recipient: recipient(deps, member_context, row).await?.0,
            text: preview::line(message, &templates),
            source: source(row.source),
            number: account.map(|it| it.display_name.clone()).unwrap_or_default(),
            at: ShownTime::exact(row.send_at),
        });
    }
    let page = ScheduledPage {
        frame: member_context.frame(MESSAGES),
        numbers: numbers(&accounts),
        tabs: tabs(deps, member_context, &filters).await?,
        rows,
        first: after.map(|_| filters.url_of_view(SCHEDULED)).unwrap_or_default(),
        next: next.map(|it| filters.url_after_scheduled(it)).unwrap_or_default(),
        filters,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

/// Returns the page of a message that waits for its time, or that was canceled.
pub async fn message_page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: MessageId,
) -> Result<HttpResponse, PageError> {
    let row = find(deps, member_context, id).await?;
    let accounts = accounts::list(deps, member_context.reader()).await?;
    let account = accounts.iter().find(|it| it.id == row.account_id);
    let message = as_message(&row);
    let templates = find_sent(deps, member_context.reader(), [&message]).await?;
    let (recipient, address) = recipient(deps, member_context, &row).await?;
    let key = SendingKey::of(deps, member_context, row.scheduled_by_key()).await?;
    let waits = row.state == ScheduleState::Scheduled;
    let state = if waits { ObjectState::Scheduled } else { ObjectState::Canceled };
    let base = &deps.config.base_url;
    let page = ScheduledMessagePage {
        frame: member_context.frame(MESSAGES),
        id: id.to_string(),
        recipient,
        address,
        state: state.label(),
        waits,
        cancel_path: format!("{MESSAGES}/{id}/cancel"),
        created_at: ShownTime::precise(row.created_at),
        send_at: ShownTime::exact(row.send_at),
        canceled_at: row.canceled_at.map(ShownTime::precise),
        text: preview::text(&message, &templates),
        buttons: templates.fill(&message).map(|it| it.buttons).unwrap_or_default(),
        has_fallback: row.fallback.is_some(),
        kind: super::kind(&message),
        source: source(row.source),
        number: account.map(|it| it.display_name.clone()).unwrap_or_default(),
        number_digits: account.map(|it| it.phone_number.clone()).unwrap_or_default(),
        key,
        client_ref: row.client_ref.clone(),
        curl: format!(
            "curl -X DELETE {base}/api/v1/messages/{id} \\\n  -H \"x-client-id: $SWITCHBOARD_CLIENT_ID\" \\\n  -H \"x-client-secret: $SWITCHBOARD_CLIENT_SECRET\""
        ),
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

/// Returns the page that asks whether the message shall be canceled.
pub async fn confirm_page(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: MessageId,
) -> Result<HttpResponse, PageError> {
    let path = format!("{MESSAGES}/{id}");
    if has_left(deps, member_context, id).await? {
        return Ok(redirect(&path));
    }
    let row = find(deps, member_context, id).await?;
    let (recipient, _) = recipient(deps, member_context, &row).await?;
    let page = Confirm {
        frame: member_context.frame(MESSAGES),
        token: member_context.token(),
        title: format!("Cancel the message to {recipient}?"),
        sentence: "It is not sent. It can still be looked up for 30 days.".to_owned(),
        action: path.clone(),
        value: "cancel",
        button: "Cancel message",
        grave: true,
        choice: None,
        back: path,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

/// Cancels a message. Returns where the browser goes, and what the page says there.
pub async fn cancel(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: MessageId,
) -> Result<(String, Notice), PageError> {
    let canceled = member_context.actor(deps).messages().cancel(id).await;
    match permitted(canceled)? {
        Ok(()) => {
            let notice = Notice::saying("Message canceled", "It is not sent.");
            Ok((format!("{MESSAGES}?view={SCHEDULED}"), notice))
        }
        Err(CancelError::Database(error)) => Err(error.into()),
        Err(CancelError::Sent | CancelError::NotFound)
            if has_left(deps, member_context, id).await? =>
        {
            let sentence = "It left before it could be canceled.";
            let notice = Notice::saying("The message was not canceled", sentence).warning();
            Ok((format!("{MESSAGES}/{id}"), notice))
        }
        Err(CancelError::Sent | CancelError::NotFound) => Err(PageError::NotFound),
    }
}

/// Whether the message has left, and the member may see it.
async fn has_left(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: MessageId,
) -> Result<bool, PageError> {
    let (reader, visible) = (member_context.reader(), member_context.visible());
    let found = conversations::message(deps, reader, None, id).await?;
    let Some((message, _)) = found else { return Ok(false) };
    Ok(visibility::is_visible(deps, reader, visible, message.conversation_id).await?)
}

async fn find(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: MessageId,
) -> Result<ScheduledMessage, PageError> {
    let found = member_context.actor(deps).messages().find_scheduled(id).await?;
    found.ok_or(PageError::NotFound)
}

/// Returns the name by which people know the recipient, and the number or id if that is another
/// text.
async fn recipient(
    deps: &ServerDeps,
    member_context: &MemberContext,
    row: &ScheduledMessage,
) -> Result<(String, Option<String>), PageError> {
    let recipient = row.recipient().map_err(persistence::Error::from)?;
    let key = sending::person_key(&recipient, row.account_id);
    let known = contacts::conversations(deps, member_context.reader(), key).await?.into_iter();
    let mut known = known.filter(|it| it.contact.account_id == row.account_id);
    let Some(known) = known.next() else { return Ok((recipient.to_string(), None)) };
    let name = super::contact_name(&known.contact);
    let address = match &recipient {
        Recipient::Phone(_) | Recipient::User(_) => Some(recipient.to_string()),
        Recipient::Contact(_) | Recipient::Conversation(_) => known.contact.phone_number,
    };
    let address = address.filter(|it| *it != name);
    Ok((name, address))
}

/// Returns the message as it will be sent, without a place in a conversation.
fn as_message(row: &ScheduledMessage) -> Message {
    let message = NewMessage {
        id: row.id,
        organization: row.organization_id,
        account: row.account_id,
        conversation: ConversationId::from_uuid(*row.id.uuid()),
        contact: ContactId::from_uuid(*row.id.uuid()),
        position: 0,
        direction: Direction::Outbound,
        source: row.source,
        kind: row.kind,
        content: row.content.clone(),
        status: MessageStatus::Queued,
        at: row.created_at,
    };
    Message { content_format: row.content_format, ..message.into() }
}
