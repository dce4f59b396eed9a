//! After a failover, servers on the old timeline can be further in the write-ahead log than the new
//! primary.

use super::{PAUSE, Stage, WITHIN, served, settings_on_the_page};
use crate::world::DirectConnection;
use platform::clock::Stopwatch;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_of_an_old_timeline_are_not_read_from() {
    // Given a primary with two standbys, a failover to one of them, and the old primary still
    // running with the other standby, as when it was cut off: both have other rows than the new
    // primary and are further in the log,
    let stage = Stage::start().await;
    let left_behind = stage.primary.standby(settings_on_the_page()).await;
    let mut promoted = DirectConnection::connect(&stage.standby.url()).await;
    promoted.execute("SELECT pg_promote()").await;
    let mut old = DirectConnection::connect(&stage.primary.url()).await;
    old.execute("UPDATE messages SET position = 7; CREATE TABLE mark (id int)").await;
    for _ in 0..2 {
        old.execute("SELECT pg_switch_wal(); INSERT INTO mark VALUES (1)").await;
    }
    let mut follower = DirectConnection::connect(&left_behind.url()).await;
    let seen = "SELECT (to_regclass('mark') IS NOT NULL)::int::bigint AS number";
    let log = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS number";
    let replayed = "SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint AS number";
    let (watch, end) = (Stopwatch::start(), old.number(log).await);
    while follower.number(seen).await == 0 || follower.number(replayed).await < end {
        assert!(watch.elapsed() < WITHIN, "the other standby does not follow");
        tokio::time::sleep(PAUSE).await; // real time: another process replays
    }
    assert!(end > promoted.number(log).await + 1_000_000);

    // when servers on the new primary are configured to read from one of these,
    for standby in [&left_behind, &stage.primary] {
        let server = stage.server_on(&stage.standby, standby).await;
        let (watch, before) = (Stopwatch::start(), served());
        // then they never do.
        while watch.elapsed() < Duration::from_millis(1_500) {
            let base = format!("http://{}", server.address);
            assert_eq!(stage.texts_at(&base).await, ["one"]);
            tokio::time::sleep(PAUSE).await; // real time: the standby is looked at
        }
        assert_eq!(served(), before, "it was read from");
        server.stop().await.unwrap();
    }

    // When there is a standby on the new primary's timeline, then it serves reads.
    let fresh = stage.standby.standby("").await;
    let server = stage.server_on(&stage.standby, &fresh).await;
    stage.until_served_by(&format!("http://{}", server.address)).await;
    server.stop().await.unwrap();
}
