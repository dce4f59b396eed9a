//! Rate limits that instances share in Redis or Valkey: exact for all of them together.

use super::link::{LinkError, RedisLink};
use super::script::{ScriptReply, invocation};
use auth::rate::RateLimitStatus;
use domain::id::KeyId;
use domain::time::Timestamp;
use redis::RedisError;
use std::sync::Arc;

/// The rate windows of all keys.
pub struct Shared(Arc<RedisLink>);

impl Shared {
    /// Connects, and reconnects whenever the connection is lost.
    pub async fn open(url: &str, authorities: Option<Vec<u8>>) -> Result<Self, RedisError> {
        Ok(Self(RedisLink::open(url, authorities).await?))
    }

    /// Tests Redis with the same query as a call makes.
    pub async fn probe(&self) -> Result<(), RedisError> {
        self.0.probe().await
    }

    /// Admits a call of `key`. If `take` is false, only returns the status. Uses Redis's clock
    /// unless `now` is given.
    pub async fn check(
        &self,
        key: KeyId,
        limit: u32,
        now: Option<Timestamp>,
        take: bool,
    ) -> Result<RateLimitStatus, LinkError> {
        let (admitted, used, first, blocker, now): ScriptReply = self
            .0
            .query(async move |mut connection| {
                let mut invocation_of_key = invocation(&key.to_string(), limit, take);
                invocation_of_key.arg(now.map(|now| now.micros().to_string()).unwrap_or_default());
                invocation_of_key.invoke_async(&mut connection).await
            })
            .await?;
        let unreadable = |_| LinkError::Unreadable;
        let time = |text: String| text.parse().map(Timestamp::from_micros).map_err(unreadable);
        // An empty window has no first call. A window with room has no call that blocks the next
        // one.
        let perhaps = |text: String| (!text.is_empty()).then(|| time(text)).transpose();
        let (first, blocker) = (perhaps(first)?, perhaps(blocker)?);
        Ok(RateLimitStatus::new(admitted == 1, limit, used, first, blocker, time(now)?))
    }
}
