//! The duration of a worker's step does not depend on the number of waiting messages in a
//! conversation.

use super::person;
use crate::world::{World, on_both_databases};
use domain::contact::Address;
use domain::content::{Content, TextContent};
use domain::conversation::MessageSource;
use domain::id::Id;
use domain::time::Period;
use futures_util::future::join_all;
use persistence::content::encode;
use persistence::records::MessageSubmission;
use platform::clock::Stopwatch;
use std::time::Duration;
use workers::send;

/// Puts `many` messages into one conversation.
async fn queue(world: &World, to: &str, many: usize) {
    let (deps, now) = (&world.server.deps, world.clock.now());
    let text = TextContent::stored("Your order has left the warehouse.".to_owned(), false);
    let content = encode(&Content::Text(text)).unwrap();
    let send = || {
        deps.db.send(MessageSubmission {
            message: deps.id::<domain::id::Message>(now),
            organization: world.organization,
            account: world.account,
            to: Address::read(to).expect("an address"),
            contact: None,
            new_contact: Id::new(now, deps.entropy.bytes()),
            new_conversation: Id::new(now, deps.entropy.bytes()),
            content: content.clone(),
            pauses_agent: true,
            source: MessageSource::Api,
            member: None,
            key: None,
            client_ref: None,
            metadata: None,
            reply_to: None,
            at: now,
            month: Period::month(now),
            allowance: None,
            cap: None,
            refusal: None,
            idempotent: None,
        })
    };
    for _ in 0..many / 500 {
        for outcome in join_all((0..500).map(|_| send())).await {
            outcome.unwrap();
        }
    }
}

/// Returns the duration of the fastest of ten steps, each of which submits one message. The fastest
/// is the least affected by other load on the machine.
async fn ten_steps(world: &World) -> Duration {
    let mut took = Vec::new();
    for _ in 0..10 {
        let watch = Stopwatch::start();
        assert_eq!(send::step(&world.server.deps).await.unwrap(), 1);
        took.push(watch.elapsed());
    }
    took.into_iter().min().unwrap()
}

async fn a_step_takes_no_longer_with_twenty_thousand_waiting(world: World) {
    queue(&world, &person(1), 500).await;
    let few = ten_steps(&world).await;
    while send::step(&world.server.deps).await.unwrap() > 0 {}
    queue(&world, &person(2), 20_000).await;
    let many = ten_steps(&world).await;
    eprintln!("a step: {few:?} with 500 waiting, {many:?} with 20,000");
    assert!(many < few * 3 + Duration::from_millis(5), "{few:?} and {many:?}");
}

on_both_databases! {
    a_step_takes_no_longer_with_twenty_thousand_waiting,
}
