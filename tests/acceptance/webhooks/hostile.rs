//! Webhook endpoints with wrong responses, and URLs that lead to forbidden addresses
//! (`docs/security.md` 34).

use super::receiver::{Answers, Receiver};
use super::{
    create_endpoint, endpoint_owner, only_delivery, read_endpoint, send_message, with_receivers,
};
use crate::world::{World, on_both_databases};
use domain::event::EventKind;
use domain::webhook::{DeliveryState, Selection};
use persistence::records::Owner;
use service::endpoints::{self, EndpointError, EndpointFault, EndpointInput};

const QUEUED: [EventKind; 1] = [EventKind::MessageQueued];

async fn redirects_are_not_followed(world: World) {
    let elsewhere = Receiver::start().await;
    let receiver = Receiver::that(Answers::Redirect(elsewhere.url.clone())).await;
    let (made, _) = create_endpoint(&world, &receiver, &QUEUED).await;
    send_message(&world).await;
    world.settle().await;
    assert!(elsewhere.received().is_empty());
    let (state, attempts) = only_delivery(&world, &made).await;
    assert_eq!(state, DeliveryState::Pending);
    assert_eq!(attempts[0].status, Some(307));
}

async fn an_endpoint_that_never_answers_fails_and_others_do_not_wait_for_it(world: World) {
    let (dead, well) = (Receiver::that(Answers::Never).await, Receiver::start().await);
    let (first, _) = create_endpoint(&world, &dead, &QUEUED).await;
    let (second, _) = create_endpoint(&world, &well, &QUEUED).await;
    send_message(&world).await;
    workers::webhook::fan_out(&world.server.deps).await.unwrap();
    let deps = world.server.deps.clone();
    let working = tokio::spawn(async move { workers::webhook::send(&deps).await });
    while only_delivery(&world, &second).await.0 != DeliveryState::Succeeded {
        tokio::task::yield_now().await;
    }
    // The second delivery has succeeded while the first still waits for its response.
    assert_eq!(only_delivery(&world, &first).await.1.len(), 0);
    assert!(!working.is_finished());
    working.await.unwrap().unwrap();
    let (state, attempts) = only_delivery(&world, &first).await;
    assert_eq!(state, DeliveryState::Pending);
    assert_eq!(attempts[0].status, None);
    assert_eq!(attempts[0].error.as_deref(), Some("no answer within 1 second"));
    assert!(read_endpoint(&world, &first).await.failing_since.is_some());
}

async fn only_the_first_4_kib_of_an_answer_are_kept(world: World) {
    for answers in [Answers::Endless, Answers::Large(10 * 1024 * 1024)] {
        let receiver = Receiver::that(answers).await;
        let (made, _) = create_endpoint(&world, &receiver, &QUEUED).await;
        send_message(&world).await;
        world.settle().await;
        let (state, attempts) = only_delivery(&world, &made).await;
        assert_eq!(state, DeliveryState::Succeeded);
        assert_eq!(attempts[0].status, Some(200));
        assert_eq!(attempts[0].response.as_ref().unwrap().len(), 4096);
    }
}

async fn urls_of_private_networks_are_rejected(world: World) {
    for url in [
        "http://127.0.0.1/",
        "http://localhost/",
        "https://shop.localhost/",
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://100.64.0.1/",
        "http://0/",
        "http://[::1]/",
        "http://[fe80::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[2001::1]/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://127.0.0.1./",
    ] {
        let endpoint_input = EndpointInput { url, description: "", events: Selection::All };
        let refused = endpoints::create(&world.server.deps, endpoint_owner(&world), endpoint_input)
            .await
            .map(drop);
        let Err(EndpointError::Input(faults)) = refused else { panic!("{url}: {refused:?}") };
        assert!(matches!(faults[..], [EndpointFault::Unreachable(_)]), "{url}: {faults:?}");
    }
    for url in [
        "",
        "hooks",
        "ftp://example.com/",
        "https://me:secret@example.com/",
        "https://example.com/#a",
        "http:///x",
    ] {
        let endpoint_input = EndpointInput { url, description: "", events: Selection::All };
        let refused = endpoints::create(&world.server.deps, endpoint_owner(&world), endpoint_input)
            .await
            .map(drop);
        let Err(EndpointError::Input(faults)) = refused else { panic!("{url}: {refused:?}") };
        assert!(matches!(faults[..], [EndpointFault::Url(_)]), "{url}: {faults:?}");
    }
}

/// An endpoint whose host name resolves to a private address after its creation is not called.
async fn an_address_is_judged_when_the_connection_is_made(world: World) {
    let endpoint_input = EndpointInput {
        url: "https://hooks.example.com/",
        description: "",
        events: Selection::All,
    };
    let (made, _) = endpoints::create(&world.server.deps, endpoint_owner(&world), endpoint_input)
        .await
        .unwrap();
    let receiver = Receiver::start().await;
    let change = persistence::records::EndpointChange {
        url: Some(receiver.url.clone()),
        description: None,
        events: Some("message.queued".to_owned()),
    };
    let owner = Owner::Organization(world.organization);
    assert!(world.server.deps.db.owner(owner).change_endpoint(made.id, change).await.unwrap());
    send_message(&world).await;
    world.settle().await;
    assert!(receiver.received().is_empty());
    let (state, attempts) = only_delivery(&world, &made).await;
    assert_eq!(state, DeliveryState::Pending);
    let why = "127.0.0.1 is not an address of the public internet";
    assert_eq!(attempts[0].error.as_deref(), Some(why));
}

with_receivers! {
    redirects_are_not_followed,
    an_endpoint_that_never_answers_fails_and_others_do_not_wait_for_it,
    only_the_first_4_kib_of_an_answer_are_kept,
}

on_both_databases! {
    urls_of_private_networks_are_rejected,
    an_address_is_judged_when_the_connection_is_made,
}
