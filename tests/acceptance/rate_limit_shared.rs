//! Rate limits that several instances share in Redis or Valkey.

use crate::world::{Answer, Pair, World, entropy, free_port, noon, settings_with};
use auth::rate::RateWindow;
use delivery::cli::{Running, start};
use domain::id::{Id, KeyId};
use domain::scope::Scope;
use futures_util::future::join_all;
use platform::clock::Clock;
use platform::rate_limit::RateLimiter;
use std::time::Duration;

const ME: &str = "/api/v1/me";
const LIMIT: u32 = 100;

fn redis() -> String {
    let url = std::env::var("SWITCHBOARD_TEST_REDIS");
    url.expect("SWITCHBOARD_TEST_REDIS names a server: run `cargo xtask test`")
}

/// Starts two servers on one PostgreSQL database, which share rate limits and the test's clock.
async fn two_servers(world: &World) -> [Running; 2] {
    let (url, redis) = (world.database_url(), redis());
    let one = || start(settings_with(url, &[("redis_url", &redis)]), world.clock.clone(), false);
    [one().await.unwrap(), one().await.unwrap()]
}

async fn call_many(world: &World, servers: &[Running; 2], key: &Pair, many: usize) -> Vec<Answer> {
    let calls = servers.iter().cycle().take(many).map(|server| {
        let request = world.http.get(format!("http://{}{ME}", server.address));
        let request = request.header("x-client-id", &key.client_id);
        Answer::of(request.header("x-client-secret", &key.client_secret))
    });
    join_all(calls).await
}

fn count_admitted(answers: &[Answer]) -> usize {
    answers.iter().filter(|answer| answer.status == 200).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_admit_no_more_than_the_limit_together() {
    // Given a key with a limit of a hundred calls,
    let world = World::on_postgres().await;
    let servers = two_servers(&world).await;
    let key =
        world.key_with(world.organization, &[Scope::MediaWrite], None, i64::from(LIMIT)).await;

    // when calls come to both servers at once, then a hundred succeed,
    let answers = call_many(&world, &servers, &key, 300).await;
    assert_eq!(count_admitted(&answers), 100);
    let refused = answers.iter().find(|answer| answer.status == 429).unwrap();
    refused.is_problem(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "60");

    // and after `Retry-After` another hundred succeed.
    world.advance(Duration::from_micros(59_999_999));
    assert_eq!(count_admitted(&call_many(&world, &servers, &key, 10).await), 0);
    world.advance(Duration::from_micros(1));
    assert_eq!(count_admitted(&call_many(&world, &servers, &key, 300).await), 100);
}

#[tokio::test]
async fn the_shared_window_is_the_window_in_memory() {
    // Given the same pseudo-random sequence of calls for a rate limit in Redis and one in memory,
    let shared = RateLimiter::open(Some(&redis()), None).await.unwrap();
    let entropy = entropy::<4>();
    let mut seed = 0_u64;
    for round in 0..20_u8 {
        let mut bits = [round; 10];
        bits[..4].copy_from_slice(&entropy);
        let key: KeyId = Id::new(noon(), bits);
        let (mut alone, clock) = (RateWindow::default(), Clock::frozen_at(noon()));
        for _ in 0..60 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let now = clock.now().plus(Duration::from_millis(seed >> 51));
            clock.set(now);
            let limit = 1 + u32::try_from((seed >> 20) % 7).unwrap();
            let take = !(seed >> 30).is_multiple_of(4);

            // when both are asked, then they give the same answer.
            let expected = if take { alone.admit(limit, now) } else { alone.peek(limit, now) };
            let found = shared.check(key, limit, &clock, take).await.unwrap();
            assert_eq!(found, expected, "round {round}, at {now}, limit {limit}, take {take}");
        }
    }
}

#[tokio::test]
async fn a_clock_that_is_set_back_makes_nobody_wait_longer_than_the_window() {
    // Given a key that has used up its rate limit, when the clock is set back,
    let shared = RateLimiter::open(Some(&redis()), None).await.unwrap();
    let clock = Clock::frozen_at(noon());
    let mut bits = [77; 10];
    bits[..4].copy_from_slice(&entropy::<4>());
    let key: KeyId = Id::new(noon(), bits);
    let mut alone = RateWindow::default();
    let ask = async |seconds: u64, alone: &mut RateWindow| {
        clock.set(clock.now().plus(Duration::from_secs(seconds)));
        let wall = clock.fixed().unwrap();
        let (found, expected) =
            (shared.check(key, 2, &clock, true).await.unwrap(), alone.admit(2, wall));
        assert_eq!(found, expected);
        found.admitted
    };
    assert!(ask(0, &mut alone).await && ask(1, &mut alone).await && !ask(1, &mut alone).await);
    clock.step_back(Duration::from_mins(10));

    // then the key is rejected for one minute after its next call, and neither longer nor shorter.
    assert!(!ask(0, &mut alone).await);
    assert!(!ask(58, &mut alone).await);
    assert!(ask(1, &mut alone).await);
    assert!(ask(1, &mut alone).await && !ask(1, &mut alone).await);
}

#[tokio::test]
async fn a_server_whose_redis_is_away_does_not_start_and_says_why() {
    // Given an address where nothing listens,
    let url = format!("redis://127.0.0.1:{}", free_port());
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}/switchboard.db", folder.path().display());

    // when a server is configured to keep its rate limits there, then it does not start.
    let clock = Clock::frozen_at(noon());
    let started = start(settings_with(&database, &[("redis_url", &url)]), clock, false).await;
    let error = format!("{:#}", started.err().expect("it does not start"));
    assert!(error.contains("SWITCHBOARD_REDIS_URL"), "{error}");
}
