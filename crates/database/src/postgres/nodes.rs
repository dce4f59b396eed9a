//! The nodes of a distributed PostgreSQL ([Citus](https://www.citusdata.com)), which of them has the rows of a tenant, and
//! connections to each. A database that is not distributed is one node.
use super::Conn;
use super::config::Config;
use super::connect::{in_time, raw, refused};
use super::dial;
use super::lending::PoolMode;
use super::pool::pool;
use super::pooled::on;
use super::route::{Direct, Route};
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Integer, Nullable, Text};
use diesel_async::RunQueryDsl;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::FutureExt as _;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;
use tables::placement::hash;
use tokio::runtime::Handle;
use tokio::time::sleep;
use uuid::Uuid;

/// How often it is asked where the shards are: they are moved while the database serves, and it may be distributed then.
const REFRESH_EVERY: Duration = Duration::from_mins(1);

/// Whether the extension is there at all.
const IS_DISTRIBUTED: &str =
    "SELECT to_regclass('pg_catalog.pg_dist_placement') IS NOT NULL AS answer";
/// Tables of tenants are colocated: what has a message has all else of its organization.
const SHARDS: &str = "SELECT shardminvalue::int4 AS least, groupid AS node FROM pg_dist_shard \
                      JOIN pg_dist_placement USING (shardid) \
                      WHERE logicalrelid = 'messages'::regclass AND shardminvalue IS NOT NULL ORDER BY 1";
/// Where nodes are that know where all rows are, and what each is called in its own catalog: that is asked by the coordinator, and
/// again by whoever connects, for an address may lead elsewhere from here.
const ADDRESSES: &str = "SELECT node.groupid AS node, node.nodename AS host, node.nodeport AS port, asked.result AS id \
                         FROM pg_dist_node AS node \
                         JOIN run_command_on_workers('SELECT metadata->>''server_id'' FROM pg_dist_node_metadata') AS asked \
                         USING (nodename, nodeport) \
                         WHERE asked.success AND node.isactive AND node.hasmetadata AND node.metadatasynced \
                         AND node.noderole = 'primary'";
const OWN_ID: &str = "SELECT metadata->>'server_id' FROM pg_dist_node_metadata";

/// A node, by the number of its group. The coordinator is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node(i32);

const COORDINATOR: Node = Node(0);

/// Tenants whose writes are one commit on their node: all of the node, if it is written to straight. The coordinator writes to a
/// node in one phase only what is in one shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    /// Their node.
    pub node: Node,
    shard: Option<i32>,
}

/// The tenants whose hashes are this one or more, up to the next shard's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, QueryableByName)]
struct Shard {
    #[diesel(sql_type = Integer)]
    least: i32,
    #[diesel(sql_type = Integer)]
    node: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
struct Address {
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
struct Answer {
    #[diesel(sql_type = Bool)]
    answer: bool,
}

/// What is known of the nodes.
#[derive(Default)]
struct Known {
    shards: Vec<Shard>,
    direct: BTreeMap<Node, (Address, Direct)>,
}

/// What connections to nodes are made like.
pub struct Connecting {
    /// As the coordinator is reached, but for the address.
    pub config: Config,
    /// How connections are lent.
    pub lending: PoolMode,
    /// At most so many for each node.
    pub connections: usize,
    /// Where they are driven.
    pub runtime: Handle,
}

/// Which node has which tenants, as far as it is known, and how each is reached: that only decides what is written together, and
/// by which way.
pub struct Nodes {
    known: RwLock<Known>,
    pool: Pool<Conn>,
    connecting: Connecting,
    /// Whose turn it is to be asked what is on every node.
    turn: AtomicUsize,
}

impl Nodes {
    /// Asks now, and then once a minute as long as anybody wants to know. A database that cannot be asked is taken for one node.
    pub async fn watch(pool: &Pool<Conn>, connecting: Connecting) -> Arc<Self> {
        let nodes = Self {
            known: RwLock::default(),
            pool: pool.clone(),
            connecting,
            turn: AtomicUsize::default(),
        };
        let nodes = Arc::new(nodes);
        nodes.refresh().await;
        drop(tokio::spawn(keep(Arc::downgrade(&nodes))));
        nodes
    }

    /// With whom a tenant's writes are one commit.
    pub fn lane_of(&self, tenant: &Uuid) -> Lane {
        self.known.read().unwrap_or_else(PoisonError::into_inner).lane_of(tenant)
    }

    /// The same where rows of several organizations are locked by a statement for each: one statement about all locks those of
    /// one shard after the other, in another order than that of organizations, so that the two would wait for each other.
    pub fn lane_of_shard(&self, tenant: &Uuid) -> Lane {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let lane = |shard: Shard| Lane { node: Node(shard.node), shard: Some(shard.least) };
        known.shard_of(tenant).map_or_else(Lane::default, lane)
    }

    /// The way to a node.
    pub fn route(&self, node: Node) -> Route {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        Route::to(known.way_to(node), self.pool.clone())
    }

    /// The node that has a tenant's rows.
    pub fn node_of(&self, tenant: &Uuid) -> Node {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.shard_of(tenant).map_or(COORDINATOR, |shard| Node(shard.node))
    }

    /// The way to one of the nodes, each in its turn, for what is on every node.
    pub fn any(&self) -> Route {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let nodes = known.direct.len();
        let place = self.turn.fetch_add(1, Ordering::Relaxed).checked_rem(nodes);
        let node = place.and_then(|place| known.direct.keys().nth(place));
        Route::to(node.and_then(|node| known.way_to(*node)), self.pool.clone())
    }

    /// The way by which everything can be asked.
    pub fn coordinator(&self) -> Route {
        Route::to(None, self.pool.clone())
    }

    /// Whether the database is distributed.
    pub fn are_several(&self) -> bool {
        !self.known.read().unwrap_or_else(PoisonError::into_inner).shards.is_empty()
    }

    async fn refresh(&self) {
        match on(&self.pool, |conn| shards(conn).boxed()).await {
            Ok(shards) => {
                self.known.write().unwrap_or_else(PoisonError::into_inner).shards = shards;
            }
            Err(error) => tracing::debug!(%error, "it is not known which node has which tenants"),
        }
        // Whoever goes by a pooler does so to have few connections.
        if self.are_several() && self.connecting.lending == PoolMode::Session {
            self.connect().await;
        }
    }

    /// Connects with the nodes that have come, have moved or were lost.
    async fn connect(&self) {
        let addresses = match on(&self.pool, |conn| addresses(conn).boxed()).await {
            Ok(addresses) => addresses,
            Err(error) => {
                tracing::debug!(%error, "it is not known where the nodes are");
                return;
            }
        };
        let known = |address: &Address| {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            let found = known.direct.get(&Node(address.node));
            found.is_some_and(|(at, direct)| at == address && !direct.is_lost())
        };
        for address in addresses.iter().filter(|it| !known(it)) {
            let (host, port) = (&address.host, address.port);
            match self.connecting.reach(address).await {
                Ok(direct) => {
                    tracing::info!(%host, port, "what is on this node is asked of it straight");
                    let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
                    known.direct.insert(Node(address.node), (address.clone(), direct));
                }
                Err(error) => {
                    tracing::info!(%host, port, %error, "what is on this node is asked of the coordinator");
                }
            }
        }
        let is_there = |node: &Node| addresses.iter().any(|it| it.node == node.0);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.direct.retain(|node, _| is_there(node));
    }
}

impl Known {
    fn shard_of(&self, tenant: &Uuid) -> Option<Shard> {
        // Nearly always: no hash is made where there is one node.
        if self.shards.is_empty() {
            return None;
        }
        let hash = hash(tenant);
        let after = self.shards.partition_point(|shard| shard.least <= hash);
        after.checked_sub(1).and_then(|place| self.shards.get(place)).copied()
    }

    fn lane_of(&self, tenant: &Uuid) -> Lane {
        let Some(Shard { least, node }) = self.shard_of(tenant) else { return Lane::default() };
        let node = Node(node);
        let is_one = node == COORDINATOR || self.way_to(node).is_some();
        Lane { node, shard: (!is_one).then_some(least) }
    }

    fn way_to(&self, node: Node) -> Option<Direct> {
        let (_, direct) = self.direct.get(&node)?;
        (!direct.is_lost()).then(|| direct.clone())
    }
}

impl Connecting {
    /// Connections to a node, if this address leads to it from here too.
    async fn reach(&self, address: &Address) -> Result<Direct> {
        let port =
            u16::try_from(address.port).map_err(|error| Error::Connect(error.to_string()))?;
        let config = dial::elsewhere(&self.config, &address.host, port);
        let asked = async {
            let node = raw(&config).await?;
            let row = node.query_one(OWN_ID, &[]).await.map_err(|error| refused(&error))?;
            row.try_get::<_, Option<String>>(0).map_err(|error| refused(&error))
        };
        if in_time(asked).await? != address.id {
            return Err(Error::Connect("its address leads to another server from here".to_owned()));
        }
        Ok(Direct::by(pool(&config, PoolMode::Session, self.connections, &self.runtime, "")?))
    }
}

async fn keep(known: Weak<Nodes>) {
    loop {
        sleep(REFRESH_EVERY).await;
        let Some(nodes) = known.upgrade() else { return };
        nodes.refresh().await;
    }
}

async fn shards(conn: &mut Conn) -> Result<Vec<Shard>> {
    let answer: Answer = diesel::sql_query(IS_DISTRIBUTED).get_result(conn).await?;
    if !answer.answer {
        return Ok(Vec::new());
    }
    Ok(diesel::sql_query(SHARDS).load(conn).await?)
}

async fn addresses(conn: &mut Conn) -> Result<Vec<Address>> {
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
            let known = Known { shards: shards.to_vec(), direct: BTreeMap::new() };
            known.shard_of(&id).map(|shard| shard.node)
        };
        assert_eq!(node_with(&shards), Some(2));
        assert_eq!(node_with(&shards[..1]), Some(1));
    }

    #[test]
    fn tenants_of_a_node_are_written_together_where_it_is_reached_straight() {
        // Given two tenants in two shards of a node, and one on the coordinator,
        let tenants = [Uuid::nil(), Uuid::max(), Uuid::from_u128(1)];
        let mut shards: Vec<_> =
            tenants.iter().map(|id| Shard { least: hash(id), node: 1 }).collect();
        shards[2].node = COORDINATOR.0;
        shards.sort_by_key(|shard| shard.least);
        let mut known = Known { shards, direct: BTreeMap::new() };
        let lanes = |known: &Known| tenants.map(|id| known.lane_of(&id));

        // when the coordinator is between, then each shard's are a commit of their own;
        let [one, other, on_coordinator] = lanes(&known);
        assert_ne!(one, other);
        assert_eq!(on_coordinator, Lane::default());

        // when the node is reached, then all of the node's are one.
        let manager = AsyncDieselConnectionManager::new("postgres://nobody@127.0.0.1:1/none");
        let direct = Direct::by(Pool::builder(manager).build().unwrap());
        let address = Address { node: 1, host: String::new(), port: 1, id: None };
        known.direct.insert(Node(1), (address, direct));
        let [one, other, on_coordinator] = lanes(&known);
        assert_eq!((one, one.node), (other, Node(1)));
        assert_eq!(on_coordinator, Lane::default());
    }

    #[test]
    fn a_database_that_is_not_distributed_is_one_node() {
        assert_eq!(Known::default().lane_of(&Uuid::max()), Lane::default());
    }
}
