//! The plan's ceilings, calls a day and messages a month (`docs/contract.md#order-of-checks`), hold
//! exactly under concurrent requests.

use crate::world::{Answer, Pair, World, on_both_databases, settings};
use delivery::cli::{Running, start};
use domain::scope::Scope;
use domain::time::Timestamp;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

const ME: &str = "/api/v1/me";
const SEND: &str = "/api/v1/messages";
const UPGRADE: &str = "https://example.com/upgrade";
const TICK: Duration = Duration::from_millis(1);

fn text_message(to: &str) -> Value {
    json!({"type": "text", "phone_number": to, "text": "Hello"})
}

/// Returns the last millisecond before a midnight.
fn just_before(midnight: &str) -> Timestamp {
    let at = OffsetDateTime::parse(midnight, &Rfc3339).unwrap();
    Timestamp::from_seconds(at.unix_timestamp()).minus(TICK)
}

/// Asserts that this response reports the exceeded ceiling with all its fields.
#[track_caller]
fn is_exceeded(answer: &Answer, resource: &str, limit: u32, resets_at: &str) {
    answer.is_problem(403, "plan_limit_exceeded");
    let mut body = answer.body.clone();
    for said in ["error", "code", "request_id"] {
        body.as_object_mut().unwrap().remove(said);
    }
    let expected = json!({
        "resource": resource,
        "upgrade_url": UPGRADE,
        "limit": limit,
        "used": limit,
        "resets_at": resets_at,
    });
    assert_eq!(body, expected);
}

async fn read_me(world: &World) -> Value {
    let key = world.key_with(world.organization, &[], None, 0).await;
    let answer = world.get(ME, &key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

/// Sends `many` messages to twenty numbers, a hundred at a time, and returns how many were
/// accepted. Asserts that the others were rejected because of the allowance.
async fn send_many(world: &World, bases: &[&str], many: usize, allowance: u32) -> usize {
    let send = |number: usize| {
        let url = format!("{}{SEND}", bases[number % bases.len()]);
        let request =
            world.http.post(url).json(&text_message(&format!("+12025560{:03}", number % 20)));
        Answer::of(crate::credentials::with_credentials(request, &world.key))
    };
    let answers = futures_util::stream::iter((0..many).map(send)).buffer_unordered(100);
    let answers: Vec<Answer> = answers.collect().await;
    let (accepted, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|it| it.status == 201);
    for answer in refused {
        is_exceeded(answer, "messages", allowance, "2026-12-01T00:00:00.000Z");
    }
    accepted.len()
}

/// Returns the number of messages in the histories of the twenty numbers.
async fn count_messages(world: &World) -> u64 {
    let mut total = 0;
    for number in 0..20 {
        let path = format!("/api/v1/conversations/history?phone_number=%2B12025560{number:03}");
        let answer = world.get(&path, &world.key).await;
        total += answer.body["pagination"]["total"].as_u64().expect("a total");
    }
    total
}

async fn concurrent_calls_do_not_exceed_the_daily_ceiling(world: World) {
    // Given a plan with a hundred calls a day,
    world.plan("Unlimited", true, Some(100), None).await;

    // when three hundred calls come at once,
    let answers = join_all((0..300).map(|_| world.get(ME, &world.key))).await;

    // then a hundred succeed, and the others report the ceiling and the time of its reset.
    let (admitted, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|it| it.status == 200);
    assert_eq!(admitted.len(), 100);
    for answer in refused {
        is_exceeded(answer, "api_calls", 100, "2026-11-22T00:00:00.000Z");
        assert_eq!(answer.header("ratelimit"), "\"plan\";r=0;t=43200");
        assert_eq!(answer.header("ratelimit-policy"), "\"plan\";q=100;w=86400");
    }

    // A higher ceiling applies from the next call, and exactly one more call is left.
    world.plan("Unlimited", true, Some(101), None).await;
    let me = world.get(ME, &world.key).await;
    let expected = json!({"limit": 101, "used": 101, "resets_at": "2026-11-22T00:00:00.000Z"});
    assert_eq!(me.body["plan"]["api_calls"], expected);
    is_exceeded(&world.get(ME, &world.key).await, "api_calls", 101, "2026-11-22T00:00:00.000Z");
}

async fn all_keys_of_an_organization_share_its_ceiling_and_no_others_do(world: World) {
    world.plan("Unlimited", true, Some(2), None).await;
    let (second, neighbour) = (
        world.key_of(world.organization).await,
        world.organization_on("Neighbour", "Unlimited").await,
    );
    let neighbour = world.key_of(neighbour).await;
    assert_eq!(world.get(ME, &world.key).await.status, 200);
    assert_eq!(world.get(ME, &second).await.status, 200);
    for key in [&world.key, &second] {
        is_exceeded(&world.get(ME, key).await, "api_calls", 2, "2026-11-22T00:00:00.000Z");
    }
    assert_eq!(world.get(ME, &neighbour).await.body["plan"]["api_calls"]["used"], 1);
}

async fn the_daily_limit_resets_at_midnight(world: World) {
    world.plan("Unlimited", true, Some(2), None).await;
    let midnights = [
        ("2026-11-22T00:00:00Z", "2026-11-22T00:00:00.000Z", "2026-11-23T00:00:00.000Z"),
        ("2027-01-01T00:00:00Z", "2027-01-01T00:00:00.000Z", "2027-01-02T00:00:00.000Z"),
        ("2027-03-01T00:00:00Z", "2027-03-01T00:00:00.000Z", "2027-03-02T00:00:00.000Z"),
        ("2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z", "2028-03-01T00:00:00.000Z"),
    ];
    for (midnight, resets_at, then) in midnights {
        // Given that the day's calls are used up in its last millisecond,
        world.clock.set(just_before(midnight));
        for left in [1, 0] {
            let answer = world.get(ME, &world.key).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            assert_eq!(answer.header("ratelimit"), format!("\"plan\";r={left};t=1"));
        }
        is_exceeded(&world.get(ME, &world.key).await, "api_calls", 2, resets_at);

        // when the next day begins, then all calls are available again.
        world.advance(TICK);
        let answer = world.get(ME, &world.key).await;
        assert_eq!(
            answer.body["plan"]["api_calls"],
            json!({"limit": 2, "used": 1, "resets_at": then})
        );
        assert_eq!(answer.header("ratelimit"), "\"plan\";r=1;t=86400");
    }
}

async fn a_call_counts_once_it_has_passed_the_scope_check(world: World) {
    // Given five calls a day, and keys with and without a scope,
    world.plan("Unlimited", true, Some(5), None).await;
    let without = world.key_with(world.organization, &[], None, 0).await;

    // when calls are rejected because a scope is missing, then they do not count;
    for _ in 0..10 {
        let refused = world.post(SEND, &without, &json!({})).await;
        refused.is_problem(403, "insufficient_scope");
        assert_eq!(refused.header("ratelimit"), "\"plan\";r=5;t=43200");
    }
    // a call with an invalid body counts, because the body is checked later.
    world.post(SEND, &world.key, &json!({})).await.is_problem(422, "validation_failed");
    world
        .get("/api/v1/messages/msg_01h455vb4pex5vsknk084sn02q", &world.key)
        .await
        .is_problem(404, "not_found");
    assert_eq!(read_me(&world).await["plan"]["api_calls"]["used"], 3);
}

async fn concurrent_sends_do_not_exceed_the_monthly_allowance(world: World) {
    // Given a monthly allowance of which a hundred messages are left,
    world.plan("Unlimited", true, None, Some(120)).await;
    assert_eq!(send_many(&world, &[&world.base], 20, 120).await, 20);

    // when a thousand messages are sent at once, then a hundred are accepted,
    assert_eq!(send_many(&world, &[&world.base], 1000, 120).await, 100);

    // and exactly the accepted ones are stored.
    assert_eq!(count_messages(&world).await, 120);
    let messages = read_me(&world).await["plan"]["messages"].clone();
    assert_eq!(
        messages,
        json!({"limit": 120, "used": 120, "resets_at": "2026-12-01T00:00:00.000Z"})
    );
    world.settle().await;
    assert_eq!(count_messages(&world).await, 120);
}

async fn the_monthly_allowance_resets_on_the_first(world: World) {
    world.plan("Unlimited", true, None, Some(1)).await;
    let send = async || world.post(SEND, &world.key, &text_message("+12025550102")).await;
    let firsts = [
        ("2026-12-01T00:00:00Z", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
        ("2027-03-01T00:00:00Z", "2027-03-01T00:00:00.000Z", "2027-04-01T00:00:00.000Z"),
        ("2028-01-01T00:00:00Z", "2028-01-01T00:00:00.000Z", "2028-02-01T00:00:00.000Z"),
        ("2028-03-01T00:00:00Z", "2028-03-01T00:00:00.000Z", "2028-04-01T00:00:00.000Z"),
    ];
    for (first, resets_at, then) in firsts {
        // Given that the allowance is used up in the month's last millisecond,
        world.clock.set(just_before(first));
        assert_eq!(send().await.status, 201, "before {first}");
        is_exceeded(&send().await, "messages", 1, resets_at);

        // when the next month begins, then the whole allowance is available again.
        world.advance(TICK);
        let used = read_me(&world).await["plan"]["messages"].clone();
        assert_eq!(used, json!({"limit": 1, "used": 0, "resets_at": then}));
        assert_eq!(send().await.status, 201, "from {first} on");
        is_exceeded(&send().await, "messages", 1, then);
    }
}

async fn the_leap_day_belongs_to_february(world: World) {
    world.plan("Unlimited", true, None, Some(1)).await;
    world.clock.set(just_before("2028-02-29T00:00:00Z"));
    assert_eq!(world.post(SEND, &world.key, &text_message("+12025550102")).await.status, 201);
    world.advance(TICK);
    let refused = world.post(SEND, &world.key, &text_message("+12025550102")).await;
    is_exceeded(&refused, "messages", 1, "2028-03-01T00:00:00.000Z");
}

async fn only_an_accepted_message_counts(world: World) {
    // Given an allowance of two,
    world.plan("Unlimited", true, None, Some(2)).await;
    let dry =
        json!({"type": "text", "phone_number": "+12025550102", "text": "Hello", "dry_run": true});
    let unknown =
        json!({"type": "text", "contact_id": "ctc_01h455vb4pex5vsknk084sn02q", "text": "Hello"});
    let used = async || read_me(&world).await["plan"]["messages"]["used"].clone();

    // when sends are dry runs or are rejected, then none counts.
    for _ in 0..5 {
        assert_eq!(world.post(SEND, &world.key, &dry).await.status, 200);
        world
            .post(SEND, &world.key, &json!({"type": "text"}))
            .await
            .is_problem(422, "validation_failed");
        world.post(SEND, &world.key, &unknown).await.is_problem(404, "not_found");
    }
    assert_eq!(used().await, 0);
    for number in 1..=2 {
        assert_eq!(world.post(SEND, &world.key, &text_message("+12025550102")).await.status, 201);
        assert_eq!(used().await, number);
    }
    // A dry run reports the exceeded ceiling too. Reading still works.
    is_exceeded(
        &world.post(SEND, &world.key, &dry).await,
        "messages",
        2,
        "2026-12-01T00:00:00.000Z",
    );
    assert_eq!(world.history("+12025550102").await.len(), 2);
    assert_eq!(used().await, 2);

    // Inbound messages do not count.
    world.plan("Unlimited", true, None, Some(4)).await;
    assert_eq!(world.post(SEND, &world.key, &text_message("+12025550100")).await.status, 201);
    world.live_through(Duration::from_secs(1)).await;
    assert_eq!(world.history("+12025550100").await.len(), 2);
    assert_eq!(used().await, 3);
}

/// Starts a second server on the world's database.
async fn second_server(world: &World) -> (Running, String) {
    let settings = settings(world.database_url());
    let server = start(settings, world.clock.clone(), false).await.expect("it starts");
    let base = format!("http://{}", server.address);
    (server, base)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_accept_no_more_messages_than_one() {
    // Given two servers on one database, and an allowance of a hundred,
    let world = World::on_postgres().await;
    world.plan("Unlimited", true, None, Some(100)).await;
    let (_server, second) = second_server(&world).await;

    // when both receive sends at once, then exactly a hundred are accepted and stored.
    assert_eq!(send_many(&world, &[&world.base, &second], 600, 100).await, 100);
    assert_eq!(count_messages(&world).await, 100);
    assert_eq!(read_me(&world).await["plan"]["messages"]["used"], 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_admit_no_more_calls_than_one() {
    // Given two servers on one database, and a ceiling of a hundred,
    let world = World::on_postgres().await;
    let (_server, second) = second_server(&world).await;
    let key: Pair = world.key_with(world.organization, &[Scope::MediaWrite], None, 0).await;
    for ceiling in [100, 250] {
        world.plan("Unlimited", true, Some(ceiling), None).await;

        // when both receive calls at once, and again after the plan's ceiling was raised,
        let calls = (0..400).map(|number| {
            let base = if number % 2 == 0 { &world.base } else { &second };
            let request = world.http.get(format!("{base}{ME}"));
            Answer::of(crate::credentials::with_credentials(request, &key))
        });
        let answers = join_all(calls).await;

        // then exactly the remaining calls succeed.
        let (admitted, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|it| it.status == 200);
        assert_eq!(admitted.len(), if ceiling == 100 { 100 } else { 150 });
        for answer in refused {
            is_exceeded(answer, "api_calls", ceiling, "2026-11-22T00:00:00.000Z");
        }
    }
}

on_both_databases! {
    concurrent_calls_do_not_exceed_the_daily_ceiling,
    all_keys_of_an_organization_share_its_ceiling_and_no_others_do,
    the_daily_limit_resets_at_midnight,
    a_call_counts_once_it_has_passed_the_scope_check,
    concurrent_sends_do_not_exceed_the_monthly_allowance,
    the_monthly_allowance_resets_on_the_first,
    the_leap_day_belongs_to_february,
    only_an_accepted_message_counts,
}
