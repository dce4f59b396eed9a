//! Pseudorandom numbers. With them a drill causes failures at a different moment each time.

use std::time::Duration;

use servers::clock;

/// A generator (xorshift).
pub struct Chance(u64);

impl Chance {
    /// Creates a generator with a different sequence for each `number` and at each start.
    pub fn new(number: u64) -> Self {
        let now = clock::now().unix_timestamp_nanos().unsigned_abs();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the lower half is the part that changes"
        )]
        let seed = now as u64 ^ (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // A xorshift state of zero would stay zero.
        Self(seed | 1)
    }

    /// Creates a generator that returns the same sequence for the same seed.
    pub fn seeded(seed: u64) -> Self {
        // Mixing gives neighboring seeds different sequences. It also avoids a state of zero, which
        // would stay zero.
        let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((mixed ^ (mixed >> 31)) | 1)
    }

    /// Returns a number below `most`.
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most.max(1)
    }

    /// Returns a random duration: at least `least` milliseconds, and up to `more` milliseconds
    /// longer.
    pub fn millis(&mut self, least: u64, more: u64) -> Duration {
        Duration::from_millis(least + self.below(more + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_come() {
        let mut chance = Chance::new(7);
        let mut seen = [false; 5];
        for _ in 0..1000 {
            seen[usize::try_from(chance.below(5)).unwrap()] = true;
        }
        assert_eq!(seen, [true; 5]);
        assert_eq!(chance.millis(3, 0), Duration::from_millis(3));
    }

    #[test]
    fn a_seed_repeats_its_numbers() {
        let numbers = |seed| {
            let mut chance = Chance::seeded(seed);
            [0; 4].map(|_| chance.below(1000))
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
    }
}
