//! A success response of the channel that cannot be read: the message was accepted, so it is not
//! sent again.

use crate::cloud::{Cloud, MINUTE, PERSON, from_person, on_both_clouds};
use crate::world::graph::Fault;
use serde_json::json;

/// Success responses without a message id: status, content type, body, and whether the connection
/// closes before the end of the body.
const ANSWERS: [(u16, &str, &str, bool); 8] = [
    (200, "text/html", "<html><body>OK</body></html>", false),
    (200, "application/json", "", false),
    (202, "application/json", "", false),
    (200, "application/json", r#"{"messaging_product":"whatsapp","messages":[]}"#, false),
    (200, "application/json", r#"{"success":true}"#, false),
    (200, "application/json", r#"{"messages":[{"message_status":"accepted"}]}"#, false),
    (200, "application/json", r#"{"messaging_product":"whatsapp","mess"#, true),
    // PostgreSQL cannot store a NUL.
    (
        200,
        "application/json",
        r#"{"messaging_product":"whatsapp","messages":[{"id":"wamid.\u0000"}]}"#,
        false,
    ),
];

async fn a_success_that_cannot_be_read_is_not_sent_again(cloud: Cloud) {
    // Given a channel that accepts messages and responds in one of these ways,
    let mut answers = ANSWERS.into_iter();
    cloud.graph.plan(move |_| {
        answers.next().map_or(Fault::None, |(status, content_type, body, cut_off)| {
            Fault::Accepted {
                status,
                content_type: content_type.to_owned(),
                body: body.to_owned(),
                cut_off,
            }
        })
    });
    let mut ids = Vec::new();
    for index in 0..ANSWERS.len() {
        // when a message is sent to a contact of its own,
        let person = format!("+1202556{index:04}");
        ids.push(cloud.text(&person, "Hello").await);
        cloud.settle().await;
    }
    cloud.advance_by(12, MINUTE * 5).await;
    // then each message was sent once,
    let sends: Vec<usize> = ids.iter().map(|id| cloud.accepted(id).len()).collect();
    assert_eq!(sends, [1; ANSWERS.len()]);
    // none has failed,
    for id in &ids {
        assert_eq!(cloud.status(id).await, "queued");
    }
    assert!(cloud.is_idle().await);

    // and a status callback finds each message by our own id, and brings the channel's id.
    for id in &ids {
        let wamid = cloud.accepted(id)[0].wamid.clone();
        cloud.post_callback(&cloud.status_callback(&wamid, Some(id), "delivered")).await;
        assert_eq!(cloud.status(id).await, "delivered");
        assert_eq!(cloud.row(id).await.channel_message_id.as_deref(), Some(wamid.as_str()));
    }
}

async fn a_reply_finds_a_message_whose_answer_could_not_be_read(cloud: Cloud) {
    cloud.faults([Fault::Accepted {
        status: 202,
        content_type: "text/plain".to_owned(),
        body: String::new(),
        cut_off: false,
    }]);
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    cloud.post_callback(&cloud.status_callback(&wamid, Some(&id), "sent")).await;
    cloud.post_callback(&from_person("wamid.A").answering(&wamid).text("Thanks")).await;
    let history = cloud.history(PERSON).await;
    assert_eq!(history.last().unwrap()["reply_to"], json!(id));
}

async fn a_success_that_says_error_is_an_error(cloud: Cloud) {
    // A readable error counts, even if the HTTP status is a success.
    let body = r#"{"error":{"code":131026,"message":"Message undeliverable"}}"#.to_owned();
    cloud.graph.plan(move |_| Fault::Accepted {
        status: 200,
        content_type: "application/json".to_owned(),
        body: body.clone(),
        cut_off: false,
    });
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    assert_eq!(cloud.message(&id).await["error"]["code"], "recipient_unreachable");
}

on_both_clouds! {
    a_success_that_cannot_be_read_is_not_sent_again,
    a_reply_finds_a_message_whose_answer_could_not_be_read,
    a_success_that_says_error_is_an_error,
}
