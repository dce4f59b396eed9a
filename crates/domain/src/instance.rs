//! Which of the servers that share a database are alive.
//!
//! Each server counts a number up, its beat, and looks at the beats of the others. No clock is compared
//! with another one: not those of two machines, nor the database's, which a failover may change.

use crate::id::InstanceId;
use crate::keyword::keywords;
use std::collections::BTreeMap;
use std::time::Duration;

/// A server that runs counts its beat up so often. The pause between two looks is never shorter.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// A server whose beat stood still at so many looks, one after the other, is dead.
const MISSED_HEARTBEATS: u32 = 3;
/// A server whose last successful beat began longer ago than this begins nothing under its claims: before
/// the others can take it for dead.
pub const CLAIMS_HOLD: Duration = Duration::from_millis(2500);

keywords! {
    /// What is due for an organization; one server works on all of a kind.
    pub enum WorkKind {
        /// Messages wait for the channel.
        Messages = "messages",
    }
}

/// What a server knows of the beats of the others.
#[derive(Clone, Debug, Default)]
pub struct Peers(BTreeMap<InstanceId, PeerHeartbeat>);

#[derive(Clone, Copy, Debug)]
struct PeerHeartbeat {
    beat: i64,
    unchanged: u32,
}

impl Peers {
    /// Takes in one look at the beats of all servers; returns those that are dead, with the beat at which
    /// they stand.
    pub fn observe(&mut self, beats: &[(InstanceId, i64)]) -> Vec<(InstanceId, i64)> {
        let seen = |(id, beat): &(InstanceId, i64)| {
            let before = self.0.get(id).filter(|before| before.beat == *beat);
            let unchanged = before.map_or(0, |before| before.unchanged + 1);
            (*id, PeerHeartbeat { beat: *beat, unchanged })
        };
        self.0 = beats.iter().map(seen).collect();
        let dead = self.0.iter().filter(|(_, seen)| seen.unchanged >= MISSED_HEARTBEATS);
        dead.map(|(id, seen)| (*id, seen.beat)).collect()
    }

    /// Begins again after a look that failed: while the database was away, nobody's beat could change.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    fn instance(number: u8) -> InstanceId {
        InstanceId::new(Timestamp::from_seconds(0), [number; 10])
    }

    #[test]
    fn a_server_whose_beat_stands_still_at_three_more_looks_is_dead() {
        let (one, other) = (instance(1), instance(2));
        let mut peers = Peers::default();
        for beat in 0..3 {
            assert_eq!(peers.observe(&[(one, 7), (other, beat)]), []);
        }
        assert_eq!(peers.observe(&[(one, 7), (other, 3)]), [(one, 7)]);
        // One that beats again is alive.
        assert_eq!(peers.observe(&[(one, 8), (other, 4)]), []);
    }

    #[test]
    fn a_look_that_failed_counts_for_nothing() {
        let one = instance(1);
        let mut peers = Peers::default();
        for _ in 0..3 {
            assert_eq!(peers.observe(&[(one, 7)]), []);
        }
        peers.forget();
        for _ in 0..3 {
            assert_eq!(peers.observe(&[(one, 7)]), []);
        }
        assert_eq!(peers.observe(&[(one, 7)]), [(one, 7)]);
    }

    #[test]
    fn a_server_that_left_is_forgotten() {
        let one = instance(1);
        let mut peers = Peers::default();
        for _ in 0..3 {
            assert_eq!(peers.observe(&[(one, 7)]), []);
        }
        assert_eq!(peers.observe(&[]), []);
        assert_eq!(peers.observe(&[(one, 7)]), []);
    }

    #[test]
    fn claims_end_before_the_others_take_over() {
        assert!(CLAIMS_HOLD < HEARTBEAT_INTERVAL * MISSED_HEARTBEATS);
    }
}
