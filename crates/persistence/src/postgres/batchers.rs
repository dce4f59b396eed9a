//! What concurrent requests ask alike goes to the database in batches; what is about tenants, in batches for each node.
use super::by_node::ByNode;
use super::nodes::Nodes;
use super::pooled::on;
use super::position::position_if_known;
use super::standby::Standby;
use super::{Conn, queries};
use crate::batch::Batcher;
use crate::records::{
    Caller, CallerQuestion, CallerWithUsage, CodeConsumption, Count, Counted, DeliverySettlement,
    IssuedCode, MessageSubmission, NewConnection, Settlement, SubmissionOutcome,
};
use crate::seen::Seen;
use crate::timing::Moment;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::future::{FutureExt as _, TryFutureExt as _};
use std::sync::{Arc, OnceLock};
use tokio::runtime::Handle;

/// Batches of look-ups on their way at a time, and the most that one carries (measured).
const LANES: usize = 2;
const BATCH: usize = 64;
/// One lane of sends, and one of settlements: two would only wait for each other on the usage of a busy organization, and
/// carry half as much with each commit (measured).
const WRITE_LANES: usize = 1;
const WRITE_BATCH: usize = 128;

/// What batches each of these queries.
pub(crate) struct Batchers {
    /// With what the primary had written by then, where there is a standby.
    pub callers: Batcher<Vec<u8>, (Option<Caller>, Seen)>,
    pub sends: ByNode<MessageSubmission, SubmissionOutcome>,
    pub callers_with_usage: Batcher<CallerQuestion, Option<CallerWithUsage>>,
    pub counts: ByNode<Count, Option<Counted>>,
    /// Whether more is left in the conversation, if it was let go of.
    pub settlements: ByNode<Settlement, bool>,
    pub delivery_settlements: Batcher<DeliverySettlement, ()>,
    pub consumptions: Batcher<CodeConsumption, Option<IssuedCode>>,
    pub connections: Batcher<NewConnection, ()>,
}

/// Batches of a query that takes several questions at a time, and writes in a transaction.
macro_rules! writing_batcher {
    ($pool:ident, $lanes:expr, $most:expr, $module:ident::$query:ident) => {{
        let pool = $pool.clone();
        Batcher::new($lanes, $most, move |batch| {
            let pool = pool.clone();
            let work = async move {
                on(&pool, |conn| {
                    let begins = Moment::now();
                    let written = queries::$module::$query(conn, batch);
                    written.inspect_ok(move |_| begins.committed()).boxed()
                })
                .await
            };
            work.boxed()
        })
    }};
}

/// The same for each node, of questions about tenants.
macro_rules! by_node {
    ($pool:ident, $nodes:ident, $runtime:ident, $tenant:expr, $most:expr, $module:ident::$query:ident) => {{
        let (pool, runtime) = ($pool.clone(), $runtime.clone());
        ByNode::new($nodes, $tenant, move || {
            // Whoever asks first may be on another runtime.
            let _here = runtime.enter();
            writing_batcher!(pool, WRITE_LANES, $most, $module::$query)
        })
    }};
}

/// Look-ups of keys with what their organizations have used: that is in one place, or on several nodes.
fn callers_with_usage(
    pool: &Pool<Conn>,
    nodes: &Arc<Nodes>,
) -> Batcher<CallerQuestion, Option<CallerWithUsage>> {
    let (pool, nodes) = (pool.clone(), Arc::clone(nodes));
    Batcher::new(LANES, BATCH, move |batch: Vec<CallerQuestion>| {
        let pool = pool.clone();
        let several = batch.len() > 1 && nodes.are_several();
        async move {
            on(&pool, |conn| {
                if several {
                    queries::keys::callers_and_their_usage(conn, batch).boxed()
                } else {
                    queries::keys::callers_with_usage(conn, batch).boxed()
                }
            })
            .await
        }
        .boxed()
    })
}

/// Look-ups of keys. Where there is a standby, what the primary has written is asked for in the same trip: a distributed
/// database has that on several nodes, and so no standby.
fn callers(
    pool: &Pool<Conn>,
    nodes: &Arc<Nodes>,
    standby: &Arc<OnceLock<Arc<Standby>>>,
) -> Batcher<Vec<u8>, (Option<Caller>, Seen)> {
    let (pool, nodes, standby) = (pool.clone(), Arc::clone(nodes), Arc::clone(standby));
    Batcher::new(LANES, BATCH, move |batch: Vec<Vec<u8>>| {
        let pool = pool.clone();
        let is_asked = standby.get().is_some() && !nodes.are_several();
        async move {
            on(&pool, |conn| {
                async move {
                    let (mut shared, mut beside): (&Conn, &Conn) = (conn, conn);
                    let callers = queries::keys::callers(&mut shared, batch);
                    let (seen, callers) = if is_asked {
                        tokio::try_join!(biased; position_if_known(&mut beside), callers)?
                    } else {
                        (Seen::default(), callers.await?)
                    };
                    Ok(callers.into_iter().map(|caller| (caller, seen)).collect())
                }
                .boxed()
            })
            .await
        }
        .boxed()
    })
}

impl Batchers {
    /// On these connections, with tasks on this runtime.
    pub(super) fn over(
        pool: &Pool<Conn>,
        nodes: &Arc<Nodes>,
        runtime: &Handle,
        standby: &Arc<OnceLock<Arc<Standby>>>,
    ) -> Self {
        let _here = runtime.enter();
        Self {
            callers: callers(pool, nodes, standby),
            callers_with_usage: callers_with_usage(pool, nodes),
            sends: by_node!(
                pool,
                nodes,
                runtime,
                |it| it.organization.uuid(),
                WRITE_BATCH,
                messages::send
            ),
            counts: by_node!(
                pool,
                nodes,
                runtime,
                |it| it.organization.uuid(),
                4 * BATCH,
                usage::count
            ),
            settlements: by_node!(
                pool,
                nodes,
                runtime,
                |it| it.account.0.uuid(),
                WRITE_BATCH,
                settlement::settle
            ),
            delivery_settlements: writing_batcher!(
                pool,
                WRITE_LANES,
                WRITE_BATCH,
                delivery_settlement::settle_deliveries
            ),
            consumptions: writing_batcher!(pool, LANES, BATCH, exchanges::consume_code),
            connections: writing_batcher!(pool, WRITE_LANES, BATCH, exchanges::connect),
        }
    }
}
