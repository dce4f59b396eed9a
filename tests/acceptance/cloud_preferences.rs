//! Contacts that opt out of marketing messages (`docs/contract.md#opting-out`).

use crate::cloud::{BUSINESS, Cloud, NUMBER, PERSON, PERSON_THERE, on_both_clouds};
use crate::events::events;
use crate::world::graph::callbacks::Inbound;
use crate::world::snapshot::with_numbered_ids;
use serde_json::{Value, json};

const SEND: &str = "/api/v1/messages";

/// Builds a callback with contacts' preferences: the number, `stop` or `resume`, and the time.
fn preferences_callback(entries: &[(&str, &str, i64)]) -> Value {
    let entries: Vec<Value> = entries
        .iter()
        .map(|(wa_id, value, second)| {
            json!({
                "wa_id": wa_id,
                "detail": "User requested",
                "category": "marketing_messages",
                "value": value,
                "timestamp": second,
            })
        })
        .collect();
    let metadata = json!({"display_phone_number": "15550783881", "phone_number_id": NUMBER});
    let value = json!({
        "messaging_product": "whatsapp",
        "metadata": metadata,
        "contacts": [{"profile": {"name": "Ada"}, "wa_id": PERSON_THERE}],
        "user_preferences": entries,
    });
    let change = json!({"field": "user_preferences", "value": value});
    json!({"object": "whatsapp_business_account", "entry": [{"id": BUSINESS, "changes": [change]}]})
}

/// Creates an approved template of this category.
pub async fn create_approved_template(cloud: &Cloud, name: &str, category: &str) {
    let body = json!({
        "name": name,
        "language": "en_US",
        "category": category,
        "components": [{"type": "BODY", "text": "Hello there."}],
    });
    let made = cloud.post("/api/v1/templates", &cloud.key, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    cloud.settle().await;
    let submitted = cloud.graph.templates().pop().expect("the template");
    let approved = crate::world::graph::callbacks::template_status(
        BUSINESS,
        &submitted.id,
        name,
        "en_US",
        "APPROVED",
        None,
    );
    cloud.post_callback(&approved).await;
}

fn template_message(template: &str, to: &str) -> Value {
    json!({"type": "template", "phone_number": to, "template_name": template, "language": "en_US"})
}

/// Returns the time of the contact's opt-out from the history.
async fn opted_out_at(cloud: &Cloud) -> Value {
    let history = cloud
        .get(
            &format!(
                "/api/v1/conversations/history?phone_number={}",
                PERSON.trim_start_matches('+')
            ),
            &cloud.key,
        )
        .await;
    history.body["conversation"]["contact"]["opted_out_at"].clone()
}

async fn a_contact_who_opts_out_gets_no_marketing(cloud: Cloud) {
    create_approved_template(&cloud, "spring_sale", "marketing").await;
    create_approved_template(&cloud, "order_update", "utility").await;
    cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let (early, at) = (cloud.second() - 60, cloud.second());
    assert_eq!(opted_out_at(&cloud).await, Value::Null);
    // When a contact opts out of marketing,
    let stop = preferences_callback(&[(PERSON_THERE, "stop", at)]);
    cloud.post_callback(&stop).await;
    // then a marketing template is rejected before anything is stored or counted, also in a dry
    // run,
    assert_eq!(opted_out_at(&cloud).await, json!("2026-11-21T12:00:00.000Z"));
    for body in [template_message("spring_sale", PERSON), json!({"dry_run": true})] {
        let mut asked = template_message("spring_sale", PERSON);
        asked.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        cloud.post(SEND, &cloud.key, &asked).await.is_problem(422, "recipient_opted_out");
    }
    // from every account and key of the organization;
    let other = cloud.key_with_token(cloud.graph.token()).await;
    cloud
        .post(SEND, &other, &template_message("spring_sale", PERSON))
        .await
        .is_problem(422, "recipient_opted_out");
    // other messages to the contact, and marketing to other contacts, are accepted.
    for body in [
        template_message("order_update", PERSON),
        template_message("spring_sale", "+12025550123"),
        json!({"type": "text", "phone_number": PERSON, "text": "Hi"}),
    ] {
        assert_eq!(cloud.post(SEND, &cloud.key, &body).await.status, 201, "{body}");
    }
    // A repeated or an older report changes nothing.
    cloud.post_callback(&stop).await;
    cloud.post_callback(&preferences_callback(&[(PERSON_THERE, "resume", early)])).await;
    cloud
        .post(SEND, &cloud.key, &template_message("spring_sale", PERSON))
        .await
        .is_problem(422, "recipient_opted_out");
    // When the contact opts in again, then marketing is accepted.
    cloud.post_callback(&preferences_callback(&[(PERSON_THERE, "resume", at + 1)])).await;
    assert_eq!(opted_out_at(&cloud).await, Value::Null);
    assert_eq!(
        cloud.post(SEND, &cloud.key, &template_message("spring_sale", PERSON)).await.status,
        201
    );
    let reported: Vec<Value> = events(&cloud, &cloud.key)
        .await
        .into_iter()
        .filter(|it| it["type"] == "contact.updated")
        .map(|it| it["data"].clone())
        .collect();
    insta::assert_compact_json_snapshot!(with_numbered_ids(&json!(reported)), @r#"
    [
      {
        "id": "ctc_1",
        "account_id": "acc_1",
        "phone_number": "+16505551234",
        "channel_user_id": null,
        "channel_parent_user_id": null,
        "username": null,
        "name": null,
        "opted_out_at": "2026-11-21T12:00:00.000Z",
        "created_at": "2026-11-21T12:00:00.000Z",
        "previous": {
          "opted_out_at": null
        }
      },
      {
        "id": "ctc_1",
        "account_id": "acc_1",
        "phone_number": "+16505551234",
        "channel_user_id": null,
        "channel_parent_user_id": null,
        "username": null,
        "name": null,
        "opted_out_at": null,
        "created_at": "2026-11-21T12:00:00.000Z",
        "previous": {
          "opted_out_at": "2026-11-21T12:00:00.000Z"
        }
      }
    ]
    "#);
    cloud.all_in_shape();
}

async fn a_contact_who_signs_up_gets_marketing_again(cloud: Cloud) {
    create_approved_template(&cloud, "spring_sale", "marketing").await;
    cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let at = cloud.second();
    cloud.post_callback(&preferences_callback(&[(PERSON_THERE, "stop", at)])).await;
    cloud
        .post(SEND, &cloud.key, &template_message("spring_sale", PERSON))
        .await
        .is_problem(422, "recipient_opted_out");
    cloud.post_callback(&preferences_callback(&[(PERSON_THERE, "signup", at + 1)])).await;
    assert_eq!(opted_out_at(&cloud).await, Value::Null);
    assert_eq!(
        cloud.post(SEND, &cloud.key, &template_message("spring_sale", PERSON)).await.status,
        201
    );
    // A preference in a system message counts the same.
    let system = |marketing: &str, second: i64| {
        let message = json!({
            "id": "wamid.P",
            "from": PERSON_THERE,
            "timestamp": second.to_string(),
            "type": "system",
            "system": {"type": "user_preference_changed", "body": "x", "marketing": marketing},
        });
        let metadata = json!({"display_phone_number": "15550783881", "phone_number_id": NUMBER});
        let change = json!({
            "field": "messages",
            "value": {"messaging_product": "whatsapp", "metadata": metadata, "messages": [message]},
        });
        json!({
            "object": "whatsapp_business_account",
            "entry": [{"id": BUSINESS, "changes": [change]}],
        })
    };
    cloud.post_callback(&system("stop", at + 2)).await;
    assert!(opted_out_at(&cloud).await.is_string());
    cloud.post_callback(&system("resume", at + 3)).await;
    assert_eq!(opted_out_at(&cloud).await, Value::Null);
    // An opt-in of an unknown person changes nothing, so no dead letter is kept.
    cloud.post_callback(&preferences_callback(&[("12025550199", "signup", at)])).await;
    assert_eq!(
        cloud.beside().await.number("SELECT count(*) AS number FROM dead_callbacks").await,
        0
    );
}

async fn another_organization_may_write_to_the_same_person(cloud: Cloud) {
    create_approved_template(&cloud, "spring_sale", "marketing").await;
    let (_, theirs) = cloud.other("+12025550170", "106540352242970").await;
    cloud.text(PERSON, "Hello").await;
    cloud.post_callback(&preferences_callback(&[(PERSON_THERE, "stop", cloud.second())])).await;
    // For the other organization the same number is another contact, which has not opted out.
    assert_eq!(
        cloud.post(SEND, &theirs, &template_message("spring_sale", PERSON)).await.status,
        201
    );
    cloud
        .post(SEND, &cloud.key, &template_message("spring_sale", PERSON))
        .await
        .is_problem(422, "recipient_opted_out");
}

async fn a_preference_of_an_unknown_contact_becomes_a_dead_letter(cloud: Cloud) {
    cloud.post_callback(&preferences_callback(&[("12025550199", "stop", cloud.second())])).await;
    let kept = "SELECT count(*) AS number FROM dead_callbacks WHERE reason = 'unknown_contact'";
    assert_eq!(cloud.beside().await.number(kept).await, 1);
    // A stranger who writes becomes a contact, and a later opt-out takes effect.
    let hello = Inbound { from: "12025550199", ..crate::cloud::from_person("wamid.S") };
    cloud.post_callback(&hello.text("Hello")).await;
    cloud.post_callback(&preferences_callback(&[("12025550199", "stop", cloud.second())])).await;
    assert_eq!(cloud.beside().await.number(kept).await, 1);
    let opted = "SELECT count(*) AS number FROM contacts WHERE opted_out_at IS NOT NULL";
    assert_eq!(cloud.beside().await.number(opted).await, 1);
}

on_both_clouds! {
    a_contact_who_opts_out_gets_no_marketing,
    a_contact_who_signs_up_gets_marketing_again,
    another_organization_may_write_to_the_same_person,
    a_preference_of_an_unknown_contact_becomes_a_dead_letter,
}
