//! Detects poolers in front of PostgreSQL that assign a server connection for one transaction at a
//! time, as `PgBouncer` does with `pool_mode = transaction`.
//!
//! Through such a pooler, a statement that was prepared on one server connection may be executed on
//! another. A session setting stays on its server connection, which another client uses next.
use super::config::Config;
use super::connect::{in_time, raw, refused};
use super::pool_mode::PoolMode;
use crate::{Error, Result};
use tokio_postgres::{Client, SimpleQueryMessage};

/// The number of attempts to see two client connections share a server connection.
const ROUNDS: usize = 3;
const MIXES_STATEMENTS: &str = "the pooler in front of PostgreSQL lends connections for a transaction at a \
    time and does not keep prepared statements apart; use PgBouncer 1.21 or newer with \
    max_prepared_statements above 0, or pool_mode = session, or connect to PostgreSQL itself";

/// Detects the pooling mode.
///
/// # Errors
///
/// [`Error::Unsupported`] in transaction mode if the pooler does not keep prepared statements
/// apart.
pub async fn detect_pool_mode(config: &Config) -> Result<PoolMode> {
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

/// Whether the two open clients use the same server connection, or one of them changes its server
/// connection.
async fn is_shared(one: &Client, other: &Client) -> Result<bool> {
    let before = first(one, "SELECT pg_backend_pid()").await?;
    other.batch_execute("BEGIN").await.map_err(|error| refused(&error))?;
    let held = first(other, "SELECT pg_backend_pid()").await?;
    let shared = held == before || first(one, "SELECT pg_backend_pid()").await? != before;
    other.batch_execute("COMMIT").await.map_err(|error| refused(&error))?;
    Ok(shared)
}

/// Whether the pooler renames prepared statements. Such a pooler gives them names of its own;
/// `tokio_postgres` names them s0, s1 and so on.
async fn keeps_statements_apart(client: &Client) -> Result<bool> {
    let failed = |error: tokio_postgres::Error| refused(&error);
    client.batch_execute("BEGIN").await.map_err(failed)?;
    let _prepared = client.prepare("SELECT 1").await.map_err(failed)?;
    let prepared_statements =
        "SELECT count(*) FROM pg_prepared_statements WHERE name ~ '^s[0-9]+$'";
    let prepared_statements = first(client, prepared_statements).await?;
    client.batch_execute("COMMIT").await.map_err(failed)?;
    Ok(prepared_statements.as_deref() == Some("0"))
}

/// Returns the first value of the answer. The query is not prepared, because prepared statements
/// may not work here.
pub async fn first(client: &Client, query: &str) -> Result<Option<String>> {
    let answer = client.simple_query(query).await.map_err(|error| refused(&error))?;
    let row = answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(ToOwned::to_owned),
        _ => None,
    });
    Ok(row)
}
