//! Distributes the tables of a PostgreSQL database: connections, locks and the check for pending
//! migrations. The module `distribution` does the rest.
use super::connect::{in_time, raw};
use super::pool_mode::PoolMode;
use super::{distribution, migrate, pooler};
use crate::inspection::Distribution;
use crate::{Error, ReportWait, Result};
use database::postgres::config::Config;
use database::postgres::migration_lock::lock;

/// Distributes the tables of the database behind `url`, and reports each finished table.
pub(super) async fn distribute(url: &str, tell: ReportWait<'_>) -> Result<()> {
    let config = Config::read(url)?;
    if pooler::detect_pool_mode(&config).await? == PoolMode::Transaction {
        let why = "distributing needs a direct connection to PostgreSQL, and this URL leads to a pooler that assigns \
                   connections for a transaction at a time";
        return Err(Error::Unsupported(why.to_owned()));
    }
    let (pending, _) = migrate::pending_and_unknown(&config).await?;
    if !pending.is_empty() {
        let why = "not all migrations have run: run `switchboard migrate run` first";
        return Err(Error::Unsupported(why.to_owned()));
    }
    let client = in_time(raw(&config)).await?;
    distribution::check(&client).await.map_err(as_ours)?;
    let _lock = lock(&config, tell).await?;
    distribution::distribute(&client, tell).await.map_err(as_ours)
}

/// Distributes tables that migrations have just created in a distributed database.
pub(super) async fn new_tables(config: &Config, tell: ReportWait<'_>) -> Result<()> {
    let client = in_time(raw(config)).await?;
    match distribution::state(&client).await.map_err(as_ours)? {
        Some(state) if state.begun && !state.left.is_empty() => {
            let _lock = lock(config, tell).await?;
            distribution::distribute(&client, tell).await.map_err(as_ours)
        }
        _ => Ok(()),
    }
}

/// Returns how the database behind `url` is distributed, or `None` if Citus is not installed.
pub(super) async fn read_distribution(url: &str) -> Result<Option<Distribution>> {
    let client = in_time(raw(&Config::read(url)?)).await?;
    distribution::state(&client).await.map_err(as_ours)
}

pub(super) fn as_ours(error: distribution::DistributionError) -> Error {
    match error {
        distribution::DistributionError::Unsupported(why) => Error::Unsupported(why),
        distribution::DistributionError::Refused(why) => Error::Distribute(why),
        distribution::DistributionError::Figure(_) => Error::Unknown(error.to_string()),
    }
}
