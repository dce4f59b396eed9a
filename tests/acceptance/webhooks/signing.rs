//! Signatures as an independent library checks them.

use super::receiver::Receiver;
use super::{create_endpoint, delivery_log, endpoint_owner, send_message, with_receivers};
use crate::world::World;
use domain::event::EventKind;
use domain::webhook::{DeliveryState, Selection};
use platform::clock::Clock;
use serde_json::{Value, json};
use service::endpoints::{self, EndpointInput};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// A receiver in Python, which uses that library.
struct Python {
    child: Child,
    url: String,
    reported: Lines<BufReader<ChildStdout>>,
}

impl Python {
    async fn start() -> Self {
        let python = std::env::var("SWITCHBOARD_TEST_PYTHON").expect("run `cargo xtask test`");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/foreign/webhook_receiver.py");
        let mut command = Command::new(python);
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut reported = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = reported.next_line().await.unwrap().unwrap();
        Self { child, url: format!("http://127.0.0.1:{port}/hooks"), reported }
    }

    async fn knows(&mut self, secrets: &[String]) {
        let line = format!("{}\n", json!(secrets));
        self.child.stdin.as_mut().unwrap().write_all(line.as_bytes()).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(20), self.reported.next_line()).await;
        serde_json::from_str(&line.unwrap().unwrap().unwrap()).unwrap()
    }
}

/// Sets the world's clock to the system's time, which the library uses.
fn live_now(world: &World) {
    world.clock.set(Clock::system().now());
}

async fn a_library_of_others_verifies_each_delivery(world: World) {
    live_now(&world);
    let mut python = Python::start().await;
    let endpoint_input =
        EndpointInput { url: &python.url, description: "", events: Selection::All };
    let (made, secret) =
        endpoints::create(&world.server.deps, endpoint_owner(&world), endpoint_input)
            .await
            .unwrap();
    let stranger = auth::webhook::WebhookSecret::new([3; 32]).reveal();
    python.knows(&[secret.reveal(), stranger]).await;

    send_message(&world).await;
    endpoints::send_test(&world.server.deps, endpoint_owner(&world), world.organization, &made)
        .await
        .unwrap();
    world.live_through(Duration::from_secs(2)).await;

    let log = delivery_log(&world, &made).await;
    assert!(log.len() >= 5, "{}", log.len());
    for (delivery, attempts) in log {
        assert_eq!(delivery.state, DeliveryState::Succeeded, "{attempts:?}");
        let reported = python.next().await;
        assert_eq!(reported["verified"], json!([true, false]), "{reported}");
        assert_eq!(reported["changed_refused"], true, "{reported}");
    }
}

async fn after_a_rotation_both_secrets_sign_for_a_day(world: World) {
    live_now(&world);
    let mut python = Python::start().await;
    let endpoint_input =
        EndpointInput { url: &python.url, description: "", events: Selection::All };
    let (made, old) = endpoints::create(&world.server.deps, endpoint_owner(&world), endpoint_input)
        .await
        .unwrap();
    let new = endpoints::rotate(&world.server.deps, endpoint_owner(&world), made.id)
        .await
        .unwrap()
        .unwrap();
    python.knows(&[old.reveal(), new.reveal()]).await;
    endpoints::send_test(&world.server.deps, endpoint_owner(&world), world.organization, &made)
        .await
        .unwrap();
    world.settle().await;
    assert_eq!(python.next().await["verified"], json!([true, true]));

    let receiver = Receiver::start().await;
    let (made, old) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    let new = endpoints::rotate(&world.server.deps, endpoint_owner(&world), made.id)
        .await
        .unwrap()
        .unwrap();
    let deliver = async || {
        endpoints::send_test(&world.server.deps, endpoint_owner(&world), world.organization, &made)
            .await
            .unwrap();
        world.settle().await;
        receiver.take().remove(0)
    };
    let within_a_day = async || {
        let request = deliver().await;
        assert!(request.is_signed_by(&new));
        assert!(request.is_signed_by(&old));
        assert_eq!(request.signatures.len(), 2);
    };
    within_a_day().await;
    world.advance(Duration::from_hours(24).saturating_sub(Duration::from_secs(1)));
    within_a_day().await;
    world.advance(Duration::from_secs(1));
    let after_a_day = deliver().await;
    assert!(after_a_day.is_signed_by(&new));
    assert!(!after_a_day.is_signed_by(&old));
    assert_eq!(after_a_day.signatures.len(), 1);
}

async fn after_two_rotations_the_last_two_secrets_sign(world: World) {
    // Given an endpoint whose secret is rotated twice,
    let receiver = Receiver::start().await;
    let (made, first) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    let rotate = async || {
        endpoints::rotate(&world.server.deps, endpoint_owner(&world), made.id)
            .await
            .unwrap()
            .unwrap()
    };
    let second = rotate().await;
    world.advance(Duration::from_hours(1));
    let third = rotate().await;
    let signed = async || {
        endpoints::send_test(&world.server.deps, endpoint_owner(&world), world.organization, &made)
            .await
            .unwrap();
        world.settle().await;
        let came = receiver.take().remove(0);
        [&first, &second, &third].map(|secret| came.is_signed_by(secret))
    };
    // when an event is delivered, then it has the signatures of the last two,
    assert_eq!(signed().await, [false, true, true]);
    // for a day after the last rotation.
    world.advance(Duration::from_hours(24).saturating_sub(Duration::from_secs(1)));
    assert_eq!(signed().await, [false, true, true]);
    world.advance(Duration::from_secs(1));
    assert_eq!(signed().await, [false, false, true]);
}

with_receivers! {
    a_library_of_others_verifies_each_delivery,
    after_a_rotation_both_secrets_sign_for_a_day,
    after_two_rotations_the_last_two_secrets_sign,
}
