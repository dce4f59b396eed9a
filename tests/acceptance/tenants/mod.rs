//! An id of another organization is not found: by no tenant handle of the database, no operation
//! and no page.

mod operations;
mod pages;

use crate::connect::Partner;
use crate::template_creation::{TEMPLATES, plain_template};
use crate::webhooks::receiver::Receiver;
use crate::webhooks::{create_endpoint, delivery_log, send_message, with_receivers};
use crate::world::rows::rows;
use crate::world::{World, on_both_databases};
use domain::connection::EndReason;
use domain::contact::Identity;
use domain::content::MessageKind;
use domain::id;
use domain::inbound::ReportedAuthor;
use domain::key::{KeyState, RateLimit};
use domain::media::{FetchStep, MediaState};
use domain::phone::PhoneNumber;
use persistence::content::StoredContent;
use persistence::records::{
    EndpointChange, FetchClaim, Handshake, Inbound, InboundOutcome, Media, Owner, PersonKey,
};

const PERSON: &str = "+12025550147";

async fn keys_of_another_organization_are_not_found(world: World) {
    let (db, now) = (&world.server.deps.db, world.clock.now());
    let other = world.organization_on("Other", "Unlimited").await;
    let (acme, other) = (db.organization(world.organization), db.organization(other));
    let key = acme.list_own_keys(None, 10).await.unwrap().remove(0);
    let client = || key.client_id.clone();

    assert!(!other.set_key_state(client(), KeyState::Inactive).await.unwrap());
    assert!(!other.delete_key(client(), now).await.unwrap());
    assert!(!other.change_key(key.id, "Stolen".to_owned(), RateLimit::default()).await.unwrap());
    assert!(other.own_key(key.id).await.unwrap().is_none());
    assert!(other.key_of_client_id(client()).await.unwrap().is_none());
    assert!(other.connection_of_key(key.id).await.unwrap().is_none());
    assert!(other.disconnect(key.id, EndReason::Business, now).await.unwrap().is_none());

    let stands = acme.own_key(key.id).await.unwrap().expect("the key");
    assert_eq!(stands.state, KeyState::Active);
    assert_eq!(stands.name, key.name);
    assert!(acme.set_key_state(client(), KeyState::Inactive).await.unwrap());
    assert!(acme.delete_key(client(), now).await.unwrap());
}

async fn conversations_and_messages_of_another_organization_are_not_found(world: World) {
    let db = &world.server.deps.db;
    let other = world.organization_on("Other", "Unlimited").await;
    let (acme, other) = (db.organization(world.organization), db.organization(other));
    let message = send_message(&world).await.parse().unwrap();
    let found = acme.message(None, message).await.unwrap().expect("the message");
    let (conversation, contact) = (found.conversation_id, found.contact_id);

    assert!(other.message(None, message).await.unwrap().is_none());
    assert!(other.part(conversation, 1, 10, true).await.unwrap().is_empty());
    assert!(
        other.list_conversation_messages(vec![conversation], true, 10, 0).await.unwrap().is_empty()
    );
    let person = acme.addressee(PersonKey::Contact(contact)).await.unwrap().unwrap();
    let address = person.address.unwrap();
    for named in [
        PersonKey::Conversation(conversation),
        PersonKey::Contact(contact),
        PersonKey::Number(address.phone_number().unwrap().clone()),
        PersonKey::Address(address, world.account),
    ] {
        assert!(other.addressee(named.clone()).await.unwrap().is_none());
        assert!(other.list_conversations(named.clone()).await.unwrap().is_empty());
        assert!(acme.addressee(named).await.unwrap().is_some());
    }

    assert_eq!(acme.part(conversation, 1, 10, true).await.unwrap().len(), 1);
    assert_eq!(
        acme.list_conversation_messages(vec![conversation], true, 10, 0).await.unwrap().len(),
        1
    );
}

async fn templates_of_another_organization_are_not_found(world: World) {
    let (db, now) = (&world.server.deps.db, world.clock.now());
    let other = world.organization_on("Other", "Unlimited").await;
    let (acme, other) = (db.organization(world.organization), db.organization(other));
    let made = world
        .post(TEMPLATES, &world.key, &plain_template("hello"))
        .await
        .text_of("id")
        .parse()
        .unwrap();

    // The other organization cannot postpone the submission,
    other
        .reschedule_submission(made, Some(now.plus(std::time::Duration::from_hours(1))))
        .await
        .unwrap();
    world.settle().await;
    assert!(!acme.list_verdicts(made).await.unwrap().is_empty());
    // and cannot read the verdicts or the template.
    assert!(other.list_verdicts(made).await.unwrap().is_empty());
    assert!(other.template(made).await.unwrap().is_none());
}

async fn files_of_another_organization_are_not_found(world: World) {
    let (deps, now) = (&world.server.deps, world.clock.now());
    let other = world.organization_on("Other", "Unlimited").await;
    let (acme, other) = (deps.db.organization(world.organization), deps.db.organization(other));
    let id = deps.id::<id::Media>(now);
    let announced = Media {
        id,
        organization_id: world.organization,
        state: MediaState::Arriving,
        file_name: "a.png".to_owned(),
        content_type: "image/png".to_owned(),
        size: 1,
        sha256: vec![0; 32],
        created_at: now,
    };
    deps.db.insert_media(announced).await.unwrap();
    assert!(!other.store_media(id).await.unwrap());
    assert!(acme.own_media(id).await.unwrap().is_none(), "it is not stored yet");
    assert!(acme.store_media(id).await.unwrap());
    assert!(other.own_media(id).await.unwrap().is_none());
    assert!(acme.own_media(id).await.unwrap().is_some());

    // The other organization cannot process inbound files that are still to be downloaded
    // either.
    let message = deps.id::<id::Message>(now);
    let document = r#"{"media_type":"image"}"#.to_owned();
    let came = Inbound {
        message,
        account: world.account,
        organization: world.organization,
        author: ReportedAuthor::Contact,
        standby: false,
        summary: None,
        person: Identity { phone_number: PhoneNumber::parse(PERSON).ok(), ..Identity::default() },
        new_contact: deps.id(now),
        new_conversation: deps.id(now),
        content: StoredContent { kind: MessageKind::Media, document },
        context: None,
        answers: None,
        channel_message_id: "one".to_owned(),
        file: Some("file".to_owned()),
        at: now,
        received_at: now,
    };
    assert_eq!(deps.db.receive(came).await.unwrap(), InboundOutcome::Kept);
    let claim = FetchClaim { message_id: message, step: FetchStep::File, attempts: 0_u32.into() };
    other.finish_fetch(message, id, "https://stolen.example".to_owned(), None).await.unwrap();
    other.reschedule_fetch(claim, now).await.unwrap();
    other.abandon_fetch(claim).await.unwrap();
    assert_eq!(rows(&world).await["fetches"], 1);
    let kept = acme.message(None, message).await.unwrap().expect("the message");
    assert!(!kept.content.0.contains("stolen"), "{}", kept.content.0);
    acme.abandon_fetch(claim).await.unwrap();
    assert_eq!(rows(&world).await["fetches"], 0);
}

async fn applications_of_another_organization_are_not_found(world: World) {
    let (deps, now) = (&world.server.deps, world.clock.now());
    let partner = Partner::of(&world).await.application;
    let row = deps.db.public().application(partner.client_id).await.unwrap().expect("it");
    let exchange = Handshake {
        id: deps.id::<id::Handshake>(now),
        application_id: row.id,
        organization_id: None,
        failure: None,
        at: now,
    };
    deps.db.insert_handshake(exchange).await.unwrap();
    let owner = row.organization_id.expect("its organization");
    let (owner, other) = (deps.db.organization(owner), deps.db.organization(world.organization));

    assert!(other.own_application(row.id).await.unwrap().is_none());
    assert!(other.handshakes(row.id, now, 10).await.unwrap().is_empty());
    assert!(!other.publish_application(row.id, false).await.unwrap());
    assert!(!other.renew_application(row.id, vec![1]).await.unwrap());
    assert!(!other.delete_application(row.id, now).await.unwrap());

    assert!(owner.own_application(row.id).await.unwrap().is_some());
    assert_eq!(owner.handshakes(row.id, now, 10).await.unwrap().len(), 1);
    assert!(owner.delete_application(row.id, now).await.unwrap());
    assert!(owner.own_application(row.id).await.unwrap().is_none());
}

async fn endpoints_of_another_owner_are_not_found(world: World) {
    let (db, now) = (&world.server.deps.db, world.clock.now());
    let receiver = Receiver::start().await;
    let (made, _) = create_endpoint(&world, &receiver, &[]).await;
    send_message(&world).await;
    world.settle().await;
    let (delivery, _) = delivery_log(&world, &made).await.remove(0);
    let (id, sent) = (made.id, delivery.id);
    let organization = world.organization_on("Other", "Unlimited").await;
    let application = world.server.deps.id(now);
    let began = now.minus(std::time::Duration::from_hours(1));
    for other in [Owner::Organization(organization), Owner::Application(application)] {
        let other = db.owner(other);
        assert!(other.list_own_endpoints().await.unwrap().is_empty());
        assert!(other.endpoint(id).await.unwrap().is_none());
        assert!(other.list_deliveries(id, None, None, 10).await.unwrap().is_empty());
        assert!(other.delivery(id, sent).await.unwrap().is_none());
        assert!(other.delivery_counts(id, 10).await.unwrap().is_empty());
        assert!(other.last_answers(id, vec![sent]).await.unwrap().is_empty());
        assert!(!other.resend_delivery(id, sent, now).await.unwrap());
        assert_eq!(other.replay(id, began, now).await.unwrap(), 0);
        assert!(!other.switch_endpoint(id, false, now).await.unwrap());
        assert!(!other.rotate_endpoint(id, vec![1], now).await.unwrap());
        let change = EndpointChange {
            url: Some("https://stolen.example".to_owned()),
            description: Some(None),
            events: Some(made.events.clone()),
        };
        assert!(!other.change_endpoint(id, change).await.unwrap());
        assert!(!other.delete_endpoint(id, now).await.unwrap());
    }
    let acme = db.owner(Owner::Organization(world.organization));
    assert_eq!(acme.endpoint(id).await.unwrap().expect("the endpoint").url, made.url);
    assert!(!acme.last_answers(id, vec![sent]).await.unwrap().is_empty());
    assert!(acme.replay(id, began, now).await.unwrap() > 0);
}

/// Returns the kind and the length of the id at the beginning of a text.
fn id_at(text: &str) -> Option<(&str, usize)> {
    const DIGITS: usize = 26;
    let (kind, rest) = text.split_once('_')?;
    let digits = rest.get(..DIGITS)?;
    let is_id = !kind.is_empty()
        && kind.len() <= 6
        && kind.bytes().all(|byte| byte.is_ascii_lowercase())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
        && !rest[DIGITS..].starts_with(|next: char| next.is_ascii_alphanumeric());
    is_id.then_some((kind, kind.len() + 1 + DIGITS))
}

/// Replaces each id in a text by the result of `change`.
fn with_ids(text: &str, change: impl Fn(&str) -> String) -> String {
    let (mut changed, mut rest) = (String::new(), text);
    while let Some(next) = rest.chars().next() {
        let is_start = !changed.ends_with(|it: char| it.is_ascii_alphanumeric());
        if let (true, Some((_, length))) = (is_start, id_at(rest)) {
            changed += &change(&rest[..length]);
            rest = &rest[length..];
        } else {
            changed.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    changed
}

/// Returns an id of the same kind that does not exist.
fn of_nobody(id: &str) -> String {
    let (start, last) = id.split_at(id.len() - 1);
    format!("{start}{}", if last == "0" { "1" } else { "0" })
}

on_both_databases! {
    keys_of_another_organization_are_not_found,
    conversations_and_messages_of_another_organization_are_not_found,
    templates_of_another_organization_are_not_found,
    files_of_another_organization_are_not_found,
    applications_of_another_organization_are_not_found,
}

with_receivers! {
    endpoints_of_another_owner_are_not_found,
}
