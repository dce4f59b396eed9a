//! Redis is killed, is frozen, or rejects the password: calls of keys with a rate limit are
//! rejected quickly, and succeed again as soon as Redis works.

use crate::world::redis::Redis;
use crate::world::{Answer, Database, Pair, World};
use domain::scope::Scope;
use futures_util::future::join_all;
use platform::clock::Stopwatch;
use std::time::Duration;
use tokio::time::sleep;

const ME: &str = "/api/v1/me";
/// The longest time for a rejection: 300 ms, and a margin for a machine that is busy with other
/// tests.
const REFUSED_TIMEOUT: Duration = Duration::from_millis(300 + 200);

async fn world_with(redis: &Redis) -> (World, Pair) {
    let world = World::on(Database::migrated_sqlite(), &[("redis_url", &redis.url())]).await;
    let key = world.key_with(world.organization, &[Scope::MediaWrite], None, 10_000).await;
    assert_eq!(world.get(ME, &key).await.status, 200);
    (world, key)
}

async fn time_call(world: &World, key: &Pair) -> (Answer, Duration) {
    let begun = Stopwatch::start();
    (world.get(ME, key).await, begun.elapsed())
}

/// Makes calls one after another and concurrently, and asserts that each is rejected in time.
/// Returns the longest time.
async fn all_are_refused_in_time(world: &World, key: &Pair) -> Duration {
    let mut longest = Duration::ZERO;
    let mut answers = Vec::new();
    for _ in 0..5 {
        answers.push(time_call(world, key).await);
    }
    answers.extend(join_all((0..20).map(|_| time_call(world, key))).await);
    for (answer, took) in answers {
        answer.is_problem(503, "unavailable");
        assert_eq!(answer.header("retry-after"), "1");
        longest = longest.max(took);
    }
    longest
}

/// Waits up to five seconds until calls succeed again.
async fn is_back(world: &World, key: &Pair) {
    for _ in 0..100 {
        if world.get(ME, key).await.status == 200 {
            return;
        }
        sleep(Duration::from_millis(50)).await; // real time: another process starts
    }
    panic!("calls were not admitted within five seconds");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_redis_refuses_at_once_and_is_found_again() {
    // Given a server that keeps its rate limits in Redis,
    let redis = Redis::start(None).await;
    let port = redis.port();
    let (world, key) = world_with(&redis).await;

    // when Redis is killed, then calls with a rate limit are rejected quickly, and others succeed,
    redis.kill().await;
    let longest = all_are_refused_in_time(&world, &key).await;
    assert!(longest < REFUSED_TIMEOUT, "a refusal took {longest:?}");
    assert_eq!(world.get(ME, &world.key).await.status, 200);

    // and when Redis is back, all calls succeed again.
    let _redis = Redis::start_on(port, None).await;
    is_back(&world, &key).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_redis_refuses_in_time_and_is_found_again() {
    let redis = Redis::start(None).await;
    let (world, key) = world_with(&redis).await;

    // When Redis accepts connections but does not respond, then calls are rejected in time,
    redis.pause();
    let longest = all_are_refused_in_time(&world, &key).await;
    assert!(longest < REFUSED_TIMEOUT, "a refusal took {longest:?}");
    // after the first few even without a wait,
    let (answer, took) = time_call(&world, &key).await;
    answer.is_problem(503, "unavailable");
    assert!(took < Duration::from_millis(150), "a refusal took {took:?}");

    // and when Redis responds again, the calls succeed.
    redis.resume();
    is_back(&world, &key).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_refused_the_password_for_a_moment_is_found_again() {
    // Given a Redis with a password that the server knows,
    let mut redis = Redis::start(Some("right")).await;
    let (world, key) = world_with(&redis).await;

    // when Redis requires another password for a while, then calls are rejected quickly,
    redis.lock("other").await;
    let longest = all_are_refused_in_time(&world, &key).await;
    assert!(longest < REFUSED_TIMEOUT, "a refusal took {longest:?}");
    sleep(Duration::from_secs(1)).await; // real time: the server tries to log in, and fails

    // and when the password is right again, then the server logs in and calls succeed.
    redis.lock("right").await;
    is_back(&world, &key).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_was_cut_costs_no_call() {
    // Given a server whose connection to Redis was closed while there were no calls,
    let redis = Redis::start(None).await;
    let (world, key) = world_with(&redis).await;
    redis.execute("CLIENT KILL TYPE normal SKIPME yes").await.unwrap();

    // when a key calls, then the call succeeds.
    let answer = world.get(ME, &key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}
