//! Who may try a password, how often, and how many at a time (`security.md` 13).

use auth::password;
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Tries of one account at once, and each minute after that.
const PER_ACCOUNT: NonZeroU32 = NonZeroU32::new(8).unwrap();
/// Tries from one address, likewise: many people may share one.
const PER_ADDRESS: NonZeroU32 = NonZeroU32::new(40).unwrap();
/// Passwords that are hashed at a time: each takes 19 MiB and a processor.
const AT_A_TIME: usize = 2;

/// Lets tries pass, or not.
pub struct Doorkeeper {
    accounts: DefaultKeyedRateLimiter<String>,
    addresses: DefaultKeyedRateLimiter<IpAddr>,
    turns: Semaphore,
    /// What a password is compared with when there is no such member.
    nobodys_hash: String,
}

impl Doorkeeper {
    /// A doorkeeper who has seen nobody yet, with random bytes for the password that nobody has.
    #[must_use]
    pub fn new(nobody: &[u8; 32], salt: [u8; 16]) -> Self {
        let nobody = auth::digest::hex(nobody);
        Self {
            accounts: RateLimiter::keyed(Quota::per_minute(PER_ACCOUNT)),
            addresses: RateLimiter::keyed(Quota::per_minute(PER_ADDRESS)),
            turns: Semaphore::new(AT_A_TIME),
            nobodys_hash: password::hash(&nobody, salt).unwrap_or_default(),
        }
    }

    /// Whether this account may be tried from this address; else how long to wait.
    pub fn admit(&self, email: &str, address: Option<IpAddr>) -> Result<(), Duration> {
        let now = DefaultClock::default().now();
        if let Some(address) = address {
            let tried = self.addresses.check_key(&address);
            tried.map_err(|later| later.wait_time_from(now))?;
        }
        let tried = self.accounts.check_key(&email.to_owned());
        tried.map_err(|later| later.wait_time_from(now))
    }

    /// Whether a password is right; where there is no member it takes as long to say no.
    pub async fn knows(&self, password: String, stored: Option<String>) -> bool {
        let Ok(_turn) = self.turns.acquire().await else { return false };
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.nobodys_hash.clone());
        let verified = tokio::task::spawn_blocking(move || password::verify(&password, &stored));
        verified.await.unwrap_or(false) && known
    }

    /// Forgets those who have not tried for a while.
    pub fn forget_idle(&self) {
        self.accounts.retain_recent();
        self.addresses.retain_recent();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn only_so_many_passwords_are_hashed_at_a_time() {
        let doorkeeper = Doorkeeper::new(&[1; 32], [2; 16]);
        let turns = doorkeeper.turns.acquire_many(u32::try_from(AT_A_TIME).unwrap()).await.unwrap();
        let next = doorkeeper.knows("secret".to_owned(), None);
        assert!(next.now_or_never().is_none(), "the next one waits");
        drop(turns);
        assert!(!doorkeeper.knows("secret".to_owned(), None).await);
    }
}
