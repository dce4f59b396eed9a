//! Randomness. The system is asked for it here and nowhere else.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    /// The generator of this thread, seeded by the system when it is first used.
    static ID_GENERATOR: RefCell<Option<ChaCha12Rng>> = const { RefCell::new(None) };
}

/// Random bytes.
#[derive(Debug)]
pub struct Entropy(Source);

#[derive(Debug)]
enum Source {
    System(SystemRandom),
    Seeded { seed: u64, given: AtomicU64 },
}

impl Entropy {
    /// The operating system's.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where randomness comes from")]
    pub fn system() -> Self {
        Self(Source::System(SystemRandom::new()))
    }

    /// The same bytes each time, for a simulation that is to be repeated. No secret may be made of them.
    #[must_use]
    pub const fn seeded(seed: u64) -> Self {
        Self(Source::Seeded { seed, given: AtomicU64::new(0) })
    }

    /// Bytes for ids and for jitter, from a generator in the process that the system seeds once for each thread. It cannot be
    /// predicted (ChaCha12), and needs no system call. Secrets are made of [`Self::bytes`].
    ///
    /// # Panics
    ///
    /// When the system has no seed to give.
    #[must_use]
    pub fn id_bytes<const N: usize>(&self) -> [u8; N] {
        if matches!(self.0, Source::Seeded { .. }) {
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

    /// Fresh bytes from the system, for secrets.
    ///
    /// # Panics
    ///
    /// When the system has none to give: to go on with predictable secrets would be worse.
    #[must_use]
    #[expect(clippy::expect_used, reason = "no secret may be made without entropy")]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        match &self.0 {
            Source::System(system) => {
                system.fill(&mut bytes).expect("the operating system gives random bytes");
            }
            Source::Seeded { seed, given } => {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

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
