//! One person with several numbers: the channel writes some numbers in another form than people do.

use super::{HISTORY, Person, USER, events, events_of, history_of, on_number, texts};
use crate::cloud::{Cloud, MINUTE, NOON, NUMBER, SECOND, SEND, on_both_clouds};
use crate::world::graph::callbacks;
use serde_json::{Value, json};

/// A number as the business writes it, and as the channel writes it.
const WRITTEN: &str = "+5511987654321";
const NAMED: &str = "+551187654321";
/// A number that the channel writes differently, though no country's rule says so.
const OTHER: &str = "+4930123456";
const OTHER_NAMED: &str = "+4915112345678";

fn digits(number: &str) -> &str {
    number.trim_start_matches('+')
}

fn person(number: &str) -> Person<'_> {
    Person { number: Some(digits(number)), ..Person::default() }
}

/// Sends a text to a number and returns the answer.
async fn text_to(cloud: &Cloud, number: &str, text: &str) -> Value {
    let body = json!({"type": "text", "phone_number": number, "text": text});
    let answer = cloud.post(SEND, &cloud.key, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.body
}

/// Returns a status of the last message that names the recipient.
fn status(cloud: &Cloud, state: &str, recipient: &Value) -> Value {
    let wamid = cloud.graph.accepted().pop().expect("a message").wamid;
    let mut status = json!({"id": wamid, "status": state, "timestamp": cloud.second().to_string()});
    status.as_object_mut().unwrap().extend(recipient.as_object().unwrap().clone());
    on_number(&json!({"statuses": [status]}))
}

/// Returns the callback of a message that somebody at the business sent from the phone.
fn echo(number: &str, id: &str, second: i64, text: &str) -> Value {
    let message = json!({
        "from": "15550783881",
        "to": digits(number),
        "id": id,
        "timestamp": second.to_string(),
        "type": "text",
        "text": {"body": text},
    });
    let mut callback = on_number(&json!({"message_echoes": [message]}));
    callback["entry"][0]["changes"][0]["field"] = json!("smb_message_echoes");
    callback
}

fn preference_callback(number: &str, value: &str, second: i64) -> Value {
    let said = json!({
        "wa_id": digits(number),
        "detail": "User requested",
        "category": "marketing_messages",
        "value": value,
        "timestamp": second,
    });
    let metadata = json!({"display_phone_number": "15550783881", "phone_number_id": NUMBER});
    super::change(
        "user_preferences",
        &json!({"messaging_product": "whatsapp", "metadata": metadata, "user_preferences": [said]}),
    )
}

/// Creates an approved marketing template.
async fn create_sale_template(cloud: &Cloud) {
    let body = json!({
        "name": "sale",
        "language": "en_US",
        "category": "marketing",
        "components": [{"type": "BODY", "text": "Hello there."}],
    });
    assert_eq!(cloud.post("/api/v1/templates", &cloud.key, &body).await.status, 201);
    cloud.settle().await;
    let id = cloud.graph.templates().pop().expect("the template").id;
    let approved =
        callbacks::template_status(super::BUSINESS, &id, "sale", "en_US", "APPROVED", None);
    cloud.post_callback(&approved).await;
}

fn sale_message(named: &Value) -> Value {
    let mut body = json!({"type": "template", "template_name": "sale", "language": "en_US"});
    body.as_object_mut().unwrap().extend(named.as_object().unwrap().clone());
    body
}

/// Asserts that the history under each of these identifiers is the same conversation with these
/// texts.
async fn is_one(cloud: &Cloud, names: &[Value], expected: &[&str]) -> Value {
    let mut found = Value::Null;
    for named in names {
        let history = history_of(cloud, named.clone()).await;
        assert_eq!(texts(&history), expected, "{named}");
        let conversation = history.body["conversation"].clone();
        assert!(conversation.is_object(), "{named}");
        assert!(found.is_null() || found["id"] == conversation["id"], "{named}");
        found = conversation;
    }
    found
}

fn by_number(number: &str) -> Value {
    json!({"phone_number": number})
}

async fn the_answer_to_a_send_says_how_the_channel_calls_the_number(cloud: Cloud) {
    for (written, named) in [(WRITTEN, NAMED), (OTHER, OTHER_NAMED)] {
        cloud.graph.call(written, digits(named));
        // When a message goes to a number that the channel writes differently,
        let sent = text_to(&cloud, written, "1").await;
        assert_eq!(sent["phone_number"], written);
        cloud.settle().await;
        // and the contact answers, somebody at the business writes from the phone, and statuses
        // name the channel's form,
        cloud.advance(SECOND);
        cloud
            .post_callback(&person(named).text(
                &format!("wamid.A{written}"),
                cloud.second() - NOON,
                "2",
            ))
            .await;
        cloud.advance(SECOND);
        cloud.post_callback(&echo(named, &format!("wamid.B{written}"), cloud.second(), "3")).await;
        cloud.post_callback(&status(&cloud, "read", &json!({"recipient_id": digits(named)}))).await;
        // and a reaction goes to the number as it was written,
        let message = history_of(&cloud, by_number(named)).await.body["data"][1]["id"].clone();
        let reaction = json!({
            "type": "reaction",
            "phone_number": written,
            "reaction": {"message_id": message, "emoji": "👍"},
            "dry_run": true,
        });
        assert_eq!(cloud.post(SEND, &cloud.key, &reaction).await.status, 200);
        // then there is one conversation with an open customer service window, also for a send
        // to the number as written,
        let again = text_to(&cloud, written, "4").await;
        assert_eq!(again["warnings"], json!([]));
        for field in ["conversation_id", "contact_id"] {
            assert_eq!(again[field], sent[field], "{field}");
        }
        assert_eq!(cloud.status(sent["id"].as_str().unwrap()).await, "read");
        // and messages go to the channel's form, which answers show.
        assert_eq!(again["phone_number"], named);
        assert_eq!(again["contact"]["phone_number"], named);
        cloud.settle().await;
        assert_eq!(cloud.graph.accepted().pop().unwrap().to, named);
        let names =
            [by_number(written), by_number(named), json!({"contact_id": sent["contact_id"]})];
        let conversation = is_one(&cloud, &names, &["1", "2", "3", "4"]).await;
        assert_eq!(conversation["contact"]["phone_number"], named);
    }
    let updated = events_of(&cloud, "contact.updated").await;
    assert_eq!(updated.len(), 2, "{updated:#?}");
    assert_eq!(updated[0]["previous"], by_number(WRITTEN));
    assert_eq!(events_of(&cloud, "contact.created").await.len(), 2);
    cloud.all_in_shape();
}

async fn a_marketing_stop_under_one_form_stops_sends_to_the_other(cloud: Cloud) {
    create_sale_template(&cloud).await;
    let key = cloud.key_with_token(cloud.graph.token()).await;
    for (at, (written, named)) in (0..).step_by(10).zip([(WRITTEN, NAMED), (OTHER, OTHER_NAMED)]) {
        // Given a contact with two numbers,
        cloud.graph.call(written, digits(named));
        text_to(&cloud, written, "Hello").await;
        cloud.settle().await;
        for (second, stopped) in (NOON + at..).step_by(3).zip([named, written]) {
            // when the contact opts out under either,
            cloud.post_callback(&preference_callback(stopped, "stop", second)).await;
            // then marketing is sent to neither, from no account of the organization,
            for number in [written, named] {
                cloud
                    .post(SEND, &cloud.key, &sale_message(&by_number(number)))
                    .await
                    .is_problem(422, "recipient_opted_out");
                let mut dry = sale_message(&by_number(number));
                dry["dry_run"] = json!(true);
                cloud.post(SEND, &cloud.key, &dry).await.is_problem(422, "recipient_opted_out");
                cloud
                    .post(SEND, &key, &sale_message(&by_number(number)))
                    .await
                    .is_problem(422, "recipient_opted_out");
            }
            // until the contact opts in again.
            cloud.post_callback(&preference_callback(named, "resume", second + 1)).await;
            assert_eq!(
                cloud.post(SEND, &cloud.key, &sale_message(&by_number(written))).await.status,
                201
            );
        }
    }
    // The same holds if the channel has not yet named the number that is written to.
    let (wrote, written) = ("+5215512345678", "+525512345678");
    cloud.post_callback(&person(wrote).text("wamid.M", 0, "Hola")).await;
    cloud.post_callback(&preference_callback(wrote, "stop", NOON + 100)).await;
    cloud
        .post(SEND, &cloud.key, &sale_message(&by_number(written)))
        .await
        .is_problem(422, "recipient_opted_out");
    // An opt-out under the other form is the contact's who was written to.
    text_to(&cloud, "+541123456789", "Hola").await;
    cloud.post_callback(&preference_callback("+5491123456789", "stop", NOON + 100)).await;
    cloud
        .post(SEND, &cloud.key, &sale_message(&by_number("+541123456789")))
        .await
        .is_problem(422, "recipient_opted_out");
}

async fn two_contacts_that_exist_are_merged_at_the_first_proof(cloud: Cloud) {
    // Given people with two contacts each, created by versions that did not read the channel's
    // form,
    for (index, (written, named)) in
        [(WRITTEN, NAMED), ("+493015551234", "+4903015551234")].into_iter().enumerate()
    {
        let first = text_to(&cloud, written, "1").await;
        cloud.advance(SECOND);
        cloud.settle().await;
        let now = cloud.second() - NOON;
        cloud.post_callback(&person(named).text(&format!("wamid.{index}"), now, "2")).await;
        cloud.advance(SECOND);
        let second = history_of(&cloud, by_number(named)).await.body["conversation"].clone();
        assert_ne!(second["id"], first["conversation_id"]);
        // when the answer to a send, or a status, shows that the two are one person,
        if index == 0 {
            cloud.graph.call(written, digits(named));
            text_to(&cloud, written, "3").await;
            cloud.settle().await;
        } else {
            text_to(&cloud, written, "3").await;
            cloud.settle().await;
            cloud
                .post_callback(&status(
                    &cloud,
                    "delivered",
                    &json!({"recipient_id": digits(named)}),
                ))
                .await;
        }
        // then they are one contact under every number and id, and a send to one may reply to
        // the other's message.
        let names = [
            by_number(written),
            by_number(named),
            json!({"contact_id": first["contact_id"]}),
            json!({"contact_id": second["contact"]["id"]}),
            json!({"conversation_id": first["conversation_id"]}),
            json!({"conversation_id": second["id"]}),
        ];
        is_one(&cloud, &names, &["1", "2", "3"]).await;
        let answer = text_to(&cloud, written, "4").await;
        assert_eq!(answer["phone_number"], json!(named));
        assert_eq!(answer["warnings"], json!([]));
        cloud.settle().await;
    }
    assert_eq!(events_of(&cloud, "contact.merged").await.len(), 2);
    events(&cloud).await;
}

async fn user_ids_come_before_or_after_the_form_of_the_number(cloud: Cloud) {
    fn named_by<'a>(number: &'a str, user: &'a str) -> Person<'a> {
        Person { user: Some(user), ..person(number) }
    }
    for (index, order) in ["answer first", "status first", "message first"].into_iter().enumerate()
    {
        let written = format!("+55119876543{index}1");
        let named = format!("+5511876543{index}1");
        let user = format!("US.{}", index + 1);
        let sent = if order == "message first" {
            cloud
                .post_callback(&named_by(&named, &user).text(&format!("wamid.{index}"), 0, "Hi"))
                .await;
            text_to(&cloud, &written, "Hello").await
        } else {
            text_to(&cloud, &written, "Hello").await
        };
        if order == "answer first" {
            cloud.graph.call(&written, digits(&named));
        }
        cloud.settle().await;
        let recipient = json!({"recipient_id": digits(&named), "recipient_user_id": user});
        cloud.post_callback(&status(&cloud, "delivered", &recipient)).await;
        cloud
            .post_callback(&named_by(&named, &user).text(
                &format!("wamid.then.{index}"),
                0,
                "Hello?",
            ))
            .await;
        for known in [by_number(&written), by_number(&named), json!({"channel_user_id": user})] {
            let history = history_of(&cloud, known.clone()).await;
            let contact = &history.body["conversation"]["contact"];
            assert_eq!(contact["id"], sent["contact_id"], "{order}: {known}");
            assert_eq!(contact["phone_number"], json!(named), "{order}");
            assert_eq!(contact["channel_user_id"], json!(user), "{order}");
        }
    }
    assert_eq!(events_of(&cloud, "contact.created").await.len(), 3);
}

async fn both_forms_match_until_the_channel_has_written_one(cloud: Cloud) {
    for (index, (wrote, written)) in
        [(NAMED, WRITTEN), ("+525512345678", "+5215512345678"), ("+5491123456789", "+541123456789")]
            .into_iter()
            .enumerate()
    {
        // Given a person who wrote first,
        cloud.post_callback(&person(wrote).text(&format!("wamid.{index}"), 0, "Hi")).await;
        let known = history_of(&cloud, by_number(wrote)).await.body["conversation"].clone();
        // when the business writes to the other form, or only validates, then it is the same
        // contact, with an open window.
        let body =
            json!({"type": "text", "phone_number": written, "text": "Hello", "dry_run": true});
        let dry = cloud.post(SEND, &cloud.key, &body).await.body;
        assert_eq!(dry["conversation_id"], known["id"]);
        assert_eq!(dry["warnings"], json!([]));
        let sent = text_to(&cloud, written, "Hello").await;
        assert_eq!(sent["conversation_id"], known["id"]);
        assert_eq!(sent["warnings"], json!([]));
        assert_eq!(sent["phone_number"], json!(wrote));
        is_one(&cloud, &[by_number(wrote), by_number(written)], &["Hi", "Hello"]).await;
    }
    // Given a contact that the channel has not named yet, because the channel is down,
    cloud.graph.down(true).await;
    let sent = text_to(&cloud, "+5521987654321", "Hello").await;
    // when the other form writes, then it is the same contact.
    cloud.post_callback(&person("+552187654321").text("wamid.B", 0, "Hi")).await;
    let conversation = is_one(
        &cloud,
        &[by_number("+5521987654321"), by_number("+552187654321")],
        &["Hello", "Hi"],
    )
    .await;
    assert_eq!(conversation["id"], sent["conversation_id"]);
    cloud.graph.down(false).await;
    cloud.advance_by(8, MINUTE).await;
    assert_eq!(cloud.accepted(sent["id"].as_str().unwrap()).remove(0).to, "+552187654321");
    // A mobile number and a landline are never one contact by rule.
    text_to(&cloud, "+5511945678901", "Hello").await;
    cloud.post_callback(&person("+551145678901").text("wamid.C", 0, "Hi")).await;
    is_one(&cloud, &[by_number("+551145678901")], &["Hi"]).await;
}

async fn the_form_that_the_channel_writes_decides(cloud: Cloud) {
    // Given a number that the channel writes in the same form,
    text_to(&cloud, WRITTEN, "Your secret").await;
    cloud.settle().await;
    // when the other form writes, then it is another contact.
    cloud.post_callback(&person(NAMED).text("wamid.A", 0, "Mine")).await;
    is_one(&cloud, &[by_number(WRITTEN)], &["Your secret"]).await;
    is_one(&cloud, &[by_number(NAMED)], &["Mine"]).await;
    // The same holds if both forms have written.
    let (one, other) = ("+5491123456789", "+541123456789");
    cloud.post_callback(&person(one).text("wamid.B", 0, "One")).await;
    cloud.post_callback(&person(other).text("wamid.C", 0, "Other")).await;
    for (number, text) in [(one, "One"), (other, "Other")] {
        is_one(&cloud, &[by_number(number)], &[text]).await;
        text_to(&cloud, number, text).await;
        is_one(&cloud, &[by_number(number)], &[text, text]).await;
    }
}

async fn a_number_that_joins_leaves_the_one_before_findable_until_it_is_left(cloud: Cloud) {
    let (first, second, third) = ("+16505551111", "+16505552222", "+16505553333");
    cloud.advance(MINUTE);
    let by = |number| Person { user: Some(USER), ..person(number) };
    // Given a person who writes from another number under the same user id,
    cloud.post_callback(&by(first).text("wamid.A", 0, "1")).await;
    cloud.post_callback(&by(second).text("wamid.B", 1, "2")).await;
    // then both numbers lead to the contact.
    let conversation = is_one(
        &cloud,
        &[by_number(first), by_number(second), json!({"channel_user_id": USER})],
        &["1", "2"],
    )
    .await;
    assert_eq!(conversation["contact"]["phone_number"], second);
    assert_eq!(text_to(&cloud, first, "3").await["conversation_id"], conversation["id"]);
    // When the channel reports a new number, then neither of the old ones does,
    let system = json!({"type": "user_changed_number", "wa_id": digits(third), "user_id": USER});
    let message = json!({
        "id": "wamid.S",
        "from": digits(second),
        "from_user_id": USER,
        "timestamp": (NOON + 2).to_string(),
        "type": "system",
        "system": system,
    });
    cloud.post_callback(&on_number(&json!({"messages": [message]}))).await;
    is_one(&cloud, &[by_number(third)], &["1", "2", "3"]).await;
    for (index, left) in [first, second].into_iter().enumerate() {
        assert_eq!(texts(&history_of(&cloud, by_number(left)).await), [""; 0], "{left}");
        // and the next owner of an old number starts with an empty history.
        cloud.post_callback(&person(left).text(&format!("wamid.N{index}"), 3, "New")).await;
        is_one(&cloud, &[by_number(left)], &["New"]).await;
    }
    is_one(&cloud, &[by_number(third)], &["1", "2", "3"]).await;
}

async fn a_new_owner_of_either_number_gets_no_history(cloud: Cloud) {
    cloud.advance(MINUTE);
    cloud.graph.call(WRITTEN, digits(NAMED));
    cloud
        .post_callback(&Person { user: Some(USER), ..person(NAMED) }.text(
            "wamid.A",
            0,
            "My secret",
        ))
        .await;
    text_to(&cloud, WRITTEN, "Your code").await;
    cloud.settle().await;
    cloud
        .post_callback(&Person { user: Some("BR.2"), ..person(NAMED) }.text("wamid.B", 1, "Hello"))
        .await;
    is_one(
        &cloud,
        &[by_number(NAMED), by_number(WRITTEN), json!({"channel_user_id": "BR.2"})],
        &["Hello"],
    )
    .await;
    is_one(&cloud, &[json!({"channel_user_id": USER})], &["My secret", "Your code"]).await;
}

async fn an_idempotent_send_by_either_form_is_answered_once(cloud: Cloud) {
    cloud.graph.call(OTHER, digits(OTHER_NAMED));
    text_to(&cloud, OTHER, "1").await;
    cloud.settle().await;
    let body = json!({"type": "text", "phone_number": OTHER, "text": "2"});
    let first = cloud.post_once(SEND, "once", &body).await;
    assert_eq!(first.status, 201, "{}", first.body);
    assert_eq!(first.body["phone_number"], json!(OTHER_NAMED));
    cloud.settle().await;
    let again = cloud.post_once(SEND, "once", &body).await;
    assert_eq!(again.status, 201, "{}", again.text);
    assert_eq!(again.text, first.text);
    cloud.settle().await;
    assert_eq!(cloud.texts(), ["1", "2"]);
}

async fn many_who_write_to_either_form_at_once_come_to_one_conversation(cloud: Cloud) {
    cloud.graph.call(OTHER, digits(OTHER_NAMED));
    text_to(&cloud, OTHER, "first").await;
    cloud.settle().await;
    // Given concurrent sends to both forms of two people and to strangers, and a callback of
    // one person,
    cloud.post_callback(&person(NAMED).text("wamid.A", 0, "Hi")).await;
    let numbers: Vec<String> = (0..40)
        .map(|it| match it % 5 {
            0 => OTHER.to_owned(),
            1 => OTHER_NAMED.to_owned(),
            2 => WRITTEN.to_owned(),
            3 => NAMED.to_owned(),
            _ => format!("+1202555{it:04}"),
        })
        .collect();
    let sends = numbers.iter().map(|number| text_to(&cloud, number, "Hello"));
    futures_util::future::join_all(sends).await;
    for number in [OTHER, OTHER_NAMED] {
        let history = cloud
            .get(&format!("{HISTORY}?phone_number={}&limit=100", digits(number)), &cloud.key)
            .await;
        assert_eq!(history.body["data"].as_array().unwrap().len(), 17, "{number}");
    }
    let history =
        cloud.get(&format!("{HISTORY}?phone_number={}", digits(WRITTEN)), &cloud.key).await;
    assert_eq!(history.body["pagination"]["total"], 17);
    assert_eq!(events_of(&cloud, "contact.created").await.len(), 10);
    cloud.settle().await;
    assert_eq!(cloud.graph.accepted().len(), 41);
}

on_both_clouds! {
    the_answer_to_a_send_says_how_the_channel_calls_the_number,
    a_marketing_stop_under_one_form_stops_sends_to_the_other,
    two_contacts_that_exist_are_merged_at_the_first_proof,
    user_ids_come_before_or_after_the_form_of_the_number,
    both_forms_match_until_the_channel_has_written_one,
    the_form_that_the_channel_writes_decides,
    a_number_that_joins_leaves_the_one_before_findable_until_it_is_left,
    a_new_owner_of_either_number_gets_no_history,
    an_idempotent_send_by_either_form_is_answered_once,
    many_who_write_to_either_form_at_once_come_to_one_conversation,
}
