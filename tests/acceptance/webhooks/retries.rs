//! The times of retries, and their end.

use super::receiver::{Answers, Receiver};
use super::{
    SECOND, create_endpoint, delivery_log, endpoint_owner, only_delivery, read_endpoint,
    send_message, with_receivers,
};
use crate::world::World;
use domain::event::EventKind;
use domain::webhook::{
    DeliveryState, DisabledReason, EndpointState, MAX_ATTEMPTS, MAX_FAILING_TIME,
};
use persistence::records::Owner;
use service::endpoints;
use std::time::Duration;

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);

fn waits() -> [Duration; 9] {
    [
        5 * SECOND,
        5 * MINUTE,
        30 * MINUTE,
        2 * HOUR,
        5 * HOUR,
        10 * HOUR,
        14 * HOUR,
        20 * HOUR,
        24 * HOUR,
    ]
}

async fn the_whole_schedule_and_five_days_later_everything_arrives(world: World) {
    // Given a webhook endpoint that fails,
    let receiver = Receiver::that(Answers::With(500)).await;
    let (made, secret) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    let began = world.clock.now();
    send_message(&world).await;
    world.settle().await;
    assert_eq!(receiver.take().len(), 1);

    // then its deliveries are retried at the times in the contract, never earlier and at most a
    // tenth later,
    for wait in waits() {
        world.advance(wait.saturating_sub(SECOND / 10));
        world.settle().await;
        assert!(receiver.received().is_empty(), "too early after {wait:?}");
        world.advance(wait / 10 + SECOND / 5);
        world.settle().await;
        let again = receiver.take();
        assert_eq!(again.len(), 1, "after {wait:?}");
        assert_eq!(again[0].timestamp, world.clock.now().micros() / 1_000_000);
        assert!(again[0].is_signed_by(&secret));
    }
    let (state, attempts) = only_delivery(&world, &made).await;
    assert_eq!(state, DeliveryState::Failed);
    assert_eq!(attempts.len(), MAX_ATTEMPTS as usize);
    assert!(attempts.iter().all(|it| it.status == Some(500)));

    // and after five days the endpoint is disabled, with the reason.
    let still = read_endpoint(&world, &made).await;
    assert_eq!(still.state, EndpointState::Enabled);
    assert_eq!(still.health().failing_since, Some(began));
    world.clock.set(began.plus(MAX_FAILING_TIME).minus(SECOND));
    send_message(&world).await;
    world.settle().await;
    assert_eq!(read_endpoint(&world, &made).await.state, EndpointState::Enabled);
    world.advance(SECOND);
    world.settle().await;
    let disabled = read_endpoint(&world, &made).await;
    assert_eq!(disabled.health().disabled, Some((DisabledReason::Failing, world.clock.now())));
    receiver.take();
    world.advance(HOUR);
    send_message(&world).await;
    world.settle().await;
    assert!(receiver.received().is_empty());

    // When the endpoint works again, is enabled and gets a replay, then everything arrives.
    receiver.answer(Answers::With(200));
    let (owner, now) = (Owner::Organization(world.organization), world.clock.now());
    world.server.deps.db.owner(owner).switch_endpoint(made.id, true, now).await.unwrap();
    endpoints::replay(&world.server.deps, endpoint_owner(&world), &made, began, now).await.unwrap();
    world.settle().await;
    assert_eq!(receiver.take().len(), 3);
    let log = delivery_log(&world, &made).await;
    assert_eq!(log.len(), 3);
    assert!(log.iter().all(|(it, _)| it.state == DeliveryState::Succeeded));
    assert_eq!(read_endpoint(&world, &made).await.health().failing_since, None);
}

async fn a_success_in_between_restarts_the_five_days(world: World) {
    let receiver = Receiver::that(Answers::With(503)).await;
    let (made, _) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    send_message(&world).await;
    world.settle().await;
    let first = receiver.take().remove(0);
    world.advance(Duration::from_hours(4 * 24));
    receiver.answer(Answers::With(201));
    world.settle().await;
    // The body is byte for byte the same as days before.
    let again = receiver.take().remove(0);
    assert_eq!(first.id, again.id);
    assert_eq!(first.body, again.body);
    assert_eq!(only_delivery(&world, &made).await.0, DeliveryState::Succeeded);
    receiver.answer(Answers::With(500));
    world.advance(Duration::from_hours(23));
    send_message(&world).await;
    world.settle().await;
    world.advance(Duration::from_hours(2));
    world.settle().await;
    assert_eq!(read_endpoint(&world, &made).await.state, EndpointState::Enabled);
}

/// A failing endpoint gets one delivery at a time. After the first success all due deliveries
/// are sent.
async fn a_failing_endpoint_is_tried_one_at_a_time(world: World) {
    let receiver = Receiver::that(Answers::With(500)).await;
    let (made, _) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    for _ in 0..5 {
        send_message(&world).await;
    }
    world.settle().await;
    assert_eq!(receiver.take().len(), 5);
    world.advance(6 * SECOND);
    workers::webhook::send(&world.server.deps).await.unwrap();
    assert_eq!(receiver.take().len(), 1);
    receiver.answer(Answers::With(200));
    workers::webhook::send(&world.server.deps).await.unwrap();
    assert_eq!(receiver.take().len(), 1);
    workers::webhook::send(&world.server.deps).await.unwrap();
    assert_eq!(receiver.take().len(), 3);
    world.advance(6 * Duration::from_mins(1));
    world.settle().await;
    assert!(
        delivery_log(&world, &made)
            .await
            .iter()
            .all(|(it, _)| it.state == DeliveryState::Succeeded)
    );
}

with_receivers! {
    the_whole_schedule_and_five_days_later_everything_arrives,
    a_success_in_between_restarts_the_five_days,
    a_failing_endpoint_is_tried_one_at_a_time,
}
