//! The delivered events and their receivers.

use super::receiver::{Answers, Received, Receiver};
use super::{
    PERSON, create_endpoint, delivery_log, endpoint_owner, only_delivery, read_endpoint,
    send_message, with_receivers,
};
use crate::world::{World, rows::rows};
use domain::event::EventKind;
use domain::webhook::{DeliveryState, DisabledReason};
use persistence::records::Owner;
use serde_json::json;
use service::endpoints;
use std::collections::BTreeSet;
use std::time::Duration;

const HALF_A_MINUTE: Duration = Duration::from_secs(30);

async fn an_endpoint_receives_events(world: World) {
    let receiver = Receiver::start().await;
    let (made, secret) = create_endpoint(&world, &receiver, &[]).await;

    let message = send_message(&world).await;
    world.live_through(HALF_A_MINUTE / 10).await;

    let came = receiver.received();
    let kinds: BTreeSet<String> = receiver.kinds().into_iter().collect();
    for kind in [
        "contact.created",
        "conversation.created",
        "message.queued",
        "message.sent",
        "message.delivered",
    ] {
        assert!(kinds.contains(kind), "{kind}: {kinds:?}");
    }
    // Each event comes once, is signed, has a sequence without gaps, and has the contract's
    // format.
    let sequences: BTreeSet<i64> = came.iter().map(Received::sequence).collect();
    assert_eq!(sequences, (1..=i64::try_from(came.len()).unwrap()).collect());
    let ids: BTreeSet<&str> = came.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids.len(), came.len());
    for it in &came {
        assert!(it.is_signed_by(&secret), "{it:?}");
        let body = it.json();
        assert_eq!(body["id"], it.id.as_str());
        assert_eq!(body["organization_id"], world.organization.to_string());
    }
    let sent = came.iter().find(|it| it.kind() == "message.sent").unwrap().json();
    assert_eq!(sent["data"]["id"], message.as_str());
    assert_eq!(sent["account_id"], world.account.to_string());

    // The log contains the responses, with replacement characters for invalid UTF-8.
    for (delivery, attempts) in delivery_log(&world, &made).await {
        assert_eq!(delivery.state, DeliveryState::Succeeded);
        assert_eq!(attempts.len(), 1);
        assert_eq!(attempts[0].status, Some(200));
        assert_eq!(attempts[0].response.as_deref(), Some("Thank you.\u{fffd}"));
    }
}

async fn an_endpoint_receives_its_selected_events_and_no_older_ones(world: World) {
    send_message(&world).await;
    world.settle().await;
    let receiver = Receiver::start().await;
    let (made, _) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    world.settle().await;
    assert!(receiver.received().is_empty());
    send_message(&world).await;
    world.live_through(HALF_A_MINUTE / 10).await;
    assert_eq!(receiver.kinds(), ["message.queued"]);
    assert_eq!(only_delivery(&world, &made).await.0, DeliveryState::Succeeded);

    // Another organization's endpoint does not receive the event.
    let other = world.organization_on("Other", "Unlimited").await;
    let elsewhere = Receiver::start().await;
    let owner = persistence::records::Owner::Organization(other);
    endpoints::create(
        &world.server.deps,
        owner,
        service::endpoints::EndpointInput {
            url: &elsewhere.url,
            description: "",
            events: domain::webhook::Selection::All,
        },
    )
    .await
    .unwrap();
    send_message(&world).await;
    world.settle().await;
    assert!(elsewhere.received().is_empty());
}

async fn a_test_goes_to_its_endpoint_only(world: World) {
    let (receiver, other) = (Receiver::start().await, Receiver::start().await);
    let (made, secret) = create_endpoint(&world, &receiver, &[EventKind::MessageFailed]).await;
    create_endpoint(&world, &other, &[]).await;
    endpoints::send_test(&world.server.deps, endpoint_owner(&world), world.organization, &made)
        .await
        .unwrap();
    world.settle().await;
    assert_eq!(receiver.kinds(), ["webhook.test"]);
    assert!(receiver.received()[0].is_signed_by(&secret));
    assert!(other.received().is_empty());
}

async fn events_missed_after_a_410_are_replayed(world: World) {
    let receiver = Receiver::that(Answers::With(410)).await;
    let (made, _) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    let began = world.clock.now();
    send_message(&world).await;
    world.settle().await;
    let gone = read_endpoint(&world, &made).await;
    assert_eq!(gone.health().disabled, Some((DisabledReason::Gone, world.clock.now())));

    // While the endpoint is disabled, neither new nor pending events are sent,
    world.advance(HALF_A_MINUTE);
    send_message(&world).await;
    world.advance(HALF_A_MINUTE);
    world.settle().await;
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(only_delivery(&world, &made).await.0, DeliveryState::Pending);

    // and after it is enabled again, the pending event is sent, and a replay sends both.
    receiver.answer(Answers::With(200));
    let owner = Owner::Organization(world.organization);
    world
        .server
        .deps
        .db
        .owner(owner)
        .switch_endpoint(made.id, true, world.clock.now())
        .await
        .unwrap();
    world.settle().await;
    assert_eq!(receiver.take().len(), 1);
    let (deps, owner, now) = (&world.server.deps, endpoint_owner(&world), world.clock.now());
    assert!(endpoints::replay(deps, owner, &made, began, now).await.unwrap() > 0);
    world.settle().await;
    let again = receiver.take();
    assert_eq!(again.len(), 2, "both anew");
    assert_eq!(delivery_log(&world, &made).await.len(), 2, "an event has one place in the log");
}

async fn one_delivery_is_repeated_with_the_same_id(world: World) {
    let receiver = Receiver::start().await;
    let (made, secret) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    send_message(&world).await;
    world.settle().await;
    let (delivery, _) = delivery_log(&world, &made).await.remove(0);
    world.live_through(HALF_A_MINUTE).await;
    let (deps, owner) = (&world.server.deps, endpoint_owner(&world));
    assert!(endpoints::resend_delivery(deps, owner, &made, delivery.id).await.unwrap());
    world.settle().await;
    let came = receiver.received();
    assert_eq!(came.len(), 2);
    assert_eq!(came[0].id, came[1].id);
    assert_eq!(came[0].body, came[1].body);
    assert_ne!(came[0].timestamp, came[1].timestamp);
    assert!(came[1].is_signed_by(&secret));
    let (state, attempts) = only_delivery(&world, &made).await;
    assert_eq!(state, DeliveryState::Succeeded);
    assert_eq!(attempts.len(), 2);
}

async fn members_who_resend_a_delivery_at_the_same_time_send_it_once(world: World) {
    let receiver = Receiver::start().await;
    let (made, _) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    send_message(&world).await;
    world.settle().await;
    let (delivery, _) = delivery_log(&world, &made).await.remove(0);
    let (deps, owner) = (&world.server.deps, endpoint_owner(&world));
    let both = [delivery.id; 2].map(|id| endpoints::resend_delivery(deps, owner, &made, id));
    for found in futures_util::future::join_all(both).await {
        assert!(found.unwrap());
    }
    world.settle().await;
    let (_, attempts) = only_delivery(&world, &made).await;
    assert_eq!(attempts.len(), 2, "{attempts:?}");
}

async fn a_log_is_kept_for_thirty_days_and_a_deleted_endpoint_leaves_nothing(world: World) {
    let receiver = Receiver::start().await;
    let (made, _) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    send_message(&world).await;
    world.settle().await;
    let housekeeping =
        async || workers::housekeeping::step(&world.server.deps, true).await.unwrap();
    world.advance(Duration::from_hours(30 * 24));
    housekeeping().await;
    assert_eq!(delivery_log(&world, &made).await.len(), 1);
    world.advance(Duration::from_secs(1));
    housekeeping().await;
    assert!(delivery_log(&world, &made).await.is_empty());

    let body = json!({"type": "text", "phone_number": PERSON, "text": "Hello"});
    assert_eq!(world.post("/api/v1/messages", &world.key, &body).await.status, 201);
    world.settle().await;
    let (owner, now) = (Owner::Organization(world.organization), world.clock.now());
    let db = &world.server.deps.db;
    assert!(db.owner(owner).delete_endpoint(made.id, now).await.unwrap());
    assert!(db.owner(owner).endpoint(made.id).await.unwrap().is_none());
    send_message(&world).await;
    world.settle().await;
    assert_eq!(receiver.received().len(), 2);
    housekeeping().await;
    assert_eq!(rows(&world).await["webhook_deliveries"], 0);
}

with_receivers! {
    an_endpoint_receives_events,
    an_endpoint_receives_its_selected_events_and_no_older_ones,
    a_test_goes_to_its_endpoint_only,
    events_missed_after_a_410_are_replayed,
    members_who_resend_a_delivery_at_the_same_time_send_it_once,
    one_delivery_is_repeated_with_the_same_id,
    a_log_is_kept_for_thirty_days_and_a_deleted_endpoint_leaves_nothing,
}
