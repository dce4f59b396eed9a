//! Connections to PostgreSQL, with timeouts and keepalives at both ends.
use super::Conn;
use super::config::Config;
use super::dial::{Dialed, NotConnected, dial};
use super::pool_mode::PoolMode;
use super::tls::Encryption;
use crate::{Error, Result};
use diesel_async::SimpleAsyncConnection;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::Client;

pub use super::refusal::refused;

/// The longest time for establishing a connection, including authentication.
const ESTABLISH: Duration = Duration::from_millis(2_500);
/// The session settings of each pooled connection.
///
/// - `statement_timeout` ends a statement before our own deadline. A statement that waits for a
///   lock is then rejected by the server, and its connection stays usable.
/// - `idle_in_transaction_session_timeout` ends a transaction whose client is gone, and releases
///   its locks, before others give up on them.
/// - `enable_seqscan = off`: PostgreSQL keeps a plan as long as the connection. For an empty queue
///   table it would plan to read the whole table, and that plan would be slow when the table has
///   filled. Every statement can use an index.
/// - `jit = off`: compiling a statement would take longer than it saves.
/// - `backend_flush_after`: pages that leave the cache are written to disk soon. Otherwise the
///   operating system writes the pages of half a minute at once, and commits wait for that.
/// - `citus.multi_shard_modify_mode`: a transaction that has queried all shards of a distributed
///   database may write to reference tables only if it queried the shards one after the other.
///   Other databases accept and ignore this setting.
const SESSION: &str = "SET statement_timeout = 2500; \
                       SET enable_seqscan = off; \
                       SET jit = off; \
                       SET backend_flush_after = '256kB'; \
                       SET idle_in_transaction_session_timeout = 2000; \
                       SET citus.multi_shard_modify_mode = 'sequential'; \
                       SET tcp_keepalives_idle = 10; \
                       SET tcp_keepalives_interval = 3; \
                       SET tcp_keepalives_count = 3";

/// Opens a connection. A task on the current runtime drives it.
pub async fn establish(config: &Config) -> Result<Conn> {
    in_time(connect(config)).await
}

/// Opens a connection for the pool. `more` is executed after the settings that all connections
/// have. Through a pooler in transaction mode no settings are sent, because they would also apply
/// to other clients. The database role must have these settings instead.
pub async fn establish_for_pool(
    config: &Config,
    lending: PoolMode,
    more: &'static str,
) -> Result<Conn> {
    let established = async {
        let mut conn = connect(config).await?;
        if lending == PoolMode::Session {
            conn.batch_execute(&format!("{SESSION}; {more}")).await?;
        }
        Ok(conn)
    };
    in_time(established).await
}

/// Opens a connection without diesel. A task drives it until its client is dropped.
pub async fn raw(config: &Config) -> Result<Client> {
    Ok(client(config).await?.0)
}

/// Opens a connection without diesel, and returns its encryption. The error is not converted.
pub async fn client(config: &Config) -> Result<(Client, Option<Encryption>), NotConnected> {
    let Dialed { client, connection, encryption } = dial(config).await?;
    // The task's result is not needed, because the client also gets the connection's errors.
    drop(tokio::spawn(connection));
    Ok((client, encryption))
}

/// Runs `work` within the time for establishing a connection.
pub async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let late = |_| Error::Connect(format!("no answer within {} ms", ESTABLISH.as_millis()));
    timeout(ESTABLISH, work).await.map_err(late)?
}

async fn connect(config: &Config) -> Result<Conn> {
    let Dialed { client, connection, .. } = dial(config).await?;
    let conn = Conn::try_from_client_and_connection(client, connection).await;
    conn.map_err(|error| Error::Connect(error.to_string()))
}
