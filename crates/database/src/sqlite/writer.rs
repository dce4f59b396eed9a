//! The thread that executes all writes of this process. It commits the queued operations together,
//! in one transaction.
use super::checkpoints::{Checkpoints, MOST_LOG_PAGES};
use super::connection::{Conn, finish};
use super::identity::OpenedFile;
use super::{connect, existing};
use crate::deadline::within_request;
use crate::lock::WriteGate;
use crate::timing::Moment;
use crate::{Error, Result};
use diesel::connection::{AnsiTransactionManager as Tx, SimpleConnection as _, TransactionManager};
use futures_util::future::BoxFuture;
use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// The maximum number of operations in one commit.
const BATCH: usize = 512;
/// The minimum number of requests in a large commit. Large commits mean that requests arrive faster
/// than they are committed.
const LARGE: usize = 16;
/// The number of operations after which the thread checks whether another process waits to write.
const WAITER_CHECK_INTERVAL: usize = 8;

/// The maximum number of worker operations in a commit that also contains requests, and the time
/// after which no further worker operation is added.
const WORKER_OPERATIONS: usize = 4;
const WORKER_TIME: Duration = Duration::from_millis(1);

/// Sends the result to the caller, once the batch has been committed.
type SendResult = Box<dyn FnOnce()>;
/// An operation. Its argument is the connection with the open transaction, or the reason why there
/// is none. It returns an error only if the whole batch is lost; a failure of the operation itself
/// is part of the answer to its caller.
type Job = Box<dyn FnOnce(Result<&mut Conn>) -> Result<SendResult> + Send>;

/// The priority of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOrder {
    /// An operation of a request, whose client waits for the answer.
    First,
    /// An operation of a worker. A commit that also contains requests contains only a few of these.
    AfterRequests,
}

/// A handle to the thread that writes. Cheap to clone.
#[derive(Clone)]
pub struct Writer {
    jobs: mpsc::Sender<(WriteOrder, Job)>,
    large_commits: Arc<AtomicU64>,
}

impl Writer {
    /// Starts the thread for the database in `file`.
    pub fn start(file: Arc<str>, gate: WriteGate) -> Result<Self> {
        let (queue, jobs) = mpsc::channel(2 * BATCH);
        let large_commits = Arc::default();
        write_on_own_thread(file, gate, jobs, Arc::clone(&large_commits))?;
        Ok(Self { jobs: queue, large_commits })
    }

    /// Returns a writer that rejects every write.
    #[must_use]
    pub fn closed() -> Self {
        Self { jobs: mpsc::channel(1).0, large_commits: Arc::default() }
    }

    /// Returns the number of large commits so far.
    #[must_use]
    pub fn large_commits(&self) -> u64 {
        self.large_commits.load(Ordering::Relaxed)
    }

    /// Runs an operation and waits for its commit. The operation is committed even if the caller no
    /// longer waits. A request waits only until its deadline.
    pub async fn write<R: Send + 'static>(
        &self,
        order: WriteOrder,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> Result<R> {
        let (answer, answered) = oneshot::channel();
        let asked = Moment::now();
        let job: Job = Box::new(move |conn| {
            let conn = match conn {
                Ok(conn) => conn,
                Err(error) => return Ok(Box::new(move || drop(answer.send(Err(error))))),
            };
            asked.waited();
            let depth = transaction_depth(conn)?;
            Tx::begin_transaction(&mut conn.inner)?;
            // A panic fails only its own operation. The other operations in this commit are not at
            // fault.
            let ended = catch_unwind(AssertUnwindSafe(|| finish(operation(conn))));
            let outcome = ended.unwrap_or_else(|_| Err(panicked()));
            let outcome = if conn.take_failed() { outcome.and(Err(half_done())) } else { outcome };
            if outcome.is_ok() {
                Tx::commit_transaction(&mut conn.inner)?;
            } else {
                // An operation that panicked may have left its own savepoints open.
                while transaction_depth(conn)? > depth {
                    Tx::rollback_transaction(&mut conn.inner)?;
                }
            }
            Ok(Box::new(move || drop(answer.send(outcome))))
        });
        self.enqueue(order, job).await?;
        within_request(answered).await.ok_or_else(late)?.map_err(|_| writer_stopped())?
    }

    async fn enqueue(&self, order: WriteOrder, job: Job) -> Result<()> {
        let queued = within_request(self.jobs.send((order, job))).await.ok_or_else(late)?;
        queued.map_err(|_| writer_stopped())
    }
}

fn late() -> Error {
    Error::Unknown("the request's time for the database is over".to_owned())
}

fn writer_stopped() -> Error {
    Error::Unknown("the batch it was in was lost".to_owned())
}

fn panicked() -> Error {
    Error::Internal("a write panicked".to_owned())
}

/// Returns the number of open transactions and savepoints.
fn transaction_depth(conn: &mut Conn) -> Result<u32> {
    let status = Tx::transaction_manager_status_mut(&mut conn.inner);
    Ok(status.transaction_depth()?.map_or(0, NonZeroU32::get))
}

fn half_done() -> Error {
    Error::Internal("a part of the operation failed, and the operation went on".to_owned())
}

/// The queued operations. Each priority has its own queue.
struct Queue {
    incoming: mpsc::Receiver<(WriteOrder, Job)>,
    first: VecDeque<Job>,
    after_requests: VecDeque<Job>,
}

impl Queue {
    fn new(incoming: mpsc::Receiver<(WriteOrder, Job)>) -> Self {
        Self { incoming, first: VecDeque::new(), after_requests: VecDeque::new() }
    }

    /// Waits until an operation is queued. Returns `false` if all senders are gone, so that no
    /// operation can follow.
    fn wait(&mut self) -> bool {
        self.receive();
        if self.first.is_empty() && self.after_requests.is_empty() {
            match self.incoming.blocking_recv() {
                Some(next) => self.enqueue(next),
                None => return false,
            }
        }
        true
    }

    fn receive(&mut self) {
        while let Ok(next) = self.incoming.try_recv() {
            self.enqueue(next);
        }
    }

    fn enqueue(&mut self, (order, job): (WriteOrder, Job)) {
        match order {
            WriteOrder::First => self.first.push_back(job),
            WriteOrder::AfterRequests => self.after_requests.push_back(job),
        }
    }

    /// Returns the next operation for the current commit. Requests come first. Operations of
    /// workers may delay them for a short time only.
    fn next(&mut self, share: &mut Share) -> Option<(WriteOrder, Job)> {
        self.receive();
        if let Some(job) = self.first.pop_front() {
            share.requests += 1;
            return Some((WriteOrder::First, job));
        }
        if share.requests > 0 && share.is_used_up() {
            return None;
        }
        let job = self.after_requests.pop_front()?;
        share.workers += 1;
        Some((WriteOrder::AfterRequests, job))
    }

    fn drain(&mut self) -> impl Iterator<Item = Job> {
        self.receive();
        self.first.drain(..).chain(self.after_requests.drain(..))
    }
}

/// The operations that the current commit contains so far.
#[derive(Default)]
struct Share {
    /// The number of operations of requests.
    requests: usize,
    /// The number of worker operations.
    workers: usize,
    /// The time that the worker operations took.
    worker_time: Duration,
}

impl Share {
    /// Whether the worker operations have used up their share of a commit that also contains
    /// requests.
    const fn is_used_up(&self) -> bool {
        self.workers >= WORKER_OPERATIONS || self.worker_time.as_nanos() >= WORKER_TIME.as_nanos()
    }
}

fn write_on_own_thread(
    file: Arc<str>,
    gate: WriteGate,
    jobs: mpsc::Receiver<(WriteOrder, Job)>,
    large_commits: Arc<AtomicU64>,
) -> Result<()> {
    let opened = OpenedFile::read(&file)?;
    let checkpoints = Checkpoints::start(file.clone())?;
    let mut queue = Queue::new(jobs);
    let work = move || {
        // If a batch cannot be committed, its callers get an error and the connection is replaced.
        loop {
            let run = AssertUnwindSafe(|| {
                let conn = connect_to_write(&file)?;
                commit_in_batches(
                    conn,
                    &WriteTarget { opened: &opened, gate: &gate, large_commits: &large_commits },
                    &mut queue,
                    &checkpoints,
                )
            });
            match catch_unwind(run) {
                Ok(Ok(())) => return,
                Ok(Err(error)) => tracing::error!(%error, "a batch of writes was lost"),
                Err(_) => tracing::error!("the writing thread panicked; its batch was lost"),
            }
            // The queued operations are dropped, so that no caller keeps waiting for a database
            // that cannot be written to.
            queue.drain().for_each(drop);
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    let thread = std::thread::Builder::new().name("sqlite-write".to_owned()).spawn(work);
    thread.map(drop).map_err(|error| Error::Connect(error.to_string()))
}

fn connect_to_write(file: &str) -> Result<Conn> {
    let mut conn = Conn::new(connect(&existing(file))?);
    // The cache is larger than that of a reading connection, because this connection uses all
    // tables and keeps the pages that it changes. Deleted content is overwritten, so that no
    // deleted personal text stays in a page that is in use.
    conn.inner.batch_execute(&format!(
        "PRAGMA wal_autocheckpoint = {MOST_LOG_PAGES}; PRAGMA cache_size = -8192;
         PRAGMA secure_delete = FAST;"
    ))?;
    Ok(conn)
}

/// The database file, its write gate, and the count of its large commits.
struct WriteTarget<'a> {
    opened: &'a OpenedFile,
    gate: &'a WriteGate,
    large_commits: &'a AtomicU64,
}

/// Commits the queued operations batch by batch. While one batch is written to disk, the operations
/// of the next one are queued, so batches are larger under load.
fn commit_in_batches(
    mut conn: Conn,
    place: &WriteTarget<'_>,
    queue: &mut Queue,
    checkpoints: &Checkpoints,
) -> Result<()> {
    let mut is_told = false;
    while queue.wait() {
        let begins = Moment::now();
        if let Err(error) = place.opened.is_in_place() {
            if !std::mem::replace(&mut is_told, true) {
                tracing::error!(%error, "no writes are taken");
            }
            refuse(queue, &error.to_string())?;
            continue;
        }
        is_told = false;
        let begun =
            place.gate.pass(|| Ok(Tx::begin_transaction_sql(&mut conn.inner, "BEGIN IMMEDIATE")?));
        if let Err(error) = begun {
            refuse(queue, &format!("no write can be begun: {error}"))?;
            return Err(error);
        }
        let (mut answers, mut share) = (Vec::new(), Share::default());
        while answers.len() < BATCH
            && !(answers.len() % WAITER_CHECK_INTERVAL == WAITER_CHECK_INTERVAL - 1
                && place.gate.is_wanted())
            && let Some((order, job)) = queue.next(&mut share)
        {
            let begins = Moment::now();
            answers.push(job(Ok(&mut conn))?);
            if order == WriteOrder::AfterRequests {
                share.worker_time += begins.elapsed();
            }
        }
        Tx::commit_transaction(&mut conn.inner)?;
        begins.committed();
        if share.requests >= LARGE {
            place.large_commits.fetch_add(1, Ordering::Relaxed);
        }
        checkpoints.committed();
        for answer in answers {
            answer();
        }
        checkpoints.finish(&mut conn.inner);
    }
    Ok(())
}

/// Tells all waiting callers that nothing was done.
fn refuse(queue: &mut Queue, why: &str) -> Result<()> {
    for job in queue.drain() {
        job(Err(Error::Connect(why.to_owned())))?();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_go_first_and_a_commit_that_carries_them_has_few_operations_of_workers() {
        // Given more queued worker operations than a commit with requests may contain, and requests
        // that were queued after them,
        let (sender, incoming) = mpsc::channel(16);
        let job = || -> Job { Box::new(|_| Ok(Box::new(|| ()))) };
        let workers = [WriteOrder::AfterRequests; WORKER_OPERATIONS + 2];
        for order in workers.into_iter().chain([WriteOrder::First, WriteOrder::First]) {
            assert!(sender.try_send((order, job())).is_ok());
        }
        let mut queue = Queue::new(incoming);

        // when a commit is put together, then it contains both requests first and then a few worker
        // operations,
        assert!(queue.wait());
        let mut share = Share::default();
        let carried: Vec<WriteOrder> =
            std::iter::from_fn(|| queue.next(&mut share)).map(|(order, _)| order).collect();
        let few = [WriteOrder::AfterRequests; WORKER_OPERATIONS];
        assert_eq!(carried, [&[WriteOrder::First, WriteOrder::First][..], &few].concat());

        // and only the first worker operation if that took as long as all of them together may;
        assert!(sender.try_send((WriteOrder::First, job())).is_ok());
        let mut share = Share::default();
        assert!(queue.next(&mut share).is_some() && queue.next(&mut share).is_some());
        share.worker_time = WORKER_TIME;
        assert!(queue.next(&mut share).is_none());
        assert_eq!(queue.after_requests.len(), 1);

        // the next commit contains the rest; and when no sender is left, there is no further
        // commit.
        drop(sender);
        let mut share = Share::default();
        assert!(
            queue.wait() && queue.next(&mut share).is_some() && queue.next(&mut share).is_none()
        );
        assert!(!queue.wait());
    }

    #[derive(diesel::QueryableByName)]
    struct TestNumbers {
        #[diesel(sql_type = diesel::sql_types::Text)]
        all: String,
    }

    #[tokio::test]
    async fn a_write_that_panics_fails_alone() {
        // Given a database whose writing thread is busy, so that the next operations share one
        // commit,
        let folder = tempfile::tempdir().unwrap();
        let file: Arc<str> = folder.path().join("switchboard.db").to_string_lossy().into();
        drop(connect(&file).unwrap());
        let gate = WriteGate::new(&file).unwrap();
        let writer = Writer::start(file.clone(), gate).unwrap();
        let busy = writer.write(WriteOrder::First, |_| {
            std::thread::sleep(Duration::from_millis(50));
            Box::pin(async { Ok(0) })
        });

        // when one of three writes panics with a savepoint open,
        let add = |number: usize| {
            writer.write(WriteOrder::First, move |conn| {
                Box::pin(async move {
                    conn.inner
                        .batch_execute("CREATE TABLE IF NOT EXISTS numbers (number INTEGER)")?;
                    conn.inner.batch_execute(&format!("INSERT INTO numbers VALUES ({number})"))?;
                    if number == 2 {
                        Tx::begin_transaction(&mut conn.inner)?;
                        panic!("the second write panics");
                    }
                    Ok(number)
                })
            })
        };
        let (busy, first, second, third) = tokio::join!(busy, add(1), add(2), add(3));

        // then that one fails with an internal error, and the others are committed.
        assert_eq!(busy.unwrap(), 0);
        assert_eq!(first.unwrap(), 1);
        assert_eq!(third.unwrap(), 3);
        assert!(matches!(second, Err(Error::Internal(_))), "{second:?}");
        let query = diesel::sql_query("SELECT group_concat(number) AS \"all\" FROM numbers");
        let mut reader = connect(&file).unwrap();
        let stored: TestNumbers = diesel::RunQueryDsl::get_result(query, &mut reader).unwrap();
        assert_eq!(stored.all, "1,3");
    }
}
