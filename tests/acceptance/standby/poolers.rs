//! A standby behind `PgBouncer`.

use super::{FALLBACK, Stage, WITHIN, served};
use crate::handover::private_postgres::PrivatePostgres;
use crate::world::pgbouncer::{PgBouncer, PoolMode};
use crate::world::{Database, DirectConnection, World};
use platform::clock::Stopwatch;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_behind_a_pooler_is_read_from() {
    // Given a standby behind a pooler that serves reads,
    let stage = Stage::start_by(Some(PoolMode::Session)).await;
    // when it stops replaying, then new messages are still shown,
    stage.pause_replay(true).await;
    stage.send("two").await;
    stage.all_read_from_the_primary(&["two", "one"]).await;
    // and when it replays again, or runs again after a kill, it serves reads again.
    stage.pause_replay(false).await;
    stage.until_served().await;
    stage.standby.kill().await;
    stage.send("three").await;
    let (watch, before) = (Stopwatch::start(), served());
    assert_eq!(stage.texts().await, ["three", "two", "one"]);
    assert!(watch.elapsed() < FALLBACK && served() == before, "{:?}", watch.elapsed());
    stage.standby.start_again().await;
    stage.until_served().await;
    assert_eq!(stage.texts().await, ["three", "two", "one"]);

    // When the standby is promoted and gets other rows, then it serves no reads.
    let mut promoted = DirectConnection::connect(&stage.standby.url()).await;
    promoted.execute("SELECT pg_promote()").await;
    promoted.execute("UPDATE messages SET position = 7").await;
    stage.all_read_from_the_primary(&["three", "two", "one"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pooler_that_mixes_up_statements_is_passed_by() {
    // Given a standby behind a PgBouncer in transaction mode without support for prepared
    // statements,
    let before = served();
    let primary = PrivatePostgres::start().await;
    let standby = primary.standby("").await;
    let pooler = PgBouncer::start(&standby.url(), PoolMode::Transaction).await;
    let mut database = Database::postgres().await;
    database.url = primary.url();
    // when a server starts with it, then the primary serves the reads.
    let world = World::on(database, &[("database_url_read", &pooler.url)]).await;
    let stage = Stage { world, primary, standby, _pooler: Some(pooler) };
    stage.send("one").await;
    let watch = Stopwatch::start();
    while watch.elapsed() < WITHIN / 5 {
        stage.all_read_from_the_primary(&["one"]).await;
    }
    assert_eq!(served(), before);
}
