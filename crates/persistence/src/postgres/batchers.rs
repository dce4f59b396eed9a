//! Batches of concurrent questions of the same kind. Questions about tenants are batched per node.
use super::nodes::{Node, Nodes};
use super::position::position_if_known;
use super::standby::Standby;
use super::{Conn, queries};
use crate::batch::Batcher;
use crate::records::{
    AnswerQuestion, Callback, Caller, CallerQuestion, CallerWithUsage, CodeConsumption,
    CountQuestion, Counted, DeliverySettlement, MessageSubmission, NewConnectedKey, Settlement,
    ShownCode, StoredAnswer, SubmissionOutcome,
};
use crate::seen::Seen;
use crate::timing::Moment;
use database::postgres::by_node::ByNode;
use database::postgres::route::Route;
use futures_util::future::{FutureExt as _, TryFutureExt as _};
use std::sync::{Arc, OnceLock};
use tokio::runtime::Handle;
use uuid::Uuid;

/// The number of batches of lookups that may run at the same time, and the maximum size of a batch.
/// These values were the fastest in measurements.
const LANES: usize = 2;
const BATCH: usize = 64;
/// The number of batches of sends, and of settlements, that may run at the same time. A second
/// batch would only wait for the first one, because both lock the usage row of a busy organization,
/// and each commit would contain half as many messages (measured).
const WRITE_LANES: usize = 1;
const WRITE_BATCH: usize = 128;
/// The maximum size of a batch of settlements. The batch locks the rows of its conversations until
/// it is committed, and sends to these conversations wait. Batches of 128 made the slowest 1% of
/// sends 1.5 times as slow (measured).
const SETTLEMENT_BATCH: usize = 16;

/// The batchers of the most frequent queries.
pub(crate) struct Batchers {
    /// Looks up keys by the digests of their secrets. The answer includes the primary's log
    /// position if there is a standby.
    pub callers: Batcher<Vec<u8>, (Option<Caller>, Seen)>,
    pub answers: Batcher<AnswerQuestion, Option<StoredAnswer>>,
    pub sends: ByNode<MessageSubmission, SubmissionOutcome>,
    pub callers_with_usage: Batcher<CallerQuestion, Option<CallerWithUsage>>,
    pub counts: ByNode<CountQuestion, Option<Counted>>,
    /// Records results of sends. The answer says whether more messages wait in the conversation, if
    /// the conversation was released.
    pub settlements: ByNode<Settlement, bool>,
    pub delivery_settlements: ByNode<DeliverySettlement, ()>,
    pub callbacks: Batcher<Callback, ()>,
    pub consumptions: Batcher<CodeConsumption, ShownCode>,
    pub connections: Batcher<NewConnectedKey, ()>,
}

/// Creates the batcher of a query that takes several questions at once, about rows that every node
/// has.
macro_rules! batcher {
    ($nodes:ident, $lanes:expr, $most:expr, $module:ident::$query:ident) => {{
        let nodes = Arc::clone($nodes);
        Batcher::new($lanes, $most, move |batch| {
            let route = nodes.any();
            async move { route.on(|conn| queries::$module::$query(conn, batch).boxed()).await }
                .boxed()
        })
    }};
}

/// Creates the batcher of a query that writes in a transaction. `$route` returns the route of a
/// batch.
macro_rules! writing_batcher {
    ($nodes:ident, $route:expr, $lanes:expr, $most:expr, $module:ident::$query:ident) => {{
        let nodes = Arc::clone(&$nodes);
        Batcher::new($lanes, $most, move |batch| {
            let route = $route(&nodes, &batch);
            let work = async move {
                route
                    .on(|conn| {
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

/// Creates the batchers of a query about tenants, one per node.
macro_rules! by_node {
    ($nodes:ident, $runtime:ident, $lane:ident, $tenant:expr, $route:expr, $most:expr, $module:ident::$query:ident) => {{
        let (nodes, runtime) = (Arc::clone($nodes), $runtime.clone());
        ByNode::new($nodes, $tenant, Nodes::$lane, move |node| {
            // The batchers of a node are created by its first caller, which may run on another
            // runtime.
            let _here = runtime.enter();
            let route = move |nodes: &Nodes, batch: &Vec<_>| $route(nodes, node, batch);
            writing_batcher!(nodes, route, WRITE_LANES, $most, $module::$query)
        })
    }};
}

/// Creates the batcher of lookups of keys with the usage of their organizations. The usage may be
/// on several nodes.
fn callers_with_usage(nodes: &Arc<Nodes>) -> Batcher<CallerQuestion, Option<CallerWithUsage>> {
    let nodes = Arc::clone(nodes);
    Batcher::new(LANES, BATCH, move |batch: Vec<CallerQuestion>| {
        let route = nodes.any();
        let several = batch.len() > 1 && nodes.are_several();
        async move {
            route
                .on(|conn| {
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

/// Creates the batcher of lookups of keys. If there is a standby, the primary's log position is
/// read in the same round trip. No standby is used with a distributed database, because each node
/// has its own log.
fn callers(
    nodes: &Arc<Nodes>,
    standby: &Arc<OnceLock<Arc<Standby>>>,
) -> Batcher<Vec<u8>, (Option<Caller>, Seen)> {
    let (nodes, standby) = (Arc::clone(nodes), Arc::clone(standby));
    Batcher::new(LANES, BATCH, move |batch: Vec<Vec<u8>>| {
        let route = nodes.any();
        let is_asked = standby.get().is_some() && !nodes.are_several();
        async move {
            route
                .on(|conn| {
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

/// Creates the batchers of settlements, one per shard. With several nodes, the callbacks of the
/// sandbox are stored on the coordinator, where all callbacks are, before the settlement. This
/// order is possible with real channels, too, because they may send a callback before they answer.
fn settlements(nodes: &Arc<Nodes>, runtime: &Handle) -> ByNode<Settlement, bool> {
    let (lane, runtime) = (Nodes::lane_of_shard, runtime.clone());
    let all = Arc::clone(nodes);
    let tenant: fn(&Settlement) -> &Uuid = |it| it.account.0.uuid();
    ByNode::new(nodes, tenant, lane, move |node| {
        let _here = runtime.enter();
        let nodes = Arc::clone(&all);
        Batcher::new(WRITE_LANES, SETTLEMENT_BATCH, move |mut batch: Vec<Settlement>| {
            let (route, coordinator) = (nodes.route(node), nodes.coordinator());
            let apart = batch.iter_mut().filter(|_| nodes.are_several());
            let reports: Vec<_> = apart.flat_map(|it| std::mem::take(&mut it.callbacks)).collect();
            async move {
                if !reports.is_empty() {
                    coordinator
                        .on(|conn| queries::callbacks::insert_batch(conn, reports).boxed())
                        .await?;
                }
                route
                    .on(|conn| {
                        let begins = Moment::now();
                        let settled = queries::settlement::record_settlements(conn, batch);
                        settled.inspect_ok(move |_| begins.committed()).boxed()
                    })
                    .await
            }
            .boxed()
        })
    })
}

impl Batchers {
    /// Creates the batchers on connections to these nodes. Their tasks run on `runtime`.
    pub(super) fn new(
        nodes: &Arc<Nodes>,
        runtime: &Handle,
        standby: &Arc<OnceLock<Arc<Standby>>>,
    ) -> Self {
        let _here = runtime.enter();
        Self {
            callers: callers(nodes, standby),
            callers_with_usage: callers_with_usage(nodes),
            // Any node can find an owner's rows, because a node forwards the query if it does not
            // have them.
            answers: batcher!(nodes, LANES, BATCH, idempotency::stored_answers),
            sends: by_node!(
                nodes,
                runtime,
                commit_group,
                |it| it.organization.uuid(),
                direct_route,
                WRITE_BATCH,
                messages::send
            ),
            counts: by_node!(
                nodes,
                runtime,
                commit_group,
                |it| it.organization.uuid(),
                direct_route,
                4 * BATCH,
                usage::count
            ),
            settlements: settlements(nodes, runtime),
            delivery_settlements: by_node!(
                nodes,
                runtime,
                lane_of_shard,
                |it| it.owner.uuid(),
                direct_route,
                SETTLEMENT_BATCH,
                delivery_settlement::record_delivery_results
            ),
            callbacks: writing_batcher!(
                nodes,
                by_coordinator,
                WRITE_LANES,
                WRITE_BATCH,
                callbacks::insert_batch
            ),
            consumptions: writing_batcher!(
                nodes,
                by_coordinator,
                LANES,
                BATCH,
                exchanges::consume_code
            ),
            connections: writing_batcher!(
                nodes,
                by_coordinator,
                WRITE_LANES,
                BATCH,
                exchanges::connect
            ),
        }
    }
}

/// Returns the route of a batch whose tenants are unknown.
fn by_coordinator<A>(nodes: &Nodes, _: &[A]) -> Route {
    nodes.coordinator()
}

/// Returns the route of a batch about tenants of one node.
fn direct_route<A>(nodes: &Nodes, node: Node, _: &[A]) -> Route {
    nodes.route(node)
}
