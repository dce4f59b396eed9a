//! The distribution of a database, and the share of each node.

/// The state of a PostgreSQL database with the Citus extension.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// The version of Citus, such as `13.2-1`.
    pub version: String,
    pub nodes: Vec<NodeShare>,
    /// Whether any table is distributed.
    pub begun: bool,
    /// The tables whose rows are not yet on the nodes that their placement names.
    pub left: Vec<String>,
}

/// A node's share of the distributed tables.
#[derive(Clone, Debug)]
pub struct NodeShare {
    /// The address, as `HOST:PORT`.
    pub address: String,
    pub is_coordinator: bool,
    /// Whether the node is in use.
    pub is_active: bool,
    /// Whether the coordinator can connect to the node.
    pub answers: bool,
    pub shards: u64,
    /// The size of the shards in bytes.
    pub bytes: u64,
}

impl NodeShare {
    /// Whether the node is a worker without shards.
    #[must_use]
    pub const fn is_empty_worker(&self) -> bool {
        !self.is_coordinator && self.shards == 0
    }
}

impl Distribution {
    /// Returns the size of the largest node divided by the average size, among the nodes that have
    /// shards.
    #[must_use]
    pub fn skew(&self) -> f64 {
        let with_shards = || self.nodes.iter().filter(|node| node.shards > 0);
        let (all, nodes) =
            (with_shards().map(|node| node.bytes).sum::<u64>(), with_shards().count());
        let most = with_shards().map(|node| node.bytes).max().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "it is shown with one decimal place")]
        let skew = most as f64 * nodes as f64 / all.max(1) as f64;
        skew
    }
}
