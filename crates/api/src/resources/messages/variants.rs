//! Example messages of the more special types, for the reference, as a caller writes them.

use crate::operation::Variant;
use serde::de::DeserializeOwned;

/// The name, the title and the body of each example.
const VARIANTS: [(&str, &str, &str); 16] = [
    ("voice", "A voice message", VOICE),
    ("location", "A location", LOCATION),
    ("contacts", "Contact cards", CONTACTS),
    ("reaction", "A reaction", REACTION),
    ("flow", "A flow", FLOW),
    ("location_request", "A request for a location", LOCATION_REQUEST),
    ("contact_info_request", "A request for a phone number", CONTACT_INFO_REQUEST),
    ("call_permission_request", "A request to call", CALL_PERMISSION_REQUEST),
    ("address", "A request for an address", ADDRESS),
    ("catalog", "The catalog", CATALOG),
    ("product", "A product", PRODUCT),
    ("product_list", "Several products", PRODUCT_LIST),
    ("carousel", "A carousel", CAROUSEL),
    ("order_details", "An order to pay", ORDER_DETAILS),
    ("order_status", "The status of an order", ORDER_STATUS),
    ("channel", "A message in the channel's own format", CHANNEL),
];

/// Returns the examples, decoded like requests.
pub fn variants<T: DeserializeOwned>() -> impl Iterator<Item = Variant<T>> {
    VARIANTS.into_iter().filter_map(|(name, title, body)| {
        let input = serde_json::from_str(body).ok()?;
        Some(Variant { name, title, input })
    })
}

const VOICE: &str = r#"{
  "type": "media",
  "phone_number": "+12025550100",
  "media_url": "https://example.com/greeting.ogg",
  "voice": true
}"#;

const LOCATION: &str = r#"{
  "type": "location",
  "phone_number": "+12025550100",
  "location": {
    "latitude": 37.4847,
    "longitude": -122.1486,
    "name": "Depot",
    "address": "1 Hacker Way, Menlo Park, CA 94025"
  }
}"#;

const CONTACTS: &str = r#"{
  "type": "contacts",
  "phone_number": "+12025550100",
  "contacts": [
    {
      "name": { "formatted_name": "Ada Lovelace", "first_name": "Ada", "last_name": "Lovelace" },
      "phones": [{ "phone": "+1 202-555-0123", "type": "WORK" }],
      "emails": [{ "email": "ada@example.com", "type": "WORK" }]
    }
  ]
}"#;

const REACTION: &str = r#"{
  "type": "reaction",
  "phone_number": "+12025550100",
  "reaction": { "message_id": "msg_01jd7qkz5tefrs7nn4j9m2h8xa", "emoji": "👍" }
}"#;

const FLOW: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "flow",
    "body": { "text": "Book an appointment." },
    "action": {
      "name": "flow",
      "parameters": {
        "flow_message_version": "3",
        "flow_id": "1042",
        "flow_cta": "Book",
        "flow_token": "order-1042",
        "flow_action": "navigate",
        "flow_action_payload": { "screen": "DATE", "data": { "name": "Ada" } }
      }
    }
  }
}"#;

const LOCATION_REQUEST: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "location_request_message",
    "body": { "text": "Where should we deliver?" },
    "action": { "name": "send_location" }
  }
}"#;

const CONTACT_INFO_REQUEST: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "request_contact_info",
    "body": { "text": "Which number can we reach you on?" },
    "action": { "name": "request_contact_info" }
  }
}"#;

const CALL_PERMISSION_REQUEST: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "call_permission_request",
    "body": { "text": "May we call you about your order?" },
    "action": { "name": "call_permission_request" }
  }
}"#;

const ADDRESS: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "address_message",
    "body": { "text": "Where should we deliver?" },
    "action": { "name": "address_message", "parameters": { "country": "IN", "values": { "city": "Bangalore" } } }
  }
}"#;

const CATALOG: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "catalog_message",
    "body": { "text": "Have a look at our catalog." },
    "action": { "name": "catalog_message", "parameters": { "thumbnail_product_retailer_id": "shoe-1" } }
  }
}"#;

const PRODUCT: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "product",
    "body": { "text": "These are back." },
    "action": { "catalog_id": "194836987003835", "product_retailer_id": "shoe-1" }
  }
}"#;

const PRODUCT_LIST: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "product_list",
    "header": { "type": "text", "text": "Autumn" },
    "body": { "text": "What is new." },
    "action": {
      "catalog_id": "194836987003835",
      "sections": [
        { "title": "Shoes", "product_items": [{ "product_retailer_id": "shoe-1" }, { "product_retailer_id": "shoe-2" }] },
        { "title": "Hats", "product_items": [{ "product_retailer_id": "hat-1" }] }
      ]
    }
  }
}"#;

const CAROUSEL: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "carousel",
    "body": { "text": "Which ones do you like?" },
    "action": {
      "cards": [
        {
          "card_index": 0,
          "type": "cta_url",
          "header": { "type": "image", "image": { "link": "https://example.com/shoe-1.png" } },
          "action": {
            "name": "cta_url",
            "parameters": { "display_text": "View", "url": "https://example.com/shoes/1" }
          }
        },
        {
          "card_index": 1,
          "type": "cta_url",
          "header": { "type": "image", "image": { "link": "https://example.com/shoe-2.png" } },
          "action": {
            "name": "cta_url",
            "parameters": { "display_text": "View", "url": "https://example.com/shoes/2" }
          }
        }
      ]
    }
  }
}"#;

const ORDER_DETAILS: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "order_details",
    "body": { "text": "Your order is ready to be paid." },
    "action": {
      "name": "review_and_pay",
      "parameters": {
        "reference_id": "order-1042",
        "type": "physical-goods",
        "payment_configuration": "main",
        "currency": "INR",
        "total_amount": { "value": 5500, "offset": 100 },
        "order": {
          "status": "pending",
          "items": [{ "retailer_id": "shoe-1", "name": "Shoes", "amount": { "value": 5000, "offset": 100 }, "quantity": 1 }],
          "subtotal": { "value": 5000, "offset": 100 },
          "tax": { "value": 500, "offset": 100, "description": "GST" }
        }
      }
    }
  }
}"#;

const ORDER_STATUS: &str = r#"{
  "type": "interactive",
  "phone_number": "+12025550108",
  "interactive": {
    "type": "order_status",
    "body": { "text": "Your order is on its way." },
    "action": {
      "name": "review_order",
      "parameters": { "reference_id": "order-1042", "order": { "status": "shipped" } }
    }
  }
}"#;

const CHANNEL: &str = r#"{
  "type": "channel",
  "phone_number": "+12025550100",
  "channel": { "type": "text", "text": { "body": "Your order is on its way." } }
}"#;

#[cfg(test)]
mod tests {
    #[test]
    fn each_example_can_be_read() {
        assert_eq!(
            super::variants::<super::super::send::SendMessageBody>().count(),
            super::VARIANTS.len()
        );
    }
}
