//! Ids, digests and client ids that are computed. The server would use random ones.
//!
//! They are derived from the kind and the number of a row, so a row that refers to another row can
//! compute its id.

use auth::secret::{Holder, client_id};
use domain::id::{Id, Kind};
use domain::time::Timestamp;

/// The number of the first key that belongs to a connection. Keys that were created by hand have
/// smaller numbers.
pub const CONNECTION_KEYS: i64 = 1 << 31;

/// Returns the id of row number `n` of a kind, created at the microsecond `at`.
pub fn id<K: Kind>(n: i64, at: i64) -> Id<K> {
    let (high, low) = bits::<K>(n);
    let ([h0, h1, ..], [l0, l1, l2, l3, l4, l5, l6, l7]) = (high.to_be_bytes(), low.to_be_bytes());
    Id::new(Timestamp::from_micros(at), [h0, h1, l0, l1, l2, l3, l4, l5, l6, l7])
}

/// Returns the client id of row number `n` of a kind.
pub fn client<K: Kind>(holder: Holder, n: i64) -> String {
    let (high, low) = bits::<K>(n);
    client_id(holder, ((u128::from(high) << 64) | u128::from(low)).to_be_bytes())
}

/// Returns pseudorandom bits for row number `n` of a kind. Different kinds have different bits.
pub fn bits<K: Kind>(n: i64) -> (u64, u64) {
    let kind = K::PREFIX.bytes().fold(0, |kind, letter| (kind << 8) | u64::from(letter));
    let seed = (kind << 32) ^ n.cast_unsigned();
    (mix(seed), mix(seed ^ 0x5bd1_e995_0000_0000))
}

/// Returns 32 pseudorandom bytes in place of a digest for row number `n` of a kind.
pub fn digest<K: Kind>(n: i64) -> [u8; 32] {
    let (one, two) = bits::<K>(n);
    let mut digest = [0; 32];
    let words = [one, two, mix(one), mix(two)];
    for (place, word) in digest.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// Mixes bits with `SplitMix64`'s finalizer: each input bit changes about half of the output bits.
const fn mix(seed: u64) -> u64 {
    let mut bits = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::id::{Connection, Conversation, Key, Message};

    use super::*;

    #[test]
    fn ids_of_one_millisecond_differ() {
        fn of<K: Kind>() -> impl Iterator<Item = u128> {
            let numbers = (0..10_000).chain(CONNECTION_KEYS..CONNECTION_KEYS + 10_000);
            numbers.map(|n| id::<K>(n, 1_000).uuid().as_u128())
        }
        let pairs = of::<Connection>().chain(of::<Conversation>());
        let all: BTreeSet<u128> = of::<Message>().chain(of::<Key>()).chain(pairs).collect();
        assert_eq!(all.len(), 80_000);
    }

    #[test]
    fn an_id_has_the_time_of_its_row() {
        let at = Timestamp::from_micros(1_795_439_372_929_634);
        let made_at = id::<Message>(7, at.micros()).made_at();
        assert_eq!(made_at, Timestamp::from_micros(1_795_439_372_929_000));
    }
}
