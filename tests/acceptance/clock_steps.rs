//! The system's clock is set back ten minutes while the server runs: nobody is refused longer for it,
//! no code lives longer, and what is said afterwards comes after what was said before.

use crate::connect::{Browser, Partner, code, exchange, member};
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

on_both_databases! {
    async fn a_key_at_its_limit_is_admitted_after_retry_after(world: World) {
        // Given a key that has used its minute up,
        let key = world.key_with(world.organization, Scope::ALL, None, 2).await;
        for _ in 0..2 {
            assert_eq!(world.get(ME, &key).await.status, 200);
        }
        let refused = world.get(ME, &key).await;
        refused.is_problem(429, "rate_limited");
        assert_eq!(refused.header("retry-after"), "60");

        // when the clock is set back and it waits as it was told, then it is admitted, and no sooner.
        world.clock.step_back(BACK);
        world.advance(Duration::from_millis(59_999));
        world.get(ME, &key).await.is_problem(429, "rate_limited");
        world.advance(Duration::from_millis(1));
        assert_eq!(world.get(ME, &key).await.status, 200);
    }

    async fn a_code_lives_a_minute_whatever_the_clock_says(world: World) {
        member(&world).await;
        let partner = Partner::of(&world).await;
        let mut browser = Browser::new(&world);
        for (seconds, works) in [(59, true), (61, false)] {
            // Given a code, when the clock is set back and it is exchanged after so many seconds,
            let code = code(&mut browser, &partner).await;
            world.clock.step_back(BACK);
            world.advance(Duration::from_secs(seconds));

            // then it is as good as it would be otherwise.
            let answer = exchange(&world, &partner.exchange(&code)).await;
            assert_eq!(answer.status == 200, works, "{seconds} s: {}", answer.text);
        }
    }

    async fn what_was_accepted_goes_out_and_in_order(world: World) {
        // Given a message that was accepted just before the clock is set back,
        send(&world, "first").await;
        world.clock.step_back(BACK);

        // when another follows, then both go out at once,
        send(&world, "second").await;
        world.live_through(Duration::from_secs(2)).await;
        let history = world.history(PERSON).await;
        let said: Vec<&Value> = history.iter().map(|it| &it["text"]).collect();
        assert_eq!(said, ["first", "second"]);
        assert!(history.iter().all(|it| it["status"] == "delivered"), "{history:?}");

        // and no time of the second lies before one of the first.
        let time = |of: usize, which: &str| history[of][which].as_str().unwrap().to_owned();
        assert!(time(0, "created_at") <= time(1, "created_at"));
        assert!(time(0, "sent_at") <= time(1, "sent_at"));
    }
}
