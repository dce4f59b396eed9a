//! Messages that a person writes as a simulated customer, on the sandbox phone.

use super::choice::choice_reply;
use super::{PICTURE_ID, wrap};
use domain::content::{Action, Content, Interactive};
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

/// A button or a row that a customer can tap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerChoice {
    /// `button_reply` or `list_reply`.
    pub(super) kind: &'static str,
    /// The value that comes back.
    pub id: String,
    /// The label.
    pub title: String,
    /// The text below the label of a row.
    pub description: Option<String>,
}

/// Returns what a customer can tap on a message.
#[must_use]
pub fn choices(content: &Content) -> Vec<CustomerChoice> {
    let Content::Interactive(Interactive { action, .. }) = content else { return Vec::new() };
    match action {
        Action::Buttons(buttons) => {
            let button = |it: &domain::content::Button| CustomerChoice {
                kind: "button_reply",
                id: it.id.clone(),
                title: it.title.clone(),
                description: None,
            };
            buttons.iter().map(button).collect()
        }
        Action::List(list) => {
            let rows = list.sections.iter().flat_map(|section| &section.rows);
            let row = |it: &domain::content::Row| CustomerChoice {
                kind: "list_reply",
                id: it.id.clone(),
                title: it.title.clone(),
                description: it.description.clone(),
            };
            rows.map(row).collect()
        }
        _ => Vec::new(),
    }
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
    use crate::callback::{CallbackEventKind, Content as Parsed};
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
