//! What concurrent requests ask alike goes to the database in batches; what is about tenants, in batches for each node.
use super::nodes::{Node, Nodes};
use super::position::position_if_known;
use super::standby::Standby;
use super::{Conn, queries};
use crate::batch::Batcher;
use crate::records::{
    AnswerQuestion, Callback, Caller, CallerQuestion, CallerWithUsage, CodeConsumption, Count,
    Counted, DeliverySettlement, MessageSubmission, NewConnection, Settlement, ShownCode,
    StoredAnswer, SubmissionOutcome,
};
use crate::seen::Seen;
use crate::timing::Moment;
use database::postgres::by_node::ByNode;
use database::postgres::route::Route;
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
/// A batch of settlements keeps the rows of its conversations until it is committed, and whoever sends to one of them waits:
/// one of 128 made the slowest hundredth of sends half as slow again (measured).
const SETTLEMENT_BATCH: usize = 16;

/// What batches each of these queries.
pub(crate) struct Batchers {
    /// With what the primary had written by then, where there is a standby.
    pub callers: Batcher<Vec<u8>, (Option<Caller>, Seen)>,
    pub answers: Batcher<AnswerQuestion, Option<StoredAnswer>>,
    pub sends: ByNode<MessageSubmission, SubmissionOutcome>,
    pub callers_with_usage: Batcher<CallerQuestion, Option<CallerWithUsage>>,
    pub counts: ByNode<Count, Option<Counted>>,
    /// Whether more is left in the conversation, if it was let go of.
    pub settlements: ByNode<Settlement, bool>,
    pub delivery_settlements: ByNode<DeliverySettlement, ()>,
    pub callbacks: Batcher<Callback, ()>,
    pub consumptions: Batcher<CodeConsumption, ShownCode>,
    pub connections: Batcher<NewConnection, ()>,
}

/// Batches of a query that takes several questions at a time, about what is on every node.
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

/// The same of a query that writes in a transaction, by the way that `$route` gives for a batch.
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

/// The same for each node, of questions about tenants.
macro_rules! by_node {
    ($nodes:ident, $runtime:ident, $lane:ident, $tenant:expr, $route:expr, $most:expr, $module:ident::$query:ident) => {{
        let (nodes, runtime) = (Arc::clone($nodes), $runtime.clone());
        ByNode::new($nodes, ($tenant, Nodes::$lane), move |node| {
            // Whoever asks first may be on another runtime.
            let _here = runtime.enter();
            let route = move |nodes: &Nodes, batch: &Vec<_>| $route(nodes, node, batch);
            writing_batcher!(nodes, route, WRITE_LANES, $most, $module::$query)
        })
    }};
}

/// Look-ups of keys with what their organizations have used: that is in one place, or on several nodes.
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

/// Look-ups of keys. Where there is a standby, what the primary has written is asked for in the same trip: a distributed
/// database has that on several nodes, and so no standby.
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

/// Settlements for each shard. Where there are several nodes, what the sandbox reports is kept before, where the channel's
/// reports are: the channel too may report before it has answered.
fn settlements(nodes: &Arc<Nodes>, runtime: &Handle) -> ByNode<Settlement, bool> {
    let (lane, runtime) = (Nodes::lane_of_shard, runtime.clone());
    let all = Arc::clone(nodes);
    ByNode::new(nodes, (|it: &Settlement| it.account.0.uuid(), lane), move |node| {
        let _here = runtime.enter();
        let nodes = Arc::clone(&all);
        Batcher::new(WRITE_LANES, SETTLEMENT_BATCH, move |mut batch: Vec<Settlement>| {
            let (route, coordinator) = (nodes.route(node), nodes.coordinator());
            let apart = batch.iter_mut().filter(|_| nodes.are_several());
            let reports: Vec<_> = apart.flat_map(|it| std::mem::take(&mut it.callbacks)).collect();
            async move {
                if !reports.is_empty() {
                    coordinator.on(|conn| queries::callbacks::keep(conn, reports).boxed()).await?;
                }
                route
                    .on(|conn| {
                        let begins = Moment::now();
                        let settled = queries::settlement::settle(conn, batch);
                        settled.inspect_ok(move |_| begins.committed()).boxed()
                    })
                    .await
            }
            .boxed()
        })
    })
}

impl Batchers {
    /// On connections to these nodes, with tasks on this runtime.
    pub(super) fn over(
        nodes: &Arc<Nodes>,
        runtime: &Handle,
        standby: &Arc<OnceLock<Arc<Standby>>>,
    ) -> Self {
        let _here = runtime.enter();
        Self {
            callers: callers(nodes, standby),
            callers_with_usage: callers_with_usage(nodes),
            // Any node finds out where an owner is.
            answers: batcher!(nodes, LANES, BATCH, idempotency::stored_answers),
            sends: by_node!(
                nodes,
                runtime,
                lane_of,
                |it| it.organization.uuid(),
                straight,
                WRITE_BATCH,
                messages::send
            ),
            counts: by_node!(
                nodes,
                runtime,
                lane_of,
                |it| it.organization.uuid(),
                straight,
                4 * BATCH,
                usage::count
            ),
            settlements: settlements(nodes, runtime),
            delivery_settlements: by_node!(
                nodes,
                runtime,
                lane_of_shard,
                |it| it.owner.uuid(),
                straight,
                SETTLEMENT_BATCH,
                delivery_settlement::settle_deliveries
            ),
            callbacks: writing_batcher!(
                nodes,
                by_coordinator,
                WRITE_LANES,
                WRITE_BATCH,
                callbacks::keep
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

/// The way of a batch of which nobody knows whose it is.
fn by_coordinator<A>(nodes: &Nodes, _: &[A]) -> Route {
    nodes.coordinator()
}

/// The way of a batch of tenants of one node.
fn straight<A>(nodes: &Nodes, node: Node, _: &[A]) -> Route {
    nodes.route(node)
}
