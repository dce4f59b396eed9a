//! `/inbox` and `/inbox/{conversation}`: the list of conversations, a thread, and the composer
//! (`docs/contract.md#inbox`).

mod actions;
mod attachment;
mod composer;
mod list;
mod pane;
mod stream;
mod thread;
mod view;

use super::INBOX;
use super::frame::{Frame, MemberContext};
use super::query::Query;
use crate::browser::{PageError, PagePolicy};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use composer::{Composer, ComposerMode};
use domain::id::ConversationId;
use domain::role::Area;
use http_layer::deps::ServerDeps;
use list::ListView;
use pane::Pane;
use service::inbox::{self, InboxError};
use std::sync::Arc;
use thread::{AgentStrip, Answering, Entry, FileKind, Thread};
use view::{InboxQuery, InboxView};

pub use actions::SNOOZES;
pub use attachment::{ACCEPTED_FILES, Attachment};
pub use stream::InboxStreams;

#[derive(Template)]
#[template(path = "inbox/inbox.html")]
struct InboxPage {
    frame: Frame,
    token: String,
    list: ListView,
    open: Option<OpenConversation>,
}

/// The open conversation beside the list.
struct OpenConversation {
    /// The path with the query of the list, which forms and links keep.
    here: String,
    /// The path of the list.
    back: String,
    thread: Thread,
    composer: Composer,
    pane: Pane,
}

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(INBOX).route(web::get().to(show_list)));
    app.service(web::resource("/inbox/stream").route(web::get().to(stream::show)));
    app.service(
        web::resource("/inbox/{conversation}")
            .route(web::get().to(show_conversation))
            .route(web::post().to(actions::act)),
    );
}

async fn show_list(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Inbox)?;
    let reader = inbox::current(&deps, member_context.reader()).await?;
    let query = InboxQuery::of(&Query::of(&request));
    let page = InboxPage {
        list: ListView::load(&deps, &member_context, reader, &query, None).await?,
        frame: member_context.frame(INBOX),
        token: member_context.token(),
        open: None,
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

async fn show_conversation(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Inbox)?;
    let query = Query::of(&request);
    let composer = Composer::of(&query);
    render(&deps, &member_context, id_in(&request)?, &query, composer, StatusCode::OK).await
}

/// Returns the id of the conversation in the path.
fn id_in(request: &HttpRequest) -> Result<ConversationId, PageError> {
    let id = request.match_info().get("conversation").unwrap_or_default();
    id.parse().map_err(|_| PageError::NotFound)
}

/// Renders the page of a conversation.
async fn render(
    deps: &ServerDeps,
    member_context: &MemberContext,
    id: ConversationId,
    query: &Query,
    composer: Composer,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let reader = member_context.reader();
    let found = member_context.actor(deps).inbox(reader, id).view().await.map_err(page_error)?;
    let list_query = InboxQuery::of(query);
    let list = ListView::load(deps, member_context, reader, &list_query, Some(&found)).await?;
    let thread = Thread::load(deps, member_context, &found, query).await?;
    let composer = composer.complete(deps, member_context, &found, &thread, &list_query).await?;
    let open = OpenConversation {
        here: list_query.path_of(found.found.conversation.id, ""),
        back: format!("{INBOX}{}", list_query.to_query()),
        pane: Pane::of(&found, &thread)?,
        thread,
        composer,
    };
    let page = InboxPage {
        frame: member_context.frame(INBOX),
        token: member_context.token(),
        list,
        open: Some(open),
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

pub fn page_error(error: InboxError) -> PageError {
    match error {
        InboxError::NotFound => PageError::NoConversation,
        InboxError::NoSuchAssignee => PageError::NotFound,
        InboxError::ChannelUnavailable(_) => http_layer::problem::Problem::unavailable().into(),
        InboxError::Database(error) => error.into(),
    }
}
