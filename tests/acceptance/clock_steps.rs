//! The system clock is set back ten minutes while the server runs: no rate limit lasts longer, no
//! authorization code lives longer, and later messages still have later times.

use crate::connect::{Browser, Partner, create_member, exchange_code, obtain_code};
use crate::world::{World, on_both_databases};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use serde_json::{Value, json};
use std::time::Duration;

const ME: &str = "/api/v1/me";
const SEND: &str = "/api/v1/messages";
const BACK: Duration = Duration::from_mins(10);
const PERSON: &str = "+12025550101";

async fn send(world: &World, text: &str) -> Value {
    let body = json!({"type": "text", "phone_number": PERSON, "text": text});
    let answer = world.post(SEND, &world.key, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.body
}

async fn a_key_at_its_limit_is_admitted_after_retry_after(world: World) {
    // Given a key that has used up its rate limit,
    let key = world.key_with(world.organization, Scope::ALL, None, 2).await;
    for _ in 0..2 {
        assert_eq!(world.get(ME, &key).await.status, 200);
    }
    let refused = world.get(ME, &key).await;
    refused.is_problem(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "60");

    // when the clock is set back and the client waits for the time in `Retry-After`, then its
    // call succeeds, but not earlier.
    world.clock.step_back(BACK);
    world.advance(Duration::from_millis(59_999));
    world.get(ME, &key).await.is_problem(429, "rate_limited");
    world.advance(Duration::from_millis(1));
    assert_eq!(world.get(ME, &key).await.status, 200);
}

async fn a_code_lives_a_minute_whatever_the_clock_says(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    for (seconds, works) in [(59, true), (61, false)] {
        // Given an authorization code, when the clock is set back and the code is exchanged
        // after some seconds,
        let code = obtain_code(&mut browser, &partner).await;
        world.clock.step_back(BACK);
        world.advance(Duration::from_secs(seconds));

        // then the code expires at the same age as without the clock step.
        let answer = exchange_code(&world, &partner.exchange(&code)).await;
        assert_eq!(answer.status == 200, works, "{seconds} s: {}", answer.text);
    }
}

async fn messages_are_sent_in_order_after_the_clock_is_set_back(world: World) {
    // Given a message that was accepted just before the clock is set back,
    send(&world, "first").await;
    world.clock.step_back(BACK);

    // when another message follows, then both are sent without delay,
    send(&world, "second").await;
    world.live_through(Duration::from_secs(2)).await;
    let history = world.history(PERSON).await;
    let said: Vec<&Value> = history.iter().map(|it| &it["text"]).collect();
    assert_eq!(said, ["first", "second"]);
    assert!(history.iter().all(|it| it["status"] == "delivered"), "{history:?}");

    // and each time of the second message is not before that of the first.
    let time = |of: usize, which: &str| history[of][which].as_str().unwrap().to_owned();
    assert!(time(0, "created_at") <= time(1, "created_at"));
    assert!(time(0, "sent_at") <= time(1, "sent_at"));
}

on_both_databases! {
    a_key_at_its_limit_is_admitted_after_retry_after,
    a_code_lives_a_minute_whatever_the_clock_says,
    messages_are_sent_in_order_after_the_clock_is_set_back,
}
