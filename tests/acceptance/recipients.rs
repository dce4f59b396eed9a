//! The ways to address a recipient, and the account that a message is sent from.

use crate::world::{Answer, Pair, World, on_both_databases};
use domain::id::{AccountId, OrganizationId};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use reqwest::Method;
use serde_json::{Value, json};
use service::admin::NewChannel;

const SEND: &str = "/api/v1/messages";
const PERSON: &str = "+12025550110";

fn text_to(field: &str, value: &str) -> Value {
    json!({"type": "text", "text": "Hello", field: value})
}

async fn send_accepted(world: &World, key: &Pair, body: &Value) -> Value {
    let answer = world.post(SEND, key, body).await;
    assert_eq!(answer.status, 201, "{body}: {}", answer.text);
    answer.body
}

/// Sends to an unknown recipient and returns the error's body. All requests have the same request
/// id, so that bodies can be compared byte for byte.
async fn send_to_unknown(world: &World, key: &Pair, body: &Value) -> String {
    let request = world.request(Method::POST, SEND, key).header("x-request-id", "same");
    let answer = Answer::of(request.json(body)).await;
    answer.is_problem(404, "not_found");
    answer.text
}

async fn count_used(world: &World, key: &Pair) -> Value {
    world.get("/api/v1/me", key).await.body["plan"]["messages"]["used"].clone()
}

/// Connects a second account of the organization and creates a key that is bound to it.
async fn create_second_account(world: &World) -> (AccountId, Pair) {
    let account = world.number(world.organization, "+12025550191").await;
    (account, create_bound_key(world, account).await)
}

async fn create_bound_key(world: &World, account: AccountId) -> Pair {
    world.key_with(world.organization, Scope::ALL, Some(account), 0).await
}

/// Creates another organization with an account and a key. Returns the key and a message that it
/// sent to the contact.
async fn create_other_organization(world: &World) -> (Pair, Value) {
    let organization = world.organization_on("Other", "Unlimited").await;
    world.number(organization, "+12025550192").await;
    let key = world.key_of(organization).await;
    let message = send_accepted(world, &key, &text_to("phone_number", PERSON)).await;
    (key, message)
}

async fn default_of(world: &World, organization: OrganizationId, as_default: bool) -> [String; 3] {
    let first = world.number(organization, "+12025550193").await;
    let admin = world.admin();
    let channel = NewChannel::Sandbox;
    let made = admin.connect_account(organization, "+12025550194", "B", channel, as_default).await;
    let key = world.key_of(organization).await;
    let message = send_accepted(world, &key, &text_to("phone_number", PERSON)).await;
    let account = message["account_id"].as_str().unwrap().to_owned();
    let me = world.get("/api/v1/me", &key).await;
    assert_eq!(me.body["account"]["id"], account.as_str());
    assert_eq!(me.body["account"]["binding"], "default");
    [first.to_string(), made.unwrap().id, account]
}

async fn a_person_is_addressed_by_number_contact_or_conversation(world: World) {
    let first = send_accepted(&world, &world.key, &text_to("phone_number", PERSON)).await;
    let (contact, conversation) =
        (first["contact_id"].as_str().unwrap(), first["conversation_id"].as_str().unwrap());
    assert!(contact.starts_with("ctc_") && conversation.starts_with("conv_"));
    for body in [
        text_to("contact_id", contact),
        text_to("conversation_id", conversation),
        text_to("phone_number", "12025550110"),
    ] {
        let again = send_accepted(&world, &world.key, &body).await;
        assert_eq!(again["contact_id"], contact);
        assert_eq!(again["conversation_id"], conversation);
        assert_eq!(again["phone_number"], PERSON);
        assert_eq!(again["account_id"], world.account.to_string());
    }
    assert_eq!(world.history(PERSON).await.len(), 4);
    // Another phone number is another contact in another conversation.
    let other = send_accepted(&world, &world.key, &text_to("phone_number", "+12025550111")).await;
    assert_ne!(other["contact_id"], contact);
    assert_ne!(other["conversation_id"], conversation);
}

/// Numbers are pasted from pages, mails and address books.
async fn a_number_is_read_as_it_was_pasted(world: World) {
    let first = send_accepted(&world, &world.key, &text_to("phone_number", PERSON)).await;
    for pasted in [
        "+1\u{a0}202\u{a0}555\u{a0}0110",
        "\u{202a}+1 202-555-0110\u{202c}",
        "+1\u{2011}202\u{2013}555\u{2014}0110",
        "\u{ff0b}12025550110",
        "\u{200e}+12025550110",
        "+1\u{2212}202\u{2009}555\u{202f}0110\u{2069}",
        "\u{feff}+1 202 555 0110 \u{200f}",
        "1\u{2010}202\u{2015}5550110",
    ] {
        let again = send_accepted(&world, &world.key, &text_to("phone_number", pasted)).await;
        assert_eq!(again["contact_id"], first["contact_id"], "{pasted:?}");
        assert_eq!(again["phone_number"], json!(PERSON), "{pasted:?}");
        let short =
            json!({"to": pasted, "template_name": "nobodys", "language": "en", "dry_run": true});
        let checked = world.post("/api/v1/messages/template", &world.key, &short).await;
        assert_eq!(checked.body["contact_id"], first["contact_id"], "{}", checked.text);
        let history = world.request(Method::POST, "/api/v1/conversations/history", &world.key);
        let history = Answer::of(history.json(&json!({"phone_number": pasted}))).await;
        assert_eq!(
            history.body["conversation"]["id"], first["conversation_id"],
            "{}",
            history.text
        );
    }
    // The error names the character that is not allowed.
    for (typed, named) in [
        ("+1 (202) 555-0110", "'(' (U+0028)"),
        ("+1.202.555.0110", "'.' (U+002E)"),
        ("+1202555O110", "'O' (U+004F)"),
        ("+１2025550110", "U+FF11"),
    ] {
        let refused = world.post(SEND, &world.key, &text_to("phone_number", typed)).await;
        refused.has_faults(&[("phone_number", "invalid_format")]);
        assert!(
            refused.body["details"][0]["message"].as_str().unwrap().contains(named),
            "{}",
            refused.text
        );
    }
}

async fn exactly_one_recipient_is_needed(world: World) {
    let none = json!({"type": "text", "text": "Hello"});
    world.post(SEND, &world.key, &none).await.has_faults(&[("phone_number", "required")]);
    let three = [("phone_number", PERSON), ("contact_id", "ctc_x"), ("conversation_id", "conv_x")];
    for left_out in 0..4 {
        let mut body = none.clone();
        for (_, (field, value)) in three.iter().enumerate().filter(|(index, _)| *index != left_out)
        {
            body[*field] = json!(value);
        }
        world.post(SEND, &world.key, &body).await.has_faults(&[("phone_number", "not_allowed")]);
    }
    assert_eq!(world.history(PERSON).await, Vec::<Value>::new());
    assert_eq!(count_used(&world, &world.key).await, 0);
}

async fn ids_of_another_organization_are_answered_like_unknown_ids(world: World) {
    // Given a contact that only another organization knows,
    let (other, theirs) = create_other_organization(&world).await;
    // when we use the other organization's ids, unknown ids and malformed ids,
    let mut bodies = Vec::new();
    for field in ["contact_id", "conversation_id"] {
        let prefix = if field == "contact_id" { "ctc" } else { "conv" };
        let mut answers = Vec::new();
        let not_found_answer = format!("{prefix}_01h2xcejqtf2nbrexx3vqjhp41");
        for id in [
            theirs[field].as_str().unwrap(),
            &not_found_answer,
            "nonsense",
            "",
            "msg_01h2xcejqtf2nbrexx3vqjhp41",
            PERSON,
        ] {
            answers.push(send_to_unknown(&world, &world.key, &text_to(field, id)).await);
        }
        assert!(answers.iter().all(|it| *it == answers[0]), "{answers:?}");
        bodies.extend(answers);
    }
    assert!(bodies.iter().all(|it| !it.contains("organization")), "{bodies:?}");
    // then nothing is stored or counted for either organization.
    assert_eq!(world.history(PERSON).await, Vec::<Value>::new());
    assert_eq!(count_used(&world, &world.key).await, 0);
    assert_eq!(count_used(&world, &other).await, 1);
}

async fn each_number_knows_people_on_its_own(world: World) {
    let (account, second_key) = create_second_account(&world).await;
    let first_key = create_bound_key(&world, world.account).await;
    let one = send_accepted(&world, &first_key, &text_to("phone_number", PERSON)).await;
    let two = send_accepted(&world, &second_key, &text_to("phone_number", PERSON)).await;
    assert_eq!(one["account_id"], world.account.to_string());
    assert_eq!(two["account_id"], account.to_string());
    for field in ["contact_id", "conversation_id"] {
        assert_ne!(one[field], two[field]);
        let again =
            send_accepted(&world, &second_key, &text_to(field, two[field].as_str().unwrap())).await;
        assert_eq!(again["account_id"], two["account_id"]);
        assert_eq!(again[field], two[field]);
    }
}

async fn a_bound_key_cannot_use_the_ids_of_another_number(world: World) {
    let (_, second_key) = create_second_account(&world).await;
    let one = send_accepted(&world, &world.key, &text_to("phone_number", PERSON)).await;
    for (field, not_found_answer) in [
        ("contact_id", "ctc_01h2xcejqtf2nbrexx3vqjhp41"),
        ("conversation_id", "conv_01h2xcejqtf2nbrexx3vqjhp41"),
    ] {
        let theirs =
            send_to_unknown(&world, &second_key, &text_to(field, one[field].as_str().unwrap()))
                .await;
        assert_eq!(
            theirs,
            send_to_unknown(&world, &second_key, &text_to(field, not_found_answer)).await
        );
    }
    // Nor can it reply to the other conversation's messages.
    let mut reply = text_to("phone_number", PERSON);
    reply["reply_to"] = one["id"].clone();
    let theirs = send_to_unknown(&world, &second_key, &reply).await;
    reply["reply_to"] = json!("msg_01h2xcejqtf2nbrexx3vqjhp41");
    assert_eq!(theirs, send_to_unknown(&world, &second_key, &reply).await);
    assert_eq!(world.history(PERSON).await.len(), 1);
    assert_eq!(count_used(&world, &world.key).await, 1);
}

/// The key, and never the body, decides which account sends a message.
async fn an_unbound_key_sends_from_the_default_number_whatever_id_it_is_given(world: World) {
    let (account, second_key) = create_second_account(&world).await;
    let two = send_accepted(&world, &second_key, &text_to("phone_number", PERSON)).await;
    assert_eq!(two["account_id"], account.to_string());
    let by_contact = send_accepted(
        &world,
        &world.key,
        &text_to("contact_id", two["contact_id"].as_str().unwrap()),
    )
    .await;
    let by_conversation = send_accepted(
        &world,
        &world.key,
        &text_to("conversation_id", two["conversation_id"].as_str().unwrap()),
    )
    .await;
    for message in [&by_contact, &by_conversation] {
        assert_eq!(message["account_id"], world.account.to_string());
        assert_eq!(message["phone_number"], PERSON);
        assert_ne!(message["contact_id"], two["contact_id"]);
        assert_ne!(message["conversation_id"], two["conversation_id"]);
    }
    assert_eq!(by_contact["conversation_id"], by_conversation["conversation_id"]);
}

async fn a_field_that_names_the_sending_number_is_refused(world: World) {
    for field in ["account_id", "from"] {
        let mut body = text_to("phone_number", PERSON);
        body[field] = json!(world.account.to_string());
        world.post(SEND, &world.key, &body).await.has_faults(&[(field, "unknown_field")]);
    }
    assert_eq!(count_used(&world, &world.key).await, 0);
}

async fn without_a_default_the_first_number_is_used(world: World) {
    let organization = world.organization_on("Two numbers", "Unlimited").await;
    let [first, _, from] = default_of(&world, organization, false).await;
    assert_eq!(from, first);
}

async fn the_default_number_is_used_by_an_unbound_key(world: World) {
    let organization = world.organization_on("Two numbers", "Unlimited").await;
    let [_, default, from] = default_of(&world, organization, true).await;
    assert_eq!(from, default);
}

async fn an_organization_without_a_number_cannot_send(world: World) {
    let organization = world.organization_on("No number", "Unlimited").await;
    let key = world.key_of(organization).await;
    let me = world.get("/api/v1/me", &key).await;
    assert_eq!(me.status, 200, "{}", me.body);
    assert_eq!(me.body["account"], json!(null));
    world
        .post(SEND, &key, &text_to("phone_number", PERSON))
        .await
        .is_problem(422, "no_messaging_account");
    let template = json!({"to": PERSON, "template_name": "hello", "language": "en"});
    world
        .post("/api/v1/messages/template", &key, &template)
        .await
        .is_problem(422, "no_messaging_account");
    assert_eq!(count_used(&world, &key).await, 0);
    // Once there is an account, the same key sends from it.
    let account = world.number(organization, "+12025550195").await;
    let message = send_accepted(&world, &key, &text_to("phone_number", PERSON)).await;
    assert_eq!(message["account_id"], account.to_string());
}

async fn numbers_are_read_as_people_write_them(world: World) {
    let first = send_accepted(&world, &world.key, &text_to("phone_number", PERSON)).await;
    for number in ["12025550110", "+1 202 555 0110", "1-202-555-0110", "+1-202 555-01-10"] {
        let again = send_accepted(&world, &world.key, &text_to("phone_number", number)).await;
        assert_eq!(again["phone_number"], PERSON);
        assert_eq!(again["contact_id"], first["contact_id"]);
    }
    assert_eq!(world.history("1 202-555-0110").await.len(), 5);
}

async fn invalid_phone_numbers_are_rejected(world: World) {
    let wrong = [
        "",
        "+",
        "abc",
        "+123456",
        "+0123456789",
        "++12025550110",
        "+1234567890123456",
        "+1202555011a",
        "１２０２５５５０１１０",
    ];
    for number in wrong {
        world
            .post(SEND, &world.key, &text_to("phone_number", number))
            .await
            .has_faults(&[("phone_number", "invalid_format")]);
    }
    assert_eq!(count_used(&world, &world.key).await, 0);
}

on_both_databases! {
    a_person_is_addressed_by_number_contact_or_conversation,
    a_number_is_read_as_it_was_pasted,
    exactly_one_recipient_is_needed,
    ids_of_another_organization_are_answered_like_unknown_ids,
    each_number_knows_people_on_its_own,
    a_bound_key_cannot_use_the_ids_of_another_number,
    an_unbound_key_sends_from_the_default_number_whatever_id_it_is_given,
    a_field_that_names_the_sending_number_is_refused,
    without_a_default_the_first_number_is_used,
    the_default_number_is_used_by_an_unbound_key,
    an_organization_without_a_number_cannot_send,
    numbers_are_read_as_people_write_them,
    invalid_phone_numbers_are_rejected,
}
