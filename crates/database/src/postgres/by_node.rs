//! Separate batches for each node of a distributed database. A commit then concerns only one node
//! and needs no two-phase commit.
use super::nodes::{CommitGroup, Node, Nodes};
use crate::Result;
use crate::batch::Batcher;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// A function that returns the lane of a tenant.
pub type LaneOf = fn(&Nodes, &Uuid) -> CommitGroup;

/// The batchers of one query, one per lane, created when first used.
pub struct ByNode<A, R> {
    nodes: Arc<Nodes>,
    tenant: fn(&A) -> &Uuid,
    lane: LaneOf,
    make: Box<dyn Fn(Node) -> Batcher<A, R> + Send + Sync>,
    made: RwLock<BTreeMap<CommitGroup, Arc<Batcher<A, R>>>>,
}

impl<A: Clone + Send + 'static, R: Send + 'static> ByNode<A, R> {
    /// Creates the batchers. Questions about tenants in one lane share a batch; `make` creates the
    /// batcher for a node.
    pub fn new(
        nodes: &Arc<Nodes>,
        tenant: fn(&A) -> &Uuid,
        lane: LaneOf,
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

    /// Returns the answer to a question, which may share a batch with other questions of its lane.
    pub async fn submit(&self, question: A) -> Result<R> {
        let lane = (self.lane)(&self.nodes, (self.tenant)(&question));
        self.batcher(lane).submit(question).await
    }

    /// Returns the number of large batches so far.
    pub fn large_batches(&self) -> u64 {
        let made = self.made.read();
        made.values().map(|batcher| batcher.large_batches()).sum()
    }

    fn batcher(&self, lane: CommitGroup) -> Arc<Batcher<A, R>> {
        if let Some(made) = self.made.read().get(&lane) {
            return Arc::clone(made);
        }
        let mut made = self.made.write();
        Arc::clone(made.entry(lane).or_insert_with(|| Arc::new((self.make)(lane.node))))
    }
}
