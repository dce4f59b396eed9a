//! Webhook endpoints, as members manage them.

use auth::webhook::{SIGNS_ALONG, WebhookSecret};
use domain::application::{InvalidDescription, description};
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{DeliveryId, MessageId, OrganizationId, SubjectId, WebhookEndpointId};
use domain::number::saturating;
use domain::time::Timestamp;
use domain::webhook::{
    DeliveryState, DeliveryStatus, EndpointState, EndpointUrl, InvalidEndpointUrl,
    InvalidSelection, MAX_ENDPOINTS, Selection,
};
use persistence::Seen;
use persistence::records::{
    Attempt, Delivery, DeliveryDetails, DeliveryResults, Endpoint, EndpointChange, LastAnswer,
    Owner,
};
use platform::Deps;
use platform::clock::Stopwatch;
use platform::outbound::{AllowSetting, Unreachable};
use platform::sealing::SealingError;
use std::collections::BTreeMap;
use std::time::Duration;

/// Maximum time that a member waits for the result after sending a test or resending a delivery,
/// and the first polling interval.
const RESULT_WAIT: Duration = Duration::from_secs(2);
const FIRST_LOOK: Duration = Duration::from_millis(10);
/// Maximum number of deliveries of one status that are counted.
pub const MAX_COUNTED: i64 = 1000;

/// A member's input for an endpoint.
#[derive(Clone, Copy, Debug)]
pub struct EndpointInput<'a> {
    pub url: &'a str,
    /// The purpose of the endpoint; may be empty.
    pub description: &'a str,
    pub events: Selection,
}

/// The fields of an endpoint to change. A field that is `None` is not written, so that a concurrent
/// change of that field is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndpointUpdate<'a> {
    pub url: Option<&'a str>,
    /// The purpose of the endpoint. An empty text removes it.
    pub description: Option<&'a str>,
    pub events: Option<Selection>,
}

impl<'a> From<EndpointInput<'a>> for EndpointUpdate<'a> {
    fn from(it: EndpointInput<'a>) -> Self {
        Self { url: Some(it.url), description: Some(it.description), events: Some(it.events) }
    }
}

/// Returns advice for a URL that is not allowed.
fn remedy(why: &Unreachable) -> String {
    match why {
        Unreachable::NoAddress => String::new(),
        Unreachable::NotPublic(address) => format!(
            " {} To receive events on your own machine without that, run switchboard listen --forward-to URL.",
            AllowSetting::Webhook.advice(*address)
        ),
    }
}

/// An error in the member's input.
#[derive(Debug, thiserror::Error)]
pub enum EndpointFault {
    /// The URL is not valid.
    #[error("{0}")]
    Url(#[from] InvalidEndpointUrl),
    /// The URL leads to an address that is not allowed.
    #[error("This URL cannot be called: {why}.{remedy}", why = .0, remedy = remedy(.0))]
    Unreachable(#[from] Unreachable),
    /// The description is not valid.
    #[error(transparent)]
    Description(#[from] InvalidDescription),
    /// No events are selected, or an unknown one.
    #[error("{0}")]
    Events(#[from] InvalidSelection),
}

/// The reason why a member's request is refused.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// All errors in the input, in the order of the form's fields.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Input(Vec<EndpointFault>),
    /// The owner already has [`MAX_ENDPOINTS`] endpoints.
    #[error("There are already {MAX_ENDPOINTS} endpoints. Delete one that you no longer need.")]
    TooMany,
    /// The secret cannot be sealed.
    #[error(transparent)]
    Sealing(#[from] SealingError),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// A page of an endpoint's deliveries.
pub struct DeliveryPage {
    /// The deliveries, newest first, each with the result of its last attempt.
    pub deliveries: Vec<(Delivery, LastAnswer)>,
    /// Whether there are older deliveries.
    pub more: bool,
}

/// Maximum number of deliveries about one message that are listed.
pub const MAX_LISTED_ABOUT: i64 = 50;

/// A delivery with its endpoint.
pub struct EndpointDelivery {
    pub delivery: Delivery,
    pub last_attempt: Option<Attempt>,
    pub endpoint: Endpoint,
}

/// Returns a URL and a description, or the faults of both.
fn without_faults<Url, Description>(
    url: Result<Url, EndpointFault>,
    description: Result<Description, InvalidDescription>,
) -> Result<(Url, Description), EndpointError> {
    match (url, description) {
        (Ok(url), Ok(description)) => Ok((url, description)),
        (url, description) => {
            let faults = [url.err(), description.err().map(EndpointFault::from)];
            Err(EndpointError::Input(faults.into_iter().flatten().collect()))
        }
    }
}

/// Lists all endpoints of the owner.
pub async fn list(deps: &Deps, owner: Owner, seen: Seen) -> persistence::Result<Vec<Endpoint>> {
    deps.db.reads_of(owner, seen).list_own_endpoints().await
}

pub async fn find(
    deps: &Deps,
    owner: Owner,
    id: WebhookEndpointId,
) -> persistence::Result<Option<Endpoint>> {
    deps.db.owner(owner).endpoint(id).await
}

/// Enables an endpoint. Pending deliveries are sent. Returns `false` if it does not exist.
pub async fn enable(deps: &Deps, owner: Owner, id: WebhookEndpointId) -> persistence::Result<bool> {
    let found = deps.db.owner(owner).switch_endpoint(id, true, deps.clock.now()).await?;
    deps.wakeups.delivering.notify_waiters();
    Ok(found)
}

/// Disables an endpoint. Returns `false` if it does not exist.
pub async fn disable(
    deps: &Deps,
    owner: Owner,
    id: WebhookEndpointId,
) -> persistence::Result<bool> {
    deps.db.owner(owner).switch_endpoint(id, false, deps.clock.now()).await
}

/// Deletes an endpoint with its log. Returns `false` if it does not exist.
pub async fn delete(deps: &Deps, owner: Owner, id: WebhookEndpointId) -> persistence::Result<bool> {
    deps.db.owner(owner).delete_endpoint(id, deps.clock.now()).await
}

/// Loads a page of an endpoint's deliveries, after the delivery `after`.
pub async fn deliveries(
    deps: &Deps,
    owner: Owner,
    seen: Seen,
    endpoint: WebhookEndpointId,
    wanted: Option<DeliveryStatus>,
    after: Option<DeliveryId>,
    limit: i64,
) -> persistence::Result<DeliveryPage> {
    let owner_reads = deps.db.reads_of(owner, seen);
    let one_more = limit.saturating_add(1);
    let mut found = owner_reads.list_deliveries(endpoint, wanted, after, one_more).await?;
    let most = saturating(limit, usize::MAX);
    let more = found.len() > most;
    found.truncate(most);
    let ids = found.iter().map(|delivery| delivery.id).collect();
    let mut answers = owner_reads.last_answers(endpoint, ids).await?;
    let with_answer = |it: Delivery| {
        let answer = answers.remove(&it.id).unwrap_or_default();
        (it, answer)
    };
    Ok(DeliveryPage { deliveries: found.into_iter().map(with_answer).collect(), more })
}

/// Counts an endpoint's deliveries by status, up to [`MAX_COUNTED`] each. Deliveries that
/// succeeded are not counted.
pub async fn delivery_counts(
    deps: &Deps,
    owner: Owner,
    seen: Seen,
    endpoint: WebhookEndpointId,
) -> persistence::Result<BTreeMap<DeliveryStatus, i64>> {
    deps.db.reads_of(owner, seen).delivery_counts(endpoint, MAX_COUNTED).await
}

/// Counts the results of an endpoint's deliveries in the last 24 hours: of the newest
/// [`MAX_COUNTED`].
pub async fn results_of_a_day(
    deps: &Deps,
    owner: Owner,
    seen: Seen,
    endpoint: WebhookEndpointId,
) -> persistence::Result<DeliveryResults> {
    let since = deps.clock.now().minus(Duration::from_hours(24));
    deps.db.reads_of(owner, seen).delivery_results(endpoint, since, MAX_COUNTED).await
}

/// Lists the first [`MAX_LISTED_ABOUT`] deliveries of events about a message, in the order of the
/// events. Those of deleted endpoints are left out.
pub async fn deliveries_about(
    deps: &Deps,
    owner: Owner,
    seen: Seen,
    message: MessageId,
) -> persistence::Result<Vec<EndpointDelivery>> {
    let subject = SubjectId::from_uuid(*message.uuid());
    let found = deps.db.reads_of(owner, seen).deliveries_about(subject, MAX_LISTED_ABOUT).await?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let endpoints = list(deps, owner, seen).await?;
    let with_endpoint = |(delivery, last_attempt): (Delivery, Option<Attempt>)| {
        let endpoint = endpoints.iter().find(|it| it.id == delivery.endpoint_id)?.clone();
        Some(EndpointDelivery { delivery, last_attempt, endpoint })
    };
    Ok(found.into_iter().filter_map(with_endpoint).collect())
}

/// Loads one delivery of an endpoint.
pub async fn delivery(
    deps: &Deps,
    owner: Owner,
    seen: Seen,
    endpoint: WebhookEndpointId,
    id: DeliveryId,
) -> persistence::Result<Option<DeliveryDetails>> {
    deps.db.reads_of(owner, seen).delivery(endpoint, id).await
}

/// Creates an endpoint. Its secret is shown only here.
pub async fn create(
    deps: &Deps,
    owner: Owner,
    endpoint_input: EndpointInput<'_>,
) -> Result<(Endpoint, WebhookSecret), EndpointError> {
    let EndpointInput { url, description, events } = endpoint_input;
    let (url, description) = read(deps, url, description)?;
    let now = deps.clock.now();
    let id = deps.id::<domain::id::WebhookEndpoint>(now);
    let (secret, sealed) = generate_secret(deps, id)?;
    let new = Endpoint {
        id,
        owner_id: owner.id(),
        organization_id: owner.organization(),
        application_id: owner.application(),
        url: url.to_string(),
        description,
        events: events.written(),
        state: EndpointState::Enabled,
        disabled_reason: None,
        disabled_at: None,
        secret: sealed,
        previous_secret: None,
        previous_until: None,
        created_at: now,
        is_log: false,
        failing_since: None,
    };
    let made = deps.db.owner(owner).insert_endpoint(new.clone(), MAX_ENDPOINTS.into());
    if made.await? { Ok((new, secret)) } else { Err(EndpointError::TooMany) }
}

/// Changes an endpoint. Returns `false` if it does not exist.
pub async fn change(
    deps: &Deps,
    owner: Owner,
    id: WebhookEndpointId,
    update: EndpointUpdate<'_>,
) -> Result<bool, EndpointError> {
    let EndpointUpdate { url, description, events } = update;
    if url.is_none() && description.is_none() && events.is_none() {
        return Ok(find(deps, owner, id).await?.is_some());
    }
    let url = url.map(|it| parse_url(deps, it)).transpose();
    let description = description.map(domain::application::description).transpose();
    let (url, description) = without_faults(url, description)?;
    let change = EndpointChange {
        url: url.map(|it| it.to_string()),
        description,
        events: events.map(Selection::written),
    };
    Ok(deps.db.owner(owner).change_endpoint(id, change).await?)
}

/// Gives an endpoint a new secret. For a day, requests are also signed with the previous one.
pub async fn rotate(
    deps: &Deps,
    owner: Owner,
    id: WebhookEndpointId,
) -> Result<Option<WebhookSecret>, EndpointError> {
    let (secret, sealed) = generate_secret(deps, id)?;
    let until = deps.clock.now().plus(SIGNS_ALONG);
    let rotated = deps.db.owner(owner).rotate_endpoint(id, sealed, until).await?;
    Ok(rotated.then_some(secret))
}

/// Sends a test event to an endpoint. Returns the delivery, or `None` if there is no such
/// endpoint.
pub async fn send_test(
    deps: &Deps,
    owner: Owner,
    organization: OrganizationId,
    endpoint: &Endpoint,
) -> Result<Option<DeliveryId>, EndpointError> {
    let now = deps.clock.now();
    let id = deps.id::<domain::id::Delivery>(now);
    let test = NewEvent {
        organization,
        account: None,
        kind: EventKind::WebhookTest,
        payload: EventPayload::Endpoint(endpoint.id),
        at: now,
    };
    let delivery = Delivery {
        owner_id: owner.id(),
        id,
        endpoint_id: endpoint.id,
        organization_id: organization,
        // The database sets these two when it numbers the event.
        sequence: 0,
        event_id: deps.id::<domain::id::Event>(now),
        kind: EventKind::WebhookTest,
        state: DeliveryState::Pending,
        attempts: 0.into(),
        failures: 0.into(),
        due_at: Some(now),
        created_at: now,
        completed_at: None,
        subject: None,
    };
    let sent = deps.db.owner(owner).send_test(test, delivery, now).await?;
    deps.wakeups.delivering.notify_waiters();
    Ok(sent.then_some(id))
}

/// Waits up to `RESULT_WAIT` for the attempt that follows the first `after` attempts of a
/// delivery. Polls the database, because another instance may make the attempt.
pub async fn next_attempt(
    deps: &Deps,
    owner: Owner,
    endpoint: WebhookEndpointId,
    delivery: DeliveryId,
    after: usize,
) -> persistence::Result<Option<Attempt>> {
    let (watch, mut pause) = (Stopwatch::start(), FIRST_LOOK);
    loop {
        tokio::time::sleep(pause).await;
        let found = deps.db.owner(owner).delivery(endpoint, delivery).await?;
        let attempts = found.map(|(_, _, attempts)| attempts).unwrap_or_default();
        if let Some(attempt) = attempts.into_iter().nth(after) {
            return Ok(Some(attempt));
        }
        if watch.elapsed() >= RESULT_WAIT {
            return Ok(None);
        }
        pause = (pause * 2).min(RESULT_WAIT.saturating_sub(watch.elapsed()));
    }
}

/// Resends one delivery. Returns `false` if it does not exist.
pub async fn resend_delivery(
    deps: &Deps,
    owner: Owner,
    endpoint: &Endpoint,
    delivery: DeliveryId,
) -> Result<bool, EndpointError> {
    let now = deps.clock.now();
    let found = deps.db.owner(owner).resend_delivery(endpoint.id, delivery, now).await?;
    deps.wakeups.delivering.notify_waiters();
    Ok(found)
}

/// Delivers the events of a period again. Returns the number of events to scan.
pub async fn replay(
    deps: &Deps,
    owner: Owner,
    endpoint: &Endpoint,
    from: Timestamp,
    to: Timestamp,
) -> Result<i64, EndpointError> {
    let found = deps.db.owner(owner).replay(endpoint.id, from, to).await?;
    deps.events_recorded();
    Ok(found)
}

fn read(
    deps: &Deps,
    url: &str,
    about: &str,
) -> Result<(EndpointUrl, Option<String>), EndpointError> {
    without_faults(parse_url(deps, url), description(about))
}

/// Returns the error for a form whose event selection is invalid, together with the form's
/// other errors.
#[must_use]
pub fn without_events(deps: &Deps, url: &str, about: &str, why: InvalidSelection) -> EndpointError {
    let (url, about) =
        (parse_url(deps, url).err(), description(about).err().map(EndpointFault::from));
    let faults = [url, about, Some(why.into())];
    EndpointError::Input(faults.into_iter().flatten().collect())
}

fn parse_url(deps: &Deps, text: &str) -> Result<EndpointUrl, EndpointFault> {
    let url = EndpointUrl::parse(text)?;
    deps.outbound.guarded.check(url.as_str())?;
    Ok(url)
}

fn generate_secret(
    deps: &Deps,
    owner: WebhookEndpointId,
) -> Result<(WebhookSecret, Vec<u8>), SealingError> {
    let (entropy, sealing) = (&deps.entropy, &deps.sealing);
    let secret = WebhookSecret::new(entropy.bytes());
    let sealed =
        sealing.seal(&secret.reveal(), &owner.to_string(), entropy.bytes(), entropy.bytes())?;
    Ok((secret, sealed))
}
