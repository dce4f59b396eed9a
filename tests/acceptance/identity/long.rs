//! Long histories.

use super::{Person, USER, events_of, history_of};
use crate::cloud::{Cloud, MINUTE, PERSON, PERSON_THERE, SEND, on_both_clouds};
use serde_json::json;

/// The number of messages of each of two contacts that turn out to be one.
const EACH: i64 = 60_000;

/// Returns SQL that adds this number of messages to each conversation, in turns and one millisecond
/// apart.
fn histories(cloud: &Cloud) -> String {
    let kept = "organization_id, account_id, conversation_id, contact_id, direction, source, \
                type, content, content_format, status";
    let of_first = "FROM messages WHERE messages.position = 1";
    let (numbers, id, created_at) = if cloud.database_url().starts_with("sqlite:") {
        let numbers = format!(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {EACH})"
        );
        (numbers, "randomblob(16)", "created_at + 1000 * n")
    } else {
        let numbers = format!("WITH n (n) AS (SELECT generate_series(1, {EACH}))");
        (numbers, "gen_random_uuid()", "created_at + n * interval '1 millisecond'")
    };
    let first = format!("(SELECT {kept}, created_at {of_first}) AS first");
    format!(
        "{numbers} INSERT INTO messages (id, {kept}, position, created_at) \
         SELECT {id}, {kept}, n + 1, {created_at} FROM {first} CROSS JOIN n; \
         UPDATE conversations SET message_count = message_count + {EACH}; ANALYZE"
    )
}

async fn two_long_histories_are_joined_however_long_that_takes(cloud: Cloud) {
    // Given two contacts with long histories whose messages alternate in time,
    let text = json!({"type": "text", "phone_number": PERSON, "text": "Hello"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    let by_user = Person { user: Some(USER), ..Person::default() };
    cloud.post_callback(&by_user.text("wamid.A", 0, "Hello")).await;
    cloud.advance(MINUTE * 5);
    let mut beside = cloud.beside().await;
    beside.execute(&histories(&cloud)).await;
    // when a message shows that they are the same contact,
    let both = Person { number: Some(PERSON_THERE), ..by_user };
    cloud.post_callback(&both.text("wamid.B", 200, "It is me")).await;
    // then it is the last message of a single history in the order of time, without gaps.
    assert_eq!(events_of(&cloud, "contact.merged").await.len(), 1);
    let history = history_of(&cloud, json!({"channel_user_id": USER})).await;
    assert_eq!(history.body["pagination"]["total"], 2 * EACH + 3);
    let gaps = "SELECT max(position) - count(DISTINCT position) AS number FROM messages";
    assert_eq!(beside.number(gaps).await, 0);
    let back = "SELECT count(*) AS number FROM ( \
                    SELECT created_at, lag(created_at) OVER (ORDER BY position) AS before FROM messages \
                ) AS all_of_them WHERE before > created_at";
    assert_eq!(beside.number(back).await, 0);
    assert!(cloud.is_idle().await);
}

on_both_clouds! {
    two_long_histories_are_joined_however_long_that_takes,
}
