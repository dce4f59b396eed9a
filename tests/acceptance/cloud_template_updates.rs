//! Changes that Meta makes to templates on its own (`docs/contract.md#templates`).

use crate::cloud::{BUSINESS, Cloud, on_both_clouds};
use crate::events::events;
use crate::template_creation::{create_template, order_update, template_with};
use crate::world::graph::callbacks;
use crate::world::snapshot::with_numbered_ids;
use serde_json::{Value, json};

/// Builds a callback about a change of this template.
fn template_callback(template: &Value, field: &str, more: &Value) -> Value {
    let mut value = json!({
        "message_template_id": template["external_id"],
        "message_template_name": template["name"],
        "message_template_language": "en",
    });
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let change = json!({"field": field, "value": value});
    json!({
        "object": "whatsapp_business_account",
        "entry": [{"id": BUSINESS, "time": 1_795_262_400, "changes": [change]}],
    })
}

async fn read_template(cloud: &Cloud, template: &Value) -> Value {
    let path = format!("/api/v1/templates/{}", template["id"].as_str().unwrap());
    cloud.get(&path, &cloud.key).await.body
}

async fn quality_category_and_components_follow_the_channel(cloud: Cloud) {
    // Given an approved template,
    let template = create_template(&cloud, &template_with("order_update", &order_update())).await;
    cloud.settle().await;
    let template = read_template(&cloud, &template).await;
    let approved = callbacks::template_status(
        BUSINESS,
        template["external_id"].as_str().unwrap(),
        "order_update",
        "en",
        "APPROVED",
        None,
    );
    cloud.post_callback(&approved).await;
    let before = read_template(&cloud, &template).await;
    assert_eq!(before["status"], "approved");
    assert_eq!(before["quality"], Value::Null);
    assert_eq!(before["category"], "utility");
    // when Meta reports another quality, category and body, each twice,
    let body = json!({"message_template_element": "Dear {{1}}, your order {{2}} is near."});
    for (field, value) in [
        (
            "message_template_quality_update",
            json!({"previous_quality_score": "UNKNOWN", "new_quality_score": "YELLOW"}),
        ),
        (
            "template_category_update",
            json!({"previous_category": "UTILITY", "new_category": "MARKETING"}),
        ),
        ("message_template_components_update", body),
    ] {
        for _ in 0..2 {
            cloud.post_callback(&template_callback(&template, field, &value)).await;
        }
    }
    // then the template has these values,
    let after = read_template(&cloud, &template).await;
    assert_eq!(after["status"], "approved");
    assert_eq!(after["quality"], "yellow");
    assert_eq!(after["category"], "marketing");
    let body = |template: &Value| {
        let parts = template["components"].as_array().unwrap().clone();
        parts.into_iter().find(|it| it["type"] == "BODY").unwrap()
    };
    assert_eq!(body(&after)["text"], "Dear {{1}}, your order {{2}} is near.");
    assert_eq!(body(&after)["example"], body(&before)["example"]);
    assert_eq!(
        after["components"].as_array().unwrap().len(),
        before["components"].as_array().unwrap().len()
    );
    // and each change is one event, with the previous values.
    let reported: Vec<Value> = events(&cloud, &cloud.key)
        .await
        .into_iter()
        .filter(|it| it["type"] == "template.updated")
        .collect();
    insta::assert_compact_json_snapshot!(with_numbered_ids(&json!(reported)), @r#"
    [
      {
        "id": "evt_1",
        "type": "template.updated",
        "timestamp": "2026-11-21T12:00:00.000Z",
        "organization_id": "org_1",
        "account_id": "acc_1",
        "sequence": 3,
        "data": {
          "id": "tpl_1",
          "account_id": "acc_1",
          "name": "order_update",
          "language": "en",
          "change": "quality",
          "previous": "unknown",
          "current": "yellow"
        }
      },
      {
        "id": "evt_2",
        "type": "template.updated",
        "timestamp": "2026-11-21T12:00:00.000Z",
        "organization_id": "org_1",
        "account_id": "acc_1",
        "sequence": 4,
        "data": {
          "id": "tpl_1",
          "account_id": "acc_1",
          "name": "order_update",
          "language": "en",
          "change": "category",
          "previous": "utility",
          "current": "marketing"
        }
      },
      {
        "id": "evt_3",
        "type": "template.updated",
        "timestamp": "2026-11-21T12:00:00.000Z",
        "organization_id": "org_1",
        "account_id": "acc_1",
        "sequence": 5,
        "data": {
          "id": "tpl_1",
          "account_id": "acc_1",
          "name": "order_update",
          "language": "en",
          "change": "components",
          "previous": [
            {
              "type": "HEADER",
              "format": "TEXT",
              "text": "Your order"
            },
            {
              "type": "BODY",
              "text": "Hello {{1}}, your order {{2}} is on its way.",
              "example": {
                "body_text": [
                  [
                    "Ada",
                    "1024"
                  ]
                ]
              }
            },
            {
              "type": "FOOTER",
              "text": "Acme"
            },
            {
              "type": "BUTTONS",
              "buttons": [
                {
                  "type": "QUICK_REPLY",
                  "text": "Thanks"
                },
                {
                  "type": "URL",
                  "text": "Track it",
                  "url": "https://example.com/orders/{{1}}",
                  "example": [
                    "https://example.com/orders/1024"
                  ]
                },
                {
                  "type": "PHONE_NUMBER",
                  "text": "Call us",
                  "phone_number": "+12025550190"
                }
              ]
            }
          ],
          "current": [
            {
              "type": "HEADER",
              "format": "TEXT",
              "text": "Your order"
            },
            {
              "type": "BODY",
              "text": "Dear {{1}}, your order {{2}} is near.",
              "example": {
                "body_text": [
                  [
                    "Ada",
                    "1024"
                  ]
                ]
              }
            },
            {
              "type": "FOOTER",
              "text": "Acme"
            },
            {
              "type": "BUTTONS",
              "buttons": [
                {
                  "type": "QUICK_REPLY",
                  "text": "Thanks"
                },
                {
                  "type": "URL",
                  "text": "Track it",
                  "url": "https://example.com/orders/{{1}}",
                  "example": [
                    "https://example.com/orders/1024"
                  ]
                },
                {
                  "type": "PHONE_NUMBER",
                  "text": "Call us",
                  "phone_number": "+12025550190"
                }
              ]
            }
          ]
        }
      }
    ]
    "#);
    assert_eq!(reported[2]["data"]["previous"], before["components"]);
    assert_eq!(reported[2]["data"]["current"], after["components"]);
    assert!(
        reported
            .iter()
            .all(|it| it["data"]["id"] == template["id"]
                && it["account_id"] == template["account_id"])
    );
    assert!(cloud.is_idle().await);
}

on_both_clouds! {
    quality_category_and_components_follow_the_channel,
}
