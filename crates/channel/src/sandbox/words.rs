//! One of the sandbox's contacts does what the text of a message says: the text names the kind of
//! message with which the contact replies. With this contact, a developer can try every kind of
//! inbound message.

use super::channel_id;
use crate::OutboundMessage;
use domain::content::Content;
use serde_json::{Value, json};

/// A message that the sandbox simulates.
pub struct Saying {
    /// The delay in milliseconds.
    pub after: u64,
    /// The suffix of this message's channel id: the channel id of our message, a dot, and the suffix.
    pub id: &'static str,
    /// Whether somebody at the business writes the message on the phone. Otherwise the contact
    /// writes it.
    pub from_phone: bool,
    /// The message in Meta's format.
    pub said: Value,
}

/// Returns the replies to a text. Empty if the text is not one of the known words.
pub fn sayings(handover: &OutboundMessage<'_>) -> Vec<Saying> {
    let Content::Text(text) = handover.content else { return Vec::new() };
    let message_id = channel_id(handover);
    let answer = |said| Saying { after: 600, id: "reply", from_phone: false, said };
    let words = |body: &str| json!({"type": "text", "text": {"body": body}});
    let with_context = |mut said: Value, context: Value| {
        said["context"] = context;
        said
    };
    let reply_id = format!("{message_id}.reply");
    match text.text.trim().to_ascii_lowercase().as_str() {
        "location" => {
            let place = json!({
                "latitude": 37.7749,
                "longitude": -122.4194,
                "name": "Sandbox",
                "address": "1 Market Street",
            });
            vec![answer(json!({"type": "location", "location": place}))]
        }
        "contacts" => {
            let name = json!({"formatted_name": "Sandbox Person", "first_name": "Sandbox"});
            let card = json!({"name": name, "phones": [{"phone": "+12025550100", "type": "CELL"}]});
            vec![answer(json!({"type": "contacts", "contacts": [card]}))]
        }
        "order" => {
            let item = json!({
                "product_retailer_id": "bread",
                "quantity": 2,
                "item_price": 3.5,
                "currency": "USD",
            });
            let order =
                json!({"catalog_id": "sandbox", "text": "Two, please", "product_items": [item]});
            vec![answer(json!({"type": "order", "order": order}))]
        }
        "ad" => {
            let mut said = words("Is this still available?");
            said["referral"] = json!({
                "source_url": "https://example.com/ad",
                "source_id": "1",
                "source_type": "ad",
                "headline": "Fresh bread",
                "ctwa_clid": "sandbox",
            });
            vec![answer(said)]
        }
        "forward" => {
            vec![answer(with_context(words("Look at this"), json!({"forwarded": true})))]
        }
        "edit" => {
            let now = words("I meant Wednesday");
            let edit = json!({"original_message_id": reply_id, "message": now});
            let said = json!({"type": "edit", "edit": edit});
            let edit = Saying { after: 900, id: "edit", from_phone: false, said };
            vec![answer(words("I meant Tuesday")), edit]
        }
        "delete" => {
            let said = json!({"type": "revoke", "revoke": {"original_message_id": reply_id}});
            let deletion = Saying { after: 900, id: "revoke", from_phone: false, said };
            vec![answer(words("Forget this")), deletion]
        }
        "phone" => {
            let said = words("Sent from the phone");
            vec![Saying { after: 600, id: "phone", from_phone: true, said }]
        }
        _ => Vec::new(),
    }
}
