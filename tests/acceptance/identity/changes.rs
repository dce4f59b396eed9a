//! Phone numbers that move to another owner, and contacts with a new number or user id.

use super::{OTHER_USER, Person, USER, change, events_of, history_of, on_number, texts};
use crate::cloud::{Cloud, MINUTE, NOON, NUMBER, PERSON, PERSON_THERE, SEND, on_both_clouds};
use serde_json::{Value, json};

const NEW_NUMBER: &str = "+16505559999";
const NEW_THERE: &str = "16505559999";

const fn first() -> Person<'static> {
    Person { number: Some(PERSON_THERE), user: Some(USER), username: None, name: None }
}

fn system(second: i64, system: &Value) -> Value {
    let message = json!({
        "id": format!("wamid.system.{second}"),
        "from": PERSON_THERE,
        "timestamp": (NOON + second).to_string(),
        "type": "system",
        "system": system,
    });
    on_number(&json!({"messages": [message]}))
}

async fn a_number_with_another_user_id_has_a_new_owner(cloud: Cloud) {
    // Given a contact that is known by number and user id, with a waiting message,
    cloud.advance(MINUTE);
    cloud.post_callback(&first().text("wamid.A", 0, "My secret")).await;
    let before =
        history_of(&cloud, json!({"phone_number": PERSON})).await.body["conversation"].clone();
    cloud.graph.down(true).await;
    let waits = cloud
        .send(&json!({"type": "text", "contact_id": before["contact"]["id"], "text": "Your code"}))
        .await;
    // when a message comes from the same number with another user id,
    let new_owner = Person { user: Some(OTHER_USER), ..first() };
    cloud.post_callback(&new_owner.text("wamid.B", 1, "Hello")).await;
    // and an older message of the first owner comes late,
    cloud.post_callback(&first().text("wamid.C", 0, "One more secret")).await;
    // then the new owner starts with an empty history,
    let now = history_of(&cloud, json!({"phone_number": PERSON})).await;
    assert_eq!(texts(&now), ["Hello"]);
    assert_ne!(now.body["conversation"]["id"], before["id"]);
    // the first owner keeps the old history, without the number,
    let old = history_of(&cloud, json!({"channel_user_id": USER})).await;
    assert_eq!(texts(&old), ["My secret", "Your code", "One more secret"]);
    assert_eq!(old.body["conversation"]["id"], before["id"]);
    assert_eq!(old.body["conversation"]["contact"]["phone_number"], Value::Null);
    let updated = events_of(&cloud, "contact.updated").await;
    assert_eq!(updated.len(), 1, "{updated:?}");
    assert_eq!(updated[0]["id"], before["contact"]["id"]);
    assert_eq!(updated[0]["previous"], json!({"phone_number": PERSON}));
    // and the waiting message does not reach the new owner.
    cloud.graph.down(false).await;
    cloud.advance_by(8, MINUTE).await;
    let accepted = cloud.accepted(&waits).remove(0);
    assert_eq!(accepted.body["recipient"], json!(USER));
    assert_eq!(accepted.body["to"], Value::Null);
}

async fn a_number_and_a_user_id_of_two_people_mix_nobody_up(cloud: Cloud) {
    cloud.advance(MINUTE);
    let other = Person { number: Some(NEW_THERE), user: Some(OTHER_USER), ..Person::default() };
    cloud.post_callback(&first().text("wamid.A", 0, "One")).await;
    cloud.post_callback(&other.text("wamid.B", 1, "Two")).await;
    cloud
        .post_callback(&Person { number: Some(PERSON_THERE), ..other }.text("wamid.C", 2, "Three"))
        .await;
    assert_eq!(texts(&history_of(&cloud, json!({"channel_user_id": USER})).await), ["One"]);
    assert_eq!(
        texts(&history_of(&cloud, json!({"channel_user_id": OTHER_USER})).await),
        ["Two", "Three"]
    );
    assert_eq!(texts(&history_of(&cloud, json!({"phone_number": PERSON})).await), ["Two", "Three"]);
}

async fn a_changed_number_stays_with_its_contact(cloud: Cloud) {
    cloud.advance(MINUTE);
    cloud.post_callback(&first().text("wamid.A", 0, "Hello")).await;
    let changed = system(
        5,
        &json!({
            "type": "user_changed_number",
            "wa_id": NEW_THERE,
            "previous_user_id": USER,
            "user_id": OTHER_USER,
            "body": "User changed",
        }),
    );
    // When the contact writes from a new number before the change of number is reported, and
    // that is reported twice,
    let moved = Person { number: Some(NEW_THERE), user: Some(OTHER_USER), ..Person::default() };
    cloud.post_callback(&moved.text("wamid.B", 9, "From my new number")).await;
    cloud.post_callback(&changed).await;
    cloud.post_callback(&changed).await;
    // then there is one contact with one history, and the report is not a message.
    for named in [json!({"phone_number": NEW_NUMBER}), json!({"channel_user_id": OTHER_USER})] {
        assert_eq!(texts(&history_of(&cloud, named).await), ["Hello", "From my new number"]);
    }
    assert_eq!(events_of(&cloud, "contact.merged").await.len(), 1);
    // The old number belongs to nobody, and the next sender from it is a new contact.
    let somebody = Person { number: Some(PERSON_THERE), ..Person::default() };
    cloud.post_callback(&somebody.text("wamid.C", 20, "I am new here")).await;
    cloud.post_callback(&changed).await;
    assert_eq!(
        texts(&history_of(&cloud, json!({"phone_number": PERSON})).await),
        ["I am new here"]
    );
}

async fn a_changed_number_without_user_ids_changes_the_contact(cloud: Cloud) {
    cloud.advance(MINUTE);
    let person = Person { number: Some(PERSON_THERE), ..Person::default() };
    cloud.post_callback(&person.text("wamid.A", 0, "Hello")).await;
    cloud
        .post_callback(&system(5, &json!({"type": "user_changed_number", "wa_id": NEW_THERE})))
        .await;
    assert_eq!(texts(&history_of(&cloud, json!({"phone_number": NEW_NUMBER})).await), ["Hello"]);
    let updated = events_of(&cloud, "contact.updated").await;
    assert_eq!(updated[0]["phone_number"], json!(NEW_NUMBER));
    assert_eq!(updated[0]["previous"], json!({"phone_number": PERSON}));
    let answer = cloud
        .post(
            SEND,
            &cloud.key,
            &json!({"type": "text", "contact_id": updated[0]["id"], "text": "Hi"}),
        )
        .await;
    assert_eq!(answer.body["phone_number"], NEW_NUMBER);
}

async fn a_changed_user_id_changes_the_contact(cloud: Cloud) {
    cloud.advance(MINUTE);
    cloud.post_callback(&first().text("wamid.A", 0, "Hello")).await;
    cloud
        .post_callback(&system(
            5,
            &json!({
                "type": "user_changed_user_id",
                "previous_user_id": USER,
                "user_id": OTHER_USER,
            }),
        ))
        .await;
    assert_eq!(texts(&history_of(&cloud, json!({"channel_user_id": OTHER_USER})).await), ["Hello"]);
    let update = json!({
        "metadata": {"phone_number_id": NUMBER},
        "user_id_update": [
            {
                "wa_id": PERSON_THERE,
                "user_id": {"previous": OTHER_USER, "current": "US.3"},
                "timestamp": (NOON + 9).to_string(),
            },
        ],
    });
    cloud.post_callback(&change("user_id_update", &update)).await;
    cloud.post_callback(&change("user_id_update", &update)).await;
    assert_eq!(texts(&history_of(&cloud, json!({"channel_user_id": "US.3"})).await), ["Hello"]);
    let updated = events_of(&cloud, "contact.updated").await;
    assert_eq!(
        updated.iter().map(|it| &it["channel_user_id"]).collect::<Vec<_>>(),
        [OTHER_USER, "US.3"]
    );
}

on_both_clouds! {
    a_number_with_another_user_id_has_a_new_owner,
    a_number_and_a_user_id_of_two_people_mix_nobody_up,
    a_changed_number_stays_with_its_contact,
    a_changed_number_without_user_ids_changes_the_contact,
    a_changed_user_id_changes_the_contact,
}
