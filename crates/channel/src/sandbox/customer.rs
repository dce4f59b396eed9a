//! Messages that a person writes as a simulated customer, on the sandbox phone.

use super::choice::{CustomerChoice, choice_reply};
use super::{PICTURE_ID, wrap};
use domain::id::AccountId;
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use serde_json::json;

/// A message of a simulated customer.
#[derive(Clone, Debug)]
pub enum CustomerMessage {
    /// A text.
    Text(String),
    /// The sandbox's picture.
    Picture,
    /// A tap on a button or a row of a message.
    Tap {
        /// The channel's id of the message.
        channel_id: String,
        /// What is tapped.
        choice: CustomerChoice,
    },
}

/// Returns the callback with which the channel would report a message of this customer. `id` makes
/// the channel's id of the message.
#[must_use]
pub fn customer_callback(
    account: AccountId,
    from: &PhoneNumber,
    id: &str,
    message: &CustomerMessage,
    at: Timestamp,
) -> String {
    let mut said = match message {
        CustomerMessage::Text(text) => json!({"type": "text", "text": {"body": text}}),
        CustomerMessage::Picture => {
            json!({"type": "image", "image": {"id": PICTURE_ID, "mime_type": "image/png"}})
        }
        CustomerMessage::Tap { channel_id, choice } => {
            let mut said = choice_reply(choice);
            said["context"] = json!({ "id": channel_id });
            said
        }
    };
    said["id"] = json!(format!("wamid.sandbox.{id}"));
    said["from"] = json!(from.digits());
    said["timestamp"] = json!((at.micros() / 1_000_000).to_string());
    let value = json!({
        "messaging_product": "whatsapp",
        "metadata": {"phone_number_id": account.to_string()},
        "messages": [said],
    });
    wrap(account, at, &[json!({"field": "messages", "value": value})])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callback::{CallbackEventKind, PartContent as Parsed};
    use crate::sandbox::parse;
    use domain::inbound::InboundContent;

    #[test]
    fn the_callback_is_read_as_a_message_of_this_customer() {
        let at = Timestamp::from_seconds(1_800_000_000);
        let account = AccountId::new(at, [2; 10]);
        let from = PhoneNumber::parse("+12025550143").unwrap();
        let message = CustomerMessage::Text("Hello".to_owned());
        let parts = parse(&customer_callback(account, &from, "1", &message, at));
        let [part] = parts.as_slice() else { panic!("{parts:?}") };
        let Parsed::Event(event) = &part.content else { panic!("{part:?}") };
        let CallbackEventKind::Message { message, .. } = &event.what else { panic!("{event:?}") };
        assert_eq!(message.said, InboundContent::Text("Hello".to_owned()));
        assert_eq!(message.person.phone_number.as_ref(), Some(&from));
    }
}
