//! The rate windows of all keys (`service.md` 8): in memory, or in Redis where several instances share
//! them.

mod memory;
mod shared;

use crate::problem::Problem;
use auth::rate::Standing;
use domain::id::KeyId;
use domain::time::Timestamp;
use memory::Memory;
use shared::Shared;

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
    /// Windows in the Redis or Valkey at `url`, or in memory where there is none.
    pub async fn open(url: Option<&str>) -> Result<Self, redis::RedisError> {
        match url {
            Some(url) => Ok(Self::Shared(Shared::open(url).await?)),
            None => Ok(Self::default()),
        }
    }

    /// Asks for a place for a call of `key`, or, without `take`, how it stands.
    ///
    /// Without an answer of Redis nobody knows whether there is room, and the limit is a promise: so
    /// that is a 503.
    pub async fn ask(
        &self,
        key: KeyId,
        limit: u32,
        now: Timestamp,
        take: bool,
    ) -> Result<Standing, Problem> {
        match self {
            Self::Memory(windows) => Ok(windows.ask(key, limit, now, take)),
            Self::Shared(windows) => windows.ask(key, limit, now, take).await.map_err(|error| {
                tracing::error!(%error, "the shared rate windows cannot be asked");
                Problem::unavailable()
            }),
        }
    }

    /// Forgets keys that have not called for a minute.
    pub fn forget_idle(&self, now: Timestamp) {
        if let Self::Memory(windows) = self {
            windows.forget_idle(now);
        }
    }
}
