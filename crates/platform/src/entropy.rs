//! Random bytes. Only this module asks the system for them.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    /// The generator of this thread. The system seeds it on first use.
    static ID_GENERATOR: RefCell<Option<ChaCha12Rng>> = const { RefCell::new(None) };
    /// The millisecond of this thread's last id, and the id's random bytes.
    static LAST_ID: Cell<Option<(i64, [u8; 10])>> = const { Cell::new(None) };
}

/// The bits of an id's last eight bytes that are random. The two others are the variant of the UUID.
const RANDOM_BITS: u64 = u64::MAX >> 2;

/// A source of random bytes.
#[derive(Debug)]
pub struct Entropy(EntropySource);

#[derive(Debug)]
enum EntropySource {
    System(SystemRandom),
    Seeded { seed: u64, given: AtomicU64 },
}

impl Entropy {
    /// Creates a source that reads the operating system's randomness.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where randomness comes from")]
    pub fn system() -> Self {
        Self(EntropySource::System(SystemRandom::new()))
    }

    /// Creates a source that gives the same bytes each time, for repeatable simulations. It must
    /// not be used for secrets.
    #[must_use]
    pub const fn seeded(seed: u64) -> Self {
        Self(EntropySource::Seeded { seed, given: AtomicU64::new(0) })
    }

    /// Returns bytes for ids and for jitter. A generator in this process (ChaCha12) makes them,
    /// which the system seeds once per thread. They cannot be predicted, and need no system call.
    /// Secrets use [`Self::bytes`] instead.
    ///
    /// # Panics
    ///
    /// Panics if the system gives no seed.
    #[must_use]
    pub fn id_bytes<const N: usize>(&self) -> [u8; N] {
        if matches!(self.0, EntropySource::Seeded { .. }) {
            return self.bytes();
        }
        let mut bytes = [0; N];
        ID_GENERATOR.with_borrow_mut(|generator| {
            generator
                .get_or_insert_with(|| ChaCha12Rng::from_seed(self.bytes()))
                .fill_bytes(&mut bytes);
        });
        bytes
    }

    /// Returns bytes for an id that is created in this millisecond. Ids that a thread creates in
    /// one millisecond ascend, so that the messages of a batch have its order (RFC 9562, section
    /// 6.2, method 2).
    ///
    /// # Panics
    ///
    /// Panics if the system gives no seed.
    #[must_use]
    pub fn ordered_id_bytes(&self, millis: i64) -> [u8; 10] {
        if matches!(self.0, EntropySource::Seeded { .. }) {
            return self.bytes();
        }
        let next = match LAST_ID.get() {
            Some((last, bytes)) if last == millis => {
                successor(bytes, u32::from_be_bytes(self.id_bytes()))
            }
            _ => None,
        };
        let bytes = next.unwrap_or_else(|| self.id_bytes());
        LAST_ID.set(Some((millis, bytes)));
        bytes
    }

    /// Returns new random bytes from the system, for secrets.
    ///
    /// # Panics
    ///
    /// Panics if the system gives no random bytes.
    #[must_use]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        match &self.0 {
            EntropySource::System(system) => fill_from_system(system, &mut bytes),
            EntropySource::Seeded { seed, given } => {
                for piece in bytes.chunks_mut(SHA256.output_len()) {
                    let turn = given.fetch_add(1, Ordering::Relaxed);
                    let of = [seed.to_be_bytes(), turn.to_be_bytes()].concat();
                    let fresh = digest(&SHA256, &of);
                    piece.iter_mut().zip(fresh.as_ref()).for_each(|(to, from)| *to = *from);
                }
            }
        }
        bytes
    }
}

/// Returns the random bytes of the next id in the same millisecond: `bytes` plus `step` plus 1.
/// Returns `None` if the random bits would overflow.
fn successor(bytes: [u8; 10], step: u32) -> Option<[u8; 10]> {
    let [first, second, last @ ..] = bytes;
    let next = (u64::from_be_bytes(last) & RANDOM_BITS) + u64::from(step) + 1;
    let last = next.to_be_bytes();
    (next <= RANDOM_BITS).then(|| {
        let mut following = [0; 10];
        following
            .iter_mut()
            .zip([first, second].iter().chain(&last))
            .for_each(|(to, from)| *to = *from);
        following
    })
}

/// Fills `bytes` with one system call. Only this function asks the system.
///
/// # Panics
///
/// Panics if the system gives no random bytes. Continuing with predictable secrets would be worse.
#[expect(clippy::expect_used, reason = "no secret may be made without entropy")]
fn fill_from_system(system: &SystemRandom, bytes: &mut [u8]) {
    #[cfg(test)]
    tests::SYSTEM_CALLS.set(tests::SYSTEM_CALLS.get() + 1);
    system.fill(bytes).expect("the operating system gives random bytes");
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::{Id, MessageId};
    use domain::time::Timestamp;
    use std::collections::BTreeSet;

    thread_local! {
        /// The number of times that this thread has asked the system. Each thread counts its own
        /// calls, so tests on other threads do not change this number.
        pub(super) static SYSTEM_CALLS: Cell<u32> = const { Cell::new(0) };
    }

    #[test]
    fn ids_ask_the_system_once_per_thread() {
        // Two threads share one source and create 50,000 ids each. Each thread asks the system
        // once, for the seed of its generator.
        let entropy = Entropy::system();
        let make_ids = || {
            for _ in 0..50_000 {
                let _: [u8; 10] = entropy.id_bytes();
            }
            SYSTEM_CALLS.get()
        };
        let calls: Vec<u32> = std::thread::scope(|scope| {
            let threads = [scope.spawn(make_ids), scope.spawn(make_ids)];
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(calls, [1, 1]);
        // Each secret asks the system again.
        let before = SYSTEM_CALLS.get();
        for _ in 0..3 {
            let _: [u8; 32] = entropy.bytes();
        }
        assert_eq!(SYSTEM_CALLS.get(), before + 3);
    }

    #[test]
    fn ids_of_one_millisecond_ascend() {
        let entropy = Entropy::system();
        let now = Timestamp::from_seconds(1_800_000_000);
        let millis = now.micros() / 1000;
        let ids: Vec<MessageId> =
            (0..10_000).map(|_| Id::new(now, entropy.ordered_id_bytes(millis))).collect();
        assert!(ids.is_sorted_by(|one, next| one < next));
        // In another millisecond the random bytes are new.
        let fresh = entropy.ordered_id_bytes(millis + 1);
        assert_ne!(successor(entropy.ordered_id_bytes(millis + 1), 0), Some(fresh));
        // When the random bits are used up, there is no next id.
        assert_eq!(successor([0xff; 10], 0), None);
        assert_eq!(successor([0; 10], 0), Some([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]));
    }

    #[test]
    fn ids_differ_within_a_thread_and_between_threads() {
        let ids = || {
            let entropy = Entropy::system();
            (0..1_000).map(|_| entropy.id_bytes::<10>()).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(ids)).collect();
        let mut all: BTreeSet<[u8; 10]> = ids().into_iter().collect();
        for thread in threads {
            all.extend(thread.join().unwrap());
        }
        assert_eq!(all.len(), 5_000);
    }

    #[test]
    fn a_simulation_repeats_its_ids() {
        let ids = |seed| {
            let entropy = Entropy::seeded(seed);
            [entropy.id_bytes::<10>(), entropy.id_bytes()]
        };
        assert_eq!(ids(7), ids(7));
        assert_ne!(ids(7), ids(8));
    }
}
