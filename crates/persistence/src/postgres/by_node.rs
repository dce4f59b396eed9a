//! Batches for each node of a distributed database: a commit is then one node's, in one phase.
use super::Db;
use super::nodes::{Lane, Node, Nodes};
use crate::Result;
use crate::batch::Batcher;
use database::postgres::route::Route;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use uuid::Uuid;

/// Which lane a tenant is in.
type LaneOf = fn(&Nodes, &Uuid) -> Lane;

/// Batchers of one query, made as nodes come up.
pub(crate) struct ByNode<A, R> {
    nodes: Arc<Nodes>,
    tenant: fn(&A) -> &Uuid,
    lane: LaneOf,
    make: Box<dyn Fn(Node) -> Batcher<A, R> + Send + Sync>,
    made: RwLock<BTreeMap<Lane, Arc<Batcher<A, R>>>>,
}

impl<A: Clone + Send + 'static, R: Send + 'static> ByNode<A, R> {
    /// Questions about a tenant go with those about others in its lane; `make` makes what batches those of a node.
    pub(super) fn new(
        nodes: &Arc<Nodes>,
        (tenant, lane): (fn(&A) -> &Uuid, LaneOf),
        make: impl Fn(Node) -> Batcher<A, R> + Send + Sync + 'static,
    ) -> Self {
        Self {
            nodes: Arc::clone(nodes),
            tenant,
            lane,
            make: Box::new(make),
            made: RwLock::default(),
        }
    }

    /// The answer to a question, with which others of its node may have travelled.
    pub async fn ask(&self, question: A) -> Result<R> {
        let lane = (self.lane)(&self.nodes, (self.tenant)(&question));
        self.of(lane).ask(question).await
    }

    /// How many batches were so large that questions came faster than they were answered.
    pub fn large_batches(&self) -> u64 {
        let made = self.made.read().unwrap_or_else(PoisonError::into_inner);
        made.values().map(|batcher| batcher.large_batches()).sum()
    }

    fn of(&self, lane: Lane) -> Arc<Batcher<A, R>> {
        if let Some(made) = self.made.read().unwrap_or_else(PoisonError::into_inner).get(&lane) {
            return Arc::clone(made);
        }
        let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(made.entry(lane).or_insert_with(|| Arc::new((self.make)(lane.node))))
    }
}

impl Db {
    /// The same database by the connections to the node that has a tenant's rows, where they are on one.
    pub(crate) fn near(&self, tenant: Option<Uuid>) -> Cow<'_, Self> {
        match tenant.filter(|_| self.nodes.are_several()) {
            Some(tenant) => Cow::Owned(self.by(self.nodes.route(self.nodes.node_of(&tenant)))),
            None => Cow::Borrowed(self),
        }
    }

    /// What is about several tenants, with the database by the connections to their node.
    pub(crate) fn by_node<T>(
        &self,
        all: Vec<T>,
        tenant: impl Fn(&T) -> Option<Uuid>,
    ) -> Vec<(Self, Vec<T>)> {
        self.parts(all, tenant, Nodes::lane_of)
    }

    /// The same for each shard.
    pub(crate) fn by_shard<T>(
        &self,
        all: Vec<T>,
        tenant: impl Fn(&T) -> Option<Uuid>,
    ) -> Vec<(Self, Vec<T>)> {
        self.parts(all, tenant, Nodes::lane_of_shard)
    }

    fn parts<T>(
        &self,
        all: Vec<T>,
        tenant: impl Fn(&T) -> Option<Uuid>,
        lane: LaneOf,
    ) -> Vec<(Self, Vec<T>)> {
        if !self.nodes.are_several() {
            return vec![(self.clone(), all)];
        }
        let mut parts: BTreeMap<Lane, Vec<T>> = BTreeMap::new();
        for one in all {
            let lane = tenant(&one).map(|tenant| lane(&self.nodes, &tenant));
            parts.entry(lane.unwrap_or_default()).or_default().push(one);
        }
        parts.into_iter().map(|(lane, part)| (self.by(self.nodes.route(lane.node)), part)).collect()
    }

    fn by(&self, route: Route) -> Self {
        Self { route, ..self.clone() }
    }
}
