//! Throttles sign-in: how often a password may be tried, and how many are verified at a time
//! (`docs/security.md` 13).

use crate::clock::Stopwatch;
use auth::digest::Digest;
use auth::password::{self, PasswordError};
use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Attempts on one account from one network: this many at once, and then this many per minute.
const PER_ACCOUNT_AND_NETWORK: NonZeroU32 = NonZeroU32::new(8).unwrap();
/// Attempts per minute on one account from all networks together. Only attempts from several
/// networks can reach this limit. It does not apply to a browser in which the member has signed in
/// before.
const PER_ACCOUNT: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// Attempts per minute from one network, which many people may share.
const PER_NETWORK: NonZeroU32 = NonZeroU32::new(40).unwrap();
/// Attempts per minute from a browser in which the member has signed in before.
const PER_DEVICE: NonZeroU32 = NonZeroU32::new(8).unwrap();
/// Authorize requests per minute from one network without a session.
const AUTHORIZE_PER_NETWORK: NonZeroU32 = NonZeroU32::new(300).unwrap();
/// Passwords hashed at the same time: each takes 19 MiB and a core.
const CONCURRENCY: usize = 2;
/// The maximum number of passwords that wait to be hashed: about as many as take one second.
const MAX_WAITING: usize = 64;
/// The maximum time that a password waits to be hashed.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// The number of attempts between two evictions of idle entries. Without evictions, unauthenticated
/// clients could fill the memory with entries.
const EVICTION_INTERVAL: u32 = 10_000;

/// Identifies a browser in which a member has signed in.
pub type DeviceId = [u8; 16];

/// The time since a limit was created.
#[derive(Clone, Copy, Debug)]
struct Elapsed(Stopwatch);

impl Clock for Elapsed {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A limit for each `K`.
type Limiter<K> = RateLimiter<K, DashMapStateStore<K>, Elapsed, NoOpMiddleware<Duration>>;

fn per_minute<K: Clone + Eq + Hash>(limit: NonZeroU32) -> Limiter<K> {
    RateLimiter::dashmap_with_clock(Quota::per_minute(limit), Elapsed(Stopwatch::start()))
}

/// Limits attempts to sign in.
pub struct LoginThrottle {
    accounts: Limiter<EmailDigest>,
    accounts_by_network: Limiter<(EmailDigest, IpAddr)>,
    networks: Limiter<IpAddr>,
    devices: Limiter<DeviceId>,
    authorize: Limiter<IpAddr>,
    tries: AtomicU32,
    turns: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    /// The hash that a password is compared with if there is no such member.
    dummy_hash: String,
}

/// The digest of an account's email address. Unauthenticated clients may send long addresses, and a
/// digest has a fixed size.
type EmailDigest = [u8; 32];

/// Too many passwords are waiting to be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords are being checked")]
pub struct OverloadedError;

impl LoginThrottle {
    /// Time to wait after [`OverloadedError`].
    pub const BUSY_FOR: Duration = MAX_WAIT;

    /// Creates a throttle that has counted no attempts. `nobody` and `salt` are random bytes for
    /// the hash of a password that nobody has.
    pub fn new(nobody: &[u8; 32], salt: [u8; 16]) -> Result<Self, PasswordError> {
        Ok(Self {
            accounts: per_minute(PER_ACCOUNT),
            accounts_by_network: per_minute(PER_ACCOUNT_AND_NETWORK),
            networks: per_minute(PER_NETWORK),
            devices: per_minute(PER_DEVICE),
            authorize: per_minute(AUTHORIZE_PER_NETWORK),
            tries: AtomicU32::new(0),
            turns: Arc::new(Semaphore::new(CONCURRENCY)),
            queue: Arc::new(Semaphore::new(CONCURRENCY + MAX_WAITING)),
            dummy_hash: password::hash_of_nobody(nobody, salt)?,
        })
    }

    /// Checks whether this account may be tried from this address now, and otherwise returns the
    /// time to wait. A `device` in which the member has signed in before has a limit of its own,
    /// which attempts from elsewhere cannot use up.
    pub fn admit(
        &self,
        email: &str,
        address: Option<IpAddr>,
        device: Option<DeviceId>,
    ) -> Result<(), Duration> {
        self.evict_periodically();
        if let Some(device) = device {
            return check(&self.devices, &device);
        }
        let account = *Digest::new(email.as_bytes()).as_bytes();
        let network = network(address);
        check(&self.networks, &network)?;
        // The network's limit is checked first, so that an attempt beyond it does not count against
        // the account.
        check(&self.accounts_by_network, &(account, network))?;
        check(&self.accounts, &account)
    }

    /// Checks whether a handshake may begin from this address without a session, and otherwise
    /// returns the time to wait.
    pub fn admit_handshake(&self, address: Option<IpAddr>) -> Result<(), Duration> {
        self.evict_periodically();
        check(&self.authorize, &network(address))
    }

    /// Checks a password. An unknown member takes as long as a known one.
    pub async fn verify_password(
        &self,
        password: String,
        stored: Option<String>,
    ) -> Result<bool, OverloadedError> {
        let _place = self.queue.try_acquire().map_err(|_| OverloadedError)?;
        let turn = tokio::time::timeout(MAX_WAIT, self.turns.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| OverloadedError)?.map_err(|_| OverloadedError)?;
        let is_known = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.dummy_hash.clone());
        let verified = tokio::task::spawn_blocking(move || {
            // The permit moves into this task, so it is held until the hashing ends, even if the
            // client disconnects.
            let _turn = turn;
            password::verify(&password, &stored)
        });
        // After a failure the answer is the same as for a wrong password, because it must not
        // reveal that the account exists.
        let verified = match verified.await {
            Ok(Ok(verified)) => verified,
            Ok(Err(error)) => {
                tracing::error!(%error, "a password cannot be verified");
                false
            }
            Err(error) => {
                tracing::error!(%error, "the verification of a password was interrupted");
                false
            }
        };
        Ok(verified && is_known)
    }

    fn evict_periodically(&self) {
        if self.tries.fetch_add(1, Ordering::Relaxed).is_multiple_of(EVICTION_INTERVAL) {
            self.evict_idle();
        }
    }

    /// Evicts entries without recent attempts.
    pub fn evict_idle(&self) {
        self.accounts.retain_recent();
        self.accounts_by_network.retain_recent();
        self.networks.retain_recent();
        self.devices.retain_recent();
        self.authorize.retain_recent();
    }
}

fn check<K: Clone + Eq + Hash>(limiter: &Limiter<K>, key: &K) -> Result<(), Duration> {
    let now = limiter.clock().now();
    limiter.check_key(key).map_err(|later| later.wait_time_from(now))
}

/// The network of an address: a /64 for IPv6. Clients without an address share one network.
fn network(address: Option<IpAddr>) -> IpAddr {
    match address.map(|address| address.to_canonical()) {
        Some(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        Some(address) => address,
        None => Ipv6Addr::UNSPECIFIED.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use proptest::prelude::*;

    fn login_throttle() -> LoginThrottle {
        LoginThrottle::new(&[1; 32], [2; 16]).unwrap()
    }

    #[expect(clippy::unnecessary_wraps, reason = "what is tested takes an optional address")]
    fn address(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    /// Returns how many of `tries` are admitted.
    fn admitted(tries: usize, admit: impl Fn(usize) -> Result<(), Duration>) -> usize {
        (0..tries).filter(|number| admit(*number).is_ok()).count()
    }

    #[tokio::test]
    async fn only_so_many_passwords_are_hashed_at_a_time() {
        let login_throttle = login_throttle();
        let turns =
            login_throttle.turns.acquire_many(u32::try_from(CONCURRENCY).unwrap()).await.unwrap();
        let next = login_throttle.verify_password("secret".to_owned(), None);
        assert!(next.now_or_never().is_none(), "the next one waits");
        drop(turns);
        assert_eq!(login_throttle.verify_password("secret".to_owned(), None).await, Ok(false));
    }

    #[tokio::test]
    async fn waiting_is_bounded_and_others_are_refused_at_once() {
        let login_throttle = login_throttle();
        let turns =
            login_throttle.turns.acquire_many(u32::try_from(CONCURRENCY).unwrap()).await.unwrap();
        let tries =
            (0..600).map(|_| Box::pin(login_throttle.verify_password("secret".to_owned(), None)));
        let mut tries: Vec<_> = tries.collect();
        let answers: Vec<_> = tries.iter_mut().map(futures_util::FutureExt::now_or_never).collect();
        let waiting = answers.iter().filter(|answer| answer.is_none()).count();
        assert_eq!(waiting, CONCURRENCY + MAX_WAITING);
        assert!(answers.into_iter().flatten().all(|answer| answer == Err(OverloadedError)));
        drop(turns);
    }

    #[test]
    fn nobody_locks_a_member_out_from_one_network() {
        let login_throttle = login_throttle();
        let stranger = |_| login_throttle.admit("ada@acme.example", address("203.0.113.9"), None);
        assert_eq!(admitted(12, stranger), 8);
        let member = login_throttle.admit("ada@acme.example", address("198.51.100.1"), None);
        assert_eq!(member, Ok(()));
    }

    #[test]
    fn a_known_device_is_not_locked_out() {
        let login_throttle = login_throttle();
        let (email, home) = ("ada@acme.example", address("198.51.100.1"));
        let stranger =
            |number| login_throttle.admit(email, address(&format!("203.0.113.{number}")), None);
        assert!(admitted(200, stranger) >= 20, "from many networks");
        assert!(login_throttle.admit(email, home, None).is_err(), "the account is tried too often");
        assert_eq!(admitted(12, |_| login_throttle.admit(email, home, Some([7; 16]))), 8);
    }

    #[test]
    fn the_64_bits_that_a_host_picks_for_itself_are_one_network() {
        let login_throttle = login_throttle();
        let tried = |number| {
            let email = format!("nobody{number}@acme.example");
            login_throttle.admit(&email, address(&format!("2001:db8:0:1::{number:x}")), None)
        };
        assert_eq!(admitted(60, tried), 40);
        assert!(login_throttle.admit("x", address("2001:db8:0:2::1"), None).is_ok());
        // An IPv4 address in IPv6 notation counts as the IPv4 address.
        assert_eq!(network(address("::ffff:203.0.113.9")), network(address("203.0.113.9")));
        assert_ne!(network(address("::ffff:203.0.113.9")), network(address("::ffff:203.0.113.8")));
    }

    proptest! {
        /// All addresses of one IPv6 /64, which a provider usually assigns to one customer, count
        /// as one network. An IPv4 address is the same network in every notation.
        #[test]
        fn all_addresses_of_a_network_are_one(high: [u16; 4], one: [u16; 4], other: [u16; 4], old: [u8; 4]) {
            let of = |low: [u16; 4]| {
                let ([a, b, c, d], [e, f, g, h]) = (high, low);
                IpAddr::from([a, b, c, d, e, f, g, h])
            };
            prop_assume!(high != [0; 4]);
            prop_assert_eq!(network(Some(of(one))), network(Some(of(other))));
            let old = std::net::Ipv4Addr::from(old);
            let mapped = IpAddr::from(old.to_ipv6_mapped());
            prop_assert_eq!(network(Some(mapped)), IpAddr::from(old));
            prop_assert_eq!(network(Some(old.into())), IpAddr::from(old));
        }
    }
}
