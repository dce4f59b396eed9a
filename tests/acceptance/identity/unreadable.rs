//! Contacts' rows that this version cannot read delay only their own messages.

use super::{HISTORY, Person, USER, events, on_number};
use crate::cloud::{Cloud, MINUTE, PERSON, PERSON_THERE, on_both_clouds};
use serde_json::json;

const OTHER: &str = "+16505550002";

async fn an_address_that_cannot_be_read_stops_nobody_else(cloud: Cloud) {
    // Given messages to two contacts, and an address that this version cannot have written,
    cloud.text(PERSON, "One").await;
    cloud.text(OTHER, "Two").await;
    let change = |from: &str, to: &str| {
        format!("UPDATE conversations SET phone_number = '{to}' WHERE phone_number = '{from}'")
    };
    cloud.beside().await.execute(&change(PERSON, "nonsense")).await;
    // when they are sent, then the message to that address waits
    cloud.settle().await;
    assert_eq!(cloud.texts(), ["Two"]);
    // until the address is repaired.
    cloud.beside().await.execute(&change("nonsense", PERSON)).await;
    cloud.advance_by(2, MINUTE).await;
    assert_eq!(cloud.texts(), ["Two", "One"]);
    assert!(cloud.is_idle().await);
}

async fn a_contact_that_cannot_be_read_stops_nobody_else(cloud: Cloud) {
    // Given messages to two contacts, and a contact's row that this version cannot have
    // written,
    let messages = [
        (cloud.text(PERSON, "One").await, PERSON_THERE),
        (cloud.text(OTHER, "Two").await, &OTHER[1..]),
    ];
    cloud.settle().await;
    let broken =
        format!("UPDATE contacts SET phone_number = 'nonsense' WHERE phone_number = '{PERSON}'");
    cloud.beside().await.execute(&broken).await;
    // when the channel reports statuses of both, with number and user id,
    for (index, (id, number)) in messages.iter().enumerate() {
        let user = format!("{USER}{index}");
        cloud
            .report(&on_number(&json!({
                "statuses": [
                    {
                        "id": cloud.accepted(id)[0].wamid,
                        "status": "delivered",
                        "timestamp": cloud.second().to_string(),
                        "recipient_id": number,
                        "recipient_user_id": user,
                    },
                ],
            })))
            .await;
    }
    cloud.settle().await;
    // then both messages are updated, the other contact is known by its user id,
    for (id, _) in &messages {
        assert_eq!(cloud.status(id).await, "delivered");
    }
    let known =
        cloud.post(HISTORY, &cloud.key, &json!({"channel_user_id": format!("{USER}1")})).await;
    assert_eq!(known.body["conversation"]["contact"]["phone_number"], OTHER);
    // and events continue once the row is repaired.
    cloud
        .beside()
        .await
        .execute(&format!(
            "UPDATE contacts SET phone_number = '{PERSON}' WHERE phone_number = 'nonsense'"
        ))
        .await;
    let last: Vec<_> =
        events(&cloud).await.into_iter().rev().take(3).map(|it| it["type"].clone()).collect();
    assert_eq!(last, ["contact.updated", "message.delivered", "message.delivered"]);
}

async fn an_unreadable_contact_blocks_no_status(cloud: Cloud) {
    // Given messages to two contacts, and another contact with the user id of one of them,
    // whose row cannot be read,
    let messages = [
        (cloud.text(PERSON, "One").await, PERSON_THERE),
        (cloud.text(OTHER, "Two").await, &OTHER[1..]),
    ];
    cloud.settle().await;
    let twin = Person { user: Some("US.0"), ..Person::default() };
    cloud.post_callback(&twin.text("wamid.A", 0, "Hello")).await;
    let spoiled = "UPDATE contacts SET channel_parent_user_id = 'nonsense' \
                   WHERE channel_user_id = 'US.0'";
    cloud.beside().await.execute(spoiled).await;
    // when the channel reports statuses of both in separate callbacks,
    for (index, (id, number)) in messages.iter().enumerate() {
        cloud
            .report(&on_number(&json!({
                "statuses": [
                    {
                        "id": cloud.accepted(id)[0].wamid,
                        "status": "delivered",
                        "timestamp": cloud.second().to_string(),
                        "recipient_id": number,
                        "recipient_user_id": format!("US.{index}"),
                    },
                ],
            })))
            .await;
    }
    cloud.settle().await;
    // then both messages are updated at once, no callback is left, and the other contact is
    // known by its user id.
    for (id, _) in &messages {
        assert_eq!(cloud.status(id).await, "delivered");
    }
    assert!(cloud.is_idle().await);
    let known = cloud.post(HISTORY, &cloud.key, &json!({"channel_user_id": "US.1"})).await;
    assert_eq!(known.body["conversation"]["contact"]["phone_number"], OTHER);
}

on_both_clouds! {
    an_address_that_cannot_be_read_stops_nobody_else,
    a_contact_that_cannot_be_read_stops_nobody_else,
    an_unreadable_contact_blocks_no_status,
}
