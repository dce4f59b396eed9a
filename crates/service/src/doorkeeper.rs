//! Who may try a password, how often, and how many at a time (`docs/security.md` 13).

use auth::digest::Digest;
use auth::password::{self, PasswordError};
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Tries of one account from one network at once, and each minute after that.
const PER_ACCOUNT_AND_NETWORK: NonZeroU32 = NonZeroU32::new(8).unwrap();
/// Tries of one account from all networks together, likewise. It takes several networks to reach this, and a
/// browser in which the member has signed in before is not held up by it.
const PER_ACCOUNT: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// Tries from one network, likewise: many people may share one.
const PER_NETWORK: NonZeroU32 = NonZeroU32::new(40).unwrap();
/// Tries from a browser in which the member has signed in before, likewise.
const PER_DEVICE: NonZeroU32 = NonZeroU32::new(8).unwrap();
/// Authorize requests from one network of people who have not signed in, likewise.
const AUTHORIZE_PER_NETWORK: NonZeroU32 = NonZeroU32::new(300).unwrap();
/// Passwords that are hashed at a time: each takes 19 MiB and a processor.
const AT_A_TIME: usize = 2;
/// Passwords that wait for their turn, about a second's worth.
const WAITING_MOST: usize = 64;
/// How long one waits.
const WAIT_MOST: Duration = Duration::from_secs(2);
/// Those who have not tried for a while are forgotten once in so many tries: strangers decide how many
/// there are.
const FORGET_EVERY: u32 = 10_000;

/// What tells a browser in which a member has signed in from others.
pub type DeviceId = [u8; 16];

/// Lets tries pass, or not.
pub struct Doorkeeper {
    accounts: DefaultKeyedRateLimiter<Account>,
    accounts_by_network: DefaultKeyedRateLimiter<(Account, IpAddr)>,
    networks: DefaultKeyedRateLimiter<IpAddr>,
    devices: DefaultKeyedRateLimiter<DeviceId>,
    authorize: DefaultKeyedRateLimiter<IpAddr>,
    tries: AtomicU32,
    turns: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    /// What a password is compared with when there is no such member.
    nobodys_hash: String,
}

/// An account by the digest of its e-mail address: what strangers type may be long.
type Account = [u8; 32];

/// More passwords are being hashed than can be in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords are being checked")]
pub struct Busy;

impl Doorkeeper {
    /// After how long somebody may come again who was not let in because of others.
    pub const BUSY_FOR: Duration = WAIT_MOST;

    /// One that has seen nobody yet, with random bytes for the password that nobody has.
    pub fn new(nobody: &[u8; 32], salt: [u8; 16]) -> Result<Self, PasswordError> {
        let nobody = auth::digest::hex(nobody);
        Ok(Self {
            accounts: RateLimiter::keyed(Quota::per_minute(PER_ACCOUNT)),
            accounts_by_network: RateLimiter::keyed(Quota::per_minute(PER_ACCOUNT_AND_NETWORK)),
            networks: RateLimiter::keyed(Quota::per_minute(PER_NETWORK)),
            devices: RateLimiter::keyed(Quota::per_minute(PER_DEVICE)),
            authorize: RateLimiter::keyed(Quota::per_minute(AUTHORIZE_PER_NETWORK)),
            tries: AtomicU32::new(0),
            turns: Arc::new(Semaphore::new(AT_A_TIME)),
            queue: Arc::new(Semaphore::new(AT_A_TIME + WAITING_MOST)),
            nobodys_hash: password::hash(&nobody, salt)?,
        })
    }

    /// Whether this account may be tried from this address; else how long to wait. A `device` in which the
    /// member has signed in before has tries of its own: strangers cannot use them up.
    pub fn admit(
        &self,
        email: &str,
        address: Option<IpAddr>,
        device: Option<DeviceId>,
    ) -> Result<(), Duration> {
        self.forget_now_and_then();
        if let Some(device) = device {
            return check(&self.devices, &device);
        }
        let account = *Digest::of(email.as_bytes()).as_bytes();
        let network = network(address);
        check(&self.networks, &network)?;
        // A try that one network has no right to counts for nobody else.
        check(&self.accounts_by_network, &(account, network))?;
        check(&self.accounts, &account)
    }

    /// Whether somebody who has not signed in may begin a handshake from this address; else how long to wait.
    pub fn admit_handshake(&self, address: Option<IpAddr>) -> Result<(), Duration> {
        self.forget_now_and_then();
        check(&self.authorize, &network(address))
    }

    /// Whether a password is right; where there is no member it takes as long to say no.
    pub async fn knows(&self, password: String, stored: Option<String>) -> Result<bool, Busy> {
        let _place = self.queue.try_acquire().map_err(|_| Busy)?;
        let turn = tokio::time::timeout(WAIT_MOST, self.turns.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| Busy)?.map_err(|_| Busy)?;
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.nobodys_hash.clone());
        let verified = tokio::task::spawn_blocking(move || {
            // The turn lasts as long as the work, also if the client has gone away meanwhile.
            let _turn = turn;
            password::verify(&password, &stored)
        });
        Ok(verified.await.unwrap_or(false) && known)
    }

    fn forget_now_and_then(&self) {
        if self.tries.fetch_add(1, Ordering::Relaxed).is_multiple_of(FORGET_EVERY) {
            self.forget_idle();
        }
    }

    /// Forgets those who have not tried for a while.
    pub fn forget_idle(&self) {
        self.accounts.retain_recent();
        self.accounts_by_network.retain_recent();
        self.networks.retain_recent();
        self.devices.retain_recent();
        self.authorize.retain_recent();
    }
}

fn check<K: Clone + Eq + Hash>(
    limiter: &DefaultKeyedRateLimiter<K>,
    key: &K,
) -> Result<(), Duration> {
    let now = DefaultClock::default().now();
    limiter.check_key(key).map_err(|later| later.wait_time_from(now))
}

/// Who shares an address: of IPv6 everybody has a /64 at least. Who has none is one of those without.
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

    fn doorkeeper() -> Doorkeeper {
        Doorkeeper::new(&[1; 32], [2; 16]).unwrap()
    }

    #[expect(clippy::unnecessary_wraps, reason = "what is tested takes an optional address")]
    fn address(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    /// How many of `tries` are let in.
    fn admitted(tries: usize, admit: impl Fn(usize) -> Result<(), Duration>) -> usize {
        (0..tries).filter(|number| admit(*number).is_ok()).count()
    }

    #[tokio::test]
    async fn only_so_many_passwords_are_hashed_at_a_time() {
        let doorkeeper = doorkeeper();
        let turns = doorkeeper.turns.acquire_many(u32::try_from(AT_A_TIME).unwrap()).await.unwrap();
        let next = doorkeeper.knows("secret".to_owned(), None);
        assert!(next.now_or_never().is_none(), "the next one waits");
        drop(turns);
        assert_eq!(doorkeeper.knows("secret".to_owned(), None).await, Ok(false));
    }

    #[tokio::test]
    async fn only_so_many_wait_and_the_others_are_told_at_once() {
        let doorkeeper = doorkeeper();
        let turns = doorkeeper.turns.acquire_many(u32::try_from(AT_A_TIME).unwrap()).await.unwrap();
        let tries = (0..600).map(|_| Box::pin(doorkeeper.knows("secret".to_owned(), None)));
        let mut tries: Vec<_> = tries.collect();
        let answers: Vec<_> = tries.iter_mut().map(futures_util::FutureExt::now_or_never).collect();
        let waiting = answers.iter().filter(|answer| answer.is_none()).count();
        assert_eq!(waiting, AT_A_TIME + WAITING_MOST);
        assert!(answers.into_iter().flatten().all(|answer| answer == Err(Busy)));
        drop(turns);
    }

    #[test]
    fn nobody_locks_a_member_out_from_one_network() {
        let doorkeeper = doorkeeper();
        let stranger = |_| doorkeeper.admit("ada@acme.example", address("203.0.113.9"), None);
        assert_eq!(admitted(12, stranger), 8);
        let member = doorkeeper.admit("ada@acme.example", address("198.51.100.1"), None);
        assert_eq!(member, Ok(()));
    }

    #[test]
    fn a_known_device_passes_whatever_strangers_do() {
        let doorkeeper = doorkeeper();
        let (email, home) = ("ada@acme.example", address("198.51.100.1"));
        let stranger =
            |number| doorkeeper.admit(email, address(&format!("203.0.113.{number}")), None);
        assert!(admitted(200, stranger) >= 20, "from many networks");
        assert!(doorkeeper.admit(email, home, None).is_err(), "the account is tried too often");
        assert_eq!(admitted(12, |_| doorkeeper.admit(email, home, Some([7; 16]))), 8);
    }

    #[test]
    fn the_64_bits_that_a_host_picks_for_itself_are_one_network() {
        let doorkeeper = doorkeeper();
        let tried = |number| {
            let email = format!("nobody{number}@acme.example");
            doorkeeper.admit(&email, address(&format!("2001:db8:0:1::{number:x}")), None)
        };
        assert_eq!(admitted(60, tried), 40);
        assert!(doorkeeper.admit("x", address("2001:db8:0:2::1"), None).is_ok());
        // IPv4 in IPv6 is IPv4.
        assert_eq!(network(address("::ffff:203.0.113.9")), network(address("203.0.113.9")));
        assert_ne!(network(address("::ffff:203.0.113.9")), network(address("::ffff:203.0.113.8")));
    }
}
