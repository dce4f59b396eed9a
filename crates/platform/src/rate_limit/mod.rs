//! The rate limits of all keys (`docs/contract.md#rate-limit`): in memory, or in Redis if several
//! instances share them.

mod link;
mod memory;
mod script;
mod shared;

use crate::clock::Clock;
use auth::rate::RateLimitStatus;
use domain::id::KeyId;
use memory::Memory;
use shared::Shared;

/// The error if Redis does not answer, so that the rate limit cannot be checked.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the rate limit could not be checked")]
pub struct Unavailable;

/// The store of the rate limits.
pub enum RateLimiter {
    /// The memory of this instance.
    Memory(Box<Memory>),
    /// Redis, shared by all instances.
    Shared(Shared),
}

impl Default for RateLimiter {
    fn default() -> Self {
        Self::Memory(Box::default())
    }
}

impl RateLimiter {
    /// Opens the rate limits in the Redis or Valkey at `url`, or in memory without a URL. The
    /// server's certificate must be from one of `authorities`, in PEM, or else from one that the
    /// machine trusts.
    pub async fn open(
        url: Option<&str>,
        authorities: Option<Vec<u8>>,
    ) -> Result<Self, redis::RedisError> {
        match url {
            Some(url) => Ok(Self::Shared(Shared::open(url, authorities).await?)),
            None => Ok(Self::default()),
        }
    }

    /// Tests Redis with the same query as a call makes, so that every fault that would make a call
    /// fail is found.
    pub async fn probe(&self) -> Result<(), redis::RedisError> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::Shared(windows) => windows.probe().await,
        }
    }

    /// Admits a call of `key`. If `take` is false, only returns the status.
    ///
    /// In memory the time comes from the monotonic clock, with Redis from the Redis server. If
    /// `clock` is frozen for a test, its time is used.
    ///
    /// # Errors
    ///
    /// If Redis does not answer within a quarter of a second. A call whose limit cannot be checked
    /// is not admitted, because the limit must never be exceeded.
    pub async fn check(
        &self,
        key: KeyId,
        limit: u32,
        clock: &Clock,
        take: bool,
    ) -> Result<RateLimitStatus, Unavailable> {
        let status = match self {
            Self::Memory(windows) => windows.check(key, limit, clock.steady(), take),
            Self::Shared(windows) => {
                windows.check(key, limit, clock.fixed(), take).await.map_err(|error| {
                    // The link logs once when Redis is lost, and once when it is back.
                    tracing::debug!(%error, "the rate limit could not be checked");
                    Unavailable
                })?
            }
        };
        if take && !status.admitted {
            metrics::counter!("switchboard_rate_limited_calls_total").increment(1);
        }
        Ok(status)
    }

    /// Evicts keys without a call in the last minute.
    pub fn evict_idle(&self, clock: &Clock) {
        if let Self::Memory(windows) = self {
            windows.evict_idle(clock.steady());
        }
    }
}
