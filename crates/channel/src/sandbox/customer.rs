//! Messages that a member writes as a simulated customer, on the sandbox phone of the dashboard.

use super::choice::{CustomerChoice, choice_reply};
use super::{PICTURE_ID, wrap};
use domain::id::{AccountId, MessageId};
use domain::keyword::Keyword as _;
use domain::media::MediaKind;
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
    /// A file.
    File {
        /// The sandbox's id of the file: the id of an upload, or a URL.
        id: String,
        /// The kind of file.
        kind: MediaKind,
        /// The content type, if it is known.
        content_type: Option<String>,
        /// The text below the file.
        caption: Option<String>,
        /// The name of a document.
        filename: Option<String>,
        /// Whether audio is a voice message.
        voice: bool,
    },
    /// A tap on a button or a row of a message.
    Tap {
        /// The channel's id of the message.
        channel_id: String,
        /// The choice that is tapped.
        choice: CustomerChoice,
    },
}

/// The prefix of the sandbox's ids of messages.
const MESSAGE_ID_PREFIX: &str = "wamid.sandbox.";

/// Returns our id of a simulated customer's message. It is a part of the channel's id.
#[must_use]
pub fn customer_message_id(channel_id: &str) -> Option<MessageId> {
    channel_id.strip_prefix(MESSAGE_ID_PREFIX)?.parse().ok()
}

/// Returns the callback with which the channel would report a message of this customer. The
/// channel's id of the message will contain `id`.
#[must_use]
pub fn customer_callback(
    account: AccountId,
    from: &PhoneNumber,
    id: MessageId,
    message: &CustomerMessage,
    at: Timestamp,
) -> String {
    let mut said = match message {
        CustomerMessage::Text(text) => json!({"type": "text", "text": {"body": text}}),
        CustomerMessage::Picture => {
            json!({"type": "image", "image": {"id": PICTURE_ID, "mime_type": "image/png"}})
        }
        CustomerMessage::File { id, kind, content_type, caption, filename, voice } => {
            let kind = kind.as_str();
            let mut file =
                json!({"id": id, "mime_type": content_type.as_deref().unwrap_or_default()});
            if let Some(caption) = caption {
                file["caption"] = json!(caption);
            }
            if let Some(filename) = filename {
                file["filename"] = json!(filename);
            }
            if *voice {
                file["voice"] = json!(true);
            }
            json!({"type": kind, kind: file})
        }
        CustomerMessage::Tap { channel_id, choice } => {
            let mut said = choice_reply(choice);
            said["context"] = json!({ "id": channel_id });
            said
        }
    };
    said["id"] = json!(format!("{MESSAGE_ID_PREFIX}{id}"));
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
        let id = MessageId::new(at, [3; 10]);
        let parts = parse(&customer_callback(account, &from, id, &message, at));
        let [part] = parts.as_slice() else { panic!("{parts:?}") };
        let Parsed::Event(event) = &part.content else { panic!("{part:?}") };
        let CallbackEventKind::Message { message, .. } = &event.what else { panic!("{event:?}") };
        assert_eq!(message.said, InboundContent::Text("Hello".to_owned()));
        assert_eq!(message.person.phone_number.as_ref(), Some(&from));
        assert_eq!(customer_message_id(&message.channel_id), Some(id));
        assert_eq!(customer_message_id("wamid.sandbox.0193.reply"), None);
    }
}
