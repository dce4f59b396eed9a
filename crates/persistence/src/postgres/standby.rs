//! Reads from a standby, if the standby has replayed all writes that the caller must see (decision
//! 103). If the standby is not usable or too slow, the caller reads from the primary and gets no
//! error.
use super::pool_mode::PoolMode;
use super::pooled::{ConnectionDisposition, on_waiting};
use super::position::{Look, PostgresTimeline, Replayed, begin_reading, read_position, replayed};
use super::{Conn, pool, pooler};
use crate::deadline::within_request;
use crate::seen::Position;
use crate::timing::{self, StandbyRead};
use crate::{Error, Result};
use database::postgres::config::Config;
use diesel_async::SimpleAsyncConnection as _;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::future::{BoxFuture, FutureExt as _};
use parking_lot::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio::time::{sleep, timeout};

/// The longest time that a read waits for a connection to the standby.
const CONNECTION: Duration = Duration::from_millis(300);
/// The longest time to wait for the standby's replay position. A standby that works answers after
/// the round trip and up to 10 ms of waiting for the replay. A server that hangs does not answer at
/// all.
const SILENT: Duration = Duration::from_millis(300);
/// The longest time of a read from the standby. If the read fails, the remaining time of the
/// request is enough to read from the primary.
const READ: Duration = Duration::from_millis(1_200);
/// The statement timeout on the standby. It is shorter than [`READ`], so that the server ends a
/// slow statement and the connection stays usable.
const SESSION: &str = "SET statement_timeout = 1000";
/// The number of consecutive reads for which the standby must be behind before it is suspended. A
/// single late read does not mean that the standby is slow.
const BEHIND_IN_A_ROW: u32 = 3;
/// The interval at which the standby is checked.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The time until the first check after a suspension. Usually the standby was only some
/// milliseconds behind.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// The reason why the standby is not used.
#[derive(Debug, thiserror::Error)]
enum Unfit {
    #[error("the primary's log position could not be read: {0}")]
    Primary(Error),
    #[error("the standby cannot be reached: {0}")]
    Unreachable(Error),
    #[error("the standby does not answer in time")]
    Silent,
    #[error("the server is not a standby of this primary, or follows another timeline")]
    OfAnother,
    #[error("the standby is {0} bytes of the log behind the primary")]
    Behind(i64),
}

/// The result of an attempt to read from the standby.
enum StandbyAttempt {
    Answered,
    Behind,
    /// The standby does not answer, or is no longer a standby of this primary.
    Unfit,
    /// The standby could not answer this read. It may answer others.
    Failed,
}

type Job = Box<
    dyn for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (ConnectionDisposition, StandbyAttempt)>
        + Send,
>;

/// A standby with its own connections.
pub(crate) struct Standby {
    config: Config,
    connections: usize,
    runtime: Handle,
    /// The pool and the pooling mode, set when the standby is reached for the first time.
    reached: OnceLock<(Pool<Conn>, PoolMode)>,
    is_used: AtomicBool,
    behind_in_a_row: AtomicU32,
    /// The primary's timeline and its mark.
    timeline: RwLock<Option<PostgresTimeline>>,
    put_aside: Notify,
}

impl Standby {
    /// Starts to watch the standby behind `url`. It need not be reachable yet.
    pub(super) fn watch(
        url: &str,
        connections: usize,
        primary: &Pool<Conn>,
        runtime: &Handle,
    ) -> Result<Arc<Self>> {
        let standby = Arc::new(Self {
            config: Config::read(url)?,
            connections,
            runtime: runtime.clone(),
            reached: OnceLock::new(),
            is_used: AtomicBool::new(false),
            behind_in_a_row: AtomicU32::new(0),
            timeline: RwLock::default(),
            put_aside: Notify::new(),
        });
        drop(runtime.spawn(check_periodically(primary.clone(), Arc::downgrade(&standby))));
        Ok(standby)
    }

    /// Runs a read if the standby has replayed the log up to `position`. Returns `None` if the
    /// caller must read from the primary.
    pub(crate) async fn read<R: Send + 'static>(
        &self,
        position: Position,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> Option<R> {
        let Some((pool, mode, timeline)) = self.usable(position) else {
            timing::standby_read(StandbyRead::Unused);
            return None;
        };
        let (answer, mut answered) = oneshot::channel();
        let job: Job = Box::new(move |conn| {
            async move {
                let checked = timeout(SILENT, has_replayed(conn, mode, position, timeline)).await;
                match checked {
                    Ok(Ok(found)) if !found.follows => {
                        return (ConnectionDisposition::Closed, StandbyAttempt::Unfit);
                    }
                    Ok(Ok(found)) if !found.is_reached => {
                        return (end_reading(conn, mode).await, StandbyAttempt::Behind);
                    }
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => return (ConnectionDisposition::Closed, failed(&error)),
                    Err(_) => return (ConnectionDisposition::Closed, StandbyAttempt::Unfit),
                }
                match operation(conn).await {
                    Ok(found) => {
                        // Sending fails if the caller no longer waits.
                        drop(answer.send(found));
                        (end_reading(conn, mode).await, StandbyAttempt::Answered)
                    }
                    Err(error) => (ConnectionDisposition::Closed, failed(&error)),
                }
            }
            .boxed()
        });
        match self.attempt(pool, job).await {
            StandbyAttempt::Answered => {
                timing::standby_read(StandbyRead::Served);
                self.behind_in_a_row.store(0, Ordering::Relaxed);
                answered.try_recv().ok()
            }
            StandbyAttempt::Failed => {
                timing::standby_read(StandbyRead::Failed);
                None
            }
            StandbyAttempt::Behind => {
                timing::standby_read(StandbyRead::Behind);
                if self.behind_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= BEHIND_IN_A_ROW {
                    self.put_aside();
                }
                None
            }
            StandbyAttempt::Unfit => {
                timing::standby_read(StandbyRead::Failed);
                self.put_aside();
                None
            }
        }
    }

    /// Runs a job to its end even if the caller is dropped, because the connection of an
    /// interrupted job would have to be closed.
    async fn attempt(&self, pool: Pool<Conn>, job: Job) -> StandbyAttempt {
        let work = async move { on_waiting(&pool, CONNECTION, READ, job).await };
        match within_request(self.runtime.spawn(work)).await {
            Some(Ok(Ok(attempt))) => attempt,
            Some(Ok(Err(_)) | Err(_)) | None => StandbyAttempt::Unfit,
        }
    }

    /// Returns the connections and the timeline's mark, or `None` while the standby is not in use.
    fn usable(&self, position: Position) -> Option<(Pool<Conn>, PoolMode, PostgresTimeline)> {
        if !self.is_used.load(Ordering::Relaxed) {
            return None;
        }
        let timeline = *self.timeline.read();
        let timeline = timeline.filter(|it| it.id == position.timeline);
        let (Some(timeline), Some((pool, mode))) = (timeline, self.reached.get()) else {
            // The primary has a new timeline. The standby is suspended until it is known to follow
            // the new primary.
            self.put_aside();
            return None;
        };
        Some((pool.clone(), *mode, timeline))
    }

    fn put_aside(&self) {
        if self.is_used.swap(false, Ordering::Relaxed) {
            self.put_aside.notify_one();
        }
    }

    /// Compares the standby with the primary. Returns `None` if the primary is a standby itself.
    async fn compare(&self, primary: &Pool<Conn>) -> Option<Result<i64, Unfit>> {
        let asked = super::pooled::on(primary, |conn| read_position(conn).boxed()).await;
        let Look { position, timeline } = match asked {
            Ok(look) => look?,
            Err(error) => return Some(Err(Unfit::Primary(error))),
        };
        *self.timeline.write() = Some(timeline);
        Some(self.compare_with(position, timeline).await)
    }

    async fn compare_with(
        &self,
        position: Position,
        timeline: PostgresTimeline,
    ) -> Result<i64, Unfit> {
        let (pool, mode) = self.connected().await.map_err(Unfit::Unreachable)?.clone();
        let found = on_waiting(&pool, CONNECTION, SILENT, move |conn| {
            async move {
                let found = has_replayed(conn, mode, position, timeline).await;
                let ended = end_reading(conn, mode).await;
                (if found.is_ok() { ended } else { ConnectionDisposition::Closed }, found)
            }
            .boxed()
        });
        let found = match found.await {
            Ok(found) => found.map_err(Unfit::Unreachable)?,
            Err(Error::Unknown(_)) => return Err(Unfit::Silent),
            Err(error) => return Err(Unfit::Unreachable(error)),
        };
        let behind = position.bytes.saturating_sub(found.bytes).max(0);
        match found {
            Replayed { is_reached: true, follows: true, .. } => Ok(behind),
            Replayed { is_reached: false, is_standby: true, .. } => Err(Unfit::Behind(behind)),
            Replayed { .. } => Err(Unfit::OfAnother),
        }
    }

    async fn connected(&self) -> Result<&(Pool<Conn>, PoolMode)> {
        if let Some(reached) = self.reached.get() {
            return Ok(reached);
        }
        let mode = pooler::detect_pool_mode(&self.config).await?;
        let pool = pool(&self.config, mode, self.connections, &self.runtime, SESSION)?;
        Ok(self.reached.get_or_init(|| (pool, mode)))
    }
}

/// Returns how far a standby has replayed the log. Behind a pooler in transaction mode, this check
/// and the following read share one transaction, because the next transaction may use a connection
/// to another standby.
async fn has_replayed(
    conn: &mut Conn,
    mode: PoolMode,
    position: Position,
    timeline: PostgresTimeline,
) -> Result<Replayed> {
    if mode == PoolMode::Transaction {
        begin_reading(conn).await?;
    }
    replayed(conn, position, timeline).await
}

async fn end_reading(conn: &mut Conn, mode: PoolMode) -> ConnectionDisposition {
    if mode == PoolMode::Session {
        return ConnectionDisposition::Kept;
    }
    if conn.batch_execute("COMMIT").await.is_ok() {
        ConnectionDisposition::Kept
    } else {
        ConnectionDisposition::Closed
    }
}

/// Decides what a failed read means. PostgreSQL cancels a read that conflicts with the replay
/// (`canceling statement due to conflict with recovery`).
fn failed(error: &Error) -> StandbyAttempt {
    tracing::debug!(%error, "the standby did not answer a read; the primary is read instead");
    let is_gone = error.ends_connection() || matches!(error, Error::Connect(_) | Error::Unknown(_));
    if is_gone { StandbyAttempt::Unfit } else { StandbyAttempt::Failed }
}

/// Checks the standby at intervals, until its last owner drops it.
async fn check_periodically(primary: Pool<Conn>, standby: Weak<Standby>) {
    let (mut pause, mut told) = (Duration::ZERO, None);
    loop {
        sleep(pause).await;
        let Some(it) = standby.upgrade() else { return };
        let found = it.compare(&primary).await;
        if let Some(found) = &found {
            it.behind_in_a_row.store(0, Ordering::Relaxed);
            it.is_used.store(found.is_ok(), Ordering::Relaxed);
            // A standby that is only some milliseconds behind is not reported.
            let is_brief = matches!(found, Err(Unfit::Behind(_))) && pause < LOOK_EVERY;
            if told != Some(found.is_ok()) && !is_brief {
                told = Some(found.is_ok());
                log_change(found);
            }
        }
        let is_used = it.is_used.load(Ordering::Relaxed);
        timing::standby(is_used, found.as_ref().and_then(behind));
        pause = if !is_used {
            (2 * pause).clamp(FIRST_PAUSE, LOOK_EVERY)
        } else if timeout(LOOK_EVERY, it.put_aside.notified()).await.is_ok() {
            FIRST_PAUSE
        } else {
            Duration::ZERO
        };
    }
}

fn log_change(found: &Result<i64, Unfit>) {
    match found {
        Ok(_) => tracing::info!("histories and lists are read from the standby"),
        Err(why) => {
            tracing::warn!(%why, "the standby is not read from; its reads go to the primary");
        }
    }
}

fn behind(found: &Result<i64, Unfit>) -> Option<i64> {
    match found {
        Ok(bytes) | Err(Unfit::Behind(bytes)) => Some(*bytes),
        Err(_) => None,
    }
}
