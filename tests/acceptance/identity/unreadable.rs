//! Rows of people that this version cannot read: their own messages wait, and nobody else's.

use super::{HISTORY, Person, USER, events, on_number};
use crate::cloud::{MINUTE, PERSON, PERSON_THERE, on_both_clouds};
use serde_json::json;

const OTHER: &str = "+16505550002";

on_both_clouds! {
    async fn an_address_that_cannot_be_read_stops_nobody_else(cloud: Cloud) {
        // Given messages to two people, and an address that nothing of this version has written,
        cloud.text(PERSON, "One").await;
        cloud.text(OTHER, "Two").await;
        let change = |from: &str, to: &str| format!("UPDATE conversations SET phone_number = '{to}' WHERE phone_number = '{from}'");
        cloud.beside().await.execute(&change(PERSON, "nonsense")).await;
        // when they are handed over, then one waits,
        cloud.settle().await;
        assert_eq!(cloud.texts(), ["Two"]);
        // until the address is put right.
        cloud.beside().await.execute(&change("nonsense", PERSON)).await;
        cloud.advance_by(2, MINUTE).await;
        assert_eq!(cloud.texts(), ["Two", "One"]);
        assert!(cloud.is_idle().await);
    }

    async fn a_contact_that_cannot_be_read_stops_nobody_else(cloud: Cloud) {
        // Given messages that two people got, and a contact that nothing of this version has written,
        let messages = [(cloud.text(PERSON, "One").await, PERSON_THERE), (cloud.text(OTHER, "Two").await, &OTHER[1..])];
        cloud.settle().await;
        let broken = format!("UPDATE contacts SET phone_number = 'nonsense' WHERE phone_number = '{PERSON}'");
        cloud.beside().await.execute(&broken).await;
        // when the channel reports on both, and names both by number and user id,
        for (index, (id, number)) in messages.iter().enumerate() {
            let user = format!("{USER}{index}");
            cloud.report(&on_number(&json!({"statuses": [{
                "id": cloud.accepted(id)[0].wamid, "status": "delivered", "timestamp": cloud.second().to_string(),
                "recipient_id": number, "recipient_user_id": user,
            }]}))).await;
        }
        cloud.settle().await;
        // then both have their status, the other one is known by the user id,
        for (id, _) in &messages {
            assert_eq!(cloud.status(id).await, "delivered");
        }
        let known = cloud.post(HISTORY, &cloud.key, &json!({"channel_user_id": format!("{USER}1")})).await;
        assert_eq!(known.body["conversation"]["contact"]["phone_number"], OTHER);
        // and events go on, once the contact is put right.
        cloud.beside().await.execute(&format!("UPDATE contacts SET phone_number = '{PERSON}' WHERE phone_number = 'nonsense'")).await;
        let last: Vec<_> = events(&cloud).await.into_iter().rev().take(3).map(|it| it["type"].clone()).collect();
        assert_eq!(last, ["contact.updated", "message.delivered", "message.delivered"]);
    }

    async fn what_cannot_be_learned_stops_no_status(cloud: Cloud) {
        // Given messages that two people got, and a contact with the user id of one, which cannot be read,
        let messages = [(cloud.text(PERSON, "One").await, PERSON_THERE), (cloud.text(OTHER, "Two").await, &OTHER[1..])];
        cloud.settle().await;
        let twin = Person { user: Some("US.0"), ..Person::default() };
        cloud.post_callback(&twin.text("wamid.A", 0, "Hello")).await;
        cloud.beside().await.execute("UPDATE contacts SET channel_parent_user_id = 'nonsense' WHERE channel_user_id = 'US.0'").await;
        // when the channel reports on both, in callbacks of their own,
        for (index, (id, number)) in messages.iter().enumerate() {
            cloud.report(&on_number(&json!({"statuses": [{
                "id": cloud.accepted(id)[0].wamid, "status": "delivered", "timestamp": cloud.second().to_string(),
                "recipient_id": number, "recipient_user_id": format!("US.{index}"),
            }]}))).await;
        }
        cloud.settle().await;
        // then both have their status at once, no callback is left, and the other one is known by the user id.
        for (id, _) in &messages {
            assert_eq!(cloud.status(id).await, "delivered");
        }
        assert!(cloud.is_idle().await);
        let known = cloud.post(HISTORY, &cloud.key, &json!({"channel_user_id": "US.1"})).await;
        assert_eq!(known.body["conversation"]["contact"]["phone_number"], OTHER);
    }
}
