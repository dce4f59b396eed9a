//! Randomness. The system is asked for it here and nowhere else.

use ring::rand::{SecureRandom, SystemRandom};

/// Random bytes from the operating system.
#[derive(Debug)]
pub struct Entropy(SystemRandom);

impl Entropy {
    /// The operating system's.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where randomness comes from")]
    pub fn system() -> Self {
        Self(SystemRandom::new())
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
        self.0.fill(&mut bytes).expect("the operating system gives random bytes");
        bytes
    }
}
