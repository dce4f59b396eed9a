//! `/inbox/stream`: server-sent events that tell a browser when something changed in the inbox, or
//! in the lists and pages of messages. An event contains the organization's `sequence`, and names
//! the conversations that changed. The browser then loads the page again, and that request checks
//! the member's role and what the member may see (`docs/contract.md#inbox`).

use crate::browser::PageError;
use crate::dashboard::frame::MemberContext;
use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use domain::id::OrganizationId;
use domain::keyword::Keyword as _;
use domain::recent_events::{RecentEvents, StreamedChange};
use domain::role::{Area, VisibleConversations};
use futures_util::stream;
use http_layer::deps::ServerDeps;
use parking_lot::Mutex;
use platform::clock::Stopwatch;
use serde_json::json;
use service::inbox;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::watch;

/// Maximum number of open streams of one organization, and of the whole instance.
const MAX_STREAMS_OF_ORGANIZATION: usize = 500;
const MAX_STREAMS: usize = 5_000;
/// The interval at which the organization's last event is looked up.
const LOOKED_UP_EVERY: Duration = Duration::from_millis(150);
/// The maximum duration of a stream. The browser then opens another one, and the session and the
/// role are checked again.
const LASTS: Duration = Duration::from_mins(1);
/// The interval at which a comment is sent. Because of the comments, proxies keep the connection
/// open, and the server notices when the browser has closed it.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// The bounds of the time after which a browser reconnects, in milliseconds. The time differs from
/// stream to stream, so that not all browsers reconnect at once after a restart.
const RECONNECT_AFTER: u64 = 1_000;
const RECONNECT_WITHIN: u64 = 4_000;

/// The organizations with open streams, each with its last events. All HTTP worker threads of the
/// process share this value.
#[derive(Default)]
pub struct InboxStreams(Mutex<HashMap<OrganizationId, watch::Sender<RecentEvents>>>);

impl InboxStreams {
    /// Subscribes to the changes of an organization. Returns `None` if there are too many streams.
    /// The first subscriber also gets the sender, and must start [`follow`].
    fn subscribe(
        &self,
        organization: OrganizationId,
    ) -> Option<(watch::Receiver<RecentEvents>, Option<watch::Sender<RecentEvents>>)> {
        let mut open = self.0.lock();
        let total: usize = open.values().map(watch::Sender::receiver_count).sum();
        if total >= MAX_STREAMS {
            return None;
        }
        if let Some(sender) = open.get(&organization) {
            let count = sender.receiver_count();
            return (count < MAX_STREAMS_OF_ORGANIZATION).then(|| (sender.subscribe(), None));
        }
        let (sender, receiver) = watch::channel(RecentEvents::default());
        open.insert(organization, sender.clone());
        Some((receiver, Some(sender)))
    }

    /// Removes an organization if nobody subscribes to it. Returns whether it was removed.
    fn forget(&self, organization: OrganizationId) -> bool {
        let mut open = self.0.lock();
        let is_unused = open.get(&organization).is_none_or(|it| it.receiver_count() == 0);
        if is_unused {
            open.remove(&organization);
        }
        is_unused
    }
}

/// Applies the organization's events to its inbox as they are recorded, and tells the subscribers
/// what changed, until nobody subscribes.
async fn follow(
    deps: Arc<ServerDeps>,
    streams: web::Data<InboxStreams>,
    organization: OrganizationId,
    sender: watch::Sender<RecentEvents>,
) {
    while !deps.stopping.load(Ordering::Relaxed) && !streams.forget(organization) {
        match inbox::last_sequence(&deps, organization).await {
            Ok(last) if last != sender.borrow().last() => {
                if let Err(error) = inbox::catch_up(&deps, organization).await {
                    tracing::warn!(%error, %organization, "the inbox was not brought up to date");
                }
                let after = sender.borrow().last();
                let events = inbox::streamed_events(&deps, organization, after, last).await;
                let events = events.unwrap_or_else(|error| {
                    tracing::warn!(%error, %organization, "the last events were not read");
                    Vec::new()
                });
                sender.send_modify(|recent| recent.add(last, events));
            }
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, %organization, "the last event is not known"),
        }
        tokio::time::sleep(LOOKED_UP_EVERY).await;
    }
    // Dropping the last sender ends the streams. `forget` has removed the other sender, unless the
    // server is stopping.
    if deps.stopping.load(Ordering::Relaxed) {
        streams.0.lock().remove(&organization);
    }
}

/// An open stream.
struct OpenStream {
    recent: watch::Receiver<RecentEvents>,
    /// Whether the member may see all conversations. Otherwise the stream names none, so that the
    /// member does not learn of conversations of others.
    sees_all: bool,
    watch: Stopwatch,
    /// The sequence that the browser knows.
    known: i64,
    reconnect_after: u64,
    is_first: bool,
}

impl OpenStream {
    /// Waits for the next part of the stream. Returns `None` at the end of the stream.
    async fn next(mut self) -> Option<(Result<web::Bytes, Infallible>, Self)> {
        if self.is_first {
            self.is_first = false;
            // A browser counts on the stream only after this event. A proxy that buffers answers
            // delivers the status of the answer, but not its events.
            let text = format!("retry: {}\n\nevent: ready\ndata: {{}}\n\n", self.reconnect_after);
            return Some((Ok(text.into()), self));
        }
        let left = LASTS.saturating_sub(self.watch.elapsed());
        if left.is_zero() {
            return None;
        }
        let known = self.known;
        let news = self.recent.wait_for(|recent| recent.last() > known);
        let text = match tokio::time::timeout(left.min(HEARTBEAT), news).await {
            Ok(Ok(recent)) => {
                self.known = recent.last();
                let changes = if self.sees_all { recent.changes_after(known) } else { None };
                item(self.known, changes)
            }
            Ok(Err(_)) => return None,
            Err(_) => ":\n\n".to_owned(),
        };
        Some((Ok(text.into()), self))
    }
}

/// Returns an event of the stream. Without `changes` anything may have changed.
fn item(last: i64, changes: Option<Vec<StreamedChange>>) -> String {
    let changes: Option<Vec<_>> = changes.map(|all| {
        let named = all.iter().map(|it| (it.conversation.to_string(), it.kind.as_str()));
        named.map(|(of, kind)| json!({"conversation": of, "kind": kind})).collect()
    });
    let data = json!({"sequence": last, "changes": changes});
    format!("id: {last}\nevent: changed\ndata: {data}\n\n")
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
    streams: web::Data<InboxStreams>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Messages)?;
    let organization = member_context.id();
    let Some((recent, first)) = streams.subscribe(organization) else {
        let mut response = HttpResponse::build(StatusCode::SERVICE_UNAVAILABLE);
        return Ok(response.insert_header((header::RETRY_AFTER, "60")).finish());
    };
    if let Some(sender) = first {
        let deps = deps.get_ref().clone();
        actix_web::rt::spawn(follow(deps, streams, organization, sender));
    }
    let last_id = request.headers().get("last-event-id").and_then(|it| it.to_str().ok());
    let last_id: Option<i64> = last_id.and_then(|it| it.parse().ok());
    // A request without an id comes from a page that was just loaded and shows the current state.
    // An id that is too large was sent before the database was restored.
    let last = inbox::last_sequence(&deps, organization).await?;
    let known = last_id.map_or(last, |id| id.min(last));
    let sees_all = member_context.visible() == VisibleConversations::All;
    let [random, ..] = deps.entropy.bytes::<8>();
    let reconnect_after =
        RECONNECT_AFTER + u64::from(random) * (RECONNECT_WITHIN - RECONNECT_AFTER) / 255;
    let watch = Stopwatch::start();
    let open = OpenStream { recent, sees_all, watch, known, reconnect_after, is_first: true };
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/event-stream"))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        // Tells nginx not to buffer the events.
        .insert_header(("x-accel-buffering", "no"))
        .streaming(stream::unfold(open, OpenStream::next)))
}
