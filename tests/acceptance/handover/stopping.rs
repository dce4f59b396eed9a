//! SIGTERM (`docs/contract.md#operation`): requests in flight are completed, no new ones begin, and
//! the next server continues at once without repeating anything.

use super::Shop;
use crate::crashes::terminate;
use crate::world::World;
use platform::clock::Stopwatch;
use std::time::Duration;

/// Stops a server once `at` requests have arrived at a channel whose responses take `delay`.
async fn stopped_at_work(url: &str, people: usize, each: usize, delay: Duration, at: usize) {
    // Given queues of messages and a slow channel,
    let shop = Shop::on(url).await;
    shop.graph.answer_after(delay);
    let server = shop.serve().await;
    let sent = shop.queue(&server.base, people, each).await;
    shop.until_arrived(at, Duration::from_mins(1)).await;

    // (On a slow machine more than `at` requests may have arrived while the messages were queued.)
    let at = shop.graph.accepted().len();

    // when the server is asked to stop, then it ends within 30 seconds with exit code 0;
    terminate(&server);
    let watch = Stopwatch::start();
    assert_eq!(server.exit_code().await, Some(0));
    assert!(watch.elapsed() < Duration::from_secs(30), "it took {:?}", watch.elapsed());
    let before = shop.graph.accepted().len();
    assert!(
        before <= at + people * 4,
        "{before} had arrived, {at} of them before it was told to stop"
    );

    // and when another server is started, it continues at once,
    shop.graph.answer_after(Duration::ZERO);
    let next = shop.serve().await;
    shop.until_arrived(people * each, Duration::from_secs(10)).await;
    next.kill().await;

    // and each message has reached the channel once, in order.
    let repeated = shop.repeated();
    assert!(repeated.is_empty(), "{} of {} arrived twice", repeated.len(), people * each);
    assert_eq!(shop.arrived(), sent);
}

fn sqlite() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    (folder, url)
}

const SLOW: Duration = Duration::from_secs(8);
const BRISK: Duration = Duration::from_millis(150);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_queue_before_a_channel_of_eight_seconds_on_sqlite() {
    let (_folder, url) = sqlite();
    stopped_at_work(&url, 1, 16, SLOW, 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_queue_before_a_channel_of_eight_seconds_on_postgres() {
    let world = World::on_postgres().await;
    stopped_at_work(world.database_url(), 1, 16, SLOW, 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_queues_before_a_channel_of_eight_seconds_on_sqlite() {
    let (_folder, url) = sqlite();
    stopped_at_work(&url, 60, 2, SLOW, 60).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_queues_before_a_channel_of_eight_seconds_on_postgres() {
    let world = World::on_postgres().await;
    stopped_at_work(world.database_url(), 60, 2, SLOW, 60).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_queue_before_a_brisk_channel_on_sqlite() {
    let (_folder, url) = sqlite();
    stopped_at_work(&url, 2, 60, BRISK, 20).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_queue_before_a_brisk_channel_on_postgres() {
    let world = World::on_postgres().await;
    stopped_at_work(world.database_url(), 2, 60, BRISK, 20).await;
}
