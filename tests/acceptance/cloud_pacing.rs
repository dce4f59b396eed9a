//! A channel that wants fewer messages gets fewer (`docs/contract.md#health-of-a-number`): of that number, or for that person.

use crate::cloud::{Cloud, MINUTE, PERSON, SECOND, on_both_clouds, refusal};
use crate::world::World;
use crate::world::graph::Fault;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the channel takes in a second.
const MOST: usize = 10;

fn person(of: usize) -> String {
    format!("+1202558{of:04}")
}

/// How fast the number of a key sends, as `GET /me` shows it.
async fn pace(world: &World) -> Value {
    let me = world.get("/api/v1/me", &world.key).await;
    me.body["account"]["health"]["pace"].clone()
}

/// Lets the channel take so many messages a second, of all or to each, and refuse what is more with this code.
fn limit(cloud: &Cloud, most: usize, window: Duration, code: i64, each: bool) {
    let taken = Arc::new(Mutex::new(std::collections::HashMap::<String, VecDeque<i64>>::new()));
    let clock = cloud.clock.clone();
    cloud.graph.plan(move |request| {
        let to = if each { request.body["to"].to_string() } else { String::new() };
        let (mut taken, now) = (taken.lock().unwrap(), clock.now().micros());
        let taken = taken.entry(to).or_default();
        let window = i64::try_from(window.as_micros()).unwrap();
        while taken.front().is_some_and(|at| now - at >= window) {
            taken.pop_front();
        }
        if taken.len() >= most {
            return refusal(400, code, "Too many messages");
        }
        taken.push_back(now);
        Fault::None
    });
}

on_both_clouds! {
    async fn a_number_is_slowed_down_to_what_the_channel_takes(cloud: Cloud) {
        assert_eq!(pace(&cloud).await, Value::Null);
        // Given a channel that takes ten messages a second, and three hundred to as many people,
        limit(&cloud, MOST, SECOND, 130_429, false);
        for of in 0..300 {
            cloud.text(&person(of), "Hello").await;
        }
        // when they are sent, then it is asked little more than it takes,
        cloud.settle().await;
        let shown = pace(&cloud).await.as_f64().unwrap();
        assert!(shown <= 40.0, "{shown}");
        let mut seconds = 0;
        while cloud.graph.accepted().len() < 300 {
            assert!(seconds < 300, "{} in {seconds} seconds", cloud.graph.accepted().len());
            cloud.live_through(SECOND).await;
            seconds += 1;
        }
        let asked = cloud.graph.calls().len();
        assert!(asked <= 600, "{asked} calls for 300 messages");
        let shown = pace(&cloud).await.as_f64().unwrap();
        assert!(shown > 0.1 && shown < 40.0, "{shown}");
        // each arrives once,
        let mut to: Vec<String> = cloud.graph.accepted().into_iter().map(|it| it.to).collect();
        to.sort();
        to.dedup();
        assert_eq!(to.len(), 300);
        // and what was slowed down is as fast as before after a while.
        cloud.advance(MINUTE * 15);
        assert_eq!(pace(&cloud).await, Value::Null);
        cloud.graph.plan(|_| Fault::None);
        for of in 0..100 {
            cloud.text(&person(of), "Hello again").await;
        }
        cloud.settle().await;
        assert_eq!(cloud.graph.accepted().len(), 400);
    }

    async fn who_has_too_many_messages_holds_up_nobody_else(cloud: Cloud) {
        // Given a person to whom the channel takes a message in six seconds,
        limit(&cloud, 1, SECOND * 6, 131_056, true);
        for of in 0..5 {
            cloud.text(PERSON, &of.to_string()).await;
        }
        for of in 0..50 {
            cloud.text(&person(of), "Hello").await;
        }
        // when they are sent, then all others have theirs at once,
        cloud.settle().await;
        assert_eq!((cloud.graph.accepted().len(), pace(&cloud).await), (51, Value::Null));
        // and that one the others, in order, without much asking.
        for _ in 0..20 {
            cloud.advance_by(8, SECOND).await;
        }
        let theirs: Vec<Value> = cloud.graph.accepted().into_iter().filter(|it| it.to == PERSON).map(|it| it.body["text"]["body"].clone()).collect();
        assert_eq!(theirs, ["0", "1", "2", "3", "4"]);
        let asked = cloud.graph.calls().len() - 50;
        assert!(asked <= 12, "{asked} calls for 5 messages");
    }

    async fn another_server_knows_how_fast_a_number_sends(cloud: Cloud) {
        // Given a number that was slowed down by a server that is gone,
        limit(&cloud, 0, SECOND, 130_429, false);
        cloud.text(PERSON, "Hello").await;
        cloud.settle().await;
        cloud.graph.plan(|_| Fault::None);
        let other = cloud.server.deps.db.organization(cloud.organization).account(cloud.account).await.unwrap().unwrap();
        let recorded = other.known_health().pace.unwrap();
        assert_eq!(pace(&cloud).await, recorded.rate.per_second());
        // then what it recorded is not put back by a slower one.
        let earlier = domain::account::pace::Pace { since: recorded.since.minus(SECOND), ..recorded };
        cloud.server.deps.db.organization(cloud.organization).set_pace(cloud.account, earlier).await.unwrap();
        let again = cloud.server.deps.db.organization(cloud.organization).account(cloud.account).await.unwrap().unwrap();
        assert_eq!(again.known_health().pace, Some(recorded));
    }
}
