//! What each node has.

/// How a PostgreSQL with the extension Citus is distributed.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// The extension's version, such as `13.2-1`.
    pub version: String,
    /// Its nodes.
    pub nodes: Vec<NodeShare>,
    /// Whether any table is distributed.
    pub begun: bool,
    /// Tables that are not where they are to be.
    pub left: Vec<String>,
}

/// What a node has of the distributed tables.
#[derive(Clone, Debug)]
pub struct NodeShare {
    /// `HOST:PORT`.
    pub address: String,
    /// Whether it is the coordinator.
    pub is_coordinator: bool,
    /// Whether it is in use.
    pub is_active: bool,
    /// Whether the coordinator reaches it.
    pub answers: bool,
    /// Shards there.
    pub shards: u64,
    /// How large they are.
    pub bytes: u64,
}

impl NodeShare {
    /// Whether it is a worker that has nothing yet.
    #[must_use]
    pub const fn is_empty_worker(&self) -> bool {
        !self.is_coordinator && self.shards == 0
    }
}

impl Distribution {
    /// How many times as much as on average is on the node with the most, of those that have shards.
    #[must_use]
    pub fn skew(&self) -> f64 {
        let with_shards = || self.nodes.iter().filter(|node| node.shards > 0);
        let (all, nodes) =
            (with_shards().map(|node| node.bytes).sum::<u64>(), with_shards().count());
        let most = with_shards().map(|node| node.bytes).max().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
        let skew = most as f64 * nodes as f64 / all.max(1) as f64;
        skew
    }
}
