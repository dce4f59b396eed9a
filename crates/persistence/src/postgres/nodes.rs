//! The nodes of a distributed PostgreSQL ([Citus](https://www.citusdata.com)), and which of them has the rows of a tenant. A
//! database that is not distributed is one node.
use super::Conn;
use super::pooled::on;
use crate::Result;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Integer};
use diesel_async::RunQueryDsl;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::FutureExt as _;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;
use tables::placement::hash;
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

/// A node, by the number of its group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node(i32);

/// The tenants whose hashes are this one or more, up to the next shard's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, QueryableByName)]
struct Shard {
    #[diesel(sql_type = Integer)]
    least: i32,
    #[diesel(sql_type = Integer)]
    node: i32,
}

#[derive(QueryableByName)]
struct Answer {
    #[diesel(sql_type = Bool)]
    answer: bool,
}

/// Which node has which tenants, as far as it is known: it only decides what is written together.
#[derive(Debug, Default)]
pub(super) struct Nodes(RwLock<Vec<Shard>>);

impl Nodes {
    /// Asks now, and then once a minute as long as anybody wants to know. A database that cannot be asked is taken for one node.
    pub(super) async fn watch(pool: &Pool<Conn>) -> Arc<Self> {
        let nodes = Arc::new(Self::default());
        nodes.refresh(pool).await;
        let (pool, known) = (pool.clone(), Arc::downgrade(&nodes));
        drop(tokio::spawn(keep(pool, known)));
        nodes
    }

    /// The node that has a tenant's rows.
    pub(super) fn of(&self, tenant: &Uuid) -> Node {
        let shards = self.0.read().unwrap_or_else(PoisonError::into_inner);
        // Nearly always: no hash is made where there is one node.
        if shards.is_empty() {
            return Node::default();
        }
        let hash = hash(tenant);
        let after = shards.partition_point(|shard| shard.least <= hash);
        let shard = after.checked_sub(1).and_then(|place| shards.get(place));
        shard.map_or_else(Node::default, |shard| Node(shard.node))
    }

    /// Whether the database is distributed.
    pub(super) fn are_several(&self) -> bool {
        !self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    async fn refresh(&self, pool: &Pool<Conn>) {
        match on(pool, |conn| shards(conn).boxed()).await {
            Ok(shards) => *self.0.write().unwrap_or_else(PoisonError::into_inner) = shards,
            Err(error) => tracing::debug!(%error, "it is not known which node has which tenants"),
        }
    }
}

async fn keep(pool: Pool<Conn>, known: Weak<Nodes>) {
    loop {
        sleep(REFRESH_EVERY).await;
        let Some(nodes) = known.upgrade() else { return };
        nodes.refresh(&pool).await;
    }
}

async fn shards(conn: &mut Conn) -> Result<Vec<Shard>> {
    let answer: Answer = diesel::sql_query(IS_DISTRIBUTED).get_result(conn).await?;
    if !answer.answer {
        return Ok(Vec::new());
    }
    Ok(diesel::sql_query(SHARDS).load(conn).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_is_on_the_node_of_the_shard_that_its_hash_falls_into() {
        let id = Uuid::nil();
        let own = hash(&id);
        let shards =
            [(i32::MIN, 1), (own, 2), (own + 1, 3)].map(|(least, node)| Shard { least, node });
        assert_eq!(Nodes(RwLock::new(shards.to_vec())).of(&id), Node(2));
        assert_eq!(Nodes(RwLock::new(shards[..1].to_vec())).of(&id), Node(1));
    }

    #[test]
    fn a_database_that_is_not_distributed_is_one_node() {
        assert_eq!(Nodes::default().of(&Uuid::max()), Node::default());
    }
}
