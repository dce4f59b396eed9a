//! The thread that writes: it commits everything queued in one transaction.
use super::{Conn, connect, finish, queries};
use crate::batch::Batcher;
use crate::deadline::within_request;
use crate::lock::WriteGate;
use crate::records::{
    CodeConsumption, DeliverySettlement, IssuedCode, MessageSubmission, NewConnection, Settlement,
    SubmissionOutcome,
};
use crate::timing::Moment;
use crate::{Error, Result};
use diesel::connection::{AnsiTransactionManager as Tx, TransactionManager};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// The most operations one commit carries.
const BATCH: usize = 512;
/// Batches of sends, or of settlements, on their way at a time, and the most that one carries.
const LANES: usize = 2;
const GATHERED: usize = 64;
/// After so many operations it is looked whether another process waits to write.
const WAITER_CHECK_INTERVAL: usize = 8;

/// Tells a caller how its operation went, once the batch it was in has been committed.
type Answer = Box<dyn FnOnce()>;
/// Works in the batch that was begun, or says why none could be. An error means that the whole batch is lost; an
/// operation's own failure is part of its answer.
type Job = Box<dyn FnOnce(Result<&mut Conn>) -> Result<Answer> + Send>;

/// What is written most: concurrent writes of a kind are one operation, with one savepoint and one row of each counter.
pub(crate) struct Batchers {
    pub sends: Batcher<MessageSubmission, SubmissionOutcome>,
    /// Whether more is left in the conversation, if it was let go of.
    pub settlements: Batcher<Settlement, bool>,
    pub delivery_settlements: Batcher<DeliverySettlement, ()>,
    pub consumptions: Batcher<CodeConsumption, Option<IssuedCode>>,
    pub connections: Batcher<NewConnection, ()>,
}

/// Batches of a query that takes several questions at a time.
macro_rules! batcher {
    ($writer:ident, $module:ident::$query:ident) => {{
        let writer = $writer.clone();
        Batcher::new(LANES, GATHERED, move |batch| {
            let writer = writer.clone();
            async move {
                        writer.write(|conn| Box::pin(queries::$module::$query(conn, batch))).await
                    }
                    .boxed()
        })
    }};
}

impl Batchers {
    /// Runs on the current tokio runtime.
    pub(super) fn over(writer: &Writer) -> Self {
        Self {
            sends: batcher!(writer, messages::send),
            settlements: batcher!(writer, settlement::settle),
            delivery_settlements: batcher!(writer, delivery_settlement::settle_deliveries),
            consumptions: batcher!(writer, exchanges::consume_code),
            connections: batcher!(writer, exchanges::connect),
        }
    }
}

/// Hands operations to the thread that writes. Cheap to clone.
#[derive(Clone)]
pub(super) struct Writer(mpsc::Sender<Job>);

impl Writer {
    /// Starts the thread for the database in `file`.
    pub fn start(file: Arc<str>, gate: WriteGate) -> Result<Self> {
        let (writer, jobs) = mpsc::channel(2 * BATCH);
        write_on_own_thread(file, gate, jobs)?;
        Ok(Self(writer))
    }

    /// One that takes no write.
    pub fn closed() -> Self {
        Self(mpsc::channel(1).0)
    }

    /// Done once committed, whether or not the caller still waits; a request waits no longer than its time.
    pub async fn write<R: Send + 'static>(
        &self,
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
            Tx::begin_transaction(&mut conn.inner)?;
            let outcome = finish(operation(conn));
            let outcome = if conn.take_failed() { outcome.and(Err(half_done())) } else { outcome };
            if outcome.is_ok() {
                Tx::commit_transaction(&mut conn.inner)?;
            } else {
                Tx::rollback_transaction(&mut conn.inner)?;
            }
            Ok(Box::new(move || drop(answer.send(outcome))))
        });
        self.enqueue(job).await?;
        within_request(answered).await.ok_or_else(late)?.map_err(|_| lost())?
    }

    async fn enqueue(&self, job: Job) -> Result<()> {
        let queued = within_request(self.0.send(job)).await.ok_or_else(late)?;
        queued.map_err(|_| lost())
    }
}

fn late() -> Error {
    Error::Unknown("the request's time for the database is over".to_owned())
}

fn lost() -> Error {
    Error::Unknown("the batch it was in was lost".to_owned())
}

fn half_done() -> Error {
    Error::Unknown("a part of the operation failed, and it went on".to_owned())
}

fn write_on_own_thread(
    file: Arc<str>,
    gate: WriteGate,
    mut jobs: mpsc::Receiver<Job>,
) -> Result<()> {
    let work = move || {
        // A panic, or a batch lost, costs the connection and the callers in that batch.
        loop {
            let run = AssertUnwindSafe(|| commit_in_batches(connect(&file)?, &gate, &mut jobs));
            match catch_unwind(run) {
                Ok(Ok(())) => return,
                Ok(Err(error)) => tracing::error!(%error, "a batch of writes was lost"),
                Err(_) => tracing::error!("a write panicked; its batch was lost"),
            }
            // Nobody is left waiting for a database that cannot be written to.
            while jobs.try_recv().is_ok() {}
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    let thread = std::thread::Builder::new().name("sqlite-write".to_owned()).spawn(work);
    thread.map(drop).map_err(|error| Error::Connect(error.to_string()))
}

/// While one batch reaches the disk the next one queues up, so batches grow with the load.
fn commit_in_batches(
    mut conn: Conn,
    gate: &WriteGate,
    jobs: &mut mpsc::Receiver<Job>,
) -> Result<()> {
    while let Some(first) = jobs.blocking_recv() {
        let begins = Moment::now();
        let begun =
            gate.pass(|| Ok(Tx::begin_transaction_sql(&mut conn.inner, "BEGIN IMMEDIATE")?));
        if let Err(error) = begun {
            // Nothing was done, and anyone who waits is told so.
            let why = format!("no write can be begun: {error}");
            let waiting = std::iter::from_fn(|| jobs.try_recv().ok());
            for job in std::iter::once(first).chain(waiting) {
                job(Err(Error::Connect(why.clone())))?();
            }
            return Err(error);
        }
        let mut answers = vec![first(Ok(&mut conn))?];
        while answers.len() < BATCH
            && !(answers.len().is_multiple_of(WAITER_CHECK_INTERVAL) && gate.is_wanted())
            && let Ok(job) = jobs.try_recv()
        {
            answers.push(job(Ok(&mut conn))?);
        }
        Tx::commit_transaction(&mut conn.inner)?;
        begins.committed();
        for answer in answers {
            answer();
        }
    }
    Ok(())
}
