//! Connections to PostgreSQL, with the timeouts and keepalives of both ends.
use super::Conn;
use super::dial::dial;
use super::lending::PoolMode;
use crate::{Error, Result};
use diesel_async::SimpleAsyncConnection;
use std::error::Error as _;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::{Client, Config};

/// How long one address may take to accept a connection, unless the URL says; it may name several.
const ACCEPT: Duration = Duration::from_millis(1_200);
/// How long establishing a connection may take, with signing in.
const ESTABLISH: Duration = Duration::from_millis(2_500);
/// After how much silence the system asks the other end whether it is there, how often, and how many times.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);
const KEEPALIVE_PROBES: u32 = 3;
/// How long what was sent may stay unacknowledged before the system ends the connection.
const UNACKNOWLEDGED: Duration = Duration::from_secs(5);
/// What `Config` has where a URL does not say.
const KEEPALIVE_IDLE_UNSET: Duration = Duration::from_hours(2);

/// What the server is told of each connection of the pool. A statement ends before our own deadline
/// does, so that one which waits for a lock is refused, and its connection stays. A transaction whose client
/// is gone ends, and lets go of its locks, before others have given up on them. A plan is kept as long as its connection: one
/// that reads the whole of a queue's table because that was empty when it was made would be slow once it is full. Every
/// statement has an index, and none is worth being compiled. A transaction that has asked all shards of a distributed
/// database may write what is on every node only if it asked them one after the other (other databases know no such setting,
/// and keep it).
const SESSION: &str = "SET statement_timeout = 2500; \
                       SET enable_seqscan = off; \
                       SET jit = off; \
                       SET idle_in_transaction_session_timeout = 2000; \
                       SET citus.multi_shard_modify_mode = 'sequential'; \
                       SET tcp_keepalives_idle = 10; \
                       SET tcp_keepalives_interval = 3; \
                       SET tcp_keepalives_count = 3";

/// Reads a database URL. What it says of time-outs and keepalives holds; what it leaves out is bounded.
pub fn config(url: &str) -> Result<Config> {
    let mut config: Config = url.parse().map_err(|error| refused(&error))?;
    if config.get_application_name().is_none() {
        config.application_name("switchboard");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(ACCEPT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(UNACKNOWLEDGED);
    }
    if config.get_keepalives_idle() == KEEPALIVE_IDLE_UNSET {
        config.keepalives_idle(KEEPALIVE_IDLE);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(KEEPALIVE_INTERVAL);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(KEEPALIVE_PROBES);
    }
    Ok(config)
}

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
    client(config).await.map_err(|error| refused(&error))
}

/// The same, with the error as it is.
pub async fn client(config: &Config) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = dial(config).await?;
    // What goes wrong on it, its client is told.
    drop(tokio::spawn(connection));
    Ok(client)
}

/// What has to be done within the time for establishing a connection.
pub async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let late = |_| Error::Connect(format!("no answer within {} ms", ESTABLISH.as_millis()));
    timeout(ESTABLISH, work).await.map_err(late)?
}

async fn connect(config: &Config) -> Result<Conn> {
    let (client, connection) = dial(config).await.map_err(|error| refused(&error))?;
    let conn = Conn::try_from_client_and_connection(client, connection).await;
    conn.map_err(|error| Error::Connect(error.to_string()))
}

/// `tokio_postgres` says in its own sentence what failed, and in the cause why.
#[must_use]
pub fn refused(error: &tokio_postgres::Error) -> Error {
    let why = error.source().map(|why| format!(": {why}")).unwrap_or_default();
    Error::Connect(format!("{error}{why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_url_says_of_deadlines_holds_and_the_rest_is_bounded() {
        let config =
            config("postgres://a@localhost/b?connect_timeout=9&keepalives_idle=60").unwrap();
        assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(9)));
        assert_eq!(config.get_keepalives_idle(), Duration::from_mins(1));
        assert_eq!(config.get_tcp_user_timeout(), Some(&UNACKNOWLEDGED));
        assert_eq!(config.get_keepalives_interval(), Some(KEEPALIVE_INTERVAL));
        assert_eq!(config.get_keepalives_retries(), Some(KEEPALIVE_PROBES));
        let config = super::config("postgres://a@localhost/b").unwrap();
        assert_eq!(config.get_connect_timeout(), Some(&ACCEPT));
        assert_eq!(config.get_keepalives_idle(), KEEPALIVE_IDLE);
    }
}
