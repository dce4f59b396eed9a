//! Randomness. The system is asked for it here and nowhere else.

use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use std::sync::atomic::{AtomicU64, Ordering};

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

    /// So many fresh bytes.
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
