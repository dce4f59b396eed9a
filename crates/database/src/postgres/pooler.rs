//! Poolers in front of PostgreSQL that lend a connection for one transaction at a time, as `PgBouncer` does
//! with `pool_mode = transaction`.
//!
//! To such a pooler a statement that was prepared on one connection may be executed on another, and a
//! setting of the session stays behind on a connection that somebody else is lent next.
use super::config::Config;
use super::connect::{in_time, raw, refused};
use super::lending::PoolMode;
use crate::{Error, Result};
use tokio_postgres::{Client, SimpleQueryMessage};

/// How often it is tried whether two of our connections are lent the same one.
const ROUNDS: usize = 3;
const MIXES_STATEMENTS: &str = "the pooler in front of PostgreSQL lends connections for a transaction at a \
    time and does not keep prepared statements apart; use PgBouncer 1.21 or newer with \
    max_prepared_statements above 0, or pool_mode = session, or connect to PostgreSQL itself";

/// Finds out how connections are lent.
///
/// # Errors
///
/// [`Error::Unsupported`] when they are lent for a transaction by a pooler that does not keep prepared
/// statements apart.
pub async fn lending(config: &Config) -> Result<PoolMode> {
    let finding = async {
        let (one, other) = (raw(config).await?, raw(config).await?);
        for _ in 0..ROUNDS {
            if is_shared(&one, &other).await? {
                if keeps_statements_apart(&one).await? {
                    return Ok(PoolMode::Transaction);
                }
                return Err(Error::Unsupported(MIXES_STATEMENTS.to_owned()));
            }
        }
        Ok(PoolMode::Session)
    };
    in_time(finding).await
}

/// Whether what served one connection is seen to serve another while both are open, or changes under it.
async fn is_shared(one: &Client, other: &Client) -> Result<bool> {
    let before = first(one, "SELECT pg_backend_pid()").await?;
    other.batch_execute("BEGIN").await.map_err(|error| refused(&error))?;
    let held = first(other, "SELECT pg_backend_pid()").await?;
    let shared = held == before || first(one, "SELECT pg_backend_pid()").await? != before;
    other.batch_execute("COMMIT").await.map_err(|error| refused(&error))?;
    Ok(shared)
}

/// A pooler that does it gives statements names of its own; `tokio_postgres` names them s0, s1 and so on.
async fn keeps_statements_apart(client: &Client) -> Result<bool> {
    let failed = |error: tokio_postgres::Error| refused(&error);
    client.batch_execute("BEGIN").await.map_err(failed)?;
    let _prepared = client.prepare("SELECT 1").await.map_err(failed)?;
    let ours = "SELECT count(*) FROM pg_prepared_statements WHERE name ~ '^s[0-9]+$'";
    let ours = first(client, ours).await?;
    client.batch_execute("COMMIT").await.map_err(failed)?;
    Ok(ours.as_deref() == Some("0"))
}

/// The first value of the answer. Not prepared, since that is what may not work here.
pub async fn first(client: &Client, query: &str) -> Result<Option<String>> {
    let answer = client.simple_query(query).await.map_err(|error| refused(&error))?;
    let row = answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(ToOwned::to_owned),
        _ => None,
    });
    Ok(row)
}
