//! One endpoint's turn: what is due there is tried, several deliveries at a time, and what was answered is recorded while
//! others are still waited for.

use super::attempt::{attempt, secrets_of};
use super::lane::Lane;
use crate::Deps;
use crate::clock::Stopwatch;
use auth::webhook::WebhookSecret;
use domain::number::saturating;
use domain::time::Timestamp;
use domain::webhook::{AttemptResult, EndpointState};
use futures_util::{StreamExt as _, future, stream};
use persistence::Result;
use persistence::records::{
    Delivery, DeliverySettlement, DeliveryUpdate, Endpoint, EventWithSubject,
};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// So long attempts are begun.
const TURN: Duration = Duration::from_secs(10);
/// How long a settlement that failed is retried, and after how long each time.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(10);
const SETTLE_RETRY_DELAY: Duration = Duration::from_millis(500);

/// How long a claim holds: until what was begun last has been answered and recorded.
pub fn lease(deps: &Deps) -> Duration {
    TURN + deps.settings.channel.webhook_timeout + SETTLE_TIMEOUT
}

/// An endpoint that is claimed.
struct Turn<'a> {
    deps: &'a Deps,
    lane: Lane,
    endpoint: Endpoint,
    /// Until when it is claimed.
    until: Timestamp,
}

/// One endpoint's deliveries, all that are due or as many as its lane allows; returns whether more may be due.
pub async fn work_on(
    deps: &Deps,
    lane: Lane,
    endpoint: Endpoint,
    until: Timestamp,
) -> Result<bool> {
    let now = deps.clock.now();
    let turn = Turn { deps, lane, endpoint, until };
    if turn.endpoint.health().at(now).state() == EndpointState::Disabled {
        turn.settle(Vec::new(), true).await?;
        return Ok(false);
    }
    let secrets = match secrets_of(deps, &turn.endpoint, now) {
        Ok(secrets) => secrets,
        Err(error) => {
            // No fault of the endpoint's: its claim runs out, and then it is retried.
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

impl Turn<'_> {
    /// Tries deliveries and records what came of them; returns how many were tried. None is begun after one has failed,
    /// for then the endpoint is the other lane's business.
    async fn deliver(
        &self,
        secrets: &[WebhookSecret],
        due: Vec<(Delivery, Option<EventWithSubject>)>,
        begin_until: Timestamp,
    ) -> Result<usize> {
        let (answered, answers) = mpsc::channel(self.lane.portion);
        let stop = AtomicBool::new(false);
        let attempts = async {
            // Owned, so that the other side learns when the last attempt is in.
            let answered = answered;
            let begins = |_: &_| {
                let late = self.deps.clock.now() > begin_until;
                future::ready(!late && !stop.load(Ordering::Relaxed))
            };
            let mut attempts = stream::iter(due)
                .take_while(begins)
                .map(|due| attempt(self.deps, &self.endpoint, secrets, due))
                .buffer_unordered(self.lane.each);
            while let Some(update) = attempts.next().await {
                let taken = update.answer == AttemptResult::Taken;
                // What cannot be recorded would be delivered again.
                if answered.send(update).await.is_err() || !taken {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        };
        let ((), recorded) = future::join(attempts, self.record(answers)).await;
        recorded
    }

    /// Records answers as they come, all that are there at once, and lets go of the endpoint with the last of them;
    /// returns how many there were.
    async fn record(&self, mut answers: mpsc::Receiver<DeliveryUpdate>) -> Result<usize> {
        let (mut tried, mut recorded) = (Vec::new(), 0);
        loop {
            recorded += answers.recv_many(&mut tried, self.lane.portion).await;
            let last = answers.is_closed() && answers.is_empty();
            self.settle(mem::take(&mut tried), last).await?;
            if last {
                return Ok(recorded);
            }
        }
    }

    /// Records the result of deliveries, again and again as long as the claim holds: what was delivered would be
    /// delivered once more.
    async fn settle(&self, tried: Vec<DeliveryUpdate>, release: bool) -> Result<()> {
        let at = self.deps.clock.now();
        let (owner, endpoint) = (self.endpoint.owner_id, self.endpoint.id);
        let settled = DeliverySettlement { owner, endpoint, until: self.until, at, tried, release };
        let watch = Stopwatch::start();
        loop {
            match self.deps.db.operator().settle_deliveries(settled.clone()).await {
                Err(error) if watch.elapsed() < SETTLE_TIMEOUT => {
                    tracing::warn!(%error, %endpoint, "a settlement failed; it is retried");
                    tokio::time::sleep(SETTLE_RETRY_DELAY).await;
                }
                done => return done,
            }
        }
    }
}
