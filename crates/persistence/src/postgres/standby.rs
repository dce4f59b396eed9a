//! A standby of the primary, from which is read what it has replayed (decision 103). Where it cannot be used, or not in
//! time, the primary is read: whoever asks never hears of it.
use super::lending::PoolMode;
use super::pooled::{Fate, on_waiting};
use super::position::{Look, Replayed, Timeline, begin_reading, look, replayed};
use super::{Conn, pool, pooler};
use crate::deadline::within_request;
use crate::seen::Position;
use crate::timing::{self, StandbyRead};
use crate::{Error, Result};
use database::postgres::config::Config;
use diesel_async::SimpleAsyncConnection as _;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::future::{BoxFuture, FutureExt as _};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio::time::{sleep, timeout};

/// How long a read waits for a connection to the standby.
const CONNECTION: Duration = Duration::from_millis(300);
/// How long the standby may take to say what it has replayed: ten milliseconds, for which it waits for the rest, and the way
/// there and back. One that is frozen says nothing.
const SILENT: Duration = Duration::from_millis(300);
/// How long a read may take there: enough is left of the request's time to read from the primary after it.
const READ: Duration = Duration::from_millis(1_200);
/// A statement there ends before [`READ`] does, so that one which only takes long costs no connection.
const SESSION: &str = "SET statement_timeout = 1000";
/// So many reads in a row for which it is behind put it aside: one alone may just have come at a bad moment.
const BEHIND_IN_A_ROW: u32 = 3;
/// How often the standby is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// When it is looked at again after a read could not use it: most often it was only behind by some milliseconds.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// Why a standby is not read from.
#[derive(Debug, thiserror::Error)]
enum Unfit {
    #[error("the primary did not say how far it is: {0}")]
    Primary(Error),
    #[error("it cannot be reached: {0}")]
    Unreachable(Error),
    #[error("it does not answer in time")]
    Silent,
    #[error("it is no standby of this primary, or not of its timeline")]
    OfAnother,
    #[error("it is behind by {0} bytes of the primary's log")]
    Behind(i64),
}

/// What came of a read.
enum Attempt {
    Answered,
    Behind,
    /// It does not answer, or is no standby any more.
    Unfit,
    /// It could not do this read; others it may.
    Failed,
}

type Job = Box<dyn for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (Fate, Attempt)> + Send>;

/// A standby, with connections of its own.
pub(crate) struct Standby {
    config: Config,
    connections: usize,
    runtime: Handle,
    /// Once it has been reached.
    reached: OnceLock<(Pool<Conn>, PoolMode)>,
    is_used: AtomicBool,
    behind_in_a_row: AtomicU32,
    /// The primary's timeline, and how a standby that follows it is known.
    timeline: RwLock<Option<Timeline>>,
    put_aside: Notify,
}

impl Standby {
    /// The standby behind `url`, which is looked at from now on beside its primary. It need not be there yet.
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
        drop(runtime.spawn(keep(primary.clone(), Arc::downgrade(&standby))));
        Ok(standby)
    }

    /// Reads, if the standby has replayed what the primary had written there. Nothing where the primary has to be read.
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
                    Ok(Ok(found)) if !found.follows => return (Fate::Closed, Attempt::Unfit),
                    Ok(Ok(found)) if !found.is_reached => {
                        return (end_reading(conn, mode).await, Attempt::Behind);
                    }
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => return (Fate::Closed, failed(&error)),
                    Err(_) => return (Fate::Closed, Attempt::Unfit),
                }
                match operation(conn).await {
                    Ok(found) => {
                        // It fails where the caller no longer waits.
                        drop(answer.send(found));
                        (end_reading(conn, mode).await, Attempt::Answered)
                    }
                    Err(error) => (Fate::Closed, failed(&error)),
                }
            }
            .boxed()
        });
        match self.attempt(pool, job).await {
            Attempt::Answered => {
                timing::standby_read(StandbyRead::Served);
                self.behind_in_a_row.store(0, Ordering::Relaxed);
                answered.try_recv().ok()
            }
            Attempt::Failed => {
                timing::standby_read(StandbyRead::Failed);
                None
            }
            Attempt::Behind => {
                timing::standby_read(StandbyRead::Behind);
                if self.behind_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= BEHIND_IN_A_ROW {
                    self.put_aside();
                }
                None
            }
            Attempt::Unfit => {
                timing::standby_read(StandbyRead::Failed);
                self.put_aside();
                None
            }
        }
    }

    /// To its end even if the caller leaves, so that no connection is closed for that.
    async fn attempt(&self, pool: Pool<Conn>, job: Job) -> Attempt {
        let work = async move { on_waiting(&pool, CONNECTION, READ, job).await };
        match within_request(self.runtime.spawn(work)).await {
            Some(Ok(Ok(attempt))) => attempt,
            Some(Ok(Err(_)) | Err(_)) | None => Attempt::Unfit,
        }
    }

    /// Its connections, and how one that follows the primary there is known; nothing while it is not used.
    fn usable(&self, position: Position) -> Option<(Pool<Conn>, PoolMode, Timeline)> {
        if !self.is_used.load(Ordering::Relaxed) {
            return None;
        }
        let timeline = *self.timeline.read().unwrap_or_else(PoisonError::into_inner);
        let timeline = timeline.filter(|it| it.id == position.timeline);
        let (Some(timeline), Some((pool, mode))) = (timeline, self.reached.get()) else {
            // Another primary: whether the standby follows that is found out first.
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

    /// Compares it with the primary; `None` if that is a standby itself.
    async fn compare(&self, primary: &Pool<Conn>) -> Option<Result<i64, Unfit>> {
        let asked = super::pooled::on(primary, |conn| look(conn).boxed()).await;
        let Look { position, timeline } = match asked {
            Ok(look) => look?,
            Err(error) => return Some(Err(Unfit::Primary(error))),
        };
        *self.timeline.write().unwrap_or_else(PoisonError::into_inner) = Some(timeline);
        Some(self.compare_with(position, timeline).await)
    }

    async fn compare_with(&self, position: Position, timeline: Timeline) -> Result<i64, Unfit> {
        let (pool, mode) = self.reach().await.map_err(Unfit::Unreachable)?.clone();
        let found = on_waiting(&pool, CONNECTION, SILENT, move |conn| {
            async move {
                let found = has_replayed(conn, mode, position, timeline).await;
                let ended = end_reading(conn, mode).await;
                (if found.is_ok() { ended } else { Fate::Closed }, found)
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

    async fn reach(&self) -> Result<&(Pool<Conn>, PoolMode)> {
        if let Some(reached) = self.reached.get() {
            return Ok(reached);
        }
        let mode = pooler::lending(&self.config).await?;
        let pool = pool(&self.config, mode, self.connections, &self.runtime, SESSION)?;
        Ok(self.reached.get_or_init(|| (pool, mode)))
    }
}

/// What a standby has replayed, on this connection. Where a pooler lends the connection for a transaction, the check and what
/// is read after it are one: the next one may be another standby's.
async fn has_replayed(
    conn: &mut Conn,
    mode: PoolMode,
    position: Position,
    timeline: Timeline,
) -> Result<Replayed> {
    if mode == PoolMode::Transaction {
        begin_reading(conn).await?;
    }
    replayed(conn, position, timeline).await
}

async fn end_reading(conn: &mut Conn, mode: PoolMode) -> Fate {
    if mode == PoolMode::Session {
        return Fate::Kept;
    }
    if conn.batch_execute("COMMIT").await.is_ok() { Fate::Kept } else { Fate::Closed }
}

/// A read that stood in the way of what is replayed is ended there (`canceling statement due to conflict with recovery`).
fn failed(error: &Error) -> Attempt {
    tracing::debug!(%error, "the standby did not answer a read, which goes to the primary");
    let is_gone = error.ends_connection() || matches!(error, Error::Connect(_) | Error::Unknown(_));
    if is_gone { Attempt::Unfit } else { Attempt::Failed }
}

/// Looks at the standby, as long as anybody reads from it.
async fn keep(primary: Pool<Conn>, standby: Weak<Standby>) {
    let (mut pause, mut told) = (Duration::ZERO, None);
    loop {
        sleep(pause).await;
        let Some(it) = standby.upgrade() else { return };
        let found = it.compare(&primary).await;
        if let Some(found) = &found {
            it.behind_in_a_row.store(0, Ordering::Relaxed);
            it.is_used.store(found.is_ok(), Ordering::Relaxed);
            // One that is behind for some milliseconds is nothing to tell of.
            let is_brief = matches!(found, Err(Unfit::Behind(_))) && pause < LOOK_EVERY;
            if told != Some(found.is_ok()) && !is_brief {
                told = Some(found.is_ok());
                tell(found);
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

fn tell(found: &Result<i64, Unfit>) {
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
