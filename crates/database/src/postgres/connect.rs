//! Connections to PostgreSQL, with the timeouts and keepalives of both ends.
use super::Conn;
use super::config::Config;
use super::dial::{Dialed, NotConnected, dial};
use super::lending::PoolMode;
use super::tls::Encryption;
use crate::{Error, Result};
use diesel_async::SimpleAsyncConnection;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::Client;

pub use super::refusal::refused;

/// How long establishing a connection may take, with signing in.
const ESTABLISH: Duration = Duration::from_millis(2_500);
/// What the server is told of each connection of the pool. A statement ends before our own deadline
/// does, so that one which waits for a lock is refused, and its connection stays. A transaction whose client
/// is gone ends, and lets go of its locks, before others have given up on them. A plan is kept as long as its connection: one
/// that reads the whole of a queue's table because that was empty when it was made would be slow once it is full. Every
/// statement has an index, and none is worth being compiled. Pages that are pushed out of the cache go to the disk soon: the
/// system would write what has gathered in half a minute at once, and commits wait for that. A transaction that has asked all
/// shards of a distributed database may write what is on every node only if it asked them one after the other (other
/// databases know no such setting, and keep it).
const SESSION: &str = "SET statement_timeout = 2500; \
                       SET enable_seqscan = off; \
                       SET jit = off; \
                       SET backend_flush_after = '256kB'; \
                       SET idle_in_transaction_session_timeout = 2000; \
                       SET citus.multi_shard_modify_mode = 'sequential'; \
                       SET tcp_keepalives_idle = 10; \
                       SET tcp_keepalives_interval = 3; \
                       SET tcp_keepalives_count = 3";

/// A connection, or why there is none. It is driven by a task on the current runtime.
pub async fn establish(config: &Config) -> Result<Conn> {
    in_time(connect(config)).await
}

/// A connection for the pool, which the server ends when it is of no use any more. Through a pooler that lends
/// connections on, settings of the session would reach others: there the role has to have them.
/// `more` is set after what all of them have.
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

/// A connection without diesel, driven by a task until its client is dropped.
pub async fn raw(config: &Config) -> Result<Client> {
    Ok(client(config).await?.0)
}

/// The same, with how it is encrypted, and with the error as it is.
pub async fn client(config: &Config) -> Result<(Client, Option<Encryption>), NotConnected> {
    let Dialed { client, connection, encryption } = dial(config).await?;
    // What goes wrong on it, its client is told.
    drop(tokio::spawn(connection));
    Ok((client, encryption))
}

/// What has to be done within the time for establishing a connection.
pub async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let late = |_| Error::Connect(format!("no answer within {} ms", ESTABLISH.as_millis()));
    timeout(ESTABLISH, work).await.map_err(late)?
}

async fn connect(config: &Config) -> Result<Conn> {
    let Dialed { client, connection, .. } = dial(config).await?;
    let conn = Conn::try_from_client_and_connection(client, connection).await;
    conn.map_err(|error| Error::Connect(error.to_string()))
}
