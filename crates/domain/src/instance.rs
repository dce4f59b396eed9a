//! Detects which of the instances that share a database are alive and which are dead.
//!
//! Each instance increments a number in the database, which is called its beat, and reads the beats
//! of the other instances. No instance compares times: the clocks of two machines differ, and the
//! database's clock may change in a failover.

use crate::id::InstanceId;
use crate::keyword::keywords;
use std::collections::BTreeMap;
use std::time::Duration;

/// The interval at which an instance increments its own beat. Also the minimum time between two
/// reads of the beats of the other instances.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// An instance is considered dead after this many reads in a row in which its beat has not changed.
const MISSED_HEARTBEATS: u32 = 3;
/// Maximum age of an instance's last successful beat at which the instance may still start work
/// under its claims. The age is measured from the time at which the instance began to write the
/// beat. The maximum is shorter than the time after which other instances consider the instance
/// dead.
pub const CLAIMS_HOLD: Duration = Duration::from_millis(2500);

keywords! {
    /// The kinds of work for an organization. For each kind, one instance at a time does all the
    /// work of an organization.
    pub enum WorkKind {
        /// Sending the messages that wait for the channel.
        Messages = "messages",
        /// Accepting scheduled messages that are due.
        Scheduled = "scheduled",
    }
}

/// The beats of all instances, as one instance has read them so far.
#[derive(Clone, Debug, Default)]
pub struct Peers(BTreeMap<InstanceId, PeerHeartbeat>);

#[derive(Clone, Copy, Debug)]
struct PeerHeartbeat {
    beat: i64,
    unchanged: u32,
}

impl Peers {
    /// Records one read of the beats of all instances. Returns the instances that are considered
    /// dead, with their last beats.
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

    /// Forgets the earlier reads. The caller does this after a read failed: while the database is
    /// unavailable, no instance can increment its beat.
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
        // The beat of the instance changes again, so the instance is not considered dead anymore.
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
