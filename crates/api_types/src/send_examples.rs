//! Examples of messages to send: for the reference, and for the composer of the sandbox phone.

use crate::interactive;
use crate::object::Object;
use crate::sample;
use crate::send::SendMessageBody;
use domain::content::ContentType;

/// A message to send, as an example of its type.
#[derive(Debug)]
pub struct SendExample {
    /// The name of the example in the API document.
    pub name: &'static str,
    /// The title of the example.
    pub title: &'static str,
    /// The body of the request.
    pub body: SendMessageBody,
}

/// Returns a text message, the first example of the reference.
#[must_use]
pub fn text() -> SendMessageBody {
    SendMessageBody {
        text: Some(sample::TEXT.to_owned()),
        client_ref: Some(sample::CLIENT_REF.to_owned()),
        ..SendMessageBody::sample(ContentType::Text, sample::CONTACT_NUMBER)
    }
}

/// Returns examples of all other types of messages.
#[must_use]
pub fn examples() -> Vec<SendExample> {
    let file = SendMessageBody {
        media_url: Some("https://example.com/invoice-1042.pdf".to_owned()),
        caption: Some("Your invoice".to_owned()),
        filename: Some("invoice.pdf".to_owned()),
        ..SendMessageBody::sample(ContentType::Media, sample::CONTACT_NUMBER)
    };
    let interactive = |phone_number, interactive| SendMessageBody {
        interactive: Some(Object(interactive)),
        ..SendMessageBody::sample(ContentType::Interactive, phone_number)
    };
    let buttons = interactive(sample::TAPPING_NUMBER, interactive::sample::buttons());
    let list = interactive(sample::TAPPING_NUMBER, interactive::sample::list());
    let link = interactive(sample::CONTACT_NUMBER, interactive::sample::link());
    let typed = [
        SendExample { name: "media", title: "A file", body: file },
        SendExample { name: "buttons", title: "Buttons", body: buttons },
        SendExample { name: "list", title: "A list", body: list },
        SendExample { name: "link", title: "A link", body: link },
    ];
    let written = WRITTEN.into_iter().filter_map(|(name, title, body)| {
        let body = serde_json::from_str(body).ok()?;
        Some(SendExample { name, title, body })
    });
    typed.into_iter().chain(written).collect()
}

/// The name, the title and the JSON of the more special types.
const WRITTEN: [(&str, &str, &str); 16] = [
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
    use super::*;

    #[test]
    fn every_example_is_a_message() {
        let examples = examples();
        assert_eq!(examples.len(), WRITTEN.len() + 4);
        for example in examples {
            let mut faults = domain::violation::Violations::default();
            let prepared = example.body.prepare(None, &mut faults);
            assert!(prepared.is_some() && faults.is_empty(), "{}", example.name);
        }
    }
}
