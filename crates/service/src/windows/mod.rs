//! The rate windows of all keys (`docs/contract.md#rate-limit`): in memory, or in Redis where several instances share
//! them.

mod link;
mod memory;
mod script;
mod shared;

use crate::clock::Clock;
use auth::rate::RateLimitStatus;
use domain::id::KeyId;
use memory::Memory;
use shared::Shared;

/// Redis does not answer, so that nobody knows whether there is room.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the shared rate windows cannot be asked")]
pub struct Unavailable;

/// Where the windows are kept.
pub enum Windows {
    /// By this instance alone.
    Memory(Box<Memory>),
    /// By all instances.
    Shared(Shared),
}

impl Default for Windows {
    fn default() -> Self {
        Self::Memory(Box::default())
    }
}

impl Windows {
    /// Windows in the Redis or Valkey at `url`, or in memory where there is none. Its certificate is from one of
    /// `authorities`, in PEM, or of the machine's own.
    pub async fn open(
        url: Option<&str>,
        authorities: Option<Vec<u8>>,
    ) -> Result<Self, redis::RedisError> {
        match url {
            Some(url) => Ok(Self::Shared(Shared::open(url, authorities).await?)),
            None => Ok(Self::default()),
        }
    }

    /// Asks for a place as a call does, so that whatever would refuse a call refuses this too.
    pub async fn probe(&self) -> Result<(), redis::RedisError> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::Shared(windows) => windows.probe().await,
        }
    }

    /// Asks for a place for a call of `key`, or, without `take`, how it stands.
    ///
    /// In memory time passes by the monotonic clock, in Redis by that server's own; by `clock` where that
    /// stands still, for a test.
    ///
    /// Without an answer of Redis nobody knows whether there is room, and the limit is a promise: so
    /// that is an error, after a quarter of a second at most.
    pub async fn ask(
        &self,
        key: KeyId,
        limit: u32,
        clock: &Clock,
        take: bool,
    ) -> Result<RateLimitStatus, Unavailable> {
        let asked = match self {
            Self::Memory(windows) => windows.ask(key, limit, clock.steady(), take),
            Self::Shared(windows) => {
                windows.ask(key, limit, clock.fixed(), take).await.map_err(|error| {
                    // The link says once that Redis is away, and once that it is back.
                    tracing::debug!(%error, "the shared rate windows cannot be asked");
                    Unavailable
                })?
            }
        };
        if take && !asked.admitted {
            metrics::counter!("rate_limited_total").increment(1);
        }
        Ok(asked)
    }

    /// Forgets keys that have not called for a minute.
    pub fn evict_idle(&self, clock: &Clock) {
        if let Self::Memory(windows) = self {
            windows.evict_idle(clock.steady());
        }
    }
}
