//! The search over contacts, and ids of every kind that has a page.

use super::{APPLICATIONS, KEYS, member_of_another_organization, sign_in_member};
use crate::connect::{EMAIL, Partner};
use crate::template_creation::{create_template, plain_template};
use crate::webhooks::send_message;
use crate::world::{World, on_both_databases};
use domain::contact::Identity;
use domain::content::MessageKind;
use domain::inbound::ReportedAuthor;
use domain::phone::PhoneNumber;
use persistence::content::StoredContent;
use persistence::records::{Inbound, InboundOutcome};

/// The channel reports a message of a person with a name.
async fn named_person_writes(world: &World, number: &str, name: &str) {
    let (deps, now) = (&world.server.deps, world.clock.now());
    let received = Inbound {
        message: deps.id(now),
        account: world.account,
        organization: world.organization,
        author: ReportedAuthor::Contact,
        standby: false,
        summary: None,
        person: Identity {
            phone_number: PhoneNumber::parse(number).ok(),
            name: Some(name.to_owned()),
            ..Identity::default()
        },
        new_contact: deps.id(now),
        new_conversation: deps.id(now),
        content: StoredContent { kind: MessageKind::Text, document: r#"{"text":"Hi"}"#.to_owned() },
        context: None,
        answers: None,
        channel_message_id: number.to_owned(),
        file: None,
        at: now,
        received_at: now,
    };
    assert_eq!(deps.db.receive(received).await.unwrap(), InboundOutcome::Kept);
}

async fn every_id_that_has_a_page_opens_it(world: World) {
    // Given one object of each kind that has a page,
    let mut browser = sign_in_member(&world).await;
    let message = send_message(&world).await;
    let db = world.server.deps.db.organization(world.organization);
    let row = db.message(None, message.parse().unwrap()).await.unwrap().unwrap();
    let key = db.list_own_keys(None, 1).await.unwrap().remove(0);
    let own = Partner::registered(&world, Some(world.organization), false).await.application;
    let member = world.server.deps.db.member_of_email(EMAIL.to_owned()).await.unwrap().unwrap();
    let messages = format!("/messages?q={}", row.conversation_id);
    let template = create_template(&world, &plain_template("hours")).await;
    let template = template["id"].as_str().unwrap().to_owned();
    let all = [
        (message.clone(), format!("/messages/{message}")),
        (world.account.to_string(), format!("/numbers/{}", world.account)),
        (key.client_id, format!("{KEYS}/{}", key.id)),
        (template.clone(), format!("/templates/{template}")),
        (own.client_id, format!("{APPLICATIONS}/{}", own.id)),
        (member.id.to_string(), format!("/settings/members#{}", member.id)),
        (row.contact_id.to_string(), messages.clone()),
        (row.conversation_id.to_string(), messages.clone()),
    ];
    // when its id is opened, then its page follows,
    for (id, path) in &all {
        let found = browser.get(&format!("/search?q={id}")).await;
        assert!(found.text.contains(&format!("/open?id={id}")), "{}", found.text);
        assert_eq!(browser.get(&format!("/open?id={id}")).await.location(), path, "{id}");
    }
    let page = browser.get(&messages).await;
    assert!(page.text.contains("Only the conversation with"), "{}", page.text);
    let link = format!("href=\"/messages/{message}\"");
    assert!(page.text.contains(&link), "{}", page.text);
    // and a member of another organization is told that there is nothing.
    let mut eve = member_of_another_organization(&world).await;
    for (id, _) in &all {
        let to = eve.get(&format!("/open?id={id}")).await.location().to_owned();
        assert!(to.starts_with("/search?notice="), "{id}: {to}");
        let list = eve.get(&format!("/messages?q={id}")).await;
        assert!(!list.text.contains(&link), "{id}: {}", list.text);
    }
}

async fn a_contact_is_found_by_name_and_by_number(world: World) {
    let mut browser = sign_in_member(&world).await;
    named_person_writes(&world, "+12025550143", "Hannah <b>Weiss</b>").await;
    for sought in ["han", "HANNAH", "%2B1+202+555+0143", "5550143"] {
        let found = browser.get(&format!("/search?q={sought}")).await;
        let (_, results) = found.text.split_once("id=\"results\"").unwrap();
        assert!(results.contains("/messages?q=conv_"), "{sought}: {results}");
        assert!(results.contains("Hannah &#60;b&#62;"), "{sought}: {results}");
    }
    for sought in ["annah", "h", "5550144", ""] {
        let nobody = browser.get(&format!("/search?q={sought}")).await;
        assert!(!nobody.text.contains("/messages?q=conv_"), "{sought}: {}", nobody.text);
    }
    let mut eve = member_of_another_organization(&world).await;
    let nobody = eve.get("/search?q=han").await;
    assert!(!nobody.text.contains("/messages?q=conv_"), "{}", nobody.text);
}

on_both_databases! {
    every_id_that_has_a_page_opens_it,
    a_contact_is_found_by_name_and_by_number,
}
