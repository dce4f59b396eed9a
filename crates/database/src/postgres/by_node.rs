//! Batches for each node of a distributed database: a commit is then one node's, in one phase.
use super::nodes::{Lane, Node, Nodes};
use crate::Result;
use crate::batch::Batcher;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use uuid::Uuid;

/// Which lane a tenant is in.
pub type LaneOf = fn(&Nodes, &Uuid) -> Lane;

/// Batchers of one query, made as nodes come up.
pub struct ByNode<A, R> {
    nodes: Arc<Nodes>,
    tenant: fn(&A) -> &Uuid,
    lane: LaneOf,
    make: Box<dyn Fn(Node) -> Batcher<A, R> + Send + Sync>,
    made: RwLock<BTreeMap<Lane, Arc<Batcher<A, R>>>>,
}

impl<A: Clone + Send + 'static, R: Send + 'static> ByNode<A, R> {
    /// Questions about a tenant go with those about others in its lane; `make` makes what batches those of a node.
    pub fn new(
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
