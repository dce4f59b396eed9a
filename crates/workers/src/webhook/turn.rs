//! One turn of an endpoint. Several due deliveries are tried at a time, and their results are
//! recorded while other answers are still awaited.

use super::attempt::attempt;
use super::lane::Lane;
use auth::webhook::WebhookSecret;
use domain::number::saturating;
use domain::time::Timestamp;
use domain::webhook::{AttemptResult, EndpointState};
use futures_util::{StreamExt as _, future, stream};
use persistence::Result;
use persistence::records::{
    Delivery, DeliverySettlement, DeliveryUpdate, Endpoint, EventWithSubject,
};
use platform::Deps;
use platform::clock::Stopwatch;
use service::webhook_signatures::signing_secrets;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// The time within which a turn begins attempts.
const TURN: Duration = Duration::from_secs(10);
/// How long a failed settlement is retried, and the time between two retries.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(10);
const SETTLE_RETRY_DELAY: Duration = Duration::from_millis(500);

/// Returns how long a claim lasts: until the last attempt has been answered and recorded.
pub fn lease(deps: &Deps) -> Duration {
    TURN + deps.settings.channel.webhook_timeout + SETTLE_TIMEOUT
}

/// A claimed endpoint.
struct EndpointTurn<'a> {
    deps: &'a Deps,
    lane: Lane,
    endpoint: Endpoint,
    /// The end of the claim.
    until: Timestamp,
}

/// Sends an endpoint's due deliveries, as many as its lane allows. Returns whether there may be
/// more.
pub async fn work_on(
    deps: &Deps,
    lane: Lane,
    endpoint: Endpoint,
    until: Timestamp,
) -> Result<bool> {
    let now = deps.clock.now();
    let turn = EndpointTurn { deps, lane, endpoint, until };
    if turn.endpoint.health().at(now).state() == EndpointState::Disabled {
        turn.record_results(Vec::new(), true).await?;
        return Ok(false);
    }
    let secrets = match signing_secrets(deps, &turn.endpoint, now) {
        Ok(secrets) => secrets,
        Err(error) => {
            // The endpoint has not failed. Its claim expires, and then it is tried again.
            tracing::error!(%error, endpoint = %turn.endpoint.id, "a webhook secret cannot be opened");
            return Ok(false);
        }
    };
    let portion = saturating(lane.portion, i64::MAX);
    let due = deps
        .db
        .operator()
        .due_deliveries(turn.endpoint.owner_id, turn.endpoint.id, now, portion)
        .await?;
    let found = due.len();
    let tried = turn.deliver(&secrets, due, now.plus(TURN)).await?;
    Ok(found == lane.portion || tried < found)
}

impl EndpointTurn<'_> {
    /// Tries deliveries and records the results. Returns how many were tried. After a failure no
    /// further attempt is begun, because the endpoint then belongs to the lane of failing
    /// endpoints.
    async fn deliver(
        &self,
        secrets: &[WebhookSecret],
        due: Vec<(Delivery, Option<EventWithSubject>)>,
        begin_until: Timestamp,
    ) -> Result<usize> {
        let (answered, answers) = mpsc::channel(self.lane.portion);
        let stop = AtomicBool::new(false);
        let attempts = async {
            // The block takes ownership of the sender, so that it is dropped after the last attempt
            // and the receiver sees the end.
            let answered = answered;
            let begins = |_: &_| {
                let late = self.deps.clock.now() > begin_until;
                future::ready(!late && !stop.load(Ordering::Relaxed))
            };
            let mut attempts = stream::iter(due)
                .take_while(begins)
                .map(|(delivery, event)| {
                    attempt(self.deps, &self.endpoint, secrets, delivery, event)
                })
                .buffer_unordered(self.lane.each);
            while let Some(update) = attempts.next().await {
                let taken = update.answer == AttemptResult::Taken;
                // If results can no longer be recorded, or an attempt has failed, no further
                // attempt is begun.
                if answered.send(update).await.is_err() || !taken {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        };
        let ((), recorded) = future::join(attempts, self.record(answers)).await;
        recorded
    }

    /// Records results as they arrive, all available ones together, and releases the endpoint with
    /// the last ones. Returns the number of results.
    async fn record(&self, mut answers: mpsc::Receiver<DeliveryUpdate>) -> Result<usize> {
        let (mut tried, mut recorded) = (Vec::new(), 0);
        loop {
            recorded += answers.recv_many(&mut tried, self.lane.portion).await;
            let last = answers.is_closed() && answers.is_empty();
            self.record_results(mem::take(&mut tried), last).await?;
            if last {
                return Ok(recorded);
            }
        }
    }

    /// Records the results of deliveries, with retries while the claim lasts. Without the results,
    /// delivered events would be delivered again.
    async fn record_results(&self, tried: Vec<DeliveryUpdate>, release: bool) -> Result<()> {
        let at = self.deps.clock.now();
        let (owner, endpoint) = (self.endpoint.owner_id, self.endpoint.id);
        // If the endpoint was failing, or an attempt failed now, the results may record an event
        // about the endpoint's health.
        let changes = self.endpoint.failing_since.is_some()
            || tried.iter().any(|it| it.answer != AttemptResult::Taken);
        let settled = DeliverySettlement { owner, endpoint, until: self.until, at, tried, release };
        let watch = Stopwatch::start();
        loop {
            match self.deps.db.operator().record_delivery_results(settled.clone()).await {
                Err(error) if watch.elapsed() < SETTLE_TIMEOUT => {
                    tracing::warn!(%error, %endpoint, "a settlement failed; it is retried");
                    tokio::time::sleep(SETTLE_RETRY_DELAY).await;
                }
                done => {
                    if changes {
                        self.deps.events_recorded();
                    }
                    return done;
                }
            }
        }
    }
}
