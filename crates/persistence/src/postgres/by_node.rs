//! Batches for each node of a distributed database: a commit is then one node's.
use super::nodes::{Node, Nodes};
use crate::Result;
use crate::batch::Batcher;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use uuid::Uuid;

/// Batchers of one query, made as nodes come up.
pub(crate) struct ByNode<A, R> {
    nodes: Arc<Nodes>,
    tenant: fn(&A) -> &Uuid,
    make: Box<dyn Fn() -> Batcher<A, R> + Send + Sync>,
    made: RwLock<BTreeMap<Node, Arc<Batcher<A, R>>>>,
}

impl<A: Clone + Send + 'static, R: Send + 'static> ByNode<A, R> {
    /// Questions about a tenant go with those about others on its node; `make` makes what batches them.
    pub(super) fn new(
        nodes: &Arc<Nodes>,
        tenant: fn(&A) -> &Uuid,
        make: impl Fn() -> Batcher<A, R> + Send + Sync + 'static,
    ) -> Self {
        Self { nodes: Arc::clone(nodes), tenant, make: Box::new(make), made: RwLock::default() }
    }

    /// The answer to a question, with which others of its node may have travelled.
    pub async fn ask(&self, question: A) -> Result<R> {
        let node = self.nodes.of((self.tenant)(&question));
        self.of(node).ask(question).await
    }

    /// How many batches were so large that questions came faster than they were answered.
    pub fn large_batches(&self) -> u64 {
        let made = self.made.read().unwrap_or_else(PoisonError::into_inner);
        made.values().map(|batcher| batcher.large_batches()).sum()
    }

    fn of(&self, node: Node) -> Arc<Batcher<A, R>> {
        if let Some(made) = self.made.read().unwrap_or_else(PoisonError::into_inner).get(&node) {
            return Arc::clone(made);
        }
        let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(made.entry(node).or_insert_with(|| Arc::new((self.make)())))
    }
}
