//! The nodes of a distributed PostgreSQL ([Citus](https://www.citusdata.com)): which node has a
//! tenant's rows, and connections to each node. A database that is not distributed counts as one
//! node.
use super::Conn;
use super::config::Config;
use super::connect::{in_time, raw, refused};
use super::dial;
use super::pool::pool;
use super::pool_mode::PoolMode;
use super::pooled::on;
use super::route::{Direct, Route};
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Integer, Nullable, Text};
use diesel_async::RunQueryDsl;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::FutureExt as _;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tables::placement::hash;
use tokio::runtime::Handle;
use tokio::time::sleep;
use uuid::Uuid;

/// The interval at which the positions of the shards are read. Shards can be moved, and a database
/// can be distributed, while the server runs.
const REFRESH_EVERY: Duration = Duration::from_mins(1);

/// Whether the Citus extension is installed.
const IS_DISTRIBUTED: &str =
    "SELECT to_regclass('pg_catalog.pg_dist_placement') IS NOT NULL AS answer";
/// The shards of `messages`. The tables of tenants are colocated: the node that has an
/// organization's messages has all its other rows.
const SHARDS: &str = "SELECT shardminvalue::int4 AS least, groupid AS node FROM pg_dist_shard \
                      JOIN pg_dist_placement USING (shardid) \
                      WHERE logicalrelid = 'messages'::regclass AND shardminvalue IS NOT NULL ORDER BY 1";
/// The addresses of the nodes that have complete metadata, and the `server_id` in each node's own
/// catalog. The coordinator reads the `server_id`, and `Connecting::connect` compares it, because
/// on this machine the address may lead to another server.
const ADDRESSES: &str = "SELECT node.groupid AS node, node.nodename AS host, node.nodeport AS port, asked.result AS id \
                         FROM pg_dist_node AS node \
                         JOIN run_command_on_workers('SELECT metadata->>''server_id'' FROM pg_dist_node_metadata') AS asked \
                         USING (nodename, nodeport) \
                         WHERE asked.success AND node.isactive AND node.hasmetadata AND node.metadatasynced \
                         AND node.noderole = 'primary'";
const OWN_ID: &str = "SELECT metadata->>'server_id' FROM pg_dist_node_metadata";

/// A node, identified by its group id. The coordinator is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node(i32);

const COORDINATOR: Node = Node(0);

/// A group of tenants whose writes share one commit: all tenants of a node that is written to
/// directly, otherwise those of one shard. The coordinator commits on a node in one phase only if
/// the writes concern one shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommitGroup {
    pub node: Node,
    shard: Option<i32>,
}

/// A shard: the tenants whose hashes lie between `least` and the `least` of the next shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, QueryableByName)]
struct Shard {
    #[diesel(sql_type = Integer)]
    least: i32,
    #[diesel(sql_type = Integer)]
    node: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
struct NodeAddress {
    #[diesel(sql_type = Integer)]
    node: i32,
    #[diesel(sql_type = Text)]
    host: String,
    #[diesel(sql_type = Integer)]
    port: i32,
    #[diesel(sql_type = Nullable<Text>)]
    id: Option<String>,
}

#[derive(QueryableByName)]
struct DistributedRow {
    #[diesel(sql_type = Bool)]
    answer: bool,
}

/// The known shards and connections.
#[derive(Default)]
struct KnownNodes {
    shards: Vec<Shard>,
    direct: BTreeMap<Node, (NodeAddress, Direct)>,
}

/// The settings of connections to nodes.
pub struct Connecting {
    /// The settings of the coordinator's connections. The address is replaced.
    pub config: Config,
    pub lending: PoolMode,
    /// The maximum number of connections per node.
    pub connections: usize,
    /// The runtime that drives the connections.
    pub runtime: Handle,
}

/// The nodes that are known, their tenants, and the connections to them. They only decide which
/// writes share a commit, and which connection an operation uses.
pub struct Nodes {
    known: RwLock<KnownNodes>,
    pool: Pool<Conn>,
    connecting: Connecting,
    /// The position, among the nodes, of the one that answers the next query about rows that every
    /// node has.
    turn: AtomicUsize,
}

impl Nodes {
    /// Reads the nodes now, and then every minute until the value is dropped. A database that
    /// cannot be read counts as one node.
    pub async fn watch(pool: &Pool<Conn>, connecting: Connecting) -> Arc<Self> {
        let nodes = Self {
            known: RwLock::default(),
            pool: pool.clone(),
            connecting,
            turn: AtomicUsize::default(),
        };
        let nodes = Arc::new(nodes);
        nodes.refresh().await;
        drop(tokio::spawn(refresh_periodically(Arc::downgrade(&nodes))));
        nodes
    }

    /// Returns the group of tenants with which a tenant's writes share a commit.
    pub fn commit_group(&self, tenant: &Uuid) -> CommitGroup {
        self.known.read().commit_group(tenant)
    }

    /// Returns a tenant's shard as a commit group, for operations that lock rows of several
    /// organizations with one statement for each. Such an operation must be limited to one shard.
    /// The reason is that a single statement for several organizations locks its rows shard by
    /// shard, and would deadlock with an operation that locks rows of several shards in the order
    /// of organizations.
    pub fn lane_of_shard(&self, tenant: &Uuid) -> CommitGroup {
        let known_nodes = self.known.read();
        let lane = |shard: Shard| CommitGroup { node: Node(shard.node), shard: Some(shard.least) };
        known_nodes.shard_of(tenant).map_or_else(CommitGroup::default, lane)
    }

    /// Returns the route to a node: directly if there are connections to it, otherwise through the
    /// coordinator.
    pub fn route(&self, node: Node) -> Route {
        let known_nodes = self.known.read();
        Route::to(known_nodes.direct_connection(node), self.pool.clone())
    }

    /// Returns the node that has a tenant's rows.
    pub fn node_of(&self, tenant: &Uuid) -> Node {
        let known_nodes = self.known.read();
        known_nodes.shard_of(tenant).map_or(COORDINATOR, |shard| Node(shard.node))
    }

    /// Returns the route to one of the nodes in turn, for rows that every node has.
    pub fn any(&self) -> Route {
        let known_nodes = self.known.read();
        let nodes = known_nodes.direct.len();
        let place = self.turn.fetch_add(1, Ordering::Relaxed).checked_rem(nodes);
        let node = place.and_then(|place| known_nodes.direct.keys().nth(place));
        Route::to(node.and_then(|node| known_nodes.direct_connection(*node)), self.pool.clone())
    }

    /// Returns the route to the coordinator, which can answer every query.
    pub fn coordinator(&self) -> Route {
        Route::to(None, self.pool.clone())
    }

    /// Whether the database is distributed.
    pub fn are_several(&self) -> bool {
        !self.known.read().shards.is_empty()
    }

    async fn refresh(&self) {
        match on(&self.pool, |conn| shards(conn).boxed()).await {
            Ok(shards) => {
                self.known.write().shards = shards;
            }
            Err(error) => tracing::debug!(%error, "the shards could not be read"),
        }
        // A pooler keeps the number of connections low. Direct connections to the nodes would
        // defeat that.
        if self.are_several() && self.connecting.lending == PoolMode::Session {
            self.connect().await;
        }
    }

    /// Connects to nodes that are new, have moved or were lost.
    async fn connect(&self) {
        let addresses = match on(&self.pool, |conn| addresses(conn).boxed()).await {
            Ok(addresses) => addresses,
            Err(error) => {
                tracing::debug!(%error, "the addresses of the nodes could not be read");
                return;
            }
        };
        let known_nodes = |address: &NodeAddress| {
            let known_nodes = self.known.read();
            let found = known_nodes.direct.get(&Node(address.node));
            found.is_some_and(|(at, direct)| at == address && !direct.is_lost())
        };
        for address in addresses.iter().filter(|it| !known_nodes(it)) {
            let (host, port) = (&address.host, address.port);
            match self.connecting.connect(address).await {
                Ok(direct) => {
                    tracing::info!(%host, port, "connected to the node; its rows are accessed directly");
                    let mut known_nodes = self.known.write();
                    known_nodes.direct.insert(Node(address.node), (address.clone(), direct));
                }
                Err(error) => {
                    tracing::info!(%host, port, %error, "the node cannot be reached directly; its rows are accessed through the coordinator");
                }
            }
        }
        let is_there = |node: &Node| addresses.iter().any(|it| it.node == node.0);
        let mut known_nodes = self.known.write();
        known_nodes.direct.retain(|node, _| is_there(node));
    }
}

impl KnownNodes {
    fn shard_of(&self, tenant: &Uuid) -> Option<Shard> {
        // Usually the database is not distributed and has no shards. The hash is not needed then.
        if self.shards.is_empty() {
            return None;
        }
        let hash = hash(tenant);
        let after = self.shards.partition_point(|shard| shard.least <= hash);
        after.checked_sub(1).and_then(|place| self.shards.get(place)).copied()
    }

    fn commit_group(&self, tenant: &Uuid) -> CommitGroup {
        let Some(Shard { least, node }) = self.shard_of(tenant) else {
            return CommitGroup::default();
        };
        let node = Node(node);
        let is_one = node == COORDINATOR || self.direct_connection(node).is_some();
        CommitGroup { node, shard: (!is_one).then_some(least) }
    }

    fn direct_connection(&self, node: Node) -> Option<Direct> {
        let (_, direct) = self.direct.get(&node)?;
        (!direct.is_lost()).then(|| direct.clone())
    }
}

impl Connecting {
    /// Opens connections to a node, if the address also leads to this node from this machine.
    async fn connect(&self, address: &NodeAddress) -> Result<Direct> {
        let port =
            u16::try_from(address.port).map_err(|error| Error::Connect(error.to_string()))?;
        let config = dial::with_address(&self.config, &address.host, port);
        let asked = async {
            let node = raw(&config).await?;
            let row = node.query_one(OWN_ID, &[]).await.map_err(|error| refused(&error))?;
            row.try_get::<_, Option<String>>(0).map_err(|error| refused(&error))
        };
        if in_time(asked).await? != address.id {
            return Err(Error::Connect(
                "the node's address leads to another server from this machine".to_owned(),
            ));
        }
        Ok(Direct::by(pool(&config, PoolMode::Session, self.connections, &self.runtime, "")?))
    }
}

async fn refresh_periodically(known: Weak<Nodes>) {
    loop {
        sleep(REFRESH_EVERY).await;
        let Some(nodes) = known.upgrade() else { return };
        nodes.refresh().await;
    }
}

async fn shards(conn: &mut Conn) -> Result<Vec<Shard>> {
    let answer: DistributedRow = diesel::sql_query(IS_DISTRIBUTED).get_result(conn).await?;
    if !answer.answer {
        return Ok(Vec::new());
    }
    Ok(diesel::sql_query(SHARDS).load(conn).await?)
}

async fn addresses(conn: &mut Conn) -> Result<Vec<NodeAddress>> {
    Ok(diesel::sql_query(ADDRESSES).load(conn).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel_async::pooled_connection::AsyncDieselConnectionManager;

    #[test]
    fn a_tenant_is_on_the_node_of_the_shard_that_its_hash_falls_into() {
        let id = Uuid::nil();
        let own = hash(&id);
        let shards =
            [(i32::MIN, 1), (own, 2), (own + 1, 3)].map(|(least, node)| Shard { least, node });
        let node_with = |shards: &[Shard]| {
            let known_nodes = KnownNodes { shards: shards.to_vec(), direct: BTreeMap::new() };
            known_nodes.shard_of(&id).map(|shard| shard.node)
        };
        assert_eq!(node_with(&shards), Some(2));
        assert_eq!(node_with(&shards[..1]), Some(1));
    }

    #[test]
    fn tenants_of_a_node_share_a_commit_if_the_node_is_reached_directly() {
        // Given two tenants in two shards of a node, and one on the coordinator,
        let tenants = [Uuid::nil(), Uuid::max(), Uuid::from_u128(1)];
        let mut shards: Vec<_> =
            tenants.iter().map(|id| Shard { least: hash(id), node: 1 }).collect();
        shards[2].node = COORDINATOR.0;
        shards.sort_by_key(|shard| shard.least);
        let mut known_nodes = KnownNodes { shards, direct: BTreeMap::new() };
        let lanes = |known: &KnownNodes| tenants.map(|id| known.commit_group(&id));

        // when the node is reached through the coordinator, then each shard has a commit of its
        // own;
        let [one, other, on_coordinator] = lanes(&known_nodes);
        assert_ne!(one, other);
        assert_eq!(on_coordinator, CommitGroup::default());

        // when the node is reached directly, then all tenants of the node share a commit.
        let manager = AsyncDieselConnectionManager::new("postgres://nobody@127.0.0.1:1/none");
        let direct = Direct::by(Pool::builder(manager).build().unwrap());
        let address = NodeAddress { node: 1, host: String::new(), port: 1, id: None };
        known_nodes.direct.insert(Node(1), (address, direct));
        let [one, other, on_coordinator] = lanes(&known_nodes);
        assert_eq!(one, other);
        assert_eq!(one.node, Node(1));
        assert_eq!(on_coordinator, CommitGroup::default());
    }

    #[test]
    fn a_database_that_is_not_distributed_is_one_node() {
        assert_eq!(KnownNodes::default().commit_group(&Uuid::max()), CommitGroup::default());
    }
}
