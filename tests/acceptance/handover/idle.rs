//! Workers sleep while the channel is slow, and wake at once when there is something to do.

use super::{Shop, person};
use crate::world::World;
use platform::clock::Stopwatch;
use std::time::Duration;
use tokio_postgres::NoTls;

/// The time for which an idle server is observed.
const WATCHED: Duration = Duration::from_secs(5);

/// Returns the number of transactions of the database so far.
async fn transactions(client: &tokio_postgres::Client) -> i64 {
    let asked = "SELECT xact_commit + xact_rollback FROM pg_stat_database \
                 WHERE datname = current_database()";
    client.query_one(asked, &[]).await.unwrap().get(0)
}

/// Returns the processor time of a process so far, in hundredths of a second.
fn ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_on_postgres_sleeps_while_the_channel_takes_its_time() {
    let world = World::on_postgres().await;
    let (client, connection) = tokio_postgres::connect(world.database_url(), NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    let shop = Shop::on(world.database_url()).await;
    shop.graph.answer_after(Duration::from_secs(10));
    let server = shop.serve().await;
    shop.queue(&server.base, 1, 2).await;
    shop.until_arrived(1, Duration::from_secs(10)).await;

    // PostgreSQL publishes these numbers with a delay of a second.
    tokio::time::sleep(Duration::from_secs(2)).await; // real time: PostgreSQL counts
    let before = (transactions(&client).await, ticks(server.id()));
    tokio::time::sleep(WATCHED).await; // real time: the load of another process is measured in it
    let after = (transactions(&client).await, ticks(server.id()));
    driver.abort();

    let a_second = (after.0 - before.0) / WATCHED.as_secs().cast_signed();
    let percent = (after.1 - before.1) / WATCHED.as_secs();
    eprintln!("{a_second} transactions a second, {percent} % of a processor");
    // Each of about 20 workers looks for work once or twice a second; one that does not sleep looks
    // hundreds of times.
    assert!(a_second <= 90, "{a_second} transactions a second");
    assert!(percent <= 4, "{percent} % of a processor");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_on_sqlite_sleeps_while_the_channel_takes_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    let shop = Shop::on(&url).await;
    shop.graph.answer_after(Duration::from_secs(10));
    let server = shop.serve().await;
    shop.queue(&server.base, 1, 2).await;
    shop.until_arrived(1, Duration::from_secs(10)).await;
    let before = ticks(server.id());
    tokio::time::sleep(WATCHED).await; // real time: the load of another process is measured in it
    let percent = (ticks(server.id()) - before) / WATCHED.as_secs();
    eprintln!("{percent} % of a processor");
    assert!(percent <= 4, "{percent} % of a processor");
}

/// Sends a queue of 40 messages and checks the pauses between them.
async fn goes_on_at_once(url: &str) {
    let shop = Shop::on(url).await;
    let delay = Duration::from_millis(100);
    shop.graph.answer_after(delay);
    let server = shop.serve().await;
    // A message that is accepted while the workers sleep is sent at once,
    let watch = Stopwatch::start();
    let asleep = shop.text(&server.base, &person(7), "Hello").await.expect("it is accepted");
    shop.until_arrived(1, Duration::from_secs(10)).await;
    assert!(watch.elapsed() < Duration::from_millis(400), "{:?}", watch.elapsed());
    drop(asleep);

    // and a long queue is sent without a pause, even when its conversation has to be claimed again.
    shop.queue(&server.base, 1, 40).await;
    let mut last = Stopwatch::start();
    let mut longest = Duration::ZERO;
    let (first, all) = (shop.graph.accepted().len(), 41);
    for many in first + 1..=all {
        shop.graph.until(|graph| graph.accepted().len() >= many).await;
        longest = longest.max(last.elapsed());
        last = Stopwatch::start();
    }
    assert!(longest < delay + Duration::from_millis(400), "a pause of {longest:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_goes_on_at_once_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    goes_on_at_once(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_goes_on_at_once_on_postgres() {
    let world = World::on_postgres().await;
    goes_on_at_once(world.database_url()).await;
}
