//! The batches of the most frequent writes.
use super::queries;
use crate::Error;
use crate::batch::Batcher;
use crate::records::{
    CodeConsumption, DeliverySettlement, MessageSubmission, NewConnectedKey, Settlement, ShownCode,
    SubmissionOutcome,
};
use database::sqlite::writer::{WriteOrder, Writer};
use futures_util::FutureExt as _;
use std::sync::Arc;

/// The number of batches of one kind that may run at the same time.
const LANES: usize = 2;
/// The maximum size of a batch of requests' operations.
const REQUESTS: usize = 64;
/// The maximum size of a batch of workers' operations. Requests wait for the whole batch, and a
/// batch of 64 settlements took up to 20 ms.
const WORKER_OPERATIONS: usize = 8;

/// Returns the maximum size of a batch.
const fn size(order: WriteOrder) -> usize {
    match order {
        WriteOrder::First => REQUESTS,
        WriteOrder::AfterRequests => WORKER_OPERATIONS,
    }
}

/// The batchers of the most frequent writes. Concurrent writes of one kind become one operation,
/// with one savepoint and one update per counter row.
pub(crate) struct Batchers {
    pub sends: Batcher<MessageSubmission, SubmissionOutcome>,
    /// Records results of sends. The answer says whether more messages wait in the conversation, if
    /// the conversation was released.
    pub settlements: Batcher<Settlement, bool>,
    pub delivery_settlements: Batcher<DeliverySettlement, ()>,
    pub consumptions: Batcher<CodeConsumption, ShownCode>,
    pub connections: Batcher<NewConnectedKey, ()>,
}

/// Creates the batcher of a query. The query takes all inputs of a batch at once.
macro_rules! batcher {
    ($writer:ident, $order:ident, $module:ident::$query:ident) => {{
        let writer = $writer.clone();
        Batcher::new(LANES, size(WriteOrder::$order), move |batch| {
            let writer = writer.clone();
            async move {
                let order = WriteOrder::$order;
                writer.write(order, |conn| Box::pin(queries::$module::$query(conn, batch))).await
            }
            .boxed()
        })
    }};
}

/// Creates the batcher of sends. If a number of the batch leads to a contact with another number of
/// its own, the batch fails and is repeated as a second operation, with a lookup of the numbers
/// (see `messages::send`).
fn sends(writer: &Writer) -> Batcher<MessageSubmission, SubmissionOutcome> {
    let writer = writer.clone();
    Batcher::new(LANES, size(WriteOrder::First), move |batch| {
        let (writer, batch) = (writer.clone(), Arc::new(batch));
        async move {
            let insert = |look_up| {
                let batch = batch.clone();
                writer.write(WriteOrder::First, move |conn| {
                    async move { queries::messages::insert_submissions(conn, &batch, look_up).await }.boxed()
                })
            };
            let look_up = queries::messages::has_forms(&batch);
            match insert(look_up).await {
                Err(Error::Moved) if !look_up => insert(true).await,
                outcome => outcome,
            }
        }
        .boxed()
    })
}

impl Batchers {
    /// Creates the batchers on the current tokio runtime.
    pub fn new(writer: &Writer) -> Self {
        Self {
            sends: sends(writer),
            settlements: batcher!(writer, AfterRequests, settlement::record_settlements),
            delivery_settlements: batcher!(
                writer,
                AfterRequests,
                delivery_settlement::record_delivery_results
            ),
            consumptions: batcher!(writer, First, exchanges::consume_code),
            connections: batcher!(writer, First, exchanges::connect),
        }
    }
}
