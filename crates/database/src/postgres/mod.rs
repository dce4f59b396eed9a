//! Connections to PostgreSQL, directly or through a pooler.
pub mod by_node;
pub mod citus;
pub mod config;
pub mod connect;
pub mod dial;
pub mod inserts;
pub mod migration_lock;
pub mod nodes;
pub mod notifications;
pub mod pool;
pub mod pool_mode;
pub mod pooled;
pub mod pooler;
mod refusal;
pub mod requirements;
pub mod route;
pub mod run_query;
pub mod tls;

/// The connection type that the queries for PostgreSQL take.
pub type Conn = diesel_async::AsyncPgConnection;
