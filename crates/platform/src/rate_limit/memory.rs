//! Rate limits in memory: exact for one instance.

use auth::rate::{RateLimitStatus, RateWindow};
use domain::id::KeyId;
use domain::time::Timestamp;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Number of locks over which keys are spread, so that busy keys seldom wait for each other.
const SHARDS: usize = 16;

/// The rate windows of all keys.
#[derive(Debug)]
pub struct Memory {
    shards: [Mutex<HashMap<KeyId, RateWindow>>; SHARDS],
    spread: RandomState,
}

impl Default for Memory {
    fn default() -> Self {
        Self { shards: std::array::from_fn(|_| Mutex::default()), spread: RandomState::new() }
    }
}

impl Memory {
    /// Admits a call of `key`. If `take` is false, only returns the status.
    pub fn check(&self, key: KeyId, limit: u32, now: Timestamp, take: bool) -> RateLimitStatus {
        let [byte, ..] = self.spread.hash_one(key).to_le_bytes();
        #[expect(clippy::indexing_slicing, reason = "the remainder is below the number of shards")]
        let shard = &self.shards[usize::from(byte) % SHARDS];
        let mut windows = shard.lock();
        let window = windows.entry(key).or_default();
        if take { window.admit(limit, now) } else { window.peek(limit, now) }
    }

    /// Evicts keys without a call in the last minute.
    pub fn evict_idle(&self, now: Timestamp) {
        for shard in &self.shards {
            let mut windows = shard.lock();
            windows.retain(|_, window| !window.is_idle(now));
        }
    }
}
