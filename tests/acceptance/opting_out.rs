//! People who opt out of marketing by a word (`docs/contract.md#opting-out`).

use crate::events::events;
use crate::template_creation::TEMPLATES;
use crate::world::{Answer, World, on_both_databases};
use domain::keyword::Keyword as _;
use serde_json::{Value, json};
use std::time::Duration;

const CUSTOMER: &str = "+12025550143";
const INBOUND: &str = "/api/v1/sandbox/inbound";
const SEND: &str = "/api/v1/messages";

async fn write(world: &World, text: &str) {
    let body = json!({"phone_number": CUSTOMER, "text": text});
    let answer = world.post(INBOUND, &world.key, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    // Two texts of the same second have the same time.
    world.live_through(Duration::from_secs(2)).await;
}

/// Creates an approved template of this category.
async fn approved(world: &World, name: &str, category: &str) {
    let body = json!({
        "name": name, "language": "en", "category": category,
        "components": [{"type": "BODY", "text": "Hello there."}],
    });
    let made = world.post(TEMPLATES, &world.key, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    world.live_through(Duration::from_secs(2)).await;
}

async fn send(world: &World, template: &str) -> Answer {
    let body = json!({
        "type": "template", "phone_number": CUSTOMER, "template_name": template, "language": "en",
    });
    world.post(SEND, &world.key, &body).await
}

async fn has_opted_out(world: &World) -> bool {
    let path = format!("/api/v1/contacts?phone_number={}", CUSTOMER.trim_start_matches('+'));
    let contacts = world.get(&path, &world.key).await;
    contacts.body["data"][0]["opted_out_at"].is_string()
}

async fn kinds(world: &World) -> Vec<Value> {
    let all = events(world, &world.key).await.into_iter();
    all.filter(|it| it["type"].as_str().unwrap().starts_with("contact.opted")).collect()
}

async fn a_person_opts_out_with_a_word_and_in_again(world: World) {
    approved(&world, "spring_sale", "marketing").await;
    approved(&world, "order_update", "utility").await;
    // Given a person who writes for the first time, when the text is one of the words,
    write(&world, " stop.\n").await;
    // then the person has opted out,
    assert!(has_opted_out(&world).await);
    let out = kinds(&world).await;
    assert_eq!(out.len(), 1);
    assert_eq!(out[0]["type"], "contact.opted_out");
    assert_eq!(out[0]["data"]["phone_number"], CUSTOMER);
    assert!(out[0]["data"]["opted_out_at"].is_string());
    // and gets no marketing, but everything else.
    send(&world, "spring_sale").await.is_problem(422, "recipient_opted_out");
    assert_eq!(send(&world, "order_update").await.status, 201);
    let text = json!({"type": "text", "phone_number": CUSTOMER, "text": "As you wish."});
    assert_eq!(world.post(SEND, &world.key, &text).await.status, 201);
    // A repeated word changes nothing.
    write(&world, "STOP").await;
    assert_eq!(kinds(&world).await.len(), 1);
    // When the person writes START, then marketing is sent again.
    write(&world, "Start").await;
    assert!(!has_opted_out(&world).await);
    let back = kinds(&world).await;
    assert_eq!(back.len(), 2);
    assert_eq!(back[1]["type"], "contact.opted_in");
    assert_eq!(back[1]["data"]["opted_out_at"], Value::Null);
    assert_eq!(send(&world, "spring_sale").await.status, 201);
}

async fn a_text_that_contains_a_word_is_no_opt_out(world: World) {
    for text in ["please stop sending", "STOP?", "Don't stop!", "stop stop", "stopping", "s t o p"]
    {
        write(&world, text).await;
        assert!(!has_opted_out(&world).await, "{text}");
    }
    assert!(kinds(&world).await.is_empty());
}

async fn an_organization_has_its_own_words(world: World) {
    // Given words in several scripts,
    let admin = world.admin();
    let words = ["СТОП", "停止", "توقف", "ΤΕΛΟΣ", "STRASSE", "やめて"];
    let set = admin.set_opt_out_words(world.organization, Some(&words)).await.unwrap();
    assert_eq!(set.as_written(), words);
    assert_eq!(admin.opt_out_words(world.organization).await.unwrap(), set);
    world.advance(Duration::from_secs(11));
    // when a person writes one of them in any case, then they have opted out.
    for text in ["стоп", "停止。", "توقف", "τελος", "Straße!", "やめて"] {
        write(&world, text).await;
        assert!(has_opted_out(&world).await, "{text}");
        write(&world, "START").await;
        assert!(!has_opted_out(&world).await, "{text}");
    }
    // The default words count only for organizations without words of their own.
    write(&world, "STOP").await;
    assert!(!has_opted_out(&world).await);
    admin.set_opt_out_words(world.organization, None).await.unwrap();
    world.advance(Duration::from_secs(11));
    for text in ["STOP", "Unsubscribe", "stopp", "BAJA", "arret"] {
        write(&world, text).await;
        assert!(has_opted_out(&world).await, "{text}");
        write(&world, "START").await;
    }
    // Words that cannot be used are refused.
    for words in [vec!["start"], vec![" "], vec!["end", ""]] {
        assert!(admin.set_opt_out_words(world.organization, Some(&words)).await.is_err());
    }
}

async fn a_person_opts_out_for_every_number(world: World) {
    approved(&world, "spring_sale", "marketing").await;
    let second = world.number(world.organization, "+12025550192").await;
    let other =
        world.key_with(world.organization, domain::scope::Scope::ALL, Some(second), 0).await;
    // Given a person whom two numbers know,
    let text = json!({"type": "text", "phone_number": CUSTOMER, "text": "Hello"});
    assert_eq!(world.post(SEND, &other, &text).await.status, 201);
    // when they opt out at one, then the other sends no marketing either.
    write(&world, "STOP").await;
    let body = json!({
        "type": "template", "phone_number": CUSTOMER, "template_name": "spring_sale",
        "language": "en",
    });
    world.post(SEND, &other, &body).await.is_problem(422, "recipient_opted_out");
}

on_both_databases! {
    a_person_opts_out_with_a_word_and_in_again,
    a_text_that_contains_a_word_is_no_opt_out,
    an_organization_has_its_own_words,
    a_person_opts_out_for_every_number,
}
