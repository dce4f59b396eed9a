//! The rate limit (`docs/contract.md#rate-limit`): an exact rolling window of 60 seconds.

use crate::world::{Answer, Pair, World, on_both_databases};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::time::Timestamp;
use futures_util::future::join_all;
use serde_json::json;
use std::time::Duration;

const ME: &str = "/api/v1/me";
const SEND: &str = "/api/v1/messages";
const MINUTE: Duration = Duration::from_mins(1);

async fn create_limited_key(world: &World, limit: i64) -> Pair {
    world.key_with(world.organization, Scope::ALL, None, limit).await
}

/// Makes `calls` calls at the same time and returns how many succeeded. Asserts that all others got
/// a 429.
async fn call_concurrently(world: &World, key: &Pair, calls: usize) -> usize {
    let answers = join_all((0..calls).map(|_| world.get(ME, key))).await;
    let (admitted, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|it| it.status == 200);
    for answer in refused {
        answer.is_problem(429, "rate_limited");
    }
    admitted.len()
}

/// Returns the seconds in `Retry-After`, and asserts that the body has the same number.
#[track_caller]
fn retry_after(answer: &Answer) -> u64 {
    answer.is_problem(429, "rate_limited");
    let seconds: u64 = answer.header("retry-after").parse().expect("whole seconds");
    assert!(seconds >= 1);
    assert_eq!(answer.body["retry_after"], seconds);
    seconds
}

async fn each_response_has_the_remaining_calls(world: World) {
    // Given a key with a limit of three calls a minute,
    let key = create_limited_key(&world, 3).await;

    // when it makes them, then each response has the number of remaining calls,
    for (left, resets) in [(2, 60), (1, 48), (0, 35)] {
        let me = world.get(ME, &key).await;
        assert_eq!(me.status, 200, "{}", me.text);
        assert_eq!(me.header("ratelimit-policy"), "\"key\";q=3;w=60");
        assert_eq!(me.header("ratelimit"), format!("\"key\";r={left};t={resets}"));
        assert!(!me.headers.contains_key("retry-after"));
        world.advance(Duration::from_millis(12_500));
    }

    // and the fourth call, 37.5 s after the first, is rejected with the time to wait.
    let refused = world.get(ME, &key).await;
    assert_eq!(retry_after(&refused), 23);
    assert_eq!(refused.body["limit"], 3);
    assert_eq!(refused.body["window_seconds"], 60);
    assert_eq!(refused.header("ratelimit-policy"), "\"key\";q=3;w=60");
    assert_eq!(refused.header("ratelimit"), "\"key\";r=0;t=23");
    let fields: Vec<&String> = refused.body.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["error", "code", "request_id", "limit", "window_seconds", "retry_after"]);

    // The sentence says the rest of the time, too.
    world.advance(Duration::from_secs(22));
    let refused = world.get(ME, &key).await;
    assert_eq!(
        refused.body["error"],
        "This key may make 3 calls in 60 seconds. Try again in 1 second."
    );

    // After that time the call succeeds.
    world.advance(Duration::from_secs(1));
    assert_eq!(world.get(ME, &key).await.status, 200);
}

async fn every_authenticated_response_has_the_remaining_calls_of_minute_and_day(world: World) {
    // Given a key with a rate limit, in an organization with a daily ceiling,
    world.plan("Unlimited", true, Some(50), None).await;
    let key = create_limited_key(&world, 5).await;
    let policy = "\"key\";q=5;w=60, \"plan\";q=50;w=86400";

    // when it gets responses of every kind, then each response reports both limits.
    let answers = [
        (world.get(ME, &key).await, 200, 4, 49),
        (world.post(SEND, &key, &json!({})).await, 422, 3, 48),
        (world.get("/api/v1/messages/msg_01h455vb4pex5vsknk084sn02q", &key).await, 404, 2, 47),
        (
            world
                .post(
                    SEND,
                    &key,
                    &json!({"type": "text", "phone_number": "+12025550101", "text": "Hello"}),
                )
                .await,
            201,
            1,
            46,
        ),
        (world.get(ME, &key).await, 200, 0, 45),
        (world.get(ME, &key).await, 429, 0, 45),
    ];
    for (answer, status, minute, day) in answers {
        assert_eq!(answer.status, status, "{}", answer.text);
        assert_eq!(answer.header("ratelimit-policy"), policy, "{status}");
        let expected = format!("\"key\";r={minute};t=60, \"plan\";r={day};t=43200");
        assert_eq!(answer.header("ratelimit"), expected, "{status}");
    }
}

async fn the_window_ends_to_the_millisecond(world: World) {
    // Given a key with a limit of two calls, which were made at 0 and at 30 s,
    let key = create_limited_key(&world, 2).await;
    assert_eq!(world.get(ME, &key).await.status, 200);
    world.advance(Duration::from_secs(30));
    assert_eq!(world.get(ME, &key).await.status, 200);

    // then a call at 59.999 s is rejected,
    world.advance(Duration::from_millis(29_999));
    assert_eq!(retry_after(&world.get(ME, &key).await), 1);

    // at 60 s the first call no longer counts,
    world.advance(Duration::from_millis(1));
    assert_eq!(world.get(ME, &key).await.status, 200);
    assert_eq!(retry_after(&world.get(ME, &key).await), 30);

    // and at 90 s the second no longer counts.
    world.advance(Duration::from_millis(29_999));
    assert_eq!(retry_after(&world.get(ME, &key).await), 1);
    world.advance(Duration::from_millis(1));
    assert_eq!(world.get(ME, &key).await.status, 200);
    assert_eq!(retry_after(&world.get(ME, &key).await), 30);
}

async fn an_edge_of_a_minute_is_not_an_edge_of_the_window(world: World) {
    // Given a key whose calls were all made in the last millisecond of a minute,
    let key = create_limited_key(&world, 10).await;
    world.advance(Duration::from_millis(59_999));
    assert_eq!(call_concurrently(&world, &key, 30).await, 10);

    // then calls are rejected until a whole minute has passed.
    world.advance(Duration::from_millis(1));
    assert_eq!(call_concurrently(&world, &key, 30).await, 0);
    world.advance(Duration::from_millis(59_998));
    assert_eq!(call_concurrently(&world, &key, 30).await, 0);
    world.advance(Duration::from_millis(1));
    assert_eq!(call_concurrently(&world, &key, 30).await, 10);
}

async fn a_refused_call_takes_no_place(world: World) {
    // Given a key that has used up its calls at 0 s,
    let key = create_limited_key(&world, 2).await;
    assert_eq!(call_concurrently(&world, &key, 2).await, 2);

    // when it keeps calling, then the rejected calls do not extend the wait.
    for _ in 0..59 {
        world.advance(Duration::from_secs(1));
        assert_eq!(call_concurrently(&world, &key, 3).await, 0);
    }
    world.advance(Duration::from_secs(1));
    assert_eq!(call_concurrently(&world, &key, 3).await, 2);

    // Rejected calls do not count against the daily ceiling either.
    let me = world.get(ME, &world.key).await;
    assert_eq!(me.body["plan"]["api_calls"]["used"], 5);
}

async fn a_limit_of_zero_is_no_limit(world: World) {
    // Given a key without a rate limit, when it calls as often as it can,
    let answers = join_all((0..300).map(|_| world.get(ME, &world.key))).await;

    // then all calls succeed, and no header reports a limit,
    for answer in &answers {
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(!answer.headers.contains_key("ratelimit"));
        assert!(!answer.headers.contains_key("ratelimit-policy"));
    }

    // unless the plan has a ceiling.
    world.plan("Unlimited", true, Some(1000), None).await;
    let me = world.get(ME, &world.key).await;
    assert_eq!(me.header("ratelimit-policy"), "\"plan\";q=1000;w=86400");
    assert_eq!(me.header("ratelimit"), "\"plan\";r=699;t=43200");
}

async fn each_key_has_a_window_of_its_own(world: World) {
    let (one, other) = (create_limited_key(&world, 2).await, create_limited_key(&world, 3).await);
    assert_eq!(call_concurrently(&world, &one, 5).await, 2);
    assert_eq!(call_concurrently(&world, &other, 5).await, 3);
    assert_eq!(call_concurrently(&world, &world.key, 5).await, 5);
}

async fn the_rate_limit_is_checked_before_the_scope(world: World) {
    // Given a key without scopes that has used up its rate limit,
    let key = world.key_with(world.organization, &[], None, 1).await;
    assert_eq!(world.get(ME, &key).await.status, 200);

    // when it makes a call for which it lacks the scope, then the rate limit is reported first,
    assert_eq!(retry_after(&world.post(SEND, &key, &json!({})).await), 60);

    // and only after the wait the missing scope.
    world.advance(MINUTE);
    world.post(SEND, &key, &json!({})).await.is_problem(403, "insufficient_scope");
}

async fn concurrent_calls_do_not_exceed_the_rate_limit(world: World) {
    // Given a key with a limit of a hundred calls a minute,
    let key = create_limited_key(&world, 100).await;
    for _ in 0..3 {
        // when 64 clients make ten calls each while the clock stands still,
        let (world, key) = (&world, &key);
        let client = async || {
            let mut admitted = 0;
            for _ in 0..10 {
                let answer = world.get(ME, key).await;
                if answer.status == 200 {
                    admitted += 1;
                } else {
                    assert_eq!(retry_after(&answer), 60);
                }
            }
            admitted
        };
        let admitted: i32 = join_all((0..64).map(|_| client())).await.iter().sum();

        // then a hundred succeed, and another hundred after the wait.
        assert_eq!(admitted, 100);
        world.advance(MINUTE);
    }
}

/// A pseudo-random number generator with a fixed seed.
struct TestRng(u64);

impl TestRng {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % most
    }
}

/// Compares the rate limit with its definition: for three minutes in steps of 100 ms, up to 64
/// clients call at once. The rate limit does not use the database, so SQLite alone is enough.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_window_admits_exactly_the_limit() {
    let world = World::on_sqlite().await;
    let key = create_limited_key(&world, 100).await;
    let (mut log, mut dice): (Vec<Timestamp>, TestRng) = (Vec::new(), TestRng(7));
    for step in 0..1800 {
        let now = world.clock.now();
        let calls = match dice.below(20) {
            0 => 64,
            chance if chance < 8 => usize::try_from(dice.below(5)).unwrap(),
            _ => 0,
        };
        let counting = log.iter().filter(|then| then.plus(MINUTE) > now).count();
        let room = 100 - counting;
        let admitted = call_concurrently(&world, &key, calls).await;
        assert_eq!(admitted, calls.min(room), "step {step}, {counting} count");
        log.extend(std::iter::repeat_n(now, admitted));
        world.advance(Duration::from_millis(100));
    }
    let most = log.iter().map(|from| {
        log.iter().filter(|then| **then >= *from && **then < from.plus(MINUTE)).count()
    });
    assert_eq!(most.max(), Some(100), "the limit was reached and never passed");
    assert!(log.len() > 250, "three minutes were used: {}", log.len());
}

/// `Retry-After` is never too short, and not a full second too long.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_waits_retry_after_is_admitted() {
    let world = World::on_sqlite().await;
    let key = create_limited_key(&world, 3).await;
    let mut dice = TestRng(11);
    for _ in 0..100 {
        let answer = world.get(ME, &key).await;
        if answer.status == 200 {
            world.advance(Duration::from_millis(dice.below(9_000)));
            continue;
        }
        let wait = Duration::from_secs(retry_after(&answer));
        world.advance(wait.saturating_sub(Duration::from_secs(1)));
        if wait > Duration::from_secs(1) {
            assert_eq!(retry_after(&world.get(ME, &key).await), 1, "a second too long");
        }
        world.advance(Duration::from_secs(1));
        assert_eq!(world.get(ME, &key).await.status, 200);
    }
}

on_both_databases! {
    each_response_has_the_remaining_calls,
    every_authenticated_response_has_the_remaining_calls_of_minute_and_day,
    the_window_ends_to_the_millisecond,
    an_edge_of_a_minute_is_not_an_edge_of_the_window,
    a_refused_call_takes_no_place,
    a_limit_of_zero_is_no_limit,
    each_key_has_a_window_of_its_own,
    the_rate_limit_is_checked_before_the_scope,
    concurrent_calls_do_not_exceed_the_rate_limit,
}
